"""Worked examples: calls that a person writes for what the functional suite shows no usable call of.

A suite that runs the subject in processes of its own shows no calls at all, and a file or an image has no short source
text. `probes/<task>/examples.toml` holds calls that the requirement accepts, as source text; arguments are then changed
on top of them as on top of the suite's own calls.

    [pieces]
    picture = "from PIL import Image; cover = Image.new('RGB', (9, 9), (1, 2, 3))"

    [[example]]
    entry = "pkg.hide"
    uses = ["picture"]
    setup = "text = 'hello'"
    call = "pkg.reveal(pkg.hide(cover, text))"

The entry's own call within `call` (on `subject`, where the entry is a method) is the one whose arguments are changed;
what stands around it makes its result tell something. Where it is not in there, literals of `call` are changed instead.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from qualityscore.errors import TaskError
from qualityscore.model.foreign import first_problem, read_toml
from qualityscore.suites.probe_survey import EntrySurvey, Survey, TracedCall

FILE_NAME = "examples.toml"
_PLACE = "_the_call_"

_Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Example(_Strict):
    """One call of an entry: an expression, statements before it, and names of pieces that stand before these."""

    entry: _Text
    call: _Text
    setup: str = ""
    uses: list[str] = []


class Examples(_Strict):
    """All worked examples of a task, and statements that several of them begin with, by name."""

    pieces: dict[str, str] = {}
    example: list[Example] = []


def load(probes_folder: Path) -> Examples:
    """The examples of a task; none where there is no file. Raises TaskError on a file that cannot be used."""
    file = probes_folder / FILE_NAME
    if not file.is_file():
        return Examples()
    try:
        return Examples.model_validate(read_toml(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TaskError(f"The examples {file} cannot be read: {error}.") from error
    except ValidationError as error:
        raise TaskError(f"The examples {file} are not valid: {first_problem(error)}.") from error


def added(survey: Survey, examples: Examples) -> Survey:
    """The survey with worked examples before each entry's traced calls.

    Raises TaskError on an example whose entry is no callable of the surface, or whose text is no Python.
    """
    found: dict[str, list[TracedCall]] = {}
    known = {entry.entry.name: entry for entry in survey.entries}
    for number, example in enumerate(examples.example, start=1):
        if example.entry not in known:
            raise TaskError(f"Example {number} is of {example.entry}, which is no callable with a body of the surface.")
        missing = [name for name in example.uses if name not in examples.pieces]
        if missing:
            raise TaskError(f"Example {number}, of {example.entry}, uses {missing[0]}, which is no piece.")
        source = "\n".join([*(examples.pieces[name] for name in example.uses), example.setup])
        try:
            setup = tuple(ast.unparse(line) for line in ast.parse(source).body)
            call = ast.parse(example.call.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise TaskError(f"Example {number}, of {example.entry}, is no Python: {error}.") from error
        found.setdefault(example.entry, []).append(_call(known[example.entry], setup, call))
    entries = tuple(replace(e, calls=(*found.get(e.entry.name, ()), *e.calls)) for e in survey.entries)
    return replace(survey, entries=entries)


def _call(entry: EntrySurvey, setup: tuple[str, ...], expression: ast.expr) -> TracedCall:
    whole = TracedCall(setup=setup, positional=(), rest=(), keywords=(), worked=True, text=ast.unparse(expression))
    wanted = {entry.entry.name}
    if entry.entry.kind == "method":
        wanted.add(f"subject.{entry.entry.name.rpartition('.')[2]}")
    calls = [n for n in ast.walk(expression) if isinstance(n, ast.Call) and ast.unparse(n.func) in wanted]
    if not calls:
        return whole
    (call, *_) = calls
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return whole
    names = [p.name for p in entry.parameters if p.how.startswith("POSITIONAL")][: len(call.args)]
    texts = [ast.unparse(argument) for argument in call.args]
    around = ast.unparse(_Replaced(call).visit(expression)).partition(_PLACE)
    return TracedCall(
        setup=setup,
        positional=tuple(zip(names, texts[: len(names)], strict=True)),
        rest=tuple(texts[len(names) :]),
        keywords=tuple((str(k.arg), ast.unparse(k.value)) for k in call.keywords),
        worked=True,
        callee=ast.unparse(call.func),
        around=(around[0], around[2]),
    )


class _Replaced(ast.NodeTransformer):
    """One call replaced by a name."""

    def __init__(self, call: ast.Call) -> None:
        self.call = call

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if node is self.call:
            return ast.Name(_PLACE, ast.Load())
        self.generic_visit(node)
        return node
