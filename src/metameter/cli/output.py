"""What a command prints and writes: one table on standard output, and on request everything as files."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from metameter.cli.streams import print_answer, remark, width_of
from metameter.errors import MetameterError, did_you_mean
from metameter.parallel import Progress, stage
from metameter.view.chart_options import Style
from metameter.view.paths import place_for
from metameter.view.presentation import files_sentence
from metameter.view.result import Result
from metameter.view.tables.csv import visible_table

_MOST_DIGITS = 17  # a double has no more
_FOR_PROGRAMS = ("csv", "tsv", "json")
Format = Literal["table", "csv", "tsv", "json", "markdown", "latex"]


@dataclass(frozen=True, kw_only=True)
class Output:
    """How to show a result.

    Parameters
    ----------
    format : str
        How tables are printed; by default a table on a terminal, CSV when piped.
    table : str
        Which table to print; by default the first.
    out : str
        Where to write: all tables as CSV and LaTeX, charts as HTML, and the manifest.
    figures : bool
        With --out: charts as SVG and PDF too.
    title : str
        With --out: stands above what a chart says of itself; none leaves both out, for a figure with a caption.
    width : int
        With --out: how wide charts are, in pixels, axes and legends included.
    digits : int
        Decimals in printed tables; CSV and JSON carry them all.
    safe_csv : bool
        For CSV and TSV that are opened in a spreadsheet: an apostrophe before each name that it would run as a formula.
    """

    format: Format | None = None
    table: str | None = None
    out: str | None = None
    figures: bool = False
    title: str | None = None
    width: int | None = None
    digits: int = 4
    safe_csv: bool = False

    def __post_init__(self) -> None:
        if self.out is not None:
            place_for(self.out)
        Style(self.title, self.width)
        if not 0 <= self.digits <= _MOST_DIGITS:
            fix = "Give a number of decimals that a table can show."
            raise MetameterError("digits is out of range", given=self.digits, allowed=f"0 to {_MOST_DIGITS}", fix=fix)


def known_tables(kind: Any) -> tuple[str, ...]:
    """The names of the tables that results of a kind can have; empty if they are not known before the work."""
    return kind.known_tables() if isinstance(kind, type) and issubclass(kind, Result) else ()


def refuse_unknown_table(table: str | None, known: tuple[str, ...]) -> None:
    """Refuse the name of a table that no result has, before the work.

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
    result.table_name(output.table)  # one that is not there is refused before anything is written
    out = output.out or result.command_output.destination
    if out is not None:
        from metameter.view.atomic_files import all_or_nothing

        with stage(progress, "files"), all_or_nothing():
            result.write(Path(out), figures=output.figures)


def print_result(result: Result, output: Output) -> None:
    """Print a table, and below it the sentences for people."""
    name = result.table_name(output.table)
    command = result.command_output
    form = output.format or ("table" if sys.stdout.isatty() else command.piped_format)
    # Control characters are never shown in tables for people; in CSV and TSV only a terminal must not get any.
    seen = sys.stdout.isatty() and form in ("csv", "tsv")
    shown = replace(result, tables={**result.tables, name: visible_table(result.tables[name])}) if seen else result
    # An empty table is not printed where a sentence says that there is nothing.
    if form != "table" or shown.tables[name].height or not (command.short_remark or result.remark):
        text = shown.text(name, form, output.digits, width=width_of(sys.stdout))
        if text or form != "table":
            print_answer(text.rstrip("\n"), for_programs=form in _FOR_PROGRAMS)
    # Caveats are printed below every format; a second table only on a terminal, where no table was chosen.
    second = form == "table" and output.table is None
    below = result.remark if second or not command.remark_is_table else command.short_remark
    if below:
        remark(below)
    out = output.out or command.destination
    if out is not None:
        remark(files_sentence(result, out))
    # The printed answer says that something is wrong, so the exit status does, too.
    if command.error is not None:
        command.error.after_answer = True
        raise command.error
