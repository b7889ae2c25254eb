"""Refuse metrics whose scores overflow or are undefined: a second check after the bounds of grades and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from metameter.errors import MetameterError
from metameter.metric.base import Measure

T = TypeVar("T")


def in_numbers(measure: Measure, compute: Callable[[], T]) -> T:
    """Return the result of ``compute``; refuse the metric by its name if a step overflows or is undefined.

    NumPy would go on with infinity or NaN and a warning, and a score could be wrong without being empty.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> in_numbers(parse_metric("nDCG"), lambda: np.float64(1e200) * 1e200)
    Traceback (most recent call last):
    metameter.errors.MetameterError: nDCG: there is no number for its score: overflow encountered in scalar multiply.
    Choose smaller grades, gains or parameters.
    """
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return compute()
    except FloatingPointError as error:
        what = f"{measure.name}: there is no number for its score: {error}"
        raise MetameterError(what, fix="Choose smaller grades, gains or parameters.") from error
