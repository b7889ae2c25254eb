"""The options that many commands share, and what they do: each group is declared once and checks itself.

- `Execution`: where the work of a command runs.
- `Unpacking`: how much a file may unpack to.
- `Output`: how a result is printed, and which files are written.

A further group, `metameter.scoring.policy.Policy`, belongs to the functions that read runs, in Python too.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from metameter.arguments import check_arguments, check_seconds
from metameter.cli.streams import print_answer, remark, visible_lines, width_of
from metameter.errors import MetameterError, did_you_mean
from metameter.parallel import Progress, Workers, stage
from metameter.plugin_files import loaded_plugin_files
from metameter.read.files.limits import DEFAULT, as_size
from metameter.view.chart_options import Style
from metameter.view.paths import output_path
from metameter.view.presentation import CommandOutput, files_sentence
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.csv import visible_table
from metameter.view.tables.wrapping import wrapped_lines

_START = "Start a scheduler (dask scheduler) and workers (dask worker ADDRESS), and give its address with --scheduler."


@dataclass(frozen=True)
class Execution:
    """Where the work of a command runs: in threads of this machine, or on a Dask cluster.

    Parameters
    ----------
    jobs : int
        How many threads of this machine; by default one per core. Results do not depend on it.
    engine : {"local", "dask"}
        Work in threads of this machine (local), or on a Dask cluster (dask), which gives the same results.
    scheduler : str
        With --engine dask: the address of the scheduler, such as tcp://10.0.0.1:8786; by default what the environment
        variable DASK_SCHEDULER_ADDRESS says.
    scheduler_timeout : float
        The most seconds to wait for the scheduler, and for a first worker.

    Examples
    --------
    >>> with Execution(jobs=3).workers() as jobs:
    ...     jobs
    3
    >>> Execution(scheduler="tcp://10.0.0.1:8786")
    Traceback (most recent call last):
    metameter.errors.MetameterError: a scheduler is for --engine dask (given 'tcp://10.0.0.1:8786'). Add --engine dask,
    or leave --scheduler out.
    """

    jobs: int | None = None
    engine: Literal["local", "dask"] = "local"
    scheduler: str | None = None
    scheduler_timeout: float = 60.0

    def __post_init__(self) -> None:
        check_arguments(Execution, vars(self))
        Workers.of(self.jobs)
        check_seconds(self.scheduler_timeout, "scheduler_timeout")
        if self.engine == "local" and self.scheduler is not None:
            what, fix = "a scheduler is for --engine dask", "Add --engine dask, or leave --scheduler out."
            raise MetameterError(what, given=self.scheduler, fix=fix)
        if self.engine == "dask" and self.jobs is not None:
            what = "--jobs counts threads of this machine"
            fix = "Leave it out with --engine dask: all workers are used."
            raise MetameterError(what, given=self.jobs, fix=fix)
        if self.engine == "dask" and (plugins := loaded_plugin_files()):
            what = "--plugin does not work on a cluster, whose workers do not have the file"
            fix = "Install the plug-in as a package with an entry point, here and on all workers."
            raise MetameterError(what, given=", ".join(plugins), fix=fix)
        if self.engine == "dask" and not self._address:
            raise MetameterError("--engine dask needs a scheduler", fix=_START)

    @property
    def _address(self) -> str:
        return self.scheduler or os.environ.get("DASK_SCHEDULER_ADDRESS", "")

    @contextmanager
    def workers(self) -> Iterator[int | Workers | None]:
        """Yield the value for a function's parameter ``jobs``: a number of threads, or the Dask workers."""
        if self.engine == "local":
            yield self.jobs
            return
        with Workers.dask(self._address, timeout=self.scheduler_timeout) as workers:
            _silence_dask()
            yield workers


def _silence_dask() -> None:
    """Silence Dask's log of workers that come and go; errors that concern the user are raised in one line."""
    for name in ("asyncio", *(known for known in logging.root.manager.loggerDict if known.startswith("distributed"))):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@dataclass(frozen=True)
class Unpacking:
    """How much a file may unpack to.

    Parameters
    ----------
    unpack_limit : int or str
        The largest size of one unpacked file, such as 500MB or 8GB.
    """

    unpack_limit: int | str = DEFAULT

    def __post_init__(self) -> None:
        object.__setattr__(self, "unpack_limit", as_size(self.unpack_limit))


_MOST_DIGITS = 17  # a double has no more
_FOR_PROGRAMS = ("csv", "tsv", "json")
Format = Literal["table", "csv", "tsv", "json", "markdown", "latex"]


@dataclass(frozen=True, kw_only=True)
class Output:
    """How to show a result.

    Parameters
    ----------
    format : str
        How tables are printed; by default a table on a terminal and, with --out, in the log of a CI job; otherwise CSV.
    table : str
        Which table to print; by default the first.
    out : str
        Where to write: all tables as CSV and LaTeX, charts as HTML, and the manifest.
    figures : bool
        With --out: charts as SVG and PDF too.
    title : str
        With --out: a title above that of each chart; none removes both, for figures with captions.
    width : int
        With --out: how wide charts are, in pixels, axes and legends included.
    digits : int
        Decimals in printed tables; CSV, TSV and JSON have full precision.
    notes : bool
        Print how the numbers were computed, too.
    safe_csv : bool
        For CSV and TSV that are opened in a spreadsheet: an apostrophe before each name that it would run as a formula.
    """

    format: Format | None = None
    table: str | None = None
    out: str | None = None
    figures: bool = False
    title: str | None = None
    width: int | None = None
    digits: int = DECIMALS
    notes: bool = False
    safe_csv: bool = False

    def __post_init__(self) -> None:
        if self.out is not None:
            output_path(self.out)
        Style(self.title, self.width)
        if not 0 <= self.digits <= _MOST_DIGITS:
            fix = "Give a number of decimals that a table can show."
            raise MetameterError("digits is out of range", given=self.digits, allowed=f"0 to {_MOST_DIGITS}", fix=fix)


def known_tables(kind: Any) -> tuple[str, ...]:
    """The names of the tables that results of a kind can have; empty if they are not known before the work."""
    return kind.known_tables() if isinstance(kind, type) and issubclass(kind, Result) else ()


def refuse_unknown_table(table: str | None, known: tuple[str, ...]) -> None:
    """Refuse the name of a table that no result can have, before the work.

    Examples
    --------
    >>> refuse_unknown_table("problem", ("problems", "coverage"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: there is no such table (given 'problem'). Did you mean problems? Known: coverage,
    problems.
    """
    if table is not None and known and table not in known:
        raise MetameterError("there is no such table", given=table, fix=did_you_mean(table, list(known)))


def write_files(result: Result, output: Output, progress: Progress | None = None) -> None:
    """Write the result where ``--out`` says, or where the result itself does."""
    result.table_name(output.table)  # refuses an unknown table before anything is written
    out = output.out or result.command_output.destination
    if out is not None:
        from metameter.view.atomic_files import all_or_nothing

        with stage(progress, "files"), all_or_nothing():
            result.write(Path(out), figures=output.figures)


def _usual_format(command: CommandOutput, out: str | None, *, overview: bool) -> str:
    """The format where none is given: people read terminals and, where files have the numbers, logs and overviews."""
    for_people = sys.stdout.isatty() or (out is not None and (overview or _in_continuous_integration()))
    return "table" if for_people else command.piped_format


def _in_continuous_integration() -> bool:
    return any(os.environ.get(name, "").lower() in ("true", "1") for name in ("CI", "GITHUB_ACTIONS"))


def print_result(result: Result, output: Output) -> None:
    """Print an overview, or a table and below it the sentences for people."""
    name = result.table_name(output.table)
    command = result.command_output
    out = output.out or command.destination
    overview = [] if output.table else result.overview(width_of(sys.stdout))
    form = output.format or _usual_format(command, out, overview=bool(overview))
    if overview and form == "table":
        _print_overview(overview, result, output)
    else:
        _print_table(result, name, form, output)
    if out is not None:
        remark(files_sentence(result, out))
    # The printed answer says that something is wrong, so the exit status does, too.
    if command.error is not None:
        command.error.after_answer = True
        raise command.error


def _print_overview(lines: list[str], result: Result, output: Output) -> None:
    """Print an overview; with ``--notes`` also all sentences, and how the numbers were computed."""
    text = visible_lines("\n".join(lines))
    print_answer(wrapped_lines(text, width_of(sys.stdout)) if sys.stdout.isatty() else text)
    if output.notes:
        remark("\n".join([result.remark, *(each for each in result.notes if each not in result.warnings)]))


def _print_table(result: Result, name: str, form: str, output: Output) -> None:
    """Print a table, and below it the remark."""
    command = result.command_output
    # Tables for people never contain control characters; CSV and TSV keep them, except on a terminal.
    if sys.stdout.isatty() and form in ("csv", "tsv"):
        result = replace(result, tables={**result.tables, name: visible_table(result.tables[name])})
    # An empty table is not printed if a sentence says that there is nothing.
    if form != "table" or result.tables[name].height or not (command.short_remark or result.remark):
        text = result.text(output.table, form, output.digits, width=width_of(sys.stdout))
        if text or form != "table":
            print_answer(text.rstrip("\n"), for_programs=form in _FOR_PROGRAMS)
    # Caveats are printed below every format; a second table only on a terminal, where no table was chosen.
    second = form == "table" and output.table is None
    below = result.remark if second or not command.remark_is_table else command.short_remark
    if below:
        remark(below)
    notes = [each for each in result.notes if each not in result.warnings]
    if output.notes:
        remark("\n".join(notes) or "There are no notes on these numbers.")
    elif notes and form == "table":
        remark("--notes prints how these numbers were computed.")
