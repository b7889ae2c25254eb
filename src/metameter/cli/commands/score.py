"""Score runs against judgments: metric x system x topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from metameter.arguments import unchecked
from metameter.parallel import Workers
from metameter.scoring.policy import Policy
from metameter.scoring.scores import score
from metameter.scoring.table import ScoreTable, check_suffix, score_table


def command(
    qrels: str,
    runs: list[str],
    *,
    metrics: Sequence[str] = (),
    preset: Sequence[str] = (),
    mean: bool = False,
    wide: bool = False,
    residual: bool = False,
    out: str | None = None,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
    policy: Policy,
) -> ScoreTable:
    """Score runs against judgments.

    Parameters
    ----------
    qrels : str
        Judgments: topic, iteration, document, grade. Plain, compressed, Parquet, or - for standard input; a folder or
        a quoted glob stands for all the files in it.
    runs : list of str
        Runs: files, folders or quoted globs.
    metrics : list of str
        A metric, such as nDCG@10 or RBP(p=0.8)*max; may be repeated. By default nDCG@10.
    preset : list of str
        Metrics of everyday use (everyday) or of a paper: chen-sakai-2023, moffat-2022, moffat-2022-preference, lu-2016;
        may be repeated.
    mean : bool
        Print means over topics: tables, Markdown and LaTeX have a row a system and a column a metric, all else a row a
        system and metric.
    wide : bool
        A row a system (and topic) and a column a metric in all formats.
    residual : bool
        Add what each score would be if all unjudged documents were worthless (low), or perfect (high).
    out : str
        A file to write: .csv, .tsv, .parquet or .json; its manifest is written beside it.
    """
    if out is not None:
        check_suffix(Path(out))
    scores = unchecked(score)(
        qrels, runs, metrics, preset=preset, residual=residual, jobs=jobs, progress=progress, policy=policy
    )
    return score_table(scores, mean=mean, wide=wide, file=out)
