"""The table of `similarity`: one row per pair of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["similarity_rows"]


def similarity_rows(
    pairs: list[tuple[str, int, int]],
    scores: Scores,
    coefficient: str,
    estimates: Floats,
    bounds: dict[str, Floats],
    interval: str,
) -> pl.DataFrame:
    """The correlation of every pair of metrics, and the ends of its interval."""
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
            "interval": [interval] * len(pairs),
            "low_se": bounds["low_se"],
            "high_se": bounds["high_se"],
        }
    )
    return frame.with_columns(pl.selectors.float().fill_nan(None))
