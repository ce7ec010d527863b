"""Public names as data, and what can be asked of them: a proposal, a difference, a misfit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qualityscore.analysers.signature import Signature, incompatibility, parse
from qualityscore.model.task import Surface, SurfaceEntry

EntryKind = Literal["function", "class", "method", "constant", "exception"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicName:
    """One public name.

    `signature` is what a caller through the module or an instance's class sees (`self` included for methods, a class's
    is its constructor's without `self`); None where there is none or where a decorator may have replaced it.
    `stub` says why it is a stub, None where it is not. `origin` is where it is defined, as module and qualified name.
    """

    name: str
    kind: EntryKind
    signature: Signature | None
    documented: bool
    summary: str
    stub: str | None
    conditional: bool
    origin: str
    path: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicSurface:
    """The public names of some import names. `unknown` are public names that lead out of the repository or are made at
    run time, with the reason; `missing_modules` the import names that the repository lacks."""

    names: tuple[PublicName, ...]
    unknown: tuple[tuple[str, str], ...] = ()
    missing_modules: tuple[str, ...] = ()

    def by_name(self) -> dict[str, PublicName]:
        """The names for look-up."""
        return {entry.name: entry for entry in self.names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference of a surface from another: missing, extra or incompatible, with the reason."""

    name: str
    kind: Literal["missing", "extra", "incompatible"]
    reason: str
    entry: PublicName | None = None


def propose(surface: PublicSurface) -> Surface:
    """A `surface.json` for a person to trim: what is bodiless in the reference is marked so."""
    return Surface(
        entries=[
            SurfaceEntry(
                name=entry.name,
                kind=entry.kind,
                signature=str(entry.signature.plain()) if entry.signature is not None else None,
                bodiless=entry.kind == "exception" or entry.stub is not None,
                summary=entry.summary,
            )
            for entry in surface.names
        ]
    )


def difference(reference: Surface, subject: PublicSurface) -> tuple[Difference, ...]:
    """What the subject lacks, what it offers beyond the reference, and what cannot be called like the reference's."""
    offered = subject.by_name()
    unknown = dict(subject.unknown)
    wanted = {entry.name: entry for entry in reference.entries}
    found: list[Difference] = []
    for name, entry in sorted(wanted.items()):
        if name in offered:
            reason = misfit_of(entry, offered[name])
            if reason is not None:
                found.append(Difference(name=name, kind="incompatible", reason=reason, entry=offered[name]))
        elif name not in unknown:
            found.append(Difference(name=name, kind="missing", reason="the subject does not define it"))
    found.extend(
        Difference(name=name, kind="extra", reason="the reference does not have it", entry=entry)
        for name, entry in sorted(offered.items())
        if name not in wanted
    )
    return tuple(found)


def misfit_of(entry: SurfaceEntry, offered: PublicName) -> str | None:
    """Why what the subject offers under a name cannot stand for the reference's entry, or None."""
    if entry.kind in ("class", "exception") and offered.kind in ("method", "constant"):
        return f"is a {offered.kind} instead of {_article(entry.kind)}"
    if entry.kind == "exception" and offered.kind in ("class", "function"):
        return f"is {_article(offered.kind)} instead of an exception"
    if entry.signature is None or offered.signature is None:
        return None
    try:
        wanted = parse(entry.signature)
    except ValueError as error:
        return f"cannot be compared: {error}"
    special = entry.name.rpartition(".")[2].startswith("__")
    return incompatibility(wanted.without_receiver(), offered.signature.without_receiver(), names_matter=not special)


def _article(kind: str) -> str:
    return f"an {kind}" if kind == "exception" else f"a {kind}"
