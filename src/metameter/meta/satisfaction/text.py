"""The prose of `satisfaction`: its declaration."""

from __future__ import annotations

from metameter.meta.base import Words
from metameter.meta.label_agreement.text import COLUMNS

WORDS = Words(
    "Agreement with satisfaction",
    "Which metric scores a result page as its users felt about it?",
    "People have seen result pages and said how satisfied they were. Every metric scores the same pages from the "
    "grades of their results. Of the pairs of pages with different labels, concordance is the share that the scores "
    "order as the labels do, equal scores counting half: .5 is chance, 1 is always. Kendall's tau_b, the figure of the "
    "paper, stands beside it. Users (or pages, where users are not known) are drawn anew with replacement to see how "
    "far the figures depend on who was asked, the same draws for all metrics. Each metric is compared with the "
    "canonical one of its browsing model, or against a reference. What is relevant, and the best possible list, is "
    "what stands on the page itself.",
    "The higher, the better a metric predicts satisfaction; even the best agree only in part, since a page is more "
    "than the grades of its results. Metrics are ordered and judged by concordance. tau_b makes up for what a metric "
    "ties, and a metric that is finer than the labels stays below 1 even if it orders every pair rightly: so a coarse "
    "metric may have the higher tau_b and still order fewer pairs of pages; ties tells how many it leaves undecided. A "
    "mark b in the table of the paper says that the tau_b of a metric is shown to be higher than that of the canonical "
    "metric of its row (a), with one error rate for the whole table; in brackets, that it is so by the row-wise test "
    "alone. X: the metric gives every page the same score. XX: the order of the results does not matter to it.",
    columns={
        **COLUMNS,
        "concordance": "of the pairs of pages with different labels, the share that it orders likewise, ties half",
        "tau_b": "Kendall's tau_b between the metric's scores and the labels; empty where all scores are equal",
        "agreement": "of the pairs of pages with different labels, the share that the metric orders likewise",
        "ties": "of the pairs of pages with different labels, the share that the metric scores alike",
        "satisfaction": "the level of satisfaction",
        "score": "a score of the metric",
        "share": "of the pages with that level of satisfaction, the share with at most this score",
        "pages": "how many pages have that level of satisfaction",
    },
)
