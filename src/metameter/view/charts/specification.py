"""Charts as Vega-Lite specifications, and as the Altair charts that users can change."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from textwrap import wrap
from typing import Any

from metameter.view.charts.theme import CONFIG
from metameter.view.metric_names import in_chart

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_LINE = 120  # letters, in the width of a page
_plain_charts: ContextVar[bool] = ContextVar("plain", default=False)
_no_names: Mapping[str, str] = {}
_display_names: ContextVar[Mapping[str, str]] = ContextVar("display_names", default=_no_names)


class Specification(dict[str, Any]):
    """Vega-Lite as plain data; any attribute that a dictionary lacks is that of the equivalent Altair chart."""

    def to_dict(self, validate: bool = True) -> dict[str, Any]:
        """Return the specification, as the method of Altair charts does."""
        return dict(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        return getattr(as_altair(self), name)


@contextmanager
def specifications() -> Iterator[None]:
    """Within this context `finished` returns plain Vega-Lite, which is all a report needs; Altair is slow.

    Examples
    --------
    >>> with specifications():
    ...     chart = finished({"data": {"values": [{"x": 1}]}, "mark": "point"})
    >>> chart["data"], chart["datasets"]
    ({'name': 'data-1'}, {'data-1': [{'x': 1}]})
    """
    outer = _plain_charts.set(True)
    try:
        yield
    finally:
        _plain_charts.reset(outer)


@contextmanager
def display_names(names: Mapping[str, str]) -> Iterator[None]:
    """Within this context `finished` writes metrics under their display names.

    Parameters
    ----------
    names : mapping
        Canonical name -> display name.
    """
    outer = _display_names.set(names)
    try:
        yield
    finally:
        _display_names.reset(outer)


def finished(spec: dict[str, Any], title: str = "", below: Sequence[str] = ()) -> Any:
    """Return a chart in the common look: an Altair chart, or plain Vega-Lite within `specifications`.

    Parameters
    ----------
    spec : dict
        Vega-Lite. Rows that several parts share as one list are stored once.
    title : str
    below : sequence of str
        What stands below the title, wrapped to lines.
    """
    datasets: dict[str, list[Any]] = {}
    whole = Specification({"$schema": _SCHEMA, "config": CONFIG, **_with_named_data(spec, datasets, {})})
    if title:
        lines = [line for text in below for line in wrap(text, _LINE)]
        whole["title"] = {"text": title, "subtitle": lines} if lines else title
    whole["datasets"] = datasets
    whole = in_chart(whole, _display_names.get())
    if _plain_charts.get():
        return whole

    return as_altair(whole)


def _with_named_data(part: dict[str, Any], datasets: dict[str, list[Any]], names: dict[int, str]) -> dict[str, Any]:
    """The part with names of datasets instead of their rows."""
    named = dict(part)
    if "values" in part.get("data", {}):
        rows = part["data"]["values"]
        name = names.setdefault(id(rows), f"data-{len(names) + 1}")
        datasets[name] = rows
        named["data"] = {"name": name}
    for inner in ("layer", "concat"):
        if inner in part:
            named[inner] = [_with_named_data(each, datasets, names) for each in part[inner]]
    return named


@cache
def altair() -> Any:
    """Import Altair, which fails on import where the user has no home directory, unless HOME is set."""
    try:
        return import_module("altair")
    except RuntimeError:
        # No HOME and no entry in the user database, as in a container. Altair writes nothing there.
        os.environ["HOME"] = tempfile.gettempdir()
        try:
            return import_module("altair")
        finally:
            del os.environ["HOME"]


def as_altair(spec: dict[str, Any]) -> Any:
    """Return the Altair chart of a specification; rows, marks and scales remain plain data, which Altair accepts.

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
            chart[key] = _altair_part(key, value)
    return chart


def _altair_part(key: str, value: Any) -> Any:
    if key in ("layer", "concat"):
        return [as_altair(each) for each in value]
    if key == "params":
        return [_parameter(each) for each in value]
    return _encoding(value) if key == "encoding" else value


def _parameter(parameter: dict[str, Any]) -> Any:
    alt = altair()
    kind = alt.TopLevelSelectionParameter if "select" in parameter else alt.VariableParameter
    return kind(**parameter)


def _encoding(channels: dict[str, Any]) -> Any:
    alt = altair()
    return alt.FacetedEncoding(**{name: _channel(name, each) for name, each in channels.items()})


def _channel(name: str, channel: Any) -> Any:
    alt = altair()
    if isinstance(channel, list):
        return [_channel(name, each) for each in channel]
    kind = "Value" if "value" in channel else "Datum" if "datum" in channel else ""
    return getattr(alt, f"{name[0].upper()}{name[1:]}{kind}")(**channel)
