"""The result of every procedure and command: labelled tables, with a manifest of options and inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.errors import MetameterError, did_you_mean, refuse_after_fork
from metameter.view.metric_names import in_latex, in_table, in_words
from metameter.view.presentation import CommandOutput, notebook_html, table_text, write_files
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.columns import printed
from metameter.view.tables.formats import to_json, to_pandas
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn

__all__ = ["CommandOutput", "Result"]


def _sentences(sentences: list[str], names: Mapping[str, str]) -> list[str]:
    return [in_words(sentence, names) for sentence in sentences]


def _papers(papers: dict[str, str], names: Mapping[str, str]) -> dict[str, str]:
    return {table: in_latex(text, names) for table, text in papers.items()}


#: A method that returns output for people -> the function that replaces canonical metric names in it.
_FOR_PEOPLE: dict[str, Callable[[Any, Mapping[str, str]], Any]] = {
    "answer": _sentences,
    "conclusion": _sentences,
    "remark": in_words,
    "left_out": in_words,
    "readable": in_table,
    "glance": in_table,
    "latex": _papers,
}


def _named(method: Callable[..., Any], write: Callable[[Any, Mapping[str, str]], Any]) -> Callable[..., Any]:
    @wraps(method)
    def shown(result: Result, *arguments: Any, **options: Any) -> Any:
        return write(method(result, *arguments, **options), result.names)

    return shown


def _named_charts(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def shown(result: Result) -> Any:
        from metameter.view.charts.specification import display_names

        with display_names(result.names):
            return method(result)

    return shown


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Tables by name, the most important first.

    A subclass overrides the sentences about its tables (`answer`, `conclusion`, `remark`, `tally`), the parts that
    people read (`readable`, `glance`, `important`, `left_out`), and the charts and LaTeX (`charts`, `latex`). These
    methods use canonical metric names, as in the tables; `Result` replaces them with display names.
    `metameter.view.presentation` shows a result on a terminal, in a notebook and as files.

    Attributes
    ----------
    tables : dict of polars.DataFrame
    manifest : dict
        Versions, options and inputs, with which the same tables can be computed again.
    notes : tuple of str
        Sentences on how the numbers were computed and how they are meant; a command prints them with ``--notes``.
    names : mapping
        Canonical name of a metric -> the name that people see; ``tables`` have canonical names.

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
    names: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    #: The names that its tables can have, so that a command refuses any other before the work; empty if not known.
    table_names: ClassVar[tuple[str, ...]] = ()
    #: The columns that a narrow terminal keeps longest; after them, those that stand first.
    first_columns: ClassVar[tuple[str, ...]] = ()
    #: Columns that are not named as left out where a table is printed without them.
    unnamed_columns: ClassVar[frozenset[str]] = frozenset()
    #: The column whose labels have marks in a notebook.
    marked_column: ClassVar[MarkedColumn | None] = None

    def __init_subclass__(cls, **options: Any) -> None:
        """Let the methods for people write display names."""
        super().__init_subclass__(**options)
        for name, own in vars(cls).copy().items():
            if name in _FOR_PEOPLE:
                shown = _named(getattr(own, "fget", own), _FOR_PEOPLE[name])
                setattr(cls, name, property(shown) if isinstance(own, property) else shown)
            elif name == "charts":
                cls.charts = _named_charts(own)  # type: ignore[method-assign]

    @property
    def table(self) -> pl.DataFrame:
        """The most important table."""
        return next(iter(self.tables.values()))

    @property
    def remark(self) -> str:
        """What a person reads below the table: by default the answer, the conclusion, and of the notes the warnings."""
        return in_words("\n".join([*self.answer(), *self.conclusion(), *self.warnings]), self.names)

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
        return in_table(self.tables[self.table_name(name)], self.names)

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """Return what a terminal shows of a table: by default `readable`; less where that is too long to read."""
        return self.readable(name, digits)

    def overview(self, width: int) -> list[str]:
        """Return the lines that a command prints instead of a table; by default none.

        Parameters
        ----------
        width : int
            Columns of the terminal; sentences may be longer.
        """
        return []

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
        return _papers({name: to_latex(printed(name, frame)) for name, frame in self.tables.items()}, self.names)

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

        For a terminal the text is fitted to the width and ends with a line on what is omitted and where (``elsewhere``)
        to find it.
        """
        if format == "latex":
            return self.to_latex(table)
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
