"""JSON under a seal: what was changed since it was written, or is another's, is not taken for what it was."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest_of(data: bytes) -> str:
    """The SHA-256 of some bytes.

    Examples
    --------
    >>> digest_of(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(data).hexdigest()


def sealed(content: Any, *about: str, indent: int | None = None) -> str:
    """JSON with a digest of itself and of what it is about, such as the stage and its key.

    A seal tells damage, not forgery: whoever can write into the folder can seal anew.

    Examples
    --------
    >>> unsealed(sealed({"a": [1, 0.5]}, "power"), "power")
    {'a': [1, 0.5]}
    """
    return json.dumps({"seal": _seal(content, about), "content": content}, indent=indent) + "\n"


def unsealed(text: bytes | str, *about: str) -> Any:
    """The content of sealed JSON; if its seal does not fit, a ValueError.

    Examples
    --------
    >>> unsealed(sealed(0.5).replace("0.5", "0.6"))
    Traceback (most recent call last):
    ValueError: it was changed after it was written
    """
    read = json.loads(text)
    if read["seal"] != _seal(read["content"], about):
        raise ValueError("it was changed after it was written")
    return read["content"]


def _seal(content: Any, about: tuple[str, ...]) -> str:
    return digest_of(json.dumps([*about, content]).encode())
