"""Inputs that don't fit the blocks of malloc (wasi-libc's dlmalloc, which Rust uses, too, or that of Zig's
libc): one that is longer than its block, and one with a block's head among its elements.

What is here: `misfit`, which follows the blocks from a head to the end of memory, where the last one, all of
which is free, ends; and `freed_in_zig`, which follows Zig's lists of blocks that are free. What is not:
blocks of dlmalloc that begin where an input does and are free (`gone.py`).
Sources: https://gee.cs.oswego.edu/dl/html/malloc.html, lib/c/malloc.zig and lib/std/heap/BrkAllocator.zig of
Zig 0.17
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from .. import few
from ..facts import Input

HEAD, ALIGNED, FIRST = 8, 16, 1024
"""Bytes of a block before its contents, what addresses of these and of a stack are a multiple of, and below
what no compiler puts any."""
BEFORE_IN_USE, IN_USE, FLAGS, NO_FLAGS = 1, 2, 7, 12
"""Bits of a block's size: the block before it is in use, it is in use; all that are none of the size; and
those that no head has: a flag that isn't used, and a part of 16 bytes."""
OVERHEAD = 4
"""Bytes of a block in use that are none of its contents: these reach into the head of the next one."""
FEET, PAGE = (56, 40), 1 << 16
"""The last block ends so many bytes before the end of a page, which is that of the memory that malloc has: of
blocks at multiples of 16 bytes, and of 8."""
MOST_BLOCKS = 4096
WIDE = frozenset({"f32", "f64", "i32", "i64"})
"""Elements of fewer bytes may look like a head by chance."""
MOST_BYTES = 1 << 22
ZIG_BITS, ZIG_ALIGNED, ZIG_MORE, ZIG_LEAST = 5, 4, 4, 32
"""Zig's head has the size above so many bits, in which stands the exponent of 16, and is followed by 0. There
are so many bytes more in a block; smaller ones may be numbers that look like one."""
ZIG_SIZES = tuple(1 << exponent for exponent in range(3, 16))
"""The sizes of blocks below a page, heads and last words included; above it they go on as powers of two."""
ZIG_LISTS = 2 * len(ZIG_SIZES) + 16
"""Words of its own data: by these sizes where the next new block begins, and, by all, where the first free
one does."""
WORD = 4
LARGER = 2
"""A head among whole numbers is so many times as large as any of them: they may look like one, too."""


class Block:
    """A block of memory as its head describes it: `at` is the address of its contents."""

    def __init__(self, memory: Memory, at: int) -> None:
        word = int.from_bytes(memory.view(at - 4, 4), "little")
        self.at, self.flags, self.size = at, word & FLAGS, word & ~FLAGS
        self.next = at + self.size

    @property
    def room(self) -> int:
        """The most bytes of contents."""
        return self.size - OVERHEAD

    def is_last(self, memory: Memory) -> bool:
        ends = [self.next - HEAD + foot for foot in FEET]
        is_free = self.flags == BEFORE_IN_USE and self.size > 0
        return is_free and any(end % PAGE == 0 and end <= memory.size for end in ends)


def follows(memory: Memory, at: int) -> bool:
    """Whether a head stands before this address from which block follows block to the last one, each of which
    agrees with the one before on whether that is in use."""
    block = Block(memory, at)
    for _ in range(MOST_BLOCKS):
        if block.is_last(memory):
            return True
        if block.size < ALIGNED or block.size % ALIGNED or block.flags & ~(BEFORE_IN_USE | IN_USE):
            return False
        if block.next >= memory.size:
            return False
        following = Block(memory, block.next)
        if bool(following.flags & BEFORE_IN_USE) is not bool(block.flags & IN_USE):
            return False
        block = following
    return True


def misfit(given: Input, memory: Memory, address: int) -> str | None:
    """Returns what is wrong with an input in memory of malloc, or None if nothing is."""
    size = given.tensor.size
    if address < FIRST or address % 4 or not 0 < size <= MOST_BYTES or address + size > memory.size:
        return None
    if 0 < (room := room_in_zig(memory, address)) < size:
        return too_small(given, room)
    if address % ALIGNED == 0 and follows(memory, address):
        block = Block(memory, address)
        if block.is_last(memory):
            return (
                f"{given}: its address is that of memory that is free: was it freed, dropped or moved (as a "
                "vector that grows) before set_input?"
            )
        if block.flags & IN_USE and block.room < size:
            return too_small(given, block.room)
        return None
    place = next(heads(given, memory, address), None)
    if place is None:
        return None
    return (
        f"{given}: among its elements, at {place}, is a number of the allocator's own (the size of the block "
        "of memory that begins there): was the input's buffer freed (dropped, as a temporary at the end of "
        "its statement) before set_input?"
    )


def too_small(given: Input, room: int) -> str:
    why = (
        "was its length in elements given to malloc, and not in bytes?"
        if given.tensor.elements in range(room - ALIGNED + 1, room + 1)
        else "was it freed before set_input, and its place given to something smaller?"
    )
    sizes = f"{room} bytes, and {given.tensor.size} were sent from there"
    return f"{given}: the block of memory at its address has {sizes}: {why}"


def room_in_zig(memory: Memory, address: int) -> int:
    """Returns the bytes of a block of Zig's malloc that begins here, or 0 if there is none. Its place is a
    multiple of the next power of two."""
    head = int.from_bytes(memory.view(address - HEAD, HEAD), "little")
    room = head >> ZIG_BITS
    whole = min(PAGE, 1 << (room + ALIGNED + ZIG_MORE - 1).bit_length())
    is_head = head & ((1 << ZIG_BITS) - 1) == ZIG_ALIGNED and head < 1 << 32
    return room if is_head and room >= ZIG_LEAST and (address - ALIGNED) % whole == 0 else 0


def freed_in_zig(memory: Memory, address: int, static: range) -> bool:
    """Whether a block of Zig's malloc begins here and is free. For each size there is a list of the blocks
    that are: the first one's beginning stands among the program's own data, whose addresses are `static`, and
    that of the next one in the last word of each. Nobody else knows where a block begins: pointers lead to
    what is behind its head."""
    room, begins = room_in_zig(memory, address), address - ALIGNED
    if not room or not 0 < len(static) <= MOST_BYTES or begins < static.stop:
        return False
    size = 1 << (room + ALIGNED + ZIG_MORE - 1).bit_length()
    at = ZIG_SIZES.index(size) if size < PAGE else len(ZIG_SIZES) + (size // PAGE).bit_length() - 1
    at += len(ZIG_SIZES)  # the lists follow the places where new blocks of each size begin
    words: Any = numpy.frombuffer(memory.view(static.start, len(static)), "<u4")
    there = words[at:]
    may_be = (there >= static.stop) & (there < memory.size) & (there % min(PAGE, size) == 0)
    firsts = (
        int(there[base])
        for base in numpy.flatnonzero(may_be).tolist()
        if are_lists_of_zig(words[base : base + ZIG_LISTS], range(static.stop, memory.size))
    )
    return any(begins in chain(memory, first, size) for first in firsts)


def are_lists_of_zig(words: Any, heap: range) -> bool:
    """Whether words are where the next new block begins of each size below a page, and then where the first
    free block does of each size: addresses in the heap that are multiples of the size, or 0. Nothing is free
    of a size of which no block was new."""
    if len(words) < ZIG_LISTS:
        return False
    count = len(ZIG_SIZES)
    aligned = numpy.array([*ZIG_SIZES, *ZIG_SIZES, *[PAGE] * (ZIG_LISTS - 2 * count)])
    is_address = (words >= heap.start) & (words <= heap.stop) & (words % aligned == 0)
    is_known = (words[:count] != 0) | (words[count : 2 * count] == 0)
    return bool(((words == 0) | is_address).all() and is_known.all())


def chain(memory: Memory, first: int, size: int) -> set[int]:
    """Returns where the free blocks of a list begin, each of which ends with the address of the next one."""
    seen = set[int]()
    while first and first not in seen and first + size <= memory.size and len(seen) < MOST_BLOCKS:
        seen.add(first)
        first = int.from_bytes(memory.view(first + size - WORD, WORD), "little")
    return seen


def heads(given: Input, memory: Memory, address: int) -> Iterator[int]:
    """The places of elements that are heads of blocks. Floats are never so small, and whole numbers never so
    much larger than all others."""
    if given.tensor.dtype not in WIDE:
        return
    data = memory.view(address, given.tensor.size // 4 * 4)
    first = (-address - 4) % ALIGNED // 4
    known = heads_of_few if data.nbytes <= 4 * few.MOST else heads_of_many
    width = given.tensor.size // max(1, given.tensor.elements)
    is_whole = given.tensor.dtype.startswith("i")
    for at, word, largest_other in known(data, first, memory.size):
        if is_whole and LARGER * largest_other > word:
            continue
        if follows(memory, address + 4 * at + 4):
            yield at * 4 // width


def heads_of_few(data: memoryview, first: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Every fourth word, from `first` on, that may be a head of a block of less than `most` bytes: its place,
    itself, and the largest of all other words."""
    words = unpack(f"<{data.nbytes // 4}I", data)
    second, largest = sorted((0, *words))[-2:]
    for at in range(first, len(words), ALIGNED // 4):
        word = words[at]
        if word & NO_FLAGS == 0 and ALIGNED <= word & ~FLAGS < most:
            yield at, word, largest if word < largest else second


def heads_of_many(data: memoryview, first: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Does what `heads_of_few` does, by numpy."""
    words: Any = numpy.frombuffer(data, "<u4")
    second, largest = numpy.partition(words, -2)[-2:].tolist()
    there = words[first :: ALIGNED // 4]
    sizes = there & ~numpy.uint32(FLAGS)
    fits = (there & NO_FLAGS == 0) & (sizes >= ALIGNED) & (sizes < most)
    for number in numpy.flatnonzero(fits)[:MOST_BLOCKS].tolist():
        at, word = first + number * (ALIGNED // 4), int(there[number])
        yield at, word, largest if word < largest else second
