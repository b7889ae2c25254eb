"""The answer of `tradeoff`: who leads in stability, who agrees with users, and what must be traded for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.tradeoff.compared import Compared
from metameter.meta.tradeoff.tables import STABILITY
from metameter.meta.tradeoff.traded import traded

if TYPE_CHECKING:
    import polars as pl

__all__ = ["answer", "how_sure"]

_USERS = {"satisfaction": "users' satisfaction", "preference": "users' preferences"}


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
    told = [_verdict(found), *traded(found), _stability(found), *(_users(found, kind) for kind in found.kinds)]
    return [*filter(None, told), how_sure(found.kinds, options)]


def _verdict(found: Compared) -> str:
    """One sentence first: whether one metric leads in all, only one side tells metrics apart, or one must choose."""
    stable = [what for what in STABILITY if found.decides(what)]
    users = [kind for kind in found.kinds if found.decides(kind)]
    if not users:
        which = " and ".join(_USERS[kind] for kind in found.kinds)
        rest = "choose by stability" if stable else "and neither does stability: keep the metric you use"
        return f"No metric is shown to agree better with {which} than another: the labels do not decide, {rest}."
    if not stable:
        return (
            "Stability does not tell the metrics apart, users do: choose among those that lead in agreement with users."
        )
    best, *level = found.leading([*STABILITY, *found.kinds]) or [""]
    if not best:
        return "No metric is shown to lead both in stability and in agreement with users: there is a trade-off."
    figures = ", ".join(found.figure(best, what) for what in (*STABILITY, *found.kinds))
    also = f" So with {found.names(level)}." if level else ""
    return (
        f"Stability and users need not be traded for each other: nothing is shown to exceed {best} in consistency, in "
        f"power or in agreement with users ({figures}).{also}"
    )


def _stability(found: Compared) -> str:
    if not all(found.known(what) for what in STABILITY):
        return "Stability: without intervals nothing is known of other topics."
    if not any(found.decides(what) for what in STABILITY):
        return "Stability: no metric is shown to be more consistent than another, or to tell more systems apart."
    both = found.leading(STABILITY)
    if both:
        figures = ", ".join(found.figure(both[0], what) for what in STABILITY)
        level = f"; so with {found.names(both[1:])}" if both[1:] else ""
        return f"Stability: nothing is shown to exceed {both[0]} in consistency or power ({figures}){level}."
    first, second = (found.leading([what])[0] for what in STABILITY)
    return (
        f"Stability: nothing is shown to exceed {first} in consistency ({found.figure(first, 'consistency')}), nor "
        f"{second} in power ({found.figure(second, 'power')}); no metric leads in both."
    )


def _users(found: Compared, kind: str) -> str:
    label, top = kind.capitalize(), found.highest(kind)
    if top is None:
        return f"{label}: of no metric here the agreement with {_USERS[kind]} is known."
    shown = f"{top}, {found.figure(top, kind)}"
    if not found.known(kind):
        return f"{label}: nothing is shown without intervals (highest: {shown})."
    if not found.decides(kind):
        return f"{label}: no metric is shown to agree better with {_USERS[kind]} than another (highest: {shown})."
    others = found.count(kind) - 1
    ahead = int(found.value(top, f"{kind}_beats"))
    if ahead == others:
        shown = found.figure(top, kind)
        return f"{label}: {top} agrees best with {_USERS[kind]}, shown against all {others} others ({shown})."
    level = [name for name in found.leading([kind]) if name != top]
    exceeded = f"; it is shown to agree better than {ahead} of the other {others}" if ahead else ""
    also = f" Not shown to agree less well than any other either: {found.names(level)}." if level else ""
    return (
        f"{label}: no metric is shown to agree better with {_USERS[kind]} than {top} ({found.figure(top, kind)})"
        f"{exceeded}.{also}"
    )


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
