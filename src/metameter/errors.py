"""MetameterError, for everything that a user can get wrong: it says where, what, and how to fix it, in valid UTF-8."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any, NoReturn

import metameter

# Up to _MANY known names are listed, of more the first _FEW.
_MANY, _FEW = 20, 8
# Names from files may be thousands of characters long; their two ends identify them.
_LONG_NAME, _MOST = re.compile(r"[^\s,;'\"()]{121,}"), 1000


class MetameterError(ValueError):
    """Input or usage that cannot be accepted.

    Parameters
    ----------
    what : str
        What is wrong, as a clause without a full stop.
    where : str, optional
        ``file`` or ``file:line``.
    given, allowed : object, optional
        The offending value and what would have been accepted.
    fix : str
        One sentence: what to do next. Every message ends with it.

    Attributes
    ----------
    after_answer : bool
        Whether the output was printed already and reports the problem; then its notices are printed, too.

    Examples
    --------
    >>> print(MetameterError("grade is not a number", where="qrels.txt:7", given="x", allowed="a number",
    ...                      fix="Correct the fourth column."))
    qrels.txt:7: grade is not a number (given 'x', allowed: a number). Correct the fourth column.
    """

    after_answer = False

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        given: Any = None,
        allowed: str | None = None,
        fix: str,
    ) -> None:
        self.what, self.where, self.given, self.allowed, self.fix = what, where, given, allowed, fix
        super().__init__(self._line())

    @property
    def statement(self) -> str:
        """What is wrong, with what was given and what is allowed."""
        detail = ", ".join(
            part
            for part in (
                f"given {_shorten(self.given)}" if self.given is not None else "",
                f"allowed: {self.allowed}" if self.allowed else "",
            )
            if part
        )
        what = _with_short_names(self.what)
        return f"{what} ({detail})" if detail else what

    def _line(self) -> str:
        # A path may be thousands of characters long; its end names the file.
        where = self.where if self.where is None or len(self.where) <= 300 else f"...{self.where[-297:]}"
        line = f"{where}: {self.statement}." if where else f"{self.statement}."
        line += f" {_with_short_names(self.fix)}"
        # Names from files may contain any of the ten line separators that splitlines knows.
        return " ".join(in_utf8(line).splitlines())

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross process boundaries, and keyword-only arguments are not pickled by default.
        return _rebuild, (self.what, self.where, self.given, self.allowed, self.fix)


def _rebuild(what: str, where: str | None, given: Any, allowed: str | None, fix: str) -> MetameterError:
    return MetameterError(what, where=where, given=given, allowed=allowed, fix=fix)


def _with_short_names(text: str) -> str:
    """Shorten names longer than 120 characters in the middle, and the whole text to 1,000.

    Examples
    --------
    >>> _with_short_names(f"metric '{'n' * 3000}.csv' has a second score")
    "metric 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.csv' has a second score"
    """
    text = _LONG_NAME.sub(lambda name: f"{name[0][:40]}...{name[0][-37:]}", text)
    return text if len(text) <= _MOST else f"{text[: _MOST // 2]} ... {text[-_MOST // 2 :]}"


def _shorten(value: Any, limit: int = 80) -> str:
    # An untrusted line may be megabytes long or hold control characters: it is cut here and escaped by repr.
    part = value[: 2 * limit] if isinstance(value, str | bytes) else value
    try:
        text = repr(in_utf8(part) if isinstance(part, str) else part)
    except Exception:  # an integer with too many digits to print, or a class of the user
        text = f"a {type(value).__name__} that cannot be printed"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def refuse(what: str, **details: Any) -> NoReturn:
    """Raise `MetameterError`, within an expression."""
    raise MetameterError(what, **details)


def refuse_after_fork() -> None:
    """Refuse to work in a process that was forked while Polars had threads, since it would hang.

    Examples
    --------
    >>> refuse_after_fork()
    """
    if metameter.is_unusable_fork():
        what = "this process was forked from one that had used Polars, and lacks the threads of Polars"
        fix = 'Start processes with spawn or forkserver: multiprocessing.get_context("spawn").'
        raise MetameterError(what, fix=fix)


def did_you_mean(name: str, known: list[str], everything: str = "") -> str:
    """Suggest known names similar to a misspelt one, and list all of them, or a few if there are many.

    If ``everything`` is given, it says where all are listed, in place of the list.

    Examples
    --------
    >>> did_you_mean("RPB", ["RBP", "INST"])
    'Did you mean RBP? Known: INST, RBP.'
    >>> did_you_mean("foo", ["O"])
    'Known: O.'
    >>> did_you_mean("run7", [f"run{number:02}" for number in range(100)])
    'Did you mean run97 or run87? Known: run00, run01, run02, run03, run04, run05, run06, run07 and 92 more.'
    >>> did_you_mean("RPB", ["RBP", "INST"], "metameter metrics lists all.")
    'Did you mean RBP? metameter metrics lists all.'
    """
    by_lower = {each.lower(): each for each in known}
    close = [by_lower[each] for each in get_close_matches(name.lower(), list(by_lower), n=2, cutoff=0.6)]
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    if everything:
        return hint + everything
    listed = sorted(known, key=str.lower)
    if len(listed) > _MANY:
        return f"{hint}Known: {', '.join(listed[:_FEW])} and {len(listed) - _FEW} more."
    return f"{hint}Known: {', '.join(listed)}."


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
