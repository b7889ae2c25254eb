"""What is traded for what, where no metric leads both in stability and in agreement with users."""

from __future__ import annotations

from metameter.meta.recommend.sentence import figure
from metameter.meta.tradeoff.compared import Compared
from metameter.meta.tradeoff.tables import STABILITY

__all__ = ["traded"]

_MORE = {"consistency": "to be more consistent", "power": "to tell more pairs of systems apart"}


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
