"""The baseline's public names in the branch: still defined, moved, renamed, emptied or gone."""

from __future__ import annotations

from collections import defaultdict
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
    fresh: Likeness


def compare_names(before: Code, after: Code) -> NameChanges | None:
    """What became of every public name of the baseline; None where the names of either state cannot be read.

    A name counts as defined where its own path leads to it, or its definition still stands where it stood, or moved to
    a place that is new in the branch; one that had a body and has none now does not. What other files defined under the
    same name before is no place that a name could have moved to.
    """
    if before.names is None or after.names is None:
        return None
    whereabouts = _Whereabouts(before, after)
    sides = _Sides(
        before=before,
        after=after,
        offered={name.name: name for name in after.names},
        fresh=Likeness(_fresh(before, after)),
    )
    lost: list[NameChange] = []
    incompatible: list[NameChange] = []
    moved: list[str] = []
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
        elif whereabouts.has(name):
            moved.append(name.name)
        else:
            lost.append(_missing(name, sides, lost))
    return NameChanges(
        expected=len(before.names),
        defined=len(before.names) - len(lost),
        lost=tuple(lost),
        incompatible=tuple(incompatible),
        moved=len(moved),
        moved_names=tuple(moved),
    )


class _Whereabouts:
    """Where definitions of production code went: a vanished one to a place that the baseline does not have."""

    def __init__(self, before: Code, after: Code) -> None:
        self.before = before
        production = frozenset(after.production)
        self.judged = frozenset(before.production)
        old = {(d.path, d.qualname): d for d in before.definitions if d.path in self.judged}
        new = {(d.path, d.qualname): d for d in after.definitions if d.path in production}
        vanished: dict[str, list[Definition]] = defaultdict(list)
        fresh: dict[str, list[Definition]] = defaultdict(list)
        for place in old.keys() - new.keys():
            vanished[place[1]].append(old[place])
        for place in new.keys() - old.keys():
            fresh[place[1]].append(new[place])
        self.standing = old.keys() & new.keys()
        self.moved = {
            (d.path, d.qualname) for name, gone in vanished.items() for d in _rehomed(gone, fresh.get(name, []))
        }
        self.fresh = {name for name, several in fresh.items() if several}
        origins = {name.origin for name in before.names or ()}
        self.origins = {name.origin for name in after.names or ()}
        self.fresh |= {name.qualname for name in after.names or () if name.origin not in origins}

    def has(self, name: Name) -> bool:
        """Whether a name of the baseline is defined in the branch, whatever path leads to it now."""
        if name.origin in self.origins:
            return True
        definition = _definition(name, self.before)
        if definition is None or definition.path not in self.judged:  # such as tests that a package holds
            return name.qualname in self.fresh
        place = (definition.path, definition.qualname)
        return place in self.standing or place in self.moved


def _rehomed(gone: Sequence[Definition], fresh: Sequence[Definition]) -> list[Definition]:
    """Which of the definitions of one qualified name that are gone have a new place; several may go to one like them.

    Where there are fewer places than definitions, those that are most alike to a place have it.
    """
    if len(gone) <= len(fresh):
        return list(gone)
    bodies = {d.body for d in fresh}
    found = [d for d in gone if d.body in bodies]
    taken = {d.body for d in found}
    free = [d for d in fresh if d.body not in taken]
    pairs = [
        (likeness, one.path, other.path)
        for one in gone
        if one not in found
        for likeness, other in Likeness(free).to(one)
    ]
    homes: dict[str, str] = {}
    for _, path, home in sorted(pairs, reverse=True):
        if path not in homes and home not in homes.values():
            homes[path] = home
    return [*found, *(d for d in gone if d.path in homes)]


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
        reason=f"{found.path} has {found.qualname}, which is {share:.0%} alike",
        to=found.qualname,
        similarity=share,
    )


def _definition(name: Name, code: Code) -> Definition | None:
    module = name.origin.partition(":")[0].replace(".", "/")
    candidates = [d for d in code.definitions if d.qualname == name.qualname]
    exact = [d for d in candidates if _module_path(d).endswith(f"/{module}")]
    return next(iter(exact or candidates), None)


def _module_path(definition: Definition) -> str:
    """`/src/pkg/a` for `src/pkg/a.py`, `/src/pkg` for its `__init__.py`: parts are compared whole."""
    return "/" + definition.path.removesuffix(".py").removesuffix("/__init__")


def _fresh(before: Code, after: Code) -> Iterable[Definition]:
    """What the branch defines under names that the baseline does not have."""
    known = {d.qualname for d in before.definitions}
    production = frozenset(after.production)
    return (d for d in after.definitions if d.qualname not in known and d.path in production)
