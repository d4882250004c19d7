"""Bytes read as another type: another element type, the other byte order, signed and unsigned.

What is here: pure functions of a tensor's elements. What is not: the values and the order of elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy

OTHERS = ("<f8", "<f4", "|u1", "<f2", "<i4", "<i2")
TITLES = {"<f8": "f64", "<f4": "f32", "<f2": "f16", "<i4": "i32", "<i2": "i16", "|u1": "u8"}
IN_HALVES = (
    "the elements are the upper halves of f32 (bf16), but were sent as f16, which has 5 bits of exponent and "
    "not 8: is a float to be converted, and not cut?"
)
LARGEST, SMALLEST = 1e5, 1e-6
"""Elements of plausible tensors lie between these, or are 0."""
LARGEST_COUNT = 1e13
"""Whole numbers below this are counts or times (in milliseconds since 1970), not bits of something else."""
TINY = 1e-20
"""Near silence is above this; integers read as floats are below it."""
MOST_ODD = 0.002
"""The part of elements that may lie outside."""
ENOUGH = 32
"""Fewer elements may be plausible as another type by chance."""


def is_plausible(values: Any) -> bool:
    """Whether numbers look like elements that somebody meant, rather than like bits of something else: nearly
    all are finite and of usual size, and not all are equal."""
    if values.dtype.kind != "f":
        return bool(values.min() != values.max() and abs(values.astype("f8")).max() < LARGEST)
    with numpy.errstate(all="ignore"):
        size = abs(values.astype("f8"))
        usual = (size == 0) | ((size > SMALLEST) & (size < LARGEST))
        lively = (size > SMALLEST).mean() > 0.1 and values.min() != values.max()
    return bool(usual.mean() >= 1 - MOST_ODD and lively)


def is_garbage(values: Any) -> bool:
    """Whether numbers look like bits of something else. Counts, masks, times and silence don't."""
    if values.dtype.kind != "f":
        return not is_plausible(values)
    with numpy.errstate(all="ignore"):
        size = abs(values.astype("f8"))
        if size.max() < LARGEST_COUNT and bool((size == size.round()).all()):
            return False
        usual = (size == 0) | ((size > SMALLEST) & (size < LARGEST))
        is_quiet = TINY < size.max() < SMALLEST
    return bool(usual.mean() < 1 - MOST_ODD and not is_quiet)


def reread(array: Any) -> Iterator[tuple[str, Any]]:
    """The bytes read in other ways, as arrays of the input's shape and type: only if they are implausible as
    they are, and plausible in the other way. Missing elements repeat those that are there."""
    flat = array.reshape(-1)
    if array.dtype.kind == "f" and is_garbage(flat):
        swapped = flat.byteswap()
        if is_plausible(swapped):
            yield "with the bytes of each element reversed", swapped.reshape(array.shape)
    if flat.nbytes % 8 or flat.size < ENOUGH:
        return
    halves = array.dtype.itemsize == 4 and is_half_empty(flat)
    if array.dtype.itemsize > 1 and not is_garbage(flat) and not halves:
        return
    for other in ("<f8",) if halves and array.dtype.kind == "f" else OTHERS:
        read = numpy.frombuffer(flat.tobytes(), other)
        if other == array.dtype.str or not is_plausible(read) or not beyond_chance(flat, read):
            continue
        if other in LOOSE and not is_meant(flat, read):
            continue
        title, own = TITLES[other], TITLES.get(array.dtype.str, array.dtype.name)
        made = numpy.resize(read.astype("f8"), flat.size)
        if array.dtype.kind != "f":
            made = made.round().clip(numpy.iinfo(array.dtype).min, numpy.iinfo(array.dtype).max)
        said = (
            f"with the bytes read as {title} ({min(read.size, flat.size)} of {flat.size} elements of {own})"
        )
        yield said, made.astype(array.dtype).reshape(array.shape)


LOOSE = frozenset({"<f2", "<i4", "<i2", "|u1"})
"""Types as which nearly any bytes are plausible."""
SMOOTH = 0.5
"""The correlation of elements with the next ones in pictures and sounds."""


def is_meant(flat: Any, read: Any) -> bool:
    """Whether bytes are surely elements of a type as which nearly any bytes are plausible: bytes that fill a
    part and no more, small numbers, or elements that are like the next ones, as those sent aren't."""
    if read.dtype.itemsize == 1:
        count = len(read) // flat.dtype.itemsize
        return bool(not read[count:].any() and (read[:count] != 0).mean() > 0.25)
    if read.dtype == numpy.dtype("<i4"):
        return bool(abs(read.astype("f8")).max() < SMALL_NUMBERS)
    if read.dtype.kind == "f":
        return next_to(read) > SMOOTH
    # The parts of larger elements are like those of the next one, whatever they are.
    parts = flat.dtype.itemsize // read.dtype.itemsize
    apart = [by for by in CHANNELS if parts < 2 or by % parts]
    return next_to(read, apart) > max(SMOOTH, 2 * next_to(flat))


CHANNELS = (1, 3, 4)
HUGE = 1e30
SMALL_NUMBERS = 1 << 17


def next_to(values: Any, channels: Sequence[int] = CHANNELS) -> float:
    """Returns the correlation of elements with the next ones of the same channel, or 0 for what can't be
    compared."""
    with numpy.errstate(all="ignore"):
        some = numpy.nan_to_num(values.astype("f8"), nan=0.0, posinf=0.0, neginf=0.0)
        spread = float(some.var())
        if not 0 < spread < HUGE:
            return 0.0
        some = some - some.mean()
        return max(float((some[by:] * some[:-by]).mean()) for by in channels) / spread


def is_half_empty(flat: Any) -> bool:
    """Whether all elements at even places are 0 and hardly any other is: the halves of larger elements whose
    lower half is empty, such as f64 of whole numbers."""
    even, odd = flat[0::2], flat[1::2]
    is_lively = not even.any() and (odd != 0).mean() > 0.5 and len(set(odd[:512].tolist())) > 8
    is_lively = is_lively and not (odd.view("<u4") & LAST_BITS).any()
    return is_lively or (flat.dtype.kind == "f" and halves_of_doubles(flat))


def halves_of_doubles(flat: Any) -> bool:
    """Whether elements of f32 are the halves of doubles that are whole numbers or simple fractions, such as
    k / 16, or 0: the lower half is empty, and the upper one, which begins with 11 bits of exponent, is from
    0.5 to 4 as f32, with few bits behind that. Whole numbers and quarters may be meant as f32."""
    pairs = flat[: len(flat) // 2 * 2]
    even, odd = pairs[0::2], pairs[1::2][pairs[1::2] != 0]
    if flat.dtype.str != "<f4" or even.any() or len(odd) < FEWEST_HALVES:
        return False
    size, different = abs(odd), numpy.unique(odd)
    if size.min() < HALVES[0] or size.max() >= HALVES[1] or (odd.view("<u4") & LOW_BITS).any():
        return False
    return bool(len(different) >= FEWEST_HALVES and (different * 4 % 1 != 0).mean() >= 0.5)


LAST_BITS = 0x1F
"""Bits that are 0 in the upper halves of whole numbers up to 65535, and in no column of other numbers."""
FEWEST_HALVES, HALVES, LOW_BITS = 4, (0.5, 4.0), 0x7FF
"""So many upper halves of doubles, different ones, and where they lie as f32 if the doubles are from 2**-15
to 512."""


def upper_halves(flat: Any) -> Any:
    """Returns elements of f16 as the upper halves of f32 (bf16), or None if they may be meant as f16.

    The exponent of f32 has three bits more, so that all that is from 1/2048 to 512 lies between 0.75 and 4 as
    f16, with next to nothing between that and 0, which elements that were meant so hardly ever leave out."""
    known: Any = flat[flat != 0] if flat.dtype.str == "<f2" else ()
    if len(known) < FEWEST_UPPER:
        return None
    size = abs(known.astype("f4"))
    is_narrow = ((size >= UPPER[0]) & (size < UPPER[1])).mean() >= NEARLY
    if not is_narrow or len(numpy.unique(known)) < DIFFERENT // 2:
        return None
    read = (flat.view("<u2").astype("<u4") << 16).view("<f4")
    sizes = abs(read[read != 0])
    return read if sizes.max() >= WIDE * sizes.min() and numpy.isfinite(sizes).all() else None


FEWEST_UPPER, UPPER, NEARLY, WIDE = 16, (0.75, 4.0), 0.99, 8.0
"""The fewest elements that aren't 0, the range in which upper halves of f32 lie as f16, the part of them that
is in it, and how many times as large as the smallest the largest is as f32."""


def halves_of_floats(bits: Any) -> tuple[Any, Any]:
    """The upper halves of the bits of f32, as u16: cut off, and rounded to the nearest."""
    rounded = bits + (0x7FFF + ((bits >> 16) & 1)).astype("<u4")
    return (bits >> 16).astype("<u2"), (rounded >> 16).astype("<u2")


def beyond_chance(flat: Any, read: Any) -> bool:
    """Whether integers are plausible as another type by no chance. Any bits are plausible integers, and
    halves of integers plausible f16."""
    if flat.dtype.kind == "f":
        return True
    if read.dtype.kind != "f" or read.dtype.itemsize < 4:
        return False
    return len(set(read[:4096].tolist())) >= DIFFERENT


DIFFERENT = 16
"""Integers that are floats have at least so many different ones among them."""


def moved(array: Any, zero: int | None) -> Iterator[tuple[str, Any]]:
    """Elements of one byte taken as signed in place of unsigned, and moved by the zero point."""
    if array.dtype.itemsize != 1 or array.dtype.kind not in "iu":
        return
    bits = array.view("|u1")
    yield "with signed and unsigned bytes swapped (128 added)", (bits ^ 0x80).view(array.dtype)
    if zero and zero % 256 != 128:
        for said, by in (("added", zero), ("subtracted", -zero)):
            yield f"with the zero point {zero} {said}", (bits + by % 256).astype("|u1").view(array.dtype)
