"""Calls and signatures against functions that Python compiles and calls."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from qualityscore.analysers.signature import CallShape, Kind, Parameter, Signature, incompatibility, misfit, parse

_NAMES = ("a", "b", "c", "d", "e")
_KINDS = list(Kind)


@st.composite
def signatures(draw: st.DrawFn) -> Signature:
    names = draw(st.permutations(_NAMES).map(lambda p: list(p[: draw(st.integers(0, 4))])))
    kinds = sorted((draw(st.sampled_from([Kind.POSITIONAL, Kind.EITHER, Kind.KEYWORD])) for _ in names), key=_order)
    parameters: list[Parameter] = []
    optional = False
    for name, kind in zip(names, kinds, strict=True):
        optional = draw(st.booleans()) if kind is Kind.KEYWORD else optional or draw(st.booleans())
        parameters.append(Parameter(name=name, kind=kind, default="0" if optional else None))
    if draw(st.booleans()):
        at = sum(p.kind is not Kind.KEYWORD for p in parameters)
        parameters.insert(at, Parameter(name="rest", kind=Kind.VAR_POSITIONAL))
    if draw(st.booleans()):
        parameters.append(Parameter(name="more", kind=Kind.VAR_KEYWORD))
    return Signature(parameters=tuple(parameters))


def _order(kind: Kind) -> int:
    return _KINDS.index(kind)


calls = st.builds(
    CallShape,
    positional=st.integers(0, 5),
    keywords=st.lists(st.sampled_from((*_NAMES, "other")), unique=True, max_size=3).map(tuple),
)


def binds(signature: Signature, call: CallShape) -> bool:
    namespace: dict[str, Callable[..., None]] = {}
    exec(f"def f{signature}: return None", namespace)
    try:
        namespace["f"](*range(call.positional), **dict.fromkeys(call.keywords, 0))
    except TypeError:
        return False
    return True


@given(signatures(), calls)
@settings(max_examples=400, deadline=None)
def test_a_call_fits_exactly_when_python_binds_it(signature: Signature, call: CallShape) -> None:
    assert (misfit(call, signature) is None) == binds(signature, call)


@given(signatures(), signatures(), st.lists(calls, min_size=20, max_size=20))
@settings(max_examples=300, deadline=None)
def test_a_compatible_signature_takes_every_call_that_the_other_takes(
    required: Signature, offered: Signature, shapes: list[CallShape]
) -> None:
    if incompatibility(required, offered) is None:
        for call in shapes:
            if binds(required, call) and not twice(required, offered, call):
                assert binds(offered, call), call


def twice(required: Signature, offered: Signature, call: CallShape) -> bool:
    """Whether a call gives a parameter by position and by name that the other one takes apart, in *rest and **more."""
    positional = [p.name for p in offered.parameters if p.kind in (Kind.POSITIONAL, Kind.EITHER)][: call.positional]
    named = {p.name for p in required.parameters if p.kind in (Kind.EITHER, Kind.KEYWORD)}
    return any(name in positional and name not in named for name in call.keywords)


@given(signatures())
def test_a_signature_is_compatible_with_itself_and_survives_printing(signature: Signature) -> None:
    assert incompatibility(signature, signature) is None
    assert parse(str(signature)) == signature


@given(signatures(), st.integers(0, 3), st.lists(st.sampled_from(_NAMES), unique=True, max_size=2).map(tuple))
@settings(deadline=None)
def test_unpacked_arguments_may_hold_whatever_makes_the_call_fit(
    signature: Signature, positional: int, keywords: tuple[str, ...]
) -> None:
    shape = CallShape(positional=positional, keywords=keywords, star=True, double_star=True)
    if misfit(shape, signature) is not None:
        spare = [n for n in (*_NAMES, "rest", "more") if n not in keywords]
        for count in range(4):
            for given_names in ((), tuple(spare[:1]), tuple(spare[:3])):
                filled = CallShape(positional=positional + count, keywords=(*keywords, *given_names))
                assert not binds(signature, filled)
