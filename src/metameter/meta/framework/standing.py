"""Which metrics are shown to be below another: the columns of a table, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_systems
from metameter.meta.framework.metric_groups import BY_NAME, groups
from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.framework.sampling import OTHERS

if TYPE_CHECKING:
    import polars as pl


_MOST_NAMES = 20  # more names make a sentence unreadable


def beaten_columns(names: list[str], beaten: Mapping[str, Iterable[str]] | None) -> dict[str, pl.Series]:
    """Return the columns ``beats`` (a count) and ``beaten`` (names, separated by semicolons); empty if unknown.

    Parameters
    ----------
    names : list of str
        The metrics, in the order of the rows.
    beaten : mapping, optional
        Metric -> the metrics that it beats.

    Examples
    --------
    >>> columns = beaten_columns(["AP", "P@10", "RR"], {"AP": ["RR", "P@10"]})
    >>> [column.to_list() for column in columns.values()]
    [[2, 0, 0], ['P@10;RR', '', '']]
    """
    import polars as pl

    if beaten is None:
        empty = [None] * len(names)
        return {"beats": pl.Series(empty, dtype=pl.Int64), "beaten": pl.Series(empty, dtype=pl.String)}
    losers = [sorted(set(beaten.get(name, ())), key=names.index) for name in names]
    return {
        "beats": pl.Series([len(each) for each in losers], dtype=pl.Int64),
        "beaten": pl.Series([";".join(each) for each in losers], dtype=pl.String),
    }


def basis_of(pairs: int, options: Mapping[str, Any]) -> str:
    """Say which intervals decide whether one metric is above another.

    Parameters
    ----------
    pairs : int
        How many pairs of metrics are compared.
    options : mapping
        ``alpha``, ``resample``.

    Examples
    --------
    >>> basis_of(55, {"alpha": 0.05, "resample": "topics"})
    'Based on intervals of the differences for other topics that hold for all 55 pairs of metrics at once (95%).'
    """
    pair = f"all {pairs:,} pairs of metrics at once" if pairs > 1 else "the one pair of metrics"
    level = f"{100 * (1 - options['alpha']):.4g}%"
    return f"Based on intervals of the differences for {OTHERS[options['resample']]} that hold for {pair} ({level})."


def standing_sentences(
    table: pl.DataFrame, less: str, more: str, *, basis: str, within: str = "", systems: int
) -> list[str]:
    """Say which metrics are not shown to be below another, and which are, in the order of the table.

    Diagnostics are left out and named at the end.

    Parameters
    ----------
    table : polars.DataFrame
        ``metric``, ``beats``, ``beaten``.
    less, more : str
        The predicate of a metric that is beaten, such as ``be less consistent``, and of one that beats another.
    basis : str
        The sentence on what decides.
    within : str
        The metrics that a metric is compared with, if not all: such as `` of its browsing model``.
    systems : int
        How many systems the metrics are judged by.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"metric": ["AP", "P@10", "RR"], "beats": [1, 0, 0], "beaten": ["RR", "", ""]}
    >>> less, more = "be less consistent", "be more consistent"
    >>> print(" ".join(standing_sentences(pl.DataFrame(rows), less, more, basis="By test.", systems=20)))
    Not shown to be less consistent than any other: AP, P@10. Shown to be less consistent than another: RR. By test.
    >>> none = pl.DataFrame({**rows, "beats": [0] * 3, "beaten": [""] * 3})
    >>> print(" ".join(standing_sentences(none, less, more, basis="By test.", systems=20)))
    No metric is shown to be less consistent than another. By test.
    """
    if systems < FEWEST_SYSTEMS:
        return few_systems(systems)
    every = table["metric"].to_list()
    names = [name for name in every if not is_diagnostic(name)]
    remarks = [*few_systems(systems), *_left_out([name for name in every if name not in names])]
    if len(names) < 2:
        return remarks if len(every) > 1 else []
    if table["beats"].null_count():
        return [f"Without intervals of the differences, no metric is shown to {less} than another{within}.", *remarks]
    beaten = {name: set(text.split(";")) & set(names) for name, text in table["metric", "beaten"].iter_rows()}
    below = set().union(*(beaten[name] for name in names))
    if not below:
        return [f"No metric is shown to {less} than another{within}. {basis}", *remarks]
    top = [name for name in names if name not in below]
    if len(top) == 1 and len(beaten[top[0]]) == len(names) - 1:
        first = f"{top[0]} is shown to {more} than every other metric: {_listed(names, below)}."
    else:
        first = _both(names, below, f"{less} than any other{within}", f"{less} than another{within}")
    return [f"{first} {basis}", *remarks]


def _left_out(diagnostics: list[str]) -> list[str]:
    """Say that diagnostics are not compared; nothing if there are none.

    Examples
    --------
    >>> _left_out(["Judged@10"]), _left_out([])
    (['Judged@10 is a diagnostic: it does not depend on relevance, so it is left out.'], [])
    """
    if not diagnostics:
        return []
    what = "are diagnostics: they do" if len(diagnostics) > 1 else "is a diagnostic: it does"
    they = "they are" if len(diagnostics) > 1 else "it is"
    return [f"{', '.join(diagnostics)} {what} not depend on relevance, so {they} left out."]


def _both(names: list[str], below: set[str], any_other: str, another: str) -> str:
    """Name the metrics that are not below any other and those that are; of very many, those with their own names."""
    named = [names[position] for position in groups(tuple(names)).get(BY_NAME, [])]
    if len(below) > _MOST_NAMES and named:
        rest = [name for name in names if name not in named]
        about_named = _both(named, below & set(named), any_other, another)
        return f"{about_named} Of the {len(rest)} other metrics, {len(below & set(rest))} are shown to {another}."
    top = [name for name in names if name not in below]
    below_another = f"Shown to {another}: {_listed(names, below) or 'none of these'}."
    # With very many metrics, the exceptions come first.
    if len(top) > _MOST_NAMES:
        return f"{below_another} Not shown for the other {len(top)} metrics."
    return f"Not shown to {any_other}: {', '.join(top) or 'no metric'}. {below_another}"


def _listed(names: list[str], some: set[str]) -> str:
    """The chosen names in order; of very many only their number."""
    listed = [name for name in names if name in some]
    if len(listed) <= _MOST_NAMES:
        return ", ".join(listed)
    return f"{len(listed)} of {len(names)} metrics"
