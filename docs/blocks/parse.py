"""Find the blocks of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["KINDS", "Block", "blocks_of"]

KINDS = ("console", "sh", "python", "pycon", "text", "csv", "toml")
_BLOCK = re.compile(
    r"^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$|^<!-- (?P<hidden>sh|python)\n(?P<steps>.*?)^-->$",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"<!-- (not run|tested by|real data): ([^\n]+) -->\n\Z")


@dataclass(frozen=True)
class Block:
    """A block of a page.

    Parameters
    ----------
    kind : str
        What its fence says.
    body : str
        What stands in it, with the last line end.
    start, end : int
        Where the body stands in the page.
    mark : str
        Empty, ``not run``, ``tested by`` or ``real data``; ``reason`` has what follows that.
    hidden : bool
        Whether it is a comment, which readers do not see.
    """

    kind: str
    body: str
    start: int
    end: int
    mark: str = ""
    reason: str = ""
    hidden: bool = False


def blocks_of(page: str) -> list[Block]:
    r"""The blocks of a page in their order.

    Examples
    --------
    >>> [(block.kind, block.body) for block in blocks_of("# Title\n```sh\nls\n```\n")]
    [('sh', 'ls\n')]
    """
    return [_block(page, found) for found in _BLOCK.finditer(page)]


def _block(page: str, found: re.Match[str]) -> Block:
    if found["hidden"]:
        return Block(found["hidden"], found["steps"], *found.span("steps"), hidden=True)
    mark = _MARK.search(page, 0, found.start())
    said = (mark[1], mark[2]) if mark else ("", "")
    return Block(found["kind"], found["body"], *found.span("body"), *said)
