"""Whether somebody who knows nothing of what is expected could satisfy a test by sending guesses as observations.

For every recorded operand stock values and the literals that the derived suite still shows are substituted. A test is
protected when at least one of its moved assertions is satisfied by none of them.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from qualityscore.judging.lowered import Lowered
from qualityscore.judging.predicates import evaluate

STOCK = (
    *("None", "True", "False", "0", "1", "-1", "0.0", "1.0", "''", "b''", "()", "[]", "{}"),
    *("builtins__set()", "builtins__frozenset()", "[None]", "[0]", "['']", "(None,)", "{'': None}"),
    *("'None'", "'True'", "'False'", "' '", "'0'", "'1'", "'a'", "math__nan", "math__inf"),
)
_EXCEPTIONS = tuple(
    sorted(
        f"{kind.__module__}.{kind.__qualname__}"
        for kind in vars(builtins).values()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """One test as somebody inside sees it: its moved assertions, and the texts of the literals in view."""

    lowered: tuple[Lowered, ...]
    inputs: tuple[str, ...]
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resistance:
    """`guessed` holds, per assertion that a guess satisfies, that guess."""

    protected: bool
    guessed: Mapping[str, str]


def resist(tests: Sequence[Exposed]) -> tuple[Resistance, ...]:
    """Try to guess every test. A test without moved assertions is unprotected. Raises ToolError as `evaluate` does."""
    documents = [
        {
            "assertions": [asdict(item) for item in test.lowered],
            "guesses": list(dict.fromkeys([*STOCK, *test.inputs])),
            "exceptions": _EXCEPTIONS,
            "arguments": dict(test.arguments),
        }
        for test in tests
    ]
    results = []
    for answer in evaluate("guess", documents):
        guessed = {key: guess for key, guess in answer or [] if guess is not None}
        protected = answer is not None and any(guess is None for _, guess in answer)
        results.append(Resistance(protected=protected, guessed=guessed))
    return tuple(results)
