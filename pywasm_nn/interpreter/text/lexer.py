"""Text to tokens (https://webassembly.github.io/spec/core/text/lexical.html).

What is here: one regular expression that splits the text into words, and errors for everything else. Comments
and annotations are skipped; annotations with a meaning are kept separately for the parser. What is not: the
meaning of words. Numbers stay text (`numbers` reads them), and the parsers know the keywords.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from ...brief import summarised
from ...errors import MalformedError
from ...records import Frozen
from .excerpt import line_and_column

_IDCHARS = r"[0-9A-Za-z!#$%&'*+\-./:<=>?@\\^_`|~]"
_STRING = r"""
    "(?: [^"\\\x00-\x1f\x7f]
       | \\ (?: [tnr"'\\] | [0-9a-fA-F]{2} | u\{ [0-9a-fA-F]+ (?:_[0-9a-fA-F]+)* \} )
    )*+"
"""
_BLANK = r"(?: [ \t\n\r]++ | ;;[^\n\r]*+ )*+"

_TOKEN = re.compile(
    rf"""
    {_BLANK}
    (?: ( \((?![;@]) | \)
        | (?!\$(?!{_IDCHARS})) {_IDCHARS}++ (?!["\[\]{{}},])
        | \$?{_STRING} (?!{_IDCHARS}|["\[\]{{}},])
        )
    | ()
    )
    """,
    re.VERBOSE,
)
_RESERVED = re.compile(rf"(?: {_IDCHARS}++ | [,\[\]{{}}] | ;(?!;) | {_STRING} )++", re.VERBOSE)
_COMMENT_EDGE = re.compile(r"\(;|;\)")
_ANNOTATION_NAME = re.compile(rf"@ (?: ({_IDCHARS}++) | ({_STRING}) )", re.VERBOSE)
_KNOWN = re.compile(rf"\(@(custom|name|metadata\.code\.branch_hint)(?!{_IDCHARS})")
_ESCAPE = re.compile(rb"\\(?:u\{([0-9a-fA-F_]+)\}|([0-9a-fA-F]{2})|(.))")
_ESCAPED = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


class Annotation(Frozen):
    """An annotation: its name, index of the next word, index into the text, and the text after its name."""

    name: str
    before: int
    position: int
    contents: str


@summarised
@dataclass(frozen=True, slots=True)
class Tokens:
    """A text split into words: `words[i]` begins at `starts[i]`. The last word is empty and marks the end."""

    text: str
    words: list[str]
    starts: list[int]
    annotations: list[Annotation] = field(default_factory=list)
    """Those whose names are known (`annotations.py`)."""

    def error(self, message: str, index: int) -> MalformedError:
        """An error at the position of a word."""
        return place_error(message, self.text, self.starts[index])


def place_error(message: str, text: str, position: int) -> MalformedError:
    """An error at an index into a text."""
    line, column = line_and_column(text, position)
    return MalformedError(message, line=line, column=column)


def tokenize(text: str) -> Tokens:
    """Split a text into words. Raises MalformedError for anything else."""
    words: list[str] = []
    starts: list[int] = []
    tokens = Tokens(text, words, starts)
    position, end = 0, len(text)
    while position < end:
        for match in _TOKEN.finditer(text, position):
            if match.lastindex == 2:
                # Neither word nor blank: a block comment, an annotation, the end, or an error.
                position = _skip(tokens, match.end())
                break
            words.append(match[1])
            starts.append(match.start(1))
    words.append("")
    starts.append(end)
    return tokens


def _skip(tokens: Tokens, position: int) -> int:
    """Skip a comment or an annotation; returns the position after it. Raises MalformedError for anything
    else."""
    text = tokens.text
    if text.startswith("(;", position):
        return _skip_comment(text, position)
    if text.startswith("(@", position):
        after = _skip_annotation(text, position)
        if known := _KNOWN.match(text, position):
            contents = text[known.end() : after - 1]
            tokens.annotations.append(Annotation(known[1], len(tokens.words), position, contents))
        return after
    if position == len(text):
        return position
    _refuse(text, position)


def _skip_comment(text: str, position: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, position):
        depth += 1 if edge[0] == "(;" else -1
        if depth == 0:
            return edge.end()
    raise place_error("unclosed comment", text, position)


def _skip_annotation(text: str, position: int) -> int:
    """Skip `(@name ...)`. Parentheses must balance; other words may be any reserved words."""
    depth, at = 1, _annotation_name(text, position + 1)
    while True:
        if text.startswith("(;", at):
            at = _skip_comment(text, at)
        elif text.startswith("(", at):
            depth += 1
            at += 1
        elif text.startswith(")", at):
            depth -= 1
            at += 1
            if depth == 0:
                return at
        elif (after := _blank_end(text, at)) > at:
            at = after
        elif reserved := _RESERVED.match(text, at):
            at = reserved.end()
        elif at == len(text):
            raise place_error("unclosed annotation", text, position)
        else:
            _refuse(text, at)


_BLANKS = re.compile(_BLANK, re.VERBOSE)


def _blank_end(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _annotation_name(text: str, position: int) -> int:
    name = _ANNOTATION_NAME.match(text, position)
    if name is None and text.startswith('@"', position):
        _refuse_string(text, position + 1, "empty annotation id")
    if name is None or name[2] == '""':
        raise place_error("empty annotation id", text, position)
    if name[2]:
        _decoded_name(name[2], text, position)
    return name.end()


def _refuse(text: str, position: int) -> NoReturn:
    """Raise an error about the word that begins here."""
    reserved = _RESERVED.match(text, position)
    if reserved and reserved[0] != "$":
        raise place_error(f"unknown operator {reserved[0][:40]}", text, position)
    if text.startswith('"', position):
        _refuse_string(text, position, "illegal character")
    if reserved and text.startswith('"', position + 1):
        _refuse_string(text, position + 1, "empty identifier")
    if reserved:
        raise place_error("empty identifier", text, position)
    raise place_error(f"illegal character {text[position]!a}", text, position)


_STRING_PART = re.compile(
    r'(?:[^"\\\x00-\x1f\x7f]|\\(?:[tnr"\'\\]|[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*\}))*+'
)


def _refuse_string(text: str, position: int, illegal: str) -> NoReturn:
    """Raise an error about the string that begins here; `illegal` is the message for a control character."""
    part = _STRING_PART.match(text, position + 1)
    end = part.end() if part else position + 1
    if end == len(text) or text[end] == "\n":
        message = "unclosed string" if illegal == "illegal character" or end == len(text) else illegal
        raise place_error(message, text, position)
    if text[end] == "\\":
        raise place_error("illegal escape", text, end)
    raise place_error(illegal, text, end)


def string_bytes(word: str) -> bytes:
    """The bytes of a string token. Raises ValueError for an escape that is no Unicode scalar value."""
    raw = word[1:-1].encode()
    return _ESCAPE.sub(_unescape, raw) if b"\\" in raw else raw


def _unescape(match: re.Match[bytes]) -> bytes:
    scalar, byte, char = match.groups()
    if scalar is not None:
        code = int(scalar.replace(b"_", b""), 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise ValueError("malformed UTF-8 encoding")
        return chr(code).encode()
    if byte is not None:
        return bytes([int(byte, 16)])
    return _ESCAPED.get(char, char)


def string_name(word: str) -> str:
    """The name in a string token. Raises ValueError if its bytes aren't UTF-8."""
    try:
        return string_bytes(word).decode()
    except UnicodeDecodeError:
        raise ValueError("malformed UTF-8 encoding") from None


def _decoded_name(word: str, text: str, position: int) -> str:
    try:
        return string_name(word)
    except ValueError as error:
        raise place_error(str(error), text, position) from None
