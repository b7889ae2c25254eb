"""Renew the pages made from the code (cards, "our names and theirs", procedures) and the outputs of the pages' blocks.

``python docs/generate.py`` makes everything, ``python docs/generate.py made`` only the pages that are made as a whole,
and ``python docs/generate.py docs/scoring.md`` the outputs on one page.
"""

import sys
from pathlib import Path

from blocks.notebook import renew_notebook
from blocks.pages import as_it_should_be, pages_of
from made.architecture import architecture
from made.cards import cards_pages
from made.commands import commands_page
from made.names import names_page
from made.procedures import procedures_pages
from made.python import python_page

from metameter.view.atomic_files import write_whole

DOCS = Path(__file__).resolve().parent
NOTEBOOK = DOCS / "tutorial.ipynb"
FAILED: list[Path] = []


def made() -> list[Path]:
    """The pages that are made as a whole."""
    pages = {
        **cards_pages(),
        **procedures_pages(),
        "names.md": names_page(),
        "commands.md": commands_page(),
        "python.md": python_page(),
        "images/architecture.svg": architecture(),
    }
    for page in [*DOCS.glob("procedures/*.md"), *DOCS.glob("metrics/*/*.md")]:
        if page.relative_to(DOCS).as_posix() not in pages:
            page.unlink()
    return [write_whole(DOCS / name, text) for name, text in pages.items()]


def renewed(page: Path) -> list[Path]:
    """A page, or the notebook, with what its blocks give now; a page on which something fails stays as it is."""
    text = page.read_text("utf-8")
    try:
        now = renew_notebook(text) if page.suffix == ".ipynb" else as_it_should_be(text)
    except Exception as error:
        print(f"{page.name}: failed, {type(error).__name__}: {error}", file=sys.stderr)
        FAILED.append(page)
        return []
    if now != text:
        write_whole(page, now)
        print(f"{page.name}: changed")
    return [page]


if __name__ == "__main__":
    asked = [Path(name).resolve() for name in sys.argv[1:] if name != "made"]
    everything = len(sys.argv) == 1
    written = made() if everything or "made" in sys.argv[1:] else []
    for page in [*pages_of(DOCS.parent), NOTEBOOK] if everything else asked:
        written += renewed(page)
    print(f"{len(written)} pages are as they should be")
    sys.exit(1 if FAILED else 0)
