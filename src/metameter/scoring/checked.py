"""What a check of judgments and runs says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from metameter.errors import MetameterError
from metameter.view.html import html_table, paragraphs
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Checked"]


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Result):
    """The tables ``problems`` (file, line, what, fix) and ``coverage`` (one row per run)."""

    table_names: ClassVar[tuple[str, ...]] = ("problems", "coverage")

    first_columns: ClassVar[tuple[str, ...]] = ("file", "line", "what", "fix", "system", "topics", "missing")
    remark_is_table: ClassVar[bool] = True

    @property
    def problems(self) -> pl.DataFrame:
        """One row per problem: file, line, what, fix."""
        return self.tables["problems"]

    @property
    def coverage(self) -> pl.DataFrame:
        """One row per run."""
        return self.tables["coverage"]

    @property
    def verdict(self) -> str:
        """That all is well, which an empty table says to nobody; `complaint` says the contrary."""
        return "" if self.problems.height else "No problems."

    @property
    def remark(self) -> str:
        """What a person wants to see besides the problems."""
        return "\n".join([*([self.verdict] if self.verdict else []), "coverage", self.text("coverage")])

    @property
    def complaint(self) -> MetameterError | None:
        """The table lists the problems; this, and the exit status, say that there are some."""
        count = self.problems.height
        if not count:
            return None
        files = self.problems["file"].n_unique()
        what = f"{count} problem{'s' if count > 1 else ''} in {files} file{'s' if files > 1 else ''}"
        return MetameterError(what, fix="The table of problems says where, and how to fix them.")

    def _repr_html_(self) -> str:
        count = self.problems.height
        verdict = f"{count:,} problem{'s' * (count != 1)}:" if count else "No problems."
        listed = html_table(self.problems) if count else ""
        return paragraphs([verdict]) + listed + paragraphs(["What the judgments cover:"]) + html_table(self.coverage)
