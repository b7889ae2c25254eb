"""The tables of `volatility`: curves, their summary along depth, marked systems, pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.families import Family
    from metameter.meta.volatility.pooling import Pooling
    from metameter.stats.checks import Floats


#: Marks -> where in the final order, best first, the marked system stands.
MARKS = {"best": 0.0, "quartile1": 0.25, "median": 0.5, "quartile3": 0.75, "worst": 1.0}


def curve_table(
    families: Sequence[Family],
    systems: Sequence[str],
    depths: Sequence[int],
    means: Floats,
    contributing: Sequence[bool] | None = None,
) -> pl.DataFrame:
    """One row for each metric, kind of list, system and depth.

    Parameters
    ----------
    families, systems, depths : sequence
    means : ndarray, (families, depths, systems)
    contributing : sequence of bool, optional
        Which systems contributed, where others are there too.
    """
    import polars as pl

    each, within = len(systems) * len(depths), len(depths)
    of_family = np.repeat(np.arange(len(families)), each)
    of_system = np.tile(np.repeat(np.arange(len(systems)), within), len(families))
    columns: dict[str, Any] = {
        "metric": _named([family.name for family in families], of_family),
        "condensed": np.array([family.condensed for family in families])[of_family],
        "system": _named(systems, of_system),
        "depth": np.tile(np.asarray(depths, dtype=np.int64), len(families) * len(systems)),
        "score": np.swapaxes(means, 1, 2).reshape(-1),
    }
    if contributing is not None:
        columns["contributing"] = np.asarray(contributing)[of_system]
    return pl.DataFrame(columns)


def marked_table(families: Sequence[Family], systems: Sequence[str], final: Floats) -> pl.DataFrame:
    """The best and the worst system of the final order, and those at its quartiles: places round((m-1) q).

    Parameters
    ----------
    families, systems : sequence
    final : ndarray, (families, systems)
        The final means; systems with equal ones stand in the order given.

    Examples
    --------
    >>> from metameter.meta.volatility.families import families
    >>> from metameter.scoring.measures import measures_of
    >>> row = families(measures_of("AP"), "no")
    >>> marked_table(row, ["a", "b", "c"], np.array([[0.1, 0.3, 0.2]]))["system"].to_list()
    ['b', 'b', 'c', 'a', 'a']
    """
    import polars as pl

    rows = []
    for family, means in zip(families, final, strict=True):
        order = np.argsort(-means, kind="stable")
        for mark, share in MARKS.items():
            place = round((len(systems) - 1) * share)
            rows.append((family.name, family.condensed, systems[order[place]], mark))
    kinds = {"metric": pl.String, "condensed": pl.Boolean, "system": pl.String, "mark": pl.String}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def pool_table(pooling: Pooling, topics: np.ndarray) -> pl.DataFrame:
    """Each topic's pool: its depth, and how many documents are judged and relevant; all topics in the last row.

    The depth is that without a gap; where one was given, no more than that. Empty if a first document is not judged.
    """
    import polars as pl

    judgments = pooling.pool.judgments
    counts = [each[topics] for each in (judgments.judged(), judgments.relevant())]
    depths = [int(depth) or None for depth in pooling.by_topic[topics]]
    known = [name for name, counted in zip(judgments.topics, topics, strict=True) if counted]
    overall = None if None in depths else min(depth for depth in depths if depth is not None)
    judged, relevant = ([*each.tolist(), int(each.sum())] for each in counts)
    return pl.DataFrame(
        {
            "topic": [*known, "all"],
            "pool_depth": pl.Series([*depths, overall], dtype=pl.Int64),
            "judged": judged,
            "relevant": relevant,
        }
    )


def frame_of_rows(families: Sequence[Family], columns: Mapping[str, Any], size: int) -> pl.DataFrame:
    """A table of so many rows for each family; columns are (families, size) arrays, or one value for all.

    NaN becomes null: a table has no value where there is none.
    """
    import polars as pl

    of_family = np.repeat(np.arange(len(families)), size)
    table: dict[str, Any] = {
        "metric": _named([family.name for family in families], of_family),
        "condensed": np.array([family.condensed for family in families])[of_family],
    }
    for name, values in columns.items():
        table[name] = np.broadcast_to(values, (len(families), size)).reshape(-1)
    return pl.DataFrame(table).with_columns(pl.selectors.float().fill_nan(None))


def _named(names: Sequence[str], codes: Any) -> pl.Series:
    import polars as pl

    return pl.Series(list(names), dtype=pl.String).gather(pl.Series(codes.astype(np.uint32)))
