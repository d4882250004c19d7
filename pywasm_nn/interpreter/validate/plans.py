"""How the rows of the instruction table are checked: immediates by their kinds, operands by the row's type if
it has one, else by the function named after the instruction in the files of `CHECKING_MODULES`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import InvalidError
from ..instructions import ByRow, Imm, Op
from ..module import MemArg
from ..types import ValType
from . import control, descriptors, exceptions, gc, memory, references, variables
from .stack import index_in

if TYPE_CHECKING:
    from .body import BodyValidator

CHECKING_MODULES = (control, exceptions, variables, references, gc, memory, descriptors)
"""Modules with the checks of instructions without a type in their row."""

Method = Callable[["BodyValidator", Any], object]
"""Checks an instruction, given its immediates, or checks one immediate."""


def memarg_check(op: Op) -> Method:
    """valid/instructions.html#memory-instructions"""
    natural, atomic = op.width.bit_length() - 1, op.atomic

    def check_memarg(v: BodyValidator, memarg: MemArg) -> None:
        align, offset, memidx = memarg
        try:
            memory = v.module.mem_types[memidx]
        except IndexError:
            raise InvalidError(f"unknown memory {memidx}") from None
        if align > natural:
            raise InvalidError("alignment must not be larger than natural")
        if atomic and align != natural:
            raise InvalidError("atomic alignment must be natural")
        if offset >> memory.addrtype.bits:
            raise InvalidError("offset out of range")

    return check_memarg


def lane_check(op: Op) -> Method:
    """valid/instructions.html#vector-instructions"""

    def check_lane(v: BodyValidator, lane: int) -> None:
        if lane >= op.lanes:
            raise InvalidError(f"invalid lane index {lane}")

    return check_lane


def lanes_check(op: Op) -> Method:
    check_lane = lane_check(op)
    return lambda v, lanes: check_lane(v, max(lanes))


CHECKS: dict[Imm, Method] = {
    Imm.DATA: lambda v, i: index_in(v.module.datas, i, "data segment"),
    Imm.ELEM: lambda v, i: index_in(v.module.elems, i, "elem segment"),
    Imm.GLOBAL: lambda v, i: index_in(v.module.global_types, i, "global"),
    Imm.FUNC: lambda v, i: index_in(v.module.func_types, i, "function"),
    Imm.TYPE: lambda v, i: v.module.func_type(i),
    Imm.TYPEIDX: lambda v, i: v.module.deftype(i),
    Imm.HEAPTYPE: lambda v, i: v.module.close_heap(i),
    Imm.CASTTYPE: lambda v, i: v.module.close_heap(i),
    Imm.TAG: lambda v, i: index_in(v.module.tag_types, i, "tag"),
    Imm.TABLE: lambda v, i: index_in(v.module.table_types, i, "table"),
    Imm.MEMORY: lambda v, i: index_in(v.module.mem_types, i, "memory"),
}
"""One check for each kind of immediate; other kinds are checked by the instruction's method, or need no
check."""
ROW_CHECKS: dict[Imm, Callable[[Op], Method]] = {
    Imm.MEMARG: memarg_check,
    Imm.LANE: lane_check,
    Imm.LANES: lanes_check,
}
"""Functions that make the checks that depend on the row."""


def checks_of(op: Op) -> tuple[Method, ...]:
    """The checks for the immediates of a row, the last immediate first: the specification's rules name a
    table or memory, which comes last, before a segment or type."""
    checks = [
        (ROW_CHECKS[kind](op) if kind in ROW_CHECKS else CHECKS[kind], position)
        for position, kind in enumerate(op.imms)
        if kind in ROW_CHECKS or kind in CHECKS
    ]
    if len(op.imms) == 1:
        return tuple([check for check, _ in checks])
    return tuple([one_of_several(check, position) for check, position in reversed(checks)])


def one_of_several(check: Method, position: int) -> Method:
    return lambda v, imms: check(v, imms[position])


def access_method(op: Op) -> Method:
    """The check of a load or store in a module with 64-bit memories, because rows have i32 addresses."""
    position = op.imms.index(Imm.MEMARG)

    def check_access(v: BodyValidator, imm: Any) -> None:
        memarg: MemArg = imm if len(op.imms) == 1 else imm[position]
        addrtype = v.module.mem_types[memarg.memidx].addrtype
        v.pop_all((addrtype, *(op.params or ())[1:]))
        v.push_all(op.results)

    return check_access


def method_of(op: Op) -> Method:
    """The function that checks an instruction without a type in its row."""
    found = (getattr(subject, op.method, None) for subject in CHECKING_MODULES)
    method: Method | None = next(filter(None, found), None)
    if method is None:
        raise NotImplementedError(f"{op.name} has no type, and no function {op.method} checks it")
    return method


Plan = tuple[tuple[Method, ...], Method | None, int, tuple[ValType, ...], tuple[ValType, ...]]
"""How a row is checked: methods for its immediates; a method for its operands or None; and the number and
types of operands and the types of results, which are used if the method is None."""


def plan_of(op: Op, wide: bool) -> Plan:
    """How a row is checked; `wide`: in modules with 64-bit memories."""
    method = None
    if op.params is None:
        method = method_of(op)
    elif wide and Imm.MEMARG in op.imms:
        method = access_method(op)
    params = op.params or ()
    return checks_of(op), method, len(params), params, op.results


PLANS = {wide: ByRow(partial(plan_of, wide=wide)) for wide in (False, True)}
"""Plans by whether the module has 64-bit memories."""
