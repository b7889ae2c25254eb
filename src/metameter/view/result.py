"""The result of every procedure and command: labelled tables, with a manifest of options and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.errors import MetameterError, did_you_mean, refuse_after_fork
from metameter.view.presentation import CommandOutput, notebook_html, table_text, write_files
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.columns import printed
from metameter.view.tables.formats import to_json, to_pandas
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn

__all__ = ["CommandOutput", "Result"]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Tables by name, the most important first.

    A subclass overrides the sentences about its tables (`answer`, `conclusion`, `remark`, `tally`), the parts that
    people read (`readable`, `glance`, `important`, `left_out`), and the charts and LaTeX (`charts`, `latex`).
    `metameter.view.presentation` shows a result on a terminal, in a notebook and as files.

    Attributes
    ----------
    tables : dict of polars.DataFrame
    manifest : dict
        Versions, options and inputs, with which the same tables can be computed again.
    notes : tuple of str
        Sentences on how the numbers were computed and how they are meant; a command prints them with ``--notes``.

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

    #: The names that its tables can have, so that a command refuses any other before the work; empty if not known.
    table_names: ClassVar[tuple[str, ...]] = ()
    #: The columns that a narrow terminal keeps longest; after them, those that stand first.
    first_columns: ClassVar[tuple[str, ...]] = ()
    #: The column whose labels have marks in a notebook.
    marked_column: ClassVar[MarkedColumn | None] = None

    @property
    def table(self) -> pl.DataFrame:
        """The most important table."""
        return next(iter(self.tables.values()))

    @property
    def remark(self) -> str:
        """What a person reads below the table: by default the answer, the conclusion, and of the notes the warnings."""
        return "\n".join([*self.answer(), *self.conclusion(), *self.warnings])

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes that begin with ``Warning:``; commands always print them."""
        return tuple(each for each in self.notes if each.startswith("Warning:"))

    def answer(self) -> list[str]:
        """Return the sentences that a report begins with; they say what the tables say, and no more."""
        return []

    def conclusion(self) -> list[str]:
        """Return the sentences that answer the question of this result alone.

        They stand below its table and in its section of a report; unlike `answer`, not at the top of the report.
        """
        return []

    def tally(self) -> list[tuple[str, int]]:
        """Return each verdict and how often it was given, better ones first; empty if there are no verdicts."""
        return []

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """Return a table as people read it, in Markdown, LaTeX and on a terminal; CSV and JSON keep all of it."""
        return self.tables[self.table_name(name)]

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """Return what a terminal shows of a table: by default `readable`; less where that is too long to read."""
        return self.readable(name, digits)

    def important(self, name: str) -> tuple[str, ...]:
        """Return the columns of a table that a terminal keeps longest."""
        return self.first_columns

    def left_out(self, name: str) -> str:
        """Return what `glance` leaves out of a table besides columns, such as ``5 more depths``; by default nothing."""
        return ""

    @property
    def command_output(self) -> CommandOutput:
        """What a command does with this result besides printing a table and the remark."""
        return CommandOutput()

    @classmethod
    def known_tables(cls) -> tuple[str, ...]:
        """The names that its tables can have, known before there is a result; empty if they are not."""
        return cls.table_names

    def table_name(self, name: str | None = None) -> str:
        """Return the name of a table that exists, by default of the most important one; refuse any other name."""
        if name is not None and name not in self.tables:
            raise MetameterError("there is no such table", given=name, fix=did_you_mean(name, list(self.tables)))
        return name or next(iter(self.tables))

    def charts(self) -> dict[str, Any]:
        """Return the charts by name, the most important first."""
        return {}

    def chart(self, *, title: str | None = None, width: int | None = None) -> Any:
        """Return the most important chart.

        Parameters
        ----------
        title : str, optional
            A title of your own; ``none`` for a chart without one.
        width : int, optional
            In pixels.
        """
        from metameter.view.charts.sizing import styled

        refuse_after_fork()
        first = next(iter(self.charts().values()), None)
        return None if first is None else styled(first, title=title, width=width)

    def latex(self) -> dict[str, str]:
        """Return each table as LaTeX, laid out as papers print it; without Monte-Carlo errors."""
        return {name: to_latex(printed(name, frame)) for name, frame in self.tables.items()}

    def to_latex(self, table: str | None = None) -> str:
        """Return one table as LaTeX; by default the most important."""
        return self.latex()[self.table_name(table)]

    def to_json(self, table: str | None = None) -> str:
        """Return one table as ``{name: [rows]}``; by default the most important."""
        name = self.table_name(table)
        return to_json({name: self.tables[name]})

    def to_pandas(self, table: str | None = None) -> Any:
        """Return one table as a pandas data frame; by default the most important."""
        return to_pandas(self.tables[self.table_name(table)])

    def text(
        self,
        table: str | None = None,
        format: str = "table",  # noqa: A002
        digits: int = DECIMALS,
        width: int | None = None,
        elsewhere: str | None = None,
    ) -> str:
        """Return one table as text, as a command prints it.

        On a terminal of that width it fits, and says what is left out and ``elsewhere`` to be seen.
        """
        return table_text(self, self.table_name(table), format, digits, width, elsewhere)

    def write(self, folder: str | Path, *, figures: bool = False) -> None:
        """Write tables (CSV, LaTeX), charts (HTML; with ``figures`` SVG and PDF too) and the manifest into a folder."""
        write_files(self, folder, figures=figures)

    def __str__(self) -> str:
        return self.text(elsewhere=".table") or self.remark

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {frame.height} x {frame.width}" for name, frame in self.tables.items())
        return f"<{type(self).__name__} {shapes}>"

    def _repr_html_(self) -> str:
        return notebook_html(self)
