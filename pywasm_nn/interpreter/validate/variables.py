"""Validation of parametric and variable instructions (valid/instructions.html#parametric-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InvalidError
from ..types import I32, RefType, ValType
from .stack import Unknown, matches, type_mismatch

if TYPE_CHECKING:
    from .body import BodyValidator


def drop(v: BodyValidator, imm: None) -> None:
    v.note_type(v.pop())


def select(v: BodyValidator, imm: None) -> None:
    v.pop(I32)
    second, first = v.pop(), v.pop()
    for operand in (first, second):
        if isinstance(operand, RefType):
            raise InvalidError(f"type mismatch: select without type on a reference {operand}")
    if not matches(first, second):
        raise InvalidError(type_mismatch([first], [second]))
    chosen = second if first is Unknown else first
    v.note_type(chosen)
    v.stack.append(chosen)


def select_t(v: BodyValidator, imm: tuple[ValType, ...]) -> None:
    if len(imm) != 1:
        raise InvalidError("invalid result arity")
    type_ = v.module.closed(imm[0])
    v.pop_all((type_, type_, I32))
    v.note_type(type_)
    v.stack.append(type_)


def local_get(v: BodyValidator, imm: int) -> None:
    type_ = v.local(imm)
    if imm in v.unset:
        raise InvalidError(f"uninitialized local {imm}")
    v.stack.append(type_)


def local_set(v: BodyValidator, imm: int) -> None:
    v.pop_all((v.local(imm),))
    v.note_set(imm)


def local_tee(v: BodyValidator, imm: int) -> None:
    type_ = v.local(imm)
    v.pop_all((type_,))
    v.note_set(imm)
    v.stack.append(type_)


def global_get(v: BodyValidator, imm: int) -> None:
    v.stack.append(v.module.global_types[imm].type)


def global_set(v: BodyValidator, imm: int) -> None:
    type_ = v.module.global_types[imm]
    if not type_.mutable:
        raise InvalidError("immutable global")
    v.pop_all((type_.type,))
