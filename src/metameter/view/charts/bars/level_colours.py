"""The colours of ordered levels, such as those of satisfaction: from sand to ink, each further from the paper."""

from __future__ import annotations

#: On white paper -> on a dark page, from the lowest level to the highest. They differ in lightness and in hue, so that
#: their order can be seen with any kind of colour vision; none is that of a verdict or of an aggregation.
LEVELS = {
    "#BD8C2F": "#8A6730",
    "#AA8C54": "#8F764E",
    "#968B78": "#94866B",
    "#7D8284": "#929492",
    "#64798F": "#8FA3B8",
    "#506880": "#A2B7CE",
    "#3D5772": "#B4CBE3",
    "#283D56": "#D2E0F0",
    "#12233A": "#F0F6FC",
}


def level_colours(levels: int) -> list[str]:
    """The colours of so many levels, the first and the last among them, evenly spaced between.

    Examples
    --------
    >>> level_colours(3)
    ['#BD8C2F', '#64798F', '#12233A']
    >>> level_colours(1)
    ['#12233A']
    """
    colours = list(LEVELS)
    last = len(colours) - 1
    if levels < 2:
        return colours[last:][:levels]
    return [colours[round(last * place / (levels - 1))] for place in range(levels)]
