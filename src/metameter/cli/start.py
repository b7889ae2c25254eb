"""A process of its own: what the program may decide for all of it, and a library may not."""

from __future__ import annotations

import gc
import os

__all__ = ["begin", "end", "ready"]


def begin() -> None:
    """Before anything is imported that takes time.

    NumPy's OpenBLAS starts a thread a core, which spin while they wait: half as much again as the start itself. The
    cores are for `Workers`. Whoever wants other numbers of threads sets the variable.

    What is imported stays: looking for garbage among it is in vain, and takes a tenth of the start.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()


def ready() -> None:
    """Before the work: from now on there is garbage, and it is looked for among what comes from now on."""
    gc.freeze()
    gc.enable()


def end() -> None:
    """After the work: what is left goes with the process, and need not be taken apart piece by piece."""
    gc.freeze()
