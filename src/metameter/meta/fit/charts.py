"""The charts of `fit`: agreement with labels along each parameter, mean labels by score, ranks viewed last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.fit.search import AGREEMENT, CONCORDANCE, objective_of
from metameter.meta.framework.table_rows import one_collection

if TYPE_CHECKING:
    import polars as pl


_MEANING = {
    CONCORDANCE: "Concordance: share of pairs of pages with different labels in the order of labels (ties half).",
    AGREEMENT: "Agreement: of the preferences, the share that goes to the page with the higher score, equal ones half.",
}
_CURVE = "{meaning} Solid: the estimate; grey: its 95% interval; {dashed}. Other free parameters are at their best."
_BINS = (
    "{rows} in at most ten bins of about equal size, by {by}; bars: 95% intervals of the mean label. Where a metric "
    "orders pages as people do, the line only rises; how steep it is depends on the scale of the scores."
)
_RANKS = (
    "Bars: the share of pages on which the rank was viewed last. Lines: what browsing models expect on these pages."
)


def fit_charts(tables: Mapping[str, pl.DataFrame], against: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The charts of the tables that exist, by name.

    Parameters
    ----------
    tables : mapping of polars.DataFrame
    against : mapping, optional
        The requested reference: its ``metric``, and the ``values`` that it has of the parameters.
    """
    charts: dict[str, Any] = {}
    if "fit_curve" in tables:
        charts["fit_curve"] = curve_chart(tables["fit"], tables["fit_curve"], against)
        charts["fit_calibration"] = calibration_chart(tables["fit_calibration"])
    if "fit_last" in tables:
        charts["fit_last"] = last_chart(tables["fit_models"], tables["fit_last"])
    return charts


def curve_chart(table: pl.DataFrame, curve: pl.DataFrame, against: Mapping[str, Any] | None = None) -> Any:
    """The objective along each parameter, with the estimate, its interval and the value of the reference."""
    from metameter.view.charts.intervals import profiles

    rows, which = one_collection(table)
    points, _ = one_collection(curve)
    # Collections may have different labels, pages or preferences, and so different columns.
    objective = objective_of(points["labels"][0])
    labels = "preferences" if objective == AGREEMENT else "the labels"
    return profiles(
        points,
        *("value", objective, "parameter"),
        {row["parameter"]: _marks(row, against) for row in rows.iter_rows(named=True)},
        title="Which parameters describe the users?",
        below=list(filter(None, [_CURVE.format(meaning=_MEANING[objective], dashed=_dashed(against)), which])),
        titles=("", f"{objective} with {labels}"),
    )


def _marks(row: dict[str, Any], against: Mapping[str, Any] | None) -> dict[str, Any]:
    dashed = row["canonical_value"] if against is None else against["values"].get(row["parameter"])
    return {**{name: row[name] for name in ("estimate", "low", "high")}, "beside": dashed}


def _dashed(against: Mapping[str, Any] | None) -> str:
    """The meaning of the dashed line.

    Examples
    --------
    >>> _dashed({"metric": "RBP(p=0.9)*max", "values": {"p": 0.9}})
    'dashed: the value of the reference, RBP(p=0.9)*max'
    >>> _dashed({"metric": "INST(T=2.25)*max", "values": {}})
    'the reference, INST(T=2.25)*max, has no value here'
    """
    if against is None:
        return "dashed: the canonical value"
    if against["values"]:
        return f"dashed: the value of the reference, {against['metric']}"
    return f"the reference, {against['metric']}, has no value here"


def calibration_chart(table: pl.DataFrame) -> Any:
    """The mean label by score of the fitted metric, and of the canonical one or the reference."""
    import polars as pl

    from metameter.view.charts.intervals import binned_means

    rows, which = one_collection(table)
    pairs = rows["labels"][0] == "preference"
    by = "difference of scores (second less first page)" if pairs else "score"
    title = (
        "What do people say of pairs that score alike?" if pairs else "What do people say of pages that score alike?"
    )
    named = rows.with_columns(pane=pl.format("{} ({})", "metric", "kind"))
    return binned_means(
        named.select("pane", "score", "label", "low", "high", "bin", "rows"),
        *("score", "label", ("low", "high"), "pane", ("bin", "rows")),
        title=title,
        below=list(filter(None, [_BINS.format(rows="Pairs" if pairs else "Pages", by=by), which])),
        titles=(f"mean {'difference' if pairs else 'score'} of the bin", "mean preference" if pairs else "mean label"),
    )


def last_chart(models: pl.DataFrame, last: pl.DataFrame) -> Any:
    """Ranks viewed last: observed, and expected by the data-driven, the best static and the best other model."""
    import polars as pl

    from metameter.view.charts.ranks import rank_shares

    known, which = one_collection(models)
    rows, _ = one_collection(last)
    static, others = (known.filter(test)["model"].to_list() for test in _kinds())
    names = [known["model"][0], *static[:1], *others[:1]]
    plotted = pl.concat([rows.filter(rows["model"] == name) for name in names])
    short = plotted.with_columns(pl.col("model").str.replace(r"^(Empirical)\(.*\)$", "$1, data-driven"))
    return rank_shares(
        short,
        *("rank", "observed", "expected", "model"),
        title="How far down do people look?",
        below=list(filter(None, [_RANKS, which])),
        titles=("rank viewed last", "share of pages"),
    )


def _kinds() -> tuple[Any, Any]:
    import polars as pl

    return pl.col("kind") == "static", pl.col("kind").is_in(["adaptive", "clairvoyant"])
