"""Functions of a binary module; each becomes an object on first use.

A module has up to a million functions and a run needs few of them, so at first only their positions are
stored. What is not here: decoding their bytes (`sections.py`, `expressions.py`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import overload

from ..module import Body, Func, FuncList
from ..pace import Patience
from ..types import ValType

ReadBody = Callable[[bytes, int, int, Patience], Body]
"""Decodes data[start:stop]."""
Runs = tuple[tuple[int, ValType], ...]
"""The locals of a function: how many follow each other with a type."""


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

    def add(self, locals_: Runs, start: int, body: int, stop: int) -> None:
        self.locals.append(locals_)
        self.starts.append(start)
        self.bodies.append(body)
        self.stops.append(stop)


class Functions(FuncList):
    """The functions of one module."""

    def __init__(self, data: bytes, typeidxs: Sequence[int], codes: Codes, read_body: ReadBody) -> None:
        self._data = data
        self.typeidxs = typeidxs
        self._codes = codes
        self._read_body = read_body
        self._made: dict[int, Func] = {}

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
