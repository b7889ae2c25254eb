"""Pairs of metrics: the rows of the table ``similarity``, and the squares of its heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta.consistency.latex import short_names
from metameter.meta.groups import is_canonical
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["similarity_rows", "squares"]


def similarity_rows(
    pairs: list[tuple[str, int, int]],
    scores: Scores,
    coefficient: str,
    estimates: Floats,
    bounds: dict[str, Floats],
    kind: str,
) -> pl.DataFrame:
    """A row a pair of metrics: its correlation and the ends of the interval."""
    import polars as pl

    frame = pl.DataFrame(
        {
            "group": [group for group, _, _ in pairs],
            "metric_a": [scores.metrics[a] for _, a, _ in pairs],
            "metric_b": [scores.metrics[b] for _, _, b in pairs],
            "coefficient": [coefficient] * len(pairs),
            "statistic": estimates,
            "low": bounds["low"],
            "high": bounds["high"],
            "systems": [len(scores.systems)] * len(pairs),
            "interval": [kind] * len(pairs),
            "low_se": bounds["low_se"],
            "high_se": bounds["high_se"],
        }
    )
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def squares(table: pl.DataFrame, coefficient: str) -> pl.DataFrame:
    """Both halves of every matrix and its diagonal, row by row."""
    import polars as pl

    parts = [_square(part) for part in table.partition_by("group", maintain_order=True)]
    return pl.concat(parts).rename({"statistic": coefficient})


def _square(part: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    group = str(part["group"][0])
    names = pl.concat([part["metric_a"], part["metric_b"]]).unique(maintain_order=True).to_list()
    shown = zip(names, short_names(names, group), strict=True)
    label = {name: short + "*" * is_canonical(name) for name, short in shown}
    place = {name: number for number, name in enumerate(names)}
    mirrored = part.with_columns(metric_a=pl.col("metric_b"), metric_b=pl.col("metric_a"))
    itself = pl.DataFrame({"metric_a": names, "metric_b": names, "statistic": [1.0] * len(names)})
    whole = pl.concat([part, mirrored, itself.with_columns(group=pl.lit(group))], how="diagonal")
    return whole.sort(*(pl.col(side).replace_strict(place) for side in ("metric_b", "metric_a"))).with_columns(
        pl.col("metric_a").replace(label).alias("metric"), pl.col("metric_b").replace(label).alias("with")
    )
