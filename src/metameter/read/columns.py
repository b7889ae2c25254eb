"""What columns of judgments and runs may be called: also as ir_measures, PyTerrier, ranx and BEIR call them."""

from __future__ import annotations

from collections.abc import Sequence

from metameter.errors import MetameterError

#: Our name of a column -> what else it may be called. Of two groups the first wins: in a frame of PyTerrier ``query``
#: is the text of the query and ``docid`` a number of its own. Two names of one group in one table are refused.
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


def find_column(names: str | Sequence[str], columns: Sequence[str], where: str) -> str | None:
    """The column with one of the spellings of a name, or with the first of several names, in any case; or None.

    Examples
    --------
    >>> find_column("doc", ["qid", "docid", "docno", "score"], "run")
    'docno'
    >>> find_column("topic", ["qid", "query_id"], "run")
    Traceback (most recent call last):
    metameter.errors.MetameterError: run: two columns may be the topic (given 'qid, query_id'). Keep one of them, or
    call it topic.
    """
    groups = SPELLINGS.get(names, ((names,),)) if isinstance(names, str) else [(name,) for name in names]
    for group in groups:
        matches = [column for column in columns if column in group] or [
            column for column in columns if column_key(column) in group
        ]
        if len(matches) > 1:
            name = groups[0][0]
            fix = f"Keep one of them, or call it {name}."
            raise MetameterError(f"two columns may be the {name}", where=where, given=", ".join(matches), fix=fix)
        if matches:
            return matches[0]
    return None


def repeated_name(names: Sequence[str]) -> str | None:
    """The first name that stands there twice; None if all differ."""
    return next((name for position, name in enumerate(names) if name in names[:position]), None)
