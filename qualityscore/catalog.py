"""What there is, in order: the one place to list a new renderer, and where the contract tests find everything else.

Collectors, analyser rules and sandbox providers are listed beside their own base classes, where they are chosen; the
catalog gathers them, and a list that cannot load stops the run.
"""

from __future__ import annotations

from collections.abc import Callable

from qualityscore.analysers.registry import RULES as ANALYSERS
from qualityscore.collectors.static import collectors
from qualityscore.model.report import Report
from qualityscore.reports import console, gitlab, html, json_document, junit, markdown, sarif
from qualityscore.runtime.sandbox import PROVIDERS as SANDBOXES

Renderer = Callable[[Report], str]

COLLECTORS = collectors()
RENDERERS: dict[str, Renderer] = {
    "console": console.render,
    "json": json_document.render,
    "markdown": markdown.render,
    "html": html.render,
    "sarif": sarif.render,
    "gitlab": gitlab.render,
    "junit": junit.render,
}

__all__ = ["ANALYSERS", "COLLECTORS", "RENDERERS", "SANDBOXES", "Renderer"]
