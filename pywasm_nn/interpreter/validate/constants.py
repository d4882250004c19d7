"""Validation of constant expressions
(https://webassembly.github.io/spec/core/valid/instructions.html#constant-expressions)."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InvalidError
from ..module import Body, Module, func_ref
from ..pace import Patience, Work, paced
from ..types import AbsHeapType, FuncType, RefType, ValType
from .body import BodyValidator, most_steps
from .stack import matches


class ConstantValidator:
    """Checks the constant expressions of one module, with one bound on the work of all together: each may
    name the same type of 10,000 fields."""

    def __init__(self, module: Module, patience: Patience) -> None:
        self._module = module
        self._work = Work(patience, most_steps(len(module.data)))
        self._validators: dict[ValType, BodyValidator] = {}
        """A validator for each result type."""
        self._checked: dict[int, ValType] = {}
        """The last result type that an expression was checked against, by its id: equal expressions are often
        one object."""

    def check(self, body: Body, expected: ValType, globals_: int) -> None:
        """Check an expression; only the first `globals_` globals may be used, never fewer than for the
        expressions before. Raises InvalidError."""
        if self._checked.get(id(body)) == expected:
            return
        self._check(body, expected, globals_)
        self._checked[id(body)] = expected

    def check_references(self, funcidxs: Sequence[int], expected: ValType, globals_: int) -> None:
        """Check references to functions, written as their indices. Raises InvalidError."""
        typeidxs = self._module.func_typeidxs
        fitting: set[int] = set()
        for funcidx in paced(funcidxs, self._work.patience):
            if funcidx >= len(typeidxs) or typeidxs[funcidx] not in fitting:
                self._check(func_ref(funcidx), expected, globals_)
                fitting.add(typeidxs[funcidx])

    def _check(self, body: Body, expected: ValType, globals_: int) -> None:
        if (len(body.ops) == 2 and self._is_one_step(body, expected, globals_)) or computes(body, expected):
            return
        for op, imm in body:
            if op.name == "global.get":
                self._global(imm, globals_)
            elif not op.constant:
                raise InvalidError("constant expression required")
        validator = self._validators.get(expected)
        if validator is None:
            every_func = range(len(self._module.func_types))
            type_ = FuncType((), (expected,))
            validator = BodyValidator(self._module, type_, (), set(), every_func, work=self._work)
            self._validators[expected] = validator
        validator.stack.clear()
        validator.run(body)

    def _is_one_step(self, body: Body, expected: ValType, globals_: int) -> bool:
        """Whether a literal, ref.null, ref.func or global.get has the expected result. A fast path, because
        nearly all expressions are one of these."""
        first, imm = body.ops[0], body.imms[0]
        if first.constant and first.params == () and first.results == (expected,):
            return True
        if first.name == "ref.null" and isinstance(imm, AbsHeapType):
            return matches(RefType(imm), expected)
        if first.name == "ref.func" and imm < len(self._module.func_typeidxs):
            func = RefType(self._module.deftype(self._module.func_typeidxs[imm]), nullable=False)
            return matches(func, expected)
        if first.name == "global.get":
            return matches(self._global(imm, globals_), expected)
        return False

    def _global(self, index: int, globals_: int) -> ValType:
        """The type of a global. Raises InvalidError unless an expression may read it."""
        types = self._module.global_types
        if index >= min(globals_, len(types)):
            raise InvalidError(f"unknown global {index}")
        if types[index].mutable:
            raise InvalidError("constant expression required")
        return types[index].type


def computes(body: Body, expected: ValType) -> bool:
    """Whether a constant expression is a computation with literals and has this result. A fast path, because
    a module may have thousands of such expressions."""
    stack: list[ValType] = []
    for op in body.ops[:-1]:
        if not op.constant or op.params is None:
            return False
        left = len(stack) - len(op.params)
        if left < 0 or tuple(stack[left:]) != op.params:
            return False
        stack[left:] = op.results
    return len(stack) == 1 and matches(stack[0], expected)
