"""The prose of `taxonomy`: its declaration, caption and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metameter.docstrings import summary
from metameter.meta.base import Words
from metameter.registry import get, names

CAPTION = (
    "Browsing models (rows) and aggregations (columns): the metrics they make. X: a constant; XX: the order of the "
    "items does not matter; *: for binary gains; a dot: a metric without a name."
)

_COLUMNS = {
    "browse": "the browsing model",
    "aggregate": "the aggregation",
    "class": "metric, constant, or order-insensitive: the same whatever the order of the items",
    "name": "the known name of the metric; * for binary gains",
    "user": "what moves users on: not the gains (static), those seen (adaptive), also those to come (clairvoyant)",
    "monotone": "whether what users take away only grows, or only falls, with every further item",
    "carterette": "the number of Carterette's model (2011) that the aggregation belongs to, if any",
    "finite": "whether the expected number of items viewed is finite without a last rank",
    "metric": "the metric that was tried",
    "group": "metrics of one group order any two lists alike",
    "because": "how the metric follows from the first of its group",
}


class _Columns(Mapping[str, str]):
    """The fixed columns, and those of ``table3``: one for each aggregation, looked up late to include plug-ins."""

    def __getitem__(self, column: str) -> str:
        if column in _COLUMNS:
            return _COLUMNS[column]
        if column in names("aggregate"):
            return summary(get("aggregate", column))
        raise KeyError(column)

    def __iter__(self) -> Iterator[str]:
        yield from _COLUMNS
        yield from (name for name in names("aggregate") if name not in _COLUMNS)

    def __len__(self) -> int:
        return len(list(iter(self)))


WORDS = Words(
    "Taxonomy",
    "What does each combination of browsing model and aggregation measure, if anything?",
    "Every registered browsing model and aggregation is tried on random lists: whether scores change with the gains "
    "and with their order, what moves the users, which metrics order all lists alike.",
    "A square is a combination. X is a constant, XX does not depend on the order of the items, a dot is a metric "
    "without a name.",
    columns=_Columns(),
)


def notes(left_out: list[str]) -> tuple[str, ...]:
    """Return the notes: what the signs mean, where the table differs from the paper's, and what was left out."""
    return (
        "X is a constant, XX does not depend on the order of the items, * holds for binary gains, a dot has no name.",
        "ERR*ETG without a last rank is order-insensitive, which Moffat et al. (2022) do not say; with one it is a "
        "metric.",
        *(f"{name} is left out: its class has no `example` values." for name in left_out),
    )
