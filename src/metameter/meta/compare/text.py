"""The prose of `compare`: its declaration, answer and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Telling, Words
from metameter.meta.framework.caveats import TEST_NAMES, describe_error_rate, false_alarms, name_of_test, too_few_trials
from metameter.stats.significance.compact_letter_display import sharing
from metameter.stats.significance.pairs import FAMILYWISE, PairTests
from metameter.view.tables.cells import rounded

if TYPE_CHECKING:
    import polars as pl


# Limits on sentences, and on names in one of them, beyond which nobody reads on.
_MOST_SENTENCES, _MOST_NAMES = 6, 5

FEWEST_TOPICS = 5  # for an interval
_FEW_TOPICS = 15  # for a warning
_TUKEY_TESTS = frozenset({"tukey-randomised", "tukey"})

WORDS = Words(
    "Leaderboard",
    "Which systems differ?",
    "The systems' mean scores are compared pair by pair, or each with a baseline, and the chance of any false alarm "
    "is controlled over all these comparisons.",
    "A grey bar, or the ranks in the column not different from, are the systems from which one is not shown to differ. "
    "The black line is the interval of one mean: two that overlap say nothing about the difference of their systems.",
    columns={
        "metric": "the metric",
        "system": "the system",
        "mean": "mean score of the system over the topics",
        "baseline_mean": "mean score of the baseline over the topics",
        "group": "letters: systems that share one do not differ significantly; empty where not all pairs are compared",
        "rank": "of the system by its mean, 1 the highest",
        "not_different_from": "the systems from which it is not shown to differ, by their ranks",
        "system_a": "the first system of a pair",
        "system_b": "the second system of a pair",
        "difference": "of the means: a minus b, or system minus baseline",
        "low": "lower end of the interval of the mean, or of the difference",
        "high": "upper end of the interval of the mean, or of the difference",
        "effect": "the difference in standard deviations",
        "p": "achieved significance level; in compare_baseline for the comparisons with a baseline only",
        "p_uncorrected": "p before the correction for the number of pairs",
        "wins": "on how many topics a is above b, or the system above the baseline",
        "ties": "on how many topics the two are equal",
        "losses": "on how many topics a is below b, or the system below the baseline",
        "baseline": "the other system: a baseline, or else the best system",
        "topic": "the topic",
        "score": "the system's score on the topic",
        "delta": "the score minus that of the baseline",
        "trials": "number of random trials of the test",
        "power": "share of the pairs that differ significantly",
        "required_difference": "the smallest difference of means that is significant",
        "low_error": "Monte-Carlo error of low",
        "high_error": "Monte-Carlo error of high",
        "p_error": "Monte-Carlo error of p before any correction",
        "width_error": "Monte-Carlo error of low and of high",
        "power_error": "Monte-Carlo error of power",
        "required_difference_error": "Monte-Carlo error of required_difference",
    },
    charts={"compare": Telling("mean")},
    references_when={
        "carterette2012": ("test", _TUKEY_TESTS),
        "dunnett1955": ("test", _TUKEY_TESTS),
        **dict.fromkeys(("westfall1993", "tusher2001"), ("test", frozenset({"max-t", None}))),
    },
)


def few_topics(topics: int) -> tuple[str, ...]:
    """Return the warning that there are too few topics for any conclusion; otherwise nothing.

    Examples
    --------
    >>> few_topics(3), few_topics(5)
    (('Draw no conclusion from these results: with 3 topics no test is reliable.',), ())
    """
    if topics >= FEWEST_TOPICS:
        return ()
    return (f"Draw no conclusion from these results: with {topics} topic{'s' * (topics != 1)} no test is reliable.",)


def notes(
    pairs: PairTests,
    test: str,
    alpha: float,
    correction: str,
    *,
    topics: int,
    resamples: int,
    about_baselines: tuple[str, ...],
) -> tuple[str, ...]:
    """Return the notes: which test on how many topics, for how many pairs the error rate holds, which intervals.

    Parameters
    ----------
    pairs : PairTests
        All pairs, or the comparisons with baselines where all pairs are too many.
    about_baselines : tuple of str
        What `baseline_notes` says; empty without baselines.
    """
    trials = "." if pairs.trials is None else f", {pairs.trials:,} trials."
    intervals = (_describe_intervals(test, alpha, correction), _means(alpha, resamples))
    sentences = (
        f"{name_of_test(test, correction)}, alpha = {alpha:g}, {topics} topics{trials}",
        *_few_topics(topics),
        *(about_baselines or _error_rate(test, alpha, correction, pairs.pvalue.shape[1], "pairs of a metric")),
        *too_few_trials(pairs, correction, alpha),
        *(intervals if topics >= FEWEST_TOPICS else ()),
    )
    return tuple(dict.fromkeys(sentences))


def leaderboard_notes(pairs: PairTests, test: str, alpha: float, *, topics: int, resamples: int) -> tuple[str, ...]:
    """Return the notes on the means of a study, of all pairs of which one test says whether they differ."""
    sentences = (
        f"{name_of_test(test)}, alpha = {alpha:g}, {topics} topics, {pairs.trials:,} trials.",
        *_few_topics(topics),
        *_error_rate(test, alpha, "none", pairs.pvalue.shape[1], "pairs of a metric"),
        *too_few_trials(pairs, "none", alpha),
        *((_means(alpha, resamples),) if topics >= FEWEST_TOPICS else ()),
    )
    return tuple(dict.fromkeys(sentences))


def leading_sentences(means: pl.DataFrame) -> list[str]:
    r"""Say which system is first by the first metric, how many are not shown to differ, and who leads by the others.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"metric": ["AP"] * 3 + ["RR"] * 3, "system": [*"xyzyxz"], "group": ["a", "ab", "b"] * 2}
    >>> print(*leading_sentences(pl.DataFrame({**rows, "mean": [0.5, 0.4, 0.3] * 2})), sep="\n")
    By AP x has the highest mean, 0.5000; 1 of the 2 others is not shown to differ from it.
    The highest mean by the other metrics: y (RR).
    """
    first, *others = _parts(means, "metric")
    metric, best, mean = first.select("metric", "system", "mean").row(0)
    if first["mean"].n_unique() == 1 and first.height > 1:
        return [f"By {metric} all {first.height} systems have the same mean, {rounded(mean)}."]
    level, count = int(sharing(first["group"].to_list())[0].sum()) - 1, first.height - 1
    verdict = f"{level} of the {count} others {'is' if level == 1 else 'are'} not shown to differ from it"
    if level in (0, count):
        verdict = f"it is shown to differ from {'none' if level else 'all'} of the {count} others"
    leaders: dict[str, list[str]] = {}
    for part in others:
        leaders.setdefault(part["system"][0], []).append(part["metric"][0])
    sentences = [f"By {metric} {best} has the highest mean, {rounded(mean)}; {verdict}."]
    if list(leaders) == [best]:
        return [*sentences, f"It has the highest mean by the other {len(others)} metrics, too."]
    named = "; ".join(f"{system} ({', '.join(names)})" for system, names in leaders.items())
    return [*sentences, f"The highest mean by the other metrics: {named}."] if others else sentences


def baseline_notes(
    systems: int,
    against: PairTests,
    test: str,
    alpha: float,
    correction: str,
    names: tuple[str, ...],
    *,
    named: bool,
    all_pairs: bool,
) -> tuple[str, ...]:
    """Return the notes on the p-values of the comparisons with baselines and of all pairs.

    Parameters
    ----------
    systems : int
    against : PairTests
        The comparisons with baselines.
    names : tuple of str
        The baselines.
    named : bool
        Whether the baselines were named; otherwise the first of two systems is the baseline.
    all_pairs : bool
        Whether all pairs are compared as well.
    """
    count, every = against.pvalue.shape[1], systems * (systems - 1) // 2
    if not named:
        return (
            f"Of two systems the one given first, {names[0]}, is the baseline. Set baseline (--baseline) to change it.",
        )
    sentences = _error_rate(test, alpha, correction, count, f"comparisons with {', '.join(names)}")
    if not all_pairs:
        left_out = "compare_pairs, compare_convergence and the groups of systems are left out"
        sentences = (*sentences, f"{left_out}: {systems:,} systems make {every:,} pairs.")
    elif count < every and (test in FAMILYWISE or correction != "none"):
        what = f"the {count:,} comparisons" if count > 1 else "the one comparison"
        rest = f"in compare_pairs, and for the groups, for all {every:,} pairs"
        sentences = (*sentences, f"In compare_baseline p and intervals are for {what} with {', '.join(names)}; {rest}.")
    return (*sentences, *too_few_trials(against, correction, alpha))


def _describe_intervals(test: str, alpha: float, correction: str) -> str:
    """What the intervals of the differences are, in one sentence."""
    share = f"{100 * (1 - alpha):g}%"
    if test in FAMILYWISE:
        what = "the difference plus or minus the difference that the test requires of the pair"
        return f"Intervals of differences hold for all pairs of a table at once ({share}): {what}."
    kind = {"t": "t intervals", "bootstrap": "studentised bootstrap intervals"}.get(
        test, f"t intervals of the mean difference, since the {TEST_NAMES[test]} is not about means"
    )
    if correction in ("bonferroni", "sidak"):
        return f"Intervals of differences hold for all pairs of a table at once ({share}, {correction}): {kind}."
    apart = "" if correction == "none" else f" (there are none for {correction})"
    return f"Intervals of differences are for each pair alone ({share}){apart}: {kind}."


def _means(alpha: float, resamples: int) -> str:
    return (
        f"Intervals of means ({100 * (1 - alpha):g}%): studentised bootstrap, {resamples:,} resamples of the topics, "
        "each system alone. They say how far a mean may be off, not which systems differ."
    )


def _few_topics(topics: int) -> tuple[str, ...]:
    if topics < FEWEST_TOPICS:
        return (f"{topics} topics are too few for intervals: {FEWEST_TOPICS} are needed.",)
    if topics < _FEW_TOPICS:
        return (
            f"Only {topics} topics: below {_FEW_TOPICS}, p-values and intervals are rough, and no verdict is final.",
        )
    return ()


def _error_rate(test: str, alpha: float, correction: str, count: int, what: str) -> tuple[str, ...]:
    if count < 2 or (test not in FAMILYWISE and correction != "none"):
        return ()
    if test in FAMILYWISE:
        return (describe_error_rate(test, alpha, f"the {count:,} {what}"),)
    return (false_alarms(alpha, count),)


def answer_of(tables: Mapping[str, pl.DataFrame], alpha: float, *, required: bool = True) -> list[str]:
    """Say which system beats which: for two systems with numbers, for several as counts.

    Parameters
    ----------
    tables : dict of polars.DataFrame
        Those of the comparison.
    alpha : float
    required : bool
        Whether half the width of an interval is the difference that the test requires.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"metric": "AP", "system": "b", "baseline": "a", "difference": 0.03, "low": 0.01, "high": 0.05}
    >>> row |= {"p": 0.004, "wins": 31, "ties": 2, "losses": 17, "mean": 0.23, "baseline_mean": 0.2}
    >>> print(*answer_of({"compare_baseline": pl.DataFrame([row])}, 0.05))
    By AP b beats a: b (mean 0.2300) minus a (mean 0.2000) is 0.0300 (95% interval 0.0100 to 0.0500), p = 0.0040; \
b is better on 31 topics, worse on 17, equal on 2.
    """
    compared = tables.get("compare_baseline")
    if compared is None:
        sentences = [
            _against_best(part, tables["compare_pairs"], alpha) for part in _parts(tables["compare"], "metric")
        ]
        return _with_metrics(sentences, tables["compare"])
    parts = _parts(compared, "metric", "baseline")
    rows = [part.row(0, named=True) for part in parts]
    if len(parts) > _MOST_SENTENCES and all(part.height == 1 for part in parts):
        return _with_metrics([_over_metrics(rows, alpha, required=required)], compared)
    sentences = [
        _one(row, alpha, required=required) if part.height == 1 else _against_baseline(part, alpha, required=required)
        for part, row in zip(parts, rows, strict=True)
    ]
    if compared.height == 1:
        sentences += _topics(tables.get("compare_topics"), rows[0])
    return _with_metrics(sentences, compared)


def _parts(frame: pl.DataFrame, *columns: str) -> list[pl.DataFrame]:
    return frame.partition_by(*columns, maintain_order=True)


def _with_metrics(sentences: list[str], compared: pl.DataFrame) -> list[str]:
    """Limit the number of sentences, and add that each p is about one metric alone."""
    left, metrics = len(sentences) - _MOST_SENTENCES, compared["metric"].n_unique()
    several = "baseline" in compared.columns and compared["baseline"].n_unique() > 1
    each = f"{'pair' if several else 'metric'}{'s' * (left != 1)}{' of a metric and a baseline' * several}"
    more = [f"The tables have {left:,} more {each}."] if left > 0 else []
    alone = f"Each p is for one metric alone; over {metrics} metrics a false alarm is more likely."
    return [*sentences[:_MOST_SENTENCES], *more, *([alone] if metrics > 1 else [])]


def _one(row: dict[str, Any], alpha: float, *, required: bool) -> str:
    system, baseline, difference = row["system"], row["baseline"], row["difference"]
    verdict = _verdict(row, alpha, required=required)
    known = row["low"] is not None
    level = f"{100 * (1 - alpha):g}%"
    interval = f" ({level} interval {rounded(row['low'])} to {rounded(row['high'])})" if known else ""
    means = f"{system} (mean {rounded(row['mean'])}) minus {baseline} (mean {rounded(row['baseline_mean'])})"
    numbers = f"{means} is {rounded(difference)}{interval}, {_p(row['p'])}"
    wins = f"{row['wins']} topic{'s' * (row['wins'] != 1)}"
    topics = f"{system} is better on {wins}, worse on {row['losses']}, equal on {row['ties']}."
    needed = _required([row]) if required and row["p"] >= alpha else ""
    return f"By {row['metric']} {verdict}: {numbers}; {topics}{needed}{_close_call(row, alpha)}"


def _verdict(row: dict[str, Any], alpha: float, *, required: bool) -> str:
    system, baseline, direction = row["system"], row["baseline"], _direction(row, required=required)
    if row["p"] >= alpha:
        return "no difference is shown"
    if direction == 0:
        return f"{system} and {baseline} differ, but the mean and most topics do not favour the same one"
    return f"{system} beats {baseline}" if direction > 0 else f"{baseline} beats {system}"


def _direction(row: dict[str, Any], *, required: bool) -> int:
    """Return 1 if the system is better, -1 if the baseline is, 0 if the mean and most topics disagree.

    Wilcoxon's and the sign test are not about means, so they can contradict the difference of the means.
    """
    signs = {row["difference"] > 0, *(() if required else (row["wins"] > row["losses"],))}
    return 0 if len(signs) > 1 else 1 if signs == {True} else -1


def _required(rows: Sequence[dict[str, Any]]) -> str:
    """Name the smallest significant difference, if it is known, the same for all, and above all of these."""
    widths = [row["high"] - row["difference"] for row in rows if row["high"] is not None]
    if len(widths) < len(rows) or max(widths) - min(widths) > 1e-9 * max(widths):
        return ""
    # Compared as printed: with a randomised test, p and the interval can disagree by a rounding error.
    needed, largest = float(rounded(widths[0])), max(float(rounded(abs(row["difference"]))) for row in rows)
    return (
        f" A difference of about {rounded(widths[0])} or more would have been significant." if needed > largest else ""
    )


def _close_call(row: dict[str, Any], alpha: float) -> str:
    error = row.get("p_error")
    # The error of p does not apply to a corrected p.
    if error is None or "p_uncorrected" in row or abs(row["p"] - alpha) > 2 * error:
        return ""
    return " A close call: p is within two Monte-Carlo errors of the limit. Draw more often (--trials)."


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {rounded(p)}"


def _topics(topics: pl.DataFrame | None, row: dict[str, Any]) -> list[str]:
    """For one comparison by one metric: the topics on which the two differ most."""
    if topics is None:
        return []
    system, wins, losses = (row[name] for name in ("system", "wins", "losses"))
    ordered = topics.sort("delta", descending=True, maintain_order=True)
    (best, ahead), (worst, behind) = (ordered.select("topic", "delta").row(at) for at in (0, -1))
    sentences = [
        *([f"furthest ahead on topic {best} ({rounded(ahead)})"] if wins else []),
        *([f"furthest behind on topic {worst} ({rounded(behind)})"] if losses else []),
    ]
    return [f"{system} is {', '.join(sentences)}; compare_topics has all topics."] if sentences else []


def _over_metrics(rows: Sequence[dict[str, Any]], alpha: float, *, required: bool) -> str:
    """Two systems by many metrics, counted."""
    system, baseline = rows[0]["system"], rows[0]["baseline"]
    up, down, mixed = _significant(rows, "metric", alpha, required=required)
    rest = len(rows) - len(up) - len(down) - len(mixed)
    if rest == len(rows):
        return f"By none of {len(rows)} metrics is a difference between {system} and {baseline} shown."
    verdicts = (
        f"{system} beats {baseline} by {_counted(up)}, {baseline} beats {system} by {_counted(down)}{_unclear(mixed)}"
    )
    return f"Of {len(rows)} metrics, {verdicts}; by {rest} no difference is shown."


def _against_baseline(part: pl.DataFrame, alpha: float, *, required: bool) -> str:
    metric, name, mean = part.select("metric", "baseline", "baseline_mean").row(0)
    baseline = f"{name} (mean {rounded(mean)})"
    # Of the few that are named, those that differ most.
    rows = sorted(part.to_dicts(), key=lambda row: -abs(row["difference"]))
    up, down, mixed = _significant(rows, "system", alpha, required=required)
    rest = len(rows) - len(up) - len(down) - len(mixed)
    if rest == len(rows):
        needed = _required(rows) if required else ""
        return f"By {metric} none of {len(rows)} systems is shown to differ from {baseline}.{needed}"
    verdicts = f"better than {baseline}: {_counted(up)}; worse: {_counted(down)}{_unclear(mixed)}"
    return f"By {metric}, of {len(rows)} systems, {verdicts}; no difference shown: {rest}."


def _significant(
    rows: Sequence[dict[str, Any]], name: str, alpha: float, *, required: bool
) -> tuple[list[str], list[str], list[str]]:
    """The names where the system is significantly better, worse, and where mean and topics disagree."""
    significant = [(row[name], _direction(row, required=required)) for row in rows if row["p"] < alpha]
    up, down, mixed = ([each for each, direction in significant if direction == sign] for sign in (1, -1, 0))
    return up, down, mixed


def _unclear(mixed: Sequence[str]) -> str:
    return f"; different, but the mean and most topics disagree: {_counted(mixed)}" if mixed else ""


def _against_best(means: pl.DataFrame, pairs: pl.DataFrame, alpha: float) -> str:
    import polars as pl

    metric, best, mean = means.select("metric", "system", "mean").row(0)
    not_significant = (pl.col("metric") == metric) & (pl.col("p") >= alpha)
    alike = pairs.filter(not_significant & ((pl.col("system_a") == best) | (pl.col("system_b") == best)))
    others = set(alike["system_a"]) | set(alike["system_b"])
    level = [system for system in means["system"] if system in others and system != best]
    count = means.height - 1
    if means["mean"].n_unique() == 1:
        return f"By {metric} all {means.height} systems have the same mean, {rounded(mean)}."
    verdict = f"it is not shown to differ from {_counted(level)} of the {count} others"
    if len(level) in (0, count):
        verdict = f"it is shown to differ from {'all' if not level else 'none'} of the {count} others"
    return f"By {metric} {best} has the highest mean, {rounded(mean)}; {verdict}."


def _counted(names: Sequence[str]) -> str:
    """The number of names, and the first few of them.

    Examples
    --------
    >>> _counted(["a", "b"]), _counted([]), _counted(list("abcdefg"))
    ('2 (a, b)', '0', '7 (a, b, c, d, e, ...)')
    """
    some = [*names[:_MOST_NAMES], *(["..."] if len(names) > _MOST_NAMES else [])]
    return f"{len(names)} ({', '.join(some)})" if names else "0"
