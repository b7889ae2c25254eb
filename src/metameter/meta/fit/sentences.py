"""What `fit` found, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Across
from metameter.meta.recommend.sentence import figure
from metameter.notation import spell_value

if TYPE_CHECKING:
    import polars as pl

__all__ = ["across_fits", "fit_answer", "views_answer"]

#: What a verdict on held-out data is called beside others.
_VERDICTS = {"better": "shown to be better than the canonical one", "worse": "shown to be worse"}


def across_fits(results: Mapping[str, Any]) -> Across:
    """Which metric describes the users of each collection."""
    told = []
    for name, result in results.items():
        folds = result.tables.get("fit_folds")
        verdict = _VERDICTS.get("" if folds is None else folds["verdict"][-1], "")
        told.append(f"{name} {result.metric}{f' ({verdict})' if verdict else ''}")
    return Across((f"Users are best described, in each collection, by: {'; '.join(told)}.",))


def fit_answer(tables: Mapping[str, pl.DataFrame], metric: str, reference: str | None) -> list[str]:
    """Which metric describes these users, how sure that is, and whether it is better than the canonical one.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"parameter": "p", "estimate": 0.7, "low": 0.65, "high": 0.75, "canonical_value": 0.8, "at_bound": None}
    >>> fit_answer({"fit": pl.DataFrame([row])}, "RBP(p=0.7)*max", None)
    ['The users are best described by RBP(p=0.7)*max: p 0.7, 95% interval 0.65 to 0.75 (canonical: 0.8).']
    """
    told = [_parameter(row) for row in tables["fit"].iter_rows(named=True)]
    same = f"{metric}, as it is by default" if metric == reference else metric
    return [f"The users are best described by {same}: {'; '.join(told)}.", *_tested(tables, metric, reference)]


def _parameter(row: dict[str, Any]) -> str:
    ends = "" if row["low"] is None else f", 95% interval {_short(row['low'])} to {_short(row['high'])}"
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
    by = f"{figure(row['concordance'])} against {figure(row['canonical_concordance'])}"
    if row["difference"] is None or row["low"] is None:
        return [f"On held-out data: concordance {by} of {reference}; nothing is known of others."]
    told = f"{figure(row['difference'], sign=True)}, 95% interval {figure(row['low'])} to {figure(row['high'])}"
    verdict = {
        "better": f"it is shown to be better than {reference}",
        "worse": f"it is shown to be worse than {reference}: do not use it",
        "no-evidence": f"it is not shown to be better than {reference}",
    }[row["verdict"]]
    return [f"On held-out data {verdict}: concordance {by} ({told})."]


def views_answer(models: pl.DataFrame) -> list[str]:
    """Which browsing model the ranks viewed last speak for."""
    best = models.sort("held_out", descending=True, nulls_last=True).row(0, named=True)
    empirical = models.row(0, named=True)
    sentences = [f"The ranks viewed last are described by {empirical['model']}."]
    if best["model"] != empirical["model"]:
        sentences.append(f"Held-out ranks are likeliest under {best['model']}.")
    return sentences
