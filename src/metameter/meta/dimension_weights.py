"""How much each simple metric counts beside the others: ``rel=.5,div=.3,eff=.2``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.dimension_sets import DimensionSets, standard_dimensions
from metameter.meta.metric_names import find_metric, same_name, split_outside

__all__ = ["weights_of"]

_FIX = "Write weights as rel=0.5,div=0.3,eff=0.2, or with the names of the simple metrics."


def weights_of(given: Any, sets: DimensionSets) -> tuple[float, ...] | None:
    """The weight of each simple metric, in the order of ``sets.metrics``; None if none are given.

    Parameters
    ----------
    given : str or mapping
        Simple metric, or ``rel``, ``div``, ``eff`` -> weight.
    sets : DimensionSets

    Examples
    --------
    >>> weights_of("rel=.5, st_rec=.3", DimensionSets(("p+st-rec",), (("p", "st-rec"),)))
    (0.5, 0.3)
    >>> weights_of({"RR": 1}, DimensionSets(("p",), (("p",),)))
    Traceback (most recent call last):
    metameter.errors.MetameterError: a weight is for no simple metric in use (given 'RR'). Known: p.
    """
    if given is None or (isinstance(given, Mapping | str) and not given):
        return None
    by_name: dict[str, float] = {}
    for key, value in _pairs(given):
        name = _metric(key, sets.metrics)
        if name in by_name:
            raise MetameterError("a simple metric has two weights", given=name, fix="Give each of them once.")
        by_name[name] = _weight(key, value)
    _refuse_useless(by_name, sets)
    return tuple(by_name.get(name, 0.0) for name in sets.metrics)


def _pairs(given: Any) -> list[tuple[str, Any]]:
    if isinstance(given, Mapping):
        return [(str(key), value) for key, value in given.items()]
    if not isinstance(given, str):
        raise MetameterError("weights are neither a mapping nor a text", given=type(given).__name__, fix=_FIX)
    parts = [part.rpartition("=") for part in split_outside(given, ",")]
    for key, sign, value in parts:
        if not sign or not key.strip():
            raise MetameterError("a weight has no name", given=value, fix=_FIX)
    return [(key.strip(), value) for key, _, value in parts]


def _metric(key: str, simple: Sequence[str]) -> str:
    name = find_metric(key, simple)
    kinds = [metric for kind, metric in standard_dimensions(simple).items() if same_name(kind, key)]
    found = name or (kinds[0] if kinds else None)
    if found is None:
        what = "a weight is for no simple metric in use"
        raise MetameterError(what, given=key, fix=did_you_mean(key, list(simple)))
    return found


def _weight(key: str, value: Any) -> float:
    try:
        weight = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        weight = math.nan
    if not 0 <= weight < math.inf:
        given = f"{key}={value}"
        raise MetameterError("a weight is not a number from 0 on", given=given, allowed="0 or more", fix=_FIX)
    return weight


def _refuse_useless(weights: Mapping[str, float], sets: DimensionSets) -> None:
    for members in sets.members:
        lacking = [name for name in members if name not in weights]
        if lacking and len(members) > 1:
            fix = f"Add {lacking[0]}=0 if it should not count."
            raise MetameterError("a simple metric has no weight", given=lacking[0], fix=fix)
    useless = [members for members in sets.members if len(members) > 1 and not any(weights[name] for name in members)]
    if useless or not any(weights.values()):
        given = "+".join(useless[0]) if useless else ", ".join(weights)
        raise MetameterError("all weights of a set are zero", given=given, fix="Give one of its metrics a weight.")
