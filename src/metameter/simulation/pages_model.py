"""The numbers of the model of result pages and their users, and what may be chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metameter.errors import refuse
from metameter.metric.base import Measure
from metameter.metric.product import Product
from metameter.parameters import Bounds
from metameter.simulation.model import MOST, SEEDS, check_size, keep_whole

#: How the label comes about: from what users take away on average, or from one walk down the page.
REACTIONS = ("expected", "walk")

#: Pages are drawn so many at a time, each block from a stream of its own.
BLOCK = 4096
#: The scale on which users answer is laid out on so many blocks of pages of its own.
SCALE_BLOCKS = 4

# The log-odds of relevance are FIRST at rank 1 on a page of average quality, and fall by the steepness times ln(rank).
# Set by trial, with a steepness of 2.2, to TianGong-QRef: .58, .22, .11, .07, .05 of its results at ranks 1 to 5 are
# relevant, .01 at rank 10; 18 % of its pages have no relevant result, 61 % one, 21 % more (here 24, 44 and 32 %).
FIRST, QUALITY = 0.4, 0.5
# The part of a page's quality that two lists for one topic share.
SHARED = 0.5


@dataclass(frozen=True)
class PageModel:
    """The parameters of `simulate_pages`, checked."""

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
            _check_size(name, getattr(self, name))
        if self.reaction not in REACTIONS:
            allowed = " or ".join(REACTIONS)
            refuse("reaction is not known", given=self.reaction, allowed=allowed, fix="Choose one of these.")
        if self.reaction == "walk" and not isinstance(self.metric, Product):
            refuse(
                "only a browsing model with an aggregation says how a user walks",
                given=str(self.metric),
                allowed="a product such as RBP(p=0.8)*max",
                fix="Name such a product, or choose reaction='expected'.",
            )


def _check_size(name: str, value: Any) -> None:
    if not Bounds(0).contain(value):
        refuse(f"{name} is out of range", given=value, allowed="a number of at least 0", fix=f"Give {name} as such.")
