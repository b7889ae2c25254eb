"""The numbers of the model of sessions, and what a user may choose."""

from __future__ import annotations

from dataclasses import dataclass

from metameter.errors import refuse
from metameter.simulation.model import SEEDS, check_size, keep_whole

#: What systems may be good at; all are higher for better systems, effort too: short documents, few iterations.
DIMENSIONS = ("relevance", "diversity", "effort")

# Chosen by trial so that mean scores are about those of TREC Dynamic Domain 2016. After the first and the tenth
# iteration its runs have, on average, a precision of .35 and .30, a subtopic recall of .42 and .55, a total time of
# -119 and -555 seconds.
SIGNAL, EASE, NOVELTY, BREVITY = 0.8, 0.8, 0.3, 0.3
QUALITY = {"relevance": 0.6, "diversity": 3.0, "effort": 0.6}
INTERACTION = 0.5
SHARED, OWN = 0.7, 0.7
# The log-odds of ending the session after an iteration.
ENDING = -2.2
# How unlike topics are in how much there is on them; TREC's topics have 2 to 3,327 documents, half of them 56 or fewer.
SKEW = 1.0


@dataclass(frozen=True)
class SessionModel:
    """The parameters of `simulate_sessions`, checked."""

    topics: int
    systems: int
    iterations: int
    page: int
    null: bool
    seed: int
    subtopics: int
    relevant: int
    documents: int

    def __post_init__(self) -> None:
        for name in ("topics", "systems", "iterations", "page", "relevant"):
            keep_whole(self, name, 1)
        keep_whole(self, "subtopics", 1, 1000)
        keep_whole(self, "seed", 0, SEEDS)
        keep_whole(self, "documents", 1)
        needed = max(2 * self.relevant, self.page * self.iterations)
        if self.documents < needed:
            refuse(
                "documents are too few",
                given=self.documents,
                allowed=f"{needed} or more: twice as many as are relevant, and enough for all iterations",
                fix="Give more documents, or fewer iterations, a smaller page, or fewer relevant documents.",
            )
        check_size("topics x documents", 4 * self.topics * self.documents)
        check_size("systems x topics x iterations x page", self.systems * self.topics * self.iterations * self.page)
