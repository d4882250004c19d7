"""Symbolic identifiers: one `Space` per index space, and a module's `Scope` of them.

https://webassembly.github.io/spec/core/text/conventions.html#contexts
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...brief import summarised
from ..types import FuncType, RecType, SubType
from .lexer import string_name


def identifier(word: str) -> str:
    """The name in an id token, without `$`. Raises ValueError if a quoted name is empty or not UTF-8."""
    name = string_name(word[1:]) if word.startswith('$"') else word[1:]
    if not name:
        raise ValueError("empty identifier")
    return name


class Space:
    """An index space: the number of definitions so far, and their names."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.size = 0
        self.indices: dict[str, int] = {}

    def define(self, name: str | None) -> int:
        """Take the next index. Raises ValueError if the name is taken."""
        if name is not None:
            if name in self.indices:
                raise ValueError(f"duplicate {self.kind} ${name}")
            self.indices[name] = self.size
        self.size += 1
        return self.size - 1

    def find(self, name: str) -> int:
        """The index of a name. Raises ValueError if there is none."""
        index = self.indices.get(name)
        if index is None:
            raise ValueError(f"unknown {self.kind} ${name}")
        return index

    def names(self) -> dict[int, str]:
        """Names by index."""
        return {index: name for name, index in self.indices.items()}


class Labels:
    """Labels of the open blocks. An inner label hides an outer one of the same name."""

    def __init__(self) -> None:
        self._open: list[str | None] = []
        self._depths: dict[str, list[int]] = {}

    def push(self, name: str | None) -> None:
        """Open a block."""
        if name is not None:
            self._depths.setdefault(name, []).append(len(self._open))
        self._open.append(name)

    @property
    def innermost(self) -> str | None:
        """Label of the innermost block."""
        return self._open[-1]

    def pop(self) -> str | None:
        """Close the innermost block; returns its label."""
        name = self._open.pop()
        if name is not None:
            self._depths[name].pop()
        return name

    def find(self, name: str) -> int:
        """The number of blocks between a label and here. Raises ValueError if there is no such label."""
        depths = self._depths.get(name)
        if not depths:
            raise ValueError(f"unknown label ${name}")
        return len(self._open) - 1 - depths[-1]


@summarised
@dataclass(slots=True)
class Scope:
    """The definitions of a module's text: names of all index spaces, and types, to which type uses may
    add."""

    spaces: dict[str, Space] = field(
        default_factory=lambda: {
            kind: Space(kind) for kind in ("type", "func", "table", "memory", "tag", "global", "elem", "data")
        }
    )
    types: list[RecType] = field(default_factory=list)
    subtypes: list[SubType] = field(default_factory=list)
    """The types in `types`, by index."""
    fields: dict[int, Space] = field(default_factory=dict)
    """Names of fields, by the index of their type."""
    _typeidxs: dict[SubType, int] = field(default_factory=dict)

    def add_types(self, rectype: RecType) -> None:
        """Append a recursive group; it may equal an earlier one."""
        if len(rectype.subtypes) == 1:
            self._typeidxs.setdefault(rectype.subtypes[0], len(self.subtypes))
        self.types.append(rectype)
        self.subtypes += rectype.subtypes

    def func_type(self, typeidx: int) -> FuncType | None:
        """The function type at this index, None if it is another kind of type."""
        type_ = self.subtypes[typeidx].composite if typeidx < len(self.subtypes) else None
        return type_ if isinstance(type_, FuncType) else None

    def typeidx(self, type_: FuncType) -> int:
        """Index of the first type that equals this one; the type is added if there is none.

        https://webassembly.github.io/spec/core/text/modules.html#text-typeuse-abbrev
        """
        index = self._typeidxs.get(SubType(type_))
        if index is None:
            index = len(self.subtypes)
            self.add_types(RecType.of(type_))
        return index
