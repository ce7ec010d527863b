"""What is wrong with a gate whatever a report will say: found from the reports' JSON Schema, before all measuring.

Where the schema leaves a place open (free-form details, lists whose entries nobody knows yet) nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from qualityscore.core.gate import ConditionSpec, Gate, near
from qualityscore.core.profile import Profile
from qualityscore.errors import SettingsError

TOTALS = ("functional", "credibility", "non_functional")
_KINDS = {
    "array": "a list (bound its count)",
    "object": "a group of numbers (bound one of them)",
    "string": "a text",
    "boolean": "true or false",
}


def check(gate: Gate, schema: Mapping[str, Any], profile: Profile, *, accept_removed: bool = False) -> None:
    """Raise SettingsError where no report by `profile` can have what a condition names, or none as a number.

    `schema` is the JSON Schema of reports.
    """
    for spec in gate.conditions:
        if spec.accepts_removed and accept_removed:
            continue
        if spec.drop is not None:
            _check_drop(spec, profile, gate.source)
        if spec.number is not None:
            _Walk(schema, profile, spec.number, gate.source).check()


def _check_drop(spec: ConditionSpec, profile: Profile, source: str) -> None:
    known = (*TOTALS, *(dimension.id for dimension in profile.dimensions), *profile.measure_ids)
    if spec.drop not in known:
        raise SettingsError(f"The gate {source} names {spec.drop!r}, which has no score; {near(str(spec.drop), known)}")


class _Walk:
    """The way of one path through the schema."""

    def __init__(self, schema: Mapping[str, Any], profile: Profile, path: str, source: str) -> None:
        self._schema, self._path, self._source = schema, path, source
        # The keys of a report that no schema names, by the place that has them.
        self._keys: dict[tuple[str, ...], tuple[str, ...]] = {
            ("dimensions",): tuple(dimension.id for dimension in profile.dimensions),
            **{
                ("dimensions", dimension.id, "measures"): tuple(metric.id for metric in dimension.metrics)
                for dimension in profile.dimensions
            },
        }

    def check(self) -> None:
        place: Mapping[str, Any] = self._schema
        taken: tuple[str, ...] = ()
        rest = self._path
        while rest:
            (place, *others) = self._alternatives(place) or ({},)
            if others or not place:
                return
            if place.get("type") == "array" and rest == "count":
                return
            names = self._names(place, taken)
            if names is None:
                return
            step = next(
                (n for n in sorted(names, key=len, reverse=True) if rest == n or rest.startswith(f"{n}.")), None
            )
            if step is None:
                raise SettingsError(
                    f"The gate {self._source} names {self._path!r}, which the report does not have; {near(rest, names)}"
                )
            place, taken, rest = names[step], (*taken, step), rest[len(step) + 1 :]
        kinds = [_KINDS.get(str(one.get("type"))) for one in self._alternatives(place)]
        if kinds and all(kinds):
            raise SettingsError(f"The gate {self._source} bounds {self._path!r}, which is no number but {kinds[0]}.")

    def _names(self, place: Mapping[str, Any], taken: tuple[str, ...]) -> dict[str, Mapping[str, Any]] | None:
        """What can be named at a place, with its schema; None where that is not known before there is a report."""
        known = self._keys.get(taken)
        match place.get("type"):
            case "object" if "properties" in place:
                return dict(place["properties"])
            case "object":
                inner = place.get("additionalProperties", True)
                return dict.fromkeys(known, inner) if known is not None else None
            case "array":
                if known is not None:
                    return {**dict.fromkeys(known, place["items"]), "count": {"type": "integer"}}
                entries = self._alternatives(place.get("items", {}))
                if all("id" not in entry.get("properties", {}) for entry in entries if entry):
                    return {"count": {"type": "integer"}}
                return None
            case _:
                return {}

    def _alternatives(self, place: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """What a place may hold, save null: a null on the way is a number that was not measured."""
        return [one for one in self._resolved(place) if one.get("type") != "null"]

    def _resolved(self, place: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        if "$ref" in place:
            yield from self._resolved(self._schema["$defs"][place["$ref"].rpartition("/")[2]])
        elif "anyOf" in place:
            for one in place["anyOf"]:
                yield from self._resolved(one)
        else:
            yield place
