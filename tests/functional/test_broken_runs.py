"""A sandbox that dies before its time is the harness's fault: no suite takes what did not run for the subject's."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import pytest

from qualityscore.errors import HarnessError
from qualityscore.model.measure import Fault
from qualityscore.runtime.process import Exited, OutputFlooded, TimedOut
from qualityscore.runtime.sandbox.base import Sandbox
from qualityscore.runtime.supervision import supervise
from qualityscore.suites import functional, probe_replay, properties

SUITE = {
    "test_a.py": """
        import m

        def test_one():
            found = m.entry(1)
            assert found == 2 or found == 3
    """
}
GOOD = {"m.py": "def entry(n):\n    return n + 1\n"}
DEATHS = [
    Exited(code=-9, stdout=b"", stderr=b"", wall_s=1),
    TimedOut(after_s=7, stdout=b"", stderr=b""),
    OutputFlooded(stdout=b"", stderr=b"", wall_s=1),
]


@dataclass
class Dying:
    """The host's sandbox, but its first runs end as given and report nothing; None for one that lives."""

    sandbox: Sandbox
    deaths: list = field(default_factory=list)

    def __getattr__(self, name):
        return getattr(self.sandbox, name)

    def stream(self, launch):
        death = self.deaths.pop(0) if self.deaths else None
        return death or (yield from self.sandbox.stream(launch))


@pytest.fixture(scope="module")
def stage(make_stage):
    return make_stage(SUITE)


@pytest.fixture(scope="module")
def expected(stage):
    return stage.discover(GOOD)


@pytest.fixture(params=DEATHS, ids=lambda death: type(death).__name__)
def target(stage, request):
    target = stage.target(GOOD)
    return replace(target, sandbox=Dying(target.sandbox, [request.param]))


@pytest.mark.parametrize("death", DEATHS, ids=lambda death: type(death).__name__)
@pytest.mark.parametrize(("seed", "lives"), [(0, 0), (1, 1)], ids=["first half", "second half"])
def test_tests_that_did_not_run_are_the_harness_s_fault(stage, expected, death, seed, lives):
    assert expected[0].assertions[0].twin
    assert (random.Random(seed).random() < 0.5) == bool(lives)  # the half in which the test is no twin
    target = stage.target(GOOD)
    target = replace(target, sandbox=Dying(target.sandbox, [*[None] * lives, death]))
    (test,) = functional.run(target, expected, rng=random.Random(seed)).tests
    assert (test.outcome, test.fault, test.failure) == ("not_run", Fault.HARNESS, None)


def test_a_broken_trace_is_no_trace(target, expected):
    with pytest.raises(HarnessError, match="cut short"):
        functional.trace(target, expected)


@pytest.mark.parametrize("lives", range(5))
def test_a_broken_run_on_the_reference_loses_no_expected_test(stage, expected, lives):
    target = stage.target(GOOD, is_reference=True)
    dying = Dying(target.sandbox, [*[None] * lives, DEATHS[0]])
    with pytest.raises(HarnessError, match="cut short"):
        functional.discover(replace(target, sandbox=dying))


def test_a_broken_import_run_says_nothing_about_modules(target):
    with pytest.raises(HarnessError, match="cut short"):
        functional.ImportTrial(target).finish()


def test_a_broken_probe_run_leaves_no_hangs(target):
    script = probe_replay.Script(
        entry="m.entry",
        sensible=([], "m.entry(1)"),
        probes=((0, [], "m.entry('b')"),),
        limit_s=1,
        memory_bytes=1 << 29,
    )
    with pytest.raises(HarnessError, match="cut short"):
        probe_replay.replay(
            [script], lambda plan: supervise(target, plan), {}, total_s=60, start_s=30, progress=lambda _: None
        )


def test_a_broken_property_run_fails_no_property(target, tmp_path):
    (tmp_path / "probes.py").write_text('def prop_a():\n    """It holds."""\n')
    task = target.task.model_copy(update={"probes_folder": tmp_path})
    with pytest.raises(HarnessError, match="cut short"):
        properties.survey(replace(target, task=task))
