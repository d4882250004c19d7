"""What is kept of a function once it is compiled: the code, and what it takes to run it in an instance and to
explain what rises from it.

What is not here: the text that the code was made of (`translate.py`), and functions in an instance
(`installing/functions.py`).
"""

# Annotations are values here: as text those of the fields would be compiled by every import.
import marshal
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

from ...brief import summarised
from ..runtime.memory import Flavour
from ..runtime.meter import Metered


class Unsupported(Exception):
    """The function can't be compiled, or not now, for who waits has no time left for it. The message says
    why."""

    def __init__(self, reason: str, *, now: bool = False) -> None:
        super().__init__(reason)
        self.now = now
        """Whether another call may have it compiled."""


class Variant(NamedTuple):
    """What generated code of one function depends on besides the module."""

    flavour: Flavour
    counts: Metered = Metered()


@summarised
class Sites(NamedTuple):
    """What is asked when something rose from the code: they are many, and wanted seldom."""

    instrs: tuple[int, ...]
    """For each line of the source the index of the one instruction in it that may trap or call, -1 if there
    is none."""
    places: dict[int, str]
    """By instruction: of indirect calls the text of the index, of accesses that of the address. It has no
    effects and changes nothing."""

    def packed(self) -> bytes:
        """The same in a tenth of the memory."""
        return marshal.dumps(tuple(self))


@lru_cache(maxsize=64)
def unpacked(sites: bytes) -> Sites:
    """What `Sites.packed` made bytes of."""
    return Sites(*marshal.loads(sites))


@summarised
class Notes(NamedTuple):
    """What there is to know of a function's generated code. Nothing in it is tied to a module or process."""

    funcidx: int
    packed_sites: bytes
    dispatches: tuple[tuple[int, int], ...]
    """Tables and types of the dispatch lists it calls through: (tableidx, typeidx) for the name
    `d{tableidx}_{typeidx}`."""
    tail_dispatches: tuple[tuple[int, int], ...]
    """The same for `d{tableidx}_{typeidx}_tail`: what is called through them in tail position."""
    tails: tuple[int, ...]
    """Functions that it calls in tail position, by the name `tail{funcidx}`."""
    shifts: tuple[tuple[int, str, int], ...]
    """Of views that begin at an offset: memory, access and offset, as (0, "u32", 12) for `u32at12`."""
    is_tail: bool
    """Whether it makes tail calls, but to itself: then it is a step for a driver, see `lowering/tails.py`."""

    @property
    def name(self) -> str:
        """What the source defines."""
        return f"{'tail' if self.is_tail else 'func'}{self.funcidx}"

    @property
    def sites(self) -> Sites:
        """Where something can rise."""
        return unpacked(self.packed_sites)

    def instr(self, line: int) -> int:
        """The instruction of a line, counted from 1; -1 if there is none."""
        instrs = self.sites.instrs
        return instrs[line - 1] if 0 < line <= len(instrs) else -1


@summarised
class Compiled(NamedTuple):
    """A compiled function."""

    code: CodeType
    notes: Notes
