"""The static stage wired: production files, analysers, collectors; for subject and reference alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from qualityscore.analysers.contained import Unreadable, contained_structure
from qualityscore.analysers.gather import gather
from qualityscore.collectors import static as static_collectors
from qualityscore.collectors.context import StaticOutcome
from qualityscore.model.measure import Fault, Unavailable
from qualityscore.runtime.cache import cache_root, static_results
from qualityscore.runtime.target import Environment, Tree
from qualityscore.suites.tracing import Trace


def read_code(
    tree: Tree,
    built: Environment | None,
    trace: Trace | None,
    *,
    names: Iterable[str] = (),
    is_reference: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> StaticOutcome:
    """The static stage of subject and reference alike: production files, and the functions that the suite entered.

    Where tests evaded the tracer the worst functions that they may have entered are judged code; `names` are the
    surface's, which stand in for those that were seen where there is none.
    Functions whose code is not in their file are nothing that anybody can judge: the measures of judged code are lost.
    Without a trace nothing is judged code: the caller treats the measures that need it as missing. Code on which the
    analysers fail loses `structure.defects` and nothing else.
    """
    results = static_results(cache_root())
    judged = [(f.path, f.line, f.qualname) for f in trace.judged] if trace else []
    site = next(iter(sorted(built.prefix.glob("lib/python*/site-packages"))), None) if built else None
    context = static_collectors.context_for(
        tree,
        judged=judged,
        entered_unknown=trace is not None and trace.evaded,
        unread=[(f.path, f.line, f.qualname) for f in trace.unread] if trace else (),
        used=trace.imported_files if trace else (),
        import_roots=tree.import_roots,
        site_packages=site,
        public_names=names,
        is_reference=is_reference,
        cache=results,
    )
    analysed = contained_structure(
        gather(tree.root, context.files, cache=results),
        tree.import_roots,
        site_packages=(site,) if site else (),
        others=tree.files,
        cache=results,
    )
    if isinstance(analysed, Unreadable):
        whose = Fault.REFERENCE if is_reference else Fault.SUBJECT
        lost = Unavailable(reason=analysed.reason, fault=whose)
        return static_collectors.measure(context, analysed=lost, on_progress=progress)
    return static_collectors.measure(context, analysed=analysed, on_progress=progress)
