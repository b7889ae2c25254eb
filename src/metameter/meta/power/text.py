"""The prose of `power`: its declaration, notes and conclusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.base import Telling, Words
from metameter.meta.framework.caveats import describe_error_rate, false_alarms, name_of_test, too_few_trials
from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.framework.sampling import Sampling
from metameter.meta.framework.standing import basis_of, standing_sentences
from metameter.meta.power.intervals import RESAMPLED_TEST
from metameter.meta.power.tables import STAND_INS, curve_labels
from metameter.stats.checks import Floats
from metameter.stats.significance.confirmation import split_count
from metameter.stats.significance.pairs import FAMILYWISE, PairTests
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl


_TUKEY_TESTS = frozenset({"tukey-randomised", "tukey", None})

WORDS = Words(
    "Discriminative power",
    "Which metric tells systems apart?",
    "Every pair of systems is tested for a difference in mean score, all pairs of a metric at one familywise error "
    "rate. Discriminative power is the share of pairs that differ significantly. Since a metric could be wrong "
    "with confidence, agreement says how many pairs that are significant on one half of the topics are significant on "
    "the other. Resampled topics (or systems) show how much power could change on others.",
    "In a panel, all pairs are sorted from the largest p-value to the smallest. The closer a curve is to the origin, "
    "the more pairs the metric separates; pairs below the dashed line are significant.",
    columns={
        "metric": "the metric",
        "system_a": "the first system of a pair",
        "system_b": "the second system of a pair",
        "pairs": "how many pairs of systems there are",
        "significant": "pairs that differ significantly: how many; in power_agreement their share on half the topics",
        "power": "share of the pairs that differ significantly",
        "required_difference": "the smallest difference of means that is significant",
        "low": "lower end of the 95% interval of power for other topics (or systems, if those were resampled), within "
        "[0, 1]; empty with fewer than 5 systems",
        "high": "upper end of the interval, as low",
        "beats": "how many metrics are shown to separate fewer pairs: the interval of the difference in power, which "
        "holds for all pairs of metrics at once, excludes zero; empty for diagnostics, which are not compared",
        "beaten": "the metrics that are shown to separate fewer pairs; empty as beats",
        "required_share": "the required difference as a share of the largest one observed",
        "trials": "number of random trials of the test",
        "agreement": "of the pairs significant on one half of the topics, the share significant in the same direction "
        "on the other",
        "opposite": "of these pairs, the share that differs in the other direction on the other half",
        "reversed": "of these pairs, the share that is significant in the other direction on the other half",
        "splits": "how many times the topics were split into halves",
        "metric_a": "the metric A, whose verdicts are checked",
        "metric_b": "the metric B, with which it is compared",
        "added": "share of the pairs that A separates on one half of the topics and B does not",
        "agreement_a": "of these added pairs, the share that A separates in the same direction on the other half",
        "agreement_b": "of these added pairs, the share that B separates in the same direction on the other half",
        "shared": "share of the pairs that A and B separate in the same direction on one half of the topics",
        "shared_agreement_a": "of these shared pairs, the share that A separates in the same direction on the "
        "other half",
        "shared_agreement_b": "of these shared pairs, the share that B separates in the same direction on the "
        "other half",
        "difference": "of the means, a minus b",
        "effect": "the difference in standard deviations",
        "p": "achieved significance level",
        "p_uncorrected": "p before the correction for the number of pairs",
        "first": "the first of the pairs with this p, counted from the largest p",
        "last": "the last of the pairs with this p",
        "p_error": "Monte-Carlo error of p",
        "power_error": "Monte-Carlo error of power",
        "required_difference_error": "Monte-Carlo error of required_difference",
        "required_share_error": "Monte-Carlo error of required_share",
        "significant_error": "Monte-Carlo error of significant",
        "agreement_error": "Monte-Carlo error of agreement",
        "opposite_error": "Monte-Carlo error of opposite",
        "reversed_error": "Monte-Carlo error of reversed",
        "low_se": "Monte-Carlo error of low",
        "high_se": "Monte-Carlo error of high",
        "added_error": "Monte-Carlo error of added",
        "agreement_a_error": "Monte-Carlo error of agreement_a",
        "agreement_b_error": "Monte-Carlo error of agreement_b",
        "shared_error": "Monte-Carlo error of shared",
        "shared_agreement_a_error": "Monte-Carlo error of shared_agreement_a",
        "shared_agreement_b_error": "Monte-Carlo error of shared_agreement_b",
    },
    charts={
        "power": Telling("power"),
        "power_curve": Telling("power"),
        "required_difference": Telling("required_share", "Largest share", "smallest"),
    },
    references_when={"carterette2012": ("test", _TUKEY_TESTS)},
)


def notes(
    scores: Scores, tested: PairTests, test: str, correction: str, alpha: float, falling: Floats
) -> tuple[str, ...]:
    """Return the notes: the test and its error rate, its precision, what agreement is, and which curves are equal."""
    topics, pairs = len(scores.topics), falling.shape[1]
    named = f"{name_of_test(test, correction)}, alpha = {alpha:g}, {topics} topics, {pairs:,} pair{'s' * (pairs > 1)}."
    first = f"{named} {_error_rate(test, correction, alpha, pairs)}"
    if tested.trials is not None:
        first += f" {tested.trials:,} trials: no p-value has a Monte-Carlo error above {0.5 / tested.trials**0.5:.2g}."
    return (
        first,
        *too_few_trials(tested, correction, alpha),
        _agreement(test, topics),
        *_equal_curves(scores.metrics, falling),
    )


def interval_notes(test: str, resamples: int, sampling: Sampling, *, with_intervals: bool) -> tuple[str, ...]:
    """Return the notes on what the intervals of power are for, or why there are none.

    Parameters
    ----------
    test : str
    resamples : int
        How many resamples were drawn.
    sampling : Sampling
    with_intervals : bool
        Whether resamples were requested.
    """
    if not with_intervals:
        return ()
    if test != RESAMPLED_TEST:
        return (f"No intervals of power for {sampling.others}: only the randomised Tukey HSD has them.",)
    caveats = sampling.caveats()
    if not resamples:
        return tuple(caveats)
    about = (
        f"low, high: 95% of power for {sampling.others}, from {resamples:,} resamples of {sampling.resampled} by the "
        "test's normal approximation, around the power observed."
    )
    return (about, *caveats)


def conclusion(table: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """Say which metrics are shown to separate fewer pairs of systems than another.

    Parameters
    ----------
    table : polars.DataFrame
        ``power``.
    options : dict
        The options in the manifest.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"metric": ["nDCG@10", "RR"], "beats": [1, 0], "beaten": ["RR", ""]}
    >>> print(*conclusion(pl.DataFrame(rows), {"alpha": 0.05, "resample": "topics", "systems": 20}))
    nDCG@10 is shown to separate more pairs of systems than RR. \
Based on intervals of the differences for other topics that hold for the one pair of metrics (95%).
    """
    count = sum(not is_diagnostic(name) for name in table["metric"])
    pairs = count * (count - 1) // 2
    return standing_sentences(
        table,
        "separate fewer pairs of systems",
        "separate more pairs of systems",
        basis=basis_of(pairs, options),
        systems=options["systems"],
    )


def _error_rate(test: str, correction: str, alpha: float, pairs: int) -> str:
    if test in FAMILYWISE:
        return describe_error_rate(test, alpha, "all pairs of a metric")
    if correction == "none":
        return false_alarms(alpha, pairs)
    return "The error p_error is that of the uncorrected p."


def _agreement(test: str, topics: int) -> str:
    if topics < 4:
        return "Agreement needs at least four topics, two in each half."
    how = f", {STAND_INS[test]}" if test in STAND_INS else ""
    return (
        f"Agreement: of the pairs significant on one half of the topics, the share significant in the same direction "
        f"on the other ({split_count(test)} random splits{how})."
    )


def _equal_curves(metrics: tuple[str, ...], falling: Floats) -> list[str]:
    shared = (alike for names in curve_labels(metrics, falling).values() for alike in names.values() if len(alike) > 1)
    same = [" = ".join(metrics[i] for i in alike) for alike in shared]
    return [f"Equal curves, drawn once: {'; '.join(same)}."] if same else []
