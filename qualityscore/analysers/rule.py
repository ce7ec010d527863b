"""What a rule is: one kind of finding, with its reasons and with the cases that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from qualityscore.analysers.lineage import Classes
from qualityscore.analysers.project import Project
from qualityscore.analysers.public import PublicSurface
from qualityscore.analysers.surface import surface_in
from qualityscore.model.finding import Finding, Severity
from qualityscore.model.task import Surface


class Reading:
    """A repository as read, with what several rules need of it computed once.

    `order` is a layer order from top to bottom, each layer a tuple of module names; `reference` the surface to compare
    with; `imports` the import names whose surface is meant; `production` the files that are production code, None for
    all of them.
    """

    def __init__(
        self,
        project: Project,
        *,
        order: tuple[tuple[str, ...], ...] = (),
        reference: Surface | None = None,
        imports: tuple[str, ...] = (),
        production: frozenset[str] | None = None,
    ) -> None:
        self.project = project
        self.order = order
        self.reference = reference
        self.imports = imports
        self.production = production

    @cached_property
    def surface(self) -> PublicSurface:
        """The public names of `imports`, of the production code's public modules where there are none."""
        return surface_in(self.project, self.imports, production=self.production)

    @cached_property
    def classes(self) -> Classes:
        """All classes with their ancestors."""
        return Classes(self.project)

    @cached_property
    def attributes_read(self) -> frozenset[str]:
        """Every attribute name that any file reads, on any object, or holds as a string."""
        return frozenset().union(*(m.fact.attribute_reads | m.fact.strings for m in self.project))


Check = Callable[[Reading], Iterator[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A small repository and what the rule finds in it.

    `files` maps paths to sources. `found` are the expected findings as `path:line:column name`; empty in a GOOD case.
    """

    title: str
    files: dict[str, str]
    found: tuple[str, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()
    reference: Surface | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of finding. `defect` says that `structure.defects` counts it (scoring.md section 4).

    `hint` is a suggestion that its findings share and that can be understood without any of them.
    """

    code: str
    analyser: str
    title: str
    why: str
    check: Check
    severity: Severity = Severity.LOW
    defect: bool = False
    hint: str | None = None

    def finding(
        self,
        *,
        path: str,
        line: int,
        column: int,
        message: str,
        name: str | None = None,
        class_name: str | None = None,
        suggestion: str | None = None,
    ) -> Finding:
        """A finding of this rule."""
        return Finding(
            code=self.code,
            tool=self.analyser,
            message=message,
            severity=self.severity,
            path=path,
            line=line,
            column=max(1, column),
            class_name=class_name,
            name=name,
            suggestion=suggestion,
            dimension="maintainability" if self.defect else None,
            measure="structure.defects" if self.defect else None,
        )
