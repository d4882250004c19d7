"""What generated code asks of a memory for many rounds of a loop at once, as slices: copies, fills, values
with gaps between them, and how far bytes are alike. Nothing traps: what isn't inside memory is left to
the loop.

What is not here: instructions that copy and fill (`memory.py`), and which loops these are
(`compile/lowering`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NOTHING = bytearray()
PIECE = 64
"""Bytes that are compared at first; twice as many each time, up to `LARGEST`."""
LARGEST = 1 << 16


class Slices:
    """Slices of a memory."""

    size: int
    """The bytes that the guest can use now."""

    def content(self) -> Any:
        """All bytes, as what has slices and `find`; read before the size, because closing a memory sets the
        size to 0 first."""
        raise NotImplementedError

    def copy(self, target: int, source: Any, address: int, count: int) -> None:
        raise NotImplementedError

    def view(self, address: int, count: int) -> memoryview:
        raise NotImplementedError

    def try_copy(self, target: int, source: int, count: int) -> bool:
        """Copy within this memory if both ranges are inside and don't overlap; returns whether it did."""
        low, high = (target, source) if target < source else (source, target)
        if low < 0 or high + count > self.size or low + count > high:
            return False
        self.copy(target, self, source, count)
        return True

    def try_fill(self, target: int, pattern: bytes, count: int) -> bool:
        """Fill with whole repetitions of a pattern if the range is inside memory; returns whether it did."""
        if target < 0 or target + count > self.size:
            return False
        view = self.view(target, count)
        piece = pattern * (min(count, 1 << 20) // len(pattern))
        for start in range(0, count, len(piece) or 1):
            part = view[start : start + len(piece)]
            part[:] = piece[: len(part)]
        return True

    def try_spread(self, target: int, stride: int, count: int, pattern: bytes) -> bool:
        """Store a pattern at `count` addresses from `target` on, each `stride` behind the one before, if all
        are inside memory and don't overlap; returns whether it did."""
        content = self.content()  # read before the size: closing sets the size to 0 first
        end = target + (count - 1) * stride + 1
        if target < 0 or end + len(pattern) - 1 > self.size or stride < len(pattern):
            return False
        for number in range(len(pattern)):
            content[target + number : end + number : stride] = pattern[number : number + 1] * count
        return True

    # How many bytes from an address on are of a kind: at most so many, and none outside memory

    def count_until(self, address: int, value: int, most: int) -> int:
        """How many are other ones than a value, up to the first that isn't."""
        content = self.content()
        most = min(most, self.size - address)
        if most <= 0 or value > 0xFF:
            return max(most, 0)
        place: int = content.find(value.to_bytes(1, "little"), address, address + most)
        return most if place < 0 else place - address

    def count_while(self, address: int, value: int, most: int) -> int:
        """How many have a value, up to the first that hasn't."""
        if value > 0xFF:
            return 0
        content, byte = self.content(), value.to_bytes(1, "little")
        return counted(min(most, self.size - address), lambda begin, end: (
            content[address + begin : address + end] == byte * (end - begin)
        ))  # fmt: skip

    def count_equal(self, address: int, other: int, most: int) -> int:
        """How many are equal to those from another address on, up to the first that isn't."""
        content = self.content()
        return counted(min(most, self.size - max(address, other)), lambda begin, end: (
            content[address + begin : address + end] == content[other + begin : other + end]
        ))  # fmt: skip


def counted(most: int, holds: Callable[[int, int], bool]) -> int:
    """How many numbers from 0 on, at most so many, are in ranges of which something holds."""
    done, piece = 0, PIECE
    grows = True
    while done < most and piece:
        end = min(done + piece, most)
        if holds(done, end):
            done = end
            piece = min(2 * piece, LARGEST) if grows else piece >> 1
        else:
            grows = False
            piece >>= 1
    return done
