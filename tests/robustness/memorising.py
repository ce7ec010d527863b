"""A subject that answers every frozen input from a table, made from a manifest."""

from __future__ import annotations

import ast

from qualityscore.inside.decode import decode, is_plain
from qualityscore.suites.manifest import Manifest, Probe, Returned

HEAD = """_TABLE = {}


def _key(arguments, named):
    return repr((arguments, sorted(named.items())))


def _learn(name, answer, *arguments, **named):
    _TABLE[name, _key(arguments, named)] = answer


def _recall(name, arguments, named):
    kind, value = _TABLE.get((name, _key(arguments, named)), ("returned", "not in the table"))
    if kind == "raised":
        raise ValueError(value)
    return value


"""


def memoriser(manifest: Manifest, module: str) -> str:
    """The source of a module whose functions know the direct calls with plain arguments, and nothing else."""
    lines = [HEAD]
    for entry in manifest.entries:
        name = entry.name.removeprefix(module + ".")
        lines.append(f"def {name}(*arguments, **named):\n    return _recall({name!r}, arguments, named)\n\n")
        lines += [
            _lesson(name, probe) for probe in (_sensible(entry.probes, entry.sensible.call), *entry.probes) if probe
        ]
    return "\n".join(lines)


def _sensible(probes: list[Probe], call: str) -> Probe | None:
    return next((probe for probe in probes if probe.call == call), None)


def _lesson(name: str, probe: Probe) -> str:
    """A line that learns one answer; empty where arguments or answer are no plain data."""
    call = ast.parse(probe.call, mode="eval").body
    if not isinstance(call, ast.Call) or not ast.unparse(call.func).endswith("." + name):
        return ""
    text = "\n".join([*probe.setup, probe.call])
    known = {"True", "False", "None", "float", "set", "frozenset", "dict", "str", "bytearray", "range", "i"}
    own = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)} - {
        ast.unparse(call.func).partition(".")[0]
    }
    if used - own - known:
        return ""
    if isinstance(probe.outcome, Returned):
        if probe.outcome.large or not is_plain(probe.outcome.value):
            return ""
        answer = ("returned", decode(probe.outcome.value))
    else:
        answer = ("raised", "refused")
    arguments = [ast.unparse(argument) for argument in (*call.args, *call.keywords)]
    return "\n".join([*probe.setup, f"_learn({', '.join([repr(name), ascii(answer), *arguments])})"])
