"""The summary of a recommendation: what a reader needs first, as the terminal and the top of a report show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_systems
from metameter.meta.framework.metric_names import is_diagnostic, name_list
from metameter.meta.recommend.answer import answer, systems_hardly_differ
from metameter.meta.recommend.candidate_groups import Groups, groups_of, in_conventional_order
from metameter.meta.recommend.comparison_sentences import todays_metrics
from metameter.meta.recommend.references import REFERENCE
from metameter.meta.recommend.standings import BELOW, TOP
from metameter.view.metric_names import in_words

if TYPE_CHECKING:
    import polars as pl


#: The group of a metric about which nothing is shown either way, or which cannot be judged.
NOT_SHOWN = "not shown"
_ORDER = {TOP: 0, BELOW: 2}
#: With fewer topics, there is little evidence about metrics.
_FEW_TOPICS = 15


@dataclass(frozen=True)
class SummaryRow:
    """One metric: its group, and its consistency and power with the intervals of each alone.

    Attributes
    ----------
    metric : str
    group : {"top", "below", "not shown"}
        Shown to beat another and below none; shown to be below another; neither.
    consistency, consistency_low, consistency_high : float or None
        Mean tau between the rankings of two halves of the topics.
    power, power_low, power_high : float or None
        The share of the pairs of systems that differ significantly.
    close : bool
        Whether another seed might change the group.
    remark : str
        Why a metric has no standing, or why its figures are in doubt; otherwise empty.
    """

    metric: str
    group: str
    consistency: float | None
    consistency_low: float | None
    consistency_high: float | None
    power: float | None
    power_low: float | None
    power_high: float | None
    close: bool = False
    remark: str = ""


@dataclass(frozen=True)
class Depth:
    """From which depth on the systems are ordered as at the end.

    Attributes
    ----------
    settled : tuple of (str, int)
        Metric -> the depth, the shallowest first; only depths that the judgments reach.
    highest : int or None
        The upper end of the intervals of these depths for other topics; None if one has no end within the judgments.
    unsettled : tuple of str
        The metrics without such a depth.
    judged : int or None
        How deep the judgments reach; None if they reach no depth throughout.
    threshold : float
        The tau that counts as the same order.
    """

    settled: tuple[tuple[str, int], ...]
    highest: int | None
    unsettled: tuple[str, ...]
    judged: int | None
    threshold: float

    @property
    def enough(self) -> int | None:
        """The evaluation depth that is enough by every metric; None if there is none, or none for other topics."""
        return self.settled[-1][1] if self.settled and not self.unsettled and self.highest is not None else None

    def named(self, shown: Callable[[str], str]) -> Depth:
        """The same with the names that people see."""
        settled = tuple((shown(name), depth) for name, depth in self.settled)
        return replace(self, settled=settled, unsettled=tuple(map(shown, self.unsettled)))

    def sentence(self) -> str:
        """Say which evaluation depth is enough.

        Examples
        --------
        >>> Depth((("RR", 1), ("AP", 6)), 30, (), 50, 0.9).sentence()
        'evaluating to depth 6 orders the systems as the last depth does, by every metric; for other topics up to 30.'
        >>> Depth((("RR", 1),), 2, ("AP",), 10, 0.9).sentence()
        'no depth is shown to be enough by every metric; the order of the systems settles at RR 1; not settled: AP.'
        >>> Depth((), None, ("AP",), 10, 0.9).sentence()
        'by no metric is the order of the systems settled within the judged depths.'
        >>> Depth((), None, (), 10, 0.9).sentence()
        'the systems hardly differ, so there is no order to settle.'
        """
        if self.enough is not None:
            order = f"evaluating to depth {self.enough:,} orders the systems as the last depth does"
            return f"{order}, by every metric; for other topics up to {self.highest:,}."
        if self.settled:
            order = f"the order of the systems settles at {self.by_metric()}"
            return f"no depth is shown to be enough by every metric; {order}."
        if not self.unsettled:
            return "the systems hardly differ, so there is no order to settle."
        return "by no metric is the order of the systems settled within the judged depths."

    def by_metric(self) -> str:
        """The depth of each metric, and the metrics without one.

        Examples
        --------
        >>> Depth((("RR", 1), ("ERR", 1), ("AP", 6)), 30, ("Bpref",), 50, 0.9).by_metric()
        'RR, ERR 1; AP 6; not settled: Bpref'
        """
        depths = dict.fromkeys(depth for _, depth in self.settled)
        parts = [f"{', '.join(name for name, at in self.settled if at == depth)} {depth:,}" for depth in depths]
        return "; ".join([*parts, *([f"not settled: {', '.join(self.unsettled)}"] if self.unsettled else [])])


@dataclass(frozen=True)
class Summary:
    """What the tables show, in the words that a reader needs first.

    Attributes
    ----------
    headline : str
        One sentence.
    use, avoid : tuple of str
        The metrics that are not shown to be below any other, and those that are.
    sure : str
        How sure that is, in one line.
    rows : tuple of SummaryRow
        The standard metrics, the top group first, in each group the most consistent first.
    others : int
        How many further metrics, such as alternatives to canonical ones, are in the tables only.
    sentences : tuple of str
        What is said instead where metrics cannot be judged, and what a reader must know before the figures.
    single : bool
        Whether one metric is shown to beat every other.
    topics, systems : int
    collection : str
    depth : Depth, optional
    """

    headline: str
    use: tuple[str, ...]
    avoid: tuple[str, ...]
    sure: str
    rows: tuple[SummaryRow, ...]
    others: int = 0
    sentences: tuple[str, ...] = ()
    single: bool = False
    topics: int = 0
    systems: int = 0
    collection: str = ""
    depth: Depth | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def close_avoid(self) -> tuple[str, ...]:
        """The metrics to avoid whose group another seed might change."""
        return tuple(row.metric for row in self.rows if row.close and row.metric in self.avoid)

    @property
    def no_choice(self) -> bool:
        """Whether there are metrics, but none is shown to be below another."""
        return bool(self.use) and not self.avoid

    def named(self, names: Mapping[str, str]) -> Summary:
        """The same with the names that people see; ``names`` then maps these to the canonical ones."""

        def shown(text: str) -> str:
            return in_words(text, names)

        return replace(
            self,
            headline=shown(self.headline),
            use=tuple(map(shown, self.use)),
            avoid=tuple(map(shown, self.avoid)),
            sure=shown(self.sure),
            rows=tuple(replace(row, metric=shown(row.metric)) for row in self.rows),
            sentences=tuple(map(shown, self.sentences)),
            depth=None if self.depth is None else self.depth.named(shown),
            names={shown(row.metric): row.metric for row in self.rows},
        )


def summary_of(
    tables: Mapping[str, pl.DataFrame],
    options: Mapping[str, Any],
    *,
    collection: str = "",
    settled: pl.DataFrame | None = None,
    warnings: Sequence[str] = (),
) -> Summary:
    """Return the summary of a recommendation; it says no more than its tables.

    Parameters
    ----------
    tables : mapping
        ``recommendation`` and ``metrics``.
    options : mapping
        The options of the recommendation.
    collection : str
    settled : polars.DataFrame, optional
        ``volatility_settled``: from which depths on the systems are ordered as at the end.
    warnings : sequence of str
        Sentences on systems that lack topics.
    """
    table, metrics, options = tables["recommendation"], tables["metrics"], dict(options)
    common: dict[str, Any] = {
        "collection": collection,
        "depth": None if settled is None else _depth(settled),
        "topics": options["topics"],
        "systems": options["systems"],
    }
    if common["depth"] is not None and systems_hardly_differ(options):
        # Orders of systems that hardly differ are chance, at any depth.
        common["depth"] = replace(common["depth"], settled=(), unsettled=(), highest=None)
    groups = groups_of(table, metrics) if table.height else None
    if options["systems"] < FEWEST_SYSTEMS or groups is None:
        sentences = answer(table, metrics, options)
        few = options["systems"] < FEWEST_SYSTEMS
        rows = () if few else _rows(metrics, None)
        rest = sentences[1:] if few else sentences[1:3]
        return Summary(sentences[0], (), (), "", rows, sentences=(*rest, *warnings), **common)
    use = tuple(groups.first)
    return Summary(
        _headline(table, groups, options),
        use,
        tuple(groups.below),
        _how_sure(table, groups, options),
        _rows(metrics, groups),
        others=len(groups.others),
        sentences=(*few_systems(options["systems"]), *_left_out(groups), *_identical(groups), *warnings),
        single=groups.winner is not None,
        **common,
    )


def _headline(table: pl.DataFrame, groups: Groups, options: dict[str, Any]) -> str:
    """The sentence that a reader must see if it is the only one."""
    import polars as pl

    hardly = systems_hardly_differ(options)
    referred = table.filter(pl.col("group") == REFERENCE)
    if hardly:
        return hardly[0]
    if referred.height:
        return todays_metrics(referred, {name: groups.rows[name]["judged"] for name in groups.unjudged})
    count, below = len(groups.pool), len(groups.below)
    if groups.winner or count == 1 or not groups.first:
        return groups.first_sentence()
    if below:
        left = len(groups.first)
        return (
            f"Of {count} metrics, {below} {'is' if below == 1 else 'are'} shown to be less consistent than another or "
            f"to separate fewer pairs of systems; {left} {'is' if left == 1 else 'are'} not."
        )
    return f"None of these {count} metrics is shown to be below another: nothing here is a reason to change."


def _how_sure(table: pl.DataFrame, groups: Groups, options: dict[str, Any]) -> str:
    if options["level"] == "row":
        rate = "each comparison is made alone, so some statements may be due to chance"
    else:
        rate = f"all statements of better and worse hold together at the {options['alpha']:.0%} level"
    close = [name for name in groups.pool if groups.rows[name]["close_call"]]
    calls = f"; another seed might change the group of {name_list(close)}" if close else ""
    few = f"; {options['topics']} topics are few" if options["topics"] < _FEW_TOPICS else ""
    return f"How sure: {rate}{few}{calls}. Stable is not valid: only user labels show what users want."


def _left_out(groups: Groups) -> list[str]:
    """Which metrics are not recommended although they are not shown to be below another."""
    if not groups.unjudged:
        return []
    names = ", ".join(f"{name} ({groups.rows[name]['judged']:.0%} judged)" for name in groups.unjudged)
    return [f"Left out, since more than half of the ranks they look at are unjudged: {names}."]


def _identical(groups: Groups) -> list[str]:
    """The metrics that are not listed, since their scores are those of a metric that is."""
    pairs = [f"{other} = {name}" for name, others in groups.identical.items() for other in others]
    return [f"The same up to a factor: {', '.join(pairs)}."] if pairs else []


def _rows(metrics: pl.DataFrame, groups: Groups | None) -> tuple[SummaryRow, ...]:
    """The rows of the standard metrics: the metrics to choose from, then those that cannot be chosen."""
    # Of identical metrics the first represents all.
    others = set() if groups is None else {*groups.others, *chain.from_iterable(groups.identical.values())}
    listed = [row for row in metrics.iter_rows(named=True) if row["metric"] not in others]
    if any(row["named"] for row in listed):
        listed = [row for row in listed if row["named"]]
    ranks = {name: at for at, name in enumerate(in_conventional_order(row["metric"] for row in listed))}
    rows = [_row(row, groups) for row in listed]
    return tuple(sorted(rows, key=lambda row: (_ORDER.get(row.group, 1), -(row.consistency or -2), ranks[row.metric])))


def _row(row: Mapping[str, Any], groups: Groups | None) -> SummaryRow:
    name = row["metric"]
    remark = "diagnostic" if row["diagnostic"] or is_diagnostic(name) else "constant" if row["constant"] else ""
    if groups is not None and name in groups.unjudged:
        remark = "mostly unjudged"
    standing = row["standing"] if row["standing"] in (TOP, BELOW) else NOT_SHOWN
    ends = {key: row.get(key) for key in ("consistency_low", "consistency_high", "power_low", "power_high")}
    return SummaryRow(
        metric=name,
        group=NOT_SHOWN if remark == "mostly unjudged" and standing == TOP else standing,
        consistency=row["consistency"],
        power=row["power"],
        close=bool(row["close_call"]),
        remark=remark,
        **ends,
    )


def _depth(settled: pl.DataFrame) -> Depth | None:
    """The depths of plain lists that the judgments reach."""
    rows = [row for row in settled.iter_rows(named=True) if not row["condensed"]]
    if not rows:
        return None
    reached = [row for row in rows if row["depth"] is not None and row["depth"] <= _last(row)]
    ends = [int(row["high"]) for row in reached if row["high"] is not None and row["high"] <= _last(row)]
    return Depth(
        settled=tuple(sorted(((row["metric"], row["depth"]) for row in reached), key=lambda pair: pair[1])),
        highest=max(ends) if ends and len(ends) == len(reached) else None,
        unsettled=tuple(row["metric"] for row in rows if row not in reached),
        judged=rows[0]["judging_depth"],
        threshold=rows[0]["threshold"],
    )


def _last(row: Mapping[str, Any]) -> int:
    judged, final = row["judging_depth"], int(row["final"])
    return final if judged is None else min(int(judged), final)
