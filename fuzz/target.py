"""A target for atheris: readers and notation, guided by coverage. See README.md."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

try:
    import atheris
except ImportError:  # then files can be tried, but nothing searched for
    atheris = None

from metameter.errors import MetameterError
from metameter.metric.compose import parse_metric
from metameter.read.check import inspect_qrels, inspect_run
from metameter.read.layout import parse
from metameter.read.lines import read_line_by_line
from metameter.read.qrels import read_qrels
from metameter.read.run import read_run
from metameter.read.scores import read_scores
from metameter.read.trec import QRELS, RUN

PLACE = Path(tempfile.mkdtemp()) / "input"


def outcome(read):
    """What was read, or None if it was refused as it should be."""
    try:
        return read()
    except MetameterError as problem:
        if "\n" in str(problem):
            raise AssertionError("a message of several lines") from problem
        return None


def readers(data, layout, read, inspect):
    """The fast reader, the patient one and the check agree."""
    fast = outcome(lambda: parse(data, layout, "input").rows())
    patient = outcome(lambda: read_line_by_line(data, layout.columns, layout.texts, layout.numbers, "input").rows())
    assert fast == patient
    PLACE.write_bytes(data)
    assert (outcome(lambda: read(PLACE)) is None) == bool(inspect(PLACE).problems)


def tables(data):
    """A table of scores is read or refused."""
    PLACE.write_bytes(data)
    outcome(lambda: read_scores(PLACE))


def notation(data):
    """A name is read or refused; what is read prints as itself, and scores."""
    measure = outcome(lambda: parse_metric(data.decode("utf-8", errors="replace")))
    if measure is not None:
        assert repr(parse_metric(repr(measure))) == repr(measure)
        outcome(lambda: measure([1, 0, 0.5, None]))


TARGETS = (
    lambda data: readers(data, QRELS, read_qrels, inspect_qrels),
    lambda data: readers(data, RUN, read_run, inspect_run),
    tables,
    notation,
)


def attack(data):
    """One input: its first byte says of what kind the rest is."""
    with warnings.catch_warnings(action="ignore"):
        TARGETS[data[0] % len(TARGETS) if data else 0](data[1:])


def main():
    """Search with atheris, or try the files named."""
    files = [Path(word) for word in sys.argv[1:] if Path(word).is_file()]
    if atheris is None:
        for file in files or sys.exit("atheris is not installed, and no file was named: see fuzz/README.md"):
            attack(file.read_bytes())
            print(f"{file}: nothing wrong")
        return
    atheris.instrument_all()
    atheris.Setup(sys.argv, attack)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
