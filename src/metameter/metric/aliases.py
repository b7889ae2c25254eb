"""Aliases: names of other tools (``map`` is AP, ``ndcg_cut_10`` is nDCG@10), which metrics declare."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches

from metameter.errors import MetameterError
from metameter.metric.terms import SHORT, meanings
from metameter.notation import Term, parse
from metameter.registry import declared_aliases, find

# A name, whose last part may be a number as in trec_eval; parameters; a depth.
_ALIAS_SYNTAX = re.compile(r"([\w.-]+) ?(\(.*\))? ?(?:@ ?(\d+))?", re.DOTALL)
_NUMBERED = re.compile(r"(.+?)[_.](\d+(?:\.\d+)?)")
_MOST_SUGGESTED = 2
# Longer texts are not aliases and are not searched.
_LONGEST = 500


@dataclass(frozen=True)
class Alias:
    """An alias and the name that it stands for.

    Attributes
    ----------
    name : str
        The alias, matched regardless of case; ``{}`` stands for a number.
    meaning : str
        The same in our notation.
    remark : str
        A caveat for users who type it, such as a difference in scale.
    declared : bool
        Whether a metric declares it; otherwise it is our own name in other capitals.
    """

    name: str
    meaning: str
    remark: str = ""
    declared: bool = True

    def term(self, number: str = "") -> Term:
        """The term that it stands for, with the number that was typed."""
        return parse(self.meaning.replace("{}", number)).left


def aliases() -> list[Alias]:
    """The aliases that metrics and browsing models declare, and our own names, which match regardless of case.

    Examples
    --------
    >>> [alias for alias in aliases() if alias.name in ("map_cut_{}", "nDCG")]
    [Alias(name='map_cut_{}', meaning='AP@{}', remark='', declared=True),
     Alias(name='nDCG', meaning='nDCG', remark='', declared=False)]
    """
    parts = [part for kind in ("metric", "browse") for part in declared_aliases(kind).items()]
    declarations = [each for _, aliases in parts for each in aliases.items()]
    ours = [each for name in (*(name for name, _ in parts), SHORT) for each in (name, f"{name}@{{}}")]
    declared = [_declared(spelling, *meaning.split("; ")) for spelling, meaning in declarations]
    return declared + [Alias(each, each, declared=False) for each in ours]


def _declared(spelling: str, meaning: str, remark: str = "") -> Alias:
    return Alias(_with_placeholder(spelling), _with_placeholder(meaning), remark)


def _with_placeholder(text: str) -> str:
    return re.sub(r"\{[kx]\}", "{}", text)


def read_alias(text: str) -> tuple[Term, Alias] | None:
    """Return the term and the alias of a text that is not in our notation; None if it is, or if it is unknown.

    Examples
    --------
    >>> [str(read_alias(text)[0]) for text in ("MAP@100", "ndcg_cut.10", "Recall(rel=2)@10", "iprec_at_recall_0.10")]
    ['AP@100', 'nDCG@10', 'R(rel=2)@10', 'IPrec(recall=0.1)']
    >>> read_alias("PREC@10")
    Traceback (most recent call last):
    metameter.errors.MetameterError: PREC@10 has several meanings. Write Prec@10 or prec@10.
    """
    typed = _ALIAS_SYNTAX.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if typed is None or meanings(typed[1]) or typed[1] == SHORT:
        return None
    name, parameters, depth = typed[1].casefold().replace("-", "_"), typed[2] or "", typed[3]
    candidates = [(f"{name}@{{}}" if depth else name, depth or "")]
    if not depth and (parts := _NUMBERED.fullmatch(name)):
        candidates.append((f"{parts[1]}_{{}}", parts[2]))
    for spelling, number in candidates:
        matches = [
            (_with_parameters(each.term(number), parameters), each)
            for each in aliases()
            if each.name.casefold() == spelling
        ]
        if len({str(term) for term, _ in matches}) > 1:
            fix = f"Write {' or '.join(sorted(str(term) for term, _ in matches))}."
            raise MetameterError(f"{text.strip()} has several meanings", fix=fix)
        if matches:
            return matches[0]
    return None


def _with_parameters(term: Term, parameters: str) -> Term:
    typed = parse(f"x{parameters}").left
    return replace(term, arguments={**term.arguments, **typed.arguments}, unnamed=typed.unnamed)


def in_any_case(kind: str, name: str) -> str:
    """The registered name that equals this one apart from case; the name itself if there is none.

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
    r"""The error for an unknown name, with similar names and where to find all names.

    Examples
    --------
    >>> print(unknown_metric("recal"), unknown_metric("xyz"), sep="\n")
    unknown metric (given 'recal'). Did you mean R@10 or StRecall? metameter metrics lists all.
    unknown metric (given 'xyz'). Write it like nDCG@10, AP or RBP(p=0.8); metameter metrics lists all.
    """
    meanings_by_alias: dict[str, str] = {}
    for each in aliases():
        alias = each.name.casefold().partition("{")[0].strip("@_")
        meanings_by_alias.setdefault(alias, each.meaning.replace("{}", "10"))
    near = get_close_matches(name.casefold(), list(meanings_by_alias), n=_MOST_SUGGESTED, cutoff=0.6)
    close = list(dict.fromkeys(meanings_by_alias[alias] for alias in near))
    hint = f"Did you mean {' or '.join(close)}?" if close else "Write it like nDCG@10, AP or RBP(p=0.8);"
    return MetameterError("unknown metric", given=name, fix=f"{hint} metameter metrics lists all.")
