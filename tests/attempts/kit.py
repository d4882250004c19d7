"""What attempts on WASI, models and text share: guests that forward calls, and a look at a text.

A forwarding guest exports each function that it imports: an attempt in Python says what the guest does.
"""

from __future__ import annotations

import io
import runpy
import struct
import sys
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from typing import Any

from pywasm_nn import Instance, Limits, MemoryDirectory, Module, Wasi

WASI = """args_get ii args_sizes_get ii environ_get ii environ_sizes_get ii clock_res_get ii clock_time_get
iIi fd_advise iIIi fd_allocate iII fd_close i fd_datasync i fd_fdstat_get ii fd_fdstat_set_flags ii
fd_fdstat_set_rights iII fd_filestat_get ii fd_filestat_set_size iI fd_filestat_set_times iIIi
fd_pread iiiIi fd_prestat_get ii fd_prestat_dir_name iii fd_pwrite iiiIi fd_read iiii fd_readdir
iiiIi fd_renumber ii fd_seek iIii fd_sync i fd_tell ii fd_write iiii path_create_directory iii
path_filestat_get iiiii path_filestat_set_times iiiiIIi path_link iiiiiii path_open iiiiiIIii
path_readlink iiiiii path_remove_directory iii path_rename iiiiii path_symlink iiiii
path_unlink_file iii poll_oneoff iiii random_get ii sock_accept iii sock_recv iiiiii sock_send iiiii
sock_shutdown ii"""
NN = """load iiiii load_by_name iii init_execution_context ii set_input iii compute i get_output iiiii
load_by_name_with_config iiiii unload i finalize_execution_context i"""
ALL_RIGHTS = (1 << 29) - 1
CREATE, DIRECTORY, EXCLUSIVE, TRUNCATE = 1, 2, 4, 8
WRITING = 1 << 6 | 1 << 8 | 1 << 22


@cache
def forwarding(module: str, functions: str, pages: int = 2, more: str = "") -> Module:
    words = functions.split()
    text = ["(module"]
    bodies = [f'(memory (export "memory") {pages})', more]
    for name, letters in zip(words[::2], words[1::2], strict=True):
        kinds = " ".join({"i": "i32", "I": "i64"}[letter] for letter in letters)
        text.append(f'(import "{module}" "{name}" (func ${name} (param {kinds}) (result i32)))')
        given = " ".join(f"(local.get {at})" for at in range(len(letters)))
        bodies.append(
            f'(func (export "{name}") (param {kinds}) (result i32) (call ${name} {given}))',
        )
    return Module.from_text("\n".join([*text, *bodies, ")"]))


class Guest:
    """A guest of WASI or wasi-nn whose calls are made from Python. Paths go to address 1,024."""

    def __init__(
        self,
        engine: str,
        *,
        limits: Limits | None = None,
        pages: int = 2,
        functions: str = "",
        module: str = "wasi_snapshot_preview1",
        more: str = "",
        **provided: Any,
    ) -> None:
        forward = forwarding(module, functions or (NN if "nn" in module else WASI), pages, more)
        if "wasi" in provided:  # what is imported and compiled once takes none of the guest's time
            with forward.instantiate(engine=engine, wasi=Wasi(dirs={"/": MemoryDirectory()})) as first:
                first.exports.path_open(3, 0, 0, 0, 0, 0, 0, 0, 8)
        self.instance: Instance = forward.instantiate(
            engine=engine, limits=limits or Limits(seconds=0.3), **provided
        )

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *exc: object) -> None:
        self.instance.close()

    def __call__(self, name: str, *arguments: int) -> int:
        return int(getattr(self.instance.exports, name)(*arguments))

    def put(self, address: int, data: bytes) -> int:
        self.instance.memory.write(address, data)
        return address

    def word(self, address: int) -> int:
        return int(struct.unpack("<I", self.instance.memory.read(address, 4))[0])

    def vectors(self, address: int, count: int, start: int, size: int) -> int:
        """Write `count` times the same buffer."""
        return self.put(address, struct.pack("<II", start, size) * count)

    def path(self, call: str, path: bytes, *rest: int, fd: int = 3, before: tuple[int, ...] = ()) -> int:
        self.put(1024, path)
        return self(call, fd, *before, 1024, len(path), *rest)

    def open(
        self, path: bytes, oflags: int = 0, *, fd: int = 3, rights: int = ALL_RIGHTS, flags: int = 0
    ) -> int:
        """The new descriptor, or minus the errno."""
        if oflags & DIRECTORY:
            rights &= ~WRITING  # no directory is opened with those
        code = self.path("path_open", path, oflags, rights, rights, flags, 64, fd=fd, before=(1,))
        return -code if code else self.word(64)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What happens inside is over after so long, however it ends, though it was given much less. A machine
    that is busy gets some time, but not for ever."""
    started = time.monotonic()
    try:
        yield
    finally:
        took = time.monotonic() - started
        assert took < seconds, f"{took:.1f} s"


def alarm_after(seconds: int) -> None:
    """End the process with a report if it hangs, long before the harness would."""
    import faulthandler

    faulthandler.dump_traceback_later(seconds, exit=True)


def raw(text: str, allowed: str = "\n") -> list[str]:
    """Characters that a terminal acts on or that hide what follows, and lone surrogates."""
    return sorted(
        {
            f"U+{ord(each):04X}"
            for each in text
            if each not in allowed and unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp", "Cs")
        }
    )


HOSTILE = "\x1b[31mred\x1b]0;title\x07\x08\x7f\x9b2J\x85\u202eevil" + (
    "\u2066\u2028line\u2029\u200b\ufeff\u061c\rover\x00=1+1"
)
"""What no terminal may get: ESC, BEL, BS, DEL, CSI, NEL, bidirectional controls, separators, CR and NUL."""


def name(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return number(len(data)) + data


def number(value: int) -> bytes:
    """LEB128."""
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes([*data, value])


def section(code: int, content: bytes) -> bytes:
    return bytes([code]) + number(len(content)) + content


def hostile_module(hostile: str = HOSTILE, body: bytes = b"\x00", imported: bool = False) -> bytes:
    """A module whose names, of everything that has one, are hostile; its `_start` and all else trap."""
    kinds = [("f", 0), ("t", 1), ("m", 2), ("g", 3)]
    code = number(len(body) + 2) + b"\x00" + body + b"\x0b"
    parts = [b"\0asm\1\0\0\0", section(1, b"\1\x60\0\0")]
    if imported:
        parts.append(section(2, b"\1" + name(hostile) + name(hostile + "import") + b"\0\0"))
    defined = int(imported)
    exports = [name(hostile + each) + bytes([kind, defined if not kind else 0]) for each, kind in kinds]
    exports.append(name("_start") + bytes([0, defined]))
    names = section(0, name(hostile)) + section(1, b"\1" + number(defined) + name(hostile + "function"))
    names += section(2, b"\1" + number(defined) + b"\1\0" + name(hostile + "local"))
    names += section(7, b"\1\0" + name(hostile + "global"))
    parts += [
        section(3, b"\1\0"),
        section(4, b"\1\x70\0\1"),
        section(5, b"\1\0\1"),
        section(6, b"\1\x7f\0\x41\0\x0b"),
        section(7, number(len(exports)) + b"".join(exports)),
        section(10, b"\1" + code),
        section(0, name("name") + names),
        section(0, name(hostile + "custom") + b"x"),
        section(0, name("producers") + b"\1" + name(hostile) + b"\1" + name(hostile) + name(hostile)),
        section(0, name("target_features") + b"\1+" + name(hostile)),
    ]
    return b"".join(parts)


def command(*arguments: str, stdin: bytes = b"") -> tuple[str, str]:
    """What `python -m pywasm_nn` with these arguments writes to stdout and stderr."""
    out, error = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogatepass", newline="") for _ in range(2))
    before = sys.argv, sys.stdin
    sys.argv = ["pywasm-nn", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(error):
            runpy.run_module("pywasm_nn", run_name="__main__")
    except SystemExit:
        pass
    finally:
        sys.argv, sys.stdin = before
    texts = []
    for stream in (out, error):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8", "surrogatepass"))  # type: ignore[attr-defined]
    return texts[0], texts[1]


def clean(*arguments: str, stdin: bytes = b"", allowed: str = "\n", bare: bool = False) -> str:
    """Run the command, and look that nothing raw is in what it writes."""
    out, error = command(*arguments, stdin=stdin)
    for text in (out, error):
        found = raw(text, allowed)
        assert not found, f"{arguments}: {found} in {text!r}"[:1500]
        assert "Traceback (most" not in text, text
    assert bare or out or error, f"{arguments} says nothing"
    return out + error
