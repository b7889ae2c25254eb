"""Make what comes from the code anew: cards, "our names and theirs", procedures; and what the pages' blocks print.

``python docs/generate.py`` makes everything, ``python docs/generate.py made`` only the pages that are made as a whole,
and ``python docs/generate.py docs/scoring.md`` the outputs on one page.
"""

import sys
from pathlib import Path

from blocks.notebook import renew_notebook
from blocks.pages import as_it_should_be, pages_of

from metameter.reporting.cards.pages import write_pages
from metameter.reporting.procedures_page import procedures_page
from metameter.view.files import write_whole

DOCS = Path(__file__).resolve().parent
NOTEBOOK = DOCS / "tutorial.ipynb"


def made() -> list[Path]:
    """The pages that are made as a whole."""
    return [*write_pages(DOCS), write_whole(DOCS / "procedures.md", procedures_page())]


def renewed(page: Path) -> Path:
    """A page, or the notebook, with what its blocks give now."""
    text = page.read_text("utf-8")
    now = renew_notebook(text) if page.suffix == ".ipynb" else as_it_should_be(text)
    if now != text:
        write_whole(page, now)
        print(f"{page}: changed")
    return page


if __name__ == "__main__":
    asked = [Path(name).resolve() for name in sys.argv[1:] if name != "made"]
    everything = len(sys.argv) == 1
    written = made() if everything or "made" in sys.argv[1:] else []
    written += [renewed(page) for page in ([*pages_of(DOCS.parent), NOTEBOOK] if everything else asked)]
    print(f"{len(written)} pages written")
