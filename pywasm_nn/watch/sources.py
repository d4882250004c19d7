"""Source lines, from the debug information (DWARF) that compilers put into custom sections.

Addresses in it count from the contents of the code section (https://yurydelendik.github.io/webassembly-dwarf).
It is read when somebody asks for a line, one compilation unit after the other, by pyelftools
(`pip install "pywasm-nn[debug]"`). Nobody has checked it: where it isn't right there is no line.
What is not here: names of variables and of functions that were put into others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from inspect import signature
from io import BytesIO
from typing import Any, NamedTuple

from ..frames import Binary
from ..printable import printable

DEAD = (0, 0xFFFFFFFE, 0xFFFFFFFF)
"""Where linkers let code begin that they left out."""


class SourceLine(NamedTuple):
    """A line of a source file, counted from 1. `file` is as the compiler knew it, below where it ran."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Row(NamedTuple):
    """Code from `start` up to below `stop`, counted from the code section, and where it comes from."""

    start: int
    stop: int
    source: SourceLine


def has_lines(binary: Binary) -> bool:
    """Whether a module has debug information at all."""
    return binary.custom(".debug_line") is not None and binary.custom(".debug_info") is not None


def can_read() -> bool:
    """Whether the package is there that reads it."""
    try:
        import elftools  # noqa: F401 - only whether it is there
    except ImportError:
        return False
    return True


class Sources:
    """The lines of one module."""

    def __init__(self, binary: Binary) -> None:
        self._binary = binary
        self._units = units(binary) if has_lines(binary) and can_read() else iter(())
        self._read: list[list[Row]] = []
        """Rows of the units that were read, in order of their start."""

    def at(self, offset: int) -> SourceLine | None:
        """The line of the code at a byte offset of the module, or None."""
        address = offset - self._binary.code_offset
        if offset < 0:
            return None
        for rows in self._rows():
            at = bisect_right(rows, address, key=lambda row: row.start) - 1
            if at >= 0 and address < rows[at].stop:
                return rows[at].source
        return None

    def offsets(self, file: str, line: int) -> list[int]:
        """Where code of a line begins: of this one, or else of the next one that has code. `file` may be the
        end of the file's path."""
        found = [
            row
            for rows in self._rows()
            for row in rows
            if row.source.line >= line and f"/{row.source.file}".endswith(f"/{file}")
        ]
        nearest = min((row.source.line for row in found), default=0)
        rows = [row for row in found if row.source.line == nearest]
        starts = [row.start for row in rows if not any(other.stop == row.start for other in rows)]
        return [start + self._binary.code_offset for start in sorted(set(starts))]

    def files(self) -> list[str]:
        """Files that have code here."""
        return sorted({row.source.file for rows in self._rows() for row in rows})

    def _rows(self) -> Iterator[list[Row]]:
        """Rows of each unit; further units are read as far as one goes."""
        yield from self._read
        for rows in self._units:
            self._read.append(rows)
            yield rows


def units(binary: Binary) -> Iterator[list[Row]]:
    """Rows of one compilation unit after the other."""
    try:
        dwarf = dwarf_of(binary)
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            if program is not None:
                yield sorted(rows_of(program))
    except Exception:  # pyelftools raises anything at all for bytes that aren't right
        return


def dwarf_of(binary: Binary) -> Any:
    """pyelftools' view of the sections, which it knows as parameters `debug_line_sec` and so on."""
    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

    sections: dict[str, Any] = {}
    for parameter in signature(DWARFInfo).parameters:
        if parameter.endswith("_sec"):
            name = f".{parameter.removesuffix('_sec')}"
            data = binary.custom(name)
            sections[parameter] = data and DebugSectionDescriptor(BytesIO(data), name, 0, len(data), 0)
    return DWARFInfo(DwarfConfig(True, "WebAssembly", 4), **sections)


def rows_of(program: Any) -> Iterator[Row]:
    """Rows of a line program, without those of code that was left out."""
    before: Any = None
    is_dead = False
    names: dict[int, str] = {}
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if before is None:
            is_dead = state.address in DEAD
        elif before.address < state.address and before.line and not is_dead:
            if before.file not in names:
                names[before.file] = file_name(program, before.file)
            yield Row(before.address, state.address, SourceLine(names[before.file], before.line))
        before = None if state.end_sequence else state


def file_name(program: Any, number: int) -> str:
    """The file with this number, with its directory, if that isn't where the compiler ran."""
    first = 0 if program["version"] >= 5 else 1  # files and directories were counted from 1 before
    file = program["file_entry"][number - first]
    name = file.name.decode("utf-8", "replace")
    directories = [directory.decode("utf-8", "replace") for directory in program["include_directory"]]
    if name.startswith("/") or file.dir_index == 0:
        return printable(name)
    directory = directories[file.dir_index - first]
    if not first:
        directory = directory.removeprefix(directories[0].rstrip("/") + "/")
    return printable(f"{directory.rstrip('/')}/{name}")
