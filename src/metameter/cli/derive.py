"""A command from a function: its arguments and options from the signature, their help from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from metameter.cli.inputs import scores_from
from metameter.cli.output import Output, deliver
from metameter.cli.progress import shown
from metameter.docstrings import lead, parameters

__all__ = ["command_of"]

# What a function takes by position: argument name -> how the command line spells it.
_INPUTS = {
    "qrels": ("QRELS", str),
    "runs": ("RUN...", list[str]),
    "inputs": ("INPUT...", list[str]),
    "out": ("OUT", str),
    "metric": ("EXPR", str),
    "name": ("NAME", str),
    "folder": ("FOLDER", str),
}
_SHORT = {"metrics": ("-m", "--metric"), "metric": ("-m", "--metric")}


def command_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function as a command: it is called with what the user gave, and its result is shown or written.

    A parameter ``scores`` becomes the files to read them from; ``progress`` draws a bar. A function that returns
    nothing has done its own talking and takes no output options.
    """
    signature = inspect.signature(function, eval_str=True)
    from_files = "scores" in signature.parameters
    own = _parameters(function, leave_out={"scores", "progress"})
    read = _parameters(scores_from, leave_out={"progress", "jobs"}) if from_files else []
    answers = signature.return_annotation is not None
    # A command that has its own word on where it writes, and what, is not asked a second time.
    written = {each.name for each in own}
    shows = _parameters(Output, leave_out=written | ({"figures"} if "out" in written else set())) if answers else []

    def command(**given: Any) -> None:
        asked = {kind: {each.name: given[each.name] for each in part} for kind, part in parts.items()}
        # Before the work, not after it: what cannot be shown need not be computed.
        output = Output(**asked["output"]) if answers else None
        with shown(from_files or "progress" in signature.parameters) as progress:
            if from_files:
                scores = scores_from(**asked["read"], jobs=asked["own"].get("jobs"), progress=progress)
                asked["own"]["scores"] = scores
            if "progress" in signature.parameters:
                asked["own"]["progress"] = progress
            result = function(**asked["own"])
        if output is not None:
            deliver(result, output)

    parts = {"read": read, "own": own, "output": shows}
    every = [*read, *own, *shows]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in every}
    # What stands above the first section (Parameters, Examples, ...) is for everyone.
    command.__doc__ = lead(function)
    return command


def _parameters(function: Callable[..., Any], leave_out: set[str]) -> list[inspect.Parameter]:
    texts = parameters(function)
    signature = inspect.signature(function, eval_str=True)
    return [
        _parameter(each, texts.get(each.name, ""))
        for each in signature.parameters.values()
        if each.name not in leave_out and each.kind is not inspect.Parameter.VAR_KEYWORD
    ]


def _parameter(each: inspect.Parameter, text: str) -> inspect.Parameter:
    required = each.default is inspect.Parameter.empty
    if each.name == "jobs":
        each = each.replace(annotation=int | None)  # in Python also workers themselves
    if each.name in _INPUTS and each.kind is not inspect.Parameter.KEYWORD_ONLY:
        metavar, kind = _INPUTS[each.name]
        argument = typer.Argument(... if required else each.default, metavar=metavar, help=text, show_default=False)
        annotation = kind if required else kind | None
        return each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=argument)
    flags = _SHORT.get(each.name, (f"--{each.name.replace('_', '-')}",))
    default = [] if each.default == () else each.default
    # A list without a default prints as [] in the help, which tells nobody anything.
    choice = typer.Option(
        ... if required else default, *flags, help=text, show_default=default not in ([], None, False)
    )
    return each.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=choice)
