"""Do the intuitiveness test and metric unanimity rank the metrics alike? Their rank correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.agreement.tables import agreement_latex, agreement_rows, swapped_wins
from metameter.meta.agreement.text import WORDS, answer_of, notes_of
from metameter.meta.base import Across, procedure
from metameter.meta.collections import Collections, collections_of
from metameter.meta.dimension_tests.question import Question
from metameter.meta.framework.table_rows import ALL, iterations_of, one_collection, without_repeats
from metameter.meta.intuitiveness.procedure import Intuitiveness
from metameter.meta.intuitiveness.procedure import intuitiveness as test_intuitiveness
from metameter.meta.unanimity.procedure import Unanimity
from metameter.meta.unanimity.procedure import unanimity as count_unanimity
from metameter.notices import collecting_notices
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import check_count
from metameter.types import Scores
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


_KEYS = ["iteration", "simple"]


def across_agreement(results: Mapping[str, Any]) -> Across:
    """The rank correlation of summed wins, for the iterations and sets that all collections have.

    Parameters
    ----------
    results : mapping of Agreement
        By collection; all of the same metrics.
    """
    import polars as pl

    numbered = [result.table.select(_KEYS).with_row_index(f"row_{n}") for n, result in enumerate(results.values())]
    shared = numbered[0]
    for other in numbered[1:]:
        shared = shared.join(other, on=_KEYS, how="inner", maintain_order="left")
    counts = [result.wins for result in results.values()]
    if not shared.height or len({each.shape[-1] for each in counts}) > 1:
        return Across()
    rows = [shared[f"row_{n}"].to_numpy() for n in range(len(counts))]
    wins = np.sum([each[:, at] for each, at in zip(counts, rows, strict=True)], axis=0)
    labels = shared.select(pl.col(*_KEYS).repeat_by(wins.shape[-1]).list.explode(keep_nulls=True, empty_as_null=True))
    first, second = (labels.with_columns(wins=pl.Series(each.reshape(-1))) for each in wins)
    swapped = _summed([result.swapped for result in results.values()], rows)
    table = agreement_rows(first, second, swapped=swapped)
    start = "Over all collections together, intuitiveness"
    sentences = tuple(sentence.replace("Intuitiveness", start, 1) for sentence in answer_of(table))
    return Across(sentences, {"agreement_all": table.drop("low", "high")})


def _summed(swapped: Sequence[NDArray[Any]], rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The wins of permuted metrics, summed over collections; each further one is shifted by one trial more."""
    trials = min(each.shape[1] for each in swapped)
    parts = [
        np.roll(each[:, :trials, at], shift, axis=1) for shift, (each, at) in enumerate(zip(swapped, rows, strict=True))
    ]
    return np.asarray(sum(parts))


_SHARED = ("complex", "simple", "iterations", "topics", "systems", "resamples", "seed")


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Result of `agreement`: the table ``agreement``.

    Attributes
    ----------
    wins : ndarray of int, (2, rows of the table, metrics)
        How many others each metric beats, by intuitiveness and by unanimity.
    swapped : ndarray of int, (2, trials, rows of the table, metrics)
        The wins with the metrics permuted at random within each topic.
    """

    table_names: ClassVar[tuple[str, ...]] = ("agreement",)
    first_columns: ClassVar[tuple[str, ...]] = (
        "collection",
        "iteration",
        "simple",
        "rho",
        "p",
        "null_mean",
        "null_high",
        "low",
        "high",
    )

    wins: Any = field(default=None, repr=False)
    swapped: Any = field(default=None, repr=False)

    def charts(self) -> dict[str, Any]:
        """Rho by iteration."""
        return {"agreement": agreement_chart(self.table)}

    def latex(self) -> dict[str, str]:
        """The table as LaTeX, laid out as Table 4 of Albahem et al. (2019)."""
        return {"agreement": agreement_latex(self.table)}

    def answer(self) -> list[str]:
        """How alike the two rankings are, in one sentence."""
        return answer_of(self.table)

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The table for a terminal, without sums that repeat a row and without the name of a single collection."""
        table = without_repeats(self.readable(name, digits))
        several = "collection" in table.columns and table["collection"].n_unique() > 1
        return table if several else table.drop("collection", strict=False)


def agreement_stage(
    sessions: Scores, intuitiveness: Intuitiveness, unanimity: Unanimity, *, jobs: int | Workers | None = None
) -> Agreement:
    """The stage of a study: compare the rankings of the two stages before."""
    return _agreement(sessions, intuitiveness, unanimity, intuitiveness.manifest["options"]["trials"], jobs)


def _agreement(
    scores: Any, intuitiveness: Intuitiveness, unanimity: Unanimity, trials: int, jobs: int | Workers | None
) -> Agreement:
    first, second = (each.manifest["options"] for each in (intuitiveness, unanimity))
    options = {name: first[name] for name in _SHARED} | {"wins": first["wins"], "ties": first["ties"]}
    options |= {"alpha": first["alpha"], "form": second["form"], "trials": trials}
    rankings = intuitiveness.tables["intuitiveness_ranking"], unanimity.tables["unanimity_ranking"]
    sets = [tuple(members) for members in first["simple"].values()]
    with collecting_notices():  # the two procedures have given these notices
        question = Question.of(scores, first["complex"], sets, first["iterations"], None)
    swapped = swapped_wins(
        question,
        ties=options["ties"],
        wins=options["wins"],
        alpha=options["alpha"],
        form=options["form"],
        trials=trials,
        seed=options["seed"],
        jobs=jobs,
    )
    table = agreement_rows(*rankings, (intuitiveness.resampled, unanimity.resampled), swapped)
    manifest = {**manifest_of(procedure="agreement", **options), "scores": intuitiveness.manifest["scores"]}
    wins = np.stack([each["wins"].to_numpy().reshape(table.height, -1) for each in rankings])
    notes, swapped = notes_of(table, options), swapped[:, :, : table.height]
    return Agreement({"agreement": table}, manifest, notes, wins, swapped, names=question.names)


@procedure(
    WORDS,
    result=Agreement,
    needs=("sessions", "intuitiveness", "unanimity"),
    place=64,
    stage=agreement_stage,
    across=across_agreement,
)
def agreement(
    scores: Collections,
    *,
    simple: Any = (),
    complex: Any = None,  # noqa: A002
    iterations: Any = None,
    ties: Literal["strict", "agree"] = "strict",
    wins: Literal["significant", "any"] = "significant",
    form: Literal["code", "literal"] = "code",
    alpha: float = 0.05,
    trials: int = 2000,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Agreement:
    """Ask whether the intuitiveness test and metric unanimity rank the metrics alike.

    Parameters
    ----------
    scores : Scores, mapping, path or data frame
        Scores of one collection, or of several by name; all iterations are used. Missing cells are skipped.
    simple : str or list of str
        Simple metrics, each measuring one thing; a set is joined by plus signs (``prec+st_rec``), and all of a set must
        agree. May be repeated. By default, of a table that has ``prec``, ``st_rec`` and ``tot_time``, the sets of the
        paper: Rel, Div, Eff, Rel+Div, Rel+Div+Eff.
    complex : str or list of str, optional
        The metrics under test, separated by commas; by default all that are not simple. With fewer than three there is
        no rank correlation, and rho is left empty.
    iterations : str or list of int, optional
        Which iterations of sessions, such as ``1-10`` or ``1,3,10``; by default all.
    ties : {"strict", "agree"}
        In the intuitiveness test: a simple metric with tied scores sides with neither or with both.
    wins : {"significant", "any"}
        In the intuitiveness test a metric beats another with significantly more cases on its side, or just with more.
    form : {"code", "literal"}
        Unanimity over ordered pairs of systems, as the programs behind the paper count, or as its pseudocode reads.
    alpha : float
        The level of the sign test.
    trials : int
        How many times the metrics are permuted at random within each topic, for null_mean, null_high and p.
    resamples : int
        How many times the topics are resampled, for the ranges of rho; 0 leaves them out.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.

    Returns
    -------
    Agreement
        The table ``agreement``: a row for every collection, iteration and set; All sums wins over iterations and over
        collections.

    References
    ----------
    albahem2019

    Examples
    --------
    >>> import numpy as np
    >>> from metameter.types import Scores
    >>> quality = np.linspace(0, 1, 6)[:, None] + np.zeros(8)
    >>> noise = np.random.default_rng(0).normal(size=(3, 6, 8))
    >>> values = np.stack([quality, *(quality + spread * each for spread, each in zip((0.1, 0.3, 1.0), noise))])
    >>> table = Scores(("prec", "one", "two", "three"), tuple("abcdef"), tuple("12345678"), values)
    >>> agreement(table, simple="prec", wins="any").table.row(0)[:4]
    ('scores', '1', 'prec', 1.0)
    """
    sessions = collections_of(scores)
    check_count(trials, "trials")
    # Pairs of metrics are not tested here: the ranking of the paper needs no swaps.
    first = test_intuitiveness(
        sessions,
        simple=simple,
        complex=complex,
        iterations=iterations,
        ties=ties,
        wins=wins,
        alpha=alpha,
        trials=1,
        resamples=resamples,
        seed=seed,
        jobs=jobs,
    )
    second = count_unanimity(
        sessions,
        simple=simple,
        complex=complex,
        iterations=iterations,
        form=form,
        resamples=resamples,
        seed=seed,
        jobs=jobs,
    )
    return _agreement(sessions, first, second, trials, jobs)


_TITLE = "Do intuitiveness and unanimity rank the metrics alike? Spearman's rho"
_RANGE = "Grey: the middle 95% over resampled topics."
_NULL = "Dashes: the 95% point of rho with the metrics permuted at random within topics."
_SURE = "significant"
_COLUMN, _HIGH, _MOST = 19, 130, 15


def agreement_chart(table: pl.DataFrame, alpha: float = 0.05) -> Any:
    """A panel with a line along the iterations for each set of simple metrics; with one iteration, dots.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``agreement``; ``collection``, ``low`` and ``high`` may be missing. The row over all collections is
        shown, if there are such rows; else the first collection.
    alpha : float
        Dots are filled where the p-value is below.
    """
    import polars as pl

    rows, which = one_collection(table)
    known = "low" in rows.columns and rows["low"].is_not_null().any()
    # An unknown rho has no interval, either.
    ends = [pl.when(pl.col("rho").is_finite()).then(name if known else "rho").alias(name) for name in ("low", "high")]
    sure = (pl.col("p") < alpha).fill_null(False).alias(_SURE)
    null = [name for name in ("null_mean", "null_high") if name in rows.columns]
    plotted = rows.select("simple", pl.col("iteration").cast(pl.String), "rho", "p", "n", *ends, *null, sure)
    sentences = [f"Filled dots: p < {alpha:g}.", _NULL if null else "", _RANGE if known else "", which]
    return _chart(plotted, " ".join(filter(None, sentences)))


def _chart(rows: pl.DataFrame, below: str) -> Any:
    from metameter.view.charts.channels import span
    from metameter.view.charts.specification import finished

    iterations = iterations_of(rows)
    scale = {"domain": [min(0.0, span(rows, "rho", "low")[0]), 1], "nice": False}
    chart = _panels(rows, iterations, scale) if len(iterations) > 1 else _rows(rows, scale)
    return finished(chart, _TITLE, [below])


def _panels(rows: pl.DataFrame, iterations: Sequence[str], scale: dict[str, Any]) -> dict[str, Any]:
    from metameter.view.charts.axes import column_axis, spaced
    from metameter.view.charts.channels import data_of, panels

    columns = spaced(iterations, _MOST, ALL)
    across = column_axis("iteration", columns, ALL)
    layers = _layers(rows, {"x": across}, "y", scale)
    width = _COLUMN * len(across["sort"])
    sized = {"layer": layers, "width": width, "height": _HIGH}
    listed = rows.filter(rows["iteration"].is_in(columns))
    chart = panels(listed, "simple", lambda part: {"data": data_of(part), **sized}, wide=width + 50)
    return {**chart, "usermeta": {"least": 16, "each": True}}


def _rows(rows: pl.DataFrame, scale: dict[str, Any]) -> dict[str, Any]:
    from metameter.view.charts.channels import data_of, in_order

    axis = {"labelOverlap": False, "grid": True, "ticks": False, "domain": False}
    names = {"field": "simple", "type": "nominal", "sort": in_order(rows, "simple"), "title": None, "axis": axis}
    whiskers, _, *dots = _layers(rows, {"y": names}, "x", scale)
    return {"data": data_of(rows), "layer": [whiskers, *dots], "width": 420, "height": 20 * rows.height}


def _layers(rows: pl.DataFrame, steps: dict[str, Any], along: str, scale: dict[str, Any]) -> list[dict[str, Any]]:
    """Whiskers, the line through the iterations, the null's 95% point, and dots; `along` is the axis of the values."""
    from metameter.view.charts.channels import number, tooltips, value
    from metameter.view.charts.theme import INK, MUTED, PAPER, THIN

    rho, low = (number(name, title="rho", scale=scale, axis={"tickCount": 5}) for name in ("rho", "low"))
    null = [name for name in ("null_mean", "null_high") if name in rows.columns]
    base = {**steps, "tooltip": tooltips(rows, ("simple", "iteration", "rho", *null, "low", "high", "p", "n"))}
    whisker = {**base, along: low, f"{along}2": {"field": "high"}}
    plain = [{"filter": f"datum.iteration !== '{ALL}'"}]
    line = {"type": "line", "color": INK, "strokeWidth": 1.5}
    filled = {"condition": {"test": f"datum.{_SURE}", **value(INK)}, **value(PAPER)}
    dot = {"type": "point", "shape": "circle", "size": 50, "stroke": INK, "strokeWidth": 1.5, "opacity": 1}
    dash = {
        "type": "tick",
        "color": MUTED,
        "thickness": 2,
        "size": 14,
        "orient": "vertical" if along == "x" else "horizontal",
    }
    high = [{"mark": dash, "encoding": {**base, along: {**rho, "field": "null_high"}}}] if null else []
    return [
        {"mark": {"type": "rule", "color": THIN, "strokeWidth": 1.5}, "encoding": whisker},
        {"transform": plain, "mark": line, "encoding": {**base, along: rho}},
        *high,
        {"mark": dot, "encoding": {**base, along: rho, "fill": filled}},
    ]
