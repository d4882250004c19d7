"""Validation of one body: the algorithm of the specification's appendix
(https://webassembly.github.io/spec/core/appendix/algorithm.html), which also notes what engines need.

What is here: the operand stack, open blocks, and how a row of the table is checked: by its type if it has
one, else by the function named after it in the files of `SUBJECTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache
from typing import Any

from ...errors import InvalidError
from ...records import record
from ..instructions import Imm, Op
from ..module import BlockType, Body, MemArg, Module
from ..types import I64, FuncType, MemType, RefType, ValType
from . import control, exceptions, gc, memory, references, variables
from .facts import FuncFacts, Label
from .stack import SOME_REFERENCE, Operand, Unknown, index_in, matches, type_mismatch

SUBJECTS = (control, exceptions, variables, references, gc, memory)
"""Where instructions without a type in their row are checked."""


MAX_NESTING = 50_000
"""Structured instructions in each other. The specification leaves the number to engines: it is one for each
target of the largest `switch`."""


class Frame:
    """A structured instruction that is open."""

    __slots__ = ("branches", "height", "op_name", "set_before", "start", "type", "unreachable")

    def __init__(self, op_name: str, start: int, type_: FuncType, height: int, set_before: int) -> None:
        self.op_name = op_name
        self.start = start
        self.type = type_
        self.height = height
        self.unreachable = False
        self.set_before = set_before
        """How many of the locals without a default were set when it was opened."""
        self.branches: list[
            tuple[int, int]
        ] = []  # (instruction, position in its br_table) that wait for our end

    @property
    def label_types(self) -> tuple[ValType, ...]:
        return self.type.params if self.op_name == "loop" else self.type.results


class BodyValidator:
    """Checks one body. Made anew for each."""

    def __init__(
        self, module: Module, type_: FuncType, locals_: tuple[ValType, ...], refs: Container[int]
    ) -> None:
        self.module = module
        self.type = type_
        self.locals = locals_
        self.refs = refs
        self.unset = {
            index
            for index, local in enumerate(locals_[len(type_.params) :], len(type_.params))
            if not local.defaultable
        }
        """Locals that nobody has set and that have no default."""
        self.set: list[int] = []
        """Locals that were in `unset`, in the order in which they were set."""
        self.stack: list[Operand] = []
        self.frames: list[Frame] = []
        self.pc = 0
        self.ends: dict[int, int] = {}
        self.elses: dict[int, int] = {}
        self.labels: dict[int, list[Label | None]] = {}
        self.lists: set[int] = set()
        self.types: dict[int, ValType] = {}
        self.blocks: dict[int, FuncType] = {}

    def run(self, body: Body) -> FuncFacts:
        heights: list[int] = []
        plans: dict[Op, Plan] = {}
        wide = any(memory.addrtype is I64 for memory in self.module.mem_types)
        stack = self.stack
        self.frames.append(Frame("func", -1, FuncType((), self.type.results), 0, 0))
        for self.pc, (op, imm) in enumerate(body):
            if not self.frames:
                raise InvalidError("unexpected content after the final end")
            frame = self.frames[-1]
            heights.append(-1 if frame.unreachable else len(stack))
            plan = plans.get(op)
            if plan is None:
                plan = plans[op] = Plan.of(op, wide)
            if plan.checks:
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
            branches[pc] = done if pc in self.lists else done[0]
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
        if not types:
            return
        stack = self.stack
        if len(types) == 1 and len(stack) > self.frames[-1].height and stack[-1] is types[0]:
            stack.pop()
            return
        present = stack[self.frames[-1].height :][-len(types) :]
        try:
            for type_ in reversed(types):
                self.pop(type_)
        except InvalidError:
            raise InvalidError(type_mismatch(types, present)) from None

    def pop_ref(self) -> RefType:
        """Take the top operand, which must be some reference."""
        operand = self.pop()
        if operand is Unknown:
            return SOME_REFERENCE
        if not isinstance(operand, RefType):
            raise InvalidError(type_mismatch(["ref"], [operand]))
        return operand

    def unreachable_from_here(self) -> None:
        frame = self.frames[-1]
        del self.stack[frame.height :]
        frame.unreachable = True

    # Structured control and calls

    def block_type(self, blocktype: BlockType) -> FuncType:
        if blocktype.typeidx is not None:
            return self.module.func_type(blocktype.typeidx)
        return FuncType((), () if blocktype.result is None else (self.module.closed(blocktype.result),))

    def enter(self, op_name: str, type_: FuncType, start: int) -> None:
        if len(self.frames) > MAX_NESTING:
            raise InvalidError(f"too many blocks in each other: there may be {MAX_NESTING}")
        self.frames.append(Frame(op_name, start, type_, len(self.stack), len(self.set)))
        self.push_all(type_.params)

    def open(self, op_name: str, blocktype: BlockType, condition: tuple[ValType, ...] = ()) -> None:
        type_ = self.block_type(blocktype)
        self.pop_all(condition)
        self.pop_all(type_.params)
        self.blocks[self.pc] = type_
        self.enter(op_name, type_, self.pc)

    def close(self) -> Frame:
        frame = self.frames[-1]
        self.pop_all(frame.type.results)
        if len(self.stack) != frame.height:
            raise InvalidError(
                type_mismatch(frame.type.results, self.stack[frame.height :] + list(frame.type.results))
            )
        self.unset.update(self.set[frame.set_before :])
        del self.set[frame.set_before :]
        return self.frames.pop()

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

    def apply(self, type_: FuncType) -> None:
        self.pop_all(type_.params)
        self.push_all(type_.results)

    def note_type(self, type_: Operand) -> None:
        if type_ is not Unknown:
            self.types[self.pc] = type_

    def note_set(self, index: int) -> None:
        if index in self.unset:
            self.unset.discard(index)
            self.set.append(index)

    def local(self, index: int) -> ValType:
        if index >= len(self.locals):
            raise InvalidError(f"unknown local {index}")
        return self.locals[index]


Check = Callable[[BodyValidator, Op, Any], object]


def check_memarg(validator: BodyValidator, op: Op, memarg: MemArg) -> None:
    """valid/instructions.html#memory-instructions"""
    memory: MemType = index_in(validator.module.mem_types, memarg.memidx, "memory")
    if 1 << memarg.align > op.width:
        raise InvalidError("alignment must not be larger than natural")
    if memarg.offset >> memory.addrtype.bits:
        raise InvalidError("offset out of range")


def check_lane(validator: BodyValidator, op: Op, lane: int) -> None:
    """valid/instructions.html#vector-instructions"""
    if lane >= op.lanes:
        raise InvalidError(f"invalid lane index {lane}")


def check_lanes(validator: BodyValidator, op: Op, lanes: bytes) -> None:
    check_lane(validator, op, max(lanes))


def check_data(validator: BodyValidator, op: Op, dataidx: int) -> None:
    index_in(validator.module.datas, dataidx, "data segment")


def check_elem(validator: BodyValidator, op: Op, elemidx: int) -> None:
    index_in(validator.module.elems, elemidx, "elem segment")


CHECKS: dict[Imm, Check] = {
    Imm.MEMARG: check_memarg,
    Imm.DATA: check_data,
    Imm.ELEM: check_elem,
    Imm.LANE: check_lane,
    Imm.LANES: check_lanes,
    Imm.GLOBAL: lambda v, op, i: index_in(v.module.global_types, i, "global"),
    Imm.FUNC: lambda v, op, i: index_in(v.module.func_types, i, "function"),
    Imm.TYPE: lambda v, op, i: v.module.func_type(i),
    Imm.TYPEIDX: lambda v, op, i: v.module.deftype(i),
    Imm.HEAPTYPE: lambda v, op, i: v.module.close_heap(i),
    Imm.CASTTYPE: lambda v, op, i: v.module.close_heap(i),
    Imm.TAG: lambda v, op, i: index_in(v.module.tag_types, i, "tag"),
    Imm.TABLE: lambda v, op, i: index_in(v.module.table_types, i, "table"),
    Imm.MEMORY: lambda v, op, i: index_in(v.module.mem_types, i, "memory"),
}
"""One checker per kind of immediate; kinds that aren't here are checked where they are used, or need no
check."""


def access_method(op: Op) -> Callable[[BodyValidator, Any], None]:
    """What checks a load or store in a module with 64-bit memories: the row says its address as i32."""
    position = op.imms.index(Imm.MEMARG)

    def check_access(validator: BodyValidator, imm: Any) -> None:
        memarg: MemArg = imm if len(op.imms) == 1 else imm[position]
        addrtype = validator.module.mem_types[memarg.memidx].addrtype
        validator.pop_all((addrtype, *(op.params or ())[1:]))
        validator.push_all(op.results)

    return check_access


def method_of(op: Op) -> Callable[[BodyValidator, Any], None]:
    """The function that checks an instruction without a type in its row."""
    found = (getattr(subject, op.method, None) for subject in SUBJECTS)
    method: Callable[[BodyValidator, Any], None] = next(filter(None, found))
    return method


@record
class Plan:
    """How a row is checked."""

    params: list[ValType]
    count: int
    method: Callable[[BodyValidator, Any], None] | None
    checks: tuple[tuple[Check, int], ...]

    @classmethod
    @cache
    def of(cls, op: Op, wide: bool) -> Plan:
        """`wide`: whether the module has 64-bit memories."""
        single = len(op.imms) == 1
        checks = tuple(
            (CHECKS[kind], -1 if single else i) for i, kind in enumerate(op.imms) if kind in CHECKS
        )
        checks = checks[::-1]  # the rules name a table or memory, which come last, before a segment or type
        if op.params is None:
            return cls([], 0, method_of(op), checks)
        if wide and Imm.MEMARG in op.imms:
            return cls([], 0, access_method(op), checks)
        return cls(list(op.params), len(op.params), None, checks)
