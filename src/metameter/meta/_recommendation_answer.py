"""The answer first: what the table of recommendations says, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta._verdict import BETTER_DIFFERENT, BETTER_SIMILAR, NO_EVIDENCE, WORSE, figure

if TYPE_CHECKING:
    import polars as pl

__all__ = ["answer"]

_MOST = 8


def answer(table: pl.DataFrame) -> list[str]:
    """What is better and alike first; then, for each canonical metric, what there is to say of the alternatives.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["a", "b"], "canonical": ["c"] * 2, "verdict": ["worse", "no-evidence"],
    ...                       "tau_to_canonical": [0.5, 0.95], "words": ["", ""]})
    >>> answer(table)
    ['No evidence that any alternative to c is better. No evidence either way: b. Worse: a.']
    """
    import polars as pl

    if not table.height:
        return ["No metric here can be held against the canonical metric of its browsing model: nothing to recommend."]
    best = table.filter(pl.col("verdict") == BETTER_SIMILAR)
    parts = table.partition_by("canonical", maintain_order=True)
    return [*best["words"].to_list(), *(_summary(part) for part in parts)]


def _summary(part: pl.DataFrame) -> str:
    named = {verdict: _names(part, verdict) for verdict in (BETTER_SIMILAR, BETTER_DIFFERENT, NO_EVIDENCE, WORSE)}
    canonical = str(part["canonical"][0])
    if named[BETTER_SIMILAR]:
        head = f"Better than {canonical} and ranking much alike: {named[BETTER_SIMILAR]}."
    elif named[BETTER_DIFFERENT]:
        head = f"No alternative to {canonical} is both better and alike."
    else:
        head = f"No evidence that any alternative to {canonical} is better."
    said = {"Better, but ranking otherwise": BETTER_DIFFERENT, "No evidence either way": NO_EVIDENCE, "Worse": WORSE}
    return " ".join([head, *(f"{text}: {named[verdict]}." for text, verdict in said.items() if named[verdict])])


def _names(part: pl.DataFrame, verdict: str) -> str:
    import polars as pl

    rows = part.filter(pl.col("verdict") == verdict)["metric", "tau_to_canonical"].rows()
    taus = verdict in (BETTER_SIMILAR, BETTER_DIFFERENT)
    shown = [name + (f" (tau {figure(tau)})" if taus and tau is not None else "") for name, tau in rows[:_MOST]]
    left = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")
