"""Run the blocks of a page in their order, and give the page as it should be."""

from __future__ import annotations

import ast
import doctest
import io
import os
import re
import warnings
from contextlib import chdir, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .lines import renewed
from .parse import Block, blocks_of
from .terminal import folded, on_terminal, printed_by, prompt

__all__ = ["as_it_should_be", "pages_of"]


def pages_of(root: Path) -> list[Path]:
    """The pages whose blocks are run: all that people write by hand."""
    docs = root / "docs"
    by_hand = [*docs.glob("*.md"), *docs.glob("appendix/*.md")]
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted(by_hand)]


def as_it_should_be(page: str, *, real_data: bool | None = None) -> str:
    """A page with the outputs that its blocks give now.

    Parameters
    ----------
    page : str
        The text of the page.
    real_data : bool
        Whether to run the blocks that need real data, or the others; by default all, as far as the data are there.
    """
    with TemporaryDirectory() as folder, TemporaryDirectory() as programs, chdir(folder), on_terminal(Path(programs)):
        return _Session(page, real_data).renew()


class _Session:
    """One reader, who tries everything on a page from top to bottom."""

    def __init__(self, page: str, real_data: bool | None) -> None:
        self.page = page
        self.real_data = real_data
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def renew(self) -> str:
        """Run all blocks."""
        blocks = blocks_of(self.page)
        written, done = [], 0
        for block, following in zip(blocks, [*blocks[1:], None], strict=False):
            if block.kind == "text" or not self._wanted(block):
                continue
            written += [self.page[done : block.start], self._run(block)]
            done = block.end
            if block.kind == "python":
                shown = self._shown_below(block, following)
                written.append(self.page[done : shown.start] if shown else "```\n\n```text\n" if self.printed else "")
                written.append("".join(f"{line}\n" for line in renewed(_lines(shown), self.printed)))
                done = shown.end if shown else done
        return "".join([*written, self.page[done:]])

    def _wanted(self, block: Block) -> bool:
        if block.mark == "real data":
            return self.real_data is not False and bool(os.environ.get("METAMETER_DATA"))
        return not block.mark and (self.real_data is not True or block.kind in ("csv", "toml"))

    def _run(self, block: Block) -> str:
        """Run one block; the answer is what it should say."""
        if block.mark:
            self._run_sh(replace(block, body=block.reason))
        return getattr(self, f"_run_{block.kind}")(block)

    def _run_console(self, block: Block) -> str:
        told = []
        for command, shown in prompt(block.body):
            printed, _ = printed_by(command)
            told += [f"$ {command}", *renewed(shown, printed)]
        return "".join(f"{line}\n" for line in told)

    def _run_sh(self, block: Block) -> str:
        for command in re.findall(r"(?:[^\n]*\\\n)*[^\n]+", block.body):
            printed, status = printed_by(command)
            if status != 0:
                raise AssertionError("\n".join([f"exit status {status}: {command}", *printed]))
        return block.body

    def _run_python(self, block: Block) -> str:
        printed = io.StringIO()
        # Notices are for whoever runs it on data of their own; what a script prints is what the page is about.
        with warnings.catch_warnings(action="ignore"), redirect_stdout(printed):
            exec(compile(ast.parse(block.body), "<page>", "exec"), self.names)
        self.printed = [part for line in printed.getvalue().splitlines() for part in folded(line).split("\n")]
        return block.body

    def _run_pycon(self, block: Block) -> str:
        told = []
        for piece in doctest.DocTestParser().parse(block.body):
            if isinstance(piece, str):
                told.append(piece)
                continue
            printed = io.StringIO()
            with warnings.catch_warnings(action="ignore"), redirect_stdout(printed):
                exec(compile(piece.source, "<page>", "single"), self.names)
            first, *more = piece.source.splitlines()
            told += [f">>> {first}\n", *(f"... {line}\n" for line in more)]
            told += [f"{line}\n" for line in renewed(piece.want.splitlines(), printed.getvalue().splitlines())]
        return "".join(told)

    def _run_csv(self, block: Block) -> str:
        names = re.findall(rf"`([\w-]+\.{block.kind})`", self.page[: block.start])
        if not names:
            raise AssertionError(f"which file is this {block.kind} block? Say its name before it")
        Path(names[-1]).write_text(block.body, "utf-8")
        return block.body

    _run_toml = _run_csv

    def _shown_below(self, block: Block, following: Block | None) -> Block | None:
        """The ``text`` block right below a script."""
        if following is None or following.kind != "text" or following.mark:
            return None
        return following if re.fullmatch(r"```\s+```text\n", self.page[block.end : following.start]) else None


def _lines(block: Block | None) -> list[str]:
    return block.body.splitlines() if block else []
