"""One worker process: tries the inputs it is sent, says what came of them; the campaign watches it from outside."""

from __future__ import annotations

import os
import resource
import sys
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import metameter
from fuzz.registry import Target, find
from metameter.notices import MetameterWarning

__all__ = ["MEMORY", "Failure", "Tally", "serve", "tried"]

#: No input may take more memory than this, in bytes: what the process has in all.
MEMORY = 1 << 30
# Beyond it the process is stopped by the system, so that the machine lives on.
_CEILING = 6 << 30
_OURS = (str(Path(__file__).parent), str(Path(metameter.__file__).parent))


@dataclass(frozen=True)
class Failure:
    """An input for which something did not hold."""

    target: str
    number: int
    what: str

    @property
    def kind(self) -> str:
        """What failed, and where; another input with the same of it tells nothing new."""
        return self.what.partition(":")[0] + self.what.rpartition("[")[2]


@dataclass
class Tally:
    """What came of the inputs of one target."""

    tried: int = 0
    accepted: int = 0
    slowest: float = 0.0
    peak: int = 0  # bytes
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count another one in."""
        self.tried += other.tried
        self.accepted += other.accepted
        self.slowest = max(self.slowest, other.slowest)
        self.peak = max(self.peak, other.peak)
        self.seconds += other.seconds
        self.failures += other.failures


def serve(pipe: Any, now: Any, seed: int) -> None:
    """Try the inputs that are asked for, batch by batch, until nothing more comes.

    Parameters
    ----------
    pipe : Connection
        Gives (target, first number, how many); takes a `Tally`.
    now : array of two numbers
        The input that is being tried and when it was begun: what a watcher needs if this process dies or hangs.
    """
    resource.setrlimit(resource.RLIMIT_AS, (_CEILING, resource.RLIM_INFINITY))
    # What a library prints when it panics is no news: the failure is told by the one that watches.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            name, first, many = pipe.recv()
            pipe.send(_batch(find(name), seed, range(first, first + many), now))


def _batch(target: Target, seed: int, numbers: range, now: Any) -> Tally:
    tally, began = Tally(), time.perf_counter()
    _forget_peak()
    for number in numbers:
        now[0], now[1] = number, time.time()
        accepted, seconds, what = tried(target, target.input(seed, number))
        tally.tried += 1
        tally.accepted += accepted
        tally.slowest = max(tally.slowest, seconds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if peak > MEMORY and not what:
            what = f"{peak >> 20} MB of memory"
            _forget_peak()
        tally.peak = max(tally.peak, peak)
        if what:
            tally.failures.append(Failure(target.name, number, what))
    now[1] = 0.0
    tally.seconds = time.perf_counter() - began
    return tally


def tried(target: Target, data: bytes) -> tuple[bool, float, str]:
    """Whether the input was accepted, how long that took, and what did not hold (empty if all did)."""
    accepted, seconds, what = _once(target, data)
    if seconds > target.seconds and not what:  # perhaps the machine was busy: only what is slow twice is slow
        accepted, again, what = _once(target, data)
        seconds = min(seconds, again)
        what = what or (f"{seconds:.1f} s" if seconds > target.seconds else "")
    return accepted, seconds, what


def _once(target: Target, data: bytes) -> tuple[bool, float, str]:
    began, accepted, what = time.perf_counter(), False, ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of NumPy and others: a number that nobody vouches for
        warnings.simplefilter("ignore", MetameterWarning)
        try:
            accepted = target.hold(data)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # a panic of Polars is no Exception
            what = _said(problem)
    return accepted, time.perf_counter() - began, what


def _said(problem: BaseException) -> str:
    """The error in one line, and the last lines of ours that it went through."""
    frames = [each for each in traceback.extract_tb(problem.__traceback__) if each.filename.startswith(_OURS)]
    places = " < ".join(f"{Path(each.filename).name}:{each.lineno}" for each in frames[-2:][::-1])
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text[:400]} [{places}]"


def _forget_peak() -> None:
    """Let the system measure the peak of memory anew (Linux; elsewhere it is that of the whole life)."""
    with suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")
