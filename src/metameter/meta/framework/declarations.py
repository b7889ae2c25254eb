"""All procedures, in the order of a report and in the order in which a study computes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.base import Procedure
from metameter.meta.framework.validation import INPUTS, origin_of
from metameter.registry import get, names

__all__ = ["INPUTS", "declaration", "declarations", "in_table_order", "stages"]

T = TypeVar("T")


def declaration(name: str) -> Procedure:
    """The declaration of the procedure of that name."""
    function = get("meta", name)
    declared = getattr(function, "procedure", None)  # a plug-in may register anything
    if not isinstance(declared, Procedure):
        what = f"the procedure {name} of {origin_of(function)} has no declaration"
        raise MetameterError(what, fix="Declare it with metameter.meta.base.procedure, or uninstall its plug-in.")
    return declared


def declarations() -> dict[str, Procedure]:
    """Key -> declaration of every procedure, in the order of a report; those that are no stages last, by name."""
    every = sorted(map(declaration, names("meta")), key=lambda each: (each.place is None, each.place or 0, each.name))
    by_key: dict[str, Procedure] = {}
    for each in every:
        known = by_key.setdefault(each.key, each)
        if known is not each:
            what = f"the procedures {known.name} and {each.name} give their results the same key"
            other = known if each.built_in else each
            fix = f"Uninstall {origin_of(other.function)}, the plug-in of {other.name}."
            raise MetameterError(what, given=each.key, fix=fix)
    return by_key


def in_table_order(results: Mapping[str, T]) -> dict[str, T]:
    """Return results of stages, by key, in the order of their tables; results without a procedure are left out.

    Examples
    --------
    >>> list(in_table_order({"compare": 1, "power": 2, "recommendation": 3}))
    ['recommendation', 'power', 'compare']
    """
    known = {key: each for key, each in declarations().items() if key in results}
    return {key: results[key] for key in sorted(known, key=lambda key: known[key].tables_last)}


def stages() -> list[Procedure]:
    """The procedures that are stages of a study, each after those whose results it needs or uses.

    Examples
    --------
    >>> order = [each.key for each in stages()]
    >>> order.index("consistency") < order.index("recommendation")
    True
    """
    waiting = {key: each for key, each in declarations().items() if each.place is not None}
    for each in waiting.values():
        _check_needs(each, [*INPUTS, *waiting])
    ordered: dict[str, Procedure] = {}
    while waiting:
        ready = [key for key, each in waiting.items() if not {*each.needs, *each.uses} & set(waiting)]
        if not ready:
            plugins = sorted({origin_of(each.function) for each in waiting.values()})
            fix = f"Uninstall one of {', '.join(plugins)}."
            raise MetameterError(f"procedures need each other's results: {', '.join(waiting)}", fix=fix)
        ordered |= {key: waiting.pop(key) for key in ready}
    return list(ordered.values())


def _check_needs(declared: Procedure, known: list[str]) -> None:
    for need in declared.needs:
        if need not in known:
            what = (
                f"the procedure {declared.name} of {origin_of(declared.function)} needs what no stage of a study makes"
            )
            raise MetameterError(what, given=need, fix=did_you_mean(need, known))
