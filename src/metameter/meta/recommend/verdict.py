"""What the numbers say of an alternative to a canonical metric: a verdict, and words that say no more than that."""

from __future__ import annotations

from collections.abc import Sequence

from metameter.meta.recommend.difference import ROUNDING, Difference, same

__all__ = ["BETTER_DIFFERENT", "BETTER_SIMILAR", "NO_EVIDENCE", "VERDICTS", "WORSE", "figure", "verdict", "words"]

BETTER_SIMILAR, BETTER_DIFFERENT = "better-and-similar", "better-but-different"
NO_EVIDENCE, WORSE = "no-evidence", "worse"
VERDICTS = (BETTER_SIMILAR, BETTER_DIFFERENT, NO_EVIDENCE, WORSE)


def verdict(tau: float | None, consistency: Difference, power: Difference, similar: float = 0.9) -> str:
    """Better in consistency or in power and worse in neither, worse in one and better in neither, or no evidence.

    Examples
    --------
    >>> verdict(0.93, Difference(0.01, -0.01, 0.03), Difference(0.12, 0.07, 0.16))
    'better-and-similar'
    >>> verdict(0.93, Difference(-0.02, -0.03, -0.01), Difference(0.12, 0.07, 0.16))  # each speaks for another metric
    'no-evidence'
    """
    up, down = (any(getattr(each, way) for each in (consistency, power)) for way in ("up", "down"))
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
    if same(tau, consistency, power):
        return f"{metric} is the same as {canonical}: it {ranks}, is as consistent and tells as many pairs apart."
    if consistency.none and power.none:
        return f"{metric} {ranks}; it is as consistent and tells as many pairs apart."
    said = [
        _clause(power, "tells more pairs apart", "tells fewer pairs apart", "power"),
        _clause(consistency, "is more consistent", "is less consistent", "consistency"),
    ]
    # What there is evidence for comes first, gains before losses.
    order = sorted(zip((power, consistency), said, strict=True), key=lambda pair: (not pair[0].up, not pair[0].down))
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


def _clause(found: Difference, up: str, down: str, what: str) -> str:
    if found.none:
        return f"no difference in {what}"
    shown = f"({figure(found.value, sign=True)}, {_interval(found)})"
    if found.up or found.down:
        return f"{up if found.up else down} {shown}"
    if found.low is not None and found.high is not None and found.low * found.high > 0 and found.closed is not None:
        inside = f"{figure(found.value, sign=True)} ({_interval(found)})"
        return f"its {what} interval is not solid: {inside}, but {figure(found.closed, sign=True)} in closed form"
    return f"no evidence of a difference in {what} {shown}"


def _interval(found: Difference) -> str:
    if found.low is None or found.high is None:
        return "no interval"
    return f"95% interval {figure(found.low)} to {figure(found.high)}"


def figure(value: float, *, digits: int = 3, sign: bool = False, apart: Sequence[float] = (0.0,)) -> str:
    """A number as papers print shares: no zero before the point; never rounded onto what it must be apart from.

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
