"""All random draws behind the comparison of metrics: splits, and resamples of the topics with splits of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import (
    ResampledTaus,
    approximate_power,
    resampled_power,
    resampled_taus,
)
from metameter.stats.consistency.split_taus import more_split_taus
from metameter.stats.resampling.replicates import BLOCK


@dataclass(frozen=True, eq=False)
class MetricDraws:
    """Power and consistency of the metrics, on these topics and on resampled ones.

    Attributes
    ----------
    split_taus : ndarray, (splits, metrics)
        Of halves of the topics; their mean is the consistency.
    halves : ResampledTaus
        Of halves of resampled topics.
    observed_power : ndarray, (metrics,)
        By the randomised test's normal approximation.
    power : ndarray, (resamples, metrics)
        The same on the resamples.
    """

    split_taus: Floats
    halves: ResampledTaus
    observed_power: Floats
    power: Floats

    @classmethod
    def of(
        cls,
        matrix: Floats,
        split_taus: Floats,
        halves: ResampledTaus,
        *,
        alpha: float,
        seed: int,
        power: Floats | None = None,
        **how: Any,
    ) -> MetricDraws:
        """The draws that consistency made, and the power of the same resamples.

        Parameters
        ----------
        matrix : ndarray, (metrics, topics, systems)
        split_taus : ndarray, (splits, metrics)
        halves : ResampledTaus
        alpha : float
            Of the test behind power.
        seed : int
        power : ndarray, (resamples, metrics), optional
            Where it is known already: computed otherwise.
        **how
            ``jobs``, and what is resampled: as in `resampled_power`.
        """
        count = len(halves.taus)
        if power is None or len(power) != count:
            power = resampled_power(matrix, count, alpha=alpha, seed=seed, **how) if count else halves.taus
        return cls(split_taus, halves, approximate_power(matrix, alpha), power)

    def extended(
        self,
        matrix: Floats,
        resamples: int,
        splits: int,
        *,
        alpha: float,
        seed: int,
        jobs: int | Workers | None = 1,
        progress: Progress | None = None,
        **how: Any,
    ) -> MetricDraws:
        """These draws and more of the same."""
        kept = len(self.power) // BLOCK
        drawn: dict[str, Any] = {"seed": seed, "jobs": jobs, **how}
        rest = resampled_power(matrix, resamples, alpha=alpha, first=kept, **drawn)
        return replace(
            self,
            split_taus=np.nan_to_num(more_split_taus(matrix, self.split_taus, splits, seed, jobs, progress)),
            halves=resampled_taus(matrix, resamples, known=self.halves, progress=progress, **drawn),
            power=np.concatenate([self.power[: kept * BLOCK], rest]),
        )

    def differences(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[Floats, Floats, Floats, Floats]:
        """Differences in consistency, then in power, of pairs of metrics: what `simultaneous` takes.

        Returns
        -------
        estimate, resampled, noise, centre : ndarray
            The last axis holds the pairs twice. Power has no noise of its own: it is not drawn, but computed.
        """
        each = self.split_taus[:, first] - self.split_taus[:, second]
        none = np.zeros(len(first))
        covariance = self.halves.noise
        noise = covariance[:, first, first] + covariance[:, second, second] - 2.0 * covariance[:, first, second]
        estimate = [each.mean(axis=0), self.observed_power[first] - self.observed_power[second]]
        resampled = [values[:, first] - values[:, second] for values in (self.halves.taus, self.power)]
        return (
            np.concatenate(estimate),
            np.concatenate(resampled, axis=1),
            np.concatenate([noise, np.zeros_like(noise)], axis=1),
            np.concatenate([each.var(axis=0, ddof=1) / len(each), none]),
        )
