"""The answer of `recommend`: which metrics are not shown to be below any other, and how sure that is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_systems
from metameter.meta.framework.metric_groups import BY_NAME
from metameter.meta.framework.metric_names import is_diagnostic, name_list, position_of
from metameter.meta.framework.standing import left_out
from metameter.meta.framework.verdicts import IDENTICAL, SAME
from metameter.meta.recommend.candidate_groups import (
    groups_of,
    in_conventional_order,
    mostly_unjudged,
    one_to_choose,
)
from metameter.meta.recommend.comparison_sentences import summaries, todays_metrics
from metameter.meta.recommend.references import REFERENCE
from metameter.meta.recommend.verdict import VERDICTS
from metameter.stats.significance.compact_letter_display import cliques
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    import polars as pl


_MOST_GROUPS = 3
#: The systems hardly differ if no metric separates a larger share of the pairs than this.
HARDLY = 0.05
VALIDITY = (
    "Stability is not validity: consistency and power say how firmly a metric orders these systems, not whether it "
    "measures what users want. Only user labels (satisfaction, preference) show that."
)


def answer(table: pl.DataFrame, metrics: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """Return the sentences that a report begins with; they say no more than the tables.

    Parameters
    ----------
    table, metrics : polars.DataFrame
        ``recommendation`` and ``metrics``.
    options : dict
        The options of the recommendation: ``similar``, ``alpha``, ``topics``, ``systems``, ...
    """
    import polars as pl

    if options["systems"] < FEWEST_SYSTEMS:
        return [*options.get("comparison", []), *few_systems(options["systems"])]
    aside, today = _constant(metrics, options), _not_comparable(metrics, options)
    if not table.height:
        return [*today, *_no_choice(metrics, aside)]
    groups = groups_of(table, metrics)
    if groups is None:
        return [*today, _nothing_known(options), *aside, *summaries(table)]
    referred = table.filter(pl.col("group") == REFERENCE)
    sentences = [*systems_hardly_differ(options), *today]
    sentences += [todays_metrics(referred, mostly_unjudged(metrics))] if referred.height else []
    sentences += [groups.first_sentence(), *groups.set_aside(options.get("simple", [])), *aside]
    sentences += few_systems(options["systems"])
    # With several collections, this is said once for all.
    alone = options["collections"] == 1
    sentences += [*groups.close_calls(), *([how_sure([table], options), VALIDITY] if alone else [])]
    sentences += groups.stability(options["resample"])
    sentences += [*groups.figures(), *groups.differences(table), *groups.alternatives()]
    by_name = table.filter(pl.col("group") == BY_NAME)
    return [*sentences, *_alike(by_name, options), *_same(by_name), *summaries(table)]


def _no_choice(metrics: pl.DataFrame, aside: list[str]) -> list[str]:
    """Say that there is one metric to choose from, or none, and why."""
    if metrics["diagnostic"].all():
        return ["No metric here measures relevance: there is nothing to choose from."]
    if not metrics["diagnostic"].any():
        return [*aside, "No two metrics here can be compared: nothing to recommend."]
    left = metrics.filter(~metrics["diagnostic"] & ~metrics["constant"])["metric"].to_list()
    if not left:
        return [*aside, "No other metric here measures relevance: there is nothing to choose from."]
    diagnostics = left_out(metrics.filter("diagnostic")["metric"].to_list())
    return [one_to_choose(left[0]), *diagnostics, *aside, VALIDITY]


def systems_hardly_differ(options: dict[str, Any]) -> list[str]:
    """Say that the systems hardly differ, if no metric separates more than a few pairs of them."""
    best, share = options.get("separates_most", ("", 1.0))
    pairs = options["systems"] * (options["systems"] - 1) // 2
    if share > HARDLY:
        return []
    if share == 0:
        return ["The systems hardly differ here: no metric separates any two of them significantly."]
    return [
        f"The systems hardly differ here: even {best}, which separates most, finds about {round(share * pairs):,} of "
        f"{pairs:,} pairs significantly different ({share:.1%})."
    ]


def _constant(metrics: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """Say which metrics give all systems the same scores, and so are not candidates."""
    if "constant" not in metrics.columns:  # a study of an earlier version
        return []
    names = metrics.filter(metrics["constant"] & ~metrics["diagnostic"])["metric"].to_list()
    zero = [name for name in names if name in options.get("zero", [])]
    other = [name for name in names if name not in zero]
    sentences = []
    if zero:
        its, it = ("its", "it") if len(zero) == 1 else ("their", "them")
        sentences.append(
            f"{_no_candidates(zero)}: all {its} scores are 0. No retrieved document counts as relevant for {it}: check "
            "the judgments, and rel= if grades are fractions."
        )
    if other:
        gives = "it gives" if len(other) == 1 else "they give"
        sentences.append(f"{_no_candidates(other)}: {gives} all systems the same scores.")
    return sentences


def _no_candidates(names: list[str]) -> str:
    return f"{name_list(names)} {'is not a candidate' if len(names) == 1 else 'are not candidates'}"


def _not_comparable(metrics: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """Say which references are not compared: diagnostics, and metrics that give all systems the same scores."""
    names = tuple(metrics["metric"])
    references = dict.fromkeys(names[position_of(name, names)] for name in options.get("reference", []))
    constant = metrics.filter("constant")["metric"].to_list() if "constant" in metrics.columns else []
    why = {
        name: "is a diagnostic: it does not depend on relevance" if is_diagnostic(name) else "orders no systems here"
        for name in references
        if is_diagnostic(name) or name in constant
    }
    return [f"{name}, which you use today, {reason}, so it is not compared." for name, reason in why.items()]


def tally(table: pl.DataFrame) -> list[tuple[str, int]]:
    """Return how many comparisons got each verdict, the best verdict first.

    Examples
    --------
    >>> import polars as pl
    >>> tally(pl.DataFrame({"verdict": ["worse", "no-evidence", "worse"]}))
    [('no-evidence', 1), ('worse', 2)]
    """
    counts = Counter(table["verdict"])
    return [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]]


def how_sure(tables: list[pl.DataFrame], options: dict[str, Any]) -> str:
    """Say what the error rate is, and how many verdicts are close calls.

    Parameters
    ----------
    tables : list of polars.DataFrame
        ``recommendation``, of each collection.
    options : dict
    """
    alpha, topics = options["alpha"], options["topics"]
    if options["level"] == "row":
        rate = "Each comparison is made alone here, so some of these statements may be due to chance"
    else:
        several = f" in all {len(tables)} collections" if len(tables) > 1 else ""
        rate = (
            f"How sure: all statements of better and worse{several} hold together at the {alpha:.0%} level: if the "
            f"metrics were equally good, at least {1 - alpha:.0%} of studies like this would call none better or worse"
        )
    close, rows = sum(int(table["close_call"].sum()) for table in tables), sum(table.height for table in tables)
    calls = f" {close} of {rows} verdicts {'is a close call' if close == 1 else 'are close calls'}." if close else ""
    few = f" {topics} topics are few: expect little evidence." if topics < 15 else ""
    return f"{rate}.{calls}{few}"


def ranked_alike(table: pl.DataFrame, similar: float) -> list[list[str]]:
    """Return groups of metrics that rank the systems alike: all lower bounds of tau within them are above ``similar``.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["b", "c", "c"], "canonical": ["a", "a", "b"],
    ...                       "tau_to_canonical": [0.97, 0.9, 0.9], "tau_low_together": [0.95, 0.8, None]})
    >>> ranked_alike(table, 0.9)
    [['a', 'b']]
    """
    rows = table.select("metric", "canonical", "tau_low_together").rows()
    names = in_conventional_order(dict.fromkeys(name for metric, reference, _ in rows for name in (reference, metric)))
    alike = np.eye(len(names), dtype=bool)
    for metric, reference, low in rows:
        i, j = names.index(metric), names.index(reference)
        alike[i, j] = alike[j, i] = low is not None and low >= similar
    sets = ([name for i, name in enumerate(names) if group >> i & 1] for group in cliques(alike))
    return [group for group in sets if len(group) > 1]


def _alike(by_name: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    alike = ranked_alike(by_name, options["similar"]) if by_name.height else []
    if not alike:
        return []
    largest = sorted(alike, key=len, reverse=True)[:_MOST_GROUPS]
    names = "; ".join(map(name_list, largest)) + ("; and more" if len(alike) > _MOST_GROUPS else "")
    limit = figure(options["similar"], digits=1, apart=(1.0,))
    return [
        f"Rank the systems alike (tau above {limit} for other topics and other systems, all pairs at once): {names}."
    ]


def _same(by_name: pl.DataFrame) -> list[str]:
    """Name the pairs that are shown to be the same within the margin, and those with identical scores."""
    import polars as pl

    sentences = []
    for verdict, text in ((SAME, "The same within the margin"), (IDENTICAL, "Identical here")):
        pairs = by_name.filter(pl.col("verdict") == verdict)["canonical", "metric"].rows()
        if pairs:
            sentences.append(f"{text}: {'; '.join(f'{one} = {other}' for one, other in pairs)}.")
    return sentences


def _nothing_known(options: dict[str, Any]) -> str:
    if options["topics"] < 5 and options["resample"] != "systems":
        return f"{options['topics']} topics are too few to say which metric is better: that takes 5 or more."
    if options["resample"] != "topics":
        return "There are too few systems, or groups of systems, to say which metric would be better with others."
    return "Without resamples nothing is known of other topics, so no metric is shown to be better than another."
