"""The capability matrix, and its copy in the guide."""

from __future__ import annotations

from pathlib import Path

from qualityscore.runtime.sandbox import PROVIDERS
from qualityscore.runtime.sandbox.base import Capability
from qualityscore.runtime.sandbox.matrix import as_markdown, capability_matrix

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "sandbox.md"


class One:
    name = "one"
    capabilities = frozenset({Capability.HOME})


class None_:
    name = "none"
    capabilities = frozenset()


def test_every_capability_has_a_row_and_every_provider_a_cell():
    rows = capability_matrix((One(), None_()))
    assert [row.capability for row in rows] == list(Capability)
    cells = {row.capability: row.promised for row in rows}
    assert cells[Capability.HOME] == (("one", True), ("none", False))
    assert cells[Capability.READ_ONLY] == (("one", False), ("none", False))


def test_the_guide_shows_the_present_matrix():
    assert as_markdown(capability_matrix(PROVIDERS)) in GUIDE.read_text()
