"""The colours and shapes of verdicts on a page: badges, tallies and charts take them from one place."""

from __future__ import annotations

from collections.abc import Iterable

from metameter.view.charts.depths import ON_DARK
from metameter.view.charts.level_colours import LEVELS
from metameter.view.charts.meanings import AGGREGATIONS, CLOSE_CALL, MEANINGS
from metameter.view.escape import escape_html

__all__ = ["badge", "shapes", "style"]


def badge(verdict: str, close: bool = False) -> str:
    """A verdict as HTML: its shape and its words; a close call says so, and its shape is hollow.

    Examples
    --------
    >>> badge("worse")
    '<span class="badge worse"><svg class="mark" aria-hidden="true"><use href="#mark-worse"/></svg>worse</span>'
    >>> badge("unheard of")
    '<span class="badge">unheard of</span>'
    """
    words = escape_html(verdict.replace("-", " "))
    if verdict not in MEANINGS:
        return f'<span class="badge">{words}</span>'
    mark = f'<svg class="mark" aria-hidden="true"><use href="#mark-{verdict}"/></svg>'
    kind, said = (" close", f' <span class="call">({CLOSE_CALL})</span>') if close else ("", "")
    return f'<span class="badge {verdict}{kind}">{mark}{words}{said}</span>'


def shapes(verdicts: Iterable[str]) -> str:
    """The shapes that badges refer to, as SVG."""
    known = (MEANINGS[each] for each in verdicts if each in MEANINGS)
    symbols = "".join(
        f'<symbol id="mark-{each.name}" viewBox="-1.35 -1.35 2.7 2.7"><path d="{each.shape}"/></symbol>'
        for each in known
    )
    return f'<svg class="unseen" aria-hidden="true">{symbols}</svg>'


def style() -> str:
    """The style sheet of colours: charts are drawn for white paper, and follow the page when it is dark."""
    badges = (f".badge.{each.name} {{ --mark: light-dark({each.colour}, {each.dark}); }}" for each in MEANINGS.values())
    colours = {each.colour: each.dark for each in MEANINGS.values()} | AGGREGATIONS | ON_DARK | LEVELS
    drawn = (
        f'.drawing [{side}="{light}"] {{ {side}: light-dark({light}, {dark}); }}'
        for light, dark in colours.items()
        for side in ("fill", "stroke")
    )
    return "\n".join(["/* One colour a meaning. */", *badges, *drawn, ""])
