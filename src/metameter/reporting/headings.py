"""How the names of columns, tables, charts and facts are printed."""

from __future__ import annotations

__all__ = ["heading", "is_error", "label_of"]

_LABELS = {"judged_at_10": "judged@10"}
_ERRORS = ("_se", "_error")


def heading(column: str) -> str:
    """A column's name as words.

    Examples
    --------
    >>> heading("mean_tau"), heading("judged_at_10"), heading("power_interval_row")
    ('mean tau', 'judged@10', 'power interval, alone')
    """
    words = _LABELS.get(column) or column.replace("_", " ")
    return f"{words.removesuffix(' row')}, alone" if words.endswith(" row") else words


def is_error(column: str) -> bool:
    """Whether a column holds Monte-Carlo errors, which a report hides until the reader asks for them.

    Examples
    --------
    >>> is_error("power_error"), is_error("se"), is_error("p")
    (True, True, False)
    """
    return column == "se" or column.endswith(_ERRORS)


def label_of(name: str) -> str:
    """The name of a table, a chart or a fact as a heading.

    Examples
    --------
    >>> label_of("consistency_pairs"), label_of("judged_at_10")
    ('Consistency pairs', 'Judged@10')
    """
    words = heading(name)
    return words[:1].upper() + words[1:]
