"""The progress display: lines where there is no terminal, a row per stage in one."""

from io import StringIO

from rich.console import Console

from qualityscore.commands.progress import LINE_EVERY_S, Lines, live, shown


def test_lines_name_each_stage_once_and_its_counts_every_ten_seconds():
    out, time_s = StringIO(), [0.0]
    line = Lines(out, now=lambda: time_s[0])
    steps = [("copy", 0, 0, 0), ("copy", 0, 0, 30), ("cost", 0, 0, 31), ("cost", 1, 9, 32), ("cost", 4, 9, 41.5)]
    for stage, done, total, at_s in [*steps, ("cost", 5, 9, 50), ("cost", 6, 9, 52)]:
        time_s[0] = at_s
        line(stage, done, total)
    assert LINE_EVERY_S == 10
    assert out.getvalue().splitlines() == ["copy …", "cost …", "cost 4 of 9 …", "cost 6 of 9 …"]


def test_a_terminal_shows_counts_only_where_there_are_some_and_ends_a_stage_when_the_next_begins():
    out = StringIO()
    with live(Console(file=out, force_terminal=True, width=80, color_system=None)) as update:
        update("environment", 0, 0)
        update("functional", 0, 0)
        update("functional", 3, 90)
        update("cost", 0, 17)
    frames = out.getvalue()
    assert "3/90" in frames
    assert "0/17" in frames
    assert "0/?" not in frames
    last = frames[frames.rindex("environment") :]
    assert "━" * 24 in last.split("\n")[0]  # a stage without counts that is over has a whole bar


def test_quiet_shows_nothing(capsys):
    with shown(quiet=True) as update:
        update("copy", 1, 2)
    assert capsys.readouterr().err == ""
