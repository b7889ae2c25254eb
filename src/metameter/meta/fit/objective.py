"""What is searched: how well scores go with labels, in words that are right for pages and for pairs of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.scoring.pages import item_scores
from metameter.stats.checks import Floats
from metameter.stats.labels.agreement import resampled_agreements
from metameter.stats.labels.counted_taus import resampled_taus
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from metameter.metric.base import Measure
    from metameter.parallel import Progress, Workers
    from metameter.stats.labels.counts import LabelCounts
    from metameter.types.labelled_pages import Labelled


#: Of pages with labels: the share of pairs of pages with different labels that the scores order likewise.
CONCORDANCE = "concordance"
#: Of preferences: the share of them that the difference of the two scores has the sign of.
AGREEMENT = "agreement"
#: Either of scores that say nothing of the labels: equal scores count half in both.
CHANCE = 0.5


@dataclass(frozen=True, eq=False)
class Objective:
    """Concordance with the labels of pages, or agreement with preferences between two pages.

    Concordance of preferences would compare one pair with another: whether b is better than a by more than d is better
    than c. Nobody was asked that, and it would depend on which page of a pair is called a.
    """

    labelled: Labelled
    max_grade: float

    @property
    def name(self) -> str:
        """What it is called, in tables and sentences."""
        return objective_of(self.labelled.label)

    def codes(self, measures: Sequence[Measure]) -> NDArray[np.int64]:
        """The places of all items in the order of each metric's scores, ties shared, and that of a score of 0 last."""
        scores = item_scores(self.labelled, measures, self.max_grade)
        return tied_codes(np.concatenate([scores, np.zeros((len(scores), 1))], axis=1))

    def heights(
        self,
        codes: NDArray[np.int64],
        counts: LabelCounts,
        resamples: Iterable[NDArray[Any]],
        jobs: int | Workers | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """How high it is for each metric in every sample of these counts, (samples, metrics); NaN where undefined."""
        if self.name == CONCORDANCE:
            return resampled_taus(codes, counts, resamples, jobs, progress, "concordance")
        signs = np.sign(codes[:, :-1] - codes[:, -1:])
        preferred = np.sign(self.labelled.levels).astype(np.int64)
        return resampled_agreements(signs, preferred, counts, resamples, jobs, progress)


def objective_of(label: str) -> str:
    """What is searched with labels of this kind.

    Examples
    --------
    >>> objective_of("satisfaction"), objective_of("preference")
    ('concordance', 'agreement')
    """
    return AGREEMENT if label == "preference" else CONCORDANCE
