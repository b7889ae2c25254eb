"""Make the pages that come from the code: the metric cards and "our names and theirs". Run it from anywhere."""

from pathlib import Path

from metameter.reporting.cards.pages import write_pages

if __name__ == "__main__":
    print(f"{len(write_pages(Path(__file__).parent))} pages written")
