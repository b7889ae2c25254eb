"""Markdown sentences for a terminal."""

from __future__ import annotations

import re

from metameter.view.plain_math import plain_math

__all__ = ["plain_text"]


def plain_text(markdown: str) -> str:
    r"""A sentence without marks: what is code or emphasised stands there as it is, formulas in characters.

    Examples
    --------
    >>> print(plain_text(r"*A model.* With `RBP(p=0.8)*max` it is $`i \le n`$."))
    A model. With RBP(p=0.8)*max it is i ≤ n.
    """
    formulas = re.sub(r"\$`([^`]*)`\$", lambda found: plain_math(found[1]), markdown)
    parts = formulas.split("`")
    # Between backquotes, in every second part, a star is a star.
    parts[::2] = [re.sub(r"(?<![\w*])\*([^*]+)\*(?![\w*])", r"\1", part) for part in parts[::2]]
    return "".join(parts)
