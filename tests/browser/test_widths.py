"""The report on a wide and on a narrow screen: nothing sticks out, and no letter of a chart is too small to read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from metameter.reporting.html import render

pytestmark = pytest.mark.slow

WIDE, NARROW, LEAST = 1280, 390, 11
DRAWN = "document.documentElement.dataset.charts === 'drawn'"
# The size of letters on the screen: what the style says, times how much the drawing is shrunk.
LETTERS = """[...document.querySelectorAll('.drawing text')].filter(t => t.textContent).map(t => {
  const svg = t.ownerSVGElement;
  const shrunk = svg.getBoundingClientRect().width / svg.width.baseVal.value;
  return [parseFloat(getComputedStyle(t).fontSize) * shrunk, t.textContent, t.closest('.drawing').dataset.name];
})"""
# What is wider than its box, except where the box says that it scrolls.
WIDER = """[...document.querySelectorAll('main, main *')].filter(e =>
  e.checkVisibility() && !e.closest('.scroll, pre, svg, .drawing') && e.getBoundingClientRect().right > innerWidth + 1
).map(e => e.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def page(chromium: ModuleType, sample: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("widths")
    (folder / "report.html").write_text(render(sample.small(collections=2, odd=False)), encoding="utf-8")
    with chromium.Tab(folder / "profile", WIDE, 900) as opened:
        opened.folder = folder
        opened.open(folder / "report.html")
        opened.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        yield opened


def at(page: Any, width: int) -> None:
    """The page as a screen of this width shows it, with all charts drawn for it."""
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    # The charts follow a little after the width.
    page.run("new Promise(then => setTimeout(then, 400))")
    page.wait(DRAWN, 120)


@pytest.mark.parametrize("width", [WIDE, 768, NARROW])
def test_pages_do_not_scroll_sideways(page: Any, width: int) -> None:
    at(page, width)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(WIDER) == []


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_text_in_charts_is_large_enough(page: Any, width: int) -> None:
    at(page, width)
    letters = page.run(LETTERS)
    assert len({name for _, _, name in letters}) >= 10
    assert [each for each in letters if each[0] < LEAST - 0.01] == []


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_charts_fit_their_boxes(page: Any, width: int) -> None:
    at(page, width)
    found = "[...document.querySelectorAll('.drawing')]"
    boxes = page.run(f"{found}.map(d => [d.dataset.name, d.clientWidth, d.scrollWidth])")
    assert all(wide > 250 for _, wide, _ in boxes)
    # A map of many squares may scroll within its box.
    assert [each for each in boxes if each[2] > each[1] + 1 and not each[0].startswith("compare_topics")] == []


def test_panels_stand_side_by_side_on_wide_screens(page: Any) -> None:
    titles = "[...document.querySelectorAll('.drawing[data-name=forest] .role-axis-title text')]"
    tops = f"{titles}.map(t => t.getBoundingClientRect().top)"
    at(page, WIDE)
    assert len(set(map(round, page.run(tops)))) == 1
    at(page, NARROW)
    assert len(set(map(round, page.run(tops)))) == 2
    at(page, WIDE)
    assert len(set(map(round, page.run(tops)))) == 1


def test_shapes_and_colours_are_the_same_in_badges_and_charts(page: Any) -> None:
    at(page, WIDE)
    for scheme in ("light", "dark"):
        page.media(scheme=scheme)
        badge = page.run("getComputedStyle(document.querySelector('.badge.worse .mark')).fill")
        drawn = "[...document.querySelectorAll('.drawing[data-name=forest] [fill=\"#B33A00\"]')]"
        assert page.run(f"{drawn}.length") > 0
        assert page.run(f"[...new Set({drawn}.map(e => getComputedStyle(e).fill))]") == [badge]
    page.media()


def test_dark_pages_and_paper_keep_charts_legible(page: Any, tmp_path: Path) -> None:
    at(page, NARROW)
    page.media(scheme="dark")
    labels = "[...document.querySelectorAll('.drawing .role-axis-label text')]"
    assert page.run(f"[...new Set({labels}.map(t => getComputedStyle(t).fill))]") == ["rgb(232, 230, 225)"]
    hollow = page.run(
        "[...document.querySelectorAll('.drawing [fill=\"#FFFFFF\"]')].map(e => getComputedStyle(e).fill)"
    )
    assert set(hollow) == {"rgb(26, 30, 34)"}
    at(page, WIDE)
    page.media("print", scheme="dark")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    ink = page.run("getComputedStyle(document.querySelector('.drawing .role-axis-label text')).fill")
    assert ink == "rgb(29, 33, 38)"
    # On paper a chart may be made smaller, but never sticks out.
    wider = (
        "[...document.querySelectorAll('.drawing svg')].filter(s => s.getBoundingClientRect().right > innerWidth + 1)"
    )
    assert page.run(f"{wider}.length") == 0
    page.media()
    page.pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert page.complaints() == []
