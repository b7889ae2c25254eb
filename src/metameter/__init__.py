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
_PUBLIC = {
    "MetameterError": "metameter.errors",
    "MetameterWarning": "metameter.read.notice",
    "Qrels": "metameter.types",
    "Run": "metameter.types",
    "Scores": "metameter.types",
    "check": "metameter.scoring.check",
    "compare": "metameter.meta.compare",
    "consistency": "metameter.meta.consistency",
    "explain": "metameter.scoring.explain",
    "parse_metric": "metameter.metric.compose",
    "power": "metameter.meta.power",
    "preset": "metameter.metric.presets",
    "read_qrels": "metameter.read.trec",
    "read_run": "metameter.read.trec",
    "read_scores": "metameter.read.scores",
    "recommend": "metameter.meta.recommend",
    "register": "metameter.registry",
    "score": "metameter.scoring.scores",
    "similarity": "metameter.meta.similarity",
    "simulate": "metameter.simulation.collection",
    "study": "metameter.studies.study",
    "taxonomy": "metameter.meta.taxonomy",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'metameter' has no attribute {name!r}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
