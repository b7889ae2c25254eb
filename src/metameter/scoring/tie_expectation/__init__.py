"""The exact mean of a score over all orders of documents with equal scores."""

from metameter.scoring.tie_expectation.expected import expected

__all__ = ["expected"]
