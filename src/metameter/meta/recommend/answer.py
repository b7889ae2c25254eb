"""The answer of `recommend`: which metrics are not shown to be below any other, and how sure that is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_systems
from metameter.meta.framework.metric_names import is_diagnostic, position_of
from metameter.meta.recommend.comparison_sentences import headline, listed, summaries
from metameter.meta.recommend.metrics_table import BELOW
from metameter.meta.recommend.references import BY_NAME, REFERENCE
from metameter.meta.recommend.top_groups import leaders
from metameter.meta.recommend.verdict import IDENTICAL, SAME, VERDICTS
from metameter.metric.presets import preset
from metameter.registry import metric_named
from metameter.stats.significance.compact_letter_display import cliques
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl


_MOST_GROUPS = 3
#: The systems hardly differ if no metric separates a larger share of the pairs than this.
HARDLY = 0.05
#: A metric with a smaller share of judged ranks is not listed with the others.
LEAST_JUDGED = 0.5
VALIDITY = (
    "Stability is not validity: consistency and power say how firmly a metric orders these systems, not whether it "
    "measures what users want. Only user labels (satisfaction, preference) show that."
)
_UNCHANGED = "nothing here is a reason to change"


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
    sentences = [*_hardly_differ(options), *today]
    sentences += [headline(referred, mostly_unjudged(metrics))] if referred.height else []
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
    shown = _diagnosis_only(metrics.filter("diagnostic")["metric"].to_list())
    return [_one_to_choose(left[0]), *shown, *aside, VALIDITY]


def _one_to_choose(name: str) -> str:
    return f"There is one metric to choose from, {name}. If you use it, {_UNCHANGED}."


def _diagnosis_only(names: list[str]) -> list[str]:
    if not names:
        return []
    who, what = ("do", "they are") if len(names) > 1 else ("does", "it is")
    return [
        f"{listed(names)} {who} not measure relevance: {what} shown for diagnosis only, not compared for the choice."
    ]


def mostly_unjudged(metrics: pl.DataFrame) -> dict[str, float]:
    """Metric -> the share of its ranks that is judged, for metrics with less than half."""
    known = metrics["metric", "judged"].drop_nulls().rows()
    return {name: share for name, share in known if share < LEAST_JUDGED}


def judge_first(count: int) -> str:
    """Say that none of these metrics looks at enough judged ranks.

    Examples
    --------
    >>> print(judge_first(2))
    Most of the ranks that both metrics look at are unjudged: judge more documents before you choose.
    """
    who = {1: "the metric looks", 2: "both metrics look"}.get(count, f"each of the {count} metrics looks")
    return f"Most of the ranks that {who} at are unjudged: judge more documents before you choose."


def _hardly_differ(options: dict[str, Any]) -> list[str]:
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
    sentences = []
    for some, one, many in (
        (
            zero,
            "all its scores are 0. No retrieved document counts as relevant for it",
            "all their scores are 0. No retrieved document counts as relevant for them",
        ),
        (
            [name for name in names if name not in zero],
            "it gives all systems the same scores",
            "they give all systems the same scores",
        ),
    ):
        if some:
            what = f"is not a candidate: {one}" if len(some) == 1 else f"are not candidates: {many}"
            hint = ": check the judgments, and rel= if grades are fractions" if some is zero else ""
            sentences.append(f"{listed(some)} {what}{hint}.")
    return sentences


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


def in_convention(names: Iterable[str]) -> list[str]:
    """Return the metrics in the order of the preset `everyday`; the others follow in the order given.

    Examples
    --------
    >>> in_convention(["mine", "RR", "RBP(p=0.8)*ERG", "nDCG@10"])
    ['nDCG@10', 'RR', 'RBP(p=0.8)*ERG', 'mine']
    """
    known = [str(metric_named(name)) for name in preset("everyday")]
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


@dataclass(frozen=True, eq=False)
class Groups:
    """The candidates by their standing, each group in conventional order.

    Attributes
    ----------
    rows : dict
        Candidate -> its row of ``metrics``; of identical ones the first.
    first, unjudged : list of str
        Not shown to be below any other: with half or more of the ranks they look at judged, and with less.
    below : list of str
        Shown to be below another.
    others : list of str
        Alternatives to canonical metrics, where metrics with a name of their own are the ones to choose from.
    diagnostics : list of str
        Metrics that do not measure relevance.
    identical : dict
        Candidate -> the other metrics to choose from whose scores are multiples of its own.
    """

    rows: dict[str, dict[str, Any]]
    first: list[str]
    unjudged: list[str]
    below: list[str]
    others: list[str]
    diagnostics: list[str]
    identical: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def pool(self) -> list[str]:
        """The metrics to choose from."""
        return [*self.first, *self.unjudged, *self.below]

    @property
    def winner(self) -> str | None:
        """The metric that is shown to beat every other, if there is one and no standing is a close call."""
        if any(self.rows[name]["close_call"] for name in self.pool):
            return None
        return next((name for name in self.first if self.rows[name].get("leads")), None)

    def first_sentence(self) -> str:
        """Name the groups, or the one metric that is shown to beat every other."""
        count = len(self.pool)
        first, below = self._with_identical(self.first), self._with_identical(self.below)
        if count == 1:
            return judge_first(1) if self.unjudged else _one_to_choose(*[*first, *below])
        if self.winner:
            others = f"each of the other {count - 1} metrics" if count > 2 else listed(below)
            return f"Use {first[0]}: it is shown to beat {others} in consistency or in power, and is below none."
        if not self.below and not self.first:
            return judge_first(count)
        beaten = f" Shown to be below: {listed(below)}." if below else ""
        # A single metric is not shown to beat those that are left out, or another seed might change that.
        if len(first) == 1:
            return f"{first[0]} is not shown to be below another.{beaten} If you use it, {_UNCHANGED}."
        if not self.first:
            every = f"Every metric but {listed(self.unjudged)}" if self.unjudged else f"Each of the {count} metrics"
            return f"{every} is shown to be below another: {listed(below)}."
        if below:
            return (
                f"Not shown to be below any other: {listed(first)}.{beaten} If you use one of the first group, "
                f"{_UNCHANGED}."
            )
        if self.unjudged:
            return f"None of {listed(first)} is shown to be below another. If you use one of them, {_UNCHANGED}."
        total = count + sum(map(len, self.identical.values()))
        neither = "Neither of the 2" if total == 2 else f"None of the {total}"
        return (
            f"{neither} metrics is shown to be below {'the other' if total == 2 else 'another'}: {listed(first)}. "
            f"If you use one of them, {_UNCHANGED}."
        )

    def _with_identical(self, names: list[str]) -> list[str]:
        """The names, each with the metrics that equal it up to a factor."""
        others = [self.identical.get(name, []) for name in names]
        return [
            f"{name} (and {listed(same)}: the same up to a factor)" if same else name
            for name, same in zip(names, others, strict=True)
        ]

    def set_aside(self, simple: Sequence[str]) -> list[str]:
        """Say which metrics are left out of the first group for other reasons than stability."""
        sentences = []
        if self.unjudged:
            names = ", ".join(f"{name} ({self.rows[name]['judged']:.1%} judged)" for name in self.unjudged)
            who = "it looks" if len(self.unjudged) == 1 else "they look"
            either = " either" if self.first else ""
            sentences.append(
                f"Not shown to be below any other{either}, but left out, since more than half of the ranks {who} at "
                f"are unjudged: {names}."
            )
        sentences += _diagnosis_only(self.diagnostics)
        if simple and not set(simple) & set(self.pool):
            sentences.append(f"Left out as simple metrics, of one dimension of quality each: {listed(list(simple))}.")
        return sentences

    def close_calls(self) -> list[str]:
        """Say which standings another seed might change."""
        close = [name for name in self.pool if self.rows[name]["close_call"]]
        if not close:
            return []
        return [f"Close call: with another seed the standing of {listed(close)} might change."]

    def stability(self, resample: str) -> list[str]:
        """Say how often each metric would be in the first group with other topics, systems and seeds.

        Parameters
        ----------
        resample : str
            With ``systems``, the topics stay as they are.
        """
        ordered = [*self.below, *self.first, *self.unjudged]
        known = [name for name in ordered if self.rows[name]["top_share"] is not None]
        if not known:
            return []
        shares = ", ".join(f"{name} {self.rows[name]['top_share']:.0%}" for name in known[: 2 * _MOST_GROUPS + 6])
        left = len(known) - (2 * _MOST_GROUPS + 6)
        others = "other systems and seeds" if resample == "systems" else "other topics, systems and seeds"
        return [
            f"Stability of this answer (how often a metric would not be shown to be below another with {others}): "
            f"{shares}{f' and {left} more' if left > 0 else ''}."
        ]

    def figures(self) -> list[str]:
        """Give the consistency and power of the first group, and say which metrics are below in which of the two."""
        chosen = self.first or self.pool
        power = _span([self.rows[name]["power"] for name in chosen], lambda value: f"{value:.0%}")
        tau = _span([self.rows[name]["consistency"] for name in chosen], lambda value: figure(value, digits=2))
        who = self.winner or (chosen[0] if len(chosen) == 1 else "The first group" if self.below else "They")
        verb = "separate" if who == "They" else "separates"
        sentences = [
            f"{who} {verb} {power} of all pairs of systems; tau between the rankings of two halves of the topics "
            f"is {tau}."
        ]
        if self.below and not self.winner:
            lead = leaders_of(self.rows[name] for name in self.pool)
            parts = [
                f"in {what}: {listed([name for name in self.pool if name not in group]) or 'none'}"
                for what, group in zip(("consistency", "power"), lead, strict=True)
            ]
            sentences.append(f"Shown to be below another {'; '.join(parts)}.")
        return sentences

    def differences(self, rows: pl.DataFrame) -> list[str]:
        """Say how large differences within the first group may still be: not shown to differ is not the same."""
        import polars as pl

        within = rows.filter(
            pl.col("metric").is_in(self.first), pl.col("canonical").is_in(self.first), pl.col("verdict") != SAME
        )
        known = within.filter(pl.col("verdict") != IDENTICAL).drop_nulls(["consistency_low", "power_low"])
        if not known.height:
            return []
        spans = []
        for what in ("consistency", "power"):
            low, high = float(known[f"{what}_low"].to_numpy().min()), float(known[f"{what}_high"].to_numpy().max())
            spans.append(f"in {what} from {figure(low, digits=2, sign=True)} to {figure(high, digits=2, sign=True)}")
        if known.height == 1:
            one, other = known["metric"][0], known["canonical"][0]
            return [f"{one} and {other} are not shown to differ (the interval reaches {' and '.join(spans)})."]
        return [
            "Not shown to differ is not the same: within the first group the intervals of differences reach "
            f"{' and '.join(spans)}."
        ]

    def alternatives(self) -> list[str]:
        """Name the alternatives to canonical metrics that are not shown to be below any other."""
        level = [name for name in self.others if self.rows[name]["standing"] != BELOW]
        if not level:
            return []
        return [
            f"Of {len(self.others)} alternative{'s' * (len(self.others) > 1)} to a canonical metric, {len(level)} "
            f"{'is' if len(level) == 1 else 'are'} not shown to be below any other: {listed(level)}."
        ]


def groups_of(table: pl.DataFrame, metrics: pl.DataFrame) -> Groups | None:
    """Return the candidates by their standing; None if no standing is known.

    Parameters
    ----------
    table, metrics : polars.DataFrame
        ``recommendation`` and ``metrics``.
    """
    import polars as pl

    # The first of identical metrics represents all.
    alike = table.filter(pl.col("verdict") == IDENTICAL)["metric", "canonical"]
    known = metrics.filter(pl.col("standing").is_not_null(), ~pl.col("metric").is_in(alike["metric"].implode()))
    if not known.height:
        return None
    by_name = table.filter(pl.col("group") == BY_NAME).height > 0 and bool(known["named"].any())
    candidates = metrics.filter(pl.col("named") | pl.lit(not by_name))["metric"].to_list()
    rows = {name: row for row in known.rows(named=True) for name in [row["metric"]]}
    ordered = in_convention(rows)
    pool = [name for name in ordered if rows[name]["named"] or not by_name]
    hardly = [name for name in pool if rows[name]["judged"] is not None and rows[name]["judged"] < LEAST_JUDGED]
    below = [name for name in pool if rows[name]["standing"] == BELOW]
    return Groups(
        rows,
        [name for name in pool if name not in below and name not in hardly],
        [name for name in hardly if name not in below],
        below,
        [name for name in ordered if name not in pool],
        metrics.filter("diagnostic")["metric"].to_list(),
        {
            name: [other for other, same in alike.rows() if same == name and other in candidates]
            for name in pool
            if name in alike["canonical"]
        },
    )


def leaders_of(rows: Iterable[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The metrics that are not shown to be below any other in consistency, and in power."""
    import polars as pl

    leading = leaders(pl.DataFrame(list(rows), infer_schema_length=None))
    return (leading.consistent, leading.powerful) if leading else ([], [])


def _span(values: list[float], shown: Any) -> str:
    low, high = shown(min(values)), shown(max(values))
    return low if low == high else f"{low} to {high}"


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
    names = in_convention(dict.fromkeys(name for metric, reference, _ in rows for name in (reference, metric)))
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
    shown = "; ".join(map(listed, largest)) + ("; and more" if len(alike) > _MOST_GROUPS else "")
    limit = figure(options["similar"], digits=1, apart=(1.0,))
    return [
        f"Rank the systems alike (tau above {limit} for other topics and other systems, all pairs at once): {shown}."
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
