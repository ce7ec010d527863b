"""What the caller of an evaluation asked for, from its report's JSON form: a gate judges nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WITHOUT_FINDINGS = frozenset({"robustness"})
_WITHOUT_CREDIBILITY = frozenset({"resource"})
"""Dimensions whose scores do not depend on credibility (scoring.md section 4)."""


def has_findings(dimension: str) -> bool:
    """Whether what is measured for a dimension finds anything in the code."""
    return dimension not in _WITHOUT_FINDINGS


class Asked:
    """What was asked for, told by what the report says was left out."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        dimensions: Mapping[str, Mapping[str, Any]] = report["dimensions"]
        self._functional = not report["functional"].get("left_out", False)
        self._left_out = frozenset(name for name, one in dimensions.items() if one.get("left_out", False))
        self._wanted = frozenset(dimensions) - self._left_out
        self._of_measure = {
            measure["id"]: name for name, one in dimensions.items() for measure in one.get("measures", ())
        }

    def score(self, name: str) -> bool:
        """Whether a score was asked for: of a dimension, of a measure, or one of the totals."""
        match name:
            case "functional":
                return self._functional
            case "credibility":
                return not self._left_out or bool(self._wanted - _WITHOUT_CREDIBILITY)
            case "non_functional":
                return not self._left_out
            case "effective":
                return self._functional and not self._left_out
            case _:
                return self._of_measure.get(name, name) not in self._left_out

    def findings(self) -> bool:
        """Whether a dimension was asked for that has findings."""
        return not self._left_out or bool(self._wanted - _WITHOUT_FINDINGS)

    def number(self, path: str) -> bool:
        """Whether the number at a path of the report was asked for."""
        match path.split("."):
            case ["branch", "tests", *_]:
                return self.score("functional")
            case ["branch", "names", *_]:
                return self.score("credibility")
            case ["branch", "findings", *_] | ["findings", *_]:
                return self.findings()
            case ["dimensions", name, *_]:
                return self.score(name)
            case [name, *_]:
                return self.score(name)
            case _:
                return True
