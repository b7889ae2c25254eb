"""What `taxonomy` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Words

__all__ = ["WORDS"]

WORDS = Words(
    "Taxonomy",
    "What does each combination of browsing model and aggregation measure, if anything?",
    "Every registered browsing model and aggregation is tried on random lists: whether scores change with the gains "
    "and with their order, what moves the users, which metrics order all lists alike.",
    "A square is a combination. X is a constant, XX does not depend on the order of the items, a dot is a metric "
    "without a name.",
)
