"""How good `fields` is on foreign code: faults found, reads judged, false reports; pylint's no-member beside it.

    python tests/bench/bench_fields.py [FOLDER] [--faults N] [--seed N] [--without-pylint]

A fault renames one attribute read. Reads are drawn from all reads of the packages and of the standard library, found by
a walk of its own; the new name is a slip of the pen that occurs nowhere else in the package. A round puts at most one
fault into a file: a verdict on a read depends on what is assigned, and no fault touches an assignment.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from qualityscore.analysers.facts import ModuleFact
from qualityscore.analysers.fields import judge
from qualityscore.analysers.gather import gather, source_facts
from qualityscore.analysers.library import Library
from qualityscore.analysers.lineage import Classes
from qualityscore.analysers.project import Project
from qualityscore.languages.python_production import production_files, scan_tree
from qualityscore.languages.python_source import SourceFile, read_source
from qualityscore.runtime.target import Tree

sys.path.insert(0, str(Path(__file__).parent))
from foreign_code import KEPT, STDLIB, AttributeRead, attribute_reads, fetch, standard_library

TRIAGE = Path(__file__).resolve().parents[1] / "data" / "field_triage.json"
WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Fault:
    package: str
    read: AttributeRead
    name: str


@dataclass
class Package:
    name: str
    root: Path
    sources: dict[str, SourceFile]
    facts: dict[str, ModuleFact]
    production: frozenset[str]
    words: set[str]

    @property
    def sloc(self) -> int:
        return sum(self.facts[p].sloc for p in self.production if p in self.facts)

    def judgements(self, changed: dict[str, ModuleFact] | None = None, library: Library | None = None):
        facts = {**self.facts, **(changed or {})}
        for judgement in judge(Classes(Project(facts.values(), library or Library()))):
            if judgement.owner.module.path in self.production:
                yield judgement


def load(name: str, root: Path, files: tuple[str, ...], production: frozenset[str], cache: Path) -> Package:
    sources = {p: s for p in files if isinstance(s := read_source(root, p), SourceFile)}
    facts = {f.path: f for f in gather(root, sources, cache=cache) if f.error is None}
    words: set[str] = set()
    for source in sources.values():
        words.update(WORD.findall(source.text))
    return Package(name, root, sources, facts, production & facts.keys(), words)


def slip(name: str, draw: random.Random) -> str:
    """A misspelling: an underscore more or less, two letters swapped, one dropped or doubled, another ending."""
    at = draw.randrange(max(1, len(name) - 1))
    kinds = [
        name[1:] if name.startswith("_") and not name.startswith("__") else f"_{name}",
        name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
        name[:at] + name[at + 1 :],
        name[:at] + name[at] + name[at:],
        f"{name}s",
        name.replace("_", "") if "_" in name.strip("_") else f"{name}_value",
    ]
    return draw.choice(kinds)


def draw_faults(packages: list[Package], count: int, draw: random.Random) -> tuple[list[Fault], int]:
    population: list[tuple[Package, AttributeRead]] = []
    for package in packages:
        for path in sorted(package.production):
            text = package.sources[path].text
            lines = text.split("\n")
            for read in attribute_reads(path, text):
                # positions inside f-strings are wrong on 3.11: those reads cannot be renamed by place
                if lines[read.line - 1][read.column : read.column + len(read.name)] == read.name:
                    population.append((package, read))
    faults: list[Fault] = []
    for package, read in draw.sample(population, len(population)):
        if len(faults) == count:
            break
        for _ in range(20):
            name = slip(read.name, draw)
            if name.isidentifier() and name not in package.words and not name.startswith("__"):
                faults.append(Fault(package.name, read, name))
                break
    return faults, len(population)


def inject(source: SourceFile, faults: list[Fault]) -> str:
    lines = source.text.split("\n")
    for fault in sorted(faults, key=lambda f: (f.read.line, -f.read.column)):
        line = lines[fault.read.line - 1]
        start, end = fault.read.column, fault.read.column + len(fault.read.name)
        lines[fault.read.line - 1] = line[:start] + fault.name + line[end:]
    return "\n".join(lines)


def rounds(faults: list[Fault]) -> list[list[Fault]]:
    dealt: list[dict[str, Fault]] = []
    for fault in faults:
        free = next((r for r in dealt if fault.read.path not in r), None)
        if free is None:
            free = {}
            dealt.append(free)
        free[fault.read.path] = fault
    return [list(r.values()) for r in dealt]


def find_faults(package: Package, faults: list[Fault]) -> tuple[set[Fault], set[Fault], Counter[str]]:
    """The faults in judged reads, those of them that were found, and why the others were not judged."""
    judged: set[Fault] = set()
    found: set[Fault] = set()
    reasons: Counter[str] = Counter()
    library = Library()
    before = {(j.owner.module.path, j.read.line, j.read.column): j for j in package.judgements(library=library)}
    for fault in faults:
        judgement = before.get((fault.read.path, fault.read.line, fault.read.column + 1))
        if judgement is None:
            reasons["not seen as a read of a receiver"] += 1
        elif judgement.reason is not None:
            reasons[judgement.reason] += 1
        else:
            judged.add(fault)
    for batch in rounds(faults):
        changed: dict[str, ModuleFact] = {}
        for fault in batch:
            source = package.sources[fault.read.path]
            text = inject(source, [fault])
            altered = SourceFile(path=source.path, raw=text.encode(), digest="", encoding="utf-8", text=text)
            changed[fault.read.path] = source_facts(altered)
        reported = {
            (j.owner.module.path, j.read.line, j.read.name)
            for j in package.judgements(changed, library)
            if not j.defined and j.reason is None
        }
        for fault in batch:
            if fault in judged and (fault.read.path, fault.read.line, fault.name) in reported:
                found.add(fault)
    return judged, found, reasons


def pylint_messages(root: Path, files: list[str]) -> list[tuple[str, int, str]]:
    """(path, line, member) of every no-member message."""
    if not files:
        return []
    options = ["--disable=all", "--enable=no-member", "--rcfile=/dev/null", "-f", "json2", "-j", "1", "--score=n"]
    command = [sys.executable, "-m", "pylint", *options, *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    messages = json.loads(done.stdout or '{"messages": []}')["messages"]
    members = ((m, re.search(r"has no '(\w+)' member", m["message"])) for m in messages)
    return [(m["path"], m["line"], member.group(1)) for m, member in members if member]


def pylint_on_faults(package: Package, faults: list[Fault]) -> set[Fault]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(package.root, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so", "site-packages"))
        by_file: dict[str, list[Fault]] = defaultdict(list)
        for fault in faults:
            by_file[fault.read.path].append(fault)
        for path, mine in by_file.items():
            (copy / path).write_text(inject(package.sources[path], mine), encoding=package.sources[path].encoding)
        seen = {(path, line, member) for path, line, member in pylint_messages(copy, sorted(by_file))}
    return {f for f in faults if (f.read.path, f.read.line, f.name) in seen}


def triaged() -> dict[tuple[str, str, int, str], dict[str, str]]:
    items = json.loads(TRIAGE.read_text())["findings"] if TRIAGE.exists() else []
    return {(i["package"], i["path"], i["line"], i["name"]): i for i in items}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=KEPT, help="where packages are kept between runs")
    parser.add_argument("--faults", type=int, default=600)
    parser.add_argument("--seed", type=int, default=20250301)
    parser.add_argument("--without-pylint", action="store_true")
    parser.add_argument(
        "--pylint-sloc", type=int, default=16_000, help="largest package on which pylint runs untouched (0: none)"
    )
    options = parser.parse_args()
    cache = options.folder / "facts.sqlite"
    packages: list[Package] = []
    for name, root in fetch(options.folder).items():
        tree = scan_tree(root)
        production = frozenset(production_files(Tree(root=root, import_roots=(), files=tree.files, digest="")).files)
        files = tuple(f for f in tree.files if f.endswith(".py"))
        packages.append(load(name, root, files, production, cache))
    root, files = standard_library()
    packages.append(load(STDLIB, root, files, frozenset(files), cache))

    untouched(packages[:-1], options)
    faults_found(packages, options)


def untouched(packages: list[Package], options: argparse.Namespace) -> None:
    known = triaged()
    reads = judged = sloc = 0
    verdicts: Counter[str] = Counter()
    for package in packages:
        sloc += package.sloc
        for judgement in package.judgements():
            reads += 1
            judged += judgement.reason is None
            if judgement.reason is None and not judgement.defined:
                key = (package.name, judgement.owner.module.path, judgement.read.line, judgement.read.name)
                item = known.get(key)
                agreed = item is not None and item["first"] == item["second"] == "true"
                verdicts["true" if agreed else "false or doubtful" if item else "untriaged"] += 1
                if item is None:
                    print("untriaged:", *key)
    wrong = verdicts["false or doubtful"] + verdicts["untriaged"]
    print(f"untouched: {len(packages)} packages, {sloc} SLOC; {judged} of {reads} reads judged ({judged / reads:.1%})")
    print(f"  reports of read but never defined: {sum(verdicts.values())} {dict(verdicts)}")
    print(f"  false reports per 5,000 SLOC: {wrong / sloc * 5000:.4f} (at most 1)")
    agreed = [i for i in known.values() if i["first"] == i["second"]]
    if known:
        print(f"  triage: {len(agreed)} of {len(known)} verdicts the same the second time")
    if options.without_pylint or not options.pylint_sloc:
        return
    reports = small_sloc = count = 0
    for package in packages:
        if package.sloc > options.pylint_sloc:
            continue
        count += 1
        small_sloc += package.sloc
        places = {
            (read.path, read.line, read.name)
            for path in package.production
            for read in attribute_reads(path, package.sources[path].text)
        }
        messages = pylint_messages(package.root, sorted(package.production))
        mine = [m for m in messages if m in places]
        reports += len(mine)
        for message in mine:
            print("  pylint:", package.name, *message, flush=True)
    per = reports / small_sloc * 5000
    print(
        f"pylint no-member on untouched: {count} packages, {small_sloc} SLOC, {reports} reports on such reads", end=""
    )
    print(f" ({per:.3f} per 5,000 SLOC)")


def faults_found(packages: list[Package], options: argparse.Namespace) -> None:
    faults, population = draw_faults(packages, options.faults, random.Random(options.seed))
    classes = len({(f.package, f.read.path, f.read.class_name) for f in faults})
    print(f"faults: {len(faults)} in {classes} classes, drawn from {population} reads")
    judged = found = by_pylint = 0
    reasons: Counter[str] = Counter()
    for package in packages:
        mine = [f for f in faults if f.package == package.name]
        if not mine:
            continue
        in_judged, seen, why = find_faults(package, mine)
        judged += len(in_judged)
        found += len(seen)
        reasons += why
        for fault in sorted(in_judged - seen, key=lambda f: (f.read.path, f.read.line)):
            print("  missed:", package.name, fault.read.path, fault.read.line, fault.read.name, "->", fault.name)
        if not options.without_pylint:
            by_pylint += len(pylint_on_faults(package, mine))
    print(f"  in judged reads: {judged} ({judged / len(faults):.1%}, at least 60 %)")
    print(f"  found of those: {found} ({found / max(1, judged):.1%}, at least 97 %); of all: {found / len(faults):.1%}")
    if not options.without_pylint:
        print(f"  pylint no-member found of all: {by_pylint} ({by_pylint / len(faults):.1%})")
    for reason, count in reasons.most_common(8):
        print(f"  {count} not judged: {reason}")


if __name__ == "__main__":
    main()
