"""The options that several procedures share: their bounds, and what they mean wherever they are given."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from metameter.arguments import Check
from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.parameters import Bounds
from metameter.stats.checks import MAX_REPLICATES, check_count, check_level, check_number, check_seed

TRIALS = Bounds(2, MAX_REPLICATES, integer=True)
SPLITS = Bounds(2, MAX_REPLICATES, integer=True)
RESAMPLES = Bounds(2, MAX_REPLICATES, integer=True)
LEVEL = Bounds(0, 1, low_open=True, high_open=True)


def check_scale(top: Any, name: str = "max_grade") -> None:
    """Refuse what cannot be the highest grade of result pages.

    Examples
    --------
    >>> check_scale(float("nan"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: max_grade is no positive number (given nan). Give the highest grade of the scale.
    """
    fix = "Give the highest grade of the scale."
    number = check_number(top, name, fix)
    if not (math.isfinite(number) and number > 0):
        raise MetameterError(f"{name} is no positive number", given=top, fix=fix)


def check_result(value: Any, kind: type, name: str) -> None:
    """Refuse what is not the result of another procedure.

    Examples
    --------
    >>> check_result(0.7, dict, "power")
    Traceback (most recent call last):
    metameter.errors.MetameterError: power is not a result of that procedure (given 0.7). Give what metameter.power
    returned, or leave it out.
    """
    if not isinstance(value, kind):
        fix = f"Give what metameter.{name} returned, or leave it out."
        raise MetameterError(f"{name} is not a result of that procedure", given=value, fix=fix)


#: Option -> function that raises an error for a value that is not allowed. It is called before anything is read, for
#: every procedure with this option; a procedure's own ``checks`` take precedence.
CHECKS: dict[str, Check] = {
    "alpha": check_level,
    "jobs": Workers.of,
    "most_resamples": partial(check_count, what="most resamples"),
    "pages_max_grade": partial(check_scale, name="pages_max_grade"),
    "resamples": partial(check_count, what="resamples", least=2, zero="for no intervals"),
    "seed": check_seed,
    "settled": partial(check_level, name="settled"),
    "splits": partial(check_count, what="splits", least=2),
    "trials": partial(check_count, what="trials"),
}

#: Option -> its description for all procedures; each procedure's docstring has more.
SHARED = {
    "trials": "Random shuffles of each significance test.",
    "alpha": "The significance level: differences with p below it are significant.",
    "by": "Compare all metrics with each other (all), or only those of the same browsing model (browse); auto: all, "
    "but within a grid of browsing models and aggregations, as a preset gives, those of the same model.",
    "resamples": "Bootstrap samples of topics, systems, users or pages, for each interval.",
    "reference": "Compare every other metric with this one; may be repeated. By default a product is compared with the "
    "canonical metric of its browsing model, and metrics with a name of their own with each other.",
    "depths": "Evaluation depths to follow, such as 1-10,20,50; in a study by default about 20, down to 1000.",
    "fit_model": "Find the parameters of this metric that describe the users of the labelled pages (or of the pairs, "
    "where there are only pairs): those that are not written, or those written as ?, such as RBP(p=?)*max.",
    "pages_max_grade": "The highest grade of the scale of the labelled pages; by default the highest that occurs in "
    "them.",
    "condensed": "Follow metrics on plain lists (no), on condensed lists (yes), or on both.",
    "judged_to": "Count a run as contributing to the pool if its first documents down to this depth are all judged; "
    "data: estimate the depth from the runs.",
    "grid": "Test all pairs of systems for shallower pools and evaluations, and plan how deep to judge.",
    "resample": "What intervals are for: other topics, other systems, or both.",
    "groups": "Systems resampled together: a file with a system and its group in each line; for resample systems or "
    "both.",
    "simple": "Simple metrics that others are compared with; + joins several that count together (P@10+R@100).",
    "complex": "The metrics that are compared with the simple ones, separated by commas; by default all others.",
    "weights": "The weight of each simple metric, such as prec=0.5,st_rec=0.5.",
    "iterations": "Which iterations of the sessions, such as 1-10 or 1,3,10; by default all.",
    "seed": "The same seed gives the same results.",
}
