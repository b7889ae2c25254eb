"""Several collections: metrics not shown to be below any other in any of them, pooled differences, and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Across
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.verdicts import DIFFERENCES, VERDICT_COLUMN
from metameter.meta.recommend.answer import (
    VALIDITY,
    Groups,
    groups_of,
    how_sure,
    in_convention,
    judge_first,
    mostly_unjudged,
)
from metameter.meta.recommend.comparison_sentences import across_sentence, listed
from metameter.meta.recommend.references import REFERENCE
from metameter.meta.recommend.verdict import (
    BETTER_DIFFERENT,
    BETTER_SIMILAR,
    IDENTICAL,
    MIXED,
    NO_EVIDENCE,
    SAME,
    WORSE,
)
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
_WHAT = ("consistency", "power")
_POOLED = ("pooled", "low", "high", "between")
#: With fewer collections, pooled differences are not summed up in a sentence.
_FEWEST_POOLED = 3
#: How many comparisons the chart draws.
MOST_ROWS = 20
_INTERVALS = {
    "difference in consistency": ("consistency_difference", "consistency_low", "consistency_high"),
    "difference in power": ("power_difference", "power_low", "power_high"),
}
_FOREST_TITLE = "Differences from the reference on each collection, with simultaneous 95% intervals"


def across(results: Mapping[str, Result]) -> Across:
    """Return what holds in all collections, a table of findings with pooled differences, and a chart.

    Parameters
    ----------
    results : mapping of Result
        Collection -> recommendation.
    """
    groups = {name: groups_of(result.table, result.tables["metrics"]) for name, result in results.items()}
    known = {name: each for name, each in groups.items() if each is not None}
    judged = {name: result for name, result in results.items() if name in known}
    tables = {name: result.table for name, result in judged.items()}
    left_out = _left_out({name: result for name, result in results.items() if name not in judged})
    if len(judged) < 2:
        rest = [f"{name} is the only collection in which metrics can be judged: see its own answer." for name in judged]
        rest += [how_sure([each.table], each.manifest["options"]) for each in judged.values()]
        return Across((*left_out, *rest, *([VALIDITY] if judged else [])))
    every = {name: result.manifest["options"] for name, result in judged.items()}
    options = next(iter(every.values()))
    findings = shared_findings(tables, every)
    sentences = [
        *_references(tables, {name: mostly_unjudged(result.tables["metrics"]) for name, result in judged.items()}),
        _unbeaten(known),
        *left_out,
        how_sure(list(tables.values()), options),
        _pooled_sentence(findings, options["alpha"]),
        across_sentence(list(tables.values())),
        VALIDITY,
    ]
    chart = forest_chart(tables)
    charts = {} if chart is None else {"findings": chart}
    return Across(tuple(filter(None, sentences)), {"findings": findings}, charts)


def _left_out(results: Mapping[str, Result]) -> list[str]:
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


def _where(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def _references(tables: Mapping[str, pl.DataFrame], unjudged: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Say of each named reference in which collections a metric is shown to be better, and where it is judged."""
    import polars as pl

    referred = {name: table.filter(pl.col("group") == REFERENCE) for name, table in tables.items()}
    names = dict.fromkeys(each for table in referred.values() for each in table["canonical"])
    sentences = []
    for reference in names:
        beaten = []
        for name, table in referred.items():
            rows = table.select("metric", "canonical", "verdict").rows()
            if any(c == reference and v in (BETTER_SIMILAR, BETTER_DIFFERENT) for _, c, v in rows) or any(
                m == reference and v == WORSE for m, _, v in rows
            ):
                beaten.append(name)
        count = len(tables)
        where = f"in {'either' if count == 2 else 'any'} of the {count} collections"
        doubtful = [f"{name} ({shares[reference]:.1%})" for name, shares in unjudged.items() if reference in shares]
        doubt = (
            f"less than half of the ranks it looks at are judged in {listed(doubtful)}, so its scores there may be far "
            "off: judge more documents first"
            if doubtful
            else ""
        )
        if beaten:
            but = f" But {doubt}." if doubt else ""
            sentences.append(
                f"{reference}, which you use today, is shown to be below another metric in {listed(beaten)}.{but}"
            )
        else:
            rest = f", but {doubt}" if doubt else ": nothing here is a reason to change"
            sentences.append(
                f"{reference}, which you use today, is not shown to be below another metric {where}{rest}."
            )
    return sentences


def _unbeaten(groups: Mapping[str, Groups]) -> str:
    """Name the metrics that are not shown to be below any other in any collection, and where the others are."""
    count = len(groups)
    pools = [each.pool for each in groups.values()]
    names = in_convention([name for name in pools[0] if all(name in pool for pool in pools)])
    below = {name: [where for where, each in groups.items() if name in each.below] for name in names}
    first = [name for name in names if not below[name]]
    unjudged = [name for name in first if any(name in each.unjudged for each in groups.values())]
    first = [name for name in first if name not in unjudged]
    if not names:
        return f"No metric was compared in {_where(count)} collections."
    aside = (
        f" Left out, since more than half of the ranks looked at are unjudged: {listed(unjudged)}." if unjudged else ""
    )
    if not first and unjudged and not any(below.values()):
        return judge_first(len(names))
    winners = {each.winner for each in groups.values()}
    winner = winners.pop() if len(winners) == 1 else None
    if winner in first and len(names) > 1:
        return f"Use {winner}: in {_where(count)} collections it is shown to beat every other metric.{aside}"
    if not any(below.values()):
        none, use = ("none of them is", "one of them") if len(first) > 1 else ("it is not", "it")
        return (
            f"{listed(first)}: in {_where(count)} collections {none} shown to be below another. If you use {use}, "
            f"nothing here is a reason to change.{aside}"
        )
    everywhere = [name for name in names if len(below[name]) == count]
    some = [f"{name} ({listed(where)})" for name, where in below.items() if 0 < len(where) < count]
    parts = [f"in {_where(count)}: {listed(everywhere)}"] if everywhere else []
    parts += [f"in some: {listed(some)}"] if some else []
    placed = f"Shown to be below another {'; '.join(parts)}."
    if not first:
        every = "Every other metric" if unjudged else "Every metric"
        return f"{aside.strip()} {every} is shown to be below another in some collection. {placed}".strip()
    either = "either" if count == 2 else "any"
    if len(first) == 1:
        return (
            f"{first[0]} is not shown to be below another in {either} of the {count} collections. {placed} If you use "
            f"it, nothing here is a reason to change.{aside}"
        )
    return (
        f"Not shown to be below any other in {either} of the {count} collections: {listed(first)}. {placed} "
        f"If you use one of the first group, nothing here is a reason to change.{aside}"
    )


def shared_findings(
    verdicts: Mapping[str, pl.DataFrame], options: Mapping[str, Mapping[str, Any]] | None = None
) -> pl.DataFrame:
    """One row per metric and finding: in which collections it holds, and the difference pooled over all of them.

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
    return rows.join(_pooled(verdicts, options or {}), on=["metric", "canonical"], how="left", maintain_order="left")


def _pooled(verdicts: Mapping[str, pl.DataFrame], options: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    """Metric and reference -> the differences pooled over the collections that have them."""
    import polars as pl

    seen: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for name in options:
        for row in verdicts[name].iter_rows(named=True):
            own = seen.setdefault((row["metric"], row["canonical"]), {what: [] for what in _WHAT})
            for what in _WHAT:
                if row[f"{what}_low_row"] is not None and row["verdict"] != IDENTICAL:
                    own[what].append((row[f"{what}_difference"], _standard_error(row, what, options[name])))
    schema: dict[str, Any] = {"metric": str, "canonical": str, "collections": int}
    schema |= {f"{what}_{part}": float for what in _WHAT for part in _POOLED}
    rows = []
    for (metric, canonical), own in seen.items():
        cells: dict[str, Any] = {"metric": metric, "canonical": canonical, "collections": len(own["power"])}
        for what in _WHAT:
            together = random_effects([value for value, _ in own[what]], [error for _, error in own[what]])
            if together is not None:
                ends = max(together.low, -1.0), min(together.high, 1.0)
                values = (together.estimate, *ends, together.between)
                cells |= {f"{what}_{part}": value for part, value in zip(_POOLED, values, strict=True)}
        rows.append(cells)
    return pl.DataFrame(rows, schema)


def _standard_error(row: Mapping[str, Any], what: str, options: Mapping[str, Any]) -> float:
    """The standard error behind the interval of a row alone, from its longer side, since one end may be clipped."""
    from scipy.special import stdtrit

    value, low, high = (row[f"{what}_{part}"] for part in ("difference", "low_row", "high_row"))
    return float(max(high - value, value - low) / -stdtrit(max(options["units"] - 1, 1), options["alpha"] / 2.0))


def _pooled_sentence(findings: pl.DataFrame, alpha: float) -> str:
    """Say how many pooled differences exclude 0, if there are enough collections to pool."""
    unique = findings.unique(["metric", "canonical"], maintain_order=True)
    known = [row for row in unique.iter_rows(named=True) if any(row[f"{what}_pooled"] is not None for what in _WHAT)]
    if not known:
        return ""
    if max(row["collections"] for row in known) < _FEWEST_POOLED:
        return (
            "Two collections are too few to pool differences: an interval from two has one degree of freedom, so "
            "each collection has its own answer."
        )
    clear = [
        (row, what)
        for row in known
        for what in _WHAT
        if row[f"{what}_pooled"] is not None and (row[f"{what}_low"] > 0 or row[f"{what}_high"] < 0)
    ]
    count = len(_WHAT) * len(known)
    widest = max(
        (row[f"{what}_between"] or 0.0, what, row["metric"], row["canonical"]) for row in known for what in _WHAT
    )
    spread = (
        f" Collections differ most in {widest[1]} of {widest[2]} minus {widest[3]}: standard deviation "
        f"{figure(widest[0], digits=2)} between them."
        if round(widest[0], 2) > 0
        else ""
    )
    return (
        f"Pooled over collections (random effects), {len(clear)} of {count} differences have an interval that "
        f"excludes 0, each alone; {alpha * count:.0f} would by chance.{spread}"
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
    rows = _rows_by_news(frame)
    if not rows:
        return None
    position = {row: i for i, row in enumerate(rows[:most])}
    kept = frame.filter(pl.col("row").is_in(list(position)))
    order = pl.col("row").replace_strict(position, return_dtype=pl.Int64)
    left = len(rows) - len(position)
    title = _FOREST_TITLE + (f"; {left} more comparisons are in the table" if left else "")
    return forest(kept.sort(order, maintain_order=True), "row", "collection", _INTERVALS, VERDICT_COLUMN, title=title)


def _forest_rows(table: pl.DataFrame, name: str) -> pl.DataFrame:
    import polars as pl

    close = pl.col("close_call").fill_null(False) if "close_call" in table.columns else pl.lit(False)
    numbers = [column for side in _INTERVALS.values() for column in side]
    row = pl.format("{}\nvs {}", "metric", "canonical").alias("row")
    return table.select(row, pl.lit(name).alias("collection"), *numbers, "verdict", close.alias("close_call"))


def _rows_by_news(frame: pl.DataFrame) -> list[str]:
    """The rows, the best verdict first, then by the number of collections with a verdict, then as given."""
    import polars as pl

    ranks = {verdict: i for i, verdict in enumerate(DIFFERENCES)}
    rank = pl.col("verdict").replace_strict(ranks, default=len(ranks), return_dtype=pl.Int64)
    differing = pl.col("verdict").is_in(DIFFERENCES).sum()
    counted = frame.group_by("row", maintain_order=True).agg(rank.min().alias("best"), differing.alias("differing"))
    return counted.sort("best", "differing", descending=[False, True], maintain_order=True)["row"].to_list()
