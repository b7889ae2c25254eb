"""The labels of a labelled array, and what stands in it: texts and numbers, whatever they were given as."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["labels_of", "numbers_of"]


def labels_of(given: Any, what: str) -> tuple[str, ...]:
    """The labels of an axis as a tuple; what is not several texts is refused.

    Examples
    --------
    >>> labels_of(["AP", "RR"], "metrics")
    ('AP', 'RR')
    >>> labels_of("AP", "metrics")
    Traceback (most recent call last):
    metameter.errors.MetameterError: the metrics of the scores are not texts (given 'AP'). Give a list of names.
    """
    labels = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
    if not all(isinstance(label, str) for label in labels):
        shown = "None" if given is None else given
        raise MetameterError(f"the {what} of the scores are not texts", given=shown, fix="Give a list of names.")
    return labels


def numbers_of(given: Any) -> NDArray[np.float64]:
    """An array of numbers as it is, anything else as such an array; what holds anything else is refused.

    Examples
    --------
    >>> numbers_of([[0.5, 1]])
    array([[0.5, 1. ]])
    >>> numbers_of([["x"]])
    Traceback (most recent call last):
    metameter.errors.MetameterError: the scores are not numbers (given [['x']]). Give an array of numbers.
    """
    if isinstance(given, np.ndarray) and given.dtype.kind in "fiu":
        return given
    try:
        if given is not None:
            return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    shown = "None" if given is None else given
    raise MetameterError("the scores are not numbers", given=shown, fix="Give an array of numbers.")
