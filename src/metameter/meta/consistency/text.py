"""The prose of `consistency`: its declaration, notes, conclusion and caption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.base import Telling, Words
from metameter.meta.consistency.tables import beaten_by_intervals
from metameter.meta.framework.metric_groups import GROUP_COLUMN
from metameter.meta.framework.sampling import OTHERS, Sampling
from metameter.meta.framework.standing import basis_of, beaten_columns, standing_sentences
from metameter.stats.consistency.resampled_metrics import SPLITS_OF_A_RESAMPLE
from metameter.view.escape import escape_latex

if TYPE_CHECKING:
    import polars as pl


#: Shown wherever the paper's test is. Measured by simulation: see docs/consistency.md.
ABOUT_SPLITS = (
    "The splits overlap, so the test is about the mean over these splits, not about other topics: nine in ten pairs of "
    "equally consistent metrics had p_splits below .05 in simulations."
)

WORDS = Words(
    "System ranking consistency",
    "Would other topics rank the systems alike?",
    "The topics are split into two halves at random many times, with the same splits for every metric. "
    "Kendall's tau compares the systems' ranking on one half with that on the other; its mean over the splits is "
    "the metric's consistency. Resampled topics (or systems) show how much means and differences could change on "
    "others. One metric beats another if the interval of their difference, which holds for all pairs at once, excludes "
    "zero.",
    "The further right, the more reliably a metric ranks the systems alike with other topics. Do not judge differences "
    "by overlapping whiskers: all metrics share the topics, so a difference is more certain than either mean; its "
    "interval is in consistency_pairs.",
    columns={
        "group": GROUP_COLUMN,
        "metric": "the metric",
        "metric_a": "the first metric of a pair",
        "metric_b": "the second metric of a pair",
        "mean_tau": "consistency: mean tau between rankings on two halves of the topics",
        "se": "Monte-Carlo error of the mean tau, or of the difference",
        "beats": "how many metrics it beats: the interval low to high of the difference in consistency_pairs excludes "
        "zero. With paper_marks: p_splits is below alpha, which is about these splits, not about other topics. Empty "
        "for diagnostics, which are not compared",
        "beaten": "the metrics that it beats, as counted in beats",
        "low": "lower end of the interval for other topics (or systems, if those were resampled), within [-1, 1]: of a "
        "mean tau 95% for it alone; of a difference 1 - alpha for all pairs of the table at once",
        "high": "upper end of the interval, as low",
        "low_row": "lower end of the 95% interval of this difference alone, within [-1, 1]",
        "high_row": "upper end of the 95% interval of this difference alone, within [-1, 1]",
        "canonical": "whether it is the canonical metric of its browsing model",
        "difference": "mean tau of the first metric minus that of the second",
        "p": "p-value of the difference for other topics (or systems), adjusted for all pairs of the table",
        "p_row": "p-value of this difference alone, for other topics (or systems)",
        "p_splits": "the paper's test (with paper_marks): whether the means over these splits differ, which overlap; "
        "not for other topics",
        "splits": "how many splits the mean is over",
        "p_se": "Monte-Carlo error of p",
        "low_se": "Monte-Carlo error of low",
        "high_se": "Monte-Carlo error of high",
        "p_row_se": "Monte-Carlo error of p_row",
        "low_row_se": "Monte-Carlo error of low_row",
        "high_row_se": "Monte-Carlo error of high_row",
        "p_splits_se": "Monte-Carlo error of p_splits",
    },
    charts={"consistency": Telling("mean_tau")},
)


def notes(options: dict[str, Any], sampling: Sampling, *, with_intervals: bool) -> tuple[str, ...]:
    """Return the notes on the means, the intervals and the paper's test.

    Parameters
    ----------
    options : dict
        The options in the manifest.
    sampling : Sampling
    with_intervals : bool
        Whether resamples were requested.
    """
    splits, tested, trials, resamples = (f"{options[name]:,}" for name in ("splits", "tested", "trials", "resamples"))
    sentences = [f"mean_tau: over {splits} random halves of {options['topics']} topics; se is its Monte-Carlo error."]
    if options["resamples"]:
        sentences.append(
            f"low, high: 95% for {sampling.others}, from {resamples} resamples of {sampling.resampled} with "
            f"{SPLITS_OF_A_RESAMPLE} splits each, without the noise of these splits. In consistency_pairs low, high "
            "and p hold for all pairs at once, low_row, high_row and p_row for each pair alone."
        )
    if options["paper_marks"]:
        sentences.append(
            f"beats, beaten, p_splits: the test of Chen and Sakai, randomised Tukey HSD over {tested} splits, {trials} "
            f"trials. {ABOUT_SPLITS}"
        )
    return (*sentences, *(sampling.caveats() if with_intervals else []))


def conclusion(table: pl.DataFrame, pairs: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """Say which metrics are shown to be less consistent than another, for other topics; never by the paper's test.

    Parameters
    ----------
    table, pairs : polars.DataFrame
        The tables ``consistency`` and ``consistency_pairs``.
    options : dict
        The options in the manifest.
    """
    import polars as pl

    by_intervals = beaten_by_intervals(pairs) if options["resamples"] > 0 else None
    judged = table.with_columns(**beaten_columns(table["metric"].to_list(), by_intervals))
    compared = pairs.select(pl.concat_list("metric_a", "metric_b")).n_unique()
    return standing_sentences(
        judged,
        "be less consistent",
        "be more consistent",
        basis=basis_of(compared, options),
        within="" if pairs["group"].n_unique() < 2 else " of its group",
        systems=options["systems"],
    )


def caption_of(options: dict[str, Any]) -> str:
    """The caption as LaTeX, with its symbols set as mathematics."""
    splits, tested, trials = (f"{options[name]:,}" for name in ("splits", "tested", "trials"))
    caption = (
        rf"System ranking consistency: mean $\tau$ over $B$ = {splits} splits of the {options['topics']} topics into "
        f"halves, {options['systems']} systems. The asterisk marks the canonical aggregation."
    )
    if options["paper_marks"]:
        return (
            rf"{caption} A raised $j$: significantly better ($p_\mathrm{{splits}} < {options['alpha']:g}$) than the "
            rf"worst $j$ of its block, by a randomised Tukey HSD test over {tested} splits with {trials} trials. "
            rf"{escape_latex(ABOUT_SPLITS)}"
        )
    if not options["resamples"]:
        return caption
    level = escape_latex(f"{100 * (1 - options['alpha']):.4g}%")
    return (
        f"{caption} A raised $j$: shown to be more consistent than $j$ metrics that it is compared with, by {level} "
        f"intervals for {OTHERS[options['resample']]} that hold for all pairs at once."
    )
