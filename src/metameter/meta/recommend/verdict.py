"""The verdict on an alternative to a canonical metric, and the sentence that gives its reasons."""

from __future__ import annotations

from collections.abc import Sequence

from metameter.meta.recommend.difference import ROUNDING, Difference, indistinguishable

__all__ = ["BETTER_DIFFERENT", "BETTER_SIMILAR", "NO_EVIDENCE", "VERDICTS", "WORSE", "figure", "verdict", "words"]

BETTER_SIMILAR, BETTER_DIFFERENT = "better-and-similar", "better-but-different"
NO_EVIDENCE, WORSE = "no-evidence", "worse"
VERDICTS = (BETTER_SIMILAR, BETTER_DIFFERENT, NO_EVIDENCE, WORSE)


def verdict(tau: float | None, consistency: Difference, power: Difference, similar: float = 0.9) -> str:
    """Better in consistency or in power and worse in neither; worse in one and better in neither; or no evidence.

    A better metric is similar if its ranking of the systems has a tau of at least ``similar`` to the canonical one's.

    Examples
    --------
    >>> verdict(0.93, Difference(0.01, -0.01, 0.03), Difference(0.12, 0.07, 0.16))
    'better-and-similar'
    >>> verdict(0.93, Difference(-0.02, -0.03, -0.01), Difference(0.12, 0.07, 0.16))  # each speaks for another metric
    'no-evidence'
    """
    up, down = consistency.up or power.up, consistency.down or power.down
    if up == down:
        return NO_EVIDENCE
    if down:
        return WORSE
    return BETTER_SIMILAR if _alike(tau, similar) else BETTER_DIFFERENT


def _alike(tau: float | None, similar: float) -> bool:
    return tau is not None and tau >= similar - ROUNDING


def words(
    metric: str, canonical: str, tau: float | None, consistency: Difference, power: Difference, similar: float = 0.9
) -> str:
    """One sentence that says what a row's numbers say.

    Examples
    --------
    >>> print(words("ERR@10*ERG", "ERR*ERR@10", 0.93, Difference(0.01, -0.01, 0.03), Difference(0.12, 0.07, 0.16)))
    ERR@10*ERG ranks the systems much as ERR*ERR@10 does (tau .930) and tells more pairs apart (+.120, 95% interval \
.070 to .160); no evidence of a difference in consistency (+.010, 95% interval -.010 to .030).
    """
    ranks = _ranking(canonical, tau, similar)
    if indistinguishable(tau, consistency, power):
        return f"{metric} is the same as {canonical}: it {ranks}, is as consistent and tells as many pairs apart."
    if consistency.is_zero and power.is_zero:
        return f"{metric} {ranks}; it is as consistent and tells as many pairs apart."
    clauses = [
        _clause(power, "tells more pairs apart", "tells fewer pairs apart", "power"),
        _clause(consistency, "is more consistent", "is less consistent", "consistency"),
    ]
    # What there is evidence for comes first, gains before losses.
    order = sorted(zip((power, consistency), clauses, strict=True), key=lambda pair: (not pair[0].up, not pair[0].down))
    first, second = (clause for _, clause in order)
    if not (order[0][0].up or order[0][0].down):
        return f"{metric} {ranks}; {first}; {second}."
    if not (order[1][0].up or order[1][0].down):
        return f"{metric} {ranks} and {first}; {second}."
    mixed = order[0][0].up != order[1][0].up
    return f"{metric} {ranks}; it {first}, {'but' if mixed else 'and'} {second}{': mixed, no verdict' * mixed}."


def _ranking(canonical: str, tau: float | None, similar: float) -> str:
    if tau is None:
        return f"cannot be compared with {canonical} in how it ranks the systems (tau is undefined)"
    if tau >= 1 - ROUNDING:
        return f"ranks the systems exactly as {canonical} does (tau 1)"
    if _alike(tau, similar):
        return f"ranks the systems much as {canonical} does (tau {figure(tau, apart=(1.0,))})"
    below = f"below {figure(similar, digits=1)}"
    return f"ranks the systems otherwise than {canonical} does (tau {figure(tau, apart=(similar,))}, {below})"


def _clause(difference: Difference, up: str, down: str, what: str) -> str:
    if difference.is_zero:
        return f"no difference in {what}"
    shown = f"({figure(difference.value, sign=True)}, {_interval(difference)})"
    if difference.up or difference.down:
        return f"{up if difference.up else down} {shown}"
    if difference.excludes_zero and difference.closed is not None:
        instead = f"{figure(difference.closed, sign=True)} instead of {figure(difference.value, sign=True)}"
        gives = f"which gives {instead} ({_interval(difference)})"
        return f"its {what} interval is not confirmed by the closed form, {gives}"
    return f"no evidence of a difference in {what} {shown}"


def _interval(difference: Difference) -> str:
    if difference.low is None or difference.high is None:
        return "no interval"
    return f"95% interval {figure(difference.low)} to {figure(difference.high)}"


def figure(value: float, *, digits: int = 3, sign: bool = False, apart: Sequence[float] = (0.0,)) -> str:
    """A number as papers print shares: no zero before the point; never rounded to a value it must differ from.

    Examples
    --------
    >>> figure(0.1234), figure(0.1234, sign=True), figure(-0.00004), figure(0.0), figure(0.89996, apart=(0.9,))
    ('.123', '+.123', '-.00004', '0', '.89996')
    """
    if value == 0:
        return "0"
    while digits < 12 and any(round(value, digits) == limit != value for limit in apart):
        digits += 1
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("+-").startswith("0.") else text
