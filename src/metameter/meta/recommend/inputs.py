"""What a recommendation is made from: options and results that are accepted, and what is read off them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.options import check_count, check_number
from metameter.stats.pairs import TUKEY
from metameter.view.result import Result

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["FEWEST_TOPICS", "check_resamples", "check_similar", "powers_of", "tukey_test_of"]

FEWEST_TOPICS = 5


def check_similar(similar: float) -> float:
    """Return a tau, refusing anything else."""
    fix = "Give a tau, such as 0.9."
    tau = check_number(similar, "similar", fix)
    if not -1.0 <= tau <= 1.0:
        raise MetameterError("similar is not a tau", given=similar, allowed="-1 to 1", fix=fix)
    return tau


def check_resamples(resamples: int) -> int:
    """Return the number of resamples, 2 or more, or 0 for none; refusing anything else."""
    return check_count(resamples, "resamples", 2, zero="for no intervals")


def tukey_test_of(similarity: Result, power: Result) -> str:
    """The test behind the power. It must be a Tukey test, as that of the resamples is; and similarity must be tau_b."""
    table = similarity.table
    if table.height and table["coefficient"][0] != "tau_b":
        fix = "Set the coefficient of similarity to tau_b."
        raise MetameterError("similarity is not by tau_b", given=table["coefficient"][0], fix=fix)
    test = str(power.manifest.get("options", {}).get("test", TUKEY[0]))
    if test not in TUKEY:
        fix = "Set the test of power to one of these."
        raise MetameterError("power is not by a Tukey test", given=test, allowed=", ".join(TUKEY), fix=fix)
    return test


def powers_of(power: Result, metrics: tuple[str, ...]) -> Floats:
    """The power of each metric."""
    by_metric = dict(power.tables["power"]["metric", "power"].iter_rows())
    return np.array([by_metric[name] for name in metrics])
