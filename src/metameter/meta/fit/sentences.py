"""What `fit` found, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Across
from metameter.meta.fit.goal import AGREEMENT, goal_of
from metameter.meta.recommend.sentence import figure
from metameter.notation import spell_value

if TYPE_CHECKING:
    import polars as pl

__all__ = ["across_fits", "fit_answer", "views_answer"]


def across_fits(results: Mapping[str, Any]) -> Across:
    """Which metric describes the users of each collection."""
    told = []
    for name, result in results.items():
        folds = result.tables.get("fit_folds")
        verdict = "" if folds is None else folds["verdict"][-1]
        shown = f" (shown to be {verdict} than {result.manifest['fitted']['reference']})"
        from_what = " (fitted to preferences)" if result.table["labels"][0] == "preference" else ""
        told.append(f"{name} {result.metric}{from_what}{shown if verdict in ('better', 'worse') else ''}")
    return Across((f"Users are best described, in each collection, by: {'; '.join(told)}.",))


def fit_answer(tables: Mapping[str, pl.DataFrame], fitted: Mapping[str, Any]) -> list[str]:
    """Which metric describes these users, how sure that is, and whether it is better than the reference.

    Parameters
    ----------
    tables : dict of polars.DataFrame
    fitted : dict
        ``metric`` and ``reference`` by name, and whether it is ``above_chance`` on held-out data.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"parameter": "p", "estimate": 0.7, "low": 0.65, "high": 0.75, "canonical_value": 0.8, "at_bound": None}
    >>> row |= {"searched_low": 0.0, "searched_high": 0.999, "labels": "satisfaction"}
    >>> fitted = {"metric": "RBP(p=0.7)*max", "reference": None, "above_chance": None}
    >>> fit_answer({"fit": pl.DataFrame([row])}, fitted)
    ['The users are best described by RBP(p=0.7)*max: p 0.7, 95% interval 0.65 to 0.75 (canonical: 0.8).']
    >>> fit_answer({"fit": pl.DataFrame([row | {"low": 0.0, "high": 0.999}])}, fitted)[0]
    'These labels do not tell p: the 95% interval of p is all that was searched, 0 to 0.999.'
    """
    metric, reference = fitted["metric"], fitted["reference"]
    rows = list(tables["fit"].iter_rows(named=True))
    usual = all(row["estimate"] == row["canonical_value"] for row in rows)
    same = f"{metric}, as it is by default" if usual else metric
    told = "; ".join(_parameter(row) for row in rows)
    goal = goal_of(rows[0]["labels"])
    untold = _untold(rows, fitted.get("above_chance"), goal)
    best = f"{goal.capitalize()} is highest for" if untold else "The users are best described by"
    return [*untold, f"{best} {same}: {told}.", *_tested(tables, metric, reference)]


def _untold(rows: list[dict[str, Any]], above_chance: bool | None, goal: str) -> list[str]:
    """What is to be said first where the labels leave all parameters open, or agree with no value."""
    names = " and ".join(row["parameter"] for row in rows)
    if above_chance is False:
        does = "decide pairs" if goal == AGREEMENT else "order pages"
        why = f"on held-out data the fitted metric is not shown to {does} better than chance"
        return [f"These labels do not tell {names}: {why}."]
    if not all(_is_everything(row) for row in rows):
        return []
    ranges = ", of ".join(f"{row['parameter']} is all that was searched, {_range(row)}" for row in rows)
    return [f"These labels do not tell {names}: the 95% interval of {ranges}."]


def _is_everything(row: dict[str, Any]) -> bool:
    return row["low"] is not None and row["low"] <= row["searched_low"] and row["high"] >= row["searched_high"]


def _range(row: dict[str, Any]) -> str:
    return f"{_short(row['low'])} to {_short(row['high'])}"


def _parameter(row: dict[str, Any]) -> str:
    ends = "" if row["low"] is None else f", 95% interval {_range(row)}"
    canonical = row["canonical_value"]
    known = "" if canonical is None else f" (canonical: {spell_value(canonical)})"
    side = {"low": "lower", "high": "upper"}.get(row["at_bound"] or "")
    bound = f", at the {side} end of what was searched" if side else ""
    return f"{row['parameter']} {spell_value(row['estimate'])}{bound}{ends}{known}"


def _short(value: float) -> str:
    return spell_value(float(f"{value:.4g}"))


def _tested(tables: Mapping[str, pl.DataFrame], metric: str, reference: str | None) -> list[str]:
    if "fit_folds" not in tables or reference in (None, metric):
        return []
    row = tables["fit_folds"].row(-1, named=True)
    goal = goal_of(row["labels"])
    if row[goal] is None or row[f"canonical_{goal}"] is None:
        return [f"Nothing can be said of held-out data, nor against {reference}: in no fold do labels differ."]
    what = "agreement with preferences" if goal == AGREEMENT else goal
    by = f"{figure(row[goal])} against {figure(row[f'canonical_{goal}'])}"
    if row["difference"] is None or row["low"] is None:
        return [f"On held-out data: {what} {by} of {reference}; nothing is known of others."]
    told = f"{figure(row['difference'], sign=True)}, 95% interval {figure(row['low'])} to {figure(row['high'])}"
    verdict = {
        "better": f"it is shown to be better than {reference}",
        "worse": f"it is shown to be worse than {reference}: do not use it",
        "no-evidence": f"it is not shown to be better than {reference}",
    }[row["verdict"]]
    return [f"On held-out data {verdict}: {what} {by} ({told})."]


def views_answer(models: pl.DataFrame, one_rate: str | None = None) -> list[str]:
    """Which browsing model the ranks viewed last speak for.

    Parameters
    ----------
    models : polars.DataFrame
        The table ``fit_models``, the data-driven model first.
    one_rate : str, optional
        What the data-driven model is called where all ranks have one rate.

    Examples
    --------
    >>> import polars as pl
    >>> names = ["Empirical(continuation=[0.5],tail=repeat)", "RBP(p=0.5)"]
    >>> found = {"parameter": [None, "p"], "low": [None, 0.44], "high": [None, 0.56], "held_out": [-1.4, -1.3]}
    >>> views_answer(pl.DataFrame({"model": names, **found}), "RBP(p=0.5)")
    ['The ranks viewed last are described by one rate for all ranks, that of RBP(p=0.5).',
     'Held-out ranks are likeliest under RBP(p=0.5), 95% interval of p 0.44 to 0.56.']
    """
    own = models["model"][0]
    # With one rate the data-driven model is RBP, which has a row of its own.
    others = models if one_rate is None else models[1:]
    best_first = others.sort("held_out", descending=True, nulls_last=True, maintain_order=True)
    ordered = [_with_interval(row) for row in best_first.iter_rows(named=True)]
    by = own if one_rate is None else f"one rate for all ranks, that of {one_rate}"
    best = f"this data-driven model, then under {ordered[1]}" if ordered[0] == own else ordered[0]
    return [f"The ranks viewed last are described by {by}.", f"Held-out ranks are likeliest under {best}."]


def _with_interval(row: dict[str, Any]) -> str:
    """The name of a model, and how sure its parameter is."""
    interval = "" if row["low"] is None else f", 95% interval of {row['parameter']} {_range(row)}"
    return f"{row['model']}{interval}"
