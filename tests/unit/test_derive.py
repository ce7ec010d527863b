"""Derivation: what leaves the text, what stays, and where every line stands."""

import ast
import textwrap

import pytest

from qualityscore.judging.derive import derive
from qualityscore.judging.lowered import DerivedSuite


def derived(body: str, exclude: frozenset[str] = frozenset()) -> DerivedSuite:
    return derive(textwrap.dedent(body), "test_x.py", exclude)


def one(body: str) -> tuple[str, tuple[str, ...]]:
    """The only assertion's predicate and operands."""
    suite = derived(body)
    assert [kept.reason for kept in suite.kept] == []
    (lowered,) = suite.assertions
    return lowered.predicate, lowered.operands


def reason(body: str) -> str:
    suite = derived(body)
    assert suite.assertions == ()
    (kept,) = suite.kept
    return kept.reason


@pytest.mark.parametrize(
    ("assertion", "predicate", "operands"),
    [
        ("f(x) == 3", "operand0 == 3", ("f(x)",)),
        ("3 != f(x)", "3 != operand0", ("f(x)",)),
        ("1 < f(x) <= 5", "1 < operand0 <= 5", ("f(x)",)),
        ("f(1) >= g[2] - 1", "operand0 >= operand1", ("f(1)", "g[2] - 1")),
        ("'a' in f(x)", "'a' in operand0", ("f(x)",)),
        ("x.y not in [1, 2]", "operand0 not in [1, 2]", ("x.y",)),
        ("f(x) is None", "operand0 == 'None'", ("f(x)",)),
        ("True is not f(x)", "operand0 != 'True'", ("f(x)",)),
        ("f(x)", "operand0", ("f(x)",)),
        ("not f(x)", "not operand0", ("f(x)",)),
        ("not f(x) == 1", "not operand0 == 1", ("f(x)",)),
        ("f(x) and g(x) == 2", "operand0 and operand1 == 2", ("f(x)", "g(x)")),
        ("[f(x), 2, {'k': g(x)}] == y", "[operand0, 2, {'k': operand1}] == operand2", ("f(x)", "g(x)", "y")),
        ("f(x) == -1.5e3", "operand0 == -1500.0", ("f(x)",)),
        ("f(x) == {'a': (1, {2}), 'b': None}", "operand0 == {'a': (1, {2}), 'b': None}", ("f(x)",)),
        ("f(x) == pytest.approx(0.3, abs=1e-3)", "operand0 == approx(0.3, abs=0.001)", ("f(x)",)),
        ("f(x) == 'a' * 3", "operand0 == 'a' * 3", ("f(x)",)),
        ("f(x) == frozenset({1})", "operand0 == builtins__frozenset({1})", ("f(x)",)),
        ("f(x) == Decimal('1.50')", "operand0 == decimal__Decimal('1.50')", ("f(x)",)),
        ("(y := f(x)) == 4", "operand0 == 4", ("y := f(x)",)),
    ],
)
def test_an_assertion_becomes_operands_and_a_predicate(assertion, predicate, operands):
    body = f"import pytest\nfrom decimal import Decimal\ndef test_a():\n    assert {assertion}, 'why'\n"
    assert one(body) == (predicate, operands)


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ("f(x) == 1 or f(x) == 2", "an alternative"),
        ("f(x) and (g(x) or h(x))", "an alternative"),
        ("f(x) if x else g(x)", "a conditional expression"),
        ("not (f(x) and g(x))", "a negated combination"),
        ("not 1 < f(x) < 3", "a negated combination"),
        ("f(x) is y", "identity of two objects"),
        ("f(x) is 3", "identity of two objects"),
        ("False", "a constant"),
        ("2 == 2", "nothing to record"),
        ("f(x) == pytest.approx(y)", "pytest.approx of something that is not a literal"),
        ("[f(x)] == [pytest.approx(1)]", "pytest.approx inside an operand"),
    ],
)
def test_what_is_not_lowered_stays_with_its_reason(assertion, why):
    assert reason(f"import pytest\ndef test_a():\n    assert {assertion}\n") == why


def test_predicate_literals_messages_comments_and_docstrings_leave_the_text():
    suite = derived(
        '''
        """module secret"""
        def test_a():  # comment secret
            """function secret"""
            assert f(1) == "literal secret", "message secret"
        class TestB:
            """class secret"""
            def test_c(self):
                assert "# not a comment" in f(2)
                keep("# kept text")
        '''
    )
    assert "secret" not in suite.source
    assert "not a comment" not in suite.source
    assert 'keep("# kept text")' in suite.source


def test_docstrings_of_other_functions_are_the_tests_material():
    suite = derived(
        """
        def helper():
            'kept one'
        def test_a():
            'gone'
            def inner():
                'kept two'
            assert f(inner) == 1
        class Thing:
            'kept three'
        """
    )
    assert [word in suite.source for word in ("kept one", "kept two", "kept three", "gone")] == [
        True,
        True,
        True,
        False,
    ]


def test_every_line_keeps_its_number():
    body = """
        import m  # a

        def test_a():
            '''two
            lines'''
            expected = [
                1,
                2,
            ]
            assert (
                m.f(
                    3
                )
                == expected
            ), (
                "long"
            )
            m.after()  # here
            assert m.g() == 1; m.same_line()
    """
    original, suite = textwrap.dedent(body), derived(body)
    assert suite.source.count("\n") == original.count("\n")
    for text in ("m.after()", "m.same_line()", "m.f("):
        number = [n for n, line in enumerate(original.split("\n")) if text in line]
        assert [n for n, line in enumerate(suite.source.split("\n")) if text in line] == number
    ast.parse(suite.source)


def test_carriage_returns_and_wide_characters_do_not_shift_offsets():
    suite = derive("def test_a():\r\n    x = 'ü€😀'; assert f('é') == 'ß'; g()\r\n", "t.py")
    assert suite.source == "def test_a():\n    x = 'ü€😀'; __qs__.values('a0', 0, (f('é'))); g()\n"


@pytest.mark.parametrize(
    ("body", "moves"),
    [
        ("assert f() == 1", True),
        ("try:\n        assert f() == 1\n    finally:\n        pass", True),
        ("try:\n        pass\n    finally:\n        assert f() == 1", True),
        ("try:\n        assert f() == 1\n    finally:\n        return", False),
        ("try:\n        assert f() == 1\n    except ValueError:\n        pass", False),
        ("with open('x') as y:\n        assert f() == 1", True),
        ("with m.lock():\n        assert f() == 1", False),
        ("with contextlib.suppress(KeyError):\n        assert f() == 1", False),
        ("with pytest.warns(UserWarning):\n        assert f() == 1", True),
        ("if x:\n        assert f() == 1", False),
        ("for y in x:\n        assert f() == 1", False),
        ("if x:\n        return\n    assert f() == 1", False),
        ("def inner():\n        assert f() == 1\n    inner()", False),
        ("def inner():\n        return 1\n    assert f() == inner()", True),
    ],
)
def test_only_unconditional_assertions_move(body, moves):
    suite = derived(f"import m, pytest, contextlib\ndef test_a():\n    {body}\n")
    assert (len(suite.assertions), len(suite.kept)) == ((1, 0) if moves else (0, 1))


def test_a_local_literal_read_only_by_moved_assertions_is_the_judges():
    suite = derived("def test_a():\n    want = {'k': [1]}\n    assert f() == want\n    assert g() == want\n")
    assert [item.predicate for item in suite.assertions] == ["operand0 == {'k': [1]}"] * 2
    assert "want = (None)" in suite.source


def test_a_mutable_local_that_the_test_also_uses_is_an_operand():
    suite = derived("def test_a():\n    data = {'k': 1}\n    f(data)\n    assert data == {'k': 2}\n")
    assert suite.assertions[0].predicate == "operand0 == {'k': 2}"
    assert "data = {'k': 1}" in suite.source


def test_an_immutable_local_that_the_test_also_uses_stays_but_is_not_recorded():
    suite = derived("def test_a():\n    text = 'ab'\n    assert f(text) == text\n")
    assert suite.assertions[0].predicate == "operand0 == 'ab'"
    assert suite.assertions[0].operands == ("f(text)",)
    assert "text = 'ab'" in suite.source


@pytest.mark.parametrize(
    "rebinding", ["want = 2", "want += 1", "del want", "for want in x: pass", "global want", "exec('want = 3')"]
)
def test_a_local_that_may_change_is_an_operand(rebinding):
    suite = derived(
        f"def test_a():\n    want = 1\n    {rebinding}\n    assert f() == want\n".replace(
            "want = 1\n    global want", "global want\n    want = 1"
        )
    )
    assert suite.assertions[0].operands == ("f()", "want")


def test_a_module_constant_leaves_when_nothing_else_reads_it():
    suite = derived(
        "WANT = {'a': 1}\nUSED = {'b': 2}\ndef test_a():\n    assert f() == WANT['a']\n    assert g(USED) == USED\n"
    )
    assert [item.predicate for item in suite.assertions] == ["operand0 == {'a': 1}['a']", "operand0 == operand1"]
    assert "WANT = (None)" in suite.source
    assert "USED = {'b': 2}" in suite.source


PARAMETRISED = """
    import pytest
    @pytest.mark.parametrize(("text", "want"), [
        ("a b - c", "secret one"),
        pytest.param("c::d]", "secret two", id="secret three"),
        ('q "x"', {"k": "secret four"}),
    ])
    @pytest.mark.parametrize("n", [1, 2], ids=["secret five", "secret six"])
    def test_a(text, want, n):
        assert f(text, n) == want
        assert g() == n
"""


def test_expected_columns_and_ids_leave_the_parametrisation():
    suite = derived(PARAMETRISED)
    assert "secret" not in suite.source
    assert [item.predicate for item in suite.assertions] == ["operand0 == want", "operand0 == n"]
    values = suite.arguments("test_a", "test_a[qs1i1-qs0i2]")
    assert {name: ast.literal_eval(text) for name, text in values.items()} == {
        "text": 'q "x"',
        "want": {"k": "secret four"},
        "n": 2,
    }


def test_a_column_used_elsewhere_stays_in_view():
    decorator = "@pytest.mark.parametrize('want', [[1], [2]])\n"
    suite = derived(f"import pytest\n{decorator}def test_a(want):\n    f(want)\n    assert g() == want\n")
    assert suite.assertions[0].operands == ("g()", "want")
    assert decorator in suite.source


def test_indirect_and_computed_parametrisations_are_left_alone():
    for decorator in ("parametrize('w', [1, 2], indirect=True)", "parametrize('w', range(3))", "parametrize(*ARGS)"):
        suite = derived(f"import pytest\n@pytest.mark.{decorator}\ndef test_a(w):\n    assert g() == w\n")
        assert f"@pytest.mark.{decorator}" in suite.source
        assert suite.assertions[0].operands == ("g()", "w")


def test_raises_of_a_builtin_is_recorded_without_naming_it():
    suite = derived(
        """
        import pytest
        def test_a():
            with pytest.raises((ValueError, IOError), match='bad [0-9]') as e:
                f()
            assert e.value.n == 3
        """
    )
    raises, values = suite.assertions
    assert raises.predicate == "raised(operand0, ('builtins.ValueError', 'builtins.OSError'), 'bad [0-9]')"
    assert "with __qs__.raises('a0', None) as e:" in suite.source
    assert values.operands == ("e.value.n",)


def test_raises_of_a_subjects_class_leaves_the_class_to_the_child():
    suite = derived("import pytest, m\ndef test_a():\n    with pytest.raises(m.Error, match='x'):\n        f()\n")
    assert suite.assertions[0].predicate == "raised(operand0, None, 'x')"
    assert "with __qs__.raises('a0', (m.Error)):" in suite.source


def test_assertions_inside_a_raises_block_stay():
    suite = derived("import pytest\ndef test_a():\n    with pytest.raises(KeyError):\n        assert f() == 1\n")
    assert [item.kind for item in suite.assertions] == ["raises"]
    assert len(suite.kept) == 1


def test_unittest_methods_move_in_test_cases_only():
    body = """
        import unittest
        class CaseA(unittest.TestCase):
            def test_a(self):
                self.assertEqual(f(1), "one", "message")
                self.assertTrue(g())
                self.assertIsNone(h())
                self.assertIn("x", f(2))
                self.assertGreater(f(3), 4)
                self.assertAlmostEqual(f(4), 0.5, places=3)
                self.assertCountEqual(f(5), [3, 1])
                self.assertRegex(f(6), "^a+$")
                self.assertRaises(TypeError, f, 1, k=2)
                with self.assertRaisesRegex(KeyError, "nope") as caught:
                    f(7)
                self.assertIsInstance(f(8), int)
        class Other:
            def test_b(self):
                self.assertEqual(f(1), 2)
    """
    suite = derived(body)
    assert [item.predicate for item in suite.assertions] == [
        "operand0 == 'one'",
        "operand0",
        "operand0 == 'None'",
        "'x' in operand0",
        "operand0 > 4",
        "almost_equal(operand0, 0.5, places=3)",
        "count_equal(operand0, [3, 1])",
        "matches('^a+$', operand0)",
        "raised(operand0, ('builtins.TypeError',))",
        "raised(operand0, ('builtins.KeyError',), 'nope')",
    ]
    assert [kept.reason for kept in suite.kept] == ["assertIsInstance is not one that moves"]
    assert "__qs__.raises_call('a8', None, (f), (1), k=(2))" in suite.source
    assert "self.assertEqual(f(1), 2)" in suite.source


def test_tests_under_decorators_that_may_call_them_otherwise_keep_their_assertions():
    assert "decorated by given" in reason(
        "from hypothesis import given\n@given(x)\ndef test_a(x):\n    assert f(x) == 1\n"
    )
    assert (
        reason("import pytest\n@pytest.mark.xfail\ndef test_a():\n    assert f() == 1\n")
        == "the test is expected to fail"
    )
    assert one("import pytest\n@pytest.mark.skipif(False, reason='')\ndef test_a():\n    assert f() == 1\n")


def test_a_decorated_class_keeps_its_assertions():
    body = "class TestB:\n    def test_a(self, x):\n        assert f(x) == 1\n"
    assert "decorated by swallowing" in reason(f"from m import swallowing\n@swallowing\n{body}")
    assert derived(f"import pytest\n@pytest.mark.usefixtures('x')\n{body}").kept == ()


def test_excluded_assertions_stay_and_keys_do_not_move():
    body = "def test_a():\n    assert f() == 1\n    assert g() == 2\n"
    assert [item.key for item in derived(body).assertions] == ["a0", "a1"]
    suite = derived(body, frozenset({"a0"}))
    assert [item.key for item in suite.assertions] == ["a1"]
    assert [(kept.key, kept.reason) for kept in suite.kept] == [("a0", "not reproduced on the reference")]
    assert "assert f() == 1" in suite.source


def test_a_shadowed_builtin_is_not_taken_for_the_builtin():
    suite = derived(
        """
        from m import set, ValueError
        import pytest
        def test_a():
            assert f() == set([1])
            with pytest.raises(ValueError):
                f()
        """
    )
    assert [item.predicate for item in suite.assertions] == ["operand0 == operand1", "raised(operand0, None)"]


def test_visible_literals_are_those_that_the_derived_text_shows():
    suite = derived("def test_a():\n    assert f('shown', [1, 2]) == 'hidden'\n")
    assert "'shown'" in suite.inputs["test_a"]
    assert "[1, 2]" in suite.inputs["test_a"]
    assert "'hidden'" not in suite.inputs["test_a"]


def test_what_is_not_python_is_a_syntax_error_with_the_file():
    with pytest.raises(SyntaxError) as caught:
        derive("def test_a(:\n", "suite/test_x.py")
    assert caught.value.filename == "suite/test_x.py"
