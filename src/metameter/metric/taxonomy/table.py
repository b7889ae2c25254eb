"""The taxonomy as tables: a row for every browsing model and aggregation there is."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from metameter.metric.cwla import Product
from metameter.metric.examples import DEPTH, example, product
from metameter.metric.taxonomy.equivalence import groups_of
from metameter.metric.taxonomy.named import names_of
from metameter.metric.taxonomy.probing import Probes, class_of
from metameter.metric.taxonomy.user import carterette_of, finite_of, monotone_of, user_of
from metameter.registry import names

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AGGREGATIONS", "MODELS", "equivalent_table", "models", "taxonomy_table"]

#: The rows and columns of Table 3 of Moffat et al. (2022), in its order; what else is registered follows.
MODELS = ("Prec", "RBP", "DCG", "AP1", "ERR", "INST", "AP2")
AGGREGATIONS = ("ETG", "ERG", "ERR", "avg", "max", "fin")

_SCHEMA = ("browse", "aggregate", "class", "name", "user", "monotone", "carterette", "finite", "metric")


def models() -> tuple[list[str], list[str]]:
    """All browsing models and all aggregations, those of the paper's Table 3 first."""
    return _first(MODELS, names("browse")), _first(AGGREGATIONS, names("aggregate"))


def _first(printed: tuple[str, ...], known: list[str]) -> list[str]:
    return [*printed, *(name for name in known if name not in printed)]


@cache
def _probes() -> Probes:
    return Probes(longest=DEPTH)


@cache
def _products() -> dict[str, Product]:
    rows, columns = models()
    made = (product(browse, aggregate) for browse in rows for aggregate in columns)
    return {repr(each): each for each in made}


@cache
def taxonomy_table() -> pl.DataFrame:
    """What every product is: class, names, user, monotonicity, Carterette's model, finite expected depth.

    Examples
    --------
    >>> taxonomy_table().row(1)
    ('Prec', 'ERG', 'metric', 'Prec@k', 'static', 'non-decreasing', None, 'only with @k', 'Prec@5*ERG')
    """
    import polars as pl

    rows, columns = models()
    of_model = {name: _of_model(name) for name in rows}
    of_aggregation = {name: _of_aggregation(name) for name in columns}
    cells = [_row(each, of_model, of_aggregation) for each in _products().values()]
    schema = {name: pl.Int64 if name == "carterette" else pl.String for name in _SCHEMA}
    return pl.DataFrame(cells, schema=schema)


def _of_model(name: str) -> dict[str, Any]:
    model = example("browse", name)
    return {"user": user_of(model, _probes()), "finite": finite_of(model, _probes())}


def _of_aggregation(name: str) -> dict[str, Any]:
    aggregation = example("aggregate", name)
    monotone, carterette = monotone_of(aggregation, _probes()), carterette_of(aggregation, _probes())
    return {"monotone": monotone, "carterette": carterette}


def _row(each: Product, of_model: dict[str, Any], of_aggregation: dict[str, Any]) -> dict[str, Any]:
    browse, aggregate = each.model.registered_name, each.aggregation.registered_name
    kind = class_of(each, _probes())
    # What is the same for all rankings measures none, whatever it equals.
    called = ", ".join(names_of(each, _probes())) if kind == "metric" else ""
    what = {"browse": browse, "aggregate": aggregate, "class": kind, "name": called or None, "metric": repr(each)}
    return what | of_model[browse] | of_aggregation[aggregate]


@cache
def equivalent_table() -> pl.DataFrame:
    """The groups of metrics that order any two lists alike: group, metric, because.

    Examples
    --------
    >>> equivalent_table().head(3)["because"].to_list()
    ['the first of its group', '0.2 x Prec@5*ETG', '0.2 x Prec@5*ETG']
    """
    import polars as pl

    metrics = taxonomy_table().filter(pl.col("class") != "constant")["metric"].to_list()
    scores = {name: _products()[name].score_page(_probes().graded) for name in metrics}
    rows = [
        (number, name, because or "the first of its group")
        for number, group in enumerate(groups_of(scores), start=1)
        for name, because in group.items()
    ]
    return pl.DataFrame(rows, schema={"group": pl.Int64, "metric": pl.String, "because": pl.String}, orient="row")
