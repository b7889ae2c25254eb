"""The candidates by their standing: metrics that no other is shown to exceed, the other metrics, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_groups import BY_NAME
from metameter.meta.framework.metric_names import name_list
from metameter.meta.framework.standing import left_out
from metameter.meta.framework.verdicts import IDENTICAL, SAME
from metameter.meta.recommend.comparison_sentences import UNCHANGED
from metameter.meta.recommend.standings import BELOW
from metameter.meta.recommend.verdict import STATISTICS
from metameter.metric.presets import preset
from metameter.registry import metric_named
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl


#: A metric with a smaller share of judged ranks is not listed with the others.
LEAST_JUDGED = 0.5
#: The most metrics that the sentence on the stability of the answer names.
_MOST_SHARES = 12


def leaders(table: pl.DataFrame) -> dict[str, list[str]] | None:
    """Return the metrics that are not shown to be below any other, by the letters of a table ``metrics``.

    Returns
    -------
    dict or None
        ``consistency`` and ``power`` -> metrics, the highest first; None if the table has no letters.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["AP", "RR", "P@10"], "consistency": [0.8, 0.5, 0.7], "power": [0.5, 0.2, 0.4],
    ...                       "consistency_group": ["a", "b", "a"], "power_group": ["a", "c", "b"]})
    >>> leaders(table)
    {'consistency': ['AP', 'P@10'], 'power': ['AP']}
    """
    return _leaders(table.rows(named=True))


def _leaders(rows: list[dict[str, Any]]) -> dict[str, list[str]] | None:
    if not rows or any(row["consistency_group"] is None for row in rows):
        return None
    return {statistic: _not_below_any(rows, statistic) for statistic in STATISTICS}


def _not_below_any(rows: list[dict[str, Any]], statistic: str) -> list[str]:
    """Letters need not follow the order of the figures: a metric can tie with the first and be below the second."""
    ordered = sorted(rows, key=lambda row: -row[statistic])
    return [
        row["metric"]
        for row in ordered
        if not any(
            other[statistic] > row[statistic] and not _share_a_letter(row, other, statistic) for other in ordered
        )
    ]


def _share_a_letter(one: dict[str, Any], other: dict[str, Any], statistic: str) -> bool:
    """Two metrics share a letter if and only if they are not shown to differ."""
    return bool(_letters(one[f"{statistic}_group"]) & _letters(other[f"{statistic}_group"]))


def _letters(group: str) -> set[str]:
    return set(group.split()) if " " in group else set(group)


def in_conventional_order(names: Iterable[str]) -> list[str]:
    """Return the metrics in the order of the preset `everyday`; the others follow in the order given.

    Examples
    --------
    >>> in_conventional_order(["mine", "RR", "RBP(p=0.8)*ERG", "nDCG@10"])
    ['nDCG@10', 'RR', 'RBP(p=0.8)*ERG', 'mine']
    """
    known = [str(metric_named(name)) for name in preset("everyday")]
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


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
    subject = {1: "the metric looks", 2: "both metrics look"}.get(count, f"each of the {count} metrics looks")
    return f"Most of the ranks that {subject} at are unjudged: judge more documents before you choose."


def one_to_choose(name: str) -> str:
    """Say that there is only one metric to choose from."""
    return f"There is one metric to choose from, {name}. If you use it, {UNCHANGED}."


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
        Alternatives to canonical metrics, if the choice is among metrics with a name of their own.
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
        if any(self.rows[name]["close_call"] or self.rows[name].get("close_lead") for name in self.pool):
            return None
        return next((name for name in self.first if self.rows[name].get("leads")), None)

    def first_sentence(self) -> str:
        """Name the groups, or the one metric that is shown to beat every other."""
        count = len(self.pool)
        first, below = self._with_identical(self.first), self._with_identical(self.below)
        if count == 1:
            return judge_first(1) if self.unjudged else one_to_choose(*[*first, *below])
        if self.winner:
            others = f"each of the other {count - 1} metrics" if count > 2 else name_list(below)
            return f"Use {first[0]}: it is shown to beat {others} in consistency or in power, and is below none."
        if not self.below and not self.first:
            return judge_first(count)
        beaten = f" Shown to be below: {name_list(below)}." if below else ""
        # A single metric is not shown to beat those that are left out, or another seed might change that.
        if len(first) == 1:
            return f"{first[0]} is not shown to be below another.{beaten} If you use it, {UNCHANGED}."
        if not self.first:
            every = f"Every metric but {name_list(self.unjudged)}" if self.unjudged else f"Each of the {count} metrics"
            return f"{every} is shown to be below another: {name_list(below)}."
        if below:
            return (
                f"Not shown to be below any other: {name_list(first)}.{beaten} If you use one of the first group, "
                f"{UNCHANGED}."
            )
        if self.unjudged:
            return f"None of {name_list(first)} is shown to be below another. If you use one of them, {UNCHANGED}."
        total = count + sum(map(len, self.identical.values()))
        neither = "Neither of the 2" if total == 2 else f"None of the {total}"
        return (
            f"{neither} metrics is shown to be below {'the other' if total == 2 else 'another'}: {name_list(first)}. "
            f"If you use one of them, {UNCHANGED}."
        )

    def _with_identical(self, names: list[str]) -> list[str]:
        """The names, each with the metrics that equal it up to a factor."""
        others = [self.identical.get(name, []) for name in names]
        return [
            f"{name} (and {name_list(same)}: the same up to a factor)" if same else name
            for name, same in zip(names, others, strict=True)
        ]

    def set_aside(self, simple: Sequence[str]) -> list[str]:
        """Say which metrics are left out of the first group for reasons other than stability."""
        sentences = []
        if self.unjudged:
            names = ", ".join(f"{name} ({self.rows[name]['judged']:.1%} judged)" for name in self.unjudged)
            they = "it looks" if len(self.unjudged) == 1 else "they look"
            either = " either" if self.first else ""
            sentences.append(
                f"Not shown to be below any other{either}, but left out, since more than half of the ranks {they} at "
                f"are unjudged: {names}."
            )
        sentences += left_out(self.diagnostics)
        if simple and not set(simple) & set(self.pool):
            sentences.append(
                f"Left out as simple metrics, of one dimension of quality each: {name_list(list(simple))}."
            )
        return sentences

    def close_calls(self) -> list[str]:
        """Say which metrics another seed might put in the other group, or let lead."""
        close = [name for name in self.pool if self.rows[name]["close_call"]]
        lead = [name for name in self.pool if self.rows[name].get("close_lead") and name not in close]
        might = [f"{name_list(close)} might be in the other group"] if close else []
        might += [f"{name} might {'not ' * self.rows[name]['leads']}be shown to beat every other" for name in lead]
        return [f"Close call: with another seed {'; '.join(might)}."] if might else []

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
        shares = name_list([f"{name} {self.rows[name]['top_share']:.0%}" for name in known], _MOST_SHARES)
        others = "other systems and seeds" if resample == "systems" else "other topics, systems and seeds"
        return [
            f"Stability of this answer (how often a metric would not be shown to be below another with {others}): "
            f"{shares}."
        ]

    def figures(self) -> list[str]:
        """Give the consistency and power of the first group, and say which metrics are below in which of the two."""
        chosen = self.first or self.pool
        power = _span([self.rows[name]["power"] for name in chosen], lambda value: f"{value:.0%}")
        tau = _span([self.rows[name]["consistency"] for name in chosen], lambda value: figure(value, digits=2))
        subject = self.winner or (chosen[0] if len(chosen) == 1 else "The first group" if self.below else "They")
        verb = "separate" if subject == "They" else "separates"
        sentences = [
            f"{subject} {verb} {power} of all pairs of systems; tau between the rankings of two halves of the topics "
            f"is {tau}."
        ]
        if self.below and not self.winner:
            leading = _leaders([self.rows[name] for name in self.pool]) or {}
            parts = [
                f"in {what}: {name_list([name for name in self.pool if name not in leading.get(what, [])]) or 'none'}"
                for what in STATISTICS
            ]
            sentences.append(f"Shown to be below another {'; '.join(parts)}.")
        return sentences

    def differences(self, rows: pl.DataFrame) -> list[str]:
        """Say how large differences within the first group may be; metrics not shown to differ need not be equal."""
        import polars as pl

        within = rows.filter(
            pl.col("metric").is_in(self.first), pl.col("canonical").is_in(self.first), pl.col("verdict") != SAME
        )
        known = within.filter(pl.col("verdict") != IDENTICAL).drop_nulls(["consistency_low", "power_low"])
        if not known.height:
            return []
        spans = []
        for statistic in STATISTICS:
            low, high = (
                float(known[f"{statistic}_low"].to_numpy().min()),
                float(known[f"{statistic}_high"].to_numpy().max()),
            )
            spans.append(
                f"in {statistic} from {figure(low, digits=2, sign=True)} to {figure(high, digits=2, sign=True)}"
            )
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
            f"{'is' if len(level) == 1 else 'are'} not shown to be below any other: {name_list(level)}."
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
    ordered = in_conventional_order(rows)
    pool = [name for name in ordered if rows[name]["named"] or not by_name]
    unjudged = [name for name in pool if rows[name]["judged"] is not None and rows[name]["judged"] < LEAST_JUDGED]
    below = [name for name in pool if rows[name]["standing"] == BELOW]
    return Groups(
        rows,
        [name for name in pool if name not in below and name not in unjudged],
        [name for name in unjudged if name not in below],
        below,
        [name for name in ordered if name not in pool],
        metrics.filter("diagnostic")["metric"].to_list(),
        {
            name: [other for other, same in alike.rows() if same == name and other in candidates]
            for name in pool
            if name in alike["canonical"]
        },
    )


def _span(values: list[float], text: Callable[[float], str]) -> str:
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"
