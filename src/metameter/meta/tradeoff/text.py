"""The prose of `tradeoff`: its declaration, notes and answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_systems
from metameter.meta.framework.metric_names import name_list
from metameter.meta.framework.standing import left_out
from metameter.meta.tradeoff.tables import KINDS, STABILITY, SideBySide, diagnostics_of
from metameter.registry import metric_named
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    import polars as pl


#: How many metrics a sentence of the answer names.
_MOST_NAMES = 5
_MORE = {"consistency": "to be more consistent", "power": "to tell more pairs of systems apart"}


def _agreement(kind: str, what: str) -> dict[str, str]:
    return {
        kind: f"concordance of the metric with {what}: the share of the pairs that it orders as users do, ties half; "
        "empty for metrics that are normalised by the page",
        f"{kind}_low": "lower end of its 95% interval, for this metric separately",
        f"{kind}_high": "upper end of its 95% interval, for this metric separately",
        f"{kind}_ties": "of the same pairs, the share that the metric scores alike",
        f"{kind}_tau_b": f"Kendall's tau_b of the metric with {what}",
        f"{kind}_beats": "how many metrics it is shown to exceed in this, all pairs of metrics together",
        f"{kind}_beaten_by": "how many metrics are shown to exceed it in this, all pairs of metrics together",
        f"{kind}_leader": "whether no metric is shown to exceed it in this; empty where concordance is not known",
    }


WORDS = Words(
    "Stability and users",
    "Is the metric that is stable also the one that agrees with users?",
    "Stability is what the recommendation says of consistency and power, on the systems and topics of the collection. "
    "Agreement with users is concordance with what users said of result pages: how satisfied they were, or which of "
    "two pages they prefer. On a labelled page nDCG, AP, recall and others can be normalised by the page's own results "
    "only, in a collection by all that was judged: these are different metrics, so they have no figure for users here. "
    "A metric leads in one of these if no other is shown to exceed it, "
    "by intervals or tests that hold for all pairs of metrics together; a higher figure alone shows nothing.",
    "A metric that leads in all columns needs no choice. Where none does, what is gained in one is paid for in "
    "another: a metric may predict what users feel and yet rank the systems otherwise with other topics. Metrics on "
    "the front are those to choose among: no metric is higher in all figures. Where every metric leads, the data do "
    "not tell the metrics apart.",
    columns={
        "metric": "the metric",
        "consistency": "mean tau between rankings on two halves of the topics, as in consistency; empty with fewer "
        f"than {FEWEST_SYSTEMS} systems",
        "power": "share of the pairs of systems that differ significantly, as in power; empty with fewer than "
        f"{FEWEST_SYSTEMS} systems",
        "consistency_group": "letters: metrics that share one are not shown to differ in consistency",
        "power_group": "letters: metrics that share one are not shown to differ in power",
        "consistency_leader": "whether no metric is shown to exceed it in consistency; empty for simple metrics and "
        "diagnostics",
        "power_leader": "whether no metric is shown to exceed it in power; empty for simple metrics and diagnostics",
        **_agreement("satisfaction", "how satisfied users were with result pages"),
        **_agreement("preference", "which of two result pages users prefer"),
        "front": "whether no metric is higher in all of these figures; empty where one of them is not known, and for "
        "diagnostics",
    },
)


def notes(table: pl.DataFrame, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the notes: what leading means, and which metrics have no figure for users."""
    sentences = [
        "A metric leads where no other is shown to exceed it. Intervals of agreement are separate 95% intervals; which "
        "metric is shown to exceed which is tested for all pairs of metrics together, each kind of label at the level "
        "of its own section: with two kinds, errors are up to twice as frequent."
    ]
    paged, diagnostics = options.get("normalised_by_page", []), diagnostics_of(table)
    for kind in (kind for kind in KINDS if kind in table.columns):
        without = table.filter(table[kind].is_null())["metric"]
        names = [name for name in without if str(metric_named(name) or name) not in paged and name not in diagnostics]
        if names:
            what = "as they are constant or need more than a page"
            sentences.append(f"Without agreement with {kind}, {what}: {name_list(names)}.")
    if paged:
        sentences.append(
            "Without agreement with users, as on labelled pages they are normalised by the page itself and so are "
            f"other metrics than those of these names here: {name_list(paged)}."
        )
    if options.get("simple"):
        sentences.append(f"Set aside as simple metrics: {', '.join(options['simple'])}.")
    return tuple(sentences)


def answer(table: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """Return the sentences that a report begins with; they say only what the table shows.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``tradeoff``.
    options : dict
        The options in the manifest: ``alpha``, ``level``, ``simple``, ``systems``, ...
    """
    metrics = SideBySide.of(table, options.get("simple", []))
    verdict, sure = _verdict(metrics, options)
    lacking = metrics.without_users()
    about = [_not_known(metrics, absent, names) for absent, names in lacking.items()]
    return [*verdict, *left_out(diagnostics_of(table)), *about, *few_systems(options["systems"]), *sure]


def _verdict(metrics: SideBySide, options: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Whether one metric leads in both, or what must be traded; and how sure that is."""
    kinds = metrics.deciding
    silent = _undecided(metrics, [kind for kind in metrics.kinds if kind not in kinds])
    few = options["systems"] < FEWEST_SYSTEMS
    # With several collections, this is said once for all.
    sure = [how_sure(options, stability=not few)] if options.get("collections", 1) == 1 else []
    if not kinds:
        return [silent if few else f"{silent} {_stability_alone(metrics)}"], []
    undecided = [silent] if silent else []
    agreeing = [_agreeing(metrics, together) for together in metrics.deciding_together()]
    if few:
        return [*agreeing, *undecided], sure
    if not any(metrics.decides(what) for what in STABILITY):
        return [*agreeing, *undecided, _stability_silent(metrics)], sure
    both = metrics.leading([*STABILITY, *metrics.known_kinds])
    if both:
        return [_one_for_both(metrics, both), *undecided], sure
    # The costs name the metrics that lead, with their figures; without costs, these are named here.
    first, *more = trade_off(metrics) or agreeing
    lead = _no_leader_in_both(metrics, sum(map(len, metrics.without_users().values())))
    rest = first.replace("No metric", "none", 1) if first.startswith("No metric") else first
    return [f"{lead}: {rest}", *more, *undecided], sure


def _no_leader_in_both(metrics: SideBySide, lacking: int) -> str:
    """Say that no metric leads both in stability and with users; ``lacking`` metrics have no figure of some kind."""
    # A metric leads with users only if it has a figure of every kind of label.
    count = len(metrics.rows) - lacking
    figures = "figures of all kinds of labels" if len(metrics.known_kinds) > 1 else "a figure for users"
    subject = f"None of the {count} metrics with {figures}" if lacking and count else "No metric"
    return f"{subject} leads both in stability and in agreement with users"


def _not_known(metrics: SideBySide, absent: tuple[str, ...], names: list[str]) -> str:
    """Say which metrics have no figure for these kinds of labels."""
    what = "users" if absent == metrics.kinds else " and ".join(absent)
    they = "it agrees" if len(names) == 1 else "they agree"
    return f"No figure for {what}: {name_list(names, _MOST_NAMES)}; how {they} with {what} is not known."


def outcome(table: pl.DataFrame, simple: Sequence[str] = ()) -> str:
    """Return the answer in a few words, by which collections can be counted."""
    metrics = SideBySide.of(table, simple)
    users, stable = bool(metrics.deciding), any(metrics.decides(what) for what in STABILITY)
    if users and stable:
        both = metrics.leading([*STABILITY, *metrics.known_kinds])
        return "one metric leads in both" if both else "no metric leads in both"
    if users:
        return "only users tell metrics apart"
    return "only stability tells metrics apart" if stable else "nothing tells metrics apart"


def _agreement_with_users(metrics: SideBySide, name: str, kinds: Sequence[str]) -> str:
    """Say how a leading metric agrees with users: best only if it is shown to exceed every other metric."""
    figures = []
    for kind in kinds:
        ahead, others = int(metrics.value(name, f"{kind}_beats")), metrics.counts[kind] - 1
        value, interval = _figure(metrics, name, kind, named=True).split(", ")
        above = f"{ahead} of the other {others}" if others > 1 else "the other" if ahead else "none"
        figures.append(f"{value} ({interval}; shown to be above {above})")
    agreement = " and ".join(figures)
    if all(metrics.value(name, f"{kind}_beats") == metrics.counts[kind] - 1 for kind in kinds):
        return f"{name} agrees best with users: {agreement}"
    return f"No metric is shown to agree better with users than {name}: {agreement}"


def _figure(metrics: SideBySide, name: str, what: str, *, named: bool = False) -> str:
    """A figure of a metric, with its interval if it has one; ``named`` adds the kind of label."""
    value = metrics.value(name, what)
    if value is None:
        return f"no {what}"
    if what == "power":
        return f"power {value:.0%}"
    if what == "consistency":
        return f"consistency {figure(value, digits=2)}"
    low, high = (metrics.value(name, f"{what}_{end}") for end in ("low", "high"))
    ends = "no interval" if low is None or high is None else f"95% interval {figure(low)} to {figure(high)}"
    return f"concordance {figure(value)}{f' with {what}' if named else ''}, {ends}"


def _agreeing(metrics: SideBySide, kinds: list[str]) -> str:
    best, *level = metrics.leading(kinds)
    also = f" Not told apart from it: {name_list(level, _MOST_NAMES)}." if level else ""
    return f"{_agreement_with_users(metrics, best, kinds)}.{also}"


def _one_for_both(metrics: SideBySide, both: list[str]) -> str:
    best, *level = sorted(both, key=lambda name: not metrics.value(name, "front"))
    kinds = [kind for kind in metrics.kinds if metrics.highest(kind) is not None]
    figures = ", ".join(_figure(metrics, best, what, named=True) for what in (*STABILITY, *kinds))
    also = f" The same is true of {name_list(level, _MOST_NAMES)}." if level else ""
    tops = [(metrics.highest(what) or best, what) for what in (*STABILITY, *kinds)]
    above = "; ".join(f"{name}, {_figure(metrics, name, what, named=True)}" for name, what in tops if name != best)
    higher = f" Higher, but not shown to differ from it: {above}." if above else ""
    return (
        f"No trade-off between stability and users is shown: nothing is shown to exceed {best} in consistency, in "
        f"power or in agreement with users ({figures}).{higher}{also}"
    )


def _undecided(metrics: SideBySide, kinds: list[str]) -> str:
    """Say that by these kinds of labels no metric is shown to exceed another, and why; nothing if there are none."""
    unknown = [kind for kind in kinds if metrics.highest(kind) is None]
    few = [kind for kind in kinds if kind not in unknown and not metrics.is_known(kind)]
    level = [kind for kind in kinds if kind not in (*unknown, *few)]
    sentences = []
    if level:
        sentences.append(
            f"No metric is shown to agree better with users' {_list(level)} than another{_tops(metrics, level)}."
        )
    if few:
        sentences.append(f"Of users' {_list(few)} nothing is shown, for want of intervals{_tops(metrics, few)}.")
    if unknown:
        sentences.append(f"No metric here could be compared with users' {_list(unknown)}.")
    return " ".join(sentences)


def _list(kinds: list[str]) -> str:
    return " or ".join(kinds)


def _tops(metrics: SideBySide, kinds: list[str]) -> str:
    """The highest figures by these kinds of labels, in parentheses."""
    tops = [(metrics.highest(kind) or "", kind) for kind in kinds]
    return f" (highest: {'; '.join(f'{name}, {_figure(metrics, name, kind, named=True)}' for name, kind in tops)})"


def _stability_alone(metrics: SideBySide) -> str:
    """Say whether stability decides, where no label does."""
    if not all(metrics.is_known(what) for what in STABILITY):
        return "Nor is anything shown of stability, for want of intervals."
    if not any(metrics.decides(what) for what in STABILITY):
        return "Nor is any shown to be more consistent, or to tell more systems apart."
    return "Metrics differ in stability alone."


def _stability_silent(metrics: SideBySide) -> str:
    """Say that stability does not decide, where labels do."""
    if not all(metrics.is_known(what) for what in STABILITY):
        return "Of stability nothing is shown, for want of intervals."
    return "In stability no metric is shown to exceed another: users may decide."


def how_sure(options: dict[str, Any], *, stability: bool = True) -> str:
    """Say what the error rates of the statements about users and, where there are any, about stability are.

    Examples
    --------
    >>> how_sure({"level": "study", "alpha": 0.05})
    'How sure: what is shown of users holds together at the 5% level, for other users or pages, what is shown of \
stability at the 5% level for other topics.'
    """
    several = f" in all {options['collections']} collections" if options.get("collections", 1) > 1 else ""
    each = ", of satisfaction and of preferences each" if len(options.get("made_from", ())) > 1 else ""
    users = (
        f"what is shown of users holds together{several} at the {options['alpha']:.0%} level{each}, for other users or "
        "pages"
    )
    if not stability:
        return f"How sure: {users}."
    if options["level"] == "row":
        return f"How sure: {users}; in stability each comparison is tested separately, so some of it may be chance."
    others = options.get("others", "other topics")
    return f"How sure: {users}, what is shown of stability at the {options['alpha']:.0%} level for {others}."


def trade_off(metrics: SideBySide) -> list[str]:
    """Say what the lead with users costs in stability, and what the lead in stability costs with users."""
    users = metrics.deciding
    stable = [what for what in STABILITY if metrics.decides(what)]
    if not users or not stable or metrics.leading([*STABILITY, *metrics.known_kinds]):
        return []
    costs = [_cost_of_agreement(metrics, kinds) for kinds in metrics.deciding_together()]
    return list(dict.fromkeys(filter(None, [*costs, _cost_of_stability(metrics, users)])))


def _cost_of_agreement(metrics: SideBySide, kinds: list[str]) -> str:
    """Name the metric that leads with users, and which are shown to exceed it in stability; empty if none is."""
    # The one that costs least among the metrics that lead with users.
    best = max(metrics.leading(kinds), key=lambda name: _lead_count(metrics, name))
    costs = _exceeded(metrics, best)
    lesser = [
        other for other in metrics.kinds if other not in kinds and metrics.value(best, f"{other}_leader") is False
    ]
    costs += [_behind(metrics, best, other) for other in lesser]
    if not costs:
        return ""
    return f"{_agreement_with_users(metrics, best, kinds)}; but {', and '.join(costs)}."


def _exceeded(metrics: SideBySide, best: str) -> list[str]:
    """Say which metrics are shown to exceed this one in stability, and by how much; one that does in both, once."""
    above: dict[str, list[str]] = {}
    for what in STABILITY:
        other = metrics.exceeding(best, what) if metrics.value(best, f"{what}_leader") is False else None
        if other is not None:
            figures = _against(what, metrics.value(other, what), metrics.value(best, what))
            above.setdefault(other, []).append(f"{_MORE[what]} ({figures})")
    return [f"{other} is shown {' and '.join(more)}" for other, more in above.items()]


def _cost_of_stability(metrics: SideBySide, users: list[str]) -> str:
    """Name the metric that leads in stability, and how many are shown to agree better with users; empty if none is."""
    leads = metrics.leading(STABILITY) or metrics.leading(["consistency"])
    if not leads:
        return ""
    # The one that costs least among the metrics that lead in stability.
    best = max(
        leads, key=lambda name: (_lead_count(metrics, name), sum(metrics.value(name, kind) or -1.0 for kind in users))
    )
    what = "stability" if metrics.leading(STABILITY) else "consistency"
    costs = [_behind(metrics, best, kind) for kind in users if metrics.value(best, f"{kind}_leader") is False]
    if not costs:
        return ""
    figures = ", ".join(_figure(metrics, best, each) for each in STABILITY)
    return f"Nothing is shown to exceed {best} in {what} ({figures}); but {', and '.join(costs)}."


def _lead_count(metrics: SideBySide, name: str) -> int:
    return sum(bool(metrics.value(name, f"{what}_leader")) for what in (*STABILITY, *metrics.kinds))


def _behind(metrics: SideBySide, metric: str, kind: str) -> str:
    ahead, others = int(metrics.value(metric, f"{kind}_beaten_by")), metrics.counts[kind] - 1
    verb = "is" if ahead == 1 else "are"
    own = _figure(metrics, metric, kind)
    which = f"{ahead} of the other {others} metrics" if others > 1 else "the other metric"
    return f"{which} {verb} shown to agree better with {kind} than it does ({own})"


def _against(what: str, theirs: float, mine: float) -> str:
    if what == "power":
        return f"{theirs:.0%} against {mine:.0%}"
    return f"{figure(theirs, digits=2)} against {figure(mine, digits=2)}"
