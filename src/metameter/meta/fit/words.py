"""What `fit` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Words

__all__ = ["WORDS"]

WORDS = Words(
    "Parameters of your users",
    "Which parameters of a metric describe the users that the labels come from?",
    "The numbers of a metric's user model (how patient, how much is wanted, how much is forgotten) are searched within "
    "their declared bounds, first on a coarse grid, then ever finer where any sample has its best: for the values at "
    "which the metric orders most pairs of pages as their labels do (concordance) or, where people preferred one of "
    "two pages, for those at which most of the preferred pages have the higher score (agreement); equal scores count "
    "half in both. tau_b is shown beside it, but not searched: it has something to gain from scores that happen to be "
    "equal. Users (or pages, where users are not known) are drawn anew, and the search done again on each draw, for "
    "the intervals. The gain over the canonical values is measured on users (or pages) that the values were not fitted "
    "to, fold by fold; users are drawn anew within folds, and the search done again on what is left of each draw, for "
    "how sure that is. From ranks that users viewed, or clicked, last a data-driven browsing model is estimated, and "
    "browsing models are held against these ranks by their likelihood; the interval of a model's number ends where the "
    "likelihood has fallen further than other users (or pages) would move it.",
    "A wide interval says that many values describe these users equally well; one that ends where the search ended is "
    "open to that side. It is for labels that are a noisy function of what users take away on average; where each "
    "answer follows one walk down the page, it holds the true value less often, and to which side it errs is not "
    "known. Rates that rise with the rank have two readings: users go on the more readily the further they have come, "
    "or users differ, and the patient ones are left. Use the fitted metric where it is shown to be better on held-out "
    "data. Elsewhere it is not shown that the two differ, which is not to say that they are alike; then keep the "
    "canonical values, which everybody knows. The test on held-out data is one by itself, at the 5% level, apart from "
    "what else a study says of users.",
    columns={
        "parameter": "the parameter; of models, the one that was found",
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
        "concordance": "of the pairs of pages with different labels, the share that is ordered likewise, equal scores "
        "counting half",
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
        "parameters": "how many parameters were found, lapses among them; of smoothed rates, as many as they are worth",
        "lapse": "the share of pages on which any rank is as likely, at which the ranks are likeliest; 0 where that "
        "gains less than a parameter costs; the model's likelihoods are with it",
        "lapse_low": "lower end of its 95% interval, the model being as it is",
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
