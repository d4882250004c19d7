"""Symbolic identifiers: one `Space` per index space, and a module's `Scope` of them.

https://webassembly.github.io/spec/core/text/conventions.html#contexts
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...brief import summarised
from ..types import FuncType, RecType, SubType
from .lexer import string_name


def identifier(word: str) -> str:
    """The name behind the `$` of an id token. Raises ValueError if a quoted one is empty or no UTF-8."""
    name = string_name(word[1:]) if word.startswith('$"') else word[1:]
    if not name:
        raise ValueError("empty identifier")
    return name


class Space:
    """An index space: what was defined so far, and the names of those that have one."""

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
    """Labels of the open blocks. Inner ones hide outer ones of the same name."""

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
        """Close the innermost block; its label."""
        name = self._open.pop()
        if name is not None:
            self._depths[name].pop()
        return name

    def find(self, name: str) -> int:
        """How many blocks a label lies outwards. Raises ValueError if there is none."""
        depths = self._depths.get(name)
        if not depths:
            raise ValueError(f"unknown label ${name}")
        return len(self._open) - 1 - depths[-1]


@summarised
@dataclass(slots=True)
class Scope:
    """What a module's text defines: names of all index spaces, and the types, to which their uses may add."""

    spaces: dict[str, Space] = field(
        default_factory=lambda: {
            kind: Space(kind) for kind in ("type", "func", "table", "memory", "tag", "global", "elem", "data")
        }
    )
    types: list[RecType] = field(default_factory=list)
    subtypes: list[SubType] = field(default_factory=list)
    """Definitions in `types`, by index."""
    fields: dict[int, Space] = field(default_factory=dict)
    """Names of fields, by the index of their type."""
    _typeidxs: dict[SubType, int] = field(default_factory=dict)

    def add_types(self, rectype: RecType) -> None:
        """Append a group, which may equal an earlier one."""
        if len(rectype.subtypes) == 1:
            self._typeidxs.setdefault(rectype.subtypes[0], len(self.subtypes))
        self.types.append(rectype)
        self.subtypes += rectype.subtypes

    def func_type(self, typeidx: int) -> FuncType | None:
        """The function type with this index, if it is one."""
        type_ = self.subtypes[typeidx].composite if typeidx < len(self.subtypes) else None
        return type_ if isinstance(type_, FuncType) else None

    def typeidx(self, type_: FuncType) -> int:
        """Index of the first type that equals this one, which is added where there is none.

        https://webassembly.github.io/spec/core/text/modules.html#text-typeuse-abbrev
        """
        index = self._typeidxs.get(SubType(type_))
        if index is None:
            index = len(self.subtypes)
            self.add_types(RecType.of(type_))
        return index
