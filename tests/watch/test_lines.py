"""Line programs: against pyelftools, and those that were made to do harm."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from inspect import signature
from io import BytesIO
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest
from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo
from elftools.dwarf.structs import DWARFStructs

from pywasm_nn.api import Module
from pywasm_nn.backtrace import LEFT_OUT, written
from pywasm_nn.errors import Trap
from pywasm_nn.frames import GuestFrame
from pywasm_nn.interpreter.module import Custom
from pywasm_nn.sources import Sources, within
from tests.fuzz.bodies import leb

MANY = 1_000_000
SEQUENCE = b"\0\5\2" + (0x100).to_bytes(4, "little")
"""Sets the address of a sequence that wasn't left out."""
END = b"\0\1\1"


def u32(number: int) -> bytes:
    return number.to_bytes(4, "little")


def header(version: int, files: bytes, *, line_range: int = 14) -> bytes:
    """All of a header but its length. `files`: directories and files as the version writes them."""
    rest = b"\1" + b"\1" * (version >= 4) + b"\1\xfb" + bytes([line_range]) + b"\x0d"
    rest += bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + files
    return bytes([version, 0]) + b"\4\0" * (version == 5) + u32(len(rest)) + rest


def program(version: int, code: bytes, files: bytes = b"") -> bytes:
    old = b"include\0lib\0\0a.c\0\0\0\0b.c\0\1\0\0c.c\0\2\0\0\0"
    new = b"\1\1\x08\3/src\0include\0lib\0" + b"\2\1\x08\2\x0b\3a.c\0\0b.c\0\1c.c\0\2"
    whole = header(version, files or (new if version == 5 else old)) + code
    return u32(len(whole)) + whole


def sources(line: bytes, **sections: bytes) -> Sources:
    customs = [Custom(".debug_line", line), *(Custom(f".{name}", data) for name, data in sections.items())]
    return Sources(replace(Module(), customs=tuple(customs)))


def random_code(random: Random) -> bytes:
    """Sequences of all instructions that compilers use."""
    code = b""
    for sequence in range(random.randrange(1, 5)):
        address = random.choice((0, 0xFFFFFFFF, 0x10000 * sequence + 16))
        code += b"\0\5\2" + u32(address) + b"\1"
        for _ in range(random.randrange(30)):
            number = leb(random.randrange(300))
            special, less = bytes([random.randrange(13, 256)]), bytes([random.randrange(128)])
            code += random.choice((
                special, special, b"\1", b"\2" + number, b"\3" + less, b"\4" + leb(random.randrange(1, 4)),
                b"\5" + number, b"\6", b"\7", b"\x08", b"\x09" + special + b"\0", b"\x0a", b"\x0b",
                b"\x0c" + number, b"\0\2\4" + less,
            ))  # fmt: skip
        code += END
    return code


def theirs(line: bytes) -> dict[int, tuple[str, int]]:
    """File and line of each address, as pyelftools reads the one program."""
    sections: dict[str, Any] = {
        name: None for name in signature(DWARFInfo).parameters if name.endswith("_sec")
    }
    sections["debug_line_sec"] = DebugSectionDescriptor(BytesIO(line), ".debug_line", 0, len(line), 0)
    dwarf = DWARFInfo(DwarfConfig(True, "WebAssembly", 4), **sections)
    version = line[4]
    found = dwarf._parse_line_program_at_offset(0, DWARFStructs(True, 32, 4, version))
    files = {number + (version < 5): entry for number, entry in enumerate(found["file_entry"])}
    told: dict[int, tuple[str, int]] = {}
    before, dead = None, False
    for state in (entry.state for entry in found.get_entries() if entry.state is not None):
        if before is None:
            dead = state.address in (0, 0xFFFFFFFF)
        elif before.line > 0 and not dead:
            entry = files.get(before.file)
            directory = ["", "include/", "lib/"][entry.dir_index] if entry else ""
            for address in range(before.address, state.address):
                told[address] = (directory + entry.name.decode() if entry else "", before.line)
        before = None if state.end_sequence else state
    return told


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_lines_are_those_of_pyelftools(version: int) -> None:
    for seed in range(60):
        line = program(version, random_code(Random(seed)))
        ours, expected = sources(line), theirs(line)
        for address, (file, number) in expected.items():
            if file:
                assert str(ours.at(address)) == f"{file}:{number}", (seed, address)
            else:
                assert ours.at(address) is None


def test_names_of_other_sections_and_of_each_version() -> None:
    code = SEQUENCE + b"\4\1\x15\x15\2\4" + END
    new = b"\1\1\x1f\2" + u32(0) + u32(5) + b"\2\1\x0e\2\x0b\2" + u32(0) + b"\0" + u32(2) + b"\1"
    line = program(5, code, new)
    found = sources(line, debug_line_str=b"/src\0include\0", debug_str=b"a\0b.c\0")
    assert found.files() == ["include/b.c"]
    twice = sources(program(3, code) + program(4, code.replace(b"\4\1", b"\4\3")))
    assert len(twice.files()) == 2


def test_what_is_behind_a_broken_program_is_read() -> None:
    code = SEQUENCE + b"\x15\x15\2\4" + END
    unknown = u32(4) + b"\x09\0\0\0"
    assert sources(unknown + program(4, b"\2\xff") + program(4, code)).files() == ["a.c"]


HOSTILE = {
    "rows": program(4, SEQUENCE + b"\x20" * 10 * MANY + END),
    "rows of one address": program(4, SEQUENCE + b"\x0d" * 10 * MANY + END),
    "sequences": program(4, (SEQUENCE + b"\x20\x20" + END) * MANY),
    "addresses that fall": program(4, SEQUENCE + (b"\x20\0\5\2" + u32(5) + b"\x20\0\5\2" + u32(9)) * MANY),
    "programs": program(4, SEQUENCE + b"\x20\x20" + END) * 100_000,
    "empty programs": bytes(20 * MANY),
    "directories of no bytes": program(5, b"", b"\0\xff\xff\xff\xff\x0f\0\0"),
    "directories": program(2, b"", b"a\0" * 5 * MANY + b"\0\0"),
    "files of one long name": program(5, b"", b"\0\0\1\1\x1f" + leb(MANY) + u32(0) * MANY),
    "files that are used": program(
        5,
        SEQUENCE + b"".join(b"\4" + leb(n) + b"\x20" for n in range(200_000)) + END,
        b"\0\0\1\1\x1f" + leb(200_000) + b"".join(map(u32, range(200_000))),
    ),
    "long numbers": program(4, (b"\2" + b"\xff" * 9 + b"\x7f") * MANY + b"\3" + b"\x80" * MANY),
    "long instructions": program(4, b"\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f\2" * 10),
    "a line range of 0": u32(60) + header(4, b"\0\0", line_range=0) + bytes(40),
    "lines beyond all": program(4, SEQUENCE + (b"\3\xff\xff\xff\xff\xff\xff\x3f\x20") * MANY + END),
}
LONG = b"x" * 3 * MANY + b"\0"


@pytest.mark.parametrize("name", HOSTILE)
def test_reading_ends_in_time_and_small(name: str) -> None:
    """Each would take seconds or GiB, or never end."""
    found = sources(HOSTILE[name], debug_line_str=LONG)
    looks = 0
    keep_on = within(0.2)

    def counting() -> None:
        nonlocal looks
        looks += 1
        keep_on()

    found._keep_on = counting
    tracemalloc.start()
    start = process_time()
    try:
        found.at(0x105)
        found.files()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert process_time() - start < 5
    assert peak < 80 << 20
    assert looks


def test_a_backtrace_says_that_lines_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pywasm_nn.backtrace.SECONDS", 0.05)
    module = replace(Module(), customs=(Custom(".debug_line", HOSTILE["rows"]),))
    error = Trap("unreachable")
    error.frames = tuple(GuestFrame("m", n, None, 10**9, (), module) for n in range(20))
    assert written(error)[-1] == LEFT_OUT
    whole = replace(Module(), customs=(Custom(".debug_line", program(4, SEQUENCE + b"\x15\2\4" + END)),))
    error.frames = (GuestFrame("m", 0, None, 0x101, (), whole),)
    assert written(error) == ["  0: 0x0101  m!func[0]   a.c:4"]


def test_a_guest_of_clang_has_the_lines_that_pyelftools_sees() -> None:
    module = Module.from_file(Path(__file__).parents[1] / "guests" / "source.wasm")
    line = module.custom(".debug_line")
    assert line is not None
    found = Sources(module)
    expected = theirs(line)
    assert expected
    for address, (_, number) in expected.items():
        source = found.at(address + module.code_offset)
        assert source is not None
        assert source.line == number
