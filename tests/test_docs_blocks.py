"""What the pages show is what happens: every block is run, in a folder of its page, and its output compared."""

from __future__ import annotations

import doctest
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import lines, parse, terminal
from docs.blocks.lines import as_shown, renewed
from docs.blocks.pages import as_it_should_be, pages_of
from docs.blocks.parse import KINDS, blocks_of
from docs.blocks.terminal import COLUMNS, on_terminal, printed_by

ROOT = Path(__file__).resolve().parents[1]
PAGES = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in pages_of(ROOT)}
BLOCKS = {name: blocks_of(page) for name, page in PAGES.items()}
FIX = "run docs/generate.py, and look at what it changed"


def having(mark: str) -> list[str]:
    return [name for name, blocks in BLOCKS.items() if any(block.mark == mark for block in blocks)]


def left_out(mark: str) -> list[str]:
    return [name for name, blocks in BLOCKS.items() for block in blocks if block.mark == mark]


@pytest.mark.pages
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", [name for name, blocks in BLOCKS.items() if any(not each.mark for each in blocks)])
def test_the_page_shows_the_current_output(name):
    assert as_it_should_be(PAGES[name], real_data=False) == PAGES[name], FIX


@pytest.mark.pages
@pytest.mark.timeout(1200)
@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("name", having("real data"))
def test_the_page_shows_the_current_output_on_real_data(name, data, monkeypatch):
    monkeypatch.setenv("METAMETER_DATA", str(data))
    assert as_it_should_be(PAGES[name], real_data=True) == PAGES[name], FIX


def test_blocks_not_run_are_few_and_have_a_reason():
    # Installing, downloading, a cluster of others, a file of another project, minutes on data not to be
    # given away.
    assert sorted(left_out("not run")) == sorted(
        [
            *["CONTRIBUTING.md"] * 2,
            "README.md",
            *["docs/cluster.md"] * 3,
            *["docs/ir_datasets.md"] * 2,
            *["docs/appendix/volatility.md"] * 4,
        ]
    )
    assert set(having("tested by")) == {"CONTRIBUTING.md", "docs/cluster.md"}
    for blocks in BLOCKS.values():
        for block in blocks:
            assert block.mark != "tested by" or (ROOT / block.reason).is_file()


@pytest.mark.parametrize("name", PAGES)
def test_every_block_has_a_known_language(name):
    page, blocks = PAGES[name], BLOCKS[name]
    assert {block.kind for block in blocks} <= set(KINDS)
    assert len(re.findall("^```", page, re.MULTILINE)) == 2 * sum(not block.hidden for block in blocks)
    # Commands of this program stand in blocks that are run, not in indented lines.
    outside = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"^ {4,}(?:\$ )?(?:\.venv/bin/)?metameter .*$", outside, re.MULTILINE)


@pytest.mark.parametrize("name", PAGES)
def test_text_blocks_follow_a_python_script(name):
    for above, block in zip([None, *BLOCKS[name]], BLOCKS[name], strict=False):
        if block.kind == "text" and not block.mark:
            assert above is not None
            assert above.kind == "python"
            assert not above.hidden


def test_a_block_runs_as_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["metameter", "metrics", "--kind", "aggregate"]
    with on_terminal(tmp_path):
        here, status = printed_by(" ".join(command))
        main, terminal = pty.openpty()
        with subprocess.Popen([sys.executable, "-m", *command], stdout=terminal, stderr=terminal) as process:
            os.close(terminal)
            shown = b""
            while True:
                try:
                    part = os.read(main, 65536)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                shown += part
        os.close(main)
    assert (process.returncode, status) == (0, 0)
    assert [line.rstrip() for line in shown.decode().splitlines()] == here
    assert max(map(len, here)) <= COLUMNS


@pytest.mark.parametrize("module", [lines, parse, terminal], ids=lambda module: module.__name__)
def test_doctests_of_the_block_runner_pass(module):
    failed, tried = doctest.testmod(module)
    assert tried > failed == 0


def test_a_wrong_page_is_corrected():
    page = (
        "# A\n```console\n$ echo new | cat\nold\n```\n\n```python\nprint(6 * 7)\n```\n\n```pycon\n>>> 1 + 1\n3\n```\n"
    )
    right = page.replace("old", "new").replace("7)\n```", "7)\n```\n\n```text\n42\n```").replace("3\n", "2\n")
    assert as_it_should_be(page) == right
    assert as_it_should_be(right) == right


def test_a_failing_command_is_reported():
    with pytest.raises(AssertionError, match=r"exit status 2: metameter score nothing(.|\n)*no file matches"):
        as_it_should_be("```sh\nmetameter score nothing.txt nothing -m AP\n```\n")


@pytest.mark.parametrize(
    ("shown", "printed", "now"),
    [
        (["a"], ["a"], ["a"]),
        ([], ["a"], ["a"]),
        (["a"], [], []),
        (["..."], ["a", "b"], ["..."]),
        (["a", "..."], ["b", "c", "d"], ["b", "..."]),
        (["a", "...", "d"], ["a", "d"], ["a", "d"]),
        (
            ["one 1", "...", "two 2", "...", "end"],
            ["one 3", "x", "two 4", "y", "end"],
            ["one 3", "...", "two 4", "...", "end"],
        ),
    ],
)
def test_omitted_lines_stay_omitted(shown, printed, now):
    assert renewed(shown, printed) == now
    assert as_shown(now, printed)
