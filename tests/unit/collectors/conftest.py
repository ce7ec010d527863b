"""Small repositories, measured for real."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from qualityscore.collectors.context import StaticOutcome
from qualityscore.collectors.static import context_for, measure
from qualityscore.languages.python_production import scan_tree
from qualityscore.model.finding import Finding

Repository = Callable[..., Path]
Measure = Callable[..., StaticOutcome]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Write files (path to text or bytes) below a fresh folder."""

    def write(files: dict[str, str | bytes]) -> Path:
        root = tmp_path / "repository"
        root.mkdir(exist_ok=True)
        for path, content in files.items():
            full = root / path
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return write


@pytest.fixture
def measured(repository: Repository) -> Measure:
    """Measure files; `judged` are (path, line) of functions that were entered, None for no trace."""

    def run(
        files: dict[str, str | bytes],
        judged: Iterable[tuple[str, int]] | None = None,
        analysed: Iterable[Finding] = (),
        **options: object,
    ) -> StaticOutcome:
        root = repository(files)
        entered = None if judged is None else [(path, line, "") for path, line in judged]
        context = context_for(scan_tree(root), judged=entered, **{"workers": 1, **options})  # type: ignore[arg-type]
        return measure(context, analysed=analysed)

    return run
