"""Validation of memory instructions without a type in their row
(valid/instructions.html#memory-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..types import I32

if TYPE_CHECKING:
    from .body import BodyValidator


def memory_size(v: BodyValidator, imm: int) -> None:
    v.stack.append(I32)


def memory_grow(v: BodyValidator, imm: int) -> None:
    v.pop_all((I32,))
    v.stack.append(I32)


def memory_fill(v: BodyValidator, imm: int) -> None:
    v.pop_all((I32, I32, I32))


def memory_copy(v: BodyValidator, imm: tuple[int, int]) -> None:
    v.pop_all((I32, I32, I32))


def memory_init(v: BodyValidator, imm: tuple[int, int]) -> None:
    v.pop_all((I32, I32, I32))
