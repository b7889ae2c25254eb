"""Our names and theirs: what other tools call the same numbers. Every row is tested against the tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metameter.notation import parse

if TYPE_CHECKING:
    import polars as pl


TOOLS = ("trec_eval", "gdeval", "ir_measures", "ranx", "scikit-learn", "Quepid", "ndeval", "trec-dd-jig")

_SCALE = "cwl-eval's `max_rel` is our `--max-grade`; its sums end at rank 1,000, ours do not."
_BINARY = "ir_measures makes grades binary at `rel`; ours takes them as gains unless told so."


@dataclass(frozen=True)
class Names:
    """One metric: our name, and the names of what gives the same number.

    Attributes
    ----------
    ours : str
    theirs : dict of tool to name
    times : str
        What our score is multiplied by to give theirs: ``G`` is the top of the grade scale.
    note : str
        Under which condition they agree.
    """

    ours: str
    theirs: dict[str, str] = field(default_factory=dict)
    times: str = ""
    note: str = ""


def _row(ours: str, *theirs: str, times: str = "", note: str = "") -> Names:
    return Names(ours, {tool: name for tool, name in zip(TOOLS, theirs, strict=False) if name}, times, note)


def _faceted(ours: str, theirs: str, ndeval: str, note: str = "") -> Names:
    return Names(ours, {"ir_measures": theirs, "ndeval": ndeval}, note=note)


def _session(ours: str, theirs: str, note: str = "") -> Names:
    return Names(ours, {"trec-dd-jig": theirs}, note=note)


NAMES: tuple[Names, ...] = (
    _row("P@10", "P_10", "", "P@10", "precision@10"),
    _row("SetP@10", "", "", "", "", "", "P@10", note="Quepid divides by the length of a list shorter than 10."),
    _row("R@10", "recall_10", "", "R@10", "recall@10"),
    _row(
        *("AP", "map", "", "AP", "map", "average_precision_score"),
        note="scikit-learn knows only documents that are in the list: all relevant ones must be.",
    ),
    _row("AP@10", "map_cut_10", "", "AP@10", "map@10", "", "AP@10"),
    _row("RR", "recip_rank", "", "RR", "mrr"),
    _row("RR@10", "", "", "RR@10", "mrr@10", "", "RR@10"),
    _row(
        *("nDCG", "ndcg", "", "nDCG", "ndcg", "ndcg_score"),
        note="scikit-learn takes the list itself, sorted, for the ideal one, and averages over tied scores.",
    ),
    _row("nDCG@10", "ndcg_cut_10", "", "nDCG@10", "ndcg@10", "ndcg_score(k=10)"),
    _row(
        *("nDCG(gain=exp)@10", "", "ndcg@10", 'nDCG(dcg="exp-log2")@10', "ndcg_burges@10", "", "nDCG@10"),
        note="Quepid does not cut the ideal list: the same where no more than 10 documents are relevant.",
    ),
    _row("nDCG(gain=exp)", "", "", "", "ndcg_burges"),
    _row(
        *("ERR@10", "", "err@10", "ERR@10", "", "", "ERR@10"),
        note="gdeval, and ir_measures with it, take 4 for the top of the scale: `--max-grade 4`.",
    ),
    _row("DCG@10", "", "", "", "dcg@10", "dcg_score(k=10)", times="G", note="Our gains are grades divided by G."),
    _row(
        "DCG(gain=exp)@10",
        "",
        "",
        "",
        "dcg_burges@10",
        "",
        "DCG@10",
        times="2^G",
        note="Our gains are (2^g - 1) / 2^G.",
    ),
    _row("Prec@10*ETG", "", "", "", "", "", "CG@10", times="G"),
    _row("SDCG@10", "", "", "SDCG(max_rel=4)@10", note=_SCALE),
    _row("RBP(p=0.8)", "", "", "", "rbp.80", times="G", note="ranx takes grades for gains."),
    _row("RBP(p=0.8,gain=binary(1))", "", "", "RBP(p=0.8,rel=1)", note=_BINARY),
    _row("Rprec", "Rprec", "", "Rprec", "r-precision"),
    _row("Bpref", "bpref", "", "Bpref", "bpref"),
    _row("infAP", "infAP", "", "infAP"),
    _row("Success@10", "success_10", "", "Success@10", "hit_rate@10"),
    _row("SetP", "set_P", "", "SetP", "precision"),
    _row("SetR", "set_recall", "", "SetR", "recall"),
    _row("SetF", "set_F", "", "SetF", "f1"),
    _row("SetAP", "set_map"),
    _row("RelP@10", "relative_P_10"),
    _row("IPrec(recall=0.3)", "iprec_at_recall_0.30", "", "IPrec@0.3"),
    _row("IPrecAvg", "11pt_avg"),
    _row("NumRet", "num_ret", "", "NumRet"),
    _row("NumRel", "num_rel", "", "NumRel"),
    _row("NumRelRet", "num_rel_ret", "", "NumRet(rel=1)", "hits"),
    _row("NumRelRet@10", "", "", "", "hits@10", note="Typed, `hits@10` is read as Success@10."),
    _row("Judged@10", "", "", "Judged@10"),
    _row("Compat(p=0.8)", "", "", "Compat(p=0.8)"),
    _row("gm_map", "gm_map", note="The logarithm, topic by topic; the mean over topics is turned back."),
    _row("gm_bpref", "gm_bpref", note="As for gm_map."),
    _row("BinG", "binG"),
    _row("G", "G"),
    _row("RnDCG", "Rndcg"),
    _row("nDCGRel", "ndcg_rel"),
    _row("Utility", "utility"),
    _row("INST(T=2.25)", "", "", "INST(T=2.25,max_rel=4)", note=_SCALE),
    _row("INSQ(T=2.25)", "", "", "INSQ(T=2.25,max_rel=4)", note=_SCALE),
    _row("BPM(T=1,K=10)", "", "", "BPM(T=1.0,max_rel=4)@10", note=_SCALE),
    _row("NERR8@10", "", "", "NERR8(max_rel=4)@10", note=_SCALE),
    _row("NERR9@10", "", "", "NERR9(max_rel=4)@10", note=_SCALE),
    _row("NERR10(p=0.9)", "", "", "NERR10(p=0.9,max_rel=4)", note=_SCALE),
    _row("NERR11(T=1)", "", "", "NERR11(T=1.0,max_rel=4)", note=_SCALE),
    _faceted("alpha_nDCG@10", "alpha_nDCG@10", "alpha-nDCG@10"),
    _faceted("alpha_DCG@10", "alpha_DCG@10", "alpha-DCG@10"),
    _faceted("nERR_IA@10", "nERR_IA@10", "nERR-IA@10"),
    _faceted("ERR_IA@10", "ERR_IA@10", "ERR-IA@10"),
    _faceted("NRBP", "NRBP", "NRBP"),
    _faceted("nNRBP", "nNRBP", "nNRBP", note="Without a relevant document: not a number there, 0 here."),
    _faceted("MAP_IA", "AP_IA", "MAP-IA"),
    _faceted("P_IA@10", "P_IA@10", "P-IA@10"),
    _faceted("StRecall@10", "StRecall@10", "strec@10"),
    _session("CT@10", "ct", note="After ten iterations; the scorer of 2017."),
    _session("ACT@10", "act"),
    _session("nCT@10", "nct"),
    _session("sDCG@10", "sdcg"),
    _session("nsDCG@10", "nsdcg"),
    _session("EU@10", "eu"),
    _session("nEU@10", "neu"),
)


def rows_elsewhere(name: str) -> pl.DataFrame | None:
    """The rows of one model or metric; None if other tools have none of it.

    Examples
    --------
    >>> rows_elsewhere("RR").rows()[0][:4]
    ('RR', 'recip_rank', '', 'RR')
    """
    rows = _rows(name)
    return table_of(rows, {}) if rows else None


def _rows(name: str) -> tuple[Names, ...]:
    return tuple(row for row in NAMES if parse(row.ours).left.name.replace("SDCG", "DCG") == name)


def notes_on(name: str) -> list[str]:
    """The notes on the numbers of other tools for one model or metric.

    Examples
    --------
    >>> notes_on("RBP")[0]
    'ranx takes grades for gains.'
    """
    return list(dict.fromkeys(row.note for row in _rows(name) if row.note))


def narrow_rows(table: pl.DataFrame) -> pl.DataFrame:
    """The same rows with the names in other tools in one column.

    Examples
    --------
    >>> narrow_rows(rows_elsewhere("RBP")).rows()[0]
    ('RBP(p=0.8) x G', 'ranx: rbp.80')
    """
    import polars as pl

    named = [[f"{tool}: {name}" for tool, name in zip(TOOLS, row[1:], strict=True) if name] for row in table.rows()]
    theirs = list(map("; ".join, named))
    return pl.DataFrame({"metameter": table["metameter"], "elsewhere": theirs})


def table_of(rows: tuple[Names, ...], marks: dict[str, str]) -> pl.DataFrame:
    """Return a row for each metric, and a column for each tool; ``marks`` are added to our name by the note."""
    import polars as pl

    lines = [
        (row.ours + (f" x {row.times}" if row.times else "") + marks.get(row.note, ""), *map(row.theirs.get, TOOLS))
        for row in rows
    ]
    return pl.DataFrame(lines, schema=dict.fromkeys(("metameter", *TOOLS), pl.String), orient="row").fill_null("")
