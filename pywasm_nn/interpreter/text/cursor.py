"""A position in a list of tokens, with the elements of grammar that all parsers here need.

What is here: numbers, strings, ids, indices and types. What is not: the parsers (`parser`, `instructions`,
`script`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from ...errors import MalformedError
from ...limits import PAGE
from ..features import MEMORY64, chosen
from ..instructions import OPS
from ..types import (
    HEAP_TYPE_BY_NAME,
    I32,
    I64,
    PACKED_TYPES,
    VAL_TYPE_BY_NAME,
    ArrayType,
    CompType,
    Exact,
    FieldType,
    FuncType,
    GlobalType,
    HeapType,
    MemType,
    NumType,
    RefType,
    SizeRange,
    StructType,
    SubType,
    TableType,
    TypeIdx,
    ValType,
)
from .lexer import Tokens, string_bytes, string_name
from .numbers import is_number, unsigned
from .scopes import Space, identifier

R = TypeVar("R")

_WORDS = """
    module type func param result local import export table memory tag global mut elem data offset item
    declare start then select extern binary quote definition instance register invoke get ref.extern ref.host
    either assert_return assert_trap assert_invalid assert_malformed assert_unlinkable assert_exhaustion
    assert_exception nan:canonical nan:arithmetic rec sub final field ref i8 i16 catch_ref
    catch_all_ref do pagesize shared exact describes descriptor
"""
KEYWORDS = frozenset(_WORDS.split()) | frozenset(VAL_TYPE_BY_NAME) | frozenset(HEAP_TYPE_BY_NAME)
"""Words that are no instructions: in a wrong place they are unexpected; any other word is unknown."""
ADDRESS_TYPES: dict[str, NumType] = {"i32": I32, "i64": I64}
PACKED_TYPE_BY_NAME = {type_.name: type_ for type_ in PACKED_TYPES}


class Cursor:
    """Reads tokens from `at` on. Every method raises MalformedError with the place of the error."""

    __slots__ = ("at", "features", "size_bits", "tokens", "types", "words")

    def __init__(self, tokens: Tokens, at: int = 0, features: Sequence[str] = ()) -> None:
        self.features = features
        self.size_bits = 32 if MEMORY64.name not in chosen(features) else 64
        """Of the sizes of memories and tables."""
        self.tokens = tokens
        self.words = tokens.words
        self.at = at
        self.types = Space("type")
        """The index space for ids of types; a module's parser sets its own."""

    def error(self, message: str, at: int | None = None) -> MalformedError:
        """An error at a token, by default the current one."""
        return self.tokens.error(message, self.at if at is None else at)

    def fail(self, expected: str) -> NoReturn:
        """Raise an error about the current token."""
        word = self.words[self.at]
        if word and not _is_known(word):
            raise self.error(f"unknown operator {word[:40]}")
        found = repr(word[:40]) if word else "the end of the text"
        raise self.error(f"unexpected token: expected {expected}, found {found}")

    def read(self, convert: Callable[..., R], *args: object) -> R:
        """Take a token and convert it; a ValueError becomes an error at the token."""
        try:
            value = convert(self.words[self.at], *args)
        except ValueError as error:
            raise self.error(str(error)) from None
        self.at += 1
        return value

    def expect(self, word: str) -> None:
        """Take exactly this word."""
        if self.words[self.at] != word:
            self.fail(repr(word))
        self.at += 1

    def opens(self, keyword: str) -> bool:
        """Whether `(keyword` is next."""
        return self.words[self.at] == "(" and self.words[self.at + 1] == keyword

    def enter(self, keyword: str) -> bool:
        """Take `(keyword` if it comes next; returns whether it did."""
        if self.opens(keyword):
            self.at += 2
            return True
        return False

    def skip(self) -> None:
        """Skip the parenthesised list that begins here."""
        words, at, depth = self.words, self.at, 0
        while True:
            word = words[at]
            at += 1
            if word == "(":
                depth += 1
            elif word == ")":
                depth -= 1
                if depth == 0:
                    break
            elif not word:
                self.at = at - 1
                self.fail("')'")
        self.at = at

    def number(self, convert: Callable[[str, int], int], bits: int, expected: str = "a number") -> int:
        """Take a number; any other token is unexpected."""
        word = self.words[self.at]
        if not word or word[0] not in "0123456789+-in" or (word[0] in "+-in" and not is_number(word)):
            self.fail(expected)
        return self.read(convert, bits)

    def u32(self, expected: str = "a number") -> int:
        return self.number(unsigned, 32, expected)

    def u64(self, expected: str = "a number") -> int:
        return self.number(unsigned, 64, expected)

    def has_string(self) -> bool:
        return self.words[self.at].startswith('"')

    def string(self) -> bytes:
        """Take a string: any bytes."""
        if not self.has_string():
            self.fail("a string")
        return self.read(string_bytes)

    def strings(self) -> bytes:
        """Take any number of strings and join them."""
        parts = []
        while self.has_string():
            parts.append(self.read(string_bytes))
        return b"".join(parts)

    def name(self) -> str:
        """Take a string that must be UTF-8."""
        if not self.has_string():
            self.fail("a name in quotes")
        return self.read(string_name)

    def optional_id(self) -> str | None:
        """Take an id if there is one; returns its name without the `$`."""
        return self.read(identifier) if self.words[self.at].startswith("$") else None

    def has_index(self) -> bool:
        """Whether a number or an id comes next."""
        word = self.words[self.at]
        return word != "" and (word[0] == "$" or word[0] in "0123456789")

    def index(self, space: Space) -> int:
        """Take an index: a number, or an id of this space."""
        word = self.words[self.at]
        if word.startswith("$"):
            return self.read(lambda word: space.find(identifier(word)))
        return self.u32(f"a {space.kind} index")

    def has_valtype(self) -> bool:
        return self.words[self.at] in VAL_TYPE_BY_NAME or self.opens("ref")

    def valtype(self) -> ValType:
        type_ = VAL_TYPE_BY_NAME.get(self.words[self.at])
        if type_ is None:
            return self.written_reftype("a value type")
        self.at += 1
        return type_

    def has_reftype(self) -> bool:
        return isinstance(VAL_TYPE_BY_NAME.get(self.words[self.at]), RefType) or self.opens("ref")

    def reftype(self) -> RefType:
        type_ = VAL_TYPE_BY_NAME.get(self.words[self.at])
        if not isinstance(type_, RefType):
            return self.written_reftype("a reference type")
        self.at += 1
        return type_

    def written_reftype(self, expected: str) -> RefType:
        """Take `(ref null? heaptype)`."""
        if not self.enter("ref"):
            self.fail(expected)
        nullable = self.words[self.at] == "null"
        self.at += nullable
        type_ = RefType(self.heaptype(), nullable)
        self.expect(")")
        return type_

    def heaptype(self) -> HeapType:
        type_ = HEAP_TYPE_BY_NAME.get(self.words[self.at])
        if type_ is not None:
            self.at += 1
            return type_
        if self.enter("exact"):
            exact = Exact(TypeIdx(self.index(self.types)))
            self.expect(")")
            return exact
        if not self.has_index():
            self.fail("a heap type")
        return TypeIdx(self.index(self.types))

    def subtype(self, define_field: Callable[[str | None], object]) -> SubType:
        """Take a type definition: `(sub final? supertype* clauses composite)`, or without `sub`."""
        if not self.enter("sub"):
            return self.described((), True, define_field)
        final = self.words[self.at] == "final"
        self.at += final
        supers = []
        while self.has_index():
            supers.append(TypeIdx(self.index(self.types)))
        type_ = self.described(tuple(supers), final, define_field)
        self.expect(")")
        return type_

    def described(
        self, supers: tuple[TypeIdx, ...], final: bool, define_field: Callable[[str | None], object]
    ) -> SubType:
        """Take `(describes x)? (descriptor x)?` and a composite type."""
        describes, descriptor = self.clause("describes"), self.clause("descriptor")
        composite = self.composite(define_field)
        if describes or descriptor:
            from ..described import DescribedType

            return DescribedType(composite, supers, final, describes, descriptor)
        return SubType(composite, supers, final)

    def clause(self, keyword: str) -> TypeIdx | None:
        """Take `(keyword typeidx)` if it is there."""
        if not self.enter(keyword):
            return None
        type_ = TypeIdx(self.index(self.types))
        self.expect(")")
        return type_

    def composite(self, define_field: Callable[[str | None], object]) -> CompType:
        type_: CompType
        if self.enter("func"):
            type_ = self.functype(Space("parameter").define)
        elif self.enter("struct"):
            type_ = StructType(tuple(self.fields(define_field)))
        elif self.enter("array"):
            type_ = ArrayType(self.fieldtype())
        else:
            self.fail("'(func', '(struct' or '(array'")
        self.expect(")")
        return type_

    def fields(self, define: Callable[[str | None], object]) -> list[FieldType]:
        """Take any number of `(field $id type)` or `(field type*)`; `define` gets each id or None."""
        types: list[FieldType] = []
        while self.enter("field"):
            if self.words[self.at].startswith("$"):
                self.read(lambda word: define(identifier(word)))
                types.append(self.fieldtype())
            else:
                while self.words[self.at] != ")":
                    types.append(self.fieldtype())
                    define(None)
            self.expect(")")
        return types

    def fieldtype(self) -> FieldType:
        mutable = self.enter("mut")
        packed = PACKED_TYPE_BY_NAME.get(self.words[self.at])
        self.at += packed is not None
        type_ = FieldType(packed or self.valtype(), mutable)
        if mutable:
            self.expect(")")
        return type_

    def valtypes(self, keyword: str) -> list[ValType]:
        """Take any number of `(keyword valtype*)`."""
        types: list[ValType] = []
        while self.enter(keyword):
            while self.has_valtype():
                types.append(self.valtype())
            self.expect(")")
        return types

    def params(self, keyword: str, define: Callable[[str | None], object]) -> list[ValType]:
        """Take any number of `(keyword $id type)` or `(keyword type*)`; `define` gets each id or None."""
        types: list[ValType] = []
        while self.enter(keyword):
            if self.words[self.at].startswith("$"):
                self.read(lambda word: define(identifier(word)))
                types.append(self.valtype())
            else:
                while self.has_valtype():
                    types.append(self.valtype())
                    define(None)
            self.expect(")")
        return types

    def functype(self, define: Callable[[str | None], object]) -> FuncType:
        """Take parameters and results; both may be absent."""
        params = self.params("param", define)
        results = self.valtypes("result")
        if self.opens("param"):
            raise self.error("unexpected token: parameters come before results", self.at + 1)
        return FuncType(tuple(params), tuple(results))

    def size_range(self) -> SizeRange:
        """https://webassembly.github.io/spec/core/text/types.html#limits"""
        minimum = self.number(unsigned, self.size_bits, "a size")
        maximum = self.number(unsigned, self.size_bits, "a number") if self.has_index() else None
        return SizeRange(minimum, maximum)

    def addrtype(self) -> NumType:
        """Take an address type; i32 if it is left out."""
        found = ADDRESS_TYPES.get(self.words[self.at])
        self.at += found is not None
        return found or I32

    def memtype(self) -> MemType:
        addrtype = self.addrtype()
        size, shared = self.size_range(), self.words[self.at] == "shared"
        self.at += shared
        return MemType(size, addrtype, shared, self.pagesize())

    def pagesize(self) -> int:
        """The bytes of a memory's page: `(pagesize 1)`, or 65536 if it isn't said."""
        if not self.enter("pagesize"):
            return PAGE
        at = self.at
        found = self.read(lambda word: unsigned(word, 64))
        if found.bit_count() != 1:
            raise self.error("invalid custom page size", at)
        self.expect(")")
        return found

    def tabletype(self) -> TableType:
        addrtype, size = self.addrtype(), self.size_range()
        return TableType(self.reftype(), size, addrtype)

    def globaltype(self) -> GlobalType:
        if self.enter("mut"):
            type_ = GlobalType(self.valtype(), True)
            self.expect(")")
            return type_
        return GlobalType(self.valtype())


def _is_known(word: str) -> bool:
    """Whether a word is a token of the language, valid in some other place."""
    if word[0] in '()"$' or word in KEYWORDS or (word in OPS and word != "select_t"):
        return True
    if word.startswith(("offset=", "align=")):
        word = word.partition("=")[2]
        return is_number(word) and word[0] not in "+-"
    return is_number(word)
