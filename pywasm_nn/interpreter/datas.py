"""The data segments of a module, of which there may be thousands.

What is here: `DataList`, which makes records of them on first use. What is not: reading them
(`binary/sections.py`), checking them (`validate`) and copying them (`runtime/link.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from ..brief import counted
from .instructions import OPS
from .module import Active, Body, Data, FuncList, Module

Place = int | Active | None
"""Where a segment is copied to: an address of memory 0 that is a constant, or else its mode."""


class DataList(Sequence[Data]):
    """Data segments as lists of their bytes and of their places; equal to a tuple of the same segments."""

    def __init__(self, inits: Sequence[bytes], places: Sequence[Place]) -> None:
        self.inits = inits
        self.places = places

    def __len__(self) -> int:
        return len(self.inits)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Data, ...]: ...

    def __getitem__(self, index: int | slice) -> Data | tuple[Data, ...]:
        if isinstance(index, slice):
            return tuple(map(data_at, self.inits[index], self.places[index]))
        return data_at(self.inits[index], self.places[index])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = FuncList.__hash__

    def __repr__(self) -> str:
        return counted(len(self), "data segment")


def data_at(init: bytes, place: Place) -> Data:
    """A data segment with these bytes at this place."""
    return Data(init, active_at(place) if isinstance(place, int) else place)


def active_at(address: int) -> Active:
    """The mode of a data segment at an address of memory 0."""
    return Active(0, Body((OPS["i32.const"], OPS["end"]), (address, None)))


def data_list(module: Module) -> DataList:
    """The data segments of a module by bytes and places."""
    datas = module.datas
    if isinstance(datas, DataList):
        return datas
    return DataList([data.init for data in datas], [data.mode for data in datas])
