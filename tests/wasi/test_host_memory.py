"""What guests make the host keep: descriptors, listings, files and directories in memory. Each has its limit,
and trees may be as deep as they like."""

from __future__ import annotations

import gc
import os
import socket
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.limits import Limits
from pywasm_nn.wasi import MemoryDirectory, Wasi
from pywasm_nn.wasi.errors import Errno

from ..conftest import HANGS
from .calls import ALL

CREAT, DIRECTORY = 1, 2
TAKES_ALL = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
sys.path.insert(0, sys.argv[2])
from calls import Guest, DEFAULTS
from pywasm_nn.wasi import Wasi
guests = [Guest(Wasi(dirs={"/": sys.argv[1]}).open(print), []) for _ in range(3)]
ends = set()
for guest in guests:
    for _ in range(1000):
        guest.next = 4096
        errno, fd = guest.open(sys.argv[3], 0, 2)
        if errno:
            break
    ends.add(errno)
    ends.add(guest.open("deep/" * 250 + "file", 0, 2)[0])
free = [os.open(os.devnull, os.O_RDONLY) for _ in range(60)]
print(sorted(map(int, ends)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sets a POSIX limit")
@pytest.mark.parametrize("portable", ["0", "1"])
@pytest.mark.parametrize("name", ["file", "."])
def test_guests_leave_descriptors_to_the_host(tmp_path: Path, portable: str, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    deep = os.open(tmp_path, os.O_RDONLY)
    for _ in range(250):
        os.mkdir("deep", dir_fd=deep)
        below = os.open("deep", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    try:
        out = subprocess.run(
            [sys.executable, "-c", TAKES_ALL, str(tmp_path), str(Path(__file__).parent), name],
            env={**os.environ, "PYWASM_NN_PORTABLE": portable},
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert out.stdout.splitlines()[-1:] == [str([int(Errno.NFILE)])], out.stderr
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path / "deep")], check=True)


def test_a_connection_too_many_is_closed(make_guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        guest = make_guest(listen=[listener])
        monkeypatch.setattr("pywasm_nn.wasi.held.most_descriptors", lambda: 4)
        with socket.create_connection(listener.getsockname(), timeout=HANGS) as client:
            assert guest.call("sock_accept", 3, 0, 8) == Errno.NFILE
            assert client.recv(1) == b""


def names_of(guest: Any, fd: int) -> list[str]:
    """All names in a directory, listed with little room at once."""
    names, cookie = [], 0
    while True:
        assert guest.call("fd_readdir", fd, 32768, 4000, cookie, 8) == 0
        (used,) = guest.unpack("I", 8)
        data, offset = guest.read(32768, used), 0
        while offset + 24 <= used:
            following, _, length, _ = struct.unpack_from("<QQIB", data, offset)
            offset += 24 + length
            if offset > used:
                break
            names.append(data[offset - length : offset].decode())
            cookie = following
        if used < 4000:
            return sorted(names)


def test_listings_of_many_directories_are_not_all_kept(make_guest: Any, walking: str, tmp_path: Path) -> None:
    expected = sorted([".", "..", *(f"name{number:04}" for number in range(1000))])
    memory = MemoryDirectory(dict.fromkeys(expected[2:], b""))
    for name in expected[2:]:
        (tmp_path / name).touch()
    for place in (memory, tmp_path):
        guest = make_guest(dirs={"/": place}, limits=Limits(listings=100_000))
        fds = [guest.opened(".", DIRECTORY) for _ in range(50)]
        assert names_of(guest, fds[0]) == expected
        tracemalloc.start()
        for fd in fds:
            assert guest.call("fd_readdir", fd, 32768, 1000, 0, 8) == 0
        assert tracemalloc.get_traced_memory()[0] < 400_000
        tracemalloc.stop()
        for fd in (fds[0], fds[-1]):
            assert names_of(guest, fd) == expected
        # Two that take turns, one of which is forgotten each time, still get every name.
        guest = make_guest(dirs={"/": place}, limits=Limits(listings=40_000))
        assert names_of(guest, guest.opened(".", DIRECTORY)) == expected
        guest = make_guest(dirs={"/": place}, limits=Limits(listings=10_000))
        assert guest.call("fd_readdir", 3, 32768, 1000, 0, 8) == Errno.NOMEM


def test_a_listing_goes_on_as_it_was_when_another_directory_is_listed(make_guest: Any, walking: str) -> None:
    """What both take is far below the limit, so names that go leave no gap in what is still to come."""
    memory = MemoryDirectory({f"{folder}/name{n:03}": b"" for folder in "ab" for n in range(40)})
    guest = make_guest(dirs={"/": memory})
    first, second = guest.opened("a", DIRECTORY), guest.opened("b", DIRECTORY)
    assert guest.call("fd_readdir", first, 32768, 31 * 20, 0, 8) == 0
    listed, cookie = entries_in(guest, 31 * 20)
    assert 2 < len(listed) < 42
    assert len(names_of(guest, second)) == 42
    for name in listed:
        assert name in (".", "..") or guest.call("path_unlink_file", 3, *guest.put(f"a/{name}")) == 0
    rest: list[str] = []
    while True:
        assert guest.call("fd_readdir", first, 32768, 31 * 20, cookie, 8) == 0
        found, cookie = entries_in(guest, guest.unpack("I", 8)[0], cookie)
        if not found:
            break
        rest += found
    assert sorted(listed + rest) == sorted([".", "..", *(f"name{n:03}" for n in range(40))])


def entries_in(guest: Any, size: int, cookie: int = 0) -> tuple[list[str], int]:
    """The whole entries among what fd_readdir wrote, and the cookie behind the last of them."""
    data, names, at = guest.read(32768, size), list[str](), 0
    while at + 24 <= size:
        following, _, length, _ = struct.unpack_from("<QQII", data, at)
        if at + 24 + length > size:
            break
        names.append(data[at + 24 : at + 24 + length].decode())
        cookie, at = following, at + 24 + length
    return names, cookie


def test_names_that_go_while_they_are_listed(make_guest: Any) -> None:
    memory = MemoryDirectory({f"name{number}": b"" for number in range(300)})
    guest = make_guest(dirs={"/": memory})
    assert guest.call("fd_readdir", 3, 32768, 1000, 0, 8) == 0
    for number in range(100):
        guest.next = 4096
        assert guest.call("path_unlink_file", 3, *guest.put(f"name{number}")) == 0
    assert guest.call("fd_readdir", 3, 32768, 1000, 10, 8) == 0
    assert struct.unpack("<Q", guest.read(32768, 8)) == (11,)


DEEP = 10_000


def test_trees_in_memory_are_as_deep_as_guests_make_them(make_guest: Any) -> None:
    memory = MemoryDirectory()
    guest = make_guest(dirs={"/": memory})
    fd = 3
    for _ in range(DEEP):
        guest.next = 4096
        assert guest.call("path_create_directory", fd, *guest.put("d")) == 0
        below = guest.opened("d", DIRECTORY, fd=fd)
        if fd != 3:
            assert guest.call("fd_close", fd) == 0
        fd = below
    assert guest.write_fd(guest.opened("file", CREAT, 66, fd=fd), b"x") == (0, 1)
    (path,) = memory
    assert path == "d/" * DEEP + "file"
    assert memory[path] == b"x"
    assert len(memory) == 1
    assert len(repr(memory)) < 200
    assert len(repr(memory.root)) < 400
    assert guest.call("path_create_directory", 3, *guest.put("other")) == 0
    assert guest.call("path_rename", 3, *guest.put("d"), 3, *guest.put("other/d")) == 0
    assert guest.call("path_rename", 3, *guest.put("other"), fd, *guest.put("x")) == Errno.INVAL
    guest.host.close()
    del memory, guest, path


def test_long_paths_of_a_tree_that_is_deep_and_wide(make_guest: Any) -> None:
    """As texts the paths that lie ahead would take the square of the depth."""
    memory = MemoryDirectory()
    from pywasm_nn.wasi.codes import Filetype

    node = memory.root
    for _ in range(3000):
        memory.add(node, "e" * 200, Filetype.DIRECTORY)
        node = memory.add(node, "d" * 200, Filetype.DIRECTORY)
    tracemalloc.start()
    assert list(memory) == []
    assert tracemalloc.get_traced_memory()[1] < 10 << 20
    tracemalloc.stop()


def test_what_links_and_names_take_is_counted(make_guest: Any) -> None:
    memory = MemoryDirectory(limit=1 << 20)
    guest = make_guest(dirs={"/": memory})
    tracemalloc.start()
    target, errno = "t" * 4000 + "\N{GRINNING FACE}", 0
    for made in range(10_000):
        guest.next = 4096
        name = f"{made:05}" + "é" * 50
        errno = guest.call("path_symlink", *guest.put(target), 3, *guest.put(name))
        if errno:
            break
    assert errno == Errno.NOSPC
    assert tracemalloc.get_traced_memory()[0] < 2 << 20
    tracemalloc.stop()
    for number in reversed(range(made)):
        guest.next = 4096
        name = f"{number:05}" + "é" * 50
        assert guest.call("path_rename", 3, *guest.put(name), 3, *guest.put("short")) == 0
        assert guest.call("path_unlink_file", 3, *guest.put("short")) == 0
    assert memory.used == 0


def test_removed_directories_hold_none_above_them(make_guest: Any) -> None:
    memory = MemoryDirectory()
    guest = make_guest(dirs={"/": memory})
    fds = [3]
    for _ in range(60):
        guest.next = 4096
        assert guest.call("path_create_directory", fds[-1], *guest.put("d")) == 0
        fds.append(guest.opened("d", DIRECTORY, fd=fds[-1]))
    guest.next = 4096
    for fd in reversed(fds[:-1]):
        assert guest.call("path_remove_directory", fd, *guest.put("d")) == 0
    deepest = guest.host.system.descriptor(fds[-1]).folder.node
    assert (deepest.parent, memory.used) == (None, 0)


def test_sizes_in_memory_are_refused_before_they_are_taken(make_guest: Any) -> None:
    memory = MemoryDirectory(limit=1 << 24)
    guest = make_guest(dirs={"/": memory})
    fd = guest.opened("file", CREAT, ALL)
    tracemalloc.start()
    for size in (1 << 25, 1 << 40, (1 << 63) - 1):
        assert guest.call("fd_filestat_set_size", fd, size) == Errno.NOSPC
        assert guest.call("fd_allocate", fd, 0, size) == Errno.NOSPC
    for offset in (1 << 25, 1 << 60, (1 << 63) - 1):
        assert guest.call("fd_pwrite", fd, *guest.vector(10), offset, 8) == Errno.NOSPC
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    assert guest.call("fd_filestat_set_size", fd, 1 << 23) == 0
    assert tracemalloc.get_traced_memory()[1] < 2.5 * (1 << 23)
    tracemalloc.stop()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts descriptors in /proc")
def test_a_guest_that_is_dropped_keeps_no_descriptor(tmp_path: Path) -> None:
    module = Module.from_text('(module (memory (export "memory") 1))')
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        module.instantiate(wasi=Wasi(dirs={"/": tmp_path}))
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before
