"""What LaTeX can show of Unicode with nothing but its standard fonts, and how each character is written there."""

from __future__ import annotations

import unicodedata

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
