"""What of a lock's packages the tests need here: from what is required along the dependencies that the lock records."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

_HASH = re.compile(r"sha(256|384|512):[0-9a-f]{64,128}")
_MOST_STARTS = 100


class LockRefusedError(Exception):
    """A lock that cannot be used; the message is the reason, without the name of the lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One package of a lock. `name` is normalised.

    `extras` are those that the entry adds to another of the same name. `wanted_here` is what its own marker says of
    this interpreter, `runs_here` what its range of Python versions says. `direct` is where it comes from when that is
    no index. `wheels` is None where the lock does not name its files.
    """

    name: str
    version: Version
    needs: tuple[Requirement, ...] = ()
    hashes: tuple[str, ...] = ()
    extras: frozenset[str] = frozenset()
    wanted_here: bool = True
    runs_here: bool = True
    direct: str | None = None
    wheels: bool | None = None


class _Conflict(Exception):
    """A requirement that the release chosen so far does not meet, and another one might."""

    def __init__(self, requirement: Requirement) -> None:
        super().__init__(str(requirement))
        self.requirement = requirement


@dataclass(slots=True, kw_only=True)
class _Walk:
    """One walk; `narrowed` is what earlier ones learnt of the versions that will be asked for."""

    entries: dict[str, list[Entry]]
    narrowed: dict[str, SpecifierSet]
    chosen: dict[str, Version] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def choose(self, requirement: Requirement, *, is_root: bool) -> Version | None:
        """The release of the lock that answers a requirement; None where the lock has none for this interpreter."""
        name = canonicalize_name(requirement.name)
        found = self.entries.get(name)
        if found is None:
            if is_root:
                raise LockRefusedError(f"it does not hold {name!r}, which the project requires")
            return None
        wanted = [entry for entry in found if entry.wanted_here]
        if not wanted:
            return None
        here = {entry.version for entry in wanted if entry.runs_here}
        if not here:
            raise LockRefusedError(f"it holds no release of {name!r} for this version of Python")
        fitting = {version for version in here if requirement.specifier.contains(version, prereleases=True)}
        if name in self.chosen:
            if self.chosen[name] in fitting:
                return self.chosen[name]
            if fitting:
                raise _Conflict(requirement)
        elif fitting:
            range_ = self.narrowed.get(name, SpecifierSet())
            narrow = {version for version in fitting if range_.contains(version, prereleases=True)}
            if not narrow:
                held = " and ".join(map(str, sorted(here)))
                raise LockRefusedError(f"it holds {name!r} as {held}, and no one of them meets all that asks for it")
            self.chosen[name] = max(narrow)
            return self.chosen[name]
        if is_root:
            held = " and ".join(map(str, sorted(here)))
            raise LockRefusedError(f"it holds {name!r} as {held}, and the project requires {requirement.specifier}")
        return self.chosen.setdefault(name, max(here))  # the lock overrules what its packages say of each other

    def follow(self, roots: Iterable[Requirement], own: str) -> None:
        """Choose a release for all that is required, breadth first, and for pytest where the lock has it."""
        pending = deque((root, True) for root in roots)
        pending.append((Requirement("pytest"), False))
        while pending:
            requirement, is_root = pending.popleft()
            name = canonicalize_name(requirement.name)
            version = None if name == own else self.choose(requirement, is_root=is_root)
            if version is None:
                continue
            for extra in ("", *sorted(requirement.extras)):
                if (name, extra) not in self.seen:
                    self.seen.add((name, extra))
                    pending += ((need, False) for need in self.needs(name, version, extra))

    def needs(self, name: str, version: Version, extra: str) -> Iterable[Requirement]:
        """What one release needs here, or needs for an extra."""
        for entry in self.entries[name]:
            if entry.version != version or (entry.extras and canonicalize_name(extra) not in entry.extras):
                continue
            yield from (need for need in entry.needs if applies(need.marker, (extra,)))


def walk(entries: Sequence[Entry], roots: Sequence[Requirement], own: str) -> tuple[str, ...]:
    """The pins of pytest and of all that `roots` lead to, by name. `own` is the normalised name of the project itself.

    Where a lock holds several releases of a name, those that apply to this interpreter and meet what asks for them
    are left, and the latest of them counts. Raises LockRefusedError.
    """
    by_name: dict[str, list[Entry]] = {}
    for entry in entries:
        by_name.setdefault(entry.name, []).append(entry)
    narrowed: dict[str, SpecifierSet] = {}
    for _ in range(_MOST_STARTS):
        walked = _Walk(entries=by_name, narrowed=narrowed)
        try:
            walked.follow(roots, own)
        except _Conflict as conflict:
            name = canonicalize_name(conflict.requirement.name)
            narrowed[name] = narrowed.get(name, SpecifierSet()) & conflict.requirement.specifier
        else:
            return tuple(_pin_of(by_name[name], version) for name, version in sorted(walked.chosen.items()))
    raise LockRefusedError("its packages ask for each other in too many ways")


def _pin_of(entries: Sequence[Entry], version: Version) -> str:
    """The requirement of one release. Raises LockRefusedError where no index has it, or no wheel."""
    same = [entry for entry in entries if entry.version == version and entry.wanted_here]
    direct = next((entry.direct for entry in same if entry.direct is not None), None)
    if direct is not None:
        raise elsewhere(same[0].name, direct)
    if any(entry.wheels is False for entry in same) and not any(entry.wheels for entry in same):
        raise source_only(same[0].name, str(version))
    return pin(same[0].name, str(version), (hash_ for entry in same for hash_ in entry.hashes))


def pin(name: str, version: str, hashes: Iterable[str]) -> str:
    """A release as a line of requirements.

    Raises LockRefusedError without a hash, ValueError for what is no name or no version.
    """
    good = sorted({hash_ for hash_ in hashes if _HASH.fullmatch(hash_)})
    if not good:
        raise LockRefusedError(f"it holds no sha256 of {name!r}")
    words = (f"{canonicalize_name(name, validate=True)}=={Version(version)}", *(f"--hash={hash_}" for hash_ in good))
    return " ".join(words)


def applies(marker: Marker | None, extras: Iterable[str] = ("",)) -> bool:
    """Whether a marker holds for this interpreter, with one of some extras. Raises ValueError for what is unknown."""
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)


def elsewhere(name: str, place: str) -> LockRefusedError:
    """The refusal of what no index has."""
    return LockRefusedError(f"it takes {name!r} from {place}, and only releases of a package index are installed")


def source_only(name: str, version: str) -> LockRefusedError:
    """The refusal of what would have to be built."""
    return LockRefusedError(f"it pins {name!r} {version} as a source release alone, and only wheels are installed")
