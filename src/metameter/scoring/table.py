"""Scores as a table that is printed, or written as one file."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metameter.errors import MetameterError
from metameter.scoring.summary import Summary, summary_of
from metameter.types import Scores
from metameter.view.cells import DECIMALS
from metameter.view.files import write_whole
from metameter.view.places import place_for
from metameter.view.result import Result
from metameter.view.tables import render

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "ScoreTable", "check_suffix", "score_table"]

SUFFIXES = (".csv", ".tsv", ".parquet", ".json")


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Result):
    """The table ``scores``: one row per metric, system and topic, or, of means, one row per metric and system."""

    table_names: ClassVar[tuple[str, ...]] = ("scores",)

    file: str | None = None
    #: What is shown of scores that go into a file.
    summary: Summary | None = None

    def elsewhere(self, name: str) -> str:
        """Of means that are shown in place of scores, all means; else shorter, as a program reads it, or in a file."""
        return "--mean --format csv" if self.summary else "--mean, --format csv or --out FILE"

    @property
    def piped_as(self) -> str:
        """Where the rows are in a file, what is printed is for people."""
        return "csv" if self.summary is None else "table"

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: of scores that were written the means, not thousands of rows."""
        return self.readable(name, digits) if self.summary is None else self.summary.table

    def written(self, out: str) -> str:
        """What the file holds, and what was shown of it."""
        rows = f"{self.table.height:,} row{'s' * (self.table.height != 1)}"
        return f"Written to {out}: {rows}{self.summary or '.'}"

    @property
    def destination(self) -> str | None:
        """The file to write, if one was named."""
        return self.file

    def write(self, folder: str | Path, *, figures: bool = False) -> None:
        """Write one file, in the format that its suffix says, and its manifest beside it."""
        path = place_for(folder)
        check_suffix(path)
        write_whole(path, _encoded(self.table, path))
        manifest = json.dumps(self.manifest, indent=1, sort_keys=True) + "\n"
        write_whole(path.with_name(path.name + ".manifest.json"), manifest)


def score_table(scores: Scores, *, mean: bool = False, file: str | None = None) -> ScoreTable:
    """The scores as a long table; or, with ``mean``, one figure per metric and system over all topics.

    Examples
    --------
    >>> scores = Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.7], [0.4, 0.2]]]))
    >>> score_table(scores, mean=True).table.columns
    ['metric', 'system', 'score']
    """
    summary = summary_of(scores) if file is not None and not mean else None
    table = _means(scores) if mean else scores.table
    return ScoreTable({"scores": table}, scores.manifest, file=file, summary=summary)


def check_suffix(path: Path) -> None:
    """Refuse a file whose suffix names no known format, before anything is computed."""
    if path.suffix not in SUFFIXES:
        allowed = ", ".join(SUFFIXES)
        fix = "Give the file one of these suffixes."
        raise MetameterError("unknown kind of file", where=str(path), given=path.suffix, allowed=allowed, fix=fix)


def _means(scores: Scores) -> pl.DataFrame:
    return scores.long_means().with_columns(**_mean_residuals(scores))


def _mean_residuals(scores: Scores) -> dict[str, Any]:
    import polars as pl

    if scores.bounds is None or scores.low is None or scores.high is None:
        return {}
    ends = {
        name: pl.Series(scores.summarised(end).reshape(-1))
        for name, end in (("low", scores.low), ("high", scores.high))
    }
    return {**ends, "bounds": pl.Series(np.repeat(scores.bounds, len(scores.systems)).tolist(), dtype=pl.String)}


def _encoded(table: pl.DataFrame, path: Path) -> bytes | str:
    if path.suffix == ".parquet":
        buffer = io.BytesIO()
        table.write_parquet(buffer)
        return buffer.getvalue()
    return render({"scores": table}, "scores", path.suffix[1:]) + "\n"
