"""The tests behind `intuitiveness`, their table, and the LaTeX of it: Table 1 of Albahem et al. (2019)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.dimension_tests.question import CollectionScores, Question
from metameter.meta.framework.table_rows import few_iterations, iterations_of
from metameter.parallel import Workers
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.dimensions.disagreements import Disagreements, disagreements
from metameter.stats.dimensions.metric_wins import pair_wins, resampled_pair_wins
from metameter.stats.dimensions.topic_swaps import TopicSwaps, topic_swaps
from metameter.stats.significance.pairwise import sign_test
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


#: The most columns that fit a page, with the share of disagreements on a line of its own.
MOST_COLUMNS = 7
_FREE = 3  # columns that need no fixed width
_MARK, _NONE = r"\textsuperscript{+}", "--"
_SMALL = r"\scriptsize\setlength{\tabcolsep}{2pt}"


def pair_rows(
    tests: Sequence[IntuitivenessTests], p_table: Sequence[Floats], question: Question, trials: int, level: float
) -> pl.DataFrame:
    """The table ``intuitiveness``; ``tests`` and the p-values for the whole table are by collection."""
    import polars as pl

    return pl.concat([_rows(each, p, question, trials, level) for each, p in zip(tests, p_table, strict=True)])


def _rows(tests: IntuitivenessTests, p_table: Floats, question: Question, trials: int, level: float) -> pl.DataFrame:
    import polars as pl

    counts = tests.counts
    p_topics = tests.swaps.pvalue.reshape(p_table.shape)
    p_table_se = np.sqrt(p_table * (1.0 - p_table) / trials)
    shares = tests.correct / np.maximum(counts.disagreements, 1)[..., None]
    columns: dict[str, Any] = {
        "cases": counts.cases,
        "disagreements": counts.disagreements,
        "correct_a": tests.correct[..., 0],
        "correct_b": tests.correct[..., 1],
        "intuitiveness_a": shares[..., 0],
        "intuitiveness_b": shares[..., 1],
        "p": tests.p,
        "disagreement_share": counts.disagreements / np.maximum(counts.cases, 1),
        "p_topics": p_topics,
        "p_table": p_table,
        "p_topics_se": np.sqrt(p_topics * (1.0 - p_topics) / trials),
        "p_table_se": p_table_se,
        # Within two Monte-Carlo errors of the level: another seed could change the verdict.
        "close_call": np.abs(p_table - level) <= 2.0 * p_table_se,
        **(_weighted_columns(tests) if question.weights is not None else {}),
    }
    flat = {name: values.reshape(-1) for name, values in columns.items()}
    return pl.DataFrame({**_label_columns(tests, question), **flat})


def _weighted_columns(tests: IntuitivenessTests) -> dict[str, Any]:
    supported = tests.counts.supported / np.maximum(tests.counts.disagreements, 1)[..., None]
    p = sign_test(tests.counts.votes[..., 0], tests.counts.votes[..., 1])
    return {"weighted_a": supported[..., 0], "weighted_b": supported[..., 1], "weighted_p": p}


def _label_columns(tests: IntuitivenessTests, question: Question) -> dict[str, pl.Series]:
    import polars as pl

    first, second = system_pairs(len(question.complex))
    rows = [
        (tests.collection.name, iteration, label, question.complex[a], question.complex[b])
        for iteration in tests.collection.iterations
        for label in question.sets.labels
        for a, b in zip(first, second, strict=True)
    ]
    kinds = {"collection": pl.String, "iteration": pl.Int64, "simple": pl.String}
    kinds |= {"metric_a": pl.String, "metric_b": pl.String}
    return {
        name: pl.Series(each, dtype=kind)
        for (name, kind), each in zip(kinds.items(), zip(*rows, strict=True), strict=True)
    }


@dataclass(frozen=True)
class IntuitivenessOptions:
    """The options of the test, which the docstring of `intuitiveness` describes."""

    ties: Literal["strict", "agree"]
    wins: Literal["significant", "any"]
    alpha: float
    trials: int
    seed: int
    resamples: int


@dataclass(frozen=True, eq=False)
class IntuitivenessTests:
    """Counts and tests of one collection, of the shape (iterations, sets, pairs) unless stated otherwise.

    Attributes
    ----------
    collection : CollectionScores
    counts : Disagreements
    correct : ndarray of int, (iterations, sets, pairs, 2)
        Cases over all topics in which the simple metrics side with each metric, those that side with both included.
    only : ndarray of int, (iterations, sets, pairs, 2)
        Cases over all topics in which the simple metrics side with this metric only.
    p : ndarray
        Of the sign test.
    swaps : TopicSwaps
        With rows in the order of the flattened shape.
    wins : ndarray of int, (iterations, sets, metrics)
    resampled : ndarray of int, (resamples, iterations, sets, metrics), or None
        The wins over resampled topics.
    """

    collection: CollectionScores
    counts: Disagreements
    correct: NDArray[Any]
    only: NDArray[Any]
    p: Floats
    swaps: TopicSwaps
    wins: NDArray[Any]
    resampled: NDArray[np.int16] | None

    @property
    def larger(self) -> NDArray[np.bool_]:
        """Which metric of a pair has more cases on its side, (iterations, sets, pairs, 2)."""
        return _larger(self.only)


def _larger(only: NDArray[Any]) -> NDArray[np.bool_]:
    first, second = only[..., 0], only[..., 1]
    return np.stack([first > second, second > first], axis=-1)


def intuitiveness_tests(
    collection: CollectionScores, question: Question, options: IntuitivenessOptions, jobs: Workers
) -> IntuitivenessTests:
    """Count and test the pairs of metrics of one collection."""
    counts = disagreements(collection.values, collection.simple, question.dimensions, ties=options.ties, jobs=jobs)
    only = counts.correct.sum(axis=1, dtype=np.int64)
    p = sign_test(only[..., 0], only[..., 1])
    difference = counts.correct[..., 0].astype(np.float64) - counts.correct[..., 1]
    by_topic = np.moveaxis(difference, 1, 0).reshape(collection.topics, -1)
    swaps = topic_swaps(by_topic, trials=options.trials, seed=options.seed, jobs=jobs)
    larger = _larger(only)
    won = larger & (p < options.alpha)[..., None] if options.wins == "significant" else larger
    metrics = len(question.complex)
    resampled = None
    if options.resamples:
        resampled = resampled_pair_wins(
            counts.correct,
            metrics,
            wins=options.wins,
            alpha=options.alpha,
            resamples=options.resamples,
            seed=options.seed,
            jobs=jobs,
        )
    correct = only + counts.tied[..., None]
    return IntuitivenessTests(collection, counts, correct, only, p, swaps, pair_wins(won, metrics), resampled)


def table_pvalues(tests: Sequence[IntuitivenessTests]) -> list[Floats]:
    """The p-values for all rows of all collections together, by collection.

    The trials swap topics of the same number alike in all collections; each further collection is shifted by one trial
    more, so that they are independent.
    """
    maxima = np.max([np.roll(each.swaps.maxima, shift) for shift, each in enumerate(tests)], axis=0)
    return [each.swaps.familywise(maxima).reshape(each.p.shape) for each in tests]


def sure_wins(tests: IntuitivenessTests, p_table: Floats, alpha: float, metrics: int) -> NDArray[Any]:
    """How many metrics each beats by the p-value for the whole table, (iterations, sets, metrics)."""
    return pair_wins(tests.larger & (p_table < alpha)[..., None], metrics)


def metrics_of(table: pl.DataFrame) -> list[str]:
    """The metrics in the order in which pairs name them.

    Examples
    --------
    >>> import polars as pl
    >>> metrics_of(pl.DataFrame({"metric_a": ["ACT", "ACT", "nCT"], "metric_b": ["nCT", "nEU", "nEU"]}))
    ['ACT', 'nCT', 'nEU']
    """
    import polars as pl

    return pl.concat([table["metric_a"], table["metric_b"]]).unique(maintain_order=True).to_list()


def matrix_latex(pairs: pl.DataFrame, alpha: float = 0.05, iterations: Sequence[Any] | None = None) -> str:
    r"""A ``table*`` for each set of simple metrics, and collection: scores of row and column, and their disagreements.

    With more than eight metrics, each iteration has tables of its own, of seven columns at most.

    Parameters
    ----------
    pairs : polars.DataFrame
        The table ``intuitiveness``; ``collection`` may be missing.
    alpha : float
        The higher score is marked where the p-value of the sign test is below.
    iterations : sequence, optional
        Those that are printed; by default the first and the last.

    Examples
    --------
    >>> import polars as pl
    >>> pair = {"iteration": 1, "simple": "Rel", "metric_a": "ACT", "metric_b": "nCT", "cases": 11090,
    ...         "disagreements": 474, "correct_a": 4, "correct_b": 39, "intuitiveness_a": 4 / 474,
    ...         "intuitiveness_b": 39 / 474, "p": 3.1e-8}
    >>> print(matrix_latex(pl.DataFrame([pair])).splitlines()[-4])
    ACT & 0.0084/0.0823\textsuperscript{+} (4.27\%) \\
    """
    by = [name for name in ("collection", "simple") if name in pairs.columns]
    parts = pairs.partition_by(by, maintain_order=True)
    tables = [each for part in parts for each in _latex_tables(part, alpha, iterations)]
    labels = [f"tab:intuitiveness-{number}" if len(tables) > 1 else "tab:intuitiveness" for number in _from_one(tables)]
    written = (
        table(lines, caption, label, environment="table*")
        for (caption, lines), label in zip(tables, labels, strict=True)
    )
    return "\n\n".join("\n".join(lines) for lines in written)


def _from_one(values: Sequence[Any]) -> range:
    return range(1, len(values) + 1)


def _latex_tables(
    part: pl.DataFrame, alpha: float, iterations: Sequence[Any] | None
) -> Iterator[tuple[str, list[str]]]:
    """The captions and the lines of the tables of one set."""
    known = iterations_of(part)
    chosen = [each for each in known if each in iterations] if iterations else few_iterations(known)
    names = metrics_of(part)
    several = len(known) > 1
    caption = _latex_caption(part, alpha)
    if len(names) - 1 <= MOST_COLUMNS:
        yield caption, _triangles(part, names, names[1:], chosen, alpha, several)
        return
    for iteration in chosen:
        for start in range(1, len(names), MOST_COLUMNS):
            columns = names[start : start + MOST_COLUMNS]
            yield caption, _triangles(part, names, columns, [iteration], alpha, several)


def _triangles(
    part: pl.DataFrame, names: list[str], columns: list[str], iterations: Sequence[Any], alpha: float, several: bool
) -> list[str]:
    cells = {
        (of["iteration"], of["metric_a"], of["metric_b"]): _latex_cell(of, alpha) for of in part.iter_rows(named=True)
    }
    beside = ["it", ""] if several else [""]
    # The metric of the last column has no row, since only the upper triangle is printed.
    rows = names[: names.index(columns[-1])]
    body: list[str] = []
    for iteration in iterations:
        body += [r"\midrule"] * bool(body)
        for number, name in enumerate(rows):
            first = [escape_latex(str(iteration)) if not number else ""] * several
            own = [cells.get((iteration, name, column), _NONE) for column in columns]
            body.append(row([*first, escape_latex(name), *own]))
    headings = [_breakable(name) for name in columns]
    lines = tabular(
        _alignment(len(beside), len(columns)), [_over(part, len(columns), beside), row([*beside, *headings])], body
    )
    return [_SMALL, *lines]


def _over(part: pl.DataFrame, columns: int, beside: list[str]) -> str:
    simple = escape_latex(str(part["simple"][0]))
    first = len(beside) + 1
    over = row([*("" for _ in beside), rf"\multicolumn{{{columns}}}{{c}}{{{simple}}}"])
    return f"{over} \\cmidrule(l){{{first}-{first + columns - 1}}}"


def _alignment(beside: int, columns: int) -> str:
    # In a column of a given width a cell breaks before the parenthesis.
    width = f"p{{{0.76 / columns:.3f}\\textwidth}}"
    return "l" * beside + ("l" if columns <= _FREE else width) * columns


def _breakable(name: str) -> str:
    """A name that may be broken within its parentheses, where a heading is narrower than it."""
    return re.sub(r"([(,*])", r"\1\\allowbreak{}", escape_latex(name))


def _latex_cell(pair: dict[str, Any], alpha: float) -> str:
    sure = pair["p"] is not None and pair["p"] < alpha
    a, b = pair["correct_a"], pair["correct_b"]
    left = f"{pair['intuitiveness_a']:.4f}{_MARK if sure and a > b else ''}"
    right = f"{pair['intuitiveness_b']:.4f}{_MARK if sure and b > a else ''}"
    return rf"{left}/{right} ({100 * pair['disagreements'] / max(1, pair['cases']):.2f}\%)"


def _latex_caption(part: pl.DataFrame, alpha: float) -> str:
    simple = escape_latex(str(part["simple"][0]))
    where = f", {escape_latex(str(part['collection'][0]))}" if "collection" in part.columns else ""
    return (
        f"Intuitiveness with respect to {simple}{where}: scores of (metric in row)/(metric in column); in parentheses, "
        rf"the share of cases in which the two disagree. {_MARK}: higher by a sign test over cases, $p < {alpha:g}$."
    )
