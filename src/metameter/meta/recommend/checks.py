"""Options of `recommend`, refused where they make no sense."""

from __future__ import annotations

from metameter.errors import MetameterError
from metameter.stats.options import check_count, check_number

__all__ = ["check_margin", "check_resamples", "check_similar"]


def check_similar(similar: float) -> float:
    """Return a tau, refusing anything else."""
    fix = "Give a tau, such as 0.9."
    tau = check_number(similar, "similar", fix)
    if not 0.0 < tau <= 1.0:
        raise MetameterError("similar is not a tau", given=similar, allowed="above 0, up to 1", fix=fix)
    return tau


def check_margin(margin: float) -> float:
    """Return a margin, refusing what is negative or no number."""
    fix = "Give the largest difference that does not matter, such as 0.01."
    number = check_number(margin, "margin", fix)
    if not 0.0 <= number <= 1.0:
        raise MetameterError("margin is out of range", given=margin, allowed="0 to 1", fix=fix)
    return number


def check_resamples(resamples: int) -> int:
    """Return the number of resamples, 2 or more, or 0 for none; refusing anything else."""
    return check_count(resamples, "resamples", 2, zero="for no intervals")
