"""Whatever is written as LaTeX compiles with pdflatex and booktabs, whatever the names."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from metameter.meta.base import Procedure
from metameter.view.escape import latex_letter
from metameter.view.result import Result
from metameter.view.tables.latex import latex_file, to_latex

NASTY = [
    "a∕b", "αβΓ ≤ ∞", "検索", "😀🏳️‍🌈", "e\u0301 ế ą ð", "שלום", "\x1b[31m", "\u202eevil", r"100%_&#\{}~^$", '"<x>|',
    "--``''?`!`", "[2cm]", "*star", "(a)", r"\input{/etc/passwd}", r"\end{tabular}", "W" * 5000, "W " * 5000,
    "検" * 5000,
    "^^M", "",
]  # fmt: skip
EVERY = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isprintable()]
LETTERS = [char for char in EVERY if char.isascii() or latex_letter(char)]
KINDS = sorted({unicodedata.category(char): char for char in map(chr, range(sys.maxunicode + 1))}.items())
LAYOUT = {
    "begin", "end", "toprule", "midrule", "bottomrule", "cmidrule", "multicolumn", "caption", "label", "centering",
    "small", "scriptsize", "setlength", "tabcolsep", "textwidth", "noindent", "bigskip", "allowbreak", "textbf",
    "textsuperscript", "mathbf", "mathrm", "char", "tau", "rho", "underline", "dagger", "ddagger", "S", "P",
}  # fmt: skip
WRITTEN = set(re.findall(r"\\([a-zA-Z]+)", to_latex(pl.DataFrame({"x": LETTERS}))))
TRIED = "To try it, install texlive-latex-base and texlive-latex-recommended."


def wrong(text: str) -> str | None:
    """The first thing in LaTeX that is not in the set that was compiled, or None."""
    if not text.isascii():
        return next(char for char in text if not char.isascii())
    bare = re.sub(r"^%.*$", "", text, flags=re.MULTILINE)
    unknown = [name for name in re.findall(r"\\([a-zA-Z]+)", bare) if name not in LAYOUT | WRITTEN]
    if unknown:
        return unknown[0]
    bare = re.sub(r"\\([a-zA-Z]+|[^a-zA-Z])", "", re.sub(r"\\label\{[^}]*\}", "", bare))
    special = re.search(r"[#%~_^]|&(?!.*\n)", re.sub(r"\$[^$]*\$", "", bare))
    if special or bare.count("$") % 2:
        return special[0] if special else "$"
    depth = 0
    for char in bare:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            break
    return None if depth == 0 else "}"


def named_nastily(result: Result) -> Result:
    """The result, as if its systems and the last of its metrics had other names."""
    names = dict(zip([*"abcdef", "RBP(p=0.8)*fin", "us"], NASTY[:8], strict=True))
    # The groups of `compare` are letters, too, but ours.
    tables = {
        name: frame.with_columns(
            column.replace(names) for column in frame if column.dtype == pl.String and column.name != "group"
        )
        for name, frame in result.tables.items()
    }
    return replace(result, tables=tables)


@pytest.fixture(scope="module")
def written(results: list[tuple[Procedure, Result]]) -> dict[str, str]:
    """All that procedures write as LaTeX, and tables of every letter, kind of character and nasty name."""
    made = {
        f"{place} {declared.name} {name}": text
        for place, (declared, result) in enumerate(results)
        for name, text in named_nastily(result).latex().items()
    }
    kinds = [f"c{char}{kind}" for kind, char in KINDS if kind != "Cs"]
    for start in range(0, len(LETTERS), 40):
        some = LETTERS[start : start + 40]
        made[f"letters {start}"] = to_latex(pl.DataFrame({"x": some}), caption="".join(some), marks={"x": range(40)})
    frame = pl.DataFrame({name: ["0.5"] for name in NASTY})
    return made | {
        "kinds": to_latex(pl.DataFrame({"x": kinds})),
        "names": to_latex(pl.DataFrame({"x": NASTY, "y": NASTY}), caption=" ".join(NASTY), label=NASTY[8]),
        "headings": to_latex(frame),
    }


@pytest.mark.slow
def test_generated_latex_passes_the_checker(written: dict[str, str]) -> None:
    assert {name: found for name, text in written.items() if (found := wrong(text)) is not None} == {}


def test_the_checker_finds_what_does_not_compile() -> None:
    for text in ("é", r"\nosuch", "p_splits", "50%", "a # b", "a ~ b", "$x", "{", "}{", "a & b"):
        assert wrong(text) is not None, text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason=f"there is no pdflatex. {TRIED}")
def test_latex_compiles(written: dict[str, str], tmp_path: Path) -> None:
    body = "\n\\clearpage\n".join(latex_file(text) for text in written.values())
    begin = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "all.tex").write_text(f"{begin}{body}\n\\end{{document}}\n", encoding="ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    said = done.stdout.decode("latin-1")
    assert done.returncode == 0, said[said.find("\n!") :][:500]
    assert "Missing character" not in (tmp_path / "all.log").read_text("latin-1")
