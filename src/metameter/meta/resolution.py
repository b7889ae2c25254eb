"""What so few trials cannot show: a p of zero is only below one in their number."""

from __future__ import annotations

import math

from metameter.stats.pairs import Pairs, least_p

__all__ = ["resolution"]


def resolution(found: Pairs, correction: str, alpha: float) -> list[str]:
    """A warning if the trials are too few to tell a p of zero from one above alpha; otherwise nothing.

    Parameters
    ----------
    found : Pairs
        Those pairs that a correction is for.
    correction : str
    alpha : float

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.0, 0.5]])
    >>> resolution(Pairs(p, p, p, p[:, 0], p[:, 0], trials=10), "none", 0.05)
    ['Too few trials: with 10 of them a p of zero is only known to be below 1/10. Raise --trials to 20 or more.']
    >>> resolution(Pairs(p, p, p, p[:, 0], p[:, 0], trials=20), "none", 0.05)
    []
    """
    if found.trials is None:
        return []
    needed = math.ceil(1.0 / alpha - 1e-9)
    if found.trials < needed:
        known = f"with {found.trials} of them a p of zero is only known to be below 1/{found.trials}"
        return [f"Too few trials: {known}. Raise --trials to {needed} or more."]
    least = least_p(found, correction)
    if correction == "none" or least is None or "/" in least or float(least) < alpha:
        return []
    return [f"Too few trials for this correction: a p of zero may be as high as {least}. Raise --trials."]
