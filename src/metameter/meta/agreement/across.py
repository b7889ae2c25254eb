"""Agreement over all collections of a study: the wins of both rankings summed, as the paper sums them over years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.agreement.sentences import answer_of
from metameter.meta.agreement.tables import agreement_rows
from metameter.meta.base import Across

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["across_agreement"]

_KEYS = ["iteration", "simple"]


def across_agreement(results: Mapping[str, Any]) -> Across:
    """The rank correlation of summed wins, for the iterations and sets that all collections have.

    Parameters
    ----------
    results : mapping of Agreement
        By collection; all of the same metrics.
    """
    import polars as pl

    places = [result.table.select(_KEYS).with_row_index(f"place_{n}") for n, result in enumerate(results.values())]
    shared = places[0]
    for other in places[1:]:
        shared = shared.join(other, on=_KEYS, how="inner", maintain_order="left")
    counts = [result.wins for result in results.values()]
    if not shared.height or len({each.shape[-1] for each in counts}) > 1:
        return Across()
    rows = [shared[f"place_{n}"].to_numpy() for n in range(len(counts))]
    wins = np.sum([each[:, at] for each, at in zip(counts, rows, strict=True)], axis=0)
    labels = shared.select(pl.col(*_KEYS).repeat_by(wins.shape[-1]).list.explode(keep_nulls=True, empty_as_null=True))
    first_ranking, second_ranking = (labels.with_columns(wins=pl.Series(each.reshape(-1))) for each in wins)
    table = agreement_rows(
        first_ranking, second_ranking, swapped=_summed([result.swapped for result in results.values()], rows)
    )
    first = "Over all collections together, intuitiveness"
    told = [sentence.replace("Intuitiveness", first, 1) for sentence in answer_of(table)]
    return Across(tuple(told), {"agreement_all": table.drop("low", "high")})


def _summed(swapped: Sequence[NDArray[Any]], rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The wins of swapped metrics, summed over collections; each further one from one trial later."""
    trials = min(each.shape[1] for each in swapped)
    parts = [
        np.roll(each[:, :trials, at], place, axis=1) for place, (each, at) in enumerate(zip(swapped, rows, strict=True))
    ]
    return np.asarray(sum(parts))
