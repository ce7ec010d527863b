"""Charts as small inline SVG, drawn by Vega: declared here, coloured by the page's own custom properties.

A chart is one image to a screen reader; the page always has its numbers in a table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from qualityscore.reports.plain_text import inert

WIDTH = 352
"""Pixels: what a phone of 400 shows without shrinking the letters."""

LABEL = 24
_NAMESPACE = "http://www.w3.org/2000/svg"
MOST_LABELS = 40
MOST_WORDS = 2_000
_INK, _MUTED, _LINE = "var(--ink)", "var(--muted)", "var(--line)"
_SUBJECT, _REFERENCE, _LOSS = "var(--subject)", "var(--reference)", "var(--loss)"
HEAT = ("#8c2d04", "#cc4c02", "#fe9929", "#fee391", "#c7e9b4", "#7fcdbb", "#1d91c0", "#0c2c84")
"""Eight steps from 0 to 1 that stay apart in the common kinds of colour blindness, on light and on dark."""
_CLASSES = {
    "executability": "#d95f02",
    "mismatch": "#7570b3",
    "non_functional": "#1b9e77",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A labelled value with its interval, where it has one."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""


def label(text: str, limit: int = LABEL) -> str:
    """A name as charts show it: inert, and cut in its middle, where names of one project differ least."""
    shown = inert(text)
    return shown if len(shown) <= limit else f"{shown[: limit // 2 - 1]}…{shown[-(limit // 2) :]}"


def radar(scores: Mapping[str, float], *, describe: str) -> str:
    """The dimensions as a polygon within that of the reference, which is 1 everywhere."""
    names = list(scores)
    points = [
        {"name": name, "value": value, "series": series}
        for series, values in (("reference", dict.fromkeys(names, 1.0)), ("subject", scores))
        for name, value in values.items()
    ]
    place = {
        "x": {"signal": "scale('radial', datum.value) * cos(scale('angle', datum.name))"},
        "y": {"signal": "scale('radial', datum.value) * sin(scale('angle', datum.name))"},
    }
    spokes = {
        "x": {"value": 0},
        "y": {"value": 0},
        "x2": {"signal": "radius * cos(scale('angle', datum.name))"},
        "y2": {"signal": "radius * sin(scale('angle', datum.name))"},
        "stroke": {"value": _LINE},
    }
    rings = [
        {
            "type": "line",
            "from": {"data": "names"},
            "encode": {
                "enter": {
                    "interpolate": {"value": "linear-closed"},
                    "x": {"signal": f"{share} * radius * cos(scale('angle', datum.name))"},
                    "y": {"signal": f"{share} * radius * sin(scale('angle', datum.name))"},
                    "stroke": {"value": _LINE},
                }
            },
        }
        for share in (0.25, 0.5, 0.75)
    ]
    spec = {
        "width": WIDTH,
        "height": 232,
        "padding": 0,
        "autosize": {"type": "none"},
        "signals": [{"name": "radius", "update": "88"}],
        "data": [
            {"name": "points", "values": points},
            {"name": "names", "values": [{"name": name} for name in names]},
        ],
        "scales": [
            {
                "name": "angle",
                "type": "point",
                "range": {"signal": "[-PI / 2, 1.5 * PI]"},
                "padding": 0.5,
                "align": 0,
                "domain": names,
            },
            {"name": "radial", "type": "linear", "range": {"signal": "[0, radius]"}, "domain": [0, 1]},
        ],
        "encode": {"enter": {"x": {"value": WIDTH / 2}, "y": {"value": 120}}},
        "marks": [
            {"type": "rule", "from": {"data": "names"}, "encode": {"enter": spokes}},
            *rings,
            {
                "type": "group",
                "from": {"facet": {"data": "points", "name": "facet", "groupby": ["series"]}},
                "marks": [
                    {
                        "type": "line",
                        "from": {"data": "facet"},
                        "encode": {
                            "enter": {
                                "interpolate": {"value": "linear-closed"},
                                **place,
                                "stroke": {"signal": f"datum.series == 'subject' ? '{_SUBJECT}' : '{_REFERENCE}'"},
                                "strokeDash": {"signal": "datum.series == 'subject' ? [1, 0] : [5, 3]"},
                                "strokeWidth": {"signal": "datum.series == 'subject' ? 2.5 : 1.5"},
                                "fill": {"signal": f"datum.series == 'subject' ? '{_SUBJECT}' : 'none'"},
                                "fillOpacity": {"value": 0.18},
                            }
                        },
                    }
                ],
            },
            {
                "type": "symbol",
                "from": {"data": "points"},
                "encode": {
                    "enter": {
                        **place,
                        "size": {"signal": "datum.series == 'subject' ? 36 : 0"},
                        "fill": {"value": _SUBJECT},
                    }
                },
            },
            {
                "type": "text",
                "from": {"data": "names"},
                "encode": {
                    "enter": {
                        "x": {"signal": "(radius + 8) * cos(scale('angle', datum.name))"},
                        "y": {"signal": "(radius + 12) * sin(scale('angle', datum.name))"},
                        "text": {"field": "name"},
                        "align": {
                            "signal": "abs(cos(scale('angle', datum.name))) < 0.1 ? 'center' : "
                            "cos(scale('angle', datum.name)) > 0 ? 'left' : 'right'"
                        },
                        "baseline": {"value": "middle"},
                        "fill": {"value": _INK},
                        "fontSize": {"value": 12},
                    }
                },
            },
        ],
    }
    return _svg("https://vega.github.io/schema/vega/v6.json", spec, describe)


def waterfall(losses: Sequence[tuple[str, float]], *, start: float, describe: str) -> str:
    """What each measure takes from `start`, largest first; the last mark is what remains."""
    rows, level = [], start
    for name, lost in losses:
        rows.append({"name": label(name), "from": level, "to": level - lost, "text": f"−{lost:.3f}"})
        level -= lost
    rows.append({"name": "what remains", "from": level, "to": level, "text": f"{level:.3f}"})
    floor = max(0.0, level - 0.35 * (start - level) - 0.005)
    x = {"type": "quantitative", "scale": {"domain": [floor, start], "nice": False}, "title": None}
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"ticks": False, "domain": False}}
    spec = {
        "width": WIDTH,
        "height": {"step": 22},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": rows},
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "bar", "color": _LOSS, "height": 13},
                "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}},
            },
            {
                "transform": [{"filter": "datum.from === datum.to"}],
                "mark": {"type": "tick", "color": _SUBJECT, "thickness": 3, "size": 17},
                "encoding": {"x": {**x, "field": "to"}},
            },
            {
                "mark": {"type": "text", "align": "right", "dx": -5, "color": _INK},
                "encoding": {"x": {**x, "field": "to"}, "text": {"field": "text"}},
            },
        ],
    }
    return _lite(spec, describe)


def intervals(
    rows: Sequence[Interval],
    *,
    describe: str,
    title: str,
    domain: tuple[float, float] | None = None,
    log: bool = False,
    mark: float | None = None,
    band: tuple[float, float] | None = None,
) -> str:
    """A dot per row with its interval; `mark` is a line to compare with, `band` what counts as equal to it."""
    known = list(dict.fromkeys(row.series for row in rows))
    values = [
        {
            "name": label(row.label),
            "value": row.value,
            "low": row.value if row.low is None else row.low,
            "high": row.value if row.high is None else row.high,
            "series": label(row.series),
        }
        for row in rows
    ]
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    ends += [mark] if mark is not None else []
    if domain is None:
        room = 1.05 if log else 0.05 * (max(ends) - min(ends) or 1.0)
        domain = (min(ends) / room, max(ends) * room) if log else (min(ends) - room, max(ends) + room)
    scale = {"type": "log" if log else "linear", "domain": list(domain), "nice": False, "clamp": True}
    axis: dict[str, Any] = {"tickCount": 5, "format": ".3~g"}
    if log and domain[1] < 10 * domain[0]:
        # within a decade Vega's own labels leave out all above some digit: 0.9 of 0.85 to 1.1
        axis |= {"labelExpr": "format(datum.value, '.3~g')", "labelOverlap": "greedy"}
    x = {"type": "quantitative", "scale": scale, "title": title, "axis": axis}
    y: dict[str, Any] = {"field": "name", "type": "nominal", "sort": None, "title": None}
    color: dict[str, Any] = {"value": _SUBJECT}
    offset: dict[str, Any] = {}
    if len(known) > 1:
        names = [label(name) for name in known]
        color = {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": names, "range": [_SUBJECT, _REFERENCE, _LOSS][: len(names)]},
            "legend": {"orient": "top", "title": None},
        }
        offset = {"yOffset": {"field": "series", "type": "nominal", "scale": {"domain": names}}}
    layers: list[dict[str, Any]] = []
    if band is not None:
        layers.append(
            {
                "data": {"values": [{"low": band[0], "high": band[1]}]},
                "mark": {"type": "rect", "color": _LINE, "opacity": 0.7},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            }
        )
    if mark is not None:
        layers.append(
            {
                "data": {"values": [{"at": mark}]},
                "mark": {"type": "rule", "color": _REFERENCE, "strokeDash": [5, 3]},
                "encoding": {"x": {**x, "field": "at"}},
            }
        )
    layers += [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"y": y, **offset, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": color},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {"y": y, **offset, "x": {**x, "field": "value"}, "color": color},
        },
    ]
    spec = {
        "width": WIDTH,
        "height": {"step": 24 if len(known) < 2 else 14},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": values},
        "layer": layers,
    }
    return _lite(spec, describe)


def growth(curves: Sequence[tuple[str, str, Sequence[tuple[float, float]]]], *, describe: str, title: str) -> str:
    """Cost over size on log axes, a small plot per workload: (workload, side, points)."""
    values = [
        {"workload": label(workload, 22), "side": side, "x": x, "y": y}
        for workload, side, points in curves
        for x, y in points
        if x > 0 and y > 0
    ]
    return _lite(
        {
            "data": {"values": values},
            "facet": {"field": "workload", "type": "nominal", "title": None, "sort": None},
            "columns": 2,
            "spacing": 14,
            "resolve": {"scale": {"x": "independent", "y": "independent"}},
            "spec": {
                "width": 112,
                "height": 90,
                "mark": {"type": "line", "point": {"size": 30}},
                "encoding": {
                    "x": _log_axis("x", None, "~s"),
                    "y": _log_axis("y", title, "~s"),
                    **_sides(),
                },
            },
        },
        describe,
    )


def over_time(curves: Sequence[tuple[str, str, Sequence[tuple[float, float]]]], *, describe: str, title: str) -> str:
    """A quantity over seconds, a small plot per workload: (workload, side, points)."""
    values = [
        {"workload": label(workload, 22), "side": side, "x": x, "y": y}
        for workload, side, points in curves
        for x, y in points
    ]
    return _lite(
        {
            "data": {"values": values},
            "facet": {"field": "workload", "type": "nominal", "title": None, "sort": None},
            "columns": 2,
            "spacing": 14,
            "resolve": {"scale": {"x": "independent", "y": "independent"}},
            "spec": {
                "width": 112,
                "height": 90,
                "mark": {"type": "line", "interpolate": "step-after"},
                "encoding": {
                    "x": {"field": "x", "type": "quantitative", "title": "s", "axis": {"tickCount": 3}},
                    "y": {
                        "field": "y",
                        "type": "quantitative",
                        "title": title,
                        "axis": {"tickCount": 3, "format": "~s"},
                    },
                    **_sides(),
                },
            },
        },
        describe,
    )


def heat_map(
    cells: Sequence[tuple[str, str, float | None]], *, describe: str, x_title: str, percent: bool = False
) -> str:
    """Rows and columns in the order of the cells (row, column, value between 0 and 1), the value in each cell."""
    columns = list(dict.fromkeys(column for _, column, _ in cells))
    values = [
        {
            "row": label(row),
            "column": label(column, 18),
            "value": value,
            "step": None if value is None else min(7, max(0, math.floor(value * 8))),
            "text": "–" if value is None else f"{100 * value:.0f}" if percent else f"{value:.2f}",
        }
        for row, column, value in cells
    ]
    steps = list(range(len(HEAT)))
    turned = max((len(label(column, 18)) for column in columns), default=0) > 3
    x = {
        "field": "column",
        "type": "nominal",
        "sort": None,
        "title": None if turned else x_title,  # turned labels would run through it
        "axis": {"orient": "top", "labelAngle": -60 if turned else 0, "labelLimit": 140},
    }
    y = {"field": "row", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 150}}
    dark = {"test": "datum.step === null", "value": _MUTED}
    return _lite(
        {
            # Vega takes turned labels to be shorter than they are
            **({"padding": {"left": 18, "right": 45, "top": 22, "bottom": 5}} if turned else {}),
            "width": {"step": 34},
            "height": {"step": 22},
            "data": {"values": values},
            "encoding": {"x": x, "y": y},
            "layer": [
                {
                    "mark": {"type": "rect", "stroke": "var(--paper)"},
                    "encoding": {
                        "color": {
                            "condition": {"test": "datum.step === null", "value": "none"},
                            "field": "step",
                            "type": "ordinal",
                            "scale": {"domain": steps, "range": list(HEAT)},
                            "legend": None,
                        }
                    },
                },
                {
                    "mark": {"type": "text", "fontSize": 10.5},
                    "encoding": {
                        "text": {"field": "text"},
                        "color": {
                            "condition": [dark, {"test": "datum.step < 2 || datum.step > 6", "value": "#fff"}],
                            "value": "#000",
                        },
                    },
                },
            ],
        },
        describe,
    )


def failure_classes(counts: Sequence[tuple[str, str, int]], *, describe: str) -> str:
    """Failed tests by class: (label, class, count), one bar per label, its length the number of failures."""
    values = [{"name": label(name), "class": kind.replace("_", "-"), "count": count} for name, kind, count in counts]
    return _lite(
        {
            "width": WIDTH,
            "height": {"step": 24},
            "autosize": {"type": "fit-x", "contains": "padding"},
            "data": {"values": values},
            "mark": {"type": "bar", "height": 14},
            "encoding": {
                "y": {"field": "name", "type": "nominal", "sort": None, "title": None},
                "x": {"field": "count", "type": "quantitative", "title": "failed tests", "axis": {"tickCount": 5}},
                "color": {
                    "field": "class",
                    "type": "nominal",
                    "scale": {
                        "domain": [name.replace("_", "-") for name in _CLASSES],
                        "range": list(_CLASSES.values()),
                    },
                    "legend": {"orient": "top", "title": None, "columns": 2},
                },
            },
        },
        describe,
    )


def _sides() -> dict[str, Any]:
    names = ["subject", "reference"]
    scale = {"domain": names, "range": [_SUBJECT, _REFERENCE]}
    legend = {"orient": "top", "title": None}
    return {
        "color": {"field": "side", "type": "nominal", "scale": scale, "legend": legend},
        "strokeDash": {
            "field": "side",
            "type": "nominal",
            "scale": {"domain": names, "range": [[1, 0], [5, 3]]},
            "legend": legend,
        },
    }


def _log_axis(field: str, title: str | None, form: str) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "nice": False},
        "axis": {"tickCount": 3, "format": form, "labelOverlap": True},
    }


def _lite(spec: Mapping[str, Any], describe: str) -> str:
    return _svg("https://vega.github.io/schema/vega-lite/v6.json", spec, describe)


_CONFIG: dict[str, Any] = {
    "aria": False,
    "background": None,
    "padding": {"left": 18, "right": 10, "top": 5, "bottom": 5},
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _MUTED,
        "domainColor": _LINE,
        "tickColor": _LINE,
        "gridColor": _LINE,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 190,
    },
    "header": {"labelColor": _INK, "labelFontSize": 11},
    "legend": {"labelColor": _INK, "labelFontSize": 11},
    "text": {"fontSize": 11},
}


def _svg(schema: str, spec: Mapping[str, Any], describe: str) -> str:
    """The chart as an `svg` element that is one image named by `describe`."""
    import vl_convert  # noqa: PLC0415

    if schema.endswith("/vega-lite/v6.json"):
        drawn = vl_convert.vegalite_to_svg({"$schema": schema, "config": _CONFIG, **spec}, vl_version="6.4")
    else:
        config = {key: value for key, value in _CONFIG.items() if key in ("axis", "text", "background")}
        drawn = vl_convert.vega_to_svg({"$schema": schema, "config": config, **spec})
    return _one_image(str(drawn), describe)


def _one_image(drawn: str, describe: str) -> str:
    """The drawing as a single image with a name: Vega gives roles to its marks, but names to none of them."""
    ElementTree.register_namespace("", _NAMESPACE)
    root = ElementTree.fromstring(drawn)
    for element in root.iter():
        for name in [n for n in element.attrib if n == "role" or n.startswith("aria-")]:
            del element.attrib[name]
    root.attrib.pop("class", None)
    root.attrib.update({"role": "img", "aria-label": inert(describe, limit=MOST_WORDS)})
    return ElementTree.tostring(root, encoding="unicode")
