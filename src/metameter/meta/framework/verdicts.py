"""The verdicts of a comparison with a reference metric, and their marks in charts, tables and tallies.

A verdict that shows a difference is coloured, any other is grey. The colours of aggregations are of another family
(violets, wines, olives), so that none of them reads as better or worse.
"""

from __future__ import annotations

from metameter.view.mark_styles import SHAPES, MarkedColumn, MarkStyle

BETTER_SIMILAR, BETTER_DIFFERENT = "better-and-similar", "better-but-different"
WORSE, MIXED, SAME, IDENTICAL, NO_EVIDENCE = "worse", "mixed", "same", "identical", "no-evidence"
REFERENCE = "reference"
#: The mark of a verdict that another seed could change.
CLOSE_CALL = "close call"

# The first four colours are from Okabe and Ito (2008), some darker. They can be told apart with any kind of colour
# vision, and from the greys by lightness. Legends, tallies and tables list the verdicts in this order: differences
# that were shown come first.
_STYLES = (
    MarkStyle(BETTER_SIMILAR, "better, and shown to rank the systems similarly", "#009E73", "#3CC79A", SHAPES["up"]),
    MarkStyle(
        BETTER_DIFFERENT, "better, but not shown to rank the systems similarly", "#0066B8", "#5AA9F0", SHAPES["diamond"]
    ),
    MarkStyle(WORSE, "worse in one respect, better in none", "#B33A00", "#F0885A", SHAPES["down"]),
    MarkStyle(MIXED, "better in one respect, worse in another", "#D99000", "#F0C24D", SHAPES["hourglass"]),
    MarkStyle(SAME, "shown to differ by less than the margin", "#5E5E5E", "#B5BBC2", SHAPES["square"]),
    MarkStyle(IDENTICAL, "the same scores, up to a factor", "#3D3D3D", "#D5DADF", SHAPES["equals"]),
    MarkStyle(NO_EVIDENCE, "neither a difference nor sameness is shown", "#949494", "#8E959C", SHAPES["circle"]),
    MarkStyle(REFERENCE, "the metric that others are compared with", "#111111", "#FFFFFF", SHAPES["star"]),
)
VERDICT_STYLES = {style.name: style for style in _STYLES}
#: The column ``verdict`` of tables, with the mark of each verdict.
VERDICT_COLUMN = MarkedColumn(
    "verdict",
    VERDICT_STYLES,
    "close_call",
    CLOSE_CALL,
    f"Hollow and dashed: a {CLOSE_CALL}, which another seed could change.",
)
#: The verdicts that show a difference.
DIFFERENCES = (BETTER_SIMILAR, BETTER_DIFFERENT, WORSE, MIXED)
#: The verdicts as the cells of a matrix say them, where space is short.
SHORT = {
    BETTER_SIMILAR: "better",
    BETTER_DIFFERENT: "better",
    NO_EVIDENCE: "nothing shown",
}
