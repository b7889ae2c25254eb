"""The page on `fit` shows what its commands print: they are run, on its file and on simulated pages."""

import re
from pathlib import Path

import pytest

from metameter.cli.run import run

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "fit.md").read_text("utf-8")
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
# Not run, to save time: the same fit once more, for another of its tables, and a second one like it.
LEFT_OUT = ('fit people/serps.csv --model "RBP*max" --max-grade 3 --table', "simulate usual", "fit usual/")


def steps() -> list[tuple[str, list[str]]]:
    """Every command of the page, and the lines shown below it."""
    parts = [part for block in CONSOLE.findall(PAGE) for part in re.split(r"^\$ metameter ", block, flags=re.M)[1:]]
    return [(part.split("\n")[0], part.split("\n")[1:-1]) for part in parts]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (block,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "looked.csv").write_text(block)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_the_page_shows_what_its_commands_print(folder, capsys):
    told = steps()
    chosen = [step for step in told if not step[0].startswith(LEFT_OUT)]
    assert (len(told), len(chosen)) == (7, 4)
    for command, lines in chosen:
        words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', command)]
        # What a terminal shows without being asked.
        table = [] if words[0] == "simulate" else ["--format", "table"]
        assert run([*words, *table]) == 0, command
        printed = capsys.readouterr()
        shown = [line.rstrip() for line in (printed.out + printed.err).split("\n")]
        for line in lines:
            assert line.rstrip() in shown, f"{command}\n{line}"
