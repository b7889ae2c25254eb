"""What `volatility` says in sentences: the answer, and the notes below its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.caveats import few_units

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.asked import Asked
    from metameter.meta.volatility.pooling import Pooling
    from metameter.meta.volatility.summary import Evidence

__all__ = ["answer_of", "notes_of"]


def answer_of(tables: Mapping[str, pl.DataFrame], pool_depth: int | None, threshold: float) -> list[str]:
    """From which depth on orderings are settled; and, with a grid, how deep one must judge and evaluate."""
    table = tables["volatility_settled"]
    plain = table.filter(~table["condensed"])
    shown, kind = (plain, "") if plain.height else (table, " on condensed lists")
    final = int(shown["final"][0])
    by_depth = shown.sort("depth", nulls_last=True, maintain_order=True)
    told = [_settled(row) for row in by_depth.iter_rows(named=True) if row["depth"] is not None]
    never = [row["metric"] for row in by_depth.iter_rows(named=True) if row["depth"] is None]
    sentences = []
    lead = (
        f"How deep to evaluate{kind}: tau between the ordering of systems at a depth and that at depth {final:,} stays "
        f"at least {threshold:g}"
    )
    if told:
        bracket = " (in brackets 95% intervals over topics, of all these metrics together)" if "(" in told[0] else ""
        sentences.append(f"{lead} from these depths on{bracket}: {_listed(told)}.")
    if never:
        start = "Not before the end" if told else f"{lead} for no metric before the end"
        sentences.append(f"{start}: {', '.join(never)}.")
    if "volatility_planning" in tables:
        sentences += _planned(tables["volatility_planning"], kind)
    return sentences


def _settled(row: Mapping[str, Any]) -> str:
    text = f"{row['metric']} {row['depth']:,}"
    if row["low"] is None and row["high"] is None:
        return text
    if row["low"] is None:
        return f"{text} (surely from {row['high']:,})"
    end = "the end" if row["high"] is None else f"{row['high']:,}"
    return f"{text} ({row['low']:,} to {end})"


def _listed(parts: Sequence[str]) -> str:
    """Parts with semicolons, since brackets with numbers stand in them."""
    return "; ".join(parts)


def _planned(table: pl.DataFrame, kind: str) -> list[str]:
    shown = table.filter(table["condensed"] == bool(kind))
    told = []
    for row in shown.iter_rows(named=True):
        if row["verdicts"] == 0:
            told.append(f"{row['metric']} has no significant difference to keep")
            continue
        pool = "all judgments" if row["pool_depth"] is None else f"pool {row['pool_depth']:,}"
        holds = "" if row["holds"] is None else f", holds for {row['holds']:.0%} of resampled topics"
        told.append(f"{row['metric']} {pool} ({row['share']:.0%} of the judgments), depth {row['depth']:,}{holds}")
    lead = "How deep to judge and evaluate, to keep 95% of the final significant differences and to reverse none"
    return [f"{lead}: {_listed(told)}."] if told else []


def notes_of(pooling: Pooling, asked: Asked, found: Evidence, topics: int) -> tuple[str, ...]:
    """Which pool, which final ordering, what the intervals are for, and what is not told."""
    depths, kept, grid = found.depths, found.kept, found.grid
    notes = [_pool(pooling), _final(pooling, depths)]
    if asked.resamples:
        at = "" if len(kept) == len(depths) else f", at {len(kept)} of {len(depths):,} depths"
        notes.append(
            f"low, high: 95% intervals of tau for {topics} topics like these{at}, from {asked.resamples:,} resamples, "
            "each for itself. The intervals of settled depths hold for all rows of their table together."
        )
        notes += few_units(topics)
    if grid is not None:
        notes.append(
            f"Grid: randomised Tukey HSD in each of {grid.verdicts[..., 0].size:,} cells, alpha = {asked.alpha:g}, "
            f"{asked.trials:,} trials, {grid.pairs:,} pairs. lost, reversed: of the differences significant in a cell, "
            "those that are not in the last one, or are so the other way."
        )
    return tuple(notes)


def _pool(pooling: Pooling) -> str:
    if pooling.given:
        depth = f"judgments are those of their first {pooling.depth:,}, as asked"
    elif pooling.depth is None:
        depth = "some of them have an unjudged document at the first rank, so that the pool depth is not known"
    else:
        depth = f"none of these has an unjudged document in its first {pooling.depth:,}, the pool depth"
    return f"Pool: {pooling.how}; {depth}. {len(pooling.systems):,} systems are compared."


def _final(pooling: Pooling, depths: Sequence[int]) -> str:
    final = f"The final ordering is that at depth {depths[-1]:,}"
    if pooling.depth is not None and pooling.depth < depths[-1]:
        return f"{final}; below depth {pooling.depth:,} some documents are not judged, so it is no truth."
    return f"{final}."
