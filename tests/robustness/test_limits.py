"""The limits of task.toml bound probes and properties; what the entries' own limits allow does not matter then."""

from __future__ import annotations

import time
from typing import Any

from qualityscore.model.outcome import PropertyOutcome
from qualityscore.runtime import contention
from qualityscore.suites import robustness
from qualityscore.suites.manifest import Manifest
from robustness.test_replay import entry, manifest, probe, survived


def with_property(frozen: Manifest, name: str) -> Manifest:
    held = {"id": name, "entries": ["thing.f"], "limit_s": 20.0, "memory_bytes": 1 << 30}
    return Manifest.model_validate({**frozen.model_dump(), "properties": [held]})


def test_the_total_time_ends_probes_that_would_go_on(make_target: Any) -> None:
    source = "import time\n\ndef f(x):\n    time.sleep(0 if x == 1 else 1.5)\n    return x\n"
    target = make_target(source, limits={"total_timeout_s": 5.0})
    began = time.monotonic()
    outcome = robustness.run(target, manifest(*(probe(f"thing.f({n})") for n in range(2, 42))))
    assert time.monotonic() - began < 40 * contention.stretch(), "40 probes of 1.5 s were not waited for"
    assert 0 < entry(outcome).survived < 40
    assert "the time for all probes was up" in {
        failure.seen.partition("(")[2].rstrip(")") for failure in entry(outcome).failures
    }


def test_one_probe_has_no_longer_than_one_test(make_target: Any) -> None:
    source = "import time\n\ndef f(x):\n    time.sleep(x)\n    return x\n"
    frozen = manifest(probe("thing.f(0.1)"), probe("thing.f(60)"), sensible="thing.f(0)")
    outcome = robustness.run(make_target(source, limits={"test_timeout_s": 0.5}), frozen)
    assert survived(outcome, 2) == [True, False]
    assert entry(outcome).failures[0].seen == "did not return in time"


def test_memory_is_that_of_the_task(make_target: Any) -> None:
    source = "def f(x):\n    return len(bytearray(x << 20))\n"
    frozen = manifest(probe("thing.f(8)"), probe("thing.f(250)"))
    assert survived(robustness.run(make_target(source), frozen), 2) == [True, True]
    assert survived(robustness.run(make_target(source, limits={"memory_mib": 128}), frozen), 2) == [True, False]


def test_a_property_is_bounded_by_the_task(make_target: Any) -> None:
    probes = "import thing\n\n\ndef prop_ends():\n    '''It ends.'''\n    thing.f(2)\n"
    source = "def f(x):\n    while x == 2:\n        pass\n    return x\n"
    target = make_target(source, probes=probes, limits={"test_timeout_s": 1.0})
    began = time.monotonic()
    (held,) = robustness.run(target, with_property(manifest(probe("thing.f(3)")), "prop_ends")).properties
    assert not held.passed
    assert "hang" in (held.message or "")
    assert time.monotonic() - began < 15 * contention.stretch()


def test_a_failing_property_shows_its_smallest_example(make_target: Any) -> None:
    probes = (
        "import thing\nfrom hypothesis import given\nfrom hypothesis import strategies as st\n\n\n"
        "@given(st.integers())\ndef prop_small(number):\n    '''It gives the number.'''\n"
        "    assert thing.f(number) == number\n"
    )
    source = "def f(x):\n    return x if x < 100 else 0\n"
    target = make_target(source, probes=probes)
    (held,) = robustness.run(target, with_property(manifest(probe("thing.f(3)")), "prop_small")).properties
    assert isinstance(held, PropertyOutcome)
    assert (held.message or "").startswith("It gives the number. AssertionError")
    assert held.snippet == "prop_small(\n    number=100,\n)"
