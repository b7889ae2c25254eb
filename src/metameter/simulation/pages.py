"""`simulate_pages`: result pages with labels of users whose browsing and reaction are known."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.arguments import checks_arguments
from metameter.metric.compose import MetricLike
from metameter.scoring.measures import measure_of
from metameter.simulation.folder import whole_folder
from metameter.simulation.page_users import BLOCK, PageModel, Users, draw_pairs, draw_visits
from metameter.simulation.streams import Part
from metameter.types.labelled_pages import Pages, Pairs
from metameter.view.paths import output_path

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class SimulatedPages:
    """Simulated pages with satisfaction, pairs of pages with preferences, and the true users.

    Attributes
    ----------
    pages : Pages
    pairs : Pairs
    rows : polars.DataFrame
        ``id``, ``user``, ``grades``, ``satisfaction`` (from 1 on); one row per page.
    pair_rows : polars.DataFrame
        ``id``, ``user``, ``grades_a``, ``grades_b``, ``preference`` (-1, 0, 1); one row per pair.
    truth : polars.DataFrame
        One row: the ``metric`` by which users browse and react, and the options.
    users : polars.DataFrame
        ``user``, ``leniency``: the constant that each adds to all answers, in standard deviations of the metric.
    """

    pages: Pages
    pairs: Pairs
    rows: pl.DataFrame
    pair_rows: pl.DataFrame
    truth: pl.DataFrame
    users: pl.DataFrame

    def _repr_html_(self) -> str:
        from metameter.view.tables.html import html_table, paragraphs

        sizes = f"{self.rows.height:,} pages, {self.pair_rows.height:,} pairs, {self.users.height:,} users"
        return paragraphs([f"Simulated: {sizes}. How users browse and react:"]) + html_table(self.truth)


@checks_arguments
def simulate_pages(
    pages: int = 2000,
    *,
    metric: MetricLike = "RBP(p=0.8)*max",
    pairs: int = 1000,
    users: int = 100,
    depth: int = 10,
    grades: int = 4,
    levels: int = 7,
    steepness: float = 1.0,
    noise: float = 0.05,
    user_spread: float = 0.05,
    noticeable: float = 0.5,
    reaction: str = "expected",
    null: bool = False,
    seed: int = 0,
) -> SimulatedPages:
    """Simulate result pages and the labels of users who browse by a known C and react by a known A.

    Results at the top of a page are more often relevant than those below. The reaction of a user is the score of the
    page by the metric, plus noise, plus the leniency of the user; it is reported on ordered levels of about equal
    frequency. Of two lists for one topic the same user prefers the one with the higher noisy reaction, or neither if
    the difference is not noticeable. Equal arguments give equal bits. More pages, pairs or users leave the earlier
    pages, pairs and users unchanged; with more users, other users see a page.

    With the defaults, `satisfaction` recovers how users browse and react. More realistic choices hide it. A steepness
    of 2.2 gives pages similar to those of TianGong-QRef, with one relevant result or none, on which many metrics agree.
    With ``reaction="walk"`` every user leaves a page at a random rank, so labels depend on single walks, not on their
    mean.

    Parameters
    ----------
    pages, pairs, users : int
        Number of pages, of pairs of pages, and of users; pages and pairs are assigned to users in turn.
    metric : str or metric
        How users browse and react: a product such as ``INST(T=2.25)*avg``.
    depth : int
        Number of results on a page.
    grades : int
        Number of grades, including 0: 4 means 0 to 3.
    levels : int
        Number of levels of satisfaction, from 1 on.
    steepness : float
        How fast relevance falls with rank: its log-odds at rank i are lower by steepness * ln(i) than at rank 1. With 1
        pages have about three relevant results; with 2.2 most have one or none.
    noise : float
        Standard deviation of the noise of an answer, in units of the standard deviation of the metric over pages.
    user_spread : float
        Standard deviation of the users' leniency, in the same units.
    noticeable : float
        Reactions to two pages that differ by at most this, in the same units, give no preference.
    reaction : expected or walk
        Whether a user reacts to the expected value over users, the score of any metric; or to the aggregation of one
        walk down the page, which ends at a rank drawn from the browsing model.
    null : bool
        No relation between page and label: users react to other pages, drawn from the same distribution.
    seed : int

    Returns
    -------
    SimulatedPages

    Examples
    --------
    >>> simulated = simulate_pages(3, pairs=2, users=2, depth=4, seed=1)
    >>> simulated.rows.select("id", "user", "grades").rows()
    [('1', 'U001', [0, 0, 0, 0]), ('2', 'U002', [3, 3, 2, 0]), ('3', 'U001', [3, 0, 0, 0])]
    >>> simulated.pages, simulated.pairs, simulated.truth["metric"].item()
    (<Pages: 3 pages, 3 of them distinct>, <Pairs: 2 pairs, 2 of them distinct>, 'RBP(p=0.8)*max')
    """
    measure = measure_of(metric)
    model = PageModel(
        measure,
        pages,
        pairs,
        users,
        depth,
        grades,
        levels,
        steepness,
        noise,
        user_spread,
        noticeable,
        reaction,
        null,
        seed,
    )
    population = Users.of(model)
    rows, pair_rows = _page_rows(model, population), _pair_rows(model, population)
    labelled = Pages.of(rows, source="simulated"), Pairs.of(pair_rows, source="simulated")
    return SimulatedPages(*labelled, rows, pair_rows, _truth(model), _user_table(model, population))


def _page_rows(model: PageModel, users: Users) -> pl.DataFrame:
    import polars as pl

    grades, labels = [], []
    for block, count in _blocks(model.pages):
        shown = draw_visits(model, Part.PAGES, block)
        felt = users.felt(draw_visits(model, Part.PAGES_NULL, block) if model.null else shown)
        labels.append(users.answer(felt, (block * BLOCK + np.arange(BLOCK)) % model.users)[:count])
        grades.append(shown.grades[:count])
    columns = {"grades": _lists(grades, model), "satisfaction": _joined(labels)}
    return pl.DataFrame(_who(model, model.pages) | columns)


def _pair_rows(model: PageModel, users: Users) -> pl.DataFrame:
    import polars as pl

    one, other, labels = [], [], []
    for block, count in _blocks(model.pairs):
        a, b = draw_pairs(model, Part.PAGE_PAIRS, block)
        met = draw_pairs(model, Part.PAGE_PAIRS_NULL, block) if model.null else (a, b)
        labels.append(users.prefer(*map(users.felt, met))[:count])
        one.append(a.grades[:count])
        other.append(b.grades[:count])
    columns = {"grades_a": _lists(one, model), "grades_b": _lists(other, model), "preference": _joined(labels)}
    return pl.DataFrame(_who(model, model.pairs) | columns)


def _blocks(count: int) -> list[tuple[int, int]]:
    """The blocks that hold so many pages, and the number of pages used of each."""
    return [(start // BLOCK, min(BLOCK, count - start)) for start in range(0, count, BLOCK)]


def _who(model: PageModel, count: int) -> dict[str, pl.Series]:
    import polars as pl

    user = pl.Series("user", _user_names(model), dtype=pl.String)
    return {
        "id": pl.Series(np.arange(1, count + 1)).cast(pl.String),
        "user": user.gather(np.arange(count) % model.users),
    }


def _user_names(model: PageModel) -> list[str]:
    return [f"U{number + 1:03}" for number in range(model.users)]


def _lists(grades: list[NDArray[np.uint8]], model: PageModel) -> pl.Series:
    import polars as pl

    # Integers, so that files show them without decimals.
    every = np.concatenate(grades) if grades else np.empty((0, model.depth), dtype=np.uint8)
    return pl.Series(every, dtype=pl.Array(pl.UInt8, model.depth)).cast(pl.List(pl.Int64))


def _joined(labels: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(labels) if labels else np.empty(0, dtype=np.int64)


def _truth(model: PageModel) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame({name: [value] for name, value in vars(model).items() if name != "metric"}).insert_column(
        0, pl.Series("metric", [str(model.metric)])
    )


def _user_table(model: PageModel, users: Users) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame({"user": _user_names(model), "leniency": users.leniency})


def write_pages(simulated: SimulatedPages, folder: str | os.PathLike[str]) -> Path:
    """Write pages as plain tables: ``serps.csv``, ``pairs.csv``, ``truth.csv``, ``users.csv``.

    Parameters
    ----------
    simulated : SimulatedPages
    folder : path
        Created if missing; refused if it is not empty.

    Returns
    -------
    pathlib.Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from metameter.simulation import simulate_pages
    >>> small = simulate_pages(2, pairs=1, users=2, depth=3)
    >>> with tempfile.TemporaryDirectory() as temporary:
    ...     where = write_pages(small, Path(temporary) / "demo")
    ...     (where / "serps.csv").read_text().splitlines()[0], sorted(path.name for path in where.iterdir())
    ('id,user,grades,satisfaction', ['pairs.csv', 'serps.csv', 'truth.csv', 'users.csv'])
    """
    target = output_path(folder)
    with whole_folder(target) as draft:
        (draft / "serps.csv").write_bytes(_written(simulated.rows).write_csv().encode())
        (draft / "pairs.csv").write_bytes(_written(simulated.pair_rows).write_csv().encode())
        (draft / "truth.csv").write_bytes(simulated.truth.write_csv().encode())
        (draft / "users.csv").write_bytes(simulated.users.write_csv().encode())
    return target


def _written(rows: pl.DataFrame) -> pl.DataFrame:
    """Lists of grades as text, ``1 0 2``: a cell of a CSV file holds no list."""
    import polars as pl

    return rows.with_columns(pl.col(pl.List(pl.Int64)).cast(pl.List(pl.String)).list.join(" "))
