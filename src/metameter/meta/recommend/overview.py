"""The summary of a recommendation as lines of text, for a terminal and for logs."""

from __future__ import annotations

from collections.abc import Sequence

from metameter.meta.recommend.summary import Summary, SummaryRow

#: The most rows of the table; of more metrics, the last are in the tables only.
MOST_ROWS = 16
_HEADINGS = ("metric", "group", "consistency", "pairs separated")
_SHORT_HEADINGS = (*_HEADINGS[:3], "pairs")
_GAP = "  "


def overview_lines(summary: Summary, width: int) -> list[str]:
    """Return the summary as lines; sentences are not wrapped, the table fits the width.

    Parameters
    ----------
    summary : Summary
    width : int
        Columns of the terminal. Where the intervals do not fit, they are left out; the figures never are.
    """
    lines = [_collection(summary), summary.headline]
    if summary.use:
        lines.append(_use(summary))
    if summary.avoid:
        close = f"; a close call: {', '.join(summary.close_avoid)}" if summary.close_avoid else ""
        lines.append(f"Avoid: {', '.join(summary.avoid)} (shown to be below another{close}).")
    lines += [*_table(summary.rows, width), *_more_rows(summary)]
    lines += summary.sentences
    if summary.depth is not None:
        lines.append(f"How deep: {summary.depth.sentence()}")
    return [line for line in (*lines, summary.sure) if line]


def all_rows(table: str) -> str:
    """Say how to see what the summary leaves out."""
    return f"All rows: --table {table} --format csv; every sentence: --notes."


def _collection(summary: Summary) -> str:
    facts = [f"{summary.systems:,} systems", f"{summary.topics:,} topics"]
    if summary.depth is not None:
        facts.append(f"judged to depth {summary.depth.judged:,}" if summary.depth.judged else "no depth judged fully")
    return f"{f'{summary.collection}: ' if summary.collection else ''}{', '.join(facts)}."


def _use(summary: Summary) -> str:
    names = ", ".join(summary.use)
    if summary.single or len(summary.use) == 1:
        return f"Use: {names}."
    return f"Use any of: {names}{'' if summary.avoid else ' (none is shown to be below another)'}."


def _table(rows: Sequence[SummaryRow], width: int) -> list[str]:
    """The rows as text: with intervals if they fit, else without."""
    if not rows:
        return []
    cells = [_HEADINGS, *(_cells(row, intervals=True) for row in rows[:MOST_ROWS])]
    if _width(cells) > width:
        cells = [_SHORT_HEADINGS, *(_cells(row, intervals=False) for row in rows[:MOST_ROWS])]
    widths = [max(len(row[at]) for row in cells) for at in range(len(_HEADINGS))]
    texts = [_GAP.join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in cells]
    return [f" {texts[0]}", "─" * min(width, _width(cells)), *(f" {each}" for each in texts[1:])]


def _width(cells: Sequence[Sequence[str]]) -> int:
    widths = [max(len(row[at]) for row in cells) for at in range(len(_HEADINGS))]
    return 1 + sum(widths) + len(_GAP) * (len(widths) - 1)


def _cells(row: SummaryRow, *, intervals: bool) -> tuple[str, str, str, str]:
    """The cells of a row.

    Examples
    --------
    >>> row = SummaryRow("AP", "top", 0.8, 0.75, 0.85, 0.5, 0.44, 0.56, close=True)
    >>> _cells(row, intervals=True)
    ('AP', 'top?', '0.80 (0.75 to 0.85)', '50% (44% to 56%)')
    >>> _cells(row, intervals=False)[2:]
    ('0.80', '50%')
    """
    consistency = figure_with_ends(
        (row.consistency, row.consistency_low, row.consistency_high), ".2f", intervals=intervals
    )
    power = figure_with_ends((row.power, row.power_low, row.power_high), ".0%", intervals=intervals)
    return row.metric, group_text(row), consistency, power


def group_text(row: SummaryRow) -> str:
    """The group of a metric; a close call has a question mark, and a metric without standing its reason."""
    if row.remark:
        return row.remark
    return f"{row.group}{'?' if row.close else ''}"


def figure_with_ends(values: Sequence[float | None], form: str, *, intervals: bool = True) -> str:
    """A figure with its interval.

    Examples
    --------
    >>> figure_with_ends((0.5, None, None), ".2f"), figure_with_ends((None, None, None), ".0%")
    ('0.50', '')
    """
    value, low, high = values
    if value is None:
        return ""
    text = format(value, form)
    return f"{text} ({low:{form}} to {high:{form}})" if intervals and low is not None and high is not None else text


def _more_rows(summary: Summary) -> list[str]:
    hidden = len(summary.rows) - MOST_ROWS
    lines = [f"{hidden} more metric{'s are' if hidden > 1 else ' is'} not listed here."] if hidden > 0 else []
    if any(row.close for row in summary.rows[:MOST_ROWS]):
        lines.append("?: a close call, which another seed might change.")
    if summary.others:
        alternatives = "alternative is" if summary.others == 1 else "alternatives are"
        lines.append(f"{summary.others} {alternatives} in the table recommendation.")
    return lines
