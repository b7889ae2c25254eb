"""A metric with free parameters: which they are, which values the search tries, and the metric they make."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.metric.build import build
from metameter.metric.product import Product
from metameter.notation import Expression, Term, parse
from metameter.parameters import DEPTHS, Bounds
from metameter.registry import find

#: With more free parameters the grid would be too large, and the pages too few to estimate them.
MOST_FREE = 3
#: The canonical depth of models that need one.
_CANONICAL_DEPTH = 10

_FREE_NUMBER = re.compile(r"(\w+)\s*=\s*\?\s*,?\s*")
_FREE_DEPTH = re.compile(r"@\s*\?")
# The placeholder of a free depth while a name is parsed; no list is that long.
_PLACEHOLDER = 999_983

#: Ranges up to this length are searched in equal steps, longer ones in equal ratios.
_LONG = 20.0
#: The lowest value of a parameter without a lower bound, and the highest value per rank without an upper one.
_SMALLEST, _PER_RANK = 0.01, 100.0
#: The factor by which the steps of the next grid are finer.
FINER = 5
#: The first step as a share of the range, and the steps per decade, by the number of free parameters.
_FIRST = {1: 0.01, 2: 0.05, 3: 0.1}
_PER_DECADE = {1: 20, 2: 10, 3: 5}


@dataclass(frozen=True)
class FreeParameter:
    """A free parameter and its position in the name.

    Attributes
    ----------
    name : str
        The parameter: ``p``, ``T``, ``k``, ...
    part : left, right or cut
        The browsing model (or the metric itself), the aggregation, or the depth after the product.
    bounds : Bounds
        The declared bounds.
    canonical : float or None
        Its value if none is written.
    """

    name: str
    part: str
    bounds: Bounds
    canonical: float | None


@dataclass(frozen=True)
class FreeModel:
    """A metric with free parameters.

    Examples
    --------
    >>> model = free_model("RBP*PE(beta=0.5)")
    >>> [each.name for each in model.free], model.metric([0.62]), model.canonical()
    (['p'], RBP(p=0.62)*PE(beta=0.5), RBP(p=0.8)*PE(beta=0.5))
    >>> free_model("RBP@?*max").metric([3])  # with a question mark, other parameters keep their defaults
    RBP(p=0.8)@3*max
    """

    expression: Expression
    free: tuple[FreeParameter, ...]
    text: str

    def metric(self, values: Iterable[float]) -> Measure:
        """The metric with these values of the free parameters, in their order."""
        left, right, cut = self.expression.left, self.expression.right, self.expression.cut
        for parameter, value in zip(self.free, values, strict=True):
            if parameter.part == "cut":
                cut = int(value)
            elif parameter.part == "right" and right is not None:
                right = _with(right, parameter, value)
            else:
                left = _with(left, parameter, value)
        return build(Expression(left, right, cut))

    @property
    def names(self) -> list[str]:
        """The names of the free parameters; two of one name are preceded by the part that they belong to."""
        names = [each.name for each in self.free]
        of = {"left": self.expression.left.name, "right": str(getattr(self.expression.right, "name", "")), "cut": "cut"}
        return [n if names.count(n) == 1 else f"{of[p.part]}.{n}" for n, p in zip(names, self.free, strict=True)]

    def canonical(self) -> Measure | None:
        """The metric with the canonical values; None if some parameter has none."""
        values = [each.canonical for each in self.free]
        return None if None in values else self.metric(values)  # type: ignore[arg-type]

    def values_of(self, metric: Measure) -> dict[str, float]:
        """The values of the free parameters that make this metric, by name; none if no values do.

        Examples
        --------
        >>> free_model("RBP*PE").values_of(build(parse("RBP(p=0.9)*PE(beta=0.2)")))
        {'p': 0.9, 'beta': 0.2}
        >>> free_model("INST*max").values_of(build(parse("INSQ(T=0.2)*max")))
        {}
        """
        own, other = self.expression, _product(parse(metric.name))
        parts = {"left": other.left, "right": other.right}
        values = [other.cut if each.part == "cut" else _value_in(parts[each.part], each) for each in self.free]
        known = [float(value) for value in values if value is not None]
        if _names(own) != _names(other) or len(known) < len(self.free) or self.metric(known).name != metric.name:
            return {}
        return dict(zip(self.names, known, strict=True))

    def example(self) -> Measure:
        """The metric with some values, to check that it can be built, and what it needs."""
        known = [each.canonical for each in self.free]
        lowest = [max(each.bounds.low, 1.0) for each in self.free]
        return self.metric([low if value is None else value for value, low in zip(known, lowest, strict=True)])


def _names(expression: Expression) -> list[str]:
    return [term.name for term in (expression.left, expression.right) if term is not None]


def _value_in(term: Term | None, parameter: FreeParameter) -> float | None:
    if term is None:
        return None
    return term.k if parameter.name == "k" else term.arguments.get(parameter.name)


def _with(term: Term, parameter: FreeParameter, value: float) -> Term:
    if parameter.name == "k":
        return replace(term, k=int(value))
    return replace(term, arguments={**term.arguments, parameter.name: value})


def free_model(text: str) -> FreeModel:
    """Read the name of a metric with free parameters: those that are not written, or only those written as ``?``.

    Examples
    --------
    >>> [each.name for each in free_model("INST*PE").free], [each.name for each in free_model("INST(T=?)*PE").free]
    (['T', 'beta'], ['T'])
    >>> free_model("RBP(p=0.8)*max")
    Traceback (most recent call last):
    metameter.errors.MetameterError: the model has no free parameter (given 'RBP(p=0.8)*max'). Leave the value of a
    parameter out, or write ? for it: RBP(p=?)*max.
    """
    text = str(text)
    plain = _FREE_DEPTH.sub(f"@{_PLACEHOLDER}", text)
    # The browsing model is left of *, the aggregation right of it.
    star = plain.find("*") if "*" in plain else len(plain)
    marked = [("left" if each.start() < star else "right", each[1]) for each in _FREE_NUMBER.finditer(plain)]
    plain = re.sub(r",\s*\)", ")", _FREE_NUMBER.sub("", plain)).replace("()", "")
    expression = _product(parse(plain))
    parts = {"left": expression.left, "right": expression.right}
    free = [each for part, term in parts.items() if term is not None for each in _parameters_of(part, term, expression)]
    if "?" in text:
        deep = expression.left.k == _PLACEHOLDER
        free = [each for each in free if (each.part, each.name) in marked or (each.name == "k" and deep)]
    if expression.cut == _PLACEHOLDER:
        free.append(FreeParameter("k", "cut", DEPTHS, float(_CANONICAL_DEPTH)))
    if twice := [name for part, name in marked if marked.count((part, name)) > 1]:
        fix = "Write each parameter once."
        raise MetameterError("a parameter is given twice", given=twice[0], fix=fix)
    model = FreeModel(_without_placeholders(expression), tuple(free), text)
    known = {(each.part, each.name) for each in free}
    _refuse_unusable(model, [name for part, name in marked if (part, name) not in known])
    return model


def _product(expression: Expression) -> Expression:
    """A single browsing model as the product that its name stands for; anything else unchanged."""
    left, known = expression.left, find("browse", expression.left.name)
    if expression.right is not None or find("metric", left.name) is not None or known is None:
        return expression
    # The aggregation does not depend on the parameters.
    depth = _CANONICAL_DEPTH if known.needs_depth() else None
    example = build(Expression(Term(left.name, {**known.example, **left.arguments}, depth)))
    aggregation = example.aggregation.term() if isinstance(example, Product) else Term("ERG")
    if known.needs_depth():
        return Expression(left, aggregation)
    return Expression(replace(left, k=None), aggregation, left.k)


def _parameters_of(part: str, term: Term, expression: Expression) -> list[FreeParameter]:
    kind = "aggregate" if part == "right" else "metric" if expression.right is None else "browse"
    known = find(kind, term.name)
    if known is None:
        build(expression)  # raises an error that says what is wrong
        raise MetameterError("unknown metric", given=term.name, fix="Choose a product, such as RBP*max.")
    free: list[FreeParameter] = []
    for each in sorted(fields(known), key=lambda field: field.metadata["role"] == "depth"):
        role, name = each.metadata["role"], each.name
        if role == "number" and name not in term.arguments:
            default = known.example.get(name) if each.default is MISSING else each.default
            canonical = None if default is None else float(default)
            free.append(FreeParameter(name, part, each.metadata["bounds"], canonical))
        elif role == "depth" and (term.k == _PLACEHOLDER or (term.k is None and each.metadata["required"])):
            free.append(FreeParameter("k", part, each.metadata["bounds"], float(_CANONICAL_DEPTH)))
    return free


def _without_placeholders(expression: Expression) -> Expression:
    left = expression.left
    left = replace(left, k=None) if left.k == _PLACEHOLDER else left
    return Expression(left, expression.right, None if expression.cut == _PLACEHOLDER else expression.cut)


def _refuse_unusable(model: FreeModel, unknown: list[str]) -> None:
    names = ", ".join(each.name for each in model.free)
    if unknown:
        what = f"{model.text} has no number called {unknown[0]} to be found"
        raise MetameterError(what, allowed=names or "none", fix="Write ? for a number of the user model.")
    if not model.free:
        fix = "Leave the value of a parameter out, or write ? for it: RBP(p=?)*max."
        raise MetameterError("the model has no free parameter", given=model.text, fix=fix)
    if len(model.free) > MOST_FREE:
        fix = f"Give values to some of {names}, or write ? for those that are to be found."
        raise MetameterError("too many free parameters", given=len(model.free), allowed=f"at most {MOST_FREE}", fix=fix)
    model.example()


@dataclass(frozen=True)
class Axis:
    """The values of one parameter: multiples of a step or, with ratios, powers of ten at multiples of a step.

    Attributes
    ----------
    low, high : float
        The range that is searched; both are values that the parameter may have.
    step : float
        The step of values, or with ``ratios`` of their decimal logarithms; always 1 for whole numbers.
    ratios, whole : bool
    more : pair of bool
        Whether values below the lowest, and above the highest, could make a difference.
    """

    low: float
    high: float
    step: float
    ratios: bool = False
    whole: bool = False
    more: tuple[bool, bool] = (False, False)

    def values(self, first: float | None = None, last: float | None = None) -> NDArray[np.float64]:
        """The values from ``first`` to ``last``; the ends of the range are included.

        Examples
        --------
        >>> Axis(0, 0.99, 0.25).values()
        array([0.  , 0.25, 0.5 , 0.75, 0.99])
        >>> Axis(0.5, 5, 0.5, ratios=True).values()
        array([0.5 , 1.  , 3.16, 5.  ])
        """
        start, stop = self.low if first is None else first, self.high if last is None else last
        steps = np.arange(math.floor(self._at(start)), math.ceil(self._at(stop)) + 1)
        inner = [self._value(int(each)) for each in steps]
        inside = [each for each in inner if self.low < each < self.high]
        ends = [end for end, at in ((self.low, start), (self.high, stop)) if at == end]
        return np.unique(np.array([*inside, *ends]))

    def _at(self, value: float) -> float:
        # Rounded, so that a value of the axis is found at its own step.
        return round((math.log10(value) if self.ratios else value) / self.step, 6)

    def _value(self, step: int) -> float:
        if not self.ratios:
            return float(round(step * self.step, 12))
        digits = max(2, math.ceil(-math.log10(self.step)) + 2)
        return float(f"{10 ** (step * self.step):.{digits - 1}e}")

    def around(self, low: float, high: float) -> NDArray[np.float64]:
        """The values from a step of this axis below one to a step above the other."""
        every = self.values()
        first = max(0, int(np.searchsorted(every, low)) - 1)
        last = min(len(every) - 1, int(np.searchsorted(every, high, side="right")))
        return every[first : last + 1]

    def finer(self) -> Axis:
        """The same range in finer steps."""
        step = self.step if self.whole else float(f"{self.step / FINER:.6g}")
        return replace(self, step=step)


def axis_of(bounds: Bounds, longest: int, free: int) -> Axis:
    """The range and the first steps of the search for a parameter.

    Parameters
    ----------
    bounds : Bounds
    longest : int
        The length of the longest page: users who go deeper are alike.
    free : int
        The number of free parameters: the more, the coarser the first grid.

    Examples
    --------
    >>> from metameter.parameters import Bounds
    >>> axis_of(Bounds(0, 1, high_open=True), 10, 1)
    Axis(low=0.0, high=0.999, step=0.01, ratios=False, whole=False, more=(False, True))
    >>> axis_of(Bounds(1, 1_000_000, integer=True), 10, 1).values().tolist()[-1], axis_of(Bounds(0.5, 1e9), 10, 1).high
    (10.0, 1000.0)
    """
    if bounds.integer:
        low = max(1.0, bounds.low)
        return Axis(low, max(low, min(bounds.high, float(longest))), 1.0, whole=True)
    if bounds.high - bounds.low <= _LONG:
        span = bounds.high - bounds.low
        inside = span / 1000
        low = bounds.low + inside * bounds.low_open
        high = bounds.high - inside * bounds.high_open
        step = float(f"{span * _FIRST[free]:.1g}")
        return Axis(float(low), float(high), step, more=(bool(bounds.low_open), bool(bounds.high_open)))
    low = bounds.low if bounds.low > 0 else _SMALLEST
    high = min(bounds.high, max(_PER_RANK * longest, 10 * low))
    more = (low > bounds.low or bool(bounds.low_open), high < bounds.high or bool(bounds.high_open))
    return Axis(float(low), float(high), 1.0 / _PER_DECADE[free], ratios=True, more=more)
