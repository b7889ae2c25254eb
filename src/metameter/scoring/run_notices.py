"""Notices about runs: topics that they lack, and lists that single precision would order differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import NEVER
from metameter.notices import notice, option
from metameter.scoring.run_observers import RunObserver

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.scoring.cache import Arrays
    from metameter.scoring.policy import Policy


_MOST_NAMES = 3


@dataclass(frozen=True, eq=False)
class NoticeArrays(RunObserver):
    """Computes what `notice_runs` needs: one value per topic each.

    ``retrieved`` says which topics the run has, ``first_reordered`` is that of `Ranked`.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays."""
        return "retrieved", "first_reordered"

    def arrays(self, ranked: Ranked) -> Arrays:
        """Return the arrays of one run, or of a block of its topics."""
        reordered = ranked.first_reordered
        return {
            "retrieved": ranked.length > 0,
            "first_reordered": np.full(ranked.length.size, NEVER) if reordered is None else reordered,
        }


def notice_runs(runs: Sequence[tuple[str, Arrays]], policy: Policy, reach: int | None) -> None:
    """Give a notice of the topics that runs lack, and one of the lists that single precision orders differently.

    Parameters
    ----------
    runs : list of (str, dict)
        The name of each system, and the `NoticeArrays` of its run.
    policy : Policy
    reach : int or None
        The deepest rank that a metric looks at; None for all.

    Examples
    --------
    >>> from metameter.notices import collecting_notices
    >>> from metameter.scoring.policy import Policy
    >>> a = {"retrieved": np.array([True, True]), "first_reordered": np.array([NEVER, 3])}
    >>> b = {"retrieved": np.array([True, False]), "first_reordered": np.array([NEVER, NEVER])}
    >>> with collecting_notices() as notices:
    ...     notice_runs([("a", a), ("b", b)], Policy(), reach=10)
    >>> for each in notices:
    ...     print(each)
    b lacks 1 of 2 topics; they count as 0 (topics="common" leaves them out)
    single precision would order documents of a within the first 10 ranks differently on 1 of 2 topics;
    precision="single" gives the numbers of trec_eval 9
    """
    retrieved = np.array([arrays["retrieved"] for _, arrays in runs])
    if policy.topics == "qrels":
        lacks = {name: int(count) for (name, _), count in zip(runs, (~retrieved).sum(axis=1), strict=True) if count}
        if lacks:
            leaves = f"{option('topics', 'common')} leaves them out"
            notice(f"{lacking(lacks, retrieved.shape[1], len(runs))}; they count as 0 ({leaves})")
    notice_order(runs, policy, reach)


def notice_order(runs: Sequence[tuple[str, Arrays]], policy: Policy, reach: int | None) -> None:
    """Give a notice of the lists that single precision would order differently.

    A list counts if, within the ranks that some metric looks at, some rank would hold a document of another grade, or a
    judged document instead of one without judgment. The parameters are those of `notice_runs`.
    """
    retrieved = np.array([arrays["retrieved"] for _, arrays in runs])
    scored = np.ones(retrieved.shape[1], np.bool_) if policy.topics == "qrels" else retrieved.all(axis=0)
    first = np.array([arrays["first_reordered"] for _, arrays in runs])[:, scored]
    counts = (first < (NEVER if reach is None else reach)).sum(axis=1)
    changed = {name: int(count) for (name, _), count in zip(runs, counts, strict=True) if count}
    if changed:
        gives = f"{option('precision', 'single')} gives the numbers of trec_eval 9"
        notice(f"single precision would order documents {_lists(changed, first.shape, reach)}; {gives}")


def lacking(counts: Mapping[str, int], topics: int, systems: int) -> str:
    """Return a clause that says which systems lack how many topics.

    Parameters
    ----------
    counts : mapping
        System -> how many topics it lacks, at least one.
    topics, systems : int
        How many there are of each.

    Examples
    --------
    >>> lacking({"A150": 50}, 200, 10), lacking({"a": 50, "b": 3}, 200, 10)
    ('A150 lacks 50 of 200 topics', 'a lacks 50 and b lacks 3 of 200 topics')
    >>> lacking({"a": 1, "b": 50, "c": 3, "d": 3}, 200, 10)
    '4 of 10 systems lack topics, up to 50 of 200 (b 50, c 3, d 3, ...)'
    >>> lacking({"a": 1, "b": 1, "c": 1, "d": 1}, 200, 4)
    'all 4 systems lack 1 of 200 topics'
    """
    if len(counts) <= _MOST_NAMES:
        *others, last = [f"{name} lacks {count:,}" for name, count in _most_first(counts)]
        joined = f"{', '.join(others)} and {last}" if others else last
        return f"{joined} of {topics:,} topics"
    who = f"all {systems:,}" if len(counts) == systems else f"{len(counts):,} of {systems:,}"
    each = set(counts.values())
    if len(each) == 1:
        return f"{who} systems lack {each.pop():,} of {topics:,} topics"
    return f"{who} systems lack topics, up to {max(each):,} of {topics:,} ({_named(counts)})"


def _lists(counts: Mapping[str, int], shape: tuple[int, ...], reach: int | None) -> str:
    """Return a phrase with the systems, the deepest rank, and the number of topics or lists.

    Examples
    --------
    >>> print(_lists({"a": 50, "b": 29}, (129, 50), None))
    differently in 2 of 129 runs, in 79 of 6,450 lists of a run and a topic (a 50, b 29)
    """
    within = "" if reach is None else f"within the first {reach:,} ranks "
    if len(counts) == 1:
        ((name, count),) = counts.items()
        return f"of {name} {within}differently on {count:,} of {shape[1]:,} topics"
    total = f"in {sum(counts.values()):,} of {shape[0] * shape[1]:,} lists of a run and a topic"
    return f"{within}differently in {len(counts):,} of {shape[0]:,} runs, {total} ({_named(counts)})"


def _named(counts: Mapping[str, int]) -> str:
    some = [f"{name} {count:,}" for name, count in _most_first(counts)[:_MOST_NAMES]]
    return ", ".join([*some, *(["..."] if len(counts) > _MOST_NAMES else [])])


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: -item[1])


def with_missing_topics(
    manifest: dict[str, Any], runs: Sequence[tuple[str, NDArray[np.bool_]]], topics: Sequence[str]
) -> dict[str, Any]:
    """Return the manifest with the topics that each system lacks, for `Scores.missing_topics`; unchanged if none does.

    Parameters
    ----------
    manifest : dict
    runs : list of (str, ndarray)
        The name of each system, and which of the topics it has.
    topics : sequence of str

    Examples
    --------
    >>> with_missing_topics({}, [("a", np.array([True, True])), ("b", np.array([True, False]))], ["1", "2"])
    {'missing_topics': {'b': ['2']}}
    """
    lacks = {name: [topics[at] for at in np.flatnonzero(~has).tolist()] for name, has in runs if not has.all()}
    return {**manifest, "missing_topics": lacks} if lacks else manifest
