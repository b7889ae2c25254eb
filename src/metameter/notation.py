"""Parse and print metric names such as ``RBP(p=0.8)*max@10``.

`metameter.metric.compose` builds the metric from the parts. The text is read by Python's parser into a syntax tree;
nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from metameter.errors import MetameterError

# The largest depth; arrays with one entry per rank must fit in memory.
DEEPEST = 1_000_000
_LONGEST = 2000
_HYPHEN = re.compile(r"(?<=[A-Za-z])-(?=[A-Za-z])")


@dataclass(frozen=True)
class Term:
    """A name with arguments and a depth: ``nDCG(gain=exp)@10``; positional arguments are kept, to be refused later.

    Examples
    --------
    >>> str(Term("RBP", {"p": 0.8}, 10))
    'RBP(p=0.8)@10'
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    k: int | None = None
    unnamed: tuple[Any, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        named = (f"{key}={spell_value(value)}" for key, value in self.arguments.items())
        inside = ",".join((*map(spell_value, self.unnamed), *named))
        return f"{self.name}{f'({inside})' if inside else ''}{f'@{self.k}' if self.k is not None else ''}"


@dataclass(frozen=True)
class Expression:
    """A metric name: one term, or a product of two with a cut."""

    left: Term
    right: Term | None = None
    cut: int | None = None

    def __str__(self) -> str:
        product = f"{self.left}*{self.right}" if self.right else str(self.left)
        return f"{product}@{self.cut}" if self.cut is not None else product


def spell_value(value: Any) -> str:
    """Write a parameter's value in its shortest form.

    Examples
    --------
    >>> spell_value(1.0), spell_value(0.8), spell_value("min"), spell_value([1, 0.5]), spell_value({1: 0.5})
    ('1', '0.8', 'min', '[1,0.5]', '{1:0.5}')
    """
    value = plain(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) < 1e16 and value == int(value):
            return str(int(value))
        # Python refuses to print integers of more than 4,300 digits in decimal, but not in hexadecimal.
        return repr(value) if isinstance(value, float) or value.bit_length() < _LONGEST else hex(value)
    if isinstance(value, tuple | list):
        return f"[{','.join(map(spell_value, value))}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{spell_value(k)}:{spell_value(v)}" for k, v in value.items()) + "}"
    return str(value)


def plain(value: Any) -> Any:
    """Convert a number of NumPy or another library to a Python number; return anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.int64(5)), plain(np.float32(0.5)), plain("min")
    (5, 0.5, 'min')
    """
    if isinstance(value, bool | int) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def parse(text: str) -> Expression:
    """Read a metric name.

    Examples
    --------
    >>> parse("RBP(p=0.8) * max@10").left
    Term(name='RBP', arguments={'p': 0.8}, k=None)
    >>> str(parse("Prec@10*ERG"))
    'Prec@10*ERG'
    """
    if len(text) > _LONGEST:
        raise MetameterError(
            "metric name is too long", given=text, allowed=f"{_LONGEST} characters", fix="Name one metric at a time."
        )
    try:
        tree = ast.parse(_HYPHEN.sub("_", text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text) from None
    return _expression(tree, text)


def _unreadable(text: str) -> MetameterError:
    return MetameterError(
        "cannot read the metric name",
        given=text,
        fix="Write it like nDCG@10, P(rel=2)@5 or RBP(p=0.8)*max@10.",
    )


def _expression(tree: ast.expr, text: str) -> Expression:
    # Python evaluates * and @ from left to right, as intended: (model@k * aggregation)@cut.
    cut = None
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.MatMult) and isinstance(tree.left, ast.BinOp):
        cut = _depth(tree.right, text)
        tree = tree.left
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        return Expression(_term(tree.left, text), _term(tree.right, text), cut)
    if cut is not None:
        raise _unreadable(text)
    return Expression(_term(tree, text))


def _term(tree: ast.expr, text: str) -> Term:
    k = None
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.MatMult):
        k = _depth(tree.right, text)
        tree = tree.left
    if isinstance(tree, ast.Name):
        return Term(tree.id, {}, k)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        arguments: dict[str, Any] = {}
        for keyword in tree.keywords:
            if keyword.arg is None or keyword.arg in arguments:
                raise _unreadable(text)
            arguments[keyword.arg] = _value(keyword.value, text)
        return Term(tree.func.id, arguments, k, tuple(_value(each, text) for each in tree.args))
    raise _unreadable(text)


def depth_after(value: Any, text: str) -> int:
    """Return a depth after ``@`` in a text; refuse anything but a positive whole number.

    Examples
    --------
    >>> depth_after(10, "nDCG@10")
    10
    """
    value = plain(value)
    if type(value) is int and 1 <= value <= DEEPEST:
        return value
    raise MetameterError(
        "the depth after @ is not a positive whole number",
        given=text,
        allowed=f"@1, @2, ..., @{DEEPEST}",
        fix="Write it like nDCG@10.",
    )


def _depth(tree: ast.expr, text: str) -> int:
    return depth_after(tree.value if isinstance(tree, ast.Constant) else None, text)


def _value(tree: ast.expr | None, text: str) -> Any:
    if isinstance(tree, ast.Constant) and isinstance(tree.value, bool | int | float | str | None):
        return tree.value
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        number = _value(tree.operand, text)
        if type(number) in (int, float):
            return -number
    if isinstance(tree, ast.Name):
        return tree.id
    if isinstance(tree, ast.List | ast.Tuple):
        return tuple(_value(each, text) for each in tree.elts)
    if isinstance(tree, ast.Dict):
        try:
            return {_value(key, text): _value(each, text) for key, each in zip(tree.keys, tree.values, strict=True)}
        except TypeError:  # a dictionary as a key
            raise _unreadable(text) from None
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and len(tree.args) == 1 and not tree.keywords:
        return f"{tree.func.id}({spell_value(_value(tree.args[0], text))})"
    raise _unreadable(text)


def split_outside(text: str, separator: str) -> list[str]:
    """Split a text at separators outside of parentheses, brackets and braces.

    Examples
    --------
    >>> split_outside("RBU(p=0.99,e=0.05),ACT", ",")
    ['RBU(p=0.99,e=0.05)', 'ACT']
    >>> split_outside("p + strec", "+")
    ['p', 'strec']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == separator and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
