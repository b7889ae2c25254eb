"""What `volatility` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Words

__all__ = ["WORDS"]

WORDS = Words(
    "Volatility: how deep to judge and to evaluate",
    "How much does the verdict wobble as lists are evaluated and judged deeper, and from where on is it settled?",
    "Every metric is scored at every evaluation depth. The ordering of the systems at each depth is compared with the "
    "final one, at the greatest depth. An ordering is settled from the depth on from which tau with the final one "
    "stays above a threshold; resampled topics tell how far that depth could be on as many others. With a grid of "
    "pool and evaluation depths all pairs of systems are tested in every cell: which differences would have been found "
    "with fewer judgments, and which of those found are lost or reversed when more arrive.",
    "One thin line per system, with a logarithmic depth; where lines cross, the order of systems changes. Bold: the "
    "best, the worst and the quartile systems by their final score. Right of the dashed line not all documents are "
    "judged. The final ordering is not the truth: it is the one with the most evidence here.",
    columns={
        "metric": "the metric, whose depth varies",
        "condensed": "whether documents without judgment were removed first",
        "system": "the system",
        "depth": "the evaluation depth k; in volatility_settled and volatility_planning the one found",
        "score": "mean score of the system at that depth",
        "contributing": "whether the system contributed to the pool",
        "pool_depth": "the depth of the pool, to which there are no gaps; empty if not known, in a plan: all judgments",
        "tau_to_final": "Kendall's tau_b between the ordering of systems at this depth and the final one",
        "low": "lower end of the 95% interval of tau_to_final, in volatility_settled of the depth, of a difference",
        "high": "upper end of the 95% interval of tau_to_final, in volatility_settled of the depth, of a difference",
        "tau_to_previous": "Kendall's tau_b between this ordering and the one at the previous depth of the list",
        "tau_ap_to_final": "tau_AP between this ordering and the final one: the top counts more",
        "crossings": "pairs of systems whose order turned round since the previous depth",
        "falls": "systems whose mean score fell since the previous depth",
        "range": "highest minus lowest mean score of a system",
        "drift": "how far the systems' means have moved, on average, up or down, since the pool depth",
        "residual": "how far mean scores could move if unjudged documents were judged; rough for recall-based metrics",
        "discriminated": "pairs of systems that differ significantly",
        "lost": "of these, those that do not differ significantly with the final evidence",
        "reversed": "of these, those that differ significantly the other way with the final evidence",
        "kept": "of the differences significant with the final evidence, the share significant likewise here",
        "pairs": "how many pairs of systems there are",
        "power": "share of the pairs that differ significantly",
        "tau_ap_low": "lower end of the 95% interval of tau_ap_to_final",
        "tau_ap_high": "upper end of the 95% interval of tau_ap_to_final",
        "previous_low": "lower end of the 95% interval of tau_to_previous",
        "previous_high": "upper end of the 95% interval of tau_to_previous",
        "mark": "best, worst or quartile of the final ordering",
        "threshold": "the tau from which on orderings count as the same",
        "final": "the depth of the final ordering; no more than the last rank that the metric looks at",
        "judging_depth": "how deep the judgments reach, as estimated; empty: no depth is judged throughout",
        "judged_share": "share of the documents down to this depth, in volatility_settled to final, that are judged",
        "system_a": "the first system of a pair",
        "system_b": "the second system of a pair",
        "difference": "mean score of system_a minus that of system_b",
        "tau_at_pool_depth": "tau between the ordering at the pool depth and the final one",
        "topic": "the topic; all: over all topics",
        "judged": "how many documents are judged; of a group, those that only it brought into the pool",
        "relevant": "how many of them are relevant",
        "judgments": "how many judgments such a pool takes",
        "share": "that as a share of all judgments",
        "verdicts": "significant differences with the final evidence",
        "holds": "share of resampled topic sets for which this plan keeps as much and reverses none, too",
        "sure_pool_depth": "the shallowest pool that does so for 95% of resampled topic sets; empty: all judgments",
        "sure_depth": "with it, the shallowest evaluation depth",
        "sure_judgments": "how many judgments that pool takes",
        "sure_share": "that as a share of all judgments; 1: no cheaper plan is sure",
        "close_call": "whether other random draws could turn the sure plan",
        "group": "the group whose own judgments are left out; all: each system without its own group's",
        "systems": "how many systems the group has",
        "change": "mean change of its systems' scores",
        "largest": "the change of the system that moves most",
        "places": "the most places that one of its systems falls",
        "tau": "Kendall's tau_b between the ordering without own judgments and that with all",
    },
)
