"""Run a notebook and store what its cells show, as Jupyter would: text, tables, pictures."""

from __future__ import annotations

import ast
import base64
import io
import json
import struct
import warnings
import zlib
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .terminal import on_terminal

__all__ = ["renew_notebook", "text_of"]

_PNG = b"\x89PNG\r\n\x1a\n"


def renew_notebook(text: str) -> str:
    """A notebook with the outputs that its cells give now."""
    notebook = json.loads(text)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {"__name__": "__main__"}
    with TemporaryDirectory() as folder, TemporaryDirectory() as programs, chdir(folder), on_terminal(Path(programs)):
        for count, cell in enumerate(cells, start=1):
            cell["outputs"] = _outputs(cell, names, count)
            cell["execution_count"] = count
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def text_of(cell: dict[str, Any]) -> list[str]:
    """The text that a cell shows: what it prints, and its value in words. Pictures depend on the fonts of a machine."""
    return ["".join(each.get("text", each.get("data", {}).get("text/plain", ()))) for each in cell["outputs"]]


def _outputs(cell: dict[str, Any], names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    printed = io.StringIO()
    with warnings.catch_warnings(action="error"), redirect_stdout(printed):
        value = _run("".join(cell["source"]), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        shown = {"data": _shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        outputs.append(shown)
    return outputs


def _run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the answer is the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if isinstance(last, ast.Expr) else None


def _shown(value: Any) -> dict[str, Any]:
    if hasattr(value, "to_dict") and hasattr(value, "save"):
        # A picture that every viewer of notebooks shows; in Jupyter the chart is alive.
        picture = io.BytesIO()
        value.save(picture, format="png")
        return {
            "image/png": base64.b64encode(_smaller(picture.getvalue())).decode(),
            "text/plain": [f"{type(value).__name__}(...)"],
        }
    html = {"text/html": _lines(value._repr_html_())} if hasattr(value, "_repr_html_") else {}
    return {**html, "text/plain": _lines(repr(value))}


def _smaller(png: bytes) -> bytes:
    """The same picture, compressed well: what draws it compresses for speed, a repository wants it small."""
    chunks, at = [], len(_PNG)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += length + 12
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    kept = [chunks[0], (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]
    whole = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in kept
    )
    return _PNG + b"".join(whole)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
