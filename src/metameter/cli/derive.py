"""A command from a function: its arguments and options from the signature, their help from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import typer

from metameter.cli.inputs import scores_from
from metameter.cli.output import Output, write_and_print
from metameter.cli.progress import progress_bar
from metameter.docstrings import lead, parameters
from metameter.read.run_names import read_run_names
from metameter.scoring.takes_policy import POLICY_OPTIONS

__all__ = ["command_of"]

# What a function takes by position: argument name -> how the command line spells it.
_INPUTS = {
    "qrels": ("QRELS", str),
    "truth": ("TRUTH", str),
    "runs": ("RUN...", list[str]),
    "inputs": ("INPUT...", list[str]),
    "out": ("OUT", str),
    "metric": ("EXPR", str),
    "name": ("NAME", str),
    "folder": ("FOLDER", str),
}
_SHORT = {"metrics": ("-m", "--metric"), "metric": ("-m", "--metric")}
# Options that take more in Python (lists, data frames, workers): what a word on the command line is for them.
_WORDS: dict[str, Any] = {
    "contributing": str | None,
    "costs": str | None,
    "gains": str | None,
    "jobs": int | None,
    "metric": str,
    "metrics": list[str],
    "preset": list[str],
    "qrels": str | None,
    "run": str | None,
}
# An option whose word names a file: what is read from it, and what its help says besides.
_FILES = {"contributing": read_run_names}
_FILE_HELP = {"contributing": "Give a file with their names or paths, one per line."}


def command_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function as a command: it is called with what the user gave, and its result is shown or written.

    A parameter ``scores`` becomes the files to read them from; ``progress`` draws a bar. A function that returns
    nothing prints its own messages and takes no output options.
    """
    signature = inspect.signature(function, eval_str=True)
    from_files = "scores" in signature.parameters
    mine = _parameters(function, leave_out={"scores", "progress"})
    reading = _parameters(scores_from, leave_out={"progress", "jobs"}) if from_files else []
    answers = signature.return_annotation is not None
    # A command with an option of its own for where it writes has no second one.
    written = {each.name for each in mine}
    shows = _parameters(Output, leave_out=written | ({"figures"} if "out" in written else set())) if answers else []

    def command(**given: Any) -> None:
        words = {kind: {each.name: given[each.name] for each in part} for kind, part in parts.items()}
        # Before the work, not after it: what cannot be shown need not be computed.
        output = Output(**words["output"]) if answers else None
        read, own = _from_files(words["read"]), _from_files(words["own"])
        with progress_bar(from_files or "progress" in signature.parameters) as progress:
            if from_files:
                own["scores"] = scores_from(**read, jobs=own.get("jobs"), progress=progress)
            if "progress" in signature.parameters:
                own["progress"] = progress
            result = function(**own)
        if output is not None:
            write_and_print(result, output)

    parts = {"read": reading, "own": mine, "output": shows}
    every = [*reading, *mine, *shows]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in every}
    command.__doc__ = lead(function)
    return command


def _from_files(words: dict[str, Any]) -> dict[str, Any]:
    """The words of the user; where a word names a file, what is read from it."""
    if not _reads_runs(words):
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
    default = [] if annotation == list[str] and not each.default else each.default
    # A list without a default prints as [] in the help, which tells nobody anything.
    choice = typer.Option(
        ... if required else default, *flags, help=text, show_default=default not in ([], None, False)
    )
    return each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=choice)


def _word(each: inspect.Parameter) -> Any:
    """The type of the word that a user gives for a parameter."""
    if not _takes_more(each):
        return each.annotation
    return _WORDS.get(each.name, str | None if each.annotation is Any else each.annotation)


def _takes_more(each: inspect.Parameter) -> bool:
    """Whether the annotation is for Python rather than for a word on the command line."""
    simple = (str, int, float, bool, type(None))
    kinds = get_args(each.annotation) if isinstance(each.annotation, UnionType) else (each.annotation,)
    return not all(kind in simple or get_origin(kind) is Literal for kind in kinds)
