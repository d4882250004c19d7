"""Annotations of a module in the text format that say custom sections: `(@custom ...)`, `(@name ...)` and
`(@metadata.code.branch_hint ...)`.

https://webassembly.github.io/spec/core/appendix/custom.html

What is here: their grammar, and where each may stand. Names of modules and functions are kept, as backtraces
show them; other names and branch hints are checked, and forgotten. What is not: finding annotations
(`lexer.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from ...errors import InvalidError, MalformedError
from ..module import Custom
from .cursor import Cursor
from .lexer import Annotation, Tokens, place_error, tokenize

T = TypeVar("T")

CUSTOM, NAME, BRANCH_HINT = "custom", "name", "metadata.code.branch_hint"
SECTIONS = frozenset({
    "type", "import", "func", "table", "memory", "tag", "global", "export", "start", "elem", "datacount",
    "code", "data",
})  # fmt: skip
ENDS = {"before": SECTIONS | {"first"}, "after": SECTIONS | {"last"}}
"""The places before and after which a custom section may stand."""
NAMED = frozenset({
    "module", "type", "func", "table", "memory", "tag", "global", "elem", "data", "param", "local", "field",
})  # fmt: skip
"""The fields that may have a name."""
HINTED = frozenset({"if", "br_if"})
"""Instructions that branch or don't."""


class Annotations:
    """The annotations of one module, whose words are from `first` up to `last`."""

    def __init__(self, tokens: Tokens, first: int, last: int) -> None:
        self._tokens = tokens
        self._first = first
        self._found = [found for found in tokens.annotations if first <= found.before <= last]

    def _of(self, name: str) -> Iterator[Annotation]:
        return (found for found in self._found if found.name == name)

    def _error(self, found: Annotation, message: str) -> MalformedError:
        return place_error(message, self._tokens.text, found.position)

    def _read(self, found: Annotation, grammar: Callable[[Cursor], T]) -> T:
        """The contents of an annotation. Raises MalformedError."""
        try:
            cursor = Cursor(tokenize(found.contents))
            read = grammar(cursor)
            if cursor.words[cursor.at]:
                raise cursor.error("unexpected token")
        except MalformedError as error:
            raise self._error(found, f"@{found.name} annotation: {error.message}") from None
        return read

    def customs(self, fields: Sequence[int]) -> list[Custom]:
        """The custom sections, in order; their placement is ignored. `fields` are the words at which fields
        of the module begin, and its end. Raises MalformedError."""
        made = []
        for found in self._of(CUSTOM):
            if found.before not in fields:
                raise self._error(found, "misplaced @custom annotation")
            made.append(self._read(found, custom))
        return made

    def names(self, functions: Mapping[int, int]) -> tuple[str | None, dict[int, str]]:
        """The names of the module and of functions. `functions` has their indices by the word after their
        id. Raises MalformedError."""
        module, named = None, dict[int, str]()
        words = self._tokens.words
        for found in self._of(NAME):
            at = found.before - words[found.before - 1].startswith("$")
            if words[at - 1] not in NAMED or words[at - 2] != "(":
                raise self._error(found, "misplaced @name annotation")
            text = self._read(found, Cursor.name)
            if found.before == self._first:
                if module is not None:
                    raise self._error(found, "@name annotation: multiple module")
                module = text
            elif found.before in functions:
                named[functions[found.before]] = text
        return module, named

    def check_hints(self, bodies: Sequence[range]) -> None:
        """Check branch hints; `bodies` are the words of each function. Raises MalformedError for one that
        stands where none may stand, and InvalidError for one before an instruction that doesn't branch."""
        words, hinted = self._tokens.words, set[int]()
        for found in self._of(BRANCH_HINT):
            if not any(found.before in body for body in bodies):
                raise self._error(found, f"@{found.name} annotation: not in a function")
            if found.before in hinted:
                raise self._error(found, f"@{found.name} annotation: duplicate annotation")
            hinted.add(found.before)
            if self._read(found, Cursor.strings) not in (b"\0", b"\1"):
                raise self._error(found, f"@{found.name} annotation: invalid value")
            target = words[found.before + (words[found.before] == "(")]
            if target not in HINTED:
                raise InvalidError(f"@{found.name} annotation: invalid target {target}")


def custom(cursor: Cursor) -> Custom:
    """The contents of `(@custom "name" (before ...)? "bytes"*)`."""
    if not cursor.has_string():
        raise cursor.error("missing section name")
    name = cursor.name()
    words = cursor.words
    if words[cursor.at] == "(":
        side, section = words[cursor.at + 1 : cursor.at + 3]
        if side not in ENDS:
            raise cursor.error("malformed placement")
        if section not in ENDS[side]:
            raise cursor.error("malformed section kind")
        cursor.at += 3
        cursor.expect(")")
    if words[cursor.at] and not cursor.has_string():
        raise cursor.error("unexpected token")
    return Custom(name, cursor.strings())
