"""Patterns of paths."""

import pytest
from watchdog.utils.patterns import filter_paths, match_any_paths

PATHS = ["a.py", "b.txt", "dir/a.py", "dir/sub/c.py", "dir/sub/d.TXT", "/abs/e.py", ".hidden", "dir/.git/config", "x1", "x22"]


def chosen(*included, excluded=(), **options):
    return list(filter_paths(PATHS, included_patterns=list(included), excluded_patterns=list(excluded), **options))


def test_patterns_are_about_the_whole_path():
    assert [chosen("*.py"), chosen("dir/*"), chosen("a.py", "x1"), chosen("dir")] == [["a.py"], ["dir/a.py"], ["a.py", "x1"], []]


def test_any_number_of_parts():
    assert chosen("**/*.py") == ["a.py", "dir/a.py", "dir/sub/c.py", "/abs/e.py"]
    assert chosen("dir/**") == ["dir/a.py", "dir/sub/c.py", "dir/sub/d.TXT", "dir/.git/config"]
    assert [chosen("dir/**/c.py"), chosen("/abs/*"), chosen("**/sub/*")] == [["dir/sub/c.py"], ["/abs/e.py"], ["dir/sub/c.py", "dir/sub/d.TXT"]]


def test_single_characters_and_sets():
    assert [chosen("x?"), chosen("x??"), chosen("[ab].*"), chosen("x[0-9]"), chosen("[!x]*.*")] == [
        ["x1"],
        ["x22"],
        ["a.py", "b.txt"],
        ["x1"],
        ["a.py", "b.txt"],
    ]


def test_hidden_names_are_no_exception():
    assert [chosen("*"), chosen("**/config")] == [["a.py", "b.txt", ".hidden", "x1", "x22"], ["dir/.git/config"]]


def test_some_are_left_out():
    assert chosen("**/*.py", excluded=["dir/**"]) == ["a.py", "/abs/e.py"]
    assert chosen("**", excluded=["**/*.py", "**/*.txt"]) == ["dir/sub/d.TXT", ".hidden", "dir/.git/config", "x1", "x22"]
    assert list(filter_paths(PATHS, excluded_patterns=["**/*.*", ".hidden", "**/.git/**"])) == ["x1", "x22"]


def test_case_can_be_ignored():
    assert [chosen("**/*.TXT"), chosen("**/*.TXT", case_sensitive=False), chosen("A.PY", case_sensitive=False)] == [
        ["dir/sub/d.TXT"],
        ["b.txt", "dir/sub/d.TXT"],
        ["a.py"],
    ]


def test_without_patterns_everything_matches():
    assert [path[-4:] for path in filter_paths(PATHS)] == ["a.py", ".txt", "a.py", "c.py", ".TXT", "e.py", "dden", "nfig", "x1", "x22"]
    assert [list(filter_paths(["only"], included_patterns=[])), list(filter_paths([]))] == [[], []]


def test_whether_any_path_matches():
    answers = [
        match_any_paths(PATHS, included_patterns=["dir/sub/*.py"]),
        match_any_paths(PATHS, included_patterns=["sub/*.py"]),
        match_any_paths(PATHS, included_patterns=["*.py"], excluded_patterns=["a*"]),
        match_any_paths(["A.TXT"], included_patterns=["a.txt"], case_sensitive=False),
        match_any_paths([]),
        match_any_paths(["anything"]),
    ]
    assert answers == [True, False, False, True, False, True]


def test_the_same_pattern_on_both_sides_is_refused():
    with pytest.raises(ValueError):
        list(filter_paths(["a"], included_patterns=["*.py", "*.c"], excluded_patterns=["*.c"]))
    with pytest.raises(ValueError):
        match_any_paths(["a"], included_patterns=["*.C"], excluded_patterns=["*.c"], case_sensitive=False)
    assert chosen("*.py", "x*", excluded=["x2*"]) == ["a.py", "x1"]
