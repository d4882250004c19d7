"""A compiled function: its code, and the data that is needed to run it in an instance and to explain its
exceptions.

What is not here: the source text (`translate.py`), and functions in an instance (`installing/functions.py`).
"""

from __future__ import annotations

import marshal
from functools import lru_cache
from types import CodeType
from typing import Any

from ...tuples import NamedTuple
from ..namespace import Namespace
from ..runtime.memory import Flavour
from ..runtime.meter import Metered


class Unsupported(Exception):
    """The function can't be compiled at all, or not now, because the waiting call has too little time. The
    message says why."""

    def __init__(self, reason: str, *, now: bool = False) -> None:
        super().__init__(reason)
        self.now = now
        """Whether a later call may succeed in compiling it."""


class Variant(NamedTuple):
    """The conditions on which the code of a function depends besides the module."""

    flavour: Flavour
    counts: Metered = Metered()


class Sites(NamedTuple):
    """Data for explaining exceptions from the code; kept packed, because it is large and rarely needed."""

    instrs: tuple[int, ...]
    """For each line of the source the index of the only instruction in it that may trap or call; -1 if there
    is none."""
    places: dict[int, str]
    """By instruction: the text of the index of an indirect call, or of the address of an access. Evaluating
    it has no effects."""

    def packed(self) -> bytes:
        """The same data in a tenth of the memory."""
        return marshal.dumps(tuple(self))


@lru_cache(maxsize=64)
def unpacked(sites: bytes) -> Sites:
    """The inverse of `Sites.packed`."""
    return Sites(*marshal.loads(sites))


class Notes(NamedTuple):
    """Facts about a function's generated code, independent of any module object or process."""

    funcidx: int
    packed_sites: bytes
    dispatches: tuple[tuple[int, int], ...]
    """Tables and types of the dispatch lists that it uses: (tableidx, typeidx) for the name
    `d{tableidx}_{typeidx}`."""
    tail_dispatches: tuple[tuple[int, int], ...]
    """The same for `d{tableidx}_{typeidx}_tail`, for tail calls."""
    tails: tuple[int, ...]
    """Functions that it tail-calls, named `tail{funcidx}`."""
    shifts: tuple[tuple[int, str, int], ...]
    """Views that begin at an offset: memory, access and offset, as (0, "u32", 12) for `u32at12`."""
    wholes: tuple[tuple[Any, ...], ...]
    """Loops that may be done at once (`arrays.plan`), named `w{funcidx}_{number}`."""
    is_tail: bool
    """Whether it makes tail calls to other functions: then it is a step for a driver, see
    `lowering/tails.py`."""

    @property
    def name(self) -> str:
        """The name that the source defines."""
        return Namespace.tail(self.funcidx) if self.is_tail else Namespace.func(self.funcidx)

    @property
    def names(self) -> list[str]:
        """The names that it needs in an instance's namespace and not every instance has."""
        views = [Namespace.view(access, memidx, start) for memidx, access, start in self.shifts]
        lists = [Namespace.dispatch(*each) for each in self.dispatches]
        lists += [Namespace.tail_dispatch(*each) for each in self.tail_dispatches]
        tails = [*map(Namespace.tail, self.tails), *([self.name] if self.is_tail else [])]
        wholes = [Namespace.whole(self.funcidx, number) for number in range(len(self.wholes))]
        return views + lists + tails + wholes

    @property
    def sites(self) -> Sites:
        """The unpacked sites."""
        return unpacked(self.packed_sites)

    def instr(self, line: int) -> int:
        """The instruction of a line (counted from 1); -1 if there is none."""
        instrs = self.sites.instrs
        return instrs[line - 1] if 0 < line <= len(instrs) else -1


class Compiled(NamedTuple):
    """A compiled function."""

    code: CodeType
    notes: Notes
