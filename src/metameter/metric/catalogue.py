"""The catalogue of every registered browsing model, aggregation and metric with its parameters."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from metameter.docstrings import summary
from metameter.errors import MetameterError, did_you_mean
from metameter.metric.aliases import read_alias
from metameter.metric.ir_measures import read_ir_measure
from metameter.notation import spell_value
from metameter.registry import get, names

if TYPE_CHECKING:
    import polars as pl


_KINDS = ("browse", "aggregate", "metric")
#: What most people look for, listed first.
_FIRST = [*(("metric", name) for name in ("nDCG", "AP", "RR", "P", "R")), ("browse", "RBP"), ("browse", "ERR")]


def catalogue(kind: str | None = None, name: str | None = None) -> pl.DataFrame:
    """List kind, name, parameters, defaults, ranges, reference and one-line meaning; the best-known metrics first.

    Examples
    --------
    >>> catalogue()["name"].to_list()[:8]
    ['nDCG', 'AP', 'RR', 'P', 'R', 'RBP', 'ERR', 'AP1']
    >>> catalogue(name="RBP").row(0)[:3]
    ('browse', 'RBP', 'p;gain;judged_only;closure')
    >>> catalogue(name="map").row(0)[:2]
    ('metric', 'AP')
    """
    import polars as pl

    kinds = _KINDS if kind is None else (kind,)
    meant = name
    if name is not None and not any(name in names(each) for each in kinds):
        read = read_alias(str(name)) or read_ir_measure(str(name))
        meant = name if read is None else read[0].name
    listed = [(each, known) for each in kinds for known in names(each) if meant in (None, known)]
    first = [each for each in _FIRST if each in listed]
    rows = [_row(*each) for each in dict.fromkeys([*first, *listed])]
    if not rows:
        every = [known for each in kinds for known in names(each)]
        fix = did_you_mean(str(name), every, "metameter metrics lists all.")
        raise MetameterError("nothing of that name is registered", given=name, fix=fix)
    return pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))


def _row(kind: str, name: str) -> dict[str, str]:
    known = get(kind, name)
    declared = [each for each in fields(known) if each.metadata["role"] != "depth"]
    # Numbers of the user model first, then options.
    declared.sort(key=lambda each: each.metadata["role"] != "number")
    depths = [each for each in fields(known) if each.metadata["role"] == "depth"]
    if any(each.metadata["required"] for each in depths):
        declared = [*depths, *declared]
    return {
        "kind": kind,
        "name": name,
        "parameters": ";".join(_spellable(known, [each.name for each in declared])),
        "defaults": ";".join(f"{each.name}={spell_value(_default(each))}" for each in declared if _has(each)),
        "range": ";".join(f"{each.name}: {each.metadata['range']}" for each in declared),
        "reference": known.reference,
        "meaning": summary(known),
    }


def _spellable(known: Any, declared: list[str]) -> list[str]:
    # A model may spell its parameters otherwise than it stores them.
    allowed = known.parameters()
    return declared if set(allowed) <= set(declared) else allowed


def _has(each: Any) -> bool:
    return each.default is not MISSING and each.metadata["role"] != "depth"


def _default(each: Any) -> Any:
    return each.default
