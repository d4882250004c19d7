"""Values of component types as text, in both directions: WAVE, as in wasmtime's `--invoke`.

What is here: `read` for one value of a type, `function_name` and `arguments` for a call, `written` for the
way back. What is not: the Python classes of values (`canonical/faces.py`).
https://github.com/bytecodealliance/wasm-tools/tree/main/crates/wasm-wave
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from struct import pack, unpack
from typing import Any, NoReturn

from .canonical.faces import Err, Ok, Some, face
from .types import Compound, Kind, Part, Prim, ValType

SPACE = re.compile(r"(?:[ \t\r\n]|//[^\n]*)*")
LABEL = re.compile(r"%?[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*")
NUMBER = re.compile(r"-?(?:inf|nan|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![A-Za-z0-9])")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
LINES = re.compile(r'"""\r?\n(.*?)\r?\n([ \t]*)"""', re.DOTALL)
CHARACTER = re.compile(r"'((?:[^'\\\n]|\\[^u]|\\u\{[0-9a-fA-F]{1,6}\}))'")
ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
KEYWORDS = frozenset({"true", "false", "inf", "nan", "some", "none", "ok", "err"})
"""Labels that need a `%` in front."""
FUNCTION = re.compile(r"[^\s()]+")
LONGEST_NUMBER = 400
"""Characters of a number."""
SHOWN = 20
"""Characters of the text in messages."""


class WaveError(ValueError):
    """The text is no value of the type."""


class Reader:
    """A text and the position in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> None:
        found = SPACE.match(self.text, self.at)
        assert found is not None  # it may be empty
        self.at = found.end()

    def refuse(self, wanted: str) -> NoReturn:
        rest = self.text[self.at : self.at + SHOWN]
        here = f"{rest!r}{'...' * (len(self.text) > self.at + SHOWN)}" if rest else "the end"
        raise WaveError(f"{wanted} is wanted at character {self.at + 1}, not {here}")

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of the pattern at the position, if there is one."""
        self.skip()
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def takes(self, sign: str) -> bool:
        self.skip()
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def want(self, sign: str) -> None:
        if not self.takes(sign):
            self.refuse(f"`{sign}`")

    def label(self) -> str:
        found = self.take(LABEL)
        if found is None:
            self.refuse("a name")
        return found.group().removeprefix("%")

    def word(self, word: str) -> bool:
        """Whether a certain keyword is next; if so, it is read."""
        begin = self.at
        found = self.take(LABEL)
        if found is not None and found.group() == word:
            return True
        self.at = begin
        return False

    def items(self, end: str, one: Callable[[], None]) -> None:
        """Items between commas up to `end`; the last comma is optional."""
        while not self.takes(end):
            one()
            if not self.takes(","):
                self.want(end)
                return

    def end(self) -> None:
        self.skip()
        if self.at < len(self.text):
            self.refuse("the end")

    def value(self, type_: Part) -> Any:
        """A value of a type."""
        if isinstance(type_, Prim):
            return PRIMS.get(type_.name, number)(self, type_)
        if not isinstance(type_, Compound) or type_.kind not in KINDS:
            raise WaveError(f"a value of type {type_!r} can't be written")
        return KINDS[type_.kind](self, type_)


# Reading


def boolean(reader: Reader, type_: Prim) -> bool:
    if reader.word("true"):
        return True
    if reader.word("false"):
        return False
    reader.refuse("a bool")


def number(reader: Reader, type_: Prim) -> int | float:
    """A number; the call checks whether it is in range."""
    begin = reader.at
    found = reader.take(NUMBER)
    if found is None or len(found.group()) > LONGEST_NUMBER:
        reader.at = begin
        reader.skip()
        reader.refuse(f"a value of type {type_!r}")
    if type_.name == "f64":
        return float(found.group())
    if type_.name == "f32":
        return single(float(found.group()))
    try:
        return int(found.group())
    except ValueError:
        reader.at = found.start()
        reader.refuse(f"a value of type {type_!r}")


def single(value: float) -> float:
    """The nearest float of 32 bits."""
    try:
        (nearest,) = unpack("<f", pack("<f", value))
    except OverflowError:
        nearest = math.copysign(math.inf, value)
    return float(nearest)


def unescaped(reader: Reader, text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code, letter = found.groups()
        if code is not None:
            value = int(code, 16)
            if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
                raise WaveError(f"\\u{{{code}}} is no character")
            return chr(value)
        if letter not in ESCAPES:
            raise WaveError(f"\\{letter} is no escape")
        return ESCAPES[letter]

    return ESCAPE.sub(one, text)


def string(reader: Reader, type_: Prim) -> str:
    if found := reader.take(LINES):
        lines, indent = found.groups()
        if not all(line.startswith(indent) or not line.strip() for line in lines.split("\n")):
            raise WaveError("lines of a text begin to the right of its end")
        return unescaped(reader, "\n".join(line.removeprefix(indent) for line in lines.splitlines()))
    found = reader.take(TEXT)
    if found is None:
        reader.refuse("a string")
    return unescaped(reader, found.group(1))


def character(reader: Reader, type_: Prim) -> str:
    found = reader.take(CHARACTER)
    if found is None:
        reader.refuse("a char")
    return unescaped(reader, found.group(1))


def list_(reader: Reader, type_: Compound) -> list[Any]:
    made: list[Any] = []
    reader.want("[")
    reader.items("]", lambda: made.append(reader.value(type_.parts[0])))
    return made


def map_(reader: Reader, type_: Compound) -> dict[Any, Any]:
    """A list of pairs."""
    made: dict[Any, Any] = {}
    reader.want("[")
    reader.items("]", lambda: made.update([reader.value(type_.pair)]))
    return made


def tuple_(reader: Reader, type_: Compound) -> tuple[Any, ...]:
    made: list[Any] = []

    def one() -> None:
        if len(made) == len(type_.parts):
            reader.refuse("`)`")
        made.append(reader.value(type_.parts[len(made)]))

    reader.want("(")
    reader.items(")", one)
    if len(made) < len(type_.parts):
        raise WaveError(f"{len(made)} values are no {type_!r}")
    return tuple(made)


def record(reader: Reader, type_: Compound) -> Any:
    """Fields by name, in any order; options may be left out."""
    found: dict[str, Any] = {}

    def one() -> None:
        label = reader.label()
        if label not in type_.labels or label in found:
            raise WaveError(f"{label} is {'there twice' if label in found else f'no field of {type_!r}'}")
        reader.want(":")
        found[label] = reader.value(type_.parts[type_.labels.index(label)])

    reader.want("{")
    if reader.takes(":"):
        reader.want("}")
    else:
        reader.items("}", one)
    missing = [
        label
        for label, part in zip(type_.labels, type_.parts, strict=True)
        if label not in found and not is_kind(part, Kind.OPTION)
    ]
    if missing:
        raise WaveError(f"{', '.join(missing)} of {type_!r} is missing")
    return face(type_)(*(found.get(label) for label in type_.labels))


def variant(reader: Reader, type_: Compound) -> Any:
    label = reader.label()
    if label not in type_.labels:
        raise WaveError(f"{label} is no case of {type_!r}")
    index = type_.labels.index(label)
    return face(type_).cases[index](payload(reader, type_.parts[index]))


def payload(reader: Reader, part: Part) -> Any:
    """The value in parentheses after the name of a case with a value."""
    if part is None:
        return None
    reader.want("(")
    value = reader.value(part)
    reader.want(")")
    return value


def enum(reader: Reader, type_: Compound) -> Any:
    label = reader.label()
    if label not in type_.labels:
        raise WaveError(f"{label} is no case of {type_!r}")
    return face(type_)(label)


def flags(reader: Reader, type_: Compound) -> Any:
    bits = 0

    def one() -> None:
        nonlocal bits
        label = reader.label()
        if label not in type_.labels:
            raise WaveError(f"{label} is none of {type_!r}")
        bits |= 1 << type_.labels.index(label)

    reader.want("{")
    reader.items("}", one)
    return face(type_)(bits)


def option(reader: Reader, type_: Compound) -> Any:
    """`none`, `some(x)`, or x itself if that is unambiguous."""
    (part,) = type_.parts
    if reader.word("none"):
        return None
    plain = not is_kind(part, Kind.OPTION, Kind.RESULT)
    if reader.word("some"):
        value = payload(reader, part)
    elif plain:
        return reader.value(part)
    else:
        reader.refuse(f"a value of type {type_!r}")
    return Some(value) if is_kind(part, Kind.OPTION) else value


def result(reader: Reader, type_: Compound) -> Ok[Any] | Err[Any]:
    """`ok(x)`, `err(x)`, or x itself if that is unambiguous."""
    ok, error = type_.parts
    if reader.word("ok"):
        return Ok(payload(reader, ok))
    if reader.word("err"):
        return Err(payload(reader, error))
    if ok is None or is_kind(ok, Kind.OPTION, Kind.RESULT):
        reader.refuse(f"a value of type {type_!r}")
    return Ok(reader.value(ok))


def is_kind(part: Part, *kinds: Kind) -> bool:
    return isinstance(part, Compound) and part.kind in kinds


PRIMS: Mapping[str, Callable[[Reader, Prim], Any]] = {"bool": boolean, "string": string, "char": character}
KINDS: Mapping[Kind, Callable[[Reader, Compound], Any]] = {
    Kind.LIST: list_,
    Kind.MAP: map_,
    Kind.TUPLE: tuple_,
    Kind.RECORD: record,
    Kind.VARIANT: variant,
    Kind.ENUM: enum,
    Kind.FLAGS: flags,
    Kind.OPTION: option,
    Kind.RESULT: result,
}


def read(text: str, type_: ValType) -> Any:
    """The Python value that a text denotes. Raises WaveError."""
    reader = Reader(text)
    value = reader.value(type_)
    reader.end()
    return value


def function_name(text: str) -> str:
    """The name of the function in the text of a call or in a name alone. Raises WaveError."""
    found = Reader(text).take(FUNCTION)
    if found is None:
        raise WaveError("the name of a function is wanted")
    return found.group()


def arguments(text: str, types: Sequence[ValType]) -> list[Any]:
    """The arguments in the text of a call, `name(1, "two")`. Raises WaveError."""
    reader = Reader(text)
    reader.take(FUNCTION)
    given: list[Any] = []

    def one() -> None:
        if len(given) == len(types):
            reader.refuse("`)`")
        given.append(reader.value(types[len(given)]))

    reader.want("(")
    reader.items(")", one)
    reader.end()
    if len(given) < len(types):
        raise WaveError(f"{len(given)} arguments are given, {len(types)} are wanted")
    return given


# Writing


def written(value: Any, type_: Part) -> str:
    """The text of a function's result."""
    if isinstance(type_, Prim):
        return WRITTEN_PRIMS.get(type_.name, str)(value)
    if not isinstance(type_, Compound) or type_.kind not in WRITTEN:
        return f"<{type_!r}>"
    return WRITTEN[type_.kind](value, type_)


def name(label: str) -> str:
    return f"%{label}" if label in KEYWORDS else label


def float_text(value: float) -> str:
    """The shortest text for this number, without an exponent."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else f"{'-' * (value < 0)}inf"
    text = format(Decimal(repr(value)), "f")
    return text.removesuffix(".0")


def single_text(value: float) -> str:
    """The shortest text for a number of 32 bits, which needs fewer digits."""
    if not math.isfinite(value):
        return float_text(value)
    for digits in range(1, 9):
        short = float(f"{value:.{digits}g}")
        if single(short) == value:
            return float_text(short)
    return float_text(float(f"{value:.9g}"))


def quoted(text: str, quote: str) -> str:
    signs = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", quote: f"\\{quote}"}
    inner = "".join(
        signs.get(sign) or (sign if sign.isprintable() else f"\\u{{{ord(sign):x}}}") for sign in text
    )
    return f"{quote}{inner}{quote}"


def written_all(values: Sequence[Any], types: Sequence[Part]) -> str:
    return ", ".join(written(value, type_) for value, type_ in zip(values, types, strict=True))


def written_list(value: Any, type_: Compound) -> str:
    return f"[{', '.join(written(part, type_.parts[0]) for part in value)}]"


def written_map(value: Any, type_: Compound) -> str:
    return f"[{', '.join(written(pair, type_.pair) for pair in value.items())}]"


def written_tuple(value: Any, type_: Compound) -> str:
    return f"({written_all(value, type_.parts)})"


def written_record(value: Any, type_: Compound) -> str:
    fields = [
        f"{name(label)}: {written(part, inner)}"
        for label, part, inner in zip(
            type_.labels, (getattr(value, field) for field in value.__match_args__), type_.parts, strict=True
        )
        if not (part is None and is_kind(inner, Kind.OPTION))
    ]
    return f"{{{', '.join(fields)}}}" if fields else "{:}"


def written_variant(value: Any, type_: Compound) -> str:
    part = type_.parts[type_.labels.index(value.label)]
    return name(value.label) + ("" if part is None else f"({written(value.value, part)})")


def written_enum(value: Any, type_: Compound) -> str:
    return name(value.value)


def written_flags(value: Any, type_: Compound) -> str:
    return f"{{{', '.join(name(label) for bit, label in enumerate(type_.labels) if value.value >> bit & 1)}}}"


def written_option(value: Any, type_: Compound) -> str:
    if value is None:
        return "none"
    return f"some({written(value.value if isinstance(value, Some) else value, type_.parts[0])})"


def written_result(value: Ok[Any] | Err[Any], type_: Compound) -> str:
    label, part = ("ok", type_.parts[0]) if isinstance(value, Ok) else ("err", type_.parts[1])
    return label if part is None else f"{label}({written(value.value, part)})"


WRITTEN_PRIMS: Mapping[str, Callable[[Any], str]] = {
    "bool": lambda value: "true" if value else "false",
    "f32": single_text,
    "f64": float_text,
    "char": lambda value: quoted(value, "'"),
    "string": lambda value: quoted(value, '"'),
}
WRITTEN: Mapping[Kind, Callable[[Any, Compound], str]] = {
    Kind.LIST: written_list,
    Kind.MAP: written_map,
    Kind.TUPLE: written_tuple,
    Kind.RECORD: written_record,
    Kind.VARIANT: written_variant,
    Kind.ENUM: written_enum,
    Kind.FLAGS: written_flags,
    Kind.OPTION: written_option,
    Kind.RESULT: written_result,
}
