"""The prose of `similarity`: its declaration, notes and conclusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta.base import Telling, Words
from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_systems
from metameter.meta.framework.metric_groups import GROUP_COLUMN
from metameter.meta.similarity.tables import SIMILAR
from metameter.stats.rank_correlation.correlation_intervals import LEAST_TOPICS

if TYPE_CHECKING:
    import polars as pl


FEW_TOPICS = 15
_MOST_PAIRS = 10  # more pairs make a sentence unreadable
_BASIS = {"fieller": "Fieller's intervals for other systems", "bootstrap": "intervals for other topics"}

WORDS = Words(
    "System ranking similarity",
    "Do two metrics rank the systems alike?",
    "Every metric ranks the systems by their mean score over the topics. Two metrics are as similar as their "
    "rankings are correlated.",
    "Dark squares are pairs of metrics that rank the systems nearly alike: 1 is the same ranking, 0 is no "
    "relation. Where two metrics are multiples of each other the value is exactly 1.",
    columns={
        "group": GROUP_COLUMN,
        "metric_a": "the first metric",
        "metric_b": "the second metric",
        "coefficient": "which correlation it is",
        "statistic": "the correlation of the two rankings of the systems",
        "low": "lower end of the 95% interval of this correlation alone",
        "high": "upper end of the 95% interval of this correlation alone",
        "systems": "how many systems are ranked",
        "alike": f"whether the correlation is shown to be at least {SIMILAR:g} (true) or below that (false), by "
        "intervals that hold for all pairs at once; empty where neither is shown",
        "interval": "what the interval is for: other systems (fieller), other topics (bootstrap), or none",
        "low_se": "Monte-Carlo error of low",
        "high_se": "Monte-Carlo error of high",
    },
    charts={"similarity": Telling("statistic", "Most alike", "least alike")},
    references_when={"fieller1957": ("interval", frozenset({"fieller"}))},
)


def notes(interval: str, resamples: int, topics: int, systems: int) -> tuple[str, ...]:
    """Return the notes on what the intervals are for, and how to get the others.

    Parameters
    ----------
    interval : {"fieller", "bootstrap", "none"}
        The kind of intervals.
    resamples : int
        How many times the topics were resampled; 0 if they were not.
    topics, systems : int

    Examples
    --------
    >>> notes("none", 1000, 4, 20)
    ('Warning: no intervals for other topics: 4 topics are too few to resample; they need 5 or more.',)
    """
    if systems < FEWEST_SYSTEMS:
        return ()
    if interval == "none" and resamples:
        least = f"{topics} topics are too few to resample; they need {LEAST_TOPICS} or more"
        return (f"Warning: no intervals for other topics: {least}.",)
    if interval == "none":
        return (
            "Fieller's formula is for tau_b and rho only. "
            "Set interval to bootstrap (--interval bootstrap) to get intervals.",
        )
    if interval == "fieller":
        return (
            "Intervals are 95%, by Fieller's formula: they treat the systems as the random sample. "
            "Set interval to bootstrap (--interval bootstrap) to get intervals for other topics.",
        )
    about = (
        f"Intervals are 95%, for the correlation over all topics like these {topics}, from {resamples:,} resamples of "
        "them. Means over few topics are noisy, and noise lowers correlations: that correlation is more likely above "
        "the statistic than below it. low_se and high_se are the Monte-Carlo errors of the ends."
    )
    few = f"Warning: with {topics} topics intervals are rough: of fewer than {FEW_TOPICS} they may miss more than 5%."
    return (about, few) if topics < FEW_TOPICS else (about,)


def conclusion(table: pl.DataFrame) -> list[str]:
    """Say which metrics are shown to rank the systems nearly alike, by intervals that hold for all pairs at once.

    Pairs without a correlation, since a metric gives every system the same mean, are not counted.

    Parameters
    ----------
    table : polars.DataFrame
        ``similarity``.

    Examples
    --------
    >>> import polars as pl
    >>> pairs = {"metric_a": ["AP", "AP", "Q"], "metric_b": ["Q", "RR", "RR"], "alike": [True, False, None]}
    >>> about = {"coefficient": "tau_b", "interval": "fieller", "systems": 60, "statistic": 0.9}
    >>> print(*conclusion(pl.DataFrame(pairs).with_columns(**{name: pl.lit(each) for name, each in about.items()})))
    Shown to rank the systems nearly alike (tau_b of 0.9 or more): AP and Q. Shown not to: 1 pair of 3; neither is \
shown for 1. Based on Fieller's intervals for other systems that hold for all 3 pairs at once (95%).
    """
    import polars as pl

    if not table.height:
        return []
    systems, interval, coefficient = (table[name][0] for name in ("systems", "interval", "coefficient"))
    if systems < FEWEST_SYSTEMS:
        return few_systems(systems)
    what = f"rank the systems nearly alike ({coefficient} of {SIMILAR:g} or more)"
    pairs = table.unique(["metric_a", "metric_b"], maintain_order=True).drop_nulls("statistic")
    if not pairs.height:
        return ["No two metrics can be compared: every correlation is undefined.", *few_systems(systems)]
    alike, apart = (pairs.filter(pl.col("alike") == each) for each in (True, False))
    names = [f"{a} and {b}" for a, b in alike["metric_a", "metric_b"].iter_rows()]
    which = "; ".join(names) if len(names) <= _MOST_PAIRS else f"{len(names)} of {pairs.height:,} pairs (column alike)"
    first = f"Shown to {what}: {which}." if names else f"No two metrics are shown to {what}."
    if interval == "none":
        return [f"{first} There are no intervals.", *few_systems(systems)]
    count = f"{apart.height:,} {'pair' if apart.height == 1 else 'pairs'} of {pairs.height:,}"
    rest = f"Shown not to: {count}; neither is shown for {pairs['alike'].null_count():,}."
    together = f"all {pairs.height:,} pairs at once" if pairs.height > 1 else "the one pair"
    return [f"{first} {rest} Based on {_BASIS[interval]} that hold for {together} (95%).", *few_systems(systems)]
