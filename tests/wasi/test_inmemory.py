"""Directories in memory: what a person puts in and gets out; guests can't tell them from the host's."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from pywasm_nn import MemoryDirectory
from pywasm_nn.program import run
from pywasm_nn.wasi.errors import Errno

from ..conftest import examples

GUESTS = Path(__file__).parents[1] / "guests"
CREAT, DIRECTORY, EXCL, TRUNC = 1, 2, 4, 8
PATHS = [
    "a", "b", "a/", "a/b", "b/a", "a/b/c", "l", "l/", "l/a", "m", ".", "a/.", "a/..", "b/../a", "..",
    "a/../..", "", "x" * 256, "/a", "l/../b",
]  # fmt: skip
paths = st.sampled_from(PATHS)
ACTIONS = st.one_of(
    st.tuples(st.just("open"), paths, st.integers(0, 15), st.sampled_from([2, 64, 66]), st.integers(0, 1)),
    st.tuples(st.just("put"), paths, st.binary(max_size=20)),
    st.tuples(st.just("mkdir"), paths),
    st.tuples(st.just("rmdir"), paths),
    st.tuples(st.just("unlink"), paths),
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("link"), paths, paths),
    st.tuples(st.just("symlink"), st.sampled_from(["a", "b/a", "../b", "l", "/a", ".", "", "a/"]), paths),
    st.tuples(st.just("readlink"), paths),
    st.tuples(st.just("stat"), paths, st.integers(0, 1)),
    st.tuples(st.just("times"), paths, st.integers(0, 1)),
    st.tuples(
        st.just("edit"), st.integers(-3, 30), st.integers(0, 2), st.binary(max_size=9), st.integers(0, 1)
    ),
    st.tuples(st.just("size"), st.integers(0, 40)),
    st.tuples(st.just("list"), paths),
)  # fmt: skip


def act(guest: Any, action: tuple[Any, ...]) -> Any:
    """Do one thing; all that a guest can see of it. The file that was opened first stays open as 4."""
    guest.next = 4096
    match action:
        case "open", path, how, rights, follow:
            errno, fd = guest.open(path, how, rights, follow=follow)
            return errno, fd if errno else (fd > 4 and guest.call("fd_close", fd), fd)
        case "put", path, data:
            errno, fd = guest.open(path, CREAT | TRUNC)
            return errno, None if errno else (guest.write_fd(fd, data), fd > 4 and guest.call("fd_close", fd))
        case ("mkdir" | "rmdir" | "unlink") as name, path:
            full = {"mkdir": "create_directory", "rmdir": "remove_directory", "unlink": "unlink_file"}[name]
            return guest.call(f"path_{full}", 3, *guest.put(path))
        case "rename", path, new:
            return guest.call("path_rename", 3, *guest.put(path), 3, *guest.put(new))
        case "link", path, new:
            return guest.call("path_link", 3, 0, *guest.put(path), 3, *guest.put(new))
        case "symlink", text, path:
            return guest.call("path_symlink", *guest.put(text), 3, *guest.put(path))
        case "readlink", path:
            guest.write(512, bytes(64))
            return guest.call("path_readlink", 3, *guest.put(path), 512, 64, 0), guest.read(512, 64)
        case "stat", path, follow:
            errno, stat = guest.stat(path, follow)
            return errno, None if errno else (stat[2], stat[3], stat[4] if stat[2] != 3 else 0)
        case "times", path, follow:
            errno = guest.call("path_filestat_set_times", 3, follow, *guest.put(path), 5, 7, 5)
            return errno, None if errno else guest.stat(path, follow)[1][6]
        case "edit", offset, whence, data, append:
            flags = guest.call("fd_fdstat_set_flags", 4, append)
            sought = guest.call("fd_seek", 4, offset & (1 << 64) - 1, whence, 8), guest.unpack("Q", 8)
            return flags, sought, guest.write_fd(4, data), guest.read_fd(4, 5), guest.call("fd_tell", 4, 8)
        case "size", size:
            return guest.call("fd_filestat_set_size", 4, size), guest.call("fd_allocate", 4, 5, size)
        case "list", path:
            return listed(guest, path)
    raise AssertionError(action)


def listed(guest: Any, path: str) -> Any:
    """Names and types in a directory, sorted."""
    errno, fd = guest.open(path, DIRECTORY, 1 << 14)
    if errno:
        return errno
    assert guest.call("fd_readdir", fd, 32768, 8192, 0, 8) == 0
    data, found = guest.read(32768, guest.unpack("I", 8)[0]), []
    while data:
        length = int.from_bytes(data[16:20], "little")
        found.append((data[24 : 24 + length], data[20]))
        data = data[24 + length :]
    if fd > 4:
        guest.call("fd_close", fd)
    return sorted(found)


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(actions=st.lists(ACTIONS, min_size=5, max_size=40))
def test_guests_can_not_tell_it_from_the_host_s(
    make_guest: Any, tmp_path_factory: Any, actions: list[tuple[Any, ...]]
) -> None:
    directory = tmp_path_factory.mktemp("host")
    (directory / "a").mkdir()
    (directory / "b").write_bytes(b"0123456789")
    guests = [
        make_guest(dirs={"/": place})
        for place in (MemoryDirectory({"a/": b"", "b": "0123456789"}), directory)
    ]
    for guest in guests:
        assert guest.opened("b") == 4
    for action in actions:
        memory, host = (act(guest, action) for guest in guests)
        assert memory == host, action
    for guest in guests:
        guest.host.close()


def test_what_goes_in_and_comes_out(engine: str) -> None:
    directory = MemoryDirectory({"kept": "ä", "deep/er/file": b"\0"})
    result = run(GUESTS / "files.wasm", ["/new"], dirs={"/new": MemoryDirectory()}, engine=engine)
    assert (result.exit_code, result.stdout[:26]) == (0, b'a.txt holds "0123456789"\na')
    result = run(GUESTS / "walk_cpp.wasm", ["/new"], dirs={"/new": directory}, engine=engine)
    assert result.exit_code == 0
    assert list(directory) == ["deep/er/file", "kept"]
    assert (directory["kept"], directory["deep/er/file"]) == ("ä".encode(), b"\0")
    assert "kept" in directory
    with pytest.raises(KeyError):
        directory["deep"]


@pytest.mark.parametrize("path", ["", "a/../b", ".", "a/.", "taken", "taken/x"])
def test_paths_that_a_person_can_not_mean(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        MemoryDirectory({"taken": b"", "taken/x" if path == "taken" else path: b""})


def test_it_stays_readable_and_is_shared(make_guest: Any) -> None:
    directory = MemoryDirectory({"a/b": "c"})
    first, second = (make_guest(dirs={"/": directory}) for _ in range(2))
    fd = first.opened("a/new", CREAT | EXCL)
    assert first.write_fd(fd, b"hello") == (0, 5)
    assert second.read_fd(second.opened("a/new"), 9) == (0, b"hello")
    first.host.close()
    assert directory["a/new"] == b"hello"


def test_a_file_without_a_name_lives_as_long_as_it_is_open(make_guest: Any) -> None:
    directory = MemoryDirectory({"a": "content"})
    before = directory.used
    guest = make_guest(dirs={"/": directory})
    fd = guest.opened("a")
    assert guest.call("path_unlink_file", 3, *guest.put("a")) == 0
    assert (guest.read_fd(fd, 9), list(directory)) == ((0, b"content"), [])
    assert guest.call("fd_close", fd) == 0
    assert (before, directory.used) == (512 + 1 + 7, 0)


def test_no_more_than_the_limit_and_nothing_for_claims(make_guest: Any) -> None:
    directory = MemoryDirectory(limit=1300)
    guest = make_guest(dirs={"/": directory})
    fd = guest.opened("a", CREAT)
    assert guest.call("fd_filestat_set_size", fd, 1 << 40) == Errno.NOSPC
    assert guest.call("fd_allocate", fd, 1 << 50, 1) == Errno.NOSPC
    assert guest.call("fd_seek", fd, 1 << 60, 0, 8) == 0
    assert guest.write_fd(fd, b"x")[0] == Errno.NOSPC
    assert guest.call("fd_filestat_set_size", fd, 700) == 0
    assert guest.open("b", CREAT)[0] == Errno.NOSPC
    assert guest.call("path_create_directory", 3, *guest.put("b")) == Errno.NOSPC
    assert guest.call("fd_filestat_set_size", fd, 0) == 0
    assert guest.open("b", CREAT)[0] == 0


def test_nothing_moves_or_links_to_another_file_system(make_guest: Any, tmp_path: Path) -> None:
    (tmp_path / "host").write_text("host")
    memory = MemoryDirectory({"memory": "memory"})
    guest = make_guest(dirs={"/m": memory, "/h": tmp_path, "/same": memory, "/n": MemoryDirectory()})
    memory_file, host_file, new = guest.put("memory"), guest.put("host"), guest.put("new")
    assert guest.call("path_rename", 3, *memory_file, 4, *new) == Errno.XDEV
    assert guest.call("path_rename", 4, *host_file, 3, *new) == Errno.XDEV
    assert guest.call("path_link", 3, 0, *memory_file, 6, *new) == Errno.XDEV
    assert guest.call("path_rename", 3, *memory_file, 5, *new) == 0
    assert guest.stat("new", fd=3)[1][:2] == guest.stat("new", fd=5)[1][:2]
    assert guest.stat(".", fd=3)[1][0] != guest.stat(".", fd=6)[1][0]


def test_threads_share_it_whole(make_guest: Any) -> None:
    directory = MemoryDirectory()

    def work(number: int) -> None:
        guest = make_guest(dirs={"/": directory})
        for turn in range(100):
            guest.next = 4096
            assert guest.write_fd(guest.opened(f"{number}", CREAT, 66, flags=1), b"x") == (0, 1)
            assert (
                guest.call("path_rename", 3, *guest.put(f"{number}"), 3, *guest.put(f"{number}.{turn}")) == 0
            )

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(directory) == 400
    assert directory.used == sum(512 + len(name) + 1 for name in directory)
