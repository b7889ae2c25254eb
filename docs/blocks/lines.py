"""Compare what was printed with what a page shows, which may leave lines out."""

from __future__ import annotations

from difflib import SequenceMatcher

__all__ = ["as_shown", "renewed"]

LEFT_OUT = "..."


def as_shown(shown: list[str], printed: list[str]) -> bool:
    """Whether a page shows what was printed; a line ``...`` stands for one line or more.

    Examples
    --------
    >>> as_shown(["a", "...", "d"], ["a", "b", "c", "d"]), as_shown(["a", "...", "d"], ["a", "d"])
    (True, False)
    """
    first, *parts = _parts(shown)
    if not parts:
        return first == printed
    begin, end = len(first), len(printed) - len(parts[-1])
    if printed[:begin] != first or printed[end:] != parts[-1]:
        return False
    for part in parts[:-1]:
        places = (at for at in range(begin + 1, end - len(part)) if printed[at : at + len(part)] == part)
        begin = next(places, end) + len(part)
    return begin < end


def renewed(shown: list[str], printed: list[str]) -> list[str]:
    """What a page should show: what it shows if that is right, else what was printed, with as much left out as before.

    Examples
    --------
    >>> renewed(["old 1", "...", "old 4"], ["new 1", "new 2", "new 3", "new 4"])
    ['new 1', '...', 'new 4']
    >>> renewed(["old"], ["new", "and more"])
    ['new', 'and more']
    """
    printed = [line.rstrip() for line in printed]
    if as_shown(shown, printed):
        return shown
    parts = _parts(shown)
    if len(parts) == 1 or sum(map(len, parts)) >= len(printed):
        return printed
    lines, begin = list(printed[: len(parts[0])]), len(parts[0])
    for part in parts[1:-1]:
        at = _place(part, printed, begin)
        lines += [LEFT_OUT, *printed[at : at + len(part)]]
        begin = at + len(part)
    last = len(printed) - len(parts[-1])
    return [*lines, *([LEFT_OUT] if last > begin else []), *printed[max(last, begin) :]]


def _parts(shown: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _place(part: list[str], printed: list[str], begin: int) -> int:
    """Where what was printed is most like a part of what was shown."""

    def alike(at: int) -> float:
        return SequenceMatcher(None, "\n".join(part), "\n".join(printed[at : at + len(part)])).ratio()

    return max(range(begin + 1, len(printed) - len(part) + 1), key=alike, default=begin)
