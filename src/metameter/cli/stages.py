"""The stages that a bar of progress is drawn from, and how far each is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Line:
    """What is shown of a stage: the step at work, how far that is, and how long the stage has taken.

    Attributes
    ----------
    stage : str
    text : str
        The stage, or the step of it that is at work.
    done, of : int
        Of the step; 0 of 0 where it is not known how much there is to do.
    begun, ended : float
        When the stage began and, once it has, ended.
    since : float
        When the step began.
    """

    stage: str
    text: str = ""
    done: int = 0
    of: int = 0
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    since: float = field(default_factory=time.monotonic)

    def tell(self, text: str, done: int, of: int) -> None:
        """Show a step; one that has come to its end no more, since nobody knows yet what comes next."""
        if text != self.text:
            self.since = time.monotonic()
        self.text, self.done, self.of = (text, done, of) if done < of else (self.stage, 0, 0)

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return (time.monotonic() if self.ended is None else self.ended) - self.begun

    @property
    def left(self) -> float | None:
        """How long the step is likely to go on; None where that cannot be known."""
        return (time.monotonic() - self.since) * (self.of - self.done) / self.done if self.done else None


class Stages:
    """The stages told so far: those that ended, and the one at work.

    A stage is told as 0 of 1 when it begins and as 1 of 1 when it ends, a step of it as ``stage: step``. What is told
    outside of any stage is a stage of its own.

    Examples
    --------
    >>> stages = Stages("power")
    >>> for told in [(0, 1, "scoring"), (1, 2, "scoring: runs"), (2, 2, "scoring: runs"), (1, 1, "scoring")]:
    ...     stages(*told)
    ...     print(stages.at_work.text, stages.at_work.done, stages.at_work.of)
    scoring 0 0
    scoring: runs 1 2
    scoring 0 0
    power 0 0
    >>> [line.stage for line in stages.ended]
    ['scoring']
    """

    def __init__(self, otherwise: str) -> None:
        self._otherwise = otherwise
        self._told: Line | None = None
        self._untold = Line(otherwise, otherwise)
        self.ended: list[Line] = []

    @property
    def at_work(self) -> Line:
        """The stage that was told to be at work, or what is going on otherwise."""
        return self._told or self._untold

    def __call__(self, done: int, of: int, what: str = "runs") -> None:
        """Take note of what a stage tells."""
        line = self._told
        if line is None or not (what == line.stage or what.startswith(f"{line.stage}: ")):
            self._end()
            line = self._told = Line(what, what)
        # What is done in one piece tells only that it has begun.
        line.tell(what, done, of if (done, of) != (0, 1) else 0)
        if what == line.stage and done >= of:
            self._end()

    def _end(self) -> None:
        if self._told is not None:
            self._told.ended = time.monotonic()
            self.ended.append(self._told)
            self._told, self._untold = None, Line(self._otherwise, self._otherwise)
