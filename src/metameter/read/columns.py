"""What the columns of judgments and runs may be called: also as ir_measures, PyTerrier, ranx and BEIR call them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metameter.errors import MetameterError

if TYPE_CHECKING:
    import polars as pl


#: Our name of a column -> what else it may be called. Of two groups the first wins: in a frame of PyTerrier ``query``
#: is the text of the query and ``docid`` a number of its own. Two words of one group in one table are refused.
SPELLINGS: dict[str, tuple[tuple[str, ...], ...]] = {
    "topic": (("topic",), ("query_id", "qid", "q_id", "topic_id"), ("query",)),
    "doc": (("doc",), ("doc_id", "docno", "document_id", "corpus_id"), ("docid", "did"), ("document",)),
    "grade": (
        *(("grade",), ("relevance", "label", "rel"), ("rating", "judgment", "judgement"), ("gain",), ("score",)),
    ),
    "score": (("score",), ("sim", "similarity")),
    "system": (("system",), ("run", "run_id", "run_name", "system_name"), ("tag",), ("name",)),
    "metric": (("metric",), ("measure",)),
}

# No scale has more grades; the scores of a run soon do.
_MOST_GRADES = 100


def spellings(name: str) -> tuple[str, ...]:
    """What a column may be called, our own name first."""
    return tuple(word for group in SPELLINGS.get(name, ((name,),)) for word in group)


def column_key(name: str) -> str:
    """A column's name as all comparisons of names use it: without case, surrounding blanks and quotes, or hyphens.

    Examples
    --------
    >>> column_key(" Query-ID "), column_key('"score"')
    ('query_id', 'score')
    """
    return name.strip(' "\t\r\n').casefold().replace("-", "_")


def has_column(name: str, columns: Iterable[str]) -> bool:
    """Whether a column has this very name, in any case."""
    return any(column_key(column) == name for column in columns)


def find_column(name: str, columns: Sequence[str], where: str) -> str | None:
    """The column that has one of the spellings of a name, in any case; None if there is none.

    Examples
    --------
    >>> find_column("doc", ["qid", "docid", "docno", "score"], "run")
    'docno'
    >>> find_column("topic", ["qid", "query_id"], "run")
    Traceback (most recent call last):
    metameter.errors.MetameterError: run: two columns may be the topic (given 'qid, query_id'). Keep one of them, or
    call it topic.
    """
    for group in SPELLINGS.get(name, ((name,),)):
        found = [column for column in columns if column in group] or [
            column for column in columns if column_key(column) in group
        ]
        if len(found) > 1:
            fix = f"Keep one of them, or call it {name}."
            raise MetameterError(f"two columns may be the {name}", where=where, given=", ".join(found), fix=fix)
        if found:
            return found[0]
    return None


def with_our_names(table: pl.DataFrame, wanted: Sequence[str], where: str) -> pl.DataFrame:
    """The wanted columns, by our names; what else the table has is left out.

    Examples
    --------
    >>> import polars as pl
    >>> cells = {"qid": [1], "docid": [7], "docno": ["d1"], "rank": [0], "score": [9.5], "query": ["cats"]}
    >>> theirs = pl.DataFrame(cells)
    >>> with_our_names(theirs, ("topic", "doc", "score"), "run").rows(named=True)
    [{'topic': 1, 'doc': 'd1', 'score': 9.5}]
    >>> with_our_names(theirs, ("topic", "doc", "grade"), "qrels")
    Traceback (most recent call last):
    metameter.errors.MetameterError: qrels: the column grade is missing (given 'qid, docid, docno, rank, score, query',
    allowed: topic (or query_id, qid, q_id, topic_id, query), doc (or doc_id, docno, document_id, corpus_id, docid, did,
    document), grade (or relevance, label, rel, rating, judgment, judgement, gain)). Give the columns these names; with
    a column rank this is a run.
    """
    import polars as pl

    found = {name: find_column(name, table.columns, where) for name in wanted}
    graded = found.get("grade")
    is_run = graded is not None and column_key(graded) == "score" and not _may_be_grades(table, graded)
    missing = next((name for name, column in found.items() if column is None or (is_run and name == "grade")), None)
    if missing is None:
        return pl.DataFrame([table[str(column)].alias(name) for name, column in found.items()])
    # Judgments and runs that changed places would be scored without a word.
    more = f"; scores that are not whole, or have more than {_MOST_GRADES} values, make a run"
    seems = "; with a column rank this is a run" if has_column("rank", table.columns) else more
    raise MetameterError(
        f"the column {missing} is missing",
        where=where,
        given=", ".join(table.columns) or "no columns",
        allowed=", ".join(map(_with_others, wanted)),
        fix=f"Give the columns these names{seems if is_run else ''}.",
    )


def _with_others(name: str) -> str:
    others = [word for word in spellings(name)[1:] if (name, word) != ("grade", "score")]
    return f"{name} (or {', '.join(others)})" if others else name


def _may_be_grades(table: pl.DataFrame, name: str) -> bool:
    """Whether a column ``score`` may hold grades, as in the judgments of BEIR: few whole numbers without ranks."""
    import polars as pl

    if has_column("rank", table.columns):
        return False
    # What no numbers can be made of is refused for its type, by whoever wants them.
    if table[name].dtype.is_nested():
        return True
    try:
        numbers = table[name].cast(pl.Float64, strict=False)
    except pl.exceptions.PolarsError:
        return True
    return bool((numbers.fill_null(0) % 1 == 0).all()) and numbers.n_unique() <= _MOST_GRADES
