"""The data types that all layers share: judgments, runs, sessions, labelled pages and scores."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metameter.types.labelled_pages import Pages, Pairs, Views
    from metameter.types.provenance import Fingerprint, counted, topic_order
    from metameter.types.qrels_run import Qrels, Run
    from metameter.types.scores import Scores
    from metameter.types.subtopics import SessionRun, Truth

__all__ = [
    "Fingerprint",
    "Pages",
    "Pairs",
    "Qrels",
    "Run",
    "Scores",
    "SessionRun",
    "Truth",
    "Views",
    "counted",
    "topic_order",
]

# Imported on first use, since scoring a run needs neither pages nor judgments by subtopic.
_MODULES = {
    **dict.fromkeys(("Fingerprint", "counted", "topic_order"), "provenance"),
    **dict.fromkeys(("Pages", "Pairs", "Views"), "labelled_pages"),
    **dict.fromkeys(("Qrels", "Run"), "qrels_run"),
    "Scores": "scores",
    **dict.fromkeys(("SessionRun", "Truth"), "subtopics"),
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value
