"""One meaning a colour and a shape, told apart by people with any kind of colour vision."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from metameter.meta.framework.verdicts import DIFFERENCES, VERDICT_COLUMN, VERDICT_STYLES
from metameter.view.charts.theme import GRID, INK, MUTED, PALETTE_ON_DARK, PAPER, SERIES
from metameter.view.tables.html import html_table

NAMES = {"identical", "better-and-similar", "better-but-different", "same", "mixed", "no-evidence", "worse"}
# Machado, Oliveira and Fernandes (2009), severity 1: what people without one kind of cones see, in linear RGB.
VISIONS = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(colour: str, vision: str = "usual") -> np.ndarray:
    """CIE L*a*b*, in which distances are about what people see."""
    seen = np.clip(np.array(VISIONS[vision]) @ linear(colour), 0, 1)
    x, y, z = np.cbrt(XYZ @ seen / [0.95047, 1, 1.08883])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colours: list[str], vision: str) -> float:
    return min(float(np.linalg.norm(lab(a, vision) - lab(b, vision))) for a, b in combinations(colours, 2))


def contrast(colour: str, ground: str) -> float:
    light, dark = sorted((float(XYZ[1] @ linear(each)) for each in (colour, ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_verdict_has_its_own_colour_and_shape() -> None:
    assert set(VERDICT_STYLES) == NAMES | {"reference"}
    assert set(DIFFERENCES) <= NAMES
    for trait in ("colour", "dark", "shape", "meaning"):
        assert len({getattr(each, trait) for each in VERDICT_STYLES.values()}) == len(VERDICT_STYLES)


def test_every_colour_has_one_meaning() -> None:
    verdicts = {each.colour for each in VERDICT_STYLES.values()}
    series = {*SERIES, INK, MUTED, GRID, PAPER}
    assert not verdicts & set(PALETTE_ON_DARK)
    assert not (verdicts | set(PALETTE_ON_DARK)) & series
    # What was found is coloured, what was not is grey.
    grey = {each.name for each in VERDICT_STYLES.values() if np.ptp(lab(each.colour)[1:]) < 1}
    assert grey == {"same", "identical", "no-evidence", "reference"}
    for aggregation in PALETTE_ON_DARK:
        assert min(np.linalg.norm(lab(aggregation) - lab(verdict)) for verdict in verdicts) > 19


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("side", ["colour", "dark"])
def test_colours_are_distinguishable(vision: str, side: str) -> None:
    verdicts = [getattr(each, side) for each in VERDICT_STYLES.values()]
    aggregations = [*PALETTE_ON_DARK] if side == "colour" else [*PALETTE_ON_DARK.values()]
    assert nearest(verdicts, vision) > 9
    assert nearest(aggregations, vision) > 17


def test_marks_contrast_with_the_page() -> None:
    for each in VERDICT_STYLES.values():
        assert contrast(each.colour, "#FFFFFF") > 2.5
        assert contrast(each.dark, "#1A1E22") > 4.5
    for light, dark in PALETTE_ON_DARK.items():
        assert contrast(light, "#FFFFFF") > 2
        assert contrast(dark, "#1A1E22") > 3


def test_findings_come_before_verdicts_without_evidence() -> None:
    given = ["no-evidence", "same", "worse", "identical", "better-but-different", "mixed", "better-and-similar"]
    assert VERDICT_COLUMN.in_order(given)[:4] == [*DIFFERENCES]
    assert VERDICT_COLUMN.in_order(given)[-1] == "no-evidence"


def test_a_notebook_shows_verdict_shapes_and_close_calls() -> None:
    table = pl.DataFrame({"verdict": ["worse", "mixed", "<b>"], "close_call": [True, False, False]})
    page = html_table(table, marks=VERDICT_COLUMN)
    worse, mixed = VERDICT_STYLES["worse"], VERDICT_STYLES["mixed"]
    assert (
        f'<path d="{worse.shape}" fill="none" stroke="{worse.colour}" stroke-width="0.4"/></svg> worse (close call)<'
        in page
    )
    assert (
        f'<path d="{mixed.shape}" fill="{mixed.colour}" stroke="{mixed.colour}" stroke-width="0"/></svg> mixed<' in page
    )
    assert "&lt;b&gt;" in page
    assert "<svg" not in html_table(table.drop("verdict"), marks=VERDICT_COLUMN)
