"""Text in lines that fit: broken between words, as wide as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterator

# Where a name is broken that is too long for a line: after the marks that part it.
_MARKS = ";,*/_-"


def cells_wide(text: str) -> int:
    r"""The width of a text in terminal cells: two for a Chinese character, none for a combining accent.

    Examples
    --------
    >>> cells_wide("ab"), cells_wide("検索"), cells_wide("e\u0301")
    (2, 4, 1)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int, *, whole_words: bool = False) -> list[str]:
    """Wrap one line of text to a width of two or more; only words that are longer are broken.

    With ``whole_words`` no word is broken: a path that the terminal itself breaks can still be copied.

    Examples
    --------
    >>> wrapped("no two systems differ", 11)
    ['no two', 'systems', 'differ']
    >>> wrapped("INST(T=2.25)@10*PE(beta=0.5)", 20)
    ['INST(T=2.25)@10*', 'PE(beta=0.5)']
    """
    if cells_wide(text) <= width:
        return [text]
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if cells_wide(longer) <= width:
            line = longer
            continue
        pieces = [word] if whole_words else list(_pieces(word, width))
        lines += [*([line] if line else []), *pieces[:-1]]
        line = pieces[-1]
    return [*lines, line]


def wrapped_lines(text: str, width: int) -> str:
    r"""Wrap each of several lines, with its indentation; lines that fit are unchanged.

    Examples
    --------
    >>> print(wrapped_lines("notice:\n  no two systems differ", 13))
    notice:
      no two
      systems
      differ
    """
    lines = []
    for line in text.split("\n"):
        text = line.lstrip(" ")
        indent = line[: len(line) - len(text)] if len(line) - len(text) < width - 1 else ""
        lines += [indent + each for each in wrapped(text, width - len(indent), whole_words=True)]
    return "\n".join(lines)


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word in pieces that fit, broken after a punctuation mark in the second half of the line where there is one."""
    while cells_wide(word) > width:
        end = _end(word, width)
        marked = max(word.rfind(mark, end // 2, end) for mark in _MARKS) + 1
        end = marked or end
        yield word[:end]
        word = word[end:]
    yield word


def _end(word: str, width: int) -> int:
    """The number of characters of a word that fit; characters take zero to two cells, so they are tried one by one."""
    end = 1
    while end < len(word) and cells_wide(word[: end + 1]) <= width:
        end += 1
    return end
