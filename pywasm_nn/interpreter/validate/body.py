"""Validation of one body: the algorithm of the specification's appendix
(https://webassembly.github.io/spec/core/appendix/algorithm.html), which also records facts for the engines.

What is here: the operand stack and open blocks. The check of each row of the table is in `plans`.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import count
from operator import is_

from ...errors import InvalidError
from ..module import BlockType, Body, Module
from ..pace import OverworkError, Patience, Work, paced, unhurried
from ..types import EXN, FuncType, RefType, ValType
from .clauses import is_on
from .facts import FuncFacts, Label, LegacyTry
from .plans import PLANS
from .stack import SLOW, SOME_REFERENCE, Operand, Unknown, matches, type_mismatch
from .variables import local_get, local_set, local_tee

MAX_NESTING = 50_000
"""The nesting limit of structured instructions. The specification leaves it to engines. A large `switch`
needs one level for each target."""
FEW = 8
"""Lists of at most so many types are processed as quickly as a single type."""
MOST_STEPS, STEPS_AN_INSTRUCTION = 10_000_000, 16
"""The number of types and fields that may be processed in the lists of a body, and how many more for each
instruction. Programs need a twentieth of that; but every instruction can use the same long list."""
KEEPING = (RefType(EXN),)
"""The type of a local that keeps an exception."""
NOTHING = FuncType()
"""The type of a block without parameters and results, as most blocks are."""


def most_steps(instructions: int) -> int:
    """The maximum of `Work` for a body with so many instructions."""
    return MOST_STEPS + STEPS_AN_INSTRUCTION * instructions


class ControlFrame:
    """An open structured instruction."""

    __slots__ = (
        "height",
        "label",
        "label_types",
        "op_name",
        "place",
        "set_before",
        "start",
        "type",
        "unreachable",
    )

    label: Label
    """The target of branches. For a loop it is set at once, for any other instruction at its `end`."""
    place: int
    """For a legacy `try` from its first clause on: how many blocks around it have an open clause."""

    def __init__(self, op_name: str, start: int, type_: FuncType, height: int, set_before: int) -> None:
        self.op_name = op_name
        self.start = start
        self.type = type_
        self.height = height
        self.unreachable = False
        self.set_before = set_before
        """The number of locals without a default that were set when the instruction was opened."""
        if op_name == "loop":
            self.label_types = type_.params
            self.label = Label(start + 1, len(type_.params), height)
        else:
            self.label_types = type_.results


class BodyValidator:
    """Checks one body. Each body needs a new one."""

    def __init__(
        self,
        module: Module,
        type_: FuncType,
        locals_: tuple[ValType, ...],
        unset: set[int],
        refs: Container[int],
        patience: Patience = unhurried,
        work: Work | None = None,
    ) -> None:
        self.module: Module = module
        self.exact = is_on(module)
        """Whether instructions that make references give exact types."""
        self.type = type_
        self.locals = locals_
        self.refs = refs
        self.unset = unset
        """Locals without a default that have not been set."""
        self.set: list[int] = []
        """Locals that were in `unset`, in the order of being set."""
        self.stack: list[Operand] = []
        self.frames: list[ControlFrame] = []
        self.pc = 0
        self.ends: dict[int, int] = {}
        self.elses: dict[int, int] = {}
        self.branches: dict[int, ControlFrame] = {}
        self.lists: dict[int, list[ControlFrame]] = {}
        self.types: dict[int, ValType] = {}
        self.blocks: dict[int, FuncType] = {}
        self.dead_ends: set[int] = set()
        self.tries: dict[int, LegacyTry] = {}
        self.rethrows: dict[int, int] = {}
        self.catching: list[int] = []
        """Indices of frames with an open clause; those at the end may have been closed since."""
        self.kept = 0
        """The number of locals that keep exceptions."""
        self.unpacked: dict[int, tuple[ValType, ...]] = {}
        """Operand types of a structure's fields, by typeidx."""
        self.defaulted: set[int] = set()
        """Type indices of structures whose fields all have defaults."""
        self.patience = patience
        self.work = work or Work(patience, most_steps(0))
        self.shares = work is not None
        """Whether the work is counted together with other bodies."""
        self.defaults = 0
        """The number of fields that instructions set to their defaults."""

    def run(self, body: Body) -> FuncFacts:
        """Check the instructions. Raises InvalidError and DeadlineError."""
        if not self.shares:
            self.work = Work(self.patience, most_steps(len(body.ops)))
        try:
            return self.check(body)
        except OverworkError:
            raise InvalidError("too many types in the lists that instructions go through") from None

    def check(self, body: Body) -> FuncFacts:
        """Check all instructions: each has a function, its `method`, or none if the types in its row say all,
        and perhaps further `checks` of its immediate (`plans.py`).

        Instructions with types in their row and those that access locals are three quarters of all. Here they
        have a fast path, without any call, for operands of exactly the expected types; otherwise `pop_all`
        and the functions apply the rules.
        """
        plans = PLANS[self.module.has_memory64]
        stack, frames, locals_, unset = self.stack, self.frames, self.locals, self.unset
        local_count, most, done = len(locals_), 0, self.work.done
        frame = ControlFrame("func", -1, FuncType((), self.type.results), 0, 0)
        frames.append(frame)
        base = frame.height
        steps = zip(count(), map(plans.__getitem__, paced(body.ops, self.patience)), body.imms)
        for self.pc, (checks, method, operands, params, results), imm in steps:
            height = len(stack)
            if height > most:
                most = height
            if checks:
                for check in checks:
                    check(self, imm)
            if method is None:
                if operands == 1 and height > base and stack[-1] is params[0]:
                    del stack[-1]
                elif (
                    operands == 2 and height - base >= 2 and stack[-1] is params[1] and stack[-2] is params[0]
                ):
                    del stack[-2:]
                elif operands:
                    self.pop_all(params)
                stack += results
            elif method is local_get and imm < local_count and imm not in unset:
                stack.append(locals_[imm])
            elif (
                (method is local_set or method is local_tee)
                and imm < local_count
                and imm not in unset
                and height > base
                and stack[-1] is locals_[imm]
            ):
                if method is local_set:
                    del stack[-1]
            else:
                method(self, imm)
                if not frames:
                    break
                base = frames[-1].height
        else:
            raise InvalidError("END opcode expected")
        if self.pc + 1 < len(body.ops):
            self.pc += 1
            raise InvalidError("unexpected content after the final end")
        return self.facts(most, self.work.done - done)

    def facts(self, most_operands: int, work: int) -> FuncFacts:
        """What was noted on the way, for the engines."""
        branches: dict[int, Label | tuple[Label, ...]] = {pc: to.label for pc, to in self.branches.items()}
        for pc, targets in self.lists.items():
            branches[pc] = tuple([to.label for to in targets])
        return FuncFacts(
            self.type,
            self.locals + KEEPING * self.kept,
            self.ends,
            self.elses,
            branches,
            most_operands,
            self.types,
            self.blocks,
            self.dead_ends,
            self.tries,
            self.rethrows,
            len(self.locals),
            work + self.defaults,
        )

    # The operand stack

    def push_all(self, types: tuple[ValType, ...]) -> None:
        self.spend(types)
        self.stack += types

    def pop(self, expected: Operand = Unknown) -> Operand:
        """Pop the top operand, which must match."""
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
        """Pop operands; the last one is on top."""
        if not types:
            return
        stack, height = self.stack, self.frames[-1].height
        if len(types) == 1 and len(stack) > height and stack[-1] is types[0]:
            stack.pop()
            return
        present = stack[max(len(stack) - len(types), height) :]
        if len(types) > FEW:
            self.work.spend(len(types))
            if len(present) == len(types) and all(map(is_, present, types)):
                del stack[-len(types) :]
                return
            self.work.spend(SLOW * len(types))
        if tuple(present) == types:
            del stack[-len(types) :]
            return
        try:
            for type_ in reversed(types):
                self.pop(type_)
        except InvalidError:
            raise InvalidError(type_mismatch(types, present)) from None

    def pop_ref(self) -> RefType:
        """Pop the top operand, which must be a reference."""
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
        result = blocktype.result
        return NOTHING if result is None else FuncType((), (self.module.closed(result),))

    def open(self, op_name: str, blocktype: BlockType, condition: tuple[ValType, ...] = ()) -> None:
        type_ = self.block_type(blocktype)
        if condition:
            self.pop_all(condition)
        if type_.params:
            self.pop_all(type_.params)
        if len(self.frames) > MAX_NESTING:
            raise InvalidError(f"too many blocks in each other: there may be {MAX_NESTING}")
        self.spend(type_.params)
        self.blocks[self.pc] = type_
        self.frames.append(ControlFrame(op_name, self.pc, type_, len(self.stack), len(self.set)))
        self.stack += type_.params

    def close(self) -> ControlFrame:
        frame = self.frames[-1]
        results = frame.type.results
        if results:
            self.pop_all(results)
        if len(self.stack) != frame.height:
            left = self.stack[frame.height :] + list(results)
            raise InvalidError(type_mismatch(results, left, "block"))
        if frame.unreachable:
            self.dead_ends.add(self.pc)
        if self.set:
            self.unset.update(self.set[frame.set_before :])
            del self.set[frame.set_before :]
        return self.frames.pop()

    def label(self, depth: int) -> ControlFrame:
        if depth >= len(self.frames):
            raise InvalidError(f"unknown label {depth}")
        return self.frames[-1 - depth]

    def branch(self, depth: int) -> ControlFrame:
        """Record and return the target of the current branch."""
        frame = self.branches[self.pc] = self.label(depth)
        return frame

    def apply(self, type_: FuncType) -> None:
        self.pop_all(type_.params)
        self.spend(type_.results)
        self.stack += type_.results

    def spend(self, types: Sequence[object], steps: int = 1) -> None:
        """Count the work of processing a list, if the list is long."""
        if len(types) > FEW:
            self.work.spend(steps * len(types))

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
