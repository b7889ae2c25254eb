"""How far the gain on held-out data would move with other users, the parameters being searched anew on each draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.fit.free_parameters import FreeModel
from metameter.meta.fit.objective import Objective
from metameter.meta.fit.search import Searched
from metameter.stats.checks import Floats
from metameter.stats.labels.counts import LabelCounts, label_resamples
from metameter.stats.labels.likelihood import highest_points
from metameter.stats.resampling.replicates import BLOCK

if TYPE_CHECKING:
    from metameter.metric.base import Measure
    from metameter.parallel import Workers


#: Every draw is searched once for each fold: about so many searches are done, but never fewer than one block of draws.
_SEARCHES = 20 * BLOCK
#: Counts in memory at a time.
_CHUNK = 1 << 22


def most_draws(folds: int) -> int:
    """How many draws are enough of so many folds: whole blocks of them.

    Examples
    --------
    >>> [most_draws(folds) for folds in (2, 5, 10, 100)]
    [640, 256, 128, 64]
    """
    return max(_SEARCHES // (folds * BLOCK), 1) * BLOCK


@dataclass(frozen=True, eq=False)
class Refits:
    """All folds drawn anew, what is left of each draw searched again, and both metrics held against the fold's draw.

    What a fold is asked about was fitted to the other folds: so folds are not independent, though no user is in two of
    them. How dependent they are follows from how far the search is moved by who was drawn, which varies: much where
    labels say little, hardly at all where they are clear. So it is drawn, too.

    Attributes
    ----------
    objective : Objective
    counts : LabelCounts
        Of all labels.
    folds : sequence of LabelCounts
    model : FreeModel
    found : Searched
        The first of its grids, which covers all that may be found, is searched again.
    reference : Measure
    """

    objective: Objective
    counts: LabelCounts
    folds: Sequence[LabelCounts]
    model: FreeModel
    found: Searched
    reference: Measure

    def heights(
        self,
        draws: int,
        seed: int,
        jobs: int | Workers | None = None,
        progress: Callable[..., None] | None = None,
    ) -> Floats:
        """The height of what was fitted to the other folds of a draw, and of the reference, (folds, draws, 2)."""
        points = self.found.grids[0].points
        codes = self.objective.codes([*(self.model.metric(values) for values in points), self.reference])
        steps = np.stack([np.unique(own, return_inverse=True)[1].reshape(-1) for own in points.T], axis=1)
        # Folds are drawn apart: one stream for all would draw the same users of each.
        drawn = [label_resamples(fold, draws, seed, (number,)) for number, fold in enumerate(self.folds)]
        cells = [self._cells(fold) for fold in self.folds]
        # As many blocks at a time as memory should hold: to prepare a metric takes longer than one block.
        together = max(_CHUNK // (BLOCK * len(self.counts.cells)), 1)
        parts = []
        for start in range(0, len(drawn[0]), together):
            numbers = range(start, min(start + together, len(drawn[0])))
            blocks = [np.concatenate([each.block(number) for number in numbers]) for each in drawn]
            parts.append(self._asked(codes, steps.astype(np.float64), cells, blocks, jobs))
            if progress is not None:
                progress(numbers[-1] + 1, len(drawn[0]), "draws of folds")
        return np.concatenate(parts, axis=1)

    def _asked(
        self,
        codes: NDArray[np.int64],
        steps: Floats,
        cells: Sequence[NDArray[np.int64]],
        blocks: Sequence[NDArray[np.int64]],
        jobs: int | Workers | None,
    ) -> Floats:
        """The same for some draws, (draws, cells of the fold) each."""
        whole = np.zeros((len(blocks[0]), len(self.counts.cells)), dtype=np.int64)
        for own, block in zip(cells, blocks, strict=True):
            whole[:, own] += block
        several = []
        for fold, own, block in zip(self.folds, cells, blocks, strict=True):
            others = whole.copy()
            others[:, own] -= block
            best = highest_points(self.objective.heights(codes[:-1], self.counts, [others], jobs), steps).middle
            asked = self.objective.heights(codes, fold, [block], jobs)
            several.append(np.stack([asked[np.arange(len(asked)), best], asked[:, -1]], axis=1))
        return np.stack(several)

    def _cells(self, fold: LabelCounts) -> NDArray[np.int64]:
        """The places of a fold's cells among all."""
        every, own = (each.cells[:, 0] * self.counts.levels + each.cells[:, 1] for each in (self.counts, fold))
        return np.searchsorted(every, own)
