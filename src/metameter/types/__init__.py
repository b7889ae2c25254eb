"""The data that all layers share: judgments, runs, sessions, labelled pages and scores."""

from metameter.types.labels import Fingerprint, counted, topic_order
from metameter.types.pages import Pages, Pairs, Views
from metameter.types.ranked import Qrels, Run
from metameter.types.scores import Scores
from metameter.types.truth import SessionRun, Truth

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
