"""Inputs whose memory is no longer theirs: below the stack pointer, where a function has returned, or in a
block that was freed; and a stack that is longer than its memory.

What is here: `Stack`, which knows how deep the stack of a guest of LLVM's compilers was, and `freed`, which
knows the blocks of wasi-libc's malloc. What is not: bytes that something else has written since
(`foreign.py`).
"""

from __future__ import annotations

from ...interpreter.module import Module
from ...interpreter.runtime.memory import Memory
from ...interpreter.runtime.observe import Watched
from ...interpreter.types import ExternKind
from .heap import ALIGNED, BEFORE_IN_USE, FIRST, FLAGS, HEAD, IN_USE

SMALLEST, LARGEST = 16, 1 << 28
"""How small and large a block of malloc may be."""
BELOW = 1 << 31
"""The least address that is taken for a negative number: a pointer that was counted down from 0."""


class Stack:
    """Follows the first global, which is the stack pointer: the stack grows down from where it began."""

    def __init__(self, instance: Watched) -> None:
        self._began = self._deepest = began(instance.module)

    @staticmethod
    def _pointer(instance: Watched) -> int:
        return int(instance.globals[0].value) & 0xFFFFFFFF

    def seen(self, instance: Watched) -> None:
        """The guest called the host, as deep as it is now."""
        if self._began:
            pointer = self._pointer(instance)
            self._deepest = min(self._deepest, pointer)
            if pointer > self._began or not pointer:  # it is something else, or there are several stacks
                self._began = 0

    def is_gone(self, instance: Watched, address: int, size: int) -> bool:
        """Whether bytes lie where the stack was deeper before."""
        return bool(self._began) and self._deepest <= address and address + size <= self._pointer(instance)

    def overrun(self, instance: Watched) -> str | None:
        """Returns what a guest that failed had on its stack if that went beyond address 0, or None if it
        didn't."""
        memory = instance.mems[0] if instance.mems else None
        pointer = self._pointer(instance) if self._began else 0
        if pointer < BELOW or memory is None or memory.size > pointer:
            return None
        return (
            f"the guest's stack began at address {self._began:,} and was to hold "
            f"{self._began - pointer + (BELOW << 1):,} bytes, more than lie below that: are large tensors "
            "local arrays of a function (or does one call itself without end)? Make them static, or take "
            "them from malloc (vector, Box), or link with a larger stack (-Wl,-z,stack-size=...)"
        )


def began(module: Module) -> int:
    """The first global's value at the beginning, if it may be a stack pointer; else 0."""
    if not module.globals or module.imported(ExternKind.GLOBAL):
        return 0
    first = module.globals[0]
    values = [value for _, value in first.init if isinstance(value, int)]
    if not first.type.mutable or str(first.type.type) != "i32" or len(values) != 1:
        return 0
    return values[0] if values[0] % ALIGNED == 0 and values[0] >= FIRST else 0


def freed(memory: Memory, address: int) -> bool:
    """Whether a block of malloc that begins here is free: its size stands before it and behind it, and what
    follows says that it isn't in use."""

    def word(at: int) -> int:
        return int.from_bytes(memory.view(at, 4), "little")

    if address % HEAD or address < FIRST:
        return False
    head = word(address - 4)
    size = head & ~FLAGS
    end = address - HEAD + size
    if head & FLAGS != BEFORE_IN_USE or not SMALLEST <= size < LARGEST or end + HEAD > memory.size:
        return False
    return word(end) == size and not word(end + 4) & BEFORE_IN_USE and word(end + 4) & IN_USE != 0
