"""What a test with one error rate for many pairs promises, and on which condition."""

from __future__ import annotations

from metameter.stats.tests.pairs import TUKEY


def describe_error_rate(test: str, alpha: float, among: str) -> str:
    """For which pairs the error rate of a test holds, and whether it needs equal variances, in one sentence.

    Examples
    --------
    >>> print(describe_error_rate("max-t", 0.05, "all pairs"))
    The chance of any false alarm among all pairs is about 0.05, also where differences are skewed or variances \
unequal: correct no further.
    """
    promise = f"The chance of any false alarm among {among} is"
    if test not in TUKEY:
        return f"{promise} about {alpha:g}, also where differences are skewed or variances unequal: correct no further."
    return (
        f"{promise} at most {alpha:g} if all systems vary alike: correct no further. Where they do not, it is higher "
        "(for 0.05 up to 0.11 on TREC runs with equal means, 0.27 in simulation); the test max-t holds there too."
    )
