"""Conditions of breakpoints: `local 0 > 3`, `$n == 5 and u32 0x400 != 0`, `global 0 & 1`.

Written with Python's operators and numbers. What they can name: `local 0`, `$name`, `global 0`, a number in
memory as `u32 0x400` or `f32 $p+8`, and names that the caller knows. What is not here: where a breakpoint is
(`breakpoints.py`).
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ...interpreter.runtime.values import from_guest
from ...interpreter.types import F32, F64
from ..regex import regex
from .given import FORMATS, BadInputError, address, local_index
from .shown import number_at, type_of_local
from .steps import Position

MOST_NODES = 200
"""The size of a condition."""
MOST_BITS = 4096
"""Larger integers are refused, so that no condition takes long."""
BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.RShift: operator.rshift,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert,
}  # fmt: skip
WORDS = regex(rf"\b(local|global|{'|'.join(FORMATS)})\s+([$\w.+-]+)|\$([\w.]+)")
Known = Callable[[str], Any]
"""The value of a name; raises BadInputError for a name that it doesn't know."""


class Condition:
    """An expression over the state of a stopped guest."""

    def __init__(self, text: str) -> None:
        """Raises BadInputError for a text that is no expression."""
        self.text = text
        self._named: list[tuple[str, str]] = []
        try:
            tree = ast.parse(WORDS.sub(self._name, text).strip(), mode="eval")
            size = sum(1 for _ in ast.walk(tree))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise BadInputError(f"{text!r} is no condition: write local 0 > 3") from None
        if size > MOST_NODES:
            raise BadInputError(f"the condition is too long: {size} parts")
        self._tree = tree.body

    def _name(self, match: re.Match[str]) -> str:
        """A name that stands for a local, a global or a number in memory."""
        kind, what, local = match.groups()
        self._named.append((kind or "local", what or local))
        return f" _{len(self._named) - 1}_ "

    def value(self, position: Position, known: Known) -> Any:
        """The value in a running function. Raises BadInputError."""
        try:
            return self._value(self._tree, position, known)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise BadInputError(f"{self.text}: {error}") from None

    def _value(self, node: ast.AST, position: Position, known: Known) -> Any:
        match node:
            case ast.Constant(value=int() | float() as value):
                return value
            case ast.Name(id=name):
                place = re.fullmatch(r"_(\d+)_", name)
                return named(position, *self._named[int(place[1])]) if place else known(name)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
                return UNARY[type(op)](self._value(operand, position, known))
            case ast.BoolOp(op=op, values=values):
                wanted = isinstance(op, ast.Or)
                return (
                    any(self._value(each, position, known) for each in values)
                    if wanted
                    else all(self._value(each, position, known) for each in values)
                )
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                pair = self._value(left, position, known), self._value(right, position, known)
                return small(BINARY[type(op)](*pair))
            case ast.Compare(left=left, ops=ops, comparators=others):
                values = [self._value(each, position, known) for each in (left, *others)]
                pairs = zip(ops, pairwise(values), strict=True)
                return all(BINARY[type(op)](*pair) for op, pair in pairs)
        raise BadInputError(f"{self.text!r} has something else than numbers and operators")


def small(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise BadInputError("a number is too large")
    return value


def named(position: Position, kind: str, what: str) -> Any:
    """The value of "local 0", "global 0" or "u32 0x400"."""
    instance = position.instance
    if kind == "local":
        index = local_index(position, what)
        type_, value = type_of_local(position, index), position.local(index)
        return value if type_ in (F32, F64) else from_guest(type_, value)
    if kind == "global":
        if not what.isdecimal() or int(what) >= len(instance.globals):
            raise BadInputError(f"no global {what}; there are {len(instance.globals)}")
        return instance.globals[int(what)].value
    if not instance.mems:
        raise BadInputError("the module has no memory")
    return number_at(instance.mems[0], address(position, what), kind)
