"""Simulated score matrices with the marginal distribution and variance components of a given one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import refuse
from metameter.simulation.streams import Part, stream
from metameter.types import Scores

QUANTILES = 1001


@dataclass(frozen=True)
class ScoreParameters:
    """Variance components and marginal distribution of a score matrix, as estimated by `fit`.

    Attributes
    ----------
    system, topic, interaction : float
        Shares of the variance of normal scores; they sum to 1, and interaction includes the residual.
    marginal : tuple of float
        Quantiles of all scores at equally spaced probabilities from 0 to 1.
    """

    system: float
    topic: float
    interaction: float
    marginal: tuple[float, ...]


def fit(scores: Any) -> ScoreParameters:
    """Return the marginal distribution of scores and the variance shares of systems, topics and their interaction.

    The scores are replaced by normal scores (ties share their mean rank), whose variance is split by a two-way analysis
    of variance with random effects. The marginal distribution is empirical: scores that accumulate at 0 or 1, such as
    those of RR, are reproduced.

    Parameters
    ----------
    scores : array_like, systems x topics
        Without missing cells; at least two systems and two topics.

    Examples
    --------
    >>> parameters = fit([[0.1, 0.3, 0.5], [0.2, 0.4, 0.6]])
    >>> parameters.topic > parameters.system > parameters.interaction
    True
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or min(values.shape) < 2 or not np.isfinite(values).all():
        refuse(
            "scores cannot be fitted",
            given=values.shape,
            allowed="systems x topics, 2 x 2 or more, without missing cells",
            fix="Give such a matrix.",
        )
    system, topic, interaction = _components(_normal_scores(values))
    total = system + topic + interaction
    if not total > 0:
        refuse("scores cannot be fitted: they are all equal", fix="Give scores that differ.")
    quantiles = np.quantile(values, np.linspace(0, 1, min(QUANTILES, values.size)))
    return ScoreParameters(system / total, topic / total, interaction / total, tuple(quantiles.tolist()))


def _normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return np.asarray(ndtri((rankdata(values).reshape(values.shape) - 0.5) / values.size))


def _components(z: NDArray[np.float64]) -> tuple[float, float, float]:
    """Variance components by expected mean squares; a negative estimate becomes 0."""
    systems, topics = z.shape
    row, column = z.mean(axis=1), z.mean(axis=0)
    residual = z - row[:, None] - column + z.mean()
    interaction = float((residual**2).sum()) / ((systems - 1) * (topics - 1))
    return (
        max(0.0, float(row.var(ddof=1)) - interaction / topics),
        max(0.0, float(column.var(ddof=1)) - interaction / systems),
        interaction,
    )


def simulate_scores(
    parameters: ScoreParameters,
    *,
    topics: int = 80,
    systems: int = 39,
    null: bool = False,
    seed: int = 0,
    metric: str = "simulated",
) -> Scores:
    """Return scores of simulated systems on simulated topics, distributed like the fitted scores.

    Parameters
    ----------
    parameters : ScoreParameters
        From `fit`.
    topics, systems : int
    null : bool
        All systems are equally good: their share of the variance is added to the interaction.
    seed : int
    metric : str
        The name of the metric in the result.

    Examples
    --------
    >>> flat = ScoreParameters(system=0.2, topic=0.3, interaction=0.5, marginal=(0.0, 0.5, 1.0))
    >>> simulate_scores(flat, topics=3, systems=2).values.shape
    (1, 2, 3)
    """
    from scipy.special import ndtr

    if topics < 1 or systems < 1 or seed < 0:
        fix = "Give topics and systems of at least 1, and a seed of at least 0."
        refuse("topics, systems or seed is out of range", given=(topics, systems, seed), fix=fix)
    steps = np.linspace(0, 1, len(parameters.marginal))
    z = _latent(parameters, topics, systems, null, seed)
    # Rounded, because the last bits of the normal distribution differ between machines.
    values = np.interp(ndtr(z), steps, parameters.marginal).round(9)
    names = tuple(f"S{number + 1:03}" for number in range(systems))
    return Scores((metric,), names, tuple(str(number + 1) for number in range(topics)), values[None])


def _latent(parts: ScoreParameters, topics: int, systems: int, null: bool, seed: int) -> NDArray[np.float64]:
    quality = 0.0 if null else math.sqrt(parts.system)
    residual = math.sqrt(parts.interaction + (parts.system if null else 0.0))
    ease = [stream(seed, Part.SCORE_TOPIC, topic).standard_normal() for topic in range(topics)]
    own = np.array([stream(seed, Part.SCORE_SYSTEM, system).standard_normal(1 + topics) for system in range(systems)])
    return quality * own[:, :1] + math.sqrt(parts.topic) * np.array(ease) + residual * own[:, 1:]
