"""Validation of function bodies and constant expressions (https://webassembly.github.io/spec/core/valid/).

What is here: the algorithm of the specification's appendix on one body, which also notes what engines need
(`FuncFacts`). What is not: rules on sections and index spaces (`validate_module.py`). Rows of the table that
carry a type are checked by it; the others have a method here, named after the instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import InvalidError
from .instructions import Imm, Op
from .module import BlockType, Body, Func, MemArg, Module
from .types import FUNCREF, I32, FuncType, RefType, ValType

MAX_LOCALS = 50_000
"""Locals of one function, parameters included. The specification leaves the number to engines; browsers use
this one."""

Unknown = None
"""An operand below unreachable code, of whatever type is asked for."""
Operand = ValType | None


class Label(NamedTuple):
    """Where a branch goes: instruction index, how many values it carries, the stack height that it cuts down
    to first."""

    pc: int
    arity: int
    height: int


@dataclass(frozen=True, slots=True)
class FuncFacts:
    """What validation of a body found out, for the engines. Instructions are named by their index in the
    body."""

    type: FuncType
    locals: tuple[ValType, ...]
    """Types of parameters and locals."""
    ends: dict[int, int]
    """block, loop or if -> its end."""
    elses: dict[int, int]
    """if -> its else, where it has one."""
    branches: dict[int, Label | tuple[Label, ...]]
    """br, br_if -> its label; br_table -> all of them, the default last."""
    heights: tuple[int, ...]
    """Height of the operand stack before each instruction; -1 where it can't be reached."""
    types: dict[int, ValType]
    """drop, select -> type of the operand, where the instruction can be reached."""
    blocks: dict[int, FuncType]
    """block, loop or if -> its type."""


class Frame:
    """A structured instruction that is open."""

    __slots__ = ("branches", "height", "op_name", "start", "type", "unreachable")

    def __init__(self, op_name: str, start: int, type_: FuncType, height: int) -> None:
        self.op_name = op_name
        self.start = start
        self.type = type_
        self.height = height
        self.unreachable = False
        self.branches: list[
            tuple[int, int]
        ] = []  # (instruction, position in its br_table) that wait for our end

    @property
    def label_types(self) -> tuple[ValType, ...]:
        return self.type.params if self.op_name == "loop" else self.type.results


def matches(actual: Operand, expected: Operand) -> bool:
    """https://webassembly.github.io/spec/core/valid/matching.html#value-types"""
    return actual is expected or actual is Unknown or expected is Unknown or actual == expected


def type_mismatch(expected: tuple[Any, ...] | list[Any], actual: list[Operand]) -> str:
    wanted = " ".join(map(str, expected))
    found = " ".join("any" if t is Unknown else str(t) for t in actual)
    return f"type mismatch: instruction requires [{wanted}] but stack has [{found}]"


def index_in(space: tuple[Any, ...], index: int, what: str) -> Any:
    """The thing with this index, or the suite's message."""
    if index >= len(space):
        raise InvalidError(f"unknown {what} {index}")
    return space[index]


class BodyValidator:
    """Checks one body. Made anew for each."""

    def __init__(
        self, module: Module, type_: FuncType, locals_: tuple[ValType, ...], refs: frozenset[int]
    ) -> None:
        self.module = module
        self.type = type_
        self.locals = locals_
        self.refs = refs
        self.stack: list[Operand] = []
        self.frames: list[Frame] = []
        self.pc = 0
        self.ends: dict[int, int] = {}
        self.elses: dict[int, int] = {}
        self.labels: dict[int, list[Label | None]] = {}
        self.tables: set[int] = set()
        self.types: dict[int, ValType] = {}
        self.blocks: dict[int, FuncType] = {}

    def run(self, body: Body) -> FuncFacts:
        heights: list[int] = []
        plans: dict[Op, Plan] = {}
        stack = self.stack
        self.frames.append(Frame("func", -1, FuncType((), self.type.results), 0))
        for self.pc, (op, imm) in enumerate(body):
            frame = self.frames[-1] if self.frames else None
            if frame is None:
                raise InvalidError("unexpected content after the final end")
            heights.append(-1 if frame.unreachable else len(stack))
            plan = plans.get(op)
            if plan is None:
                plan = plans[op] = Plan.of(op)
            for check, position in plan.checks:
                check(self, op, imm if position < 0 else imm[position])
            if plan.method is not None:
                plan.method(self, imm)
                continue
            count = plan.count
            if count and (len(stack) - frame.height < count or stack[-count:] != plan.params):
                self.pop_all(op.params or ())
            elif count:
                del stack[-count:]
            stack.extend(op.results)
        if self.frames:
            raise InvalidError("END opcode expected")
        branches: dict[int, Label | tuple[Label, ...]] = {}
        for pc, labels in self.labels.items():
            done = tuple(label for label in labels if label is not None)
            branches[pc] = done if pc in self.tables else done[0]
        return FuncFacts(
            self.type, self.locals, self.ends, self.elses, branches, tuple(heights), self.types, self.blocks
        )

    # The operand stack

    def push_all(self, types: tuple[ValType, ...]) -> None:
        self.stack.extend(types)

    def pop(self, expected: Operand = Unknown) -> Operand:
        """Take the top operand, which must match."""
        frame, stack = self.frames[-1], self.stack
        if len(stack) == frame.height:
            if frame.unreachable:
                return Unknown
            raise InvalidError(type_mismatch(["any" if expected is Unknown else expected], []))
        actual = stack.pop()
        if not matches(actual, expected):
            raise InvalidError(type_mismatch([expected], [actual]))
        return actual

    def pop_all(self, types: tuple[ValType, ...]) -> None:
        """Take operands, the last on top."""
        present = self.stack[self.frames[-1].height :][-len(types) :] if types else []
        try:
            for type_ in reversed(types):
                self.pop(type_)
        except InvalidError:
            raise InvalidError(type_mismatch(types, present)) from None

    def unreachable_from_here(self) -> None:
        frame = self.frames[-1]
        del self.stack[frame.height :]
        frame.unreachable = True

    # Structured control. valid/instructions.html#control-instructions

    def block_type(self, blocktype: BlockType) -> FuncType:
        if blocktype.typeidx is not None:
            type_: FuncType = index_in(self.module.types, blocktype.typeidx, "type")
            return type_
        return FuncType((), () if blocktype.result is None else (blocktype.result,))

    def enter(self, op_name: str, type_: FuncType, start: int) -> None:
        self.frames.append(Frame(op_name, start, type_, len(self.stack)))
        self.push_all(type_.params)

    def open(self, op_name: str, blocktype: BlockType) -> None:
        type_ = self.block_type(blocktype)
        self.pop_all(type_.params)
        self.blocks[self.pc] = type_
        self.enter(op_name, type_, self.pc)

    def block(self, imm: BlockType) -> None:
        self.open("block", imm)

    def loop(self, imm: BlockType) -> None:
        self.open("loop", imm)

    def if_(self, imm: BlockType) -> None:
        self.pop(I32)
        self.open("if", imm)

    def close(self) -> Frame:
        frame = self.frames[-1]
        self.pop_all(frame.type.results)
        if len(self.stack) != frame.height:
            raise InvalidError(
                type_mismatch(frame.type.results, self.stack[frame.height :] + list(frame.type.results))
            )
        return self.frames.pop()

    def else_(self, imm: None) -> None:
        if self.frames[-1].op_name != "if":
            raise InvalidError("else without if")
        frame = self.close()
        self.elses[frame.start] = self.pc
        self.enter("else", frame.type, frame.start)
        self.frames[-1].branches = frame.branches

    def end(self, imm: None) -> None:
        frame = self.close()
        if frame.op_name == "if" and frame.type.params != frame.type.results:
            raise InvalidError(type_mismatch(frame.type.results, list(frame.type.params)))
        target = Label(self.pc + 1, len(frame.type.results), frame.height)
        if frame.start >= 0:
            self.ends[frame.start] = self.pc
        for pc, position in frame.branches:
            self.labels[pc][position] = target
        self.push_all(frame.type.results)

    # Branches

    def label(self, depth: int) -> Frame:
        if depth >= len(self.frames):
            raise InvalidError(f"unknown label {depth}")
        return self.frames[-1 - depth]

    def note_branch(self, frame: Frame) -> None:
        labels = self.labels.setdefault(self.pc, [])
        if frame.op_name == "loop":
            labels.append(Label(frame.start + 1, len(frame.type.params), frame.height))
        else:
            frame.branches.append((self.pc, len(labels)))
            labels.append(None)

    def br(self, imm: int) -> None:
        frame = self.label(imm)
        self.note_branch(frame)
        self.pop_all(frame.label_types)
        self.unreachable_from_here()

    def br_if(self, imm: int) -> None:
        frame = self.label(imm)
        self.note_branch(frame)
        self.pop(I32)
        self.pop_all(frame.label_types)
        self.push_all(frame.label_types)

    def br_table(self, imm: tuple[int, ...]) -> None:
        self.pop(I32)
        arity = len(self.label(imm[-1]).label_types)
        self.tables.add(self.pc)
        checked: set[int] = set()
        for depth in imm:
            frame = self.label(depth)
            self.note_branch(frame)
            if depth in checked:
                continue
            checked.add(depth)
            types = frame.label_types
            if len(types) != arity:
                raise InvalidError(type_mismatch(types, list(self.label(imm[-1]).label_types)))
            # Taken and put back as they were: an unknown operand must stay unknown for the next label.
            popped = [self.pop(type_) for type_ in reversed(types)]
            self.stack.extend(reversed(popped))
        self.pop_all(self.label(imm[-1]).label_types)
        self.unreachable_from_here()

    def return_(self, imm: None) -> None:
        self.pop_all(self.type.results)
        self.unreachable_from_here()

    def unreachable(self, imm: None) -> None:
        self.unreachable_from_here()

    # Calls

    def apply(self, type_: FuncType) -> None:
        self.pop_all(type_.params)
        self.push_all(type_.results)

    def call(self, imm: int) -> None:
        self.apply(self.module.func_types[imm])

    def call_indirect(self, imm: tuple[int, int]) -> None:
        typeidx, tableidx = imm
        if not matches(self.module.table_types[tableidx].element, FUNCREF):
            raise InvalidError(type_mismatch([FUNCREF], [self.module.table_types[tableidx].element]))
        self.pop(I32)
        self.apply(self.module.types[typeidx])

    # Parametric and variable instructions. valid/instructions.html#parametric-instructions

    def drop(self, imm: None) -> None:
        self.note_type(self.pop())

    def note_type(self, type_: Operand) -> None:
        if type_ is not Unknown:
            self.types[self.pc] = type_

    def select(self, imm: None) -> None:
        self.pop(I32)
        second, first = self.pop(), self.pop()
        for operand in (first, second):
            if isinstance(operand, RefType):
                raise InvalidError(f"type mismatch: select without type on a reference {operand}")
        if not matches(first, second):
            raise InvalidError(type_mismatch([first], [second]))
        chosen = second if first is Unknown else first
        self.note_type(chosen)
        self.stack.append(chosen)

    def select_t(self, imm: tuple[ValType, ...]) -> None:
        if len(imm) != 1:
            raise InvalidError("invalid result arity")
        self.pop_all((imm[0], imm[0], I32))
        self.note_type(imm[0])
        self.stack.append(imm[0])

    def local(self, index: int) -> ValType:
        type_: ValType = index_in(self.locals, index, "local")
        return type_

    def local_get(self, imm: int) -> None:
        if imm >= len(self.locals):
            raise InvalidError(f"unknown local {imm}")
        self.stack.append(self.locals[imm])

    def local_set(self, imm: int) -> None:
        self.pop_all((self.local(imm),))

    def local_tee(self, imm: int) -> None:
        type_ = self.local(imm)
        self.pop_all((type_,))
        self.stack.append(type_)

    def global_get(self, imm: int) -> None:
        self.stack.append(self.module.global_types[imm].type)

    def global_set(self, imm: int) -> None:
        type_ = self.module.global_types[imm]
        if not type_.mutable:
            raise InvalidError("immutable global")
        self.pop_all((type_.type,))

    # References and tables. valid/instructions.html#reference-instructions

    def ref_null(self, imm: Any) -> None:
        self.stack.append(RefType(imm))

    def ref_is_null(self, imm: None) -> None:
        operand = self.pop()
        if operand is not Unknown and not isinstance(operand, RefType):
            raise InvalidError(type_mismatch(["ref"], [operand]))
        self.stack.append(I32)

    def ref_func(self, imm: int) -> None:
        if imm not in self.refs:
            raise InvalidError("undeclared function reference")
        self.stack.append(FUNCREF)

    def table_get(self, imm: int) -> None:
        self.pop(I32)
        self.stack.append(self.module.table_types[imm].element)

    def table_set(self, imm: int) -> None:
        self.pop_all((I32, self.module.table_types[imm].element))

    def table_size(self, imm: int) -> None:
        self.stack.append(I32)

    def table_grow(self, imm: int) -> None:
        self.pop_all((self.module.table_types[imm].element, I32))
        self.stack.append(I32)

    def table_fill(self, imm: int) -> None:
        self.pop_all((I32, self.module.table_types[imm].element, I32))

    def table_copy(self, imm: tuple[int, int]) -> None:
        target, source = (self.module.table_types[tableidx].element for tableidx in imm)
        if not matches(source, target):
            raise InvalidError(type_mismatch([target], [source]))
        self.pop_all((I32, I32, I32))

    def table_init(self, imm: tuple[int, int]) -> None:
        elemidx, tableidx = imm
        source, target = self.module.elems[elemidx].type, self.module.table_types[tableidx].element
        if not matches(source, target):
            raise InvalidError(type_mismatch([target], [source]))
        self.pop_all((I32, I32, I32))

    # Memory. valid/instructions.html#memory-instructions

    def memory_size(self, imm: int) -> None:
        self.stack.append(I32)

    def memory_grow(self, imm: int) -> None:
        self.pop_all((I32,))
        self.stack.append(I32)

    def memory_fill(self, imm: int) -> None:
        self.pop_all((I32, I32, I32))

    def memory_copy(self, imm: tuple[int, int]) -> None:
        self.pop_all((I32, I32, I32))

    def memory_init(self, imm: tuple[int, int]) -> None:
        self.pop_all((I32, I32, I32))


Check = Callable[[BodyValidator, Op, Any], None]


def check_memarg(validator: BodyValidator, op: Op, memarg: MemArg) -> None:
    """valid/instructions.html#memory-instructions"""
    index_in(validator.module.mem_types, memarg.memidx, "memory")
    if 1 << memarg.align > op.width:
        raise InvalidError("alignment must not be larger than natural")
    if memarg.offset > 0xFFFFFFFF:
        raise InvalidError("offset out of range")


def check_data(validator: BodyValidator, op: Op, dataidx: int) -> None:
    index_in(validator.module.datas, dataidx, "data segment")


def check_elem(validator: BodyValidator, op: Op, elemidx: int) -> None:
    index_in(validator.module.elems, elemidx, "elem segment")


CHECKS: dict[Imm, Check] = {
    Imm.MEMARG: check_memarg,
    Imm.DATA: check_data,
    Imm.ELEM: check_elem,
    Imm.GLOBAL: lambda v, op, i: index_in(v.module.global_types, i, "global"),
    Imm.FUNC: lambda v, op, i: index_in(v.module.func_types, i, "function"),
    Imm.TYPE: lambda v, op, i: index_in(v.module.types, i, "type"),
    Imm.TABLE: lambda v, op, i: index_in(v.module.table_types, i, "table"),
    Imm.MEMORY: lambda v, op, i: index_in(v.module.mem_types, i, "memory"),
}
"""One checker per kind of immediate; kinds that aren't here are checked where they are used, or need no
check."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a row is checked."""

    params: list[ValType]
    count: int
    method: Callable[[BodyValidator, Any], None] | None
    checks: tuple[tuple[Check, int], ...]

    @classmethod
    def of(cls, op: Op) -> Plan:
        single = len(op.imms) == 1
        checks = tuple(
            (CHECKS[kind], -1 if single else i) for i, kind in enumerate(op.imms) if kind in CHECKS
        )
        checks = checks[::-1]  # the rules name a table or memory, which come last, before a segment or type
        if op.params is None:
            return cls([], 0, getattr(BodyValidator, op.method), checks)
        return cls(list(op.params), len(op.params), None, checks)


def expand_locals(func: Func, type_: FuncType) -> tuple[ValType, ...]:
    """Types of parameters and locals. Raises InvalidError where there are more than an engine gives."""
    if len(type_.params) + sum(count for count, _ in func.locals) > MAX_LOCALS:
        raise InvalidError(f"too many locals: a function may have {MAX_LOCALS}")
    declared = (type_ for count, type_ in func.locals for _ in range(count))
    return (*type_.params, *declared)


def validate_func(module: Module, index: int) -> FuncFacts:
    """Check the body of the defined function `index` of a module whose sections were checked.

    Raises InvalidError, or MalformedError if the body can't be decoded.
    """
    func = module.funcs[index]
    type_ = module.types[func.typeidx]
    validator = BodyValidator(module, type_, expand_locals(func, type_), module.declared_refs)
    try:
        return validator.run(func.body)
    except InvalidError as error:
        offsets = func.body.offsets
        offset = offsets[validator.pc] if validator.pc < len(offsets) else -1
        raise InvalidError(error.message, func=module.imported_funcs + index, offset=offset) from None


def validate_constant(module: Module, body: Body, expected: ValType, globals_: int) -> None:
    """Check a constant expression; only the first `globals_` globals may be used.

    https://webassembly.github.io/spec/core/valid/instructions.html#constant-expressions
    """
    for op, imm in body:
        if op.name == "global.get":
            if imm >= min(globals_, len(module.global_types)):
                raise InvalidError(f"unknown global {imm}")
            if module.global_types[imm].mutable:
                raise InvalidError("constant expression required")
        elif not op.constant:
            raise InvalidError("constant expression required")
    every_func = frozenset(range(len(module.func_types)))
    BodyValidator(module, FuncType((), (expected,)), (), every_func).run(body)
