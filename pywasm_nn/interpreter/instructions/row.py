"""The columns of a row of the instruction table, and the table itself: `OPS` by mnemonic, `BY_CODE` by
opcode.

A row has opcode, mnemonic, kinds of immediates, type and expression; the files beside this one contain only
rows. Decoder, validator, encoder, text parser and printer, both engines, traces and documentation read them.
Instructions without a type or expression have hand-written methods, named after the instruction (`.` becomes
`_`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from functools import cache
from importlib import import_module
from typing import TypeVar

from ...enumerations import Enum, auto
from ...records import Frozen
from ..types import VAL_TYPE_BY_NAME, ValType


class Imm(Enum):
    """Kinds of immediate. There is one reader, writer, checker, printer and parser for each kind."""

    LABEL = auto()
    LABELS = auto()  # br_table: all labels, the default last
    LOCAL = auto()
    GLOBAL = auto()
    FUNC = auto()
    TABLE = auto()
    MEMORY = auto()
    TYPE = auto()
    TAG = auto()
    ELEM = auto()
    DATA = auto()
    BLOCKTYPE = auto()
    CATCHES = auto()  # try_table
    MEMARG = auto()
    HEAPTYPE = auto()
    TYPEIDX = auto()  # a bare index; a TYPE may be inline in the text
    FIELD = auto()  # a type index and a field index
    COUNT = auto()
    CASTTYPE = auto()  # a heap type; the opcode says whether it is nullable
    CAST = auto()  # branches on a cast
    VALTYPES = auto()  # select with types
    I32 = auto()  # unsigned, canonical
    I64 = auto()
    F32 = auto()  # bits
    F64 = auto()  # bits
    V128 = auto()  # unsigned
    LANE = auto()
    LANES = auto()  # i8x16.shuffle: a byte for each of 16 lanes
    ZERO = auto()  # a reserved byte that must be 0


class Op(Frozen):
    """One instruction. Rows are compared by identity."""

    code: tuple[int, ...]
    """Opcode, or prefix and number."""
    name: str
    params: tuple[ValType, ...] | None
    """Operand types, the last one on top; None if validation is hand-written."""
    results: tuple[ValType, ...]
    exprs: tuple[str, ...]
    """A Python expression for each result, over the operands a, b, c ... (canonical values) and the lane i if
    there is one; its value is the canonical result. Empty if execution is hand-written. A row with `access`
    has one expression: for a load over the value read (a) and the operands after the address (b, c); for a
    store over the operand (a), giving the value to write; for a read-modify-write, giving the value to
    write."""
    imms: tuple[Imm, ...]
    traps: bool
    """Whether evaluation may raise: ZeroDivisionError for 'integer divide by zero', or Trap from numerics."""
    boolean: bool
    """Whether the expressions are truth values, which mean 1 or 0."""
    access: str | None
    """The width and interpretation of a memory access: u8 s8 u16 s16 u32 s32 u64 f32 f64 v128."""
    stores: bool
    """Whether `access` writes."""
    constant: bool
    """Whether the instruction is allowed in constant expressions."""
    atomic: bool
    """Whether the address must be a multiple of the width."""
    feature: str
    """The feature that must be on (`features.py`); empty for the core specification."""

    @property
    def expr(self) -> str | None:
        """The expression of a row that has exactly one."""
        return self.exprs[0] if len(self.exprs) == 1 else None

    @property
    def kind(self) -> str:
        """The part of the mnemonic before the dot: "i32", "v128", "i16x8", "memory", "struct"; "" for
        "br_if"."""
        return spelling(self.name).kind

    @property
    def verb(self) -> str:
        """The operation without types, width and sign: "add" for i64.add, "load" for i32.load8_s,
        "atomic_rmw_add" for i64.atomic.rmw8.add_u, "get" for struct.get_u, "trunc_sat" for
        i32.trunc_sat_f64_s, "br_if"."""
        return spelling(self.name).verb

    @property
    def sign(self) -> str:
        """ "s" or "u" if the operation treats integers as signed or unsigned; "" if there is no
        difference."""
        return spelling(self.name).sign

    @property
    def part(self) -> int:
        """The bits that it accesses or extends if they are fewer than its type has: 8 for i64.load8_u; else
        0."""
        return spelling(self.name).part

    @property
    def source(self) -> str:
        """The source type of a conversion: "f64" for i32.trunc_f64_s, "i8x16" for
        i16x8.extend_low_i8x16_u."""
        return spelling(self.name).source

    @property
    def takes_null(self) -> bool:
        """Whether a test or a cast accepts null."""
        return spelling(self.name).takes_null

    @property
    def method(self) -> str:
        """The name of the hand-written method that validates, runs or translates the instruction."""
        name = self.name.replace(".", "_")
        return name + "_" if name in PYTHON_KEYWORDS else name

    @property
    def opens(self) -> bool:
        """Whether the instructions after it are in a block, or in another part of one."""
        return Imm.BLOCKTYPE in self.imms or self.name in DIVIDING

    @property
    def closes(self) -> bool:
        """Whether the instructions before it were in a block, or in another part of one."""
        return self.name in DIVIDING or self.name in ENDING

    @property
    def width(self) -> int:
        """The bytes that a load or store accesses, which is also the natural alignment."""
        return int(self.access[1:]) // 8 if self.access else 1

    @property
    def lanes(self) -> int:
        """The range of a lane immediate: the lanes of the vector, or of two (i8x16.shuffle)."""
        if Imm.LANES in self.imms:
            return 32
        return 16 // self.width if self.access else int(self.kind.partition("x")[2])

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Spelling(Frozen):
    """The parts of a mnemonic."""

    kind: str
    verb: str
    sign: str
    part: int
    source: str
    takes_null: bool


@cache
def spelling(name: str) -> Spelling:
    """Parse a mnemonic. No other code does that."""
    import re  # not needed when compiled code is cached

    kind, _, rest = name.rpartition(".") if "." not in name else name.partition(".")
    verb, sign, part, source, takes_null = list[str](), "", 0, "", False
    for word in rest.replace(".", "_").split("_"):
        narrow = re.fullmatch(r"(load|store|extend|rmw|wait)(\d+)(?:x\d+)?", word)
        if word in ("s", "u"):
            sign = word
        elif word == "null" and kind == "ref" and len(verb) == 1:
            takes_null = verb[0] in ("test", "cast")
            verb += [] if takes_null else [word]
        elif verb and re.fullmatch(r"[if]\d+(x\d+)?", word):
            source = source or word
        elif narrow:
            verb.append(narrow[1])
            part = int(narrow[2])
        else:
            verb.append(word)
    return Spelling(kind, "_".join(verb), sign, part, source, takes_null)


COMMON = ("exceptions", "memory", "numeric")
"""Files of rows that bodies have, and constant expressions hardly: a guest whose code is kept needs none."""
RARE = ("atomics", "descriptors", "gc", "simd", "wide")
"""Files of rows that most guests don't use; to make their rows takes as long as to run a small guest."""


@cache
def add_rows(names: tuple[str, ...]) -> None:
    """Make the rows of these files."""
    for name in names:
        import_module(f".{name}", __package__)


Key = TypeVar("Key", str, tuple[int, ...])


class Table(MutableMapping[Key, Op]):
    """Rows by a key. It makes the rows of the files in COMMON when a key is missing, those in RARE when it
    still is, and all when all rows are asked for."""

    def __init__(self) -> None:
        self._rows: dict[Key, Op] = {}
        self._sorted = False

    def __getitem__(self, key: Key) -> Op:
        for names in (COMMON, RARE):
            if key in self._rows:
                break
            add_rows(names)
        return self._rows[key]

    def made(self, key: Key) -> bool:
        """Whether the row has been made."""
        return key in self._rows

    def __setitem__(self, key: Key, row: Op) -> None:
        self._rows[key] = row

    def __delitem__(self, key: Key) -> None:
        del self._rows[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def _whole(self) -> dict[Key, Op]:
        """All rows by opcode, so that their order doesn't tell which were made first."""
        if not self._sorted:
            add_rows(COMMON)
            add_rows(RARE)
            self._rows = dict(sorted(self._rows.items(), key=lambda item: item[1].code))
            self._sorted = True
        return self._rows


Said = TypeVar("Said")


class ByRow(dict[Op, Said]):
    """What `say` says of rows, asked once for each: a dictionary is read in half the time of a cached call."""

    def __init__(self, say: Callable[[Op], Said]) -> None:
        self.say = say

    def __missing__(self, op: Op) -> Said:
        said = self[op] = self.say(op)
        return said


PYTHON_KEYWORDS = frozenset({"if", "else", "return", "try"})
DIVIDING = frozenset({"else", "catch", "catch_all"})
"""Instructions that end one part of a block and begin another."""
ENDING = frozenset({"end", "delegate"})
OPS = Table[str]()
BY_CODE = Table[tuple[int, ...]]()
PREFIXES = frozenset({0xFB, 0xFC, 0xFD, 0xFE})
"""First bytes of opcodes that consist of a byte and a number."""
OPERANDS = "abcdefgh"
"""Names of operands in expressions."""
LANE = "i"
THREADS = "threads"


@cache
def signature(text: str) -> tuple[tuple[ValType, ...], tuple[ValType, ...]]:
    """Read "i32 i32 -> i32"."""
    params, results = ([VAL_TYPE_BY_NAME[word] for word in side.split()] for side in text.split("->"))
    return tuple(params), tuple(results)


def op(
    code: int | tuple[int, ...],
    name: str,
    type_: str | None = None,
    expr: str | tuple[str, ...] | None = None,
    *imms: Imm,
    traps: bool = False,
    boolean: bool = False,
    access: str | None = None,
    stores: bool = False,
    constant: bool = False,
    atomic: bool = False,
    feature: str = "",
) -> Op:
    """Add a row. `type_` is like "i32 i32 -> i32", or None for hand-written validation. `expr` is the
    expression, or a tuple with one for each result. Raises ValueError for an incomplete or contradictory
    row."""
    params, results = (None, ()) if type_ is None else signature(type_)
    exprs = () if expr is None else (expr,) if isinstance(expr, str) else expr
    check_shape(name, params or (), results, exprs, stores if access else None)
    codes = code if isinstance(code, tuple) else (code,)
    row = Op(
        codes, name, params, results, exprs, imms, traps, boolean, access, stores, constant, atomic, feature
    )  # fmt: skip
    if OPS.made(name) or BY_CODE.made(codes):
        raise ValueError(f"instruction said twice: {name} {codes}")
    if not PREFIXES.issuperset(codes[:-1]):
        raise ValueError(f"{name} has an unknown prefix: {codes}")
    OPS[name] = row
    BY_CODE[codes] = row
    return row


def check_shape(
    name: str,
    params: tuple[ValType, ...],
    results: tuple[ValType, ...],
    exprs: tuple[str, ...],
    stores: bool | None,
) -> None:
    """Check that expressions, operands and results of a row belong together; `stores` is None where it accesses
    no memory. Raises ValueError."""
    if len(params) > len(OPERANDS):
        raise ValueError(f"{name} has {len(params)} operands, expressions have names for {len(OPERANDS)}")
    if stores and not results and len(params) != 2:
        raise ValueError(f"{name} has {len(params)} operands, a store has an address and what is stored")
    if stores is not None and len(results) > 1:
        raise ValueError(f"{name} has {len(results)} results, an access has one at most")
    if exprs and len(exprs) != (len(results) if stores is None else 1):
        raise ValueError(f"{name} has {len(results)} results and {len(exprs)} expressions")
    beyond = OPERANDS[1 if stores and not results else len(params) :]
    for expr in exprs:
        if not set(beyond).isdisjoint(expr) and not set(beyond).isdisjoint(words(expr)):
            raise ValueError(f"{name} has {len(params)} operands, its expression has more: {expr}")


def words(expr: str) -> list[str]:
    """Names and numbers of an expression."""
    return "".join(letter if letter.isalnum() or letter == "_" else " " for letter in expr).split()


def test(code: int | tuple[int, ...], name: str, type_: str, expr: str) -> Op:
    """Add a row whose expression is a truth value."""
    return op(code, name, type_, expr, boolean=True)


def load(code: int | tuple[int, ...], name: str, type_: str, access: str, expr: str | None = None) -> Op:
    """Add a load: `access` is the access, `expr` (over the value read, a) converts it if necessary."""
    return op(code, name, f"i32 -> {type_}", expr, Imm.MEMARG, traps=True, access=access)


def store(code: int | tuple[int, ...], name: str, type_: str, access: str, expr: str | None = None) -> Op:
    """Add a store: `expr` (over the operand, a) is the value to write, `access` the access."""
    return op(code, name, f"i32 {type_} ->", expr, Imm.MEMARG, traps=True, access=access, stores=True)


def atomic_load(number: int, name: str, type_: str, access: str) -> Op:
    """Add an atomic load."""
    return op((0xFE, number), name, f"i32 -> {type_}", None, Imm.MEMARG, traps=True, access=access, atomic=True, feature=THREADS)


def atomic_store(number: int, name: str, type_: str, access: str, expr: str | None = None) -> Op:
    """Add an atomic store: `expr` (over the operand, a) is the value to write."""
    type_ = f"i32 {type_} ->"
    return op((0xFE, number), name, type_, expr, Imm.MEMARG, traps=True, access=access, stores=True, atomic=True, feature=THREADS)


def atomic_update(number: int, name: str, type_: str, access: str, expr: str) -> Op:
    """Add a read-modify-write row, which returns the old value: `expr`, over that (a) and the operands (b,
    c), is the value to write."""
    type_ = f"i32 {type_}"
    return op((0xFE, number), name, type_, expr, Imm.MEMARG, traps=True, access=access, stores=True, atomic=True, feature=THREADS)


def load_lane(code: int | tuple[int, ...], name: str, access: str, expr: str) -> Op:
    """Add a load into one lane: `expr` is over the value read (a), the vector (b) and the lane (i)."""
    return op(code, name, "i32 v128 -> v128", expr, Imm.MEMARG, Imm.LANE, traps=True, access=access)


def store_lane(code: int | tuple[int, ...], name: str, access: str, expr: str) -> Op:
    """Add a store of one lane: `expr` is over the vector (a) and the lane (i)."""
    return op(code, name, "i32 v128 ->", expr, Imm.MEMARG, Imm.LANE, traps=True, access=access, stores=True)
