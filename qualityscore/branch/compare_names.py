"""The baseline's public names in the branch: still defined, moved, renamed, emptied or gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from qualityscore.analysers.public import PublicName, misfit_of
from qualityscore.analysers.signature import parse
from qualityscore.branch.definitions import Definition, Likeness
from qualityscore.branch.state import Code, Name
from qualityscore.model.branch import NameChange, NameChanges
from qualityscore.model.task import SurfaceEntry

ALIKE = 0.6
"""How alike two bodies must be for one to be called the other under a new name (Jaccard's index of their 3-grams)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    before: Code
    after: Code
    offered: dict[str, Name]
    elsewhere: frozenset[str]
    fresh: Likeness


def compare_names(before: Code, after: Code) -> NameChanges | None:
    """What became of every public name of the baseline; None where the names of either state cannot be read.

    A name counts as defined where its own path leads to it, or anything in production code has the same qualified
    name; one that had a body and has none now does not.
    """
    if before.names is None or after.names is None:
        return None
    production = frozenset(after.production)
    sides = _Sides(
        before=before,
        after=after,
        offered={name.name: name for name in after.names},
        elsewhere=frozenset(d.qualname for d in after.definitions if d.path in production)
        | {name.qualname for name in after.names},
        fresh=Likeness(_fresh(before, after)),
    )
    lost: list[NameChange] = []
    incompatible: list[NameChange] = []
    moved = 0
    for name in before.names:
        offered = sides.offered.get(name.name)
        if offered is not None:
            change = _emptied(name, offered)
            if change is not None:
                lost.append(change)
            elif (reason := _misfit(name, offered)) is not None:
                incompatible.append(NameChange(name=name.name, state="incompatible", reason=reason))
        elif name.name in after.unknown or _is_dynamic(name, after.unknown):
            continue
        elif name.qualname in sides.elsewhere:
            moved += 1
        else:
            lost.append(_missing(name, sides, lost))
    return NameChanges(
        expected=len(before.names),
        defined=len(before.names) - len(lost),
        lost=tuple(lost),
        incompatible=tuple(incompatible),
        moved=moved,
    )


def _is_dynamic(name: Name, unknown: Iterable[str]) -> bool:
    """Whether the name lies in something whose content nobody can read."""
    return any(name.name.startswith(f"{other}.") for other in unknown)


def _emptied(name: Name, offered: Name) -> NameChange | None:
    if offered.stub and not name.stub and name.kind in ("function", "method", "class"):
        return NameChange(name=name.name, state="emptied", reason="it had a body, and has none now")
    return None


def _misfit(name: Name, offered: Name) -> str | None:
    kind: Literal["function", "class", "method", "constant", "exception"]
    kind = name.kind  # type: ignore[assignment]
    entry = SurfaceEntry(name=name.name, kind=kind, signature=name.signature)
    try:
        signature = parse(offered.signature) if offered.signature is not None else None
    except ValueError:
        return None
    public = PublicName(
        name=offered.name,
        kind=offered.kind,  # type: ignore[arg-type]
        signature=signature,
        documented=False,
        summary="",
        stub=None,
        conditional=False,
        origin=offered.origin,
        path="",
        line=1,
        column=1,
    )
    return misfit_of(entry, public)


def _missing(name: Name, sides: _Sides, lost: Sequence[NameChange]) -> NameChange:
    owner = name.name.rpartition(".")[0]
    renamed_owner = next((c for c in lost if c.name == owner and c.state == "renamed"), None)
    if renamed_owner is not None:
        return NameChange(
            name=name.name,
            state="renamed",
            reason=f"its class is called {renamed_owner.to} now",
            to=f"{renamed_owner.to}.{name.name.rpartition('.')[2]}",
            similarity=renamed_owner.similarity,
        )
    old = _definition(name, sides.before)
    best: tuple[float, Definition] | None = None
    for likeness, candidate in sides.fresh.to(old) if old is not None else ():
        if old is None or candidate.kind != old.kind:
            continue
        alike = 1.0 if candidate.body == old.body else likeness
        if candidate.kind == "function" and candidate.signature == old.signature:
            alike = min(1.0, alike + 0.1)
        if candidate.kind == "constant" and candidate.body != old.body:
            continue
        if best is None or alike > best[0]:
            best = (alike, candidate)
    if best is None or best[0] < ALIKE:
        return NameChange(name=name.name, state="missing", reason="nothing defines it any more")
    share, found = best
    return NameChange(
        name=name.name,
        state="renamed",
        reason=f"{found.path} has {found.qualname}, which is alike to {share:.0%}",
        to=found.qualname,
        similarity=share,
    )


def _definition(name: Name, code: Code) -> Definition | None:
    module = name.origin.partition(":")[0].replace(".", "/")
    candidates = [d for d in code.definitions if d.qualname == name.qualname]
    exact = [d for d in candidates if d.path.removesuffix(".py").removesuffix("/__init__").endswith(module)]
    return next(iter(exact or candidates), None)


def _fresh(before: Code, after: Code) -> Iterable[Definition]:
    """What the branch defines under names that the baseline does not have."""
    known = {d.qualname for d in before.definitions}
    production = frozenset(after.production)
    return (d for d in after.definitions if d.qualname not in known and d.path in production)
