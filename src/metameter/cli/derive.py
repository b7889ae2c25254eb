"""A command from a function: its arguments and options from the signature, their help from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import click

from metameter.arguments import check_arguments
from metameter.cli.click_parameters import Command, word_for
from metameter.cli.engine import working
from metameter.cli.output import Output, known_tables, print_result, refuse_unknown_table, write_files
from metameter.cli.progress import progress_bar
from metameter.docstrings import lead, parameters
from metameter.parallel import Progress, Workers, stage
from metameter.read.files.content import reading_pipes_once
from metameter.read.files.limits import unpacking
from metameter.read.line_files import read_run_names
from metameter.read.sources import refuse_one_stream_twice
from metameter.scoring.output_guard import refuse_overwriting
from metameter.scoring.takes_policy import POLICY_OPTIONS
from metameter.view.chart_options import chart_style
from metameter.view.paths import place_for
from metameter.view.tables.csv import safe_csv

# What is read from files; tables of scores are, too.
_READ = {"qrels", "truth", "inputs", "serps", "pairs", "folder"}
# An option whose word names a file: what is read from it, and what its help says besides.
_FILES = {"contributing": read_run_names}
_FILE_HELP = {"contributing": "Give a file with their names or paths, one per line."}


def command_of(function: Callable[..., Any], name: str | None = None) -> click.Command:
    """Wrap a function as a command: it is called with what the user gave, and its result is shown or written.

    A parameter ``scores`` becomes the files to read them from; ``progress`` draws bars. A function that returns
    nothing prints its own messages, draws its own bars and takes no output options. Where a function has an option by a
    name that reading has, too, the name means the function's.
    """
    signature = inspect.signature(function, eval_str=True)
    reader = _reader(signature)
    declared = getattr(function, "procedure", None)
    mine = _parameters(function, leave_out={"scores", "progress", *(declared.study_parameters if declared else ())})
    own_names = {each.name for each in mine}
    reading = _parameters(reader, leave_out={"progress", "jobs", *own_names}) if reader else []
    files = _parameters(unpacking, leave_out=set()) if reader or any(map(_is_read, mine)) else []
    where = _parameters(working, leave_out={"jobs"}) if "jobs" in own_names else []
    unsaid = (_defaults(reader) if reader else {}) | _defaults(function)
    answers = signature.return_annotation is not None
    # A command with an option of its own for where it writes has no second one.
    # One that writes a single file has no charts.
    charts = {"figures", "title", "width"} if "out" in own_names and "figures" not in own_names else set()
    shows = _parameters(Output, leave_out=own_names | charts) if answers else []

    def command(**given: Any) -> None:
        given = {name: list(word) if isinstance(word, tuple) else word for name, word in given.items()}
        said = {name: unsaid.get(name, word) if word in (None, []) else word for name, word in given.items()}
        words = {kind: {each.name: said[each.name] for each in part} for kind, part in parts.items()}
        # Before the work, not after it: what cannot be shown need not be computed.
        output = Output(**words["output"]) if answers else None
        for part, takes in (("own", function), ("where", working), ("read", reader)):
            check_arguments(takes, words[part]) if takes else None
        _refuse_before_work(function, words, said.get("out"), output)
        shown = output or Output()
        with safe_csv(shown.safe_csv), chart_style(title=shown.title, width=shown.width):
            if output is None:
                _result(function, reader, words, None)
                return
            with progress_bar(_name(function)) as progress:
                result = _result(function, reader, words, progress)
                write_files(result, output, progress)
            print_result(result, output)

    parts = {"read": reading, "own": mine, "where": where, "files": files, "output": shows}
    params = [each for part in parts.values() for each in part]
    return Command(name, params=params, callback=command, help=lead(function))


def _refuse_before_work(function: Callable[..., Any], words: dict[str, Any], out: Any, output: Output | None) -> None:
    """Refuse what would be refused only after the work: a table or a place that is none, an option out of range."""
    tables = known_tables(inspect.signature(function, eval_str=True).return_annotation)
    if output is not None:
        refuse_unknown_table(output.table, tables)
    if out is not None:
        # Some commands have the place as an option of their own, which makes it no input.
        inputs = [word for name, word in (words["read"] | words["own"]).items() if name != "out"]
        refuse_overwriting(place_for(out), inputs, tables)
    Workers.of(words["own"].get("jobs"))
    refuse_one_stream_twice(*words["own"].values(), *words["read"].values())


def _result(
    function: Callable[..., Any], reader: Callable[..., Any] | None, words: dict[str, Any], progress: Progress | None
) -> Any:
    """Read what the function takes, and call it; within one block, so that a pipe that is asked for twice is kept."""
    with (
        working(words["own"].get("jobs"), **words["where"]) as jobs,
        unpacking(**words["files"]),
        reading_pipes_once(),
    ):
        own = _from_files(function, words["own"])
        own |= {"jobs": jobs} if "jobs" in own else {}
        if reader is not None:
            _refuse_before_scoring(function, words["read"], own)
            with stage(progress, "scores") as told:
                own["scores"] = reader(**_from_files(reader, words["read"]), jobs=jobs, progress=told)
        if "progress" in inspect.signature(function).parameters:
            own["progress"] = progress
        return function(**own)


def _refuse_before_scoring(function: Callable[..., Any], reading: dict[str, Any], own: dict[str, Any]) -> None:
    """Refuse what a procedure would refuse of the metrics that are to be scored for it, such as a reference."""
    declared = getattr(function, "procedure", None)
    if declared is None or declared.before is None or not (reading["metrics"] or reading["preset"]):
        return
    from metameter.judge.faceted import Faceted
    from metameter.scoring.measures import measures_of

    condensed = reading["unjudged"] == "condense"
    measures = measures_of(reading["metrics"], reading["preset"], condensed=condensed, evidence=Faceted)
    declared.before(tuple(measure.name for measure in measures), own)


def _name(function: Callable[..., Any]) -> str:
    """What a command is called: as its function, or as its module in `cli/commands`."""
    return function.__module__.rpartition(".")[2] if function.__name__ == "command" else function.__name__


def _is_read(each: click.Parameter) -> bool:
    """Whether a parameter names files to read: the same word may count what is to be made."""
    return each.name in _READ and each.type is click.STRING


def _reader(signature: inspect.Signature) -> Callable[..., Any] | None:
    """What reads the scores that a function takes: those of one collection, or of several with all iterations."""
    taken = signature.parameters.get("scores")
    if taken is None:
        return None
    # Of what procedures alone have: a command that scores runs reads no scores.
    from metameter.cli.inputs import collections_from, scores_from
    from metameter.meta.collections import Collections

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


def _parameters(function: Callable[..., Any], leave_out: set[str]) -> list[click.Parameter]:
    signature = inspect.signature(function, eval_str=True)
    texts = parameters(function)
    if _reads_runs(signature.parameters):
        texts |= {name: f"{texts.get(name, '')} {more}" for name, more in _FILE_HELP.items()}
    return [
        # A terminal shows no typewriter type.
        word_for(each, texts.get(each.name, "").replace("``", ""))
        for each in signature.parameters.values()
        if each.name not in leave_out and each.kind is not inspect.Parameter.VAR_KEYWORD
    ]
