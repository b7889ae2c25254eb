"""A report as one HTML file that needs nothing but a browser."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.verdicts import CLOSE_CALL, SHORT, VERDICT_COLUMN, VERDICT_STYLES
from metameter.reporting.bibliography import bibtex, citation, keys_used, short_citation
from metameter.reporting.glance import picture_of, tile_names
from metameter.reporting.glossary import METRIC_COLUMNS, Glossary, glossary_of, hover, meaning_of, with_meanings
from metameter.reporting.report import across_figures, across_of, collections_of, sections_of, tallies_of
from metameter.view.charts.export import script_hash, vega_bundle, vega_licences
from metameter.view.charts.theme import LEVELS, LINES_ON_DARK, PALETTE_ON_DARK
from metameter.view.escape import escape_html, visible
from metameter.view.tables.columns import label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jinja2 import Environment
    from markupsafe import Markup

    from metameter.reporting.report import Report, Tally
    from metameter.reporting.tables import ShownColumn, ShownTable


def render(report: Report) -> str:
    """Render a report as one self-contained HTML page; the same report gives the same bytes.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.reporting.report import CollectionPart, Report
    >>> coverage = pl.DataFrame({"system": ["<b>odd</b>"], "judged_at_10": [0.9]})
    >>> page = render(Report("Mine", ("Use RBP.",), (CollectionPart("robust", {"topics": 50}, coverage, {}),)))
    >>> "&lt;b&gt;odd&lt;/b&gt;" in page, "<b>odd" in page
    (True, False)
    """
    sections = sections_of(report)
    scripts = [_text("page.js"), _text("tables.js"), vega_bundle(), _text("charts.js")]
    keys = keys_used(report)
    tallies, glossary = tallies_of(report), glossary_of(report)
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            summaries=[(summary, picture_of(summary)) for summary in report.summaries],
            tallies=tallies,
            across=across_of(report),
            across_figures=across_figures(report),
            glossary=glossary,
            explained_after=glossary.first_in(report.answer),
            verdicts=[VERDICT_STYLES[name] for name in _verdicts(tallies)],
            collections=collections_of(report),
            sections=sections,
            several=len(report.collections) > 1,
            references=[(key, citation(key)) for key in keys],
            citations={each.name: [(key, short_citation(key)) for key in each.references] for each in sections},
            bibtex=bibtex(keys),
            manifest=json.dumps(report.manifest, indent=1, sort_keys=True, ensure_ascii=False, default=str),
            versions=_versions(report.manifest),
            styles=[_text("report.css"), _text("parts.css"), _text("summary.css"), style(), _text("print.css")],
            shapes=shapes(VERDICT_STYLES),
            close_call=CLOSE_CALL,
            close_calls=any(close for tally in tallies for *_, close in tally.counts),
            licences=vega_licences(),
            scripts=scripts,
            policy=_policy(scripts),
            tile_names=tile_names,
            meaning_title=_meaning_title(glossary),
            files=_files,
        )
    )


def _verdicts(tallies: list[Tally]) -> list[str]:
    """The verdicts that the report explains: those it gives."""
    arguments = [verdict for tally in tallies for verdict, *_ in tally.counts if verdict in VERDICT_STYLES]
    return VERDICT_COLUMN.in_order(arguments)


def _policy(scripts: list[str]) -> str:
    """A content security policy: nothing is loaded, only the report's own scripts run; Vega needs unsafe-eval."""
    own = " ".join(script_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src 'unsafe-eval' {own}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _versions(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    own = {"metameter": manifest["metameter"]} if "metameter" in manifest else {}
    return [(str(name), str(value)) for name, value in {**own, **manifest.get("versions", {})}.items()]


def _files(table: ShownTable) -> str:
    """The texts that the buttons download, as JSON for a script element."""
    return json.dumps({"csv": table.csv, "tex": table.latex}, ensure_ascii=False).replace("<", "\\u003c")


def _text(name: str) -> str:
    return files("metameter.reporting").joinpath("templates", name).read_text(encoding="utf-8")


def _explained(sentence: str, names: Mapping[str, str]) -> Markup:
    from markupsafe import Markup

    return Markup(with_meanings(sentence, names))  # noqa: S704  which escapes what it is given


def _meaning_title(glossary: Glossary) -> Callable[[str], Markup]:
    """A function that returns the tooltip of a metric as an attribute."""
    return _as_markup(lambda name: hover(glossary.names.get(name, "")))


def _as_markup(function: Callable[..., str]) -> Callable[..., Markup]:
    from markupsafe import Markup

    return lambda *arguments: Markup(function(*arguments))  # noqa: S704  of our own functions, which escape


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup, escape

    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Names come from files: characters that do not print are spelled out, then markup is escaped.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters.update(raw=Markup, label=label_of, lines=escape, explained=_explained)
    for markup in (badge, head, rows):  # each escapes the names in what it is given
        environment.globals[markup.__name__] = _as_markup(markup)
    return environment


def head(sheet: ShownTable) -> str:
    """The heading row of a table; tooltips explain the columns."""
    meanings = {column.name: sheet.column_meanings.get(column.name, "") for column in sheet.columns}
    cells = (
        f'<th scope="col"{_kind(column)}{hover(meanings[column.name])}>{escape_html(column.heading)}</th>'
        for column in sheet.columns
    )
    return f"<tr>{''.join(cells)}</tr>"


def rows(sheet: ShownTable) -> str:
    """All rows of a table; tooltips explain the names of metrics."""
    columns = [_cells(column, sheet, first=number == 0) for number, column in enumerate(sheet.columns)]
    begins = (
        f'<tr class="marked"{hover(sheet.marked[row])}>' if row in sheet.marked else "<tr>" for row in range(sheet.rows)
    )
    return "\n".join(
        f"{begin}{''.join(row)}</tr>" for begin, row in zip(begins, zip(*columns, strict=True), strict=True)
    )


def _cells(column: ShownColumn, sheet: ShownTable, *, first: bool) -> list[str]:
    tag = "th" if first else "td"
    begin = f'<th scope="row"{_kind(column)}' if first else f"<td{_kind(column)}"
    texts = _texts(column, sheet)
    values = [f' data-v="{escape_html(value)}"' if value and not first else "" for _, value in column.cells]
    if column.name in METRIC_COLUMNS:
        values = [_explanation(text, sheet.canonical.get(text, text)) for text, _ in column.cells]
    return [f"{begin}{value}>{text}</{tag}>" for text, value in zip(texts, values, strict=True)]


def _explanation(shown: str, canonical: str) -> str:
    """The attributes of a metric's cell: the tooltip, and the canonical name, by which rows can be filtered, too."""
    name = f' data-canonical="{escape_html(canonical)}"' if shown != canonical else ""
    return f"{hover(meaning_of(canonical, shown))}{name}"


def _texts(column: ShownColumn, sheet: ShownTable) -> list[str]:
    if column.kind == "verdict":
        return [badge(text, row in sheet.close) for row, (text, _) in enumerate(column.cells)]
    if column.kind == "cell":
        return [badge(text, short=True) if text else "" for text, _ in column.cells]
    texts = [escape_html(text) for text, _ in column.cells]
    if column.name in METRIC_COLUMNS:
        # A long name is broken after its star rather than anywhere.
        return [text.replace("*", "*<wbr>") for text in texts]
    if "bar" not in column.kind.split():
        return texts
    return [
        f'<span class="share" style="--share:{escape_html(value)}">{text}</span>' if value else text
        for text, (_, value) in zip(texts, column.cells, strict=True)
    ]


def _kind(column: ShownColumn) -> str:
    return f' class="{column.kind}"' if column.kind else ""


def badge(verdict: str, close: bool = False, *, short: bool = False) -> str:
    """A verdict as HTML: shape and text; a close call has a hollow shape and says so; ``short`` for small cells.

    Examples
    --------
    >>> badge("worse")
    '<span class="badge worse"><svg class="mark" aria-hidden="true"><use href="#mark-worse"/></svg>worse</span>'
    >>> badge("unheard of")
    '<span class="badge">unheard of</span>'
    """
    text = escape_html((SHORT.get(verdict, verdict) if short else verdict).replace("-", " "))
    if verdict not in VERDICT_STYLES:
        return f'<span class="badge">{text}</span>'
    mark = f'<svg class="mark" aria-hidden="true"><use href="#mark-{verdict}"/></svg>'
    kind, call = (" close", f' <span class="call">({CLOSE_CALL})</span>') if close else ("", "")
    return f'<span class="badge {verdict}{kind}">{mark}{text}{call}</span>'


def shapes(verdicts: Iterable[str]) -> str:
    """The shapes that badges refer to, as SVG."""
    known = (VERDICT_STYLES[each] for each in verdicts if each in VERDICT_STYLES)
    symbols = "".join(
        f'<symbol id="mark-{each.name}" viewBox="-1.35 -1.35 2.7 2.7"><path d="{each.shape}"/></symbol>'
        for each in known
    )
    return f'<svg class="unseen" aria-hidden="true">{symbols}</svg>'


def style() -> str:
    """The style sheet of colours: charts are drawn for white paper; on a dark page their colours change."""
    badges = (
        f".badge.{each.name} {{ --mark: light-dark({each.colour}, {each.dark}); }}" for each in VERDICT_STYLES.values()
    )
    colours = {each.colour: each.dark for each in VERDICT_STYLES.values()} | PALETTE_ON_DARK | LINES_ON_DARK | LEVELS
    charts = (
        f'.drawing [{side}="{light}"] {{ {side}: light-dark({light}, {dark}); }}'
        for light, dark in colours.items()
        for side in ("fill", "stroke")
    )
    return "\n".join(["/* One colour a meaning. */", *badges, *charts, ""])
