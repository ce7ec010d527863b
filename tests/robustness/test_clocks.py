"""What hangs on the clock shows while probes are built, whichever way the clock is read."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from qualityscore.suites import probe_build
from qualityscore.suites.observed import GaveValue, RaisedError, Seen
from qualityscore.suites.survival import outcome_key

WAYS = {
    "now": "datetime.datetime.now().isoformat()[:10]",
    "now_in_a_zone": "datetime.datetime.now(tz=datetime.timezone.utc).isoformat()[:10]",
    "utcnow": "datetime.datetime.utcnow().isoformat()[:10]",
    "datetime_today": "datetime.datetime.today().isoformat()[:10]",
    "date_today": "datetime.date.today().isoformat()",
    "own_class": "Own.now().isoformat()[:10]",
    "time": "datetime.date.fromtimestamp(time.time()).isoformat()",
    "time_ns": "datetime.date.fromtimestamp(time.time_ns() / 1e9).isoformat()",
    "localtime": "time.strftime('%Y-%m-%d', time.localtime())",
    "gmtime": "time.strftime('%Y-%m-%d', time.gmtime(None))",
    "strftime": "time.strftime('%Y-%m-%d')",
    "ctime": "time.strftime('%Y-%m-%d', time.strptime(time.ctime()))",
    "asctime": "time.strftime('%Y-%m-%d', time.strptime(time.asctime()))",
    "clock_gettime": "datetime.date.fromtimestamp(time.clock_gettime(time.CLOCK_REALTIME)).isoformat()",
    "clock_gettime_ns": "datetime.date.fromtimestamp(time.clock_gettime_ns(time.CLOCK_REALTIME) / 1e9).isoformat()",
}
MODULE = "import datetime\nimport time\n\n\nclass Own(datetime.datetime):\n    pass\n\n\n"
FUNCTIONS = "".join(
    f'def by_{name}(text: str) -> str:\n    """The text and the day."""\n    return text + {day}\n\n\n'
    for name, day in WAYS.items()
)
STEADY = '''def weekday(text: str) -> str:
    """The weekday of a day given as text."""
    return datetime.date.fromisoformat(text).strftime("%A")


def near(text: str) -> str:
    """A day without its year while it is less than 150 days away, by the calendar's today."""
    day = datetime.date.fromisoformat(text)
    return day.strftime("%d %b" if abs(datetime.date.today() - day).days < 150 else "%d %b %Y")
'''


def seen_under(target: Any, calls: list[str], number: int) -> list[Seen]:
    script = probe_build.building_script(
        "thing.f",
        probe_build.Call(setup=[], call="0"),
        [(index, [], call, []) for index, call in enumerate(calls)],
    )
    record = probe_build.run_once(target, [script], number)["thing.f"]
    return [record.seen[index] for index in range(len(calls))]


@pytest.mark.parametrize("number", probe_build.RUNS)
def test_every_way_to_read_the_clock_tells_the_day_of_the_run(make_target: Any, number: int) -> None:
    target = make_target(MODULE + "def f():\n    return 0\n", is_reference=True)
    setup = ["datetime = thing.datetime", "time = thing.time", "Own = thing.Own"]
    shift = datetime.timedelta(seconds=(probe_build.CLOCKS[number] or {"shift_s": 0.0})["shift_s"])
    before = datetime.datetime.now(datetime.UTC) + shift
    script = probe_build.building_script(
        "thing.f",
        probe_build.Call(setup=[], call="0"),
        [(index, setup, day, []) for index, day in enumerate(WAYS.values())],
    )
    seen = probe_build.run_once(target, [script], number)["thing.f"].seen
    after = datetime.datetime.now(datetime.UTC) + shift + datetime.timedelta(minutes=1)
    told = {name: s.value if isinstance(s, GaveValue) else s for name, s in zip(WAYS, seen.values(), strict=True)}
    assert {name: day in (str(before.date()), str(after.date())) for name, day in told.items()} == dict.fromkeys(
        WAYS, True
    ), told


def test_a_shifted_clock_leaves_all_else_of_datetime_as_it_is(make_target: Any) -> None:
    target = make_target(MODULE + "import _datetime\n\n\ndef f():\n    return 0\n", is_reference=True)
    calls = [
        "thing.datetime.datetime is thing._datetime.datetime",
        "repr(thing.datetime.datetime(2024, 2, 29, 12, 30))",
        "[thing.datetime.datetime.now, thing.datetime.date.today]",
        "thing.datetime.datetime.now.__doc__",
        "type(thing.Own.now()).__name__",
        "thing.datetime.datetime.now(thing.datetime.timezone.utc).utcoffset()",
        "thing.datetime.datetime.now(5)",
        "thing.datetime.datetime(2024, 13, 1)",
        "thing.time.asctime(None)",
        "thing.time.strftime()",
        "thing.time.clock_gettime(-77777)",
    ]
    runs = [seen_under(target, calls, number) for number in probe_build.RUNS]
    assert [[outcome_key(s) for s in run] for run in runs] == [[outcome_key(s) for s in runs[-1]]] * len(runs)
    assert [s.value for s in runs[0][:2] if isinstance(s, GaveValue)] == [
        True,
        "datetime.datetime(2024, 2, 29, 12, 30)",
    ]
    assert [s.type.rpartition(".")[2] for s in runs[0] if isinstance(s, RaisedError)] == [
        *("TypeError", "ValueError", "TypeError", "TypeError", "OSError")
    ]


@pytest.mark.slow
def test_what_hangs_on_the_day_is_not_frozen(module_target: Any) -> None:
    today = datetime.date.today()
    suite = (
        "import thing\n\n\ndef test_all():\n"
        + "".join(f"    assert thing.by_{name}('a')\n    assert thing.by_{name}('b c')\n" for name in WAYS)
        + "    assert thing.weekday('2024-02-29') == 'Thursday'\n"
        + "    assert thing.weekday('2000-01-01') == 'Saturday'\n"
        + "    assert thing.near('2001-05-06') == '06 May 2001'\n"
        + "".join(f"    assert thing.near('{today + datetime.timedelta(days=n)}')\n" for n in (-9, 0, 1, 30, 120))
    )
    entries = [*(f"thing.by_{name}" for name in WAYS), "thing.weekday", "thing.near"]
    target = module_target(MODULE + FUNCTIONS + STEADY, entries, suite=suite, is_reference=True)
    built = probe_build.build(target, 0)
    assert {e.name for e in built.entries} == {"thing.weekday", "thing.near"}
    assert {gap.entry for gap in built.not_probed if "steadily" in gap.reason} == set(entries[:-2])
    values = {
        entry.name: {p.outcome.value for p in entry.probes if p.outcome.kind == "returned"} for entry in built.entries
    }
    assert {"Thursday", "Saturday"} <= values["thing.weekday"]
    assert "06 May 2001" in values["thing.near"]
    years = {int(text[-4:]) for text in values["thing.near"] if text is not None and text[-4:].isdigit()}
    assert all(abs(year - today.year) > 1 for year in years)
    assert len(years) == sum(text is not None for text in values["thing.near"])  # none without its year


def test_a_shifted_clock_shows_another_hour_weekday_day_and_month() -> None:
    shifts = [clock["shift_s"] for clock in probe_build.CLOCKS if clock is not None]
    assert sum(shift > 86_400 for shift in shifts) >= 1
    assert sum(shift > 31 * 86_400 for shift in shifts) >= 1
    start = datetime.datetime(2024, 1, 1)
    for hour in range(0, 4 * 366 * 24, 5):
        real = start + datetime.timedelta(hours=hour)
        others = [real + datetime.timedelta(seconds=shift) for shift in shifts]
        for other in others:
            assert other.hour != real.hour
            assert other.weekday() != real.weekday()
            assert other.day != real.day
            assert other.month != real.month
        assert len({moment.hour < 12 for moment in (real, *others)}) == 2
