"""Source lines, from the debug information (DWARF) that compilers put into custom sections.

Addresses in it count from the contents of the code section
(https://yurydelendik.github.io/webassembly-dwarf). It is read when the first line is asked for, within a time
limit. What is not here: decoding (`lines.py`); names of variables and of inlined functions are not read at
all.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from time import process_time
from typing import NamedTuple

from ..frames import Binary
from .lines import BrokenError, KeepOn, LineTable, Program

SECONDS = 0.8
"""Processor time for reading the source lines of one failure."""
SECONDS_OF_A_PERSON = 20.0
"""Processor time for reading source lines when a person waits at a prompt."""


class SourceLine(NamedTuple):
    """A line of a source file, counted from 1. `file` is the compiler's path, relative to its working
    directory."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class TooLongError(Exception):
    """Reading the debug information takes longer than its time limit."""


def within(seconds: float) -> KeepOn:
    """A function that raises TooLongError once so many seconds of processor time are used."""
    end = process_time() + seconds

    def keep_on() -> None:
        if process_time() > end:
            raise TooLongError

    return keep_on


class Sources:
    """The source lines of one module. Reading begins at the first question and stops when `keep_on` raises,
    or else after `seconds` of processor time."""

    def __init__(self, binary: Binary, keep_on: KeepOn | None = None, seconds: float = SECONDS) -> None:
        self._binary = binary
        self._keep_on = keep_on
        self._seconds = seconds
        self.cut_short = False
        """Whether there may be more lines than were read in time."""

    @cached_property
    def _table(self) -> LineTable:
        return self._decoded(self._keep_on or within(self._seconds))

    def read(self, keep_on: KeepOn) -> None:
        """Begin reading now, unless that was done before."""
        if "_table" not in vars(self):
            self._table = self._decoded(keep_on)

    def _decoded(self, keep_on: KeepOn) -> LineTable:
        table = LineTable()
        data = self._binary.custom(".debug_line") or b""
        line_str, str_ = (self._binary.custom(name) or b"" for name in (".debug_line_str", ".debug_str"))
        at = 0
        try:
            while at < len(data):
                keep_on()
                program = Program(data, at, line_str, str_)
                at = program.stop
                try:
                    table.add(program, keep_on)
                except BrokenError:
                    continue  # the next program may be intact
        except BrokenError:
            pass  # without a header, the start of the next program is unknown
        except TooLongError:
            self.cut_short = True
        table.pieces.sort()
        return table

    def at(self, offset: int) -> SourceLine | None:
        """The line of the code at a byte offset of the module, or None."""
        table, address = self._table, offset - self._binary.code_offset
        number = bisect_right(table.pieces, address, key=lambda piece: piece.start) - 1
        if number < 0 or address >= table.pieces[number].stop:
            return None
        piece = table.pieces[number]
        return self._line(bisect_right(table.starts, address, piece.first, piece.end) - 1)

    def _line(self, row: int) -> SourceLine | None:
        """The source line of a row."""
        table = self._table
        name, line = table.names[table.files[row]], table.lines[row]
        return SourceLine(name, line) if name and line else None

    def offsets(self, file: str, line: int) -> list[int]:
        """Offsets at which code of a line begins, or of the next line that has code. `file` may be the end of
        the file's path."""
        table = self._table
        files = {n for n, name in enumerate(table.names) if name and f"/{name}".endswith(f"/{file}")}
        rows = [row for row, number in enumerate(table.files) if number in files and table.lines[row] >= line]
        nearest = min((table.lines[row] for row in rows), default=0)
        found = {row for row in rows if nearest and table.lines[row] == nearest}
        firsts = {piece.first for piece in table.pieces}
        starts = {table.starts[row] for row in found if row - 1 not in found or row in firsts}
        return [start + self._binary.code_offset for start in sorted(starts)]

    def files(self) -> list[str]:
        """The source files that this module's code comes from."""
        table = self._table
        return sorted({table.names[number] for number in set(table.files)} - {""})
