"""Try files again: `python fuzz/target.py FILE...`; or search with atheris: `python fuzz/target.py TARGET`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from fuzz.registry import find  # noqa: E402
from fuzz.worker import tried  # noqa: E402


def again(file: Path) -> str:
    """What does not hold of an input (its folder is called as its target); empty if everything does."""
    return tried(find(file.resolve().parent.name), file.read_bytes())[2]


def search(name: str) -> None:
    """Search for inputs of a target, guided by coverage, until stopped; the corpus is where it starts."""
    import atheris

    target = find(name)

    def one(data: bytes) -> None:
        if what := tried(target, data)[2]:
            raise AssertionError(what)

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *sys.argv[2:], str(ROOT / "fuzz" / "corpus" / name)], one)
    atheris.Fuzz()


def main() -> int:
    """Try the files that are named; 1 if anything does not hold."""
    given = sys.argv[1:] or sys.exit(__doc__)
    if not Path(given[0]).is_file():
        search(given[0])
    problems = {file: again(Path(file)) for file in given}
    for file, what in problems.items():
        print(f"{file}: {what or 'nothing wrong'}")
    return int(any(problems.values()))


if __name__ == "__main__":
    sys.exit(main())
