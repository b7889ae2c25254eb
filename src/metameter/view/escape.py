"""Names in run files are untrusted text: escape them for HTML, LaTeX, Markdown and a terminal."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
    }
)
_LONGEST = 2000


def visible(text: str) -> str:
    r"""Spell out characters that do not print: control characters, escape sequences, changes of direction, line ends.

    Examples
    --------
    >>> print(visible("run\x1b[31m"))
    run\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def _escaped(text: str, *, quote: bool) -> str:
    from html import escape  # loads all named character references, which few commands need

    return escape(visible(text), quote=quote)


def escape_html(text: str) -> str:
    """Make text safe between tags and in quoted attributes.

    Examples
    --------
    >>> escape_html("<b>'x' & y</b>")
    '&lt;b&gt;&#x27;x&#x27; &amp; y&lt;/b&gt;'
    """
    return _escaped(text, quote=True)


def escape_latex(text: str) -> str:
    r"""Make text safe in LaTeX and free of ligatures: two hyphens remain two hyphens.

    The result is ASCII and needs no package: a character of LaTeX's standard fonts becomes its command, any other its
    code point.

    Examples
    --------
    >>> print(escape_latex("50%_of{a\\b}~--"))
    50\%\_of\{a\textbackslash{}b\}\textasciitilde{}-{}-
    >>> print(escape_latex("naïve β∕検索"))
    na\"{\i}ve $\beta$[U+2215 U+691C U+7D22]
    """
    safe = _shortened(visible(text)).translate(_LATEX)
    # Pairs of these characters are ligatures in LaTeX's text fonts.
    safe = re.sub(r"([-`',?!])(?=[-`',])", r"\1{}", safe)
    return safe if safe.isascii() else re.sub(r"[^\x00-\x7f]+", _in_ascii, safe)


def _shortened(text: str) -> str:
    """The beginning and the end of a very long text: TeX fails on lines of a million characters."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


def _in_ascii(match: re.Match[str]) -> str:

    parts: list[str] = []
    for known, run in groupby(((char, latex_letter(char)) for char in match[0]), key=lambda each: each[1] is not None):
        each = list(run)
        codes = " ".join(f"U+{ord(char):04X}" for char, _ in each)
        parts.append("".join(command or "" for _, command in each) if known else f"[{codes}]")
    return "".join(parts)


def escape_markdown(text: str) -> str:
    r"""Make text safe in a cell of a Markdown table.

    Examples
    --------
    >>> print(escape_markdown("RBP(p=0.8)*max | st_rec"))
    RBP(p=0.8)\*max \| st_rec
    """
    safe = re.sub(r"([\\`*|\[\]])", r"\\\1", _escaped(text, quote=False))
    # An underscore within a word is an underscore; elsewhere it begins emphasis.
    return re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\_", safe)


# A letter with one accent is the accent's command and the letter; OT1, the standard encoding, has no others.
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0331": "b",
}
_DOTLESS = {"i": r"\i", "j": r"\j"}
_BELOW = "dcb"  # an i keeps its dot above these

_TEXT = {
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "ȷ": "j",
    "§": "S", "¶": "P", "†": "dag", "‡": "ddag", "©": "copyright", "£": "pounds", "…": "dots",
    "–": "textendash", "—": "textemdash", "‘": "textquoteleft", "’": "textquoteright", "“": "textquotedblleft",
    "”": "textquotedblright", "¡": "textexclamdown", "¿": "textquestiondown",
}  # fmt: skip

_MATHEMATICS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ϑ": "vartheta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ϖ": "varpi", "ρ": "rho", "ϱ": "varrho", "σ": "sigma", "ς": "varsigma", "τ": "tau",
    "υ": "upsilon", "φ": "varphi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi",
    "Ω": "Omega", "±": "pm", "∓": "mp", "×": "times", "÷": "div", "·": "cdot", "∗": "ast", "⋆": "star", "∘": "circ",
    "•": "bullet", "∩": "cap", "∪": "cup", "∨": "vee", "∧": "wedge", "⊕": "oplus", "⊗": "otimes", "≤": "leq",
    "≥": "geq", "≪": "ll", "≫": "gg", "≠": "neq", "≈": "approx", "≡": "equiv", "∼": "sim", "≃": "simeq", "∝": "propto",
    "⊂": "subset", "⊃": "supset", "⊆": "subseteq", "⊇": "supseteq", "∈": "in", "∉": "notin", "⊥": "perp",
    "∥": "parallel", "∣": "mid", "←": "leftarrow", "→": "rightarrow", "↔": "leftrightarrow", "↑": "uparrow",
    "↓": "downarrow", "⇐": "Leftarrow", "⇒": "Rightarrow", "⇔": "Leftrightarrow", "↦": "mapsto", "∞": "infty",
    "∀": "forall", "∃": "exists", "∅": "emptyset", "∂": "partial", "∇": "nabla", "√": "surd", "∑": "sum", "∏": "prod",
    "∫": "int", "¬": "neg", "ℓ": "ell", "ℜ": "Re", "ℑ": "Im", "ℵ": "aleph", "⟨": "langle", "⟩": "rangle",
    "♠": "spadesuit", "♣": "clubsuit", "♥": "heartsuit", "♦": "diamondsuit", "♭": "flat", "♮": "natural", "♯": "sharp",
}  # fmt: skip

_WRITTEN = (
    {char: rf"\{name}{{}}" for char, name in _TEXT.items()}
    | {char: rf"$\{name}$" for char, name in _MATHEMATICS.items()}
    | {"−": "$-$", "°": r"$^\circ$", "′": r"$'$", "¹": "$^1$", "²": "$^2$", "³": "$^3$"}
)


def latex_letter(char: str) -> str | None:
    r"""How LaTeX writes a character that is not in ASCII; None if its standard fonts have none like it.

    Examples
    --------
    >>> [latex_letter(char) for char in "éïβ≥∕検"]
    ["\\'{e}", '\\"{\\i}', '$\\beta$', '$\\geq$', None, None]
    """
    return _WRITTEN.get(char) or _accented(char)


def _accented(char: str) -> str | None:
    letter, accents = unicodedata.normalize("NFD", char)[:1], unicodedata.normalize("NFD", char)[1:]
    if accents not in _ACCENTS or not (letter.isascii() and letter.isalpha()):
        return None
    command = _ACCENTS[accents]
    return rf"\{command}{{{letter if command in _BELOW else _DOTLESS.get(letter, letter)}}}"
