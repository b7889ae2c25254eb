"""The report in a real browser."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from metameter.reporting.html import render
from metameter.reporting.report import Report

pytestmark = pytest.mark.slow

REACHABLE = """[...document.querySelectorAll('a[href], button, input, summary, pre, .scroll, text[tabindex="0"]')]
  .filter(e => e.checkVisibility())"""
TAB = 9


@pytest.fixture(scope="module")
def report(sample: ModuleType) -> Report:
    return sample.small()


@pytest.fixture(scope="module")
def page(chromium: ModuleType, report: Report, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("report")
    (folder / "report.html").write_text(render(report), encoding="utf-8")
    with chromium.Tab(folder / "profile") as opened:
        opened.folder = folder
        opened.open(folder / "report.html")
        opened.wait("document.documentElement.dataset.charts === 'drawn'")
        yield opened


FOLDED = "document.querySelectorAll('details')"


def choose(name: str, selector: str) -> str:
    return f"document.querySelector('.sheet[data-name={name}]').querySelector({json.dumps(selector)})"


def column(page: Any, name: str, number: int) -> list[str]:
    rows = f"document.querySelectorAll('.sheet[data-name={name}] tbody tr')"
    return list(page.run(f"[...{rows}].map(row => row.cells[{number}].textContent)"))


def test_every_chart_is_drawn(page: Any, report: Report) -> None:
    charts = sum(len(result.charts()) for part in report.collections for result in part.results.values())
    drawn = page.run("[...document.querySelectorAll('.drawing')].map(d => d.querySelectorAll('svg path').length)")
    assert len(drawn) == charts
    assert min(drawn) > 3
    labels = page.run("[...document.querySelectorAll('.drawing')].map(d => d.ariaLabel)")
    assert all(labels)
    assert any("Most alike: " in each for each in labels)


def test_an_odd_name_runs_no_script(page: Any, sample: ModuleType) -> None:
    shown = page.run("document.querySelector('.sheet[data-name=coverage] tbody th').textContent")
    assert shown == sample.ODD
    labels = page.run("[...document.querySelectorAll('.drawing text')].map(t => t.textContent)")
    assert any(label.startswith("x</script>") for label in labels)
    assert page.run("[...document.scripts].filter(s => s.type !== 'application/json').length") == 4
    page.run("document.querySelector('.drawing[data-name=compare] .role-mark path').id = 'pointed'")
    page.hover("#pointed")
    page.wait("document.querySelector('#vg-tooltip-element')?.textContent.length > 0", 10)
    assert page.run("document.querySelectorAll('#vg-tooltip-element script').length") == 0


def test_clicking_a_heading_sorts_the_table(page: Any) -> None:
    before = column(page, "consistency", 2)
    button = "thead th:nth-child(3) button"
    heading = choose("consistency", "thead th:nth-child(3)")
    assert page.run(f"{heading}.textContent") == "mean tau"
    seen = []
    for order in ("descending", "ascending", "none"):
        page.run(choose("consistency", button) + ".click()")
        assert page.run(f"{heading}.getAttribute('aria-sort')") == order
        seen.append(column(page, "consistency", 2))
    assert [float(cell) for cell in seen[0]] == sorted(map(float, before), reverse=True)
    assert [float(cell) for cell in seen[1]] == sorted(map(float, before))
    assert seen[2] == before
    page.run(choose("consistency", "thead th:nth-child(1) button") + ".click()")
    assert column(page, "consistency", 0)[0].startswith("ERR@10")
    page.run(choose("consistency", "thead th:nth-child(1) button") + ".click()")
    page.run(choose("consistency", "thead th:nth-child(1) button") + ".click()")


def test_a_filter_keeps_the_matching_rows(page: Any) -> None:
    field = choose("power_pairs", ".filter")
    page.run(f"{field}.value = 'RBP MAX'; {field}.dispatchEvent(new Event('input'))")
    left = "document.querySelectorAll('.sheet[data-name=power_pairs] tbody tr:not([hidden])')"
    rows = page.run(f"[...{left}].map(row => row.textContent)")
    assert rows
    assert all("RBP" in row and "max" in row for row in rows)
    page.run(f"{field}.value = ''; {field}.dispatchEvent(new Event('input'))")


def test_error_columns_are_hidden_until_requested(page: Any) -> None:
    page.run(f"{FOLDED}.forEach(d => d.open = true)")
    cell, button = choose("power", "td.error"), choose("power", "button.errors")
    assert not page.run(f"{cell}.checkVisibility()")
    page.run(f"{button}.click()")
    assert page.run(f"{cell}.checkVisibility()")
    assert page.run(f"{button}.getAttribute('aria-pressed')") == "true"
    page.run(f"{button}.click()")
    page.run(f"{FOLDED}.forEach(d => d.open = false)")


def test_tables_are_saved_as_csv_and_latex(page: Any, report: Report, sample: ModuleType) -> None:
    from metameter.view.tables.csv import to_csv

    results = report.collections[0].results
    for name in ("power", "consistency"):
        page.run(choose(name, "button.save[data-kind=csv]") + ".click()")
        assert page.downloaded(f"{name}.csv").decode() == to_csv(results[name].table) + "\n"
        page.run(choose(name, "button.save[data-kind=tex]") + ".click()")
        assert page.downloaded(f"{name}.tex").decode() == results[name].latex()[name] + "\n"
    page.run(choose("coverage", "button.save[data-kind=csv]") + ".click()")
    rows = list(csv.DictReader(io.StringIO(page.downloaded("coverage.csv").decode())))
    assert rows[0]["system"] == sample.ODD


def test_charts_references_and_manifest_are_saved(page: Any, report: Report) -> None:
    for kind, begin in (("svg", b"<svg"), ("png", b"\x89PNG")):
        page.run(f"document.querySelector('#similarity button.image[data-kind={kind}]').click()")
        assert page.downloaded(f"similarity.{kind}").startswith(begin)
    page.run("document.querySelector('[data-save=\"references.bib\"]').click()")
    assert page.downloaded("references.bib").startswith(b"@")
    page.run("document.querySelector('[data-save=\"manifest.json\"]').click()")
    assert json.loads(page.downloaded("manifest.json")) == report.manifest


def test_the_keyboard_reaches_every_control(page: Any) -> None:
    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.run(f"{REACHABLE}.forEach((e, i) => e.dataset.stop = i); document.activeElement.blur()")
    expected = page.run(f"{REACHABLE}.length")
    assert expected > 60
    seen = set()
    for _ in range(expected + 20):
        page.press("Tab", TAB)
        stop = page.run("document.activeElement?.dataset?.stop ?? null")
        if stop is None and len(seen) >= expected:
            break
        seen.add(stop)
    missed = page.run(f"{REACHABLE}.map(e => [e.dataset.stop, e.outerHTML.slice(0, 120)])")
    assert not [each for each in missed if each[0] not in seen]
    page.run("document.querySelectorAll('details').forEach(d => d.open = false)")


def test_keys_act_like_clicks(page: Any) -> None:
    page.run(f"{FOLDED}.forEach(d => d.open = true)")
    head = choose("power", "thead th:nth-child(2)")
    page.run(f"{head}.querySelector('button').focus()")
    page.press("Enter", 13, text="\r")
    assert page.run(f"{head}.getAttribute('aria-sort')") == "descending"
    # A curve is picked out from the legend, and the others fade.
    labels = "document.querySelectorAll('.drawing[data-name=power_curve] .role-legend-label text[tabindex]')"
    faded = "[...document.querySelectorAll('.drawing[data-name=power_curve] [opacity=\"0.12\"]')].length"
    assert page.run(faded) == 0
    page.run(f"{labels}[0].focus()")
    page.press("ArrowDown", 40)
    assert page.run(f"document.activeElement === {labels}[1]")
    page.press("Enter", 13, text="\r")
    page.wait(f"{faded} > 0", 10)
    page.run(f"{FOLDED}.forEach(d => d.open = false)")


def brightness(page: Any) -> float:
    colour = page.run("getComputedStyle(document.body).backgroundColor")
    return sum(map(float, colour[colour.index("(") + 1 : -1].split(",")[:3])) / 765


def test_pages_adapt_to_light_dark_and_paper(page: Any) -> None:
    assert brightness(page) > 0.9
    page.screenshot(page.folder / "light.png")
    page.media(scheme="dark")
    assert brightness(page) < 0.2
    label = "document.querySelector('.drawing .role-axis-label text')"
    assert "232" in page.run(f"getComputedStyle({label}).fill")
    page.screenshot(page.folder / "dark.png")
    page.run("document.getElementById('theme').click()")
    assert brightness(page) > 0.9
    page.run("document.getElementById('theme').click()")
    assert page.run("document.getElementById('theme').getAttribute('aria-pressed')") == "true"
    page.media("print", scheme="dark")
    assert brightness(page) == 1.0
    assert not page.run("[...document.querySelectorAll('button, input')].some(e => e.checkVisibility())")
    # Nothing is cut off: no table sticks out of its place.
    seen = "[...document.querySelectorAll('.scroll')].filter(s => s.checkVisibility())"
    assert page.run(f"{seen}.every(s => s.scrollHeight <= s.clientHeight + 1)")
    page.media()
    page.pdf(page.folder / "report.pdf")
    assert (page.folder / "report.pdf").read_bytes().startswith(b"%PDF")
    page.run("delete document.documentElement.dataset.theme")


def test_the_page_logs_no_error_and_sends_no_request(page: Any) -> None:
    assert page.complaints() == []
    assert page.requests() == [(page.folder / "report.html").as_uri()]


def test_without_scripts_all_tables_are_visible(chromium: ModuleType, report: Report, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(render(report), encoding="utf-8")
    with chromium.Tab(tmp_path / "profile") as opened:
        opened.call("Emulation.setScriptExecutionDisabled", value=True)
        opened.open(tmp_path / "report.html")
        opened.call("Emulation.setScriptExecutionDisabled", value=False)
        assert not opened.run("[...document.querySelectorAll('button')].some(e => e.checkVisibility())")
        # What is folded can be unfolded without scripts.
        opened.run(f"{FOLDED}.forEach(d => d.open = true)")
        assert opened.run("document.querySelector('.sheet[data-name=power] td.error').checkVisibility()")


def test_a_table_of_verdicts_fits_a_small_screen(chromium: ModuleType, sample: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(render(sample.small(odd=False)), encoding="utf-8")
    with chromium.Tab(tmp_path / "profile", 1280, 900) as opened:
        opened.open(tmp_path / "report.html")
        held, needed = opened.run(
            "(scroll => [scroll.clientWidth, scroll.scrollWidth])(document.querySelector('#recommendation .scroll'))"
        )
    assert needed <= held
