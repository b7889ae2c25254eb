"""What every procedure and command returns: labelled tables, charts, LaTeX, and what they were made from."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.errors import MetameterError, did_you_mean, refuse_after_fork
from metameter.view.paths import place_for
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.columns import printed
from metameter.view.tables.csv import to_csv
from metameter.view.tables.formats import render, to_json, to_pandas
from metameter.view.tables.html import MOST_ROWS, html_table, paragraphs
from metameter.view.tables.latex import latex_file, to_latex

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn

__all__ = ["Result", "when_and_where"]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Tables by name, the most important first; subclasses say more where they have more to say.

    Attributes
    ----------
    tables : dict of polars.DataFrame
    manifest : dict
        Versions, options and inputs: what it takes to make the same tables again.
    notes : tuple of str
        What a reader must know to understand the tables.

    Examples
    --------
    >>> import polars as pl
    >>> result = Result({"power": pl.DataFrame({"metric": ["AP"], "power": [0.5]})})
    >>> result
    <Result power: 1 x 2>
    >>> print(result)
     metric    power
    ─────────────────
     AP       0.5000
    """

    tables: Mapping[str, pl.DataFrame]
    manifest: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    #: The names that its tables can have, so that a misspelt one is refused before the work; none: not known before.
    table_names: ClassVar[tuple[str, ...]] = ()
    #: The columns that a terminal too narrow for all of them keeps longest; after them, those that stand first.
    first_columns: ClassVar[tuple[str, ...]] = ()
    #: The remark is a second table: for the eye only, not below numbers that a program reads.
    remark_is_table: ClassVar[bool] = False
    #: The column whose labels have marks in a notebook.
    marked_column: ClassVar[MarkedColumn | None] = None

    @property
    def table(self) -> pl.DataFrame:
        """The most important table."""
        return next(iter(self.tables.values()))

    @property
    def remark(self) -> str:
        """What a person reads below the table: by default the notes, and what follows from the table."""
        return "\n".join([*self.notes, *self.conclusion()])

    @property
    def verdict(self) -> str:
        """What is said below numbers that a program reads, where the remark is a table for the eye."""
        return ""

    @property
    def page(self) -> str:
        """What a person reads in place of the table, as Markdown; by default nothing, so the table is shown."""
        return ""

    def terminal_page(self, width: int | None = None) -> str:
        """The page for a terminal of that width."""
        return self.page

    @property
    def complaint(self) -> MetameterError | None:
        """The problem that this result reports, if it reports one: it decides the program's exit status."""
        return None

    @property
    def destination(self) -> str | None:
        """The folder that the call asked the result to be written to, if it did."""
        return None

    def elsewhere(self, name: str) -> str:
        """Where a person finds what a terminal has no room for in a table."""
        return "--format csv" if name == next(iter(self.tables)) else f"--table {name} --format csv"

    @property
    def piped_as(self) -> str:
        """The format in which a program gets it that has not said which; of what only people read, ``table``."""
        return "csv"

    def written(self, out: str) -> str:
        """What is said of the files that were written."""
        return f"Written to {out}: {', '.join(self.tables)} as CSV and LaTeX, the charts there are, manifest.json."

    def answer(self) -> list[str]:
        """The sentences that a report begins with; they say what the tables say, and no more."""
        return []

    def conclusion(self) -> list[str]:
        """The sentences that answer the question of this result alone: below its table and in its section of a report.

        Unlike `answer`, they do not stand at the top of a report.
        """
        return []

    def tally(self) -> list[tuple[str, int]]:
        """How often each verdict was given, the best news first; nothing if no verdicts are given."""
        return []

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for the eye: in terminal, Markdown and LaTeX. CSV and JSON keep all of it."""
        return self.tables[self.table_name(name)]

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows of a table: by default what is readable of it; less where that is too long to read."""
        return self.readable(name, digits)

    def important(self, name: str) -> tuple[str, ...]:
        """The columns of a table that a terminal keeps longest."""
        return self.first_columns

    def left_out(self, name: str) -> str:
        """What `glance` leaves out of a table besides columns, such as ``5 more depths``; by default nothing."""
        return ""

    def table_name(self, name: str | None = None) -> str:
        """The name of a table: the one asked for, if there is one of that name, or the most important."""
        if name is not None and name not in self.tables:
            raise MetameterError("there is no such table", given=name, fix=did_you_mean(name, list(self.tables)))
        return name or next(iter(self.tables))

    @classmethod
    def known_tables(cls) -> tuple[str, ...]:
        """The names that its tables can have, known before there is a result; none where they are not."""
        return cls.table_names

    def charts(self) -> dict[str, Any]:
        """The charts by name, the most important first."""
        return {}

    def chart(self, *, title: str | None = None, width: int | None = None) -> Any:
        """The most important chart; on request under a title of your own, or ``none``, and so many pixels wide."""
        from metameter.view.charts.sizing import styled

        refuse_after_fork()
        drawn = next(iter(self.charts().values()), None)
        return None if drawn is None else styled(drawn, title=title, width=width)

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX, laid out as papers print it where they do; without Monte-Carlo errors."""
        return {name: to_latex(printed(name, frame)) for name, frame in self.tables.items()}

    def to_latex(self, table: str | None = None) -> str:
        """One table as LaTeX; by default the most important."""
        return self.latex()[self.table_name(table)]

    def to_json(self, table: str | None = None) -> str:
        """One table as ``{name: [rows]}``; by default the most important."""
        name = self.table_name(table)
        return to_json({name: self.tables[name]})

    def to_pandas(self, table: str | None = None) -> Any:
        """One table as a pandas data frame; by default the most important."""
        return to_pandas(self.tables[self.table_name(table)])

    def text(
        self,
        table: str | None = None,
        format: str = "table",  # noqa: A002
        digits: int = DECIMALS,
        width: int | None = None,
        elsewhere: str | None = None,
    ) -> str:
        """What goes to standard output: one table in a format; for people the page, where there is one.

        On a terminal it is as wide as that, and says what is left out and ``elsewhere`` to be seen.
        """
        name = self.table_name(table)
        if format == "json":
            return self.to_json(name)
        if format in ("table", "markdown") and self.page:
            return self.page if format == "markdown" else self.terminal_page(width)
        if format == "latex":
            return self.to_latex(name)
        shown = self.glance(name, digits) if format in ("table", "markdown") else self.tables[name]
        left_out = self.left_out(name)
        whole = elsewhere or self.elsewhere(name)
        if format != "table":
            text = render({name: printed(name, shown) if format == "markdown" else shown}, name, format, digits=digits)
            return f"{text}\n\n{left_out}: {whole}" if left_out and format == "markdown" else text
        if self.tables[name].height and not shown.height:
            return ""  # a sentence says why there is nothing to see
        from metameter.view.tables.terminal import to_terminal  # programs read no such tables

        return to_terminal(
            shown,
            width,
            digits,
            first=self.important(name),
            unshown=_unshown(self.tables[name], shown),
            left_out=left_out,
            elsewhere=whole,
        )

    def write(self, folder: str | Path, *, figures: bool = False) -> None:
        """Write tables (CSV, LaTeX), charts (HTML; with ``figures`` SVG and PDF too) and the manifest into a folder."""
        from metameter.view.atomic_files import write_whole
        from metameter.view.charts.export import save_figures, save_html
        from metameter.view.charts.sizing import styled

        refuse_after_fork()
        place = place_for(folder)
        for name, frame in self.tables.items():
            write_whole(place / f"{name}.csv", to_csv(frame) + "\n")
        for name, text in self.latex().items():
            write_whole(place / f"{name}.tex", latex_file(text))
        for name, drawn in self.charts().items():
            chart = styled(drawn)
            save_html(chart, place / f"{name}.html", name)
            if figures:
                save_figures(chart, place / name)
        manifest = {**self.manifest, "notes": list(self.notes)}
        write_whole(place / "manifest.json", json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        write_whole(place / "run.json", when_and_where())

    def __str__(self) -> str:
        return self.text(elsewhere=".table") or self.remark

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {frame.height} x {frame.width}" for name, frame in self.tables.items())
        return f"<{type(self).__name__} {shapes}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the remark, the table that people read, and a chart if there is one."""
        from metameter.view.charts.export import inline_svg

        # Only the rows shown are formatted: formatting a million would take longer than computing them.
        name, frame = next(iter(self.tables.items()))
        few = replace(self, tables={**self.tables, name: frame.head(MOST_ROWS)})
        chart = self.chart()
        drawn = "" if chart is None else inline_svg(chart)
        return (
            paragraphs(self.remark.splitlines()) + html_table(few.readable(), frame.height, self.marked_column) + drawn
        )


def _unshown(table: pl.DataFrame, shown: pl.DataFrame) -> list[str]:
    """The columns that are not for the eye; none where that sees other rows altogether, nor any that say one thing."""
    if table.height != shown.height or not set(shown.columns) <= set(table.columns):
        return []
    hidden = [name for name in table.columns if name not in shown.columns]
    return [name for name in hidden if table[name].drop_nulls().n_unique() > 1]


def when_and_where() -> str:
    """The content of ``run.json``, kept apart so that all other files are the same bytes for the same computation."""
    facts = {"written": datetime.now(UTC).isoformat(timespec="seconds"), "host": platform.node()}
    return json.dumps(facts, indent=1) + "\n"
