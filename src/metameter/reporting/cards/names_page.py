"""The page "our names and theirs"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.notation import parse
from metameter.reporting.cards.names import NAMES, TOOLS, Names
from metameter.view.tables import to_markdown

if TYPE_CHECKING:
    import polars as pl

__all__ = ["elsewhere", "names_page"]

_PAGE = """# Our names and theirs

What stands in one row is the same number on the same lists without tied scores (G: the top of the grade scale). Names
with a depth are shown at 10. Every cell is tested: against trec_eval (through pytrec_eval), gdeval and ir_measures as
installed, against what ranx 0.3.21 and scikit-learn 1.9.1 gave, against what Quepid's scorers give
(`tests/golden/quepid.json` says which), against ndeval (through pyndeval), and against what the scorer of TREC Dynamic
Domain (trec-dd-jig) gave.

**Ties.** Tied documents are ordered by name, falling, as in trec_eval and all that is built on it. ir_measures takes
some metrics from elsewhere; these order ties in other ways. Judged@k and RR@k: by name, rising (`--ties docid-asc`).
RBP, SDCG and the others of cwl-eval: as they stand in the run (`--ties input`); Compat: in neither of these ways. On
lists of 40 documents with eight different scores, means over ten topics differed by up to .07 (Judged@10), .05 (RBP),
.09 (Compat) and .36 (RR@10); on real runs, which have fewer ties, by much less. With `--ties` as said, Judged, RR@k,
RBP and SDCG are the same again. trec_eval compares scores in single precision, and so may see ties where there are
none: `--precision single`.

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


def _table(rows: tuple[Names, ...], marks: dict[str, str]) -> pl.DataFrame:
    import polars as pl

    lines = [
        (row.ours + (f" x {row.times}" if row.times else "") + marks.get(row.note, ""), *map(row.theirs.get, TOOLS))
        for row in rows
    ]
    return pl.DataFrame(lines, schema=dict.fromkeys(("metameter", *TOOLS), pl.String), orient="row").fill_null("")
