"""The sentence that gives the reasons for a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from metameter.meta.recommend.verdict import IDENTICAL, ROUNDING, SAME, Case, Difference, Tau


def words(metric: str, reference: str, case: Case, level: str = "95%") -> str:
    """One sentence that says what a row's numbers say.

    Parameters
    ----------
    metric, reference : str
    case : Case
    level : str
        What the intervals are called.

    Examples
    --------
    >>> case = Case(Tau(0.93, 0.91, 0.95), Difference(0.01, -0.01, 0.03), Difference(0.12, 0.07, 0.16))
    >>> print(words("ERR@10*ERG", "ERR*ERR@10", case))
    ERR@10*ERG ranks the systems much as ERR*ERR@10 does (tau .930, from .910 to .950) and tells more pairs apart \
(+.120, 95% interval .070 to .160); no evidence of a difference in consistency (+.010, 95% interval -.010 to .030).
    """
    verdict = case.verdict()
    if verdict == IDENTICAL:
        return f"{metric} is identical to {reference}: its scores are a multiple of the same scores."
    ranks = _ranking(reference, case.tau, case.similar)
    clauses = [
        _clause(case.power, "tells more pairs apart", "tells fewer pairs apart", "power", level),
        _clause(case.consistency, "is more consistent", "is less consistent", "consistency", level),
    ]
    # What there is evidence for comes first, gains before losses.
    differences = (case.power, case.consistency)
    order = sorted(zip(differences, clauses, strict=True), key=lambda pair: (not pair[0].up, not pair[0].down))
    first, second = (clause for _, clause in order)
    close = " Close call: another seed might change the verdict." if case.close_call() else ""
    if verdict == SAME:
        margin = f"within {figure(case.margin, digits=2)} in both"
        return f"{metric} {ranks}; it is as consistent and as discriminating, {margin}: {first}; {second}.{close}"
    shown = [difference.up or difference.down for difference, _ in order]
    if not shown[0]:
        return f"{metric} {ranks}; {first}; {second}.{close}"
    if not shown[1]:
        return f"{metric} {ranks} and {first}; {second}.{close}"
    mixed = order[0][0].up != order[1][0].up
    return f"{metric} {ranks}; it {first}, {'but' if mixed else 'and'} {second}.{close}"


def _ranking(reference: str, tau: Tau, similar: float) -> str:
    if tau.value is None:
        return f"cannot be compared with {reference} in how it ranks the systems (tau is undefined)"
    if tau.value >= 1 - ROUNDING:
        return f"ranks the systems exactly as {reference} does (tau 1)"
    known = tau.low is not None and tau.high is not None
    ends = f", from {figure(tau.low or 0.0)} to {figure(tau.high or 0.0)}" if known else ", no interval"
    shown = f"tau {figure(tau.value, apart=(similar, 1.0))}{ends}"
    limit = figure(similar, digits=1, apart=(1.0,))
    alike = tau.alike(similar)
    if alike:
        return f"ranks the systems much as {reference} does ({shown})"
    if alike is None:
        sides = f": on both sides of {limit}" if known else ""
        return f"ranks the systems perhaps as {reference} does ({shown}{sides})"
    return f"ranks the systems otherwise than {reference} does ({shown}, below {limit})"


def _clause(difference: Difference, up: str, down: str, what: str, level: str) -> str:
    shown = f"({figure(difference.value, sign=True)}, {_interval(difference, level)})"
    if difference.up or difference.down:
        return f"{up if difference.up else down} {shown}"
    return f"no evidence of a difference in {what} {shown}"


def _interval(difference: Difference, level: str) -> str:
    if difference.low is None or difference.high is None:
        return "no interval"
    return f"{level} interval {figure(difference.low)} to {figure(difference.high)}"


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
