"""Replay in the real sandbox: what is survived, what is a hard fault, and what a crash or a hang costs."""

from __future__ import annotations

import time
from typing import Any

import pytest

from qualityscore.inside.encode import digest, encode
from qualityscore.model.outcome import EntryOutcome, RobustnessOutcome
from qualityscore.runtime import contention
from qualityscore.suites import robustness
from qualityscore.suites.manifest import Manifest


def probe(
    call: str, kind: str = "hostile", *, setup: tuple[str, ...] = (), returns: Any = ..., value: bool = False
) -> dict[str, Any]:
    """A probe; `returns` is the reference's value (Ellipsis: it raised ValueError)."""
    if returns is ...:
        outcome: dict[str, Any] = {"kind": "raised", "type": "builtins.ValueError", "site": "here"}
    else:
        data = encode(returns)
        outcome = {"kind": "returned", "digest": digest(data), "value": data, "shown": repr(returns)}
    return {"kind": kind, "setup": list(setup), "call": call, "inputs": "any", "outcome": outcome, "value": value}


def manifest(*probes: dict[str, Any], sensible: str = "thing.f(1)", entry: str = "thing.f") -> Manifest:
    numbered = [{"id": f"p{n}", **p} for n, p in enumerate(probes)]
    entries = [
        {
            "name": entry,
            "sensible": {"setup": [], "call": sensible},
            "limit_s": 2.0,
            "memory_bytes": 400 << 20,
            "probes": numbered,
        }
    ]
    return Manifest.model_validate(
        {
            "schema_version": 1,
            "task_id": "thing",
            "reference": "thing 1",
            "seed": 0,
            "hash_seeds": [0],
            "float_tolerance": 1e-9,
            "entries": entries,
        }
    )


def entry(outcome: RobustnessOutcome) -> EntryOutcome:
    (only,) = outcome.entries
    return only


def survived(outcome: RobustnessOutcome, count: int) -> list[bool]:
    failed = {failure.id for failure in entry(outcome).failures}
    return [f"p{n}" not in failed for n in range(count)]


def test_each_kind_demands_what_the_specification_says(make_target: Any) -> None:
    source = "def f(x):\n    if x == 2:\n        raise ValueError('two')\n    return [x, x]\n"
    frozen = manifest(
        probe("thing.f(3)", "valid", returns=[3, 3]),
        probe("thing.f(4)", "valid", returns=[4, 5]),  # another value: survived all the same
        probe("thing.f(2)", "valid", returns=[2, 2]),
        probe("thing.f(2)", "guarded"),
        probe("thing.f(3)", "guarded"),
        probe("thing.f(2)", "hostile", returns=1),
        probe("thing.f(3)", "hostile"),
    )
    outcome = robustness.run(make_target(source), frozen)
    assert survived(outcome, 7) == [True, True, False, True, False, True, True]
    assert (entry(outcome).survived, entry(outcome).total, entry(outcome).hard_fault) == (5, 7, False)
    assert (entry(outcome).settled, entry(outcome).different) == (3, 1)
    assert entry(outcome).differences[0].id == "p1"


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        ("raise KeyError('k')", True),
        ("raise type('Own', (Exception,), {})('own')", True),
        ("raise NotImplementedError('no complex numbers')", True),
        ("raise NotImplementedError", False),
        ("return undefined", False),
        ("assert False", False),
        ("raise SystemError('x')", False),
        ("import no_such_module_anywhere", False),
        ("return g(x, 1)", False),
        ("raise TypeError('f() missing 1 required positional argument')", True),
        ("return len(x, 1)", True),
        ("raise ModuleNotFoundError('documented')", False),
    ],
)
def test_an_exception_is_clean_only_as_a_refusal(make_target: Any, body: str, clean: bool) -> None:
    source = f"def g(x):\n    return x\n\ndef f(x):\n    if x == 1:\n        return 'fine'\n    {body}\n"
    outcome = robustness.run(make_target(source), manifest(probe("thing.f(2)")))
    assert (entry(outcome).survived == 1, entry(outcome).hard_fault) == (clean, False)


def test_a_documented_import_error_is_clean(make_target: Any) -> None:
    source = "def f(x):\n    if x == 1:\n        return 'fine'\n    raise ModuleNotFoundError('install it')\n"
    target = make_target(source, documented=("ModuleNotFoundError",))
    assert entry(robustness.run(target, manifest(probe("thing.f(2)")))).survived == 1


def test_a_call_that_does_not_fit_the_signature_is_not_survived(make_target: Any) -> None:
    outcome = robustness.run(make_target("def f(x):\n    return 'ok'\n"), manifest(probe("thing.f(2, deep=True)")))
    assert entry(outcome).survived == 0
    assert "does not fit the signature" in entry(outcome).failures[0].seen


HARD = {
    "hang": "while True: pass",
    "blocked hang": "signal.pthread_sigmask(signal.SIG_BLOCK, {14})\n        while True: pass",
    "signal": "import os; os.kill(os.getpid(), 11)",
    "exit": "import os; os._exit(0)",
    "SystemExit": "raise SystemExit(0)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "memory": "return 'x' * (1 << 40)",
    "recursion": "return f(x)",
    "leak": "STATE.append(x); return 0",
    "late hang": "f.__code__ = (lambda x: time.sleep(99)).__code__",
}


@pytest.mark.parametrize("fault", HARD)
def test_a_hard_fault_costs_its_probe_only(make_target: Any, fault: str) -> None:
    body = f"    if x == 2:\n        {HARD[fault]}\n    return [x, len(STATE)]\n"
    source = f"STATE = []\nimport signal, time\n\ndef f(x):\n{body}"
    frozen = manifest(*(probe(f"thing.f({n})") for n in (1, 2, 3, 4)))
    outcome = robustness.run(make_target(source), frozen)
    assert survived(outcome, 4) == [True, False, True, True]
    assert entry(outcome).hard_fault
    assert entry(outcome).failures[0].hard


def test_mutating_an_argument_is_hard_unless_the_reference_mutates_it(make_target: Any) -> None:
    source = "def f(x):\n    if isinstance(x, list):\n        x.append(1)\n    return 'ok'\n"
    allowed = probe("thing.f(x)", setup=("x = [1]",), returns="ok")
    allowed["outcome"]["mutates"] = ["x"]
    frozen = manifest(
        probe("thing.f(x)", setup=("x = [1]",), returns="ok"), allowed, probe("thing.f(x)", setup=("x = (1,)",))
    )
    outcome = robustness.run(make_target(source), frozen)
    assert survived(outcome, 3) == [False, True, True]
    assert "changed its argument x" in entry(outcome).failures[0].seen


@pytest.mark.slow
def test_after_three_hangs_the_rest_counts_as_hanging(make_target: Any) -> None:
    source = "import time\n\ndef f(x):\n    return 'ok' if x == 1 else time.sleep(60)\n"
    began = time.monotonic()
    outcome = robustness.run(make_target(source), manifest(*(probe(f"thing.f({n})") for n in range(2, 22))))
    assert entry(outcome).survived == 0
    assert entry(outcome).hard_fault
    assert time.monotonic() - began < 20 * contention.stretch()


def test_a_crashing_entry_is_restarted_until_every_probe_has_run(make_target: Any) -> None:
    source = "import os\n\ndef f(x):\n    if x % 2 == 0:\n        os.abort()\n    return 'ok'\n"
    outcome = robustness.run(make_target(source), manifest(*(probe(f"thing.f({n})") for n in range(1, 11))))
    assert entry(outcome).survived == 5


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    raise ValueError('always')\n",
        "def f(x, y):\n    return 1\n",
        "def g(x):\n    return 1\n",
        "def f(x):\n    import time; time.sleep(60)\n",
        "raise RuntimeError('at import')\n",
        "import os; os._exit(0)\n",
        "def f(x:\n",
    ],
)
def test_an_entry_whose_sensible_call_does_not_return_is_absent(make_target: Any, source: str) -> None:
    outcome = robustness.run(make_target(source), manifest(probe("thing.f(2)"), probe("thing.f(3)")))
    assert (entry(outcome).absent, entry(outcome).survived, entry(outcome).total) == (True, 0, 2)
    assert entry(outcome).details


def test_values_count_when_right_telling_and_distinct(make_target: Any) -> None:
    source = "def f(x):\n    return {2: 0.3, 3: 'three', 4: 'three', 5: 'wrong'}.get(x, [x])\n"
    frozen = manifest(
        probe("thing.f(2)", "valid", returns=0.1 + 0.2, value=True),  # 0.30000000000000004
        probe("thing.f(3)", "valid", returns="three", value=True),
        probe("thing.f(4)", "valid", returns="three", value=True),
        probe("thing.f(5)", "valid", returns="five", value=True),
        probe("thing.f(6)", "valid", returns=[6]),
    )
    outcome = entry(robustness.run(make_target(source), frozen))
    assert (outcome.right_values, outcome.value_probes) == (2, 4)


def test_names_of_private_functions_and_the_state_of_objects_are_no_difference(make_target: Any) -> None:
    source = (
        "class Own:\n    def __init__(self):\n        self.size = 3\n\n\n"
        "def f(x):\n    def inner(): ...\n"
        "    return {1: 'fine', 2: inner, 3: [Own(), int], 4: [Own(), str], 5: Own()}[x]\n"
    )
    made = {"object": ["ref.Other", {"size": 4}]}
    frozen = manifest(*(probe(f"thing.f({n})", "valid", returns="fine") for n in (2, 3, 4, 5)))
    values = [{"function": "ref.wrapper"}, {"list": [made, {"class": "builtins.int"}]}]
    values += [{"list": [made, {"class": "builtins.int"}]}, "fine"]
    for item, value in zip(frozen.entries[0].probes, values, strict=True):
        item.outcome.__dict__.update(value=value, digest=digest(value))
    outcome = robustness.run(make_target(source), frozen)
    assert {different.id for different in entry(outcome).differences} == {"p2", "p3"}, "another class, not a text"


def test_state_is_judged_by_what_the_last_sensible_call_gave(make_target: Any) -> None:
    """One probe poisons the module for good: it alone is blamed, those after it see the same state before and after."""
    source = "STATE = []\n\ndef f(x):\n    if x == 3:\n        STATE.append(x)\n    return list(STATE)\n"
    outcome = robustness.run(make_target(source), manifest(*(probe(f"thing.f({n})") for n in (2, 3, 4, 5))))
    assert survived(outcome, 4) == [True, False, True, True]


def test_numbered_instances_are_no_leak(make_target: Any) -> None:
    source = (
        "class Made:\n    n = 0\n    def __init__(self):\n        Made.n += 1\n        self.number = Made.n\n\n"
        "def f(x):\n    return Made()\n"
    )
    outcome = robustness.run(make_target(source), manifest(probe("thing.f(2)"), probe("thing.f(3)")))
    assert (entry(outcome).survived, entry(outcome).hard_fault) == (2, False)


def test_messages_that_the_subject_forges_are_evidence(make_target: Any) -> None:
    source = (
        "import sys\n\ndef f(x):\n    if x == 2:\n        frame = sys._getframe()\n"
        "        while 'send' not in frame.f_locals:\n            frame = frame.f_back\n"
        "        frame.f_locals['send'](b'{\"probe\": 9, \"seen\": {}}')\n"
        "        frame.f_locals['send'](b'{\"end\": true}')\n    return [x]\n"
    )
    outcome = robustness.run(make_target(source), manifest(probe("thing.f(2)"), probe("thing.f(3)")))
    assert outcome.evidence


def test_a_failing_probe_comes_as_a_program_that_runs(make_target: Any, tmp_path: Any) -> None:
    import subprocess
    import sys

    source = "def f(x):\n    if x == 1:\n        return 'ok'\n    return undefined\n"
    target = make_target(source)
    outcome = robustness.run(target, manifest(probe("thing.f(items)", setup=("items = [EqRaises()]",))))
    (failure,) = entry(outcome).failures
    done = subprocess.run(
        [sys.executable, "-c", failure.snippet], cwd=target.tree.root, capture_output=True, text=True, check=False
    )
    assert "NameError" in done.stderr
    assert "NameError" in failure.seen
