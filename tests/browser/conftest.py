"""Debian's Chromium, driven by playwright: pages are opened from files; what they ask for or complain of is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@dataclass
class Opened:
    """A page with all that it said and asked for since it was opened."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for the tests of one file: what is not needed any more has no reason to run beside the others."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed: sh scripts/system-packages.sh browser installs it as root")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open a document's text at a width and in a theme."""
    contexts = []

    def open_(text: str, *, width: int = 1600, theme: str = "light") -> Opened:
        file = tmp_path / "page.html"
        file.write_text(text, "utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        contexts.append(context)
        opened = Opened(page=context.new_page())
        opened.page.on("console", lambda message: opened.complaints.append(message.text))
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        opened.page.on("dialog", lambda dialog: opened.complaints.append(f"dialog {dialog.message}"))
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.goto(file.as_uri())
        return opened

    yield open_
    for context in contexts:
        context.close()
