"""What raises around a class, module or session counts against the test that plain pytest counts it against."""

from __future__ import annotations

import pytest

from qualityscore.model.outcome import TestOutcome

FIRST = """
    import asyncio
    import unittest
    import pytest
    import m

    @pytest.fixture(scope="module")
    def store():
        yield m.entry("module fixture up")
        m.entry("module fixture down")

    class TestMethods:
        @classmethod
        def setup_class(cls):
            m.entry("setup_class")

        @classmethod
        def teardown_class(cls):
            m.entry("teardown_class")

        def test_one(self):
            assert m.entry("a test") == 1

        @pytest.mark.parametrize("what", ["x", "y", "z"])
        def test_rows(self, what):
            assert m.entry(what) == 1

    class TestAsked:
        @pytest.fixture(scope="class")
        def asked(self):
            yield m.entry("class fixture up")
            m.entry("class fixture down")

        def test_asks(self, asked):
            assert asked == 1

        def test_asks_too(self, asked, store):
            assert asked + store == 2

        def test_asks_nothing(self):
            assert m.entry("a test") == 1

    class Case(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.addClassCleanup(m.entry, "class cleanup")
            m.entry("setUpClass")

        @classmethod
        def tearDownClass(cls):
            m.entry("tearDownClass")

        def test_first(self):
            self.assertEqual(m.entry("a test"), 1)

        def test_parts(self):
            for what in ("p", "q"):
                with self.subTest(what=what):
                    self.assertEqual(m.entry(what), 1)

    class Waiting(unittest.IsolatedAsyncioTestCase):
        @classmethod
        def tearDownClass(cls):
            m.entry("asynchronous tearDownClass")

        async def asyncTearDown(self):
            m.entry("asyncTearDown")

        async def test_before(self):
            await asyncio.sleep(0)
            self.assertEqual(m.entry("a test"), 1)

        async def test_waits(self):
            await asyncio.sleep(0)
            self.assertEqual(m.entry("a test"), 1)

    class TestOuter:
        def test_outside(self):
            assert m.entry("a test") == 1

        class TestInner:
            @classmethod
            def teardown_class(cls):
                m.entry("inner teardown_class")

            def test_inside(self):
                assert m.entry("a test") == 1

            @pytest.mark.skipif(m.entry("condition") == 1, reason="the last of its class")
            def test_skipped(self):
                assert m.entry("a test") == 1

    def test_plain():
        assert m.entry("a test") == 1

    def test_asks_first(store):
        assert store == 1

    def test_last():
        assert m.entry("a test") == 1
"""
SECOND = """
    import m

    def setup_module():
        m.entry("setup_module")

    def teardown_module():
        m.entry("teardown_module")

    def test_here():
        assert m.entry("a test") == 1

    def test_here_too():
        assert m.entry("a test") == 1
"""
BESIDE = """
    import pytest
    import m

    @pytest.fixture(scope="session", autouse=True)
    def whole():
        m.entry("session up")
        yield
        m.entry("session down")
"""
SUITE = {"test_first.py": FIRST, "test_second.py": SECOND, "conftest.py": BESIDE}
GOOD = {"m.py": "def entry(what):\n    return 1\n"}


@pytest.fixture(scope="module")
def stage(make_stage):
    return make_stage(SUITE)


@pytest.fixture(scope="module")
def expected(stage):
    return stage.discover(GOOD)


def test_all_of_them_are_expected(expected):
    """Counted by hand, without the skipped one: 4 + 3 + 2 + 2 + 2 + 3 and the two of the second file."""
    assert len(expected) == 18


@pytest.mark.parametrize(
    ("what", "failing"),
    [
        ("teardown_class", 1),
        ("class fixture down", 1),
        ("module fixture down", 1),
        ("tearDownClass", 1),
        ("class cleanup", 1),
        ("asynchronous tearDownClass", 1),
        ("inner teardown_class", 0),  # the skipped one's, which is not expected
        ("teardown_module", 1),
        ("session down", 1),
        ("setup_class", 4),
        ("class fixture up", 2),
        ("module fixture up", 2),
        ("setUpClass", 2),
        ("setup_module", 2),
        ("session up", 18),
        ("asyncTearDown", 2),
        ("q", 1),
        ("y", 1),
    ],
)
def test_what_raises_fails_the_tests_that_fail_under_plain_pytest(stage, expected, what, failing):
    subject = {"m.py": f"def entry(what):\n    assert what != {what!r}\n    return 1\n"}
    outcome = stage.run(subject, expected)
    plain = stage.plain(subject)
    ours = {test.id for test in outcome.tests if test.outcome is not TestOutcome.PASSED}
    assert ours == {test.id for test in expected if plain.get(test.id) != "passed"}
    assert len(ours) == failing
    assert not outcome.tampered
