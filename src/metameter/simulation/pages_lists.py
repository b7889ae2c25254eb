"""Random result pages: grades down the ranks, and the chance that decides what a user makes of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.simulation.pages_model import BLOCK, FIRST, QUALITY, SHARED, PageModel
from metameter.simulation.streams import Part, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Visits", "draw_pairs", "draw_visits"]


@dataclass(frozen=True, eq=False)
class Visits:
    """A block of pages, each met by one user.

    Attributes
    ----------
    grades : ndarray of uint8, pages x depth
    walk : ndarray, pages
        In [0, 1): how far down the user goes, as a share of all users.
    noise : ndarray, pages
        Standard normal: what moves the user's answer beside the page.
    """

    grades: NDArray[np.uint8]
    walk: NDArray[np.float64]
    noise: NDArray[np.float64]


def draw_visits(model: PageModel, part: Part, block: int) -> Visits:
    """One block of pages, whole: how many of them are used does not matter."""
    random = stream(model.seed, part, block)
    return _visits(model, random, random.standard_normal(BLOCK))


def draw_pairs(model: PageModel, part: Part, block: int) -> tuple[Visits, Visits]:
    """One block of pairs: two lists for one topic, which makes both of them better or worse."""
    random = stream(model.seed, part, block)
    topic = math.sqrt(SHARED) * random.standard_normal(BLOCK)
    own = math.sqrt(1 - SHARED) * random.standard_normal((2, BLOCK))
    return _visits(model, random, topic + own[0]), _visits(model, random, topic + own[1])


def _visits(model: PageModel, random: np.random.Generator, quality: NDArray[np.float64]) -> Visits:
    walk, noise = random.random(BLOCK), random.standard_normal(BLOCK)
    grades = np.empty((BLOCK, model.depth), dtype=np.uint8)
    # Higher grades are more frequent, as in TianGong-QRef: 1/6, 2/6 and 3/6 with three.
    share = np.arange(model.grades - 1, 0, -1.0)
    reached = np.cumsum(share / share.sum())[:-1]
    for rank in range(model.depth):
        odds = FIRST + QUALITY * quality - model.steepness * math.log(rank + 1)
        # One number for a result: below its chance of relevance it is relevant, and the lower, the better.
        lot = random.random(BLOCK) * (1 + np.exp(-odds))
        grades[:, rank] = np.where(lot < 1, model.grades - 1 - np.searchsorted(reached, lot, side="right"), 0)
    return Visits(grades, walk, noise)
