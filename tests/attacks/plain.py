"""Attacks on the verdict against plain pytest: which of them win where nobody judges but pytest itself.

That an attack is contained means something only if it wins somewhere. It wins where pytest's exit status is 0, or where
its report has a test passed; the subject is wrong in every way, so neither is deserved.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attacks.corpus.attack import Attack
from attacks.play import TASK
from qualityscore.runtime.contention import stretch

UNFIT = frozenset({"signals to its relatives"})
"""Not played without a sandbox: where a user owns the host's first process, it would end the host."""

_DEADLINE_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What plain pytest says: its exit status (None where it did not end), and how many tests its report has passed."""

    status: int | None
    passed: int

    @property
    def is_won(self) -> bool:
        """Whether a judge who reads the status, or the report, is deceived."""
        return self.status == 0 or self.passed > 0


def verdict_of(attack: Attack, root: Path, prefix: Sequence[str] = ()) -> Verdict:
    """Run the small task's suite beside the attack's files in the new folder `root`, as anybody would.

    `prefix` begins a command that runs it as an ordinary user, who may write into `root`'s folder.
    """
    attack.write(root, {})
    shutil.rmtree(root / "suites", ignore_errors=True)
    shutil.copytree(TASK / "suites", root / "suites")
    root.chmod(0o777)
    report = root / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    process = subprocess.Popen(
        [*prefix, *command],
        cwd=root,
        env={"PATH": os.environ["PATH"], "HOME": str(root), "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        status = process.wait(_DEADLINE_S * stretch())
    except subprocess.TimeoutExpired:
        status = None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Verdict(status=status, passed=_passed(report))


def _passed(report: Path) -> int:
    try:
        cases = ET.parse(report).getroot().iter("testcase")
    except (OSError, ET.ParseError):
        return 0
    return sum(case.find("failure") is case.find("error") is case.find("skipped") is None for case in cases)
