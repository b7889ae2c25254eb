"""Show how a metric arrives at its score, rank by rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import Any

from metameter.scoring.explain import explain
from metameter.view.result import Result

__all__ = ["command"]


@dataclass(frozen=True, eq=False, repr=False)
class _Shown(Result):
    """An explanation that can be written as files."""

    explanation: Any = None

    @property
    def remark(self) -> str:
        """The score, its bounds and the sums."""
        return str(self.explanation.remark)

    def to_json(self) -> str:
        """The ranks, the score and its bounds."""
        return str(self.explanation.to_json())


@wraps(explain)
def command(*arguments: Any, **options: Any) -> Result:
    """Explain, and show it."""
    found = explain(*arguments, **options)
    manifest = {"metric": found.metric, "score": found.score, "low": found.low, "high": found.high}
    return _Shown(found.tables, manifest, explanation=found)
