"""What the reference says about its surface: parameters with their kinds of value, literals, and traced calls."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qualityscore.errors import ReferenceFaultError
from qualityscore.model.task import SurfaceEntry
from qualityscore.runtime.sandbox.base import SUBJECT_DIR, SUITE_DIR
from qualityscore.runtime.supervision import Event, Group, GroupEvent, GroupState, Plan, Unit, UnitEvent, supervise
from qualityscore.runtime.target import Target
from qualityscore.suites import probe_types
from qualityscore.suites.probe_replay import how_it_ended, why_failed

_TRACED_CALLS = 120
_DRAWN = 24
_UNIT_S = 240.0
_MEMORY = 2 << 30
_MESSAGE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an entry, without `self`. No `categories`: nothing says what it takes."""

    name: str
    how: str
    required: bool
    default: str | None
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCall:
    """A call that the functional suite made, as source text. A method's setup makes its instance as `subject`.

    A `worked` one is an example that a person wrote: `callee` is called, and `around` stands before and after the call;
    where the entry's call cannot be told from the rest, all of it is in `text`.
    """

    setup: tuple[str, ...]
    positional: tuple[tuple[str, str], ...]
    rest: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...]
    worked: bool = False
    callee: str = ""
    around: tuple[str, str] = ("", "")
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrySurvey:
    """What is known about one entry. `protocol` are the dunder methods of a class, `bases` its surface bases."""

    entry: SurfaceEntry
    parameters: tuple[Parameter, ...]
    literals: tuple[str, ...] = ()
    calls: tuple[TracedCall, ...] = ()
    is_class: bool = False
    protocol: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """All entries that can be called, drawn examples per kind of value, and what could not be learnt: (entry, why).

    `preparations` make an instance of a class as `subject`, as the suite did before it called a method.
    """

    entries: tuple[EntrySurvey, ...]
    drawn: dict[str, list[str]]
    preparations: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = field(default=())


def survey(target: Target, seed: int) -> tuple[Survey, Survey]:
    """Learn all this on the reference: from calls on objects whose class the suite itself calls, and from all calls.

    The second knows more: objects that functions and methods of the surface made, too.
    Raises ReferenceFaultError where the reference cannot be imported or asked.
    """
    found = _ask(target, seed)
    traced, further = found["trace"]["calls"], found["trace"]["further"]
    every = {name: calls + further[name] for name, calls in traced.items()}
    return _survey(target, found, traced), with_preparations(_survey(target, found, every))


def with_preparations(known: Survey) -> Survey:
    """The same, with the preparations that the calls of its methods show, the shortest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for entry in known.entries:
        if entry.entry.kind == "method":
            setups = [call.setup for call in entry.calls if call.setup]
            found.setdefault(entry.entry.name.rpartition(".")[0], []).extend(setups)
    return replace(known, preparations={name: tuple(sorted(set(s), key=_by_length)) for name, s in found.items()})


def _by_length(setup: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    return (len(setup), setup)


def _survey(target: Target, found: dict[str, Any], traced: dict[str, list[dict[str, Any]]]) -> Survey:
    described = found["describe"]
    entries, left_out = [], []
    for entry in target.task.surface.entries:
        about = described[entry.name]
        if about["missing"]:
            raise ReferenceFaultError(f"the reference of task {target.task.id} has no {entry.name}; check surface.json")
        if not about["callable"] or entry.bodiless:
            continue
        if about.get("parameters") is None and not traced[entry.name]:
            left_out.append((entry.name, "its signature cannot be read and the functional suite does not call it"))
            continue
        entries.append(_entry(target, entry, about, traced[entry.name]))
    return Survey(entries=tuple(entries), drawn=found["draw"], left_out=tuple(left_out))


def _ask(target: Target, seed: int) -> dict[str, Any]:
    paths = paths_inside(target)
    args = {
        "paths": paths,
        "imports": list(target.task.spec.surface.imports),
        "entries": [entry.name for entry in target.task.surface.entries],
    }
    tasks = {
        "describe": {"describe": True},
        "trace": {"trace": SUITE_DIR, "calls": _TRACED_CALLS},
        "draw": {"draw": seed, "examples": _DRAWN},
    }
    units = tuple(
        Unit(id=name, args=task, timeout_s=_UNIT_S, cpu_s=_UNIT_S, memory_bytes=_MEMORY) for name, task in tasks.items()
    )
    group = Group(id="survey", zygote="probe_survey", args=args, units=units)
    plan = Plan(groups=(group,), total_timeout_s=3 * _UNIT_S, message_bytes=_MESSAGE_BYTES)
    suite = target.task.folder / "suites" / "functional"
    found: dict[str, Any] = {}
    for event in supervise(target, plan, suite=suite if suite.is_dir() else None):
        found |= _answer(target, event)
    for name in tasks:
        if name not in found:
            raise ReferenceFaultError(f"the reference of task {target.task.id} could not be surveyed ({name})")
    return found


def _answer(target: Target, event: Event) -> dict[str, Any]:
    match event:
        case GroupEvent() if event.state is not GroupState.READY:
            raise ReferenceFaultError(f"the reference of task {target.task.id}: {why_failed(event)}")
        case UnitEvent():
            if not event.left_normally or not event.messages:
                ended = how_it_ended(event)
                raise ReferenceFaultError(
                    f"the survey of the reference ({event.unit}) ended early: {ended.how} {ended.detail} {event.output}"
                )
            return {event.unit: json.loads(event.messages[-1])}
        case _:
            return {}


def paths_inside(target: Target) -> list[str]:
    """The import roots of a tree as the sandbox sees them."""
    return [SUBJECT_DIR if folder == "." else f"{SUBJECT_DIR}/{folder}" for folder in target.tree.import_roots]


def _entry(target: Target, entry: SurfaceEntry, about: dict[str, Any], traced: list[dict[str, Any]]) -> EntrySurvey:
    stubs = _stub(target, about["module"])
    module = str(about["module"] or "")
    local = entry.name.removeprefix(module + ".") if entry.name.startswith(module + ".") else entry.name
    annotations = stubs.get(local) or stubs.get(entry.name.partition(".")[2]) or {}
    documented = probe_types.documented(about["doc"])
    parameters = []
    for number, raw in enumerate(about.get("parameters") or []):
        if number == 0 and raw["name"] in ("self", "cls") and entry.kind == "method":
            continue
        kinds = [call["types"][raw["name"]] for call in traced if raw["name"] in call["types"]]
        found = (
            probe_types.of_text(annotations.get(raw["name"], ""))
            + probe_types.of_text(raw["annotation"])
            + probe_types.of_text(documented.get(raw["name"], ""))
            + probe_types.of_default(raw["default_type"], is_callable=raw["default_callable"])
            + probe_types.of_traced(kinds)
        )
        parameters.append(
            Parameter(
                name=raw["name"],
                how=raw["how"],
                required=raw["required"] and raw["how"] not in ("VAR_POSITIONAL", "VAR_KEYWORD"),
                default=raw["default"],
                categories=tuple(dict.fromkeys(found)),
            )
        )
    if any(p.how == "VAR_KEYWORD" for p in parameters):
        parameters += _hidden(entry, {p.name for p in parameters}, traced)
    calls = [call for call in traced if call["arguments"] is not None]
    return EntrySurvey(
        entry=entry,
        parameters=tuple(parameters),
        literals=tuple(about.get("literals") or ()),
        calls=tuple(_call(call) for call in calls),
        is_class=about["is_class"],
        protocol=tuple(about.get("methods") or ()),
        bases=tuple(about.get("bases") or ()),
    )


def _hidden(entry: SurfaceEntry, known: set[str], traced: list[dict[str, Any]]) -> list[Parameter]:
    """Parameters that the reviewed signature names and the code takes as **kwargs."""
    found = []
    for name, (default, categories) in probe_types.reviewed(entry.signature).items():
        if name not in known:
            kinds = [call["types"][name] for call in traced if name in call["types"]]
            both = tuple(dict.fromkeys(categories + probe_types.of_traced(kinds)))
            found.append(Parameter(name=name, how="KEYWORD_ONLY", required=False, default=default, categories=both))
    return found


def _call(raw: dict[str, Any]) -> TracedCall:
    arguments = raw["arguments"]
    return TracedCall(
        setup=tuple(raw["setup"]),
        positional=tuple((name, text) for name, text in arguments["positional"]),
        rest=tuple(arguments["rest"]),
        keywords=tuple((name, text) for name, text in arguments["keywords"]),
    )


def _stub(target: Target, module: str | None) -> dict[str, dict[str, str]]:
    """Annotations of the stub file beside a module of the reference, if there is one."""
    if not module:
        return {}
    inner = Path(*module.split("."))
    for folder in target.tree.import_roots:
        for name in (inner.with_suffix(".pyi"), inner / "__init__.pyi"):
            file = target.tree.root / folder / name
            if file.is_file():
                return probe_types.stub_annotations(file.read_text("utf-8", "replace"))
    return {}
