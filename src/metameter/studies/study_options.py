"""The stages and the options of a study, from the declarations of procedures and from `Policy`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar, get_type_hints

from metameter.docstrings import docstring, parameters
from metameter.errors import MetameterError, did_you_mean
from metameter.meta.base import Procedure
from metameter.meta.framework.declarations import stages
from metameter.meta.framework.options import SHARED
from metameter.meta.framework.validation import origin_of
from metameter.metric.compose import MetricLike
from metameter.parameters import Bounds
from metameter.scoring.policy import Policy

#: Folders of a study that are no stages of procedures.
_TAKEN = ("collection", "score")
_SEED = Bounds(0, 2**63 - 1, integer=True)
#: The text about ``**options`` in a docstring.
_OPTIONS = re.compile(r"^\*\*options\n(?: {4}.*\n)+", re.MULTILINE)
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """An option of a study: its name, type, default and help."""

    name: str
    annotation: Any
    default: Any
    text: str

    def canonical(self, value: Any) -> Any:
        """The value in the type of the option: 2 and 2.0 are the same, whether from Python, TOML or a command line.

        A metric becomes its name, which can be stored.

        Examples
        --------
        >>> Option("alpha", float, 0.05, "").canonical(1), Option("trials", int, 2000, "").canonical(300.0)
        (1.0, 300)
        >>> from metameter.browse.rbp import RBP
        >>> Option("reference", list, (), "").canonical(["AP", RBP(p=0.5)])
        ['AP', 'RBP(p=0.5)']
        """
        if isinstance(value, list | tuple):
            return [self.canonical(each) for each in value]
        if isinstance(value, MetricLike):
            return str(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not Bounds().contain(value):
            return value
        if self.annotation in (float, float | None):
            return float(value)
        return int(value) if self.annotation in (int, int | None) and value == int(value) else value


def study_stages() -> list[Procedure]:
    """The procedures that are stages of a study, each after those whose results it needs.

    Examples
    --------
    >>> order = [each.key for each in study_stages()]
    >>> order.index("power") < order.index("recommendation") < order.index("tradeoff")
    True
    """
    every = stages()
    for each in every:
        if each.key in _TAKEN:
            fix = f"Uninstall {origin_of(each.function)}, the plug-in that declares {each.name}."
            raise MetameterError("a procedure takes a name that a study needs itself", given=each.key, fix=fix)
    return every


def stage_values(stage: Procedure, options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options of a stage: those given here, otherwise its defaults.

    Examples
    --------
    >>> from metameter.meta.framework.declarations import declaration
    >>> stage_values(declaration("similarity"), {"by": "all", "alpha": 0.1})
    {'by': 'all'}
    """
    return {name: options.get(name, stage.default(name)) for name in stage.options}


def reading_options() -> dict[str, Option]:
    """The options of reading and matching runs: the fields of `Policy`.

    Examples
    --------
    >>> reading_options()["unjudged"].default
    'zero'
    """
    kinds, texts = get_type_hints(Policy), parameters(Policy)
    return {
        each.name: Option(each.name, kinds[each.name], each.default, texts.get(each.name, ""))
        for each in fields(Policy)
    }


def stage_options() -> dict[str, Option]:
    """The options that the stages declare, and the seed.

    Examples
    --------
    >>> stage_options()["splits"].default
    1000
    """
    options = {"seed": Option("seed", int, 0, SHARED["seed"])}
    # Ours first: a plug-in with an option of the same name does not change the help of ours.
    for stage in sorted(study_stages(), key=lambda each: not each.built_in):
        for name in (each for each in stage.options if each not in options):
            options[name] = Option(name, stage.annotation(name), stage.default(name), stage.text_of(name))
    return options


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse values that a stage does not allow, before the first one begins.

    Examples
    --------
    >>> check_options({"alpha": 2})
    Traceback (most recent call last):
    metameter.errors.MetameterError: alpha is not a probability between 0 and 1 (given 2, allowed: 0 < value < 1). Give
    alpha as a share, such as 0.05 or 0.95.
    """
    if not _SEED.contain(options.get("seed", 0)):
        fix = "Give a whole number as the seed."
        raise MetameterError("seed is out of range", given=options["seed"], allowed=str(_SEED), fix=fix)
    for stage in study_stages():
        stage.check(options)


def refuse_unknown(options: Mapping[str, Any], known: list[str], where: str | None = None) -> None:
    """Refuse options that a study does not have."""
    for name in options:
        if name not in known:
            raise MetameterError("unknown option of a study", where=where, given=name, fix=did_you_mean(name, known))


def takes_options(function: F) -> F:
    """Replace ``**options`` in the signature and the docstring of a function by all options of a study.

    All procedures are imported for it, plug-ins included: they declare the options.
    """
    every = {**reading_options(), **stage_options()}
    signature = inspect.signature(function, eval_str=True)
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    function.__signature__ = signature.replace(parameters=[*own, *map(_parameter, every.values())])  # type: ignore[attr-defined]
    texts = "".join(f"{option.name}\n    {_text(option)}\n" for option in every.values())
    function.__doc__ = _OPTIONS.sub(lambda _: texts, f"{docstring(function)}\n", count=1)
    return function


def _parameter(option: Option) -> inspect.Parameter:
    # None means that the option was not given: then the study file, or the default, decides.
    annotation = option.annotation if option.annotation is Any else option.annotation | None
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _text(option: Option) -> str:
    text = option.text.replace("``", "")
    if option.default in (None, (), []) or "by default" in text.lower():
        return text
    return f"{text.rstrip('.')}; by default {option.default}."
