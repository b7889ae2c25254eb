"""The answer of `tradeoff`: who leads in stability, who agrees with users, and what must be traded for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.tradeoff.compared import Compared
from metameter.meta.tradeoff.tables import STABILITY
from metameter.meta.tradeoff.traded import traded

if TYPE_CHECKING:
    import polars as pl

__all__ = ["answer", "how_sure"]


def answer(table: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    """The sentences that a report begins with; they say only what the table shows.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``tradeoff``.
    options : dict
        Of the manifest: ``alphas``, ``level``, ``simple``, ...
    """
    found = Compared.of(table, options.get("simple", []))
    users = [kind for kind in found.kinds if found.decides(kind)]
    silent = [_users(found, kind) for kind in found.kinds if kind not in users]
    sure = how_sure(found.kinds, options)
    if not users:
        return [*silent, f"The labels do not decide. {_stability(found)}", sure]
    agreeing = [_users(found, kind) for kind in users]
    if not any(found.decides(what) for what in STABILITY):
        return [*agreeing, *silent, f"Users decide, stability does not. {_stability(found)}", sure]
    both = found.leading([*STABILITY, *found.kinds])
    told = [_one_for_both(found, both)] if both else ["No metric leads both in stability and in agreement with users."]
    # What is traded names those who lead, with their figures; else they are named here.
    traded_for = traded(found)
    return [*told, *(traded_for or [_stability(found), *agreeing]), *silent, sure]


def _one_for_both(found: Compared, both: list[str]) -> str:
    best, *level = both
    figures = ", ".join(found.figure(best, what, named=True) for what in (*STABILITY, *found.kinds))
    also = f" The same is true of {found.names(level)}." if level else ""
    return (
        f"No choice between stability and users is forced: nothing is shown to exceed {best} in consistency, in power "
        f"or in agreement with users ({figures}).{also}"
    )


def _stability(found: Compared) -> str:
    if not all(found.known(what) for what in STABILITY):
        return "Of stability nothing is shown, for want of intervals."
    if not any(found.decides(what) for what in STABILITY):
        return "Stability: no metric is shown to be more consistent than another, or to tell more systems apart."
    both = found.leading(STABILITY)
    if both:
        figures = ", ".join(found.figure(both[0], what) for what in STABILITY)
        level = f"; the same is true of {found.names(both[1:])}" if both[1:] else ""
        return f"Stability: nothing is shown to exceed {both[0]} in consistency or power ({figures}){level}."
    first, second = (found.leading([what])[0] for what in STABILITY)
    return (
        f"Stability: nothing is shown to exceed {first} in consistency ({found.figure(first, 'consistency')}), nor "
        f"{second} in power ({found.figure(second, 'power')}); no metric leads in both."
    )


def _users(found: Compared, kind: str) -> str:
    label, top = f"Users' {kind}", found.highest(kind)
    if top is None:
        return f"{label}: no metric here could be held against it."
    shown = found.figure(top, kind)
    if not found.known(kind):
        return f"{label}: nothing is shown, for want of intervals (highest: {top}, {shown})."
    if not found.decides(kind):
        return f"{label}: no metric is shown to agree better with it than another (highest: {top}, {shown})."
    level = [name for name in found.leading([kind]) if name != top]
    also = f"; the same is true of {found.names(level)}" if level else ""
    return f"{label}: {found.agreeing(top, kind)}{also}."


def how_sure(kinds: tuple[str, ...], options: dict[str, Any]) -> str:
    """What the error rates are: each kind of evidence has its own, and together they add up.

    Examples
    --------
    >>> how_sure(("satisfaction",), {"level": "study", "alphas": {"stability": 0.05, "satisfaction": 0.05}})
    'How sure: what is shown of stability holds together at the 5% level for other topics, of satisfaction at the 5% \
level for other users or pages; so at most 10% of studies like this would show a difference that is none.'
    """
    alphas = options["alphas"]
    users = ", ".join(f"of {kind} at the {alphas[kind]:.0%} level" for kind in kinds)
    if options["level"] == "row":
        return (
            "How sure: in stability each comparison stands for itself, so some of it may be chance; what is shown "
            f"{users} holds together for other users or pages."
        )
    total = sum(alphas[each] for each in ("stability", *kinds))
    several = f" in all {options['collections']} collections" if options.get("collections", 1) > 1 else ""
    return (
        f"How sure: what is shown of stability holds together{several} at the {alphas['stability']:.0%} level for "
        f"{options.get('others', 'other topics')}, {users} for other users or pages; so at most {total:.0%} of studies "
        "like this would show a difference that is none."
    )
