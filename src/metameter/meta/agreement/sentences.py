"""What `agreement` says in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.shown_rows import ALL
from metameter.stats.rank_agreement import MOST_EXACT

if TYPE_CHECKING:
    import polars as pl

__all__ = ["answer_of", "notes_of"]


def answer_of(table: pl.DataFrame) -> list[str]:
    """How alike the two rankings are, over all iterations and collections, by set."""
    import polars as pl

    for column in ("collection", "iteration"):
        if column in table.columns and (table[column] == ALL).any():
            table = table.filter(pl.col(column) == ALL)
    known = table.drop_nulls("rho")
    if not known.height:
        return ["Intuitiveness and unanimity cannot be compared here: one of them orders nothing, or metrics are few."]
    told = [f"{label} {rho:.2f}" for label, rho in known.select("simple", "rho").iter_rows()]
    return [
        f"Intuitiveness and unanimity rank the {known['n'][0]} metrics with a rank correlation of: {', '.join(told)}."
    ]


def notes_of(table: pl.DataFrame, options: dict[str, Any]) -> tuple[str, ...]:
    """What p is worth, and what is left empty."""
    n = int(table["n"][0])
    notes = []
    if n < 3:
        notes.append(f"Fewer than three metrics ({n}) have no rank correlation worth the name: it is left empty.")
    elif table["rho"].null_count():
        notes.append("rho is left empty where all metrics have the same number of wins.")
    if n >= 3:
        exact = "; p_exact tries all orders of the metrics" if n <= MOST_EXACT else ""
        rough = f" With {n} metrics that is rough{exact}." if n < 30 else ""
        notes.append(
            f"p: the t approximation of the paper, as if the {n} metrics were drawn at random from many; each row for "
            f"itself.{rough}"
        )
    if options["resamples"] and table["low"].null_count() < table.height:
        notes.append(
            f"low, high: 95% of rho over {options['resamples']:,} resampled sets of topics. Resamples are noisier than "
            "the topics themselves, so the range need not contain rho."
        )
    return tuple(notes)
