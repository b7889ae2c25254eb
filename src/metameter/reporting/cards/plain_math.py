"""Formulas as plain text: the LaTeX of docstrings, in Unicode."""

from __future__ import annotations

import re

_SIGNS = {
    "le": "≤",
    "ge": "≥",
    "in": "∈",
    "cap": "∩",
    "cdot": "·",
    "sum": "Σ",
    "prod": "Π",
    "bigcup": "∪",
    "infty": "∞",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "lambda": "λ",
    "theta": "θ",
    "sigma": "σ",
    "tau": "τ",
    "times": "×",
}
_SPACES = {",": " ", ";": " ", " ": " ", "quad": "\n", "qquad": "\n"}
# They only say how large a bracket is.
_SIZES = ("left", "right", "big", "Big", "bigg", "Bigg")
_VERBATIM = ("text", "mbox", "mathrm")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SIGN = re.compile(r"\\(?:[A-Za-z]+|.)|\s+|[A-Za-z0-9.]+|.", re.DOTALL)
_OVER = "ΣΠ∪"
_SHORT = 12
_THIN = (r"\,", r"\;")
# What follows a fraction without being multiplied with it.
_NO_FACTOR = ("+", "-", "=", ",", ";", ")", "}", "]", "|", "^", ":", "<", ">", r"\cdot", r"\quad", r"\qquad", r"\}")


def plain_math(latex: str) -> str:
    r"""Return a formula as text, one statement per line; an unknown command becomes its name.

    Examples
    --------
    >>> print(plain_math(r"P@k = \frac{1}{k} \sum_{i \le k} rel_i"))
    P@k = 1/k · Σ[i≤k] rel_i
    >>> print(plain_math(r"C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2, \quad T = 2^{-1/h}"))
    C(i) = ((i + 2T - 1) / (i + 2T))²,
    T = 2^(-1/h)
    """
    text = _Reader(latex).text()
    lines = (re.sub(r" +(?=[,;)\]])|(?<=[(\[]) +", "", " ".join(line.split())) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


class _Reader:
    """Reads tokens from the left."""

    def __init__(self, latex: str) -> None:
        self.signs: list[str] = _SIGN.findall(latex)
        self.position = 0

    def text(self, until: str = "") -> str:
        """Return everything up to a closing sign, or to the end."""
        parts: list[str] = []
        while self.position < len(self.signs):
            sign = self._next()
            if sign == until:
                break
            parts.append(self._rendered(sign, parts[-1] if parts else ""))
        return "".join(parts)

    def _next(self) -> str:
        self.position += 1
        return self.signs[self.position - 1]

    def _rendered(self, sign: str, previous: str) -> str:
        if sign == "{":
            return self.text("}")
        if sign in "_^":
            return self._beside(sign, previous)
        name = sign[1:]
        if not sign.startswith("\\"):
            return sign
        if name == "frac":
            return self._fraction()
        if name in _VERBATIM:
            return self._verbatim()
        if name in _SIZES:
            return ""
        return _SPACES.get(name) or _SIGNS.get(name, name)

    def _argument(self) -> str:
        """The argument of a command: a group in braces, or one sign."""
        while self.position < len(self.signs) and self.signs[self.position].isspace():
            self.position += 1
        if self.position == len(self.signs):
            return ""
        sign = self._next()
        if sign[0].isalnum() and len(sign) > 1:
            # Of letters without braces only the first one counts.
            self.signs.insert(self.position, sign[1:])
            sign = sign[0]
        return self._rendered(sign, "").strip()

    def _verbatim(self) -> str:
        start = self.position
        self.text("}") if self._next() == "{" else None
        return "".join(self.signs[start + 1 : self.position - 1])

    def _fraction(self) -> str:
        above, below = self._argument(), self._argument()
        # The line of a short fraction needs no room: 1/k.
        line = " / " if _composed(above) or _composed(below) else "/"
        return f"{_bracketed(above)}{line}{_bracketed(below)}{' · ' if self._goes_on() else ''}"

    def _goes_on(self) -> bool:
        """Whether a factor follows the fraction, which on one line would read as part of the denominator."""
        after = next((sign for sign in self.signs[self.position :] if not sign.isspace() and sign not in _THIN), "}")
        return after not in _NO_FACTOR and after[1:] not in (*_SIZES, *_VERBATIM)

    def _beside(self, mark: str, previous: str) -> str:
        """An index or an exponent; the range of a sum or product in brackets."""
        argument = self._argument()
        if mark == "_" and previous in (*_OVER, "max", "min"):
            if self.signs[self.position : self.position + 1] == ["^"]:
                self.position += 1
                argument = f"{argument}..{self._argument()}"
            return f"[{''.join(argument.split()) if len(argument) < _SHORT else argument}]"
        if argument.isdecimal():
            return argument.translate(_RAISED if mark == "^" else _LOWERED)
        if mark == "^" and argument in ("*", "+"):
            return argument if argument == "*" else "⁺"
        return f"{mark}{argument}" if argument.isalnum() else f"{mark}({argument})"


def _composed(text: str) -> bool:
    """Whether a text is more than one number, name or call."""
    while (shorter := re.sub(r"\w*\([^()]*\)", "¤", text)) != text:
        text = shorter
    return re.search(r"[ +\-/·]|¤.*¤", text) is not None


def _bracketed(text: str) -> str:
    whole = text.startswith("|") and text.endswith("|")
    return f"({text})" if _composed(text) and not whole else text


def plain_text(markdown: str) -> str:
    r"""Return Markdown without markup: code and emphasis as plain text, formulas in Unicode.

    Examples
    --------
    >>> print(plain_text(r"*A model.* With `RBP(p=0.8)*max` it is $`i \le n`$."))
    A model. With RBP(p=0.8)*max it is i ≤ n.
    """
    formulas = re.sub(r"\$`([^`]*)`\$", lambda match: plain_math(match[1]), markdown)
    parts = formulas.split("`")
    # Between backquotes, in every second part, a star is a star.
    parts[::2] = [re.sub(r"(?<![\w*])\*([^*]+)\*(?![\w*])", r"\1", part) for part in parts[::2]]
    return "".join(parts)
