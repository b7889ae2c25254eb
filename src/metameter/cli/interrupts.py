"""Ctrl-C, SIGTERM and SIGHUP: the program removes its drafts, says so in one line, and ends at once with status 130.

It ends from within the handler instead of by an exception: an exception may arrive in the middle of an import, which
turns it into another one; it waits for threads at work; and a second one interrupts the cleaning up after the first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

INTERRUPTED = 130

# Not on every system are there all of them.
_SIGNALS = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
# So long the main thread has for what it does in one step, before another one ends the program in its place.
_PATIENCE = 0.3
_ends = threading.Lock()


def end_on_signals() -> None:
    """From now on signals end the program; those that it was started to ignore (``nohup``) stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        return  # then signals are the business of whoever called
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)
    if os.name == "posix":
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(reader,), daemon=True).start()


def _handle(number: int, frame: Any) -> None:
    """In the main thread, as soon as it is between two steps."""
    if not _is_placing():
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        _end()


def _watch(reader: int) -> None:
    """In a thread of its own, which learns of a signal even while the main thread is in compiled code for long."""
    while os.read(reader, 1)[0] not in _SIGNALS:
        pass
    time.sleep(_PATIENCE)
    while _is_placing():
        time.sleep(_PATIENCE)
    _end()


def _end() -> None:
    if not _ends.acquire(blocking=False):
        time.sleep(3600)  # the other thread is about to end the program
    if (drafts := _drafts()) is not None:
        drafts.discard_all()
    with suppress(OSError):
        # A bar of progress may have hidden the cursor.
        os.write(2, b"\r\x1b[K\x1b[?25hinterrupted\n" if os.isatty(2) else b"interrupted\n")
    os._exit(INTERRUPTED)


def _is_placing() -> bool:
    return (drafts := _drafts()) is not None and drafts.is_placing()


def _drafts() -> Any:
    """The module that knows of the drafts; before it is imported, whole, there are none."""
    module = sys.modules.get("metameter.view.atomic_files")
    return module if hasattr(module, "is_placing") else None
