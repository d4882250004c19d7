"""Symbolic operands: Python text that stands for a value of the guest's operand stack, and what is known
about it.

An integer's text may be outside the canonical range `0 .. 2^bits - 1`; it is then equal to the value modulo
2^bits, `lo` and `hi` bound it, and `canonical` gives a text that isn't outside. So sums and products are
masked once, where they are observed.
What is not here: statements, and which operand is where (`lowering/emitter.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache

# What is known about an operand's text, as bits of `Operand.flags`.
ATOM = 1  # needs no parentheses in a larger expression
VAR = 2  # a name or a literal: may be repeated without cost
TRAP = 4  # evaluating may trap, reads memory or calls: happens exactly once, in order
STATE = 8  # reads a mutable global
BOOL = 16  # a Python truth value that stands for 1 or 0
ROUND = 32  # an f64 that is still to be rounded to f32
QUIET = 64  # certainly no signalling NaN
SUM = 128  # usually in range already, so that testing is cheaper than masking; a sum unless it is an ATOM
WHOLE = 512  # an int instead of the float of the same value: only arithmetic with a float may take it
LOW = 1024  # counts or is an address, so that it is usually below 2^30
RAW = 256  # an f32 as memory gives it, a signalling NaN lost: see `Operand.address`
UNFIT = RAW | WHOLE  # not what anybody may see
UNFINISHED = UNFIT | ROUND

# What the text is otherwise, so that it needs no parentheses beside operators that bind less: the compiler of
# Python takes as long for a pair of them as for a short statement.
PRODUCT = 2048
SHIFT = 4096
AND = 8192
XOR = 16384
OR = 32768
TEST = 65536
IN_PRODUCT = ATOM  # as the right operand of one; as its left operand what is right in the next looser one
IN_SUM = IN_PRODUCT | PRODUCT
IN_SHIFT = IN_SUM | SUM
IN_AND = IN_SHIFT | SHIFT
IN_XOR = IN_AND | AND
IN_OR = IN_XOR | XOR
IN_TEST = IN_OR | OR
IN_CHOICE = IN_TEST | TEST

EFFECTS = TRAP | STATE
Fact = tuple[int, int, int]
"""A local and the range that it is in."""
Facts = tuple[Fact, ...]
NO_FACTS: tuple[Facts, Facts] = ((), ())
MASK = {32: 0xFFFFFFFF, 64: 0xFFFFFFFFFFFFFFFF}
SMALL = 0x3FFFFFFF
"""CPython compares ints up to here in half the time. A sum that is below mostly is tested against this; if it
isn't, masking does no harm."""
SMALL_STEP = 0xFFFFF
LARGE_FACTOR = 4096
"""What a constant up to the one is added to, or what is multiplied by a multiple of 4 up to the other, is
likely to count or to be an address."""


class Operand:
    """A value that isn't computed yet. For floats and references `lo` > `hi`, so that they count as
    canonical."""

    __slots__ = (
        "address", "base", "depth", "facts", "flags", "hi", "lo", "local", "plus", "reads", "text",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        lo: int = 0,
        hi: int = -1,
        flags: int = 0,
        reads: int = 0,
        depth: int = 0,
    ) -> None:
        self.text = text
        self.lo = lo
        self.hi = hi
        self.flags = flags
        self.reads = reads
        """Bit 2n: the text reads local n; bit 2n + 1: stack variable n."""
        self.depth = depth
        """How deep parentheses nest, at most."""
        self.local = -1
        """The local that it is, if it is one."""
        self.base: Operand | None = None
        self.facts = NO_FACTS
        """What is known if it isn't 0, and if it is."""

        # What only some have is set only there: making operands is a good part of translating.
        self.plus: int
        """Of a sum with a constant: the constant, where `base` is the other summand."""
        self.address: str
        """Of a RAW operand: the suffix of the memory's names and the address, as `suffix[address]`."""

    @property
    def known(self) -> bool:
        """Whether it is an integer constant whose text needn't be evaluated."""
        return self.lo == self.hi and not self.flags & TRAP

    @property
    def term(self) -> str:
        """The text as part of a larger expression."""
        return self.text if self.flags & ATOM else f"({self.text})"

    def within(self, bare: int) -> str:
        """The text as part of one in which texts that are one of `bare` need no parentheses."""
        return self.text if self.flags & bare else f"({self.text})"


Known = dict[int, Operand]
"""What is known about locals: what reading one gives, where that is more than its type says."""


@lru_cache(2048)
def constant(value: int) -> Operand:
    """A canonical integer constant."""
    return Operand(str(value) if value < 65536 else hex(value), value, value, ATOM | VAR)


@lru_cache(2048)
def named(local: int, lo: int, hi: int, flags: int = 0) -> Operand:
    """A local as an operand. `flags` is given where it isn't what the range says."""
    flags = flags or (ATOM | VAR | SUM if lo < 0 else ATOM | VAR)
    made = Operand(f"l{local}", lo, hi, flags, 1 << 2 * local)
    made.local = local
    return made


def bounded(known: Operand, lo: int, hi: int, flags: int = 0) -> Operand:
    """What is known about a local, with other bounds, and other flags if they are given."""
    flags = flags or known.flags
    made = Operand(known.text, lo, hi, flags, known.reads, known.depth)
    made.local = known.local
    return made


def canonical(operand: Operand, bits: int, small: bool = False) -> Operand:
    """The operand with a text in the canonical range. `small`: it is likely to be an address."""
    lo, hi, mask = operand.lo, operand.hi, MASK[bits]
    if lo >= 0 and hi <= mask:
        return operand
    if lo == hi and operand.known:
        return constant(lo & mask)
    test = ""
    if operand.flags & SUM and lo >= -mask - 1 and hi <= mask:
        test = "{} >= 0"
    elif small or operand.flags & LOW:
        test = f"{{}} <= {SMALL}" if lo >= 0 else f"0 <= {{}} <= {SMALL}"
    elif operand.flags & SUM and lo >= 0 and hi <= 2 * mask:
        test = f"{{}} <= {mask}"
    flags = operand.flags & EFFECTS
    if test:
        first, again = repeated(operand)
        text = f"{again} if {test.format(first)} else {again} & {mask}"
    else:
        text = f"{operand.within(IN_XOR)} & {mask}"
        flags |= AND
    return Operand(text, 0, mask, flags, operand.reads, operand.depth + 1)


def repeated(operand: Operand) -> tuple[str, str]:
    """Terms that are the operand where it is evaluated first, and right after that."""
    return (operand.text, operand.text) if operand.flags & VAR else (f"(x := {operand.text})", "x")


def observed(operand: Operand, bits: int) -> Operand:
    """The operand as what may be stored where anybody sees it: canonical, and an int where it was a truth
    value."""
    if operand.flags & BOOL:
        text = f"1 if {embedded(operand.text)} else 0"
        return Operand(text, 0, 1, operand.flags & EFFECTS, operand.reads, operand.depth + 1)
    return canonical(operand, bits)


def plain(operand: Operand) -> Operand:
    """The operand with a text that keeps a signalling NaN, and is a float if it is one."""
    if not operand.flags & UNFIT:
        return operand
    if operand.flags & RAW:
        return unraw(operand)
    flags = operand.flags & ~WHOLE | ATOM
    return Operand(f"float({operand.text})", 0, -1, flags, operand.reads, operand.depth + 1)


def unraw(operand: Operand) -> Operand:
    """A RAW operand with a text that keeps a signalling NaN."""
    suffix, _, address = operand.address.partition("[")
    address = address[:-1]
    again = address
    if not re.fullmatch(r"\w+", address):
        again = "y"
        address = f"(y := {address})"
    if operand.text.startswith("load_"):
        value = f"load_f32{suffix}(mem{suffix}, {address})[0]"
        bits = f"load_u32{suffix}(mem{suffix}, {again})[0]"
    else:
        value, bits = f"f32{suffix}[{address}]", f"u32{suffix}[{again}]"
    text = f"x if (x := {value}) == x else nan32({bits})"
    return Operand(text, 0, -1, operand.flags & EFFECTS, operand.reads, operand.depth + 2)


def signed(operand: Operand, bits: int) -> Operand:
    """The operand with a text in the signed range."""
    half = 1 << bits - 1
    if -half <= operand.lo and operand.hi < half:
        return operand
    near = operand.flags & SUM and operand.lo >= -4 * half and operand.hi <= 4 * half
    if (near or operand.flags & LOW) and not operand.known:
        return signed_sum(operand, half)
    operand = canonical(operand, bits)
    if operand.known and operand.hi >= half:
        return Operand(str(operand.lo - 2 * half), operand.lo - 2 * half, operand.lo - 2 * half, VAR)
    if operand.hi < half:
        return operand
    first, again = repeated(operand)
    text = f"{again} if {first} <= {SMALL} else ({again} ^ {half}) - {half}"
    return Operand(text, -half, half - 1, operand.flags & EFFECTS, operand.reads, operand.depth + 2)


def signed_sum(operand: Operand, half: int) -> Operand:
    """A sum with a text in the signed range, in which it is already usually."""
    lo, hi = operand.lo, operand.hi
    first, again = repeated(operand)
    if lo >= -half:
        test = f"{first} <= {min(SMALL, half - 1)}"
    elif hi < half:
        test = f"{first} >= {-min(SMALL, half)}"
    else:
        test = f"{-SMALL} <= {first} <= {SMALL}"
    text = f"{again} if {test} else ({again} + {half} & {2 * half - 1}) - {half}"
    return Operand(text, -half, half - 1, operand.flags & EFFECTS, operand.reads, operand.depth + 2)


def fits_signed(operand: Operand, bits: int) -> bool:
    """Whether the text is its own signed value."""
    return -(1 << bits - 1) <= operand.lo and operand.hi < 1 << bits - 1


def condition(operand: Operand, bits: int = 32) -> str:
    """A text that is true exactly if the integer isn't 0."""
    mask = MASK[bits]
    if operand.flags & BOOL or (operand.lo >= -mask and operand.hi <= mask):
        return operand.text
    return f"{operand.within(IN_XOR)} & {mask}"


def embedded(text: str) -> str:
    """A condition as part of a conditional expression."""
    return f"({text})" if " if " in text else text


def negation(text: str) -> str:
    """The opposite of a condition."""
    if text.startswith("not "):
        return text[4:]
    loose = " if " in text or " and " in text or " or " in text
    return f"not ({text})" if loose else f"not {text}"
