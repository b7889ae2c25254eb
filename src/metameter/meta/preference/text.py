"""The prose of `preference`: its declaration."""

from __future__ import annotations

from metameter.meta.base import Words
from metameter.meta.label_agreement.text import COLUMNS

WORDS = Words(
    "Agreement with preferences",
    "Does a metric give the higher score to the result page that people prefer?",
    "Annotators compared two result pages and chose the better one, or neither. Every metric scores both from the "
    "grades of their results. Concordance is the share of the pairs with a preference in which the preferred page has "
    "the higher score, equal scores counting half; Kendall's tau_b, which the paper reports, measures how closely "
    "score differences follow preferences. Users (or pairs, if users are not known) are resampled with replacement, "
    "the same samples for all metrics.",
    "The higher, the better a metric predicts which page is preferred. Metrics are ordered and judged by concordance; "
    "tau_b corrects for ties and so favours metrics that often give both pages equal scores. Marks are as for "
    "satisfaction; X (constant) and XX (the order of the results does not matter) are not correlated, as in the paper.",
    columns={
        **COLUMNS,
        "concordance": "of the pairs with a preference, the share in which the preferred page scores higher, ties half",
        "tau_b": "Kendall's tau_b between differences of scores (b less a) and preferences; empty for X and XX",
        "agreement": "of the pairs with a preference, the share whose difference of scores has its sign",
        "ties": "of the pairs with a preference, the share whose pages have the same score",
        "low": "lower end: of tau_b, the 95% interval for other pairs (or users); of a bin, of the difference",
        "high": "upper end: of tau_b, the 95% interval for other pairs (or users); of a bin, of the difference",
        "difference": "tau_b less that of the metric it is compared with; of a bin, the middle of the difference",
        "pairs": "how many pairs have a difference within the bin",
        "prefer_a": "of these, the share in which a is preferred",
        "neither": "of these, the share in which neither is preferred",
        "prefer_b": "of these, the share in which b is preferred",
    },
)
