"""Metrics in texts, tables and charts for people: display names in place of canonical names.

Results hold canonical names, and so do the files that programs read. Every function here takes a mapping of canonical
names to display names, and changes nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from metameter.view.escape import escape_latex

if TYPE_CHECKING:
    import polars as pl


Spec = TypeVar("Spec", bound=dict[str, Any])

#: The field of a chart's rows, and the line of its tooltips, with the canonical name of a metric.
CANONICAL_FIELD = "canonical name"
#: The columns that name anything but metrics; a system may have the name of a metric.
_OTHER_NAMES = frozenset(
    {"system", "system_a", "system_b", "baseline", "topic", "collection", "run", "file", "document", "group_of_topics"}
)
#: The parts of a chart whose texts are fields and other words of Vega-Lite, not names.
_VEGA_WORDS = frozenset({"$schema", "config", "mark", "type", "field", "name", "as", "groupby", "format", "aggregate"})


def in_words(text: str, names: Mapping[str, str]) -> str:
    """Write a text with display names.

    Examples
    --------
    >>> names = {"RBP(p=0.8)*ERG": "RBP(p=0.8)", "RBP(p=0.8)*ERG@10": "RBP(p=0.8)@10", "AP": "map"}
    >>> in_words("Use RBP(p=0.8)*ERG@10 (or AP), not RBP(p=0.8)*ERG; AP@5 is new.", names)
    'Use RBP(p=0.8)@10 (or map), not RBP(p=0.8); AP@5 is new.'
    """
    return _writer(names)(text)


def _writer(names: Mapping[str, str]) -> Callable[[str], str]:
    different = tuple((name, shown) for name, shown in names.items() if name != shown)
    return _replacer(different) if different else _unchanged


def _unchanged(text: str) -> str:
    return text


@lru_cache(maxsize=64)
def _replacer(names: tuple[tuple[str, str], ...]) -> Callable[[str], str]:
    known = dict(names)
    # Longer names first: some are the beginnings of others. A part of a longer name is another name.
    either = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    whole = re.compile(rf"(?<![\w@*.\-=])(?<!\w\()(?:{either})(?![\w@(])(?![-.*]\w)")
    # The cells of a column, and the rows of a chart, repeat a few names.
    return lru_cache(maxsize=1024)(lambda text: whole.sub(lambda match: known[match[0]], text))


def in_latex(text: str, names: Mapping[str, str]) -> str:
    r"""Write LaTeX with display names.

    Examples
    --------
    >>> print(in_latex(r"Q\_x & alpha\_nDCG@10 \\", {"alpha_nDCG@10": "alpha-nDCG@10"}))
    Q\_x & alpha-nDCG@10 \\
    """
    return in_words(text, {escape_latex(name): escape_latex(shown) for name, shown in names.items()})


def in_table(table: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    """Return a table with display names in its cells and headings; columns of other names stay as they are.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"metric": ["AP"], "system": ["AP"], "AP low": [0.1]})
    >>> in_table(table, {"AP": "map"}).to_dict(as_series=False)
    {'metric': ['map'], 'system': ['AP'], 'map low': [0.1]}
    """
    import polars as pl

    texts = [name for name, kind in table.schema.items() if kind == pl.String and name not in _OTHER_NAMES]
    for column in texts:
        changed = _changes(table[column].drop_nulls().unique().to_list(), names)
        if changed:
            table = table.with_columns(pl.col(column).replace(changed))
    return table.rename(_changes(table.columns, names))


def _changes(texts: list[str], names: Mapping[str, str]) -> dict[str, str]:
    write = _writer(names)
    written = {text: write(text) for text in texts}
    return {text: shown for text, shown in written.items() if text != shown}


def in_chart(spec: Spec, names: Mapping[str, str]) -> Spec:
    """Return a Vega-Lite specification with display names; a tooltip with a metric says its canonical name, too.

    Examples
    --------
    >>> rows = [{"metric": "ERR*ERR", "system": "x"}]
    >>> tooltip = [{"field": "metric", "type": "nominal"}]
    >>> spec = {"datasets": {"d": rows}, "data": {"name": "d"}, "encoding": {"tooltip": tooltip}}
    >>> shown = in_chart(spec, {"ERR*ERR": "ERR"})
    >>> shown["datasets"]["d"]
    [{'metric': 'ERR', 'system': 'x', 'canonical name': 'ERR*ERR'}]
    >>> [each["field"] for each in shown["encoding"]["tooltip"]]
    ['metric', 'canonical name']
    """
    write = _writer(names)
    if write is _unchanged:
        return spec
    shown = _walked(spec, write)
    shown["datasets"] = {name: _rows_shown(rows, write) for name, rows in spec.get("datasets", {}).items()}
    with_canonical = {name for name, rows in shown["datasets"].items() if any(CANONICAL_FIELD in row for row in rows)}
    return type(spec)(_with_tooltips(shown, with_canonical, None))


def _walked(part: Any, write: Callable[[str], str]) -> Any:
    if isinstance(part, str):
        return write(part)
    if isinstance(part, dict):
        kept = _VEGA_WORDS | {"datasets"}
        return {key: each if key in kept else _walked(each, write) for key, each in part.items()}
    return [_walked(each, write) for each in part] if isinstance(part, list) else part


def _rows_shown(rows: list[dict[str, Any]], write: Callable[[str], str]) -> list[dict[str, Any]]:
    shown = [
        {key: write(each) if isinstance(each, str) and key not in _OTHER_NAMES else each for key, each in row.items()}
        for row in rows
    ]
    pairs = list(zip(shown, rows, strict=True))
    if any(row.get("metric") != own.get("metric") for row, own in pairs):
        return [{**row, CANONICAL_FIELD: own.get("metric")} for row, own in pairs]
    return shown


def _with_tooltips(part: dict[str, Any], with_canonical: set[str], data: str | None) -> dict[str, Any]:
    """Add the canonical name to the tooltips of the views of these datasets that show a metric."""
    own = part.get("data", {}).get("name", data)
    named = dict(part)
    tooltip = part.get("encoding", {}).get("tooltip")
    metric = isinstance(tooltip, list) and any(each.get("field") == "metric" for each in tooltip)
    if own in with_canonical and metric:
        added = {"field": CANONICAL_FIELD, "title": CANONICAL_FIELD, "type": "nominal"}
        named["encoding"] = {**part["encoding"], "tooltip": [*tooltip, added]}
    for inner in ("layer", "concat"):
        if inner in part:
            named[inner] = [_with_tooltips(each, with_canonical, own) for each in part[inner]]
    return named
