"""What a subject tells of places and times is brought into the bounds that a report's reader asks for."""

import math

import pytest

from qualityscore.model.bounds import LAST_LINE, seconds
from qualityscore.suites.failures import subject_location
from qualityscore.suites.observation import read_raised


@pytest.mark.parametrize(
    ("said", "kept"), [(-5.0, 0.0), (math.nan, 0.0), (math.inf, 1e9), (1.7e308, 1e9), (0.25, 0.25)]
)
def test_a_time_is_brought_into_bounds(said, kept):
    assert seconds(said) == kept


@pytest.mark.parametrize(
    ("path", "line", "shown", "known"),
    [
        ("pkg/a.py", 3, "pkg/a.py", 3),
        ("../../etc/passwd", 3, ".", 3),
        ("/evil.com/x", 3, ".", 3),
        ("", 3, ".", 3),
        ("a.py", LAST_LINE, "a.py", LAST_LINE),
        ("a.py", 10**30, "a.py", None),
        ("a.py", -5, "a.py", None),
    ],
)
def test_a_frame_that_names_a_place_outside_the_subject_lies_in_the_whole_project(path, line, shown, known):
    raised = read_raised({"type": "E", "bases": [], "text": "", "frames": [["subject", path, line, "f"]]})
    place = subject_location(raised.frames)
    assert (place.path, place.line) == (shown, known)
