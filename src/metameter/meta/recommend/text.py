"""The prose of `recommend`: its declaration and its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.meta.framework.sampling import Sampling
from metameter.meta.recommend.terciles import FEWEST
from metameter.stats.consistency.resampled_metrics import SPLITS

if TYPE_CHECKING:
    import polars as pl


WORDS = Words(
    "Recommendation",
    "Which metrics are stable here, and which are shown to be below others?",
    "Each metric is compared with a reference in three ways: how alike the two rank the systems, and by how much they "
    "differ in consistency and in power. Both differences have intervals from resampled topics, wide enough that all "
    "of them hold at once. Only a difference whose interval excludes zero counts as evidence.",
    "Better-and-similar: more consistent or more discriminating than the reference, worse in neither, and shown to "
    "rank the systems alike. Better-but-different: better, but not shown to rank the systems alike. Same: both "
    "differences are shown to lie within the margin. Mixed: better in one, worse in the other. Identical: the scores "
    "are multiples of each other. No-evidence does not prove equality: more topics may show a difference. A close call "
    "may change with another seed.",
    alone="By stability alone",
    columns={
        "metric": "the metric",
        "canonical": "the reference that it is compared with",
        "group": "the browsing model; by name: metrics compared with each other; reference: the reference was named",
        "verdict": "what the intervals say about the metric, compared with its reference",
        "close_call": "whether a shift of two Monte-Carlo errors would change the verdict, or in metrics whether the "
        "metric is shown to be below another",
        "close_lead": "whether such a shift would change leads",
        "words": "the reasons for the verdict, in a sentence",
        "tau_to_canonical": "how alike the metric and its reference rank the systems",
        "tau_low": "lower end of the 95% interval of tau, for other systems",
        "tau_high": "upper end of the 95% interval of tau, for other systems",
        "consistency_difference": "mean tau of split halves minus that of the reference",
        "consistency_low": "lower end of its interval, which holds together with all others; in metrics, of "
        "consistency alone",
        "consistency_high": "upper end of its interval, which holds together with all others; in metrics, of "
        "consistency alone",
        "power_difference": "power minus that of the reference, by the randomised test's normal approximation",
        "power_low": "lower end of its interval, which holds together with all others; in metrics, of power alone",
        "power_high": "upper end of its interval, which holds together with all others; in metrics, of power alone",
        "consistency_low_row": "lower end of the interval of this row alone",
        "consistency_high_row": "upper end of the interval of this row alone",
        "power_low_row": "lower end of the interval of this row alone",
        "power_high_row": "upper end of the interval of this row alone",
        "power_difference_randomised": "the same difference by the randomised test itself",
        "consistency": "mean tau between rankings on two halves of the topics, as in consistency",
        "power": "share of the pairs of systems that differ significantly, as in power; by thirds: within that third",
        "front": "whether no metric is higher in both consistency and power; false for diagnostics",
        "consistency_group": "letters: metrics that share one are not shown to differ in consistency",
        "power_group": "letters: metrics that share one are not shown to differ in power",
        "beats": "how many metrics it is shown to exceed in one of the two and to be below in neither",
        "beaten_by": "how many metrics beat it in this sense",
        "standing": "top: shown to beat some metric and below none; below: shown to be below another; open: neither",
        "leads": "whether it is shown to beat every other metric to choose from",
        "top_share": "how often it would not be shown to be below another with other topics, systems and seeds",
        "top_share_topics": "the same with other topics only",
        "top_share_systems": "the same with other systems only",
        "top_share_seeds": "the same with other seeds only",
        "judged": "share of the ranks it looks at that is judged, where runs and judgments are given",
        "diagnostic": "whether it does not measure relevance and so is not a candidate",
        "constant": "whether it gives all systems the same scores and so is not a candidate",
        "tau_low_together": "lower bound of tau for other topics and other systems, for all rows at once",
        "named": "whether it has a name of its own and is not an alternative to a canonical metric",
        "model": "the browsing model; the columns of alternatives are its aggregations, with the verdict on each",
        "compared_with": "the canonical metric of the browsing model, which its alternatives are compared with",
        "tercile": "which third of the topics: hard, medium or easy by the reference",
        "topics": "how many topics are in that third",
        "mean_tau": "consistency within that third",
        "is_canonical": "whether the metric is the reference itself",
        "consistency_se": "Monte-Carlo error of consistency_low and consistency_high",
        "power_se": "Monte-Carlo error of power_low and power_high",
        "consistency_row_se": "Monte-Carlo error of consistency_low_row and consistency_high_row",
        "power_row_se": "Monte-Carlo error of power_low_row and power_high_row",
        "mean_tau_se": "Monte-Carlo error of mean_tau",
    },
    charts={},
)


def interval_name(alpha: float, level: str) -> str:
    """The name of the deciding intervals: 95% for each row alone, simultaneous 95% for a study.

    Examples
    --------
    >>> interval_name(0.05, "row"), interval_name(0.05, "study")
    ('95%', 'simultaneous 95%')
    """
    share = f"{1 - alpha:.0%}" if round(100 * alpha, 6) % 1 == 0 else f"{100 * (1 - alpha):g}%"
    return share if level == "row" else f"simultaneous {share}"


def notes(table: pl.DataFrame, sampling: Sampling, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the notes: what the figures are, which intervals they have, and how many close calls there are."""
    if not table.height:
        return ()
    sentences = [
        "Differences are metric minus reference: consistency in mean tau of split halves, power in the share of pairs "
        f"separated.{_gap(table)} Similar: the interval of tau (Fieller's, for other systems) is at or above "
        f"{options['similar']:g}. Same: within {options['margin']:g}.",
        *_intervals(table, sampling, options),
    ]
    if options["topics"] < FEWEST:
        sentences.append(f"Thirds by difficulty need {FEWEST} topics or more.")
    else:
        sentences.append(
            "Thirds by difficulty: hard topics are those on which the systems' mean score by the reference is lowest; "
            f"{SPLITS} splits of each third, power by the normal approximation."
        )
    return tuple(sentences)


def _together(options: dict[str, Any]) -> str:
    return f" of all {options['collections']} collections" if options["collections"] > 1 else ""


def _gap(table: pl.DataFrame) -> str:
    gaps = (table["power_difference"] - table["power_difference_randomised"]).abs().drop_nulls()
    if not len(gaps):
        return ""
    largest = float(gaps.to_numpy().max())
    return (
        " Power is that of the randomised Tukey HSD by its normal approximation, on the topics and on every resample "
        f"alike; the differences by the test itself are within {largest:.3f} of it."
    )


def _intervals(table: pl.DataFrame, sampling: Sampling, options: dict[str, Any]) -> list[str]:
    if not options["resamples"]:
        return ["Without intervals there is no evidence either way.", *sampling.caveats()]
    name = interval_name(options["alpha"], "row")
    sentences = [
        f"Intervals are {name} for {sampling.others}, from {options['resamples']:,} resamples with 4 splits "
        f"each, and {options['splits']:,} splits of the topics. Those that decide hold for all {2 * table.height:,} "
        f"differences{_together(options)} at once (largest deviation over the resamples, stepping down); those of "
        "each row alone are in the columns that end in _row."
        if options["level"] == "study"
        else f"Intervals are {name} for {sampling.others}, each alone: with {2 * table.height:,} of them some verdicts "
        "are due to chance. The level study controls the error of all together."
    ]
    close = int(table["close_call"].sum())
    if options["resamples"] > options["asked"]:
        more = f"resamples were raised from {options['asked']:,} to {options['resamples']:,} because of close calls"
        sentences.append(f"Close calls: {close} of {table.height} remain; {more}.")
    elif close:
        sentences.append(f"Close calls: {close} of {table.height}.")
    return [*sentences, *sampling.caveats()]
