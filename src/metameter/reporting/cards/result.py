"""Cards as the result of the command ``metrics``."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from metameter.metric.catalogue import catalogue
from metameter.reporting.cards.blocks import Block, as_markdown, for_terminal
from metameter.reporting.cards.card import blocks_of
from metameter.view.atomic_files import write_whole
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS

WIDEST = 120  # sentences in longer lines are hard to read


@dataclass(frozen=True, eq=False, repr=False)
class Cards(Result):
    """The table ``metrics``; of one name also its cards."""

    table_names: ClassVar[tuple[str, ...]] = ("metrics",)

    first_columns: ClassVar[tuple[str, ...]] = ("name", "meaning")

    blocks: tuple[tuple[str, list[Block]], ...] = ()

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The cards as (name of the file, Markdown)."""
        return tuple((stem, as_markdown(blocks)) for stem, blocks in self.blocks)

    def text(
        self,
        table: str | None = None,
        format: str = "table",  # noqa: A002
        digits: int = DECIMALS,
        width: int | None = None,
        elsewhere: str | None = None,
    ) -> str:
        """Return what a command prints: for people the cards, where there are any, instead of the table."""
        self.table_name(table)
        if not self.blocks or format not in ("table", "markdown"):
            return super().text(table, format, digits, width, elsewhere)
        if format == "markdown":
            return "\n".join(text for _, text in self.texts)
        room = min(shutil.get_terminal_size().columns if width is None else width, WIDEST)
        return "\n".join(for_terminal(blocks, room) for _, blocks in self.blocks)

    def write(self, folder: str | Path, *, figures: bool = False) -> None:
        """Write the table, and the cards as ``KIND-NAME.md``."""
        super().write(folder, figures=figures)
        for stem, text in self.texts:
            write_whole(Path(folder) / f"{stem}.md", text)


def cards(kind: str | None = None, name: str | None = None) -> Cards:
    """List what is registered; with a name, its card or, where a model and an aggregation share it, cards.

    Examples
    --------
    >>> [stem for stem, _ in cards(name="ERR").texts]
    ['browse-ERR', 'aggregate-ERR']
    """
    from metameter import __version__

    table = catalogue(kind=kind, name=name)
    rows = table.select("kind", "name").rows() if name is not None else []
    blocks = tuple((f"{each}-{called}", blocks_of(each, called)) for each, called in rows)
    manifest = {"command": "metrics", "kind": kind, "name": name, "version": __version__}
    return Cards({"metrics": table}, manifest, blocks=blocks)
