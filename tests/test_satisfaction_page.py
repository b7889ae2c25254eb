"""The page on agreement with users shows what its commands print: they are run, on its file and on simulated pages."""

import re
from pathlib import Path

import pytest

from metameter.cli.run import run

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "satisfaction.md").read_text("utf-8")
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def words(command: str) -> list[str]:
    """The words of a command: those in quotation marks are one."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', command)]


def steps() -> list[tuple[str, list[str]]]:
    """Every command of the page, and the lines shown below it."""
    parts = [part for block in CONSOLE.findall(PAGE) for part in re.split(r"^\$ metameter ", block, flags=re.M)[1:]]
    return [(part.split("\n")[0], part.split("\n")[1:-1]) for part in parts]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("page")
    (block,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    (place / "pages.csv").write_text(block)
    return place


def test_the_page_shows_what_its_commands_print(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    # For the eye, whatever is shown here has room.
    monkeypatch.setenv("COLUMNS", "300")
    told = steps()
    assert len(told) == 11
    for command, lines in told:
        assert run(words(command)) == 0, command
        printed = capsys.readouterr()
        for line in lines:
            assert line in (printed.out + printed.err).split("\n"), f"{command}\n{line}"
    assert {"satisfaction.csv", "satisfaction.html", "satisfaction.tex", "satisfaction_levels.html"} <= {
        path.name for path in (folder / "answer").iterdir()
    }
    assert (folder / "study" / "tradeoff.csv").is_file()
