"""Predicates are evaluated outside, over plain data, and whatever goes wrong means that they do not hold."""

import math
from decimal import Decimal

import pytest

from qualityscore.inside.encode import encode
from qualityscore.judging.derive import derive
from qualityscore.judging.predicate_names import Approx, almost_equal, count_equal
from qualityscore.judging.predicates import Case, Verdict, judge
from qualityscore.judging.resistance import Exposed, resist


def verdicts(assertion: str, *recorded, plain: bool = False) -> Verdict:
    suite = derive(f"import pytest\ndef test_a():\n    {assertion}\n", "t.py")
    records = (("a0", 0, tuple(encode(value) for value in recorded)),) if recorded else ()
    ((verdict,),) = judge([Case(lowered=suite.assertions, records=records)], plain=plain)
    return verdict


class Yes:
    def __eq__(self, other):
        return True

    __hash__ = None

    def __contains__(self, item):
        return True


class YesDict(dict):
    def __eq__(self, other):
        return True

    __hash__ = None


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("assertion", "recorded", "state"),
    [
        ("assert f() == 'y'", ["y"], "holds"),
        ("assert f() == 'y'", ["z"], "fails"),
        ("assert f() == [1, (2,), {3}]", [[1, (2,), {3}]], "holds"),
        ("assert f() == [1, (2,), {3}]", [[1, [2], {3}]], "fails"),
        ("assert f() == 'y'", [Yes()], "fails"),
        ("assert 3 in f()", [Yes()], "fails"),
        ("assert f() == {'a': 1}", [YesDict(a=2)], "fails"),
        ("assert f() == {'a': 1}", [YesDict(a=1)], "holds"),
        ("assert f() < 3", ["x"], "fails"),
        ("assert {f(): 1} == {'a': 1}", [[]], "fails"),
        ("assert f()[0] == 1", [1], "holds"),
        ("assert f() == 9 ** 5000", [9**5000], "holds"),
        ("assert f() == 1", [nested(5000)], "fails"),
        ("assert f() == g()", [nested(60), nested(60)], "holds"),
        ("assert f() == 0.1 + 0.2", [0.30000000000000004], "holds"),
        ("assert f() == pytest.approx(0.3)", [0.30000001], "holds"),
        ("assert f() == pytest.approx(0.3)", [0.3001], "fails"),
        ("assert f() == '\\ud800'", ["\ud800"], "holds"),
        ("assert f()", [True], "holds"),
        ("assert not f()", [True], "fails"),
    ],
)
def test_a_verdict_follows_from_the_recorded_values(assertion, recorded, state):
    assert verdicts(assertion, *recorded).state == state


def test_a_failing_verdict_says_what_was_got():
    assert verdicts("assert slugify('x') == 'y'", "z").message == "assert slugify('x') == 'y': got 'z'"
    assert verdicts("assert f(1) == g(2)", 3, 4).message == "assert f(1) == g(2): got f(1) = 3, g(2) = 4"
    assert verdicts("assert f() < 3", "x").message.startswith("assert f() < 3: got 'x' (TypeError: ")


def test_what_was_not_recorded_is_missing():
    assert verdicts("assert f() == 1").state == "missing"


def test_of_several_observations_of_one_key_all_must_hold():
    suite = derive("def test_a():\n    assert f() == 1\n", "t.py")
    states = [
        judge([Case(lowered=suite.assertions, records=tuple(("a0", 0, (v,)) for v in values))])[0][0].state
        for values in ([1, 1], [1, 2], [2, 1])
    ]
    assert states == ["holds", "fails", "fails"]


def test_a_regular_expression_that_never_ends_fails_alone():
    suite = derive(
        "import unittest\nclass A(unittest.TestCase):\n"
        "    def test_a(self):\n        self.assertRegex(f(), '^(a+)+$')\n        self.assertEqual(g(), 1)\n",
        "t.py",
    )
    case = Case(lowered=suite.assertions, records=(("a0", 0, ("a" * 60 + "b",)), ("a1", 0, (1,))))
    ((first, second),) = judge([case])
    assert (first.state, second.state) == ("fails", "holds")
    assert "not decided within" in first.message


def test_an_exception_is_judged_by_its_classes_and_text():
    suite = derive(
        "import pytest\ndef test_a():\n    with pytest.raises(LookupError, match='no k'):\n        f()\n", "t.py"
    )

    def state(*observed):
        return judge([Case(lowered=suite.assertions, records=(("a0", 0, (encode(observed),)),))])[0][0]

    chain = ("builtins.KeyError", "builtins.LookupError", "builtins.Exception", "builtins.BaseException")
    assert state(chain, "there is no key", False).state == "holds"
    assert state(chain, "other", False).state == "fails"
    assert state(chain[2:], "there is no key", True).state == "fails"
    assert state(None, "", False).message.endswith("nothing was raised")
    assert state("x").state == "fails"


def test_an_operand_that_is_no_plain_data_is_told_apart():
    assert verdicts("assert f() == 'y'", object(), plain=True).state == "opaque"
    assert verdicts("assert f() == 'y'", "y", plain=True).state == "holds"


@pytest.mark.parametrize(
    ("assertion", "state"),
    [
        ("assert f() == [1, 2]", "fails"),
        ("assert f() != [1, 2]", "holds"),
        ("assert 2 in f()", "holds"),
        ("assert f() == g()", "holds"),
    ],
)
def test_what_only_resembles_a_list_is_searched_but_equals_none(assertion, state):
    # as Python has it for collections.deque([1, 2])
    suite = derive(f"def test_a():\n    {assertion}\n", "t.py")
    operand = {"like": ["collections.deque", {"list": [1, 2]}]}
    case = Case(lowered=suite.assertions, records=(("a0", 0, (operand,) * len(suite.assertions[0].operands)),))
    assert judge([case])[0][0].state == state
    assert judge([case], plain=True)[0][0].state == "opaque"


def test_a_case_that_breaks_the_evaluator_fails_alone():
    suite = derive("def test_a():\n    assert f() == 'a' * 10**12\n", "t.py")
    good = derive("def test_a():\n    assert f() == 1\n", "t.py")
    broken = Case(lowered=suite.assertions, records=(("a0", 0, ("a",)),))
    fine = Case(lowered=good.assertions, records=(("a0", 0, (1,)),))
    assert [v[0].state for v in judge([fine, broken, fine])] == ["holds", "fails", "holds"]


# pytest's documentation: default tolerances 1e-6 relative and 1e-12 absolute, the larger of both; an explicit absolute
# tolerance alone switches the relative one off; infinity is only itself, not-a-number only with nan_ok
@pytest.mark.parametrize(
    ("actual", "expected", "options", "same"),
    [
        (1.0000009, 1.0, {}, True),
        (1.0000011, 1.0, {}, False),
        (1e-13, 0.0, {}, True),
        (1e-11, 0.0, {}, False),
        (1.0000009, 1.0, {"abs": 1e-9}, False),
        (1.05, 1.0, {"rel": 0.1}, True),
        (math.inf, math.inf, {}, True),
        (1e300, math.inf, {}, False),
        (math.nan, math.nan, {}, False),
        (math.nan, math.nan, {"nan_ok": True}, True),
        ([1.0, 2.0000001], [1, 2], {}, True),
        ([1.0], [1, 2], {}, False),
        ({"a": 0.30000000000000004}, {"a": 0.3}, {}, True),
        ({"b": 0.3}, {"a": 0.3}, {}, False),
        (Decimal("1.0000009"), Decimal(1), {}, True),
        ("a", "a", {}, True),
        (1 + 1e-8j, 1 + 0j, {}, True),
    ],
)
def test_approx_is_that_of_pytest(actual, expected, options, same):
    assert (actual == Approx(expected, **options)) is same
    assert (actual == pytest.approx(expected, **options)) is same


def test_unittest_comparisons_are_those_of_unittest():
    assert almost_equal(0.1 + 0.2, 0.3)
    assert not almost_equal(1.001, 1.0)
    assert almost_equal(1.001, 1.0, places=2)
    assert almost_equal(1.5, 1.0, delta=0.5)
    assert count_equal([[1], [2], [1]], [[2], [1], [1]])
    assert not count_equal([1, 1, 2], [1, 2, 2])


@pytest.mark.parametrize(
    ("body", "protected"),
    [
        ("assert f('in') == 'out'", True),
        ("assert f('in') == 'in'", False),
        ("assert f('in') is None", False),
        ("assert f('in')", False),
        ("assert len(f('in')) == 1", False),
        ("assert f('in') == f('on')", False),
        ("assert f('in') == 12345", True),
        ("assert f(12345) == 12345", False),
        ("assert f(1)\n    assert g(2) == [3, 4]", True),
        ("with pytest.raises(ValueError):\n        f()", False),
        ("with pytest.raises(ValueError, match='bad thing'):\n        f()", True),
        ("if f():\n        assert f() == 12345", False),
    ],
)
def test_a_test_is_protected_when_no_guess_satisfies_it(body, protected):
    suite = derive(f"import pytest\ndef test_a():\n    {body}\n", "t.py")
    exposed = Exposed(lowered=suite.assertions, inputs=suite.inputs["test_a"])
    assert resist([exposed])[0].protected is protected


def test_a_guess_knows_the_rows_that_stay_in_view_and_not_the_hidden_ones():
    decorator = "@pytest.mark.parametrize('a, b', [('in', 'out'), ('same', 'same')])\n"
    suite = derive(f"import pytest\n{decorator}def test_a(a, b):\n    assert f(a) == b\n", "t.py")
    exposed = [
        Exposed(
            lowered=suite.assertions,
            inputs=suite.inputs["test_a"],
            arguments=suite.arguments("test_a", f"test_a[qs0i{row}]"),
        )
        for row in (0, 1)
    ]
    assert [found.protected for found in resist(exposed)] == [True, False]
