"""What a command says: the first table on standard output, and everything as files where asked."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from metameter.errors import MetameterError

__all__ = ["Output", "deliver"]

_MOST_DIGITS = 17  # a double has no more
Format = Literal["table", "csv", "tsv", "json", "markdown", "latex"]


@dataclass(frozen=True, kw_only=True)
class Output:
    """How to show a result.

    Parameters
    ----------
    format : str
        How tables are printed; by default a table on a terminal, CSV when piped.
    table : str
        Which table to print; by default the first.
    out : str
        Where to write: all tables as CSV and LaTeX, charts as HTML, and the manifest.
    figures : bool
        With --out: charts as SVG and PDF too.
    digits : int
        Decimals in printed tables; CSV and JSON carry them all.
    """

    format: Format | None = None
    table: str | None = None
    out: str | None = None
    figures: bool = False
    digits: int = 4

    def __post_init__(self) -> None:
        if not 0 <= self.digits <= _MOST_DIGITS:
            raise MetameterError("--digits is out of range", given=self.digits, allowed=f"0 to {_MOST_DIGITS}")


def deliver(result: Any, output: Output) -> None:
    """Write the files that were asked for, then print a table."""
    tables = result.tables
    name = output.table or next(iter(tables))
    if name not in tables:
        raise MetameterError("there is no such table", given=name, allowed=", ".join(tables))
    out = output.out or getattr(result, "destination", None)
    if out is not None:
        from metameter.view.files import together

        with together():
            result.write(Path(out), figures=output.figures)
    form = output.format or ("table" if sys.stdout.isatty() else "csv")
    sys.stdout.write(_text(result, name, form, output.digits).rstrip("\n") + "\n")
    sys.stdout.flush()
    remark = getattr(result, "remark", None)
    # Caveats belong to the numbers whatever they are printed as; a second table is for the eye only.
    if remark and (form == "table" or not getattr(result, "remark_is_table", False)):
        print(remark, file=sys.stderr)
    # What was asked for has been answered, and the answer is that something is wrong.
    complaint = getattr(result, "complaint", None)
    if complaint is not None:
        raise complaint


def _text(result: Any, name: str, form: str, digits: int) -> str:
    from metameter.view.tables import render

    if form == "json" and hasattr(result, "to_json"):
        return str(result.to_json())
    if form in ("table", "markdown") and getattr(result, "page", None):
        # Whoever asked for one thing gets the page about it; programs get its row.
        return str(result.page)
    if form == "latex" and hasattr(result, "latex"):
        # Laid out as papers print it, where they do.
        return str(result.latex()[name])
    tables = result.tables
    if form in ("table", "markdown", "latex") and hasattr(result, "readable"):
        # For the eye a p of zero is "< 1/2000"; programs get the number.
        tables = {name: result.readable(name, digits)}
    return render(tables, name, form, digits=digits)
