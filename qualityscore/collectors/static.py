"""The static stage: one pass over a repository, then every collector on what it saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from qualityscore.collectors.bandit_risk import BanditRisk, family_points
from qualityscore.collectors.context import StaticCollector, StaticContext, StaticFacts, StaticOutcome
from qualityscore.collectors.duplication import Duplication
from qualityscore.collectors.executed import located, named, without_names
from qualityscore.collectors.judged import unjudged
from qualityscore.collectors.listing import LONGEST_TEXT, MOST_UNREADABLE, listed, listed_suppressions
from qualityscore.collectors.maintainability import Maintainability
from qualityscore.collectors.one_pass import observe
from qualityscore.collectors.padding import padding
from qualityscore.collectors.pylint_lint import PylintLint
from qualityscore.collectors.structure import Structure
from qualityscore.collectors.worst_case import worst_case
from qualityscore.errors import ToolError
from qualityscore.languages.python_production import FileTree, production_files
from qualityscore.languages.python_source import Unparsable, printable
from qualityscore.model.finding import Finding
from qualityscore.model.measure import Fault, Unavailable
from qualityscore.model.outcome import ExecutedText
from qualityscore.model.report import FaultReport

STAGE = "static"


def context_for(
    tree: FileTree,
    *,
    judged: Iterable[tuple[str, int, str]] | None,
    entered_unknown: bool = False,
    unread: Iterable[tuple[str, int, str]] = (),
    texts: Mapping[str, ExecutedText] | None = None,
    used: Iterable[str] = (),
    import_roots: tuple[str, ...] = (".",),
    site_packages: Path | None = None,
    public_names: Iterable[str] = (),
    is_reference: bool = False,
    cache: Path | None = None,
    workers: int = 2,
) -> StaticContext:
    """Apply the production rule to a tree; `used` are the files that the suites imported or opened as code.

    `texts` are executed texts by where they lie in the tree, of which they are no part: production code, too.
    """
    production = production_files(tree, used)
    return StaticContext(
        root=tree.root,
        files=(*production.files, *(texts or {})),
        support_files=tuple(path for path, _ in production.left_out),
        data_files=production.data_files,
        judged=None if judged is None else frozenset(judged),
        entered_unknown=entered_unknown,
        unread=tuple(unread),
        texts=dict(texts or {}),
        site_packages=site_packages,
        import_roots=import_roots,
        public_names=frozenset(public_names),
        is_reference=is_reference,
        cache=cache,
        workers=workers,
    )


def collectors(analysed: Iterable[Finding] | Unavailable = ()) -> tuple[StaticCollector, ...]:
    """Every static collector, in the order of the report."""
    return (Maintainability(), PylintLint(), Duplication(), Structure(analysed), BanditRisk())


def measure(
    context: StaticContext,
    *,
    analysed: Iterable[Finding] | Unavailable = (),
    on_progress: Callable[[int, int], None] | None = None,
) -> StaticOutcome:
    """Measure one repository. `analysed` are the analysers' findings, which `structure.defects` counts too, or why
    there are none: that measure is then unavailable.

    A tool that does not work is the harness's fault: every measure is then unavailable and the fault says why.
    """
    try:
        facts = observe(context, on_progress)
    except ToolError as error:
        lost = Unavailable(reason=str(error), fault=Fault.HARNESS)
        return StaticOutcome(
            measures={measure_id: lost for collector in collectors() for measure_id in collector.measures},
            faults=(FaultReport(stage=STAGE, fault=Fault.HARNESS, reason=str(error), code=ToolError.code),),
        )
    return parse(facts, context, analysed=analysed)


def parse(
    facts: StaticFacts, context: StaticContext, *, analysed: Iterable[Finding] | Unavailable = ()
) -> StaticOutcome:
    """From facts to measures, findings and faults; pure."""
    facts = without_names(facts, context.texts)
    if not isinstance(analysed, Unavailable):
        analysed = named(analysed, context.texts)
    if context.entered_unknown:
        results = [worst_case(collector, facts, context) for collector in collectors(analysed)]
    else:
        results = [collector.parse(facts, context) for collector in collectors(analysed)]
    if context.unread:
        results = [
            result if BanditRisk.measures[0] in result.measures else unjudged(result, context) for result in results
        ]
    found = (*(finding for result in results for finding in result.findings), *padding(facts, context))
    findings = tuple(
        sorted(
            (located(finding, context.texts) for finding in found),
            key=lambda f: (-f.points, f.path or "", f.line or 0, f.code),
        )
    )
    whose = Fault.REFERENCE if context.is_reference else Fault.SUBJECT
    return StaticOutcome(
        measures={id_: outcome for result in results for id_, outcome in result.measures.items()},
        findings=listed(findings),
        every_finding=findings,
        suppressions=listed_suppressions([s for file in facts.files for s in file.suppressions]),
        faults=(
            *_unreadable([file.unparsable for file in facts.files if file.unparsable is not None], whose),
            *(
                FaultReport(stage=STAGE, fault=missing.fault, reason=missing.reason)
                for missing in (analysed,)
                if isinstance(missing, Unavailable)
            ),
        ),
        family_points=family_points(findings),
        tool_versions=dict(facts.tool_versions),
    )


def _unreadable(files: Sequence[Unparsable], whose: Fault) -> Iterator[FaultReport]:
    """A fault for each of the first files that a tool could not read, and one for all others."""
    for lost in files[:MOST_UNREADABLE]:
        reason = f"{lost.tool} cannot read {printable(lost.path)}: {lost.reason}"[:LONGEST_TEXT]
        yield FaultReport(stage=STAGE, fault=whose, reason=reason)
    if (more := len(files) - MOST_UNREADABLE) > 0:
        yield FaultReport(stage=STAGE, fault=whose, reason=f"{more} more files cannot be read by a tool")
