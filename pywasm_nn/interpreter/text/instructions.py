"""Instructions, flat and folded (https://webassembly.github.io/spec/core/text/instructions.html).

There is one parser for each kind of immediate, chosen by the row of the instruction table, and one loop with
an explicit stack: deep nesting in a text costs memory, but no Python stack.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ...brief import summarised
from ..instructions import OPS, Imm, Op
from ..module import BlockType, Body, CastArg, Catch, FieldArg, MemArg
from ..types import HeapType, ValType
from .cursor import Cursor
from .numbers import float_bits, integer, unsigned
from .scopes import Labels, Scope, Space, identifier
from .vectors import lane, lanes, vector

TYPED = {
    "select": "select_t",
    "ref.test": "ref.test_null",
    "ref.cast": "ref.cast_null",
    "ref.cast_desc_eq": "ref.cast_null_desc_eq",
}
"""Mnemonics with a second row, for the form with a `(result ...)` or with a nullable reference type. The
names of the second rows are no mnemonics."""
_NO_MNEMONICS = frozenset(TYPED.values())
_END = OPS["end"]
_ELSE = OPS["else"]
_CATCH, _CATCH_ALL, _DELEGATE = OPS["catch"], OPS["catch_all"], OPS["delegate"]


class Stage(Enum):
    """The words that may come next for an open instruction."""

    BLOCK = auto()  # `end`
    IF = auto()  # `else` or `end`
    OPERANDS = auto()  # folded operands, then `)`: the instruction follows them
    FOLDED_BLOCK = auto()  # instructions, then `)`
    FOLDED_IF = auto()  # folded operands, then `(then`
    FOLDED_THEN = auto()  # instructions, then `)`
    FOLDED_ELSE = auto()  # instructions, then `)`
    AFTER_THEN = auto()  # `(else` or `)`
    AFTER_ELSE = auto()  # `)`
    TRY = auto()  # `catch`, `catch_all`, `delegate` or `end`
    CATCH = auto()  # `catch`, `catch_all` or `end`
    FOLDED_TRY = auto()  # `(do`
    FOLDED_CLAUSE = auto()  # instructions, then `)`
    AFTER_DO = auto()  # `(catch`, `(catch_all`, `(delegate` or `)`
    AFTER_CATCH = auto()  # `(catch`, `(catch_all` or `)`
    AFTER_CATCH_ALL = auto()  # `)`
    AFTER_DELEGATE = auto()  # `)`


_FLAT = frozenset({Stage.BLOCK, Stage.IF, Stage.TRY, Stage.CATCH})
_SEQUENCES = _FLAT | {Stage.FOLDED_BLOCK, Stage.FOLDED_THEN, Stage.FOLDED_ELSE, Stage.FOLDED_CLAUSE}
_ENDED = frozenset(
    {
        Stage.FOLDED_BLOCK, Stage.AFTER_THEN, Stage.AFTER_ELSE, Stage.AFTER_DO, Stage.AFTER_CATCH,
        Stage.AFTER_CATCH_ALL,
    }
)  # fmt: skip
"""Stages of folded blocks that `)` ends."""
_FIRST = {"if": Stage.IF, "try": Stage.TRY}
"""The first stages of flat blocks other than BLOCK."""
_OPEN_TO_ALL = _SEQUENCES | {Stage.OPERANDS, Stage.FOLDED_IF}
"""Stages in which any instruction may be opened."""
_FLAT_CLAUSES = {
    (Stage.TRY, "catch"): Stage.CATCH,
    (Stage.TRY, "catch_all"): Stage.BLOCK,
    (Stage.CATCH, "catch"): Stage.CATCH,
    (Stage.CATCH, "catch_all"): Stage.BLOCK,
}
_FOLDED_CLAUSES = {
    (Stage.FOLDED_TRY, "do"): Stage.AFTER_DO,
    (Stage.AFTER_DO, "catch"): Stage.AFTER_CATCH,
    (Stage.AFTER_DO, "catch_all"): Stage.AFTER_CATCH_ALL,
    (Stage.AFTER_DO, "delegate"): Stage.AFTER_DELEGATE,
    (Stage.AFTER_CATCH, "catch"): Stage.AFTER_CATCH,
    (Stage.AFTER_CATCH, "catch_all"): Stage.AFTER_CATCH_ALL,
}
"""Stages of a legacy `try` after a word in a stage."""
_MISSING = {Stage.FOLDED_IF: "'(then'", Stage.FOLDED_TRY: "'(do'", **dict.fromkeys(_FLAT, "'end'")}
"""What is missing where a `)` comes too early."""


@summarised
@dataclass(slots=True)
class Pending:
    """An instruction that has been opened but not closed."""

    stage: Stage
    op: Op
    imm: Any
    at: int
    """Its word."""
    label: str | None = None


class InstructionParser:
    """Parses one expression or function body at a cursor."""

    def __init__(self, cursor: Cursor, scope: Scope, locals_: Space | None = None) -> None:
        self.cursor = cursor
        self.scope = scope
        self.locals = locals_ or Space("local")
        self.labels = Labels()
        self.ops: list[Op] = []
        self.imms: list[Any] = []
        self.places: list[int] = []
        """The word of each instruction, or the last one before it."""
        self.pending: list[Pending] = []

    @property
    def uses_data(self) -> bool:
        """Whether an instruction uses a data segment: then the binary needs a data count section."""
        return any(Imm.DATA in op.imms for op in set(self.ops))

    def body(self) -> Body:
        """Instructions up to the `)` that closes the surrounding list."""
        self._instructions(single=False)
        return self._finished()

    def folded(self) -> Body:
        """One folded instruction, parentheses included."""
        if self.cursor.words[self.cursor.at] != "(":
            self.cursor.fail("an instruction in parentheses")
        self._instructions(single=True)
        return self._finished()

    def _finished(self) -> Body:
        self._emit(_END, None)
        return Body(tuple(self.ops), tuple(self.imms))

    def _emit(self, op: Op, imm: Any, at: int | None = None) -> None:
        self.ops.append(op)
        self.imms.append(imm)
        self.places.append(self.cursor.at - 1 if at is None else at)

    def _instructions(self, single: bool) -> None:
        cursor, words, pending = self.cursor, self.cursor.words, self.pending
        while True:
            word = words[cursor.at]
            if word == "(":
                cursor.at += 1
                self._open_folded(words[cursor.at])
            elif word == ")":
                if not pending:
                    return
                self._close()
                if single and not pending:
                    return
            elif pending and pending[-1].stage not in _SEQUENCES:
                cursor.fail("'(' or ')'")
            elif word in _STRUCTURE:
                _STRUCTURE[word](self)
            else:
                at = cursor.at
                op = self._op(word)
                imm = self._imm(op)
                self._emit(op, imm, at)
                if Imm.BLOCKTYPE in op.imms:
                    stage = _FIRST.get(op.name, Stage.BLOCK)
                    pending.append(Pending(stage, op, imm, at, self.labels.innermost))

    def _op(self, word: str) -> Op:
        op = OPS.get(word)
        if op is None or word in _NO_MNEMONICS or word in _STRUCTURE:
            self.cursor.fail("an instruction")
        self.cursor.at += 1
        return OPS[TYPED[word]] if word in TYPED and self._is_typed() else op

    def _is_typed(self) -> bool:
        cursor, at = self.cursor, self.cursor.at
        nullable = cursor.has_reftype() and cursor.reftype().nullable
        cursor.at = at
        return nullable or cursor.opens("result")

    def _open_folded(self, word: str) -> None:
        cursor, pending, at = self.cursor, self.pending, self.cursor.at
        stage = pending[-1].stage if pending else None
        if word == "then" and stage is Stage.FOLDED_IF:
            top = pending[-1]
            self._emit(top.op, top.imm, top.at)
            self.labels.push(top.label)
            top.stage = Stage.AFTER_THEN
            pending.append(Pending(Stage.FOLDED_THEN, top.op, None, at))
            cursor.at += 1
            return
        if word == "else" and stage is Stage.AFTER_THEN:
            pending[-1].stage = Stage.AFTER_ELSE
            self._emit(_ELSE, None, at)
            pending.append(Pending(Stage.FOLDED_ELSE, _ELSE, None, at))
            cursor.at += 1
            return
        if stage in (Stage.AFTER_THEN, Stage.AFTER_ELSE):
            cursor.fail("')'")
        if stage is not None and stage not in _OPEN_TO_ALL:
            self._open_clause(word)
            return
        op = self._op(word)
        imm = self._imm(op)
        if Imm.BLOCKTYPE not in op.imms:
            pending.append(Pending(Stage.OPERANDS, op, imm, at))
        elif op.name == "if":
            # The operands of the condition are outside the block, where its label isn't visible.
            pending.append(Pending(Stage.FOLDED_IF, op, imm, at, self.labels.pop()))
        elif op.name == "try":
            self._emit(op, imm, at)
            pending.append(Pending(Stage.FOLDED_TRY, op, imm, at))
        else:
            self._emit(op, imm, at)
            pending.append(Pending(Stage.FOLDED_BLOCK, op, imm, at))

    def _open_clause(self, word: str) -> None:
        """Open the body or a clause of a folded `try`."""
        top = self.pending[-1]
        after = _FOLDED_CLAUSES.get((top.stage, word))
        if after is None:
            self.cursor.fail("'(do'" if top.stage is Stage.FOLDED_TRY else "a clause or ')'")
        top.stage = after
        self.cursor.at += 1
        if word == "delegate":
            self._delegate()
            self.cursor.expect(")")
            return
        if word != "do":
            self._emit(OPS[word], self._imm(OPS[word]))
        self.pending.append(Pending(Stage.FOLDED_CLAUSE, top.op, None, top.at))

    def _close(self) -> None:
        """Take a `)`."""
        top = self.pending[-1]
        if top.stage is Stage.OPERANDS:
            self._emit(top.op, top.imm, top.at)
        elif top.stage in _ENDED:
            self._emit(_END, None)
            self.labels.pop()
        elif top.stage in _MISSING:
            self.cursor.fail(_MISSING[top.stage])
        self.pending.pop()
        self.cursor.at += 1

    def _end(self) -> None:
        if not self.pending or self.pending[-1].stage not in _FLAT:
            self.cursor.fail("an instruction")
        self.cursor.at += 1
        self._same_label(self.pending.pop())
        self._emit(_END, None)
        self.labels.pop()

    def _else(self) -> None:
        if not self.pending or self.pending[-1].stage is not Stage.IF:
            self.cursor.fail("an instruction")
        self.cursor.at += 1
        self._same_label(self.pending[-1])
        self.pending[-1].stage = Stage.BLOCK
        self._emit(_ELSE, None)

    def _clause(self, op: Op) -> None:
        """Take a flat `catch` or `catch_all`."""
        after = _FLAT_CLAUSES.get((self.pending[-1].stage, op.name)) if self.pending else None
        if after is None:
            self.cursor.fail("an instruction")
        self.cursor.at += 1
        self.pending[-1].stage = after
        self._emit(op, self._imm(op))

    def _end_by_delegating(self) -> None:
        """Take a flat `delegate`."""
        if not self.pending or self.pending.pop().stage is not Stage.TRY:
            self.cursor.fail("an instruction")
        self.cursor.at += 1
        self._delegate()

    def _delegate(self) -> None:
        """Take the label of a `delegate`, which is outside the block that it ends."""
        self.labels.pop()
        self._emit(_DELEGATE, self.label())

    def _same_label(self, opened: Pending) -> None:
        """Take the label that may be repeated after `else` and `end`; it must be the block's label."""
        at = self.cursor.at
        label = self.cursor.optional_id()
        if label is not None and label != opened.label:
            raise self.cursor.error(f"mismatching label ${label}", at)

    def _imm(self, op: Op) -> Any:
        """The immediates of a row: None, the only value, or a tuple in the order of the row."""
        kinds = op.imms
        if not kinds:
            return None
        if len(kinds) == 1:
            return PARSERS[kinds[0]](self, op)
        if OPTIONAL.isdisjoint(kinds):
            return tuple(PARSERS[kind](self, op) for kind in kinds)
        return self._imms_with_optional(op)

    def _imms_with_optional(self, op: Op) -> tuple[Any, ...]:
        """Immediates with optional indices. Optional indices are left out together, and then mean 0.

        In the text they come first, whatever the row's order: `table.init $table $elem`.
        """
        kinds = op.imms
        order = sorted(range(len(kinds)), key=lambda i: kinds[i] not in OPTIONAL)
        words, ahead = self.cursor.words, self.cursor.at
        while words[ahead] and (words[ahead][0] == "$" or words[ahead][0] in "0123456789"):
            ahead += 1
        required = sum(kind in INDICES for kind in kinds)
        present = ahead - self.cursor.at > required
        values: list[Any] = [0] * len(kinds)
        for i in order:
            if present or kinds[i] not in OPTIONAL:
                if kinds[i] in OPTIONAL and not self.cursor.has_index():
                    self.cursor.fail("an index")
                values[i] = PARSERS[kinds[i]](self, op)
        return tuple(values)

    def optional_index(self, space: str) -> int:
        """An optional index; 0 if it is left out."""
        return self.cursor.index(self.scope.spaces[space]) if self.cursor.has_index() else 0

    def label(self) -> int:
        """A label as the number of blocks between it and the instruction."""
        word = self.cursor.words[self.cursor.at]
        if not word.startswith("$"):
            return self.cursor.u32("a label")
        return self.cursor.read(lambda word: self.labels.find(identifier(word)))

    def label_list(self) -> tuple[int, ...]:
        """The labels of br_table, with at least the default."""
        labels = [self.label()]
        while self.cursor.has_index():
            labels.append(self.label())
        return tuple(labels)

    def blocktype(self) -> BlockType:
        """Label and type of a block; the label comes into scope.

        https://webassembly.github.io/spec/core/text/instructions.html#text-blocktype
        """
        self.labels.push(self.cursor.optional_id())
        if self.cursor.opens("type"):
            return BlockType(typeidx=typeuse(self.cursor, self.scope, _no_names))
        type_ = self.cursor.functype(_no_names)
        if not type_.params and len(type_.results) <= 1:
            return BlockType(result=type_.results[0] if type_.results else None)
        return BlockType(typeidx=self.scope.typeidx(type_))

    def catches(self) -> tuple[Catch, ...]:
        """The catch clauses of a block. They are outside the block, so its label is out of scope
        meanwhile."""
        own = self.labels.pop()
        catches = []
        while (clause := self._catch()) is not None:
            catches.append(clause)
        self.labels.push(own)
        return tuple(catches)

    def _catch(self) -> Catch | None:
        cursor = self.cursor
        kind = CATCHES.get(cursor.words[cursor.at + 1]) if cursor.words[cursor.at] == "(" else None
        if kind is None:
            return None
        cursor.at += 2
        all_, ref = kind
        clause = Catch(None if all_ else self.space("tag"), ref, self.label())
        cursor.expect(")")
        return clause

    def memarg(self, op: Op) -> MemArg:
        """Memory, offset and alignment; the default alignment is the size of the access."""
        memidx = 0 if Imm.LANE in op.imms and self._is_lane() else self.optional_index("memory")
        offset = self._assigned("offset=", 64)
        align = self._assigned("align=", 64)
        if align is None:
            return MemArg(natural_align(op), offset or 0, memidx)
        if align.bit_count() != 1:
            raise self.cursor.error("alignment must be a power of two", self.cursor.at - 1)
        return MemArg(align.bit_length() - 1, offset or 0, memidx)

    def _is_lane(self) -> bool:
        """Whether a number, which may be a memory index or a lane, is a lane: no further number follows."""
        word = self.cursor.words[self.cursor.at + 1]
        return not (word.startswith(("offset=", "align=")) or word[:1].isdigit())

    def _assigned(self, prefix: str, bits: int) -> int | None:
        """The number in `offset=8`, a single token."""
        word = self.cursor.words[self.cursor.at]
        if not word.startswith(prefix):
            return None
        if word.startswith((f"{prefix}+", f"{prefix}-")):
            self.cursor.fail("an instruction")
        return self.cursor.read(lambda word: unsigned(word.removeprefix(prefix), bits))

    def heaptype(self) -> HeapType:
        return self.cursor.heaptype()

    def field(self) -> FieldArg:
        """A type, and a field of it by index or name."""
        typeidx = self.space("type")
        return FieldArg(typeidx, self.cursor.index(self.scope.fields.get(typeidx) or Space("field")))

    def cast(self) -> CastArg:
        return CastArg(self.label(), self.cursor.reftype(), self.cursor.reftype())

    def result_types(self) -> tuple[ValType, ...]:
        return tuple(self.cursor.valtypes("result"))

    def type(self) -> int:
        """The type of an indirect call, as an index or inline."""
        return typeuse(self.cursor, self.scope, _no_names)

    def space(self, kind: str) -> int:
        """A required index."""
        return self.cursor.index(self.scope.spaces[kind])


def natural_align(op: Op) -> int:
    """The natural alignment of a load or store, as exponent."""
    bits = int((op.access or "u8").lstrip("usfv"))
    return (bits // 8).bit_length() - 1


def _no_names(name: str | None) -> None:
    """Types of blocks and calls have no named parameters."""
    if name is not None:
        raise ValueError("unexpected token: expected a value type, found an identifier")


def typeuse(cursor: Cursor, scope: Scope, define: Callable[[str | None], object]) -> int:
    """Index of a type that is given by index, inline (then added if it is new), or both (then they must
    agree).

    https://webassembly.github.io/spec/core/text/modules.html#type-uses
    """
    if not cursor.enter("type"):
        return scope.typeidx(cursor.functype(define))
    index = cursor.index(scope.spaces["type"])
    cursor.expect(")")
    at = cursor.at
    inline = cursor.functype(define)
    known = scope.func_type(index)
    if cursor.at == at:
        for _ in known.params if known else ():
            define(None)
    elif known is None:
        raise cursor.error(f"unknown type {index}", at)
    elif inline != known:
        raise cursor.error(f"inline function type {inline} isn't type {index}, {known}", at)
    return index


_STRUCTURE: dict[str, Callable[[InstructionParser], None]] = {
    "end": InstructionParser._end,
    "else": InstructionParser._else,
    "catch": lambda parser: parser._clause(_CATCH),
    "catch_all": lambda parser: parser._clause(_CATCH_ALL),
    "delegate": InstructionParser._end_by_delegating,
}
"""Words that divide or end a flat block."""

CATCHES = {
    "catch": (False, False),
    "catch_ref": (False, True),
    "catch_all": (True, False),
    "catch_all_ref": (True, True),
}
"""Clauses of try_table: (whether it catches all, whether it gives an exnref)."""
OPTIONAL = frozenset({Imm.TABLE, Imm.MEMORY})
"""Kinds of optional indices, which default to 0."""
INDICES = frozenset({Imm.ELEM, Imm.DATA, Imm.LOCAL, Imm.GLOBAL, Imm.FUNC, Imm.TAG, Imm.LABEL})
"""Kinds of required indices. `Imm.TYPE` isn't among them, because it is in parentheses."""

PARSERS: dict[Imm, Callable[[InstructionParser, Op], Any]] = {
    Imm.LABEL: lambda parser, op: parser.label(),
    Imm.LABELS: lambda parser, op: parser.label_list(),
    Imm.LOCAL: lambda parser, op: parser.cursor.index(parser.locals),
    Imm.GLOBAL: lambda parser, op: parser.space("global"),
    Imm.FUNC: lambda parser, op: parser.space("func"),
    Imm.TABLE: lambda parser, op: parser.optional_index("table"),
    Imm.MEMORY: lambda parser, op: parser.optional_index("memory"),
    Imm.TYPE: lambda parser, op: parser.type(),
    Imm.TAG: lambda parser, op: parser.space("tag"),
    Imm.ELEM: lambda parser, op: parser.space("elem"),
    Imm.DATA: lambda parser, op: parser.space("data"),
    Imm.BLOCKTYPE: lambda parser, op: parser.blocktype(),
    Imm.CATCHES: lambda parser, op: parser.catches(),
    Imm.MEMARG: lambda parser, op: parser.memarg(op),
    Imm.HEAPTYPE: lambda parser, op: parser.heaptype(),
    Imm.TYPEIDX: lambda parser, op: parser.space("type"),
    Imm.FIELD: lambda parser, op: parser.field(),
    Imm.COUNT: lambda parser, op: parser.cursor.u32("a count"),
    Imm.CASTTYPE: lambda parser, op: parser.cursor.reftype().heap,
    Imm.CAST: lambda parser, op: parser.cast(),
    Imm.VALTYPES: lambda parser, op: parser.result_types(),
    Imm.I32: lambda parser, op: parser.cursor.number(integer, 32),
    Imm.I64: lambda parser, op: parser.cursor.number(integer, 64),
    Imm.F32: lambda parser, op: parser.cursor.number(float_bits, 32),
    Imm.F64: lambda parser, op: parser.cursor.number(float_bits, 64),
    Imm.V128: lambda parser, op: vector(parser.cursor),
    Imm.LANE: lambda parser, op: lane(parser.cursor),
    Imm.LANES: lambda parser, op: lanes(parser.cursor),
    Imm.ZERO: lambda parser, op: 0,
}
