"""File names as valid UTF-8 text."""

from __future__ import annotations

import re


def in_utf8(name: str) -> str:
    r"""Return a name as valid UTF-8: bytes that are not UTF-8 are escaped.

    Python represents undecodable bytes of a file name as lone surrogates, which files and terminals reject. In an ASCII
    locale these may be the bytes of an ordinary letter, which is decoded, so that a system has one name everywhere.

    Examples
    --------
    >>> print(in_utf8("bm25-\udcff"), in_utf8("na\udcc3\udcafve"), in_utf8("\ud83d"), in_utf8("検索"))
    bm25-\xff naïve \ud83d 検索
    """
    if name.isascii():
        return name
    # Other lone surrogates do not stand for a byte.
    escaped = re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda match: rf"\u{ord(match[0]):04x}", name)
    return escaped.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
