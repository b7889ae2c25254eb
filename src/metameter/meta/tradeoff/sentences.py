"""The answer of `tradeoff`: who leads in stability, who agrees with users, and what must be traded for what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.tradeoff.compared import Compared
from metameter.meta.tradeoff.tables import STABILITY
from metameter.meta.tradeoff.traded import traded

if TYPE_CHECKING:
    import polars as pl

__all__ = ["answer", "how_sure", "outcome"]


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
