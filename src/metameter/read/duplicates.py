"""Documents that are listed twice for a topic: refuse them, or keep one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from metameter.errors import MetameterError
from metameter.types import Qrels, Run
from metameter.types.run_rows import Rows

if TYPE_CHECKING:
    import polars as pl


_KEY = ("topic", "doc")
_POLICIES = {"cost": ("error",), "grade": ("error", "first", "last", "max"), "score": ("error", "first")}
# The option that chooses among them.
_OPTION = {"grade": "qrels_duplicates", "score": "on_duplicate"}


L = TypeVar("L", Qrels, Run)


def without_duplicates(table: pl.DataFrame, value: str, policy: str, location: Callable[[int], str]) -> pl.DataFrame:
    """The table with each (topic, doc) once.

    The policy is ``error``; for grades also ``first``, ``last`` (in file order), ``max``; for scores ``first``: the
    best-ranked one stays. ``location`` returns the location of a row.
    """
    if not _may_repeat(Rows.of(table, value), value, policy) or not table.select(_KEY).is_duplicated().any():
        return table
    if policy == "error":
        option, choices = _OPTION.get(value, ""), _POLICIES[value][1:]
        listed = " or ".join(", ".join(choices).rsplit(", ", 1))
        chosen = f", or set {option} to {listed} (--{option.replace('_', '-')} {choices[-1]})" if choices else ""
        raise _refusal(table, _KEY, lambda doc: "document {1!r} of topic {0!r}".format(*doc), location, chosen)
    if policy != "max" and value != "score":
        return table.unique(_KEY, keep="last" if policy == "last" else "first", maintain_order=True)
    by = [value, *(["rank"] if "rank" in table.columns else [])]
    ordered = table.with_row_index("_row").sort(by, descending=[True, False][: len(by)], maintain_order=True)
    return ordered.unique(_KEY, keep="first", maintain_order=True).sort("_row").drop("_row")


def distinct(listed: L, value: str, policy: str, location: Callable[[int], str]) -> L:
    """The run, or the judgments, with each document of a topic once."""
    if not _may_repeat(listed.rows, value, policy):
        return listed
    return replace(listed, table=without_duplicates(listed.table, value, policy, location))


def _may_repeat(rows: Rows, value: str, policy: str) -> bool:
    """Whether a document may be listed twice for a topic, as far as hashes tell; an unknown policy is refused."""
    if policy not in _POLICIES[value]:
        allowed = ", ".join(_POLICIES[value])
        what, fix = "there is no such way to treat duplicates", "Choose one of these."
        raise MetameterError(what, given=policy, allowed=allowed, fix=fix)
    # Distinct keys prove distinct names, for nearly every file, at a fraction of the cost of comparing names.
    return rows.key_index.has_duplicates


def refuse_repeats(table: pl.DataFrame, key: Sequence[str], location: Callable[[int], str]) -> None:
    """Refuse a second row for the same key; the message locates both."""

    def named(values: tuple[Any, ...]) -> str:
        texts = (f"{value:g}" if isinstance(value, float) else repr(value) for value in values)
        return ", ".join(map(" ".join, zip(key, texts, strict=True)))

    if table.select(key).is_duplicated().any():
        raise _refusal(table, key, named, location)


def _refusal(
    table: pl.DataFrame,
    key: Sequence[str],
    named: Callable[[tuple[Any, ...]], str],
    location: Callable[[int], str],
    chosen: str = "",
) -> MetameterError:
    """The error for the first key that is listed twice; it locates its first two rows."""
    import polars as pl

    second = int(table.select((~pl.struct(key).is_first_distinct()).arg_true().first()).item())
    values = table.select(key).row(second)
    same = (pl.col(name).eq_missing(pl.lit(value)) for name, value in zip(key, values, strict=True))
    first = int(table.select(pl.all_horizontal(same).arg_true().first()).item())
    what = f"{named(values)} is listed twice, first at {location(first)}"
    return MetameterError(what, where=location(second), fix=f"Remove one of them{chosen}.")
