"""Notices: what a user should know although it is no reason to stop."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_collected: ContextVar[list[str] | None] = ContextVar("collected notices", default=None)

_command_line: ContextVar[bool] = ContextVar("on the command line", default=False)

_SHOWING = threading.RLock()


class MetameterWarning(UserWarning):
    """Something was decided on the user's behalf; the message says what, and how to decide otherwise."""


class WaitingWarning(MetameterWarning):
    """The work is held up; the message says by what. The command line prints it at once, other notices at the end."""


def notice(message: str, *, at_once: bool = False) -> None:
    """Issue a `MetameterWarning` that points at the caller's caller; in a notebook or script it shows as one line.

    Parameters
    ----------
    message : str
    at_once : bool
        Whether it is of no use once the work has ended: then it is a `WaitingWarning`.

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
    """Keep the notices of the block for whoever can tell the user: work on another machine has nobody to tell.

    Examples
    --------
    >>> with collecting_notices() as told:
    ...     notice("no list is longer than 1,000")
    >>> told
    ['no list is longer than 1,000']
    """
    told: list[str] = []
    before = _collected.set(told)
    try:
        yield told
    finally:
        _collected.reset(before)


@contextmanager
def on_command_line() -> Iterator[None]:
    """Spell options in the notices of the block as a user of the command line types them."""
    before = _command_line.set(True)
    try:
        yield
    finally:
        _command_line.reset(before)


def option(name: str, value: str) -> str:
    """An option as the user types it, in Python or on the command line.

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
    """Show warnings without the place in our own code that issued them, which helps nobody.

    Only while one of ours is issued: how others' warnings look is not for a library to decide.
    """
    with _SHOWING:
        usual = warnings.formatwarning
        warnings.formatwarning = lambda message, *_, **__: f"notice: {message}\n"
        try:
            yield
        finally:
            warnings.formatwarning = usual
