"""The prose of `satisfaction`: its declaration."""

from __future__ import annotations

from metameter.meta.base import Words
from metameter.meta.label_agreement.text import COLUMNS

WORDS = Words(
    "Agreement with satisfaction",
    "Which metric scores a result page as its users felt about it?",
    "Users rated how satisfied they were with result pages. Every metric scores the same pages from the grades of "
    "their results. Concordance is the share of the pairs of pages with different labels that the scores order as the "
    "labels do, equal scores counting half: .5 is chance, 1 is perfect. Kendall's tau_b, which the paper reports, is "
    "given as well. Users (or pages, if users are not known) are resampled with replacement, the same samples for all "
    "metrics, to measure how much the figures depend on the users. Each metric is compared with the canonical metric "
    "of its browsing model, or with a reference. Relevant documents and the ideal list are taken from the page itself.",
    "The higher, the better a metric predicts satisfaction; even the best agree only in part, since a page is more "
    "than the grades of its results. Metrics are ordered and judged by concordance. tau_b corrects for tied scores. A "
    "metric with finer scores than the labels stays below 1 even if it orders every pair correctly, so a coarse metric "
    "may have the higher tau_b and order fewer pairs. The column ties is the share of pairs that a metric leaves tied. "
    "A mark b in the table of the paper says that the tau_b of a metric is shown to be higher than that of the "
    "canonical metric of its row (a), with one error rate for the whole table; in brackets, that it is so by the "
    "row-wise test alone. X: the metric gives every page the same score. XX: the order of results does not change it.",
    columns={
        **COLUMNS,
        "concordance": "of the pairs of pages with different labels, the share that it orders as the labels, ties half",
        "tau_b": "Kendall's tau_b between the metric's scores and the labels; empty where all scores are equal",
        "agreement": "of the pairs of pages with different labels, the share that the metric orders as the labels do",
        "ties": "of the pairs of pages with different labels, the share to which the metric gives equal scores",
        "satisfaction": "the level of satisfaction",
        "score": "a score of the metric",
        "share": "of the pages with that level of satisfaction, the share with at most this score",
        "pages": "how many pages have that level of satisfaction",
    },
)
