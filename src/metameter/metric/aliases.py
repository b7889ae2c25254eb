"""Names that people know from other tools: ``map`` is AP, ``ndcg_cut_10`` is nDCG@10. Metrics declare their own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches

from metameter.errors import MetameterError
from metameter.metric.terms import SHORT, meanings
from metameter.notation import Term, parse
from metameter.registry import declared_aliases, find

# A word, of which the last part may be a number, as trec_eval has it; parameters; a depth.
_TYPED = re.compile(r"([\w.-]+) ?(\(.*\))? ?(?:@ ?(\d+))?", re.DOTALL)
_NUMBERED = re.compile(r"(.+?)[_.](\d+(?:\.\d+)?)")
_MOST = 2
# Whatever is longer is none of these names, and not worth the search.
_LONGEST = 500


@dataclass(frozen=True)
class Alias:
    """A name and what it is read as.

    Attributes
    ----------
    word : str
        In any case; ``{}`` stands for a number.
    meant : str
        The same in our notation.
    remark : str
        What whoever types it should know besides.
    declared : bool
        Whether a metric declares it; otherwise it is our own name.
    """

    word: str
    meant: str
    remark: str = ""
    declared: bool = True

    def term(self, number: str = "") -> Term:
        """What it is read as, with the number that was typed."""
        return parse(self.meant.replace("{}", number)).left


def aliases() -> list[Alias]:
    """What metrics and browsing models declare, and our own names, which may be typed without capital letters.

    Examples
    --------
    >>> [alias for alias in aliases() if alias.word in ("map_cut_{}", "nDCG")]
    [Alias(word='map_cut_{}', meant='AP@{}', remark='', declared=True),
     Alias(word='nDCG', meant='nDCG', remark='', declared=False)]
    """
    parts = [part for kind in ("metric", "browse") for part in declared_aliases(kind).items()]
    told = [each for _, aliases in parts for each in aliases.items()]
    ours = [each for name in (*(name for name, _ in parts), SHORT) for each in (name, f"{name}@{{}}")]
    declared = [_declared(spelled, *meant.split("; ")) for spelled, meant in told]
    return declared + [Alias(each, each, declared=False) for each in ours]


def _declared(spelled: str, meant: str, remark: str = "") -> Alias:
    return Alias(_numbered(spelled), _numbered(meant), remark)


def _numbered(spelled: str) -> str:
    return re.sub(r"\{[kx]\}", "{}", spelled)


def read_alias(text: str) -> tuple[Term, Alias] | None:
    """What a text means that is not in our notation; None if it is, or if nobody knows it.

    Examples
    --------
    >>> [str(read_alias(text)[0]) for text in ("MAP@100", "ndcg_cut.10", "Recall(rel=2)@10", "iprec_at_recall_0.10")]
    ['AP@100', 'nDCG@10', 'R(rel=2)@10', 'IPrec(recall=0.1)']
    >>> read_alias("hits@10")
    Traceback (most recent call last):
    metameter.errors.MetameterError: hits@10 has several meanings. Write NumRelRet@10 or Success@10.
    """
    typed = _TYPED.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if typed is None or meanings(typed[1]) or typed[1] == SHORT:
        return None
    word, inside, depth = typed[1].casefold().replace("-", "_"), typed[2] or "", typed[3]
    tried = [(f"{word}@{{}}" if depth else word, depth or "")]
    if not depth and (number := _NUMBERED.fullmatch(word)):
        tried.append((f"{number[1]}_{{}}", number[2]))
    for spelled, figure in tried:
        found = [(_with(each.term(figure), inside), each) for each in aliases() if each.word.casefold() == spelled]
        if len({str(term) for term, _ in found}) > 1:
            fix = f"Write {' or '.join(sorted(str(term) for term, _ in found))}."
            raise MetameterError(f"{text.strip()} has several meanings", fix=fix)
        if found:
            return found[0]
    return None


def _with(term: Term, inside: str) -> Term:
    given = parse(f"x{inside}").left
    return replace(term, arguments={**term.arguments, **given.arguments}, unnamed=given.unnamed)


def in_any_case(kind: str, name: str) -> str:
    """A registered name that differs from this one in capital letters only; or else the name itself.

    Examples
    --------
    >>> in_any_case("aggregate", "Max"), in_any_case("browse", "rbp"), in_any_case("browse", "nobody")
    ('max', 'RBP', 'nobody')
    """
    if find(kind, name) is not None:
        return name
    known = [each for each in declared_aliases(kind) if each.casefold() == name.casefold()]
    return known[0] if len(known) == 1 else name


def unknown_metric(name: str) -> MetameterError:
    r"""What is said of a name that nobody knows: the few that are close to it, and where all are listed.

    Examples
    --------
    >>> print(unknown_metric("recal"), unknown_metric("xyz"), sep="\n")
    unknown metric (given 'recal'). Did you mean R@10 or StRecall? metameter metrics lists all.
    unknown metric (given 'xyz'). Write it like nDCG@10, AP or RBP(p=0.8); metameter metrics lists all.
    """
    meant: dict[str, str] = {}
    for each in aliases():
        meant.setdefault(each.word.casefold().partition("{")[0].strip("@_"), each.meant.replace("{}", "10"))
    near = get_close_matches(name.casefold(), list(meant), n=_MOST, cutoff=0.6)
    close = list(dict.fromkeys(meant[word] for word in near))
    hint = f"Did you mean {' or '.join(close)}?" if close else "Write it like nDCG@10, AP or RBP(p=0.8);"
    return MetameterError("unknown metric", given=name, fix=f"{hint} metameter metrics lists all.")
