"""Locals and globals
(https://webassembly.github.io/spec/core/exec/instructions.html#variable-instructions)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...types import ExternKind
from ..forms.operands import ATOM, QUIET, ROUND, STATE, TRAP, VAR, Operand, constant, named
from .emitter import Emitter, translates, variable
from .loops import stepped


@translates("local.get")
def local_get(e: Emitter, op: Op, imm: Any) -> None:
    e.used_locals.add(imm)
    e.push_atom(e.read(imm))


@translates("local.set")
def local_set(e: Emitter, op: Op, imm: Any) -> None:
    if e.counting is not None and e.counting.increment == e.pc:
        e.stack.pop()
        e.known[imm] = stepped(e.counting, e.known[imm])
        return
    operand = e.pop_signed() if imm in e.forecast.signed else e.pop_type(e.facts.locals[imm])
    flags = operand.flags
    if e.armed and not flags & TRAP:  # whoever traps or throws before this must not find the local set
        e.settle()
    if e.settled < len(e.stack):
        e.settle_readers(1 << 2 * imm)
    e.used_locals.add(imm)
    e.assign(f"l{imm}", operand)
    unknown = e.unknown.get(imm) or e.meet_local(imm)
    if flags & (QUIET | ROUND):
        e.known[imm] = named(imm, operand.lo, operand.hi, ATOM | VAR | QUIET)
    elif operand.hi < unknown.hi or operand.lo > unknown.lo:
        e.known[imm] = named(imm, operand.lo, operand.hi)
    else:
        e.known.pop(imm, None)


@translates("local.tee")
def local_tee(e: Emitter, op: Op, imm: Any) -> None:
    local_set(e, op, imm)
    local_get(e, op, imm)


def private(e: Emitter, index: int) -> bool:
    """Whether a global is a plain name: mutable and seen by nobody else."""
    module = e.module
    if index < len(module.imported(ExternKind.GLOBAL)) or not module.global_types[index].mutable:
        return False
    return not any(export.kind is ExternKind.GLOBAL and export.index == index for export in module.exports)


@translates("global.get")
def global_get(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    e.push_atom(e.globals.get(imm) or meet_global(e, imm))


def meet_global(e: Emitter, index: int) -> Operand:
    """What reading a global gives that is met for the first time."""
    type_ = e.module.global_types[index]
    if not type_.mutable and (value := constant_global(e, index)) is not None:
        made = constant(value)
    else:
        made = variable(f"g{index}" if private(e, index) else f"g{index}.raw", type_.type, 0)
        made.flags = ATOM | STATE if type_.mutable else ATOM
    e.globals[index] = made
    return made


def constant_global(e: Emitter, index: int) -> int | None:
    """The value of an integer global that is defined here by a literal."""
    defined = index - len(e.module.imported(ExternKind.GLOBAL))
    if defined < 0:
        return None
    init = e.module.globals[defined].init
    literal = len(init.ops) == 2 and init.ops[0].name in ("i32.const", "i64.const")
    return int(init.imms[0]) if literal else None


@translates("global.set")
def global_set(e: Emitter, op: Op, imm: Any) -> None:
    operand = e.pop_type(e.module.global_types[imm].type)
    if not operand.flags & TRAP:
        e.settle()
    e.settle_state()
    target = (e.globals.get(imm) or meet_global(e, imm)).text
    if not target.endswith(".raw"):
        e.set_globals.add(imm)
    e.assign(target, operand)
