"""Elements that lie behind those which were sent: of a vector that was made with as many zeros as it should
hold (`std::vector<float> row(13)`, `vec![0.0; 13]`), and to which the elements were then appended, or that is
never cleared, so that each input's elements are appended to those before.

And doubles of which as many bytes were sent as the model's floats have, so that the other half lies behind.

What is here: `Appended`, `are_behind` and `cut_doubles`, which look at as many numbers right behind an input.
What is not: whether all the guest's inputs are zeros, and doubles by the elements that were sent alone
(`values.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from struct import unpack
from typing import Any, NamedTuple
from zlib import crc32

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ..facts import Input

FEWEST, MOST_BYTES = 2, 1 << 22
DOUBLE, FLOAT, MOST_CUT = 8, 4, 256
"""Bytes of a double, as a multiple of which its address is, of a float, and at most of doubles of which half
was sent."""
KINDS = {"f32": "<f4", "f64": "<f8"}
LEAST_FILLED = 0.5
"""At least this part of the elements behind is not 0."""
MOST_ROUNDS = 4
"""The rule compares this many inputs of a kind with what lies behind them."""
DIFFERENT, MANY, BESIDE = 4, 32, 0.5
"""Different elements that are no chance behind three inputs, how many are needed behind two, and by which
part of the range of those that were sent others may be outside of it."""
KINDS_SENT = {**KINDS, "u8": "u1", "i8": "i1", "i32": "<i4", "i64": "<i8"}


BYTES = ("u1", "i1")
"""Types of which two inputs aren't enough: anything may be such elements."""
FILLED, SPREAD = 0.25, 4.0
"""New elements are 0 as rarely, and differ as much, as those that were sent, but for so many times."""
SMALLEST, SHOWN = 1e-30, 3


class Pieces(NamedTuple):
    """Checksums of an input that was sent several times in a row and of what was put behind it each time, as
    far as that goes, and of what lay where the next one would."""

    known: tuple[int, ...]
    next: int | None


class Appended:
    """Keeps what lay behind inputs."""

    def __init__(self) -> None:
        self._before: dict[Any, Pieces] = {}

    def set(
        self, key: Any, given: Input, memory: Memory | None, address: int, others: Collection[int]
    ) -> str | None:
        """Returns what is wrong with an input that has the elements of the one before, or None. `others` are
        the bytes of the outputs and of other inputs, of which one may lie behind it, and be new."""
        size, kind, before = given.tensor.size, KINDS_SENT.get(given.tensor.dtype), self._before.get(key)
        count = len(before.known) if before is not None else 0
        if memory is None or kind is None or not 0 < size <= MOST_BYTES or count > MOST_ROUNDS:
            return None
        places = [address + at * size for at in range(count + 2)]
        known = [crc32(memory.view(at, size)) if at + size <= memory.size else None for at in places]
        if before is None or before.known[0] != known[0]:
            self._before[key] = Pieces((known[0] or 0,), known[1])
            return None
        new = known[count]
        is_more = new is not None and new not in (before.next, *before.known)
        if not is_more or tuple(known[:count]) != before.known:
            del self._before[key]
            return None
        self._before[key] = Pieces((*before.known, new or 0), known[count + 1])
        few = count == 1 and (size in others or kind in BYTES)
        if few or given.tensor.elements < (MANY if count == 1 else DIFFERENT):
            return None
        sent, more = (numpy.frombuffer(bytes(memory.view(places[at], size)), kind) for at in (0, count))
        if not are_alike(sent, more):
            return None
        return (
            f"{given}: it has the elements of the input before, and as many new ones were put behind them in "
            "memory: is the vector to be cleared (or its index set back) before the next ones are appended?"
        )


def are_alike(sent: Any, new: Any) -> bool:
    """Whether elements may be those of another input of the same kind."""
    with numpy.errstate(all="ignore"):
        sent, new = sent.astype("f8"), new.astype("f8")
        if not (numpy.isfinite(sent).all() and numpy.isfinite(new).all()):
            return False
        span = float(sent.max() - sent.min())
    within = (new >= sent.min() - BESIDE * span) & (new <= sent.max() + BESIDE * span)
    tiny = (new != 0) & (abs(new) < SMALLEST)  # addresses and counts, read as floats
    is_filled = (new != 0).mean() >= FILLED * (sent != 0).mean()
    is_spread = sent.std() / SPREAD <= new.std() <= sent.std() * SPREAD
    several = len(numpy.unique(new)) >= min(DIFFERENT, len(new))
    return bool(within.all() and not tiny.any() and is_filled and is_spread and several)


def cut_doubles(given: Input, memory: Memory | None, address: int) -> str | None:
    """Returns what is wrong with an input that is the first half of as many doubles as it has elements, or
    None. Simple fractions are meant: of other doubles the elements that were sent alone make no sense."""
    size, tensor = given.tensor.size, given.tensor
    if memory is None or tensor.dtype != "f32" or size > MOST_CUT or tensor.elements < FEWEST:
        return None
    if address % DOUBLE or address + 2 * size > memory.size:
        return None
    data = bytes(memory.view(address, 2 * size))
    sent = unpack(f"<{size // FLOAT}f", data[: size // FLOAT * FLOAT])
    if len(sent) != tensor.elements or any(sent[::2]) or len(sent) - sent.count(0.0) < FEWEST:
        return None
    there = numpy.frombuffer(data, "<f4")  # here first: few inputs need numpy
    from ..changes.rereadings import halves_of_doubles  # slow to import, and few inputs need it

    if not halves_of_doubles(there):
        return None
    shown = ", ".join(f"{one:g}" for one in there.view("<f8")[:SHOWN])
    return (
        f"{given}: the bytes that were sent as f32 look like f64 (double), as do as many behind them in "
        f"memory, {tensor.elements} doubles together ({shown} ...): each is two elements, and the others "
        "weren't sent"
    )


def are_behind(given: Input, memory: Memory | None, address: int) -> bool:
    """Whether an input of zeros is followed in memory by as many numbers that make sense."""
    size, tensor = given.tensor.size, given.tensor
    if memory is None or tensor.dtype not in KINDS or tensor.elements < FEWEST or size > MOST_BYTES:
        return False
    if tensor.minimum != 0 or tensor.maximum != 0 or address + 2 * size > memory.size:
        return False
    from ..changes.rereadings import is_plausible  # slow to import, and few inputs need it

    there = numpy.frombuffer(bytes(memory.view(address + size, size)), KINDS[tensor.dtype])
    return bool(len(there) == tensor.elements and (there != 0).mean() >= LEAST_FILLED and is_plausible(there))
