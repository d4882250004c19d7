"""The name section: what people call modules, functions and locals.

https://webassembly.github.io/spec/core/appendix/custom.html#name-section

Names are hints for people: a broken section gives the names up to where it breaks and never an error, and
what isn't printable is escaped, so that a name can't write to somebody's terminal. Reading costs time in the
section's own size only.
What is not here: names of imports (`module.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from time import process_time

from ..printable import printable, visible
from .module import Module
from .types import ExternKind

MOST_DEMANGLING = 1.5
"""Seconds of processor time that a module's symbols get: those of Yosys, 46,000, take one, but one can be
made that takes a hundred times as long."""
MODULE, FUNCTIONS, LOCALS = 0, 1, 2
"""Numbers of subsections."""


class BrokenNames(Exception):
    """The section ends early or a number is too long: what was read so far counts."""


class NameReader:
    """Bytes with a position."""

    def __init__(self, data: bytes, shown: Callable[[str], str] = visible) -> None:
        self.data = data
        self.at = 0
        self._shown = shown

    def __bool__(self) -> bool:
        return self.at < len(self.data)

    def byte(self) -> int:
        if self.at >= len(self.data):
            raise BrokenNames
        self.at += 1
        return self.data[self.at - 1]

    def u32(self) -> int:
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFFFFFF
        raise BrokenNames

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise BrokenNames
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self) -> str:
        return self._shown(self.take(self.u32()).decode("utf-8", "replace"))

    def name_map(self) -> Iterator[tuple[int, str]]:
        for _ in range(self.u32()):
            yield self.u32(), self.name()


class Names:
    """Names in a module, each subsection read when first asked for.

    `shown` makes of a name what is shown; the text format, which escapes by itself, takes names as they are.
    """

    @classmethod
    def of(cls, module: Module) -> Names:
        """The names in a module, which keeps them as it does its own cached properties."""
        names: Names = vars(module).setdefault("names", cls(module))
        return names

    def __init__(self, module: Module, shown: Callable[[str], str] = visible) -> None:
        self._shown = shown
        self._custom = module.customs
        self._demangled: dict[int, str] = {}
        self._left = MOST_DEMANGLING
        """Seconds that may still be spent on names as people wrote them."""
        self._exports = module.exports

    @cached_property
    def _subsections(self) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        for custom in self._custom:
            if custom.name != "name":
                continue
            reader = NameReader(custom.data)
            try:
                while reader:
                    number = reader.byte()
                    found.setdefault(number, reader.take(reader.u32()))
            except BrokenNames:
                pass
        return found

    def _reader(self, number: int) -> NameReader:
        return NameReader(self._subsections.get(number, b""), self._shown)

    @cached_property
    def module(self) -> str | None:
        """The module's name, or None."""
        try:
            return self._reader(MODULE).name()
        except BrokenNames:
            return None

    @cached_property
    def functions(self) -> dict[int, str]:
        """Names by funcidx."""
        found: dict[int, str] = {}
        try:
            for funcidx, name in self._reader(FUNCTIONS).name_map():
                found.setdefault(funcidx, name)
        except BrokenNames:
            pass
        return found

    @cached_property
    def locals(self) -> dict[int, dict[int, str]]:
        """Names by funcidx and localidx (parameters first)."""
        found: dict[int, dict[int, str]] = {}
        reader = self._reader(LOCALS)
        try:
            for _ in range(reader.u32()):
                names = found.setdefault(reader.u32(), {})
                for localidx, name in reader.name_map():
                    names.setdefault(localidx, name)
        except BrokenNames:
            pass
        return found

    @cached_property
    def exported(self) -> dict[int, str]:
        """Names by funcidx under which functions are exported, the first of several."""
        funcs = [e for e in self._exports if e.kind is ExternKind.FUNC]
        return {e.index: printable(e.name) for e in reversed(funcs)}

    def function(self, funcidx: int) -> str | None:
        """A function's name as people write it, or else the one under which it is exported, or None. Long
        ones are cut."""
        name = self.functions.get(funcidx) or self.exported.get(funcidx)
        if not name:
            return None
        known = self._demangled.get(funcidx)
        if known is None:
            known = self._demangled[funcidx] = self._demangle(name)
        return known

    def _demangle(self, name: str) -> str:
        """The name as people wrote it; as it is in the module once that has taken too long for all."""
        if self._left <= 0:
            return printable(name)
        from .demangle import demangle  # which only functions that are shown need

        start = process_time()
        written = printable(demangle(name))
        self._left -= process_time() - start
        return written
