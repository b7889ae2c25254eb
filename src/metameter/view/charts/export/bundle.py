"""The Vega libraries as one script, which makes charts move in a page without a network."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from contextvars import Context
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from metameter.errors import MetameterError
from metameter.view.files.output_files import write_whole
from metameter.view.files.quarantine import bytes_of_file

# What the script must be, by the version of vl-convert-python that makes it. The hashes stand here and not beside the
# file: whoever can change the one could change the other, and the script runs in every report.
_KNOWN = {
    "1.8.0": "b66996bb5822b536e6808945330c26223bf890967feb4a7e681b432d3563ea8a",
    "1.9.0": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
    "1.9.0.post1": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
}


@cache
def vega_bundle() -> str:
    """The Vega libraries as one script, to be put into a page once, whatever the number of its charts.

    Making it takes a second or two, so it is kept in the user's cache folder. What is found there is used if it is,
    byte for byte, what this version of the library makes; else, and for versions not known here, it is made anew.
    """
    wanted = _KNOWN.get(version("vl-convert-python"), "")
    place = _place(wanted) if wanted else None
    if place is None:
        return _made()
    return _kept(place, wanted) or _made_and_kept(place, wanted)


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


def _made_and_kept(path: Path, wanted: str) -> str:
    script = _made()
    # A cache that cannot be written to is no reason to fail.
    with suppress(MetameterError, OSError):
        if _digest(script.encode()) == wanted:
            path.unlink(missing_ok=True)  # a link could lead elsewhere
            # In a context of its own: it does not wait for the other files of a report, nor they for it.
            Context().run(write_whole, path, script)
    return script


def _kept(path: Path, wanted: str) -> str | None:
    with suppress(OSError, ValueError):
        data = bytes_of_file(path)
        return data.decode() if _digest(data) == wanted else None
    return None


def _made() -> str:
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # Within a script element only these could end it or hide its end.
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _place(wanted: str) -> Path | None:
    """The file in the user's cache folder; None where a user has none: without HOME, and unknown to the system."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        # By its specification a relative one does not count.
        return (folder if folder.is_absolute() else Path.home() / ".cache") / "metameter" / f"vega-{wanted[:16]}.js"
    except RuntimeError:
        return None
