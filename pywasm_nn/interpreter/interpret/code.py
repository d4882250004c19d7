"""Prepares function bodies for the machine: for every instruction its handler and resolved immediate.

Handlers of rows with an expression or an access are generated from the row; the others are functions named
after the instruction, in the files of `RUNNING_MODULES`. What is not here: calling handlers (`machine.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from ...errors import InvalidError, MalformedError, Trap, TrapKind
from ...records import Frozen, changed
from ..instructions import Imm, Op
from ..instructions.cells import NAMES, evaluator, operands, values
from ..instructions.row import LANE
from ..module import Body, Catch, MemArg, Module
from ..numerics import float32, float64
from ..pace import Patience, paced
from ..runtime.depth import weight_of
from ..runtime.heap import fields_of
from ..runtime.meter import BULK, Metered, charges, checks
from ..types import FuncType, RefType
from ..validate import FuncFacts, Label, validate_func
from . import atomics, control, descriptors, exceptions, gc, memory, references, variables

if TYPE_CHECKING:
    from .machine import Frame, Machine

RUNNING_MODULES = (control, exceptions, variables, references, gc, memory, atomics, descriptors)
Handler = Callable[["Machine", "Frame", Any], None]


class Try(Frozen):
    """A try_table with instructions from `start` to before `stop`, or the body of a legacy `try`. `labels`
    belong to `catches`."""

    start: int
    stop: int
    catches: tuple[Catch, ...]
    labels: tuple[Label, ...]
    kept: int = -1
    """The local that keeps the exception; -1 if none does."""
    target: int | None = None
    """For one that delegates: the instruction that opened the block where the exception is thrown again; -1
    is the function."""
    outer: int = -1
    """The index of the innermost of `Code.tries` around it; -1 if there is none."""


class Code(Frozen):
    """A prepared body. It has one more handler than instructions: the last one returns."""

    handlers: tuple[Handler, ...]
    imms: tuple[Any, ...]
    body: Body
    """The decoded body, for observers."""
    type: FuncType
    defaults: tuple[Any, ...]
    """Initial values of the locals that aren't parameters."""
    weight: int
    """The number of frames that it counts as, beyond one, because of many locals and operands."""
    tries: tuple[Try, ...]
    """In the order in which they start."""
    starts: tuple[int, ...]
    """Where they start."""
    named: int
    """The number of locals that the guest has; those behind them keep exceptions for `rethrow`."""


def prepare(module: Module, index: int, counts: Metered, patience: Patience) -> Code:
    """Decode, validate and resolve the body of the defined function `index`; its handlers count as `counts`
    asks.

    Raises Trap if the body is malformed or invalid, with that error as its cause (a trap, because a call has
    reached the body), and DeadlineError.
    """
    try:
        facts = validate_func(module, index, patience)
    except (InvalidError, MalformedError) as error:
        raise Trap(TrapKind.INVALID_BODY, str(error)) from error
    body = module.funcs[index].body
    handlers = list(map(handler_for, paced(body.ops, patience)))
    if any(counts):
        meter(handlers, body, facts, counts, module.imported_funcs)
    after_elses = {at: facts.ends[start] + 1 for start, at in facts.elses.items()}
    for start, attempt in facts.tries.items():
        after_elses.update({label.pc - 1: facts.ends[start] + 1 for label in attempt.clauses})
    steps = zip(count(), paced(body.ops, patience), body.imms)
    imms = tuple([after_elses.get(pc) or resolve(op, imm, pc, facts, module) for pc, op, imm in steps])
    tries = tuple(linked(tries_of(body, facts)))
    return Code(
        (*handlers, leave),
        (*imms, None),
        body,
        facts.type,
        tuple(type_.default for type_ in facts.locals[len(facts.type.params) :]),
        weight_of(len(facts.locals) + facts.height),
        tries,
        tuple([block.start for block in tries]),
        facts.named,
    )


def tries_of(body: Body, facts: FuncFacts) -> Iterator[Try]:
    """The blocks that catch or delegate exceptions, outer ones first."""
    for pc, (op, imm) in enumerate(body):
        labels: Any = facts.branches.get(pc)
        if op.name == "try_table" and labels:
            yield Try(pc + 1, facts.ends[pc], imm[1], labels)
        elif pc in facts.tries:
            yield from legacy_try(body, facts, pc)


def linked(tries: Iterator[Try]) -> Iterator[Try]:
    """The blocks with those around them, so that a throw need not look at all of them."""
    open_: list[tuple[int, int]] = []
    for index, block in enumerate(tries):
        while open_ and open_[-1][1] <= block.start:
            open_.pop()
        yield changed(block, outer=open_[-1][0]) if open_ else block
        open_.append((index, block.stop))


def legacy_try(body: Body, facts: FuncFacts, pc: int) -> Iterator[Try]:
    """The body of a legacy `try`, unless it neither catches nor delegates."""
    attempt = facts.tries[pc]
    labels = tuple(attempt.clauses)
    if labels:
        catches = tuple([Catch(body.imms[label.pc - 1], False, 0) for label in labels])
        yield Try(pc + 1, labels[0].pc - 1, catches, labels, attempt.kept)
    elif attempt.target is not None:
        yield Try(pc + 1, facts.ends[pc], (), (), target=attempt.target)


def resolve(op: Op, imm: Any, pc: int, facts: FuncFacts, module: Module) -> Any:
    """The immediate in the form that the handler needs: labels resolved, floats as floats."""
    if pc in facts.branches:
        label = facts.branches[pc]
        return (label, module.closed(imm.target)) if op.imms == (Imm.CAST,) else label
    if op.imms == (Imm.F32,):
        return float32(imm)
    if op.imms == (Imm.F64,):
        return float64(imm)
    if op.name == "if":
        return facts.elses.get(pc, facts.ends[pc]) + 1
    if op.name == "rethrow":
        return facts.rethrows[pc]
    if op.name in ("call_indirect", "return_call_indirect"):
        return module.deftype(imm[0]), imm[1]
    if not TYPED.isdisjoint(op.imms):
        return resolve_typed(op, imm, module)
    return imm


TYPED = frozenset({Imm.TYPEIDX, Imm.FIELD, Imm.CASTTYPE})


def resolve_typed(op: Op, imm: Any, module: Module) -> Any:
    """Immediates with type indices, resolved to types."""
    if op.imms == (Imm.CASTTYPE,):
        return RefType(module.close_heap(imm), op.takes_null)
    if op.imms == (Imm.FIELD,):
        return imm.fieldidx, fields_of(module.deftype(imm.typeidx))[imm.fieldidx].storage
    if op.imms == (Imm.TYPEIDX,):
        return module.deftype(imm)
    return module.deftype(imm[0]), imm[1]


@cache
def handler_for(op: Op) -> Handler:
    """The function named after the instruction, or else a handler made from its row."""
    for subject in RUNNING_MODULES:
        if method := getattr(subject, op.method, None):
            made: Handler = method
            return made
    return row_handler(op)


def row_handler(op: Op) -> Handler:
    """The handler of an instruction that its row defines."""
    if op.atomic:
        return atomics.atomic_handler(op)
    if op.access:
        if Imm.LANE in op.imms:
            return store_lane_handler(op) if op.stores else load_lane_handler(op)
        return store_handler(op) if op.stores else load_handler(op)
    if not op.exprs:
        shape = len(op.params or ()), len(op.results), len(op.imms)
        if shape not in ((0, 1, 1), (0, 0, 0)):
            raise NotImplementedError(f"{op.name} has no expression, and no function {op.method} runs it")
        return push_immediate if op.imms else no_operation
    names = operands(op)
    lines = [f"{LANE} = imm"] if names.endswith(LANE) else []
    names = names.removesuffix(LANE)
    lines += [f"{name} = stack.pop()" for name in reversed(names[1:])]
    lines += [f"{names[0]} = stack[-1]"] if names else ["stack.append(None)"]
    first, *others = values(op)
    lines += [f"others = {', '.join(others)}," if others else "", f"stack[-1] = {first}"]
    lines += ["stack += others"] if others else []
    source = "def handler(machine, frame, imm):\n    stack = frame.stack\n    " + "\n    ".join(lines)
    namespace = dict(NAMES)
    exec(compile(source, f"<row {op.name}>", "exec"), namespace)
    made: Handler = namespace["handler"]
    return made


def meter(
    handlers: list[Handler], body: Body, facts: FuncFacts, counts: Metered, imported_funcs: int
) -> None:
    """Wrap handlers so that they charge fuel and check the time, in the same order as generated code."""
    for pc, op in enumerate(body.ops) if counts.fuel or counts.time else ():
        if op.name in BULK:
            handlers[pc] = paying(handlers[pc])
    for pc in charges(body, facts) if counts.blocks else ():
        handlers[pc] = telling(handlers[pc], body.offsets[pc])
    for pc in checks(body, facts, imported_funcs) if counts.time else ():
        handlers[pc] = checking(handlers[pc])
    for pc, cost in charges(body, facts).items() if counts.fuel else ():
        handlers[pc] = charging(handlers[pc], cost)


def telling(handler: Handler, offset: int) -> Handler:
    def tell(machine: Machine, frame: Frame, imm: Any) -> None:
        frame.instance.observer.block(frame.func.funcidx, offset)
        handler(machine, frame, imm)

    return tell


def paying(handler: Handler) -> Handler:
    def pay(machine: Machine, frame: Frame, imm: Any) -> None:
        frame.instance.meter.pay(frame.stack[-1])
        handler(machine, frame, imm)

    return pay


def checking(handler: Handler) -> Handler:
    def check(machine: Machine, frame: Frame, imm: Any) -> None:
        frame.instance.meter.check()
        handler(machine, frame, imm)

    return check


def charging(handler: Handler, cost: int) -> Handler:
    def charge(machine: Machine, frame: Frame, imm: Any) -> None:
        frame.instance.meter.charge(cost)
        handler(machine, frame, imm)

    return charge


def leave(machine: Machine, frame: Frame, imm: None) -> None:
    machine.leave(frame)


def push_immediate(machine: Machine, frame: Frame, imm: Any) -> None:
    frame.stack.append(imm)


def no_operation(machine: Machine, frame: Frame, imm: Any) -> None:
    pass


def load_handler(op: Op) -> Handler:
    access, convert = op.access or "", evaluator(op) if op.expr else None

    def load(machine: Machine, frame: Frame, imm: MemArg) -> None:
        stack = frame.stack
        value = frame.instance.mems[imm.memidx].load(access, stack[-1] + imm.offset)
        stack[-1] = convert(value) if convert else value

    return load


def store_handler(op: Op) -> Handler:
    access, convert = op.access or "", evaluator(op) if op.expr else None

    def store(machine: Machine, frame: Frame, imm: MemArg) -> None:
        stack = frame.stack
        value, address = stack.pop(), stack.pop()
        frame.instance.mems[imm.memidx].store(
            access, address + imm.offset, convert(value) if convert else value
        )

    return store


def load_lane_handler(op: Op) -> Handler:
    access, put = op.access or "", evaluator(op)

    def load_lane(machine: Machine, frame: Frame, imm: tuple[MemArg, int]) -> None:
        stack = frame.stack
        memarg, lane = imm
        vector = stack.pop()
        value = frame.instance.mems[memarg.memidx].load(access, stack[-1] + memarg.offset)
        stack[-1] = put(value, vector, lane)

    return load_lane


def store_lane_handler(op: Op) -> Handler:
    access, get = op.access or "", evaluator(op)

    def store_lane(machine: Machine, frame: Frame, imm: tuple[MemArg, int]) -> None:
        stack = frame.stack
        memarg, lane = imm
        vector, address = stack.pop(), stack.pop()
        frame.instance.mems[memarg.memidx].store(access, address + memarg.offset, get(vector, lane))

    return store_lane
