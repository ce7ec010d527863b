"""Texts that the subject executed are measured as the files that they would be."""

from __future__ import annotations

import pytest

from qualityscore.collectors.executed import as_files
from qualityscore.collectors.static import context_for, measure
from qualityscore.languages.python_production import scan_tree
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.outcome import ExecutedText

TEXT = """
import pickle

def hidden(text, seen=[]):
    try:
        seen.append(pickle.loads(text))
    except:
        pass
    return seen if seen else None if text else text
"""
PLAIN = "def plain(n):\n    return n\n"


def executed(root, source=TEXT, analysed=(), lines=(4,)):
    text = ExecutedText(path="m.py", line=2, source=source.encode())
    tree = scan_tree(root)
    with as_files([text], root) as written:
        (path,) = (path for path, _ in written.values())
        context = context_for(
            tree, judged=[("m.py", 1, ""), *((path, n, "") for n in lines)], texts=dict(written.values())
        )
        found = [Finding(**{**each, "path": path}) for each in analysed]
        return measure(context, analysed=found), path


def test_a_text_is_measured_as_the_file_it_would_be(repository, measured):
    outcome, path = executed(repository({"m.py": PLAIN}))
    assert not (repository({}) / path).exists()
    as_file = measured({"m.py": PLAIN, "t.py": TEXT}, judged=[("m.py", 1), ("t.py", 4)])
    assert outcome.measures == as_file.measures
    ours = {f.code: (f.path, f.line, f.points) for f in outcome.every_finding}
    assert ours == {f.code: ("m.py", 2, f.points) for f in as_file.every_finding}
    assert {"B301", "B110", "W0102", "W0702"} <= ours.keys()
    assert "In a text that is executed here, line 6: " in next(
        f.message for f in outcome.every_finding if f.code == "B301"
    )


@pytest.mark.parametrize("source", ["(lambda row: row.price * rate)", "rate = price\n"])
def test_names_and_values_that_a_text_has_from_where_it_is_executed_are_no_defects(repository, source):
    unbound = {
        "code": "QSN001",
        "tool": "qualityscore",
        "message": "'rate' is used, but nothing binds it",
        "severity": Severity.MEDIUM,
        "line": 1,
        "dimension": "maintainability",
        "measure": "structure.defects",
        "points": 0.0,
    }
    outcome, _ = executed(repository({"m.py": PLAIN}), source, [unbound], lines=())
    assert [f.code for f in outcome.every_finding] == []


def test_a_folder_of_the_subject_is_left_alone(repository):
    root = repository({"executed_texts/mine.py": PLAIN})
    with as_files([ExecutedText(path="m.py", line=1, source=b"x = 1\n")], root) as written:
        ((path, _),) = written.values()
        assert path.startswith("executed_texts_/")
    assert [path.name for path in root.iterdir()] == ["executed_texts"]
    assert (root / "executed_texts" / "mine.py").read_text() == PLAIN
