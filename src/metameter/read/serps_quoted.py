"""Commas within quotes, as in lists of grades, read fast where every line is a row; semicolons are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from metameter.errors import MetameterError

__all__ = ["quoted_cells", "refuse_semicolons"]

_CELL = rb'(?:"[^"\n]*+"|[^",\n]*+)'


def quoted_cells(data: bytes) -> pl.DataFrame | None:
    r"""The cells of CSV with quotes; None if it wants the patience of Python's reader, which is several times slower.

    Row n stands on line n + 2: what spans lines, is empty, has quotes within quotes or another width is not read here.

    Examples
    --------
    >>> quoted_cells(b'grades,satisfaction\n"[1, 0]",3\n').rows()
    [('[1, 0]', '3')]
    >>> quoted_cells(b'grades,satisfaction\n"[1, 0]",3,4\n') is None
    True
    """
    if b'"' not in data:
        return None
    text = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    header, _, body = text.partition(b"\n")
    names = [name.decode(errors="replace").strip().lower() for name in header.split(b",")]
    if len(names) < 2 or len(set(names)) < len(names) or any(each in header for each in (b'"', b"\t")):
        return None
    row = b",".join([_CELL] * len(names))
    if b"\r" in body or b"\0" in body or not re.fullmatch(rb"(?:%b\n)*+(?:%b)?" % (row, row), body):
        return None
    try:
        cells = pl.read_csv(body, has_header=False, schema=dict.fromkeys(names, pl.String))
    except pl.exceptions.PolarsError:  # not UTF-8, say
        return None
    return cells if cells.height == body.count(b"\n") + (not body.endswith(b"\n")) else None


def refuse_semicolons(data: bytes, where: str, wanted: Sequence[str]) -> None:
    r"""Refuse a table whose header has semicolons between names that are wanted, as spreadsheets write it.

    Its rows may hold commas (0,5), so that what is wrong with them would say nothing of the semicolons.

    Examples
    --------
    >>> refuse_semicolons(b"grades,satisfaction\n1;0,3\n", "log.csv", ("grades", "satisfaction"))
    >>> refuse_semicolons(b"grades;satisfaction\n1 0;3\n", "log.csv", ("grades", "satisfaction"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: log.csv: cells are separated by semicolons (given 'grades;satisfaction', allowed:
    commas or tabs). Save it with commas or tabs, or give the data frame of pandas.read_csv(path, sep=";").
    """
    header = data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].decode(errors="replace").strip()
    names = {name.strip(' "').lower() for name in header.split(";")}
    if len(names.intersection(wanted)) > 1:
        fix = 'Save it with commas or tabs, or give the data frame of pandas.read_csv(path, sep=";").'
        what = "cells are separated by semicolons"
        raise MetameterError(what, where=where, given=header, allowed="commas or tabs", fix=fix)
