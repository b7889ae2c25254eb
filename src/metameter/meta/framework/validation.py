"""Check the declaration of a procedure when it is made: a mistake must not stop a study halfway."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.scoring.policy import POLICY_OPTIONS

if TYPE_CHECKING:
    from metameter.meta.base import Procedure


#: What a procedure may need besides the results of others.
INPUTS = ("scores", "sessions", "runs", "judged", "pages", "pairs", "labels")

#: Names that a study or its command uses itself.
_RESERVED = (
    *("inputs", "qrels", "runs", "scores", "metrics", "metric", "preset", "out", "name", "figures", "jobs", "progress"),
    *("format", "table", "digits", "missing", "iteration", "collection_from", "sessions"),
    *("serps", "serps_input", "pages", "pairs", "labels"),
    *POLICY_OPTIONS,
)

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")


def check_declaration(declared: Procedure) -> None:
    """Refuse a declaration that a study could not use; the message names the procedure.

    Every option needs a free name and a default; the stage takes all options and all needs by name.
    """
    if not _KEY.fullmatch(declared.key):
        _refuse(declared, f"has the key {declared.key!r}, which is no name for a folder", "Use letters, digits and _.")
    takes = inspect.signature(declared.stage).parameters
    takes_any = any(each.kind is each.VAR_KEYWORD for each in takes.values())
    for option in declared.options:
        if option in (*_RESERVED, *declared.needs, *declared.uses):
            _refuse(declared, f"declares the option {option}, a name that a study uses itself", "Rename the option.")
        if declared.parameter(option) not in takes and not takes_any:
            _refuse(declared, f"declares the option {option}, which its stage does not take", f"Add {option} to it.")
        if declared.default(option) is inspect.Parameter.empty:
            _refuse(declared, f"declares the option {option}, which has no default", f"Give {option} a default.")
    if isinstance(declared.wanted, str) and declared.wanted not in declared.options:
        fix = f"Add {declared.wanted} to its options."
        _refuse(declared, f"is wanted where {declared.wanted} is given, which is none of its options", fix)
    if declared.key in declared.needs:
        _refuse(declared, "needs its own result", f"Take {declared.key} out of needs.")
    _check_uses(declared)
    for need in (*declared.needs, *declared.uses) if declared.place is not None and not takes_any else ():
        if declared.parameter(need) not in takes:
            verb = "needs" if need in declared.needs else "uses"
            _refuse(declared, f"{verb} {need}, which its stage does not take", f"Give its stage a parameter {need}.")


def _check_uses(declared: Procedure) -> None:
    for use in declared.uses:
        if use in (declared.key, *declared.needs):
            what = "its own result" if use == declared.key else f"{use}, which it needs already"
            _refuse(declared, f"uses {what}", f"Take {use} out of uses.")
        if use in INPUTS:
            _refuse(declared, f"uses {use}, which is no result of a procedure", f"Move {use} into needs.")
    if declared.needs_one and not declared.uses:
        _refuse(declared, "needs one of what it uses, but uses nothing", "Name results in uses.")


def _refuse(declared: Procedure, what: str, fix: str) -> None:
    raise MetameterError(f"the procedure {declared.name} of {origin_of(declared.function)} {what}", fix=fix)


def origin_of(function: Any) -> str:
    """The distribution of a function if that is known, otherwise its module.

    Examples
    --------
    >>> origin_of(origin_of)
    'metameter'
    """
    module = str(function.__module__)
    top = module.partition(".")[0]
    if top == "metameter":
        return top
    from importlib.metadata import packages_distributions  # slow, and needed for plug-ins only

    owners = packages_distributions().get(top, [])
    return owners[0] if owners else module
