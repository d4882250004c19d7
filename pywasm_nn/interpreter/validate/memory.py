"""Validation of memory instructions without a type in their row
(valid/instructions.html#memory-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..types import I32, NumType, narrower

if TYPE_CHECKING:
    from .body import BodyValidator


def addrtype(v: BodyValidator, memidx: int) -> NumType:
    """The address type of a memory."""
    return v.module.mem_types[memidx].addrtype


def memory_size(v: BodyValidator, imm: int) -> None:
    v.stack.append(addrtype(v, imm))


def memory_grow(v: BodyValidator, imm: int) -> None:
    v.pop_all((addrtype(v, imm),))
    v.stack.append(addrtype(v, imm))


def memory_fill(v: BodyValidator, imm: int) -> None:
    v.pop_all((addrtype(v, imm), I32, addrtype(v, imm)))


def memory_copy(v: BodyValidator, imm: tuple[int, int]) -> None:
    target, source = (addrtype(v, memidx) for memidx in imm)
    v.pop_all((target, source, narrower(target, source)))


def memory_init(v: BodyValidator, imm: tuple[int, int]) -> None:
    v.pop_all((addrtype(v, imm[1]), I32, I32))
