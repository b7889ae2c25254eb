"""A metric on an example page, drawn with characters: every number with a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.browse.page import Page
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.examples import example

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["GAINS", "draw", "drawn_aggregation", "drawn_measure"]

#: The page of Tables 1 and 2 of Moffat et al. (2022).
GAINS = (0.7, 0.4, 0.0, 1.0, 0.5, 0.3)
_PARTS = " ▏▎▍▌▋▊▉█"
_WIDTH = 8
# In the words of the framework: C, V, L, A.
_PRODUCT = ("gain", "continuation", "view", "last", "aggregate", "contribution")
_CLASSIC = ("gain", "discount", "contribution")
# On a page grades are gains.
_SESSION = ("iteration", "position", "grade", "contribution")


def _bar(share: float) -> str:
    """A bar of that share of the full width, to an eighth of a character."""
    eighths = round(min(max(share, 0.0), 1.0) * 8 * _WIDTH)
    return ("█" * (eighths // 8) + _PARTS[eighths % 8]).rstrip()


def draw(columns: Mapping[str, NDArray[np.float64]]) -> str:
    """Numbers and bars, one line per rank; a bar of full width is 1, or the largest number if that is more.

    Examples
    --------
    >>> print(draw({"view": np.array([1.0, 0.5])}))
    rank  view
       1  1.000 ████████
       2  0.500 ████
    """
    shown = [_column(name, values) for name, values in columns.items() if np.isfinite(values).any()]
    ranks = ["rank", *(f"{rank:4d}" for rank in range(1, len(next(iter(columns.values()))) + 1))]
    return "\n".join("  ".join(cells).rstrip() for cells in zip(ranks, *shown, strict=True))


def _column(name: str, values: NDArray[np.float64]) -> list[str]:
    full = max(1.0, float(np.nanmax(values)))
    cells = [name, *(f"{value:.3f} {_bar(value / full)}" for value in values.tolist())]
    width = max(map(len, cells))
    return [cell.ljust(width) for cell in cells]


def drawn_measure(measure: Measure) -> str:
    """A metric on the example page, and its score.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> print(drawn_measure(parse_metric("P@2")).splitlines()[-1])
    score 1.000
    """
    ranked = Ranked.of_gains(GAINS)
    columns = measure.explain(ranked)
    wanted = next(kind for kind in (_PRODUCT, _SESSION, _CLASSIC) if set(kind) <= set(columns))
    shown = {name: np.asarray(columns[name])[0] for name in wanted}
    return f"{draw(shown)}\n\nscore {float(measure.score(ranked)[0]):.3f}"


def drawn_aggregation(name: str) -> str:
    """What a user takes away who leaves after each rank of the example page."""
    page = Page(GAINS)
    return draw({"gain": page.gains, "aggregate": np.asarray(example("aggregate", name).aggregate(page))})
