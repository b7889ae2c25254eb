"""A process of its own: what the program may decide for all of it, and a library may not."""

from __future__ import annotations

import gc
import os

__all__ = ["begin", "end", "ready"]

# Whoever has set one of these has told the C library what to do.
_MEMORY = ("MALLOC_", "GLIBC_TUNABLES")
# What malloc.h calls these options; how much is kept, and from which size on memory is a matter of the system.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _KEPT, _LARGE = -1, -3, 1 << 26, 1 << 25
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
    if not any(name.startswith(_MEMORY) for name in os.environ):
        _keep_memory()


def _keep_memory() -> None:
    """Keep memory that is free again, up to a limit, where the C library is GNU's and can be told so.

    A run is arrays of some hundred kilobytes, over and over. The library hands such memory back to the system and asks
    for it again, which then clears every page of it: a tenth of the CPU time of scoring many runs.
    """
    import ctypes  # as NumPy does

    try:
        tell = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return  # another library, or another system
    tell(_TRIM_THRESHOLD, _KEPT)
    tell(_MMAP_THRESHOLD, _LARGE)


def ready() -> None:
    """Before the work: from now on there is garbage, and it is looked for among what comes from now on."""
    gc.freeze()
    gc.enable()


def end() -> None:
    """After the work: what is left goes with the process, and need not be taken apart piece by piece."""
    gc.freeze()
