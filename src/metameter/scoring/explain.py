"""How a metric arrives at its score, rank by rank: the teacher's tool."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.align import align
from metameter.judge.index import judgments_of
from metameter.judge.pool import pool_ranks
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.compose import parse_metric
from metameter.metric.residual import bounds
from metameter.read.frames import as_qrels, as_run
from metameter.types import Run
from metameter.view.cells import plain
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """One list's score, taken apart: the tables ``explain`` (a row a rank) and ``sums``.

    Attributes
    ----------
    metric : str
        The metric's printed name.
    score, low, high : float
        The score, and what it could be if all unjudged items were worthless or perfect.
    bounds : exact or heuristic
        Whether no judgments of these items could lead outside.
    sums : dict
        The sum of each column that has one, the part beyond the end of the list included; and, where that part was
        summed numerically, a bound of its error, ``tail_error``.
    """

    metric: str = ""
    score: float = math.nan
    low: float = math.nan
    high: float = math.nan
    bounds: str = "exact"
    sums: dict[str, float] = field(default_factory=dict)

    @property
    def ranks(self) -> pl.DataFrame:
        """One row a rank. For a product: gain, continuation, view, last, weight, aggregate, contribution."""
        return self.tables["explain"]

    @property
    def remark(self) -> str:
        """The score, its bounds and the sums in one line."""
        parts = [f"{name} sums to {value:.4g}" for name, value in self.sums.items() if name != "tail_error"]
        if "tail_error" in self.sums:
            parts.append(
                f"beyond the end of the list summed numerically, wrong by {self.sums['tail_error']:.2g} at most"
            )
        scored = f"{self.metric} = {self.score:.6g}, in [{self.low:.4g}, {self.high:.4g}] ({self.bounds} bounds)"
        return "; ".join([scored, *parts])

    def to_json(self, table: str | None = None) -> str:
        """The ranks, the score and its bounds."""
        rows = [{key: plain(value) for key, value in row.items()} for row in self.ranks.to_dicts()]
        whole = {"ranks": rows, "score": plain(self.score), "low": plain(self.low), "high": plain(self.high)}
        return json.dumps(whole, indent=1) + "\n"


def explain(
    metric: Any,
    *,
    gains: str | None = None,
    qrels: str | None = None,
    run: str | None = None,
    topic: str | None = None,
    max_grade: float | None = None,
    ties: Literal["docid-desc", "docid-asc", "rank", "input"] = "docid-desc",
    precision: Literal["double", "single"] = "double",
) -> Explanation:
    """Show how a metric arrives at its score, rank by rank.

    Parameters
    ----------
    metric : str
        A metric's name, such as ``RBP(p=0.8)*max``.
    gains : str
        The gains of one list, in [0, 1], separated by spaces; ? is an unjudged item.
    qrels : str
        Judgments, with --run and --topic.
    run : str
        The run whose list is explained.
    topic : str
        The topic whose list is explained.
    max_grade : float
        The top of the grade scale; by default the highest grade of the qrels.
    ties : str
        The order of documents with equal scores.
    precision : str
        How scores are compared; single as trec_eval 9 does.

    Examples
    --------
    >>> shown = explain("RBP(p=0.5)", gains="1 0 1")
    >>> shown.score, shown.ranks["contribution"].to_list()
    (0.625, [0.5, 0.0, 0.125])
    """
    measure = parse_metric(metric)
    from_files = [part is not None for part in (qrels, run, topic)]
    if (gains is None) == (not all(from_files)) or (gains is not None and any(from_files)):
        raise MetameterError(
            "one list is to be explained", fix='Give --gains "1 0 0.5", or --qrels, --run and --topic.'
        )
    if gains is not None:
        return _explained(measure, _listed(gains), 0)
    return _explained(measure, *_retrieved(qrels, run, str(topic), max_grade, ties, precision))


def _explained(measure: Measure, ranked: Ranked, row: int) -> Explanation:
    import polars as pl

    columns = {name: np.asarray(values)[row] for name, values in measure.explain(ranked).items()}
    table = pl.DataFrame(columns).with_columns(pl.col("rank").cast(pl.Int64))
    residual = bounds(measure, ranked)
    low, high = float(residual.low[row]), float(residual.high[row])
    score = float(measure.score(ranked)[row])
    whole = {"score": score, "low": low, "high": high, "bounds": residual.kind}
    sums = _sums(measure, ranked, row)
    tables = {"explain": table, "sums": pl.DataFrame({key: [value] for key, value in {**whole, **sums}.items()})}
    manifest = {"metric": measure.name, "score": score, "low": low, "high": high}
    return Explanation(
        tables, manifest, metric=measure.name, score=score, low=low, high=high, bounds=residual.kind, sums=sums
    )


def _sums(measure: Measure, ranked: Ranked, row: int) -> dict[str, float]:
    journey = getattr(measure, "journey", None)
    if journey is None:
        return {}
    walk = journey(ranked)
    viewed = float(walk.viewed[row])
    error = float(np.broadcast_to(walk.tail.error, walk.beyond.shape)[row])
    return {
        "view": viewed,
        "last": float(walk.last[row].sum() + walk.tail.last[row]),
        "weight": float((walk.view[row].sum() + walk.tail.view[row]) / viewed) if math.isfinite(viewed) else 0.0,
        **({"tail_error": error} if error else {}),
    }


def _listed(gains: Any) -> Ranked:
    words = gains.replace(",", " ").split() if isinstance(gains, str) else list(gains)
    values = []
    for word in words:
        try:
            value = math.nan if word in ("?", None) else float(word)
        except (TypeError, ValueError):
            raise MetameterError("a gain is not a number", given=word, allowed="numbers in [0, 1], or ?") from None
        if not (math.isnan(value) and word in ("?", None)) and not 0 <= value <= 1:
            raise MetameterError("a gain is outside [0, 1]", given=word, fix="Divide grades by the highest grade.")
        values.append(value)
    if not values:
        raise MetameterError("no gains were given", fix='Write them like --gains "1 0 0.5".')
    return Ranked.of_gains(values)


def _retrieved(
    qrels: Any, run: Any, topic: str, max_grade: float | None, ties: str, precision: str
) -> tuple[Ranked, int]:
    index = judgments_of(as_qrels(qrels), max_grade=max_grade)
    if topic not in index.number:
        raise MetameterError("the topic has no judgments", given=topic, allowed=", ".join(index.topics[:20]))
    whole = as_run(run, need_rank=ties == "rank")
    table = whole.table.filter(whole.table["topic"] == topic)
    if not table.height:
        raise MetameterError(
            "the run has no list for the topic", where=whole.source, given=topic, fix="Choose another."
        )
    listed = Run(whole.name, table, whole.source)
    # The one list is all there is of a pool.
    index = pool_ranks([listed], index, ties=ties, precision=precision)
    return align(listed, index, ties=ties, precision=precision), index.number[topic]
