"""Scores as a table that is printed, or written as one file."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metameter.errors import MetameterError
from metameter.types import Scores
from metameter.view.paths import output_path
from metameter.view.result import CommandOutput, Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.csv import crossed_csv
from metameter.view.tables.formats import render
from metameter.view.tables.latex import to_latex
from metameter.view.tables.lazy_tables import LazyTables

if TYPE_CHECKING:
    import polars as pl


MOST_SYSTEMS = 20

_ABREAST = 6  # columns of numbers, on a page
SUFFIXES = (".csv", ".tsv", ".parquet", ".json")


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Result):
    """The table ``scores``: one row per metric, system and topic, or, of means, one row per metric and system.

    Attributes
    ----------
    file : str or None
        The file to write, if one was named.
    wide : polars.DataFrame, optional
        The table that people read instead: of means a row per system and a column per metric.
    summary : Summary, optional
        What is shown of scores that go into a file.
    scores : Scores, optional
        The scores, if the table is their long one.
    """

    table_names: ClassVar[tuple[str, ...]] = ("scores",)

    file: str | None = None
    wide: pl.DataFrame | None = None
    summary: Summary | None = None
    scores: Scores | None = None

    @property
    def command_output(self) -> CommandOutput:
        """The file to write; a terminal then shows the means."""
        rows = f"{self.table.height:,} row{'s' * (self.table.height != 1)}" if self.file is not None else ""
        whole = "--format csv"
        # The long table is not computed to learn that it has topics: many commands print scores without it.
        if self.scores is not None or "topic" in self.table.columns:
            whole = "--mean --format csv" if self.summary else "--mean, --format csv or --out FILE"
        return CommandOutput(
            piped_format="csv" if self.summary is None else "table",
            whole_table=whole,
            destination=self.file,
            files=f"{rows}{self.summary or '.'}",
        )

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The table on a terminal: the means of scores that go into a file, not thousands of rows."""
        return self.readable(name, digits) if self.summary is None else self.summary.table

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The table for people, in a terminal, Markdown and LaTeX; CSV and JSON have the long one."""
        return super().readable(name, digits) if self.wide is None else self.wide

    def latex(self) -> dict[str, str]:
        """The table for people, divided into several where the metrics are too many for a page."""
        return {"scores": self._latex()}

    def text(
        self,
        table: str | None = None,
        format: str = "table",  # noqa: A002
        digits: int = DECIMALS,
        width: int | None = None,
        elsewhere: str | None = None,
    ) -> str:
        """The text for standard output; LaTeX has as many decimals as the other tables for people."""
        if format == "latex":
            return self._latex(digits)
        self.table_name(table)
        text = None
        if format in ("csv", "tsv") and self.scores is not None and not (self.scores.bounds or self.scores.iterations):
            # Most commands only print the table, which is faster without computing it.
            text = crossed_csv(self.scores.axes, "score", self.scores.values, "," if format == "csv" else "\t")
        return super().text(table, format, digits, width, elsewhere) if text is None else text

    def _latex(self, digits: int = DECIMALS) -> str:
        frame = self.readable()
        if self.wide is None:
            return to_latex(frame, digits=digits)
        labels = [name for name in ("system", "topic") if name in frame.columns]
        metrics = [name for name in frame.columns if name not in labels]
        some = [metrics[start : start + _ABREAST] for start in range(0, len(metrics), _ABREAST)]
        return "\n\n".join(to_latex(frame.select(*labels, *columns), digits=digits) for columns in some)

    def write(self, folder: str | Path, *, figures: bool = False) -> None:
        """Write one file, in the format of its suffix, and its manifest beside it."""
        from metameter.view.atomic_files import write_whole

        path = output_path(folder)
        check_suffix(path)
        write_whole(path, _encoded(self.table, path))
        manifest = json.dumps(self.manifest, indent=1, sort_keys=True) + "\n"
        write_whole(path.with_name(path.name + ".manifest.json"), manifest)


def score_table(scores: Scores, *, mean: bool = False, wide: bool = False, file: str | None = None) -> ScoreTable:
    """Return the scores as a long table; or, with ``mean``, one figure per metric and system over all topics.

    Programs get means long, people wide; with ``wide`` both get a row per system (and topic) and a column per metric.

    Examples
    --------
    >>> scores = Scores(("AP", "RR"), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.7], [0.4, 0.2]], [[1, 1], [1, 0.5]]]))
    >>> score_table(scores, mean=True).table.columns
    ['metric', 'system', 'score']
    >>> print(score_table(scores, mean=True))
     system       AP       RR
    ──────────────────────────
     a        0.6000   1.0000
     b        0.3000   0.7500
    >>> score_table(scores, wide=True).table.columns
    ['system', 'topic', 'AP', 'RR']
    """
    wide_form = wide_table(scores, mean=mean) if mean or wide else None
    if wide_form is not None and wide:
        tables: Mapping[str, pl.DataFrame] = {"scores": wide_form}
    else:
        tables = LazyTables({"scores": partial(_means if mean else _long, scores)})
    # The long table has a column for the kind of bounds; the wide one has a note.
    notes = () if wide_form is None else _heuristic(scores)
    summary = summary_of(scores) if file is not None and not mean else None
    long = None if mean or wide else scores
    return ScoreTable(
        tables, scores.manifest, notes, file=file, wide=wide_form, summary=summary, scores=long, names=scores.names
    )


def wide_table(scores: Scores, *, mean: bool = False) -> pl.DataFrame:
    """Return a row per system and topic, or with ``mean`` per system; a column per metric, then its bounds."""
    table = scores.means if mean else scores.wide()
    if scores.low is None or scores.high is None:
        return table
    low, high = (scores.summarised(end) if mean else end for end in (scores.low, scores.high))
    columns = [each for each in table.columns if each not in scores.metrics]
    for name, least, most in zip(scores.metrics, low, high, strict=True):
        ends = (_nulls(least).alias(f"{name} low"), _nulls(most).alias(f"{name} high"))
        table = table.with_columns(*ends)
        columns += [name, *(each.name for each in ends)]
    return table.select(columns)


def _heuristic(scores: Scores) -> tuple[str, ...]:
    kinds = zip(scores.metrics, scores.bounds or (), strict=False)
    names = ", ".join(name for name, kind in kinds if kind == "heuristic")
    return (f"Warning: low and high of {names} are heuristic, not exact.",) if names else ()


def check_suffix(path: Path) -> None:
    """Refuse a file whose suffix names no known format, before anything is computed."""
    if path.suffix not in SUFFIXES:
        allowed = ", ".join(SUFFIXES)
        fix = "Give the file one of these suffixes."
        raise MetameterError("unknown kind of file", where=str(path), given=path.suffix, allowed=allowed, fix=fix)


def _long(scores: Scores) -> pl.DataFrame:
    return scores.table


def _means(scores: Scores) -> pl.DataFrame:
    import polars as pl

    means = scores.long_means()
    if scores.bounds is None or scores.low is None or scores.high is None:
        return means
    kinds = pl.Series(np.repeat(scores.bounds, len(scores.systems)).tolist(), dtype=pl.String)
    low, high = (_nulls(scores.summarised(end)) for end in (scores.low, scores.high))
    return means.with_columns(low=low, high=high, bounds=kinds)


def _nulls(ends: np.ndarray) -> pl.Series:
    """Return bounds as a column, null for metrics that count judgments, which have none."""
    import polars as pl

    return pl.Series(ends.reshape(-1), nan_to_null=True)


def _encoded(table: pl.DataFrame, path: Path) -> bytes | str:
    if path.suffix == ".parquet":
        buffer = io.BytesIO()
        table.write_parquet(buffer)
        return buffer.getvalue()
    return render({"scores": table}, "scores", path.suffix[1:]) + "\n"


@dataclass(frozen=True)
class Summary:
    """The means for people, one row per system, and a sentence about all scores."""

    table: pl.DataFrame
    text: str

    def __str__(self) -> str:
        return self.text


def summary_of(scores: Scores) -> Summary:
    """Return a short table and sentence about scores of any size.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.75], [0.25, 0.25]]]))
    >>> summary_of(scores).table.rows()
    [('a', 0.625), ('b', 0.25)]
    >>> print(summary_of(scores))
    , 1 metric x 2 systems x 2 topics. Shown: means over topics; --format csv prints the rows.
    """
    counts = {"metric": scores.metrics, "system": scores.systems, "topic": scores.topics}
    sizes = " x ".join(f"{len(labels):,} {name}{'s' * (len(labels) != 1)}" for name, labels in counts.items())
    left_out = len(scores.systems) - MOST_SYSTEMS
    which = f" of the first {MOST_SYSTEMS} systems" if left_out > 0 else ""
    text = f", {sizes}. Shown: means over topics{which}; --format csv prints the rows."
    return Summary(scores.means.head(MOST_SYSTEMS), text)
