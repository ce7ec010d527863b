"""Fingerprints stay when code moves or is laid out anew, and change when it does something else."""

import ast
import textwrap

import pytest

from qualityscore.branch.compare_names import ALIKE
from qualityscore.branch.definitions import Definition, Likeness, definitions_in_worker, read_definitions
from qualityscore.runtime.target import Tree

CODE = '''
import os

LIMIT = 10


@decorated
def first(a, b=1):
    """What it does."""
    if a > LIMIT:
        return os.path.join(a, "x")

    def inner():
        return b
    return inner


class Thing:
    def method(self):
        assert self.first() == 1
        with raises(ValueError):
            self.assertEqual(1, 2)
'''


def read(folder, text, lines=()):
    (folder / "m.py").write_text(textwrap.dedent(text))
    answer = definitions_in_worker(str(folder), "m.py", list(lines))
    return {found["qualname"]: found for found in answer["found"]}, answer["places"]


def test_functions_classes_methods_and_constants_are_found(tmp_path):
    found, _ = read(tmp_path, CODE)
    kinds = {name: one["kind"] for name, one in found.items()}
    assert kinds == {"first": "function", "Thing": "class", "Thing.method": "function", "LIMIT": "constant"}
    assert (found["first"]["line"], found["first"]["end_line"]) == (7, 15)


def test_assertions_are_counted_by_statement_and_by_call(tmp_path):
    found, _ = read(tmp_path, CODE)
    assert found["Thing.method"]["assertions"] == 3  # assert, raises, assertEqual
    assert found["first"]["assertions"] == 0


@pytest.mark.parametrize("decorator", ["pytest.mark.skip", "unittest.skipIf(True, 'x')", "pytest.mark.xfail(strict=0)"])
def test_decorators_that_skip_are_seen(tmp_path, decorator):
    found, _ = read(tmp_path, f"@{decorator}\ndef test_a():\n    pass\n")
    assert found["test_a"]["skips"]


def test_formatting_comments_and_docstrings_change_no_digest(tmp_path):
    before, _ = read(tmp_path, CODE)
    after, _ = read(tmp_path, "# a comment\n" + ast.unparse(ast.parse(CODE.replace("What it does", "Something else"))))
    assert {name: one["body"] for name, one in before.items()} == {name: one["body"] for name, one in after.items()}


def test_another_constant_changes_the_digest_of_its_function_alone(tmp_path):
    before, _ = read(tmp_path, CODE)
    after, _ = read(tmp_path, CODE.replace('"x"', '"y"'))
    assert {n for n in before if before[n]["body"] != after[n]["body"]} == {"first"}


def test_a_place_is_the_innermost_definition_and_statement(tmp_path):
    _, places = read(tmp_path, CODE, [10, 20, 5, 1])
    assert places["10"][0] == "first"
    assert places["20"][0] == "Thing.method"
    assert places["5"] == ("", places["5"][1])
    assert places["1"] == ("", "")
    _, again = read(tmp_path, "x = 1\n" + CODE, [11])
    assert again["11"] == places["10"]


def with_grams(*grams):
    return Definition(
        path="m.py", qualname="f", kind="function", line=1, end_line=2, signature="", body="", grams=grams,
        assertions=0, skips=False,
    )  # fmt: skip


def similarity(one, other):
    ((found, _),) = Likeness([with_grams(*other)]).to(with_grams(*one))
    return found


def test_likeness_is_jaccards_index_of_multisets():
    """By hand: of 1 1 2 3 the first shares 1 1 3 and has 1 1 1 3 5, so 3 of 6; the second shares 1, so 1 of 4."""
    several = [with_grams(1, 1, 1, 3, 5), with_grams(1), with_grams(7, 8), with_grams()]
    assert [share for share, _ in Likeness(several).to(with_grams(1, 1, 2, 3))] == [3 / 6, 1 / 4, 0.0, 0.0]
    assert [share for share, _ in Likeness(several).to(with_grams())] == [0.0, 0.0, 0.0, 1.0]


def test_a_renamed_function_is_alike_and_another_is_not(tmp_path):
    text = "def {}(values):\n    total = 0\n    for value in values:\n        total += value * {}\n    return total\n"
    one, _ = read(tmp_path, text.format("f", 2))
    renamed, _ = read(tmp_path, text.format("g", 3))
    other, _ = read(tmp_path, "def h(x):\n    return sorted(x, key=len)[0]\n")
    assert similarity(one["f"]["grams"], renamed["g"]["grams"]) >= ALIKE
    assert similarity(one["f"]["grams"], other["h"]["grams"]) < 0.2
    assert similarity((), ()) == 1.0


@pytest.mark.parametrize("text", ["def broken(:\n", "(" * 10_000, "\0", "x = '\\ud800'\n"])
def test_what_cannot_be_read_defines_nothing_or_what_it_can(tmp_path, text):
    read(tmp_path, text, [1])


def test_a_tree_is_read_in_workers_and_kept(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "m.py").write_text(CODE)
    (tmp_path / "code" / "notes.txt").write_text("not Python")
    tree = Tree(root=tmp_path / "code", import_roots=(".",), files=("m.py", "notes.txt"), digest="")
    cache = tmp_path / "cache.sqlite"
    first = read_definitions(tree, tree.files, {"m.py": [10]}, cache)
    assert {d.qualname for d in first.definitions} == {"first", "Thing", "Thing.method", "LIMIT"}
    assert first.places["m.py", 10].scope == "first"
    assert read_definitions(tree, tree.files, {"m.py": [10]}, cache) == first
