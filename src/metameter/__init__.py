"""metameter: compose, compute and judge effectiveness metrics for ranked retrieval.

A metric is a text or a Python expression; every function accepts both.

>>> import metameter as mm
>>> mm.parse_metric("RBP(p=0.5)*max")([0.5, 0, 1])
0.625
>>> (mm.RBP(p=0.5) * mm.Max())([0.5, 0, 1])
0.625
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Public name -> module, imported on first use so that `import metameter` is fast. The registry adds procedures,
# metrics, browsing models and aggregations, including those of plug-ins.
_PUBLIC = {
    "Evaluator": "metameter.scoring.evaluator",
    "MetameterError": "metameter.errors",
    "MetameterWarning": "metameter.notices",
    "Pages": "metameter.types",
    "Pairs": "metameter.types",
    "Qrels": "metameter.types",
    "Run": "metameter.types",
    "Scores": "metameter.types",
    "SessionRun": "metameter.types",
    "Truth": "metameter.types",
    "Views": "metameter.types",
    "Workers": "metameter.parallel",
    "chart_style": "metameter.view.chart_options",
    "check": "metameter.scoring.check",
    "explain": "metameter.scoring.explain",
    "parse_metric": "metameter.metric.compose",
    "preset": "metameter.metric.presets",
    "read_pairs": "metameter.read.labels.pairs",
    "read_qrels": "metameter.read.qrels",
    "read_run": "metameter.read.runs",
    "read_scores": "metameter.read.scores",
    "read_serps": "metameter.read.labels.pages",
    "read_session_run": "metameter.read.sessions.runs",
    "read_truth": "metameter.read.sessions.truth",
    "read_views": "metameter.read.labels.views",
    "register": "metameter.registry",
    "safe_csv": "metameter.view.tables.csv",
    "score": "metameter.scoring.scores",
    "session": "metameter.scoring.sessions",
    "simulate": "metameter.simulation.collection",
    "simulate_pages": "metameter.simulation.pages",
    "simulate_sessions": "metameter.simulation.sessions",
    "study": "metameter.studies.study_signature",
    "unpacking": "metameter.read.files.limits",
}

__all__ = ["__version__", *_PUBLIC]

# Whether Polars had threads at the last fork, and whether this process lacks them.
_fork = {"threads": False, "lost": False}


def is_unusable_fork() -> bool:
    """Whether this process was forked while Polars had threads, which it lacks, so that Polars would hang.

    A fork before the first use of Polars is harmless, such as that of a server that has only imported metameter.
    """
    return _fork["lost"]


def _before_fork() -> None:
    _fork["threads"] = "polars" in sys.modules and _polars_has_threads()


def _after_fork() -> None:
    _fork["lost"] = _fork["lost"] or _fork["threads"]


def _polars_has_threads() -> bool:
    """Whether the thread pool of Polars has started; True where thread names cannot be read."""
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/comm", encoding="utf-8", errors="replace") as file:
                if file.read().startswith("polars-0"):
                    return True
    except FileNotFoundError:  # another system; or a thread that has just ended
        return True
    return False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)


def __getattr__(name: str) -> Any:
    if name == "checks":
        return import_module("metameter.checks")
    value = getattr(import_module(_PUBLIC[name]), name) if name in _PUBLIC else _registered(name)
    if value is None:
        raise AttributeError(f"module 'metameter' has no attribute {name!r}{_near(name)}", name=name)
    globals()[name] = value
    return value


def _registered(name: str) -> Any:
    if name.startswith("_"):
        return None  # special names looked up by Python must not import the package
    procedure = import_module("metameter.registry").find("meta", name)
    return import_module("metameter.metric.expressions").MetricExpression.find(name) if procedure is None else procedure


def _near(name: str) -> str:
    if name.startswith("_"):
        return ""
    by_lower = {known.lower(): known for known in __dir__()}
    close = import_module("difflib").get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    return f". Did you mean {by_lower[close[0]]}?" if close else ""


def __dir__() -> list[str]:
    parts = import_module("metameter.metric.expressions").spellings()
    return sorted({*__all__, "checks", *import_module("metameter.registry").names("meta"), *parts})
