"""Names as text that UTF-8 can hold: a file's name may be any bytes."""

from __future__ import annotations

import re


def in_utf8(name: str) -> str:
    r"""A name that every file, table and terminal can hold: bytes that are not UTF-8 are written out.

    Python keeps a byte of a file's name that it cannot decode as half of a character, which nothing else accepts. Where
    the locale decodes nothing but ASCII, that may be the bytes of an ordinary letter, which is put together again, so
    that a system has the same name everywhere.

    Examples
    --------
    >>> print(in_utf8("bm25-\udcff"), in_utf8("na\udcc3\udcafve"), in_utf8("\ud83d"), in_utf8("検索"))
    bm25-\xff naïve \ud83d 検索
    """
    if name.isascii():
        return name
    # Other halves of characters stand for no byte.
    halves = re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda found: rf"\u{ord(found[0]):04x}", name)
    return halves.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
