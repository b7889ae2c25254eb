"""The table `metrics`: consistency, power, letters, the standing of every metric, and how stable that standing is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.recommend.comparisons import named_metrics
from metameter.registry import metric_named
from metameter.stats.all_pairs import PairDifferences, of_differences, pair_differences
from metameter.stats.letters import group_names
from metameter.stats.metric_draws import MetricDraws
from metameter.stats.multiples import first_multiples
from metameter.stats.resampled_metrics import ResampledTaus, resampled_power, resampled_taus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from metameter.meta.recommend.evidence import Evidence
    from metameter.meta.sampling import Sampling
    from metameter.stats.checks import Floats

__all__ = ["BELOW", "OPEN", "TOP", "is_diagnostic", "metric_rows", "system_draws"]

#: Standings: beaten by none and beating some; beaten by some; neither.
TOP, BELOW, OPEN = "top", "below", "open"
#: How many times systems are resampled for the stability of the answer, and seeds imitated.
_SYSTEM_DRAWS, _SEED_DRAWS = 256, 200
_CHUNK = 50
#: By what the variance of resamples is multiplied. The estimate is from one sample of topics and the next answer would
#: be from another, so both vary; with systems, plain resampling is right as it is (docs/recommend.md has the figures).
_INFLATION = {"topics": 2.0, "systems": 1.0, "both": 2.0}
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
    "close_call": bool,
    "top_share": float,
    "top_share_topics": float,
    "top_share_systems": float,
    "top_share_seeds": float,
    "judged": float,
    "diagnostic": bool,
}


def metric_rows(
    metrics: tuple[str, ...],
    matrix: Floats,
    found: Evidence,
    figures: tuple[Floats, Floats],
    case: dict[str, Any],
    *,
    sampling: Sampling,
    alpha: float,
    simple: Sequence[str] = (),
    judged: Mapping[str, float] | None = None,
    systems: MetricDraws | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Every metric: consistency, power, letters, and its standing among the candidates.

    Metrics whose scores are multiples of each other are one metric here, with one row's letters and counts.

    Parameters
    ----------
    metrics : tuple of str
    matrix : ndarray, (metrics, topics, systems)
    found : Evidence
        What the comparisons have decided is decided here too.
    figures : tuple of ndarray, (metrics,)
        Consistency and power, as `consistency` and `power` print them.
    case : dict
        ``similar``, ``margin``, ``row``: what the verdicts depend on besides.
    sampling : Sampling
        What the resamples are drawn from.
    alpha : float
        The chance that any two metrics that do not differ, and were not compared in `found`, share no letter.
    simple : sequence of str
        Metrics of one dimension, which are no candidates.
    judged : mapping, optional
        Metric -> the share of the ranks it looks at that is judged.
    systems : MetricDraws, optional
        As `system_draws` gives: with them it is known how the standing changes with the systems.
    seed : int
    """
    import polars as pl

    consistency, power = figures
    diagnostic = [is_diagnostic(name) for name in metrics]
    columns: dict[str, Any] = {
        "metric": list(metrics),
        "consistency": consistency,
        "power": power,
        "front": _front(consistency, power),
        "named": np.isin(np.arange(len(metrics)), named_metrics(metrics)),
        "judged": [(judged or {}).get(name) for name in metrics],
        "diagnostic": diagnostic,
    }
    if len(found.draws.power) and found.rows:
        first = first_multiples(matrix)
        distinct, place = np.unique(first, return_inverse=True)
        draws = _restricted(found.draws, distinct)
        pairs = _with_rows(pair_differences(draws, topics=sampling.units, alpha=alpha), found, case, place)
        columns |= _letters(pairs, case["margin"], (consistency, power), distinct, place)
        aside = {name for name, is_one in zip(metrics, diagnostic, strict=True) if is_one}
        # Where there are only simple metrics, they are the candidates.
        out = aside | set(simple) if set(metrics) - aside - set(simple) else aside
        competing = np.isin(
            np.arange(len(distinct)), [at for at, name in zip(place, metrics, strict=True) if name not in out]
        )
        own = Standings.of(_pick(pairs, competing), case["margin"])
        parts: dict[str, MetricDraws] = {sampling.resample: draws}
        parts |= {"systems": _restricted(systems, distinct)} if systems else {}
        shares = _shares(_pick(pairs, competing), parts, competing, case["margin"], seed) if competing.any() else {}
        shown: dict[str, list[Any]] = {**own.columns(), **shares}
        for name, values in shown.items():
            spread: list[Any] = [None] * len(distinct)
            for at, value in zip(np.flatnonzero(competing), values, strict=True):
                spread[at] = value
            columns[name] = [spread[at] if metrics[n] not in out else None for n, at in enumerate(place)]
    columns |= {name: [None] * len(metrics) for name in _SCHEMA if name not in columns}
    return pl.DataFrame({name: columns[name] for name in _SCHEMA}, _SCHEMA)


def is_diagnostic(name: str) -> bool:
    """Whether a metric does not measure relevance, such as Judged@10 or num_ret.

    Examples
    --------
    >>> is_diagnostic("Judged@100"), is_diagnostic("num_ret"), is_diagnostic("AP"), is_diagnostic("mine")
    (True, True, False, False)
    """
    return bool(getattr(metric_named(name, typed=True), "diagnostic", False))


def system_draws(matrix: Floats, *, alpha: float, seed: int, jobs: Any, clusters: Any = None) -> MetricDraws:
    """Consistency and power on some resamples of the systems, for the stability of the answer."""
    how: dict[str, Any] = {"seed": seed, "jobs": jobs, "resample": "systems", "clusters": clusters}
    taus = resampled_taus(matrix, _SYSTEM_DRAWS, **how)
    power = resampled_power(matrix, _SYSTEM_DRAWS, alpha=alpha, **how)
    return MetricDraws(taus.taus[:0], taus, power[:0].sum(axis=0), power)


@dataclass(frozen=True, eq=False)
class Standings:
    """Which metric beats which, as far as the intervals show; and what another seed might change.

    Attributes
    ----------
    beats, surely, perhaps : ndarray of bool, (metrics, metrics)
        Shown here; shown with ends of intervals two Monte-Carlo errors further out; or further in.
    """

    beats: NDArray[np.bool_]
    surely: NDArray[np.bool_]
    perhaps: NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: PairDifferences, margin: float) -> Standings:
        """From the differences of all pairs."""
        return cls(pairs.beats(margin), pairs.beats(margin, off=2.0), pairs.beats(margin, off=-2.0))

    def columns(self) -> dict[str, list[Any]]:
        """The columns ``beats``, ``beaten_by``, ``standing`` and ``close_call``.

        Examples
        --------
        >>> shown = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
        >>> Standings(shown, shown & False, shown).columns()
        {'beats': [1, 0, 0], 'beaten_by': [0, 1, 0], 'standing': ['top', 'below', 'open'], \
'close_call': [True, True, False]}
        """
        below, ahead = (np.asarray(self.beats.any(axis=axis)) for axis in (0, 1))
        both = zip(below.tolist(), ahead.tolist(), strict=True)
        standing = [BELOW if under else TOP if over else OPEN for under, over in both]
        hangs = [self.perhaps.any(axis=axis) & ~self.surely.any(axis=axis) for axis in (0, 1)]
        close = np.where(below, hangs[0], hangs[0] | hangs[1])
        counts = {"beats": self.beats.sum(axis=1).tolist(), "beaten_by": self.beats.sum(axis=0).tolist()}
        return {**counts, "standing": standing, "close_call": close.tolist()}


def _restricted(draws: MetricDraws, kept: NDArray[Any]) -> MetricDraws:
    halves = ResampledTaus(draws.halves.taus[:, kept], draws.halves.noise[:, kept][:, :, kept])
    splits = draws.split_taus[:, kept] if len(draws.split_taus) else draws.split_taus
    return MetricDraws(splits, halves, draws.observed_power[kept], draws.power[:, kept])


def _with_rows(
    pairs: PairDifferences, found: Evidence, case: dict[str, Any], place: NDArray[np.intp]
) -> PairDifferences:
    """The differences, with the intervals of the compared rows where these are narrower: what they show is shown."""
    half, error = pairs.half.copy(), pairs.error.copy()
    for number, row in enumerate(found.rows):
        i, j = place[row.metric], place[row.reference]
        for part in (0, 1) if i != j else ():
            each = found.difference(number, part, row=case["row"])
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
    place: NDArray[np.intp],
) -> dict[str, list[str]]:
    columns = {}
    for what, values, apart in zip(("consistency", "power"), figures, pairs.differs(margin), strict=True):
        names = group_names(apart, np.argsort(-values[distinct], kind="stable"))
        columns[f"{what}_group"] = [names[at] for at in place]
    return columns


def _pick(pairs: PairDifferences, kept: NDArray[np.bool_]) -> PairDifferences:
    parts = (pairs.estimate, pairs.se, pairs.half, pairs.error)
    return PairDifferences(*(each[:, kept][:, :, kept] for each in parts))


def _shares(
    pairs: PairDifferences,
    parts: Mapping[str, MetricDraws],
    competing: NDArray[np.bool_],
    margin: float,
    seed: int,
) -> dict[str, list[Any]]:
    """In what share of resamples each metric is not shown to be below another: topics, systems, seeds, all together."""
    chosen = np.flatnonzero(competing)
    shifts = {name: _Shifts.of(_restricted(draws, chosen), _INFLATION[name]) for name, draws in parts.items()}
    errors = np.where(np.isfinite(pairs.error), pairs.error, 0.0)
    shifts["seeds"] = _Shifts.of_errors(errors, np.random.default_rng([seed, 1]))
    columns = {
        f"top_share_{name}": _not_below(pairs, margin, [each]) for name, each in shifts.items() if name != "both"
    }
    together = _not_below(pairs, margin, list(shifts.values()))
    return {name: values.tolist() for name, values in {**columns, "top_share": together}.items()}


@dataclass(frozen=True, eq=False)
class _Shifts:
    """How the differences of all pairs move from one resample to another.

    Attributes
    ----------
    away : ndarray, (resamples, 2, metrics)
        Of each metric, from the mean of the resamples.
    scale : ndarray, (2, metrics, metrics)
        What a difference of these is multiplied by.
    direct : ndarray, (resamples, 2, metrics, metrics), optional
        The shifts themselves, where they are not differences.
    """

    away: Floats
    scale: Floats
    direct: Floats | None = None

    @classmethod
    def of(cls, draws: MetricDraws, inflation: float) -> _Shifts:
        """From resamples, without the noise of few splits, their variance multiplied by ``inflation``."""
        values = np.stack([draws.halves.taus, draws.power], axis=1)
        away = values - values.mean(axis=0)
        variance = np.stack([of_differences(np.atleast_2d(np.cov(each.T))) for each in away.swapaxes(0, 1)])
        noise = of_differences(draws.halves.noise.mean(axis=0))
        kept = np.maximum(variance - np.stack([noise, np.zeros_like(noise)]), 0.0)
        ratio = np.divide(kept, variance, out=np.zeros_like(kept), where=variance > 0)
        return cls(away, np.sqrt(inflation * ratio))

    @classmethod
    def of_errors(cls, error: Floats, rng: np.random.Generator) -> _Shifts:
        """Normal deviations of the size of Monte-Carlo errors, opposite for the two orders of a pair."""
        drawn = np.triu(rng.normal(size=(_SEED_DRAWS, *error.shape)), 1)
        return cls(np.empty(0), error, (drawn - drawn.swapaxes(-1, -2)) * error)

    def __len__(self) -> int:
        return len(self.away if self.direct is None else self.direct)

    def at(self, rows: NDArray[np.intp]) -> Floats:
        """The shifts of some resamples; after the last they begin again."""
        if self.direct is not None:
            return np.asarray(self.direct[rows % len(self)])
        some = self.away[rows % len(self)]
        return np.asarray((some[..., :, None] - some[..., None, :]) * self.scale)


def _not_below(pairs: PairDifferences, margin: float, shifts: list[_Shifts]) -> Floats:
    count = max(map(len, shifts))
    below = np.zeros(pairs.estimate.shape[-1])
    for rows in _chunks(count):
        shift = sum(each.at(rows) for each in shifts)
        below += pairs.beats(margin, shift=shift).any(axis=-2).sum(axis=0)
    return np.asarray(1.0 - below / count)


def _chunks(count: int) -> Iterator[NDArray[np.intp]]:
    return (np.arange(at, min(at + _CHUNK, count)) for at in range(0, count, _CHUNK))


def _front(consistency: Floats, power: Floats) -> NDArray[np.bool_]:
    """Which metrics no other exceeds in both.

    Examples
    --------
    >>> _front(np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.3, 0.2])).tolist()
    [True, True, False]
    """
    beaten = (consistency[:, None] < consistency) & (power[:, None] < power)
    return np.asarray(~beaten.any(axis=1))
