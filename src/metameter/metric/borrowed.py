"""Measures of ir_measures as metrics: the same number, under our name. The library itself is not needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from metameter.errors import MetameterError
from metameter.metric.aliases import read_alias
from metameter.metric.terms import meanings
from metameter.notation import Term

__all__ = ["Borrowed", "borrowed_term"]


@runtime_checkable
class Borrowed(Protocol):
    """What a measure of ir_measures has, ``nDCG @ 10`` or ``AP(rel=2)``."""

    NAME: Any
    AT_PARAM: str
    SUPPORTED_PARAMS: Any
    params: dict[str, Any]


def borrowed_term(measure: Borrowed) -> Term:
    """The same measure in our notation; a parameter that has no counterpart is refused.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> told = {"cutoff": SimpleNamespace(default=object()), "dcg": SimpleNamespace(default="log2")}
    >>> theirs = SimpleNamespace(NAME="nDCG", AT_PARAM="cutoff", SUPPORTED_PARAMS=told, params={"cutoff": 10})
    >>> str(borrowed_term(theirs))
    'nDCG@10'
    >>> theirs.params["dcg"] = "exp-log2"
    >>> str(borrowed_term(theirs))
    'nDCG(gain=exp)@10'
    """
    given = _given(measure)
    term = _renamed(str(measure.NAME), given)
    if "cutoff" in given:
        cutoff = given.pop("cutoff")
        # The depth of cwl-eval's BPM is the K of the model.
        term = replace(term, arguments={"K": cutoff}) if term.name == "BPM" else replace(term, k=cutoff)
    for name, value in given.items():
        term = replace(term, arguments={**term.arguments, **_translated(measure, term.name, name, value)})
    return term


def _given(measure: Borrowed) -> dict[str, Any]:
    """What was given, and the defaults of what was not: theirs may differ from ours."""
    defaults = {name: told.default for name, told in measure.SUPPORTED_PARAMS.items()}
    # What has no default has some object of no type in its place.
    known = {name: value for name, value in defaults.items() if isinstance(value, bool | int | float | str)}
    return known | measure.params


def _renamed(name: str, given: dict[str, Any]) -> Term:
    """Our name; two of theirs are two metrics here, by a parameter."""
    if name == "NumRet" and "rel" in given:
        return Term("NumRelRet")
    if name == "SetP" and given.pop("relative", False):
        return Term("RelP")
    if meanings(name):
        return Term(name)
    read = read_alias(name)
    if read is None:
        fix = "metameter metrics lists what there is."
        raise MetameterError("this measure of ir_measures has no counterpart", given=name, fix=fix)
    return read[0]


def _translated(measure: Borrowed, ours: str, name: str, value: Any) -> dict[str, Any]:
    parameters = {each for known in meanings(ours) for each in known.parameters()}
    if name == "dcg" and value in ("log2", "exp-log2"):
        return {"gain": "exp"} if value == "exp-log2" else {}
    if name == "gains" and isinstance(value, Mapping):
        return {"gain": dict(value)}
    if name == "rel" and ours == "RBP":
        return {"gain": f"binary({value})"}
    if name in parameters:
        return {name: value}
    if name not in measure.params or value == measure.SUPPORTED_PARAMS[name].default:
        return {}
    if name == "max_rel":
        fix = f"Leave it out, and give max_grade={value} to the function that scores: it holds for all metrics."
    else:
        fix = f"Leave it out, or choose another metric than {ours}."
    raise MetameterError(
        f"the parameter {name} of ir_measures has no counterpart in {ours}", given=str(measure), fix=fix
    )
