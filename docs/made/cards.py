"""The pages of metric cards, and their index."""

from __future__ import annotations

from metameter.registry import KINDS, get, names
from metameter.reporting.cards.card import card, summary

__all__ = ["cards_pages"]

_KINDS = ("browse", "aggregate", "metric")


def cards_pages() -> dict[str, str]:
    """Every page by its path in the documentation."""
    cards = {f"metrics/{kind}/{name}.md": card(kind, name) for kind in _KINDS for name in names(kind)}
    return {"metrics/README.md": _index(), **cards}


def _index() -> str:
    lines = ["# Metric cards", "", "Made from the code by `docs/generate.py`; `metameter metrics NAME` prints one."]
    for kind in _KINDS:
        lines += ["", f"## {KINDS[kind].capitalize()}s", ""]
        lines += [
            f"- [{name}]({kind}/{name}.md): {summary(get(kind, name))}" for name in sorted(names(kind), key=str.lower)
        ]
    return "\n".join(lines) + "\n"
