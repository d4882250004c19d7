"""The effect of an instruction in a few words, from its row of the table: "3 x 3", "-7 < 2", "[0x10] is 5".

What is here: writing a row's expression with its operands, without the arithmetic of the canonical form
(masks that wrap, the offset that makes a comparison signed). What is not: the place of the instruction and
the stack (`text.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..interpreter.instructions import Op
from ..interpreter.instructions.row import OPERANDS, Imm
from ..interpreter.types import V128, NumType, ValType
from .values import shown, signed

SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "x", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Eq: "==", ast.NotEq: "!=",
    ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Invert: "~", ast.USub: "-", ast.Not: "not ",
}  # fmt: skip
WRAPPING = {0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}
SIGNS = {0x80000000, 0x8000000000000000}
CANONICALISE = {"round32", "float32"}
"""Functions of numerics that only bring a result into canonical form."""
EITHER_SIGN = (ast.Add, ast.Sub, ast.Mult, ast.Eq, ast.NotEq)
"""Operators that mean the same for signed and unsigned operands. Their operands are shown signed, because
people expect small negative numbers."""


def explain(op: Op, imm: Any, popped: Sequence[Any], pushed: Sequence[Any]) -> str:
    """Returns a few words about an instruction that popped `popped` and pushed `pushed`, or "" if there is
    nothing to add to the mnemonic."""
    special = BY_NAME.get(op.name)
    if special is not None:
        return special(popped, pushed)
    if op.access is not None:
        return explain_access(op, imm, popped, pushed)
    if op.access or op.params is None or V128 in op.params or V128 in op.results:
        return ""  # one number doesn't show the lanes of a vector
    put = _Put(dict(zip(OPERANDS, zip(popped, op.params, strict=False), strict=False)))
    trees = [parsed(expr) for expr in op.exprs]
    return ", ".join([put.write(tree) for tree, _ in trees]) if any(worth for _, worth in trees) else ""


def explain_access(op: Op, imm: Any, popped: Sequence[Any], pushed: Sequence[Any]) -> str:
    """Loads and stores: the effective address and the value."""
    memarg = imm[0] if Imm.LANE in op.imms else imm
    if not popped or not hasattr(memarg, "offset"):
        return ""
    at = f"[0x{popped[0] + memarg.offset:x}]"
    if op.stores and op.results:
        return f"{at} was {shown(pushed[-1])}" if pushed else at
    if op.stores:
        return f"{at} = {shown(popped[-1])}"
    return f"{at} is {shown(pushed[-1])}" if pushed else at


def explain_branch(popped: Sequence[Any], _pushed: Sequence[Any]) -> str:
    return "taken" if popped and popped[-1] else "not taken"


def explain_if(popped: Sequence[Any], _pushed: Sequence[Any]) -> str:
    return "then" if popped and popped[-1] else "else"


def explain_select(popped: Sequence[Any], _pushed: Sequence[Any]) -> str:
    return "the first" if popped and popped[-1] else "the second"


BY_NAME: Mapping[str, Callable[[Sequence[Any], Sequence[Any]], str]] = {
    "br_if": explain_branch,
    "if": explain_if,
    "select": explain_select,
    "select_t": explain_select,
}
"""Instructions without an expression in the table whose outcome is worth a word."""


@cache
def parsed(expression: str) -> tuple[ast.expr, bool]:
    """The expression as a tree, and whether writing it out says more than the mnemonic."""
    tree = ast.parse(expression, mode="eval").body
    nodes = list(ast.walk(tree))
    operators = any(isinstance(n, ast.operator | ast.cmpop | ast.Call | ast.UnaryOp) for n in nodes)
    return tree, operators and not any(isinstance(n, ast.Attribute) for n in nodes)


class _Put:
    """Writes an expression with values in place of names: `operands` maps a name to value and type."""

    def __init__(self, operands: Mapping[str, tuple[Any, ValType]]) -> None:
        self.operands = operands

    def inner(self, node: ast.expr, as_signed: bool) -> str:
        """An operand of another operator, in parentheses if it needs them."""
        written = self.write(node, as_signed)
        return f"({written})" if " " in written else written

    def name(self, name: str, as_signed: bool) -> str:
        if name not in self.operands:
            return name
        value, type_ = self.operands[name]
        if as_signed and isinstance(value, int) and isinstance(type_, NumType):
            value = signed(value, type_.bits)
        return shown(value)

    def within(self, name: str, mask: int) -> bool:
        """Whether a mask changes nothing, for example in a shift by less than the width of the type."""
        value = self.operands[name][0] if name in self.operands else None
        return isinstance(value, int) and value & mask == value

    def write(self, node: ast.expr, as_signed: bool = False) -> str:
        match node:
            case ast.BinOp(left, ast.BitAnd(), ast.Constant(int(mask))) if mask in WRAPPING:
                return self.write(left, as_signed)
            case ast.BinOp(ast.Name(name), ast.BitAnd(), ast.Constant(int(mask))) if self.within(name, mask):
                return self.name(name, as_signed)
            case ast.BinOp(
                ast.BinOp(left, ast.BitXor(), ast.Constant(int(flip))), ast.Sub(), ast.Constant(int(sign))
            ) if flip == sign:
                return self.write(left, True)
            case ast.BinOp(left, ast.BitXor(), ast.Constant(int(sign))) if sign in SIGNS:
                return self.write(left, True)
            case ast.BinOp(left, operator, right):
                either = isinstance(operator, EITHER_SIGN)
                return f"{self.inner(left, either)} {SYMBOLS[type(operator)]} {self.inner(right, either)}"
            case ast.Compare(left, [operator], [right]):
                either = isinstance(operator, EITHER_SIGN)
                return f"{self.inner(left, either)} {SYMBOLS[type(operator)]} {self.inner(right, either)}"
            case ast.UnaryOp(operator, of):
                return f"{SYMBOLS[type(operator)]}{self.inner(of, as_signed)}"
            case ast.Call(ast.Name(name), [argument]) if name in CANONICALISE:
                return self.write(argument, as_signed)
            case ast.Call(ast.Name("fdiv"), [left, right]):
                return f"{self.inner(left, False)} / {self.inner(right, False)}"
            case ast.Call(ast.Name(name), arguments):
                operands = [a for a in arguments if not isinstance(a, ast.Constant)]
                return f"{name}({', '.join(self.write(a, name.endswith('_s')) for a in operands)})"
            case ast.Name(name):
                return self.name(name, as_signed)
            case ast.Constant(int(value)) if value > 9:
                return f"0x{value:x}"
            case _:
                return ast.unparse(node)
