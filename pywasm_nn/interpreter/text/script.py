"""Scripts of the official suite (https://github.com/WebAssembly/spec/tree/main/interpreter#scripts) as data.

What is here: `parse_script` and the commands. A module stays unparsed until it is used, so that its errors
are a failure of its command and not of the script. What is not: running commands (`interpreter/script.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...brief import summarised
from ...records import Frozen
from ..module import Module
from ..types import F32, F64, I32, I64, V128, NumType
from .cursor import Cursor
from .excerpt import LineTable
from .lexer import Tokens, tokenize
from .literals import float_text, integer_text
from .numbers import float_bits, integer
from .parser import FIELDS, parse, parse_fields, parse_module, text_of
from .vectors import vector

NAN_PATTERNS = ("nan:canonical", "nan:arithmetic")
FLOAT_SHAPES = {"f32x4": (F32, 4), "f64x2": (F64, 2)}


class Decode(Protocol):
    """Reads a binary module, as `binary.decode` does."""

    def __call__(self, data: bytes, *, features: Sequence[str]) -> Module: ...


@summarised
@dataclass(frozen=True, slots=True, eq=False)
class TextSource:
    """`(module ...)`: word `at` of the script is its id or first field."""

    tokens: Tokens
    at: int

    def read(self, decode: Decode, features: Sequence[str] = ()) -> Module:
        """The module. Raises MalformedError."""
        return parse_module(Cursor(self.tokens, self.at, features))


@summarised
@dataclass(frozen=True, slots=True, eq=False)
class FieldsSource:
    """A whole script that consists of the fields of one module."""

    tokens: Tokens

    def read(self, decode: Decode, features: Sequence[str] = ()) -> Module:
        """The module. Raises MalformedError."""
        return parse_fields(Cursor(self.tokens, features=features))


class BinarySource(Frozen):
    """`(module binary "...")`."""

    data: bytes

    def read(self, decode: Decode, features: Sequence[str] = ()) -> Module:
        """The module, read by `decode`. Raises MalformedError."""
        return decode(self.data, features=features)


class QuotedSource(Frozen):
    """`(module quote "...")`: text in strings, which may be no UTF-8."""

    data: bytes

    def read(self, decode: Decode, features: Sequence[str] = ()) -> Module:
        """The module. Raises MalformedError."""
        return parse(text_of(self.data), features=features)


Source = TextSource | FieldsSource | BinarySource | QuotedSource


class Const(Frozen):
    """A number or vector, as argument or expected result: `bits` are unsigned; for a float, its encoding."""

    type: NumType
    bits: int

    def __str__(self) -> str:
        text = integer_text if self.type in (I32, I64) else float_text
        return f"({self.type}.const {text(self.bits, self.type.bits)})"


class NanPattern(Frozen):
    """Any NaN of a type: canonical (only the quiet bit is set) or arithmetic (the quiet bit and any
    others)."""

    type: NumType
    canonical: bool

    def __str__(self) -> str:
        return f"({self.type}.const nan:{'canonical' if self.canonical else 'arithmetic'})"


class VectorPattern(Frozen):
    """Any vector whose lanes match, the lowest first."""

    lanes: tuple[Const | NanPattern, ...]


class RefNull(Frozen):
    """A null reference. As argument it has the heap type `heap`; as expected result None means any null."""

    heap: str | None

    def __str__(self) -> str:
        return f"(ref.null{f' {self.heap}' if self.heap else ''})"


class RefHost(Frozen):
    """A reference made by the host, of the kind `extern` or `host`, identified by its number."""

    kind: str
    number: int

    def __str__(self) -> str:
        return f"(ref.{self.kind} {self.number})"


class RefPattern(Frozen):
    """Any non-null reference to an object of heap type `heap` (func, extern, ...)."""

    heap: str

    def __str__(self) -> str:
        return f"(ref.{self.heap})"


class Either(Frozen):
    """Any one of several patterns."""

    patterns: tuple[Pattern, ...]

    def __str__(self) -> str:
        return f"(either {' '.join(map(str, self.patterns))})"


Argument = Const | RefNull | RefHost
Pattern = Const | NanPattern | VectorPattern | RefNull | RefHost | RefPattern | Either


class Invoke(Frozen):
    """Call an export of the instance called `instance`, or of the latest one."""

    instance: str | None
    name: str
    arguments: tuple[Argument, ...]


class Get(Frozen):
    """Read an exported global of the instance called `instance`, or of the latest one."""

    instance: str | None
    name: str


Action = Invoke | Get


class ModuleCommand(Frozen):
    """Read, validate and (unless it is only a definition) instantiate a module, which becomes the latest."""

    line: int
    id: str | None
    source: Source
    definition: bool = False


class InstanceCommand(Frozen):
    """Instantiate the definition called `module`, or the latest one, once more."""

    line: int
    id: str | None
    module: str | None


class Register(Frozen):
    """Let later modules import from an instance under a name."""

    line: int
    name: str
    instance: str | None


class ActionCommand(Frozen):
    """Perform an action and ignore its results."""

    line: int
    action: Action


class AssertReturn(Frozen):
    """An action returns results that match."""

    line: int
    action: Action
    expected: tuple[Pattern, ...]


class ActionFails(Frozen):
    """An assertion that an action fails; the error's message begins with `message`."""

    line: int
    action: Action
    message: str


class AssertTrap(ActionFails):
    """An action traps."""

    __slots__ = ()


class AssertExhaustion(ActionFails):
    """An action exhausts the call stack."""

    __slots__ = ()


class AssertException(Frozen):
    """An action throws an exception that is not caught."""

    line: int
    action: Action


class ModuleFails(Frozen):
    """An assertion that a module never becomes an instance; the error's message begins with `message`."""

    line: int
    source: Source
    message: str


class AssertMalformed(ModuleFails):
    """A module can't be parsed or decoded."""

    __slots__ = ()


class AssertInvalid(ModuleFails):
    """A module can be decoded but doesn't validate."""

    __slots__ = ()


class AssertUnlinkable(ModuleFails):
    """A valid module can't be linked."""

    __slots__ = ()


class AssertUninstantiable(ModuleFails):
    """A linked module traps while it is instantiated (`assert_trap` on a module)."""

    __slots__ = ()


class AssertMalformedCustom(ModuleFails):
    """An annotation for a custom section can't be parsed."""

    __slots__ = ()


class AssertInvalidCustom(ModuleFails):
    """An annotation for a custom section doesn't fit the module."""

    __slots__ = ()


Command = (
    ModuleCommand
    | InstanceCommand
    | Register
    | ActionCommand
    | AssertReturn
    | AssertTrap
    | AssertExhaustion
    | AssertException
    | AssertMalformed
    | AssertInvalid
    | AssertUnlinkable
    | AssertUninstantiable
    | AssertMalformedCustom
    | AssertInvalidCustom
)


def parse_script(text: str) -> list[Command]:
    """The commands of a `.wast` script; modules in it aren't parsed yet. Raises MalformedError."""
    tokens = tokenize(text)
    parser = ScriptParser(tokens)
    if tokens.words[0] == "(" and tokens.words[1] in FIELDS:
        return [ModuleCommand(1, None, FieldsSource(tokens))]
    return parser.commands()


class ScriptParser:
    """Parses commands."""

    def __init__(self, tokens: Tokens) -> None:
        self.cursor = Cursor(tokens)
        self.lines = LineTable(tokens.text)

    def commands(self) -> list[Command]:
        """All commands up to the end."""
        cursor, words, starts = self.cursor, self.cursor.words, self.cursor.tokens.starts
        commands: list[Command] = []
        while words[cursor.at]:
            line = self.lines.line(starts[cursor.at])
            keyword = words[cursor.at + 1] if words[cursor.at] == "(" else ""
            read = _COMMANDS.get(keyword)
            if read is None:
                cursor.at += keyword != ""
                cursor.fail("a command")
            commands.append(read(self, line))
        return commands

    def module(self, line: int) -> Command:
        """`(module ...)` in any of its forms."""
        cursor = self.cursor
        if cursor.words[cursor.at + 2] == "instance":
            cursor.at += 3
            instance, module = cursor.optional_id(), cursor.optional_id()
            cursor.expect(")")
            return InstanceCommand(line, instance, module)
        at = cursor.at
        definition = cursor.words[at + 2] == "definition"
        cursor.at += 3 if definition else 2
        id_ = cursor.optional_id()
        cursor.at = at
        return ModuleCommand(line, id_, self.source(), definition)

    def source(self) -> Source:
        """A module, unparsed."""
        cursor, at = self.cursor, self.cursor.at
        cursor.expect("(")
        cursor.expect("module")
        if cursor.words[cursor.at] == "definition":
            cursor.at += 1
        first = cursor.at
        cursor.optional_id()
        keyword = cursor.words[cursor.at]
        if keyword in ("binary", "quote"):
            cursor.at += 1
            # Strings of a quoted module are whole lines or tokens, never parts of a token: join them with
            # spaces.
            parts = [cursor.string()]
            while cursor.has_string():
                parts.append(cursor.string())
            cursor.expect(")")
            return BinarySource(b"".join(parts)) if keyword == "binary" else QuotedSource(b" ".join(parts))
        cursor.at = at
        cursor.skip()
        return TextSource(cursor.tokens, first)

    def register(self, line: int) -> Command:
        self.cursor.at += 2
        name, instance = self.cursor.name(), self.cursor.optional_id()
        self.cursor.expect(")")
        return Register(line, name, instance)

    def action_command(self, line: int) -> Command:
        return ActionCommand(line, self.action())

    def action(self) -> Action:
        """`(invoke ...)` or `(get ...)`."""
        cursor = self.cursor
        if cursor.enter("get"):
            get = Get(cursor.optional_id(), cursor.name())
            cursor.expect(")")
            return get
        if not cursor.enter("invoke"):
            cursor.fail("'(invoke' or '(get'")
        instance, name = cursor.optional_id(), cursor.name()
        arguments = []
        while cursor.words[cursor.at] == "(":
            arguments.append(self.argument())
        cursor.expect(")")
        return Invoke(instance, name, tuple(arguments))

    def argument(self) -> Argument:
        """A constant."""
        cursor, at = self.cursor, self.cursor.at
        value = self.pattern()
        if not isinstance(value, Argument) or value == RefNull(None):
            raise cursor.error("unexpected token: expected a constant, found a pattern", at)
        return value

    def pattern(self) -> Pattern:
        """A constant, or a pattern for several."""
        cursor = self.cursor
        cursor.expect("(")
        keyword = cursor.words[cursor.at]
        read = _PATTERNS.get(keyword)
        if read is not None:
            cursor.at += 1
            value = read(self)
        elif keyword.startswith("ref."):
            cursor.at += 1
            value = RefPattern(keyword.removeprefix("ref."))
        else:
            cursor.fail("a constant")
        cursor.expect(")")
        return value

    def number(self, type_: NumType) -> Const | NanPattern:
        """An integer or a float."""
        cursor = self.cursor
        word = cursor.words[cursor.at]
        if type_ in (I32, I64):
            return Const(type_, cursor.number(integer, type_.bits))
        if word in NAN_PATTERNS:
            cursor.at += 1
            return NanPattern(type_, word == "nan:canonical")
        return Const(type_, cursor.number(float_bits, type_.bits))

    def vector(self) -> Const | VectorPattern:
        """A shape and lanes; lanes may be patterns."""
        cursor = self.cursor
        type_, count = FLOAT_SHAPES.get(cursor.words[cursor.at], (V128, 0))
        if not any(word in NAN_PATTERNS for word in cursor.words[cursor.at + 1 : cursor.at + 1 + count]):
            return Const(V128, vector(cursor))
        cursor.at += 1
        return VectorPattern(tuple(self.number(type_) for _ in range(count)))

    def null(self) -> RefNull:
        cursor = self.cursor
        if cursor.words[cursor.at] == ")":
            return RefNull(None)
        cursor.at += 1
        return RefNull(cursor.words[cursor.at - 1])

    def host(self, kind: str) -> RefHost | RefPattern:
        return RefHost(kind, self.cursor.u32()) if self.cursor.has_index() else RefPattern(kind)

    def either(self) -> Either:
        """Alternatives, which can't be nested."""
        patterns = []
        while self.cursor.words[self.cursor.at] == "(" and not self.cursor.opens("either"):
            patterns.append(self.pattern())
        return Either(tuple(patterns))

    def patterns(self) -> tuple[Pattern, ...]:
        patterns = []
        while self.cursor.words[self.cursor.at] == "(":
            patterns.append(self.pattern())
        return tuple(patterns)

    def assert_return(self, line: int) -> Command:
        self.cursor.at += 2
        action, expected = self.action(), self.patterns()
        self.cursor.expect(")")
        return AssertReturn(line, action, expected)

    def assert_trap(self, line: int) -> Command:
        if self.cursor.words[self.cursor.at + 3] == "module":
            return self.about_source(line, AssertUninstantiable)
        return self.about_action(line, AssertTrap)

    def assert_exception(self, line: int) -> Command:
        self.cursor.at += 2
        action = self.action()
        self.cursor.expect(")")
        return AssertException(line, action)

    def about_action(self, line: int, kind: Callable[[int, Action, str], Command]) -> Command:
        """`(assert_... action "message")`."""
        self.cursor.at += 2
        action, message = self.action(), self.cursor.name()
        self.cursor.expect(")")
        return kind(line, action, message)

    def about_source(self, line: int, kind: Callable[[int, Source, str], Command]) -> Command:
        """`(assert_... module "message")`."""
        self.cursor.at += 2
        source, message = self.source(), self.cursor.name()
        self.cursor.expect(")")
        return kind(line, source, message)


_COMMANDS: dict[str, Callable[[ScriptParser, int], Command]] = {
    "module": ScriptParser.module,
    "register": ScriptParser.register,
    "invoke": ScriptParser.action_command,
    "get": ScriptParser.action_command,
    "assert_return": ScriptParser.assert_return,
    "assert_trap": ScriptParser.assert_trap,
    "assert_exception": ScriptParser.assert_exception,
    "assert_exhaustion": lambda parser, line: parser.about_action(line, AssertExhaustion),
    "assert_malformed": lambda parser, line: parser.about_source(line, AssertMalformed),
    "assert_invalid": lambda parser, line: parser.about_source(line, AssertInvalid),
    "assert_unlinkable": lambda parser, line: parser.about_source(line, AssertUnlinkable),
    "assert_malformed_custom": lambda parser, line: parser.about_source(line, AssertMalformedCustom),
    "assert_invalid_custom": lambda parser, line: parser.about_source(line, AssertInvalidCustom),
}

_PATTERNS: dict[str, Callable[[ScriptParser], Pattern]] = {
    "i32.const": lambda parser: parser.number(I32),
    "i64.const": lambda parser: parser.number(I64),
    "f32.const": lambda parser: parser.number(F32),
    "f64.const": lambda parser: parser.number(F64),
    "v128.const": ScriptParser.vector,
    "ref.null": ScriptParser.null,
    "ref.extern": lambda parser: parser.host("extern"),
    "ref.host": lambda parser: parser.host("host"),
    "either": ScriptParser.either,
}
