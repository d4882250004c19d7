"""Calls of WASI that would last, each by a guest with little time.

`python tests/wasi/hostile.py NAME SECONDS` prints how it ended ("deadline", "interrupted", or an error
number), how long the longest call took and the peak of memory, as JSON. Without a deadline if SECONDS is 0.

What is not here: how they must end (`test_deadlines.py`).
"""

from __future__ import annotations

import json
import os
import pty
import resource
import signal
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from calls import ALL, Calls, passing_module

from pywasm_nn import Capture, DeadlineError, Limits, Module, Wasi
from pywasm_nn.wasi import MemoryDirectory
from pywasm_nn.wasi.preview1 import preview1

LIMITS = Limits(seconds=float(sys.argv[2]) or None) if len(sys.argv) > 2 else Limits(seconds=1)
GIB = 1 << 30
WRITE, READ_ONLY = 1 << 6, 1 << 1
CREATE = 1


def repeating(name: str) -> str:
    """A function in text that calls one of WASI's for as long as that succeeds."""
    params, results = preview1.signature(name).type.params, preview1.signature(name).type.results
    if not results:
        return ""  # proc_exit, which never comes back
    gets = " ".join(f"(local.get {index})" for index in range(len(params)))
    types = f"(param {' '.join(map(str, params))}) (result i32) (local $errno i32)"
    body = f"(loop (br_if 0 (i32.eqz (local.tee $errno (call $_{name} {gets}))))) (local.get $errno)"
    return f'(func (export "repeated {name}") {types} {body})'


class Hostile(Calls):
    """A guest with a memory of 1 GiB that calls what it likes."""

    longest = 0.0
    """Seconds of one call, of any guest."""

    def __init__(self, wasi: Wasi) -> None:
        super().__init__()
        text = passing_module().replace('(memory (export "memory") 1)', '(memory (export "memory") 16384)')
        text = text.removesuffix(")") + "".join(map(repeating, preview1)) + ")"
        self.instance = Module.from_text(text).instantiate(wasi, limits=LIMITS, engine="interpret")
        print("running", file=sys.stderr, flush=True)

    def call(self, name: str, *arguments: int) -> Any:
        began = time.monotonic()
        try:
            return self.instance.exports[name](*arguments)
        finally:
            Hostile.longest = max(Hostile.longest, time.monotonic() - began)

    def read(self, address: int, count: int) -> bytes:
        return self.instance.memory.read(address, count)

    def write(self, address: int, data: bytes) -> None:
        self.instance.memory.write(address, data)

    def huge(self) -> tuple[int, int]:
        """1,024 buffers of nearly all the memory."""
        return self.put(struct.pack("<II", 1 << 16, GIB - (1 << 16)) * 1024)[0], 1024

    def until_it_ends(self, name: str, *arguments: int) -> Any:
        """Let the guest call until there is an error, as one call that moves all it can may end in time."""
        return self.call(f"repeated {name}", *arguments)


Case = Callable[[Path], Any]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def with_file(directory: Path, rights: int = ALL) -> tuple[Hostile, int]:
    guest = Hostile(Wasi(dirs={"/": directory}))
    return guest, guest.opened("file", CREATE, rights)


@case
def fd_write_to_dev_null(directory: Path) -> Any:
    with open(os.devnull, "wb") as sink:
        guest = Hostile(Wasi(stdout=sink))
        return guest.until_it_ends("fd_write", 1, *guest.huge(), 8)


@case
def fd_write_to_capture(directory: Path) -> Any:
    guest = Hostile(Wasi(stdout=Capture()))
    return guest.until_it_ends("fd_write", 1, *guest.huge(), 8)


@case
def fd_write_to_callable(directory: Path) -> Any:
    guest = Hostile(Wasi(stdout=len))
    return guest.until_it_ends("fd_write", 1, *guest.huge(), 8)


@case
def fd_write_to_file(directory: Path) -> Any:
    guest, fd = with_file(directory)
    return guest.until_it_ends("fd_write", fd, *guest.huge(), 8)


@case
def fd_pwrite_to_file(directory: Path) -> Any:
    guest, fd = with_file(directory)
    return guest.until_it_ends("fd_pwrite", fd, *guest.huge(), 0, 8)


@case
def fd_write_to_memory(directory: Path) -> Any:
    guest = Hostile(Wasi(dirs={"/": MemoryDirectory(limit=8 * GIB)}))
    return guest.until_it_ends("fd_write", guest.opened("file", CREATE), *guest.huge(), 8)


@case
def fd_read_of_sparse_file(directory: Path) -> Any:
    guest, fd = with_file(directory)
    os.truncate(directory / "file", 1 << 40)
    return guest.until_it_ends("fd_read", fd, *guest.huge(), 8)


@case
def fd_pread_of_sparse_file(directory: Path) -> Any:
    guest, fd = with_file(directory)
    os.truncate(directory / "file", 1 << 40)
    return guest.until_it_ends("fd_pread", fd, *guest.huge(), 0, 8)


@case
def random_get(directory: Path) -> Any:
    return Hostile(Wasi()).call("random_get", 0, GIB)


@case
def empty_buffers(directory: Path) -> Any:
    return Hostile(Wasi(stdout=Capture())).call("fd_write", 1, 0, 1 << 24, 8)


@case
def fd_allocate(directory: Path) -> Any:
    guest, fd = with_file(directory)
    answer = guest.call("fd_allocate", fd, 0, 1 << 62)
    assert os.path.getsize(directory / "file") == 0
    return answer


@case
def fifo_nobody_writes_to(directory: Path) -> Any:
    os.mkfifo(directory / "fifo")
    writer = os.open(directory / "fifo", os.O_RDWR)
    guest = Hostile(Wasi(dirs={"/": directory}))
    try:
        return guest.call("fd_read", guest.opened("fifo", 0, READ_ONLY), *guest.vector(100), 8)
    finally:
        os.close(writer)


@case
def fifo_with_a_large_number(directory: Path) -> Any:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        return fifo_nobody_writes_to(directory)
    finally:
        for number in held:
            os.close(number)


@case
def poll_of_a_large_number(directory: Path) -> Any:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    os.mkfifo(directory / "fifo")
    held.append(os.open(directory / "fifo", os.O_RDWR))
    guest = Hostile(Wasi(dirs={"/": directory}))
    fd = guest.opened("fifo", 0, READ_ONLY | 1 << 27)
    subscription = guest.put(struct.pack("<QB7xI28x", 1, 1, fd))[0]
    return guest.call("poll_oneoff", subscription, 8192, 1, 8)


@case
def fifo_nobody_reads(directory: Path) -> Any:
    os.mkfifo(directory / "fifo")
    reader = os.open(directory / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    guest = Hostile(Wasi(dirs={"/": directory}))
    try:
        return guest.until_it_ends("fd_write", guest.opened("fifo", 0, WRITE), *guest.huge(), 8)
    finally:
        os.close(reader)


@case
def opening_a_fifo(directory: Path) -> Any:
    os.mkfifo(directory / "fifo")
    guest = Hostile(Wasi(dirs={"/": directory}))
    assert guest.open("fifo", 0, READ_ONLY)[0] == 0
    guest = Hostile(Wasi(dirs={"/": directory}))
    return guest.open("fifo", 0, WRITE)[0]


@case
def stdout_that_nobody_reads(directory: Path) -> Any:
    reader, writer = os.pipe()
    with open(writer, "wb") as sink:
        guest = Hostile(Wasi(stdout=sink))
        answer = guest.until_it_ends("fd_write", 1, *guest.huge(), 8)
    os.close(reader)
    return answer


@case
def own_stdout_that_nobody_reads(directory: Path) -> Any:
    kept = os.dup(1)
    _, writer = os.pipe()
    os.dup2(writer, 1)
    guest = Hostile(Wasi())
    try:
        return guest.until_it_ends("fd_write", 1, *guest.vector(1000, 3000, 5000), 8)
    finally:
        os.dup2(kept, 1)


@case
def terminal_that_nobody_reads(directory: Path) -> Any:
    _, terminal = pty.openpty()
    with open(terminal, "wb") as sink:
        guest = Hostile(Wasi(stdout=sink))
        guest.write(16384, b"\n" * 10_000)
        return guest.until_it_ends("fd_write", 1, *guest.vector(1000, 3000, 5000), 8)


@case
def stdin_that_nobody_writes_to(directory: Path) -> Any:
    reader, writer = os.pipe()
    with open(reader, "rb") as source, open(writer, "wb"):
        guest = Hostile(Wasi(stdin=source))
        return guest.call("fd_read", 0, *guest.vector(100), 8)


def connected() -> tuple[Hostile, int, socket.socket]:
    listener = socket.create_server(("127.0.0.1", 0))
    guest = Hostile(Wasi(listen=[listener]))
    client = socket.create_connection(listener.getsockname())
    assert guest.call("sock_accept", 3, 0, 8) == 0
    return guest, guest.unpack("I", 8)[0], client


@case
def sock_send(directory: Path) -> Any:
    guest, fd, client = connected()
    with client:
        return guest.until_it_ends("sock_send", fd, *guest.huge(), 0, 8)


@case
def fd_write_to_socket(directory: Path) -> Any:
    guest, fd, client = connected()
    with client:
        return guest.until_it_ends("fd_write", fd, *guest.huge(), 8)


@case
def sock_recv_of_all(directory: Path) -> Any:
    guest, fd, client = connected()
    with client:
        client.sendall(b"some")
        return guest.call("sock_recv", fd, *guest.vector(100), 2, 8, 12)


@case
def sock_accept(directory: Path) -> Any:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return Hostile(Wasi(listen=[listener])).call("sock_accept", 3, 0, 8)


@case
def two_that_accept(directory: Path) -> Any:
    """Both are told of one connection, which one of them gets."""
    from threading import Thread

    ends = []

    def accept(guest: Hostile) -> None:
        try:
            ends.append(guest.call("sock_accept", 3, 0, 8))
        except DeadlineError:
            ends.append("deadline")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threads = [Thread(target=accept, args=[Hostile(Wasi(listen=[listener]))]) for _ in range(4)]
        for thread in threads:
            thread.start()
        with socket.create_connection(listener.getsockname()):
            for thread in threads:
                thread.join()
    return sorted(map(str, ends))


@case
def poll_for_ever(directory: Path) -> Any:
    guest = Hostile(Wasi())
    subscription = guest.put(struct.pack("<QB7xI4xQQH6x", 1, 0, 1, 1 << 62, 0, 0))[0]
    return guest.call("poll_oneoff", subscription, 8192, 1, 8)


@case
def links_that_lead_on(directory: Path) -> Any:
    """As many steps as one path takes: forty links of two thousand steps each."""
    (directory / "a").mkdir()
    for number in range(41):
        os.symlink("a/../" * 815 + f"link{number + 1}", directory / f"link{number}")
    return Hostile(Wasi(dirs={"/": directory})).stat("link0")[0]


def main(name: str) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it for whoever runs aside
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 41, resource.RLIM_INFINITY))
    with tempfile.TemporaryDirectory() as place:
        try:
            end = CASES[name](Path(place))
        except DeadlineError:
            end = "deadline"
        except KeyboardInterrupt:
            end = "interrupted"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    os.write(1, json.dumps({"end": end, "seconds": round(Hostile.longest, 2), "MiB": peak}).encode())
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
