"""metameter: compose, compute and judge effectiveness metrics for ranked retrieval.

>>> import metameter
>>> metameter.parse_metric("RBP(p=0.5)*max")([0.5, 0, 1])
0.625
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Public name -> where it lives. Nothing is imported before it is used: `import metameter` costs next to nothing.
# Procedures are public names, too, those of other distributions included; the registry knows them.
_PUBLIC = {
    "MetameterError": "metameter.errors",
    "MetameterWarning": "metameter.notices",
    "Qrels": "metameter.types",
    "Run": "metameter.types",
    "Scores": "metameter.types",
    "Workers": "metameter.parallel",
    "check": "metameter.scoring.check",
    "explain": "metameter.scoring.explain",
    "parse_metric": "metameter.metric.compose",
    "preset": "metameter.metric.presets",
    "read_qrels": "metameter.read.qrels",
    "read_run": "metameter.read.run",
    "read_scores": "metameter.read.scores",
    "register": "metameter.registry",
    "score": "metameter.scoring.scores",
    "simulate": "metameter.simulation.collection",
    "study": "metameter.studies.study",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    value = getattr(import_module(_PUBLIC[name]), name) if name in _PUBLIC else _procedure(name)
    if value is None:
        raise AttributeError(f"module 'metameter' has no attribute {name!r}")
    globals()[name] = value
    return value


def _procedure(name: str) -> Any:
    # What Python itself asks a module for must not import half the package.
    return None if name.startswith("_") else import_module("metameter.registry").find("meta", name)


def __dir__() -> list[str]:
    return sorted({*__all__, *import_module("metameter.registry").names("meta")})
