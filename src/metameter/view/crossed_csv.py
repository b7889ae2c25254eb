"""A value for every combination of labels, as CSV: the bytes of the long table, without making one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from metameter.view.safe_cells import is_wanted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["crossed_csv"]

# What makes quotes necessary around a cell.
_QUOTED = re.compile(r'[",\t\r\n]|^$')


def crossed_csv(
    axes: Mapping[str, Sequence[str]], column: str, values: NDArray[np.float64], separator: str = ","
) -> str | None:
    r"""The text that `to_csv` gives of the table; None where some label needs quotes, or must be made safe.

    Parameters
    ----------
    axes : dict
        The labels of each axis, the last one fastest.
    column : str
        What the values are called.
    values : ndarray
        One for each combination; NaN is missing.

    Examples
    --------
    >>> import numpy as np
    >>> crossed_csv({"metric": ["AP"], "topic": ["1", "2"]}, "score", np.array([[0.5, 1e-05]]))
    'metric,topic,score\nAP,1,0.5\nAP,2,1e-05'
    """
    if is_wanted() or any(_QUOTED.search(label) for labels in axes.values() for label in labels):
        return None
    *outer, inner = axes.values()
    # Python spells a number shortest; one that is missing is nothing.
    spelled = [repr(value) if value == value else "" for value in values.reshape(-1).tolist()]
    before = (separator.join(labels) + separator for labels in product(*outer))
    names = (f"{front}{last}{separator}" for front in before for last in inner)
    return "\n".join([separator.join([*axes, column]), *map(str.__add__, names, spelled)])
