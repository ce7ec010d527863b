"""Learns about the reference what inputs are made from: signatures, texts, literals, and the calls that its own
functional suite makes. Runs on the reference only, never on a subject.
"""

from __future__ import annotations

import inspect
import json
import types

import probe_literals
import probe_names
import probe_origins
import probe_tracing
import probe_zygote


def prepare(args):
    """Import the surface. `args`: `paths`, `imports`, `entries`."""
    return {"surface": probe_zygote.import_surface(args["paths"], args["imports"]), "entries": args["entries"]}


def run(state, args, send):
    """`{"describe": true}` or `{"trace": suite folder, "calls": most per entry}` or `{"draw": seed, "examples": n}`."""
    if "describe" in args:
        found = _describe_all(state)
    elif "trace" in args:
        found = _trace(state, args["trace"], args["calls"])
    else:
        found = _draw(args["draw"], args["examples"])
    send(json.dumps(found).encode())


def _trace(state, folder, limit):
    """`calls` per entry; `further` ones, on objects that the suite did not make by calling their class itself."""
    plain, following = probe_tracing.Watch(state, folder, limit), probe_origins.Following(state, folder, limit)
    probe_tracing.run_suite(folder, [plain, following])
    calls, followed = plain.working(state["surface"]), following.working(state["surface"])
    further = {name: [call for call in found if call not in calls[name]] for name, found in followed.items()}
    return {"calls": calls, "further": further}


def _describe_all(state):
    objects = {name: probe_names.resolve(state["surface"], name) for name in state["entries"]}
    names = {id(found): name for name, found in objects.items() if callable(found)}
    classes = {name: found for name, found in objects.items() if isinstance(found, type)}
    described = {name: _describe(found, names) for name, found in objects.items()}
    for name, found in classes.items():
        described[name]["bases"] = [other for other, kind in classes.items() if kind in found.__mro__]
    return described


def _describe(found, names):
    if found is None:
        return {"missing": True}
    described = {"missing": False, "doc": inspect.getdoc(found) or "", "callable": callable(found)}
    described["is_class"] = isinstance(found, type)
    described["module"] = getattr(found, "__module__", None)
    if isinstance(found, type):
        described["methods"] = sorted(
            name for name in dir(found) if name in _PROTOCOL and callable(getattr(found, name, None))
        )
        described["doc"] += "\n" + (inspect.getdoc(found.__init__) or "") if "__init__" in vars(found) else ""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return {**described, "parameters": None}
    described["parameters"] = [_parameter(p, names) for p in signature.parameters.values()]
    described["literals"] = _literals(found)
    return described


_PROTOCOL = (
    "__setitem__",
    "__getitem__",
    "__delitem__",
    "__contains__",
    "__len__",
    "__iter__",
    "__call__",
    "__enter__",
)


def _parameter(parameter, names):
    has_default = parameter.default is not parameter.empty
    default = None
    if has_default:
        try:
            default = probe_literals.Writer(names).source(parameter.default)
        except probe_literals.Unwritable:
            default = None
    annotation = parameter.annotation
    shown = (
        "" if annotation is parameter.empty else annotation if isinstance(annotation, str) else _annotated(annotation)
    )
    return {
        "name": parameter.name,
        "how": parameter.kind.name,
        "required": not has_default,
        "default": default,
        "default_type": type(parameter.default).__name__ if has_default else None,
        "default_callable": has_default and callable(parameter.default),
        "annotation": shown,
    }


def _annotated(annotation):
    return (
        annotation.__name__ if isinstance(annotation, type) and not hasattr(annotation, "__args__") else str(annotation)
    )


def _literals(found):
    """Numbers and short texts in the body: the places where behaviour changes."""
    code = probe_names.code_of(found.__init__ if isinstance(found, type) else found)
    todo, literals = [code] if code else [], set()
    while todo:
        for constant in todo.pop().co_consts:
            if isinstance(constant, types.CodeType):
                todo.append(constant)
                continue
            number = type(constant) is int and abs(constant) < 10**9
            if number or (type(constant) is str and 0 < len(constant) <= 12 and not constant.isidentifier()):
                literals.add(constant)
    return sorted((repr(x) if isinstance(x, int) else ascii(x)) for x in literals)[:20]


def _draw(seed, examples):
    """Examples of plain types, drawn by hypothesis from a seed, as source text."""
    from hypothesis import strategies as st  # noqa: PLC0415

    key = st.text(max_size=6) | st.integers(-100, 100)
    strategies = {
        "str": st.text(max_size=40) | st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z"]), max_size=60),
        "int": st.integers(-1000, 1000) | st.integers(),
        "float": st.floats(),
        "bytes": st.binary(max_size=40) | st.text(max_size=20).map(lambda text: text.encode()),
        "key": st.text(max_size=8) | st.integers() | st.tuples(key, key) | st.none() | st.booleans(),
        "list": st.lists(st.text(max_size=8) | st.integers(), max_size=6),
        "dict": st.recursive(
            st.dictionaries(st.text(max_size=6), st.text(max_size=6) | st.integers() | st.none(), max_size=4),
            lambda inner: st.dictionaries(
                st.text(max_size=6), inner | st.lists(st.text(max_size=4), max_size=3), max_size=3
            ),
            max_leaves=6,
        ),
        "pairs": st.lists(st.tuples(st.text(min_size=1, max_size=4), st.text(max_size=4)), max_size=4),
    }
    return {name: _examples(strategies[name], seed, examples) for name in sorted(strategies)}


def _examples(strategy, seed, examples):
    import hypothesis  # noqa: PLC0415

    drawn = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(value):
        drawn.append(value)

    collect()
    texts = []
    for value in drawn:
        try:
            texts.append(probe_literals.Writer().source(value))
        except probe_literals.Unwritable:
            continue
    return list(dict.fromkeys(texts))
