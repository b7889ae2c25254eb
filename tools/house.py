"""Figures of the source tree: how many rooms it has, how full they are, and which words are worn out.

    python tools/house.py [SRC]

Prints files, lines, import lines, the share of the preamble (docstring, imports and ``__all__`` before the first other
statement), modules that only one module of their own folder imports, the folder with the most entries, how often
identifiers are words that say when a value was made, not what it is, and how often they contain a word that has had
several meanings. A module with a name in ``__all__`` of its package is open to all, so no single module imports it.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

#: Words that name no value: each of them stood for many things at once.
VAGUE = (
    *("again", "asked", "case", "drawn", "found", "given", "held", "kept", "made", "place", "places", "said", "shown"),
    *("told", "traded", "wanted", "words"),
)
#: Words that have stood for several things each: a result page and a page of documentation, the ends of an interval
#: and of slices. An identifier counts if the word is one of its parts.
SEVERAL_MEANINGS = ("ends", "evidence", "page", "place", "words")


def main() -> None:
    """Print the figures of a source tree, by default the one beside this folder."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src" / "metameter"
    files = sorted(source.rglob("*.py"))
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    trees = {file: ast.parse(text) for file, text in texts.items()}
    lines = {file: len(text.splitlines()) for file, text in texts.items()}
    total = sum(lines.values())
    preamble = sum(preamble_lines(tree) for tree in trees.values())
    single = single_sibling_importers(source, trees)
    bound = bound_names(trees)
    folder, entries = max(folder_sizes(source).items(), key=lambda each: each[1])
    rows = {
        "files": f"{len(files):,}",
        "lines": f"{total:,}",
        "import lines": f"{sum(import_lines(tree) for tree in trees.values()):,}",
        "preamble": f"{preamble:,} lines, {preamble / total:.1%}",
        "module length": f"median {median(lines.values()):.0f}, largest {max(lines.values())}",
        "modules that one sibling imports": f"{len(single)}",
        "entries of the largest folder": f"{entries} ({folder})",
        "identifiers that are vague words": counts(vague_identifiers(bound)),
        "identifiers with a word of several meanings": counts(identifiers_with(bound, SEVERAL_MEANINGS)),
    }
    width = max(map(len, rows))
    for name, figure in rows.items():
        print(f"{name:{width}}  {figure}")


def import_lines(tree: ast.Module) -> int:
    """How many lines the import statements of a module take, those inside functions included."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in imports)


def preamble_lines(tree: ast.Module) -> int:
    """How many lines come before the first statement that does something."""
    body = tree.body
    for number, node in enumerate(body):
        if not is_preamble(node, number):
            # Decorators and comments above it belong to the statement.
            return (body[number - 1].end_lineno or 0) if number else 0
    return (body[-1].end_lineno or 0) if body else 0


def is_preamble(node: ast.stmt, number: int) -> bool:
    """Whether a statement is a docstring, an import, or the list of public names."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def single_sibling_importers(source: Path, trees: dict[Path, ast.Module]) -> list[str]:
    """Modules that exactly one module imports, one of their own folder, and whose names no package offers."""
    names = {file: module_name(source, file) for file in trees}
    importers: dict[str, set[str]] = defaultdict(set)
    for file, tree in trees.items():
        for name in imported_names(tree):
            importers[name].add(names[file])
    return [
        name
        for name in set(names.values()) - offered_modules(trees)
        if len(users := importers[name] - {name}) == 1 and parent(next(iter(users))) == parent(name)
    ]


def imported_names(tree: ast.Module) -> list[str]:
    """The modules that a module imports, and the names that it imports from them, with the path of their module."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            names += [each.name for each in node.names]
    return names


def offered_modules(trees: dict[Path, ast.Module]) -> set[str]:
    """The modules from which a package imports a name of its ``__all__``."""
    packages = [tree for file, tree in trees.items() if file.stem == "__init__"]
    return {
        node.module
        for tree in packages
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        if public_names(tree) & {each.asname or each.name for each in node.names}
    }


def public_names(tree: ast.Module) -> set[str]:
    """The names in ``__all__`` of a module."""
    assigned = [node.value for node in tree.body if isinstance(node, ast.Assign) and is_preamble(node, 1)]
    return {str(each.value) for value in assigned for each in ast.walk(value) if isinstance(each, ast.Constant)}


def module_name(source: Path, file: Path) -> str:
    """The name by which a module is imported."""
    return ".".join(file.relative_to(source.parent).with_suffix("").parts)


def parent(name: str) -> str:
    """The folder of a module."""
    return name.rpartition(".")[0]


def folder_sizes(source: Path) -> dict[str, int]:
    """Folder -> how many modules and folders it holds, without its ``__init__.py``."""
    folders = [source, *(folder for folder in source.rglob("*") if folder.is_dir() and folder.name != "__pycache__")]
    return {
        str(folder.relative_to(source.parent)): sum(
            each.name not in ("__pycache__", "__init__.py") and (each.is_dir() or each.suffix == ".py")
            for each in folder.iterdir()
        )
        for folder in folders
    }


def bound_names(trees: dict[Path, ast.Module]) -> Counter[str]:
    """How often each name is bound: as a variable, an argument, a function, a class, a module."""
    bound: Counter[str] = Counter()
    for file, tree in trees.items():
        bound[file.stem] += 1
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound[node.id] += 1
            elif isinstance(node, ast.arg):
                bound[node.arg] += 1
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                bound[node.name.lstrip("_")] += 1
    return bound


def vague_identifiers(bound: Counter[str]) -> list[tuple[str, int]]:
    """How often each vague word is bound as a whole name."""
    return [(word, bound[word]) for word in VAGUE if bound[word]]


def identifiers_with(bound: Counter[str], words: tuple[str, ...]) -> list[tuple[str, int]]:
    """How often a name is bound that has each word as one of its parts: ``page_size``, ``ResultPage``."""
    parts = {name: set(re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower())) for name in bound}
    return [(word, sum(number for name, number in bound.items() if word in parts[name])) for word in words]


def counts(words: list[tuple[str, int]]) -> str:
    """Words with their numbers, as they are printed."""
    return ", ".join(f"{word} {number}" for word, number in words) or "none"


if __name__ == "__main__":
    main()
