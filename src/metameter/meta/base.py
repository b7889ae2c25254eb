"""Procedures: functions with a declaration, from which everything else about them is derived.

The Python name, the command, the stage of a study, the section of a report and the entry of the documentation come
from the declaration: a procedure is one folder here, or one entry point of another distribution.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from metameter.arguments import Check, checks_arguments
from metameter.docstrings import parameters, references
from metameter.errors import MetameterError
from metameter.meta.framework.options import CHECKS
from metameter.meta.framework.validation import check_declaration, origin_of
from metameter.parameters import Bounds
from metameter.registry import register
from metameter.view.result import Result

__all__ = ["Across", "Procedure", "Runs", "Telling", "Wanted", "Words", "procedure"]

F = TypeVar("F", bound=Callable[..., Any])
#: When a study does a stage: an option that asks for it, a function of its options, or always.
Wanted: TypeAlias = str | Callable[[Mapping[str, Any]], bool] | None
_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Telling:
    """The column whose highest and lowest value a chart's caption tells, and what it calls them."""

    column: str
    highest: str = ""
    lowest: str = "lowest"


@dataclass(frozen=True)
class Words:
    """A procedure in plain words.

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
        Chart -> what its caption tells.
    references_when : mapping
        Reference -> (option, values): it counts only when the option had one of these values.
    alone : str
        What its answer is about, for where another result sums it up with more than that: ``By stability alone``.
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
    """What a procedure that needs ``runs`` is given: judgments, runs, and how they are read and matched.

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
    """What several collections have in common: sentences, tables of which finding holds where, and charts of all."""

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
        What its result is called: the stage of a study, the section of a report, the first table.
    function : callable
        The procedure itself.
    result : type of Result
        What it returns.
    words : Words
    needs : tuple of str
        What it is made from: ``scores``, ``sessions`` (the scores with an axis of all iterations, where cells may be
        missing), ``runs`` (`Runs`, to be read again), ``judged`` (the runs as the judgments see them,
        `metameter.scoring.judged_runs.JudgedRuns`), ``pages`` and ``pairs`` (labelled result pages and preferences,
        `metameter.types.Pages`, `Pairs`; where a collection has none, the stage is absent without a word), ``labels``
        (the pages, or the pairs where there are none), or the keys of other procedures' results.
    options : mapping
        The options of a study that concern it, with their bounds; None for options that check themselves.
    place : int, optional
        Its place in the report, small numbers first; without one it is not a stage of a study.
    stage : callable
        What makes the result in a study: takes what it needs and its options by name; by default the function.
    across : callable, optional
        Given its results by collection, says what they have in common.
    before : callable, optional
        Given the names of the metrics and the options of a study, refuses what cannot be done with them, before
        anything is scored.
    wanted : str or callable, optional
        When a study does the stage: where the option of this name is given, or where a function of the stage's options
        (by name, defaults included) says so. Where it is not wanted, it is absent without a word, and so is every
        stage that needs its result. Without it the stage is always done.
    uses : tuple of str
        The keys of other procedures' results that it takes where they were made; where one was not, it is None.
    needs_one : bool
        Do the stage only where at least one of what it uses was made; elsewhere it is absent without a word.
    fewest_systems : int
        With fewer systems its tables and charts say nothing: a report leaves its section out, and says so.
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
    across: Callable[[Mapping[str, Any]], Across] | None
    before: Callable[[tuple[str, ...], Mapping[str, Any]], None] | None = None
    wanted: Wanted = None
    uses: tuple[str, ...] = ()
    needs_one: bool = False
    fewest_systems: int = 0

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the function, annotations evaluated."""
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
        """Parameter -> what the docstring says of it."""
        return parameters(self.function)

    @cached_property
    def _bare(self) -> tuple[inspect.Signature, inspect.Signature]:
        """The signatures of stage and function, annotations as they are written."""
        return inspect.signature(self.stage), inspect.signature(self.function)

    @cached_property
    def _stage_annotations(self) -> dict[str, Any]:
        """The types that the stage's own signature says; none if they cannot be read."""
        with suppress(NameError):
            taken = inspect.signature(self.stage, eval_str=True).parameters
            return {name: each.annotation for name, each in taken.items()}
        return {}

    def default(self, option: str) -> Any:
        """The value of an option that was not given: the default of the stage, or else of the function."""
        taken = (each.parameters.get(option) for each in self._bare)
        defaults = (each.default for each in taken if each is not None)
        return next((each for each in defaults if each is not _EMPTY), _EMPTY)

    def annotation(self, option: str) -> Any:
        """The type of an option: as the stage says, or else the function, or else its default."""
        stage = self._stage_annotations.get(option, _EMPTY)
        if stage is not _EMPTY:
            return stage
        own = self.signature.parameters.get(option)
        if own is not None and own.annotation is not _EMPTY:
            return own.annotation
        default = self.default(option)
        return Any if default is None else type(default)

    def is_wanted(self, options: Mapping[str, Any]) -> bool:
        """Whether a study in which the stage has these options does it at all."""
        if self.wanted is None:
            return True
        return bool(options.get(self.wanted) if isinstance(self.wanted, str) else self.wanted(options))

    def lacks_all(self, made: Collection[str]) -> bool:
        """Whether nothing that it uses was made, one of which it needs."""
        return self.needs_one and not set(self.uses) & set(made)

    def references(self, options: Mapping[str, Any] | None = None) -> list[str]:
        """The papers behind it; given the options of a call, only those that apply to them."""
        given = options or {}
        idle = {key for key, (name, values) in self.words.references_when.items() if given.get(name) not in values}
        return [key for key in references(self.function) if options is None or key not in idle]

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse options that are out of bounds, before anything is computed."""
        for name, bounds in self.options.items():
            choices = get_args(self.annotation(name)) if get_origin(self.annotation(name)) is Literal else ()
            if choices and options.get(name) is not None and options[name] not in choices:
                allowed = ", ".join(map(str, choices))
                fix = f"Set {name} to one of these."
                raise MetameterError(f"there is no such {name}", given=options[name], allowed=allowed, fix=fix)
            if bounds is not None and options.get(name) is not None and not bounds.contain(options[name]):
                fix = f"Give {name} within these bounds."
                raise MetameterError(f"{name} is out of range", given=options[name], allowed=str(bounds), fix=fix)
            check = self.function.checks.get(name)  # type: ignore[attr-defined]
            if check is not None and options.get(name) is not None:
                check(options[name])


def procedure(
    words: Words,
    *,
    result: type[Result],
    needs: tuple[str, ...] = ("scores",),
    options: Mapping[str, Bounds | None] | None = None,
    place: int | None = None,
    key: str | None = None,
    stage: Callable[..., Any] | None = None,
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
        name = function.__name__
        concerned = dict(options or {})
        checking = checks_arguments(function, checks={**CHECKS, **(checks or {})})
        made_by, asked = stage or checking, (before, wanted, uses, needs_one, fewest_systems)
        declared = Procedure(
            name, key or name, checking, result, words, needs, concerned, place, made_by, across, *asked
        )
        check_declaration(declared)
        checking.procedure = declared  # type: ignore[attr-defined]
        return register("meta")(checking)

    return declare
