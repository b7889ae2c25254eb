"""Simulate result pages with the labels of users whose browsing and reaction are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.arguments import checks_arguments
from metameter.errors import refuse
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike
from metameter.metric.product import Product
from metameter.parameters import Bounds
from metameter.scoring.measures import measure_of
from metameter.scoring.pages import ranked_pages
from metameter.simulation.bounds import MOST, SEEDS, check_size, keep_whole
from metameter.simulation.streams import Part, stream
from metameter.types.labelled_pages import GradeLists, Pages, Pairs

if TYPE_CHECKING:
    import polars as pl


#: Users react to the expected value over users, or to one walk down the page.
REACTIONS = ("expected", "walk")
#: Pages per block; each block has its own stream of random numbers.
BLOCK = 4096
#: Blocks of separate pages that determine the scale of the answers.
SCALE_BLOCKS = 4
# The log-odds of relevance are FIRST at rank 1 on a page of average quality, and fall by the steepness times ln(rank).
# Fitted, with a steepness of 2.2, to TianGong-QRef: .58, .22, .11, .07, .05 of its results at ranks 1 to 5 are
# relevant, .01 at rank 10; 18 % of its pages have no relevant result, 61 % one, 21 % more (here 24, 44 and 32 %).
FIRST, QUALITY = 0.4, 0.5
# The share of the variance of a page's quality that two lists for one topic have in common.
SHARED = 0.5
# A smaller share of users beyond the end is rounding.
_NOBODY = 1e-9


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
    """Simulate result pages and labels of users with a known browsing model (C) and a known aggregation (A).

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
    model = PageModel(
        metric=measure_of(metric),
        pages=pages,
        pairs=pairs,
        users=users,
        depth=depth,
        grades=grades,
        levels=levels,
        steepness=steepness,
        noise=noise,
        user_spread=user_spread,
        noticeable=noticeable,
        reaction=reaction,
        null=null,
        seed=seed,
    )
    population = Users.of(model)
    rows, pair_rows = _page_rows(model, population), _pair_rows(model, population)
    labelled = Pages.of(rows, source="simulated"), Pairs.of(pair_rows, source="simulated")
    return SimulatedPages(*labelled, rows, pair_rows, _truth(model), _user_table(model, population))


def _page_rows(model: PageModel, users: Users) -> pl.DataFrame:
    import polars as pl

    grades, labels = [], []
    for block, count in _blocks(model.pages):
        visits = draw_visits(model, Part.PAGES, block)
        felt = users.felt(draw_visits(model, Part.PAGES_NULL, block) if model.null else visits)
        labels.append(users.answer(felt, (block * BLOCK + np.arange(BLOCK)) % model.users)[:count])
        grades.append(visits.grades[:count])
    columns = {"grades": _lists(grades, model), "satisfaction": _joined(labels)}
    return pl.DataFrame(_id_and_user(model, model.pages) | columns)


def _pair_rows(model: PageModel, users: Users) -> pl.DataFrame:
    import polars as pl

    one, other, labels = [], [], []
    for block, count in _blocks(model.pairs):
        a, b = draw_pairs(model, Part.PAGE_PAIRS, block)
        pages = draw_pairs(model, Part.PAGE_PAIRS_NULL, block) if model.null else (a, b)
        labels.append(users.prefer(*map(users.felt, pages))[:count])
        one.append(a.grades[:count])
        other.append(b.grades[:count])
    columns = {"grades_a": _lists(one, model), "grades_b": _lists(other, model), "preference": _joined(labels)}
    return pl.DataFrame(_id_and_user(model, model.pairs) | columns)


def _blocks(count: int) -> list[tuple[int, int]]:
    """The blocks that hold so many pages, and the number of pages used of each."""
    return [(start // BLOCK, min(BLOCK, count - start)) for start in range(0, count, BLOCK)]


def _id_and_user(model: PageModel, count: int) -> dict[str, pl.Series]:
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


@dataclass(frozen=True)
class PageModel:
    """The checked parameters of `simulate_pages`."""

    metric: Measure
    pages: int
    pairs: int
    users: int
    depth: int
    grades: int
    levels: int
    steepness: float
    noise: float
    user_spread: float
    noticeable: float
    reaction: str
    null: bool
    seed: int

    def __post_init__(self) -> None:
        keep_whole(self, "pages", 1, 100 * MOST)
        keep_whole(self, "pairs", 0, 100 * MOST)
        keep_whole(self, "users", 1)
        keep_whole(self, "depth", 1, 1000)
        keep_whole(self, "grades", 2, 100)
        keep_whole(self, "levels", 2, 100)
        keep_whole(self, "seed", 0, SEEDS)
        check_size("pages x depth", self.pages * self.depth)
        check_size("pairs x depth", 2 * self.pairs * self.depth)
        for name in ("steepness", "noise", "user_spread", "noticeable"):
            _check_not_negative(name, getattr(self, name))
        if self.reaction not in REACTIONS:
            allowed = " or ".join(REACTIONS)
            refuse("reaction is not known", given=self.reaction, allowed=allowed, fix="Choose one of these.")
        if self.reaction == "walk" and not isinstance(self.metric, Product):
            refuse(
                "only a browsing model with an aggregation defines a walk",
                given=str(self.metric),
                allowed="a product such as RBP(p=0.8)*max",
                fix="Name such a product, or choose reaction='expected'.",
            )


def _check_not_negative(name: str, value: Any) -> None:
    if not Bounds(0).contain(value):
        refuse(f"{name} is out of range", given=value, allowed="a number of at least 0", fix=f"Give {name} as such.")


@dataclass(frozen=True, eq=False)
class Users:
    """The users of a model: their reactions to pages and their answers.

    Attributes
    ----------
    model : PageModel
    leniency : ndarray, users
        The constant that each user adds to all answers, in units of the scale.
    unit : float
        The unit of the scale: the standard deviation of the metric over pages.
    limits : ndarray, levels - 1
        The lower limits of the answers from the second on, in units of the scale.
    """

    model: PageModel
    leniency: NDArray[np.float64]
    unit: float
    limits: NDArray[np.float64]

    @classmethod
    def of(cls, model: PageModel) -> Users:
        """Set the scale on separate pages, so that no answer depends on the number of pages simulated."""
        visits = [draw_visits(model, Part.PAGE_SCALE, block) for block in range(SCALE_BLOCKS)]
        unit = float(np.std(np.concatenate([_expected(model, each) for each in visits])))
        if not unit > _NOBODY:
            fix = "Name a metric that distinguishes pages."
            refuse(
                "all pages have the same score, so all answers would be equal",
                given=str(model.metric),
                fix=fix,
            )
        users = cls(model, model.user_spread * _normals(model.seed, Part.PAGE_USERS, model.users), unit, np.empty(0))
        others = stream(model.seed, Part.PAGE_SCALE, SCALE_BLOCKS).standard_normal((SCALE_BLOCKS, BLOCK))
        felt = [users.felt(each) + model.user_spread * other for each, other in zip(visits, others, strict=True)]
        limits = np.quantile(np.concatenate(felt), np.arange(1, model.levels) / model.levels)
        return cls(model, users.leniency, unit, limits)

    def felt(self, visits: Visits) -> NDArray[np.float64]:
        """Return the noisy reaction to each page without leniency, in units of the scale."""
        ranked = _ranked(self.model, visits)
        metric = self.model.metric
        if self.model.reaction == "walk" and isinstance(metric, Product):
            taken = walked(metric, ranked, visits.walk)
        else:
            taken = metric.score(ranked)
        # Rounded, because the last bits of sums and logarithms differ between machines.
        return np.asarray(taken / self.unit + self.model.noise * visits.noise).round(9)

    def answer(self, felt: NDArray[np.float64], user: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the level of satisfaction that users report, from 1 on."""
        return 1 + np.searchsorted(self.limits, felt + self.leniency[user], side="right")

    def prefer(self, one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return -1 for the first page, 1 for the second, 0 if they do not differ noticeably."""
        difference = other - one
        return np.where(np.abs(difference) > self.model.noticeable, np.sign(difference), 0.0).astype(np.int64)


def walked(metric: Product, ranked: Ranked, walk: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the aggregate of single walks that end where the browsing model has lost this share of users.

    The mean over all shares is the score. Users beyond the end of the list get their mean value by the metric.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> ranked = Ranked.of_gains([0.5, 1])
    >>> [float(walked(parse_metric("RBP(p=0.5)*max"), ranked, np.array([share]))[0]) for share in (0.1, 0.6, 0.9)]
    [0.5, 1.0, 1.0]
    """
    page, state = metric.page(ranked), metric.browsing_state(ranked)
    A = metric.aggregation.aggregate(page)
    if metric.aggregation.rate:
        A = A / state.viewed[:, None]
    L = np.broadcast_to(state.last, A.shape)
    left = np.cumsum(L, axis=1)
    beyond, score = 1 - left[:, -1], metric.score(ranked)
    missing = score - (L * A).sum(axis=1)
    rest = np.divide(missing, beyond, out=score.copy(), where=beyond > _NOBODY)
    at = (left <= walk[:, None]).sum(axis=1)
    taken = np.concatenate([A, rest[:, None]], axis=1)[np.arange(len(at)), at]
    # Where a convention replaces undefined formulas, it holds for every user.
    return np.where((beyond <= _NOBODY) & (np.abs(missing) > _NOBODY), score, taken)


def _expected(model: PageModel, visits: Visits) -> NDArray[np.float64]:
    return model.metric.score(_ranked(model, visits))


def _ranked(model: PageModel, visits: Visits) -> Ranked:
    lists = GradeLists(visits.grades.astype(np.float64), np.full(len(visits.grades), model.depth))
    return ranked_pages(lists, model.grades - 1.0)


def _normals(seed: int, part: Part, count: int) -> NDArray[np.float64]:
    blocks = -(-count // BLOCK)
    return np.concatenate([stream(seed, part, block).standard_normal(BLOCK) for block in range(blocks)])[:count]


@dataclass(frozen=True, eq=False)
class Visits:
    """A block of pages, each seen by one user.

    Attributes
    ----------
    grades : ndarray of uint8, pages x depth
    walk : ndarray, pages
        Uniform in [0, 1): the share of users who leave before this one.
    noise : ndarray, pages
        Standard normal noise of the answer.
    """

    grades: NDArray[np.uint8]
    walk: NDArray[np.float64]
    noise: NDArray[np.float64]


def draw_visits(model: PageModel, part: Part, block: int) -> Visits:
    """Draw one whole block of pages, independently of how many are used."""
    random = stream(model.seed, part, block)
    return _visits(model, random, random.standard_normal(BLOCK))


def draw_pairs(model: PageModel, part: Part, block: int) -> tuple[Visits, Visits]:
    """Draw one block of pairs: two lists for one topic, whose qualities are correlated."""
    random = stream(model.seed, part, block)
    topic = math.sqrt(SHARED) * random.standard_normal(BLOCK)
    own = math.sqrt(1 - SHARED) * random.standard_normal((2, BLOCK))
    return _visits(model, random, topic + own[0]), _visits(model, random, topic + own[1])


def _visits(model: PageModel, random: np.random.Generator, quality: NDArray[np.float64]) -> Visits:
    walk, noise = random.random(BLOCK), random.standard_normal(BLOCK)
    grades = np.empty((BLOCK, model.depth), dtype=np.uint8)
    # Higher grades are more frequent, as in TianGong-QRef: 1/6, 2/6 and 3/6 for three grades.
    share = np.arange(model.grades - 1, 0, -1.0)
    reached = np.cumsum(share / share.sum())[:-1]
    for rank in range(model.depth):
        odds = FIRST + QUALITY * quality - model.steepness * math.log(rank + 1)
        # One uniform number per result: below the probability of relevance it is relevant; lower gives higher grades.
        lot = random.random(BLOCK) * (1 + np.exp(-odds))
        grades[:, rank] = np.where(lot < 1, model.grades - 1 - np.searchsorted(reached, lot, side="right"), 0)
    return Visits(grades, walk, noise)
