"""A report as one HTML file that needs nothing but a browser."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from metameter.reporting.bibliography import bibtex, citation, cited, keys_of_procedure, keys_used
from metameter.reporting.glossary import label_of
from metameter.reporting.sections import Section, answer_of, collections_of, sections_of, verdicts_of
from metameter.reporting.tables import Sheet, sheet
from metameter.view.charts.page import script_hash, vega_bundle
from metameter.view.escape import visible

if TYPE_CHECKING:
    from jinja2 import Environment

    from metameter.reporting.model import Report

__all__ = ["render"]

_SCRIPTS = ("page.js", "tables.js", "charts.js")


def render(report: Report) -> str:
    """The report as one HTML page: no network, no other file; the same report gives the same bytes.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.reporting.model import CollectionPart, Report
    >>> coverage = pl.DataFrame({"system": ["<b>odd</b>"], "judged_at_10": [0.9]})
    >>> page = render(Report("Mine", ("Use RBP.",), (CollectionPart("robust", {"topics": 50}, coverage, {}),)))
    >>> "&lt;b&gt;odd&lt;/b&gt;" in page, "<b>odd" in page
    (True, False)
    """
    # Putting the Vega bundle together takes as long as all the rest, on a core of its own.
    with ThreadPoolExecutor(1) as aside:
        bundle = aside.submit(vega_bundle)
        sections = sections_of(report)
        collections = collections_of(report)
        scripts = [_text(name) for name in _SCRIPTS]
        scripts.insert(2, bundle.result())
    keys = keys_used(report)
    template = _environment().get_template("report.html")
    return template.render(
        report=report,
        answer=answer_of(report),
        verdicts=verdicts_of(report),
        shared=None if report.shared is None else sheet("shared", report.shared),
        collections=collections,
        sections=sections,
        several=len(report.collections) > 1,
        references=[(key, citation(key)) for key in keys],
        citations={section.name: _citations(section, keys) for section in sections},
        bibtex=bibtex(keys),
        manifest=json.dumps(report.manifest, indent=1, sort_keys=True, ensure_ascii=False, default=str),
        versions=_versions(report.manifest),
        styles=[_text("report.css"), _text("parts.css"), _text("print.css")],
        scripts=scripts,
        policy=_policy(scripts),
        files=_files,
    )


def _citations(section: Section, keys: list[str]) -> list[tuple[str, str]]:
    return [(key, cited(key)) for key in keys_of_procedure(section.name, section.options) if key in keys]


def _policy(scripts: list[str]) -> str:
    """Nothing is loaded, and no script runs but the report's own; Vega compiles its expressions, hence unsafe-eval."""
    own = " ".join(script_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src 'unsafe-eval' {own}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _versions(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    own = {"metameter": manifest["metameter"]} if "metameter" in manifest else {}
    return [(str(name), str(value)) for name, value in {**own, **manifest.get("versions", {})}.items()]


def _files(sheet: Sheet) -> str:
    """What the buttons download, as JSON that can stand in a script element."""
    return json.dumps({"csv": sheet.csv, "tex": sheet.latex}, ensure_ascii=False).replace("<", "\\u003c")


def _text(name: str) -> str:
    return files("metameter.reporting").joinpath("templates", name).read_text(encoding="utf-8")


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
        # Names come from files: what does not print is written out, before what is markup is escaped.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters.update(raw=Markup, label=label_of, lines=escape)
    return environment
