"""The error side of power: whether the verdicts of one half of the topics are confirmed by the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.confirmation import splits_for

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["STAND_INS", "agreement_table"]

# Drawing at random within every half of every split would cost a hundred times the test itself.
STAND_INS = {
    "tukey-randomised": "by the test's normal approximation",
    "max-t": "by the paired t test with Holm's correction",
    "bootstrap": "by the paired t test",
}
COLUMNS = ("significant", "agreement", "opposite", "reversed")


def agreement_table(metrics: tuple[str, ...], test: str, shares: Floats, errors: Floats) -> pl.DataFrame:
    """The shares and their errors, labelled."""
    import polars as pl

    columns: dict[str, Any] = {"metric": pl.Series(metrics, dtype=pl.String)}
    columns["splits"] = np.full(len(metrics), splits_for(test))
    for name, share, error in zip(COLUMNS, shares, errors, strict=True):
        columns[name], columns[f"{name}_error"] = share, error
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
