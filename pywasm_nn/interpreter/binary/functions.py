"""Functions of a binary module; each becomes an object on first use.

A module has up to a million functions and a run needs few of them, so at first only their positions are
stored. What is not here: decoding their expressions (`expressions.py`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import overload

from ...errors import MalformedError
from ..module import Body, Func, FuncList
from ..pace import Patience, paced_range
from ..types import ValType
from .expressions import TypeReader
from .leb128 import read_count, read_u32

ReadBody = Callable[[bytes, int, int, Patience], Body]
"""Decodes data[start:stop]."""
Runs = tuple[tuple[int, ValType], ...]
"""The locals of a function: how many follow each other with a type."""
MOST_CODE = 7_654_321
"""Bytes of a function: a limit of the JavaScript API."""


class Codes:
    """Entries of the code section. Their expressions, data[bodies[i]:stops[i]], are not decoded yet."""

    __slots__ = ("bodies", "locals", "starts", "stops")

    def __init__(self) -> None:
        self.locals: list[Runs] = []
        self.starts = array("Q")
        self.bodies = array("Q")
        self.stops = array("Q")

    def __len__(self) -> int:
        return len(self.starts)


class CodeReader:
    """Reads the entries of a code section."""

    def __init__(self, data: bytes, types: TypeReader, patience: Patience, codes: Codes) -> None:
        self.data = data
        self.types = types
        self.patience = patience
        self.codes = codes
        """What was read: after an error, the entries before it are still needed."""
        self.known: dict[bytes, Runs] = {}
        """Locals by their bytes, so that equal ones share one object: those that take two bytes for each
        run."""

    def read(self, pos: int) -> int:
        """Read the contents of the section at `pos`; returns the position after them."""
        data, known, codes = self.data, self.known, self.codes
        locals_, starts, bodies, stops = codes.locals, codes.starts, codes.bodies, codes.stops
        most = len(data)
        count, pos = read_count(data, pos)
        for _ in paced_range(count, self.patience):
            size, start = data[pos], pos + 1
            if size >= 0x80:
                size, start = read_u32(data, pos)
            stop = start + size
            if stop > most:
                raise MalformedError("length out of bounds", pos)
            if size > MOST_CODE:
                raise MalformedError(f"function too large: it may have {MOST_CODE} bytes", pos)
            body = start + 1 + 2 * data[start]  # if every count and type takes one byte
            runs = known.get(data[start:body])
            if runs is None:
                runs, body = self.runs(start)
            if body > stop:  # check now: else many short functions could each read the same long vector
                raise MalformedError("section size mismatch", start)
            locals_.append(runs)
            starts.append(start)
            bodies.append(body)
            stops.append(stop)
            pos = stop
        return pos

    def runs(self, start: int) -> tuple[Runs, int]:
        """The locals of a function, and the position after them."""
        length, pos = read_u32(self.data, start)
        found, total = [], 0
        for _ in paced_range(length, self.patience):
            count, pos = read_u32(self.data, pos)
            type_, pos = self.types.valtype(self.data, pos)
            found.append((count, type_))
            total += count
        if total >= 1 << 32:
            raise MalformedError("too many locals", start)
        runs = tuple(found)
        if pos == start + 1 + 2 * self.data[start]:
            self.known[self.data[start:pos]] = runs
        return runs, pos


def codes_at(pos: int, data: bytes, types: TypeReader, patience: Patience) -> Codes:
    """The entries of the code section whose contents begin at `pos`."""
    codes = Codes()
    CodeReader(data, types, patience, codes).read(pos)
    return codes


class Functions(FuncList):
    """The functions of one module."""

    def __init__(
        self, data: bytes, typeidxs: Sequence[int], locate: Callable[[], Codes], read_body: ReadBody
    ) -> None:
        """`locate` finds their code; it is called when one of them is first asked for."""
        self._data = data
        self.typeidxs = typeidxs
        self._locate = locate
        self._read_body = read_body
        self._made: dict[int, Func] = {}

    @cached_property
    def _codes(self) -> Codes:
        return self._locate()

    def __len__(self) -> int:
        return len(self.typeidxs)

    @overload
    def __getitem__(self, index: int) -> Func: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Func, ...]: ...

    def __getitem__(self, index: int | slice) -> Func | tuple[Func, ...]:
        if isinstance(index, slice):
            return tuple([self[each] for each in range(*index.indices(len(self)))])
        made = self._made.get(index)
        return self._make(index) if made is None else made

    def _make(self, index: int) -> Func:
        typeidx, codes = self.typeidxs[index], self._codes
        index %= len(self)
        start, stop = codes.starts[index], codes.stops[index]
        read = partial(self._read_body, self._data, codes.bodies[index], stop)
        return self._made.setdefault(index, Func(typeidx, codes.locals[index], read, start, stop - start))
