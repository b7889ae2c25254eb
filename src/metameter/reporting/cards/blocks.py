"""The parts of a card, as Markdown and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metameter.reporting.bibliography import citation, entry
from metameter.reporting.cards.drawing import Drawing
from metameter.reporting.cards.plain_math import plain_math, plain_text
from metameter.view.tables.formats import to_markdown
from metameter.view.tables.terminal import to_terminal
from metameter.view.tables.wrapping import cells_wide, wrapped

if TYPE_CHECKING:
    import polars as pl


_INDENT = "    "


@dataclass(frozen=True)
class Heading:
    """A heading and its level."""

    text: str
    level: int = 2

    def markdown(self) -> str:
        """Return it with hashes."""
        return f"{'#' * self.level} {self.text}"

    def terminal(self, width: int) -> list[str]:
        """Return its lines; the title of the card is underlined."""
        lines = wrapped(self.text, width)
        return [*lines, "─" * max(map(cells_wide, lines))] if self.level == 1 else lines


@dataclass(frozen=True)
class Paragraph:
    """Sentences, as Markdown."""

    text: str

    def markdown(self) -> str:
        """Return it unchanged."""
        return self.text

    def terminal(self, width: int) -> list[str]:
        """Return it without markup, wrapped."""
        return wrapped(plain_text(self.text), width)


@dataclass(frozen=True)
class Formula:
    """Display mathematics, as LaTeX."""

    text: str

    def markdown(self) -> str:
        """Return a block that GitHub renders."""
        return f"```math\n{self.text}\n```"

    def terminal(self, width: int) -> list[str]:
        """Return it in Unicode, each statement on its own line."""
        statements = [wrapped(each, width - 2 * len(_INDENT)) for each in plain_math(self.text).split("\n")]
        return [_INDENT * (1 + (number > 0)) + line for lines in statements for number, line in enumerate(lines)]


@dataclass(frozen=True)
class WorkedExample:
    """Numbers with bars, and their subject."""

    subject: str
    drawing: Drawing

    def markdown(self) -> str:
        """Return it as fixed-width text."""
        return f"`{self.subject}`\n\n```text\n{self.drawing}\n```"

    def terminal(self, width: int) -> list[str]:
        """Return it with bars that fit the width."""
        return [*wrapped(self.subject, width), "", *self.drawing.fitted(width).split("\n")]


@dataclass(frozen=True)
class Rows:
    """A table, and for sparse ones a narrower form for a terminal."""

    frame: pl.DataFrame
    narrow: pl.DataFrame | None = None

    def markdown(self) -> str:
        """Return all columns."""
        return to_markdown(self.frame)

    def terminal(self, width: int) -> list[str]:
        """Return all of it, wrapped where necessary."""
        frame = self.frame if self.narrow is None else self.narrow
        return to_terminal(frame, width, first=frame.columns, elsewhere="--format markdown").split("\n")


@dataclass(frozen=True)
class References:
    """Papers, by their keys in the bibliography."""

    keys: Sequence[str]

    def markdown(self) -> str:
        """Return them as BibTeX."""
        entries = "\n\n".join(map(entry, self.keys))
        return f"```bibtex\n{entries}\n```"

    def terminal(self, width: int) -> list[str]:
        """Return them as a list of references."""
        papers = [wrapped(citation(key), width - len(_INDENT)) for key in self.keys]
        return [("" if number == 0 else _INDENT) + line for lines in papers for number, line in enumerate(lines)]


Block = Heading | Paragraph | Formula | WorkedExample | Rows | References


def as_markdown(blocks: Sequence[Block]) -> str:
    """A card as Markdown.

    Examples
    --------
    >>> print(as_markdown([Heading("RBP", 1), Formula("C(i) = p")]), end="")
    # RBP
    <BLANKLINE>
    ```math
    C(i) = p
    ```
    """
    return "\n\n".join(block.markdown() for block in blocks) + "\n"


def for_terminal(blocks: Sequence[Block], width: int) -> str:
    r"""A card for a terminal of that width.

    Examples
    --------
    >>> print(for_terminal([Heading("RBP", 1), Formula(r"i \le n"), Paragraph("It *ends*.")], 40), end="")
    RBP
    ───
    <BLANKLINE>
        i ≤ n
    <BLANKLINE>
    It ends.
    """
    return "\n\n".join("\n".join(block.terminal(width)) for block in blocks) + "\n"
