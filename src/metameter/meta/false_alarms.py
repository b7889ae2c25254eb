"""What it comes to if each pair is tested alone."""

from __future__ import annotations

__all__ = ["false_alarms"]


def false_alarms(alpha: float, pairs: int) -> str:
    """How many false alarms are to be expected of so many pairs, each tested alone.

    Examples
    --------
    >>> print(false_alarms(0.05, 190))
    Each pair is tested alone: about 10 of 190 are to be expected as false alarms if no systems differed.
    """
    expected = f"about {alpha * pairs:,.0f} of {pairs:,}" if alpha * pairs >= 1 else f"{alpha * pairs:.2g} of {pairs:,}"
    return f"Each pair is tested alone: {expected} are to be expected as false alarms if no systems differed."
