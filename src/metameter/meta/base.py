"""Procedures: functions with a declaration, from which everything else about them is derived.

The Python name, the command, the stage of a study, the section of a report and the entry in the documentation come
from the declaration. A procedure is one folder here, or one entry point of another distribution.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from metameter.arguments import Check, check_value, checks_arguments, unchecked
from metameter.docstrings import parameters, references
from metameter.errors import MetameterError
from metameter.meta.framework.options import CHECKS, SHARED
from metameter.meta.framework.validation import INPUTS, check_declaration, origin_of
from metameter.parameters import Bounds
from metameter.registry import register
from metameter.view.result import Result

__all__ = ["Across", "Procedure", "Runs", "Telling", "Wanted", "Words", "procedure"]

F = TypeVar("F", bound=Callable[..., Any])
#: The condition for running a stage in a study: this option is given, or this function of its options is true.
Wanted: TypeAlias = str | Callable[[Mapping[str, Any]], bool] | None
#: The parameter for the number of collections of a study; their verdicts share the procedure's significance level.
COLLECTIONS = "collections"
_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Telling:
    """A column whose highest and lowest values are in a chart's caption, and the words for them."""

    column: str
    highest: str = ""
    lowest: str = "lowest"


@dataclass(frozen=True)
class Words:
    """The texts about a procedure.

    Attributes
    ----------
    title, question : str
        The heading of its section, and the question it answers.
    method : str
        What is done.
    reading : str
        How its chart and table are read.
    columns : mapping
        Column -> what it means, for every column of its tables.
    charts : mapping
        Chart -> the extremes that its caption gives.
    references_when : mapping
        Reference -> (option, values): it counts only when the option had one of these values.
    alone : str
        The words that introduce its answer if the report also has a procedure that combines its result with others,
        such as ``By stability alone``.
    """

    title: str
    question: str = ""
    method: str = ""
    reading: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    charts: Mapping[str, Telling] = field(default_factory=dict)
    references_when: Mapping[str, tuple[str, frozenset[Any]]] = field(default_factory=dict)
    alone: str = ""


@dataclass(frozen=True, eq=False)
class Runs:
    """The evidence for a procedure that needs ``runs``: judgments, runs, and the options of reading them.

    Attributes
    ----------
    qrels, runs : object
        As in `metameter.score`.
    policy : metameter.scoring.policy.Policy
    """

    qrels: Any
    runs: Any
    policy: Any


@dataclass(frozen=True, eq=False)
class Across:
    """Findings across several collections: sentences, tables of which finding holds where, and charts of all."""

    sentences: tuple[str, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    charts: Mapping[str, Any] = field(default_factory=dict)


def _no_function(*_: Any, **__: Any) -> Any:
    """A placeholder for the function, until the decorator is applied."""
    raise TypeError("this declaration has no function: write it above one, as a decorator")


@dataclass(frozen=True, eq=False)
class Procedure:
    """The declaration of a procedure; as a decorator, it declares the function below it and registers it.

    The function then refuses what its annotations, `metameter.meta.framework.options.CHECKS` or its own ``checks`` do
    not allow, before it does anything.

    Attributes
    ----------
    words : Words
    result : type of Result
        What it returns.
    needs : tuple of str
        What it is computed from: ``scores``, ``sessions`` (the scores with an axis of all iterations, where cells may
        be missing), ``runs`` (`Runs`, to be read again), ``judged`` (the runs as the judgments see them,
        `metameter.scoring.judged_runs.JudgedRuns`), ``pages`` and ``pairs`` (labelled result pages and preferences,
        `metameter.types.Pages`, `Pairs`; where a collection has none, the stage is left out silently), ``labels``
        (the pages, or the pairs where there are none), or the keys of the results of other procedures.
    options : mapping
        Its options in a study -> their bounds there; None where a study accepts what the function accepts.
    place : int, optional
        Its position in the report, small numbers first; without one it is not a stage of a study.
    key : str
        The name of its result: of the stage of a study, the section of a report, the first table. By default that of
        the function.
    stage : callable
        What computes the result in a study; by default the function. Only a procedure whose function reads files that a
        study has read already, or that joins the results of others, needs another.
    stage_result : type of Result, optional
        What the stage returns, where that is another type.
    tables_last : bool
        Whether its tables and charts follow those of the other stages, although its section may come earlier.
    takes : mapping
        A need or an option of a study -> the function's parameter for it, where the names differ.
    study_defaults : mapping
        Option -> its default in a study, where that is not the default of the function.
    in_study : callable, optional
        Given the result, returns it as a study shows it.
    shows_judged : bool
        Whether the result reports the share of judged ranks of each metric. If so, the stage is also computed again
        when only these shares change.
    across : callable, optional
        Given its results by collection, returns what holds across them.
    before : callable, optional
        Given the names of the metrics and the options of a study, refuses what is impossible, before scoring.
    wanted : str or callable, optional
        The condition for running the stage in a study: the name of an option that must be given, or a function from
        the stage's options (with defaults) to bool. If it fails, the stage and every stage that needs its result are
        left out without a notice. None: always run.
    uses : tuple of str
        The keys of results that it takes if a study has them; otherwise it gets None.
    needs_one : bool
        Whether the stage is left out, without a notice, if a study has none of the results that it uses.
    default_metric : bool
        Whether its command scores nDCG@10 where runs are given and no metric is named; by default it refuses that.
    fewest_systems : int
        With fewer systems its results mean nothing: a report leaves its section out, with a sentence.
    checks : mapping
        Option -> what refuses its values, besides its annotation; without an entry that of ``CHECKS``.
    function : callable
        The function, which checks its arguments; known once the declaration is applied to it.

    Examples
    --------
    >>> from metameter.meta.framework.declarations import declaration
    >>> declaration("recommend").key, declaration("recommend").needs
    ('recommendation', ('scores', 'consistency', 'power'))
    """

    words: Words
    _: KW_ONLY
    result: type[Result]
    needs: tuple[str, ...] = ("scores",)
    options: Mapping[str, Bounds | None] = field(default_factory=dict)
    place: int | None = None
    key: str = ""
    stage: Callable[..., Any] = _no_function
    stage_result: type[Result] | None = None
    tables_last: bool = False
    takes: Mapping[str, str] = field(default_factory=dict)
    study_defaults: Mapping[str, Any] = field(default_factory=dict)
    in_study: Callable[[Any], Any] | None = None
    shows_judged: bool = False
    across: Callable[[Mapping[str, Any]], Across] | None = None
    before: Callable[[tuple[str, ...], Mapping[str, Any]], None] | None = None
    wanted: Wanted = None
    uses: tuple[str, ...] = ()
    needs_one: bool = False
    default_metric: bool = False
    fewest_systems: int = 0
    checks: Mapping[str, Check] = field(default_factory=dict)
    function: Callable[..., Any] = _no_function

    def __call__(self, function: F) -> F:
        """Declare a function as this procedure, and register it."""
        checking = checks_arguments(function, checks={**CHECKS, **self.checks})
        stage = checking if self.stage is _no_function else self.stage
        declared = replace(self, function=checking, key=self.key or function.__name__, stage=stage)
        check_declaration(declared)
        checking.procedure = declared  # type: ignore[attr-defined]
        return register("meta")(checking)

    @property
    def name(self) -> str:
        """Its Python name and its command."""
        return self.function.__name__

    @property
    def study_result(self) -> type[Result]:
        """What its stage returns."""
        return self.stage_result or self.result

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the function, with evaluated annotations."""
        try:
            return inspect.signature(self.function, eval_str=True)
        except NameError as error:
            what = f"an annotation of the procedure {self.name} of {origin_of(self.function)} cannot be read: {error}"
            raise MetameterError(what, fix="Import the type in its module outside of TYPE_CHECKING.") from None

    @property
    def built_in(self) -> bool:
        """Whether it is one of metameter's own, and not of a plug-in."""
        return str(self.function.__module__).startswith("metameter.")

    @cached_property
    def parameters(self) -> dict[str, str]:
        """Parameter -> its description in the docstring."""
        return parameters(self.function)

    @cached_property
    def _bare(self) -> tuple[inspect.Signature, inspect.Signature]:
        """The signatures of stage and function, with annotations as they are written."""
        return inspect.signature(self.stage), inspect.signature(self.function)

    @cached_property
    def _stage_annotations(self) -> dict[str, Any]:
        """The types in the signature of the stage; empty if they cannot be read."""
        with suppress(NameError):
            signature = inspect.signature(self.stage, eval_str=True)
            return {name: each.annotation for name, each in signature.parameters.items()}
        return {}

    @cached_property
    def stage_parameters(self) -> frozenset[str]:
        """The parameters that a study may give a value: those of the stage, and with ``**`` those of the function."""
        stage, function = (each.parameters for each in self._bare)
        passed_on = any(each.kind is each.VAR_KEYWORD for each in stage.values())
        return frozenset({*stage, *(function if passed_on else ())})

    def parameter(self, name: str) -> str:
        """The parameter for something that it needs, or for an option of a study."""
        return self.takes.get(name, name)

    @property
    def study_parameters(self) -> set[str]:
        """The parameters of the function that a command has no option for: results of others, facts about a study."""
        return {*self.needs, *self.uses, COLLECTIONS} - set(INPUTS)

    def compute(self, values: Mapping[str, Any]) -> Any:
        """The result in a study, from what it needs and its options, which have been checked."""
        result = unchecked(self.stage)(**{self.parameter(name): value for name, value in values.items()})
        return result if self.in_study is None else self.in_study(result)

    def default(self, option: str) -> Any:
        """The value of an option that a study does not set."""
        if option in self.study_defaults:
            return self.study_defaults[option]
        parameters_of_option = (each.parameters.get(self.parameter(option)) for each in self._bare)
        defaults = (each.default for each in parameters_of_option if each is not None)
        return next((each for each in defaults if each is not _EMPTY), _EMPTY)

    def annotation(self, option: str) -> Any:
        """The type of an option: by the stage, or else by the function, or else by its default."""
        parameter = self.parameter(option)
        stage = self._stage_annotations.get(parameter, _EMPTY)
        if stage is not _EMPTY:
            return stage
        own = self.signature.parameters.get(parameter)
        if own is not None and own.annotation is not _EMPTY:
            return own.annotation
        default = self.default(option)
        return Any if default is None else type(default)

    def text_of(self, option: str) -> str:
        """The help of an option in a study."""
        return {**parameters(self.stage), **self.parameters, **SHARED}.get(option, "")

    def is_wanted(self, options: Mapping[str, Any]) -> bool:
        """Whether a study does the stage, given the options of the stage."""
        if self.wanted is None:
            return True
        return bool(options.get(self.wanted) if isinstance(self.wanted, str) else self.wanted(options))

    def lacks_all(self, results: Collection[str]) -> bool:
        """Whether ``needs_one`` is set, and none of the results in ``uses`` is available."""
        return self.needs_one and not set(self.uses) & set(results)

    def references(self, options: Mapping[str, Any] | None = None) -> list[str]:
        """The keys of its references; given the options of a call, only those that apply to them."""
        cited = references(self.function)
        if options is None:
            return cited
        when = self.words.references_when
        return [key for key in cited if key not in when or options.get(when[key][0]) in when[key][1]]

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse values of options that are not allowed, before anything is computed."""
        for name in self.options:
            if options.get(name) is not None:
                self._check_option(name, options[name])

    def _check_option(self, name: str, value: Any) -> None:
        """Refuse what the function would refuse, and then what is outside of the bounds that the option has here."""
        check_value(name, value, self.annotation(name))
        check = self.function.checks.get(name)  # type: ignore[attr-defined]
        if check is not None:
            check(value)
        bounds = self.options[name]
        if bounds is not None and not bounds.contain(value):
            fix = f"Give {name} within these bounds."
            raise MetameterError(f"{name} is out of range", given=value, allowed=str(bounds), fix=fix)


#: Declares a function as a procedure: ``@procedure(WORDS, result=...)``.
procedure = Procedure
