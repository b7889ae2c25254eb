"""Kill a study and a simulation at random moments, then resume: the same bytes as undisturbed, and nothing left over.

    python fuzz/kills.py --kills 100 --seed 1

Half of the kills hit a study, which goes on in the same folder until it ends by itself; the other half a simulation,
which begins anew. After every kill it is checked that nothing stands outside the folder that was to be written, but
drafts where the signal could not be caught (-9), and that those have gone after the next start. Signals that can be
caught end the program with status 130 and the one line ``interrupted``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PROGRAM = [sys.executable, "-m", "metameter"]
COLLECTION = ["--topics", "12", "--systems", "5", "--depth", "20", "--grades", "3", "--seed", "5"]
STUDY = ["-m", "P@5", "-m", "nDCG@10", "--max-grade", "2", "--splits", "100", "--trials", "200", "--resamples", "40"]
# When to kill: at any time (""), or when there is a file of such a name; drafts are under way for a moment only.
STUDY_MOMENTS = [
    "",
    "",
    "torn/.stages/score/*",
    "torn/.stages/*/.metameter*",
    "torn/.stages/power/*",
    "torn/.metameter*",
]
SIMULATION_MOMENTS = ["", "", ".metameter*", ".metameter*/runs/S015"]
SIMULATION = ["--topics", "60", "--systems", "30", "--depth", "200", "--seed", "7"]


@dataclass
class Campaign:
    """A place for it, a program to be killed there, and what happened."""

    place: Path
    words: list[str]
    moments: list[str]
    chance: random.Random
    happened: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def finish(self, out: str) -> dict[str, str]:
        """Let the program run to its end; the digests of what it wrote."""
        begun = time.monotonic()
        done = subprocess.run([*self.words, out], cwd=self.place, capture_output=True)
        self.seconds = time.monotonic() - begun
        require(done.returncode == 0, f"status {done.returncode}: {done.stderr.decode()}")
        return contents(self.place / out)

    def kill(self, out: str) -> bool:
        """Kill the program at a random moment; whether it was still at work."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        process = subprocess.Popen([*self.words, out], cwd=self.place, **quiet)  # type: ignore[call-overload]
        self.wait(process)
        how = self.chance.choice(SIGNALS)
        process.send_signal(how)
        said = process.communicate()[1].decode()
        self.judge(how, process, said)
        return process.returncode != 0

    def wait(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the moment has come: a point in time, or what is to be seen in the folder."""
        moment = self.chance.choice(self.moments)
        if not moment:
            time.sleep(self.chance.uniform(0.05, 1.0) * self.seconds)
        while moment and process.poll() is None and not any(self.place.glob(moment)):
            time.sleep(0.001)

    def judge(self, how: signal.Signals, process: subprocess.Popen[bytes], said: str) -> None:
        """What a program that was sent a signal may do: end by it, be interrupted, or have been faster."""
        status = process.returncode
        if status == 0:
            self.happened["ended before"] += 1
        elif how == signal.SIGKILL:
            require(status == -how, f"status {status} after {how.name}: {said}")
            self.happened["killed"] += 1
        elif status == -how:
            # Before the first line of the program was run: nothing had begun.
            self.happened[f"{how.name} before the start"] += 1
        else:
            require((status, said) == (130, "interrupted\n"), f"status {status} after {how.name}: {said}")
            self.happened[f"interrupted by {how.name}"] += 1
        # Its own: those of a program that was killed before may wait for the next that has time to sweep.
        if own := [each for each in litter(self.place) if f"-{process.pid}-" in each]:
            require(how == signal.SIGKILL, f"{how.name} left {own}")
            self.happened["drafts left by -9"] += 1


def study_killed(place: Path, kills: int, chance: random.Random, moments: list[str] = STUDY_MOMENTS) -> Counter[str]:
    """Kill a study again and again in the same folder; when it has ended, begin anew."""
    subprocess.run([*PROGRAM, "simulate", "made", *COLLECTION], cwd=place, check=True, capture_output=True)
    words = [*PROGRAM, "study", "made/qrels.txt", "made/runs", *STUDY, "--out"]
    campaign = Campaign(place, words, moments, chance)
    whole = campaign.finish("whole")
    done = 0
    while done < kills:
        # Several kills of one study, each of which may go on where the one before was killed.
        for _ in range(min(chance.randint(1, 4), kills - done)):
            done += campaign.kill("torn")
        resumed(campaign, whole)
    return campaign.happened


def simulation_killed(
    place: Path, kills: int, chance: random.Random, moments: list[str] = SIMULATION_MOMENTS
) -> Counter[str]:
    """Kill a simulation; the folder is there whole, or not at all."""
    campaign = Campaign(place, [*PROGRAM, "simulate", *SIMULATION], moments, chance)
    whole = campaign.finish("whole")
    done = 0
    while done < kills:
        done += campaign.kill("torn")
        if (place / "torn").exists():  # the signal came after the last file was written, if not later
            require(contents(place / "torn") == whole, "a simulation that was killed left a part of a folder")
            shutil.rmtree(place / "torn")
        resumed(campaign, whole)
    return campaign.happened


def resumed(campaign: Campaign, whole: dict[str, str]) -> None:
    """Resume, and compare with what was undisturbed."""
    again = campaign.finish("torn")
    differ = sorted(name for name in whole.keys() | again.keys() if whole.get(name) != again.get(name))
    require(not differ, f"after the kill these differ: {', '.join(differ)}")
    require(not litter(campaign.place), f"after the resume there is {litter(campaign.place)}")
    require({each.name for each in campaign.place.iterdir()} <= {"made", "whole", "torn"}, "something stands outside")
    shutil.rmtree(campaign.place / "torn")
    campaign.happened["resumed, same bytes"] += 1


def contents(folder: Path) -> dict[str, str]:
    """The files of a folder and the digests of their bytes; of cached scores the names, of run.json, a time, too."""
    unlike = ("run.json", "lock")
    files = (file for file in folder.rglob("*") if file.is_file())
    return {
        str(file.relative_to(folder)): ""
        if file.name in unlike or file.suffix == ".scores"
        else hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def litter(place: Path) -> list[str]:
    """Hidden files and folders, but for the one that holds the stages of a study."""
    return [str(each.relative_to(place)) for each in place.rglob(".*") if each.name != ".stages"]


def require(holds: bool, otherwise: str) -> None:
    """End the campaign with what was found, if something does not hold."""
    if not holds:
        raise SystemExit(otherwise)


def main(kills: int, seed: int) -> None:
    """Both campaigns, and the counts of what happened."""
    for number, killed in enumerate((study_killed, simulation_killed)):
        with tempfile.TemporaryDirectory() as place:
            happened = killed(Path(place), kills // 2, random.Random(f"{seed} {number}"))
        print(f"{killed.__name__}: " + ", ".join(f"{count} {what}" for what, count in sorted(happened.items())))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    main(given.kills, given.seed)
