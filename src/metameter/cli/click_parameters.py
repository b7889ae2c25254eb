"""What a user says on the command line for a parameter of a function: an argument or an option."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click

# What a function takes by position: argument name -> how the command line spells it; dots stand for one or more.
_INPUTS = {
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
_SHORT = {"metrics": ("-m", "--metric"), "metric": ("-m", "--metric")}
# Options that take more in Python (lists, data frames, workers): what a word on the command line is for them.
_WORDS: dict[str, Any] = {
    "complex": str,
    "contributing": str,
    "costs": str,
    "gains": str,
    "iterations": str,
    "jobs": int,
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


def word_for(each: inspect.Parameter, text: str) -> click.Parameter:
    """The argument or option for a parameter; ``text`` is its help.

    Examples
    --------
    >>> def f(qrels: str, *, metrics: list[str] = ()): ...
    >>> qrels, metrics = inspect.signature(f, eval_str=True).parameters.values()
    >>> word_for(qrels, "Judgments."), word_for(metrics, "A metric.").opts
    (<Argument qrels>, ['-m', '--metric'])
    """
    required = each.default is inspect.Parameter.empty
    if each.name in _INPUTS and each.kind is not inspect.Parameter.KEYWORD_ONLY:
        metavar = _INPUTS[each.name]
        nargs = -1 if metavar.endswith("...") else 1
        return Argument([each.name], metavar=metavar, nargs=nargs, type=str, required=required, text=text)
    kind = _kind(each)
    flags = _SHORT.get(each.name, (f"--{each.name.replace('_', '-')}",))
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


def _kind(each: inspect.Parameter) -> Any:
    """The type of the word: a plain one, a choice (Literal) or, where it may be repeated, a list of texts."""
    union = get_args(each.annotation) if get_origin(each.annotation) in (Union, UnionType) else (each.annotation,)
    kinds = [kind for kind in union if kind is not type(None)]
    # Whether the annotation is for a word on the command line rather than for Python: of one kind, or left out.
    if len(kinds) == 1 and (kinds[0] in _PLAIN or get_origin(kinds[0]) is Literal):
        return kinds[0]
    several = any(get_origin(kind) in (list, Sequence) and get_args(kind) == (str,) for kind in kinds)
    return _WORDS.get(each.name, list[str] if several else str)


class Argument(click.Argument):
    """What is given by position, with a help text of its own."""

    def __init__(self, *names: Any, text: str, **options: Any) -> None:
        super().__init__(*names, **options)
        self.text = text

    def make_metavar(self, ctx: click.Context | None = None) -> str:
        """How it stands in the first line: in brackets where it may be left out."""
        name = self.metavar or self.human_readable_name
        return name if self.required else f"[{name}]"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Its line in the list of arguments."""
        return self.metavar or self.human_readable_name, self.text


class Command(click.Command):
    """A command whose help has a list of arguments above that of options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both lists."""
        for title, kind in (("Arguments", Argument), ("Options", click.Option)):
            of_kind = (each.get_help_record(ctx) for each in self.get_params(ctx) if isinstance(each, kind))
            if lines := [line for line in of_kind if line is not None]:
                with formatter.section(title):
                    formatter.write_dl(lines)
