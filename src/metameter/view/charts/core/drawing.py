"""Charts as plain Vega-Lite, which is quick to make, and as the Altair charts that people can change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap
from typing import Any

from metameter.view.charts.core.theme import CONFIG

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_LINE = 120  # letters, in the width of a page
_plain: ContextVar[bool] = ContextVar("plain", default=False)


class Specification(dict[str, Any]):
    """Vega-Lite as plain data; whatever else is asked of it, it answers as the Altair chart that it stands for."""

    def to_dict(self, validate: bool = True) -> dict[str, Any]:
        """The specification itself, as Altair gives that of its charts."""
        return dict(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from metameter.view.charts.core.as_altair import as_altair

        return getattr(as_altair(self), name)


@contextmanager
def specifications() -> Iterator[None]:
    """Within it charts are plain Vega-Lite: a report needs no more, and Altair takes longer than all the drawing.

    Examples
    --------
    >>> with specifications():
    ...     chart = finished({"data": {"values": [{"x": 1}]}, "mark": "point"})
    >>> chart["data"], chart["datasets"]
    ({'name': 'data-1'}, {'data-1': [{'x': 1}]})
    """
    outer = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(outer)


def finished(spec: dict[str, Any], title: str = "", below: Sequence[str] = ()) -> Any:
    """The chart in the look that all charts of metameter share: an Altair chart, unless plain ones are asked for.

    Parameters
    ----------
    spec : dict
        Vega-Lite. Rows that stand in several of its parts are the same list, and are kept once.
    title : str
    below : sequence of str
        What stands below the title, wrapped to lines.
    """
    datasets: dict[str, list[Any]] = {}
    whole = Specification({"$schema": _SCHEMA, "config": CONFIG, **_named(spec, datasets, {})})
    if title:
        lines = [line for text in below for line in wrap(text, _LINE)]
        whole["title"] = {"text": title, "subtitle": lines} if lines else title
    whole["datasets"] = datasets
    if _plain.get():
        return whole
    from metameter.view.charts.core.as_altair import as_altair

    return as_altair(whole)


def _named(part: dict[str, Any], datasets: dict[str, list[Any]], names: dict[int, str]) -> dict[str, Any]:
    """The part with names in the place of its rows."""
    made = dict(part)
    if "values" in part.get("data", {}):
        rows = part["data"]["values"]
        name = names.setdefault(id(rows), f"data-{len(names) + 1}")
        datasets[name] = rows
        made["data"] = {"name": name}
    for inner in ("layer", "concat"):
        if inner in part:
            made[inner] = [_named(each, datasets, names) for each in part[inner]]
    return made
