"""A process of its own: what the program may decide for all of it, and a library may not."""

from __future__ import annotations

import gc
import os

__all__ = ["begin", "end", "ready"]

# Whichever of these is set, OpenBLAS takes its number of threads from.
_THREADS = ("OPENBLAS_NUM_THREADS", "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def begin() -> None:
    """Before anything is imported that takes time.

    NumPy's OpenBLAS starts a thread a core, and these spin while they wait: a quarter of the CPU time of a start. The
    cores are for `Workers`. Whoever has set a number of threads gets it.

    What is imported stays: looking for garbage among it is in vain, and takes a tenth of the start.
    """
    if not any(name in os.environ for name in _THREADS):
        os.environ[_THREADS[0]] = "1"
    gc.disable()


def ready() -> None:
    """Before the work: from now on there is garbage, and it is looked for among what comes from now on."""
    gc.freeze()
    gc.enable()


def end() -> None:
    """After the work: what is left goes with the process, and need not be taken apart piece by piece."""
    gc.freeze()
