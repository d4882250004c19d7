"""The sandbox: where paths lead, in both ways of resolving; nothing outside is reached or told apart."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import run
from pywasm_nn.wasi.errors import Errno, WasiError
from pywasm_nn.wasi.paths import check_windows_name

CREAT, DIRECTORY, EXCL, TRUNC = 1, 2, 4, 8
READ = 2
ESCAPES = [
    "..", "../", "../secret", "sub/../../secret", "./../secret", "sub/deep/../../../secret",
    "to_sub/../../secret",
    "/", "/etc/passwd", "//secret", "/proc/self/root",
    "absolute", "out", "parent", "parent/secret", "here/parent/secret", "sub/up/../secret", "sub/up_up",
    "sub/up_up/secret", "sub/deep/far", "proc", "proc/etc/passwd", "here/out", "to_sub/up_up/secret",
]  # fmt: skip
"""Paths that lead out of the tree, all links followed."""


@pytest.mark.parametrize("path", ESCAPES)
def test_no_path_leads_out(guest: Any, tree: Path, path: str) -> None:
    before = sorted(os.listdir(tree.parent))
    for how in (0, CREAT, CREAT | EXCL, DIRECTORY, TRUNC, CREAT | TRUNC):
        errno, _ = guest.open(path, how)
        assert errno in (Errno.PERM, Errno.EXIST, Errno.ISDIR)
        # A name that is taken may answer EEXIST: that is about the link, which is inside.
        assert errno == Errno.PERM or how & EXCL
    assert guest.open(path, 0, READ)[0] == Errno.PERM
    assert guest.stat(path)[0] == Errno.PERM
    assert guest.call("path_filestat_set_times", 3, 1, *guest.put(path), 0, 0, 5) == Errno.PERM
    assert (tree.parent / "secret").read_bytes() == b"secret"
    assert sorted(os.listdir(tree.parent)) == before


def test_a_directory_that_takes_the_place_of_a_file_is_not_opened_as_one(
    guest: Any, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between looking at the path and opening it."""
    opened, calls = os.open, list[int]()

    def swapping(path: Any, *how: Any, **where: Any) -> int:
        if os.fspath(path).endswith("file") and (tree / "file").is_file():
            (tree / "file").unlink()
            (tree / "file").mkdir()
        calls.append(opened(path, *how, **where))
        return calls[-1]

    monkeypatch.setattr(os, "open", swapping)
    assert guest.open("file", 0, READ)[0] == Errno.ISDIR
    assert (tree / "file").is_dir()
    monkeypatch.undo()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(calls[-1])


def test_times_of_a_link_where_the_system_cannot_set_them(
    guest: Any, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_follow_symlinks", set())
    before = (tree / "file").stat().st_mtime_ns
    times = 0, 5_000_000_000, 1 << 2
    assert guest.call("path_filestat_set_times", 3, 0, *guest.put("to_file"), *times) == Errno.NOTSUP
    assert (tree / "file").stat().st_mtime_ns == before
    assert guest.call("path_filestat_set_times", 3, 0, *guest.put("file"), *times) == 0
    assert (tree / "file").stat().st_mtime_ns == 5_000_000_000


@pytest.mark.parametrize("path", [path for path in ESCAPES if path.startswith((".", "/", "sub/../.."))])
@pytest.mark.parametrize("missing", ["", "_nothing"])
def test_outside_nothing_is_made_or_removed_and_what_is_there_is_not_told(
    guest: Any, tree: Path, path: str, missing: str
) -> None:
    before = sorted(os.listdir(tree.parent))
    outside, inside = guest.put(path + missing), guest.put("file")
    if path in ("..", "../", "/") and missing:
        return
    assert guest.call("path_create_directory", 3, *outside) == Errno.PERM
    assert guest.call("path_remove_directory", 3, *outside) == Errno.PERM
    assert guest.call("path_unlink_file", 3, *outside) == Errno.PERM
    assert guest.call("path_rename", 3, *inside, 3, *outside) == Errno.PERM
    assert guest.call("path_rename", 3, *outside, 3, *guest.put("taken")) == Errno.PERM
    assert guest.call("path_link", 3, 0, *inside, 3, *outside) == Errno.PERM
    assert guest.call("path_link", 3, 0, *outside, 3, *guest.put("taken")) == Errno.PERM
    assert guest.call("path_symlink", *inside, 3, *outside) == Errno.PERM
    assert guest.call("path_readlink", 3, *outside, 64, 64, 0) == Errno.PERM
    assert guest.stat(path + missing)[0] == Errno.PERM
    assert sorted(os.listdir(tree.parent)) == before


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("file", b"0123456789"),
        ("./file", b"0123456789"),
        ("sub/../file", b"0123456789"),
        ("sub//deep/.././leaf", b"leaf"),
        ("to_file", b"0123456789"),
        ("to_leaf", b"leaf"),
        ("to_sub/leaf", b"leaf"),
        ("to_sub_slash/leaf", b"leaf"),
        ("sub/up/file", b"0123456789"),
        ("sub/round", b"0123456789"),
        ("here/here/here/sub/up/to_leaf", b"leaf"),
    ],
)
def test_paths_inside_are_found(guest: Any, path: str, content: bytes) -> None:
    assert guest.read_fd(guest.opened(path, 0, READ), 100) == (0, content)


@pytest.mark.parametrize(
    ("path", "errno"),
    [
        ("", Errno.NOENT),
        ("nothing", Errno.NOENT),
        ("nothing/file", Errno.NOENT),
        ("dangling", Errno.NOENT),
        ("file/", Errno.NOTDIR),
        ("file/.", Errno.NOTDIR),
        ("file/..", Errno.NOTDIR),
        ("file/x", Errno.NOTDIR),
        ("to_file/", Errno.NOTDIR),
        ("to_file_slash", Errno.NOTDIR),
        ("loop", Errno.LOOP),
        ("loop/x", Errno.LOOP),
        ("file\0", Errno.INVAL),
        ("sub\0/leaf", Errno.INVAL),
        (b"\xff\xfe", Errno.ILSEQ),
        (b"sub/\xed\xa0\x80", Errno.ILSEQ),
        ("a" * 256, Errno.NAMETOOLONG),
        ("a/" * 2048, Errno.NAMETOOLONG),
        ("sub/" * 5000, Errno.NAMETOOLONG),
    ],
)
def test_paths_that_lead_nowhere(guest: Any, path: str | bytes, errno: Errno) -> None:
    assert guest.open(path, 0, READ)[0] == errno
    assert guest.stat(path)[0] == errno


def test_links_are_not_followed_unless_asked(guest: Any, tree: Path) -> None:
    for name in ("to_file", "dangling", "absolute", "loop"):
        assert guest.open(name, 0, READ, follow=0)[0] == Errno.LOOP
        errno, (_, inode, filetype, *_) = guest.stat(name, follow=0)
        assert (errno, filetype, inode) == (0, 7, os.lstat(tree / name).st_ino)
    assert guest.open("to_sub", DIRECTORY, follow=0)[0] in (Errno.LOOP, Errno.NOTDIR)
    assert guest.open("to_sub/", DIRECTORY, READ, follow=0)[0] == 0


def test_creating_through_a_link_stays_inside(guest: Any, tree: Path) -> None:
    guest.opened("dangling", CREAT)
    assert (tree / "nothing").exists()
    assert guest.open("sub/up/made", CREAT)[0] == 0
    assert (tree / "made").exists()


def test_a_directory_that_the_guest_opened_is_a_root_itself(guest: Any) -> None:
    sub = guest.opened("sub", DIRECTORY)
    assert guest.open("leaf", fd=sub)[0] == 0
    for path in ("..", "../file", "up/file", "round", "deep/../../file"):
        assert guest.open(path, fd=sub)[0] == Errno.PERM


def test_link_to_the_outside_is_not_even_read(guest: Any) -> None:
    assert guest.call("path_readlink", 3, *guest.put("absolute"), 64, 64, 0) == Errno.PERM
    assert guest.call("path_symlink", *guest.put("/etc"), 3, *guest.put("new")) == Errno.PERM


def test_a_made_link_out_can_not_be_followed(guest: Any) -> None:
    assert guest.call("path_symlink", *guest.put("../secret"), 3, *guest.put("new")) == 0
    assert guest.open("new")[0] == Errno.PERM


@pytest.mark.parametrize("target", ["../out", "sub/../../out", "/out", "to_sub/../../out", "sub/up_up/out"])
def test_nothing_is_renamed_or_linked_out(guest: Any, tree: Path, target: str) -> None:
    for call in (("path_rename",), ("path_link", 0)):
        name, *flags = call
        assert guest.call(name, 3, *flags, *guest.put("file"), 3, *guest.put(target)) == Errno.PERM
        assert guest.call(name, 3, *flags, *guest.put("../secret"), 3, *guest.put("in")) == Errno.PERM
    assert sorted(os.listdir(tree.parent)) == ["inside", "secret"]
    assert not (tree / "in").exists()


def test_renaming_over_and_out_of_what_the_guest_was_given(start: Any, tree: Path) -> None:
    (tree / "empty" / "x").write_bytes(b"x")
    guest = start(dirs={"/": tree, "/sub": tree / "sub", "/empty": tree / "empty"})
    sub, empty, file = guest.put("sub"), guest.put("empty"), guest.put("file")
    for itself in (".", "./", "sub/.."):
        assert guest.call("path_rename", 3, *guest.put(itself), 4, *guest.put("new")) != 0
        assert guest.call("path_rename", 4, *guest.put("leaf"), 3, *guest.put(itself)) != 0
    assert guest.call("path_rename", 3, *sub, 4, *guest.put("new")) == Errno.INVAL, "into itself"
    assert guest.call("path_rename", 3, *sub, 3, *empty) == Errno.NOTEMPTY
    assert guest.call("path_rename", 3, *file, 3, *empty) == Errno.ISDIR
    assert guest.call("path_rename", 3, *file, 5, *guest.put("x")) == 0
    assert guest.call("path_rename", 5, *guest.put("x"), 4, *guest.put("../x")) == Errno.PERM
    assert guest.call("path_rename", 5, *guest.put("x"), 4, *guest.put("up/x")) == Errno.PERM
    assert (tree / "empty" / "x").read_bytes() == b"0123456789"
    assert guest.call("path_unlink_file", 5, *guest.put("x")) == 0
    # A directory that was given is moved: its descriptor stays within it.
    assert guest.call("path_rename", 3, *empty, 3, *guest.put("sub/moved")) == 0
    assert guest.open("y", CREAT, fd=5)[0] == 0
    assert guest.open("../leaf", 0, READ, fd=5)[0] == Errno.PERM
    assert (tree / "sub" / "moved" / "y").exists()


def test_a_hard_link_in_is_the_file_and_none_is_made_of_what_is_outside(guest: Any, tree: Path) -> None:
    os.link(tree.parent / "secret", tree / "given")
    assert guest.read_fd(guest.opened("given", 0, READ), 9) == (0, b"secret"), "the person put it there"
    for outside in ("absolute", "out", "sub/deep/far"):
        assert guest.call("path_link", 3, 1, *guest.put(outside), 3, *guest.put("hard")) == Errno.INVAL
        assert guest.call("path_link", 3, 0, *guest.put(outside), 3, *guest.put("hard")) == 0
        assert (tree / "hard").is_symlink(), "the link itself, which leads nowhere for the guest"
        assert guest.open("hard", 0, READ)[0] == Errno.PERM
        assert guest.call("path_unlink_file", 3, *guest.put("hard")) == 0
    assert os.stat(tree.parent / "secret").st_nlink == 2


def test_devices_and_pipes_do_not_hold_the_host(start: Any, tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    guest = start(dirs={"/": tree, "/dev": "/dev"})
    errno, fd = guest.open("pipe", 0, READ, flags=4)
    assert errno == 0
    assert guest.read_fd(fd, 1) == (0, b"")
    assert guest.open("pipe", CREAT | TRUNC, READ)[0] == 0
    assert guest.stat("pipe")[1][2] == 0
    null = guest.opened("null", 0, 66, fd=4)
    assert (guest.write_fd(null, b"gone"), guest.read_fd(null, 4)) == ((0, 4), (0, b""))
    zero = guest.opened("zero", 0, READ, fd=4)
    assert guest.read_fd(zero, 4) == (0, bytes(4))
    for link in ("fd", "stdin", "stdout", "fd/0", "fd/../self"):
        assert guest.open(link, 0, READ, fd=4)[0] == Errno.PERM, "links to /proc lead out"


SWAPS = 10
"""Between two moments of rest."""


@contextmanager
def swapping(tree: Path) -> Iterator[None]:
    """`swap` is by turns a directory, and a link to the directory that holds the secret; at times it stays a
    directory for a moment, as else hardly anything would be done in it."""
    (tree / "a").mkdir()
    (tree / "a" / "secret").write_bytes(b"inside")
    os.symlink(tree.parent, tree / "b")
    os.rename(tree / "a", tree / "swap")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for _ in range(SWAPS):
                os.rename(tree / "swap", tree / "a")
                os.rename(tree / "b", tree / "swap")
                os.rename(tree / "swap", tree / "b")
                os.rename(tree / "a", tree / "swap")
            stop.wait(0.001)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


ROUNDS = 10_000
SWAPPED = {Errno.SUCCESS, Errno.NOENT, Errno.PERM, Errno.LOOP, Errno.NOTDIR}


def test_a_link_swapped_in_by_another_thread_is_never_followed_out(guest: Any, tree: Path) -> None:
    answers: Counter[int] = Counter()
    with swapping(tree):
        while answers.total() < ROUNDS or len(answers) < 2:  # it meets both, the directory and the link
            guest.next = 4096
            errno, fd = guest.open("swap/secret", 0, READ)
            answers[errno] += 1
            if errno == 0:
                assert guest.read_fd(fd, 100) == (0, b"inside")
                guest.call("fd_close", fd)
    assert set(answers) <= SWAPPED
    assert guest.open("swap/secret", 0, READ)[0] == 0


def test_nothing_is_changed_through_a_link_swapped_in_by_another_thread(guest: Any, tree: Path) -> None:
    status, outside = os.stat(tree.parent / "secret"), sorted(os.listdir(tree.parent))
    changes: list[Callable[[], int]] = [
        lambda: guest.open("swap/made", CREAT | EXCL)[0],
        lambda: guest.call("path_unlink_file", 3, *guest.put("swap/made")),
        lambda: guest.call("path_create_directory", 3, *guest.put("swap/made")),
        lambda: guest.call("path_remove_directory", 3, *guest.put("swap/made")),
        lambda: guest.call("path_symlink", *guest.put("leaf"), 3, *guest.put("swap/made")),
        lambda: guest.call("path_unlink_file", 3, *guest.put("swap/made")),
        lambda: guest.call("path_link", 3, 0, *guest.put("file"), 3, *guest.put("swap/made")),
        lambda: guest.call("path_rename", 3, *guest.put("swap/made"), 3, *guest.put("swap/other")),
        lambda: guest.call("path_unlink_file", 3, *guest.put("swap/other")),
        lambda: guest.call("path_filestat_set_times", 3, 1, *guest.put("swap/secret"), 1, 1, 5),
        lambda: guest.open("swap/secret", TRUNC)[0],
    ]
    done: Counter[int] = Counter()
    with swapping(tree):
        for round_ in count():
            if round_ >= ROUNDS and done.total() > 10:  # it has met the directory at times
                break
            guest.next = 4096
            which = round_ % len(changes)
            errno = changes[which]()
            assert errno in SWAPPED | {Errno.EXIST, Errno.ISDIR}, which
            done[which] += errno == 0
            guest.call("fd_close", 4)
    assert sorted(os.listdir(tree.parent)) == outside
    now = os.stat(tree.parent / "secret")
    assert (now.st_size, now.st_mtime_ns, now.st_nlink) == (6, status.st_mtime_ns, 1)


@pytest.mark.parametrize("path", ["file", "absolute", "sub/deep/../../file", "sub/up_up/secret", "loop/x"])
def test_resolving_leaves_no_descriptor_of_the_host_open(guest: Any, path: str) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("this system does not list the descriptors of a process")
    before = os.listdir("/proc/self/fd")
    guest.stat(path)
    errno, fd = guest.open(path)
    if errno == 0:
        guest.call("fd_close", fd)
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize(
    "name", ["C:", "a:b", "a\\b", "NUL", "nul.txt", "com1", "aux .x", "a.", "a ", "a?", "a\x01"]
)
def test_names_in_which_windows_sees_more_than_a_name(name: str) -> None:
    with pytest.raises(WasiError):
        check_windows_name(name)


@pytest.mark.parametrize("name", ["a", "a.b", ".a", "console", "com", "näh", "a b"])
def test_names_that_windows_takes(name: str) -> None:
    check_windows_name(name)


OPENER = """(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "rows.csv")
  (func (export "_start")
    (drop (call $open (i32.const 3) (i32.const 0) (i32.const 16) (i32.const 8) (i32.const 0)
      (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 0)))
    (call $exit (i32.const 1))))"""


@pytest.mark.parametrize(("word", "told"), [("rows.csv", False), ("./rows.csv", True), ("more.csv", True)])
def test_a_path_that_was_opened_is_no_reason_of_a_failure(tmp_path: Path, word: str, told: bool) -> None:
    """A program without a C library may open it relative to the directory that it was given."""
    for name in ("rows.csv", "more.csv"):
        (tmp_path / name).write_text("1,2")
    (tmp_path / "opener.wat").write_text(OPENER)
    result = run(tmp_path / "opener.wat", args=[word], dirs={"data": tmp_path})
    assert result.exit_code == 1
    assert any(f'the guest was told "{word}"' in note for note in result.notes) == told
