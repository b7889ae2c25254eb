"""Several collections: metrics that none is shown to exceed in any of them, pooled differences, and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Across
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.metric_names import name_list
from metameter.meta.framework.verdicts import (
    BETTER_DIFFERENT,
    BETTER_SIMILAR,
    DIFFERENCES,
    IDENTICAL,
    MIXED,
    NO_EVIDENCE,
    SAME,
    VERDICT_COLUMN,
    WORSE,
)
from metameter.meta.recommend.answer import VALIDITY, how_sure
from metameter.meta.recommend.candidate_groups import (
    Groups,
    groups_of,
    in_conventional_order,
    judge_first,
    mostly_unjudged,
)
from metameter.meta.recommend.comparison_sentences import (
    UNCHANGED,
    across_sentence,
    below_or_not,
    better_metrics,
    both_or_all,
)
from metameter.meta.recommend.references import REFERENCE
from metameter.meta.recommend.verdict import STATISTICS
from metameter.stats.intervals.random_effects import random_effects
from metameter.view.result import Result
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    import polars as pl


_FINDINGS = {
    "better than the reference": (BETTER_SIMILAR, BETTER_DIFFERENT),
    "identical to the reference": (IDENTICAL,),
    "the same within the margin": (SAME,),
    "better in one, worse in the other": (MIXED,),
    "worse than the reference": (WORSE,),
    "no evidence either way": (NO_EVIDENCE,),
}
_POOLED = ("pooled", "low", "high", "between")
#: With fewer collections, there is no sentence on pooled differences.
_FEWEST_POOLED = 3
#: The most comparisons in the chart.
MOST_ROWS = 20
_INTERVALS = {
    "difference in consistency": ("consistency_difference", "consistency_low", "consistency_high"),
    "difference in power": ("power_difference", "power_low", "power_high"),
}
_FOREST_TITLE = "Differences from the reference on each collection, with simultaneous 95% intervals"


def across(results: Mapping[str, Result]) -> Across:
    """Return sentences on all collections, a table of findings with pooled differences, and a chart.

    Parameters
    ----------
    results : mapping of Result
        Collection -> recommendation.
    """
    groups = {name: groups_of(result.table, result.tables["metrics"]) for name, result in results.items()}
    known = {name: each for name, each in groups.items() if each is not None}
    judged = {name: result for name, result in results.items() if name in known}
    tables = {name: result.table for name, result in judged.items()}
    left_out = _left_out_sentences({name: result for name, result in results.items() if name not in judged})
    if len(judged) < 2:
        rest = [f"{name} is the only collection in which metrics can be judged: see its own answer." for name in judged]
        # A collection that shares the level with no other says itself how sure its answer is.
        shared = [each for each in judged.values() if each.manifest["options"]["collections"] > 1]
        rest += [
            sentence for each in shared for sentence in (how_sure([each.table], each.manifest["options"]), VALIDITY)
        ]
        return Across((*left_out, *rest))
    options = {name: result.manifest["options"] for name, result in judged.items()}
    common = next(iter(options.values()))
    findings = shared_findings(tables, options)
    sentences = [
        *_references(tables, {name: mostly_unjudged(result.tables["metrics"]) for name, result in judged.items()}),
        _not_below_sentence(known),
        *left_out,
        how_sure(list(tables.values()), common),
        _pooled_sentence(findings, common["alpha"]),
        across_sentence(list(tables.values())),
        VALIDITY,
    ]
    chart = forest_chart(tables)
    return Across(tuple(filter(None, sentences)), {"findings": findings}, {} if chart is None else {"findings": chart})


def _left_out_sentences(results: Mapping[str, Result]) -> list[str]:
    """Say in which collections metrics cannot be judged, and why."""
    systems = {name: result.manifest["options"]["systems"] for name, result in results.items()}
    few = [f"{name} ({count})" for name, count in systems.items() if count < FEWEST_SYSTEMS]
    others = [name for name, count in systems.items() if count >= FEWEST_SYSTEMS]
    sentences = []
    if few:
        sentences.append(
            f"Left out, since metrics cannot be judged by fewer than {FEWEST_SYSTEMS} systems: {', '.join(few)}."
        )
    if others:
        sentences.append(f"Left out, since nothing can be said about metrics there: {', '.join(others)}.")
    return sentences


def _references(tables: Mapping[str, pl.DataFrame], unjudged: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Say for each named reference in which collections a metric is better, and where few of its ranks are judged."""
    import polars as pl

    referred = {name: table.filter(pl.col("group") == REFERENCE) for name, table in tables.items()}
    names = dict.fromkeys(each for table in referred.values() for each in table["canonical"])
    return [_reference(name, referred, unjudged) for name in names]


def _reference(reference: str, tables: Mapping[str, pl.DataFrame], unjudged: Mapping[str, Mapping[str, float]]) -> str:
    below = []
    for name, table in tables.items():
        alike, better, _ = better_metrics(reference, table.select("metric", "canonical", "verdict").iter_rows())
        below += [name] if alike or better else []
    doubtful = [f"{name} ({shares[reference]:.1%})" for name, shares in unjudged.items() if reference in shares]
    doubt = ""
    if doubtful:
        share = f"less than half of the ranks it looks at are judged in {name_list(doubtful)}"
        doubt = f"{share}, so its scores there may be far off: judge more documents first"
    another = f" another metric in {name_list(below)}" if below else ""
    return below_or_not(reference, another, f"another metric in {_either_or_any(len(tables))}", doubt)


def _either_or_any(count: int) -> str:
    return f"{'either' if count == 2 else 'any'} of the {count} collections"


def _not_below_sentence(groups: Mapping[str, Groups]) -> str:
    """Name the metrics that are below no other in any collection, and the collections in which the others are below."""
    every = f"{both_or_all(len(groups))} collections"
    pools = [each.pool for each in groups.values()]
    names = in_conventional_order([name for name in pools[0] if all(name in pool for pool in pools)])
    if not names:
        return f"No metric was compared in {every}."
    below = {name: [collection for collection, each in groups.items() if name in each.below] for name in names}
    level = [name for name in names if not below[name]]
    unjudged = [name for name in level if any(name in each.unjudged for each in groups.values())]
    first = [name for name in level if name not in unjudged]
    if unjudged and not first and not any(below.values()):
        return judge_first(len(names))
    why = "since more than half of the ranks looked at are unjudged"
    aside = f" Left out, {why}: {name_list(unjudged)}." if unjudged else ""
    return _named_first(groups, first, below, every, aside)


def _named_first(
    groups: Mapping[str, Groups], first: list[str], below: Mapping[str, list[str]], every: str, aside: str
) -> str:
    """Name the metrics ``first``, which are below none; ``below`` has the collections in which each metric is below."""
    winners = {each.winner for each in groups.values()}
    winner = winners.pop() if len(winners) == 1 else None
    if winner in first and len(below) > 1:
        return f"Use {winner}: in {every} it is shown to beat every other metric.{aside}"
    if not any(below.values()):
        none, use = ("none of them is", "one of them") if len(first) > 1 else ("it is not", "it")
        return f"{name_list(first)}: in {every} {none} shown to be below another. If you use {use}, {UNCHANGED}.{aside}"
    where = _where_below(below, len(groups))
    if not first:
        subject = "Every other metric" if aside else "Every metric"
        return f"{aside.strip()} {subject} is shown to be below another in some collection. {where}".strip()
    either = _either_or_any(len(groups))
    if len(first) == 1:
        sentence = f"{first[0]} is not shown to be below another in {either}. {where}"
        return f"{sentence} If you use it, {UNCHANGED}.{aside}"
    sentence = f"Not shown to be below any other in {either}: {name_list(first)}. {where}"
    return f"{sentence} If you use one of the first group, {UNCHANGED}.{aside}"


def _where_below(below: Mapping[str, list[str]], count: int) -> str:
    """Say which metrics are shown to be below another in all collections, and which in some."""
    everywhere = [name for name, collections in below.items() if len(collections) == count]
    some = [f"{name} ({name_list(where)})" for name, where in below.items() if 0 < len(where) < count]
    parts = [f"in {both_or_all(count)}: {name_list(everywhere)}"] if everywhere else []
    parts += [f"in some: {name_list(some)}"] if some else []
    return f"Shown to be below another {'; '.join(parts)}."


def shared_findings(
    verdicts: Mapping[str, pl.DataFrame], options: Mapping[str, Mapping[str, Any]] | None = None
) -> pl.DataFrame:
    """One row per metric and finding: the collections in which it holds, and the difference pooled over all of them.

    Parameters
    ----------
    verdicts : mapping of polars.DataFrame
        Collection -> table ``recommendation``.
    options : mapping, optional
        Collection -> options of its recommendation; differences are pooled with ``alpha`` and ``units``.

    Examples
    --------
    >>> import polars as pl
    >>> table = {"metric": ["a"], "canonical": ["c"], "verdict": ["worse"]}
    >>> shared_findings({"one": pl.DataFrame(table), "two": pl.DataFrame(table)}).row(0)[:5]
    ('a', 'c', 'worse than the reference', 'all', 'one; two')
    """
    import polars as pl

    labelled = [frame.with_columns(collection=pl.lit(name)) for name, frame in verdicts.items()]
    stacked = pl.concat([frame.select("metric", "canonical", "verdict", "collection") for frame in labelled])
    finding = {verdict: text for text, kinds in _FINDINGS.items() for verdict in kinds}
    counts = (
        stacked.with_columns(finding=pl.col("verdict").replace_strict(finding))
        .group_by("metric", "canonical", "finding", maintain_order=True)
        .agg(where=pl.col("collection").str.join("; "), count=pl.len())
    )
    holds = pl.when(pl.col("count") == len(verdicts)).then(pl.lit("all")).otherwise(pl.lit("some"))
    rows = counts.select("metric", "canonical", "finding", holds.alias("holds_in"), "where")
    return rows.join(
        _pooled_differences(verdicts, options or {}), on=["metric", "canonical"], how="left", maintain_order="left"
    )


def _pooled_differences(verdicts: Mapping[str, pl.DataFrame], options: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    """Metric and reference -> the differences pooled over the collections that have them."""
    import polars as pl

    differences: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for name in options:
        for row in verdicts[name].iter_rows(named=True):
            own = differences.setdefault((row["metric"], row["canonical"]), {statistic: [] for statistic in STATISTICS})
            for statistic in STATISTICS:
                if row[f"{statistic}_low_row"] is not None and row["verdict"] != IDENTICAL:
                    own[statistic].append(
                        (row[f"{statistic}_difference"], _standard_error(row, statistic, options[name]))
                    )
    schema: dict[str, Any] = {"metric": str, "canonical": str, "collections": int}
    schema |= {f"{statistic}_{part}": float for statistic in STATISTICS for part in _POOLED}
    rows = [
        {"metric": metric, "canonical": canonical, "collections": len(own["power"])}
        | {
            name: value
            for statistic in STATISTICS
            for name, value in _pooled_columns(statistic, own[statistic]).items()
        }
        for (metric, canonical), own in differences.items()
    ]
    return pl.DataFrame(rows, schema)


def _pooled_columns(statistic: str, differences: list[tuple[float, float]]) -> dict[str, float]:
    """The columns of differences pooled with their standard errors; none if they cannot be pooled."""
    pooled = random_effects([value for value, _ in differences], [error for _, error in differences])
    if pooled is None:
        return {}
    values = (pooled.estimate, max(pooled.low, -1.0), min(pooled.high, 1.0), pooled.between)
    return {f"{statistic}_{part}": value for part, value in zip(_POOLED, values, strict=True)}


def _standard_error(row: Mapping[str, Any], statistic: str, options: Mapping[str, Any]) -> float:
    """The standard error of a row, from the longer side of its individual interval, since one end may be clipped."""
    from scipy.special import stdtrit

    value, low, high = (row[f"{statistic}_{part}"] for part in ("difference", "low_row", "high_row"))
    return float(max(high - value, value - low) / -stdtrit(max(options["units"] - 1, 1), options["alpha"] / 2.0))


def _pooled_sentence(findings: pl.DataFrame, alpha: float) -> str:
    """Say how many pooled differences exclude 0, if there are enough collections to pool."""
    unique = findings.unique(["metric", "canonical"], maintain_order=True)
    known = [
        row
        for row in unique.iter_rows(named=True)
        if any(row[f"{statistic}_pooled"] is not None for statistic in STATISTICS)
    ]
    if not known:
        return ""
    if max(row["collections"] for row in known) < _FEWEST_POOLED:
        return (
            "Two collections are too few to pool differences: an interval from two has one degree of freedom, so "
            "each collection has its own answer."
        )
    clear = sum(
        row[f"{statistic}_pooled"] is not None and (row[f"{statistic}_low"] > 0 or row[f"{statistic}_high"] < 0)
        for row in known
        for statistic in STATISTICS
    )
    count = len(STATISTICS) * len(known)
    between, statistic, metric, canonical = max(
        (row[f"{statistic}_between"] or 0.0, statistic, row["metric"], row["canonical"])
        for row in known
        for statistic in STATISTICS
    )
    spread = (
        f" Collections differ most in {statistic} of {metric} minus {canonical}: standard deviation "
        f"{figure(between, digits=2)} between them."
        if round(between, 2) > 0
        else ""
    )
    return (
        f"Pooled over collections (random effects), {clear} of {count} differences have an interval that excludes 0, "
        f"each alone; {alpha * count:.0f} would by chance.{spread}"
    )


def forest_chart(tables: Mapping[str, pl.DataFrame], most: int = MOST_ROWS) -> Any:
    """Return a forest chart: comparisons with a verdict on some collection first, then others, at most ``most`` rows.

    Comparisons of identical metrics are left out.

    Parameters
    ----------
    tables : mapping of polars.DataFrame
        Collection -> table ``recommendation``.
    most : int
        How many comparisons are drawn.

    Returns
    -------
    altair.ConcatChart or None
        None if there are fewer than two collections, or nothing to compare.
    """
    import polars as pl

    from metameter.view.charts import forest

    stacked = [_forest_rows(table, name) for name, table in tables.items() if table.height]
    if len(stacked) < 2:
        return None
    frame = pl.concat(stacked, how="diagonal_relaxed").filter(pl.col("verdict") != IDENTICAL)
    rows = _rows_by_verdict(frame)
    if not rows:
        return None
    position = {row: i for i, row in enumerate(rows[:most])}
    frame = frame.filter(pl.col("row").is_in(list(position)))
    order = pl.col("row").replace_strict(position, return_dtype=pl.Int64)
    left = len(rows) - len(position)
    title = _FOREST_TITLE + (f"; {left} more comparisons are in the table" if left else "")
    return forest(frame.sort(order, maintain_order=True), "row", "collection", _INTERVALS, VERDICT_COLUMN, title=title)


def _forest_rows(table: pl.DataFrame, name: str) -> pl.DataFrame:
    import polars as pl

    close = pl.col("close_call").fill_null(False) if "close_call" in table.columns else pl.lit(False)
    numbers = [column for side in _INTERVALS.values() for column in side]
    row = pl.format("{}\nvs {}", "metric", "canonical").alias("row")
    return table.select(row, pl.lit(name).alias("collection"), *numbers, "verdict", close.alias("close_call"))


def _rows_by_verdict(frame: pl.DataFrame) -> list[str]:
    """The rows, the best verdict first, then by the number of collections with a verdict, then in the given order."""
    import polars as pl

    ranks = {verdict: i for i, verdict in enumerate(DIFFERENCES)}
    rank = pl.col("verdict").replace_strict(ranks, default=len(ranks), return_dtype=pl.Int64)
    differing = pl.col("verdict").is_in(DIFFERENCES).sum()
    counted = frame.group_by("row", maintain_order=True).agg(rank.min().alias("best"), differing.alias("differing"))
    return counted.sort("best", "differing", descending=[False, True], maintain_order=True)["row"].to_list()
