"""The table of `compare` for a paper: a row a system, a column a metric, the best in bold, marks of significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metameter.stats.significance.compact_letter_display import abbreviated_letters, letter, sharing
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import DECIMALS, rounded
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


#: More systems have no letters of their own: a number above a mean counts those that are significantly worse.
_MOST_LETTERS = 10
#: With more metrics the table spans both columns of a page; with still more they stand below each other.
_NARROW, _ABREAST, _WIDE_DECIMALS = 6, 12, 3
_SYMBOLS = (r"\dagger", r"\ddagger", r"\S", r"\P", r"\|")
_BEST = "Mean scores, the best of each metric in bold."


@dataclass(frozen=True)
class _Marks:
    """Marks of significance, as LaTeX.

    Attributes
    ----------
    meaning : str
        The sentence of the caption that explains them.
    names : mapping
        System -> its own mark, which the marks of others refer to.
    scripts : mapping
        Metric and system -> what follows the mean.
    underlined : frozenset
        Metric and system of the means to underline.
    """

    meaning: str
    names: Mapping[str, str] = field(default_factory=dict)
    scripts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    underlined: frozenset[tuple[str, str]] = frozenset()


def paper_table(
    means: pl.DataFrame,
    against: pl.DataFrame | None,
    baseline: Sequence[str],
    alpha: float,
    about: str,
    label: str = "tab:compare",
) -> str:
    r"""Return the means as LaTeX: a row a system, by the first metric, and a column a metric, the best in bold.

    With baselines, a mark above a mean says that it is significantly better than the baseline of this mark; a mark
    below, significantly worse. Without, the letters above a mean are those of the systems that it is significantly
    better than; of more than ten systems their number, and means not shown to differ from the best are underlined.

    Parameters
    ----------
    means : polars.DataFrame
        The table ``compare``, from which the groups of all pairs are read.
    against : polars.DataFrame, optional
        The table ``compare_baseline``.
    baseline : sequence of str
    alpha : float
    about : str
        A sentence of the caption about the test.
    label : str

    Examples
    --------
    >>> import polars as pl
    >>> means = pl.DataFrame({"metric": ["AP"] * 2, "system": ["a_1", "b"], "mean": [0.5, 0.2], "group": ["a", "b"]})
    >>> print(paper_table(means, None, (), 0.05, "Paired t test."))
    \begin{table}
    \centering
    \caption{Mean scores, the best of each metric in bold. A letter above a mean: significantly better than the
    system of this letter. Paired t test.}
    \label{tab:compare}
    \begin{tabular}{ll}
    \toprule
    system & AP \\
    \midrule
    a\_1 (a) & \textbf{0.5000}$^{\mathrm{b}}$ \\
    b (b) & 0.2000 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    metrics = means["metric"].unique(maintain_order=True).to_list()
    systems = means["system"].unique(maintain_order=True).to_list()
    if against is not None:
        marks = _baseline_marks(against, baseline, alpha)
    else:
        marks = _letter_marks(means, systems) if len(systems) <= _MOST_LETTERS else _number_marks(means)
    wide = len(metrics) > _NARROW
    cells = _cells(means, marks, _WIDE_DECIMALS if wide else DECIMALS)
    names = {name: f"{escape_latex(name)} ({marks.names[name]})" for name in marks.names}
    lines = [r"\scriptsize", r"\setlength{\tabcolsep}{2pt}"] if wide else []
    for start in range(0, len(metrics), _ABREAST):
        some = metrics[start : start + _ABREAST]
        rows = [
            row([names.get(system, escape_latex(system)), *(cells[metric, system] for metric in some)])
            for system in systems
        ]
        lines += tabular("l" * (1 + len(some)), [row(["system", *map(escape_latex, some)])], rows)
    caption = f"{_BEST} {marks.meaning} {escape_latex(about)}"
    return "\n".join(table(lines, caption, label, environment="table*" if wide else "table"))


def _cells(means: pl.DataFrame, marks: _Marks, digits: int) -> dict[tuple[str, str], str]:
    best = dict(means.group_by("metric").max().select("metric", "mean").iter_rows())
    cells = {}
    for metric, system, mean in means.select("metric", "system", "mean").iter_rows():
        text = rounded(mean, digits)
        if mean == best[metric]:
            text = rf"\textbf{{{text}}}"
        elif (metric, system) in marks.underlined:
            text = rf"\underline{{{text}}}"
        cells[metric, system] = text + marks.scripts.get((metric, system), "")
    return cells


def _baseline_marks(against: pl.DataFrame, baseline: Sequence[str], alpha: float) -> _Marks:
    """The marks of the baselines that a system is significantly above, and below."""
    import polars as pl

    sides: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    significant = against.filter(pl.col("p") < alpha).select("metric", "system", "baseline", "difference")
    for metric, a, b, difference in significant.iter_rows():
        # Of two baselines each is marked with the mark of the other.
        for system, other, gain in ((a, b, difference), (b, a, -difference)):
            if other in baseline:
                sides.setdefault((metric, system), ([], []))[gain < 0].append(baseline.index(other))
    scripts = {}
    for key, above_and_below in sides.items():
        texts = [",".join(map(_symbol, sorted(numbers))) for numbers in above_and_below]
        scripts[key] = f"${''.join(f'{sign}{{{text}}}' for sign, text in zip('^_', texts, strict=True) if text)}$"
    names = {name: f"${_symbol(number)}$" for number, name in enumerate(baseline)}
    meaning = "A mark above a mean: significantly better than the baseline with this mark; below: significantly worse."
    return _Marks(meaning, names, scripts)


def _symbol(number: int) -> str:
    r"""The mark of a baseline; after five, marks are doubled.

    Examples
    --------
    >>> _symbol(0), _symbol(5)
    ('\\dagger', '\\dagger\\dagger')
    """
    return _SYMBOLS[number % len(_SYMBOLS)] * (1 + number // len(_SYMBOLS))


def _letter_marks(means: pl.DataFrame, systems: Sequence[str]) -> _Marks:
    """A letter for each system, and above a mean those of the systems that it is significantly better than."""
    names = {name: letter(number) for number, name in enumerate(systems)}
    scripts = {}
    for metric, system, worse in _significantly_worse(means):
        text = abbreviated_letters("".join(sorted(names[other] for other in worse))).replace("-", "--")
        if text:
            scripts[metric, system] = rf"$^{{\mathrm{{{text}}}}}$"
    meaning = "A letter above a mean: significantly better than the system of this letter."
    return _Marks(meaning, names, scripts)


def _number_marks(means: pl.DataFrame) -> _Marks:
    """Above a mean the number of systems that it is significantly better than; means like the best are underlined."""
    numbers = {(metric, system): len(worse) for metric, system, worse in _significantly_worse(means)}
    scripts = {key: f"$^{{{number}}}$" for key, number in numbers.items() if number}
    like_best = {
        (part["metric"][0], system)
        for part in means.partition_by("metric")
        for system, shares in zip(part["system"], sharing(part["group"].to_list())[part["mean"].arg_max()], strict=True)
        if shares
    }
    meaning = (
        "The number above a mean: how many systems are significantly worse. Underlined: not shown to differ from the "
        "best."
    )
    return _Marks(meaning, {}, scripts, frozenset(like_best))


def _significantly_worse(means: pl.DataFrame) -> list[tuple[str, str, list[str]]]:
    """Metric, system, and the systems with a lower mean with which it shares no letter."""
    rows = []
    for part in means.partition_by("metric", maintain_order=True):
        metric, systems, mean = part["metric"][0], part["system"].to_list(), part["mean"].to_numpy()
        worse = ~sharing(part["group"].to_list()) & (mean[:, None] > mean[None, :])
        for system, below in zip(systems, worse, strict=True):
            rows.append((metric, system, [systems[position] for position in below.nonzero()[0]]))
    return rows
