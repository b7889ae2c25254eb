"""What `tradeoff` asks, how it answers and how to read it; and the notes below its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.meta.tradeoff.tables import STABILITY, Compared
from metameter.registry import metric_named
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    import polars as pl


_MORE = {"consistency": "to be more consistent", "power": "to tell more pairs of systems apart"}


def _agreement(kind: str, what: str) -> dict[str, str]:
    return {
        kind: f"concordance of the metric with {what}: the share of the pairs that it orders likewise, ties half; "
        "empty for metrics that are normalised by the page",
        f"{kind}_low": "lower end of its 95% interval, of this metric for itself",
        f"{kind}_high": "upper end of its 95% interval, of this metric for itself",
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
        "consistency": "mean tau between rankings on two halves of the topics, as in consistency",
        "power": "share of the pairs of systems that differ significantly, as in power",
        "consistency_group": "letters: metrics that share one are not shown to differ in consistency",
        "power_group": "letters: metrics that share one are not shown to differ in power",
        "consistency_leader": "whether no metric is shown to exceed it in consistency; empty for simple metrics",
        "power_leader": "whether no metric is shown to exceed it in power; empty for simple metrics",
        **_agreement("satisfaction", "how satisfied users were with result pages"),
        **_agreement("preference", "which of two result pages users prefer"),
        "front": "whether no metric is higher in all of these figures; empty where one of them is not known",
    },
)


def notes(table: pl.DataFrame, options: dict[str, Any]) -> tuple[str, ...]:
    """What leads means, and which metrics have no figure for users."""
    kinds = [kind for kind in ("satisfaction", "preference") if kind in table.columns]
    told = [
        "A metric leads where no other is shown to exceed it. Intervals of agreement are 95%, each for itself; what is "
        "shown to exceed what is judged for all pairs of metrics together, each kind of label at the level of its own "
        "section: of two kinds, one or the other shows something false up to twice as often."
    ]
    paged = options.get("normalised_by_page", [])
    for kind in kinds:
        without = [
            name
            for name in table.filter(table[kind].is_null())["metric"]
            if str(metric_named(name) or name) not in paged
        ]
        if without:
            shown = _names(without)
            told.append(f"Without agreement with {kind}, as they are constant or need more than a page: {shown}.")
    if paged:
        told.append(
            "Without agreement with users, as on labelled pages they are normalised by the page itself and so are "
            f"other metrics than those of these names here: {_names(paged)}."
        )
    if options.get("simple"):
        told.append(f"Set aside as simple metrics: {', '.join(options['simple'])}.")
    return tuple(told)


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def answer(table: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """The sentences that a report begins with; they say only what the table shows.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``tradeoff``.
    options : dict
        Of the manifest: ``alpha``, ``level``, ``simple``, ...
    """
    found = Compared.of(table, options.get("simple", []))
    kinds = found.deciding
    silent = [_undecided(found, [kind for kind in found.kinds if kind not in kinds])]
    lacking = found.without_users()
    about = [_not_known(found, absent, names) for absent, names in lacking.items()]
    # With several collections it is said once, for all of them.
    sure = [how_sure(options)] if options.get("collections", 1) == 1 else []
    if not kinds:
        return [f"{silent[0]} {_stability_alone(found)}", *about]
    agreeing = [_agreeing(found, together) for together in found.told_together()]
    silent = list(filter(None, silent))
    if not any(found.decides(what) for what in STABILITY):
        return [*agreeing, *silent, _stability_silent(found), *about, *sure]
    both = found.leading([*STABILITY, *found.answered])
    if both:
        return [_one_for_both(found, both), *silent, *about, *sure]
    # What is traded names those who lead, with their figures; else they are named here.
    first, *more = traded(found) or agreeing
    told = first.replace("No metric", "none", 1) if first.startswith("No metric") else first
    # A metric leads with users only if it has a figure of every kind of label.
    count = len(found.rows) - sum(map(len, lacking.values()))
    figures = "figures of all kinds of labels" if len(found.answered) > 1 else "a figure for users"
    who = f"None of the {count} metrics with {figures}" if lacking and count else "No metric"
    return [f"{who} leads both in stability and in agreement with users: {told}", *more, *silent, *about, *sure]


def _not_known(found: Compared, absent: tuple[str, ...], names: list[str]) -> str:
    """Which metrics have no figure for these kinds of labels."""
    what = "users" if absent == found.kinds else " and ".join(absent)
    who = "it agrees" if len(names) == 1 else "they agree"
    return f"No figure for {what}: {found.names(names)}; how {who} with {what} is not known."


def outcome(table: pl.DataFrame, simple: Sequence[str] = ()) -> str:
    """What the answer comes to, in a few words, so that collections can be counted by it."""
    found = Compared.of(table, simple)
    users, stable = bool(found.deciding), any(found.decides(what) for what in STABILITY)
    if users and stable:
        both = found.leading([*STABILITY, *found.answered])
        return "one metric leads in both" if both else "no metric leads in both"
    if users:
        return "only users tell metrics apart"
    return "only stability tells metrics apart" if stable else "nothing tells metrics apart"


def _agreeing(found: Compared, kinds: list[str]) -> str:
    best, *level = found.leading(kinds)
    also = f" Not told apart from it: {found.names(level)}." if level else ""
    return f"{found.agreeing(best, kinds)}.{also}"


def _one_for_both(found: Compared, both: list[str]) -> str:
    best, *level = sorted(both, key=lambda name: not found.value(name, "front"))
    kinds = [kind for kind in found.kinds if found.highest(kind) is not None]
    figures = ", ".join(found.figure(best, what, named=True) for what in (*STABILITY, *kinds))
    also = f" The same is true of {found.names(level)}." if level else ""
    tops = [(found.highest(what) or best, what) for what in (*STABILITY, *kinds)]
    above = "; ".join(f"{name}, {found.figure(name, what, named=True)}" for name, what in tops if name != best)
    higher = f" Higher, but not shown to differ from it: {above}." if above else ""
    return (
        f"No trade-off between stability and users is shown: nothing is shown to exceed {best} in consistency, in "
        f"power or in agreement with users ({figures}).{higher}{also}"
    )


def _undecided(found: Compared, kinds: list[str]) -> str:
    """What is said of labels by which no metric is shown to exceed another."""
    unknown = [kind for kind in kinds if found.highest(kind) is None]
    few = [kind for kind in kinds if kind not in unknown and not found.known(kind)]
    level = [kind for kind in kinds if kind not in (*unknown, *few)]
    told = []
    if level:
        told.append(f"No metric is shown to agree better with users' {_list(level)} than another{_tops(found, level)}.")
    if few:
        told.append(f"Of users' {_list(few)} nothing is shown, for want of intervals{_tops(found, few)}.")
    if unknown:
        told.append(f"No metric here could be held against users' {_list(unknown)}.")
    return " ".join(told)


def _list(kinds: list[str]) -> str:
    return " or ".join(kinds)


def _tops(found: Compared, kinds: list[str]) -> str:
    """The highest figures, which show nothing."""
    tops = [(found.highest(kind) or "", kind) for kind in kinds]
    return f" (highest: {'; '.join(f'{name}, {found.figure(name, kind, named=True)}' for name, kind in tops)})"


def _stability_alone(found: Compared) -> str:
    """Where labels do not decide: whether stability does."""
    if not all(found.known(what) for what in STABILITY):
        return "Nor is anything shown of stability, for want of intervals."
    if not any(found.decides(what) for what in STABILITY):
        return "Nor is any shown to be more consistent, or to tell more systems apart."
    return "Metrics differ in stability alone."


def _stability_silent(found: Compared) -> str:
    """Where labels decide, and stability does not."""
    if not all(found.known(what) for what in STABILITY):
        return "Of stability nothing is shown, for want of intervals."
    return "In stability no metric is shown to exceed another: users may decide."


def how_sure(options: dict[str, Any]) -> str:
    """What the error rates are: of stability, and of users, whatever kinds of labels there are.

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
    if options["level"] == "row":
        return f"How sure: {users}; in stability each comparison stands for itself, so some of it may be chance."
    others = options.get("others", "other topics")
    return f"How sure: {users}, what is shown of stability at the {options['alpha']:.0%} level for {others}."


def traded(found: Compared) -> list[str]:
    """The trade-off with its figures: what users say best costs in stability, and the other way round."""
    users = found.deciding
    stable = [what for what in STABILITY if found.decides(what)]
    if not users or not stable or found.leading([*STABILITY, *found.answered]):
        return []
    told = [sentence for kinds in found.told_together() if (sentence := _cost_of_agreement(found, kinds))]
    return list(dict.fromkeys([*told, *filter(None, [_cost_of_stability(found, users)])]))


def _cost_of_agreement(found: Compared, kinds: list[str]) -> str:
    """The metric that leads with users, and who is shown to exceed it in stability."""
    # Among those that lead with users the one that gives up least.
    best = max(found.leading(kinds), key=lambda name: _led(found, name))
    costs = _exceeded(found, best)
    lesser = [other for other in found.kinds if other not in kinds and found.value(best, f"{other}_leader") is False]
    costs += [_behind(found, best, other) for other in lesser]
    if not costs:
        return ""
    return f"{found.agreeing(best, kinds)}; but {', and '.join(costs)}."


def _exceeded(found: Compared, best: str) -> list[str]:
    """Who is shown to exceed a metric in stability, by how much; one metric that does so in both is named once."""
    above: dict[str, list[str]] = {}
    for what in STABILITY:
        other = found.exceeding(best, what) if found.value(best, f"{what}_leader") is False else None
        if other is not None:
            figures = _against(what, found.value(other, what), found.value(best, what))
            above.setdefault(other, []).append(f"{_MORE[what]} ({figures})")
    return [f"{other} is shown {' and '.join(more)}" for other, more in above.items()]


def _cost_of_stability(found: Compared, users: list[str]) -> str:
    """The metric that leads in stability, and how many are shown to agree better with users."""
    leads = found.leading(STABILITY) or found.leading(["consistency"])
    if not leads:
        return ""
    # Among those that lead in stability the one that gives up least.
    best = max(leads, key=lambda name: (_led(found, name), sum(found.value(name, kind) or -1.0 for kind in users)))
    what = "stability" if found.leading(STABILITY) else "consistency"
    costs = [_behind(found, best, kind) for kind in users if found.value(best, f"{kind}_leader") is False]
    if not costs:
        return ""
    figures = ", ".join(found.figure(best, each) for each in STABILITY)
    return f"Nothing is shown to exceed {best} in {what} ({figures}); but {', and '.join(costs)}."


def _led(found: Compared, name: str) -> int:
    return sum(bool(found.value(name, f"{what}_leader")) for what in (*STABILITY, *found.kinds))


def _behind(found: Compared, metric: str, kind: str) -> str:
    ahead, others = int(found.value(metric, f"{kind}_beaten_by")), found.counts[kind] - 1
    verb = "is" if ahead == 1 else "are"
    own = found.figure(metric, kind)
    which = f"{ahead} of the other {others} metrics" if others > 1 else "the other metric"
    return f"{which} {verb} shown to agree better with {kind} than it does ({own})"


def _against(what: str, theirs: float, mine: float) -> str:
    if what == "power":
        return f"{theirs:.0%} against {mine:.0%}"
    return f"{figure(theirs, digits=2)} against {figure(mine, digits=2)}"
