"""The page "our names and theirs"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.notation import parse
from metameter.reporting.cards.names import NAMES, TOOLS, Names
from metameter.view.tables import to_markdown

if TYPE_CHECKING:
    import polars as pl

__all__ = ["elsewhere", "listed", "names_page"]

_PAGE = """# Our names and theirs

What stands in one row is the same number on the same lists (G: the top of the grade scale). Names with a depth are
shown at 10. Every cell is tested: against trec_eval (through pytrec_eval), gdeval and ir_measures as installed, against
what ranx 0.3.21 and scikit-learn 1.9.1 gave, against what Quepid's scorers give (`tests/golden/quepid.json` says
which), against ndeval (through pyndeval), and against what the scorer of TREC Dynamic Domain (trec-dd-jig) gave.

{table}

{notes}
"""


def names_page() -> str:
    """The page as Markdown.

    Examples
    --------
    >>> print(names_page().splitlines()[0])
    # Our names and theirs
    """
    notes = list(dict.fromkeys(row.note for row in NAMES if row.note))
    listed = "\n".join(f"{number}. {note}" for number, note in enumerate(notes, start=1))
    table = to_markdown(_table(NAMES, {note: f" ({number})" for number, note in enumerate(notes, start=1)}))
    return _PAGE.format(table=table, notes=listed)


def elsewhere(name: str) -> pl.DataFrame | None:
    """The rows of one model or metric; None if other tools have none of it.

    Examples
    --------
    >>> elsewhere("RR").rows()[0][:4]
    ('RR', 'recip_rank', '', 'RR')
    """
    rows = tuple(row for row in NAMES if parse(row.ours).left.name.replace("SDCG", "DCG") == name)
    return _table(rows, {}) if rows else None


def listed(table: pl.DataFrame) -> pl.DataFrame:
    """The same rows with all that other tools call a metric in one column.

    Examples
    --------
    >>> listed(elsewhere("RBP")).rows()[0]
    ('RBP(p=0.8) x G', 'ranx: rbp.80')
    """
    import polars as pl

    named = [[f"{tool}: {name}" for tool, name in zip(TOOLS, row[1:], strict=True) if name] for row in table.rows()]
    theirs = list(map("; ".join, named))
    return pl.DataFrame({"metameter": table["metameter"], "elsewhere": theirs})


def _table(rows: tuple[Names, ...], marks: dict[str, str]) -> pl.DataFrame:
    import polars as pl

    lines = [
        (row.ours + (f" x {row.times}" if row.times else "") + marks.get(row.note, ""), *map(row.theirs.get, TOOLS))
        for row in rows
    ]
    return pl.DataFrame(lines, schema=dict.fromkeys(("metameter", *TOOLS), pl.String), orient="row").fill_null("")
