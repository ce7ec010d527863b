"""An import that hangs or ends its process is waited for once; every later stage takes it for the subject's fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conftest import outcomes
from qualityscore.errors import ReferenceFaultError
from qualityscore.model.measure import Fault, Unavailable
from qualityscore.runtime.target import Target
from qualityscore.runtime.tasks import load_task
from qualityscore.suites import cost, derived_files, functional, robustness
from qualityscore.suites.manifest import load as manifest_of

SUITE = {
    "test_first.py": """
        import first

        def test_first():
            assert first.entry(1) == 2
    """,
    "test_helper.py": """
        from beside import entry

        def test_through_a_helper():
            assert entry(1) == 2
    """,
    "beside.py": "from first import entry\n",
    "test_late.py": """
        def test_late():
            import first
            assert first.entry(1) == 2
    """,
    "test_second.py": """
        import second

        def test_second():
            assert second.entry(1) == 3
    """,
}
GOOD = {"first.py": "def entry(n):\n    return n + 1\n", "second.py": "def entry(n):\n    return n + 2\n"}
HANGS = "import threading\nthreading.Event().wait()\n"
ENDINGS = {
    "hang": (HANGS, "importing first: did not end within"),
    "exit": ("import os\nos._exit(3)\n", "importing first: the process ended with status 3"),
    "success": ("import os\nos._exit(0)\n", "importing first: the process ended with status 0"),
    "signal": ("import os\nos.kill(os.getpid(), 9)\n", "importing first: the interpreter was ended by signal 9"),
}


@pytest.fixture(autouse=True)
def _short_start(monkeypatch):
    monkeypatch.setattr(derived_files, "START_S", 2.0)


@pytest.fixture(scope="module")
def stage(make_stage):
    return make_stage(SUITE, ("first", "second"), test_timeout_s=2.0)


@pytest.fixture(scope="module")
def expected(stage):
    return stage.discover(GOOD)


@pytest.mark.parametrize("ending", ENDINGS)
def test_only_what_needs_the_import_fails_and_says_why(stage, expected, ending):
    body, reason = ENDINGS[ending]
    found = stage.run({**GOOD, "first.py": body}, expected)
    assert {name.rpartition("::")[2]: outcome for name, outcome in outcomes(found).items()} == {
        "test_first": "failed",
        "test_through_a_helper": "failed",
        "test_late": "failed",
        "test_second": "passed",
    }
    assert [(m.module, m.state) for m in found.modules] == [("first", "broken"), ("second", "importable")]
    failed = [t for t in found.tests if t.failure is not None]
    assert {(t.fault, str(t.failure.class_name), t.stable) for t in failed} == {("subject", "executability", False)}
    # a test that had waited itself would tell its own limit, and not the reason that was found first
    assert all(t.failure.message.startswith(f"ImportError: {reason}") for t in failed)


def test_modules_below_a_stopped_one_are_not_tried(make_stage):
    suite = {"test_a.py": "import p.k\n\ndef test_a():\n    assert p.k.entry(1) == 1\n"}
    stage = make_stage(suite, ("p", "p.k"), test_timeout_s=2.0)
    imports = functional.ImportTrial(
        stage.target({"p/__init__.py": HANGS, "p/k.py": "def entry(n): return n\n"})
    ).finish()
    assert imports.stopped["p.k"] == imports.stopped["p"]
    assert imports.stopped["p"].startswith("importing p: did not end within")


def test_several_hanging_modules_cost_one_start_and_a_half(make_stage):
    names = ("a", "b", "c", "d")
    suite = {"test_a.py": "import a\n\ndef test_a():\n    assert a.entry(1) == 1\n"}
    stage = make_stage(suite, names, test_timeout_s=2.0)
    imports = functional.ImportTrial(stage.target({f"{name}.py": HANGS for name in names})).finish()
    assert list(imports.stopped) == list(names)
    assert [reason.partition(" ")[0] for reason in imports.stopped.values()] == ["importing", "importing", "not", "not"]
    assert {m.state for m in imports.modules} == {"broken"}


def test_an_exception_is_no_reason_to_stop(stage, expected):
    found = stage.run({**GOOD, "first.py": "raise ValueError('no')\n"}, expected)
    broken = found.modules[0]
    assert (broken.state, broken.message, broken.location.line) == ("broken", "ValueError: no", 1)
    assert functional.ImportTrial(stage.target({**GOOD, "first.py": "raise ValueError\n"})).finish().stopped == {}


class Untouched:
    """A sandbox in which nothing may be run."""

    def __getattr__(self, name):
        raise AssertionError(f"{name} was asked for")


@pytest.fixture
def stopped(stage) -> Target:
    return replace(stage.target(GOOD), sandbox=Untouched(), stopped={"first": "importing first: hangs"})


def test_probes_and_properties_are_lost_without_a_run(stopped):
    manifest = manifest_of(load_task("xmltodict").probes_folder)
    found = robustness.run(stopped, manifest)
    assert {(e.entry, e.survived, e.total, e.absent, e.details) for e in found.entries} == {
        (entry.name, 0, len(entry.probes), True, "importing first: hangs") for entry in manifest.entries
    }
    assert [(p.id, p.passed) for p in found.properties] == [(p.id, False) for p in manifest.properties]
    assert all(p.message.endswith("importing first: hangs") for p in found.properties)


def test_workloads_are_lost_without_a_run_of_either_side(stopped):
    task = load_task("xmltodict")
    found = cost.run(replace(stopped, task=task), replace(stopped, task=task, stopped={}), counter="cpu")
    lost = Unavailable(reason="importing first: hangs", fault=Fault.SUBJECT)
    assert found.subject == dict.fromkeys(("workload.cost", "import.cost", "peak_heap", "peak_rss"), lost)
    assert found.reference == {}


def test_collecting_the_suite_may_use_the_tasks_memory_and_no_more(make_stage):
    suite = "import first\n\nROOM = bytearray({mib} << 20)\n\ndef test_a():\n    assert first.entry(1) == 2\n"
    fits = make_stage({"test_a.py": suite.format(mib=300)}, ("first",))
    assert len(fits.discover(GOOD)) == 1
    beyond = make_stage({"test_a.py": suite.format(mib=600)}, ("first",))  # the task allows 512 MiB
    with pytest.raises(ReferenceFaultError, match="cannot be collected"):
        beyond.discover(GOOD)
