"""Signatures and calls as data: does this call fit, can this signature replace that one."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a parameter takes its argument; the words of `inspect`."""

    POSITIONAL = "positional"
    EITHER = "either"
    VAR_POSITIONAL = "var_positional"
    KEYWORD = "keyword"
    VAR_KEYWORD = "var_keyword"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter; `default` and `annotation` are source text."""

    name: str
    kind: Kind
    default: str | None = None
    annotation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShape:
    """The arguments of one call: how many by position, which by keyword, and whether some are unpacked."""

    positional: int
    keywords: tuple[str, ...] = ()
    star: bool = False
    double_star: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The parameters of a callable in order, `self` and `cls` included where the source has them."""

    parameters: tuple[Parameter, ...]
    returns: str | None = None

    def __str__(self) -> str:
        parts: list[str] = []
        previous: Kind | None = None
        for parameter in self.parameters:
            if previous is Kind.POSITIONAL and parameter.kind is not Kind.POSITIONAL:
                parts.append("/")
            if parameter.kind is Kind.KEYWORD and previous not in (Kind.VAR_POSITIONAL, Kind.KEYWORD):
                parts.append("*")
            parts.append(_parameter_text(parameter))
            previous = parameter.kind
        if previous is Kind.POSITIONAL:
            parts.append("/")
        return f"({', '.join(parts)})" + (f" -> {self.returns}" if self.returns else "")

    def bound(self) -> Signature:
        """Without the first positional parameter, as a call through an instance sees it."""
        first = next(iter(self.parameters), None)
        if first is None or first.kind not in (Kind.POSITIONAL, Kind.EITHER):
            return self
        return Signature(parameters=self.parameters[1:], returns=self.returns)

    def without_receiver(self) -> Signature:
        """Without a leading `self` or `cls`; unchanged where the first parameter has another name."""
        if self.parameters and self.parameters[0].name in ("self", "cls"):
            return self.bound()
        return self

    def plain(self) -> Signature:
        """Without annotations, as `surface.json` writes signatures."""
        bare = (Parameter(name=p.name, kind=p.kind, default=p.default) for p in self.parameters)
        return Signature(parameters=tuple(bare))

    def by_position(self) -> tuple[Parameter, ...]:
        """The parameters that take positional arguments one by one."""
        return tuple(p for p in self.parameters if p.kind in (Kind.POSITIONAL, Kind.EITHER))

    def by_keyword(self) -> tuple[Parameter, ...]:
        """The keyword-only parameters."""
        return tuple(p for p in self.parameters if p.kind is Kind.KEYWORD)

    def has(self, kind: Kind) -> bool:
        """Whether some parameter is of this kind."""
        return any(p.kind is kind for p in self.parameters)


def _parameter_text(parameter: Parameter) -> str:
    stars = {Kind.VAR_POSITIONAL: "*", Kind.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation is not None:
        text += f": {parameter.annotation}"
    if parameter.default is not None:
        text += f" = {parameter.default}" if parameter.annotation is not None else f"={parameter.default}"
    return text


def source_text(node: ast.expr) -> str:
    """The expression as normalised source on one line; `...` for what is too deep to print or long for a signature."""
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return "..."
    return text if len(text) <= 120 else "..."


def of_arguments(arguments: ast.arguments, returns: ast.expr | None = None) -> Signature:
    """The signature of a function's or lambda's arguments."""
    parameters: list[Parameter] = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    for index, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        kind = Kind.POSITIONAL if index < len(arguments.posonlyargs) else Kind.EITHER
        parameters.append(_parameter(argument, kind, default))
    if arguments.vararg:
        parameters.append(_parameter(arguments.vararg, Kind.VAR_POSITIONAL, None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(_parameter(argument, Kind.KEYWORD, default))
    if arguments.kwarg:
        parameters.append(_parameter(arguments.kwarg, Kind.VAR_KEYWORD, None))
    return Signature(parameters=tuple(parameters), returns=source_text(returns) if returns is not None else None)


def _parameter(argument: ast.arg, kind: Kind, default: ast.expr | None) -> Parameter:
    return Parameter(
        name=argument.arg,
        kind=kind,
        default=source_text(default) if default is not None else None,
        annotation=source_text(argument.annotation) if argument.annotation is not None else None,
    )


def parse(text: str) -> Signature:
    """Read `(a, b=1, *, c) -> d`. Raises ValueError on what is not a signature."""
    head, body = text.strip(), ": pass"
    try:
        tree = ast.parse(f"def f{head}{body}")
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text!r} is not a signature") from error
    function = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(function, ast.FunctionDef):
        raise ValueError(f"{text!r} is not a signature")
    return of_arguments(function.args, function.returns)


def shape_of(call: ast.Call) -> CallShape:
    """The shape of a call's arguments."""
    return CallShape(
        positional=sum(not isinstance(a, ast.Starred) for a in call.args),
        keywords=tuple(k.arg for k in call.keywords if k.arg is not None),
        star=any(isinstance(a, ast.Starred) for a in call.args),
        double_star=any(k.arg is None for k in call.keywords),
    )


def misfit(call: CallShape, signature: Signature) -> str | None:
    """Why the call cannot fit the signature (already bound), or None where it fits or may fit.

    What is unpacked with `*` or `**` may hold anything, so only arguments that are too many or unknown count then.
    """
    slots = signature.by_position()
    if call.positional > len(slots) and not signature.has(Kind.VAR_POSITIONAL):
        return f"takes {_count(len(slots), 'positional argument')} but {call.positional} are given"
    filled = {p.name for p in slots[: call.positional]}
    by_name = {p.name for p in slots if p.kind is Kind.EITHER} | {p.name for p in signature.by_keyword()}
    for keyword in call.keywords:
        if keyword in filled and keyword in by_name:
            return f"gets argument {keyword!r} twice"
        if keyword not in by_name and not signature.has(Kind.VAR_KEYWORD):
            return f"has no parameter {keyword!r}"
    if call.double_star:
        return None
    given = filled | (set(call.keywords) & by_name)
    needed = [*(() if call.star else slots), *signature.by_keyword()]
    lacking = [p.name for p in needed if p.default is None and p.name not in given]
    if lacking:
        return f"lacks {', '.join(repr(name) for name in lacking)}"
    return None


def incompatibility(required: Signature, offered: Signature, *, names_matter: bool = True) -> str | None:
    """Why some call that fits `required` does not fit `offered`, or None where all of them do.

    Left out are calls that give one parameter of `offered` by position and by name, which `required` takes apart in
    `*args` and `**kwargs`: nobody writes them, and an override that names what it takes out of both is common.
    Both are bound. With `names_matter` False positional parameters are never passed by keyword (special methods).
    """
    wanted, slots = required.by_position(), offered.by_position()
    var_positional, var_keyword = offered.has(Kind.VAR_POSITIONAL), offered.has(Kind.VAR_KEYWORD)
    names = {p.name for p in offered.parameters if p.kind in (Kind.EITHER, Kind.KEYWORD)}
    covered: set[str] = set()
    for index, parameter in enumerate(wanted):
        slot = slots[index] if index < len(slots) else None
        if slot is None:
            if not var_positional:
                return f"takes {_count(len(slots), 'positional argument')} instead of {len(wanted)}"
        else:
            covered.add(slot.name)
            if parameter.default is not None and slot.default is None:
                return f"parameter {slot.name!r} is required, {parameter.name!r} is optional"
        if not names_matter or parameter.kind is Kind.POSITIONAL:
            continue
        if slot is not None and slot.kind is Kind.EITHER and slot.name == parameter.name:
            continue
        if slot is not None:
            accepted = var_keyword and slot.default is not None
        else:
            accepted = var_keyword or parameter.name in names
        if not accepted:
            if slot is not None and slot.kind is Kind.EITHER:
                return f"parameter {index + 1} is called {slot.name!r} instead of {parameter.name!r}"
            return f"parameter {parameter.name!r} cannot be given by keyword"
    for parameter in required.by_keyword():
        other = next((p for p in offered.parameters if p.name == parameter.name), None)
        if other is None or other.kind not in (Kind.EITHER, Kind.KEYWORD):
            if not var_keyword:
                return f"has no keyword parameter {parameter.name!r}"
            continue
        covered.add(other.name)
        if other in slots[: len(wanted)] or (other in slots and required.has(Kind.VAR_POSITIONAL)):
            return f"parameter {other.name!r} may be taken by position already"
        if parameter.default is not None and other.default is None:
            return f"parameter {other.name!r} is required instead of optional"
    if required.has(Kind.VAR_POSITIONAL) and not var_positional:
        return "takes no further positional arguments"
    if required.has(Kind.VAR_KEYWORD):
        if not var_keyword:
            return "takes no further keyword arguments"
        known = {p.name for p in required.parameters if p.kind in (Kind.EITHER, Kind.KEYWORD)}
        taken = [s.name for s in slots[: len(wanted)] if s.kind is Kind.EITHER and s.name not in known]
        if taken:
            return f"parameter {taken[0]!r} may come among the further keyword arguments"
    extra = [p for p in (*slots, *offered.by_keyword()) if p.default is None and p.name not in covered]
    if extra:
        return f"parameter {extra[0].name!r} is required and new"
    return None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
