"""Writing simulated pages to a folder, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from metameter.simulation.folder import whole_folder
from metameter.simulation.pages import SimulatedPages
from metameter.view.places import place_for

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_pages"]


def write_pages(made: SimulatedPages, folder: str | os.PathLike[str]) -> Path:
    """Write pages as plain tables: ``serps.csv``, ``pairs.csv``, ``truth.csv``, ``users.csv``.

    Parameters
    ----------
    made : SimulatedPages
    folder : path
        Made if need be; refused if it holds anything.

    Returns
    -------
    pathlib.Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from metameter.simulation import simulate_pages
    >>> small = simulate_pages(2, pairs=1, users=2, depth=3)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     where = write_pages(small, Path(place) / "demo")
    ...     (where / "serps.csv").read_text().splitlines()[0], sorted(path.name for path in where.iterdir())
    ('id,user,grades,satisfaction', ['pairs.csv', 'serps.csv', 'truth.csv', 'users.csv'])
    """
    target = place_for(folder)
    with whole_folder(target) as draft:
        (draft / "serps.csv").write_bytes(_written(made.rows).write_csv().encode())
        (draft / "pairs.csv").write_bytes(_written(made.pair_rows).write_csv().encode())
        (draft / "truth.csv").write_bytes(made.truth.write_csv().encode())
        (draft / "users.csv").write_bytes(made.users.write_csv().encode())
    return target


def _written(rows: pl.DataFrame) -> pl.DataFrame:
    """Lists of grades as text, ``1 0 2``: a cell of a CSV file holds no list."""
    import polars as pl

    return rows.with_columns(pl.col(pl.List(pl.Int64)).cast(pl.List(pl.String)).list.join(" "))
