"""Charts as Vega-Lite specifications, and as the Altair charts that users can change."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from textwrap import wrap
from typing import Any

from metameter.view.charts.theme import CONFIG

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


@cache
def altair() -> Any:
    """The library; it looks for the user's home when it is imported, and fails where there is none."""
    try:
        return import_module("altair")
    except RuntimeError:
        # Without HOME, and unknown to the system, as in a container. Nothing is written there.
        os.environ["HOME"] = tempfile.gettempdir()
        try:
            return import_module("altair")
        finally:
            del os.environ["HOME"]


def as_altair(spec: dict[str, Any]) -> Any:
    """The Altair chart; its rows, marks and scales stay plain data, which Altair takes as well.

    Altair's own ``from_dict`` tries every part against every alternative of the schema, which takes seconds a chart.

    Parameters
    ----------
    spec : dict
        Vega-Lite: a view, layers, or views side by side.

    Returns
    -------
    altair.Chart, altair.LayerChart or altair.ConcatChart

    Examples
    --------
    >>> chart = as_altair({"layer": [{"mark": "rule", "encoding": {"x": {"field": "low", "type": "quantitative"}}}]})
    >>> type(chart).__name__, chart.layer[0].encoding.x["field"]
    ('LayerChart', 'low')
    """
    alt = altair()
    from altair.utils.schemapi import debug_mode

    # Our builders are tested against the schema.
    with debug_mode(False):
        kind = alt.ConcatChart if "concat" in spec else alt.LayerChart if "layer" in spec else alt.Chart
        chart = kind()
        for key, value in spec.items():
            chart[key] = _part(key, value)
    return chart


def _part(key: str, value: Any) -> Any:
    if key in ("layer", "concat"):
        return [as_altair(each) for each in value]
    if key == "params":
        return [_parameter(each) for each in value]
    return _encoding(value) if key == "encoding" else value


def _parameter(given: dict[str, Any]) -> Any:
    alt = altair()
    return alt.TopLevelSelectionParameter(**given) if "select" in given else alt.VariableParameter(**given)


def _encoding(channels: dict[str, Any]) -> Any:
    alt = altair()
    return alt.FacetedEncoding(**{name: _channel(name, each) for name, each in channels.items()})


def _channel(name: str, given: Any) -> Any:
    alt = altair()
    if isinstance(given, list):
        return [_channel(name, each) for each in given]
    kind = "Value" if "value" in given else "Datum" if "datum" in given else ""
    return getattr(alt, f"{name[0].upper()}{name[1:]}{kind}")(**given)
