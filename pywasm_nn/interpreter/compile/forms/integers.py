"""Operands that are integers of a fixed width, and floats, in the form that the guest observes.

An integer operand may be outside the canonical range `0 .. 2^bits - 1`; then it equals the value modulo
2^bits, and its range bounds it. `canonical` returns an operand in the canonical range. So sums and products
are masked only once, where they are observed.
"""

from __future__ import annotations

from .operands import (
    AND,
    BOOL,
    EFFECTS,
    LOOSE,
    LOW,
    NEAR,
    ONE,
    RAW,
    ROUND,
    UNFIT,
    VAR,
    WHOLE,
    ZERO,
    Operand,
    binary,
    call,
    chain,
    choice,
    compared,
    constant,
    let,
    loaded,
    number,
    over,
    over_two,
    unary,
    word,
)

MASK = {32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}
SMALL = 0x3FFFFFFF
"""CPython compares ints up to this in half the time. A sum that is usually small is tested against this; if
it is larger, masking is still right."""
MASKED, SIGNED = "mask", "signed"
"""Forms of numbers that are changed only beyond limits."""
Limits = tuple[int | None, int | None]
"""See `Operand.limits`."""
Y = word("y")


def canonical(operand: Operand, bits: int, small: bool = False) -> Operand:
    """The operand in the canonical range. `small`: it is probably an address."""
    lo, hi, mask = operand.lo, operand.hi, MASK[bits]
    if lo >= 0 and hi <= mask:
        return operand
    if lo == hi and operand.known:
        return constant(lo & mask)
    if operand.flags & NEAR and lo >= -mask - 1 and hi <= mask:
        return masked_unless(operand, mask, 0, None)
    if small or operand.flags & LOW:
        return masked_unless(operand, mask, None if lo >= 0 else 0, SMALL)
    if operand.flags & NEAR and lo >= 0 and hi <= 2 * mask:
        return masked_unless(operand, mask, None, mask)
    return masked(operand, mask)


def masked(x: Operand, mask: int) -> Operand:
    """The low bits of an operand that may have others."""
    text = f"{x.text} & {mask}" if x.level >= AND else f"({x.text}) & {mask}"
    return over_two("&", x, number(mask), text, AND, 0, mask, 0)


def masked_unless(x: Operand, mask: int, least: int | None, most: int | None) -> Operand:
    """The same with a test for operands without other bits, which is faster than masking."""
    first, again = repeated(x)
    text = f"{again} if {between(first, least, most)} else {again} & {mask}"
    made = over_two(MASKED, x, number(mask), text, LOOSE, 0, mask, 0)
    made.limits = least, most
    return made


def between(text: str, least: int | None, most: int | None) -> str:
    """The condition that a number is in the limits; one of them may be None."""
    if most is None:
        return f"{text} >= {least}"
    return f"{text} <= {most}" if least is None else f"{least} <= {text} <= {most}"


def repeated(operand: Operand) -> tuple[str, str]:
    """Terms for the operand's first evaluation, and for its value right after that."""
    return (operand.text, operand.text) if operand.flags & VAR else (f"(x := {operand.text})", "x")


def narrowed(value: Operand, mask: int) -> Operand:
    """The low bits of an integer, as many as in `mask`."""
    if value.lo == value.hi and value.known:
        return constant(value.lo & mask)
    if value.lo >= 0 and value.hi <= mask:
        return value
    if mask in MASK.values():
        return canonical(value, mask.bit_length())
    return masked(value, mask)


def truth_as_number(operand: Operand) -> Operand:
    """1 or 0 for a truth value."""
    return choice(operand, ONE, ZERO)


def observed(operand: Operand, bits: int) -> Operand:
    """The operand in a form that can be stored where the guest can observe it: canonical, and an int instead
    of a truth value."""
    if operand.flags & BOOL:
        return truth_as_number(operand)
    if operand.lo >= 0 and operand.hi <= MASK[bits]:  # as most are
        return operand
    return canonical(operand, bits)


def signed(operand: Operand, bits: int) -> Operand:
    """The operand in the signed range."""
    half = 1 << bits - 1
    if -half <= operand.lo and operand.hi < half:
        return operand
    near = operand.flags & NEAR and operand.lo >= -4 * half and operand.hi <= 4 * half
    if (near or operand.flags & LOW) and not operand.known:
        return signed_sum(operand, half)
    operand = canonical(operand, bits)
    if operand.hi < half:
        return operand
    if operand.known:
        return number(operand.lo - 2 * half)
    first, again = repeated(operand)
    return made_signed(operand, f"{again} if {first} <= {SMALL} else ({again} ^ {half}) - {half}", half)


def signed_sum(operand: Operand, half: int) -> Operand:
    """A sum converted to the signed range, in which it usually is already."""
    first, again = repeated(operand)
    least: int | None = -min(SMALL, half)
    most: int | None = min(SMALL, half - 1)
    if operand.lo >= -half:
        least = None
    elif operand.hi < half:
        most = None
    rest = f"({again} + {half} & {2 * half - 1}) - {half}"
    made = made_signed(operand, f"{again} if {between(first, least, most)} else {rest}", half)
    made.limits = least, most
    return made


def made_signed(x: Operand, text: str, half: int) -> Operand:
    made = over(SIGNED, x, text, LOOSE, -half, half - 1, 0, 2)
    made.limits = None, SMALL
    return made


def beyond(x: Operand, limits: Limits) -> Operand:
    """The condition that a number isn't in the limits."""
    least, most = limits
    if least is None or most is None:
        symbol, limit = ("<", least) if most is None else (">", most)
        assert limit is not None
        return compared(symbol, x, number(limit))
    return unary("not", chain(number(least), ("<=", x), ("<=", number(most))))


def fits_signed(operand: Operand, bits: int) -> bool:
    """Whether the operand equals its signed value."""
    return -(1 << bits - 1) <= operand.lo and operand.hi < 1 << bits - 1


def condition(operand: Operand, bits: int = 32) -> Operand:
    """A condition that is true if the integer isn't 0."""
    mask = MASK[bits]
    if operand.flags & BOOL or (operand.lo >= -mask and operand.hi <= mask):
        return operand
    return binary("&", operand, number(mask))


# Floats


def plain(operand: Operand) -> Operand:
    """The operand with signalling NaNs kept, and as a float instead of an int."""
    if not operand.flags & UNFIT:
        return operand
    if operand.flags & RAW:
        return unraw(operand)
    return call("float", (operand,), flags=operand.flags & ~WHOLE)


def raw_load(memidx: int, start: int, address: Operand, views: bool) -> Operand:
    """An f32 read from memory by a read that makes signalling NaNs quiet: see `loaded`."""
    made = loaded("f32", memidx, start, address, views, flags=RAW)
    made.source = memidx, start, views
    return made


def raw_bits(raw: Operand) -> Operand:
    """The bits of a RAW operand, from memory."""
    memidx, start, views = raw.source
    (address,) = raw.parts
    made = loaded("u32", memidx, start, address, views, 0, MASK[32], raw.flags & EFFECTS)
    made.depth = raw.depth
    return made


def unraw(operand: Operand) -> Operand:
    """A RAW operand, converted so that signalling NaNs are kept."""
    (address,) = operand.parts
    again = address
    if not address.is_word:
        again = Y
        address = let("y", address)
    memidx, start, views = operand.source
    value = loaded("f32", memidx, start, address, views)
    bits = loaded("u32", memidx, start, again, views)
    text = f"x if (x := {value.text}) == x else nan32({bits.text})"
    return over("unraw", operand, text, LOOSE, 0, -1, 0, 2)


def rounded(operand: Operand) -> Operand:
    """An operand that needs rounding to f32, rounded by a function."""
    return call("round32", (operand,), flags=operand.flags & ~ROUND)
