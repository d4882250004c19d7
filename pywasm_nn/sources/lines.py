"""Line programs of DWARF, versions 2 to 5, decoded into a table of rows.

https://dwarfstd.org/doc/DWARF5.pdf (6.2). These bytes are not validated: an error ends the current program,
and the next one begins where its header says. A row takes 16 bytes, a name that many programs use is stored
once, and the caller's `keep_on` is called now and then, so that reading can be stopped. What is not here:
when the table is read and how lines are looked up (`sources`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..printable import printable

KeepOn = Callable[[], None]
"""Called now and then; raises an exception to stop the reading."""
STRIDE = 2048
"""Rows, or bytes, between two calls of `keep_on`."""
DEAD = (0, 0xFFFFFFFE, 0xFFFFFFFF)
"""Addresses that linkers give to removed code."""
MASK = 0xFFFFFFFFFFFFFFFF
MOST_LINES, NO_FILE = 0x7FFFFFFF, 0xFFFFFFFF
MOST_NAMES, LONGEST_NAME = 20_000, 1000
"""Files of one table, and bytes in the name of a file or directory; longer names are cut."""
LONGEST_NUMBER = 10
"""Bytes of a number in LEB128."""

PATH, DIRECTORY_INDEX = 1, 2
"""Contents of an entry of version 5 that are read: DW_LNCT_*."""
STRING, STRP, LINE_STRP, UDATA = 0x08, 0x0E, 0x1F, 0x0F
SIZES = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16}
"""Forms, and the byte counts of numeric forms: DW_FORM_*."""
SET_ADDRESS, END_SEQUENCE = 2, 1
"""Extended opcodes: DW_LNE_*."""


class BrokenError(Exception):
    """The bytes are no line program that this decoder knows."""


class Cursor:
    """Bytes with a position."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def number(self, size: int) -> int:
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise BrokenError
        return int.from_bytes(self.data[start : self.at], "little")

    def uleb(self) -> int:
        byte = self.data[self.at] if self.at < len(self.data) else 0x80
        if byte < 0x80:  # most numbers are small
            self.at += 1
            return byte
        value = 0
        for shift in range(0, 7 * LONGEST_NUMBER, 7):
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise BrokenError

    def sleb(self) -> int:
        start = self.at
        value, bits = self.uleb(), 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    def string(self) -> Text:
        start = self.at
        self.at = self.data.find(b"\0", start) + 1
        if not self.at:
            raise BrokenError
        return Text(self.data, start)


class Text(NamedTuple):
    """A text up to a zero byte, decoded only when needed: a few bytes can name the same long text many
    times."""

    data: bytes
    start: int

    def __str__(self) -> str:
        stop = self.data.find(b"\0", self.start, self.start + LONGEST_NAME)
        text = self.data[self.start : stop if stop >= 0 else self.start + LONGEST_NAME]
        return text.decode("utf-8", "replace")


class Entry(NamedTuple):
    """A file, or a directory."""

    path: Text
    directory: int = 0


class Program:
    """A line program and its header: https://dwarfstd.org/doc/DWARF5.pdf (6.2.4). `line_str` and `str_` are
    the sections that hold its names."""

    def __init__(self, data: bytes, start: int, line_str: bytes, str_: bytes) -> None:
        cursor = Cursor(data, start)
        length, self._width = cursor.number(4), 4
        if length == 0xFFFFFFFF:
            length, self._width = cursor.number(8), 8
        self.stop = min(cursor.at + length, len(data))
        """Where the next program begins."""
        self.cursor = cursor
        self._sections = {LINE_STRP: line_str, STRP: str_}

    def read_header(self, keep_on: KeepOn) -> None:
        """Read the header, and put the cursor at the first instruction. Raises BrokenError."""
        cursor = self.cursor
        self.version = cursor.number(2)
        if not 2 <= self.version <= 5:
            raise BrokenError
        if self.version == 5:
            cursor.number(2)  # sizes of addresses and segments
        code = cursor.number(self._width) + cursor.at
        self.shortest = cursor.number(1)
        if self.version >= 4:
            cursor.number(1)  # operations per VLIW instruction: 1 in Wasm
        cursor.number(1)
        self.line_base = (cursor.number(1) ^ 0x80) - 0x80
        self.line_range, self.opcode_base = cursor.number(1), cursor.number(1)
        if not self.line_range or not self.opcode_base:
            raise BrokenError
        self.operands = [0, *(cursor.number(1) for _ in range(self.opcode_base - 1))]
        read = self._entries if self.version == 5 else self._old_entries
        self._directories = list(interruptible(read(are_files=False), keep_on))
        self._files = list(interruptible(read(are_files=True), keep_on))
        cursor.at = code

    def _old_entries(self, *, are_files: bool) -> Iterator[Entry]:
        """Entries before version 5: names up to an empty one; those of files also have directory, time,
        size."""
        cursor = self.cursor
        while cursor.data[cursor.at : cursor.at + 1] != b"\0":
            path = cursor.string()
            numbers = [cursor.uleb() for _ in range(3)] if are_files else [0]
            yield Entry(path, numbers[0])
        cursor.at += 1

    def _entries(self, *, are_files: bool) -> Iterator[Entry]:
        """Entries from version 5 on; files and directories have the same form."""
        cursor = self.cursor
        format_ = [(cursor.uleb(), cursor.uleb()) for _ in range(cursor.number(1))]
        count = cursor.uleb()
        if count and not format_:
            raise BrokenError  # entries of no bytes: any count would fit
        for _ in range(count):
            values = {content: self._value(form) for content, form in format_}
            path, directory = values.get(PATH), values.get(DIRECTORY_INDEX, 0)
            if not isinstance(path, Text) or not isinstance(directory, int):
                raise BrokenError
            yield Entry(path, directory)

    def _value(self, form: int) -> int | Text:
        cursor = self.cursor
        if form == STRING:
            return cursor.string()
        if form in self._sections:
            return Text(self._sections[form], cursor.number(self._width))
        if form == UDATA:
            return cursor.uleb()
        if form not in SIZES:
            raise BrokenError
        return cursor.number(SIZES[form])

    def file_name(self, number: int) -> str:
        """The name of the file with this number, with its directory unless that is the compiler's working
        directory; "" if there is no such file."""
        first = 0 if self.version >= 5 else 1  # before version 5, files and directories count from 1
        if not first <= number < first + len(self._files):
            return ""
        file = self._files[number - first]
        name, at = str(file.path), file.directory - first
        if name.startswith("/") or not file.directory or at >= len(self._directories):
            return printable(name)
        folder = str(self._directories[at].path)
        if not first:
            folder = folder.removeprefix(str(self._directories[0].path).rstrip("/") + "/")
        return printable(f"{folder.rstrip('/')}/{name}")


def interruptible(entries: Iterator[Entry], keep_on: KeepOn) -> Iterator[Entry]:
    """The entries; `keep_on` is called now and then."""
    for number, entry in enumerate(entries):
        if number % STRIDE == 0:
            keep_on()
        yield entry


class Piece(NamedTuple):
    """A run of rows whose addresses rise: code from `start` to `stop`, rows from `first` to below `end`."""

    start: int
    stop: int
    first: int
    end: int


class LineTable:
    """Rows of all line programs: the code from `starts[n]` up to the next start (or to the end of its piece)
    comes from line `lines[n]` of `names[files[n]]`. Line 0 and an empty name mean "unknown"."""

    def __init__(self) -> None:
        self.starts, self.lines, self.files = array("Q"), array("I"), array("I")
        self.pieces: list[Piece] = []
        self.names = [""]
        self._numbers = {"": 0}

    def add(self, program: Program, keep_on: KeepOn) -> None:
        """Run a program. Raises BrokenError, and whatever `keep_on` raises to stop the reading. The rows read
        before an exception are kept."""
        first = len(self.starts)
        program.read_header(keep_on)
        try:
            Machine(program, self).run(keep_on)
        finally:
            self.cut(max(first, self.pieces[-1].end if self.pieces else 0))
            self._put_names(program, first, keep_on)

    def cut(self, end: int) -> None:
        """Remove the rows from `end` on."""
        del self.starts[end:], self.lines[end:], self.files[end:]

    def _put_names(self, program: Program, first: int, keep_on: KeepOn) -> None:
        """Replace file numbers of the program by file numbers of this table, in the rows from `first` on."""
        known: dict[int, int] = {}
        for row in range(first, len(self.files)):
            number = self.files[row]
            if number not in known:
                known[number] = self._numbered(program.file_name(number))
            self.files[row] = known[number]
            if row % STRIDE == 0:
                keep_on()

    def _numbered(self, name: str) -> int:
        """The number of a file name in this table; a new one if there is room, else 0."""
        if name not in self._numbers and len(self.names) < MOST_NAMES:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self._numbers.get(name, 0)


class Machine:
    """Runs a line program: https://dwarfstd.org/doc/DWARF5.pdf (6.2.2, 6.2.5)."""

    def __init__(self, program: Program, table: LineTable) -> None:
        self._program, self._table, self._cursor = program, table, program.cursor
        self._begin()

    def _begin(self) -> None:
        """Begin a sequence."""
        self._address, self._file, self._line = 0, 1, 1
        self._first = len(self._table.starts)
        """First row of the current piece."""
        self._dead: bool | None = None
        """Whether the linker removed the code of this sequence; None before its first row."""

    def run(self, keep_on: KeepOn) -> None:
        program, cursor = self._program, self._cursor
        data, base = cursor.data, program.opcode_base
        look = cursor.at
        while cursor.at < program.stop:
            if cursor.at >= look:
                keep_on()
                look = cursor.at + STRIDE
            opcode = data[cursor.at]
            cursor.at += 1
            if opcode >= base:
                advance, step = divmod(opcode - base, program.line_range)
                self._address += advance * program.shortest
                self._line += program.line_base + step
                self._row()
            elif opcode in OPCODES:
                OPCODES[opcode](self)
            else:
                for _ in range(program.operands[opcode]):
                    cursor.uleb()

    def _row(self) -> None:
        """Append a row with the current state."""
        table, address = self._table, self._address & MASK
        if self._dead is None:
            self._dead = address in DEAD
        if self._dead:
            return
        line = self._line if 0 <= self._line <= MOST_LINES else 0
        if len(table.starts) > self._first:
            before = table.starts[-1]
            if address == before:
                table.lines[-1], table.files[-1] = line, self._file
                return
            if address < before:
                self._close(before)
        table.starts.append(address)
        table.lines.append(line)
        table.files.append(self._file)

    def _close(self, stop: int) -> None:
        """End the current piece at this address; drop the last row if it has no code before that address."""
        table = self._table
        if len(table.starts) > self._first and table.starts[-1] >= stop:
            table.cut(len(table.starts) - 1)
        if len(table.starts) > self._first:
            table.pieces.append(Piece(table.starts[self._first], stop, self._first, len(table.starts)))
        self._first = len(table.starts)

    def _extended(self) -> None:
        cursor = self._cursor
        length = cursor.uleb()
        end = cursor.at + length
        kind = cursor.number(1)
        if kind == SET_ADDRESS:
            self._address = cursor.number(min(max(length - 1, 0), 8))
        elif kind == END_SEQUENCE:
            self._close(self._address & MASK)
            self._begin()
        cursor.at = end

    def _advance_pc(self) -> None:
        self._address += self._cursor.uleb() * self._program.shortest

    def _advance_line(self) -> None:
        self._line += self._cursor.sleb()

    def _set_file(self) -> None:
        self._file = min(self._cursor.uleb(), NO_FILE)

    def _const_add_pc(self) -> None:
        program = self._program
        self._address += (255 - program.opcode_base) // program.line_range * program.shortest

    def _fixed_advance_pc(self) -> None:
        self._address += self._cursor.number(2)


OPCODES: dict[int, Callable[[Machine], None]] = {
    0: Machine._extended,
    1: Machine._row,
    2: Machine._advance_pc,
    3: Machine._advance_line,
    4: Machine._set_file,
    8: Machine._const_add_pc,
    9: Machine._fixed_advance_pc,
}
"""Opcodes that change addresses, files or lines; of the other opcodes only the operands are skipped."""
