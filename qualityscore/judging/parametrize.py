"""`pytest.mark.parametrize` decorators: which arguments are literals in every row, and hiding them from the child."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from qualityscore.judging.literals import Known, immutable
from qualityscore.judging.lowered import Rows
from qualityscore.judging.names import FunctionNode, Module
from qualityscore.judging.source import Edit, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One decorator whose rows are written out: cells by argument, as they stand in the source."""

    call: ast.Call
    rows: tuple[dict[str, ast.expr], ...]
    row_nodes: tuple[ast.expr, ...]
    literal: dict[str, tuple[ast.expr, ...]]  # argument -> the judge's expression per row
    immutable: frozenset[str]


def tables(function: FunctionNode, known: Known) -> list[Table]:
    """The written-out parametrisations of a function, nearest decorator last."""
    found = []
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and known.module.dotted(decorator.func) == "pytest.mark.parametrize":
            table = _table(decorator, known)
            if table is not None:
                found.append(table)
    return found


def _table(call: ast.Call, known: Known) -> Table | None:
    keywords = {keyword.arg for keyword in call.keywords}
    if len(call.args) != 2 or not keywords <= {"ids"}:
        return None
    names = _names(call.args[0])
    values = call.args[1]
    if not names or not isinstance(values, ast.List | ast.Tuple) or not values.elts:
        return None
    rows = []
    for element in values.elts:
        cells = _cells(element, len(names), known.module)
        if cells is None:
            return None
        rows.append(dict(zip(names, cells, strict=True)))
    literal: dict[str, tuple[ast.expr, ...]] = {}
    fixed = set()
    for name in names:
        column = [known.literal(row[name]) for row in rows]
        settled = tuple(cell for cell in column if cell is not None)
        if len(settled) == len(column):
            literal[name] = settled
            if all(immutable(cell, known.module) for cell in settled):
                fixed.add(name)
    return Table(call=call, rows=tuple(rows), row_nodes=tuple(values.elts), literal=literal, immutable=frozenset(fixed))


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",") if name.strip()]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            names = [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
            return names if len(names) == len(elements) else []
        case _:
            return []


def _cells(row: ast.expr, width: int, module: Module) -> list[ast.expr] | None:
    if isinstance(row, ast.Call) and module.dotted(row.func) == "pytest.param":
        cells = row.args
        if any(keyword.arg not in {"id", "marks"} for keyword in row.keywords):
            return None
    elif width == 1:
        cells = [row]
    elif isinstance(row, ast.Tuple | ast.List):
        cells = row.elts
    else:
        return None
    return cells if len(cells) == width and not any(isinstance(cell, ast.Starred) for cell in cells) else None


def hide(source: Source, test: str, index: int, table: Table, hidden: frozenset[str]) -> tuple[list[Edit], Rows]:
    """Edits that take the `hidden` arguments' values and all ids out of a decorator, and the judge's rows."""
    edits = [source.replace(row[name], "(None)") for row in table.rows for name in sorted(hidden)]
    labels = [f"qs{index}i{number}" for number in range(len(table.rows))]
    for label, node in zip(labels, table.row_nodes, strict=True):
        if isinstance(node, ast.Call):
            edits.extend(source.replace(k.value, f"({label!r})") for k in node.keywords if k.arg == "id")
    ids = f"[{', '.join(map(repr, labels))}]"
    given = [keyword for keyword in table.call.keywords if keyword.arg == "ids"]
    if given:
        edits.append(source.replace(given[0].value, ids))
    else:
        close = source.span(table.call)[1] - 1
        comma = "" if source.before(close).endswith(b",") else ","
        edits.append(Edit(close, close, f"{comma} ids={ids}"))
    values = tuple(
        {name: ast.unparse(column[number]) for name, column in table.literal.items()}
        for number in range(len(table.rows))
    )
    return edits, Rows(test=test, decorator=index, values=values)
