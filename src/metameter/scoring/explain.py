"""How a metric arrives at its score, rank by rank: for teaching and debugging."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from metameter.errors import MetameterError
from metameter.judge.align import align_blocks, document_ranks
from metameter.judge.ranked import JUDGED, Ranked
from metameter.judge.sessions import Sessions
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike
from metameter.metric.examples import GAINS
from metameter.metric.product import Product
from metameter.metric.residual import bounds
from metameter.notation import spell_value
from metameter.notices import notice
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run
from metameter.scoring.measures import measure_of
from metameter.scoring.policy import Policy, takes_policy
from metameter.scoring.run_notices import NoticeArrays, notice_order
from metameter.scoring.scoring_inputs import read_inputs
from metameter.types.display_names import display_names, typed_names
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS, plain

if TYPE_CHECKING:
    from metameter.judge.index import Index
    from metameter.types import Run


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """One list's score, taken apart: the tables ``explain`` (one row per rank) and ``sums``.

    Attributes
    ----------
    metric : str
        The metric's printed name.
    score, low, high : float
        The score, and what it could be if all unjudged items were worthless or perfect.
    bounds : exact, heuristic or none
        ``exact``: no judgment of these items could move the score outside; ``none``: the metric counts judgments.
    sums : dict
        The sum of each column that has one, the part beyond the end of the list included; and, where that part was
        summed numerically, a bound of its error, ``tail_error``.
    """

    table_names: ClassVar[tuple[str, ...]] = ("explain", "sums")
    first_columns: ClassVar[tuple[str, ...]] = (
        *("rank", "document", "judgment", "grade", "gain", "contribution", "weight", "aggregate", "discount"),
    )

    metric: str = ""
    score: float = math.nan
    low: float = math.nan
    high: float = math.nan
    bounds: str = "exact"
    sums: dict[str, float] = field(default_factory=dict)

    @property
    def ranks(self) -> pl.DataFrame:
        """One row per rank. For a product: gain, continuation, view, last, weight, aggregate, contribution.

        Of a run there is the ``document``, too; ``judgment`` is ``judged``, ``unjudged``, and nothing beyond the list.
        """
        return self.tables["explain"]

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The table for people: judgments come before the numbers, and only if an item is unjudged."""
        table = super().readable(name, digits)
        if "judgment" not in table.columns:
            return table
        items = [column for column in ("rank", "document", "judgment") if column in table.columns]
        some_unjudged = (table["judgment"] == "unjudged").any()
        return table.select(*items, pl.exclude(items)) if some_unjudged else table.drop("judgment")

    @property
    def remark(self) -> str:
        """The score, its bounds and the sums in one line."""
        parts = [f"{name} sums to {value:.4g}" for name, value in self.sums.items() if name != "tail_error"]
        if "tail_error" in self.sums:
            parts.append(
                f"beyond the end of the list summed numerically, wrong by {self.sums['tail_error']:.2g} at most"
            )
        ends = f", in [{self.low:.4g}, {self.high:.4g}] ({self.bounds} bounds)" if self.bounds != "none" else ""
        return "; ".join([f"{self.metric} = {self.score:.6g}{ends}", *parts])

    def to_json(self, table: str | None = None) -> str:
        """The ranks, the score and its bounds."""
        rows = [{key: plain(value) for key, value in row.items()} for row in self.ranks.to_dicts()]
        whole = {"ranks": rows, "score": plain(self.score), "low": plain(self.low), "high": plain(self.high)}
        return json.dumps(whole, indent=1) + "\n"


@takes_policy
def explain(
    metric: MetricLike,
    gains: str | Sequence[float | str | None] | None = None,
    *,
    qrels: Any = None,
    run: Any = None,
    topic: Any = None,
    policy: Policy,
) -> Explanation:
    """Show how a metric arrives at its score, rank by rank.

    Parameters
    ----------
    metric : str or metric
        A metric: its name, such as ``RBP(p=0.8)*max``, or an object such as ``mm.nDCG @ 10``.
    gains : str or list of float, optional
        The gains of one list, in [0, 1], separated by spaces; ? (in a list also None) is an unjudged item. By default
        an example.
    qrels : path, dict, data frame or Qrels, optional
        Judgments, together with a run and a topic.
    run : path, dict, data frame or Run, optional
        The run whose list is explained.
    topic : str, optional
        The topic whose list is explained.

    Examples
    --------
    >>> shown = explain("RBP(p=0.5)", [1, 0, 1])
    >>> shown.score, shown.ranks["contribution"].to_list()
    (0.625, [0.5, 0.0, 0.125])
    """
    retrieved = [part is not None for part in (qrels, run, topic)]
    is_gains = gains is not None or not any(retrieved)
    # A list of gains is a session of one iteration about one subtopic.
    measure = measure_of(metric, condensed=policy.condensed, evidence=Sessions if is_gains else Ranked)
    if is_gains and gains is None:
        gains = GAINS
        listed = " ".join(f"{gain:g}" for gain in GAINS)
        notice(f"no list is given: the gains {listed} are an example; give your own as gains (--gains)")
    typed = typed_names([metric])
    if (gains is None) == (not all(retrieved)) or (gains is not None and any(retrieved)):
        raise MetameterError("give exactly one list", fix="Give gains such as 1 0 0.5; or qrels, run and topic.")
    if policy.ties == "mean":
        fix = "Choose another order of ties."
        raise MetameterError("a mean over ties cannot be explained: it is of many lists", given=policy.ties, fix=fix)
    if gains is None:
        return _explained(measure, typed, *_retrieved(qrels, run, spell_value(topic), measure, policy))
    idle = [name for name in policy.changed() if name != "unjudged"]
    if idle:
        fix = "Leave it out, or give qrels, run and topic."
        raise MetameterError("an option for runs does not apply to gains", given=", ".join(idle), fix=fix)
    return _explained(measure, typed, _listed(gains), 0)


def _explained(
    measure: Measure, typed: Mapping[str, str], ranked: Ranked, row: int, documents: Sequence[str] | None = None
) -> Explanation:
    columns = {name: np.asarray(values)[row] for name, values in measure.explain(ranked).items()}
    whole_numbers = [name for name in ("rank", "iteration", "position") if name in columns]
    table = pl.DataFrame(columns).with_columns(pl.col(whole_numbers).cast(pl.Int64))
    table = with_items(table, measure, ranked, row, documents)
    residual = bounds(measure, ranked)
    low, high = float(residual.low[row]), float(residual.high[row])
    score = float(measure.score(ranked)[row])
    ends = {"low": plain(low), "high": plain(high)}
    whole = {"score": score, **ends, "bounds": residual.kind}
    sums = _sums(measure, ranked, row)
    tables = {"explain": table, "sums": pl.DataFrame({key: [value] for key, value in {**whole, **sums}.items()})}
    manifest = {"metric": measure.name, "score": score, **ends}
    return Explanation(
        *(tables, manifest),
        metric=measure.name,
        score=score,
        low=low,
        high=high,
        bounds=residual.kind,
        sums=sums,
        names=display_names([measure.name], typed),
    )


def _sums(measure: Measure, ranked: Ranked, row: int) -> dict[str, float]:
    """Return the sums over ranks, which only products of a browsing model and an aggregation have."""
    if not isinstance(measure, Product):
        return {}
    walk = measure.browsing_state(ranked)
    viewed = float(walk.viewed[row])
    error = float(np.broadcast_to(walk.tail.error, walk.beyond.shape)[row])
    return {
        "view": viewed,
        "last": float(walk.last[row].sum() + walk.tail.last[row]),
        "weight": float((walk.view[row].sum() + walk.tail.view[row]) / viewed) if math.isfinite(viewed) else 0.0,
        **({"tail_error": error} if error else {}),
    }


def _listed(gains: Any) -> Ranked:
    items = _items(gains)
    if not items:
        raise MetameterError("no gains were given", fix="Give at least one, such as 1 0 0.5.")
    return Ranked.of_gains([_gain(item) for item in items])


def _items(gains: Any) -> list[Any]:
    if isinstance(gains, str):
        return gains.replace(",", " ").split()
    try:
        # A set has no order, and the keys of a dictionary are no gains.
        if not isinstance(gains, Set | Mapping):
            return list(gains)
    except TypeError:
        pass
    raise MetameterError("the gains are not a list", given=gains, fix="Give a list of numbers, such as [1, 0, 0.5].")


def _gain(item: Any) -> float:
    if item is None or (isinstance(item, str) and item == "?"):
        return math.nan
    try:
        value = float(item)
    except (TypeError, ValueError):
        fix = "Give numbers, and ? for an unjudged item."
        raise MetameterError("a gain is not a number", given=item, allowed="numbers in [0, 1], or ?", fix=fix) from None
    # In an array, which has no None, NaN is an unjudged item; as text it is a mistake.
    if math.isnan(value) and not isinstance(item, str):
        return value
    if not 0 <= value <= 1:
        raise MetameterError("a gain is outside [0, 1]", given=item, fix="Divide grades by the highest grade.")
    return value


def _retrieved(qrels: Any, run: Any, topic: str, measure: Measure, policy: Policy) -> tuple[Ranked, int, list[str]]:
    judged = read_qrels(qrels, on_duplicate=policy.qrels_duplicates)
    if topic not in judged.topics:
        allowed = ", ".join(judged.topics[:20])
        fix = "Choose one of the judged topics."
        raise MetameterError("the topic has no judgments", given=topic, allowed=allowed, fix=fix)
    whole = read_run(run, **policy.reading)
    listed = replace(whole, table=whole.table.filter(whole.table["topic"] == topic))
    if not listed.table.height:
        fix = "Choose another topic."
        raise MetameterError("the run has no list for the topic", where=whole.source, given=topic, fix=fix)
    inputs = read_inputs(judged, [listed], [measure], policy, warn=False)
    if inputs.pool == (listed.name,):
        notice("the pool is this one run; to explain a score among others, name all contributing runs in contributing")
    row = inputs.index.number[topic]
    blocks = align_blocks(listed, inputs.index, ties=policy.ties, precision=policy.precision)
    start, ranked = next((start, block) for start, block in blocks if row < start + len(block.length))
    of_topic = {name: each[[row - start]] for name, each in NoticeArrays().arrays(ranked).items()}
    notice_order([(listed.name, of_topic)], policy, measure.reach)
    return ranked, row - start, documents_in_order(listed, inputs.index, policy)


def documents_in_order(listed: Run, index: Index, policy: Policy) -> list[str]:
    """Return the documents of a run that has one topic only, the best first."""
    # With a depth, ties among documents without judgment are put in order, too.
    depth = listed.table.height
    ranks = document_ranks(listed, index, ties=policy.ties, precision=policy.precision, depth=depth)
    documents = listed.table["doc"].to_list()
    return [documents[row] for row in np.argsort(ranks.rank)]


def with_items(
    table: pl.DataFrame, measure: Measure, ranked: Ranked, row: int, documents: Sequence[str] | None = None
) -> pl.DataFrame:
    """Add the columns ``document``, after the rank, if these are known, and ``judgment``, at the end.

    An item without judgment has no grade, though most metrics count it as not relevant. What lies beyond the end of the
    list is neither judged nor unjudged.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> ranked, table = Ranked.of_gains([1, None]), pl.DataFrame({"rank": [1, 2, 3], "grade": [1.0, 0.0, 0.0]})
    >>> with_items(table, parse_metric("P@3"), ranked, 0, ["a", "b"]).rows()
    [(1, 'a', 1.0, 'judged'), (2, 'b', None, 'unjudged'), (3, None, None, None)]
    """
    judged = ranked.status[row, : ranked.length[row]] == JUDGED
    items = np.flatnonzero(judged) if _removes_unjudged(measure) else np.arange(judged.size)
    items = items[: table.height]
    beyond = [None] * (table.height - items.size)
    judgment = pl.Series("judgment", [*("judged" if judged[item] else "unjudged" for item in items), *beyond])
    if documents is not None:
        names = pl.Series("document", [*(documents[item] for item in items), *beyond], dtype=pl.String)
        table = table.insert_column(1, names)
    graded = [pl.when(pl.col("judgment") == "judged").then("grade")] if "grade" in table.columns else []
    return table.with_columns(judgment.cast(pl.String)).with_columns(graded)


def _removes_unjudged(measure: Measure) -> bool:
    """Whether the metric scores condensed lists; of a product the browsing model decides."""
    return bool(getattr(getattr(measure, "model", measure), "judged_only", False))
