"""Scores of sessions as a table: a row a system, iteration and topic, a column a metric."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metameter.metric.base import Measure
from metameter.metric.session.base import OfficialForm
from metameter.notation import Term
from metameter.parameters import Parametrised
from metameter.registry import metric_named
from metameter.types import Scores
from metameter.view.result import CommandOutput, Result
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


MOST_SHOWN = 60


@dataclass(frozen=True, eq=False, repr=False)
class SessionTable(Result):
    """The table ``session``: system, iteration, topic and a column of scores per metric.

    Attributes
    ----------
    means : polars.DataFrame, optional
        The means over topics, for the eye.
    """

    table_names: ClassVar[tuple[str, ...]] = ("session",)

    means: pl.DataFrame | None = None

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: of many rows the means over topics after the last iteration."""
        if self.means is None or self.table.height <= MOST_SHOWN:
            return self.readable(name, digits)
        last = self.means.filter(self.means["iteration"] == self.means["iteration"].max())
        return replace(self, tables={"session": last}, means=None).readable(None, digits)

    @property
    def remark(self) -> str:
        """What the terminal does not show."""
        if self.means is None or self.table.height <= MOST_SHOWN:
            return ""
        return (
            f"A terminal shows means over topics after the last iteration; --mean those after every one; --format csv "
            f"all {self.table.height:,} rows."
        )

    @property
    def command_output(self) -> CommandOutput:
        """The remark is about the terminal, and of no use below CSV."""
        return CommandOutput(remark_is_table=True)


def session_table(scores: Scores, *, mean: bool = False) -> SessionTable:
    """The scores as a wide table, metrics under the names that people write; or, with ``mean``, means over topics.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("alpha_nDCG",), ("a",), ("1",), np.full((1, 1, 1, 2), 0.5), iterations=(1, 2))
    >>> session_table(scores).table.rows(), session_table(scores).table.columns[-1]
    ([('a', 1, '1', 0.5), ('a', 2, '1', 0.5)], 'alpha-nDCG')
    """
    labels = _labels(scores.metrics)
    means = _means(scores).rename(labels).fill_nan(None)
    if mean:
        return SessionTable({"session": means}, scores.manifest)
    table = scores.wide().select("system", "iteration", "topic", *scores.metrics).rename(labels).fill_nan(None)
    ordered = table.sort("system", "iteration", maintain_order=True)
    return SessionTable({"session": ordered}, scores.manifest, means=means)


def _means(scores: Scores) -> pl.DataFrame:
    import polars as pl

    count = len(scores.iterations)
    # A topic that a run lacks counts for none of its means.
    shown = np.asarray(~np.isnan(scores.values).all(axis=(0, 3)))
    parts = [scores.values[:, [row]][:, :, kept] for row, kept in enumerate(shown)]
    means = np.concatenate([scores.summarised(part) for part in parts], axis=1)
    return pl.DataFrame(
        {
            "system": [name for name in scores.systems for _ in range(count)],
            "iteration": list(scores.iterations) * len(scores.systems),
            **{name: values.reshape(-1) for name, values in zip(scores.metrics, means, strict=True)},
        }
    )


def _labels(metrics: tuple[str, ...]) -> dict[str, str]:
    """A label for each metric; its whole name where two would have the same."""
    labels = {name: label(name) for name in metrics}
    shared = [each for each, count in Counter(labels.values()).items() if count > 1]
    return {name: name if each in shared else each for name, each in labels.items()}


def label(name: str) -> str:
    """A metric's name as people write it: with hyphens, without numbers that go without saying, and without its form.

    Examples
    --------
    >>> label("RBU(p=0.99,e=0.05)"), label("RBU(p=0.8,e=0.05)"), label("st_rec(form=corrected)"), label("nDCG@10")
    ('RBU', 'RBU(p=0.8,e=0.05)', 'st-rec', 'nDCG@10')
    """
    measure = metric_named(name)
    if not isinstance(measure, Parametrised) or not isinstance(measure, Measure):
        return name
    usual = {each.name: each.default for each in fields(measure)}
    term = measure.term()
    # The form of a session's metrics is that of the whole table, and stands in its manifest.
    kept = [each for each in term.arguments if each != "form" or not isinstance(measure, OfficialForm)]
    told = {each: term.arguments[each] for each in kept}
    said = all(value == usual.get(parameter) for parameter, value in told.items())
    return str(Term(term.name.replace("_", "-"), {} if said else told, term.k))
