"""The name section: names of modules, functions and locals.

https://webassembly.github.io/spec/core/appendix/custom.html#name-section

Names are hints for people: a malformed section gives the names up to the error and raises nothing, and
unprintable characters are escaped, so that a name can't control a terminal. The cost of reading is
proportional to the size of the section. What is not here: names of imports (`module.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from time import process_time

from ..printable import printable, visible
from .module import Module
from .types import ExternKind

MOST_DEMANGLING = 1.5
"""Seconds of processor time for demangling a module's symbols. The 46,000 symbols of Yosys take one second,
but a crafted module could take a hundred times as long."""
MODULE, FUNCTIONS, LOCALS = 0, 1, 2
"""Numbers of subsections."""


class BrokenNames(Exception):
    """The section ends early or a number is too long; the names before that are still used."""


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
    """The names in a module; each subsection is read on first use.

    `shown` converts names for display; the text format escapes names itself and takes them unchanged.
    """

    @classmethod
    def of(cls, module: Module) -> Names:
        """The names in a module, stored in the module like its own cached properties."""
        known = vars(module)
        names: Names = known.get("names") or known.setdefault("names", cls(module))
        return names

    def __init__(self, module: Module, shown: Callable[[str], str] = visible) -> None:
        self._shown = shown
        self._custom = module.customs
        self._demangled: dict[int, str] = {}
        self._left = MOST_DEMANGLING
        """Seconds of processor time left for demangling."""
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
        """Export names of functions by funcidx; the first if there are several."""
        funcs = [e for e in self._exports if e.kind is ExternKind.FUNC]
        return {e.index: printable(e.name) for e in reversed(funcs)}

    def function(self, funcidx: int) -> str | None:
        """A function's demangled name, or else its export name, or None. Long names are cut."""
        name = self.functions.get(funcidx) or self.exported.get(funcidx)
        if not name:
            return None
        known = self._demangled.get(funcidx)
        if known is None:
            known = self._demangled[funcidx] = self._demangle(name)
        return known

    def _demangle(self, name: str) -> str:
        """The demangled name; unchanged once demangling has taken too long in total."""
        if self._left <= 0:
            return printable(name)
        from .demangle import demangle  # needed only for functions that are shown

        start = process_time()
        written = printable(demangle(name))
        self._left -= process_time() - start
        return written
