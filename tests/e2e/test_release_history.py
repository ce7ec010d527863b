"""Two real releases of a project as a git history: the later against the earlier, and against itself."""

import pytest

from bench.release_history import git, history
from qualityscore import evaluate

QUICK = ("functional", "maintainability", "security", "robustness")


@pytest.mark.slow
def test_releases_of_parse_are_compared_without_help(tmp_path):
    """parse 1.20.1 fixed two defects and added their tests; its source release holds tests for pytest."""
    repository = history("parse", ("1.20.0", "1.20.1"), tmp_path)
    report = evaluate(repository, baseline="v1.20.0", only=QUICK)
    tests = report.branch.tests
    assert report.faults == ()
    assert report.gate.passed
    assert tests.expected == tests.passed == 92  # counted by pytest itself on the unpacked release
    assert tests.added >= 1
    assert report.credibility.score == 1.0
    (repository / "NOTES.md").write_text("nothing of the code\n")
    still = evaluate(repository, baseline="HEAD", only=QUICK)
    assert still.gate.passed
    assert (still.branch.findings.new, still.branch.findings.fixed, still.branch.tests.added) == ((), (), 0)
    assert still.functional.score == 1.0
    assert git(repository, "status", "--porcelain") == "?? NOTES.md\n"
