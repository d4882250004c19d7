"""Validation of functions and constant expressions."""

from __future__ import annotations

from ...errors import InvalidError
from ..module import Body, Func, Module
from ..pace import Patience, Work, unhurried
from ..types import AbsHeapType, FuncType, RefType, ValType
from .body import BodyValidator
from .facts import FuncFacts
from .stack import matches

MAX_LOCALS = 50_000
"""The maximum of locals in a function, parameters included. The specification leaves it to engines; browsers
use the same."""


def expand_locals(module: Module, func: Func, type_: FuncType) -> tuple[tuple[ValType, ...], set[int]]:
    """Types of parameters and locals, and the locals without a default. Raises InvalidError for too many
    locals."""
    if len(type_.params) + sum([count for count, _ in func.locals]) > MAX_LOCALS:
        raise InvalidError(f"too many locals: a function may have {MAX_LOCALS}")
    types = list(type_.params)
    unset: set[int] = set()
    for count, written in func.locals:
        closed = module.closed(written)
        if not closed.defaultable:
            unset.update(range(len(types), len(types) + count))
        types += [closed] * count
    return tuple(types), unset


def validate_func(
    module: Module, index: int, patience: Patience = unhurried, work: Work | None = None
) -> FuncFacts:
    """Check the body of the defined function `index` of a module whose sections were checked.

    Raises InvalidError, MalformedError if the body can't be decoded, and DeadlineError if the waiting call
    has no time left. `work` counts the work if several bodies share a bound.
    """
    func = module.funcs[index]
    type_ = module.func_type(func.typeidx)
    locals_, unset = expand_locals(module, func, type_)
    validator = BodyValidator(module, type_, locals_, unset, module.declared_refs, patience, work)
    body = func.load(patience)
    try:
        return validator.run(body)
    except InvalidError as error:
        offsets = func.body.offsets
        offset = offsets[validator.pc] if validator.pc < len(offsets) else -1
        raise InvalidError(error.message, func=module.imported_funcs + index, offset=offset) from None


def computes(body: Body, expected: ValType) -> bool:
    """Whether a constant expression is a computation with literals and has this result. A fast path, because
    a module may have thousands of such expressions."""
    stack: list[ValType] = []
    for op in body.ops[:-1]:
        if not op.constant or op.params is None or not op.results:
            return False
        left = len(stack) - len(op.params)
        if left < 0 or tuple(stack[left:]) != op.params:
            return False
        stack[left:] = op.results
    return stack == [expected]


def validate_constant(module: Module, body: Body, expected: ValType, globals_: int) -> None:
    """Check a constant expression; only the first `globals_` globals may be used.

    https://webassembly.github.io/spec/core/valid/instructions.html#constant-expressions
    """
    if len(body.ops) == 2:  # a fast path: nearly all are a literal or ref.func
        first, imm = body.ops[0], body.imms[0]
        if first.constant and first.params == () and first.results == (expected,):
            return
        if first.name == "ref.null" and isinstance(imm, AbsHeapType) and matches(RefType(imm), expected):
            return
        if first.name == "ref.func" and imm < len(module.func_typeidxs):
            func = RefType(module.deftype(module.func_typeidxs[imm]), nullable=False)
            if matches(func, expected):
                return
    if computes(body, expected):
        return
    for op, imm in body:
        if op.name == "global.get":
            if imm >= min(globals_, len(module.global_types)):
                raise InvalidError(f"unknown global {imm}")
            if module.global_types[imm].mutable:
                raise InvalidError("constant expression required")
        elif not op.constant:
            raise InvalidError("constant expression required")
    every_func = range(len(module.func_types))
    BodyValidator(module, FuncType((), (expected,)), (), set(), every_func).run(body)
