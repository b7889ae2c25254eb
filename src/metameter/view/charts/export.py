"""Charts as files: pages that need no network, figures for papers, SVG for notebooks."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from contextlib import suppress
from contextvars import Context
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.view.atomic_files import write_whole
from metameter.view.escape import escape_html, visible
from metameter.view.paths import bytes_of_file

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

# As JSON escapes them, after an even number of backslashes: control characters, which no drawing can contain (on them
# the library ends the whole process), changes of direction, and code points that are not characters.
_CONTROL = re.compile(r"(?<!\\)((?:\\\\)*)\\(u(?:00[0189][0-9a-f]|007f|202[a-e]|206[6-9]|fff[ef])|[bf])")


def spec_json(chart: Any) -> str:
    r"""A chart, or its specification, as JSON that is safe in a script element, whatever text it contains.

    Examples
    --------
    >>> print(spec_json({"title": "</script>"}))
    {"title":"\u003c/script>"}
    >>> print(spec_json({"title": "\x1b[31m"}))
    {"title":"\\x1b[31m"}
    """
    spec = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    text = json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return _CONTROL.sub(_spelled_out, text)


def _spelled_out(match: re.Match[str]) -> str:
    char = json.loads(f'"\\{match[2]}"')
    return match[1] + json.dumps(visible(char))[1:-1]


def script_hash(script: str) -> str:
    """The hash of a script for a content security policy: the browser runs no other script, such as one in a name."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def save_html(chart: Any, path: str | os.PathLike[str], title: str) -> Path:
    """Write a chart as one HTML file that needs no network."""
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
    """The figure without the parts that differ between two drawings of the same chart.

    Vega numbers gradients and clips across charts, so they are renumbered. It keeps labels without room as invisible
    text, which the PDF writer lists in a varying order: that text is removed.

    Examples
    --------
    >>> without_drawing_ids('<text opacity="0">gone</text><path fill="url(#gradient_7)"/>')
    '<path fill="url(#gradient_0)"/>'
    """
    visible_svg = re.sub(r'<text [^<>]*\bopacity="0"[^<>]*>[^<>]*</text>', "", svg)
    numbers: dict[str, int] = {}
    mark = r'(?<=[#"])(gradient_|clip)(\d+)(?=[")])'
    return re.sub(mark, lambda match: f"{match[1]}{numbers.setdefault(match[0], len(numbers))}", visible_svg)


def inline_svg(chart: Any) -> str:
    """The chart as SVG, which needs no script and no network in a notebook.

    Examples
    --------
    >>> import altair as alt
    >>> inline_svg(alt.Chart(alt.InlineData([{"x": 1}])).mark_point().encode(x="x:Q"))[:4]
    '<svg'
    """
    import vl_convert

    svg = without_drawing_ids(vl_convert.vegalite_to_svg(spec_json(chart), allowed_base_urls=[]))
    # All charts of a notebook share one page: their ids must differ.
    mark = hashlib.sha256(svg.encode()).hexdigest()[:8]
    named = re.sub(r'(\bid="|url\(#|href="#)(gradient_|clip)', rf"\1m{mark}-\2", svg)
    return named.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)


# Version of vl-convert-python -> the hash of the script that it builds. The hashes are in this source and not beside
# the cached file, where whoever changes the file could change its hash: the script runs in every report.
_BUNDLE_HASHES = {
    "1.8.0": "b66996bb5822b536e6808945330c26223bf890967feb4a7e681b432d3563ea8a",
    "1.9.0": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
    "1.9.0.post1": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
}


@cache
def vega_bundle() -> str:
    """The Vega libraries as one script, which a page contains once, whatever the number of its charts.

    Building it takes a second or two, so it is cached in the user's cache folder. A cached script is used only if its
    hash is that of what this version of the library builds; versions without a known hash are not cached.
    """
    expected_hash = _BUNDLE_HASHES.get(version("vl-convert-python"), "")
    path = _cache_path(expected_hash) if expected_hash else None
    if path is None:
        return _built_bundle()
    return _cached_bundle(path, expected_hash) or _build_and_cache(path, expected_hash)


@cache
def vega_licences() -> str:
    """The licences of the Vega libraries and of what they contain, as a comment that stands before them in a page.

    Examples
    --------
    >>> "University of Washington Interactive Data Lab" in vega_licences()
    True
    """
    text = files("metameter.view.charts").joinpath("vega_licences.txt").read_text(encoding="utf-8")
    return f"<!--\n{text}-->"


def _build_and_cache(path: Path, expected_hash: str) -> str:
    script = _built_bundle()
    # A cache that cannot be written to is no reason to fail.
    with suppress(MetameterError, OSError):
        if _sha256(script.encode()) == expected_hash:
            path.unlink(missing_ok=True)  # a link could lead elsewhere
            # In a context of its own, so that `all_or_nothing` does not join it with the files of a report.
            Context().run(write_whole, path, script)
    return script


def _cached_bundle(path: Path, expected_hash: str) -> str | None:
    with suppress(OSError, ValueError):
        data = bytes_of_file(path)
        return data.decode() if _sha256(data) == expected_hash else None
    return None


def _built_bundle() -> str:
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # Within a script element only these could end it or hide its end.
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _cache_path(expected_hash: str) -> Path | None:
    """The file in the user's cache folder; None where the user has no home directory."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        # The XDG specification ignores a relative path.
        return (
            (folder if folder.is_absolute() else Path.home() / ".cache") / "metameter" / f"vega-{expected_hash[:16]}.js"
        )
    except RuntimeError:
        return None
