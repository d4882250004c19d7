"""Calls of preview1 as numbers: ways to say them, a guest that calls the face directly, and a module that
passes calls on. No pytest is imported here, because tests start many processes that use this."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from pywasm_nn.errors import Trap, TrapKind
from pywasm_nn.interpreter.runtime.group import Group
from pywasm_nn.interpreter.runtime.meter import Meter
from pywasm_nn.limits import Limits
from pywasm_nn.wasi.codes import DIRECTORY_RIGHTS
from pywasm_nn.wasi.preview1 import preview1
from pywasm_nn.wasi.provider import WasiHost

ALL = (1 << 30) - 1
"""All rights."""
SIZE = 65536
DEFAULTS = Limits()


class Calls:
    """Ways to say a call; `call` and memory are the subclass's. Addresses below 4096 are for answers."""

    module = "wasi_snapshot_preview1"

    def __init__(self) -> None:
        self.next = 4096

    def call(self, name: str, *arguments: int) -> Any:
        raise NotImplementedError

    def read(self, address: int, count: int) -> bytes:
        raise NotImplementedError

    def write(self, address: int, data: bytes) -> None:
        raise NotImplementedError

    def put(self, data: bytes | str) -> tuple[int, int]:
        """Place bytes somewhere; their address and length."""
        data = data.encode() if isinstance(data, str) else data
        address = self.next
        self.next += (len(data) + 7) & ~7
        self.write(address, data)
        return address, len(data)

    def unpack(self, format: str, address: int) -> tuple[Any, ...]:
        return struct.unpack("<" + format, self.read(address, struct.calcsize("<" + format)))

    def open(
        self,
        path: bytes | str,
        how: int = 0,
        rights: int = ALL,
        *,
        fd: int = 3,
        follow: int = 1,
        flags: int = 0,
    ) -> tuple[int, int]:
        """path_open: the error number and the new descriptor."""
        errno = self.call("path_open", fd, follow, *self.put(path), how, rights, ALL, flags, 0)
        return errno, self.unpack("I", 0)[0]

    def opened(self, path: bytes | str, how: int = 0, rights: int = ALL, **more: int) -> int:
        """path_open of something that is there: its descriptor. A directory (`how` 2) can't be opened to
        write."""
        if how == 2:
            rights &= DIRECTORY_RIGHTS
        errno, fd = self.open(path, how, rights, **more)
        assert errno == 0
        return fd

    def vector(self, *lengths: int) -> tuple[int, int]:
        """Place buffers of these lengths from 16384 on, and the vector that names them."""
        pairs, address = b"", 16384
        for length in lengths:
            pairs += struct.pack("<II", address, length)
            address += length
        return self.put(pairs)[0], len(lengths)

    def write_fd(self, fd: int, data: bytes) -> tuple[int, int]:
        """fd_write of one buffer: the error number and the count."""
        address, length = self.put(data)
        errno = self.call("fd_write", fd, self.put(struct.pack("<II", address, length))[0], 1, 8)
        return errno, self.unpack("I", 8)[0]

    def read_fd(self, fd: int, count: int) -> tuple[int, bytes]:
        """fd_read into one buffer: the error number and what came."""
        errno = self.call("fd_read", fd, *self.vector(count), 8)
        return errno, self.read(16384, self.unpack("I", 8)[0]) if errno == 0 else b""

    def stat(self, path: bytes | str, follow: int = 1, fd: int = 3) -> tuple[int, tuple[Any, ...]]:
        """path_filestat_get: the error number and device, inode, type, links, size, three times."""
        errno = self.call("path_filestat_get", fd, follow, *self.put(path), 512)
        return errno, self.unpack("QQB7xQQQQQ", 512)


class FakeMemory:
    """Guest memory as `host.Memory` wants it."""

    def __init__(self) -> None:
        self.bytes = bytearray(SIZE)
        self.size = SIZE

    def view(self, address: int, count: int) -> memoryview:
        if not 0 <= address <= address + count <= SIZE:
            raise Trap(TrapKind.OUT_OF_BOUNDS_MEMORY)
        return memoryview(self.bytes)[address : address + count]


class FakeInstance:
    """As much of an instance as a host function needs."""

    def __init__(self, limits: Limits) -> None:
        self.memory = FakeMemory()
        self.limits = limits
        self.meter = Meter(Group(limits), {})

    def exported_memory(self, name: str) -> FakeMemory:
        return self.memory

    def watches(self, level: str) -> bool:
        return False


class Guest(Calls):
    """A guest without code: it calls the face as an engine would."""

    def __init__(self, host: WasiHost, notes: list[str], limits: Limits = DEFAULTS) -> None:
        super().__init__()
        self.host = host
        self.notes = notes
        self.instance = FakeInstance(limits)
        self._functions: dict[str, Callable[..., Any]] = {}

    def call(self, name: str, *arguments: int) -> Any:
        if name not in self._functions:
            found = self.host.lookup(self.module, name)
            assert found is not None
            self._functions[name] = found.bind(self.instance)  # type: ignore[arg-type] # a stand-in
        return self._functions[name](*arguments)

    def read(self, address: int, count: int) -> bytes:
        return bytes(self.instance.memory.view(address, count))

    def write(self, address: int, data: bytes) -> None:
        self.instance.memory.view(address, len(data))[:] = data


def passing_module(names: Iterable[str] = preview1) -> str:
    """A module in text that imports functions of preview1 and exports for each one that calls it."""
    imports, functions = [], []
    for name in names:
        type_ = preview1.signature(name).type
        params = f"(param {' '.join(map(str, type_.params))})" if type_.params else ""
        results = f"(result {' '.join(map(str, type_.results))})" if type_.results else ""
        imports.append(f'(import "wasi_snapshot_preview1" "{name}" (func $_{name} {params} {results}))')
        gets = " ".join(f"local.get {index}" for index in range(len(type_.params)))
        functions.append(f'(func (export "{name}") {params} {results} {gets} call $_{name})')
    return f'(module {" ".join(imports)} (memory (export "memory") 1) {" ".join(functions)})'
