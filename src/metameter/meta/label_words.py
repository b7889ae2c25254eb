"""What the columns mean that satisfaction and preference share."""

from __future__ import annotations

__all__ = ["COLUMNS"]

COLUMNS = {
    "metric": "the metric",
    "browse": "its browsing model: how the user goes down the page; empty for metrics without one",
    "aggregate": "its aggregation: what the user takes away; empty for metrics without one",
    "class": "of products, by the taxonomy: X: the same score for every page; XX: the order of results does not matter",
    "concordance_low": "lower end of the 95% interval of concordance, for other pages (or users, where known)",
    "concordance_high": "upper end of the 95% interval of concordance, for other pages (or users, where known)",
    "low": "lower end of the 95% interval of tau_b, for other pages (or users, where they are known)",
    "high": "upper end of the 95% interval of tau_b, for other pages (or users, where they are known)",
    "p": "p of no association at all, of this metric alone",
    "canonical": "the metric that it is held against: the canonical one of its browsing model, or the reference",
    "p_vs_canonical": "p of no difference in tau_b from that one, adjusted within the row of the table",
    "better": "whether its tau_b is shown to be higher than that one's, with one error rate for the whole table; empty "
    "where nothing was compared",
    "difference": "tau_b less that of the metric it is held against",
    "difference_low": "lower end of the interval of the difference, which holds together with all others",
    "difference_high": "upper end of the interval of the difference, which holds together with all others",
    "difference_low_row": "lower end of the 95% interval of this difference alone",
    "difference_high_row": "upper end of the 95% interval of this difference alone",
    "p_table": "p of no difference, adjusted over the whole table",
    "better_row": "whether p_vs_canonical is below alpha and the difference above zero: the mark b of the paper",
    "close_call": "whether better hangs on less than two Monte-Carlo errors",
    "concordance_difference": "concordance less that of the metric it is held against",
    "concordance_difference_low": "lower end of its interval, which holds together with all others",
    "concordance_difference_high": "upper end of its interval, which holds together with all others",
    "concordance_better": "whether its concordance is shown to be higher than that one's, with one error rate for the "
    "whole table; empty where nothing was compared",
    "concordance_close_call": "whether concordance_better hangs on less than two Monte-Carlo errors",
    "beats": "how many metrics of the table it is shown to exceed in concordance",
    "beaten_by": "how many metrics of the table are shown to exceed it in concordance",
    "normalised_by_page": "whether the score would change if something relevant were judged that is not on the page: "
    "then it is another metric than that of the same name over a collection",
}
