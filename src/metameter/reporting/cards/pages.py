"""All pages that are made from the code: a card for everything registered, their index, and the page of names."""

from __future__ import annotations

from pathlib import Path

from metameter.registry import KINDS, get, names
from metameter.reporting.cards.card import card
from metameter.reporting.cards.names_page import names_page
from metameter.reporting.cards.prose import summary
from metameter.view.files.output_files import write_whole

_KINDS = ("browse", "aggregate", "metric")


def pages() -> dict[str, str]:
    """Path below ``docs`` -> text.

    Examples
    --------
    >>> sorted(pages())[:3]
    ['metrics/README.md', 'metrics/aggregate/ERG.md', 'metrics/aggregate/ERR.md']
    """
    cards = {f"metrics/{kind}/{name}.md": card(kind, name) for kind in _KINDS for name in names(kind)}
    return {"names.md": names_page(), "metrics/README.md": _index(), **cards}


def _index() -> str:
    lines = ["# Metric cards", "", "Made from the code by `docs/generate.py`; `metameter metrics NAME` prints one."]
    for kind in _KINDS:
        lines += ["", f"## {KINDS[kind].capitalize()}s", ""]
        lines += [
            f"- [{name}]({kind}/{name}.md): {summary(get(kind, name))}" for name in sorted(names(kind), key=str.lower)
        ]
    return "\n".join(lines) + "\n"


def write_pages(folder: Path) -> list[Path]:
    """Write all pages below a folder; cards of what is no longer registered are removed."""
    made = pages()
    for stale in folder.glob("metrics/*/*.md"):
        if stale.relative_to(folder).as_posix() not in made:
            stale.unlink()
    return [write_whole(folder / path, text) for path, text in made.items()]
