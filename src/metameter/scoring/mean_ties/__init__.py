"""The mean over all orders of documents with equal scores: exact, or refused."""

from metameter.scoring.mean_ties.expected import expected

__all__ = ["expected"]
