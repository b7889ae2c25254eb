"""A specification as the Altair chart that it stands for."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from importlib import import_module
from typing import Any


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
