"""The marks of labels such as verdicts: one colour and one shape per label, in every chart, table and tally."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# SVG paths about the origin, about two units wide, which Vega and browsers both draw.
#: The star has little area, so it is larger than the other shapes; it also marks canonical metrics.
STAR = "M0,-1.3L.31,-.42L1.24,-.4L.49,.16L.76,1.05L0,.52L-.76,1.05L-.49,.16L-1.24,-.4L-.31,-.42Z"
SHAPES = {
    "up": "M-.95,.78L0,-.9L.95,.78Z",
    "down": "M-.95,-.78L0,.9L.95,-.78Z",
    "diamond": "M0,-1L.8,0L0,1L-.8,0Z",
    "hourglass": "M-.8,-.95L.8,-.95L-.8,.95L.8,.95Z",
    "square": "M-.72,-.72H.72V.72H-.72Z",
    "equals": "M-.9,-.75H.9V-.2H-.9ZM-.9,.2H.9V.75H-.9Z",
    "circle": "M-.8,0A.8,.8,0,1,1,.8,0A.8,.8,0,1,1,-.8,0Z",
    "star": STAR,
}


@dataclass(frozen=True)
class MarkStyle:
    """One label and its mark.

    Attributes
    ----------
    name : str
        The label as tables spell it.
    meaning : str
        What the label says, in a few words.
    colour, dark : str
        The colour on white paper, and on a dark page.
    shape : str
        An SVG path.
    """

    name: str
    meaning: str
    colour: str
    dark: str
    shape: str

    @property
    def text(self) -> str:
        """The name with spaces for hyphens."""
        return self.name.replace("-", " ")


@dataclass(frozen=True)
class MarkedColumn:
    """A column whose labels have marks; the marks of some rows are hollow.

    Attributes
    ----------
    name : str
        The column of labels.
    styles : mapping
        Label -> its mark, in the order of legends.
    hollow : str
        The boolean column that is true for rows with hollow marks and dashed lines.
    hollow_text : str
        What a table writes beside a label whose mark is hollow.
    hollow_note : str
        What a chart says below its title if some marks are hollow.
    """

    name: str
    styles: Mapping[str, MarkStyle]
    hollow: str
    hollow_text: str
    hollow_note: str

    def in_order(self, labels: Iterable[str]) -> list[str]:
        """Return the distinct labels in the order of legends; those without a mark come last, as they occur."""
        ranks = {name: rank for rank, name in enumerate(self.styles)}
        return sorted(dict.fromkeys(labels), key=lambda label: ranks.get(label, len(ranks)))
