"""What every page shares: templates that escape all they are given, one file without any request, a strict policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from qualityscore.reports.plain_text import inert

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

BLOCK_LIMIT = 4_000
"""Characters of one message or snippet that a page shows; the JSON report has all of it."""


def page(template: str, **context: Any) -> str:
    """One self-contained page. Every value is made inert and escaped; charts must come as `Markup`.

    The content security policy allows this page's own style and script, by their digests, and nothing else: neither a
    request nor a script that came with the data.
    """
    from markupsafe import Markup  # noqa: PLC0415

    style, script = _asset("style.css"), _asset("page.js")
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    shown = _environment().get_template(template)
    return shown.render(style=Markup(style), script=Markup(script), policy=Markup(policy), **context)


def chart(svg: str) -> Markup:
    """A chart of ours, as markup that is not escaped again."""
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(svg)


def block(text: str, limit: int = BLOCK_LIMIT) -> Markup:
    """Text of several lines, each inert, as escaped markup for a `pre`."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    cut = text[:limit]
    lines = [inert(line.replace("\t", "    "), limit=limit) for line in cut.splitlines()]
    if len(text) > limit:
        lines.append(f"… and {len(text) - limit} characters more in the JSON report")
    return Markup("\n").join(escape(line) for line in lines)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    def finalize(value: object) -> object:
        return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("qualityscore.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["block"] = block
    return environment


@cache
def _asset(name: str) -> str:
    return files("qualityscore.reports").joinpath("templates", name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
