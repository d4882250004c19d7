"""Operands: values that aren't computed yet, as trees of Python operations, and what is known of each.

What is here: the few functions that make them. They alone work out how tightly an expression binds, the range
of its value, its effects, which variables it reads and how deep it nests. They also write its text, since
that is cheapest where an expression is made; nobody but `rendering` and this folder reads it.
What is not: integers of a width (`integers.py`), statements (`tree.py`), and which operand is where
(`lowering/stack.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag, auto
from functools import lru_cache, reduce

from .intervals import Interval


class Trait(IntFlag):
    """What is known of an operand besides its range. The constants below are the same as plain ints, since
    operations on those take a tenth of the time."""

    VAR = auto()
    """A name or a literal: may be repeated without cost."""
    TRAP = auto()
    """Evaluating may trap, reads memory or calls: happens exactly once, in order."""
    STATE = auto()
    """Reads a mutable global."""
    BOOL = auto()
    """A Python truth value that stands for 1 or 0."""
    ROUND = auto()
    """An f64 that is still to be rounded to f32."""
    QUIET = auto()
    """Certainly no signalling NaN."""
    NEAR = auto()
    """Usually in the range of its type already, so that testing is cheaper than masking."""
    WHOLE = auto()
    """An int instead of the float of the same value: only arithmetic with a float may take it."""
    LOW = auto()
    """Counts or is an address, so that it is usually below 2^30."""
    RAW = auto()
    """An f32 as memory gives it, a signalling NaN lost: `source` says where its bits are."""


VAR, TRAP, STATE, BOOL, ROUND, QUIET, NEAR, WHOLE, LOW, RAW = (trait.value for trait in Trait)
EFFECTS = TRAP | STATE
UNFIT = RAW | WHOLE
"""Traits of what nobody may see."""
UNFINISHED = UNFIT | ROUND

# How tightly an expression binds, from what is always put in parentheses to what never is. As few parentheses
# as can be: the compiler of Python takes as long for a pair of them as for a short statement.
LOOSE, EITHER, BOTH, NOT, TEST, OR, XOR, AND, SHIFT, SUM, PRODUCT, ATOM = range(12)

Fact = tuple[int, int, int]
"""A local and the range that it is in."""
Facts = tuple[Fact, ...]
Known = dict[int, "Operand"]
"""What is known about locals: what reading one gives, where that is more than its type says."""
NO_FACTS: tuple[Facts, Facts] = ((), ())
FORM_CONSTANT, FORM_VARIABLE, FORM_NOT = "constant", "variable", "not"


class Operand:
    """A value that isn't computed yet. For floats and references `lo` > `hi`, so that they count as canonical
    integers. The functions of this folder make operands; `make` sets what all have."""

    __slots__ = (
        "base", "depth", "facts", "flags", "form", "hi", "level", "lo", "local", "parts", "plus", "reads",
        "source", "text", "value",
    )  # fmt: skip

    form: str
    """What kind of expression it is: a symbol, the name of what is called, or one of `FORM_...`."""
    parts: tuple[Operand, ...]
    """The operands in it."""
    text: str
    """The expression as Python. Only rendering may look into it."""
    level: int
    """How tightly it binds: `LOOSE` to `ATOM`."""
    lo: int
    hi: int
    flags: int
    """Bits of `Trait`."""
    reads: int
    """Bit 2n: it reads local n; bit 2n + 1: stack variable n."""
    depth: int
    """How deep parentheses nest, at most."""
    local: int
    """The local that it is; -1 if it is none."""
    base: Operand | None
    """Of a sum with a constant: the other summand."""
    facts: tuple[Facts, Facts]
    """What is known if it isn't 0, and if it is."""

    # What only some have is set only there: making operands is a good part of translating.
    plus: int
    """Of a sum with a constant, beside `base`: the constant."""
    source: tuple[str, bool]
    """Of a RAW operand, beside the address in `parts`: as `loaded` takes it."""
    value: object
    """Of a constant: what it is."""

    @property
    def known(self) -> bool:
        """Whether it is an integer constant that needn't be evaluated."""
        return self.lo == self.hi and not self.flags & TRAP

    @property
    def is_word(self) -> bool:
        """Whether it is one word: a variable or a number that isn't negative."""
        return self.form == FORM_VARIABLE or (self.form == FORM_CONSTANT and self.level == ATOM)

    @property
    def term(self) -> str:
        """The text as part of any larger expression."""
        return self.text if self.level == ATOM else f"({self.text})"

    def __repr__(self) -> str:
        traits = "|".join(str(trait.name) for trait in Trait if trait & self.flags)
        range_ = f" {self.lo}..{self.hi}" if self.lo <= self.hi else ""
        return f"<{self.text}{range_}{' ' if traits else ''}{traits}>"


new = object.__new__


def make(
    form: str,
    parts: tuple[Operand, ...],
    text: str,
    level: int,
    lo: int,
    hi: int,
    flags: int,
    reads: int,
    depth: int,
) -> Operand:
    """An operand. A function, since `Operand(...)` with an `__init__` takes half as long again."""
    made = new(Operand)
    made.form = form
    made.parts = parts
    made.text = text
    made.level = level
    made.lo = lo
    made.hi = hi
    made.flags = flags
    made.reads = reads
    made.depth = depth
    made.local = -1
    made.base = None
    made.facts = NO_FACTS
    return made


def over(
    form: str, x: Operand, text: str, level: int, lo: int, hi: int, flags: int, deeper: int = 1
) -> Operand:
    """An operand with one other in it, and so many more parentheses around that. As long as `make`, since
    this is where a good part of the time of translating is spent."""
    made = new(Operand)
    made.form = form
    made.parts = (x,)
    made.text = text
    made.level = level
    made.lo = lo
    made.hi = hi
    made.flags = flags | x.flags & EFFECTS
    made.reads = x.reads
    made.depth = x.depth + deeper
    made.local = -1
    made.base = None
    made.facts = NO_FACTS
    return made


def over_two(
    form: str, x: Operand, y: Operand, text: str, level: int, lo: int, hi: int, flags: int
) -> Operand:
    """An operand with two others in it, in this order."""
    made = new(Operand)
    made.form = form
    made.parts = x, y
    made.text = text
    made.level = level
    made.lo = lo
    made.hi = hi
    made.flags = flags | (x.flags | y.flags) & EFFECTS
    made.reads = x.reads | y.reads
    made.depth = (x.depth if x.depth > y.depth else y.depth) + 1
    made.local = -1
    made.base = None
    made.facts = NO_FACTS
    return made


# Words


def written(text: str, value: object, lo: int, hi: int, flags: int = VAR) -> Operand:
    """A constant that is written so."""
    level = LOOSE if text.startswith("-") else ATOM
    made = make(FORM_CONSTANT, (), text, level, lo, hi, flags, 0, 0)
    made.value = value
    return made


@lru_cache(2048)
def constant(value: int) -> Operand:
    """A canonical integer constant."""
    return written(str(value) if value < 65536 else hex(value), value, value, value)


@lru_cache(2048)
def number(value: int) -> Operand:
    """An integer in decimal, perhaps negative."""
    return written(str(value), value, value, value)


def hexadecimal(value: int) -> Operand:
    """A pattern of bits."""
    return written(hex(value), value, value, value)


def literal(value: object, flags: int = 0) -> Operand:
    """A constant that is no integer of the guest's: what `repr` says."""
    return written(repr(value), value, 0, -1, VAR | flags)


def variable(name: str, lo: int = 0, hi: int = -1, reads: int = 0, flags: int = VAR) -> Operand:
    """A name."""
    return make(FORM_VARIABLE, (), name, ATOM, lo, hi, flags, reads, 0)


@lru_cache(2048)
def named(local: int, lo: int, hi: int, flags: int = 0) -> Operand:
    """A local as an operand. `flags` is given where it isn't what the range says."""
    flags = flags or (VAR | NEAR if lo < 0 else VAR)
    made = make(FORM_VARIABLE, (), f"l{local}", ATOM, lo, hi, flags, 1 << 2 * local, 0)
    made.local = local
    return made


def stacked(height: int, lo: int, hi: int, flags: int = VAR) -> Operand:
    """The stack variable of a height."""
    return make(FORM_VARIABLE, (), f"v{height}", ATOM, lo, hi, flags, 2 << 2 * height, 0)


@lru_cache(2048)
def word(name: str) -> Operand:
    """A name that means the same wherever it stands."""
    return variable(name)


NONE, ZERO, ONE = literal(None), number(0), number(1)


# Operations


def bounded(known: Operand, lo: int, hi: int, flags: int = 0) -> Operand:
    """The same expression with other bounds, and other flags if they are given. What a comparison told is
    not kept, nor that it is a sum."""
    made = make(
        known.form,
        known.parts,
        known.text,
        known.level,
        lo,
        hi,
        flags or known.flags,
        known.reads,
        known.depth,
    )
    made.local = known.local
    if known.form == FORM_CONSTANT:
        made.value = known.value
    return made


def unary(symbol: str, x: Operand) -> Operand:
    """`not x` of what is a truth value or a number."""
    text = x.text if x.level >= TEST else f"({x.text})"
    return over(symbol, x, f"{symbol} {text}", NOT, 0, 1, BOOL)


def minus(x: Operand) -> Operand:
    """The opposite of a number that is a word or a product."""
    text = f"-{x.text}" if x.level == ATOM else f"-({x.text})"
    return over("-", x, text, PRODUCT, -x.hi, -x.lo, 0)


BINARY = {
    "+": (SUM, SUM, PRODUCT, Interval.plus),
    "-": (SUM, SUM, PRODUCT, Interval.minus),
    "*": (PRODUCT, PRODUCT, ATOM, Interval.times),
    "//": (PRODUCT, PRODUCT, ATOM, Interval.divided),
    "%": (PRODUCT, PRODUCT, ATOM, Interval.modulo),
    "<<": (SHIFT, SHIFT, SUM, Interval.shifted_left),
    ">>": (SHIFT, SHIFT, SUM, Interval.shifted_right),
    "&": (AND, AND, SHIFT, Interval.and_),
    "^": (XOR, XOR, AND, Interval.or_),
    "|": (OR, OR, XOR, Interval.or_),
}
"""By symbol: how tightly it binds, how tightly its operands must, and the range of what comes of them."""


def binary(symbol: str, x: Operand, y: Operand, flags: int = 0) -> Operand:
    """An operation on two integers. `flags`: what is known of it besides."""
    level, left, right, range_of = BINARY[symbol]
    lo, hi = range_of(x, y)
    first = x.text if x.level >= left else f"({x.text})"
    second = y.text if y.level >= right else f"({y.text})"
    return over_two(symbol, x, y, f"{first} {symbol} {second}", level, lo, hi, flags)


def added(x: Operand, y: Operand, flags: int = 0) -> Operand:
    """The sum of two integers, as `binary` makes it: every second operation is one."""
    first = x.text if x.level >= SUM else f"({x.text})"
    second = y.text if y.level >= PRODUCT else f"({y.text})"
    return over_two("+", x, y, f"{first} + {second}", SUM, x.lo + y.lo, x.hi + y.hi, flags)


def offset(x: Operand, plus: int) -> Operand:
    """The sum of an operand and a number that isn't negative."""
    sum_ = added(x, number(plus))
    sum_.base, sum_.plus = x, plus
    return sum_


def compared(symbol: str, x: Operand, y: Operand) -> Operand:
    """A comparison, of integers or whatever is no number."""
    first = x.text if x.level >= OR else f"({x.text})"
    second = y.text if y.level >= OR else f"({y.text})"
    return over_two(symbol, x, y, f"{first} {symbol} {second}", TEST, 0, 1, BOOL)


def chain(first: Operand, *others: tuple[str, Operand]) -> Operand:
    """Comparisons one after the other, as in `low < x <= high`."""
    parts = (first, *(other for _, other in others))
    texts = [part.text if part.level >= OR else f"({part.text})" for part in parts]
    symbols = (symbol for symbol, _ in others)
    text = " ".join(
        [texts[0], *(f"{symbol} {text}" for symbol, text in zip(symbols, texts[1:], strict=True))]
    )
    return gathered("chain", parts, text, TEST, 0, 1, BOOL)


def arithmetic(symbol: str, x: Operand, y: Operand, flags: int = 0) -> Operand:
    """An operation on two floats. Each operand that isn't a word is in parentheses."""
    return of_floats(symbol, x, y, LOOSE, 0, -1, flags)


def float_test(symbol: str, x: Operand, y: Operand) -> Operand:
    """A comparison of two floats."""
    return of_floats(symbol, x, y, TEST, 0, 1, BOOL)


def of_floats(symbol: str, x: Operand, y: Operand, level: int, lo: int, hi: int, flags: int) -> Operand:
    first = x.text if x.level == ATOM else f"({x.text})"
    second = y.text if y.level == ATOM else f"({y.text})"
    return over_two(symbol, x, y, f"{first} {symbol} {second}", level, lo, hi, flags)


def gathered(
    form: str, parts: Sequence[Operand], text: str, level: int, lo: int, hi: int, flags: int
) -> Operand:
    """An operand with others in it, in this order."""
    reads = depth = effects = 0
    for part in parts:
        effects |= part.flags
        reads |= part.reads
        if part.depth > depth:
            depth = part.depth
    return make(form, tuple(parts), text, level, lo, hi, flags | effects & EFFECTS, reads, depth + 1)


def choice(test: Operand, first: Operand, second: Operand, flags: int = 0) -> Operand:
    """The one operand if a condition is true, else the other."""
    text = f"{within_choice(first)} if {tested(test)} else {within_choice(second)}"
    lo, hi = min(first.lo, second.lo), max(first.hi, second.hi)
    return gathered("if", (first, test, second), text, LOOSE, lo, hi, flags)


def within_choice(x: Operand) -> str:
    return x.text if x.level >= TEST else f"({x.text})"


def tested(x: Operand) -> str:
    return x.text if x.level > LOOSE else f"({x.text})"


def chosen(
    test: Operand, first: Operand, second: Operand, lo: int = 0, hi: int = -1, flags: int = 0
) -> Operand:
    """The same with the range that is known of it, and the second operand as loose as it is."""
    text = f"{first.text} if {tested(test)} else {second.text}"
    return gathered("if", (first, test, second), text, LOOSE, lo, hi, flags)


def joined(symbol: str, conditions: Sequence[Operand]) -> Operand:
    """Conditions, all or any of which must be true: `symbol` is `and` or `or`."""
    if len(conditions) == 1:
        return conditions[0]
    level, least = (BOTH, NOT) if symbol == "and" else (EITHER, BOTH)
    texts = [each.text if each.level >= least else f"({each.text})" for each in conditions]
    return gathered(symbol, conditions, f" {symbol} ".join(texts), level, 0, 1, BOOL)


def let(name: str, x: Operand) -> Operand:
    """The operand, which a scratch variable holds from then on."""
    return make(":=", (x,), f"({name} := {x.text})", ATOM, x.lo, x.hi, x.flags & ~VAR, x.reads, x.depth)


# Calls, items and attributes


def call(name: str, parts: Sequence[Operand], lo: int = 0, hi: int = -1, flags: int = 0) -> Operand:
    """A call of a function by its name. Only the caller knows the range of what it returns."""
    text = f"{name}({', '.join([part.text for part in parts])})"
    return gathered(name, parts, text, ATOM, lo, hi, flags)


def called(callee: Operand, parts: Sequence[Operand], lo: int = 0, hi: int = -1) -> Operand:
    """A call of a function that is an operand itself."""
    text = f"{callee.text}({', '.join([part.text for part in parts])})"
    return gathered("call", (callee, *parts), text, ATOM, lo, hi, 0)


def item(name: str, index: Operand, lo: int = 0, hi: int = -1, flags: int = 0) -> Operand:
    """An item of something that has a name."""
    return over("item", index, f"{name}[{index.text}]", ATOM, lo, hi, flags)


def attribute(x: Operand, name: str, lo: int = 0, hi: int = -1) -> Operand:
    """An attribute."""
    return over("." + name, x, f"{x.term}.{name}", ATOM, lo, hi, 0, 0)


def item_of(x: Operand, index: Operand, lo: int = 0, hi: int = -1) -> Operand:
    """An item of an operand."""
    return gathered("item", (x, index), f"{x.term}[{index.text}]", ATOM, lo, hi, 0)


def loaded(
    view: str, suffix: str, index: Operand, views: bool, lo: int = 0, hi: int = -1, flags: int = 0
) -> Operand:
    """What memory holds at an address, by the view of an access such as `u32`, or, where there are no views,
    by a function that reads a buffer. `suffix` ends their names."""
    if views:
        return item(f"{view}{suffix}", index, lo, hi, flags)
    text = f"load_{view}{suffix}(mem{suffix}, {index.text})[0]"
    return over("load", index, text, ATOM, lo, hi, flags)


def listed(parts: Sequence[Operand]) -> Operand:
    """A list."""
    return gathered("[]", parts, f"[{', '.join([part.text for part in parts])}]", ATOM, 0, -1, 0)


def tupled(parts: Sequence[Operand]) -> Operand:
    """A tuple."""
    text = "".join([f"{part.text}, " for part in parts]).removesuffix(" ")
    return gathered("()", parts, f"({text})", ATOM, 0, -1, 0)


def filled(
    pieces: Sequence[str],
    words: Sequence[Operand],
    parts: Sequence[Operand],
    level: int,
    lo: int,
    hi: int,
    flags: int,
) -> Operand:
    """Pieces of an expression with operands between them, which may be the same one several times; `parts`
    has each once."""
    texts = [pieces[0]]
    for word_, piece in zip(words, pieces[1:], strict=True):
        text = word_.term
        texts += (f"({text})" if piece.startswith(".") and text[0].isdigit() else text, piece)
    return gathered("cell", parts, "".join(texts), level, lo, hi, flags)


def total(parts: Sequence[Operand]) -> Operand:
    """The sum of operands."""
    return reduce(lambda x, y: binary("+", x, y), parts)
