"""Translate measures of ir_measures, as objects or texts, to our notation. The library itself is not needed.

Scores are equal if the highest grade of the scale is: ir_measures has it as a parameter of some measures (its ERR fixes
it), here it is an option of scoring.
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

# IPrec@0.1: the number after @ is a recall.
_AT_RECALL = re.compile(r"IPrec ?(\(.*\))? ?@ ?(\d*\.\d+)")
_RBP_OF_RANX = re.compile(r"rbp\.(\d{1,9})")
_FOREIGN_PARAMETERS = {"cutoff", "dcg", "gains", "max_rel", "relative"}
# gdeval, which computes the ERR of ir_measures, fixes the highest grade of the scale.
_TOP_OF_ERR = 4


@runtime_checkable
class IrMeasure(Protocol):
    """A measure of ir_measures, such as ``nDCG @ 10`` or ``AP(rel=2)``, by its attributes."""

    NAME: Any
    AT_PARAM: str
    SUPPORTED_PARAMS: Any
    params: dict[str, Any]


def term_of_ir_measure(measure: IrMeasure) -> Term:
    """The measure in our notation; a parameter without a counterpart is refused.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> parameters = {"cutoff": SimpleNamespace(default=object()), "dcg": SimpleNamespace(default="log2")}
    >>> theirs = SimpleNamespace(NAME="nDCG", AT_PARAM="cutoff", SUPPORTED_PARAMS=parameters, params={"cutoff": 10})
    >>> str(term_of_ir_measure(theirs))
    'nDCG@10'
    >>> theirs.params["dcg"] = "exp-log2"
    >>> str(term_of_ir_measure(theirs))
    'nDCG(gain=exp)@10'
    """
    parameters = _parameters_of(measure)
    term = _renamed(str(measure.NAME), parameters)
    if "cutoff" in parameters:
        cutoff = parameters.pop("cutoff")
        # The depth of cwl-eval's BPM is the K of the model.
        term = replace(term, arguments={"K": cutoff}) if term.name == "BPM" else replace(term, k=cutoff)
    for name, value in parameters.items():
        term = replace(term, arguments={**term.arguments, **_translated(measure, term.name, name, value)})
    return term


def read_ir_measure(text: str) -> tuple[Term, Alias] | None:
    """Return the term and alias of a text with a name of ours and parameters of ir_measures; None if it has none.

    Examples
    --------
    >>> texts = ("nDCG(dcg='exp-log2')@10", "RBP(rel=1)", "NumRet(rel=1)", "IPrec@0.1")
    >>> [str(read_ir_measure(text)[0]) for text in texts]
    ['nDCG(gain=exp)@10', 'RBP(gain=binary(1))', 'NumRelRet(rel=1)', 'IPrec(recall=0.1)']
    """
    if (ranx := _RBP_OF_RANX.fullmatch(text.strip().casefold())) is not None:
        fix = f"Write RBP(p=0.{ranx[1]}), and multiply it by the highest grade for the number of ranx."
        raise MetameterError("the RBP of ranx takes grades for gains", given=text, fix=fix)
    recall = _AT_RECALL.fullmatch(text.strip())
    try:
        expression = parse(f"IPrec{recall[1] or ''}" if recall else text)
    except MetameterError:
        return None  # neither notation
    term, known = expression.left, meanings(expression.left.name)
    allowed = {name for each in known for name in each.parameters()}
    params = {**term.arguments, **({"recall": float(recall[2])} if recall else {})}
    further = set(params) - allowed
    foreign = _FOREIGN_PARAMETERS | ({"rel"} if term.name in ("RBP", "NumRet") else set())
    if expression.right or term.unnamed or not known or not (recall or further) or not further <= foreign:
        return None
    if "dcg" in params:
        params["dcg"] = str(params["dcg"]).replace("_", "-")  # a hyphen in a name is read as an underscore
    if term.k is not None:
        params["cutoff"] = term.k
    measure = SimpleNamespace(NAME=term.name, AT_PARAM="cutoff", SUPPORTED_PARAMS={}, params=params)
    meant = term_of_ir_measure(measure)
    return meant, Alias(text, str(meant))


def notice_different_scale(metrics: Any, top: float) -> None:
    """Issue a notice if ir_measures uses another top of the grade scale for a measure than the one used here.

    Examples
    --------
    >>> notice_different_scale(["ERR@10"], 2)
    """
    several = [metrics] if isinstance(metrics, str | IrMeasure) or not isinstance(metrics, Iterable) else metrics
    for each in several:
        if isinstance(each, IrMeasure) and str(each.NAME) == "ERR" and top != _TOP_OF_ERR:
            notice(
                f"{each}: ir_measures uses {_TOP_OF_ERR} as the top of the grade scale, here it is {top:g}: set "
                f"max_grade={_TOP_OF_ERR} for the same scores"
            )


def _parameters_of(measure: IrMeasure) -> dict[str, Any]:
    """The parameters that were set, and the defaults of the others, which may differ from ours."""
    defaults = {name: parameter.default for name, parameter in measure.SUPPORTED_PARAMS.items()}
    # Parameters without a default have a placeholder object.
    known = {name: value for name, value in defaults.items() if isinstance(value, bool | int | float | str)}
    return known | measure.params


def _renamed(name: str, parameters: dict[str, Any]) -> Term:
    """Our name of a measure; NumRet and SetP of ir_measures are two metrics each here."""
    if name == "NumRet" and "rel" in parameters:
        return Term("NumRelRet")
    if name == "SetP" and parameters.pop("relative", False):
        return Term("RelP")
    if meanings(name):
        return Term(name)
    read = read_alias(name)
    if read is None:
        fix = "metameter metrics lists what there is."
        raise MetameterError("this measure of ir_measures has no counterpart", given=name, fix=fix)
    return read[0]


def _translated(measure: IrMeasure, ours: str, name: str, value: Any) -> dict[str, Any]:
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
    text = str(measure) if supported is not None else f"{name}={value}"
    raise MetameterError(f"the parameter {name} of ir_measures has no counterpart in {ours}", given=text, fix=fix)
