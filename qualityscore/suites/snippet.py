"""A probe as a short program that a person can run beside the subject, with nothing of this package."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from qualityscore.errors import ReportError
from qualityscore.model.outcome import PropertyOutcome
from qualityscore.model.report import Report

_HOSTILE = Path(__file__).resolve().parent.parent / "inside" / "hostile.py"


def program(imports: Iterable[str], setup: Iterable[str], call: str, note: str | None = None) -> str:
    """The probe as source text: imports of the surface modules it names, the hostile arguments it uses, its lines.

    `note` becomes a comment in front of the call.
    """
    body = [*setup]
    names = {node.id for node in ast.walk(ast.parse("\n".join([*body, call]))) if isinstance(node, ast.Name)}
    wanted = [name for name in imports if name.partition(".")[0] in names]
    lines = [f"import {name}" for name in wanted]
    for name, text in _definitions().items():
        if name in names:
            lines += ["", "", text, ""]
    if lines:
        lines.append("")
    lines += body
    lines += [f"# {line}" for line in (note or "").splitlines()]
    lines.append(f"print(ascii({call}))")
    return "\n".join(lines) + "\n"


def smallest_failing(report: Report, name: str, probes_folder: Path) -> str:
    """The smallest failing input of a surface entry, or the failing property, as a program for a person to run.

    Where nothing of an entry fails, an input that it answers otherwise than the reference. It is run where the subject
    can be imported. What the subject wrote comes into it as comments only. Raises ReportError where the report has no
    such entry, or nothing failed.
    """
    if report.robustness is None:
        raise ReportError("The report holds no probes: robustness was not measured.")
    for entry in report.robustness.entries:
        if entry.entry == name:
            for found in entry.failures:
                return found.snippet
            for found in entry.differences:
                return f"# survived, and no loss; but another answer than the reference's:\n{found.snippet}"
            raise ReportError(f"Every probe of {name} was survived, with the reference's values.")
    for held in report.robustness.properties:
        if held.id == name:
            if held.passed:
                raise ReportError(f"The property {name} holds.")
            return _property_program(held, probes_folder)
    failing = [e.entry for e in report.robustness.entries if e.failures]
    failing += [held.id for held in report.robustness.properties if not held.passed]
    other = [e.entry for e in report.robustness.entries if e.differences and not e.failures]
    said = f"something fails in: {', '.join(failing) or 'none'}"
    said += f"; only answered otherwise: {', '.join(other)}" if other else ""
    raise ReportError(f"The report has no entry {name}; {said}.")


def _property_program(held: PropertyOutcome, probes_folder: Path) -> str:
    """The property with the examples that it is always tried with, so it fails in the same way again."""
    lines = ["import importlib.util", "", "import hypothesis", ""]
    lines += ["hypothesis.settings.register_profile('again', derandomize=True, deadline=None, database=None)"]
    lines += ["hypothesis.settings.load_profile('again')"]
    lines += [f"spec = importlib.util.spec_from_file_location('probes', {str(probes_folder / 'probes.py')!r})"]
    lines += ["module = importlib.util.module_from_spec(spec)", "spec.loader.exec_module(module)"]
    lines += [f"# {line}" for line in f"{held.message or ''}\n{held.snippet or ''}".splitlines() if line.strip()]
    return "\n".join([*lines, f"getattr(module, {held.id!r})()"]) + "\n"


@cache
def _definitions() -> dict[str, str]:
    """The source of every class and function of hostile.py, by name, in the order of the file."""
    source = _HOSTILE.read_text("utf-8")
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = ast.get_source_segment(source, node) or ""
    return found
