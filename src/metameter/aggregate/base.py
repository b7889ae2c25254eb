"""The base class of aggregations: what a user who leaves after rank i takes away."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metameter.browse.page import Page
from metameter.parameters import Parametrised


@dataclass(frozen=True, eq=False)
class Coefficients:
    """The form of an aggregation beyond the end of the list, where all gains are equal.

    At rank n+m it is ``constant + growth * m + per_rank / (n+m) + forgotten * delta^m``.
    """

    constant: NDArray[np.float64] | float = 0.0
    per_rank: NDArray[np.float64] | float = 0.0
    forgotten: NDArray[np.float64] | float = 0.0
    delta: float = 0.0
    growth: float = 0.0


@dataclass(frozen=True, repr=False)
class Aggregation(Parametrised):
    """An aggregation: define `aggregate`, and `beyond` where it is not 0 when gains are 0 for ever."""

    #: It is the sum of the gains seen, so the score follows from the view alone, without a tail.
    additive: ClassVar[bool] = False
    #: It is divided by the expected number of items viewed.
    rate: ClassVar[bool] = False
    #: It never falls when a gain rises.
    rises_with_gain: ClassVar[bool] = False
    #: `beyond` uses only what `Cuts` provides and the last aggregate: one call then serves all cuts.
    rests_at_once: ClassVar[bool] = True
    #: Its colour in every chart, as a position in the colour-blind-safe palette; None: no colour of its own.
    colour: ClassVar[int | None] = None
    #: The key of the paper that introduced it.
    reference: ClassVar[str] = "moffat2022"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "beyond" in cls.__dict__ and "rests_at_once" not in cls.__dict__:
            cls.rests_at_once = False

    @abstractmethod
    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """What a user who leaves after each rank takes away."""

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """What a user who leaves beyond the end takes away, where every item has gain ``gain`` (0 or 1)."""
        return Coefficients()
