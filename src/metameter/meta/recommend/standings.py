"""Which metrics are shown to beat which, and how often the answer would be the same with other data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import ResampledTaus, resampled_power, resampled_taus
from metameter.stats.intervals.metric_pairs import MetricResamples, PairDifferences, difference_variances

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


#: Standings: beaten by no metric and beating one or more; beaten by one or more; neither.
TOP, BELOW, OPEN = "top", "below", "open"
#: How many resamples of the systems, and imitated seeds, the stability of the answer rests on.
_SYSTEM_DRAWS, _SEED_DRAWS = 256, 200
_CHUNK = 50
#: The share of the variance of resamples that is the variance of new samples. Power and tau are means over pairs of
#: systems; a bootstrap of the systems overestimates their variance 1.3 to 2.4 times. A third predicted best
#: (docs/appendix/recommend.md, Predicted shares).
_VARIANCE = {"topics": 1.0, "systems": 1.0 / 3.0, "both": 1.0 / 3.0}
#: The same where resamples of topics and of systems are combined: both contain the variance that depends on both.
_TOGETHER = 0.5
#: For the estimate of the common shrinkage, a difference is at most this many standard errors from 0.
_FURTHEST = 3.0


@dataclass(frozen=True, eq=False)
class Standings:
    """Which metrics are shown to beat which, and what another seed might change.

    Attributes
    ----------
    beats, surely, perhaps : ndarray of bool, (metrics, metrics)
        Shown by the intervals; by intervals with ends two Monte-Carlo errors further out; by those further in.
    """

    beats: NDArray[np.bool_]
    surely: NDArray[np.bool_]
    perhaps: NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: PairDifferences, margin: float) -> Standings:
        """Return the standings that the differences of all pairs show."""
        return cls(pairs.beats(margin), pairs.beats(margin, off=2.0), pairs.beats(margin, off=-2.0))

    def columns(self, choice: NDArray[np.bool_]) -> dict[str, list[Any]]:
        """Return the columns ``beats``, ``beaten_by``, ``standing``, ``leads``, ``close_call`` and ``close_lead``.

        It is a close call whether a metric is below another, which the answer says, not whether it is also above one.

        Parameters
        ----------
        choice : ndarray of bool, (metrics,)
            The metrics to choose from: one leads if it is shown to beat all others of these.

        Examples
        --------
        >>> beats = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
        >>> columns = Standings(beats, beats & False, beats).columns(np.ones(3, dtype=bool))
        >>> columns["standing"], columns["leads"], columns["close_call"], columns["close_lead"]
        (['top', 'below', 'open'], [False, False, False], [False, True, False], [False, False, False])
        """
        below, ahead = (np.asarray(self.beats.any(axis=axis)) for axis in (0, 1))
        both = zip(below.tolist(), ahead.tolist(), strict=True)
        standing = [BELOW if under else TOP if over else OPEN for under, over in both]
        close = self.perhaps.any(axis=0) & ~self.surely.any(axis=0)
        leads, sure, possible = (_leads(each, choice) for each in (self.beats, self.surely, self.perhaps))
        return {
            "beats": self.beats.sum(axis=1).tolist(),
            "beaten_by": self.beats.sum(axis=0).tolist(),
            "standing": standing,
            "leads": leads.tolist(),
            "close_call": close.tolist(),
            "close_lead": (possible & ~sure).tolist(),
        }


def _leads(beats: NDArray[np.bool_], choice: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which metric of a choice of two or more beats all others of it."""
    others = (beats | np.eye(len(beats), dtype=bool))[:, choice]
    return np.asarray(choice & others.all(axis=1) & (choice.sum() > 1))


def resamples_of(draws: MetricResamples, metrics: NDArray[np.intp]) -> MetricResamples:
    """Return the resamples of some of the metrics."""
    halves = ResampledTaus(draws.halves.taus[:, metrics], draws.halves.noise[:, metrics][:, :, metrics])
    splits = draws.split_taus[:, metrics] if len(draws.split_taus) else draws.split_taus
    return MetricResamples(splits, halves, draws.observed_power[metrics], draws.power[:, metrics])


def differences_of(pairs: PairDifferences, metrics: NDArray[np.intp]) -> PairDifferences:
    """Return the differences of every two of some of the metrics."""
    parts = (pairs.estimate, pairs.se, pairs.half, pairs.half_any, pairs.error)
    return PairDifferences(*(each[:, metrics][:, :, metrics] for each in parts))


def system_resamples(matrix: Floats, *, alpha: float, seed: int, jobs: Any) -> MetricResamples:
    """Return consistency and power on some resamples of the systems, for the stability of the answer."""
    taus = resampled_taus(matrix, _SYSTEM_DRAWS, seed=seed, jobs=jobs, resample="systems")
    power = resampled_power(matrix, _SYSTEM_DRAWS, alpha=alpha, seed=seed, jobs=jobs, resample="systems")
    return MetricResamples(taus.taus[:0], taus, power[:0].sum(axis=0), power)


def top_shares(
    pairs: PairDifferences, samples: Mapping[str, MetricResamples], margin: float, seed: int
) -> dict[str, list[float]]:
    """Return the columns ``top_share...``: in which share of new samples no metric is shown to be above this one.

    Parameters
    ----------
    pairs : PairDifferences
    samples : mapping of MetricResamples
        ``topics``, ``systems`` or ``both`` -> the same metrics on resamples of these.
    margin : float
    seed : int
        The seed of the normal deviates that imitate other seeds.
    """
    deviations = {name: _Deviations.of(draws, _VARIANCE[name]) for name, draws in samples.items()}
    errors = np.where(np.isfinite(pairs.error), pairs.error, 0.0)
    normal = np.triu(np.random.default_rng([seed, 1]).normal(size=(_SEED_DRAWS, *errors.shape)), 1)
    seeds = np.sqrt(2.0) * (normal - normal.swapaxes(-1, -2)) * errors
    columns = {f"top_share_{name}": _not_below(pairs, margin, [each]) for name, each in deviations.items()}
    columns.pop("top_share_both", None)
    columns["top_share_seeds"] = _not_below(pairs, margin, [], seeds)
    every = list(deviations.values())
    together = [each.scaled(_TOGETHER) for each in every] if len(every) > 1 else every
    columns["top_share"] = _not_below(pairs, margin, together, seeds)
    return {name: values.tolist() for name, values in columns.items()}


@dataclass(frozen=True, eq=False)
class _Deviations:
    """How the differences of all pairs of metrics deviate from their means in resamples.

    Attributes
    ----------
    values : ndarray, (resamples, 2, metrics)
        Of each metric, from the mean of the resamples.
    scale : ndarray, (2, metrics, metrics)
        The factor that differences of these are multiplied by.
    variance : ndarray, (2, metrics, metrics)
        Of the scaled differences.
    """

    values: Floats
    scale: Floats
    variance: Floats

    @classmethod
    def of(cls, draws: MetricResamples, share: float) -> _Deviations:
        """Return the deviations in resamples: a share of their variance, after that of the few splits is taken out."""
        resampled = np.stack([draws.halves.taus, draws.power], axis=1)
        values = resampled - resampled.mean(axis=0)
        variance = np.stack([difference_variances(np.atleast_2d(np.cov(each.T))) for each in values.swapaxes(0, 1)])
        noise = difference_variances(draws.halves.noise.mean(axis=0))
        scaled = share * np.maximum(variance - np.stack([noise, np.zeros_like(noise)]), 0.0)
        ratio = np.divide(scaled, variance, out=np.zeros_like(scaled), where=variance > 0)
        return cls(values, np.sqrt(ratio), scaled)

    def scaled(self, share: float) -> _Deviations:
        """Return the deviations with a share of the variance."""
        return replace(self, scale=np.sqrt(share) * self.scale, variance=share * self.variance)

    def at(self, rows: NDArray[np.intp]) -> Floats:
        """Return the deviations of some resamples; after the last, start again at the first."""
        some = self.values[rows % len(self.values)]
        return np.asarray((some[..., :, None] - some[..., None, :]) * self.scale)


def _not_below(
    pairs: PairDifferences, margin: float, samples: list[_Deviations], seeds: Floats | None = None
) -> Floats:
    """How often each metric is not shown to be below another in a new sample, predicted by empirical Bayes.

    An observed difference is the true difference plus sampling error; a new sample has the same true difference and
    another error. With true differences normal about 0, with a variance estimated from the observed ones, the new
    difference is normal about B times the observed one, where B is the shrinkage, with 1 + B times the variance of a
    sample. No difference shrinks by more than one standard error (limited translation: Efron and Morris, 1972), so that
    one metric far below many similar ones stays there.
    """
    variance = np.sum([each.variance for each in samples], axis=0) if samples else np.zeros_like(pairs.estimate)
    shrinkage = _shrinkage(pairs.estimate, variance)
    size = np.abs(pairs.estimate)
    shrunk = replace(pairs, estimate=np.sign(pairs.estimate) * np.maximum(shrinkage * size, size - np.sqrt(variance)))
    count = max([len(each.values) for each in samples], default=_SEED_DRAWS)
    below = np.zeros(pairs.estimate.shape[-1])
    for rows in _chunks(count):
        shift = np.sqrt(1.0 + shrinkage) * sum(each.at(rows) for each in samples)
        shift = shift if seeds is None else shift + seeds[rows % len(seeds)]
        below += shrunk.beats(margin, shift=shift).any(axis=-2).sum(axis=0)
    return np.asarray(1.0 - below / count)


def _shrinkage(estimate: Floats, variance: Floats) -> float:
    """The shrinkage B, the part of the differences that is not chance: 1 minus their variance over their mean square.

    Examples
    --------
    >>> _shrinkage(np.array([[[0.0, 2.0], [-2.0, 0.0]]]), np.array([[[0.0, 1.0], [1.0, 0.0]]]))
    0.75
    """
    known = variance > 0
    if not known.any():
        return 1.0
    squares = np.minimum(estimate[known] ** 2 / variance[known], _FURTHEST**2)
    return max(0.0, 1.0 - 1.0 / float(squares.mean())) if squares.any() else 0.0


def _chunks(count: int) -> Iterator[NDArray[np.intp]]:
    return (np.arange(at, min(at + _CHUNK, count)) for at in range(0, count, _CHUNK))
