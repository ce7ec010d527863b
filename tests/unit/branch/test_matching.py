"""Findings are the same although lines move, files are renamed and functions are moved."""

from dataclasses import replace

from qualityscore.core.matching import Located, match, one_per_cause
from qualityscore.model.finding import Finding, Severity

EVAL = Located(
    finding=Finding(
        code="B307", tool="bandit", message="eval is called", severity=Severity.MEDIUM, path="a.py", line=10
    ),
    scope="load",
    statement="Expr e1",
    body="b1",
)


def moved(item: Located, **changes: object) -> Located:
    finding = replace(
        item.finding, **{k: v for k, v in changes.items() if k in ("path", "line", "message", "severity")}
    )
    rest = {k: v for k, v in changes.items() if k in ("scope", "statement", "body")}
    return replace(item, finding=finding, **rest)


def counts(before, after, bodies=({}, {})):
    result = match(before, after, bodies)
    return len(result.new), len(result.fixed), result.unchanged


def test_a_finding_whose_line_moves_is_unchanged():
    assert counts([EVAL], [moved(EVAL, line=90)]) == (0, 0, 1)


def test_a_finding_in_a_renamed_file_is_unchanged():
    assert counts([EVAL], [moved(EVAL, path="pkg/b.py")]) == (0, 0, 1)


def test_a_finding_in_a_function_that_became_a_method_of_a_renamed_file_is_unchanged():
    assert counts([EVAL], [moved(EVAL, path="b.py", scope="Loader.load", line=3)]) == (0, 0, 1)


def test_a_finding_in_a_renamed_function_with_the_same_body_is_unchanged():
    assert counts([EVAL], [moved(EVAL, scope="read", path="b.py")]) == (0, 0, 1)


def test_a_second_finding_like_the_first_is_new():
    assert counts([EVAL], [EVAL, moved(EVAL, line=20)]) == (1, 0, 1)


def test_a_finding_of_another_kind_is_new_and_the_old_one_fixed():
    other = replace(EVAL, finding=replace(EVAL.finding, code="B102"))
    assert counts([EVAL], [other]) == (1, 1, 0)


def test_a_finding_that_became_more_severe_is_new():
    assert counts([EVAL], [moved(EVAL, severity=Severity.HIGH)]) == (1, 1, 0)


def test_a_finding_that_became_less_severe_is_unchanged():
    assert counts([moved(EVAL, severity=Severity.HIGH)], [EVAL]) == (0, 0, 1)


def test_numbers_and_places_in_a_message_do_not_make_a_finding_new():
    before = moved(EVAL, message="60 of 80 tokens of f repeat g (a.py:3)", statement="", body="")
    after = moved(EVAL, message="61 of 80 tokens of f repeat g (pkg/b.py:9)", statement="", body="", line=44)
    assert counts([before], [after]) == (0, 0, 1)


def test_a_complex_function_that_only_moved_is_not_new():
    """Its own finding was below the threshold before: layout tokens may carry it over."""
    low = replace(EVAL, finding=replace(EVAL.finding, code="low-index"))
    assert counts([], [low], ({"b1": 1}, {"b1": 1})) == (0, 0, 1)


def test_a_copy_of_a_function_is_new():
    copy = replace(EVAL, finding=replace(EVAL.finding, code="duplicated-code"))
    assert counts([], [copy], ({"b1": 1}, {"b1": 2})) == (1, 0, 0)


def test_an_import_cycle_of_renamed_modules_is_unchanged():
    before = moved(EVAL, message="Import cycle: a -> b -> a", scope="", statement="ImportFrom 1", body="")
    after = moved(EVAL, message="Import cycle: a -> c -> a", scope="", statement="ImportFrom 2", body="", path="c.py")
    assert counts([before], [after]) == (0, 0, 1)


def test_every_finding_is_paired_at_most_once():
    several = [moved(EVAL, line=n) for n in range(5)]
    assert counts(several, several[:3]) == (0, 2, 3)
    assert counts(several[:3], several) == (2, 0, 3)


def unreadable(path, line, message):
    return Finding(code="unparsable", tool="t", message=message, severity=Severity.HIGH, path=path, line=line)


def test_one_syntax_error_is_one_new_finding():
    """Three measures say so of the file that has it; two say so of a sound file that imports it."""
    broken = [
        unreadable("src/ledger/core.py", 35, f"python 3.11 cannot read this file{more}: invalid syntax")
        for more in ("", ", so nobody knows what it does", "")
    ]
    said = "syntax-error: Cannot import 'ledger.core' due to 'invalid syntax (ledger.core, line 35)'"
    importer = [unreadable("src/ledger/__init__.py", 2, f"pylint cannot read this file: {said}")] * 2
    other = unreadable("b.py", 35, "python 3.11 cannot read this file: invalid syntax")
    kept = one_per_cause([importer[0], *broken, importer[1], other, EVAL.finding, EVAL.finding])
    assert kept == (broken[0], other, EVAL.finding, EVAL.finding)


def test_an_importer_of_what_is_not_among_the_findings_stays():
    said = "pylint cannot read this file: syntax-error: Cannot import 'vendored.x' due to 'invalid syntax'"
    importer = unreadable("a.py", 2, said)
    other = unreadable("b.py", 1, "python 3.11 cannot read this file: invalid syntax")
    assert one_per_cause([importer, other]) == (importer, other)
