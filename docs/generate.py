"""Make the pages that come from the code: cards, "our names and theirs", procedures. Run it from anywhere."""

from pathlib import Path

from metameter.reporting.cards.pages import write_pages
from metameter.reporting.procedures_page import procedures_page
from metameter.view.files import write_whole

if __name__ == "__main__":
    docs = Path(__file__).parent
    written = [*write_pages(docs), write_whole(docs / "procedures.md", procedures_page())]
    print(f"{len(written)} pages written")
