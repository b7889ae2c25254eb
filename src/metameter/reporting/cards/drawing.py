"""A metric on an example page, drawn with characters: every number with a bar."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.browse.page import Page
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.examples import GAINS, example

if TYPE_CHECKING:
    from collections.abc import Mapping


_PARTS = " ▏▎▍▌▋▊▉█"
_WIDTH = 8
# In the words of the framework: C, V, L, A.
_PRODUCT = ("gain", "continuation", "view", "last", "aggregate", "contribution")
_CLASSIC = ("gain", "discount", "contribution")
# On a page grades are gains.
_SESSION = ("iteration", "position", "grade", "contribution")


@dataclass(frozen=True, eq=False)
class Drawing:
    """Numbers and bars, one line per rank; a bar of full width is 1, or the largest number if that is more.

    Attributes
    ----------
    columns : mapping of str to array
    score : float, optional
        What stands below them.

    Examples
    --------
    >>> print(Drawing({"view": np.array([1.0, 0.5])}))
    rank  view
       1  1.000 ████████
       2  0.500 ████
    """

    columns: Mapping[str, NDArray[np.float64]]
    score: float | None = None

    def __str__(self) -> str:
        return self._with_bars(_WIDTH)

    def fitted(self, width: int) -> str:
        """Return the drawing with shorter bars, without bars, or without columns between gain and contribution.

        Examples
        --------
        >>> print(Drawing({"view": np.array([1.0, 0.5])}).fitted(16))
        rank  view
           1  1.000 ████
           2  0.500 ██
        """
        for bar in range(_WIDTH, -1, -1):
            text = self._with_bars(bar)
            if max(map(len, text.split("\n"))) <= width:
                return text
        first, *between, last = self.columns
        if not between:
            return text
        return replace(self, columns={name: self.columns[name] for name in (first, *between[1:], last)}).fitted(width)

    def _with_bars(self, bar: int) -> str:
        arrays = [_column(name, values, bar) for name, values in self.columns.items() if np.isfinite(values).any()]
        ranks = ["rank", *(f"{rank:4d}" for rank in range(1, len(next(iter(self.columns.values()))) + 1))]
        lines = ["  ".join(cells).rstrip() for cells in zip(ranks, *arrays, strict=True)]
        return "\n".join(lines if self.score is None else [*lines, "", f"score {self.score:.3f}"])


def _bar(share: float, full: int) -> str:
    """A bar of that share of the full width, to an eighth of a character."""
    eighths = round(min(max(share, 0.0), 1.0) * 8 * full)
    return ("█" * (eighths // 8) + _PARTS[eighths % 8]).rstrip()


def _column(name: str, values: NDArray[np.float64], bar: int) -> list[str]:
    most = max(1.0, float(np.nanmax(values)))
    cells = [name, *(f"{value:.3f}" + f" {_bar(value / most, bar)}" * (bar > 0) for value in values.tolist())]
    width = max(map(len, cells))
    return [cell.ljust(width) for cell in cells]


def draw_measure(measure: Measure) -> Drawing:
    """A metric on the example page, and its score.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> print(str(draw_measure(parse_metric("P@2"))).splitlines()[-1])
    score 1.000
    """
    ranked = Ranked.of_gains(GAINS)
    columns = measure.explain(ranked)
    columns_shown = next(kind for kind in (_PRODUCT, _SESSION, _CLASSIC) if set(kind) <= set(columns))
    arrays = {name: np.asarray(columns[name])[0] for name in columns_shown}
    return Drawing(arrays, float(measure.score(ranked)[0]))


def draw_aggregation(name: str) -> Drawing:
    """An aggregation on the example page: what a user who leaves after each rank takes away."""
    page = Page(GAINS)
    return Drawing({"gain": page.gains, "aggregate": np.asarray(example("aggregate", name).aggregate(page))})
