"""The page on agreement with users shows what its commands print: they are run, on its file and on simulated pages."""

import re
from pathlib import Path

import pytest

from metameter.cli.run import run

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "satisfaction.md").read_text("utf-8")
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)

# Not run, to save time: a second table of 56 metrics like the first, and a study, which has tests of its own.
LEFT_OUT = ("simulate noisy", "satisfaction noisy/", "simulate lists", "study lists/")


def words(command: str) -> list[str]:
    """The words of a command: those in quotation marks are one."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', command)]


def steps() -> list[tuple[str, list[str]]]:
    """Every command of the page, and the lines shown below it."""
    parts = [part for block in CONSOLE.findall(PAGE) for part in re.split(r"^\$ metameter ", block, flags=re.M)[1:]]
    return [(part.split("\n")[0], part.split("\n")[1:-1]) for part in parts]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (block,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "pages.csv").write_text(block)
    monkeypatch.chdir(tmp_path)
    # For the eye, whatever is shown here has room.
    monkeypatch.setenv("COLUMNS", "300")
    return tmp_path


def test_the_page_shows_what_its_commands_print(folder, capsys):
    told = steps()
    chosen = [step for step in told if not step[0].startswith(LEFT_OUT)]
    assert (len(told), len(chosen)) == (11, 7)
    for command, lines in chosen:
        # Sentences are the same without the folder of charts, which takes longer than the answer.
        assert run(words(re.sub(r" --out \S+", "", command))) == 0, command
        printed = capsys.readouterr()
        for line in lines:
            assert line in (printed.out + printed.err).split("\n"), f"{command}\n{line}"
