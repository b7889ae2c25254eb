"""Users that somebody else wrote: their formulas are checked, and what they score does not depend on other lists."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from metameter import explain, registry
from metameter.aggregate.total_gain import ERG
from metameter.browse.ap import AP2
from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.browse.tails.numerical import numerical_tail
from metameter.errors import MetameterError
from metameter.metric.product import Product
from metameter.notices import MetameterWarning


@dataclass(frozen=True, repr=False)
class Slow(Browsing):
    """Fades slowly."""

    def continuation(self, page: Page) -> np.ndarray:
        return np.broadcast_to((page.ranks / (page.ranks + 1)) ** 2, page.gains.shape)


@dataclass(frozen=True, repr=False)
class Adaptive(Browsing):
    """Goes on for longer the less they found."""

    def continuation(self, page: Page) -> np.ndarray:
        return np.maximum(0.0, 1 - 0.02 * (1 + page.cumulative_gain))


@dataclass(frozen=True, repr=False)
class WrongLater(Browsing):
    """Is a user on the page, and none beyond it."""

    def continuation(self, page: Page) -> np.ndarray:
        return np.broadcast_to(0.9 + 0.001 * page.ranks, page.gains.shape)


@dataclass(frozen=True, repr=False)
class Wrong(Browsing):
    """Is ever more certain."""

    def continuation(self, page: Page) -> np.ndarray:
        return np.broadcast_to(page.ranks / 2, page.gains.shape)


@dataclass(frozen=True, repr=False)
class Rising(Browsing):
    """Looks more closely further down."""

    def weight(self, page: Page) -> np.ndarray:
        return np.broadcast_to(page.ranks, page.gains.shape)


@pytest.mark.parametrize("model", [Wrong(), Rising(), Wrong(k=5)], ids=repr)
def test_a_continuation_outside_0_to_1_is_refused(model: Browsing) -> None:
    rank = 1 if isinstance(model, Rising) else 3
    with pytest.raises(MetameterError, match=rf"{type(model).__name__}.*.* from rank {rank} is outside"):
        model.browsing_state(Page([[0, 1, 0, 0], [1, 0, 0, 0]]))


def test_a_continuation_outside_0_to_1_is_refused_beyond_pages() -> None:
    with pytest.raises(MetameterError, match=r"WrongLater.* from rank 101 is outside"):
        WrongLater().browsing_state(Page([0, 1, 0]))


@pytest.mark.parametrize("gain", [0.0, 1.0])
def test_a_tail_does_not_depend_on_the_other_lists(gain: float) -> None:
    gains = np.random.default_rng(3).choice([0.0, 0.0, 1.0], size=(700, 9))
    gains[0] = 0
    together = numerical_tail(Adaptive(), Page(gains), gain)
    for row in (0, 1, 350, 699):
        alone = numerical_tail(Adaptive(), Page(gains[row]), gain)
        for part in ("view", "last", "last_per_rank"):
            assert getattr(alone, part) == getattr(together, part)[row]
        assert alone.discounted_last(0.9) == together.discounted_last(0.9)[row]


@pytest.mark.parametrize("lists", [1, 300])
def test_an_error_does_not_depend_on_the_other_lists(lists: int) -> None:
    with pytest.raises(MetameterError, match="@1000"):
        Slow().browsing_state(Page(np.zeros((lists, 5))))


@dataclass(frozen=True, repr=False)
class Rough(Browsing):
    """Sums its own tail, and says how well."""

    def continuation(self, page: Page) -> np.ndarray:
        return np.full_like(page.gains, 0.5)

    def tail(self, page: Page, beyond: np.ndarray) -> Tail:
        return Tail(2 * beyond, beyond, beyond / (page.depth + 1), lambda delta: beyond, error=1e-6)


def test_explain_shows_the_error_of_a_numerical_tail() -> None:
    measure = Product(Adaptive(), ERG())
    shown = explain(measure, gains="1 0 0.5")
    assert 0 < shown.sums["tail_error"] <= 1e-12
    assert "wrong by" in shown.remark
    assert "tail_error" in shown.tables["sums"].columns
    # Another list that is followed less far has an error of its own.
    errors = np.asarray(measure.model.browsing_state(Page([[1, 0, 0.5], [1, 1, 1]])).tail.error)
    assert errors[0] == shown.sums["tail_error"] != errors[1]


def test_explain_shows_no_error_for_closed_forms() -> None:
    shown = explain("RBP(p=0.5)", gains="1 0 0.5")
    assert "tail_error" not in shown.sums
    assert "wrong by" not in shown.remark


def test_a_large_tail_error_raises_a_warning() -> None:
    with pytest.warns(MetameterWarning, match=r"Rough: its sums .* wrong by 1e-06.* Rough@1000"):
        Product(Rough(), ERG())([1, 0])
    with warnings.catch_warnings(action="error"):
        Product(Adaptive(), ERG())([1, 0])
        Product(Rough(k=10), ERG())([1, 0])


@dataclass(frozen=True, repr=False)
class Thrifty(Browsing):
    """Goes by costs, and must know them."""

    needs = frozenset({"costs"})

    def continuation(self, page: Page) -> np.ndarray:
        return 1 / (1 + page.costs)


def test_a_model_names_its_missing_inputs() -> None:
    with pytest.raises(MetameterError, match=r"Thrifty needs what it costs to look at each item\. Give costs\."):
        Thrifty().browsing_state(Page([1, 0]))
    assert Thrifty().browsing_state(Page([1, 0], costs=[1, 3])).continuation.tolist() == [0.5, 0.25]
    with pytest.raises(MetameterError, match=r"AP2.* needs the collection's recall base\. Score it with qrels\."):
        AP2(recall_base="collection").continuation(Page([1, 0]))


def test_results_keep_the_shape_of_lists() -> None:
    assert numerical_tail(Adaptive(), Page(np.zeros((2, 3, 4)))).view.shape == (2, 3)


def test_a_broken_plug_in_raises_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("tired", "no_such_package.tired:Tired", "metameter.browse")
    monkeypatch.setattr(registry, "entry_points", lambda group: [broken])
    monkeypatch.setattr(registry, "_loaded", set())
    for _ in range(2):  # not only the first time
        with pytest.raises(MetameterError, match=r"plug-in tired = no_such_package.tired:Tired of .*no_such_package"):
            registry.find("browse", "RBP")
