"""A chart as part of a page that is not ours, such as a notebook."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from metameter.view.charts.export.page import spec_json, without_drawing_ids


def inline_svg(chart: Any) -> str:
    """The chart as SVG: no script and no network, so that it shows wherever a notebook does.

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
