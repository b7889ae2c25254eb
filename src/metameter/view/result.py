"""What every procedure returns: labelled tables, charts, LaTeX, and what they were made from."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.notebook import MOST_ROWS, html_table, paragraphs
from metameter.view.files import write_tables, write_whole
from metameter.view.latex import to_latex

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Result", "when_and_where"]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Tables by name, the most important first.

    Attributes
    ----------
    tables : dict of polars.DataFrame
    manifest : dict
        Versions, options and inputs: what it takes to make the same tables again.
    notes : tuple of str
        What a reader must know to read the tables rightly.
    """

    tables: dict[str, pl.DataFrame]
    manifest: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> pl.DataFrame:
        """The most important table."""
        return next(iter(self.tables.values()))

    @property
    def remark(self) -> str:
        """The notes, as a person reads them below a table."""
        return "\n".join(self.notes)

    def charts(self) -> dict[str, Any]:
        """The charts by name, the most important first."""
        return {}

    def chart(self) -> Any:
        """The most important chart."""
        return next(iter(self.charts().values()), None)

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX, laid out as papers print it where they do."""
        return {name: to_latex(frame) for name, frame in self.tables.items()}

    def to_latex(self, table: str | None = None) -> str:
        """One table as LaTeX; by default the most important."""
        return self.latex()[table or next(iter(self.tables))]

    def write(self, folder: Path, *, figures: bool = False) -> None:
        """Write tables (CSV, LaTeX), charts (HTML; with ``figures`` SVG and PDF too) and the manifest into a folder."""
        from metameter.view.charts.page import save_figures, save_html

        write_tables(folder, self.tables, latex=False)
        for name, text in self.latex().items():
            write_whole(folder / f"{name}.tex", text + "\n")
        for name, chart in self.charts().items():
            save_html(chart, folder / f"{name}.html", name)
            if figures:
                save_figures(chart, folder / name)
        manifest = {**self.manifest, "notes": list(self.notes)}
        write_whole(folder / "manifest.json", json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        write_whole(folder / "run.json", when_and_where())

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {frame.height} x {frame.width}" for name, frame in self.tables.items())
        return f"<{type(self).__name__} {shapes}>"

    def _repr_html_(self) -> str:
        return self._shown(self.chart())

    def _shown(self, chart: Any) -> str:
        """What a notebook shows: the remark, the table that people read, and a chart if there is one."""
        from metameter.view.charts.inline import inline_svg

        # Only what is shown is made readable: to spell out a million rows would take longer than to find them.
        name, frame = next(iter(self.tables.items()))
        few = replace(self, tables={**self.tables, name: frame.head(MOST_ROWS)})
        shown = few.readable() if hasattr(few, "readable") else few.table
        drawn = "" if chart is None else inline_svg(chart)
        return paragraphs(self.remark.splitlines()) + html_table(shown, frame.height) + drawn


def when_and_where() -> str:
    """What stands apart in ``run.json``: all other files are the same bytes whenever the same is computed."""
    facts = {"written": datetime.now(UTC).isoformat(timespec="seconds"), "host": platform.node()}
    return json.dumps(facts, indent=1) + "\n"
