"""The static stage wired: production files, analysers, collectors; for subject and reference alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from qualityscore.analysers.contained import Unreadable, contained_structure
from qualityscore.analysers.gather import gather
from qualityscore.collectors import static as static_collectors
from qualityscore.collectors.context import StaticOutcome
from qualityscore.collectors.executed import as_files
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
    Texts that were executed are read as files. Code that is in no file and no text, or not in the file that it names,
    is nothing that anybody can judge: the measures of judged code are lost.
    Without a trace nothing is judged code: the caller treats the measures that need it as missing. Code on which the
    analysers fail loses `structure.defects` and nothing else.
    """
    results = static_results(cache_root())
    site = next(iter(sorted(built.prefix.glob("lib/python*/site-packages"))), None) if built else None
    with as_files(trace.texts if trace else (), tree.root) as written:
        paths = {name: path for name, (path, _) in written.items()}
        context = static_collectors.context_for(
            tree,
            judged=[(paths.get(f.path, f.path), f.line, f.qualname) for f in trace.judged] if trace else [],
            entered_unknown=trace is not None and trace.evaded,
            unread=[(f.path, f.line, f.qualname) for f in trace.unread] if trace else (),
            texts=dict(written.values()),
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
