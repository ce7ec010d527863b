"""Review: which accepted inputs and which raise sites documentation or requirement settle, decided once each.

`probes/<task>/review.toml` holds the decisions, one line each with its reason. Patterns are those of fnmatch. What is
undecided is hostile.

    accept = [
      { entry = "pkg.f", inputs = "text: accented text", reason = "the requirement says: any text" },
    ]
    guard = [
      { site = "pkg/mod.py f: raise ValueError('...')", reason = "documented under Errors" },
    ]
    hostile = [
      { entry = "*", inputs = "text: lone surrogate", reason = "nothing says what becomes of surrogates" },
    ]
    leave_out = [
      { entry = "pkg.method_of", inputs = "its result, called*", reason = "it has a meaning inside a class only" },
    ]
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from qualityscore.errors import TaskError
from qualityscore.model.foreign import first_problem, read_toml
from qualityscore.suites.manifest import Kind, Manifest, Raised, Returned
from qualityscore.suites.probe_candidates import AS_CALLED, AS_READ, STATE_AFTER, WORKED, WRITTEN
from qualityscore.suites.probe_inputs import is_misfit

FILE_NAME = "review.toml"
_SHOWN = (AS_CALLED, AS_READ, STATE_AFTER, WORKED, WRITTEN)  # what the suite, or who wrote the examples, does
CALLBACK_SITE = "a callback of the probe"

_Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Accept(_Strict):
    """Inputs that documentation or requirement accept: where the reference returns, the probe is valid."""

    entry: _Text
    inputs: _Text
    reason: _Text


class Guard(_Strict):
    """A raise site that documentation or requirement demand: where the reference raises there, the probe is guarded."""

    site: _Text
    reason: _Text
    entry: _Text = "*"
    inputs: _Text = "*"


class Review(_Strict):
    """All decisions of a task. `hostile` excepts from `accept`, and from what is so without a decision, what that would
    take too much. What `leave_out` names is no probe: implementations that follow the requirement may part there."""

    accept: list[Accept] = []
    guard: list[Guard] = []
    hostile: list[Accept] = []
    leave_out: list[Accept] = []

    def leaves_out(self, entry: str, inputs: str) -> bool:
        """Whether inputs of an entry are never to become a probe."""
        return any(_fits(decision, entry, inputs) for decision in self.leave_out)

    def kind(self, entry: str, inputs: str, outcome: Returned | Raised) -> Kind:
        """The kind of a probe. What the functional suite itself calls is accepted, and so are worked examples; a
        callback's exception passes through. Everything undecided is hostile."""
        excepted = any(_fits(d, entry, inputs) for d in self.hostile)
        if isinstance(outcome, Returned):
            decided = inputs in _SHOWN or any(_fits(d, entry, inputs) for d in self.accept)
            return "valid" if decided and not excepted else "hostile"
        if outcome.site == CALLBACK_SITE:
            return "hostile" if excepted else "guarded"
        decided = any(fnmatchcase(outcome.site, _literal(d.site)) and _fits(d, entry, inputs) for d in self.guard)
        return "guarded" if decided else "hostile"


def _fits(decision: Accept | Guard, entry: str, inputs: str) -> bool:
    return fnmatchcase(entry, decision.entry) and fnmatchcase(inputs, decision.inputs)


def _literal(pattern: str) -> str:
    """Source text holds brackets, which fnmatch would read as a set."""
    return pattern.replace("[", "[[]")


def load(probes_folder: Path) -> Review:
    """The review of a task; an empty one where there is no file. Raises TaskError on one that cannot be read."""
    file = probes_folder / FILE_NAME
    if not file.is_file():
        return Review()
    try:
        return Review.model_validate(read_toml(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TaskError(f"The review {file} cannot be read: {error}.") from error
    except ValidationError as error:
        raise TaskError(f"The review {file} is not valid: {first_problem(error)}.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Classes of accepted input of one parameter, or one raise site, with how often it occurs and an example."""

    what: str
    entries: tuple[str, ...]
    probes: int
    kinds: tuple[str, ...]
    example: str
    outcome: str


def questions(manifest: Manifest) -> tuple[Question, ...]:
    """What a reviewer decides on, each once: raise sites first, then accepted inputs.

    Accepted inputs are one question per parameter and kind, with all their classes. Where a misfit or a misbehaving
    object makes some operation of the code raise by itself is one question for all: nearly always nothing settles it.
    """
    groups: dict[tuple[int, str, str], list[_Member]] = defaultdict(list)
    for entry in manifest.entries:
        for probe in entry.probes:
            example = "; ".join([*probe.setup, probe.call])
            if isinstance(probe.outcome, Raised):
                key = (0, _site_shown(probe.outcome.site, probe.inputs), "")
                name, shown = "", f"raises {probe.outcome.type.rpartition('.')[2]}"
            else:
                parameter, _, name = probe.inputs.partition(": ")
                key, shown = (1, parameter, probe.kind), f"returns {probe.outcome.shown}"
                name = "any misfit" if is_misfit(name) else name
            groups[key].append(_Member(entry.name, probe.kind, name, example, shown))
    return tuple(_question(rank, text, members) for (rank, text, _), members in sorted(groups.items()))


class _Member(NamedTuple):
    entry: str
    kind: Kind
    name: str
    example: str
    shown: str


def _question(rank: int, text: str, members: list[_Member]) -> Question:
    shortest = min(members, key=lambda member: len(member.example))
    classes = ", ".join(sorted({member.name for member in members if member.name}))
    return Question(
        what=f"{'accepted input' if rank else 'raise site'}: {text}{f': {classes}' if classes else ''}",
        entries=tuple(dict.fromkeys(member.entry for member in members)),
        probes=len(members),
        kinds=tuple(sorted({member.kind for member in members})),
        example=shortest.example,
        outcome=shortest.shown,
    )


def _site_shown(site: str, inputs: str) -> str:
    _, separator, name = inputs.partition(": ")
    own = "raise" in site.partition(": ")[2].split(" ")[:1]
    return site if own or not (separator and is_misfit(name)) else "any operation that a misfit makes raise"


def listing(manifest: Manifest) -> str:
    """The questions as text, a few lines each."""
    lines = []
    for question in questions(manifest):
        names = ", ".join(question.entries[:4]) + (", ..." if len(question.entries) > 4 else "")
        lines += [
            f"{question.what}  [{'/'.join(question.kinds)}, {question.probes} probes]",
            f"    {names}",
            f"    {question.example[:160]}",
            f"    {question.outcome[:160]}",
        ]
    return "\n".join(lines) + "\n"
