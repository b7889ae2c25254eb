"""Figures of the source tree: how many rooms it has, how full they are, and which words are worn out.

    python tools/house.py [SRC]

Prints files, lines, import lines, the share of the preamble (docstring, imports and ``__all__`` before the first other
statement), modules that only one module of their own folder imports, the folder with the most entries, and how often
identifiers are words that say when a value was made, not what it is.
"""

import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

#: Words that name no value: each of them stood for many things at once.
VAGUE = (
    *("again", "asked", "case", "drawn", "found", "given", "held", "kept", "made", "place", "places", "said", "shown"),
    *("told", "traded", "wanted", "words"),
)


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
    folder, entries = max(folder_sizes(source).items(), key=lambda each: each[1])
    rows = {
        "files": f"{len(files):,}",
        "lines": f"{total:,}",
        "import lines": f"{sum(import_lines(tree) for tree in trees.values()):,}",
        "preamble": f"{preamble:,} lines, {preamble / total:.1%}",
        "module length": f"median {median(lines.values()):.0f}, largest {max(lines.values())}",
        "modules that one sibling imports": f"{len(single)}",
        "entries of the largest folder": f"{entries} ({folder})",
        "identifiers that are vague words": ", ".join(f"{word} {n}" for word, n in vague_identifiers(trees)) or "none",
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
    """Modules that exactly one module imports, one of their own folder."""
    names = {file: ".".join(file.relative_to(source.parent).with_suffix("").parts) for file in trees}
    importers: dict[str, set[str]] = defaultdict(set)
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                for name in (node.module, *(f"{node.module}.{each.name}" for each in node.names)):
                    importers[name].add(names[file])
            elif isinstance(node, ast.Import):
                for each in node.names:
                    importers[each.name].add(names[file])
    return [
        name
        for name in names.values()
        if len(users := importers[name] - {name}) == 1 and parent(next(iter(users))) == parent(name)
    ]


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


def vague_identifiers(trees: dict[Path, ast.Module]) -> list[tuple[str, int]]:
    """How often each vague word is bound as a name: a variable, an argument, a function, a module."""
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
    return [(word, bound[word]) for word in VAGUE if bound[word]]


if __name__ == "__main__":
    main()
