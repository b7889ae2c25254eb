"""The dots of the chart of stability against agreement with users, and where their names stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.groups import aggregation_of, is_canonical, product_of
from metameter.meta.recommend.pareto_front import front, stairs
from metameter.meta.recommend.pareto_labels import Panel, step_boxes
from metameter.view.charts.label_places import LETTER, LINE, places
from metameter.view.charts.robust import beyond, clipped

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MOST_LABELS", "corners", "dots", "placed"]

#: With more dots only those of the front, and those beyond the frame, are named.
MOST_LABELS = 14
# A name so many pixels from its dot needs no line.
_NEAR = 16
_OTHER = "other metrics"


def dots(known: pl.DataFrame, across: str, kind: str) -> list[dict[str, Any]]:
    """A row per dot: metrics with the same numbers share one; whether it is on the front of this panel."""
    stem = "tau" if kind == "tau_b" else kind
    low, high = f"{stem}_low", f"{stem}_high"
    found: dict[tuple[float, float], dict[str, Any]] = {}
    for row in known.iter_rows(named=True):
        key = (round(row[across], 9), round(row[kind], 9))
        if key in found:
            found[key]["metrics"] += f" = {row['metric']}"
            found[key]["alike"] += 1
            found[key]["ringed"] |= bool(row.get("front"))
            continue
        numbers = {"value_x": row[across], "value_y": row[kind], "low": row.get(low), "high": row.get(high)}
        told = {"metrics": row["metric"], "alike": 0, "ringed": bool(row.get("front"))}
        found[key] = {"metric": row["metric"], **told, **numbers}
    kept = set(front(list(found)))
    return [{**row, "front": key in kept} for key, row in found.items()]


def placed(rows: list[dict[str, Any]], panels: Sequence[Panel]) -> pl.DataFrame:
    """The dots within the frame, with what is written beside them, and where."""
    import polars as pl

    across, up = panels[0].across, panels[0].up
    for row in rows:
        far = [beyond(row["value_x"], across), beyond(row["value_y"], up, "↓↑")]
        row |= {"x": clipped(row["value_x"], across), "y": clipped(row["value_y"], up), "far": any(far)}
        row |= {"bottom": clipped(row["low"], up), "top": clipped(row["high"], up)}
        name = row["metric"] + (f" and {row['alike']} alike" if row["alike"] else "")
        row |= {"label": " ".join(filter(None, [name, *far])), "canonical": is_canonical(row["metric"])}
        row["aggregation"] = aggregation_of(row["metric"]) if product_of(row["metric"]) else _OTHER
    for i in set(range(len(rows))) - _named(rows):
        rows[i]["label"] = ""
    for suffix, panel in zip(("", "_narrow"), panels, strict=True):
        for row, moved in zip(rows, _moves(rows, panel), strict=True):
            row |= {f"{key}{suffix}": number_ for key, number_ in moved.items()}
    ends = dict.fromkeys(("low", "high", "bottom", "top"), pl.Float64)
    # More digits than can be seen would only make pages larger.
    shown = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=ends)
    return shown.with_columns(pl.col(pl.Float64).round(5))


def _named(rows: list[dict[str, Any]]) -> set[int]:
    """The dots that carry their names: the front first; the names of most others are left to the tooltips."""
    wanted = sorted(range(len(rows)), key=lambda i: (not rows[i]["front"], not rows[i]["far"]))
    few = len(rows) <= MOST_LABELS
    return {i for i in wanted[:MOST_LABELS] if few or rows[i]["front"] or rows[i]["far"]}


def _moves(rows: list[dict[str, Any]], panel: Panel) -> list[dict[str, float]]:
    """How far from its dot each name stands, and where the line to it ends."""
    middles_of = [panel.pixels(row["x"], row["y"]) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: not rows[i]["label"])
    lines = step_boxes(corners(rows, panel), panel)
    lines += [panel.box(row["x"], row["x"], row["bottom"], row["top"]) for row in rows if row["bottom"] is not None]
    labels = [rows[i]["label"] for i in order]
    middles = places([middles_of[i] for i in order], labels, (panel.width, panel.height), lines, far=True)
    moved: dict[int, dict[str, float]] = {}
    for i, label, (x, y) in zip(order, labels, middles, strict=True):
        dx, dy = x - middles_of[i][0], y - middles_of[i][1]
        end = _end(dx, dy, label)
        moved[i] = {"dx": round(dx, 1), "dy": round(dy, 1), "to_x": round(end[0], 1), "to_y": round(end[1], 1)}
    return [moved[i] for i in range(len(rows))]


def _end(dx: float, dy: float, label: str) -> tuple[float, float]:
    """Where the line to a name ends: at the nearest point of its box; where it began, if that is near."""
    half = LETTER * len(label) / 2
    across = dx - half if dx > half else dx + half if dx < -half else 0.0
    up = dy - LINE / 2 if dy > LINE / 2 else dy + LINE / 2 if dy < -LINE / 2 else 0.0
    return (across, up) if math.hypot(across, up) > _NEAR else (0.0, 0.0)


def corners(rows: list[dict[str, Any]], panel: Panel) -> list[tuple[float, float]]:
    """The corners of the front, within the frame."""
    values = [(row["value_x"], row["value_y"]) for row in rows if row["front"]]
    steps = stairs(values, panel.across[0], panel.up[0]) if values else []
    return [(clipped(a, panel.across) or 0.0, clipped(b, panel.up) or 0.0) for a, b in steps]
