"""The picture of the folders and what they import, from the import graph that import-linter checks.

A box is a folder, with the first line of its docstring. The folders stand in the order of the layers in pyproject.toml.
An arrow points to an imported folder; arrows that follow from others are left out (transitive reduction).
"""

import ast
import tomllib
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "metameter"

WIDTH, BOX, HEIGHT, GAP = 900, 720, 42, 18
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1f2328 }
.name { font-weight: 600 }
rect { fill: #f6f8fa; stroke: #57606a }
path { fill: none; stroke: #57606a; stroke-width: 1.5 }
marker path { fill: #57606a; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  rect { fill: #161b22; stroke: #9198a1 }
  path { stroke: #9198a1 }
  marker path { fill: #9198a1 }
}
"""


def architecture() -> str:
    """The picture as SVG."""
    imports = reduced(imports_of_folders())
    order = [folder for folder in layers() if folder in imports]
    rows = {folder: row for row, folder in enumerate(order)}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(order) * (HEIGHT + GAP) - GAP + 2}" '
        f'role="img" aria-label="Folders of {PACKAGE}, and which imports which">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        *(box(folder, row) for folder, row in rows.items()),
        *(arrow(rows[folder], rows[other]) for folder in order for other in sorted(imports[folder])),
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def layers() -> list[str]:
    """The modules and folders at the root of the package, from the highest layer to the lowest."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return [layer.rpartition(".")[2] for layer in settings["contracts"][0]["layers"]]


def imports_of_folders() -> dict[str, set[str]]:
    """Folder -> the other folders that its modules import, lazy imports included, those for type checkers too."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    folders = {name for name in graph.find_children(PACKAGE) if graph.find_children(name)}
    for folder in folders:
        graph.squash_module(folder)
    return {
        folder.rpartition(".")[2]: {
            other.rpartition(".")[2] for other in graph.find_modules_directly_imported_by(folder) & folders - {folder}
        }
        for folder in sorted(folders)
    }


def reduced(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports without those that follow from others."""

    def below(folder: str) -> set[str]:
        return imports[folder].union(*(below(other) for other in imports[folder]))

    return {folder: others - set().union(*(below(other) for other in others)) for folder, others in imports.items()}


def box(folder: str, row: int) -> str:
    """A box with the name of a folder and the first line of its docstring."""
    top = row * (HEIGHT + GAP) + 1
    return (
        f'<rect x="1" y="{top}" width="{BOX}" height="{HEIGHT}" rx="6"/>'
        f'<text x="14" y="{top + 18}" class="name">{escape(folder)}</text>'
        f'<text x="14" y="{top + 35}">{escape(purpose(folder))}</text>'
    )


def arrow(above: int, below: int) -> str:
    """An arrow from one row to another: straight to the next row, else in an arc beside the rows between them."""
    if below == above + 1:
        top = above * (HEIGHT + GAP) + HEIGHT + 1
        return f'<path d="M{BOX / 2:g} {top} V{top + GAP}" marker-end="url(#tip)"/>'
    start, end = (row * (HEIGHT + GAP) + HEIGHT / 2 + 1 + shift for row, shift in ((above, 6), (below, -6)))
    bend = BOX + 30 + 18 * (below - above)
    return f'<path d="M{BOX + 1} {start:g} C{bend} {start:g} {bend} {end:g} {BOX + 1} {end:g}" marker-end="url(#tip)"/>'


def purpose(folder: str) -> str:
    """The first line of a folder's docstring."""
    tree = ast.parse((ROOT / "src" / PACKAGE / folder / "__init__.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]
