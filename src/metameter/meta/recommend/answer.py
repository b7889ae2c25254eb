"""The answer first: which metric to use and how sure that is, then what was found, then what was not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.comparisons import BY_NAME, REFERENCE
from metameter.meta.recommend.leaders import Leaders, exceeds, leaders, ranked_alike
from metameter.meta.recommend.references import headline, summaries
from metameter.meta.recommend.sentence import figure
from metameter.meta.recommend.verdict import IDENTICAL, VERDICTS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["answer", "candidates", "how_sure", "tally"]

_MOST_NAMES, _MOST_GROUPS = 8, 3


def answer(table: pl.DataFrame, metrics: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """The sentences that a report begins with: they say what the tables say, and no more.

    Parameters
    ----------
    table, metrics : polars.DataFrame
        ``recommendation`` and ``metrics``.
    options : dict
        Of the recommendation: ``similar``, ``alpha``, ``topics``, ...
    """
    import polars as pl

    if not table.height:
        return ["No two metrics here can be compared: nothing to recommend."]
    by_name = table.filter(pl.col("group") == BY_NAME)
    # Of identical metrics the first stands for all.
    alike = table.filter(pl.col("verdict") == IDENTICAL)["metric"].unique().implode()
    distinct, aside = candidates(metrics.filter(~pl.col("metric").is_in(alike)), options.get("simple", []))
    pool = distinct.filter("named") if by_name.height and distinct["named"].any() else distinct
    found = leaders(pool)
    if found is None:
        return [_nothing_known(options), *summaries(table)]
    referred = table.filter(pl.col("group") == REFERENCE)
    first, *more = [headline(referred)] if referred.height else _which(found, pool, distinct)
    parts = [*more, *_groups(found, by_name, options), *_identical(by_name), *summaries(table)]
    # Of several collections it is said once, for all of them.
    sure = [how_sure([table], options)] if options["collections"] == 1 else []
    return [f"{first}{aside}", *sure, *parts]


def candidates(metrics: pl.DataFrame, simple: list[str]) -> tuple[pl.DataFrame, str]:
    """The metrics that may be recommended, and a sentence on those that are not: what measures one dimension only."""
    import polars as pl

    others = metrics.filter(~pl.col("metric").is_in(simple))
    if not others.height or others.height == metrics.height:
        return metrics, ""
    names = [name for name in simple if name in metrics["metric"]]
    return others, f" Set aside as simple metrics, of one dimension of quality each: {_names(names)}."


def tally(table: pl.DataFrame) -> list[tuple[str, int]]:
    """How many comparisons got each verdict, the best news first.

    Examples
    --------
    >>> import polars as pl
    >>> tally(pl.DataFrame({"verdict": ["worse", "no-evidence", "worse"]}))
    [('no-evidence', 1), ('worse', 2)]
    """
    counts = Counter(table["verdict"])
    return [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]]


def _which(found: Leaders, pool: pl.DataFrame, metrics: pl.DataFrame) -> list[str]:
    """Which metric to use, if one leads, and what it does; otherwise what to choose by."""
    count = len(found.metrics)
    if count == 1:
        return ["All metrics here are identical: keep the one you use."]
    if len(found.both) == count and not any(found.exceeded.values()):
        none = f"none of the {count} metrics {_of(pool, metrics)} is shown to be better than another"
        return [f"Keep the metric you use: {none}.{_exceeded_by(found.metrics, metrics)}"]
    if not found.both:
        powerful, consistent = found.powerful[0], found.consistent[0]
        return [
            f"No metric leads in both respects: use {powerful} to tell as many systems apart as possible, "
            f"{consistent} for a ranking that comes out again with other topics.",
            f"{powerful} tells apart {_apart(powerful, pool)}; by {consistent}, {_halves(consistent, pool)}.",
        ]
    best, *level = found.both
    ahead = found.exceeded[best]
    shown = f"; it is shown to be better than {ahead} of the other {count - 1}" if ahead else ""
    tied = f" Metrics that are level with it and serve as well: {_names(level)}." if level else ""
    return [
        f"Use {best}: no other of the {count} metrics {_of(pool, metrics)} is shown to tell more systems apart or to "
        f"rank them more consistently{shown}.{_exceeded_by([best], metrics)}",
        f"{best} tells apart {_apart(best, pool)}, and {_halves(best, pool)}.{tied}",
    ]


def _of(pool: pl.DataFrame, metrics: pl.DataFrame) -> str:
    return "compared" if pool.height == metrics.height else "that go by a name of their own"


def _exceeded_by(names: list[str], metrics: pl.DataFrame) -> str:
    """Among all metrics, alternatives included: those that are shown to exceed one of the metrics named."""
    rows = {row["metric"]: row for row in metrics.rows(named=True)}
    above = [name for name, row in rows.items() if any(exceeds(row, rows[each]) for each in names)]
    whom = "it" if len(names) == 1 else "one of them"
    return f" Shown to exceed {whom}, among the alternatives: {_names(above)}." if above else ""


def _apart(metric: str, pool: pl.DataFrame) -> str:
    return f"{_value(metric, 'power', pool):.0%} of all pairs of systems"


def _halves(metric: str, pool: pl.DataFrame) -> str:
    tau = figure(_value(metric, "consistency", pool), digits=2)
    return f"two halves of the topics rank the systems alike to a tau of {tau}"


def _value(metric: str, column: str, pool: pl.DataFrame) -> float:
    import polars as pl

    return float(pool.filter(pl.col("metric") == metric)[column][0])


def how_sure(tables: list[pl.DataFrame], options: dict[str, Any]) -> str:
    """What the error rate is, and how many verdicts hang by a thread.

    Parameters
    ----------
    tables : list of polars.DataFrame
        ``recommendation``, of each collection.
    options : dict
    """
    alpha, topics = options["alpha"], options["topics"]
    if options["level"] == "row":
        rate = "Each comparison stands for itself here, so some of these statements may be chance"
    else:
        several = f" in all {len(tables)} collections" if len(tables) > 1 else ""
        rate = (
            f"How sure: all statements of better and worse{several} hold together at the {alpha:.0%} level; were the "
            f"metrics equally good, at least {1 - alpha:.0%} of studies like this would call none better or worse"
        )
    close, rows = sum(int(table["close_call"].sum()) for table in tables), sum(table.height for table in tables)
    calls = f" {close} of {rows} verdicts {'is a close call' if close == 1 else 'are close calls'}." if close else ""
    few = f" {topics} topics are few: expect little evidence." if topics < 15 else ""
    return f"{rate}.{calls}{few}"


def _groups(found: Leaders, by_name: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """Who leads in each respect, and who ranks alike: as groups with ties, not in a forced order."""
    import polars as pl

    sentences = [
        f"Most consistent: {_group(found.consistent, found.metrics)}. "
        f"Most discriminating: {_group(found.powerful, found.metrics)}."
    ]
    compared = by_name.filter(pl.col("metric").is_in(found.metrics), pl.col("canonical").is_in(found.metrics))
    alike = ranked_alike(compared, options["similar"]) if compared.height else []
    if alike:
        largest = sorted(alike, key=len, reverse=True)[:_MOST_GROUPS]
        listed = "; ".join(map(_names, largest)) + ("; and more" if len(alike) > _MOST_GROUPS else "")
        limit = figure(options["similar"], digits=1, apart=(1.0,))
        sentences.append(f"Rank the systems alike, tau surely above {limit}: {listed}.")
    return sentences


def _group(names: list[str], every: list[str]) -> str:
    """The metrics that nothing is shown to exceed, or, where these are most of them, those that something exceeds."""
    rest = [name for name in every if name not in names]
    if not rest:
        return f"no metric is shown to be (highest: {names[0]})"
    if len(rest) < len(names):
        return f"{names[0]}; shown to be below another: {_names(rest)}"
    return _names(names) + (", none of them shown to be below another" if len(names) > 1 else "")


def _identical(by_name: pl.DataFrame) -> list[str]:
    import polars as pl

    pairs = by_name.filter(pl.col("verdict") == IDENTICAL)["canonical", "metric"].rows()
    return [f"Identical here: {'; '.join(f'{one} = {other}' for one, other in pairs)}."] if pairs else []


def _names(names: list[str]) -> str:
    left = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {left} more" if left > 0 else "")


def _nothing_known(options: dict[str, Any]) -> str:
    if options["topics"] < 5 and options["resample"] != "systems":
        return f"{options['topics']} topics are too few to say which metric is better: it takes 5 at the very least."
    if options["resample"] != "topics":
        return "There are too few systems, or groups of systems, to say which metric would be better with others."
    return "Without resamples nothing is known of other topics, so no metric is shown to be better than another."
