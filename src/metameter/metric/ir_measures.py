"""Measures of ir_measures, objects and texts, as metrics under our names. The library itself is not needed.

The number is the same where the top of the grade scale is: there it is a parameter of some measures, here an option of
scoring; their ERR has it fixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Protocol, runtime_checkable

from metameter.errors import MetameterError
from metameter.metric.aliases import Alias, read_alias
from metameter.metric.terms import meanings
from metameter.notation import Term, parse
from metameter.notices import notice

# IPrec@0.1: what follows @ there is a recall.
_AT_RECALL = re.compile(r"IPrec ?(\(.*\))? ?@ ?(\d*\.\d+)")
_RBP_OF_RANX = re.compile(r"rbp\.(\d{1,9})")
_THEIRS = {"cutoff", "dcg", "gains", "max_rel", "relative"}
# gdeval, which computes their ERR, knows no other top of the scale.
_TOP_OF_ERR = 4


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


def read_theirs(text: str) -> tuple[Term, Alias] | None:
    """What a text means that has a name of ours with parameters of theirs; None if it has not.

    Examples
    --------
    >>> [str(read_theirs(text)[0]) for text in ("nDCG(dcg='exp-log2')@10", "RBP(rel=1)", "NumRet(rel=1)", "IPrec@0.1")]
    ['nDCG(gain=exp)@10', 'RBP(gain=binary(1))', 'NumRelRet(rel=1)', 'IPrec(recall=0.1)']
    """
    if (ranx := _RBP_OF_RANX.fullmatch(text.strip().casefold())) is not None:
        fix = f"Write RBP(p=0.{ranx[1]}), and multiply it by the highest grade for the number of ranx."
        raise MetameterError("the RBP of ranx takes grades for gains", given=text, fix=fix)
    recall = _AT_RECALL.fullmatch(text.strip())
    try:
        expression = parse(f"IPrec{recall[1] or ''}" if recall else text)
    except MetameterError:
        return None  # it is nobody's
    term, known = expression.left, meanings(expression.left.name)
    allowed = {name for each in known for name in each.parameters()}
    params = {**term.arguments, **({"recall": float(recall[2])} if recall else {})}
    further = set(params) - allowed
    theirs = _THEIRS | ({"rel"} if term.name in ("RBP", "NumRet") else set())
    if expression.right or term.unnamed or not known or not (recall or further) or not further <= theirs:
        return None
    if "dcg" in params:
        params["dcg"] = str(params["dcg"]).replace("_", "-")  # a hyphen in a name is read as an underscore
    if term.k is not None:
        params["cutoff"] = term.k
    measure = SimpleNamespace(NAME=term.name, AT_PARAM="cutoff", SUPPORTED_PARAMS={}, params=params)
    meant = borrowed_term(measure)
    return meant, Alias(text, str(meant))


def tell_their_scale(metrics: Any, top: float) -> None:
    """Say so if a measure of ir_measures has another top of the grade scale than the one that was found.

    Examples
    --------
    >>> tell_their_scale(["ERR@10"], 2)
    """
    several = [metrics] if isinstance(metrics, str | Borrowed) or not isinstance(metrics, Iterable) else metrics
    for each in several:
        if isinstance(each, Borrowed) and str(each.NAME) == "ERR" and top != _TOP_OF_ERR:
            notice(
                f"{each}: ir_measures takes {_TOP_OF_ERR} as the top of the grade scale, here it is {top:g}: give "
                f"max_grade={_TOP_OF_ERR} for its number"
            )


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
    supported = measure.SUPPORTED_PARAMS.get(name)
    if name not in measure.params or (supported is not None and value == supported.default):
        return {}
    if name == "max_rel":
        fix = f"Leave it out, and give max_grade={value} to the function that scores: it holds for all metrics."
    else:
        fix = f"Leave it out, or choose another metric than {ours}."
    given = str(measure) if supported is not None else f"{name}={value}"
    raise MetameterError(f"the parameter {name} of ir_measures has no counterpart in {ours}", given=given, fix=fix)
