"""A command from a function: its arguments and options from the signature, their help from the docstring.

Options that many commands share come in groups: frozen dataclasses whose fields are the options. The docstring of the
class is their help, and creating an instance checks their values.

- `metameter.scoring.policy.Policy`: how runs are read and matched with judgments. For functions with a parameter
  ``policy``.
- `metameter.cli.options.Execution`: where the work runs. For functions with a parameter ``jobs``.
- `metameter.cli.options.Unpacking`: how much a file may unpack to. For commands that read files.
- `metameter.cli.options.Output`: how the result is printed and written. For functions that return a result.

Every option is checked once, before anything is read: a group when it is created, the function's own options by
`metameter.arguments.check_arguments`. The function is then called without its own check.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click

from metameter.arguments import check_arguments, unchecked
from metameter.cli.options import (
    Execution,
    Output,
    Unpacking,
    known_tables,
    print_result,
    refuse_unknown_table,
    write_files,
)
from metameter.cli.progress import progress_bar
from metameter.docstrings import lead, parameters
from metameter.parallel import Progress, stage
from metameter.read.files.content import reading_pipes_once
from metameter.read.files.limits import unpacking
from metameter.read.sources import refuse_one_stream_twice
from metameter.scoring.line_files import read_run_names
from metameter.scoring.output_guard import refuse_overwriting
from metameter.scoring.policy import Policy
from metameter.view.chart_options import chart_style
from metameter.view.paths import output_path
from metameter.view.tables.csv import safe_csv

#: Parameters without an option of their own: the command passes ``scores``, ``progress`` and ``default_metric`` itself;
#: option groups cover ``policy`` and ``jobs``.
_NO_OPTIONS = {"scores", "progress", "policy", "jobs", "default_metric"}


def command_of(function: Callable[..., Any], name: str | None = None) -> click.Command:
    """The command for a function: it calls the function with the values that the user typed, and shows the result.

    A parameter ``scores`` becomes the files to read them from; ``progress`` draws bars. A function that returns
    nothing prints its own messages, draws its own bars and takes no output options. An option of the function takes
    precedence over an option for reading of the same name.
    """
    parts = _Parts.of(function)

    def callback(**typed: Any) -> None:
        _run(_Call.of(parts, {name: list(each) if isinstance(each, tuple) else each for name, each in typed.items()}))

    return Command(name, params=parts.params, callback=callback, help=lead(function))


@dataclass(frozen=True)
class _Options:
    """The arguments and options that a command has for a function or an option group."""

    taker: Callable[..., Any]
    params: tuple[click.Parameter, ...]
    defaults: Mapping[str, Any]

    @classmethod
    def of(cls, taker: Callable[..., Any], leave_out: Collection[str] = ()) -> _Options:
        """The options for the parameters of a function, or for the fields of a group, except some."""
        signature, texts = _signature(taker), parameters(taker)
        taken = [
            each
            for each in signature.parameters.values()
            if each.name not in leave_out and each.kind is not each.VAR_KEYWORD
        ]
        defaults = {each.name: each.default for each in taken if each.default is not each.empty}
        return cls(taker, tuple(_parameter(each, texts.get(each.name, "")) for each in taken), defaults)

    def values(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Option -> the value that the user typed, or else the default."""
        own = {each.name: typed[each.name] for each in self.params if each.name is not None}
        return {name: self.defaults.get(name, value) if value in (None, []) else value for name, value in own.items()}

    def group(self, typed: Mapping[str, Any]) -> Any:
        """The option group with the values that the user typed."""
        return self.taker(**self.values(typed))


@dataclass(frozen=True)
class _Parts:
    """The options of a command by where they come from; None for a source that the command does not have.

    Attributes
    ----------
    own : _Options
        The options of its function.
    reading : _Options, optional
        The options of the function that reads the scores for it.
    policy, execution, unpacking, output : _Options, optional
        The options of the groups.
    """

    own: _Options
    reading: _Options | None
    policy: _Options | None
    execution: _Options | None
    unpacking: _Options | None
    output: _Options | None

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _Parts:
        """The parts of the command for a function."""
        signature, declared = _signature(function), getattr(function, "procedure", None)
        own = _Options.of(function, _NO_OPTIONS | (declared.study_parameters if declared else set()))
        names = {each.name for each in own.params if each.name is not None}
        reader = _reader(signature)
        reads_runs = reader is not None or "policy" in signature.parameters
        # A function's own `out` replaces that of `Output`; if it writes a single file, there are no charts either.
        charts = {"figures", "title", "width"} if "out" in names and "figures" not in names else set()
        return cls(
            own=own,
            reading=_Options.of(reader, _NO_OPTIONS | names) if reader else None,
            policy=_Options.of(Policy, names) if reads_runs else None,
            execution=_Options.of(Execution) if "jobs" in signature.parameters else None,
            unpacking=_Options.of(Unpacking) if reader or any(map(_is_file, own.params)) else None,
            output=_Options.of(Output, names | charts) if signature.return_annotation is not None else None,
        )

    @property
    def params(self) -> list[click.Parameter]:
        """The arguments and options in the order of the help."""
        first = (self.reading, self.policy, self.own) if self.reading else (self.own, self.policy)
        parts = (*first, self.execution, self.unpacking, self.output)
        return [each for part in parts if part is not None for each in part.params]


@dataclass(frozen=True)
class _Call:
    """One call of a command: the values of all options, checked; `Policy` is created, and checked, when it runs."""

    function: Callable[..., Any]
    own: dict[str, Any]
    reader: Callable[..., Any] | None
    reading: dict[str, Any]
    policy: dict[str, Any] | None
    execution: Execution | None
    unpacking: Unpacking
    output: Output | None

    @classmethod
    def of(cls, parts: _Parts, typed: Mapping[str, Any]) -> _Call:
        """The call that a user typed; values that would fail after the work are refused here."""
        call = cls(
            function=parts.own.taker,
            own=parts.own.values(typed),
            reader=parts.reading.taker if parts.reading else None,
            reading=parts.reading.values(typed) if parts.reading else {},
            policy=parts.policy.values(typed) if parts.policy else None,
            execution=parts.execution.group(typed) if parts.execution else None,
            unpacking=parts.unpacking.group(typed) if parts.unpacking else Unpacking(),
            output=parts.output.group(typed) if parts.output else None,
        )
        check_arguments(call.function, call.own)
        if call.reader is not None:
            check_arguments(call.reader, call.reading)
        tables = known_tables(_signature(call.function).return_annotation)
        if call.output is not None:
            refuse_unknown_table(call.output.table, tables)
        inputs = {**call.reading, **(call.policy or {}), **call.own}
        # A function's own `out` is an output path, not an input.
        out = inputs.pop("out") if "out" in inputs else call.output.out if call.output else None
        if out is not None:
            refuse_overwriting(output_path(out), inputs.values(), tables)
        refuse_one_stream_twice(*inputs.values())
        return call


def _run(call: _Call) -> None:
    output = call.output or Output()
    with safe_csv(output.safe_csv), chart_style(title=output.title, width=output.width):
        if call.output is None:
            _result(call, None)
            return
        with progress_bar(_name(call.function)) as progress:
            result = _result(call, progress)
            write_files(result, call.output, progress)
        print_result(result, call.output)


def _result(call: _Call, progress: Progress | None) -> Any:
    """Read the scores that the function takes, and call it; one block, so that a pipe can be read twice."""
    with unpacking(call.unpacking.unpack_limit), reading_pipes_once():
        policy = None if call.policy is None else _policy(call.policy)
        with call.execution.workers() if call.execution else nullcontext() as jobs:
            taken = _signature(call.function).parameters
            arguments = {**call.own, "jobs": jobs, "progress": progress, "policy": policy}
            if call.reader is not None and policy is not None:
                _refuse_before_scoring(call, policy)
                declared = getattr(call.function, "procedure", None)
                default = {"default_metric": True} if declared is not None and declared.default_metric else {}
                with stage(progress, "scores") as reading_progress:
                    arguments["scores"] = call.reader(
                        **call.reading, **default, policy=policy, jobs=jobs, progress=reading_progress
                    )
            return unchecked(call.function)(
                **{name: value for name, value in arguments.items() if name in taken or name in call.own}
            )


def _policy(values: Mapping[str, Any]) -> Policy:
    """The policy; on the command line ``contributing`` is a file with the names of runs."""
    file = values["contributing"]
    return Policy(**{**values, "contributing": None if file is None else read_run_names(file)})


def _refuse_before_scoring(call: _Call, policy: Policy) -> None:
    """Let a procedure refuse its options before its metrics are scored, such as a reference that is not scored."""
    declared = getattr(call.function, "procedure", None)
    metrics, preset = call.reading["metrics"], call.reading["preset"]
    if declared is None or declared.before is None or not (metrics or preset):
        return
    from metameter.judge.faceted import Faceted
    from metameter.scoring.measures import measures_of

    measures = measures_of(metrics, preset, condensed=policy.condensed, evidence=Faceted)
    declared.before(tuple(measure.name for measure in measures), call.own)


def _name(function: Callable[..., Any]) -> str:
    """The name of a command: that of its function, or of its module in `cli/commands`."""
    return function.__module__.rpartition(".")[2] if function.__name__ == "command" else function.__name__


def _is_file(each: click.Parameter) -> bool:
    """Whether a parameter names files to read; in `simulate`, such names are numbers of things to simulate."""
    return each.name in _SPELLINGS and _SPELLINGS[each.name].reads_files and each.type is click.STRING


def _reader(signature: inspect.Signature) -> Callable[..., Any] | None:
    """The function that reads the scores for another: of one collection, or of several with all iterations."""
    taken = signature.parameters.get("scores")
    if taken is None:
        return None
    # Imported here, since a command that scores runs reads no scores.
    from metameter.cli.inputs import collections_from, scores_from
    from metameter.meta.collections import Collections

    return collections_from if taken.annotation == Collections else scores_from


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature, with a parameter ``policy`` where a function takes the options of `Policy` one by one."""
    inner = inspect.signature(unchecked(function), eval_str=True)
    return inner if "policy" in inner.parameters else inspect.signature(function, eval_str=True)


@dataclass(frozen=True)
class _Spelling:
    """How the command line spells a parameter, where its name and its annotation do not decide that.

    Attributes
    ----------
    metavar : str
        How usage names a positional argument; dots stand for one or more.
    flags : tuple of str
        By default the name with hyphens.
    kind : type, optional
        The type on the command line of a parameter that takes more in Python, such as lists or data frames.
    reads_files : bool
        Whether it names files to read.
    note : str
        What the help adds to the docstring.
    """

    metavar: str = ""
    flags: tuple[str, ...] = ()
    kind: Any = None
    reads_files: bool = False
    note: str = ""


_SPELLINGS = {
    "complex": _Spelling(kind=str),
    "contributing": _Spelling(kind=str, note="Give a file with their names or paths, one per line."),
    "costs": _Spelling(kind=str),
    "folder": _Spelling("FOLDER", reads_files=True),
    "gains": _Spelling(kind=str),
    "inputs": _Spelling("INPUT...", reads_files=True),
    "iterations": _Spelling(kind=str),
    "metric": _Spelling("EXPR", ("-m", "--metric"), str),
    "metrics": _Spelling(flags=("-m", "--metric"), kind=list[str], note="Commas separate several."),
    "name": _Spelling("NAME"),
    "out": _Spelling("OUT"),
    "pairs": _Spelling("PAIRS...", kind=list[str], reads_files=True),
    "preset": _Spelling(kind=list[str]),
    "qrels": _Spelling("QRELS", kind=str, reads_files=True),
    "run": _Spelling(kind=str),
    "runs": _Spelling("RUN..."),
    "serps": _Spelling("SERPS...", kind=list[str], reads_files=True),
    "simple": _Spelling(kind=list[str]),
    "truth": _Spelling("TRUTH", reads_files=True),
    "unpack_limit": _Spelling(kind=str),
    "weights": _Spelling(kind=str),
}
_PLAIN = (str, int, float, bool)


def _parameter(each: inspect.Parameter, text: str) -> click.Parameter:
    """The argument or option for a parameter; ``text`` is its help.

    Examples
    --------
    >>> def f(qrels: str, *, metrics: list[str] = ()): ...
    >>> qrels, metrics = inspect.signature(f, eval_str=True).parameters.values()
    >>> _parameter(qrels, "Judgments."), _parameter(metrics, "A metric.").opts
    (<Argument qrels>, ['-m', '--metric'])
    """
    required, spelling = each.default is inspect.Parameter.empty, _SPELLINGS.get(each.name, _Spelling())
    text = text.replace("``", "")  # a terminal shows no typewriter type
    if spelling.metavar and each.kind is not inspect.Parameter.KEYWORD_ONLY:
        nargs = -1 if spelling.metavar.endswith("...") else 1
        return Argument([each.name], metavar=spelling.metavar, nargs=nargs, type=str, required=required, text=text)
    kind = _type(each, spelling)
    if spelling.note and kind in (str, list[str]):
        text = f"{text} {spelling.note}"
    flags = spelling.flags or (f"--{each.name.replace('_', '-')}",)
    default = None if required or each.default in (None, (), []) else each.default
    return click.Option(
        (each.name, *flags),
        type=click.Choice(get_args(kind)) if get_origin(kind) is Literal else str if kind == list[str] else kind,
        multiple=kind == list[str],
        is_flag=kind is bool,
        required=required,
        default=default,
        help=text,
        show_default=default is not None and default is not False,
    )


def _type(each: inspect.Parameter, spelling: _Spelling) -> Any:
    """The type on the command line: a plain type, a choice (Literal), or a list of texts for a repeatable option."""
    union = get_args(each.annotation) if get_origin(each.annotation) in (Union, UnionType) else (each.annotation,)
    kinds = [kind for kind in union if kind is not type(None)]
    # An annotation with one plain type, with or without None, is the type on the command line too.
    if len(kinds) == 1 and (kinds[0] in _PLAIN or get_origin(kinds[0]) is Literal):
        return kinds[0]
    several = any(get_origin(kind) in (list, Sequence) and get_args(kind) == (str,) for kind in kinds)
    return spelling.kind or (list[str] if several else str)


class Argument(click.Argument):
    """A positional argument with a help text."""

    def __init__(self, *names: Any, text: str, **options: Any) -> None:
        super().__init__(*names, **options)
        self.text = text

    def make_metavar(self, ctx: click.Context | None = None) -> str:
        """The name in the usage line, in brackets if the argument is optional."""
        name = self.metavar or self.human_readable_name
        return name if self.required else f"[{name}]"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The entry in the list of arguments."""
        return self.metavar or self.human_readable_name, self.text


class Command(click.Command):
    """A command whose help lists its arguments above its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both lists."""
        for title, kind in (("Arguments", Argument), ("Options", click.Option)):
            of_kind = (each.get_help_record(ctx) for each in self.get_params(ctx) if isinstance(each, kind))
            if lines := [line for line in of_kind if line is not None]:
                with formatter.section(title):
                    formatter.write_dl(lines)
