"""The prose of `fit`: its declaration, answer and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Across, Words
from metameter.meta.fit.browsing import candidates
from metameter.meta.fit.free_parameters import Axis
from metameter.meta.fit.search import AGREEMENT, objective_of
from metameter.meta.framework.caveats import few_units
from metameter.notation import spell_value
from metameter.stats.labels.counts import effective_units, rows_of_users
from metameter.view.tables.cells import figure

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.fit.labels import FitSettings, LabelFit
    from metameter.meta.fit.views import ViewFit
    from metameter.stats.labels.counts import LabelCounts


#: With fewer resamples the ends of an interval rest on a handful of draws.
_FEW_RESAMPLES = 100
#: Measured by benchmarks/coverage_fit.py --walk; the figures are on the page of fit.
_NOISY_MEAN = (
    "The interval is for labels that follow what users take away on average, with noise. Where each answer follows one "
    "walk down the page it holds the true value less often, and to which side it errs is not known."
)
#: Users are of unlike size if their effective number is below this share of their number.
_UNLIKE = 0.5

WORDS = Words(
    "Parameters of your users",
    "Which parameters of a metric describe the users that the labels come from?",
    "The numbers of a metric's user model (how patient, how much is wanted, how much is forgotten) are searched within "
    "their declared bounds, first on a coarse grid, then ever finer where any sample has its best: for the values at "
    "which the metric orders most pairs of pages as their labels do (concordance) or, where people preferred one of "
    "two pages, for those at which most of the preferred pages have the higher score (agreement); equal scores count "
    "half in both. tau_b is reported as well, but not optimised, since tied scores can raise it. For the intervals, "
    "users (or pages, if users are not known) are resampled and the search is repeated on each sample. The gain over "
    "the canonical values is measured on users (or pages) that the values were not fitted to, fold by fold; for its "
    "interval, users are resampled within folds and the search is repeated on the remaining folds of each sample. "
    "From the last ranks that users viewed, or clicked, a data-driven browsing model is estimated, and browsing models "
    "are compared with these ranks by their likelihood; the interval of a model's parameter ends where the likelihood "
    "has fallen further than other users (or pages) would move it.",
    "A wide interval says that many values describe these users equally well; one that ends where the search ended is "
    "open to that side. It is for labels that are a noisy function of what users take away on average; where each "
    "answer follows one walk down the page, it holds the true value less often, and to which side it errs is not "
    "known. Rates that rise with the rank have two readings: users go on the more readily the further they have come, "
    "or users differ, and the patient ones are left. Use the fitted metric where it is shown to be better on held-out "
    "data. Elsewhere it is not shown that the two differ, which is not to say that they are alike; then keep the "
    "canonical values, which are well known. The test on held-out data has its own 5% level, apart from "
    "other findings of a study on users.",
    columns={
        "parameter": "the parameter; of models, the estimated one",
        "estimate": "its value at which concordance, or agreement, is highest; of several, the middle; of models, the "
        "likeliest",
        "low": "lower end of the 95% interval, for other users (or pages)",
        "high": "upper end of the 95% interval, for other users (or pages)",
        "canonical_value": "its value where none is written",
        "at_bound": "whether the estimate is at the lower (low) or upper (high) end of what was searched: then only "
        "the other end of the interval is one",
        "searched_low": "the lowest value that was tried",
        "searched_high": "the highest value that was tried",
        "fold": "the users (or pages) that were held out; All: the mean over folds",
        "rows": "how many pages (or pairs) there are",
        "metric": "the metric; of a fold, the one fitted to all others",
        "tau_b": "Kendall's tau_b between scores and labels",
        "canonical_tau_b": "the same of the canonical metric, or of the reference",
        "concordance": "of the pairs of pages with different labels, the share that is ordered as the labels, equal "
        "scores counting half",
        "canonical_concordance": "the same of the canonical metric, or of the reference",
        "agreement": "of the preferences between two pages, the share that goes to the page with the higher score, "
        "equal scores counting half",
        "canonical_agreement": "the same of the canonical metric, or of the reference",
        "difference": "concordance, or agreement, less that of the canonical metric; its interval and p stand in the "
        "row All",
        "p": "p of no difference; of models, of shares by rank as far off if the model were true; none of the "
        "data-driven one, which is made of these shares",
        "verdict": "in the row All: whether the fitted metric is shown to be better, or worse, on held-out data",
        "labels": "what it was fitted to: satisfaction with pages, or preference between two",
        "value": "a value that was tried",
        "kind": "fitted, canonical or reference; of models, static, adaptive, clairvoyant or data-driven",
        "bin": "pages (or pairs) in order of score, in bins of about equal size",
        "score": "the mean score of the bin; of pairs, the mean difference of scores, second less first page",
        "label": "the mean label of the bin",
        "model": "the browsing model, its parameters those of the highest likelihood",
        "parameters": "the number of estimated parameters, lapses included; of smoothed rates, the effective number",
        "lapse": "the share of pages on which any rank is as likely, at which the ranks are likeliest; 0 where that "
        "gains less than a parameter costs; the model's likelihoods are with it",
        "lapse_low": "lower end of its 95% interval, with the model fixed",
        "lapse_high": "upper end of its 95% interval",
        "log_likelihood": "the logarithm of the probability that the model gives to the observed last ranks",
        "aic": "Akaike's criterion: lower is better",
        "held_out": "the mean log-likelihood of a last rank that the model was not fitted to: higher is better",
        "chi_square": "how far the shares by rank are from what the model expects, in squares of how far they would be "
        "by chance on these pages",
        "df": "its degrees of freedom",
        "rank": "the rank",
        "observed": "the share of pages on which it was the last one viewed",
        "viewers": "on how many pages it was viewed and another result followed",
        "left": "how many of them left there",
        "observed_continuation": "the share of its viewers who went on",
        "expected": "the share that the model expects on the same pages; with lapses where it says never of what "
        "was observed",
        "continuation": "the same, smoothed: what the data-driven model says",
    },
)


def across_fits(results: Mapping[str, Any]) -> Across:
    """The metric that describes the users of each collection."""
    clauses = []
    for name, result in results.items():
        folds = result.tables.get("fit_folds")
        verdict = "" if folds is None else folds["verdict"][-1]
        better = f" (shown to be {verdict} than {result.manifest['fitted']['reference']})"
        from_what = " (fitted to preferences)" if result.table["labels"][0] == "preference" else ""
        clauses.append(f"{name} {result.metric}{from_what}{better if verdict in ('better', 'worse') else ''}")
    return Across((f"Users are best described, in each collection, by: {'; '.join(clauses)}.",))


def fit_answer(tables: Mapping[str, pl.DataFrame], fitted: Mapping[str, Any]) -> list[str]:
    """The metric that describes these users, how sure that is, and whether it is better than the reference.

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
    same = f"{metric} with its default values" if usual else metric
    values = "; ".join(_parameter(row) for row in rows)
    objective = objective_of(rows[0]["labels"])
    undetermined = _undetermined(rows, fitted.get("above_chance"), objective)
    best = f"{objective.capitalize()} is highest for" if undetermined else "The users are best described by"
    return [*undetermined, f"{best} {same}: {values}.", *_tested(tables, metric, reference)]


def _undetermined(rows: list[dict[str, Any]], above_chance: bool | None, objective: str) -> list[str]:
    """The first sentence if the labels leave all parameters open, or agree with no value."""
    names = " and ".join(row["parameter"] for row in rows)
    if above_chance is False:
        does = "decide pairs" if objective == AGREEMENT else "order pages"
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
    objective = objective_of(row["labels"])
    if row[objective] is None or row[f"canonical_{objective}"] is None:
        return [f"Nothing can be said of held-out data, nor against {reference}: in no fold do labels differ."]
    what = "agreement with preferences" if objective == AGREEMENT else objective
    by = f"{figure(row[objective])} against {figure(row[f'canonical_{objective}'])}"
    if row["difference"] is None or row["low"] is None:
        return [f"On held-out data: {what} {by} of {reference}; nothing is known of others."]
    gain = f"{figure(row['difference'], sign=True)}, 95% interval {figure(row['low'])} to {figure(row['high'])}"
    verdict = {
        "better": f"it is shown to be better than {reference}",
        "worse": f"it is shown to be worse than {reference}: do not use it",
        "no-evidence": f"it is not shown to be better than {reference}",
    }[row["verdict"]]
    return [f"On held-out data {verdict}: {what} {by} ({gain})."]


def views_answer(models: pl.DataFrame, one_rate: str | None = None) -> list[str]:
    """The browsing model that fits the ranks viewed last best.

    Parameters
    ----------
    models : polars.DataFrame
        The table ``fit_models``, the data-driven model first.
    one_rate : str, optional
        The name of the data-driven model if all ranks have one rate.

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
    """The name of a model, and the interval of its parameter."""
    interval = "" if row["low"] is None else f", 95% interval of {row['parameter']} {_range(row)}"
    return f"{row['model']}{interval}"


def label_notes(fit: LabelFit, facts: dict[str, Any], settings: FitSettings) -> list[str]:
    """The notes on a metric that was fitted to labels."""
    units = "users" if facts["users"] else facts["rows"]
    number = facts["users"] or facts["size"]
    notes = [f"Fitted to {facts['size']:,} {facts['rows']}, {facts['distinct']:,} of them distinct."]
    if resamples := fit.search.resamples:
        of = f"{resamples:,} resamples of {number:,} {units}"
        notes += [f"low, high: 95% for other {units}, from {of}, each of them searched.", _NOISY_MEAN]
    if 0 < resamples < _FEW_RESAMPLES:
        notes.append(f"Warning: ends of intervals from {resamples} resamples are rough. Raise resamples to 1,000, say.")
    if flat := fit.flat:
        notes.append(f"Warning: on these pages {', '.join(flat)} makes no difference: any value orders them alike.")
    rows = {row["parameter"]: row for row in fit.tables["fit"].iter_rows(named=True)}
    notes += _open_ended((name, rows[name], axis) for name, axis in zip(rows, fit.search.axes, strict=True))
    if settings.resamples:
        notes += [*few_units(number, units, f"other {units}"), *_unlike_users(fit.counts, facts["rows"])]
    return notes


def _open_ended(rows: Iterable[tuple[str, dict[str, Any], Axis]]) -> list[str]:
    names = ", ".join(name for name, row, axis in rows if _is_open(row, axis))
    what = f"Warning: the interval of {names} reaches an end of what was searched: it is open there."
    return [what] if names else []


def _is_open(row: dict[str, Any], axis: Axis) -> bool:
    """Whether an interval ends where the search did, and not where the values of the parameter do.

    Examples
    --------
    >>> whole, patience = {"low": 0.0, "high": 1.0}, {"low": 0.5, "high": 0.999}
    >>> _is_open(whole, Axis(0, 1, 0.01)), _is_open(patience, Axis(0, 0.999, 0.01, more=(False, True)))
    (False, True)
    """
    if row["low"] is None:
        return False
    below, above = axis.more
    return bool((below and row["low"] <= axis.low) or (above and row["high"] >= axis.high))


def _unlike_users(counts: LabelCounts, rows: str) -> list[str]:
    """A warning where a few users have most of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> eleven = np.arange(11)
    >>> _unlike_users(LabelCounts(eleven, 0 * eleven, np.array([10] * 10 + [200]), eleven), "pages")
    ['Warning: one of 11 users has 200 of 300 pages. For intervals they count as 2.2 users of equal size.']
    """
    if counts.user is None or effective_units(counts) >= _UNLIKE * counts.units:
        return []
    most = f"one of {counts.units:,} users has {rows_of_users(counts).max():,.0f} of {counts.total:,} {rows}"
    return [f"Warning: {most}. For intervals they count as {effective_units(counts):,.2g} users of equal size."]


def view_notes(fit: ViewFit, facts: dict[str, Any]) -> list[str]:
    """The notes on browsing models that were fitted to the ranks viewed last."""
    weight = fit.data_driven.weight
    amount = f"as {weight:,.3g} more viewers at each rank, stopping at the rate of all ranks" if weight else "none"
    amount = "ranks differ no more than by chance: one rate for all" if fit.data_driven.one_rate else amount
    units = "users" if facts["users"] else "pages"
    notes = [
        f"Ranks viewed last on {facts['size']:,} pages, {facts['distinct']:,} of them distinct; smoothing: {amount}.",
        "p assumes independent pages; for users who would continue past the end of a page, its last rank counts.",
    ]
    if not fit.data_driven.one_rate:
        notes.append(
            "Where more go on from later ranks, users may go on the more readily the further they have come; or each "
            "may go on at a rate of their own, and those who are left are the patient ones. The ranks viewed last look "
            "the same."
        )
    models = fit.tables["fit_models"]
    if models["low"].is_not_null().any():
        notes.append(f"low, high of a model: 95% for other {units}, from how fast its likelihood falls.")
        notes.append(
            f"low, high of a rank: 95% for other {units}, of the share itself, whatever smoothing makes of it."
        )
    notes += _open_ended(_estimates(fit))
    return notes + few_units(fit.counts.units, units, f"other {units}") + _unlike_users(fit.counts, "pages")


def _estimates(fit: ViewFit) -> Iterable[tuple[str, dict[str, Any], Axis]]:
    """The models with one parameter: its name, its row, and the range of the search."""
    known = {each.name: each.parameter for each in candidates() if each.parameter is not None}
    for row in fit.tables["fit_models"].iter_rows(named=True):
        name = next((name for name in known if row["model"].startswith((f"{name}(", f"{name}@"))), None)
        if name is not None:
            yield f"{row['parameter']} of {name}", row, known[name].axis(fit.ranks)
