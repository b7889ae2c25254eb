"""Writing files whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from metameter.errors import MetameterError
from metameter.view.latex import to_latex
from metameter.view.tables import to_csv

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_tables", "write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file so that whoever looks sees the old one or the whole new one, never a part.

    Text is written as UTF-8 with the line ends it has. Missing folders are made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_whole(Path(folder) / "new" / "a.txt", "text")
    ...     path.read_text(), [entry.name for entry in path.parent.iterdir()]
    ('text', ['a.txt'])
    """
    data = content.encode() if isinstance(content, str) else content
    # A link stays a link: it is what it points to that is replaced.
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)  # a device or a pipe, such as /dev/stdout
        else:
            _replace(target, data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MetameterError(f"cannot write: {reason}", where=str(path), fix="Choose another place.") from error
    return Path(path)


def _replace(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, since a file can be renamed in one step only within a file system; and short,
    # since the target's name may be as long as names can be.
    draft = target.parent / f".{secrets.token_hex(6)}.part"
    try:
        with open(draft, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def write_tables(folder: str | os.PathLike[str], tables: dict[str, pl.DataFrame], *, latex: bool = True) -> list[Path]:
    """Write every table as CSV and, unless told otherwise, as LaTeX; returns the paths.

    Examples
    --------
    >>> import tempfile, polars as pl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_tables(folder, {"power": pl.DataFrame({"metric": ["AP"]})})]
    ['power.csv', 'power.tex']
    """
    texts = {}
    for name, frame in tables.items():
        texts[f"{name}.csv"] = to_csv(frame)
        if latex:
            texts[f"{name}.tex"] = to_latex(frame)
    return [write_whole(Path(folder) / name, text + "\n") for name, text in texts.items()]
