"""What the watch tells of an attack is of that attack."""

from __future__ import annotations

import json
import subprocess
import sys

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


def test_a_temporary_file_is_told_once_and_of_the_attack_that_left_it(tmp_path):
    for name in ("tmp", "home"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path)],
        env=surroundings(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    left = "a temporary file was left: "
    assert json.loads(done.stdout) == [[], [left + "first"], [left + "second"], []]


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
    for name in ("tmp", "home"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        [sys.executable, "-c", TWO, str(tmp_path)],
        env=surroundings(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [[], True]
