"""What the watch tells of an attack is of that attack."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from attacks.players import surroundings

CODE = """
import json, sys
from pathlib import Path
from attacks.watch import Watch
place = Path(sys.argv[1])
left = place / "tmp"
(left / "of-a-killed-process").mkdir()
watch = Watch(place)
watch.settle()
told = [watch.traces()]
(left / "first").mkdir()
told.append(watch.traces())
(left / "second").mkdir()
told.append(watch.traces())
(left / "first").rmdir()
told.append(watch.traces())
watch.close()
print(json.dumps(told))
"""


def seen_by(code: str, place: Path) -> list[Any]:
    """What a process that runs this code beside a new place prints."""
    for name in ("tmp", "home"):
        (place / name).mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(place)],
        env=surroundings(place),
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def test_a_temporary_file_is_told_once_and_of_the_attack_that_left_it(tmp_path):
    left = "a temporary file was left: "
    assert seen_by(CODE, tmp_path) == [[], [left + "first"], [left + "second"], []]


TWO = """
import json, sys
from pathlib import Path
from attacks.watch import Watch
place = Path(sys.argv[1])
first = Watch(place)
second = Watch(place)
first.settle()
print(json.dumps([first.traces(), first.facts["SECRET_SHA"] == second.facts["SECRET_SHA"]]))
first.close()
second.close()
"""


def test_a_second_watch_of_a_place_is_no_trace_for_the_first(tmp_path):
    assert seen_by(TWO, tmp_path) == [[], True]
