"""The table `metrics`: consistency, power, letters, the standing of every metric, and its stability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.recommend.references import BY_NAME, named_metrics
from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import ResampledTaus, resampled_power, resampled_taus
from metameter.stats.intervals.metric_pairs import (
    MetricResamples,
    PairDifferences,
    difference_variances,
    pair_differences,
)
from metameter.stats.proportional_metrics import constant_metrics, first_proportional
from metameter.stats.significance.compact_letter_display import letter_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from metameter.meta.framework.sampling import Sampling
    from metameter.meta.recommend.evidence import Evidence
    from metameter.meta.recommend.verdict import Criteria


#: Standings: beaten by no metric and beating one or more; beaten by one or more; neither.
TOP, BELOW, OPEN = "top", "below", "open"
#: How many resamples of the systems, and imitated seeds, the stability of the answer rests on.
_SYSTEM_DRAWS, _SEED_DRAWS = 256, 200
_CHUNK = 50
#: What share of the variance of resamples is that of new samples. Power and tau are means over pairs of systems, whose
#: variance a bootstrap of the systems overestimates, 1.3 to 2.4 times; a third predicted best (docs/recommend.md).
_VARIANCE = {"topics": 1.0, "systems": 1.0 / 3.0, "both": 1.0 / 3.0}
#: The same where topics and systems are combined: variance that depends on both is in the resamples of either.
_TOGETHER = 0.5
#: A difference counts as at most this many standard errors from 0 when the common shrinkage is estimated.
_FURTHEST = 3.0
_SCHEMA: dict[str, Any] = {
    "metric": str,
    "consistency": float,
    "power": float,
    "front": bool,
    "consistency_group": str,
    "power_group": str,
    "beats": int,
    "beaten_by": int,
    "named": bool,
    "standing": str,
    "leads": bool,
    "close_call": bool,
    "top_share": float,
    "top_share_topics": float,
    "top_share_systems": float,
    "top_share_seeds": float,
    "judged": float,
    "diagnostic": bool,
    "constant": bool,
}


def metric_rows(
    metrics: tuple[str, ...],
    matrix: Floats,
    evidence: Evidence,
    figures: tuple[Floats, Floats],
    criteria: Criteria,
    *,
    sampling: Sampling,
    alpha: float,
    simple: Sequence[str] = (),
    judged: Mapping[str, float] | None = None,
    systems: MetricResamples | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Return one row for every metric: consistency, power, letters, and the standing among the candidates.

    Metrics whose scores are multiples of each other count as one metric, with the same letters and counts.

    Parameters
    ----------
    metrics : tuple of str
    matrix : ndarray, (metrics, topics, systems)
    evidence : Evidence
        What these comparisons show is shown in this table, too.
    figures : tuple of ndarray, (metrics,)
        Consistency and power, as `consistency` and `power` print them.
    criteria : Criteria
    sampling : Sampling
        What is resampled.
    alpha : float
        The chance that any two metrics that do not differ, and were not compared in ``evidence``, share no letter.
    simple : sequence of str
        Metrics of one dimension of quality, which are not candidates.
    judged : mapping, optional
        Metric -> the share of the ranks it looks at that is judged.
    systems : MetricResamples, optional
        From `system_draws`: they show how the standing changes with the systems.
    seed : int
    """
    import polars as pl

    consistency, power = figures
    diagnostic, constant = [is_diagnostic(name) for name in metrics], constant_metrics(matrix)
    columns: dict[str, Any] = {
        "metric": list(metrics),
        "consistency": consistency,
        "power": power,
        "front": _front(consistency, power, np.array(diagnostic)),
        "named": np.isin(np.arange(len(metrics)), named_metrics(metrics)),
        "judged": [(judged or {}).get(name) for name in metrics],
        "diagnostic": diagnostic,
        "constant": constant,
    }
    if len(evidence.draws.power) and evidence.comparisons:
        # Diagnostics are not compared; metrics that are multiples of each other count as one.
        multiples = first_proportional(matrix)
        distinct = np.unique(multiples[~np.array(diagnostic)])
        column = np.searchsorted(distinct, multiples)
        draws = _restricted(evidence.draws, distinct)
        pairs = pair_differences(draws, topics=sampling.units, alpha=alpha)
        pairs = _narrowed(pairs, evidence, column, by_row=criteria.by_row)
        columns |= _letters(pairs, criteria.margin, figures, distinct, np.where(diagnostic, -1, column))
        candidates = ~(np.array(diagnostic) | constant)
        # If all candidates are simple metrics, they stay candidates.
        others = candidates & ~np.isin(metrics, list(simple))
        candidates = others if others.any() else candidates
        competing = np.isin(np.arange(len(distinct)), column[candidates])
        # Where metrics with names of their own are compared with each other, the choice is among these.
        by_name = any(pair.group == BY_NAME for pair in evidence.comparisons)
        choice = candidates & columns["named"] if by_name else candidates
        standings = Standings.of(_pick(pairs, competing), criteria.margin)
        parts: dict[str, MetricResamples] = {sampling.resample: draws}
        parts |= {"systems": _restricted(systems, distinct)} if systems else {}
        shares = _shares(_pick(pairs, competing), parts, competing, criteria.margin, seed) if competing.any() else {}
        of_candidates = {**standings.columns(np.isin(np.flatnonzero(competing), column[choice])), **shares}
        for name, values in of_candidates.items():
            by_column = dict(zip(np.flatnonzero(competing).tolist(), values, strict=True))
            columns[name] = [
                by_column[at] if candidate else None for at, candidate in zip(column.tolist(), candidates, strict=True)
            ]
    columns |= {name: [None] * len(metrics) for name in _SCHEMA if name not in columns}
    return pl.DataFrame({name: columns[name] for name in _SCHEMA}, _SCHEMA)


def system_draws(matrix: Floats, *, alpha: float, seed: int, jobs: Any) -> MetricResamples:
    """Return consistency and power on some resamples of the systems, for the stability of the answer."""
    taus = resampled_taus(matrix, _SYSTEM_DRAWS, seed=seed, jobs=jobs, resample="systems")
    power = resampled_power(matrix, _SYSTEM_DRAWS, alpha=alpha, seed=seed, jobs=jobs, resample="systems")
    return MetricResamples(taus.taus[:0], taus, power[:0].sum(axis=0), power)


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
        """Return the columns ``beats``, ``beaten_by``, ``standing``, ``leads`` and ``close_call``.

        Parameters
        ----------
        choice : ndarray of bool, (metrics,)
            The metrics to choose from: one leads if it is shown to beat all others of these.

        Examples
        --------
        >>> shown = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
        >>> columns = Standings(shown, shown & False, shown).columns(np.ones(3, dtype=bool))
        >>> columns["standing"], columns["leads"], columns["close_call"]
        (['top', 'below', 'open'], [False, False, False], [True, True, False])
        """
        below, ahead = (np.asarray(self.beats.any(axis=axis)) for axis in (0, 1))
        both = zip(below.tolist(), ahead.tolist(), strict=True)
        standing = [BELOW if under else TOP if over else OPEN for under, over in both]
        hangs = [self.perhaps.any(axis=axis) & ~self.surely.any(axis=axis) for axis in (0, 1)]
        close = np.where(below, hangs[0], hangs[0] | hangs[1])
        leads, sure, possible = (_leads(each, choice) for each in (self.beats, self.surely, self.perhaps))
        return {
            "beats": self.beats.sum(axis=1).tolist(),
            "beaten_by": self.beats.sum(axis=0).tolist(),
            "standing": standing,
            "leads": leads.tolist(),
            "close_call": (close | (possible & ~sure)).tolist(),
        }


def _leads(beats: NDArray[np.bool_], choice: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which metric of a choice of two or more beats all others of it."""
    others = (beats | np.eye(len(beats), dtype=bool))[:, choice]
    return np.asarray(choice & others.all(axis=1) & (choice.sum() > 1))


def _restricted(draws: MetricResamples, kept: NDArray[Any]) -> MetricResamples:
    halves = ResampledTaus(draws.halves.taus[:, kept], draws.halves.noise[:, kept][:, :, kept])
    splits = draws.split_taus[:, kept] if len(draws.split_taus) else draws.split_taus
    return MetricResamples(splits, halves, draws.observed_power[kept], draws.power[:, kept])


def _narrowed(pairs: PairDifferences, evidence: Evidence, column: NDArray[np.intp], *, by_row: bool) -> PairDifferences:
    """The differences of all pairs; pairs that were compared with a reference get that interval if it is narrower."""
    half, error = pairs.half.copy(), pairs.error.copy()
    for number, compared in enumerate(evidence.comparisons):
        i, j = column[compared.metric], column[compared.reference]
        for part in (0, 1) if i != j else ():
            each = evidence.difference(number, part, by_row=by_row)
            if each.low is None or each.high is None:
                continue
            own = max(each.high - each.value, each.value - each.low)
            if own < half[part, i, j]:
                half[part, [i, j], [j, i]] = own
                error[part, [i, j], [j, i]] = each.error
    return replace(pairs, half=half, error=error)


def _letters(
    pairs: PairDifferences,
    margin: float,
    figures: tuple[Floats, Floats],
    distinct: NDArray[np.intp],
    column: NDArray[np.intp],
) -> dict[str, list[str | None]]:
    """The letters of every metric; none where its column among the distinct metrics is -1."""
    columns: dict[str, list[str | None]] = {}
    for what, values, apart in zip(("consistency", "power"), figures, pairs.differs(margin), strict=True):
        names = letter_groups(apart, np.argsort(-values[distinct], kind="stable"))
        columns[f"{what}_group"] = [names[at] if at >= 0 else None for at in column]
    return columns


def _pick(pairs: PairDifferences, kept: NDArray[np.bool_]) -> PairDifferences:
    parts = (pairs.estimate, pairs.se, pairs.half, pairs.error)
    return PairDifferences(*(each[:, kept][:, :, kept] for each in parts))


def _shares(
    pairs: PairDifferences,
    parts: Mapping[str, MetricResamples],
    competing: NDArray[np.bool_],
    margin: float,
    seed: int,
) -> dict[str, list[Any]]:
    """The share of new samples in which each metric is not shown to be below another: topics, systems, seeds, all."""
    chosen = np.flatnonzero(competing)
    samples = {name: _Deviations.of(_restricted(draws, chosen), _VARIANCE[name]) for name, draws in parts.items()}
    errors = np.where(np.isfinite(pairs.error), pairs.error, 0.0)
    normal = np.triu(np.random.default_rng([seed, 1]).normal(size=(_SEED_DRAWS, *errors.shape)), 1)
    seeds = np.sqrt(2.0) * (normal - normal.swapaxes(-1, -2)) * errors
    columns = {f"top_share_{name}": _not_below(pairs, margin, [each]) for name, each in samples.items()}
    columns.pop("top_share_both", None)
    columns["top_share_seeds"] = _not_below(pairs, margin, [], seeds)
    several = [each.scaled(_TOGETHER) for each in samples.values()] if len(samples) > 1 else [*samples.values()]
    columns["top_share"] = _not_below(pairs, margin, several, seeds)
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
        kept = share * np.maximum(variance - np.stack([noise, np.zeros_like(noise)]), 0.0)
        ratio = np.divide(kept, variance, out=np.zeros_like(kept), where=variance > 0)
        return cls(values, np.sqrt(ratio), kept)

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
    kept = _shrinkage(pairs.estimate, variance)
    size = np.abs(pairs.estimate)
    shrunk = replace(pairs, estimate=np.sign(pairs.estimate) * np.maximum(kept * size, size - np.sqrt(variance)))
    count = max([len(each.values) for each in samples], default=_SEED_DRAWS)
    below = np.zeros(pairs.estimate.shape[-1])
    for rows in _chunks(count):
        shift = np.sqrt(1.0 + kept) * sum(each.at(rows) for each in samples)
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


def _front(consistency: Floats, power: Floats, diagnostic: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which metrics no other metric exceeds in both; diagnostics are left out.

    Examples
    --------
    >>> consistency, power = np.array([0.9, 0.8, 0.7, 1.0]), np.array([0.1, 0.3, 0.2, 1.0])
    >>> _front(consistency, power, np.array([False, False, False, True])).tolist()
    [True, True, False, False]
    """
    beaten = (consistency[:, None] < consistency) & (power[:, None] < power) & ~diagnostic
    return np.asarray(~beaten.any(axis=1) & ~diagnostic)
