"""Building a manifest from a small reference, in the real sandbox: what is frozen, and what counts as evidence."""

from __future__ import annotations

import time
from typing import Any

import pytest

from qualityscore.errors import ReferenceFaultError
from qualityscore.inside.encode import digest, encode
from qualityscore.suites import probe_build, stubs
from qualityscore.suites.manifest import Call, Manifest, Probe, ProbedEntry, Raised, Returned
from qualityscore.suites.survival import judge

REFERENCE = '''"""A reference."""


def swap(pair: str, times: int = 1) -> str:
    """The text with its halves exchanged."""
    if times < 0:
        raise ValueError("times must not be negative")
    half = len(pair) // 2
    return pair[half:] + pair[:half]


def same(*args: str, **kwargs: str) -> tuple:
    """All arguments."""
    return args


def quiet(call=None):
    """A decorator that changes nothing."""
    return call if call is not None else lambda function: function


def fixed(number: int = 0) -> str:
    """Always the same text."""
    return "value"
'''
SUITE = """import thing


def test_all():
    assert thing.swap("abcd") == "cdab"
    assert thing.swap("ab", 2) == "ba"
    assert thing.same("a", "b") == ("a", "b")
    assert thing.same("c", key="d") == ("c",)
    assert thing.quiet()(len) is len
    assert thing.quiet(max)(1, 2) == 2
    assert thing.fixed() == "value"
    assert thing.fixed(3) == "value"
"""
REVIEW = """accept = [{ entry = "*", inputs = "*", reason = "any" }]
guard = [{ site = "thing.py swap: raise ValueError(*", reason = "documented" }]
leave_out = [{ entry = "thing.swap", inputs = "times: *negative*", reason = "a test's" }]
"""
ENTRIES = ["thing.swap", "thing.same", "thing.quiet", "thing.fixed"]


@pytest.fixture(scope="module")
def built(module_target: Any) -> Manifest:
    target = module_target(REFERENCE, ENTRIES, suite=SUITE, is_reference=True)
    (target.task.probes_folder / "review.toml").write_text(REVIEW, "utf-8")
    return probe_build.build(target, 0)


def entry(manifest: Manifest, name: str) -> ProbedEntry:
    return next(e for e in manifest.entries if e.name == f"thing.{name}")


def test_inputs_that_the_review_leaves_out_are_no_probe_of_that_entry(built: Manifest) -> None:
    assert not [p.inputs for p in entry(built, "swap").probes if p.inputs.startswith("times: negative")]
    assert [p.inputs for p in entry(built, "fixed").probes if p.inputs.startswith("number: negative")]


def values(manifest: Manifest, name: str) -> int:
    return sum(probe.value for probe in entry(manifest, name).probes)


def test_a_value_that_has_to_be_worked_out_is_evidence(built: Manifest) -> None:
    assert values(built, "swap") >= 2


@pytest.mark.parametrize("name", ["same", "quiet", "fixed"])
def test_what_a_stub_gives_as_well_is_no_evidence(built: Manifest, name: str) -> None:
    returned = [p for p in entry(built, name).probes if p.kind == "valid"]
    assert returned, "there are valid probes that could have been taken for evidence"
    assert values(built, name) == 0


def test_every_form_of_stub_is_a_module_that_can_be_imported() -> None:
    from qualityscore.model.task import SurfaceEntry

    surface = [
        SurfaceEntry(name="pkg.Box", kind="class", signature="(size, *, key=None)"),
        SurfaceEntry(name="pkg.Box.get", kind="method", signature="(self, key, default=None)"),
        SurfaceEntry(name="pkg.Box.weight", kind="method", signature="(value)"),
        SurfaceEntry(name="pkg.LIMIT", kind="constant"),
        SurfaceEntry(name="pkg.Refused", kind="exception"),
        SurfaceEntry(name="pkg.inner.wrap", kind="function", signature="(function, /, *args, **kwargs)"),
    ]
    assert stubs.parameters(surface[0]) == ("size", "key")
    assert stubs.parameters(surface[1]) == ("key", "default")
    assert stubs.parameters(surface[2]) == ("value",)
    given = {}
    for form, expression in stubs.forms(surface).items():
        files = stubs.sources(surface, ["pkg", "pkg.inner"], expression)
        assert [str(path) for path in files] == ["pkg/__init__.py", "pkg/inner.py"]
        space: dict[str, Any] = {}
        exec(compile(files[next(iter(files))].replace("from . import inner", ""), form, "exec"), space)
        assert issubclass(space["Refused"], Exception)
        try:
            given[form] = space["Box"](3).get("k", default="d")
        except RuntimeError:
            given[form] = "raised"
    assert given["echo of its first argument"] == "k"
    assert given["echo of argument 2"] == "d"
    assert given["echo of *args"] == ("k",)
    assert given["echo of **kwargs"] == {"default": "d"}
    assert given["echo of all arguments"] == ("k", "d")
    assert given["raising"] == "raised"
    assert given["constant 'value'"] == "value"
    assert given["identity decorator"](len) is len


DEEP = '''"""A reference."""


def wrap(levels: int, word: str = "a") -> dict:
    """The word under as many keys."""
    for _ in range(levels):
        word = {"k": word}
    return word
'''


def test_a_value_beyond_what_a_manifest_bears_is_kept_as_its_digest(make_target: Any) -> None:
    target = make_target(DEEP, ["thing.wrap"], is_reference=True)
    calls = ["thing.wrap(60)", "thing.wrap(1)"]
    sensible = Call(setup=[], call="thing.wrap(1)")
    script = probe_build.building_script("thing.wrap", sensible, [(i, [], call, []) for i, call in enumerate(calls)])
    runs = [probe_build.run_once(target, [script], number)["thing.wrap"] for number in probe_build.RUNS]
    assert [probe_build.why_dropped(target, runs, index) for index in range(2)] == [None, None]
    deep, flat = (probe_build.outcome_of(target, runs[0].seen[index]) for index in range(2))
    nested: Any = "a"
    for _ in range(60):
        nested = {"k": nested}
    assert deep == Returned(digest=digest(encode(nested)), value=None, large=True, shown="a large value")
    assert isinstance(flat, Returned)
    assert (flat.large, flat.value) == (False, {"dict": [["k", "a"]]})
    probe = Probe(id="p", kind="valid", setup=[], call=calls[0], inputs="i", outcome=deep)
    again, other = (judge(probe, runs[1].seen[i], None, None, documented=(), tolerance=1e-9) for i in range(2))
    assert (again.survived, again.right) == (True, True)
    assert (other.survived, other.right) == (True, False)


def test_a_raise_site_shows_the_line_that_the_interpreter_counted(make_target: Any) -> None:
    """A form feed ends no line of Python."""
    source = 'def refuse(number):\n    """Nothing."""\n\x0c\n    raise ValueError("no")\n'
    target = make_target(source, ["thing.refuse"], is_reference=True)
    script = probe_build.building_script("thing.refuse", Call(setup=[], call="None"), [(0, [], "thing.refuse(1)", [])])
    seen = probe_build.run_once(target, [script], 0)["thing.refuse"].seen[0]
    outcome = probe_build.outcome_of(target, seen)
    assert isinstance(outcome, Raised)
    assert outcome.site == 'thing.py refuse: raise ValueError("no")'


EXPIRING = '''"""A reference that refuses to be imported some weeks from now."""

import time

if time.time() > {end_s}:
    raise RuntimeError("the licence has expired")


def double(text: str) -> str:
    """The text twice."""
    return text + text
'''


def test_a_reference_that_cannot_be_imported_under_another_clock_is_at_fault(make_target: Any) -> None:
    source = EXPIRING.format(end_s=time.time() + 86_400)
    target = make_target(source, ["thing.double"], is_reference=True)
    with pytest.raises(ReferenceFaultError, match="cannot be asked about thing.double under clock 1 of 3: .* expired"):
        probe_build.build(target, 0)
