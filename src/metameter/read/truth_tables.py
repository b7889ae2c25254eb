"""Judgments by subtopic in tables with a header, and in dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.frames import place_in_frame
from metameter.read.repeats import refuse_repeats
from metameter.read.sheets import DOC, TOPIC, Sheet
from metameter.types import Fingerprint, Truth

__all__ = ["COLUMNS", "FORM", "of_dict", "of_sheet", "own_nuggets"]

_RATING = ("rating", "grade", "relevance", "label", "rel")
#: ir_measures keeps the subtopic where the qrels of TREC have it, in the iteration.
_SUBTOPIC = ("subtopic", "subtopic_id", "iteration")
#: What columns of judgments may be called.
COLUMNS = (*TOPIC, *_SUBTOPIC, *DOC, *_RATING, "passage", "nugget")
#: The forms of judgments, for messages.
FORM = "topic subtopic doc grade; topic subtopic doc passage rating; a header with topic, subtopic, doc, rating"
_JUDGED = ("topic", "subtopic", "doc")


def of_sheet(sheet: Sheet, prints: tuple[Fingerprint, ...] = ()) -> Truth:
    """The judgments in a table: topic, subtopic, doc, rating and, if it has them, passage and nugget.

    Examples
    --------
    >>> cells = {"topic": [5, 5], "subtopic": [1, 2], "docno": ["a", "a"], "passage": [7, 7], "grade": [1, 2]}
    >>> of_sheet(Sheet("truth", pl.DataFrame(cells), str)).table.rows()
    [('5', '1', 'a', '1', 1.0), ('5', '2', 'a', '1', 2.0)]
    """
    names = [sheet.needed(*each, allowed=FORM) for each in (TOPIC, _SUBTOPIC, DOC, _RATING)]
    further = [name for name in ("passage", "nugget") if sheet.named(name)]
    table = pl.DataFrame([sheet.texts(name) for name in (*names[:3], *further)] + [sheet.numbers(names[3])])
    table = table.rename(dict(zip(names, (*_JUDGED, "rating"), strict=True)))
    refuse_repeats(table, (*_JUDGED, *further[:1]), sheet.place)
    if "nugget" not in further:
        # A passage that is listed for several subtopics is one nugget, as with the official scorer of TREC.
        table = own_nuggets(table, ("topic", "doc", "passage") if further else _JUDGED)
    return Truth(table.select(*_JUDGED, "nugget", "rating"), source=sheet.source, fingerprints=prints)


def of_dict(judgments: Mapping[Any, Any], fix: str) -> Truth:
    """The judgments in {topic: {subtopic: {doc: rating}}}; a subtopic may be without documents.

    Examples
    --------
    >>> of_dict({401: {"a": {"d1": 1}, "b": {}}}, "").subtopics.rows()
    [('401', 'a'), ('401', 'b')]
    """
    rows, listed = [], []
    for topic, subtopics in judgments.items():
        for subtopic, documents in _inner(subtopics, "a topic's subtopics", fix).items():
            listed.append((str(topic).strip(), str(subtopic).strip()))
            inner = _inner(documents, "a subtopic's documents", fix)
            rows += [(*listed[-1], str(doc), rating) for doc, rating in inner.items()]
    if not rows:
        raise MetameterError("the judgments are empty", where="truth", fix=fix)
    columns = zip((*_JUDGED, "rating"), zip(*rows, strict=True), strict=True)
    cells = pl.DataFrame([pl.Series(name, column, strict=False) for name, column in columns])
    truth = of_sheet(Sheet("truth", cells, place_in_frame("truth")))
    return Truth(truth.table, listed=pl.DataFrame(listed, schema=["topic", "subtopic"], orient="row"))


def own_nuggets(table: pl.DataFrame, passage: tuple[str, ...]) -> pl.DataFrame:
    """The table with a nugget for each passage, numbered after its first row; ``passage`` are the columns that tell it.

    Examples
    --------
    >>> own_nuggets(pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "a", "a"]}), ("topic", "doc")).rows()
    [('1', 'a', '1'), ('1', 'a', '1'), ('2', 'a', '3')]
    """
    numbered = table.with_row_index("nugget", offset=1)
    nugget = pl.col("nugget").first().over(passage).cast(pl.String)
    return numbered.select(*table.columns, nugget)


def _inner(value: Any, what: str, fix: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise MetameterError(f"{what} must be a dictionary", given=value, fix=fix)
    return value
