"""Dictionaries {topic: {doc: number}}, as in pytrec_eval; for runs also {topic: [doc, ...]}; and objects of ranx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.read.cell_coercion import TIMES, name_of, number_of
from metameter.read.formats.base import ObjectFormat

if TYPE_CHECKING:
    import polars as pl


class Dictionary(ObjectFormat):
    """A dictionary from topics to the documents of each, with their numbers or, of a run, in their order."""

    def recognises(self, obj: Any) -> bool:
        """Whether this is a mapping, or a Qrels or Run of ranx."""
        return isinstance(obj, Mapping) or is_of_ranx(obj)

    def table(self, obj: Any, value: str, fix: str) -> pl.DataFrame:
        """Columns topic, doc and the number; of documents in their order, rank."""
        import polars as pl

        topics = obj.to_dict() if is_of_ranx(obj) else obj
        if value == "score" and topics and all(map(is_ranking, topics.values())):
            ranked = [(topic, doc, rank) for topic, docs in topics.items() for rank, doc in enumerate(docs, start=1)]
            cells = [(name_of(topic, "topic"), name_of(doc, "document"), rank) for topic, doc, rank in ranked]
            return pl.DataFrame(cells, schema={"topic": pl.String, "doc": pl.String, "rank": pl.Float64}, orient="row")
        for documents in topics.values():
            if not isinstance(documents, Mapping):
                raise MetameterError("a topic's documents must be a dictionary", given=documents, fix=fix)
        return _table(topics, value)


def _table(topics: Mapping[Any, Mapping[Any, Any]], value: str) -> pl.DataFrame:
    import polars as pl

    kinds = {"topic": pl.String, "doc": pl.String, value: pl.Float64}
    keys = {kind for mapping in (topics, *topics.values()) for kind in set(map(type, mapping))}
    numbers = {kind for mapping in topics.values() for kind in set(map(type, mapping.values()))}
    try:
        if keys <= {str, int} and not any(issubclass(kind, TIMES) for kind in numbers):
            rows = [(str(topic), str(doc), number) for topic, docs in topics.items() for doc, number in docs.items()]
            return pl.DataFrame(rows, schema=kinds, orient="row")
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        pass
    # Cell by cell takes twice as long.
    cells = [
        (name_of(topic, "topic"), name_of(doc, "document"), number_of(number, value))
        for topic, docs in topics.items()
        for doc, number in docs.items()
    ]
    return pl.DataFrame(cells, schema=kinds, orient="row")


def is_ranking(documents: Any) -> bool:
    """Whether this is a list of document names."""
    names = isinstance(documents, list) or (isinstance(documents, tuple) and not hasattr(documents, "_fields"))
    return names and all(isinstance(doc, str | int) for doc in documents)


def is_of_ranx(obj: Any) -> bool:
    """Whether this looks like a Qrels or Run of ranx, which need not be installed."""
    return not isinstance(obj, type) and all(hasattr(obj, name) for name in ("to_dict", "to_typed_list", "name"))


FORMAT = Dictionary()
