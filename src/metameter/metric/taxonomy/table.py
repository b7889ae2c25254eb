"""The taxonomy as tables, with a row for every browsing model and aggregation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.metric.examples import DEPTH, example, product
from metameter.metric.product import Product
from metameter.metric.taxonomy.classification import (
    Probes,
    carterette_of,
    class_of,
    finite_of,
    monotone_of,
    probes_of,
    same,
    user_of,
)
from metameter.metric.taxonomy.paper_definitions import names_of
from metameter.registry import get, names

if TYPE_CHECKING:
    import polars as pl


#: The rows and columns of Table 3 of Moffat et al. (2022), in its order; further registered names follow.
MODELS = ("Prec", "RBP", "DCG", "AP1", "ERR", "INST", "AP2")
AGGREGATIONS = ("ETG", "ERG", "ERR", "avg", "max", "fin")

_SCHEMA = ("browse", "aggregate", "class", "name", "user", "monotone", "carterette", "finite", "metric")


def models() -> tuple[list[str], list[str]]:
    """All browsing models and all aggregations, those of the paper's Table 3 first, without those of `left_out`."""
    return _first(MODELS, "browse"), _first(AGGREGATIONS, "aggregate")


def left_out() -> list[str]:
    """The names that cannot be tried, since their classes lack example values for parameters without a default."""
    return [name for kind in ("browse", "aggregate") for name in names(kind) if not _has_example(kind, name)]


def _first(printed: tuple[str, ...], kind: str) -> list[str]:
    # In alphabetical order, since that of registration depends on the order of imports.
    others = sorted((name for name in names(kind) if name not in printed), key=str.lower)
    return [*printed, *(name for name in others if _has_example(kind, name))]


def _has_example(kind: str, name: str) -> bool:
    try:
        example(kind, name)
    except MetameterError:
        return False
    return True


def taxonomy_table(browse: str | None = None, aggregate: str | None = None) -> pl.DataFrame:
    """The properties of every product: class, names, user, monotonicity, Carterette's model, finite expected depth.

    Parameters
    ----------
    browse, aggregate : str, optional
        Only the products of this browsing model, or of this aggregation.

    Examples
    --------
    >>> taxonomy_table("Prec", "ERG").row(0)
    ('Prec', 'ERG', 'metric', 'Prec@k', 'static', 'non-decreasing', None, 'only with @k', 'Prec@5*ERG')
    """
    import polars as pl

    rows, columns = models()
    chosen = [
        (row, column) for row in rows for column in columns if browse in (None, row) and aggregate in (None, column)
    ]
    # Cached by class, not by name, since a model may be registered again.
    cells = [_cell(get("browse", row), get("aggregate", column)) for row, column in chosen]
    return pl.DataFrame(cells, schema={name: pl.Int64 if name == "carterette" else pl.String for name in _SCHEMA})


@cache
def _cell(model: Any, aggregation: Any) -> dict[str, Any]:
    each = product(model.registered_name, aggregation.registered_name)
    probes = _probes(each)
    kind = class_of(each, probes)
    # A product that is the same for all rankings gets no name, whatever it equals.
    called = ", ".join(names_of(each, probes)) if kind == "metric" else ""
    what = {"browse": model.registered_name, "aggregate": aggregation.registered_name, "metric": repr(each)}
    return {**what, "class": kind, "name": called or None, **_of_model(model), **_of_aggregation(aggregation)}


def _probes(each: Product) -> Probes:
    return probes_of(max(DEPTH, each.model.k or 0))


@cache
def _of_model(known: Any) -> dict[str, Any]:
    # Without a last rank where the model allows that, since a last rank changes the users.
    model = example("browse", known.registered_name)
    probes = probes_of(max(DEPTH, model.k or 0))
    return {"user": user_of(model, probes), "finite": finite_of(model, probes)}


@cache
def _of_aggregation(known: Any) -> dict[str, Any]:
    aggregation, probes = example("aggregate", known.registered_name), probes_of(DEPTH)
    return {"monotone": monotone_of(aggregation, probes), "carterette": carterette_of(aggregation, probes)}


def equivalent_table(taxonomy: pl.DataFrame) -> pl.DataFrame:
    """The groups of metrics of a taxonomy that are multiples of each other: group, metric, because.

    Examples
    --------
    >>> equivalent_table(taxonomy_table("Prec"))["because"].to_list()
    ['the first of its group', '0.2 x Prec@5*ETG', '0.2 x Prec@5*ETG']
    """
    import polars as pl

    pairs = taxonomy.filter(pl.col("class") != "constant").select("browse", "aggregate").iter_rows()
    products = {repr(each): each for each in (product(*pair) for pair in pairs)}
    # One set of lists for all metrics, longer than any last rank.
    page = probes_of(max(DEPTH, *(each.model.k or 0 for each in products.values()))).graded
    groups = groups_of({name: each.score_page(page) for name, each in products.items()})
    rows = [
        (number, name, because or "the first of its group")
        for number, group in enumerate(groups, start=1)
        for name, because in group.items()
    ]
    return pl.DataFrame(rows, schema={"group": pl.Int64, "metric": pl.String, "because": pl.String}, orient="row")


def multiple_of(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """The positive number by which the other scores are multiplied to give these; None if there is none.

    Examples
    --------
    >>> multiple_of(np.array([1.0, 2]), np.array([0.5, 1])), multiple_of(np.array([1.0, 2]), np.array([1.0, 3]))
    (2.0, None)
    """
    largest = int(np.argmax(np.abs(other)))
    if not other[largest] or one[largest] / other[largest] <= 0:
        return None
    ratio = float(one[largest] / other[largest])
    return ratio if same(one / np.abs(one).max(), other * ratio / np.abs(one).max()) else None


def groups_of(scores: Mapping[str, NDArray[np.float64]]) -> list[dict[str, str]]:
    """Group metrics that are multiples of each other, with the reason; in the order of the metrics.

    Parameters
    ----------
    scores : mapping of name to array
        The scores of each metric on the same lists; no metric is a constant.

    Examples
    --------
    >>> groups_of({"a": np.array([1.0, 2]), "b": np.array([1.0, 3]), "c": np.array([0.5, 1]), "d": np.array([1.0, 3])})
    [{'a': '', 'c': '0.5 x a'}, {'b': '', 'd': 'the same scores as b'}]
    """
    groups: list[dict[str, str]] = []
    for name, values in scores.items():
        # Being a multiple is transitive, so the first metric represents its group.
        for group in groups:
            first = next(iter(group))
            ratio = multiple_of(values, scores[first])
            if ratio is not None:
                group[name] = f"the same scores as {first}" if same(np.array(ratio), 1.0) else f"{ratio:.6g} x {first}"
                break
        else:
            groups.append({name: ""})
    return [group for group in groups if len(group) > 1]
