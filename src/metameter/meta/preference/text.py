"""The prose of `preference`: its declaration."""

from __future__ import annotations

from metameter.meta.base import Words
from metameter.meta.label_agreement.text import COLUMNS

WORDS = Words(
    "Agreement with preferences",
    "Of two result pages, does the metric score the one higher that people prefer?",
    "People have seen two result pages side by side and said which one is better, or neither. Every metric scores "
    "both from the grades of their results. Of the pairs with a preference, concordance is the share in which the "
    "preferred page has the higher score, equal scores counting half; Kendall's tau_b, the figure of the paper, says "
    "how far the difference of scores goes with the preference. Users (or pairs, where users are not known) are drawn "
    "anew with replacement, the same draws for all metrics.",
    "The higher, the better a metric predicts which page is preferred. Metrics are ordered and judged by concordance; "
    "tau_b makes up for ties and so favours metrics that often score both pages alike. Marks are as for satisfaction; "
    "X (constant) and XX (the order of the results does not matter) are not correlated, as in the paper.",
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
