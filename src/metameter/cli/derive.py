"""A command from a function: its arguments and options from the signature, their help from the docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import typer

from metameter.cli.output import Output, deliver
from metameter.cli.progress import shown

__all__ = ["command_of", "described"]

# What a function takes from files: argument name -> how the command line spells it.
_INPUTS = {
    "qrels": ("QRELS", str, "Judgments: topic, iteration, document, grade."),
    "run": ("RUN", str, "A run: topic, Q0, document, rank, score, tag."),
    "runs": ("RUN...", list[str], "Runs: files, folders or quoted globs."),
    "scores": ("SCORES...", list[str], "Tables of scores, as `metameter score` writes them, or topic x system matrices."),
    "out": ("OUT", str, "The folder to write."),
    "metric": ("EXPR", str, "A metric's name."),
    "name": ("NAME", str, "A name."),
}
_SHORT = {"metrics": ("-m", "--metric")}
_DEEDS = {"progress"}


def command_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function as a command: it is called with what the user gave, and its result is shown or written.

    A function that returns nothing has done its own talking and takes no output options.
    """
    signature = inspect.signature(function, eval_str=True)
    texts = described(function)
    own = [_parameter(each, texts) for each in signature.parameters.values() if each.name not in _DEEDS]
    answers = signature.return_annotation is not None
    output = _output_parameters() if answers else []
    taken = {each.name for each in output}

    def command(**given: Any) -> None:
        choices = {name: given.pop(name) for name in list(given) if name in taken}
        with shown("progress" in signature.parameters) as progress:
            result = function(**given, **({"progress": progress} if progress else {}))
        if answers:
            deliver(result, Output(**choices))

    command.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*own, *output], return_annotation=None
    )
    command.__annotations__ = {each.name: each.annotation for each in [*own, *output]}
    command.__doc__ = inspect.getdoc(function).partition("\n\nParameters\n")[0] if function.__doc__ else ""
    return command


def _parameter(each: inspect.Parameter, texts: dict[str, str]) -> inspect.Parameter:
    text = texts.get(each.name, "")
    empty = each.default is inspect.Parameter.empty
    if each.name in _INPUTS and (empty or each.default is None):
        metavar, kind, usual = _INPUTS[each.name]
        if each.kind is not inspect.Parameter.KEYWORD_ONLY:
            argument = typer.Argument(... if empty else None, metavar=metavar, help=text or usual, show_default=False)
            return each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=argument)
    flags = _SHORT.get(each.name, (f"--{each.name.replace('_', '-')}",))
    default = [] if each.default == () else each.default
    choice = typer.Option(... if empty else default, *flags, help=text)
    return each.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=choice)


def _output_parameters() -> list[inspect.Parameter]:
    texts = described(Output)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=each.annotation,
            default=typer.Option(each.default, f"--{each.name}", help=texts[each.name]),
        )
        for each in inspect.signature(Output, eval_str=True).parameters.values()
    ]


def described(thing: Any) -> dict[str, str]:
    """Parameter -> its description, from a numpydoc docstring.

    Examples
    --------
    >>> def f(p):
    ...     '''Do.
    ...
    ...     Parameters
    ...     ----------
    ...     p : float
    ...         How far
    ...         down.
    ...     '''
    >>> described(f)
    {'p': 'How far down.'}
    """
    _, _, rest = (inspect.getdoc(thing) or "").partition("\nParameters\n----------\n")
    section = re.split(r"\n\n[A-Z][a-z]+\n-+\n", rest)[0]
    texts = {}
    for names, text in re.findall(r"^(\w[\w, ]*) : .*\n((?:(?:    .*)?\n?)+)", section, flags=re.M):
        for name in names.split(", "):
            texts[name] = " ".join(text.split())
    return texts
