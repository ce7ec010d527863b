"""Which of the steady candidates become probes: spread over classes of input and outcomes, with some that tell values.

Pure; kinds play no part, so a review never changes which inputs are frozen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from qualityscore.inside.decode import is_trivial
from qualityscore.suites.manifest import Raised, Returned
from qualityscore.suites.observed import GaveValue, Seen
from qualityscore.suites.probe_candidates import (
    AS_CALLED,
    AS_READ,
    CALLED,
    DECORATING,
    ODD_SEQUENCE,
    SEQUENCE,
    STATE_AFTER,
    WORKED,
    WRITTEN,
    Candidate,
    Role,
)

_VALUES_WANTED = 6
_ALIKE = 4  # misfits of one entry that raise at one place
_DIRECT = (AS_CALLED, AS_READ, WORKED, WRITTEN, STATE_AFTER, SEQUENCE, ODD_SEQUENCE, CALLED, DECORATING)
_ROLES: tuple[Role, ...] = ("ordinary", "leading", "misfit")
_OPAQUE = {"object", "class", "function", "module", "exception", "cycle", "cut"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A candidate with what the reference does; `telling` values can be evidence of credibility."""

    candidate: Candidate
    outcome: Returned | Raised
    telling: bool


def tells(seen: Seen) -> bool:
    """Whether a value says enough to be evidence: not trivial, no echo of an argument, no row of one and the same."""
    if not isinstance(seen, GaveValue) or seen.large or seen.echo or is_trivial(seen.value):
        return False
    leaves = list(_leaves(seen.value))
    if not isinstance(seen.value, dict):
        return True
    if any(isinstance(leaf, dict) and leaf.keys() & _OPAQUE for leaf in leaves):
        return False
    return any(not is_trivial(leaf) for leaf in leaves) and not (len(leaves) > 1 and len(set(map(repr, leaves))) == 1)


def _leaves(data: object) -> Iterator[object]:
    if isinstance(data, dict):
        tag, body = next(iter(data.items()), ("", None))
        if tag == "as":
            yield from _leaves(data["v"])
        elif tag in ("list", "tuple", "set", "frozenset") and isinstance(body, list):
            for item in body:
                yield from _leaves(item)
        elif tag == "dict" and isinstance(body, list):
            for pair in body:
                yield from _leaves(pair[0])
                yield from _leaves(pair[1])
        else:
            yield data
    else:
        yield data


def select(found: list[Chosen], most: int) -> list[Chosen]:
    """At most `most`, spread over classes of input and outcomes.

    First some whose values differ and tell something, then what the suite calls and what comes of it, misfits, and
    other required arguments (a quarter each), and other optional arguments for the rest.
    """
    found = _worth_running(found)
    picked: dict[int, None] = {}
    values: set[str] = set()
    direct = [i for i, c in enumerate(found) if c.candidate.inputs in _DIRECT]
    for index in [*direct, *range(len(found))]:
        outcome = found[index].outcome
        if len(values) >= _VALUES_WANTED:
            break
        if found[index].telling and isinstance(outcome, Returned) and outcome.digest not in values:
            values.add(outcome.digest)
            picked[index] = None
    rest = [i for i in range(len(found)) if i not in set(direct)]
    ordinary, leading, misfit = ([i for i in rest if found[i].candidate.role == role] for role in _ROLES)
    quarter = most // 4
    for group, share in (
        *((direct, quarter), (misfit, quarter), (leading, quarter)),
        *((ordinary, most), (leading, most), (direct, most), (misfit, most)),
    ):
        room = min(share - sum(index in picked for index in group), most - len(picked))
        for index in [i for i in _spread(found, group) if i not in picked][: max(room, 0)]:
            picked[index] = None
    return [found[index] for index in sorted(picked)]


def _worth_running(found: list[Chosen]) -> list[Chosen]:
    """Without results put to use that only give objects, and without the fifth misfit that raises at one place."""
    alike: Counter[str] = Counter()
    kept = []
    for chosen in found:
        outcome = chosen.outcome
        if isinstance(outcome, Returned) and chosen.candidate.inputs.startswith(CALLED):
            leaves = list(_leaves(outcome.value))
            if all(isinstance(leaf, dict) and leaf.keys() & _OPAQUE for leaf in leaves):
                continue
        if chosen.candidate.role == "misfit" and isinstance(outcome, Raised):
            alike[outcome.site] += 1
            if alike[outcome.site] > _ALIKE:
                continue
        kept.append(chosen)
    return kept


def _spread(found: list[Chosen], group: list[int]) -> list[int]:
    """The group's members in an order that takes one of each parameter in turn, and of each of its classes of input in
    turn; new outcomes of a parameter come first."""
    by_parameter: dict[str, dict[str, list[tuple[bool, int]]]] = defaultdict(lambda: defaultdict(list))
    seen: set[tuple[str, str]] = set()
    for index in group:
        outcome, inputs = found[index].outcome, found[index].candidate.inputs
        parameter = inputs.partition(":")[0]
        mark = (parameter, outcome.digest if isinstance(outcome, Returned) else outcome.site)
        by_parameter[parameter][inputs].append((mark in seen, index))
        seen.add(mark)
    queues = [_in_turn([sorted(members) for members in classes.values()]) for classes in by_parameter.values()]
    return [index for _, index in _in_turn(queues)]


def _in_turn(queues: list[list[tuple[bool, int]]]) -> list[tuple[bool, int]]:
    """First the first of each queue, then the second of each, and so on."""
    order = []
    for turn in range(max(map(len, queues), default=0)):
        order += sorted(queue[turn] for queue in queues if turn < len(queue))
    return order
