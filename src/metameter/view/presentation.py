"""How a result is shown: as text on standard output, as HTML in a notebook, as files in a folder."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from metameter.errors import MetameterError, refuse_after_fork
from metameter.view.metric_names import in_table
from metameter.view.paths import output_path
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.columns import printed
from metameter.view.tables.csv import to_csv
from metameter.view.tables.formats import render
from metameter.view.tables.html import MOST_ROWS, html_table, paragraphs
from metameter.view.tables.latex import latex_file

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.result import Result


@dataclass(frozen=True)
class CommandOutput:
    """What a command does with a result besides printing one table and the remark.

    Attributes
    ----------
    piped_format : str
        The format of a piped table where none is given; ``table`` for results that only people read.
    whole_table : str
        The options that print a table in full; by default ``--format csv``, with ``--table`` where needed.
    destination : str, optional
        The file or folder for the result, from an argument of the call.
    files : str
        The sentence on the files written, after "Written to PATH:"; by default it lists the tables.
    remark_is_table : bool
        Whether the remark is a second table, which is not printed below numbers that a program reads.
    short_remark : str
        The sentence that is printed instead of such a remark.
    error : MetameterError, optional
        The error that the result reports, which decides the exit status of the program.
    """

    piped_format: str = "csv"
    whole_table: str = ""
    destination: str | None = None
    files: str = ""
    remark_is_table: bool = False
    short_remark: str = ""
    error: MetameterError | None = None


def files_sentence(result: Result, out: str) -> str:
    """The sentence on the files that were written to a path."""
    files = result.command_output.files
    return f"Written to {out}: {files or _usual_files(result)}"


def _usual_files(result: Result) -> str:
    return f"{', '.join(result.tables)} as CSV and LaTeX, the charts there are, manifest.json."


def table_text(
    result: Result,
    name: str,
    format: str = "table",  # noqa: A002
    digits: int = DECIMALS,
    width: int | None = None,
    whole_table: str | None = None,
) -> str:
    """One table of a result as text.

    Parameters
    ----------
    result : Result
    name : str
        The table.
    format : {"table", "csv", "tsv", "json", "markdown"}
        People read ``table`` and ``markdown``, in which a result may leave columns and rows out.
    digits : int
        Decimals, except in CSV, TSV and JSON.
    width : int, optional
        Of the terminal; by default that of the one in use.
    whole_table : str, optional
        Where a reader finds what is left out; by default the options that print the whole table.

    Returns
    -------
    str
    """
    if format == "json":
        return result.to_json(name)
    frame = result.glance(name, digits) if format in ("table", "markdown") else result.tables[name]
    left_out = result.left_out(name)
    whole = whole_table or result.command_output.whole_table or _option(result, name)
    if format != "table":
        text = render({name: printed(name, frame) if format == "markdown" else frame}, name, format, digits=digits)
        return f"{text}\n\n{left_out}: {whole}" if left_out and format == "markdown" else text
    if result.tables[name].height and not frame.height:
        return ""  # the remark says why there are no rows
    from metameter.view.tables.terminal import to_terminal  # not needed for output that programs read

    return to_terminal(
        frame,
        width,
        digits,
        first=result.important(name),
        unshown=[
            each
            for each in _unshown(in_table(result.tables[name], result.names), frame)
            if each not in result.unnamed_columns
        ],
        left_out=left_out,
        elsewhere=whole,
    )


def _option(result: Result, name: str) -> str:
    return "--format csv" if name == next(iter(result.tables)) else f"--table {name} --format csv"


def _unshown(table: pl.DataFrame, frame: pl.DataFrame) -> list[str]:
    """The columns left out that have several values; none if the rows shown are not those of the table."""
    if table.height != frame.height or not set(frame.columns) <= set(table.columns):
        return []
    hidden = [name for name in table.columns if name not in frame.columns]
    return [name for name in hidden if table[name].drop_nulls().n_unique() > 1]


def notebook_html(result: Result) -> str:
    """The remark, the readable table and, if there is one, a chart as HTML."""
    from metameter.view.charts.export import inline_svg

    # Only the rows shown are formatted: formatting a million would take longer than computing them.
    name, frame = next(iter(result.tables.items()))
    few = replace(result, tables={**result.tables, name: frame.head(MOST_ROWS)})
    chart = result.chart()
    drawing = "" if chart is None else inline_svg(chart)
    table = html_table(few.readable(), frame.height, result.marked_column)
    return paragraphs(result.remark.splitlines()) + table + drawing


def write_files(result: Result, folder: str | Path, *, figures: bool = False) -> None:
    """Write tables (CSV, LaTeX), charts (HTML; with ``figures`` SVG and PDF too) and the manifest into a folder."""
    from metameter.view.atomic_files import write_whole
    from metameter.view.charts.export import save_figures, save_html
    from metameter.view.charts.sizing import styled

    refuse_after_fork()
    path = output_path(folder)
    for name, frame in result.tables.items():
        write_whole(path / f"{name}.csv", to_csv(frame) + "\n")
    for name, text in result.latex().items():
        write_whole(path / f"{name}.tex", latex_file(text))
    for name, own_chart in result.charts().items():
        chart = styled(own_chart)
        save_html(chart, path / f"{name}.html", name)
        if figures:
            save_figures(chart, path / name)
    manifest = {**result.manifest, "notes": list(result.notes)}
    write_whole(path / "manifest.json", json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    write_whole(path / "run.json", when_and_where())


def when_and_where() -> str:
    """The content of ``run.json``, a file of its own: all other files depend on the computation only."""
    facts = {"written": datetime.now(UTC).isoformat(timespec="seconds"), "host": platform.node()}
    return json.dumps(facts, indent=1) + "\n"
