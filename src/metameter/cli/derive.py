"""A command from a function: its arguments and options from the signature, their help from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import typer

from metameter.arguments import check_arguments
from metameter.cli.engine import working
from metameter.cli.inputs import collections_from, scores_from
from metameter.cli.output import Output, known_tables, refuse_unknown_table, write_and_print
from metameter.cli.progress import progress_bar
from metameter.docstrings import lead, parameters
from metameter.parallel import Workers
from metameter.read.overwriting import refuse_overwriting
from metameter.read.run_names import read_run_names
from metameter.read.scores import Collections
from metameter.read.sources import refuse_one_stream_twice
from metameter.read.stored import reading_pipes_once
from metameter.read.unpack_limit import unpacking
from metameter.scoring.takes_policy import POLICY_OPTIONS
from metameter.view.places import place_for
from metameter.view.safe_cells import safe_csv

__all__ = ["command_of"]

# What a function takes by position: argument name -> how the command line spells it.
_INPUTS = {
    "qrels": ("QRELS", str),
    "truth": ("TRUTH", str),
    "runs": ("RUN...", list[str]),
    "inputs": ("INPUT...", list[str]),
    "serps": ("SERPS...", list[str]),
    "pairs": ("PAIRS...", list[str]),
    "out": ("OUT", str),
    "metric": ("EXPR", str),
    "name": ("NAME", str),
    "folder": ("FOLDER", str),
}
# What is read from files; tables of scores are, too.
_READ = {"qrels", "truth", "inputs", "serps", "pairs"}
_SHORT = {"metrics": ("-m", "--metric"), "metric": ("-m", "--metric")}
# Options that take more in Python (lists, data frames, workers): what a word on the command line is for them.
_WORDS: dict[str, Any] = {
    "complex": str | None,
    "contributing": str | None,
    "costs": str | None,
    "gains": str | None,
    "iterations": str | None,
    "jobs": int | None,
    "metric": str,
    "metrics": list[str],
    "pairs": list[str],
    "preset": list[str],
    "qrels": str | None,
    "run": str | None,
    "serps": list[str],
    "simple": list[str],
    "unpack_limit": str,
    "weights": str | None,
}
_PLAIN = (str, int, float, bool, type(None))
# An option whose word names a file: what is read from it, and what its help says besides.
_FILES = {"contributing": read_run_names}
_FILE_HELP = {"contributing": "Give a file with their names or paths, one per line."}


def command_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function as a command: it is called with what the user gave, and its result is shown or written.

    A parameter ``scores`` becomes the files to read them from; ``progress`` draws a bar. A function that returns
    nothing prints its own messages and takes no output options. Where a function has an option by a name that reading
    has, too, the name means the function's.
    """
    signature = inspect.signature(function, eval_str=True)
    reader = _reader(signature)
    mine = _parameters(function, leave_out={"scores", "progress"})
    own_names = {each.name for each in mine}
    reading = _parameters(reader, leave_out={"progress", "jobs", *own_names}) if reader else []
    files = _parameters(unpacking, leave_out=set()) if reader or any(map(_is_read, mine)) else []
    where = _parameters(working, leave_out={"jobs"}) if "jobs" in own_names else []
    unsaid = (_defaults(reader) if reader else {}) | _defaults(function)
    answers = signature.return_annotation is not None
    # A command with an option of its own for where it writes has no second one.
    shows = _parameters(Output, leave_out=own_names | ({"figures"} if "out" in own_names else set())) if answers else []

    def command(**given: Any) -> None:
        said = {name: unsaid.get(name, word) if word in (None, []) else word for name, word in given.items()}
        words = {kind: {each.name: said[each.name] for each in part} for kind, part in parts.items()}
        # Before the work, not after it: what cannot be shown need not be computed.
        output = Output(**words["output"]) if answers else None
        _refuse_before_work(function, words, said.get("out"), output)
        with safe_csv(output is not None and output.safe_csv):
            result = _result(function, reader, words)
            if output is not None:
                write_and_print(result, output)

    parts = {"read": reading, "own": mine, "where": where, "files": files, "output": shows}
    every = [each for part in parts.values() for each in part]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in every}
    command.__doc__ = lead(function)
    return command


def _refuse_before_work(function: Callable[..., Any], words: dict[str, Any], out: Any, output: Output | None) -> None:
    """Refuse what would be refused only after the work: a table or a place that is none, an option out of range."""
    tables = known_tables(inspect.signature(function, eval_str=True).return_annotation)
    if output is not None:
        refuse_unknown_table(output.table, tables)
    if out is not None:
        # Some commands have the place as an option of their own, which makes it no input.
        inputs = [word for name, word in (words["read"] | words["own"]).items() if name != "out"]
        refuse_overwriting(place_for(out), inputs, tables)
    check_arguments(function, words["own"])
    Workers.of(words["own"].get("jobs"))
    refuse_one_stream_twice(*words["own"].values(), *words["read"].values())


def _result(function: Callable[..., Any], reader: Callable[..., Any] | None, words: dict[str, Any]) -> Any:
    """Read what the function takes, and call it; within one block, so that a pipe that is asked for twice is kept."""
    bar = "progress" in inspect.signature(function).parameters
    with (
        working(words["own"].get("jobs"), **words["where"]) as jobs,
        unpacking(**words["files"]),
        reading_pipes_once(),
        progress_bar(reader is not None or bar) as progress,
    ):
        own = _from_files(function, words["own"])
        own |= {"jobs": jobs} if "jobs" in own else {}
        if reader is not None:
            own["scores"] = reader(**_from_files(reader, words["read"]), jobs=jobs, progress=progress)
        if bar:
            own["progress"] = progress
        return function(**own)


def _is_read(each: inspect.Parameter) -> bool:
    """Whether a parameter names files to read: the same word may count what is to be made."""
    return each.name in _READ and each.annotation in (str, str | None, list[str])


def _reader(signature: inspect.Signature) -> Callable[..., Any] | None:
    """What reads the scores that a function takes: those of one collection, or of several with all iterations."""
    taken = signature.parameters.get("scores")
    if taken is None:
        return None
    return collections_from if taken.annotation == Collections else scores_from


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """What a function takes where the user says nothing."""
    taken = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in taken if each.default is not inspect.Parameter.empty}


def _from_files(function: Callable[..., Any], words: dict[str, Any]) -> dict[str, Any]:
    """The words of the user; where a word names a file, what is read from it."""
    if not _reads_runs(inspect.signature(function).parameters):
        return words
    named = {name: read(words[name]) for name, read in _FILES.items() if words[name] is not None}
    return words | named


def _reads_runs(names: Iterable[str]) -> bool:
    """Whether these are the options of a command that reads runs: elsewhere the same words mean something else."""
    return set(POLICY_OPTIONS) <= set(names)


def _parameters(function: Callable[..., Any], leave_out: set[str]) -> list[inspect.Parameter]:
    signature = inspect.signature(function, eval_str=True)
    texts = parameters(function)
    if _reads_runs(signature.parameters):
        texts |= {name: f"{texts[name]} {more}" for name, more in _FILE_HELP.items()}
    return [
        # A terminal shows no typewriter type.
        _parameter(each, texts.get(each.name, "").replace("``", ""))
        for each in signature.parameters.values()
        if each.name not in leave_out and each.kind is not inspect.Parameter.VAR_KEYWORD
    ]


def _parameter(each: inspect.Parameter, text: str) -> inspect.Parameter:
    required = each.default is inspect.Parameter.empty
    if each.name in _INPUTS and each.kind is not inspect.Parameter.KEYWORD_ONLY:
        metavar, kind = _INPUTS[each.name]
        argument = typer.Argument(... if required else each.default, metavar=metavar, help=text, show_default=False)
        annotation = kind if required else kind | None
        return each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=argument)
    annotation = _word(each)
    flags = _SHORT.get(each.name, (f"--{each.name.replace('_', '-')}",))
    nothing: Any = [] if annotation == list[str] else None
    default = nothing if each.default in (None, (), []) else each.default
    # A list without a default prints as [] in the help, which tells nobody anything.
    choice = typer.Option(
        ... if required else default, *flags, help=text, show_default=default not in ([], None, False)
    )
    return each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=choice)


def _word(each: inspect.Parameter) -> Any:
    """The type of the word that a user gives for a parameter."""
    kinds = get_args(each.annotation) if isinstance(each.annotation, UnionType) else (each.annotation,)
    # Whether the annotation is for a word on the command line rather than for Python: of one kind, or left out.
    one = sum(kind is not type(None) for kind in kinds) == 1
    if one and all(kind in _PLAIN or get_origin(kind) is Literal for kind in kinds):
        return each.annotation
    # What may be several texts is an option that may be repeated.
    several = any(get_origin(kind) in (list, Sequence) and get_args(kind) == (str,) for kind in kinds)
    word = list[str] if several else str | None if each.annotation is Any else each.annotation
    return _WORDS.get(each.name, word)
