"""The campaign: `make fuzz`, or `python -m fuzz.campaign --seconds 60 --seed 0`. See README.md."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzz.crew import Crew
from fuzz.registry import Target, targets
from fuzz.worker import Tally

CRASHES = Path(__file__).parent / "crashes"
_BATCH = 0.5  # seconds
_ENOUGH = 3
_CLEAR = "\r\033[K" if sys.stderr.isatty() else ""


class Campaign:
    """Which inputs were tried, and what came of them."""

    def __init__(self, chosen: list[Target], seed: int) -> None:
        self.seed = seed
        self.tallies = {target: Tally() for target in chosen}
        self.sent = dict.fromkeys(chosen, 0)
        self.planned = dict.fromkeys(chosen, 0.0)
        self.kinds = Counter[str]()

    @property
    def tried(self) -> int:
        """How many inputs, in all."""
        return sum(tally.tried for tally in self.tallies.values())

    @property
    def failed(self) -> int:
        """For how many of them something did not hold."""
        return sum(len(tally.failures) for tally in self.tallies.values())

    def next(self) -> tuple[Target, int, int]:
        """The target that has had least of its share of the time; a batch of its inputs takes about half a second."""
        target = min(self.planned, key=lambda each: self.planned[each] / each.share)
        tally, first = self.tallies[target], self.sent[target]
        each = tally.seconds / tally.tried if tally.tried else _BATCH
        many = max(1, min(500, int(_BATCH / max(each, 1e-6))))
        self.sent[target] += many
        self.planned[target] += many * each
        return target, first, many

    def add(self, target: Target, tally: Tally) -> None:
        """Count in what came of a batch; keep inputs that failed, up to three of a kind."""
        for failure in tally.failures:
            self.kinds[failure.kind] += 1
            if self.kinds[failure.kind] <= _ENOUGH:
                path = CRASHES / target.name / f"{self.seed}-{failure.number}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(target.input(self.seed, failure.number))
                again = f"python fuzz/target.py {os.path.relpath(path)}"
                print(f"{_CLEAR}{target.name} {failure.number}: {failure.what}\n    {again}", flush=True)
        self.tallies[target].add(tally)


def run(campaign: Campaign, seconds: float, inputs: int | None, jobs: int) -> float:
    """Try inputs until the time is over or there were enough of them; how long it took."""
    began, said, crew = time.monotonic(), 0.0, Crew(jobs, campaign.seed)
    try:
        while (spent := time.monotonic() - began) < seconds and (inputs is None or campaign.tried < inputs):
            for member in crew.idle():
                member.begin(*campaign.next())
            for target, tally in crew.reports(0.5):
                campaign.add(target, tally)
            if sys.stderr.isatty() and spent - said > 0.5:
                said = spent
                print(
                    f"\r\033[K{spent:.0f} s: {campaign.tried:,} inputs, {campaign.failed} failures",
                    end="",
                    file=sys.stderr,
                )
    except KeyboardInterrupt:
        print(f"{_CLEAR}interrupted", file=sys.stderr)
    finally:
        crew.end()
    return time.monotonic() - began


def table(campaign: Campaign, seconds: float) -> str:
    """What came of it, a row a target."""
    head = f"{'target':<12}{'inputs':>11}{'refused':>11}{'accepted':>11}{'failures':>10}{'slowest':>10}{'peak':>10}"
    rows = [head]
    for target, tally in campaign.tallies.items():
        refused = tally.tried - tally.accepted - len(tally.failures)
        counts = f"{target.name:<12}{tally.tried:>11,}{refused:>11,}{tally.accepted:>11,}{len(tally.failures):>10,}"
        rows.append(f"{counts}{tally.slowest:>8.2f} s{tally.peak >> 20:>7} MB")
    rate = campaign.tried / max(seconds, 1e-9)
    said = f"{campaign.tried:,} inputs in {seconds:.0f} s ({rate:.0f} a second), seed {campaign.seed}"
    said += f": {campaign.failed} failures"
    return "\n".join([*rows, said])


def main() -> int:
    """Run the campaign that the arguments ask for; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (60)")
    parser.add_argument("--inputs", type=int, help="stop after so many inputs")
    parser.add_argument("--seed", type=int, default=0, help="other inputs (0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="worker processes (all cores)")
    parser.add_argument("targets", nargs="*", help="names of targets or of groups: readers, notation, ... (all)")
    given = parser.parse_args()
    chosen = [each for each in targets() if not given.targets or {each.name, each.group} & set(given.targets)]
    if not chosen:
        parser.error(f"no such target; there are: {', '.join(each.name for each in targets())}")
    campaign = Campaign(chosen, given.seed)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        os.environ.update(TMPDIR=folder, POLARS_MAX_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        seconds = run(campaign, given.seconds, given.inputs, given.jobs)
    print(_CLEAR + table(campaign, seconds))
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
