"""Procedures: functions with a declaration, from which everything else about them is derived.

The Python name, the command, the stage of a study, the section of a report and the entry in the documentation come
from the declaration. A procedure is one folder here, or one entry point of another distribution.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from metameter.arguments import Check, check_value, checks_arguments, unchecked
from metameter.docstrings import parameters, references
from metameter.errors import MetameterError
from metameter.meta.framework.options import CHECKS, SHARED
from metameter.meta.framework.validation import EVIDENCE, check_declaration, origin_of
from metameter.parameters import Bounds
from metameter.registry import register
from metameter.view.result import Result

__all__ = ["Across", "Procedure", "Runs", "Telling", "Wanted", "Words", "procedure"]

F = TypeVar("F", bound=Callable[..., Any])
#: When a study does a stage: if this option is given, if this function of its options is true, or always.
Wanted: TypeAlias = str | Callable[[Mapping[str, Any]], bool] | None
#: The parameter for how many collections a study has: they share the level of a procedure's verdicts.
COLLECTIONS = "collections"
_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Telling:
    """The column whose highest and lowest value the caption of a chart gives, and what it calls them."""

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
        What its answer is about, where a report has a wider one: ``By stability alone``.
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


@dataclass(frozen=True, eq=False)
class Procedure:
    """The declaration of a procedure.

    Attributes
    ----------
    name : str
        Its Python name and its command.
    key : str
        The name of its result: of the stage of a study, the section of a report, the first table.
    function : callable
        The function itself, which checks its arguments.
    result : type of Result
        What it returns.
    words : Words
    needs : tuple of str
        What it is computed from: ``scores``, ``sessions`` (the scores with an axis of all iterations, where cells may
        be missing), ``runs`` (`Runs`, to be read again), ``judged`` (the runs as the judgments see them,
        `metameter.scoring.judged_runs.JudgedRuns`), ``pages`` and ``pairs`` (labelled result pages and preferences,
        `metameter.types.Pages`, `Pairs`; where a collection has none, the stage is left out silently), ``labels``
        (the pages, or the pairs where there are none), or the keys of the results of other procedures.
    options : mapping
        Its options in a study, with their bounds; None for options that it checks itself.
    place : int, optional
        Its position in the report, small numbers first; without one it is not a stage of a study.
    stage : callable
        What computes the result in a study; by default the function. Only a procedure whose function reads files that a
        study has read already, or that joins the results of others, needs another.
    takes : mapping
        What it needs, or an option of a study -> the parameter for it, where that has another name.
    study_defaults : mapping
        Option -> its default in a study, where that is not the default of the function.
    in_study : callable, optional
        Given the result, returns it as a study shows it.
    shows_judged : bool
        Whether the result says which share of the ranks that metrics look at is judged: then it is also computed again
        where that share has changed and the scores have not.
    across : callable, optional
        Given its results by collection, returns what holds across them.
    before : callable, optional
        Given the names of the metrics and the options of a study, refuses what is impossible, before scoring.
    wanted : str or callable, optional
        When a study does the stage: where the option of this name is given, or where a function of the stage's options
        (by name, defaults included) is true. Otherwise it is left out silently, and so is every stage that needs its
        result. If None, the stage is always done.
    uses : tuple of str
        The keys of results that it takes if a study has them; otherwise it gets None.
    needs_one : bool
        Whether the stage is left out, silently, if a study has none of the results that it uses.
    fewest_systems : int
        With fewer systems its results mean nothing: a report leaves its section out, with a sentence.
    """

    name: str
    key: str
    function: Callable[..., Any]
    result: type[Result]
    words: Words
    needs: tuple[str, ...]
    options: Mapping[str, Bounds | None]
    place: int | None
    stage: Callable[..., Any]
    takes: Mapping[str, str] = field(default_factory=dict)
    study_defaults: Mapping[str, Any] = field(default_factory=dict)
    in_study: Callable[[Any], Any] | None = None
    shows_judged: bool = False
    across: Callable[[Mapping[str, Any]], Across] | None = None
    before: Callable[[tuple[str, ...], Mapping[str, Any]], None] | None = None
    wanted: Wanted = None
    uses: tuple[str, ...] = ()
    needs_one: bool = False
    fewest_systems: int = 0

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
            taken = inspect.signature(self.stage, eval_str=True).parameters
            return {name: each.annotation for name, each in taken.items()}
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
        return {*self.needs, *self.uses, COLLECTIONS} - set(EVIDENCE)

    def compute(self, values: Mapping[str, Any]) -> Any:
        """The result in a study, from what it needs and its options, which have been checked."""
        result = unchecked(self.stage)(**{self.parameter(name): value for name, value in values.items()})
        return result if self.in_study is None else self.in_study(result)

    def default(self, option: str) -> Any:
        """The value of an option that was not given in a study."""
        if option in self.study_defaults:
            return self.study_defaults[option]
        taken = (each.parameters.get(self.parameter(option)) for each in self._bare)
        defaults = (each.default for each in taken if each is not None)
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

    def lacks_all(self, made: Collection[str]) -> bool:
        """Whether it needs one of the results that it uses and there is none."""
        return self.needs_one and not set(self.uses) & set(made)

    def references(self, options: Mapping[str, Any] | None = None) -> list[str]:
        """The keys of its references; given the options of a call, only those that apply to them."""
        given = options or {}
        idle = {key for key, (name, values) in self.words.references_when.items() if given.get(name) not in values}
        return [key for key in references(self.function) if options is None or key not in idle]

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse values of options that are not allowed, before anything is computed."""
        for name in self.options:
            if options.get(name) is not None:
                self._check_option(name, options[name])

    def _check_option(self, name: str, value: Any) -> None:
        annotation, bounds = self.annotation(name), self.options[name]
        choices = get_args(annotation) if get_origin(annotation) is Literal else ()
        if choices and value not in choices:
            allowed, fix = ", ".join(map(str, choices)), f"Set {name} to one of these."
            raise MetameterError(f"there is no such {name}", given=value, allowed=allowed, fix=fix)
        if bounds is not None and not bounds.contain(value):
            fix = f"Give {name} within these bounds."
            raise MetameterError(f"{name} is out of range", given=value, allowed=str(bounds), fix=fix)
        check_value(name, value, annotation)
        check = self.function.checks.get(name)  # type: ignore[attr-defined]
        if check is not None:
            check(value)


def procedure(
    words: Words,
    *,
    result: type[Result],
    needs: tuple[str, ...] = ("scores",),
    options: Mapping[str, Bounds | None] | None = None,
    place: int | None = None,
    key: str | None = None,
    stage: Callable[..., Any] | None = None,
    takes: Mapping[str, str] | None = None,
    study_defaults: Mapping[str, Any] | None = None,
    in_study: Callable[[Any], Any] | None = None,
    shows_judged: bool = False,
    across: Callable[[Mapping[str, Any]], Across] | None = None,
    before: Callable[[tuple[str, ...], Mapping[str, Any]], None] | None = None,
    wanted: Wanted = None,
    uses: tuple[str, ...] = (),
    needs_one: bool = False,
    fewest_systems: int = 0,
    checks: Mapping[str, Check] | None = None,
) -> Callable[[F], F]:
    """Declare a function as a procedure; `Procedure` says what the arguments are.

    The function then refuses what its annotations, `metameter.meta.framework.options.CHECKS` or its own ``checks``
    (option -> what refuses its values) do not allow, before it does anything.

    Examples
    --------
    >>> from metameter.meta.framework.declarations import declaration
    >>> declaration("recommend").key, declaration("recommend").needs
    ('recommendation', ('scores', 'consistency', 'power'))
    """

    def declare(function: F) -> F:
        checking = checks_arguments(function, checks={**CHECKS, **(checks or {})})
        declared = Procedure(
            name=function.__name__,
            key=key or function.__name__,
            function=checking,
            result=result,
            words=words,
            needs=needs,
            options=dict(options or {}),
            place=place,
            stage=stage or checking,
            takes=dict(takes or {}),
            study_defaults=dict(study_defaults or {}),
            in_study=in_study,
            shows_judged=shows_judged,
            across=across,
            before=before,
            wanted=wanted,
            uses=uses,
            needs_one=needs_one,
            fewest_systems=fewest_systems,
        )
        check_declaration(declared)
        checking.procedure = declared  # type: ignore[attr-defined]
        return register("meta")(checking)

    return declare
