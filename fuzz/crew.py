"""Worker processes, watched: one that crashes or hangs is replaced, and the input that did it is known."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any

from fuzz.registry import Target
from fuzz.worker import Failure, Tally, serve

__all__ = ["Crew", "Member"]

# Forked children would inherit the locks of Polars' threads.
_CONTEXT = multiprocessing.get_context("spawn")


@dataclass(eq=False)
class Member:
    """One process, and what it is doing."""

    seed: int
    target: Target | None = None
    last: int = 0
    suspected: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self.now = _CONTEXT.RawArray("d", 2)
        self.pipe, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=serve, args=(theirs, self.now, self.seed), daemon=True)
        self.process.start()
        theirs.close()

    def begin(self, target: Target, first: int, many: int) -> None:
        """Send it work."""
        self.target, self.last = target, first + many
        self.now[0], self.now[1] = first, 0.0
        self.pipe.send((target.name, first, many))

    def hangs(self) -> bool:
        """Whether it has been at one input for far too long: five times what is allowed, as the machine may be busy.

        Seen twice, as the machine may have slept, and all clocks jumped.
        """
        began = self.now[0], self.now[1]
        late = self.target and began[1] and time.time() - began[1] > 5 * self.target.seconds + 5
        before, self.suspected = self.suspected, began if late else None
        return bool(late and before == began)

    def end(self) -> None:
        """Stop it, whatever it is doing."""
        self.process.kill()
        self.process.join()


class Crew:
    """As many members as are asked for; the dead are replaced."""

    def __init__(self, jobs: int, seed: int) -> None:
        self.seed = seed
        self.members = [Member(seed) for _ in range(jobs)]

    def idle(self) -> list[Member]:
        """Those that wait for work."""
        return [member for member in self.members if member.target is None]

    def reports(self, seconds: float) -> list[tuple[Target, Tally]]:
        """What has been done since. A member that died or hung is replaced, and the rest of its batch begun anew."""
        ready = wait([part for each in self.members for part in (each.pipe, each.process.sentinel)], timeout=seconds)
        found = []
        for member in list(self.members):
            if member.pipe in ready:
                found.append(_received(member) or self._replaced(member))
            elif member.process.sentinel in ready:
                found.append(self._replaced(member))
            elif member.hangs():
                found.append(self._replaced(member, "hangs"))
        return found

    def _replaced(self, member: Member, what: str | None = None) -> tuple[Target, Tally]:
        target, number = member.target, int(member.now[0])
        if what is None:
            member.process.join(timeout=5)
            what = f"ends the process (status {member.process.exitcode})"
        member.end()
        new = Member(self.seed)
        self.members[self.members.index(member)] = new
        if target is None:
            raise RuntimeError("a worker ended before it was given anything to do")
        if number + 1 < member.last:
            new.begin(target, number + 1, member.last - number - 1)
        return target, Tally(tried=1, failures=[Failure(target.name, number, what)])

    def end(self) -> None:
        """Stop all of them."""
        for member in self.members:
            member.end()


def _received(member: Member) -> tuple[Target, Any] | None:
    """What it says it has done; nothing if it has ended."""
    try:
        tally = member.pipe.recv()
    except EOFError:
        return None
    target, member.target = member.target, None
    assert target is not None
    return target, tally
