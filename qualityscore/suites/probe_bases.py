"""Which calls of an entry the reference answers steadily: its sensible call, and others to change arguments of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from qualityscore.inside.decode import is_trivial
from qualityscore.suites.observed import GaveValue, Seen
from qualityscore.suites.probe_candidates import Form, Shape, as_call
from qualityscore.suites.probe_replay import EntryRecord, Step
from qualityscore.suites.survival import hard_fault, outcome_key

_OTHERS = 2

Steps = tuple[Step, ...]
Ask = Callable[[Mapping[str, Steps]], Sequence[Mapping[str, EntryRecord]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The sensible call of an entry, what it gives, and whole calls of other shapes.

    `gives_items`: an object without plain content whose items, read as a list, say something.
    """

    form: Form
    gives_function: bool
    gives_items: bool = False
    others: tuple[Form, ...] = ()


def alone(ask: Ask, choices: Mapping[str, Sequence[Form]]) -> dict[str, Base]:
    """Per entry the first choice that returns the same in all runs, rather one whose value is not trivial.

    `ask` runs steps per entry on the reference under each hash seed and clock.
    """
    return {
        name: Base(form=_likeliest(found)[0], gives_function=_is_function(_likeliest(found)[1]))
        for name, found in _steady(ask, choices).items()
    }


def with_others(
    ask: Ask, choices: Mapping[str, Sequence[Form]], whole: Mapping[str, Sequence[Form]]
) -> dict[str, Base]:
    """The same among `choices` and then `whole` calls; of the latter, some of other shapes are bases as well."""
    every = {name: list(dict.fromkeys([*forms, *whole[name]])) for name, forms in choices.items()}
    found = {}
    for name, steady in _steady(ask, every).items():
        form, seen = _likeliest(steady)
        others: dict[Shape, Form] = {}
        for other, _ in steady:
            if other in whole[name] and other.shape() != form.shape():
                others.setdefault(other.shape(), other)
        found[name] = Base(form=form, gives_function=_is_function(seen), others=tuple(others.values())[:_OTHERS])
    return found


def read(ask: Ask, bases: Mapping[str, Base]) -> dict[str, Base]:
    """The same bases, with whether the result of each can be read as a list of something."""
    choices = {
        name: [base.form.read()] for name, base in bases.items() if base.form.is_bare and not base.gives_function
    }
    items = {name for name, found in _steady(ask, choices).items() if not _is_trivial(found[0][1])}
    plain = _steady(ask, {name: [bases[name].form] for name in items})
    return {
        name: replace(base, gives_items=name in items and _is_opaque(plain[name][0][1])) for name, base in bases.items()
    }


def _steady(ask: Ask, choices: Mapping[str, Sequence[Form]]) -> dict[str, list[tuple[Form, Seen]]]:
    """The choices that return the same in all runs and leave no effects, with what they gave; no entry without any."""
    steps: dict[str, Steps] = {}
    for name, forms in choices.items():
        calls = [as_call(form) for form in forms]
        if calls:
            steps[name] = tuple((index, call.setup, call.call, []) for index, call in enumerate(calls))
    runs = ask(steps) if steps else []
    found: dict[str, list[tuple[Form, Seen]]] = {}
    for name in steps:
        records = [run[name] for run in runs]
        for index, form in enumerate(choices[name]):
            seen = [record.seen[index] for record in records]
            if not all(isinstance(s, GaveValue) and hard_fault(None, s) is None for s in seen):
                continue
            if len({outcome_key(s) for s in seen}) == 1 and not any(record.effects.get(index) for record in records):
                found.setdefault(name, []).append((form, seen[0]))
    return found


def _likeliest(steady: Sequence[tuple[Form, Seen]]) -> tuple[Form, Seen]:
    return next((pair for pair in steady if not _is_trivial(pair[1])), steady[0])


def _is_trivial(seen: Seen) -> bool:
    return not isinstance(seen, GaveValue) or (not seen.large and is_trivial(seen.value))


def _is_opaque(seen: Seen) -> bool:
    return isinstance(seen, GaveValue) and isinstance(seen.value, dict) and "object" in seen.value


def _is_function(seen: Seen) -> bool:
    return isinstance(seen, GaveValue) and isinstance(seen.value, dict) and "function" in seen.value
