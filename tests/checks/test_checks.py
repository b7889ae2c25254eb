"""The laws have teeth: whatever breaks one on purpose is caught, by that law and no other."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pytest

from metameter import MetameterError, Scores, checks
from metameter.aggregate.base import Aggregation, Coefficients
from metameter.aggregate.total_gain import ERG
from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.checks import aggregation, browsing, metric
from metameter.checks.procedure import PROCEDURE, sample
from metameter.meta.base import Procedure, Words
from metameter.metric.base import Metric
from metameter.metric.compose import parse_metric
from metameter.metric.product import Product
from metameter.notation import Term
from metameter.parameters import Bounds, depth, number, option
from metameter.view.result import Result


@dataclass(frozen=True, repr=False)
class Half(Browsing):
    """Goes on with probability one half: a model as it should be, which the others spoil."""

    user = "static"

    def continuation(self, page):
        return np.full_like(page.gains, 0.5)

    def tail(self, page, beyond):
        return Tail(2 * beyond, beyond, beyond * self._per_rank(page.depth), lambda delta: beyond * self._faded(delta))

    def _per_rank(self, n):
        return sum(0.5**m / (n + m) for m in range(1, 80))

    def _faded(self, delta):
        return 0.5 * delta / (1 - 0.5 * delta)


@dataclass(frozen=True, repr=False)
class Provident(Browsing):
    """Knows how much there is to find, and reads the less of it the more there is: sound, too."""

    user = "clairvoyant"

    @property
    def needs(self):
        return frozenset({"total_gain"})

    def continuation(self, page):
        return np.broadcast_to(1 / (1 + page.total_gain)[..., None], page.gains.shape)


@dataclass(frozen=True, repr=False)
class Certain(Half):
    """Goes on with a probability above 1 where there is gain."""

    user = "adaptive"

    def continuation(self, page):
        return 0.5 + page.gains


@dataclass(frozen=True, repr=False)
class Overcounted(Half):
    """Its tail counts more items than are viewed."""

    def tail(self, page, beyond):
        tail = super().tail(page, beyond)
        return Tail(5 * beyond, tail.last, tail.last_per_rank, tail.discounted_last)


@dataclass(frozen=True, repr=False)
class Offset(Half):
    """Its tail is wrong by the same number wherever the list ends."""

    def tail(self, page, beyond):
        tail = super().tail(page, beyond)
        return Tail(tail.view, tail.last, tail.last_per_rank + 0.01, tail.discounted_last)


@dataclass(frozen=True, repr=False)
class Lossy(Half):
    """Half of those who get beyond the end vanish."""

    def tail(self, page, beyond):
        tail = super().tail(page, beyond)
        return Tail(tail.view, beyond / 2, tail.last_per_rank, tail.discounted_last)


@dataclass(frozen=True, repr=False)
class Twice(Browsing):
    """Some users leave twice."""

    user = "static"

    def last(self, page):
        return np.broadcast_to(np.where(page.ranks <= 2, 0.6, 0.0), page.gains.shape)


@dataclass(frozen=True, repr=False)
class Secret(Half):
    """Does not print one of its parameters."""

    patience: float = number(0.5, low=0, high=1)

    def term(self):
        return Term("Secret")


@dataclass(frozen=True, repr=False)
class Misspelt(Half):
    """Prints what the notation cannot read back."""

    def term(self):
        return Term("Miss-Spelt")


@dataclass(frozen=True, repr=False)
class Unpicklable(Half):
    """Holds a function that cannot leave the process."""

    def __getstate__(self):
        raise pickle.PicklingError("no way out")


@dataclass(frozen=True, repr=False)
class Measured(Browsing):
    """Knows how long the list is, zeros included."""

    user = "clairvoyant"

    def continuation(self, page):
        return np.full_like(page.gains, 1 - 1 / (page.depth + 1))

    def tail(self, page, beyond):
        return Tail.none(beyond)


@dataclass(frozen=True, repr=False)
class Neighbourly(Browsing):
    """Does on every list what the first list suggests."""

    def continuation(self, page):
        first = np.reshape(page.gains, (-1, page.depth))[0, 0]
        return np.full_like(page.gains, 0.3 + 0.4 * first)


@dataclass(frozen=True, repr=False)
class Knowing(Browsing):
    """Is said to go by what was seen, but waits for the best item of the list."""

    def continuation(self, page):
        return np.where(page.best < page.gains.max(axis=-1, keepdims=True), 0.9, 0.4)


@dataclass(frozen=True, repr=False)
class Moved(Half):
    """Is said to be static, but is moved by what was seen."""

    def continuation(self, page):
        return np.where(page.cumulative_gain > 1, 0.2, 0.5)

    def tail(self, page, beyond):
        return Browsing.tail(self, page, beyond)


@dataclass(frozen=True, repr=False)
class Unmoved(Half):
    """Is said to be moved by what was seen, but goes by ranks alone."""

    user = "adaptive"


@dataclass(frozen=True, repr=False)
class Blind(Moved):
    """Is said to know what is to come, but is moved only by what was seen."""

    user = "clairvoyant"


@dataclass(frozen=True, repr=False)
class Indebted(Half):
    """Owes its idea to a paper that nobody knows."""

    reference = "mofat2008"


@dataclass(frozen=True, repr=False)
class Hurried(Browsing):
    """Hurries towards its last rank, but is said only to stop there."""

    k: int | None = depth(required=True)
    only_stops_at_k = True
    user = "static"

    def continuation(self, page):
        return np.broadcast_to(1 - page.ranks / (self.k + 1), page.gains.shape)


@dataclass(frozen=True, repr=False)
class Particular(Browsing):
    """Is said not to mind the order of what it has seen."""

    order_free_view = True

    def continuation(self, page):
        return 1 - page.gains / (page.ranks + 1)

    def tail(self, page, beyond):
        return Tail.endless(beyond)


BROWSING = {
    Certain(): "probability",
    Overcounted(): "tail",
    Offset(): "tail",
    Lossy(): "last",
    Twice(): "last",
    Secret(patience=0.2): "name",
    Misspelt(): "name",
    Unpicklable(): "pickle",
    Measured(): "zeros",
    Neighbourly(): "batch",
    Knowing(): "user",
    Moved(): "user",
    Unmoved(): "user",
    Blind(): "user",
    Indebted(): "reference",
    Hurried(k=6): "stop",
    Particular(): "order",
}


@dataclass(frozen=True, repr=False)
class Peak(Aggregation):
    """The best item: an aggregation as it should be, which the others spoil."""

    rises_with_gain = True

    def aggregate(self, page):
        return page.best

    def beyond(self, page, aggregated, gain=0.0):
        return Coefficients(constant=np.maximum(aggregated[..., -1], gain))


@dataclass(frozen=True, repr=False)
class Absent(Peak):
    """Has no value before the first gain."""

    def aggregate(self, page):
        return np.where(page.best > 0, page.best, np.nan)


@dataclass(frozen=True, repr=False)
class Foreseeing(Peak):
    """Enjoys what is still to come."""

    rises_with_gain = True

    def aggregate(self, page):
        return np.broadcast_to(page.gains.max(axis=-1, keepdims=True), page.gains.shape)


@dataclass(frozen=True, repr=False)
class Forgotten(Peak):
    """Says nothing of what lies beyond the list."""

    def beyond(self, page, aggregated, gain=0.0):
        return Coefficients()


@dataclass(frozen=True, repr=False)
class Falling(Peak):
    """Is said to rise with the gains."""

    def aggregate(self, page):
        return 1 - page.best

    def beyond(self, page, aggregated, gain=0.0):
        return Coefficients(constant=np.minimum(aggregated[..., -1], 1 - gain))


@dataclass(frozen=True, repr=False)
class Learned(Peak):
    """Owes its idea to a paper that nobody knows.

    References
    ----------
    mofat2022
    """


@dataclass(frozen=True, repr=False)
class Summing(Peak):
    """Is said to add up the gains."""

    additive = True


@dataclass(frozen=True, repr=False)
class Crowd(Peak):
    """Takes away the best that any list has."""

    rises_with_gain = False

    def aggregate(self, page):
        everybody = np.maximum.accumulate(np.reshape(page.gains, (-1, page.depth)).max(axis=0))
        return np.broadcast_to(everybody, page.gains.shape)


AGGREGATION = {
    Absent(): "value",
    Foreseeing(): "past",
    Forgotten(): "beyond",
    Falling(): "rises",
    Learned(): "reference",
    Summing(): "sum",
    Crowd(): "batch",
}


@dataclass(frozen=True, repr=False)
class Share(Metric):
    """The share of gain in the list: a metric as it should be, which the others spoil."""

    def values(self, ranked):
        listed = ranked.cut(self.k)
        return listed.grade.sum(axis=1) / np.maximum(listed.length, 1)

    def explain(self, ranked):
        grade = ranked.cut(self.k).grade
        return {"rank": np.broadcast_to(np.arange(1, grade.shape[1] + 1), grade.shape), "contribution": grade}


@dataclass(frozen=True, repr=False)
class Flat(Share):
    """One score for all topics."""

    def values(self, ranked):
        return ranked.grade.mean(keepdims=True)[0]


@dataclass(frozen=True, repr=False)
class Relative(Share):
    """Scores a list against the other lists."""

    def values(self, ranked):
        return super().values(ranked) - super().values(ranked).mean()


_calls = itertools.count()


@dataclass(frozen=True, repr=False)
class Moody(Share):
    """Scores otherwise every time."""

    def values(self, ranked):
        return super().values(ranked) + next(_calls)


@dataclass(frozen=True, repr=False)
class Crooked(Share):
    """Its curve is not its scores."""

    def curve(self, ranked, depths):
        return super().curve(ranked, [k + 1 for k in depths])


@dataclass(frozen=True, repr=False)
class Nearsighted(Share):
    """Says that it looks at one rank only."""

    @property
    def reach(self):
        return 1


@dataclass(frozen=True, repr=False)
class Careless(Share):
    """Does not condense when told to."""

    def score(self, ranked):
        return self.values(ranked)


@dataclass(frozen=True, repr=False)
class First(Share):
    """Is said not to mind the order."""

    unordered = True

    def values(self, ranked):
        return ranked.cut(self.k).grade[:, 0]


@dataclass(frozen=True, repr=False)
class Silent(Share):
    """Explains nothing."""

    def explain(self, ranked):
        return {"rank": np.zeros(ranked.grade.shape)}


@dataclass(frozen=True, repr=False)
class Shy(Share):
    """Prints an option only where it should not."""

    mood: str = option("good", choices=("good", "bad"))

    def term(self):
        return Term("Shy", {}, self.k)


@dataclass(frozen=True, repr=False)
class Stuck(Share):
    """Holds what cannot be pickled."""

    keeper: object = field(default=None, kw_only=True, metadata={"role": "option", "range": "any", "check": bool})

    def __post_init__(self):
        object.__setattr__(self, "keeper", None)

    def __getstate__(self):
        return {"keeper": lambda: None}


@dataclass(frozen=True, repr=False)
class Quoted(Share):
    """Owes its idea to a paper that nobody knows."""

    reference = "jarvelin2003"


METRIC = {
    Quoted(): "reference",
    Flat(): "score",
    Relative(): "batch",
    Moody(): "twice",
    Crooked(): "curve",
    Nearsighted(): "reach",
    Careless(): "condense",
    First(): "order",
    Silent(): "explanation",
    Shy(mood="bad"): "name",
    Stuck(): "pickle",
}
TOYS = {**BROWSING, **AGGREGATION, **METRIC}


@pytest.mark.parametrize("sound", [Half(), Half(k=7), Provident(), Peak(), Share(), Share(k=5)], ids=repr)
def test_sound_classes_keep_all_laws(sound):
    assert checks.violations(sound) == []
    checks.check(sound)


@pytest.mark.parametrize(("toy", "law"), TOYS.items(), ids=[type(toy).__name__ for toy in TOYS])
def test_a_toy_breaks_only_its_intended_law(toy, law):
    assert [problem.law for problem in checks.violations(toy)] == [law]
    with pytest.raises(checks.BrokenLawError, match=rf"breaks the law `{law}`: .*What must hold: ") as caught:
        checks.check(toy)
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, MetameterError)
    assert "\n" not in str(caught.value)


def test_zeros_that_change_the_score_of_a_product_are_caught():
    assert checks.violations(Product(Half(), ERG())) == []
    assert "zeros" in [problem.law for problem in checks.violations(Product(Overcounted(), ERG()))]


def test_only_builtin_classes_need_a_reference(monkeypatch):
    for toy, function in ((Half(), None), (Share(), None), (procedure(misnamed), misnamed)):
        assert "reference" not in [problem.law for problem in checks.violations(toy)]
        monkeypatch.setattr(function or type(toy), "__module__", "metameter.toy")
        assert "reference" in [problem.law for problem in checks.violations(toy)]


def test_an_unknown_reference_is_named():
    with pytest.raises(checks.BrokenLawError, match="bib has no entry mofat2008"):
        checks.check(Indebted())


@pytest.mark.parametrize("name", ["INST(T=2)@1*ERG", "NERR10(p=0)*ERG", "Prec@1*ERG"])
def test_constant_users_keep_the_type_of_their_model(name):
    checks.check_browsing(parse_metric(name).model)


WORDS = Words("Spread", "How far apart?", "The range of means.", "Higher is further.")


def procedure(function=None, words=WORDS, result=Result, options=None):
    """Declare a toy without entering it into the registry."""

    def declare(function):
        name = function.__name__
        function.procedure = Procedure(
            words, result=result, options=options or {}, key=name, function=function, stage=function
        )
        return function

    return declare(function) if function else declare


def spread(scores: Scores, *, times: float = 1.0) -> Result:
    """How far apart are the systems?

    Parameters
    ----------
    scores : Scores
        Without missing cells.
    times : float
        What the range is multiplied by.
    """
    means = scores.values.mean(axis=2)
    table = pl.DataFrame({"metric": scores.metrics, "range": times * np.ptp(means, axis=1)})
    return Result({"spread": table})


def undocumented(scores: Scores, *, times: float = 1.0) -> Result:
    """How far apart are the systems?"""
    return Result({"undocumented": spread(scores, times=times).table})


def misnamed(scores: Scores) -> Result:
    """How far apart are the systems?

    Parameters
    ----------
    scores : Scores
        Without missing cells.
    """
    return spread(scores)


def moody(scores: Scores) -> Result:
    """How far apart are the systems?

    Parameters
    ----------
    scores : Scores
        Without missing cells.
    """
    return Result({"moody": pl.DataFrame({"call": [next(_calls)]})})


def unfounded(scores: Scores) -> Result:
    """How far apart are the systems?

    Parameters
    ----------
    scores : Scores
        Without missing cells.

    References
    ----------
    chen2032
    """
    return Result({"unfounded": spread(scores).table})


PROCEDURES = [
    (lambda: procedure(unfounded), "reference"),
    (lambda: spread, "declaration"),
    (lambda: procedure(undocumented), "words"),
    (lambda: procedure(words=Words("Spread"))(spread), "words"),
    (lambda: procedure(options={"times": Bounds(2)})(spread), "options"),
    (lambda: procedure(options={"sometimes": None})(spread), "options"),
    (lambda: procedure(misnamed), "result"),
    (lambda: procedure(moody), "twice"),
]


@pytest.mark.parametrize(("make", "law"), PROCEDURES)
def test_a_procedure_breaks_only_its_intended_law(make, law):
    spread.__dict__.pop("procedure", None)
    toy = make()
    assert [problem.law for problem in checks.violations(toy)] == [law]
    with pytest.raises(checks.BrokenLawError, match=f"breaks the law `{law}`"):
        checks.check_procedure(toy)


def test_a_sound_procedure_keeps_all_laws():
    checks.check_procedure(procedure(spread), times=2.0)
    assert {law.name for law in PROCEDURE} == {law for _, law in PROCEDURES}
    assert sample().values.tobytes() == sample().values.tobytes()


def test_every_law_has_a_toy_that_breaks_it():
    assert {law.name for law in browsing.BROWSING} == set(BROWSING.values())
    assert {law.name for law in aggregation.AGGREGATION} - {"name", "pickle"} == set(AGGREGATION.values())
    assert {law.name for law in metric.METRIC} - {"zeros"} == set(METRIC.values())


def test_names_select_the_checks():
    for name in ("RBP", "max", "nDCG", "ERR", "RBP(p=0.8)*max@10"):
        checks.check(name)
    with pytest.raises(MetameterError, match="Did you mean"):
        checks.check("nDGC")
    with pytest.raises(MetameterError, match="no laws"):
        checks.check(3)
