"""Notices: what a user should know although it is no reason to stop."""

from __future__ import annotations

import warnings

__all__ = ["MetameterWarning", "notice"]


class MetameterWarning(UserWarning):
    """Something was decided on the user's behalf; the message says what, and how to decide otherwise."""


def notice(message: str) -> None:
    """Issue a `MetameterWarning` that points at the caller's caller.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     notice("rows of the pseudo-topic 'all' were dropped")
    >>> print(caught[0].message)
    rows of the pseudo-topic 'all' were dropped
    """
    warnings.warn(message, MetameterWarning, stacklevel=3)
