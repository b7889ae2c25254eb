"""What `tradeoff` asks, how it answers and how to read it; and the notes below its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.registry import metric_named

if TYPE_CHECKING:
    import polars as pl

__all__ = ["WORDS", "notes"]


def _agreement(kind: str, what: str) -> dict[str, str]:
    return {
        kind: f"concordance of the metric with {what}: the share of the pairs that it orders likewise, ties half; "
        "empty for metrics that are normalised by the page",
        f"{kind}_low": "lower end of its 95% interval, of this metric for itself",
        f"{kind}_high": "upper end of its 95% interval, of this metric for itself",
        f"{kind}_ties": "of the same pairs, the share that the metric scores alike",
        f"{kind}_tau_b": f"Kendall's tau_b of the metric with {what}",
        f"{kind}_beats": "how many metrics it is shown to exceed in this, all pairs of metrics together",
        f"{kind}_beaten_by": "how many metrics are shown to exceed it in this, all pairs of metrics together",
        f"{kind}_leader": "whether no metric is shown to exceed it in this; empty where concordance is not known",
    }


WORDS = Words(
    "Stability and users",
    "Is the metric that is stable also the one that agrees with users?",
    "Stability is what the recommendation says of consistency and power, on the systems and topics of the collection. "
    "Agreement with users is concordance with what users said of result pages: how satisfied they were, or which of "
    "two pages they prefer. On a labelled page nDCG, AP, recall and others can be normalised by the page's own results "
    "only, in a collection by all that was judged: these are different metrics, so they have no figure for users here. "
    "A metric leads in one of these if no other is shown to exceed it, "
    "by intervals or tests that hold for all pairs of metrics together; a higher figure alone shows nothing.",
    "A metric that leads in all columns needs no choice. Where none does, what is gained in one is paid for in "
    "another: a metric may predict what users feel and yet rank the systems otherwise with other topics. Metrics on "
    "the front are those to choose among: no metric is higher in all figures. Where every metric leads, the data do "
    "not tell the metrics apart.",
    columns={
        "metric": "the metric",
        "consistency": "mean tau between rankings on two halves of the topics, as in consistency",
        "power": "share of the pairs of systems that differ significantly, as in power",
        "consistency_group": "letters: metrics that share one are not shown to differ in consistency",
        "power_group": "letters: metrics that share one are not shown to differ in power",
        "consistency_leader": "whether no metric is shown to exceed it in consistency; empty for simple metrics",
        "power_leader": "whether no metric is shown to exceed it in power; empty for simple metrics",
        **_agreement("satisfaction", "how satisfied users were with result pages"),
        **_agreement("preference", "which of two result pages users prefer"),
        "front": "whether no metric is higher in all of these figures; empty where one of them is not known",
    },
)


def notes(table: pl.DataFrame, options: dict[str, Any]) -> tuple[str, ...]:
    """What leads means, and which metrics have no figure for users."""
    kinds = [kind for kind in ("satisfaction", "preference") if kind in table.columns]
    told = [
        "A metric leads where no other is shown to exceed it. Intervals of agreement are 95%, each for itself; what is "
        "shown to exceed what is judged for all pairs of metrics together, each kind of label at the level of its own "
        "section: of two kinds, one or the other shows something false up to twice as often."
    ]
    paged = options.get("normalised_by_page", [])
    for kind in kinds:
        without = [
            name
            for name in table.filter(table[kind].is_null())["metric"]
            if str(metric_named(name) or name) not in paged
        ]
        if without:
            shown = _names(without)
            told.append(f"Without agreement with {kind}, as they are constant or need more than a page: {shown}.")
    if paged:
        told.append(
            "Without agreement with users, as on labelled pages they are normalised by the page itself and so are "
            f"other metrics than those of these names here: {_names(paged)}."
        )
    if options.get("simple"):
        told.append(f"Set aside as simple metrics: {', '.join(options['simple'])}.")
    return tuple(told)


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
