"""What a test with one error rate for many pairs promises, and on which condition."""

from __future__ import annotations

from metameter.stats.pairs import TUKEY

__all__ = ["describe_error_rate"]


def describe_error_rate(test: str, alpha: float, among: str) -> str:
    """For which pairs the error rate of a test holds, and whether it needs equal variances, in one sentence.

    Examples
    --------
    >>> print(describe_error_rate("max-t", 0.05, "all pairs"))
    The chance of any false alarm among all pairs is at most 0.05, also where systems differ in variance: \
correct no further.
    """
    promise = f"The chance of any false alarm among {among} is at most {alpha:g}"
    if test not in TUKEY:
        return f"{promise}, also where systems differ in variance: correct no further."
    return (
        f"{promise} if all systems vary alike: correct no further. Where variances differ it may be several times that "
        "(0.25 to 0.27 instead of 0.05 in simulation); the test max-t holds there too."
    )
