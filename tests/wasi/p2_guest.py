"""A guest of WASI 0.2 whose functions can be called with any numbers, as core code calls them: here, and
under wasmtime's package.

What is here: calls, reading of what they answer, and what tests ask of the process. What is not: the
component (`p2_world.py`), or anything of this package's own WASI.
"""

from __future__ import annotations

import gc
import os
import resource
import struct
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Component, Wasi
from pywasm_nn.errors import LimitError, Trap
from pywasm_nn.limits import Limits

from .p2_world import ANSWER, CODES, STRINGS, STRINGS_END, TYPES, world

READ, WRITE, MUTATE = 1, 2, 32
"""Of `descriptor-flags`."""
CREATE, DIRECTORY, EXCLUSIVE, TRUNCATE = 1, 2, 4, 8
"""`open-flags`."""
FOLLOW = 1
"""Of `path-flags`."""
REFUSED = (Trap, LimitError)


@cache
def ours() -> Component:
    return Component(world()[0], "world.wasm")


class P2:
    """Calls by numbers; `raw`, `peek` and `poke` are the subclass's."""

    def __init__(self) -> None:
        self.next = STRINGS

    def raw(self, export: str, *numbers: int) -> Any:
        raise NotImplementedError

    def peek(self, address: int, count: int) -> bytes:
        data: bytes = self.raw("peek", address, count)
        return bytes(data)

    def poke(self, address: int, data: bytes) -> None:
        self.raw("poke", address, data)

    def unpack(self, format: str, address: int) -> tuple[Any, ...]:
        return struct.unpack("<" + format, self.peek(address, struct.calcsize("<" + format)))

    def listed(self, address: int) -> bytes:
        """The bytes that a pointer and a length name."""
        return self.peek(*self.unpack("II", address))

    def __call__(self, name: str, *arguments: int | str | bytes) -> Any:
        """Calls a function: text and bytes are put into memory. What it answers: a value, ("ok", value) or
        ("err", code)."""
        export, core, answer = world()[1][name]
        numbers: list[int] = []
        put = STRINGS
        for argument in arguments:
            if isinstance(argument, int):
                numbers.append(argument)
                continue
            data = argument.encode() if isinstance(argument, str) else argument
            if put + len(data) > STRINGS_END:
                at = self.raw("room", len(data))
            else:
                at, put = put, put + len(data)
            self.poke(at, data)
            numbers += [at, len(data)]
        assert len(numbers) == len(core), f"{name} takes {core}"
        if answer in ("", "i32", "i64"):
            return self.raw(export, *numbers)
        self.raw(export, *numbers, ANSWER)
        return READERS[answer](self, ANSWER)

    # What tests say often.

    def root(self, index: int = 0) -> int:
        """The handle of a directory that was given."""
        handle: int = self("get-directories")[index][0]
        return handle

    def open(
        self, base: int, path: str | bytes, flags: int = READ, how: int = 0, follow: int = FOLLOW
    ) -> Any:
        return self("descriptor.open-at", base, follow, path, how, flags)

    def opened(self, base: int, path: str | bytes, flags: int = READ, how: int = 0) -> int:
        tag, handle = self.open(base, path, flags, how)
        assert tag == "ok", handle
        number: int = handle
        return number

    def got(self, name: str, *arguments: int | str | bytes) -> Any:
        """The value of a call that must succeed."""
        tag, value = self(name, *arguments)
        assert tag == "ok", (name, value)
        return value


def stream(read_ok: Callable[[P2, int], Any], align: int) -> Callable[[P2, int], Any]:
    """A result with a stream-error."""

    def read(guest: P2, at: int) -> Any:
        if guest.peek(at, 1) == b"\0":
            return "ok", read_ok(guest, at + align)
        tag, handle = guest.unpack("B3xI", at + align)
        return "err", "closed" if tag else ("failed", handle)

    return read


def file(read_ok: Callable[[P2, int], Any], align: int) -> Callable[[P2, int], Any]:
    """A result with an error-code."""

    def read(guest: P2, at: int) -> Any:
        if guest.peek(at, 1) == b"\0":
            return "ok", read_ok(guest, at + align)
        return "err", CODES[guest.peek(at + align, 1)[0]]

    return read


def nothing(guest: P2, at: int) -> None:
    return None


def one(format: str) -> Callable[[P2, int], Any]:
    return lambda guest, at: guest.unpack(format, at)[0]


def stat(guest: P2, at: int) -> dict[str, Any]:
    kind, links, size = guest.unpack("B7xQQ", at)
    times = [guest.unpack("B7xQI4x", at + 24 + 24 * index) for index in range(3)]
    return {
        "type": TYPES[kind],
        "links": links,
        "size": size,
        "times": [(seconds, rest) if there else None for there, seconds, rest in times],
    }


def entry(guest: P2, at: int) -> tuple[str, str] | None:
    there, kind = guest.unpack("B3xB", at)
    return (TYPES[kind], guest.listed(at + 8).decode()) if there else None


def directories(guest: P2, at: int) -> list[tuple[int, str]]:
    start, count = guest.unpack("II", at)
    return [
        (guest.unpack("I", start + 12 * index)[0], guest.listed(start + 12 * index + 4).decode())
        for index in range(count)
    ]


def code(guest: P2, at: int) -> str | None:
    there, which = guest.unpack("BB", at)
    return CODES[which] if there else None


def indices(guest: P2, at: int) -> list[int]:
    start, count = guest.unpack("II", at)
    return list(guest.unpack(f"{count}I", start))


READERS: dict[str, Callable[[P2, int], Any]] = {
    "string": lambda guest, at: guest.listed(at).decode(),
    "bytes": lambda guest, at: guest.listed(at),
    "indices": indices,
    "datetime": lambda guest, at: guest.unpack("QI", at),
    "pair": lambda guest, at: guest.unpack("QQ", at),
    "code": code,
    "directories": directories,
    "stream (list u8)": stream(lambda guest, at: guest.listed(at), 4),
    "stream u64": stream(one("Q"), 8),
    "stream ": stream(nothing, 4),
    "file": file(nothing, 1),
    "file own": file(one("I"), 4),
    "file byte": file(one("B"), 1),
    "file u64": file(one("Q"), 8),
    "file read": file(lambda guest, at: (guest.listed(at), bool(guest.peek(at + 8, 1)[0])), 4),
    "file string": file(lambda guest, at: guest.listed(at).decode(), 4),
    "file stat": file(stat, 8),
    "file pair": file(lambda guest, at: guest.unpack("QQ", at), 8),
    "file entry": file(entry, 4),
}


class Ours(P2):
    """The component in this package."""

    def __init__(self, wasi: Wasi | None = None, limits: Limits | None = None, **options: Any) -> None:
        super().__init__()
        self.notes: list[str] = []
        self.instance = ours().instantiate(
            wasi=wasi or Wasi(), limits=limits or Limits(), report=self.notes.append, **options
        )

    def raw(self, export: str, *numbers: Any) -> Any:
        return self.instance.exports[export](*numbers)

    def close(self) -> None:
        self.instance.close()


class Theirs(P2):
    """The component in wasmtime."""

    def __init__(self, **dirs: Path) -> None:
        super().__init__()
        wasmtime = pytest.importorskip("wasmtime")
        engine, linker, component = under_wasmtime()
        config = wasmtime.WasiConfig()
        for name, directory in dirs.items():
            config.preopen_dir(str(directory), f"/{name}")
        self.store = wasmtime.Store(engine)
        self.store.set_wasi(config)
        self.instance = linker.instantiate(self.store, component)
        self.trap = wasmtime.WasmtimeError, wasmtime.Trap

    def raw(self, export: str, *numbers: Any) -> Any:
        function = self.instance.get_func(self.store, export)
        return function(self.store, *numbers)


@cache
def under_wasmtime() -> tuple[Any, Any, Any]:
    wasmtime = pytest.importorskip("wasmtime")
    from wasmtime import component as components

    engine = wasmtime.Engine()
    linker = components.Linker(engine)
    linker.add_wasip2()
    return engine, linker, components.Component(engine, world()[0])


Open = Callable[..., Ours]
"""The fixture `begin`."""

# What tests ask.


def name_of(name: str) -> tuple[str, str, str]:
    return world()[1][name]


def poll(guest: Any, handles: list[int]) -> list[int]:
    at = guest.raw("room", 4 * len(handles) + 4)
    guest.poke(at, struct.pack(f"<{len(handles)}I", *handles))
    found: list[int] = guest("poll", at, len(handles))
    return found


def descriptors() -> set[str]:
    """Open descriptors of this process, each with what it is open on. What threads of earlier tests close
    meanwhile doesn't make new ones."""
    gc.collect()
    folder = "/proc/self/fd" if Path("/proc/self/fd").exists() else "/dev/fd"
    found = set()
    for number in os.listdir(folder):
        with suppress(OSError):  # the one of this listing is closed
            found.add(f"{number} {os.readlink(f'{folder}/{number}') if folder[1] == 'p' else ''}")
    return found


def peak() -> int:
    """Bytes that this process had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if os.uname().sysname == "Linux" else 1)


@contextmanager
def growth() -> Iterator[Callable[[], int]]:
    """Bytes that Python keeps afterwards and did not before."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]

        def grown() -> int:
            return after - before

        yield grown
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
