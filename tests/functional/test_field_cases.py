"""Cases that people who run evaluations met in the field: one expected test is one result, whatever the test does."""

from __future__ import annotations

import time

import pytest

from qualityscore.model.outcome import TestOutcome

GOOD = {
    "m.py": """
        import functools, threading

        def entry(text):
            return text.upper()

        def double(n):
            return 2 * n

        def fail(n):
            raise ValueError(f"bad {n}")

        def close(values):
            values.clear()
    """
}

SUITE = {
    "test_ids.py": """
        import pytest
        import m

        @pytest.mark.parametrize("text, want", [
            ('a "b" - c::d] one', 'A "B" - C::D] ONE'),
            ('a "b" - c::d] two', 'A "B" - C::D] TWO'),
        ])
        def test_upper(text, want):
            assert m.entry(text) == want
    """,
    "test_system.py": """
        import contextlib
        import getpass
        import multiprocessing
        import os
        import pathlib
        import socket
        import subprocess
        import sys
        import threading
        import unittest
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import shared_memory

        import pytest
        import m

        class Sub(unittest.TestCase):
            def test_three(self):
                for n in range(3):
                    with self.subTest(n=n):
                        self.assertEqual(m.double(n), 2 * n)

        def test_forks_and_both_return():
            pid = os.fork()
            if pid:
                os.waitpid(pid, 0)
            assert m.double(2) == 4

        def test_leaves_an_orphan():
            subprocess.Popen(["sleep", "25"], start_new_session=True)
            assert m.double(3) == 6

        def test_home(tmp_path):
            assert m.entry("x") == "X"
            assert pathlib.Path.home().is_dir()
            (pathlib.Path.home() / "file").write_text("here")
            assert getpass.getuser()
            (tmp_path / "a").write_text("b")

        def test_multiprocessing():
            lock = multiprocessing.Lock()
            with lock:
                memory = shared_memory.SharedMemory(create=True, size=16)
            memory.buf[0] = 7
            assert memory.buf[0] == 7
            memory.close()
            memory.unlink()
            with ProcessPoolExecutor(2) as pool:
                doubled = list(pool.map(m.double, [1, 2, 3]))
            assert doubled == [2, 4, 6]

        def test_loopback():
            server = socket.create_server(("localhost", 0))
            def serve():
                connection, _ = server.accept()
                connection.sendall(m.entry("hello").encode())
                connection.close()
            thread = threading.Thread(target=serve)
            thread.start()
            with socket.create_connection(server.getsockname()) as client:
                answer = client.recv(100)
            thread.join()
            server.close()
            assert answer == b"HELLO"
            with pytest.raises(OSError):
                socket.create_connection(("192.0.2.1", 80), timeout=1)

        def test_command_line():
            code = "import m; print(m.double(21))"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert done.stdout == "42\\n"
    """,
    "test_forms.py": """
        import asyncio
        import unittest
        from unittest import mock

        import pytest
        import m

        @pytest.fixture(scope="module")
        def numbers():
            return [1, 2]

        @pytest.fixture
        def more(numbers):
            yield [*numbers, 3]

        class TestState:
            @pytest.fixture(autouse=True)
            def start(self):
                self.n = 5

            def test_fixture(self, more):
                assert [m.double(n) for n in more] == [2, 4, 6]
                assert m.double(self.n) == 10

        class Base:
            def test_inherited(self):
                assert m.double(self.value) == self.twice

        class TestA(Base):
            value, twice = 4, 8

        class TestB(Base):
            value, twice = 6, 12

        class Case(unittest.TestCase):
            def setUp(self):
                self.n = 8

            def test_case(self):
                self.assertEqual(m.double(self.n), 16)
                with self.assertRaises(ValueError) as caught:
                    m.fail(3)
                self.assertEqual(caught.exception.args, ("bad 3",))
                self.assertRaises(ValueError, m.fail, n=4)

        class AsyncCase(unittest.IsolatedAsyncioTestCase):
            async def test_async_case(self):
                await asyncio.sleep(0)
                self.assertEqual(m.double(9), 18)

        async def test_coroutine():
            await asyncio.sleep(0)
            assert m.double(11) == 22

        @mock.patch("m.double", return_value=1)
        def test_patched(double):
            assert m.double(5) == 1
            assert double.call_count == 1

        def test_raises():
            with pytest.raises(ValueError, match="bad 1") as caught:
                m.fail(1)
            assert caught.value.args == ("bad 1",)
            assert caught.type is ValueError

        def test_printing(capsys):
            print(m.entry("printed"))
            assert capsys.readouterr().out == "PRINTED\\n"

        def test_environment(monkeypatch):
            monkeypatch.setenv("M_NAME", "x")
            assert m.entry("y") == "Y"
    """,
    "test_scopes.py": """
        import unittest

        import pytest
        import m

        @pytest.fixture(scope="class")
        def shared():
            values = [m.double(1)]
            yield values
            m.close(values)

        class TestShared:
            def test_first(self, shared):
                assert shared == [2]

            def test_second(self, shared):
                assert [*shared, m.double(2)] == [2, 4]

        class Rows(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                cls.rows = [m.double(n) for n in (1, 2)]

            @classmethod
            def tearDownClass(cls):
                m.close(cls.rows)

            def test_rows(self):
                self.assertEqual(self.rows, [2, 4])

            def test_text(self):
                self.assertEqual(m.entry(str(self.rows[0]) + "x"), "2X")
    """,
}


@pytest.fixture(scope="module")
def stage(make_stage):
    return make_stage(SUITE)


@pytest.fixture(scope="module")
def expected(stage):
    return stage.discover(GOOD)


def results(stage, files, expected):
    found = stage.run(files, expected)
    assert [test.id for test in found.tests] == [test.id for test in expected]
    return {test.id.partition("::")[2]: test for test in found.tests}


def test_a_good_subject_passes_all_and_plain_pytest_agrees(stage, expected):
    # counted by hand in SUITE: 2 ids, 7 of the system, 10 forms, 4 of scopes
    assert len(expected) == 23
    found = results(stage, GOOD, expected)
    assert {name: test.outcome for name, test in found.items() if test.outcome is not TestOutcome.PASSED} == {}
    plain = stage.plain(GOOD)
    plain.pop("suites/test_forms.py::test_coroutine")  # plain pytest has no runner for coroutines
    assert plain == {test.id: "passed" for test in expected if not test.id.endswith("::test_coroutine")}


def test_ids_with_blanks_quotes_and_brackets_are_kept_apart(stage, expected):
    names = [test.id for test in expected if "test_upper" in test.id]
    prefix = "suites/test_ids.py::test_upper"
    assert names == [
        f'{prefix}[a "b" - c::d] one-A "B" - C::D] ONE]',
        f'{prefix}[a "b" - c::d] two-A "B" - C::D] TWO]',
    ]
    wrong = {"m.py": GOOD["m.py"].replace("text.upper()", "text.upper().replace('TWO', 'TOO')")}
    found = results(stage, wrong, expected)
    assert [found[name.partition("::")[2]].outcome for name in names] == [TestOutcome.PASSED, TestOutcome.FAILED]


def test_three_failing_subtests_are_one_failed_test(stage, expected):
    found = results(stage, {"m.py": GOOD["m.py"].replace("2 * n", "2 * n + 1")}, expected)
    assert [name for name in found if "Sub" in name] == ["Sub::test_three"]
    assert found["Sub::test_three"].outcome is TestOutcome.FAILED
    assert found["Sub::test_three"].failure.subclass == "wrong_value"


def test_every_form_of_a_wrong_value_fails_and_names_it(stage, expected):
    found = results(stage, {"m.py": GOOD["m.py"].replace("2 * n", "3 * n")}, expected)
    failed = {name for name, test in found.items() if test.outcome is TestOutcome.FAILED}
    assert failed == {
        "Sub::test_three",
        "test_forks_and_both_return",
        "test_leaves_an_orphan",
        "test_multiprocessing",
        "test_command_line",
        "TestState::test_fixture",
        "TestA::test_inherited",
        "TestB::test_inherited",
        "Case::test_case",
        "AsyncCase::test_async_case",
        "test_coroutine",
        "TestShared::test_first",
        "TestShared::test_second",
        "Rows::test_rows",
        "Rows::test_text",
    }
    assert found["TestState::test_fixture"].failure.message == (
        "assert [m.double(n) for n in more] == [2, 4, 6]: got [3, 6, 9]"
    )


SCOPED = {"TestShared::test_first", "TestShared::test_second", "Rows::test_rows", "Rows::test_text"}


def test_what_a_class_sets_up_is_judged_in_each_of_its_tests(stage, expected):
    ours = {test.id.partition("::")[2]: test for test in expected}
    assert {name: [record.moved for record in ours[name].assertions] for name in SCOPED} == {n: [True] for n in SCOPED}
    raising = GOOD["m.py"].replace("return 2 * n", "raise KeyError(n)")
    found = results(stage, {"m.py": raising}, expected)
    assert {(found[name].outcome, found[name].failure.subclass) for name in SCOPED} == {
        (TestOutcome.FAILED, "unexpected_exception")
    }


def test_what_a_class_tears_down_counts_for_its_last_test_as_under_plain_pytest(stage, expected):
    raising = {"m.py": GOOD["m.py"].replace("values.clear()", "raise KeyError(values[0])")}
    found = results(stage, raising, expected)
    lasts = {"TestShared::test_second", "Rows::test_text"}
    assert {name for name, test in found.items() if test.outcome is not TestOutcome.PASSED} == lasts
    failed = {name.partition("::")[2] for name, outcome in stage.plain(raising).items() if outcome == "failed"}
    assert failed - {"test_coroutine"} == lasts


def test_an_orphan_beside_a_hanging_test_bounds_the_time_and_passes(make_stage):
    stage = make_stage(
        {
            "test_a.py": """
                import subprocess
                import m

                def test_orphan():
                    subprocess.Popen(["sleep", "25"], start_new_session=True)
                    assert m.entry(1) == 2

                def test_hang():
                    assert m.other(1) == 3

                def test_after():
                    assert m.entry(2) == 4
            """
        },
        test_timeout_s=2.0,
    )
    good = {"m.py": "def entry(n):\n    return 2 * n\n\ndef other(n):\n    return 3 * n\n"}
    expected = stage.discover(good)
    hanging = {"m.py": "def entry(n):\n    return 2 * n\n\ndef other(n):\n    while True: pass\n"}
    began = time.monotonic()
    found = stage.run(hanging, expected)
    assert time.monotonic() - began < 24  # the orphan would sleep for 25 s
    assert [(test.outcome, test.stable) for test in found.tests] == [
        (TestOutcome.PASSED, True),
        (TestOutcome.FAILED, False),
        (TestOutcome.PASSED, True),
    ]
    assert found.tests[1].failure.subclass == "hang"


def test_what_had_a_verdict_keeps_it_when_the_total_time_is_spent(make_stage):
    body = "import m\ndef test_a():\n    assert m.entry(1) == 2\n" + "".join(
        f"def test_{n}():\n    assert m.slow({n}) == {n}\n" for n in range(6)
    )
    stage = make_stage({"test_a.py": body}, test_timeout_s=3.0, total_timeout_s=5.0)
    quick = {"m.py": "def entry(n):\n    return 2 * n\n\ndef slow(n):\n    return n\n"}
    expected = stage.discover(quick)
    slow = {"m.py": "def entry(n):\n    return 2 * n\n\ndef slow(n):\n    while True: pass\n"}
    found = [(test.outcome, test.failure and test.failure.subclass) for test in stage.run(slow, expected).tests]
    assert found[0] == (TestOutcome.PASSED, None)
    assert found[1] == (TestOutcome.FAILED, "hang")
    assert found[-1] == (TestOutcome.NOT_RUN, "hang")


def test_a_module_that_exits_while_collecting_fails_alone(make_stage):
    stage = make_stage(
        {
            "test_a.py": "import m\ndef test_a():\n    assert m.entry(3) == 6\n",
            "test_b.py": """
                import sys
                import m
                try:
                    from m import extra
                except ImportError:
                    sys.exit(0)

                def test_b():
                    assert extra() == 7
            """,
            "test_c.py": "import m\ndef test_c():\n    assert m.entry(4) == 8\n",
        }
    )
    good = {"m.py": "def entry(n):\n    return 2 * n\n\ndef extra():\n    return 7\n"}
    expected = stage.discover(good)
    assert len(expected) == 3
    found = stage.run({"m.py": "def entry(n):\n    return 2 * n\n"}, expected)
    assert [test.outcome for test in found.tests] == [TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.PASSED]
    broken = found.tests[1]
    assert (broken.fault, broken.stable, str(broken.failure.class_name)) == ("subject", False, "executability")


def test_threads_started_at_import_do_not_hang_forked_tests(stage, expected):
    threaded = GOOD["m.py"] + (
        "\n        threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "        POOL = __import__('concurrent.futures').futures.ThreadPoolExecutor(1)\n"
        "        POOL.submit(int)\n"
    )
    found = results(stage, {"m.py": threaded}, expected)
    assert [name for name, test in found.items() if test.outcome is not TestOutcome.PASSED] == []


def test_a_twin_changes_no_other_test_that_runs_its_function(make_stage):
    stage = make_stage(
        {
            "test_base.py": """
                import m

                class Base:
                    n = 1

                    def test_kept(self):
                        assert m.double(self.n) is not m.double  # an object: the assertion stays in the child

                    def test_further(self):
                        assert m.entry("x") is not m.entry

                class TestOne(Base):
                    n = 2

                class TestTwo(TestOne):
                    n = 3
            """,
            "test_other.py": """
                import m
                import test_base

                def test_runs_the_others():
                    test_base.TestOne().test_kept()

                def test_own():
                    assert m.entry("y") is not m.entry
            """,
        }
    )
    expected = stage.discover(GOOD)
    twins = {test.id.partition("::")[2]: [r.twin for r in test.assertions] for test in expected}
    assert twins == {  # those of test_base.py are run by a test of another file
        "TestOne::test_kept": [False],
        "TestOne::test_further": [False],
        "TestTwo::test_kept": [False],
        "TestTwo::test_further": [False],
        "test_runs_the_others": [],
        "test_own": [True],
    }
    for _ in range(4):
        assert {t.id: t.failure for t in stage.run(GOOD, expected).tests if t.outcome is not TestOutcome.PASSED} == {}


def test_inherited_tests_are_twins_with_the_function_that_they_run(make_stage):
    stage = make_stage(
        {
            "test_base.py": """
                import m

                class Base:
                    def test_kept(self):
                        assert m.double(self.n) is not m.double

                    def test_further(self):
                        assert m.entry("x") is not m.entry

                class TestOne(Base):
                    n = 2

                class TestTwo(Base):
                    n = 3
            """,
        }
    )
    expected = stage.discover(GOOD)
    assert [[record.twin for record in test.assertions] for test in expected] == [[True]] * 4
    for _ in range(6):  # a function alone in the wrong half would fail in half of the runs
        assert {t.id: t.failure for t in stage.run(GOOD, expected).tests if t.outcome is not TestOutcome.PASSED} == {}
