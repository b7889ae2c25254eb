"""The page "our names and theirs", from the table of names and the aliases of metrics."""

from __future__ import annotations

import polars as pl

from metameter.metric.aliases import aliases
from metameter.reporting.cards.names import NAMES, table_of
from metameter.view.tables.formats import to_markdown

__all__ = ["names_page"]

_PAGE = """# Our names and theirs

What stands in one row is the same number on the same lists without tied scores (G: the top of the grade scale). Names
with a depth are shown at 10. Every cell is tested: against trec_eval (through pytrec_eval), gdeval and ir_measures as
installed, against what ranx 0.3.21 and scikit-learn 1.9.1 gave, against what Quepid's scorers give
(`tests/golden/quepid.json` says which), against ndeval (through pyndeval), and against what the scorer of TREC Dynamic
Domain (trec-dd-jig) gave.

{table}

{notes}

## Typed, they are understood

What other tools call a metric may be typed wherever a metric is named, in capital letters or not; tables print our
name, and a notice says what was read (`map: read as AP`; of a difference in capital letters alone, as in `ndcg@10`,
there is none). `hits@10` is read as Success@10; ranx alone means a count by it. A word that means two things is refused
with both: `sdcg@10` may be SDCG@10 or sDCG@10. So are words whose numbers would differ, such as `rbp.80`: ranx takes
grades for gains.

{aliases}

Measures of ir_measures are metrics, too: `metameter.score(qrels, run, [ir_measures.nDCG @ 10])`, and so are their
texts, such as `nDCG(dcg='exp-log2')@10`, `RBP(rel=1)` and `IPrec@0.1`. `max_rel` is refused: here the top of the scale
is an option of scoring, `max_grade`, and holds for all metrics. Their ERR takes 4 as the top of the scale:
`max_grade=4` gives its number, and a notice says so.

## Tied documents

The first table is about lists. From one run, tools make the same list only where no scores are tied: they differ in
which of the tied documents they put first. To get their numbers from tied scores, order these as they do:

{ties}

So two measures in one call of ir_measures may be about two different lists: on the tied runs of our tests, its RR and
its RR@10 differ by up to 0.83, although every first relevant document is among the first ten. Here all metrics see one
list. trec_eval compares scores in single precision: `--precision single`.
"""

# Each order is tested with the measures of ir_measures that are named.
_TIES = {
    "whose number": [
        "trec_eval, gdeval; ir_measures: nDCG, AP, P, R, RR, Rprec, Bpref, Success, SetP, SetR, SetF, SetAP, infAP, "
        "IPrec, ERR",
        "ndeval; ir_measures: RR@k, Judged, alpha_nDCG, alpha_DCG, ERR_IA, nERR_IA, NRBP, AP_IA, P_IA, StRecall",
        "ir_measures: RBP, INST, INSQ, BPM, SDCG, NERR8, NERR9, NERR10, NERR11",
        "ir_measures: Compat",
    ],
    "tied documents": [
        "by document id, falling",
        "by document id, rising",
        "in the order of the run",
        "by document id, rising, but in the ideal list in the order of the judgments",
    ],
    "here": ["--ties docid-desc, the default", "--ties docid-asc", "--ties input", "the same without ties only"],
}


def names_page() -> str:
    """The page as Markdown."""
    notes = list(dict.fromkeys(row.note for row in NAMES if row.note))
    listed = "\n".join(f"{number}. {note}" for number, note in enumerate(notes, start=1))
    table = to_markdown(table_of(NAMES, {note: f" ({number})" for number, note in enumerate(notes, start=1)}))
    ties = to_markdown(pl.DataFrame(_TIES))
    return _PAGE.format(table=table, notes=listed, aliases=to_markdown(_aliases()), ties=ties)


def _aliases() -> pl.DataFrame:
    """The names that are understood, one row per metric, with 10 for a depth."""
    understood: dict[str, list[str]] = {}
    for each in aliases():
        if each.declared:
            number = "0.1" if "recall=" in each.meaning else "10"
            understood.setdefault(each.meaning.replace("{}", number), []).append(each.name.replace("{}", number))
    rows = [(ours, ", ".join(typed)) for ours, typed in understood.items()]
    return pl.DataFrame(rows, schema=["metameter", "understood"], orient="row").sort("metameter")
