"""What colours and shapes mean: one colour and one shape a verdict, in every chart, table and tally.

A verdict that found a difference is coloured, one that did not is grey; aggregations have colours of another family
(violets, wines, olives), which never say better or worse; all else is ink or grey.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BETTER_SIMILAR, BETTER_DIFFERENT = "better-and-similar", "better-but-different"
WORSE, MIXED, SAME, IDENTICAL, NO_EVIDENCE = "worse", "mixed", "same", "identical", "no-evidence"
REFERENCE = "reference"
#: What stands beside a verdict that other random draws could turn; its shape is hollow and its lines are dashed.
CLOSE_CALL = "close call"


@dataclass(frozen=True)
class Meaning:
    """A verdict, and how it is shown.

    Attributes
    ----------
    name : str
        As tables spell it.
    words : str
        What it says.
    colour, dark : str
        On white paper, and on a dark page.
    shape : str
        An SVG path about 0, 0 of about two units, which Vega and browsers both draw.
    """

    name: str
    words: str
    colour: str
    dark: str
    shape: str

    @property
    def label(self) -> str:
        """The name as words.

        Examples
        --------
        >>> MEANINGS["no-evidence"].label
        'no evidence'
        """
        return self.name.replace("-", " ")


# As the star beside the names of canonical metrics; somewhat larger than the others, since it has little area.
_STAR = "M0,-1.3L.31,-.42L1.24,-.4L.49,.16L.76,1.05L0,.52L-.76,1.05L-.49,.16L-1.24,-.4L-.31,-.42Z"
_SHAPES = {
    "up": "M-.95,.78L0,-.9L.95,.78Z",
    "down": "M-.95,-.78L0,.9L.95,-.78Z",
    "diamond": "M0,-1L.8,0L0,1L-.8,0Z",
    "both": "M-.8,-.95L.8,-.95L-.8,.95L.8,.95Z",
    "square": "M-.72,-.72H.72V.72H-.72Z",
    "equals": "M-.9,-.75H.9V-.2H-.9ZM-.9,.2H.9V.75H-.9Z",
    "circle": "M-.8,0A.8,.8,0,1,1,.8,0A.8,.8,0,1,1,-.8,0Z",
}

# The first four by Okabe and Ito (2008), some darker; people with any kind of colour vision can tell them apart, and
# from the greys by lightness. Found comes before not found: in this order legends, tallies and tables list them.
_ALL = (
    Meaning(BETTER_SIMILAR, "better, and surely ranks the systems alike", "#009E73", "#3CC79A", _SHAPES["up"]),
    Meaning(
        BETTER_DIFFERENT, "better, but does not surely rank the systems alike", "#0066B8", "#5AA9F0", _SHAPES["diamond"]
    ),
    Meaning(WORSE, "worse in one respect, better in none", "#B33A00", "#F0885A", _SHAPES["down"]),
    Meaning(MIXED, "better in one respect, worse in another", "#D99000", "#F0C24D", _SHAPES["both"]),
    Meaning(SAME, "shown to differ by less than the margin", "#5E5E5E", "#B5BBC2", _SHAPES["square"]),
    Meaning(IDENTICAL, "the same scores, up to a factor", "#3D3D3D", "#D5DADF", _SHAPES["equals"]),
    Meaning(NO_EVIDENCE, "neither a difference nor sameness is shown", "#949494", "#8E959C", _SHAPES["circle"]),
    Meaning(REFERENCE, "the metric that others are held against", "#111111", "#FFFFFF", _STAR),
)
MEANINGS = {meaning.name: meaning for meaning in _ALL}
#: The verdicts that found a difference.
FOUND = (BETTER_SIMILAR, BETTER_DIFFERENT, WORSE, MIXED)

#: The colours of aggregations on white paper -> on a dark page, in the order of their positions (`Aggregation.colour`).
AGGREGATIONS = {
    "#430F67": "#E5D6F5",
    "#B3A5E9": "#B486F9",
    "#CFA5A5": "#DBDBBD",
    "#B8B80A": "#F2F20D",
    "#9F5673": "#B87A8D",
    "#9434F4": "#9B4FBF",
    "#552020": "#6B7440",
    "#6F6F06": "#819C16",
}


def in_order_of_news(verdicts: Iterable[str]) -> list[str]:
    """Verdicts without repetition: what was found before what was not; unknown ones last, as they come.

    Examples
    --------
    >>> in_order_of_news(["no-evidence", "worse", "no-evidence", "unheard-of", "better-and-similar"])
    ['better-and-similar', 'worse', 'no-evidence', 'unheard-of']
    """
    places = {name: place for place, name in enumerate(MEANINGS)}
    return sorted(dict.fromkeys(verdicts), key=lambda verdict: places.get(verdict, len(places)))
