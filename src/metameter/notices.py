"""Notices: warnings that do not stop the work."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_collected: ContextVar[list[str] | None] = ContextVar("collected notices", default=None)

_command_line: ContextVar[bool] = ContextVar("on the command line", default=False)

_FORMATTING = threading.RLock()


class MetameterWarning(UserWarning):
    """A warning about a choice made for the user; the message says which, and how to change it."""


class WaitingWarning(MetameterWarning):
    """A warning that the work is waiting, and for what. The command line prints it at once, others at the end."""


def notice(message: str, *, at_once: bool = False) -> None:
    """Issue a `MetameterWarning` that points at the caller's caller; in a notebook or script it shows as one line.

    Parameters
    ----------
    message : str
    at_once : bool
        Whether to issue a `WaitingWarning`, for messages that are useless after the work has ended.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     notice("rows of the pseudo-topic 'all' were dropped")
    >>> print(caught[0].message)
    rows of the pseudo-topic 'all' were dropped
    """
    collected = _collected.get()
    if collected is not None:
        collected.append(message)
        return
    with _in_one_line():
        warnings.warn(message, WaitingWarning if at_once else MetameterWarning, stacklevel=3)


@contextmanager
def collecting_notices() -> Iterator[list[str]]:
    """Collect the notices of the block in a list, such as on a worker, which cannot show them to the user.

    Examples
    --------
    >>> with collecting_notices() as notices:
    ...     notice("no list is longer than 1,000")
    >>> notices
    ['no list is longer than 1,000']
    """
    notices: list[str] = []
    before = _collected.set(notices)
    try:
        yield notices
    finally:
        _collected.reset(before)


@contextmanager
def on_command_line() -> Iterator[None]:
    """Spell options as on the command line in the notices of the block."""
    before = _command_line.set(True)
    try:
        yield
    finally:
        _command_line.reset(before)


def option(name: str, value: str) -> str:
    """The text of an option, in Python or on the command line.

    Examples
    --------
    >>> option("topics", "common")
    'topics="common"'
    >>> with on_command_line():
    ...     option("pool_depth", "10")
    '--pool-depth 10'
    """
    return f"--{name.replace('_', '-')} {value}" if _command_line.get() else f'{name}="{value}"'


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Format warnings as one line, without the source line of metameter that issued them.

    The format is changed only while one of ours is issued, so that other warnings look as usual.
    """
    with _FORMATTING:
        original = warnings.formatwarning
        warnings.formatwarning = lambda message, *_, **__: f"notice: {message}\n"
        try:
            yield
        finally:
            warnings.formatwarning = original
