"""The files of one finished stage: tables as Parquet, arrays as NumPy files, the rest as JSON with digests of all.

Reading executes nothing. The digest of a table or an array is compared before its content is read, so that damage is
found here, and not where a column is missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.read.files.limits import size_in_words
from metameter.read.formats.parquet import chosen_columns, footer_of
from metameter.view.paths import bytes_of_file
from metameter.view.result import Result

_TUPLE, _ITEMS = "__tuple__", "__items__"

_NOTES = "result.json"
#: The tables of a stage unpack to at most this many times their bytes, or to this many bytes if they are small. A few
#: kilobytes can stand for millions of equal rows: a table of scores that are all zero unpacks to 760 times its bytes.
_MOST_TIMES, _SMALL = 1000, 32_000_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_FILE = re.compile(rf"{_NAME.pattern}\.(parquet|npy)")


def plain_name(name: Any) -> str:
    """The name, if it can be part of a file name; otherwise a ValueError.

    Examples
    --------
    >>> plain_name("power_pairs")
    'power_pairs'
    >>> plain_name("../power")
    Traceback (most recent call last):
    ValueError: '../power' is no name of a stage, table or field
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r:.80} is no name of a stage, table or field")
    return name


def write_stage(folder: Path, result: Result, *about: str) -> None:
    """Write a result into a folder of its own."""
    tables = {f"{plain_name(name)}.parquet": _parquet(table) for name, table in result.tables.items()}
    digests = {name: _write(folder / name, data) for name, data in tables.items()}
    values = {}
    for each in fields(result):
        value = getattr(result, each.name)
        if isinstance(value, np.ndarray):
            digests[f"{each.name}.npy"] = _write(folder / f"{each.name}.npy", _npy(value))
        elif each.name not in ("tables", "names"):  # a study names metrics anew
            values[each.name] = _plain_field(each.name, value)
    content = {"tables": list(result.tables), "files": digests, "values": values}
    _write(folder / _NOTES, seal(content, *about).encode())


def read_stage(folder: Path, kind: type[Result], *about: str) -> Result:
    """Read a result back; files that cannot be read or were changed raise an error of any type."""
    content = unseal(bytes_of_file(folder / _NOTES), *about)
    digests = content["files"]
    tables = _tables(folder, content["tables"], digests)
    values: dict[str, Any] = {name: from_plain(value) for name, value in content["values"].items()}
    for name in (plain_name(each.removesuffix(".npy")) for each in digests if each.endswith(".npy")):
        values[name] = _array(_checked_bytes(folder, f"{name}.npy", digests))
    if not tables or not isinstance(values.get("manifest"), dict) or not isinstance(values.get("notes"), tuple):
        raise ValueError("the result does not have the expected form")
    return kind(**{**values, "tables": tables})


def _tables(folder: Path, names: list[str], digests: dict[str, str]) -> dict[str, pl.DataFrame]:
    """The tables of a stage. Their size is checked before any is unpacked: the folder may come from anywhere."""
    data = {name: _checked_bytes(folder, f"{plain_name(name)}.parquet", digests) for name in names}
    size, stored = sum(footer_of(each).size() for each in data.values()), sum(map(len, data.values()))
    if size > max(_SMALL, _MOST_TIMES * stored):
        what = f"its tables, {size_in_words(stored)}, unpack to {size_in_words(size)}, which no study writes"
        raise ValueError(what)
    return {name: chosen_columns(each, str(folder / f"{name}.parquet")) for name, each in data.items()}


def _array(data: bytes) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    except MemoryError:  # its header states a larger size than the file has
        raise ValueError("an array is larger than its file") from None
    return array


def remove_stage(folder: Path) -> None:
    """Remove the files that `write_stage` wrote, as its notes list them; other files stay, and their folder."""
    for name in _files_of(folder):
        with suppress(OSError):  # a folder of that name is not ours
            (folder / name).unlink()
    folder.rmdir()


def _files_of(folder: Path) -> list[str]:
    """The files of a stage, by its notes or, if it was set aside, by those of the stage that replaced it.

    Empty if neither can be read: then it is not known which files are ours.
    """
    for each in (folder, folder.with_name(folder.name.partition(".")[0])):
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            names = json.loads(bytes_of_file(each / _NOTES))["content"]["files"]
            return [*filter(_FILE.fullmatch, names), _NOTES]
    return []


def _write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return digest_of(data)


def _checked_bytes(folder: Path, name: str, digests: dict[str, str]) -> bytes:
    data = bytes_of_file(folder / name)
    if digest_of(data) != digests[name]:
        raise ValueError(f"{folder / name} was changed after it was written")
    return data


def _parquet(table: pl.DataFrame) -> bytes:
    table.write_parquet(buffer := io.BytesIO(), compression="lz4")
    return buffer.getvalue()


def _npy(array: NDArray[Any]) -> bytes:
    np.save(buffer := io.BytesIO(), array, allow_pickle=False)
    return buffer.getvalue()


def _plain_field(name: str, value: Any) -> Any:
    try:
        return to_plain(value)
    except TypeError as error:
        raise TypeError(f"in its field {name}, {error}") from None


def to_plain(value: Any) -> Any:
    """A value in the types of JSON; a TypeError if it would not come back the same.

    Examples
    --------
    >>> to_plain({"ends": (1, np.float64(0.5)), "by": {10: "a"}})
    {'ends': {'__tuple__': [1, 0.5]}, 'by': {'__items__': [[10, 'a']]}}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value) and not {_TUPLE, _ITEMS} & set(value):
            return {str(key): to_plain(each) for key, each in value.items()}
        return {_ITEMS: [[to_plain(key), to_plain(each)] for key, each in value.items()]}
    if isinstance(value, tuple):
        return {_TUPLE: [to_plain(each) for each in value]}
    if isinstance(value, list):
        return [to_plain(each) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"{type(value).__name__} is neither text, number, list, tuple nor dict")


def from_plain(value: Any) -> Any:
    """The value from which `to_plain` made this one.

    Examples
    --------
    >>> from_plain(to_plain({"ends": (1, [2, (3,)]), "by": {10: "a"}}))
    {'ends': (1, [2, (3,)]), 'by': {10: 'a'}}
    """
    if isinstance(value, list):
        return [from_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {_TUPLE}:
        return tuple(map(from_plain, value[_TUPLE]))
    if set(value) == {_ITEMS}:
        return {from_plain(key): from_plain(each) for key, each in value[_ITEMS]}
    return {key: from_plain(each) for key, each in value.items()}


def digest_of(data: bytes) -> str:
    """The SHA-256 of bytes.

    Examples
    --------
    >>> digest_of(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(data).hexdigest()


def seal(content: Any, *about: str, indent: int | None = None) -> str:
    """JSON with a digest of its content and of what it is about, such as the stage and its key.

    The digest reveals damage, not forgery: anyone who can write into the folder can compute another.

    Examples
    --------
    >>> unseal(seal({"a": [1, 0.5]}, "power"), "power")
    {'a': [1, 0.5]}
    """
    return json.dumps({"seal": _seal(content, about), "content": content}, indent=indent) + "\n"


def unseal(text: bytes | str, *about: str) -> Any:
    """The content of JSON that `seal` returned; a ValueError if its digest does not match.

    Examples
    --------
    >>> unseal(seal(0.5).replace("0.5", "0.6"))
    Traceback (most recent call last):
    ValueError: it was changed after it was written
    """
    read = json.loads(text)
    if read["seal"] != _seal(read["content"], about):
        raise ValueError("it was changed after it was written")
    return read["content"]


def _seal(content: Any, about: tuple[str, ...]) -> str:
    return digest_of(json.dumps([*about, content]).encode())
