"""Inputs whose memory is no longer theirs: below the stack pointer, where a function has returned, or in a
block that was freed, or that holds the input's own record; and a stack that is longer than its memory.

What is here: `Stack`, which knows how deep the stack of a guest of LLVM's compilers was; `freed`, which
knows the blocks of wasi-libc's malloc; `own_record`; and `Pointers`, which sees addresses where other inputs
of the same kind have numbers, whatever allocator put them there. What is not: bytes that something else has
written since (`foreign.py`).
"""

from __future__ import annotations

from itertools import pairwise
from struct import pack, unpack
from typing import Any

from ...interpreter.module import Module
from ...interpreter.runtime.memory import Memory
from ...interpreter.runtime.observe import Watched
from ...interpreter.types import ExternKind
from ..facts import Input
from .foreign import MOST_MEMORY
from .heap import ALIGNED, BEFORE_IN_USE, FIRST, FLAGS, HEAD, IN_USE, PAGE

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

    def behind(self, instance: Watched) -> range:
        """The addresses of a program's own data, if they lie behind the stack and in memory that it has from
        the beginning."""
        types = instance.module.mem_types
        first = types[0].size.minimum if types and self._began else 0
        return range(self._began, max(self._began, first * PAGE))

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


class Pointers:
    """Remembers the addresses of inputs of f32 that hold numbers, and of those that hold addresses."""

    def __init__(self) -> None:
        self._plain: dict[Any, set[int]] = {}
        self._odd: dict[Any, tuple[int, str]] = {}
        """By input, the address of the first one that held addresses, and what to say of it."""
        self._left = MOST_LOOKS

    def knows(self, given: Input) -> bool:
        """Whether an input of this kind held numbers."""
        return key_of(given) in self._plain

    def set(self, given: Input, memory: Memory, address: int) -> str | None:
        """An input of memory was set. Returns what is wrong if one of its kind holds addresses and another
        one, elsewhere, numbers, or None if that isn't so."""
        size, key = given.tensor.size, key_of(given)
        is_few = given.tensor.dtype == "f32" and 2 * WORD <= size <= MOST_OF_WORDS
        if not self._left or not is_few or address < FIRST or address + size > memory.size:
            return None
        self._left -= 1
        places = addresses_in(bytes(memory.view(address, size)), memory.size)
        if places is None:
            return None
        if places:
            first, last = f"{places[0]}", f" and {places[-1]}"
            self._odd.setdefault(key, (address, f"{given}: the bytes of its elements {first}{last}"))
        elif len(self._plain.setdefault(key, set())) < MOST_LOOKS:
            self._plain[key].add(address)
        odd = self._odd.get(key)
        if odd is None or not self._plain.get(key, {odd[0]}) - {odd[0]}:
            return None
        self._left = 0
        return (
            f"{odd[1]} are addresses, in memory at {odd[0]:#x}, and another such input, from elsewhere, has "
            "numbers: was that memory freed or moved, and used again, while a pointer to it was kept (as to "
            "elements of a vector that grows)?"
        )


WORD, MOST_OF_WORDS, MOST_LOOKS = 4, 1 << 10, 256
"""Bytes of a word, the most of an input, and how many inputs are looked at."""
MOST_WITH_RECORD = 1 << 16
"""The most bytes of an input in which its own record is looked for."""
LEAST_SIZE, MOST_SIZE = 1e-6, 1e9
"""Between these are numbers that somebody means, unless they are 0."""


def own_record(given: Input, memory: Memory | None, address: int) -> str | None:
    """Returns what is wrong with floats among which is the address where they lie, and then their
    length, as in the records of tensors, or None if that isn't so."""
    size, room = given.tensor.size, memory.size if memory is not None else 0
    is_float = given.tensor.dtype in ("f32", "f64") and 2 * WORD < size <= MOST_WITH_RECORD
    if memory is None or not is_float or address < FIRST or address + size > room:
        return None
    own = bytes(memory.view(address, size // WORD * WORD))
    if pack("<I", address) not in own:  # as is nearly always so, and seen at once
        return None
    words = unpack(f"<{size // WORD}I", own)
    lengths = size, given.tensor.elements
    pairs = enumerate(pairwise(words))
    at = next((at for at, (one, next_) in pairs if one == address and next_ in lengths), -1)
    if at < 0:
        return None
    return (
        f"{given}: bytes {WORD * at} to {WORD * (at + 2)} of its elements are its own address, {address:#x}, "
        "and its length, as in a record of a tensor: was that memory freed or moved (as a vector that grows) "
        "before set_input, and used again for the records, while a pointer to it was kept?"
    )


def key_of(given: Input) -> Any:
    """Returns the key that inputs of one kind share, in whichever context they are."""
    return given.index, given.spec.name, given.tensor.size


def addresses_in(data: bytes, most: int) -> list[int] | None:
    """The places of the words that are addresses below `most`, [] if all words are floats of usual size that
    aren't all the same, or None for what is neither. Floats are never so small as addresses are."""
    words, floats = (unpack(f"<{len(data) // WORD}{kind}", data[: len(data) // WORD * WORD]) for kind in "If")
    places = [at for at, word in enumerate(words) if FIRST <= word < min(most, MOST_MEMORY) and not word % 4]
    usual = [LEAST_SIZE < abs(one) < MOST_SIZE or not one for one in floats]
    small = sum(0 < word < most for word in words)  # of what fades away to nothing a quarter is aligned
    is_all = all(one or words[at] < most for at, one in enumerate(usual))
    if is_all and len(places) > 1 and 2 * len(places) >= small:
        return places
    return [] if all(usual) and len({*floats}) > 1 else None


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
