"""Charts as files: a page that needs no network, and figures for a paper."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from metameter.view.charts.export.bundle import vega_bundle, vega_licences
from metameter.view.escape import escape_html, visible
from metameter.view.files.output_files import write_whole

# Shows every chart of a page in the element that follows its specification. No links to the Vega editor.
EMBED = """
for (const holder of document.querySelectorAll('script[type="application/json"].chart')) {
  vegaEmbed(holder.nextElementSibling, JSON.parse(holder.textContent),
    {renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}});
}
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ font-family: "Liberation Sans", Arial, Helvetica, sans-serif; margin: 1.5rem; background: #fff; }}
.view {{ overflow-x: auto; }}</style>
</head>
<body>
<h1>{title}</h1>
<script type="application/json" class="chart">{spec}</script>
<div class="view" role="img" aria-label="{title}"></div>
<noscript>This chart needs JavaScript; everything it needs is in this file.</noscript>
{licences}
<script>{bundle}</script>
<script>{embed}</script>
</body>
</html>
"""

# As JSON spells them: control characters, which no drawing can hold (over them the library ends the whole process),
# changes of direction, and what is no character. Before each an even number of backslashes.
_CONTROL = re.compile(r"(?<!\\)((?:\\\\)*)\\(u(?:00[0189][0-9a-f]|007f|202[a-e]|206[6-9]|fff[ef])|[bf])")


def spec_json(chart: Any) -> str:
    r"""A chart, or its specification, as JSON that can stand in a script element, whatever is written in it.

    Examples
    --------
    >>> print(spec_json({"title": "</script>"}))
    {"title":"\u003c/script>"}
    >>> print(spec_json({"title": "\x1b[31m"}))
    {"title":"\\x1b[31m"}
    """
    spec = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    text = json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return _CONTROL.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    char = json.loads(f'"\\{found[2]}"')
    return found[1] + json.dumps(visible(char))[1:-1]


def script_hash(script: str) -> str:
    """A script's entry in a content security policy: the browser runs this script and none that a name smuggled in."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def save_html(chart: Any, path: str | os.PathLike[str], title: str) -> Path:
    """Write a chart as one file that can be opened, pointed at and mailed without a network."""
    bundle = vega_bundle()
    # Vega compiles its expressions, which needs unsafe-eval; nothing from outside the file is allowed.
    scripts = f"script-src 'unsafe-eval' {script_hash(bundle)} {script_hash(EMBED)}"
    policy = f"default-src 'none'; {scripts}; style-src 'unsafe-inline'; img-src data: blob:"
    parts = {"title": escape_html(title), "spec": spec_json(chart), "bundle": bundle, "embed": EMBED}
    page = _PAGE.format(policy=policy, licences=vega_licences(), **parts)
    return write_whole(path, page)


def save_figures(chart: Any, stem: str | os.PathLike[str]) -> list[Path]:
    """Write a chart as ``stem.svg`` and ``stem.pdf``; returns the paths."""
    import vl_convert

    svg = without_drawing_ids(vl_convert.vegalite_to_svg(spec_json(chart), allowed_base_urls=[]))
    pdf: bytes = vl_convert.svg_to_pdf(svg)
    # Not with_suffix, which would cut a stem such as "RBP(p=0.8)".
    return [write_whole(f"{os.fspath(stem)}{suffix}", data) for suffix, data in ((".svg", svg), (".pdf", pdf))]


def without_drawing_ids(svg: str) -> str:
    """The figure without what differs between two drawings of it.

    Vega goes on counting gradients and clips from one chart to the next, so they are numbered anew. It also keeps
    labels for which there is no room as invisible text, which the PDF writer lists in an order that changes: that text
    is left out.

    Examples
    --------
    >>> without_drawing_ids('<text opacity="0">gone</text><path fill="url(#gradient_7)"/>')
    '<path fill="url(#gradient_0)"/>'
    """
    shown = re.sub(r'<text [^<>]*\bopacity="0"[^<>]*>[^<>]*</text>', "", svg)
    numbers: dict[str, int] = {}
    mark = r'(?<=[#"])(gradient_|clip)(\d+)(?=[")])'
    return re.sub(mark, lambda match: f"{match[1]}{numbers.setdefault(match[0], len(numbers))}", shown)
