"""The first screen of the report of a default study: the answer and the picture, and nothing that sticks out."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import metameter

pytestmark = pytest.mark.slow

WIDE, NARROW = 1280, 390
HIGHEST = 9_000
DRAWN = "document.documentElement.dataset.charts === 'drawn'"
BOTTOM = "document.querySelector('{}').getBoundingClientRect().bottom"
# Pairs of texts in the picture that cover each other.
OVERLAPS = """(() => {
  const boxes = [...document.querySelectorAll('.picture :is(th, .kind, .value, .tick)')]
    .filter(e => e.checkVisibility() && e.textContent.trim())
    .map(e => { const range = document.createRange();
      // What follows the first text of a value is for screen readers only.
      if (e.matches('.value')) range.selectNode(e.firstChild); else range.selectNodeContents(e);
      return [e.textContent.trim(), range.getBoundingClientRect()]; });
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap(([name, a], i) =>
    boxes.slice(i + 1).filter(([, b]) => over(a, b)).map(([other]) => [name, other]));
})()"""


@pytest.fixture(scope="module")
def page(chromium: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("first")
    made = metameter.simulate(topics=40, systems=30, depth=100, documents=1000, pool_depth=50, seed=1)
    metameter.study(
        made.qrels, made.runs, max_grade=3, out=folder, splits=50, trials=200, resamples=128, most_resamples=128
    )
    with chromium.Tab(folder / "profile", WIDE, 800) as opened:
        opened.open(folder / "report.html")
        yield opened


def at(page: Any, width: int, height: int = 800) -> None:
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    page.run("new Promise(then => setTimeout(then, 400))")
    page.wait(DRAWN, 120)


def test_the_first_screen_has_the_tiles_and_the_picture(page: Any) -> None:
    at(page, WIDE)
    assert page.run("document.querySelectorAll('.tile').length") == 3
    assert page.run("document.querySelectorAll('.picture tbody tr:not(.scale)').length") == 11
    for selector in (".tiles", ".picture", ".sure"):
        assert page.run(BOTTOM.format(selector)) <= 800


def test_a_phone_shows_tiles_first_and_never_scrolls_sideways(page: Any) -> None:
    at(page, NARROW, 844)
    assert page.run("document.documentElement.scrollWidth") <= NARROW
    assert page.run(BOTTOM.format(".tiles")) <= 600
    assert page.run(BOTTOM.format(".picture tbody tr:nth-child(6)")) <= 844


def test_the_whole_page_is_short(page: Any) -> None:
    at(page, WIDE)
    assert page.run("document.documentElement.scrollHeight") < HIGHEST


def test_no_table_is_cut(page: Any) -> None:
    at(page, WIDE)
    seen = "[...document.querySelectorAll('.scroll')].filter(s => s.checkVisibility())"
    cut = f"{seen}.filter(s => s.scrollWidth > s.clientWidth + 1)"
    assert page.run(f"{cut}.map(s => s.closest('.sheet').dataset.name)") == []


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_no_text_of_the_picture_covers_another(page: Any, width: int) -> None:
    at(page, width)
    assert page.run(OVERLAPS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_groups_differ_in_colour_and_in_shape(page: Any, scheme: str) -> None:
    at(page, WIDE)
    page.media(scheme=scheme)
    rows = "[...document.querySelectorAll('.picture tbody tr:not(.scale)')]"
    marks = page.run(
        f"{rows}.map(r => [r.className, r.querySelector('.symbol').textContent,"
        " getComputedStyle(r.querySelector('.range')).backgroundColor])"
    )
    kinds = {kind for kind, *_ in marks}
    assert len({mark for _, mark, _ in marks}) == len(kinds)
    assert len({colour for *_, colour in marks}) == len(kinds)
    page.media()


def test_the_page_logs_no_error(page: Any) -> None:
    assert page.complaints() == []
