"""Operands: values that aren't computed yet, as trees of Python operations with known properties.

What is here: the few functions that create operands. They compute an expression's precedence, the range of
its value, its effects, the variables that it reads and its nesting depth. They also create its text, because
that is cheapest at this point; only `rendering` and this folder read the text. What is not: integers of a
fixed width (`integers.py`), statements (`tree.py`), and the places of operands (`lowering/stack.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag, auto
from functools import lru_cache, reduce

from ...namespace import Namespace
from .intervals import Interval


class Trait(IntFlag):
    """Properties of an operand besides its range. The constants below have the same values as plain ints,
    because operations on ints take a tenth of the time."""

    VAR = auto()
    """A name or a literal: it can be repeated without cost."""
    TRAP = auto()
    """Evaluation may trap, reads memory or calls: it must happen exactly once, in order."""
    STATE = auto()
    """Reads a mutable global."""
    BOOL = auto()
    """A Python truth value that means 1 or 0."""
    ROUND = auto()
    """An f64 that must still be rounded to f32."""
    QUIET = auto()
    """Never a signalling NaN."""
    NEAR = auto()
    """Usually in the range of its type already, so that a test is cheaper than masking."""
    WHOLE = auto()
    """An int instead of the float of the same value: only valid as an operand of arithmetic with a float."""
    LOW = auto()
    """A counter or an address, so usually below 2^30."""
    RAW = auto()
    """An f32 read from memory, with signalling NaNs made quiet: `source` tells how to read its bits."""


VAR, TRAP, STATE, BOOL, ROUND, QUIET, NEAR, WHOLE, LOW, RAW = (trait.value for trait in Trait)
EFFECTS = TRAP | STATE
UNFIT = RAW | WHOLE
"""Traits of operands in a form that must not be observed."""
UNFINISHED = UNFIT | ROUND

# Precedence of expressions, from always to never in parentheses. Parentheses are avoided where possible: a
# pair of them takes Python's compiler as long as a short statement.
LOOSE, EITHER, BOTH, NOT, TEST, OR, XOR, AND, SHIFT, SUM, PRODUCT, ATOM = range(12)

BEYOND = 64
"""More than the characters of any literal that `Namespace.fixed` writes for a view."""

Fact = tuple[int, int, int]
"""A local and its range."""
Facts = tuple[Fact, ...]
Address = tuple["Operand", int]
"""An operand, and a non-negative number to add to it without wrapping."""
NO_FACTS: tuple[Facts, Facts] = ((), ())
FORM_CONSTANT, FORM_VARIABLE, FORM_NOT = "constant", "variable", "not"


class Operand:
    """A value that isn't computed yet. For floats and references `lo` > `hi`, so that they count as canonical
    integers. Functions of this folder create operands; `make` sets the common fields."""

    __slots__ = (
        "base", "depth", "facts", "first", "flags", "form", "hi", "level", "limits", "lo", "local", "others",
        "plus", "reads", "second", "source", "text", "value",
    )  # fmt: skip

    form: str
    """The kind of expression: a symbol, the name of a called function, or one of `FORM_...`."""
    first: Operand | None
    second: Operand | None
    others: tuple[Operand, ...]
    """The operands of the expression: one, two, or, if `first` is None, those of `others`. `parts` returns
    all of them. There are no tuples for one or two operands, because they would be another object for every
    second operand."""
    text: str
    """The expression in Python. Only rendering may analyse it."""
    level: int
    """The precedence: `LOOSE` to `ATOM`."""
    lo: int
    hi: int
    flags: int
    """Bits of `Trait`."""
    reads: int
    """The variables that it reads. Bit 2n: local n; bit 2n + 1: stack variable n."""
    depth: int
    """The nesting depth of parentheses."""
    local: int
    """The local, if it is one; else -1."""
    base: Operand | None
    """For a sum with a constant: the other summand."""
    facts: tuple[Facts, Facts]
    """Facts if it isn't 0, and if it is 0."""

    # Fields that only some operands have are set only there, because creating operands takes much of the
    # translation's time.
    plus: int
    """For a sum with a constant (see `base`): the constant."""
    source: tuple[int, int, bool]
    """For a RAW operand, besides the address in `parts`: the arguments of `loaded`: memory, start, views."""
    value: object
    """For a constant: its value."""
    limits: tuple[int | None, int | None]
    """For a number that is changed only beyond them (see `integers.corrected`): the least and the greatest
    one that stays what it is."""

    @property
    def parts(self) -> tuple[Operand, ...]:
        """The operands in it, in order."""
        if self.first is None:
            return self.others
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def known(self) -> bool:
        """Whether it is an integer constant without effects."""
        return self.lo == self.hi and not self.flags & TRAP

    @property
    def is_word(self) -> bool:
        """Whether it is a single word: a variable or a non-negative number."""
        return self.form == FORM_VARIABLE or (self.form == FORM_CONSTANT and self.level == ATOM)

    @property
    def term(self) -> str:
        """The text as part of any larger expression."""
        return self.text if self.level == ATOM else f"({self.text})"

    def __repr__(self) -> str:
        traits = "|".join(str(trait.name) for trait in Trait if trait & self.flags)
        range_ = f" {self.lo}..{self.hi}" if self.lo <= self.hi else ""
        return f"<{self.text}{range_}{' ' if traits else ''}{traits}>"


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
    """Create an operand. It is a function, because `Operand(...)` with an `__init__` takes twice as long."""
    made = Operand()
    made.form = form
    made.first = None
    made.others = parts
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
    """Create an operand with one part, and `deeper` more levels of parentheses around it. It repeats the code
    of `make`, because much of the translation's time is spent here."""
    made = Operand()
    made.form = form
    made.first = x
    made.second = None
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
    """Create an operand with two parts, in this order."""
    made = Operand()
    made.form = form
    made.first = x
    made.second = y
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
    """A constant with this text."""
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
    """A bit pattern in hexadecimal."""
    return written(hex(value), value, value, value)


def literal(value: object, flags: int = 0) -> Operand:
    """A constant other than an integer of the guest, written as its `repr`."""
    return written(repr(value), value, 0, -1, VAR | flags)


def variable(name: str, lo: int = 0, hi: int = -1, reads: int = 0, flags: int = VAR) -> Operand:
    """A name."""
    return make(FORM_VARIABLE, (), name, ATOM, lo, hi, flags, reads, 0)


@lru_cache(2048)
def named(local: int, lo: int, hi: int, flags: int = 0) -> Operand:
    """A local as an operand. `flags` replaces the flags that follow from the range."""
    flags = flags or (VAR | NEAR if lo < 0 else VAR)
    made = make(FORM_VARIABLE, (), Namespace.local(local), ATOM, lo, hi, flags, 1 << 2 * local, 0)
    made.local = local
    return made


@lru_cache(2048)
def stacked(height: int, lo: int, hi: int, flags: int = VAR) -> Operand:
    """The stack variable at a height."""
    return make(FORM_VARIABLE, (), Namespace.stack(height), ATOM, lo, hi, flags, 2 << 2 * height, 0)


@lru_cache(2048)
def word(name: str) -> Operand:
    """A name with the same meaning everywhere."""
    return variable(name)


NONE, ZERO, ONE = literal(None), number(0), number(1)


# Operations


def bounded(known: Operand, lo: int, hi: int, flags: int = 0) -> Operand:
    """The same expression with other bounds, and other flags if they are given. Its facts are dropped, and
    `base`."""
    if known.local >= 0:  # as most are
        return named(known.local, lo, hi, flags or known.flags)
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
    if known.form == FORM_CONSTANT:
        made.value = known.value
    return made


def unary(symbol: str, x: Operand) -> Operand:
    """`not x` for a truth value or a number."""
    text = x.text if x.level >= TEST else f"({x.text})"
    return over(symbol, x, f"{symbol} {text}", NOT, 0, 1, BOOL)


def minus(x: Operand) -> Operand:
    """The negated number; it must be a word or a product."""
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
"""For each symbol: its precedence, the least precedence of its operands, and the function for the range of
results."""


def binary(symbol: str, x: Operand, y: Operand, flags: int = 0) -> Operand:
    """An operation on two integers. `flags` are further properties of the result."""
    level, left, right, range_of = BINARY[symbol]
    lo, hi = range_of(x, y)
    first = x.text if x.level >= left else f"({x.text})"
    second = y.text if y.level >= right else f"({y.text})"
    return over_two(symbol, x, y, f"{first} {symbol} {second}", level, lo, hi, flags)


def added(x: Operand, y: Operand, flags: int = 0) -> Operand:
    """The sum of two integers, like `binary`. It repeats the code of `make`, because every second operation
    is a sum."""
    made = Operand()
    made.form = "+"
    made.first = x
    made.second = y
    first = x.text if x.level >= SUM else f"({x.text})"
    made.text = f"{first} + {y.text}" if y.level >= PRODUCT else f"{first} + ({y.text})"
    made.level = SUM
    made.lo = x.lo + y.lo
    made.hi = x.hi + y.hi
    made.flags = flags | (x.flags | y.flags) & EFFECTS
    made.reads = x.reads | y.reads
    made.depth = (x.depth if x.depth > y.depth else y.depth) + 1
    made.local = -1
    made.base = None
    made.facts = NO_FACTS
    return made


def whole(address: Address) -> Operand:
    """The sum of an address's operand and number, as one operand."""
    x, plus = address
    return added(x, number(plus)) if plus else x


def text_of(address: Address) -> str:
    """The text of that sum."""
    x, plus = address
    if not plus:
        return x.text
    return f"{x.text} + {plus}" if x.level >= SUM else f"({x.text}) + {plus}"


def compared(symbol: str, x: Operand, y: Operand) -> Operand:
    """A comparison of integers, or of values that aren't numbers."""
    first = x.text if x.level >= OR else f"({x.text})"
    second = y.text if y.level >= OR else f"({y.text})"
    return over_two(symbol, x, y, f"{first} {symbol} {second}", TEST, 0, 1, BOOL)


def chain(first: Operand, *others: tuple[str, Operand]) -> Operand:
    """Chained comparisons, as in `low < x <= high`."""
    parts = (first, *(other for _, other in others))
    texts = [part.text if part.level >= OR else f"({part.text})" for part in parts]
    symbols = (symbol for symbol, _ in others)
    text = " ".join(
        [texts[0], *(f"{symbol} {text}" for symbol, text in zip(symbols, texts[1:], strict=True))]
    )
    return gathered("chain", parts, text, TEST, 0, 1, BOOL)


def arithmetic(symbol: str, x: Operand, y: Operand, flags: int = 0) -> Operand:
    """An operation on two floats. Operands other than words are put in parentheses."""
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
    """An operand with several parts, in this order."""
    reads = depth = effects = 0
    for part in parts:
        effects |= part.flags
        reads |= part.reads
        if part.depth > depth:
            depth = part.depth
    return make(form, tuple(parts), text, level, lo, hi, flags | effects & EFFECTS, reads, depth + 1)


def choice(test: Operand, first: Operand, second: Operand, flags: int = 0) -> Operand:
    """The first operand if a condition is true, else the second."""
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
    """The same with a given range, and without parentheses around the operands."""
    text = f"{first.text} if {tested(test)} else {second.text}"
    return gathered("if", (first, test, second), text, LOOSE, lo, hi, flags)


def joined(symbol: str, conditions: Sequence[Operand]) -> Operand:
    """Conditions of which all or any must be true: `symbol` is `and` or `or`."""
    if len(conditions) == 1:
        return conditions[0]
    level, least = (BOTH, NOT) if symbol == "and" else (EITHER, BOTH)
    texts = [each.text if each.level >= least else f"({each.text})" for each in conditions]
    return gathered(symbol, conditions, f" {symbol} ".join(texts), level, 0, 1, BOOL)


def let(name: str, x: Operand) -> Operand:
    """The operand, assigned to a scratch variable when it is evaluated."""
    return make(":=", (x,), f"({name} := {x.text})", ATOM, x.lo, x.hi, x.flags & ~VAR, x.reads, x.depth)


# Calls, items and attributes


def call(name: str, parts: Sequence[Operand], lo: int = 0, hi: int = -1, flags: int = 0) -> Operand:
    """A call of a function by name. Only the caller knows the range of its result."""
    text = f"{name}({', '.join([part.text for part in parts])})"
    return gathered(name, parts, text, ATOM, lo, hi, flags)


def called(callee: Operand, parts: Sequence[Operand], lo: int = 0, hi: int = -1) -> Operand:
    """A call of a function that is an operand."""
    text = f"{callee.text}({', '.join([part.text for part in parts])})"
    return gathered("call", (callee, *parts), text, ATOM, lo, hi, 0)


def item(name: str, index: Operand, lo: int = 0, hi: int = -1, flags: int = 0) -> Operand:
    """An item of a named object. It repeats the code of `make`, because every load and store is an item."""
    made = Operand()
    made.form = "item"
    made.first = index
    made.second = None
    made.text = f"{name}[{index.text}]"
    made.level = ATOM
    made.lo = lo
    made.hi = hi
    made.flags = flags | index.flags & EFFECTS
    made.reads = index.reads
    made.depth = index.depth + 1
    made.local = -1
    made.base = None
    made.facts = NO_FACTS
    return made


def viewed(
    access: str, memidx: int, start: int, index: Operand, lo: int = 0, hi: int = -1, flags: int = 0
) -> Operand:
    """An item of the view for an access that begins at `start`. With an index of constants Python's compiler
    might take a character of the literal instead, unless it is beyond it."""
    name = Namespace.view(access, memidx, start)
    if index.lo >= BEYOND or index.reads or index.flags & EFFECTS:
        name = Namespace.fixed(name)
    return item(name, index, lo, hi, flags)


def attribute(x: Operand, name: str, lo: int = 0, hi: int = -1) -> Operand:
    """An attribute."""
    return over("." + name, x, f"{x.term}.{name}", ATOM, lo, hi, 0, 0)


def item_of(x: Operand, index: Operand, lo: int = 0, hi: int = -1) -> Operand:
    """An item of an operand."""
    return gathered("item", (x, index), f"{x.term}[{index.text}]", ATOM, lo, hi, 0)


def loaded(
    access: str,
    memidx: int,
    start: int,
    index: Operand,
    views: bool,
    lo: int = 0,
    hi: int = -1,
    flags: int = 0,
) -> Operand:
    """The value in memory at an address, read through the view for an access such as `u32`, or, without
    views, by a function that reads a buffer. The view begins at `start`, the
    function at 0."""
    if views:
        return viewed(access, memidx, start, index, lo, hi, flags)
    text = f"{Namespace.load(access, memidx)}({Namespace.buffer(memidx)}, {index.text})[0]"
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
    """An expression's pieces with operands between them; an operand may occur several times, in `parts` each
    is there once."""
    texts = [pieces[0]]
    for word_, piece in zip(words, pieces[1:], strict=True):
        text = word_.term
        texts += (f"({text})" if piece.startswith(".") and text[0].isdigit() else text, piece)
    return gathered("cell", parts, "".join(texts), level, lo, hi, flags)


def total(parts: Sequence[Operand]) -> Operand:
    """The sum of operands."""
    return reduce(lambda x, y: binary("+", x, y), parts)
