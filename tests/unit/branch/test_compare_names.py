"""Public names: moved ones are still there, renamed ones are not and are recognised."""

import time
from dataclasses import replace

from qualityscore.branch.compare_names import compare_names
from qualityscore.branch.definitions import Definition
from qualityscore.branch.state import Code, Name
from qualityscore.collectors.context import StaticOutcome


def name(path, *, kind="function", origin=None, stub=False, signature="(a)"):
    module, _, own = path.rpartition(".")
    return Name(name=path, kind=kind, origin=origin or f"{module}:{own}", stub=stub, signature=signature)


def definition(qualname, path="m.py", *, body="b", grams=(1, 2, 3, 4), kind="function"):
    return Definition(
        path=path, qualname=qualname, kind=kind, line=1, end_line=2, signature="s", body=body, grams=grams,
        assertions=0, skips=False,
    )  # fmt: skip


def code(names, definitions, unknown=()):
    return Code(
        static=StaticOutcome(measures={}), names=tuple(names), unknown=unknown, located=(),
        definitions=tuple(definitions), production=tuple({d.path for d in definitions}),
    )  # fmt: skip


BEFORE = code([name("m.f"), name("m.g")], [definition("f"), definition("g", body="c", grams=(7, 8, 9))])


def test_the_same_names_are_all_defined():
    changes = compare_names(BEFORE, BEFORE)
    assert (changes.defined, changes.expected, changes.lost, changes.moved) == (2, 2, (), 0)


def test_a_moved_function_is_still_defined():
    after = code([name("m.g")], [definition("g", body="c"), definition("f", "pkg/_inner.py")])
    changes = compare_names(BEFORE, after)
    assert (changes.defined, changes.moved, changes.moved_names) == (2, 1, ("m.f",))


def test_a_renamed_file_loses_nothing():
    after = code([name("n.f"), name("n.g")], [definition("f", "n.py"), definition("g", "n.py")])
    assert compare_names(BEFORE, after).defined == 2


def test_a_deleted_function_did_not_move_to_one_of_its_name_that_stood_elsewhere_before():
    before = code([name("m.f"), name("n.f")], [definition("f"), definition("f", "n.py", body="other")])
    changes = compare_names(before, code([name("n.f")], [definition("f", "n.py", body="other")]))
    assert [(c.name, c.state) for c in changes.lost] == [("m.f", "missing")]
    assert (changes.defined, changes.moved) == (1, 0)


def test_of_two_functions_of_one_name_the_one_whose_file_was_renamed_moved_and_the_other_is_gone():
    before = code([name("m.f"), name("n.f")], [definition("f"), definition("f", "n.py", body="o", grams=(7, 8, 9))])
    after = code([name("k.f")], [definition("f", "k.py", body="o2", grams=(7, 8, 10))])
    changes = compare_names(before, after)
    assert [c.name for c in changes.lost] == ["m.f"]
    assert (changes.defined, changes.moved) == (1, 1)


def test_two_functions_that_are_the_same_may_move_to_one_place():
    before = code([name("m.f"), name("n.f")], [definition("f"), definition("f", "n.py")])
    changes = compare_names(before, code([name("k.f")], [definition("f", "k.py")]))
    assert (changes.defined, changes.moved) == (2, 2)


def test_a_name_that_another_module_offered_is_still_defined_where_it_stands():
    before = code([name("p.f", origin="m:f"), name("m.f")], [definition("f")])
    changes = compare_names(before, code([name("m.f")], [definition("f")]))
    assert (changes.defined, changes.moved) == (2, 1)


def test_a_renamed_function_is_missing_and_recognised_by_its_body():
    after = code([name("m.g"), name("m.h")], [definition("g", body="c"), definition("h", grams=(1, 2, 3, 5), body="x")])
    (change,) = compare_names(BEFORE, after).lost
    assert (change.name, change.state, change.to) == ("m.f", "renamed", "h")
    assert 0.6 < change.similarity < 0.8  # three of five grams, and the same signature


def test_a_branch_that_renames_hundreds_is_compared_in_bounded_time():
    """Each new body shares 160 of its 200 grams with an old one: 160 of 240, and 0.1 for the same signature."""
    count = 400
    old = [definition(f"a{n}", body=f"a{n}", grams=tuple(range(1000 * n, 1000 * n + 200))) for n in range(count)]
    new = [definition(f"z{n}", body=f"z{n}", grams=tuple(range(1000 * n + 40, 1000 * n + 240))) for n in range(count)]
    before = code([name(f"m.a{n}") for n in range(count)], old)
    began = time.process_time()
    lost = compare_names(before, code([name(f"m.z{n}") for n in range(count)], new)).lost
    assert time.process_time() - began < 10
    assert [(c.name, c.to) for c in lost] == [(f"m.a{n}", f"z{n}") for n in range(count)]
    assert {c.similarity for c in lost} == {160 / 240 + 0.1}


def test_a_function_that_is_gone_is_missing():
    after = code([name("m.g")], [definition("g", body="c"), definition("other", body="z", grams=(50, 51))])
    (change,) = compare_names(BEFORE, after).lost
    assert (change.name, change.state, change.to) == ("m.f", "missing", None)


def test_a_definition_outside_production_code_counts_for_nothing():
    after = code([name("m.g")], [definition("g", body="c")])
    after = Code(
        static=after.static, names=after.names, unknown=(), located=(),
        definitions=(*after.definitions, definition("f", "tests/test_m.py")), production=("m.py",),
    )  # fmt: skip
    assert compare_names(BEFORE, after).defined == 1


def test_a_function_without_a_body_is_emptied():
    after = code([name("m.f", stub=True), name("m.g")], [definition("f"), definition("g")])
    (change,) = compare_names(BEFORE, after).lost
    assert change.state == "emptied"


def test_a_function_that_cannot_be_called_as_before_is_defined_and_listed():
    after = code([name("m.f", signature="(a, b)"), name("m.g")], [definition("f"), definition("g")])
    changes = compare_names(BEFORE, after)
    assert changes.defined == 2
    assert [(c.name, c.state) for c in changes.incompatible] == [("m.f", "incompatible")]


def test_methods_of_a_renamed_class_are_renamed_with_it():
    before = code(
        [name("m.Old", kind="class"), name("m.Old.run", kind="method", origin="m:Old.run")],
        [definition("Old", kind="class"), definition("Old.run", body="r")],
    )
    after = code(
        [name("m.New", kind="class"), name("m.New.run", kind="method", origin="m:New.run")],
        [definition("New", kind="class"), definition("New.run", body="r")],
    )
    assert [(c.name, c.to) for c in compare_names(before, after).lost] == [("m.Old", "New"), ("m.Old.run", "New.run")]


def test_a_name_that_is_made_at_run_time_is_not_called_missing():
    after = code([name("m.g")], [definition("g", body="c")], unknown=("m.f",))
    assert compare_names(BEFORE, after).lost == ()


def with_tests(code_, *, but):
    """The same state, where the files of `but` are no production code."""
    return replace(code_, production=tuple(path for path in code_.production if path not in but))


def test_a_test_that_is_moved_inside_its_package_is_no_lost_name():
    old, new = "pkg/tests/test_a.py", "pkg/tests/unit/test_a.py"
    before = code([name("pkg.tests.test_a.test_x")], [definition("test_x", old)])
    after = code([name("pkg.tests.unit.test_a.test_x")], [definition("test_x", new)])
    changes = compare_names(with_tests(before, but=[old]), with_tests(after, but=[new]))
    assert (changes.lost, changes.defined) == ((), 1)


def test_a_name_that_stays_in_a_test_takes_no_new_place_from_code():
    held = definition("LIMIT", "tests/x.py", body="o", grams=())
    before = code([name("a.LIMIT")], [definition("LIMIT", "a.py", grams=()), held])
    after = code([name("b.LIMIT")], [definition("LIMIT", "b.py", body="n", grams=()), held])
    changes = compare_names(with_tests(before, but=["tests/x.py"]), with_tests(after, but=["tests/x.py"]))
    assert (changes.lost, changes.moved_names) == ((), ("a.LIMIT",))


def test_a_module_whose_name_ends_alike_does_not_stand_for_another():
    before = code(
        [name("utils.parse"), name("cli_utils.parse")],
        [definition("parse", "cli_utils.py", body="o"), definition("parse", "utils.py")],
    )
    after = code([name("cli_utils.parse")], [definition("parse", "cli_utils.py", body="o")])
    assert [c.name for c in compare_names(before, after).lost] == ["utils.parse"]
