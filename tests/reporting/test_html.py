from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from types import ModuleType

import polars as pl
import pytest

from metameter.docstrings import summary
from metameter.meta.base import Across
from metameter.meta.framework.declarations import declarations
from metameter.meta.framework.verdicts import VERDICT_STYLES
from metameter.meta.recommend.across_collections import forest_chart
from metameter.metric.compose import parse_metric
from metameter.notices import MetameterWarning
from metameter.registry import get
from metameter.reporting import html as html_module
from metameter.reporting.bibliography import citation, entries, fields_of, keys_of_result, keys_used
from metameter.reporting.coverage import hardly_judged, warnings
from metameter.reporting.html import render
from metameter.reporting.report import CollectionPart, Report, report_of
from metameter.reporting.tables import shown_table, shown_tables
from metameter.view.charts.export import script_hash, vega_bundle
from metameter.view.escape import escape_html
from metameter.view.result import Result
from metameter.view.tables.csv import to_csv

LIMIT = 5_000_000


class Tree(HTMLParser):
    """Every element with its attributes and text, as a browser would see them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)
        elif not self._open or self._open[-1] != "style":
            self.text.append(data)

    def having(self, **wanted: str) -> list[dict[str, str | None]]:
        return [found for _, found in self.elements if all(found.get(name) == value for name, value in wanted.items())]


@pytest.fixture(scope="module")
def page(sample: ModuleType) -> str:
    return render(sample.small())


@pytest.fixture(scope="module")
def tree(page: str) -> Tree:
    return Tree(page)


def test_an_odd_name_is_escaped(sample: ModuleType, page: str, tree: Tree) -> None:
    assert sample.ODD not in page
    assert "<script>alert" not in page
    assert any(sample.ODD in text for text in tree.text)
    own = [text for attributes, text in tree.scripts if attributes.get("type") != "application/json"]
    assert own == [
        html_module._text("page.js"),
        html_module._text("tables.js"),
        vega_bundle(),
        html_module._text("charts.js"),
    ]


def test_embedded_data_is_json_whatever_its_names(sample: ModuleType, tree: Tree) -> None:
    data = [(kind["class"], json.loads(text)) for kind, text in tree.scripts if kind.get("type") == "application/json"]
    assert {kind for kind, _ in data} == {"chart", "files"}
    charts = [spec for kind, spec in data if kind == "chart"]
    assert any(sample.ODD in json.dumps(spec) for spec in charts)
    assert all(spec["description"] for spec in charts)


def test_control_characters_are_escaped() -> None:
    coverage = pl.DataFrame({"system": ["a\x1b[31m\u202eb"], "judged_at_10": [0.5]})
    page = render(Report("r\u202et", ("a\x07b",), (CollectionPart("c", {}, coverage, {}),)))
    shown = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"a\x1b[31m\u202eb" in shown
    assert r"r\u202et" in shown


def test_the_page_loads_nothing_and_runs_only_its_scripts(tree: Tree) -> None:
    for tag, attributes in tree.elements:
        assert tag not in {"link", "iframe", "img", "object", "embed", "base", "form"}
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    [policy] = tree.having(**{"http-equiv": "Content-Security-Policy"})
    allowed = re.findall(r"'sha256-[^']*'", str(policy["content"]))
    own = [text for kind, text in tree.scripts if kind.get("type") != "application/json"]
    assert allowed == [script_hash(text) for text in own]
    assert "default-src 'none'" in str(policy["content"])


def test_the_answer_comes_first_and_every_link_resolves(sample: ModuleType, page: str, tree: Tree) -> None:
    places = [found["id"] for _, found in tree.elements if "id" in found]
    assert len(places) == len(set(places))
    links = [str(found["href"])[1:] for _, found in tree.elements if "href" in found]
    assert set(links) <= set(places)
    sections = [found["id"] for tag, found in tree.elements if tag == "section"]
    procedures = ["compare", "recommendation", "similarity", "consistency", "power"]
    assert sections == ["answer", "collection", *procedures, "methods", "reproduce"]
    text = "".join(tree.text)
    assert text.index(sample.ANSWER[0]) < text.index("86,830")


def test_heading_levels_are_not_skipped(tree: Tree) -> None:
    levels = [int(tag[1]) for tag, _ in tree.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_drawing_and_control_has_a_name(tree: Tree) -> None:
    ids = {found["id"] for _, found in tree.elements if "id" in found}
    for tag, found in tree.elements:
        if tag in {"figure", "section", "table"}:
            assert found.get("aria-labelledby") in ids
        if tag in {"button", "input"}:
            assert found.get("aria-label") or "data-save" in found
        if found.get("tabindex") == "0":
            assert found.get("aria-labelledby") in ids or found.get("aria-label")


def badges(page: str) -> list[tuple[str, str, str]]:
    """Classes, shape and words of every badge."""
    found = re.findall(r'<span class="badge ([^"]*)"><svg[^>]*><use href="#mark-([^"]*)"/></svg>(.*?)</span>', page)
    return [(classes, shape, words) for classes, shape, words in found]


def test_a_verdict_has_words_and_a_shape(sample: ModuleType, page: str) -> None:
    assert {shape for _, shape, _ in badges(page)} == set(sample.VERDICTS)
    for classes, shape, words in badges(page):
        assert classes.split()[0] == shape
        assert words.startswith(shape.replace("-", " "))
        path = VERDICT_STYLES[shape].shape
        assert f'<symbol id="mark-{shape}" viewBox="-1.35 -1.35 2.7 2.7"><path d="{path}"/>' in page


def test_a_close_call_is_marked_everywhere(page: str) -> None:
    # Of nine rows in the table the second, fifth and eighth.
    close = [words for classes, _, words in badges(page) if classes.endswith(" close")]
    assert len(close) == 3
    assert all(words.endswith('<span class="call">(close call)') for words in close)
    assert page.count("(1 close call)</span></a>") == 3
    assert "Hollow and dashed: a close call" in page
    assert "<dd>a hollow mark and a dashed border" in page


def test_charts_and_badges_share_their_colours(page: str, tree: Tree) -> None:
    drawn = [json.loads(text) for kind, text in tree.scripts if kind.get("class") == "chart"]
    scales = re.findall(r'"scale": ({"domain": \[[^]]*\], "range": \[[^]]*\]})', json.dumps(drawn))
    colours = [scale for scale in map(json.loads, scales) if set(scale["domain"]) <= set(VERDICT_STYLES)]
    assert colours
    for scale in colours:
        for verdict, shown in zip(scale["domain"], scale["range"], strict=True):
            assert shown in (VERDICT_STYLES[verdict].colour, VERDICT_STYLES[verdict].shape)
    for meaning in VERDICT_STYLES.values():
        assert f".badge.{meaning.name} {{ --mark: light-dark({meaning.colour}, {meaning.dark}); }}" in page


def test_findings_come_before_rows_without_evidence(sample: ModuleType) -> None:
    result = sample.recommendation(tuple(sample.METRICS))
    assert result.table["verdict"][0] == "no-evidence"
    table = shown_tables(result)[0]
    [verdicts] = [[text for text, _ in column.cells] for column in table.columns if column.name == "verdict"]
    assert verdicts == in_order_of_news_all(verdicts)
    assert verdicts[0] == "better-and-similar"
    assert verdicts[-1] == "no-evidence"
    # The rows that are close calls are the same ones.
    [names] = [[text for text, _ in column.cells] for column in table.columns if column.name == "metric"]
    close = set(result.table.filter("close_call")["metric"])
    assert {names[row] for row in table.close} == close


def in_order_of_news_all(verdicts: list[str]) -> list[str]:
    return sorted(verdicts, key=list(VERDICT_STYLES).index)


def test_charts_precede_tables(page: str) -> None:
    for name in ("metrics", "recommendation", "power", "consistency"):
        drawing, sheet = (page.index(f'class="{kind}" data-name="{name}"') for kind in ("drawing", "sheet card"))
        assert drawing < sheet


def test_the_answer_begins_with_tiles_and_the_picture(page: str) -> None:
    places = [page.index(each) for each in ('class="glance"', 'class="tile deep"', 'class="picture"', "<details")]
    assert places == sorted(places)


def test_names_are_explained_at_first_use(sample: ModuleType, page: str) -> None:
    answer = page[page.index('<section id="answer"') : page.index('<section id="collection"')]
    for name in ("ERG", "ETG", "max", "fin"):
        assert f"<dfn>{name}</dfn>: {summary(get('aggregate', name))}" in answer
    # Right after the first sentence, which names some.
    assert answer.index("max</abbr>") < answer.index("<dfn>") < answer.index("For RBP there is")
    assert f"<dt>ERR</dt><dd>{summary(get('browse', 'ERR'))}</dd>" in answer
    # Aggregations that do not occur are not explained.
    assert "<dfn>avg</dfn>" not in page
    meaning = "ERR: " + summary(get("browse", "ERR")) + "&#10;ERG: " + summary(get("aggregate", "ERG"))
    assert f'<th scope="row" title="{meaning}">ERR@10*<wbr>ERG</th>' in page
    assert f'<abbr title="{meaning}">ERR@10*ERG</abbr> tells more systems apart than <abbr' in answer


def test_poorly_judged_systems_are_named_and_marked(sample: ModuleType, page: str) -> None:
    # Of six, 1 to .4 judged and a residual of 0 to .3: the last has less than half, the last two more than .2.
    names = [escape_html(name) for name in sample.small().collections[0].coverage["system"]]
    assert f"1 of 6 systems has fewer than half of its top ten judged: {names[5]}. Its scores are lower bounds" in page
    assert f"2 of 6 systems have a residual above .2: {names[5]}, {names[4]}." in page
    assert page.count('<tr class="marked" title="fewer than half of its top ten judged, residual above .2">') == 1
    assert page.count('<tr class="marked" title="residual above .2">') == 1


def test_complete_judgments_give_no_warning() -> None:
    coverage = pl.DataFrame({"system": ["a"], "judged_at_10": [0.5], "residual": [0.2]})
    assert warnings(coverage) == []
    assert hardly_judged(coverage) == {}
    assert warnings(coverage.drop("judged_at_10", "residual")) == []
    unknown = coverage.with_columns(judged_at_10=pl.lit(None, pl.Float64))
    assert warnings(unknown) == []
    many = pl.DataFrame({"system": [f"s{i}" for i in range(12)], "judged_at_10": [i / 100 for i in range(12)]})
    assert (
        "12 of 12 systems have fewer than half of their top ten judged: s0, s1, s2, s3, s4, s5, s6, s7 and 4 more."
        in (warnings(many)[0])
    )


def test_row_wise_intervals_share_one_column(sample: ModuleType) -> None:
    frame = pl.DataFrame(
        {"metric": ["a", "b"], "power_low_row": [0.1, 0.2], "power_high_row": [0.3, 0.4], "lowest": [1, 2]}
    )
    columns = shown_table("t", frame).columns
    assert [(each.heading, each.cells[0][0]) for each in columns] == [
        ("metric", "a"),
        ("power interval, alone", "[0.100, 0.300]"),
        ("lowest", "1"),
    ]


def test_bibtex_lists_exactly_the_references_used(sample: ModuleType, tree: Tree) -> None:
    report = sample.small(odd=False)
    keys = keys_used(report)
    parts = [parse_metric(name) for name in sample.METRICS]
    metrics = {part.reference for each in parts for part in (each.model, each.aggregation)}  # type: ignore[attr-defined]
    assert metrics <= set(keys)
    # Of other browsing models and metrics there is nothing.
    assert not {"jarvelin2002", "moffat2017", "robertson2008", "buckley2004"} & set(keys)
    assert "fieller1957" in keys
    text = render(report)
    block = text[text.index('aria-label="BibTeX">') : text.index("</pre>", text.index('aria-label="BibTeX">'))]
    assert re.findall(r"@\w+\{(\w+),", block) == keys
    cited = set(re.findall(r'class="cite" href="#ref-(\w+)"', text))
    assert cited <= set(keys) == set(re.findall(r'<li id="ref-(\w+)"', text))


def test_references_of_unused_options_are_left_out(sample: ModuleType) -> None:
    assert "carterette2012" in keys_of_result("power", {"test": "tukey-randomised"})
    assert "carterette2012" not in keys_of_result("power", {"test": "t"})


def test_downloads_hold_the_whole_table(sample: ModuleType) -> None:
    result = sample.small().collections[0].results["consistency"]
    first = shown_tables(result)[0]
    assert first.csv == to_csv(result.table) + "\n"
    assert first.latex == result.latex()["consistency"] + "\n"


def test_a_very_long_table_is_cut_with_a_note() -> None:
    frame = pl.DataFrame({"metric": ["AP"] * 1001, "p": [i / 1001 for i in range(1000, -1, -1)], "same": [1] * 1001})
    part = CollectionPart("c", {}, pl.DataFrame({"system": ["a"]}), {"power": Result({"power_pairs": frame})})
    page = render(Report("t", ("a",), (part,)))
    assert "The 100 rows with the smallest p. All 1,001 stand in <code>power_pairs.csv</code>" in page
    first = shown_tables(Result({"power_pairs": frame}))[0].columns
    assert [column.cells[0][1] for column in first if column.name == "p"] == ["0.0"]
    other = shown_tables(Result({"power_pairs": frame.drop("p").with_row_index("number")}))[0]
    assert (other.by_p, other.columns[-2].name, other.columns[-2].cells[0][1]) == (False, "number", "0")
    # What is the same in the rows shown need not be so in the others.
    assert "In every row" not in page
    rows = [tag for tag, _ in Tree(page).elements if tag == "tr"]
    assert len(rows) == (1 + 1) + (1 + 100)


def test_one_collection_is_named_once() -> None:
    part = CollectionPart("robust", {}, pl.DataFrame({"system": ["a"]}), {})
    assert 'class="scope"' not in render(Report("Which metrics are stable here: robust", ("a",), (part,)))
    assert 'class="scope"' in render(Report("Mine", ("a",), (part,)))


def test_every_reference_has_all_its_fields() -> None:
    for key in entries():
        fields = fields_of(key)
        # Software such as trec_eval has no year.
        wanted = {"author", "title"} if entries()[key].startswith("@misc") else {"author", "title", "year"}
        assert wanted <= set(fields), key
        assert all(value and value == " ".join(value.split()) for value in fields.values()), key
    assert "Consistency and Discriminative Power" in citation("chen2023")


def test_several_collections_have_separate_tables(sample: ModuleType) -> None:
    page = render(sample.small(collections=2, odd=False))
    tree = Tree(page)
    assert tree.having(id="shared")
    assert tree.having(id="power-1")
    assert tree.having(id="power-2")
    names = [str(found["data-name"]) for found in tree.having(**{"class": "sheet card"})]
    assert len(names) == len(set(names))
    assert {"power-Collection_1", "power-Collection_2"} <= set(names)


def test_shared_findings_precede_those_of_each_collection(sample: ModuleType) -> None:
    parts = sample.small(collections=2, odd=False).collections
    report = report_of("t", parts, {})
    assert ": in both collections none of them is shown to be below another. " in report.answer[0]
    assert report.answer[1].startswith("How sure: all statements of better and worse in all 2 collections")
    assert report.answer[2].startswith("Two collections are too few to pool differences: ")
    assert report.answer[3].startswith("In both collections: of 8 comparisons")
    assert report.answer[4].startswith("Stability is not validity: ")
    assert list(report.across["recommendation"]) == ["findings"]
    assert "Findings by collection" in render(report)


def test_charts_of_all_collections_precede_the_tables(sample: ModuleType) -> None:
    page = render(sample.small(collections=2, odd=False))
    assert page.index('<section id="shared"') < page.index('data-name="forest"') < page.index("Findings by collection")
    assert "Numbers tell the collections: 1 Collection 1, 2 Collection 2." in page


def together(results: Mapping[str, Result]) -> Across:
    return Across((), {}, {"forest": forest_chart({name: result.table for name, result in results.items()})})


def test_charts_over_all_collections_are_shown(sample: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = sample.small(collections=2, odd=False).collections
    declared = declarations()["recommendation"]
    known = {**declarations(), "recommendation": replace(declared, across=together)}
    monkeypatch.setattr("metameter.reporting.report.declarations", lambda: known)
    report = report_of("t", parts, {})
    assert list(report.charts["recommendation"]) == ["forest"]
    assert 'data-name="forest"' in render(report)


def test_a_result_without_its_procedure_gives_a_notice() -> None:
    result = Result({"entropy": pl.DataFrame({"metric": ["AP"], "bits": [1.5]})}, notes=("In bits.",))
    part = CollectionPart("c", {"grades": {"0": 1}}, pl.DataFrame({"system": ["a"]}), {"entropy": result})
    with pytest.warns(MetameterWarning, match="entropy"):
        page = render(Report("t", ("a",), (part,)))
    assert "In bits." not in page


def test_an_empty_report_can_be_rendered() -> None:
    assert "The answer" in render(Report("t", (), ()))


def test_the_same_report_gives_the_same_bytes(sample: ModuleType, page: str) -> None:
    assert render(sample.small()) == page


@pytest.mark.slow
def test_129_systems_and_39_metrics_fit_into_5_megabytes(sample: ModuleType) -> None:
    report = sample.large()
    assert report.collections[0].results["power"].tables["power_pairs"].height == 39 * 129 * 128 // 2
    assert len(render(report).encode()) < LIMIT
