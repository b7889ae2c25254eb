"""Do the intuitiveness test and metric unanimity rank the metrics alike? Their rank correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.agreement.charts import agreement_chart
from metameter.meta.agreement.tables import agreement_latex, agreement_rows, swapped_wins
from metameter.meta.agreement.text import WORDS, answer_of, notes_of
from metameter.meta.base import Across, procedure
from metameter.meta.collections import Collections, collections_of
from metameter.meta.dimension_tests.question import Question
from metameter.meta.framework.table_rows import without_repeats
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
    return Agreement({"agreement": table}, manifest, notes_of(table, options), wins, swapped[:, :, : table.height])


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
        The metrics under test, separated by commas; by default all that are not simple. Of fewer than three there is no
        rank correlation, and rho is left empty.
    iterations : str or list of int, optional
        Which iterations of sessions, such as ``1-10`` or ``1,3,10``; by default all.
    ties : {"strict", "agree"}
        In the intuitiveness test: a simple metric that sees a tie sides with nobody, or with both.
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
