"""The iterations of sessions in tables of scores: which there are, and which of them are wanted."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, TypeAlias

import polars as pl

from metameter.errors import MetameterError
from metameter.types import Scores

__all__ = ["Iteration", "as_sessions", "of_iteration", "refuse_unclear"]

#: Which iteration of sessions: a number, the last (None), or all of them as a fourth axis.
Iteration: TypeAlias = int | Literal["all"] | None

_MOST = 2**31


def of_iteration(cells: pl.DataFrame, iteration: Iteration) -> tuple[pl.DataFrame, tuple[int, ...]]:
    """The cells of the iteration that is wanted; and, where all are, their numbers.

    Examples
    --------
    >>> cells = pl.DataFrame({"iteration": [1.0, 3.0], "score": [0.1, 0.2], "source": "s.csv", "line": [2, 3]})
    >>> of_iteration(cells, None)[0]["score"].to_list(), of_iteration(cells, "all")[1]
    ([0.2], (1, 3))
    """
    numbers = [int(number) for number in cells["iteration"].drop_nulls().unique().sort().to_list()]
    if iteration == "all":
        return cells.with_columns(pl.col("iteration").fill_null(1)), tuple(numbers) or (1,)
    if not numbers:
        if iteration is not None:
            raise MetameterError("the scores have no iterations", given=iteration, fix="Leave iteration out.")
        return cells, ()
    wanted = numbers[-1] if iteration is None else iteration
    if wanted not in numbers:
        allowed = ", ".join(map(str, numbers))
        raise MetameterError("there is no such iteration", given=iteration, allowed=allowed, fix="Choose one of these.")
    return cells.filter(pl.col("iteration") == wanted), ()


def as_sessions(scores: Scores) -> Scores:
    """The scores with an axis of iterations; those that have none get one, of the single iteration 1.

    Examples
    --------
    >>> import numpy as np
    >>> sessions = as_sessions(Scores(("AP",), ("a", "b"), ("1",), np.array([[[0.5], [0.25]]])))
    >>> sessions.iterations, sessions.values.shape
    ((1,), (1, 2, 1, 1))
    """
    if scores.iterations:
        return scores
    low, high = (None if end is None else end[..., None] for end in (scores.low, scores.high))
    return replace(scores, values=scores.values[..., None], low=low, high=high, iterations=(1,))


def refuse_unclear(cells: pl.DataFrame) -> None:
    """Refuse an iteration that is left blank or is no whole number, and tables with iterations beside some without."""
    number = pl.col("iteration")
    whole = (number == number.floor()) & number.is_between(0, _MOST)
    unclear = cells.filter(number.is_not_null() & ~whole.fill_null(False))
    if unclear.height:
        given, source, line = unclear.select("iteration", "source", "line").row(0)
        raise MetameterError(
            "the iteration is empty" if math.isnan(given) else "the iteration is not a whole number",
            where=f"{source}:{line}",
            given=None if math.isnan(given) else given,
            allowed="whole numbers",
            fix="Write which iteration the scores are of.",
        )
    bare = cells.filter(number.is_null())
    if 0 < bare.height < cells.height:
        raise MetameterError(
            "the scores have no iterations, those of the other tables have",
            where=str(bare["source"][0]),
            fix="Give all tables of a collection a column iteration, or none.",
        )
