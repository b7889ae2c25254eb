"""Commands with odd options on a small collection: done, or refused in one line with nothing written."""

from functools import cache
from random import Random

from fuzz.draw import one_in
from fuzz.program import called
from fuzz.targets import notation
from metameter.cli.program import commands, program

GROUP, SECONDS, SHARE = "program", 20.0, 3
SCORED = [["scores.csv"], ["q", "a", "b", "c", "-m", "AP", "-m", "P@2"], ["scores.csv", "scores.csv"], ["q"], ["none"]]
RUNS = [["q", "a", "b", "c"], ["q", "a"], ["q", "q"], ["a", "q"], ["q", "none"], ["q", "."], ["-", "a"], ["q", "[a-c]"]]
GIVEN = {
    "satisfaction": [["serps.csv"]],
    "preference": [["pairs.csv"]],
    "session": [["truth.csv", "sessions.csv"], ["q", "a"]],
}
GIVEN |= {
    "explain": [["AP"], ["RBP(p=0.8)*max", "--gains", "1 0 1"], ["x"]],
    "metrics": [[], ["AP"], ["x"]],
    "taxonomy": [[]],
}
GIVEN |= {
    "report": [["."], ["none"], ["q"]],
    "simulate": [["out/s", "--topics", "3", "--systems", "2", "--depth", "4"]],
}
GIVEN |= dict.fromkeys(("score", "check", "volatility"), RUNS)
# So that a call takes no longer than it must; an odd value that follows counts instead.
SMALL = {"--trials": "10", "--splits": "4", "--resamples": "20", "--most-resamples": "20", "--jobs": "1"}
FITTING = {
    "--format": ["csv", "json", "table", "latex", "markdown", "tsv"],
    "--out": ["out/x", "out/x.csv", "out/x.parquet", "/dev/full"],
}
FITTING |= {
    "--alpha": ["0.1"],
    "--max-grade": ["2", "3"],
    "--depths": ["1-3", "1,2"],
    "--seed": ["1"],
    "--pool-depth": ["2"],
}
FITTING |= {
    "--ties": ["mean", "rank", "input", "docid-asc"],
    "--unjudged": ["condense"],
    "--missing": ["zero", "drop-topic"],
}
FITTING |= {
    "--test": ["t", "tukey", "bootstrap", "sign", "wilcoxon"],
    "--preset": ["lu-2016"],
    "--iterations": ["1", "1-2"],
}
FITTING |= {"--baseline": ["a"], "--reference": ["AP"], "--simple": ["P@2"], "--complex": ["AP"], "--gains": ["1 0 ?"]}
FLAGS = ("--safe-csv", "--mean", "--residual", "--null", "--include-others", "--help")
ODD = [
    "",
    " ",
    "-1",
    "0",
    "1",
    "2",
    "3",
    "0.5",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "1e-9",
    "1e999",
    "x",
    "None",
    "true",
    "100000000000",
]
ODD += [
    "1" + "0" * 23,
    "9" * 400,
    "1e3",
    "0x10",
    "1_0",
    "１",
    "a",
    "q",
    ".",
    "/",
    "/dev/null",
    "none/none",
    "é",
    "\x1b[31m",
]
ODD += [
    "a,b",
    "a+b",
    "1-2",
    "2-1",
    "1-",
    "-",
    "--",
    "[1,2]",
    "{}",
    "'",
    '"',
    "file",
    "AP",
    "P@2",
    "AP@0",
    "*",
    "x" * 5000,
    "\udcff",
]


@cache
def options(command: str) -> list[str]:
    """The options of a command."""
    return [each.opts[-1] for each in program([command]).commands[command].params if each.opts[-1].startswith("--")]


def make(draw: Random) -> bytes:
    """A command (but `demo`, which is a study), its inputs and up to three options, fitting or odd; a word a line."""
    command = draw.choice([each for each in commands() if each != "demo" and (each != "study" or one_in(draw, 4))])
    given = GIVEN.get(command, SCORED)
    words = [command, *draw.choice(given if one_in(draw, 4) else given[:2])]
    if command == "explain" and one_in(draw, 2):
        words[1] = notation.make(draw).decode(errors="replace").replace("\n", " ")
    known = options(command)
    for name, value in SMALL.items():
        words += [name, value] if name in known else []
    if command == "study":
        words += ["--out", "out/study"]
    for _ in range(draw.choice([1, 1, 2, 3])):
        name = draw.choice(known or ["--help"])
        fitting = FITTING.get(name, ["1", "2", "3", "0.5"])
        words += [name] if name in FLAGS else [name, draw.choice(fitting if one_in(draw, 2) else ODD)]
    if one_in(draw, 20):
        words.insert(draw.randint(0, len(words)), draw.choice(ODD))
    return "\n".join(words).encode("utf-8", errors="surrogatepass")


def hold(data: bytes) -> bool:
    """Done; or refused: exit status 2, one line on standard error, nothing else said or written."""
    return called(data.decode("utf-8", errors="surrogatepass").split("\n"))
