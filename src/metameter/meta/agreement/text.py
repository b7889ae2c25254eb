"""The prose of `agreement`: its declaration, answer and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.meta.framework.table_rows import ALL
from metameter.stats.rank_correlation.spearman import MOST_EXACT

if TYPE_CHECKING:
    import polars as pl


ALPHA = 0.05

WORDS = Words(
    "Agreement of intuitiveness and unanimity",
    "Do the intuitiveness test and metric unanimity rank the metrics alike?",
    "Both rank the metrics by how many others they beat: by the cases in which simple metrics side with them, and by "
    "unanimity. Spearman's rho compares the two counts of wins, for every set of simple metrics and every iteration.",
    "1 is the same ranking, 0 no relation. Both rankings count the same cases of the same systems and topics, so they "
    "share their noise and agree even about metrics that do not differ. How far, is measured: the metrics are permuted "
    "at random within each topic, and both rankings made again. Only a rho above null_high says more than that noise. "
    "Agreement does not show that the simple metrics are well chosen: both rankings take them for granted. Ranges come "
    "from resampled topics, in which both rankings move.",
    columns={
        "collection": "the collection; All: wins summed over all of them",
        "iteration": "how many iterations (turns) of the session are scored; All: wins summed over them",
        "simple": "the set of simple metrics; + joins those that must agree",
        "rho": "Spearman's rho of the wins by intuitiveness and by unanimity; empty where one of them orders nothing",
        "p": "share of permutations of the metrics within topics that give such a rho or a higher one, (b+1)/(B+1)",
        "n": "how many metrics are ranked",
        "low": "lower end of the range of 95% of rho over resampled topics",
        "high": "upper end of the range of 95% of rho over resampled topics",
        "null_mean": "mean rho with the metrics permuted at random within topics: agreement by shared noise alone",
        "null_high": "95% point of rho with the metrics permuted at random within topics",
        "p_rank": "two-sided p of rho by its approximate t distribution, as the paper has it; too small, see p",
        "p_exact": "share of all orders of the metrics with rho as far from zero; for up to eight metrics",
    },
)


def answer_of(table: pl.DataFrame) -> list[str]:
    """How alike the two rankings are, over all iterations and collections, by set."""
    import polars as pl

    for column in ("collection", "iteration"):
        if column in table.columns and (table[column] == ALL).any():
            table = table.filter(pl.col(column) == ALL)
    known = table.drop_nulls("rho")
    if not known.height:
        return ["Intuitiveness and unanimity cannot be compared here: one of them orders nothing, or metrics are few."]
    figures = [_rho(row) for row in known.iter_rows(named=True)]
    first = f"Intuitiveness and unanimity rank the {known['n'][0]} metrics with a rank correlation of: "
    return [f"{first}{', '.join(figures)}.", *_beyond_chance(known.drop_nulls("p"))]


def _rho(row: dict[str, Any]) -> str:
    if row["p"] is None:
        return f"{row['simple']} {row['rho']:.2f}"
    chance = f"chance {row['null_mean']:.2f}, 95% point {row['null_high']:.2f}"
    return f"{row['simple']} {row['rho']:.2f} ({chance}, p {_p(row['p'])})"


def _beyond_chance(known: pl.DataFrame) -> list[str]:
    """The sets for which the two agree more than by their shared noise."""
    import polars as pl

    if not known.height:
        return []
    beyond = known.filter(pl.col("p") < ALPHA)["simple"].to_list()
    other = [name for name in known["simple"].to_list() if name not in beyond]
    more = f"The two agree more than by chance (p < {ALPHA:g}) for {', '.join(beyond)}"
    rest = f"not shown for {', '.join(other)}"
    text = "; ".join([*[more] * bool(beyond), *[rest] * bool(other)])
    text = text if beyond else f"That the two agree more than by chance is {rest}"
    return [
        "Chance and its 95% point are the mean of rho, and what it exceeds once in twenty times, with the metrics "
        "swapped at random within topics: both rankings count the same cases, and so share their noise. "
        f"{text}."
    ]


def _p(value: float) -> str:
    """A p-value in a sentence.

    Examples
    --------
    >>> _p(0.21), _p(1 / 2001)
    ('0.21', '0.0005')
    """
    return f"{value:.2f}" if value >= 0.095 else f"{value:.1g}"


def notes_of(table: pl.DataFrame, options: dict[str, Any]) -> tuple[str, ...]:
    """The notes: how far to trust p, and what is left empty."""
    n = int(table["n"][0])
    notes = []
    if n < 3:
        notes.append(f"Fewer than three metrics ({n}) have no rank correlation worth the name: it is left empty.")
    elif table["rho"].null_count():
        notes.append("rho is left empty where all metrics have the same number of wins.")
    if n >= 3:
        notes.append(
            f"null_mean, null_high: mean and 95% point of rho with the metrics permuted at random within each topic, "
            f"{options['trials']:,} times. p: how often rho is then as high as observed, (b + 1) / (B + 1) for b of B "
            "permutations that have a rho; each row separately."
        )
        exact = "; p_exact tries all orders of the metrics" if n <= MOST_EXACT else ""
        notes.append(
            f"p_rank: the t approximation of the paper{exact}. Both take the two rankings as independent, which they "
            "are not: use p."
        )
    if options["resamples"] and table["low"].null_count() < table.height:
        notes.append(
            f"low, high: 95% of rho over {options['resamples']:,} resampled sets of topics. Resamples are noisier than "
            "the topics themselves, so the range need not contain rho."
        )
    return tuple(notes)
