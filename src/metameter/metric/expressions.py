"""Metrics as Python expressions: ``RBP(p=0.8) * Max() @ 10`` beside the text ``"RBP(p=0.8)*max@10"``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.metric.build import build
from metameter.metric.terms import SHORT, check_parameters, meanings
from metameter.notation import Expression, Term, depth_after
from metameter.parameters import Bounds, Parametrised
from metameter.registry import get, names


@dataclass(frozen=True, eq=False, repr=False)
class MetricExpression:
    """A metric, a browsing model or an aggregation by name, to be completed with parameters, ``*`` and ``@``.

    It equals the metric that its text stands for, and has its methods.

    Examples
    --------
    >>> import metameter as mm
    >>> mm.RBP(p=0.8) * mm.Max() @ 10, mm.nDCG(gain="exp") @ 10
    (RBP(p=0.8)*max@10, nDCG(gain=exp)@10)
    >>> (mm.P @ 2)([1, 0, 1]), mm.AP @ 10 == mm.parse_metric("AP@10")
    (0.5, True)
    """

    expression: Expression

    def __post_init__(self) -> None:
        # help(mm.nDCG) is about nDCG, not about this class.
        meant = meanings(self.expression.left.name) if self.expression.right is None else []
        if meant:
            object.__setattr__(self, "__doc__", meant[0].__doc__)

    @classmethod
    def find(cls, name: str) -> MetricExpression | None:
        """The expression of that Python name, without parameters; None if nothing has that name."""
        spelled = spellings().get(name)
        return None if spelled is None else cls(Expression(Term(spelled)))

    @cached_property
    def metric(self) -> Measure:
        """The metric that it stands for; raises what parsing its text raises."""
        return build(self.expression)

    def __call__(self, *gains: Any, **parameters: Any) -> Any:
        """Return a copy with these parameters; or, if called with a list of gains, their score."""
        if gains and not isinstance(gains[0], Real | str):
            return self.metric(*gains, **parameters)  # of a product, costs may be among them
        term = self._term("parameters")
        term = replace(term, arguments={**term.arguments, **parameters}, unnamed=gains)
        if gains or parameters:
            check_parameters(term)
        return MetricExpression(Expression(term))

    def bounds(self) -> dict[str, Bounds]:
        """The parameters that are numbers, ``k`` among them, and the values that each may take.

        Examples
        --------
        >>> import metameter as mm
        >>> str(mm.RBP.bounds()["p"])
        '[0, 1)'
        """
        return meanings(self._term("bounds").name)[0].bounds()

    def __matmul__(self, k: int) -> MetricExpression:
        """Set ``@k``: it cuts the list of a product or metric; on a browsing model left of ``*`` it stops the user."""
        depth, text = depth_after(k, f"{self.expression}@{k}"), str(self.expression)
        if self.expression.cut is not None or (self.expression.right is None and self.expression.left.k is not None):
            raise MetameterError(f"{text} has its @k already", fix="Write @k once.")
        if self.expression.right is not None:
            return MetricExpression(replace(self.expression, cut=depth))
        return MetricExpression(Expression(replace(self.expression.left, k=depth)))

    def __mul__(self, aggregation: MetricExpression | Parametrised) -> MetricExpression:
        """Return the product of a browsing model and an aggregation; refuse one that is not defined."""
        return _product(self._term("*"), _factor(aggregation))

    def __rmul__(self, model: Parametrised) -> MetricExpression:
        """The product of a browsing model made from its class and this aggregation."""
        return _product(_factor(model), self._term("*"))

    def _term(self, what: str) -> Term:
        if self.expression.right is not None:
            raise MetameterError(
                f"{self.expression} is already a product; {what} cannot follow",
                fix="Write the model and the aggregation each with its parameters, then one * between them.",
            )
        return self.expression.left

    def __getattr__(self, name: str) -> Any:
        # Special names, and the metric itself, must not recurse.
        if name.startswith("_") or name == "metric":
            raise AttributeError(name)
        if isinstance(self._identity, Expression) and name not in dir(Measure):
            raise AttributeError(f"{self} has no attribute {name!r}")
        return getattr(self.metric, name)

    def __dir__(self) -> Iterable[str]:
        mine = self._identity
        further = dir(mine) if isinstance(mine, Measure) else []
        return sorted({*super().__dir__(), *(name for name in further if not name.startswith("_"))})

    @property
    def _identity(self) -> Any:
        # An aggregation, or a model without its required depth, is not a metric; its text identifies it.
        try:
            return self.metric
        except MetameterError:
            return self.expression

    def __eq__(self, other: object) -> bool:
        mine = self._identity
        return bool(mine == (other._identity if isinstance(other, MetricExpression) else other))

    def __hash__(self) -> int:
        mine = self._identity
        return hash(str(mine) if isinstance(mine, Expression) else mine)

    def __repr__(self) -> str:
        return str(self._identity)


def spellings() -> dict[str, str]:
    """Python name -> name in the notation, of all metrics, browsing models and aggregations.

    An aggregation whose name is in lower case is also known by its class name.

    Examples
    --------
    >>> spellings()["Max"], spellings()["nDCG"]
    ('max', 'nDCG')
    """
    parts = [(name, get(kind, name)) for kind in ("aggregate", "browse", "metric") for name in names(kind)]
    classes = {known.__name__: name for name, known in parts if name.islower()}
    return {**classes, SHORT: SHORT, **{name: name for name, _ in parts if name.isidentifier()}}


def _product(model: Term, aggregation: Term) -> MetricExpression:
    product = MetricExpression(Expression(model, aggregation))
    _ = product.metric  # raises what the text would raise
    return product


def _factor(factor: Any) -> Term:
    if isinstance(factor, MetricExpression):
        return factor._term("*")
    if isinstance(factor, Parametrised):
        return factor.term()
    raise MetameterError(
        "a browsing model is multiplied by an aggregation", given=factor, fix="Write mm.RBP(p=0.8) * mm.Max()."
    )
