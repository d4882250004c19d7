"""Functions of preview1 through the face, with a guest that has memory and no code; both ways of resolving
paths."""

from __future__ import annotations

import os
import struct
import threading
import time
from io import BytesIO, FileIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn.errors import GuestExit, Trap
from pywasm_nn.limits import Limits
from pywasm_nn.wasi import Capture, Clocks, Dir, Wasi
from pywasm_nn.wasi.codes import DIRECTORY_RIGHTS, FILE_RIGHTS, Rights
from pywasm_nn.wasi.errors import Errno

from ..conftest import interrupted_in

CREAT, DIRECTORY, EXCL, TRUNC = 1, 2, 4, 8
APPEND = 1
READ, WRITE = 2, 64
SET, CUR, END = 0, 1, 2


def test_arguments_and_environment(start: Any) -> None:
    guest = start(args=["prog", "ä", b"\xff"], env={"K": "v=1", "EMPTY": ""})
    for sizes, get, expected in [
        ("args_sizes_get", "args_get", [b"prog", "ä".encode(), b"\xff"]),
        ("environ_sizes_get", "environ_get", [b"K=v=1", b"EMPTY="]),
    ]:
        assert guest.call(sizes, 0, 4) == 0
        count, size = guest.unpack("II", 0)
        assert (count, size) == (len(expected), sum(len(text) + 1 for text in expected))
        assert guest.call(get, 100, 1000) == 0
        addresses = guest.unpack(f"{count}I", 100)
        assert guest.read(1000, size) == b"".join(text + b"\0" for text in expected)
        assert [
            guest.read(address, len(text)) for address, text in zip(addresses, expected, strict=True)
        ] == expected


@pytest.mark.parametrize(
    "settings", [{"args": ["a\0b"]}, {"env": {"A": "\0"}}, {"env": {"A=B": "c"}}, {"env": {"": "c"}}]
)
def test_strings_that_no_guest_can_hold(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"NUL|variable"):
        Wasi(**settings).open(print)


def test_a_directory_that_is_not_there_is_named(start: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the directory /data") as caught:
        start(dirs={"/data": tmp_path / "nowhere"})
    assert caught.value.filename == str(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        start(dirs={"/data": tmp_path / "file"})


def test_clocks(start: Any) -> None:
    clocks = Clocks(
        realtime=lambda: 5, monotonic=iter(range(1000, 2000)).__next__, process=lambda: 7, thread=lambda: 8
    )
    guest = start(clocks=clocks)
    times = []
    for clock in range(4):
        assert guest.call("clock_time_get", clock, 0, 8) == 0
        times += guest.unpack("Q", 8)
        assert guest.call("clock_res_get", clock, 8) == 0
        assert guest.unpack("Q", 8)[0] >= 1
    assert times == [5, 1, 7, 8]


def test_random_numbers_are_what_the_source_gives(start: Any) -> None:
    guest = start(random=lambda count: b"x" * count)
    assert guest.call("random_get", 100, 5) == 0
    assert guest.read(99, 7) == b"\0xxxxx\0"


def test_output_and_input(start: Any) -> None:
    out, pieces = Capture(), []
    guest = start(stdin=b"abcdef", stdout=out, stderr=pieces.append)
    guest.write(100, b"hello world")
    vector, _ = guest.put(struct.pack("<IIIIII", 100, 5, 0, 0, 105, 6))
    assert guest.call("fd_write", 1, vector, 3, 8) == 0
    assert guest.unpack("I", 8) == (11,)
    assert out.value == b"hello world"
    assert guest.write_fd(2, b"oh") == (0, 2)
    assert pieces == [b"oh"]
    assert guest.read_fd(0, 4) == (0, b"abcd")
    assert guest.read_fd(0, 4) == (0, b"ef")
    assert guest.read_fd(0, 4) == (0, b"")


def test_a_source_may_be_a_file_or_a_callable_and_must_keep_its_word(start: Any) -> None:
    assert start(stdin=BytesIO(b"abc")).read_fd(0, 10) == (0, b"abc")
    assert start(stdin=lambda count: b"z" * min(count, 3)).read_fd(0, 10) == (0, b"zzz")
    assert start(stdin=lambda count: b"z" * (count + 1)).read_fd(0, 10) == (Errno.IO, b"")


def test_output_beyond_the_limit_of_a_capture(start: Any) -> None:
    out = Capture(limit=3)
    guest = start(stdout=out)
    assert guest.write_fd(1, b"abc") == (0, 3)
    assert guest.write_fd(1, b"d")[0] == Errno.NOSPC
    assert out.value == b"abc"


def test_streams_know_what_they_are_not(start: Any) -> None:
    guest = start()
    assert guest.write_fd(0, b"x")[0] == Errno.BADF
    assert guest.read_fd(1, 1)[0] == Errno.BADF
    assert guest.call("fd_seek", 1, 0, SET, 8) == Errno.SPIPE
    assert guest.call("fd_tell", 0, 8) == Errno.SPIPE
    assert guest.call("fd_pread", 0, *guest.vector(1), 0, 8) == Errno.SPIPE
    assert guest.call("fd_pread", 1, *guest.vector(1), 0, 8) == Errno.BADF
    assert guest.open("x", fd=1)[0] == Errno.BADF
    assert guest.call("fd_prestat_get", 1, 8) == Errno.BADF
    assert guest.call("fd_fdstat_get", 1, 8) == 0
    filetype, _, rights, _ = guest.unpack("BxH4xQQ", 8)
    assert filetype == 0
    assert not rights & (Rights.FD_SEEK | Rights.FD_TELL), "a C library would take it for a file"


def test_preopened_directories(start: Any, tree: Path) -> None:
    guest = start(dirs=[Dir(tree, "/"), Dir(tree / "sub", "models", readonly=True)])
    names = []
    for fd in (3, 4):
        assert guest.call("fd_prestat_get", fd, 8) == 0
        kind, length = guest.unpack("B3xI", 8)
        assert kind == 0
        assert guest.call("fd_prestat_dir_name", fd, 100, length - 1) == Errno.NAMETOOLONG
        assert guest.call("fd_prestat_dir_name", fd, 100, length) == 0
        names.append(guest.read(100, length))
    assert names == [b"/", b"models"]
    assert guest.call("fd_prestat_get", 5, 8) == Errno.BADF
    assert guest.call("fd_prestat_get", guest.opened("sub", DIRECTORY), 8) == Errno.BADF


def test_read_only_directories_change_in_no_way(start: Any, tree: Path) -> None:
    guest = start(dirs=[Dir(tree, "/", readonly=True), Dir(tree, "/writable")])
    file, new = guest.put("file"), guest.put("new")
    before = os.stat(tree / "file")
    assert guest.open("file", 0, READ)[0] == 0
    for how, rights in [
        (0, WRITE),
        (TRUNC, READ),
        (0, int(Rights.FD_ALLOCATE)),
        (0, int(Rights.FD_FILESTAT_SET_SIZE)),
    ]:
        assert guest.open("file", how, rights)[0] == Errno.ROFS
    assert guest.open("new", CREAT, READ)[0] == Errno.ROFS
    assert guest.open("file", CREAT, READ)[0] == 0
    assert guest.call("path_create_directory", 3, *new) == Errno.ROFS
    assert guest.call("path_remove_directory", 3, *guest.put("empty")) == Errno.ROFS
    assert guest.call("path_unlink_file", 3, *file) == Errno.ROFS
    assert guest.call("path_rename", 3, *file, 4, *new) == Errno.ROFS
    assert guest.call("path_rename", 4, *file, 3, *new) == Errno.ROFS
    assert guest.call("path_link", 3, 0, *file, 4, *new) == Errno.ROFS
    assert guest.call("path_link", 4, 0, *file, 3, *new) == Errno.ROFS
    assert guest.call("path_symlink", *file, 3, *new) == Errno.ROFS
    assert guest.call("path_filestat_set_times", 3, 0, *file, 0, 0, 1) == Errno.ROFS
    assert guest.call("fd_filestat_set_times", guest.opened("file", 0, READ), 0, 0, 1) == Errno.NOTCAPABLE
    assert guest.call("fd_filestat_set_times", 3, 0, 0, 1) == Errno.ROFS
    sub = guest.opened("sub", DIRECTORY, int(DIRECTORY_RIGHTS))
    assert guest.open("new", CREAT, fd=sub)[0] == Errno.ROFS
    assert not (tree / "new").exists()
    assert (os.stat(tree / "file").st_mtime_ns, (tree / "file").read_bytes()) == (
        before.st_mtime_ns,
        b"0123456789",
    )


def test_writing_reading_and_seeking(guest: Any, tree: Path) -> None:
    fd = guest.opened("new", CREAT | EXCL, READ | WRITE | int(FILE_RIGHTS))
    assert guest.write_fd(fd, b"abcdef") == (0, 6)
    for offset, whence, position in [(2, SET, 2), (1, CUR, 3), (-1, END, 5), (0, CUR, 5), (4, END, 10)]:
        assert guest.call("fd_seek", fd, offset & (1 << 64) - 1, whence, 8) == 0
        assert guest.unpack("Q", 8) == (position,)
    assert guest.call("fd_seek", fd, -1 & (1 << 64) - 1, SET, 8) == Errno.INVAL
    assert guest.call("fd_tell", fd, 8) == 0
    assert guest.unpack("Q", 8) == (10,)
    assert guest.write_fd(fd, b"!") == (0, 1)
    assert (tree / "new").read_bytes() == b"abcdef\0\0\0\0!"
    assert guest.call("fd_pread", fd, *guest.vector(2, 3), 1, 8) == 0
    assert (guest.unpack("I", 8), guest.read(16384, 5)) == ((5,), b"bcdef")
    guest.write(16384, b"XY")
    assert guest.call("fd_pwrite", fd, *guest.vector(1, 1), 4, 8) == 0
    assert guest.call("fd_tell", fd, 8) == 0
    assert guest.unpack("Q", 8) == (11,), "pread and pwrite leave the position alone"
    assert (tree / "new").read_bytes() == b"abcdXY\0\0\0\0!"
    assert guest.call("fd_pread", fd, *guest.vector(1), 1 << 63, 8) == Errno.INVAL
    assert guest.open("new", CREAT | EXCL)[0] == Errno.EXIST


def test_asking_for_the_position_needs_a_right_of_its_own(guest: Any) -> None:
    fd = guest.opened("file", 0, READ | int(Rights.FD_SEEK | Rights.FD_TELL))
    assert guest.call("fd_seek", fd, 3, SET, 8) == 0
    assert guest.call("fd_fdstat_set_rights", fd, READ | int(Rights.FD_TELL), 0) == 0
    assert guest.call("fd_seek", fd, 0, CUR, 8) == 0
    assert guest.unpack("Q", 8) == (3,)
    for offset, whence in ((1, CUR), (0, SET), (0, END)):
        assert guest.call("fd_seek", fd, offset, whence, 8) == Errno.NOTCAPABLE
    assert guest.call("fd_tell", fd, 8) == 0
    assert guest.unpack("Q", 8) == (3,)


def test_a_call_ends_before_the_first_buffer_outside_memory(guest: Any, tree: Path) -> None:
    """As few of the buffers as are there, and no more than a call takes; the rest is for the next call."""
    fd = guest.opened("new", CREAT, READ | WRITE)
    (at, length), end = guest.put(b"abc"), (1 << 32) - 4
    for count in (1, 2, 700):
        array, _ = guest.put(struct.pack("<II", at, length) * count + struct.pack("<II", end, 4))
        assert guest.call("fd_write", fd, array, count + 1, 8) == 0
        assert guest.unpack("I", 8) == (3 * count,)
    assert (tree / "new").read_bytes() == b"abc" * 703
    array, _ = guest.put(struct.pack("<II", at, 1) * 5000)
    assert guest.call("fd_write", fd, array, 5000, 8) == 0
    (written,) = guest.unpack("I", 8)
    assert 0 < written <= 5000
    assert (tree / "new").stat().st_size == 3 * 703 + written


def test_reading_into_several_buffers(guest: Any) -> None:
    fd = guest.opened("file", 0, READ)
    assert guest.call("fd_read", fd, *guest.vector(3, 0, 4, 50), 8) == 0
    assert (guest.unpack("I", 8), guest.read(16384, 10)) == ((10,), b"0123456789")


def test_appending(guest: Any, tree: Path) -> None:
    fd = guest.opened("file", 0, READ | WRITE | int(FILE_RIGHTS), flags=APPEND)
    assert guest.call("fd_seek", fd, 0, SET, 8) == 0
    assert guest.write_fd(fd, b"ab") == (0, 2)
    guest.write(16384, b"Z")
    assert guest.call("fd_pwrite", fd, *guest.vector(1), 0, 8) == 0
    assert (tree / "file").read_bytes() == b"Z123456789ab", "pwrite goes where it is told"
    assert guest.call("fd_fdstat_set_flags", fd, 0) == 0
    assert guest.call("fd_seek", fd, 1, SET, 8) == 0
    assert guest.write_fd(fd, b"Y") == (0, 1)
    assert (tree / "file").read_bytes() == b"ZY23456789ab"


def test_size_allocation_and_sync(guest: Any, tree: Path) -> None:
    fd = guest.opened("file", 0)
    assert guest.call("fd_filestat_set_size", fd, 4) == 0
    assert (tree / "file").read_bytes() == b"0123"
    assert guest.call("fd_allocate", fd, 2, 4) == 0
    assert (tree / "file").read_bytes() == b"0123\0\0"
    assert guest.call("fd_allocate", fd, 0, 2) == 0
    assert (tree / "file").stat().st_size == 6
    assert guest.call("fd_allocate", fd, 0, 0) == Errno.INVAL
    assert guest.call("fd_allocate", fd, 1 << 63, 1 << 63) == Errno.INVAL
    assert guest.call("fd_filestat_set_size", fd, 1 << 63) == Errno.INVAL
    assert guest.call("fd_advise", fd, 0, 10, 5) == 0
    assert guest.call("fd_advise", fd, 0, 1 << 63, 0) == Errno.INVAL
    assert guest.call("fd_sync", fd) == guest.call("fd_datasync", fd) == 0


def test_truncating_needs_its_right_and_no_write_right(guest: Any, tree: Path) -> None:
    assert guest.open("file", TRUNC, READ)[0] == 0
    assert (tree / "file").read_bytes() == b""
    rights = int(DIRECTORY_RIGHTS & ~Rights.PATH_FILESTAT_SET_SIZE)
    assert guest.call("fd_fdstat_set_rights", 3, rights, int(FILE_RIGHTS)) == 0
    assert guest.open("file", TRUNC, READ)[0] == Errno.NOTCAPABLE


def test_stat_says_what_the_host_says(guest: Any, tree: Path) -> None:
    for name, filetype in [("file", 4), ("sub", 3), ("to_file", 7)]:
        status = os.lstat(tree / name)
        errno, stat = guest.stat(name, follow=0)
        assert (errno, *stat) == (
            0, status.st_dev, status.st_ino, filetype, status.st_nlink, status.st_size,
            stat[5], status.st_mtime_ns, status.st_ctime_ns,
        )  # fmt: skip
    fd = guest.opened("file")
    assert guest.call("fd_filestat_get", fd, 512) == 0
    assert guest.unpack("QQB7xQQ", 512) == guest.stat("file")[1][:5]


def test_times(guest: Any, tree: Path) -> None:
    path, fd = guest.put("file"), guest.opened("file")
    assert guest.call("path_filestat_set_times", 3, 0, *path, 1_000_000_001, 2_000_000_002, 5) == 0
    status = os.stat(tree / "file")
    assert (status.st_atime_ns, status.st_mtime_ns) == (1_000_000_001, 2_000_000_002)
    assert guest.call("fd_filestat_set_times", fd, 3_000_000_003, 9, 1) == 0
    status = os.stat(tree / "file")
    assert (status.st_atime_ns, status.st_mtime_ns) == (3_000_000_003, 2_000_000_002)
    assert guest.call("fd_filestat_set_times", fd, 0, 0, 8) == 0
    assert abs(os.stat(tree / "file").st_mtime_ns - time.time_ns()) < 60_000_000_000
    for both in (3, 12):
        assert guest.call("fd_filestat_set_times", fd, 0, 0, both) == Errno.INVAL
    assert guest.call("path_filestat_set_times", 3, 0, *guest.put("to_file"), 5_000_000_000, 0, 1) == 0
    assert os.lstat(tree / "to_file").st_atime_ns == 5_000_000_000
    assert os.stat(tree / "file").st_atime_ns == 3_000_000_003


def list_directory(guest: Any, fd: int, room: int) -> list[tuple[bytes, int]]:
    """Names and types, read with a buffer of `room` bytes as a C library reads them."""
    found, cookie = [], 0
    while True:
        assert guest.call("fd_readdir", fd, 16384, room, cookie, 8) == 0
        used = guest.unpack("I", 8)[0]
        data, offset = guest.read(16384, used), 0
        while offset + 24 <= used:
            following, _, length, filetype = struct.unpack_from("<QQIB", data, offset)
            if offset + 24 + length > used:
                break
            found.append((data[offset + 24 : offset + 24 + length], filetype))
            cookie, offset = following, offset + 24 + length
        if used < room:
            return found
        assert offset, "no whole entry fits"


@pytest.mark.parametrize("room", [48, 64, 100, 1000, 40000])
def test_listing_many_entries_with_small_buffers(guest: Any, tree: Path, room: int) -> None:
    for number in range(300):
        (tree / "empty" / f"file.{number}").touch()
    os.symlink("x", tree / "empty" / "link")
    (tree / "empty" / "dir").mkdir()
    listed = list_directory(guest, guest.opened("empty", DIRECTORY), room)
    expected = [(b".", 3), (b"..", 3), (b"dir", 3), (b"link", 7)]
    assert sorted(listed) == sorted(expected + [(b"file.%d" % number, 4) for number in range(300)])


def test_cookies_stay_true_while_names_come_and_go(guest: Any, tree: Path) -> None:
    for number in range(50):
        (tree / "empty" / str(number)).touch()
    fd = guest.opened("empty", DIRECTORY)
    assert guest.call("fd_readdir", fd, 16384, 300, 0, 8) == 0
    first = guest.read(16384, 300)
    for number in range(0, 50, 2):
        (tree / "empty" / str(number)).unlink()
    (tree / "empty" / "late").touch()
    seen, cookie = [], 0
    while (
        guest.call("fd_readdir", fd, 20000, 60, cookie, 8) == 0
        and guest.unpack("I", 8)[0] >= 24
        and cookie < 52
    ):
        if not cookie:
            cookie = struct.unpack_from("<Q", first)[0]
            continue
        cookie, _, length = struct.unpack("<QQI", guest.read(20000, 20))
        seen.append(guest.read(20024, length))
    remaining = {str(number).encode() for number in range(1, 50, 2)}
    assert remaining <= set(seen) | {b"."}, "what was there all the time is listed"
    assert len(seen) == len(set(seen))


def test_names_that_are_not_utf_8_are_listed_as_they_are(guest: Any, tree: Path) -> None:
    try:
        open(os.fsencode(tree) + b"/empty/\xff\xfe", "wb").close()
    except OSError:
        pytest.skip("this file system takes no names but UTF-8")
    assert (b"\xff\xfe", 4) in list_directory(guest, guest.opened("empty", DIRECTORY), 1000)


def test_descriptors_take_the_lowest_free_number(guest: Any) -> None:
    a, b, c = (guest.opened("file", 0, READ) for _ in range(3))
    assert (a, b, c) == (4, 5, 6)
    assert guest.call("fd_close", b) == 0
    assert guest.call("fd_close", b) == Errno.BADF
    assert guest.opened("file", 0, READ) == b
    assert guest.call("fd_close", 0) == 0
    assert guest.opened("file", 0, READ) == 0


def test_renumbering_closes_what_was_there(guest: Any) -> None:
    a, b = guest.opened("file"), guest.opened("sub/leaf")
    assert guest.call("fd_renumber", a, b) == 0
    assert guest.read_fd(b, 3) == (0, b"012")
    assert guest.call("fd_close", a) == Errno.BADF
    assert guest.call("fd_renumber", b, b) == 0
    assert guest.call("fd_renumber", b, a) == Errno.BADF
    assert guest.call("fd_renumber", a, b) == Errno.BADF
    assert guest.read_fd(b, 3) == (0, b"345")


def test_no_more_descriptors_than_allowed(start: Any, tree: Path) -> None:
    guest = start(dirs={"/": tree}, limits=Limits(descriptors=6))
    assert [guest.open("file", 0, READ)[0] for _ in range(4)] == [0, 0, Errno.MFILE, Errno.MFILE]


def test_rights_are_kept_checked_and_only_given_up(guest: Any) -> None:
    fd = guest.opened("file", 0, READ | WRITE | int(Rights.FD_SEEK))
    assert guest.call("fd_fdstat_get", fd, 8) == 0
    assert guest.unpack("BxH4xQQ", 8)[:3] == (4, 0, READ | WRITE | int(Rights.FD_SEEK))
    assert guest.call("fd_filestat_get", fd, 512) == Errno.NOTCAPABLE
    assert guest.call("fd_fdstat_set_rights", fd, READ | int(Rights.FD_TELL), 0) == Errno.NOTCAPABLE
    assert guest.call("fd_fdstat_set_rights", fd, READ, 0) == 0
    assert guest.write_fd(fd, b"x")[0] == Errno.NOTCAPABLE
    assert guest.call("fd_seek", fd, 0, CUR, 8) == Errno.NOTCAPABLE
    assert guest.read_fd(fd, 1) == (0, b"0")


def test_directories_pass_on_what_they_inherit(guest: Any) -> None:
    errno = guest.call("path_open", 3, 0, *guest.put("sub"), DIRECTORY, int(DIRECTORY_RIGHTS), READ, 0, 8)
    assert errno == 0
    sub = guest.unpack("I", 8)[0]
    assert guest.call("path_open", sub, 0, *guest.put("leaf"), 0, READ, 0, 0, 8) == 0
    assert guest.call("path_open", sub, 0, *guest.put("leaf"), 0, READ | WRITE, 0, 0, 8) == Errno.NOTCAPABLE


def test_a_directory_is_no_file_and_the_reverse(guest: Any) -> None:
    assert guest.read_fd(3, 1)[0] == Errno.BADF
    assert guest.write_fd(3, b"x")[0] == Errno.BADF
    assert guest.call("fd_seek", 3, 0, SET, 8) == Errno.BADF
    assert guest.call("fd_filestat_set_size", 3, 0) == Errno.BADF
    fd = guest.opened("file")
    assert guest.open("x", fd=fd)[0] == Errno.NOTDIR
    assert guest.call("fd_readdir", fd, 16384, 100, 0, 8) == Errno.BADF
    assert guest.call("path_create_directory", fd, *guest.put("x")) == Errno.BADF
    assert guest.call("path_rename", 3, *guest.put("file"), fd, *guest.put("x")) == Errno.BADF


def clock(userdata: int, nanoseconds: int, *, clock: int = 1, flags: int = 0) -> bytes:
    return struct.pack("<QB7xI4xQQH6x", userdata, 0, clock, nanoseconds, 0, flags)


def wait_for(userdata: int, fd: int, tag: int = 1) -> bytes:
    return struct.pack("<QB7xI28x", userdata, tag, fd)


def poll(guest: Any, *subscriptions: bytes) -> tuple[int, list[tuple[int, ...]]]:
    """poll_oneoff: the error number, and userdata, error and type of the events."""
    address, _ = guest.put(b"".join(subscriptions))
    errno = guest.call("poll_oneoff", address, 20000, len(subscriptions), 8)
    count = guest.unpack("I", 8)[0] if errno == 0 else 0
    return errno, [guest.unpack("QHB", 20000 + 32 * index) for index in range(count)]


def test_sleeping(start: Any) -> None:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 10:
            raise KeyboardInterrupt

    guest = start(clocks=Clocks(sleep=sleep, monotonic=lambda: 10_000, realtime=lambda: 3_000))
    assert poll(guest, clock(7, 2_000_000_000), clock(8, 500_000_000)) == (0, [(8, 0, 0)])
    assert slept == [0.5]
    assert poll(guest, clock(7, 4_000, clock=0, flags=1), clock(8, 1, flags=1)) == (0, [(8, 0, 0)])
    assert slept[1:] == [1e-9], "absolute times count from the clock's own beginning"
    assert poll(guest, clock(1, 2_999, clock=0, flags=1), clock(2, 0)) == (0, [(1, 0, 0), (2, 0, 0)])
    assert len(slept) == 2
    assert poll(guest, clock(1, 7_200_000_000_005)) == (0, [(1, 0, 0)])
    assert slept[2:] == [3600, 3600, 5e-9]
    with pytest.raises(KeyboardInterrupt):
        poll(guest, clock(1, (1 << 64) - 1))
    assert slept[5:] == [3600] * 5, "no system takes a sleep of centuries"


def test_polling_descriptors(start: Any, tree: Path) -> None:
    guest = start(dirs={"/": tree})
    fd = guest.opened("file")
    errno, events = poll(guest, wait_for(1, fd), wait_for(2, fd, 2), clock(4, 10**18))
    assert errno == 0
    assert sorted(events) == [(1, 0, 1), (2, 0, 2)]
    assert guest.unpack("Q", 20016) == (10,), "bytes that are left to read"
    assert poll(guest)[0] == Errno.INVAL
    assert poll(guest, struct.pack("<QB39x", 1, 3))[0] == Errno.INVAL


def test_waiting_for_a_pipe_or_a_clock_whichever_is_first(start: Any) -> None:
    reader, writer = os.pipe()
    with open(reader, "rb", buffering=0) as source:
        guest = start(stdin=source)
        assert poll(guest, wait_for(1, 0), clock(2, 1_000_000)) == (0, [(2, 0, 0)])
        thread = threading.Timer(0.05, os.write, (writer, b"x"))
        thread.start()
        assert poll(guest, wait_for(1, 0), clock(2, 20_000_000_000)) == (0, [(1, 0, 1)])
        thread.join()
        assert guest.read_fd(0, 10) == (0, b"x")
    os.close(writer)


def test_ends(start: Any) -> None:
    guest = start()
    for code in (0, 3, 255, 0xFFFF_FFFF):
        with pytest.raises(GuestExit) as caught:
            guest.call("proc_exit", code)
        assert caught.value.code == code
    with pytest.raises(GuestExit) as caught:
        guest.call("proc_raise", 6)
    assert caught.value.code == 134
    assert guest.call("proc_raise", 0) == guest.call("proc_raise", 16) == guest.call("sched_yield") == 0
    assert guest.call("proc_raise", 18) == Errno.NOTSUP


def test_what_is_no_socket(start: Any) -> None:
    guest = start()
    vector = guest.vector(1)
    for fd, errno in [(1, Errno.NOTSOCK), (50, Errno.BADF)]:
        assert guest.call("sock_accept", fd, 0, 8) == errno
        assert guest.call("sock_recv", fd, *vector, 0, 8, 12) == errno
        assert guest.call("sock_send", fd, *vector, 0, 8) == errno
        assert guest.call("sock_shutdown", fd, 1) == errno


def test_a_missing_file_is_a_note_for_the_person(start: Any, tree: Path) -> None:
    (tree / "models").mkdir()
    (tree / "models" / "x.onnx").touch()
    guest = start(dirs={".": tree})
    assert guest.open("x.onnx")[0] == guest.open("x.onnx")[0] == Errno.NOENT
    assert guest.open("nothing.onnx")[0] == Errno.NOENT
    assert len(guest.notes) == 1
    assert '"x.onnx"' in guest.notes[0]
    assert "did you mean models/x.onnx?" in guest.notes[0]


def test_a_file_that_the_guests_library_never_asked_for_is_a_note_when_it_fails(
    start: Any, tree: Path
) -> None:
    """A C library refuses a path outside all preopened directories by itself."""
    (tree / "x.onnx").touch()
    for words, code, notes in [
        (["x.onnx", "nothing.onnx"], 1, 1),
        (["x.onnx"], 0, 0),
        (["models/x.onnx", "x"], 1, 0),
    ]:
        guest = start(args=["app", *words], dirs={"models": tree})
        with pytest.raises(GuestExit):
            guest.call("proc_exit", code)
        assert len(guest.notes) == notes
        assert all('"x.onnx"' in note and "models/x.onnx is" in note for note in guest.notes)


def test_the_note_looks_into_other_directories_and_gives_up(start: Any, tree: Path) -> None:
    (tree / "sub" / "x.onnx").touch()
    guest = start(dirs={"/data": tree / "empty", "/models": tree / "sub"})
    assert guest.open("x.onnx")[0] == Errno.NOENT
    assert "/data/x.onnx" in guest.notes[0]
    assert "/models/x.onnx" in guest.notes[0]
    for number in range(100):
        guest.next = 4096
        guest.open(f"{number}/leaf")
    assert len(guest.notes) <= 20


def test_closing_the_host_closes_everything(start: Any, tree: Path) -> None:
    guest = start(dirs={"/": tree})
    guest.opened("file", 0, READ)
    guest.host.close()
    guest.host.close()
    assert guest.read_fd(4, 1)[0] == Errno.BADF


def test_old_guests_have_their_own_layouts(start: Any, tree: Path) -> None:
    guest = start(dirs={"/": tree})
    guest.module = "wasi_unstable"
    fd = guest.opened("file")
    status = os.stat(tree / "file")
    for errno in (
        guest.call("fd_filestat_get", fd, 512),
        guest.call("path_filestat_get", 3, 0, *guest.put("file"), 512),
    ):
        assert errno == 0
        assert guest.unpack("QQB3xIQ", 512) == (status.st_dev, status.st_ino, 4, status.st_nlink, 10)
        assert guest.unpack("Q", 512 + 40) == (status.st_mtime_ns,)
    for whence, offset, position in [(2, 4, 4), (0, 1, 5), (1, 0, 10)]:
        assert guest.call("fd_seek", fd, offset, whence, 8) == 0
        assert guest.unpack("Q", 8) == (position,)
    with pytest.raises(Trap, match="no such value: OldWhence 3"):
        guest.call("fd_seek", fd, 0, 3, 8)
    old = struct.pack("<QB7xQI4xQQH6x", 9, 0, 77, 1, 1000, 0, 0)
    assert len(old) == 56
    address, _ = guest.put(old)
    assert guest.call("poll_oneoff", address, 20000, 1, 8) == 0
    assert guest.unpack("QHB", 20000) == (9, 0, 0)


def test_waiting_can_be_interrupted(start: Any) -> None:
    """A wait of 292 years."""
    guest = start()
    with pytest.raises(KeyboardInterrupt), interrupted_in("poll_oneoff"):
        poll(guest, clock(1, (1 << 63) - 1))


def test_the_process_s_own_output_keeps_its_order(start: Any, capfdbinary: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdout", TextIOWrapper(FileIO(1, "wb", closefd=False), encoding="utf-8"))
    guest = start(stdout=None)
    print("first", end=" ")
    assert guest.write_fd(1, "sécond ".encode()) == (0, 8)
    print("third", end="", flush=True)
    assert capfdbinary.readouterr().out == "first sécond third".encode()


def test_a_stream_of_text_only_gets_whole_characters(start: Any, monkeypatch: Any) -> None:
    text = StringIO()
    monkeypatch.setattr("sys.stdout", text)
    guest = start(stdout=None)
    for byte in "é!".encode():
        assert guest.write_fd(1, bytes([byte])) == (0, 1)
    assert text.getvalue() == "é!"
