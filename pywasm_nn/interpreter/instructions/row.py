"""What a row of the instruction table says, and the table itself: `OPS` by mnemonic, `BY_CODE` by opcode.

A row holds opcode, mnemonic, kinds of immediates, type and meaning; the files beside this one are rows only. Decoder,
validator, encoder, text parser and printer, both engines, traces and documentation read them. Rows without a type are typed
and run by hand, in methods named after the instruction (`.` becomes `_`).
"""

from __future__ import annotations

from enum import Enum, auto
from functools import cache

from ...records import record
from ..types import VAL_TYPE_BY_NAME, ValType


class Imm(Enum):
    """Kinds of immediate. Reader, writer, checker, printer and parser of a kind exist once each, keyed by these."""

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
    TYPEIDX = auto()  # a bare index, where TYPE may be written out in the text
    FIELD = auto()  # a type index and the index of a field of it
    COUNT = auto()
    CASTTYPE = auto()  # a heap type; whether null counts is the opcode's to say
    CAST = auto()  # branches on a cast
    VALTYPES = auto()  # select with types
    I32 = auto()  # unsigned, canonical
    I64 = auto()
    F32 = auto()  # bits
    F64 = auto()  # bits
    V128 = auto()  # unsigned
    LANE = auto()
    LANES = auto()  # i8x16.shuffle: a byte for each of 16 lanes
    ZERO = auto()  # a byte that is 0, for what may come


@record
class Op:
    """One instruction. Rows are compared by identity."""

    code: tuple[int, ...]
    """Opcode, or prefix and number."""
    name: str
    params: tuple[ValType, ...] | None
    """Operand types, last one on top; None where typing needs more than a list (by hand)."""
    results: tuple[ValType, ...]
    exprs: tuple[str, ...]
    """A Python expression for each result, over the operands a, b, c ... (canonical values) and the lane i, if there is one,
    whose value is the canonical result; none where it is run by hand. In rows with `access` one: over the raw value a that
    was read and the operands b, c behind the address, or the operand a that will be written; in rows that read and write,
    what will be written."""
    imms: tuple[Imm, ...]
    traps: bool
    """Whether evaluation may raise: ZeroDivisionError for 'integer divide by zero', or Trap from numerics."""
    boolean: bool
    """Whether `expr` is a truth value, which stands for 1 or 0."""
    access: str | None
    """How loads and stores see memory: u8 s8 u16 s16 u32 s32 u64 f32 f64 v128."""
    stores: bool
    """Whether `access` writes."""
    constant: bool
    """Whether constant expressions may use it."""
    atomic: bool
    """Whether the address must be a multiple of the width."""

    @property
    def expr(self) -> str | None:
        """The expression of a row that has just one."""
        return self.exprs[0] if len(self.exprs) == 1 else None

    @property
    def kind(self) -> str:
        """What it works on, as its mnemonic says: "i32", "v128", "i16x8", "memory", "struct"; "" for "br_if"."""
        return spelling(self.name).kind

    @property
    def verb(self) -> str:
        """What it does, whatever it works on: "add" of i64.add, "load" of i32.load8_s, "atomic_rmw_add" of
        i64.atomic.rmw8.add_u, "get" of struct.get_u, "trunc_sat" of i32.trunc_sat_f64_s, "br_if"."""
        return spelling(self.name).verb

    @property
    def sign(self) -> str:
        """ "s" or "u" where it takes an integer for signed or unsigned; "" where that makes no difference."""
        return spelling(self.name).sign

    @property
    def part(self) -> int:
        """Bits that it accesses or extends, where they aren't all of its type's: 8 of i64.load8_u; else 0."""
        return spelling(self.name).part

    @property
    def source(self) -> str:
        """What a conversion begins with: "f64" of i32.trunc_f64_s, "i8x16" of i16x8.extend_low_i8x16_u."""
        return spelling(self.name).source

    @property
    def takes_null(self) -> bool:
        """Whether null passes a test or a cast."""
        return spelling(self.name).takes_null

    @property
    def method(self) -> str:
        """Name of the method that types, runs or translates it where the row alone doesn't say how."""
        name = self.name.replace(".", "_")
        return name + "_" if name in PYTHON_KEYWORDS else name

    @property
    def width(self) -> int:
        """Bytes that a load or store touches: the natural alignment."""
        return int(self.access[1:]) // 8 if self.access else 1

    @property
    def lanes(self) -> int:
        """How many lanes a lane immediate may name: those of the vector, or of two (i8x16.shuffle)."""
        if Imm.LANES in self.imms:
            return 32
        return 16 // self.width if self.access else int(self.kind.partition("x")[2])

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.name}>"


@record
class Spelling:
    """What a mnemonic says, column by column."""

    kind: str
    verb: str
    sign: str
    part: int
    source: str
    takes_null: bool


@cache
def spelling(name: str) -> Spelling:
    """Read a mnemonic. Nobody else does."""
    import re  # which a program whose code is kept never needs

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


PYTHON_KEYWORDS = frozenset({"if", "else", "return"})
OPS: dict[str, Op] = {}
BY_CODE: dict[tuple[int, ...], Op] = {}
PREFIXES: set[int] = set()
"""Bytes that a number follows: both are the opcode."""
OPERANDS = "abcdefgh"
"""Names of operands in expressions."""
LANE = "i"


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
) -> Op:
    """Add a row. `type_` is as in "i32 i32 -> i32", or None: typed and run by hand. `expr` is the expression, or one for
    each of several results. Raises ValueError for a row that says less than it must, or more than can be meant."""
    params, results = (None, ()) if type_ is None else signature(type_)
    exprs = () if expr is None else (expr,) if isinstance(expr, str) else expr
    if params is not None and len(params) > len(OPERANDS):
        raise ValueError(f"{name} has {len(params)} operands, expressions have names for {len(OPERANDS)}")
    if exprs and (len(exprs) != (1 if access else len(results)) or params is None):
        raise ValueError(f"{name} has {len(results)} results and {len(exprs)} expressions")
    codes = code if isinstance(code, tuple) else (code,)
    row = Op(codes, name, params, results, exprs, imms, traps, boolean, access, stores, constant, atomic)
    if name in OPS or codes in BY_CODE:
        raise ValueError(f"instruction said twice: {name} {codes}")
    OPS[name] = BY_CODE[codes] = row
    PREFIXES.update(codes[:-1])
    return row


def test(code: int | tuple[int, ...], name: str, type_: str, expr: str) -> Op:
    """Add a row whose expression is a truth value."""
    return op(code, name, type_, expr, boolean=True)


def load(code: int | tuple[int, ...], name: str, type_: str, access: str, expr: str | None = None) -> Op:
    """Add a load: `access` says what is read, `expr` (over a) what becomes of it if anything does."""
    return op(code, name, f"i32 -> {type_}", expr, Imm.MEMARG, traps=True, access=access)


def store(code: int | tuple[int, ...], name: str, type_: str, access: str, expr: str | None = None) -> Op:
    """Add a store: `expr` (over a, the operand) is what is written, `access` how."""
    return op(code, name, f"i32 {type_} ->", expr, Imm.MEMARG, traps=True, access=access, stores=True)


def atomic_load(number: int, name: str, type_: str, access: str) -> Op:
    """Add an atomic load."""
    return op((0xFE, number), name, f"i32 -> {type_}", None, Imm.MEMARG, traps=True, access=access, atomic=True)


def atomic_store(number: int, name: str, type_: str, access: str, expr: str | None = None) -> Op:
    """Add an atomic store: `expr` (over a, the operand) is what is written."""
    type_ = f"i32 {type_} ->"
    return op((0xFE, number), name, type_, expr, Imm.MEMARG, traps=True, access=access, stores=True, atomic=True)


def atomic_update(number: int, name: str, type_: str, access: str, expr: str) -> Op:
    """Add a row that reads, writes, and gives what it has read: `expr`, over that (a) and the operands (b, c), is written."""
    type_ = f"i32 {type_}"
    return op((0xFE, number), name, type_, expr, Imm.MEMARG, traps=True, access=access, stores=True, atomic=True)


def load_lane(code: int | tuple[int, ...], name: str, access: str, expr: str) -> Op:
    """Add a load into one lane: `expr` is over what is read (a), the vector (b) and the lane (i)."""
    return op(code, name, "i32 v128 -> v128", expr, Imm.MEMARG, Imm.LANE, traps=True, access=access)


def store_lane(code: int | tuple[int, ...], name: str, access: str, expr: str) -> Op:
    """Add a store of one lane: `expr` is over the vector (a) and the lane (i)."""
    return op(code, name, "i32 v128 ->", expr, Imm.MEMARG, Imm.LANE, traps=True, access=access, stores=True)
