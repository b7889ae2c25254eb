"""The bibliography: one file, `references.bib`, found by key."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from metameter.errors import MetameterError, did_you_mean

__all__ = ["bibtex", "entries"]

_ENTRY = re.compile(r"^@\w+\{([^,\s]+),.*?^\}", re.MULTILINE | re.DOTALL)


@cache
def entries() -> dict[str, str]:
    """Key -> its BibTeX entry, in the order of the file."""
    text = files("metameter").joinpath("references.bib").read_text(encoding="utf-8")
    return {match[1]: match[0] for match in _ENTRY.finditer(text)}


def bibtex(key: str) -> str:
    """One BibTeX entry.

    Examples
    --------
    >>> print(bibtex("chapelle2009").splitlines()[0])
    @inproceedings{chapelle2009,
    """
    if key not in entries():
        raise MetameterError("unknown reference", given=key, fix=did_you_mean(key, list(entries())))
    return entries()[key]
