"""What the columns of the tables mean, and how their names are printed."""

from __future__ import annotations

__all__ = ["MEANINGS", "heading", "is_error", "label_of"]

MEANINGS = {
    "agreement": "of the pairs significant on one half of the topics, the share significant likewise on the other",
    "beaten": "the metrics that it beats significantly",
    "beats": "how many metrics of its group it beats significantly",
    "canonical": "the metric that the browsing model is known by",
    "consistency_difference": "mean tau minus that of the canonical metric; the interval is for other topics",
    "difference": "of the means, a minus b",
    "effect": "the difference in standard deviations",
    "group": "the browsing model",
    "judged_at_10": "share of the documents in the top 10 that were judged",
    "low": "of plausible values; the notes say of what kind",
    "mean_tau": "consistency: mean tau between rankings on two halves of the topics",
    "missing": "topics for which the system returned nothing",
    "opposite": "share of the pairs that differ in the other direction on the other half",
    "p": "achieved significance level",
    "power": "share of the pairs that differ significantly",
    "power_difference": "power minus that of the canonical metric; the interval is for other topics",
    "required_difference": "the smallest difference of means that is significant",
    "required_share": "the required difference as a share of the largest one observed",
    "residual": "how far the score could rise if all unjudged documents were relevant",
    "reversed": "share of the pairs that are significant in the other direction on the other half",
    "significant": "how many pairs differ significantly",
    "statistic": "the correlation of the two rankings of the systems",
    "tau_to_canonical": "how alike the metric and the canonical one rank the systems",
    "tied": "documents that share their score with another of their list",
    "verdict": "what the intervals say about the metric, compared with the canonical one",
}

_LABELS = {"judged_at_10": "judged@10"}
_ERRORS = ("_se", "_error")


def heading(column: str) -> str:
    """A column's name as words.

    Examples
    --------
    >>> heading("mean_tau"), heading("judged_at_10")
    ('mean tau', 'judged@10')
    """
    return _LABELS.get(column) or column.replace("_", " ")


def is_error(column: str) -> bool:
    """Whether a column holds Monte-Carlo errors, which stand back until they are asked for.

    Examples
    --------
    >>> is_error("power_error"), is_error("se"), is_error("p")
    (True, True, False)
    """
    return column == "se" or column.endswith(_ERRORS)


def label_of(name: str) -> str:
    """The name of a table, a chart or a fact as a heading.

    Examples
    --------
    >>> label_of("consistency_pairs"), label_of("judged_at_10")
    ('Consistency pairs', 'Judged@10')
    """
    words = heading(name)
    return words[:1].upper() + words[1:]
