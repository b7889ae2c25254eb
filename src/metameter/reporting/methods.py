"""What each procedure asks, how it finds the answer and how to read it, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["METHODS", "Method", "method_of"]


@dataclass(frozen=True)
class Method:
    """A procedure in words.

    Attributes
    ----------
    title, question : str
        The heading of its section, and the question it answers.
    words : str
        What is done.
    reading : str
        How its chart and table are read.
    procedure : str
        The name under which the procedure is registered, where that is not the name of its result.
    only : mapping of str to (option, values)
        References that count only when an option had one of these values.
    """

    title: str
    question: str = ""
    words: str = ""
    reading: str = ""
    procedure: str = ""
    only: Mapping[str, tuple[str, frozenset[Any]]] = field(default_factory=dict)


_TUKEY = frozenset({"tukey-randomised", "tukey", None})

METHODS = {
    "recommendation": Method(
        "Recommendation",
        "Is there a metric that does better than the canonical one and still ranks the systems alike?",
        "Each metric is compared with the canonical metric of its browsing model, three times: how alike the two rank "
        "the systems, and by how much they differ in consistency and in power. Both differences come with intervals "
        "from resampled topics. Only a difference whose interval leaves out zero counts as evidence.",
        "A verdict of better-and-similar means: more consistent or more discriminative than the canonical metric, with "
        "evidence, worse at neither, and with a system ranking very similar to the canonical one. Better-but-different "
        "measures something else. No-evidence is not proof of equality: more topics may tell.",
        procedure="recommend",
    ),
    "similarity": Method(
        "System ranking similarity",
        "Given a browsing model, do its metrics rank the systems alike?",
        "Every metric ranks the systems by their mean score over the topics. Two metrics are as similar as their "
        "rankings are correlated.",
        "Dark squares are pairs of metrics that rank the systems nearly alike: 1 is the same ranking, 0 is no "
        "relation. Where two metrics are multiples of each other the value is exactly 1.",
        only={"fieller1957": ("interval", frozenset({"fieller"}))},
    ),
    "consistency": Method(
        "System ranking consistency",
        "Would other topics rank the systems alike?",
        "The topics are split into two halves at random, again and again, with the same splits for every metric. "
        "Kendall's tau compares the systems' ranking on one half with that on the other; its mean over the splits is "
        "the metric's consistency. A paired, randomised Tukey HSD test tells which means differ on these topics; "
        "resampled topics tell how far they could move on others.",
        "The further right, the more a metric's ranking of the systems can be trusted to come out again with other "
        "topics. Where the whiskers of two metrics overlap widely, other topics could turn their order round.",
    ),
    "power": Method(
        "Discriminative power",
        "Which metric tells systems apart?",
        "Every pair of systems is tested for a difference in mean score, all pairs of a metric at one familywise error "
        "rate. Discriminative power is the share of pairs that differ significantly. Since a metric could be wrong "
        "with confidence, agreement tells how many pairs found on one half of the topics are found on the other.",
        "In a panel, all pairs stand from the largest p-value to the smallest. The closer a curve is to the origin, "
        "the more pairs the metric tells apart; what lies below the dashed line is significant.",
        only={"carterette2012": ("test", _TUKEY)},
    ),
    "compare": Method(
        "Which systems differ",
        "Which systems are really different?",
        "The systems' mean scores are compared pair by pair, and the chance of a false alarm is kept in check over all "
        "pairs.",
        "Systems that share a letter do not differ significantly.",
        only={"carterette2012": ("test", _TUKEY)},
    ),
    "volatility": Method(
        "Pooling and evaluation depth",
        "From which depth on does a metric's ranking of the systems settle?",
        "The runs are scored again and again while the evaluation depth, or that of the pool, grows; each ranking of "
        "the systems is compared with the final one.",
        "A metric whose curve is flat from some depth on gains nothing by going deeper.",
    ),
    "satisfaction": Method(
        "User satisfaction",
        "Which metric says what users say?",
        "Each result page is scored by every metric, and the scores are correlated with the satisfaction that users "
        "reported.",
        "The higher tau, the closer a metric comes to users' own words.",
    ),
    "preference": Method(
        "User preference",
        "Which metric prefers the page that users prefer?",
        "Each pair of result pages is scored by every metric, and the difference is held against the users' own.",
        "Agreement is the share of the preferences that the metric shares.",
    ),
    "intuitiveness": Method(
        "Intuitiveness",
        "When two metrics disagree, which one is with the simple property?",
        "Of the pairs of systems on which two complex metrics disagree, those are counted in which each agrees with a "
        "simple metric that stands for one property.",
        "The metric that agrees more often captures the property better.",
    ),
    "unanimity": Method(
        "Unanimity",
        "Does a metric rise when all simple metrics rise?",
        "A metric is held against the cases in which one system beats another on all simple metrics.",
        "High values mean that a metric follows when all properties agree.",
    ),
}


def method_of(procedure: str) -> Method:
    """The words for a procedure; for one that came later, its name.

    Examples
    --------
    >>> method_of("power").title, method_of("topic_sample").title
    ('Discriminative power', 'Topic sample')
    """
    return METHODS.get(procedure) or Method(procedure.replace("_", " ").capitalize())
