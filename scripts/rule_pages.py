"""Writes docs/reference/analysers/: an overview and a page per rule, out of the rules and their own cases."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from qualityscore.analysers.registry import RULE_MODULES
from qualityscore.analysers.rule import Case, Rule

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference" / "analysers"


def pages() -> dict[str, str]:
    """File name to text for every page."""
    written = {f"{module.RULE.code}.md": rule_page(module) for module in RULE_MODULES}
    return {"index.md": overview(), **written}


def overview() -> str:
    """The table of all rules."""
    lines = [
        "# Rules of the analysers",
        "",
        "`qualityscore analyze PATH` reads Python code without running it and reports these findings. The codes are",
        "stable. *Defect* says that a finding counts in the measure `structure.defects`. The pages are generated from",
        "the rules and from the cases that test them.",
        "",
        "| code | analyser | finding | severity | defect |",
        "|---|---|---|---|---|",
    ]
    for module in RULE_MODULES:
        rule: Rule = module.RULE
        defect = "yes" if rule.defect else ""
        lines.append(
            f"| [{rule.code}]({rule.code}.md) | {rule.analyser} | {rule.title} | {rule.severity.value} | {defect} |"
        )
    return "\n".join(lines) + "\n"


def rule_page(module: ModuleType) -> str:
    """The page of one rule."""
    rule: Rule = module.RULE
    counted = " It counts in `structure.defects`." if rule.defect else ""
    lines = [
        f"# {rule.code}: {rule.title}",
        "",
        f"Analyser: {rule.analyser}. Severity: {rule.severity.value}.{counted}",
        "",
    ]
    lines += [rule.why, "", "## Found", ""]
    for case in module.BAD:
        lines += _case(case)
    lines += ["## Left alone", ""]
    for case in module.GOOD:
        lines += _case(case)
    return "\n".join(lines).rstrip() + "\n"


def _case(case: Case) -> list[str]:
    lines = [f"### {case.title[:1].upper()}{case.title[1:]}", ""]
    if case.order:
        lines += ["Layer order, top first:", "", "```text", *(" ".join(layer) for layer in case.order), "```", ""]
    if case.reference is not None:
        entries = [f"{e.name}{e.signature or ''}" for e in case.reference.entries]
        lines += ["Reference surface:", "", "```text", *entries, "```", ""]
    for path, text in case.files.items():
        shown = text.removesuffix("\n").replace("\0", "\\0")
        lines += [f"`{path}`" + ("" if shown else " (empty)"), ""]
        if shown:
            lines += ["```python", *shown.split("\n"), "```", ""]
    if case.found:
        lines += ["Findings (`path:line:column name`):", "", *(f"- `{place}`" for place in case.found), ""]
    return lines


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
    sys.stdout.write(f"wrote {len(pages())} pages\n")
