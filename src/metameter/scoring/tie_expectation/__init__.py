"""The mean over all orders of documents with equal scores: exact, or refused."""

from metameter.scoring.tie_expectation.expected import expected

__all__ = ["expected"]
