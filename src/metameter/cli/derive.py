"""A command from a function: its arguments and options from the signature, their help from the docstring.

Options that many commands share come in groups: frozen dataclasses whose fields are the options and that check
themselves when they are made. Their help is the docstring of the class.

- `metameter.scoring.policy.Policy`: how runs are read and meet judgments. For functions with a parameter ``policy``.
- `metameter.cli.execution.Execution`: where the work runs. For functions with a parameter ``jobs``.
- `metameter.cli.execution.Unpacking`: how much a file may unpack to. For commands that read files.
- `metameter.cli.output.Output`: how the result is printed and written. For functions that return a result.

Every option is checked once, before anything is read: a group when it is made, the function's own options by
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
from metameter.cli.execution import Execution, Unpacking
from metameter.cli.output import Output, known_tables, print_result, refuse_unknown_table, write_files
from metameter.cli.progress import progress_bar
from metameter.docstrings import lead, parameters
from metameter.parallel import Progress, stage
from metameter.read.files.content import reading_pipes_once
from metameter.read.files.limits import unpacking
from metameter.read.line_files import read_run_names
from metameter.read.sources import refuse_one_stream_twice
from metameter.scoring.output_guard import refuse_overwriting
from metameter.scoring.policy import Policy
from metameter.view.chart_options import chart_style
from metameter.view.paths import place_for
from metameter.view.tables.csv import safe_csv

#: Parameters that name files to read.
_FILES = {"qrels", "truth", "inputs", "serps", "pairs", "folder"}
#: Parameters that are no options: a command reads the scores and draws the progress itself.
_NO_OPTIONS = {"scores", "progress", "policy", "jobs"}


def command_of(function: Callable[..., Any], name: str | None = None) -> click.Command:
    """The command for a function: it calls the function with what the user typed, and shows or writes its result.

    A parameter ``scores`` becomes the files to read them from; ``progress`` draws bars. A function that returns
    nothing prints its own messages, draws its own bars and takes no output options. Where a function has an option of
    the same name as one of reading, the name means the function's.
    """
    parts = _Parts.of(function)

    def callback(**words: Any) -> None:
        _run(_Call.of(parts, {name: list(word) if isinstance(word, tuple) else word for name, word in words.items()}))

    return Command(name, params=parts.params, callback=callback, help=lead(function))


@dataclass(frozen=True)
class _Options:
    """The arguments and options that a command has for a function or an option group."""

    taker: Callable[..., Any]
    params: tuple[click.Parameter, ...]
    defaults: Mapping[str, Any]

    @classmethod
    def of(cls, taker: Callable[..., Any], leave_out: Collection[str] = ()) -> _Options:
        """Those of all parameters of a function, or of all fields of a group, except some."""
        signature, texts = _signature(taker), parameters(taker)
        taken = [
            each
            for each in signature.parameters.values()
            if each.name not in leave_out and each.kind is not each.VAR_KEYWORD
        ]
        defaults = {each.name: each.default for each in taken if each.default is not each.empty}
        return cls(taker, tuple(_parameter(each, texts.get(each.name, "")) for each in taken), defaults)

    def values(self, words: Mapping[str, Any]) -> dict[str, Any]:
        """The values by name: what the user typed, or else the defaults."""
        typed = {each.name: words[each.name] for each in self.params if each.name is not None}
        return {name: self.defaults.get(name, word) if word in (None, []) else word for name, word in typed.items()}

    def group(self, words: Mapping[str, Any]) -> Any:
        """The option group with the values that the user typed."""
        return self.taker(**self.values(words))


@dataclass(frozen=True)
class _Parts:
    """What a command is made of; a part that it does not have is None.

    Attributes
    ----------
    own : _Options
        Those of its function.
    reading : _Options, optional
        Those of the function that reads the scores for it.
    policy, execution, unpacking, output : _Options, optional
        Those of the option groups.
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
        # A command with an option of its own for where it writes has no second one; one that writes a single file has
        # no charts.
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
    """One call of a command: the values of all options, checked except for those of `Policy`."""

    function: Callable[..., Any]
    own: dict[str, Any]
    reader: Callable[..., Any] | None
    reading: dict[str, Any]
    policy: dict[str, Any] | None
    execution: Execution | None
    unpacking: Unpacking
    output: Output | None

    @classmethod
    def of(cls, parts: _Parts, words: Mapping[str, Any]) -> _Call:
        """The call that a user typed, or a refusal of what would be refused only after the work."""
        call = cls(
            function=parts.own.taker,
            own=parts.own.values(words),
            reader=parts.reading.taker if parts.reading else None,
            reading=parts.reading.values(words) if parts.reading else {},
            policy=parts.policy.values(words) if parts.policy else None,
            execution=parts.execution.group(words) if parts.execution else None,
            unpacking=parts.unpacking.group(words) if parts.unpacking else Unpacking(),
            output=parts.output.group(words) if parts.output else None,
        )
        check_arguments(call.function, call.own)
        if call.reader is not None:
            check_arguments(call.reader, call.reading)
        tables = known_tables(_signature(call.function).return_annotation)
        if call.output is not None:
            refuse_unknown_table(call.output.table, tables)
        inputs = {**call.reading, **(call.policy or {}), **call.own}
        # Some commands have the place to write to as an option of their own, which makes it no input.
        out = inputs.pop("out") if "out" in inputs else call.output.out if call.output else None
        if out is not None:
            refuse_overwriting(place_for(out), inputs.values(), tables)
        refuse_one_stream_twice(*inputs.values())
        return call


def _run(call: _Call) -> None:
    shown = call.output or Output()
    with safe_csv(shown.safe_csv), chart_style(title=shown.title, width=shown.width):
        if call.output is None:
            _result(call, None)
            return
        with progress_bar(_name(call.function)) as progress:
            result = _result(call, progress)
            write_files(result, call.output, progress)
        print_result(result, call.output)


def _result(call: _Call, progress: Progress | None) -> Any:
    """Read what the function takes, and call it; within one block, so that a pipe that is read twice is kept."""
    with unpacking(call.unpacking.unpack_limit), reading_pipes_once():
        policy = None if call.policy is None else _policy(call.policy)
        with call.execution.workers() if call.execution else nullcontext() as jobs:
            taken = _signature(call.function).parameters
            arguments = {**call.own, "jobs": jobs, "progress": progress, "policy": policy}
            if call.reader is not None and policy is not None:
                _refuse_before_scoring(call, policy)
                with stage(progress, "scores") as told:
                    arguments["scores"] = call.reader(**call.reading, policy=policy, jobs=jobs, progress=told)
            return unchecked(call.function)(
                **{name: value for name, value in arguments.items() if name in taken or name in call.own}
            )


def _policy(values: Mapping[str, Any]) -> Policy:
    """The policy; ``contributing`` names a file with the names of runs."""
    file = values["contributing"]
    return Policy(**{**values, "contributing": None if file is None else read_run_names(file)})


def _refuse_before_scoring(call: _Call, policy: Policy) -> None:
    """Refuse what a procedure would refuse of the metrics that are to be scored for it, such as a reference."""
    declared = getattr(call.function, "procedure", None)
    metrics, preset = call.reading["metrics"], call.reading["preset"]
    if declared is None or declared.before is None or not (metrics or preset):
        return
    from metameter.judge.faceted import Faceted
    from metameter.scoring.measures import measures_of

    measures = measures_of(metrics, preset, condensed=policy.condensed, evidence=Faceted)
    declared.before(tuple(measure.name for measure in measures), call.own)


def _name(function: Callable[..., Any]) -> str:
    """What a command is called: as its function, or as its module in `cli/commands`."""
    return function.__module__.rpartition(".")[2] if function.__name__ == "command" else function.__name__


def _is_file(each: click.Parameter) -> bool:
    """Whether a parameter names files to read; of another type it is a number of what is to be made."""
    return each.name in _FILES and each.type is click.STRING


def _reader(signature: inspect.Signature) -> Callable[..., Any] | None:
    """What reads the scores that a function takes: those of one collection, or of several with all iterations."""
    taken = signature.parameters.get("scores")
    if taken is None:
        return None
    # Of what procedures alone have: a command that scores runs reads no scores.
    from metameter.cli.inputs import collections_from, scores_from
    from metameter.meta.collections import Collections

    return collections_from if taken.annotation == Collections else scores_from


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature, with a parameter ``policy`` where a function takes the options of `Policy` one by one."""
    inner = inspect.signature(unchecked(function), eval_str=True)
    return inner if "policy" in inner.parameters else inspect.signature(function, eval_str=True)


# What a function takes by position: argument name -> how the command line spells it; dots stand for one or more.
_METAVARS = {
    "qrels": "QRELS",
    "truth": "TRUTH",
    "runs": "RUN...",
    "inputs": "INPUT...",
    "serps": "SERPS...",
    "pairs": "PAIRS...",
    "out": "OUT",
    "metric": "EXPR",
    "name": "NAME",
    "folder": "FOLDER",
}
_FLAGS = {"metrics": ("-m", "--metric"), "metric": ("-m", "--metric")}
# Options that take more in Python (lists, data frames): their type on the command line.
_TYPES: dict[str, Any] = {
    "complex": str,
    "contributing": str,
    "costs": str,
    "gains": str,
    "iterations": str,
    "metric": str,
    "metrics": list[str],
    "pairs": list[str],
    "preset": list[str],
    "qrels": str,
    "run": str,
    "serps": list[str],
    "simple": list[str],
    "unpack_limit": str,
    "weights": str,
}
_PLAIN = (str, int, float, bool)
#: Option -> what its help says besides where a text on the command line names a file.
_FILE_HELP = {"contributing": "Give a file with their names or paths, one per line."}


def _parameter(each: inspect.Parameter, text: str) -> click.Parameter:
    """The argument or option for a parameter; ``text`` is its help.

    Examples
    --------
    >>> def f(qrels: str, *, metrics: list[str] = ()): ...
    >>> qrels, metrics = inspect.signature(f, eval_str=True).parameters.values()
    >>> _parameter(qrels, "Judgments."), _parameter(metrics, "A metric.").opts
    (<Argument qrels>, ['-m', '--metric'])
    """
    required = each.default is inspect.Parameter.empty
    text = text.replace("``", "")  # a terminal shows no typewriter type
    if each.name in _METAVARS and each.kind is not inspect.Parameter.KEYWORD_ONLY:
        metavar = _METAVARS[each.name]
        nargs = -1 if metavar.endswith("...") else 1
        return Argument([each.name], metavar=metavar, nargs=nargs, type=str, required=required, text=text)
    kind = _type(each)
    if each.name in _FILE_HELP and kind is str:
        text = f"{text} {_FILE_HELP[each.name]}"
    flags = _FLAGS.get(each.name, (f"--{each.name.replace('_', '-')}",))
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


def _type(each: inspect.Parameter) -> Any:
    """The type on the command line: a plain one, a choice (Literal), or a list of texts where it may be repeated."""
    union = get_args(each.annotation) if get_origin(each.annotation) in (Union, UnionType) else (each.annotation,)
    kinds = [kind for kind in union if kind is not type(None)]
    # An annotation of one plain type, or of that and None, is the type on the command line, too.
    if len(kinds) == 1 and (kinds[0] in _PLAIN or get_origin(kinds[0]) is Literal):
        return kinds[0]
    several = any(get_origin(kind) in (list, Sequence) and get_args(kind) == (str,) for kind in kinds)
    return _TYPES.get(each.name, list[str] if several else str)


class Argument(click.Argument):
    """A positional argument with a help text."""

    def __init__(self, *names: Any, text: str, **options: Any) -> None:
        super().__init__(*names, **options)
        self.text = text

    def make_metavar(self, ctx: click.Context | None = None) -> str:
        """Its name in the line of usage: in brackets where it may be left out."""
        name = self.metavar or self.human_readable_name
        return name if self.required else f"[{name}]"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Its line in the list of arguments."""
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
