"""All 46 functions given one bad argument at a time: what wasmtime answers, but for what it lacks; and
nothing has happened before a pointer is found bad."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from pywasm_nn.errors import GuestExit, Trap, TrapKind
from pywasm_nn.interpreter.types import I32
from pywasm_nn.wasi import Capture, Clocks
from pywasm_nn.wasi.errors import Errno
from pywasm_nn.wasi.preview1 import preview1

from ..conftest import examples
from .trees import below

FILE, NEW, IOVEC, BUFFER, POLL, ANSWER, EVENTS = 64, 96, 128, 256, 8192, 1024, 32768
SYNC = 2 | 8 | 16
FIRST, OPENED = 3, 4
"""The tree, and "file" in it, opened to read and write."""
GOOD: dict[str, tuple[int, ...]] = {
    "args_get": (ANSWER, BUFFER),
    "args_sizes_get": (ANSWER, ANSWER + 8),
    "environ_get": (ANSWER, BUFFER),
    "environ_sizes_get": (ANSWER, ANSWER + 8),
    "clock_res_get": (1, ANSWER),
    "clock_time_get": (1, 0, ANSWER),
    "random_get": (BUFFER, 16),
    "fd_advise": (OPENED, 0, 4, 1),
    "fd_allocate": (OPENED, 0, 4),
    "fd_close": (OPENED,),
    "fd_datasync": (OPENED,),
    "fd_sync": (OPENED,),
    "fd_fdstat_get": (OPENED, ANSWER),
    "fd_fdstat_set_flags": (OPENED, 1),
    "fd_fdstat_set_rights": (OPENED, 2, 0),
    "fd_filestat_get": (OPENED, ANSWER),
    "fd_filestat_set_size": (OPENED, 4),
    "fd_filestat_set_times": (OPENED, 1, 1, 5),
    "fd_read": (OPENED, IOVEC, 1, ANSWER),
    "fd_pread": (OPENED, IOVEC, 1, 0, ANSWER),
    "fd_write": (OPENED, IOVEC, 1, ANSWER),
    "fd_pwrite": (OPENED, IOVEC, 1, 0, ANSWER),
    "fd_seek": (OPENED, 1, 0, ANSWER),
    "fd_tell": (OPENED, ANSWER),
    "fd_prestat_get": (FIRST, ANSWER),
    "fd_prestat_dir_name": (FIRST, BUFFER, 1),
    "fd_readdir": (FIRST, BUFFER, 256, 0, ANSWER),
    "fd_renumber": (OPENED, FIRST),
    "path_create_directory": (FIRST, NEW, 3),
    "path_filestat_get": (FIRST, 1, FILE, 4, ANSWER),
    "path_filestat_set_times": (FIRST, 1, FILE, 4, 1, 1, 5),
    "path_link": (FIRST, 0, FILE, 4, FIRST, NEW, 3),
    "path_open": (FIRST, 1, NEW, 3, 1, 66, 0, 0, ANSWER),
    "path_readlink": (FIRST, NEW + 8, 7, BUFFER, 16, ANSWER),
    "path_remove_directory": (FIRST, NEW + 16, 5),
    "path_rename": (FIRST, FILE, 4, FIRST, NEW, 3),
    "path_symlink": (FILE, 4, FIRST, NEW, 3),
    "path_unlink_file": (FIRST, FILE, 4),
    "poll_oneoff": (POLL, EVENTS, 1, ANSWER),
    "proc_exit": (0,),
    "proc_raise": (16,),
    "sched_yield": (),
    "sock_accept": (OPENED, 0, ANSWER),
    "sock_recv": (OPENED, IOVEC, 1, 0, ANSWER, ANSWER + 8),
    "sock_send": (OPENED, IOVEC, 1, 0, ANSWER),
    "sock_shutdown": (OPENED, 1),
}
"""A call of each function that succeeds; sockets answer that the file is none."""
EDGES = [
    0, 1, 2, 3, 4, 6, 7, 12, 99, 65528, 65532, 65533, 65535, 65536,
    0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF0, 0xFFFF_FFF8, 0xFFFF_FFFF,
]  # fmt: skip
LONG_EDGES = [*EDGES, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def prepare(guest: Any) -> Any:
    """Put what the good calls point to into memory, and open the file."""
    guest.write(FILE, b"file")
    guest.write(NEW, b"new\0\0\0\0\0to_file\0empty")
    guest.write(IOVEC, struct.pack("<II", BUFFER, 16))
    guest.write(POLL, struct.pack("<QB7xI4xQQH6x", 7, 0, 1, 0, 0, 0))
    assert guest.opened("file") == OPENED
    return guest


def outcome(guest: Any, name: str, arguments: tuple[int, ...]) -> Any:
    """The errno, "trap" or "exit"."""
    try:
        return guest.call(name, *arguments)
    except Trap:
        return "trap"
    except GuestExit:
        return "exit"


REFUSED = {
    "fd_allocate": {Errno.NOTSUP},
    "fd_fdstat_set_rights": {Errno.NOTSUP, Errno.BADF},
    "proc_raise": {Errno.NOTSUP},
    "sock_accept": {Errno.NOTSOCK},
    "sock_recv": {Errno.NOTSOCK},
    "sock_send": {Errno.NOTSOCK},
    "sock_shutdown": {Errno.NOTSOCK},
}
"""Functions that wasmtime lacks, and what it answers to all that its types allow."""
LACKED: dict[tuple[str, int], Callable[[int], bool]] = {
    ("clock_res_get", 0): lambda clock: clock in (2, 3),  # of the processor's time: EBADF
    ("clock_time_get", 0): lambda clock: clock in (2, 3),
    ("fd_fdstat_set_flags", 1): lambda flags: flags < 32 and flags & SYNC != 0,  # EINVAL
    ("path_open", 7): lambda flags: flags < 32 and flags & SYNC != 0,  # ENOTSUP
}
"""Values of arguments that wasmtime has nothing for, though its types allow them."""


def test_all_functions_are_here() -> None:
    assert set(GOOD) == set(preview1)
    assert len(GOOD) == 46


@pytest.mark.parametrize("name", [name for name in GOOD if name != "proc_exit"])
def test_one_bad_argument_is_answered_as_by_wasmtime(
    name: str, make_guest: Any, wasmtime_guest: Any, tmp_path: Path
) -> None:
    different = {}
    for arguments, index in bad(name):
        theirs = prepare(wasmtime_guest(planted(tmp_path), name)).call(name, *arguments)
        guest = prepare(make_guest(dirs={"/": planted(tmp_path)}, args=["program"], env={"NAME": "value"}))
        ours = outcome(guest, name, arguments)
        guest.host.close()
        if ours != theirs and theirs not in REFUSED.get(name, ()):
            different[index, arguments[index]] = ours, theirs
    assert different == {}


def bad(name: str) -> Iterator[tuple[tuple[int, ...], int]]:
    """The good call with one argument replaced, and which, but for what wasmtime lacks."""
    good = GOOD[name]
    for index, type_ in enumerate(preview1.signature(name).type.params):
        lacked = LACKED.get((name, index), lambda value: False)
        for edge in EDGES if type_ is I32 else LONG_EDGES:
            if not lacked(edge):
                yield (*good[:index], edge, *good[index + 1 :]), index


def planted(directory: Path) -> Path:
    """A small tree, made anew where a call has changed it."""
    made = directory / "tree"
    if not made.exists() or everything(made) != original():
        shutil.rmtree(made, ignore_errors=True)
        plant(made)
    return made


def plant(tree: Path) -> None:
    (tree / "empty").mkdir(parents=True)
    (tree / "file").write_bytes(b"0123456789")
    (tree / "to_file").symlink_to("file")


@cache
def original() -> list[tuple[str, int, int, str]]:
    with TemporaryDirectory() as directory:
        plant(Path(directory, "tree"))
        return everything(Path(directory, "tree"))


def subscription(tag: int, number: int, nanoseconds: int = 0, flags: int = 0) -> bytes:
    """`number` is a clock or a descriptor."""
    return struct.pack("<QB7xI4xQQH6x", 7, tag, number, nanoseconds, 0, flags)


@pytest.mark.parametrize(
    "waits",
    [
        [subscription(3, 1)], [subscription(255, 1)], [subscription(0, 4)], [subscription(0, 0xFFFF_FFFF)],
        [subscription(0, 1, flags=1)], [subscription(0, 1, flags=2)], [subscription(0, 1, flags=0xFFFF)],
        [subscription(1, 99)], [subscription(2, 99)], [subscription(1, FIRST)], [subscription(2, FIRST)],
        [subscription(1, 1)], [subscription(2, 0)], [subscription(1, OPENED)], [subscription(2, OPENED)],
        [subscription(0, 1, 1), subscription(1, 99)], [subscription(1, OPENED), subscription(1, 99)],
    ],
)  # fmt: skip
def test_what_a_poll_can_not_wait_for_is_answered_as_by_wasmtime(
    waits: list[bytes], make_guest: Any, wasmtime_guest: Any, tmp_path: Path
) -> None:
    def polled(guest: Any) -> Any:
        prepare(guest).write(POLL, b"".join(waits))
        return guest.call("poll_oneoff", POLL, EVENTS, len(waits), ANSWER)

    theirs = polled(wasmtime_guest(planted(tmp_path), "poll_oneoff"))
    assert polled(make_guest(dirs={"/": planted(tmp_path)})) == theirs


HERE, OUTSIDE = (BUFFER, 3), (65530, 7)


@pytest.mark.parametrize(
    "vector",
    [
        [OUTSIDE], [(0, 0), OUTSIDE], [(65537, 0), (0xFFFF_FFFF, 0)], [(65537, 0), HERE], [HERE, OUTSIDE],
        [HERE, (0xFFFF_FFFF, 0xFFFF_FFFF)], [HERE] * 2000, [(0, 0)] * 2000 + [HERE],
    ],
)  # fmt: skip
@pytest.mark.parametrize("more", [0, 7000])
@pytest.mark.parametrize("name", ["fd_read", "fd_write", "fd_pread", "fd_pwrite"])
def test_buffers_that_are_not_there_are_answered_as_by_wasmtime(
    name: str, vector: list[tuple[int, int]], more: int, make_guest: Any, wasmtime_guest: Any, tmp_path: Path
) -> None:
    """A bad buffer behind a good one, or an array that ends there (`more`), makes a call short."""
    offset = (1,) if name[3] == "p" else ()

    def moved(guest: Any) -> Any:
        prepare(guest)
        at = 65536 - 8 * len(vector)
        guest.write(at, b"".join(struct.pack("<II", *buffer) for buffer in vector))
        answer = guest.call(name, OPENED, at, len(vector) + more, *offset, ANSWER)
        return answer, guest.unpack("I", ANSWER)[0] > 0

    def ours() -> Any:
        try:
            return moved(make_guest(dirs={"/": planted(tmp_path)}))
        except Trap:
            return "trap", False

    assert ours() == moved(wasmtime_guest(planted(tmp_path), name))


@pytest.mark.parametrize("bad_pointer", [65536, 0xFFFF_FFF9, 1021])
@pytest.mark.parametrize("name", GOOD)
def test_pointers_are_checked_before_anything_happens(
    name: str, bad_pointer: int, start: Any, tree: Path
) -> None:
    """Each pointer for an answer is made bad in turn: the call traps, and all is as it was."""
    for out_pointer in preview1.signature(name).parameters:
        if type(out_pointer.crossing).__name__ != "_OutCrossing":
            continue
        out = Capture()
        guest = prepare(start(dirs={"/": tree}, stdout=out, args=["a"], env={"b": "c"}))
        before, memory = everything(tree), guest.read(0, 65536)
        arguments = (*GOOD[name][: out_pointer.start], bad_pointer, *GOOD[name][out_pointer.stop :])
        with pytest.raises(Trap) as caught:
            guest.call(name, *arguments)
        unaligned = TrapKind.UNALIGNED_POINTER
        assert caught.value.kind is (unaligned if bad_pointer == 1021 else TrapKind.OUT_OF_BOUNDS_MEMORY)
        assert (everything(tree), guest.read(0, 65536), out.value) == (before, memory, b"")
        assert guest.call("fd_tell", OPENED, ANSWER) == 0
        assert guest.unpack("Q", ANSWER) == (0,)
        assert guest.opened("file", 0, 2) == OPENED + 1
        guest.host.close()


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
@pytest.mark.parametrize("name", GOOD)
def test_absurd_arguments_are_answered_by_errno_or_trap(start: Any, tree: Path, name: str, data: Any) -> None:
    """Nothing else may be raised, and `FakeMemory` asserts that nothing outside memory is looked at."""
    guest = start(dirs={"/": tree}, args=["a"], env={"b": "c"}, clocks=Clocks(sleep=lambda seconds: None))
    guest.write(0, data.draw(st.binary(min_size=256, max_size=256)))
    types = preview1.signature(name).type.params
    arguments = [data.draw(st.sampled_from(EDGES if type_ is I32 else LONG_EDGES)) for type_ in types]
    try:
        assert 0 <= guest.call(name, *arguments) <= Errno.NOTCAPABLE
    except Trap as trap:
        assert trap.kind in (
            TrapKind.OUT_OF_BOUNDS_MEMORY, TrapKind.UNALIGNED_POINTER, TrapKind.NO_SUCH_VALUE,
        )  # fmt: skip
    except GuestExit:
        assert name in ("proc_exit", "proc_raise")
    finally:
        guest.host.close()


def everything(directory: Path) -> list[tuple[str, int, int, str]]:
    """Every name below a directory: type, size and the beginning, because guests make files large."""
    found = []
    for name, entry in below(directory):
        status = entry.stat(follow_symlinks=False)
        found.append((name, status.st_mode, status.st_size, beginning(entry)))
    return sorted(found)


def beginning(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return os.readlink(entry.path)
    if entry.is_dir():
        return "/"
    with open(entry.path, encoding="latin-1") as file:
        return file.read(100)
