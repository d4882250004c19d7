"""Functions of WASI 0.2 as core code calls them, with values that no program gives: what wasmtime answers
where it can be asked, else what WASI's text says.

What is here: files, directories and their streams. What is not: clocks, random numbers and the command line
(`test_component_command.py`), guests that want too much, too long, or what isn't theirs
(`test_component_limits.py`, `test_component_handles.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Dir, MemoryDirectory, Trap, Wasi

from .p2_guest import CREATE, DIRECTORY, EXCLUSIVE, FOLLOW, MUTATE, READ, TRUNCATE, WRITE, Open, Ours, Theirs
from .test_against_wasmtime import PATHS, TARGETS, Side, differences

BOTH = READ | WRITE


@pytest.fixture
def guest(begin: Open, tree: Path, engine: str) -> Ours:
    """A guest with the tree as its only directory."""
    return begin(Wasi(dirs={"/": tree}), engine=engine)


@pytest.fixture
def beside(begin: Open, tree: Path, tmp_path_factory: Any) -> Callable[..., tuple[Any, Any]]:
    """Makes one call here and in wasmtime on equal trees, and returns both answers."""
    place = tmp_path_factory.mktemp("sides")

    def their(directory: Path) -> Theirs:
        return Theirs(x=directory)

    ours = Side(lambda directory: begin(Wasi(dirs={"/x": directory})), tree, place / "ours")
    theirs = Side(their, tree, place / "theirs")

    def compare(call: Callable[[Any], Any]) -> tuple[Any, Any]:
        (our_answer, our_tree), (their_answer, their_tree) = ours.act(call), theirs.act(call)
        assert our_tree == their_tree, f"different trees are left, after {our_answer}, {their_answer}"
        return our_answer, their_answer

    return compare


def told(answer: Any) -> Any:
    """An answer without the number of a handle."""
    tag, value = answer
    return (tag, value) if tag == "err" else (tag, "a handle" if isinstance(value, int) else value)


def sized(answer: Any) -> Any:
    """A descriptor-stat without times, and without the size of a directory, which is the disk's affair."""
    tag, value = answer
    if tag == "ok":
        value = value["type"], value["size"] if value["type"] != "directory" else 0
    return tag, value


# Paths.


@pytest.mark.parametrize("follow", [0, 1])
def test_what_paths_name_is_as_in_wasmtime(beside: Any, follow: int, walking: str) -> None:
    calls: dict[Any, Callable[[Any], Any]] = {}
    for path in PATHS:
        calls["stat", path] = lambda g, p=path: sized(g("descriptor.stat-at", g.root(), follow, p))
        calls["hash", path] = lambda g, p=path: g("descriptor.metadata-hash-at", g.root(), follow, p)[0]
        calls["open", path] = lambda g, p=path: told(g.open(g.root(), p, READ, 0, follow))
        calls["dir", path] = lambda g, p=path: told(g.open(g.root(), p, READ, DIRECTORY, follow))
        calls["time", path] = lambda g, p=path: g(
            "descriptor.set-times-at", g.root(), follow, p, 0, 0, 0, 2, 5, 6
        )
    assert not differences(beside, calls)


ONE_PATH: dict[str, set[str]] = {
    "readlink-at": set(),
    "create-directory-at": set(),
    "remove-directory-at": {"empty/", "sub/", "dangling/"},
    "unlink-file-at": {"dangling/"},
}
"""Functions of one path, with the paths that may differ, as with preview1 (`test_against_wasmtime.py`)."""


def test_what_is_made_and_removed_is_as_in_wasmtime(beside: Any, walking: str) -> None:
    calls: dict[Any, Callable[[Any], Any]] = {}
    for path in PATHS:
        for name, open_ in ONE_PATH.items():
            if path in open_:
                continue
            calls[name, path] = lambda g, n=name, p=path: g(f"descriptor.{n}", g.root(), p)
        for how in (CREATE, CREATE | EXCLUSIVE, CREATE | TRUNCATE, TRUNCATE):
            if path == "./" and how & EXCLUSIVE:
                continue  # exclusively creating a directory that is there: either may be named
            calls["open", path, how] = lambda g, p=path, h=how: told(g.open(g.root(), p, BOTH, h))
    assert not differences(beside, calls)


@pytest.mark.parametrize("source", ["file", "sub", "to_file", "dangling", "nothing", "..", "/file", "empty/"])
def test_what_is_renamed_and_linked_is_as_in_wasmtime(beside: Any, source: str) -> None:
    calls: dict[Any, Callable[[Any], Any]] = {}
    for target in [*TARGETS, "/new", "out"]:
        calls["rename", target] = lambda g, t=target: g("descriptor.rename-at", g.root(), source, g.root(), t)
        if source == "nothing" and target.endswith("."):
            continue  # two things are wrong at once: either may be named
        calls["link", target] = lambda g, t=target: g("descriptor.link-at", g.root(), 0, source, g.root(), t)
        calls["symlink", target] = lambda g, t=target: g("descriptor.symlink-at", g.root(), source, t)
    assert not differences(beside, calls)


OUTSIDE = [
    "../secret",
    "..",
    "out",
    "parent/secret",
    "sub/up_up/secret",
    "sub/deep/far",
    "absolute",
    "proc/etc",
]


def test_nothing_outside_is_reached(guest: Ours, tree: Path) -> None:
    root = guest.root()
    for path in [*OUTSIDE, "/", "/etc/passwd", str(tree / "file"), "sub/../../inside/file", "//", "/.."]:
        for flags, how in ((READ, 0), (BOTH, CREATE), (WRITE, TRUNCATE), (READ | MUTATE, DIRECTORY)):
            assert guest.open(root, path, flags, how) == ("err", "not-permitted"), path
        assert guest("descriptor.stat-at", root, FOLLOW, path) == ("err", "not-permitted")
        assert guest("descriptor.metadata-hash-at", root, FOLLOW, path) == ("err", "not-permitted")
    assert (tree.parent / "secret").read_bytes() == b"secret"


def test_links_are_shown_unless_they_are_absolute(guest: Ours) -> None:
    root = guest.root()
    assert guest("descriptor.readlink-at", root, "out") == ("ok", "../secret")
    assert guest("descriptor.readlink-at", root, "loop") == ("ok", "loop")
    assert guest("descriptor.readlink-at", root, "absolute") == ("err", "not-permitted")
    assert guest("descriptor.readlink-at", root, "file") == ("err", "invalid")
    assert guest("descriptor.symlink-at", root, "/etc/passwd", "new") == ("err", "not-permitted")
    assert guest.open(root, "loop") == ("err", "loop")
    assert guest.open(root, "dangling") == ("err", "no-entry")


@pytest.mark.parametrize("memory", [False, True])
def test_names_are_refused_that_are_too_long_or_no_names(begin: Open, tmp_path: Path, memory: bool) -> None:
    guest = begin(Wasi(dirs={"/": MemoryDirectory() if memory else tmp_path}))
    root = guest.root()
    for path, code in {
        "a" * 256: "name-too-long",
        "a/" * 2048: "name-too-long",
        "a" * 70000: "name-too-long",
    }.items():
        assert guest("descriptor.create-directory-at", root, path) == ("err", code)
        assert guest.open(root, path, BOTH, CREATE) == ("err", code)
        assert guest("descriptor.symlink-at", root, "file", path) == ("err", code)
    for name in ("create-directory-at", "unlink-file-at", "readlink-at", "remove-directory-at"):
        assert guest(f"descriptor.{name}", root, "with\0nul")[0] == "err"
        assert guest(f"descriptor.{name}", root, "")[0] == "err"
    assert memory or not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [b"\xff", b"\xed\xa0\x80", b"\xc0\xaf..", b"a\xf4\x90\x80\x80"])
def test_a_path_that_is_no_text_is_a_trap(begin: Open, tree: Path, engine: str, path: bytes) -> None:
    guest = begin(Wasi(dirs={"/": tree}), engine=engine)
    with pytest.raises(Trap, match=r"(?i)utf-8"):
        guest.open(guest.root(), path)


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX systems")
def test_listing_names_that_are_no_text(begin: Open, tmp_path: Path) -> None:
    for name in (b"good", b"bad\xff", b"\xe4lter"):
        Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_bytes(b"")
    guest = begin(Wasi(dirs={"/": tmp_path}))
    stream = guest.got("descriptor.read-directory", guest.root())
    found, refused = set(), 0
    for _ in range(10):
        tag, value = guest("directory-entry-stream.read-directory-entry", stream)
        if tag == "err":
            assert value == "illegal-byte-sequence"
            refused += 1
        elif value is None:
            break
        else:
            found.add(value)
    else:
        pytest.fail("the listing has no end")
    assert ("regular-file", "good") in found
    assert all("\ufffd" not in name and name.isprintable() for _, name in found)


def listed(guest: Any, directory: int) -> list[tuple[str, str]]:
    stream = guest.got("descriptor.read-directory", directory)
    found = []
    while (entry := guest.got("directory-entry-stream.read-directory-entry", stream)) is not None:
        found.append(entry)
    assert guest.got("directory-entry-stream.read-directory-entry", stream) is None
    guest("drop directory-entry-stream", stream)
    return sorted(found)


def test_a_listing_is_that_of_wasmtime(begin: Open, tree: Path) -> None:
    ours, theirs = begin(Wasi(dirs={"/": tree})), Theirs(x=tree)
    assert listed(ours, ours.root()) == listed(theirs, theirs.root())


def test_two_listings_do_not_interfere_and_outlive_their_descriptor(guest: Ours, tree: Path) -> None:
    directory = guest.opened(guest.root(), ".", READ, DIRECTORY)
    one, two = (guest.got("descriptor.read-directory", directory) for _ in range(2))
    guest("drop descriptor", directory)
    names: list[set[str]] = [set(), set()]
    for _ in os.listdir(tree):
        for stream, seen in ((one, names[0]), (two, names[1])):
            seen.add(guest.got("directory-entry-stream.read-directory-entry", stream)[1])
    assert names[0] == names[1] == set(os.listdir(tree))


# What flags allow.


def test_flags_of_files_are_what_was_asked_for(begin: Open, tree: Path, walking: str) -> None:
    ours, theirs = begin(Wasi(dirs={"/x": tree})), Theirs(x=tree)
    for flags in (0, READ, WRITE, BOTH, READ | MUTATE, MUTATE):
        for how in (0, DIRECTORY):
            answers = []
            for side in (ours, theirs):
                tag, value = side.open(side.root(), "file", flags, how)
                answers.append(side("descriptor.get-flags", value) if tag == "ok" else (tag, value))
            assert answers[0] == answers[1], (flags, how)
    assert ours("descriptor.get-flags", ours.root()) == theirs("descriptor.get-flags", theirs.root())


@pytest.mark.parametrize("readonly", [False, True])
def test_flags_of_directories_are_what_they_allow(begin: Open, tree: Path, readonly: bool) -> None:
    """A directory that was opened to be read may be changed where its base may: C's library and Rust's remove
    trees in this way, and wasmtime lets them."""
    guest = begin(Wasi(dirs=[Dir(tree, "/", readonly=readonly)]))
    for index, flags in enumerate((0, READ)):
        directory = guest.opened(guest.root(), "sub", flags, DIRECTORY)
        said = guest.got("descriptor.get-flags", directory) & MUTATE
        assert (said == 0) == readonly
        answer = guest("descriptor.create-directory-at", directory, f"new{index}")
        assert answer == (("ok", None) if said else ("err", "read-only"))


@pytest.mark.parametrize("memory", [False, True])
def test_a_descriptor_does_what_it_was_opened_for(begin: Open, tmp_path: Path, memory: bool) -> None:
    given: Any = MemoryDirectory({"file": b"0123456789"}) if memory else tmp_path
    (tmp_path / "file").write_bytes(b"0123456789")
    guest, theirs = begin(Wasi(dirs={"/": given})), Theirs(x=tmp_path)

    def tried(side: Any) -> dict[str, Any]:
        root = side.root()
        reads = side.opened(root, "file", READ)
        writes = side.opened(root, "file", WRITE)
        folder = side.opened(root, ".", READ, DIRECTORY)
        return {
            "write to what reads": side("descriptor.write", reads, b"xx", 0),
            "read from what writes": side("descriptor.read", writes, 3, 0),
            "list a file": told(side("descriptor.read-directory", reads)),
            "read a directory": side("descriptor.read", folder, 3, 0),
            "stream from a directory": told(side("descriptor.read-via-stream", folder, 0)),
            "open in a file": told(side.open(reads, "x")),
            "stat in a file": side("descriptor.stat-at", reads, 0, "x"),
            "list what is in a file": side("descriptor.create-directory-at", reads, "x"),
            "rename into a file": side("descriptor.rename-at", root, "nothing", reads, "x"),
            "link in a file": side("descriptor.readlink-at", reads, "x"),
            "size of a directory": side("descriptor.set-size", folder, 3),
            "write to a directory": side("descriptor.write", folder, b"x", 0),
            "append to a directory": told(side("descriptor.append-via-stream", folder)),
            "times of what reads": side("descriptor.set-times", reads, 2, 1, 1, 2, 1, 1),
            "times of a directory": side("descriptor.set-times", folder, 2, 1, 1, 2, 1, 1),
            "type of a directory": side("descriptor.get-type", folder),
        }

    assert tried(guest) == tried(theirs)
    root = guest.root()
    reads, writes = guest.opened(root, "file", READ), guest.opened(root, "file", WRITE)
    # wasmtime tells when the stream is used
    assert guest("descriptor.write-via-stream", reads, 0) == ("err", "bad-descriptor")
    assert guest("descriptor.append-via-stream", reads) == ("err", "bad-descriptor")
    assert guest("descriptor.read-via-stream", writes, 0) == ("err", "bad-descriptor")
    assert guest("descriptor.set-size", reads, 3)[1] in ("bad-descriptor", "invalid")


CHANGING: dict[str, Callable[[Ours, int], Any]] = {
    "create-directory-at": lambda g, d: g("descriptor.create-directory-at", d, "new"),
    "link-at": lambda g, d: g("descriptor.link-at", d, 0, "file", d, "new"),
    "symlink-at": lambda g, d: g("descriptor.symlink-at", d, "file", "new"),
    "rename-at": lambda g, d: g("descriptor.rename-at", d, "file", d, "new"),
    "unlink-file-at": lambda g, d: g("descriptor.unlink-file-at", d, "file"),
    "remove-directory-at": lambda g, d: g("descriptor.remove-directory-at", d, "empty"),
    "set-times-at": lambda g, d: g("descriptor.set-times-at", d, 0, "file", 2, 1, 1, 2, 1, 1),
    "open to write": lambda g, d: g.open(d, "file", WRITE),
    "open to create": lambda g, d: g.open(d, "new", READ, CREATE),
    "open to truncate": lambda g, d: g.open(d, "file", READ, TRUNCATE),
    "open to mutate": lambda g, d: g.open(d, "empty", READ | MUTATE, DIRECTORY),
    "set-times": lambda g, d: g("descriptor.set-times", g.opened(d, "empty"), 2, 1, 1, 2, 1, 1),
}


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("name", CHANGING)
def test_a_read_only_directory_changes_in_no_way(begin: Open, tree: Path, name: str, memory: bool) -> None:
    held = MemoryDirectory({"file": b"0123456789", "empty/": b""})
    guest = begin(Wasi(dirs=[Dir(held if memory else tree, "/", readonly=True)]))
    before = sorted((p, p.lstat().st_mtime_ns) for p in tree.rglob("*"))
    assert CHANGING[name](guest, guest.root()) == ("err", "read-only")
    assert sorted((p, p.lstat().st_mtime_ns) for p in tree.rglob("*")) == before
    assert list(held) == ["file"]
    assert guest("descriptor.get-flags", guest.root())[1] & MUTATE == 0


# Reading and writing.


@pytest.mark.parametrize("memory", [False, True])
def test_numbers_beyond_every_file(begin: Open, tmp_path: Path, engine: str, memory: bool) -> None:
    guest = begin(Wasi(dirs={"/": MemoryDirectory() if memory else tmp_path}), engine=engine)
    fd = guest.opened(guest.root(), "file", BOTH, CREATE)
    assert guest("descriptor.write", fd, b"0123456789", 0) == ("ok", 10)
    for huge in (1 << 63, (1 << 64) - 1, (1 << 63) - 1):
        assert guest("descriptor.read", fd, huge, 8) == ("ok", (b"89", False))
        assert guest("descriptor.write", fd, b"x", huge)[1] in (
            "invalid",
            "file-too-large",
            "insufficient-space",
        )
        assert guest("descriptor.set-size", fd, huge)[1] in (
            "invalid",
            "file-too-large",
            "insufficient-space",
        )
        tag, value = guest("descriptor.read", fd, 1, huge)
        assert (tag, value) in (("ok", (b"", True)), ("err", "invalid"), ("err", "overflow"))
        assert guest("descriptor.advise", fd, huge, huge, 3)[0] in ("ok", "err")
        for way in ("read", "write"):
            tag, stream = guest(f"descriptor.{way}-via-stream", fd, huge)
            if tag == "err":
                assert stream in ("invalid", "overflow", "file-too-large")
            elif way == "read":
                assert guest("input-stream.blocking-read", stream, 3)[0] == "err"
            else:
                tag, value = guest("output-stream.blocking-write-and-flush", stream, b"x")
                assert tag == "err"
    assert guest("descriptor.stat", fd)[1]["size"] == 10
    assert guest("descriptor.read", fd, 5, 10) == ("ok", (b"", True))


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("name", ["read", "blocking-read", "skip", "blocking-skip"])
@pytest.mark.parametrize("count", [1 << 63, (1 << 64) - 1, 1 << 32])
def test_reading_more_than_there_is(begin: Open, tmp_path: Path, memory: bool, name: str, count: int) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    given: Any = MemoryDirectory({"file": b"0123456789"}) if memory else tmp_path
    guest = begin(Wasi(dirs={"/": given}, stdin=b"0123456789"))
    file = guest.got("descriptor.read-via-stream", guest.opened(guest.root(), "file"), 0)
    for stream in (file, guest("get-stdin")):
        assert guest(f"input-stream.{name}", stream, 0) == ("ok", b"" if "read" in name else 0)
        whole = guest(f"input-stream.{name}", stream, count)
        assert whole == ("ok", b"0123456789" if "read" in name else 10)
        for _ in range(2):
            assert guest(f"input-stream.{name}", stream, count) == ("err", "closed")


def test_reading_much_comes_in_pieces(begin: Open, engine: str) -> None:
    size = 5 << 20
    guest = begin(Wasi(stdin=b"x" * size), engine=engine)
    stream, found = guest("get-stdin"), 0
    while (answer := guest("input-stream.read", stream, (1 << 64) - 1))[0] == "ok":
        assert 0 < len(answer[1]) <= size
        found += len(answer[1])
    assert found == size


def test_streams_have_positions_of_their_own_and_outlive_their_descriptor(guest: Ours, tree: Path) -> None:
    fd = guest.opened(guest.root(), "file", BOTH)
    one, two = (guest.got("descriptor.read-via-stream", fd, at) for at in (0, 5))
    out = guest.got("descriptor.write-via-stream", fd, 3)
    more = guest.got("descriptor.append-via-stream", fd)
    guest("drop descriptor", fd)
    assert guest("input-stream.blocking-read", one, 2) == ("ok", b"01")
    assert guest("input-stream.blocking-read", two, 2) == ("ok", b"56")
    guest.got("output-stream.blocking-write-and-flush", out, b"ab")
    guest.got("output-stream.blocking-write-and-flush", more, b"END")
    guest.got("output-stream.blocking-write-and-flush", out, b"cd")
    guest.got("output-stream.blocking-write-and-flush", more, b"!")
    assert guest("input-stream.blocking-skip", one, 1) == ("ok", 1)
    assert guest("input-stream.blocking-read", one, 100) == ("ok", b"abcd789END!")
    for stream in (one, two):
        guest("drop input-stream", stream)
    for stream in (out, more):
        guest("drop output-stream", stream)
    assert (tree / "file").read_bytes() == b"012abcd789END!"


@pytest.mark.parametrize("memory", [False, True])
def test_writing_past_the_end_leaves_zeroes(begin: Open, tmp_path: Path, memory: bool) -> None:
    held = MemoryDirectory({"file": b"ab"})
    (tmp_path / "file").write_bytes(b"ab")
    guest = begin(Wasi(dirs={"/": held if memory else tmp_path}))
    fd = guest.opened(guest.root(), "file", BOTH)
    out = guest.got("descriptor.write-via-stream", fd, 5)
    guest.got("output-stream.blocking-write-zeroes-and-flush", out, 3)
    guest.got("output-stream.blocking-write-and-flush", out, b"c")
    assert guest("descriptor.read", fd, 100, 0) == ("ok", (b"ab" + bytes(6) + b"c", False))
    assert guest("descriptor.set-size", fd, 12) == ("ok", None)
    assert guest("descriptor.read", fd, 100, 8) == ("ok", (b"c" + bytes(3), False))


def test_splice_moves_what_is_there(guest: Ours, tree: Path) -> None:
    root = guest.root()
    source = guest.got("descriptor.read-via-stream", guest.opened(root, "file"), 2)
    target = guest.got("descriptor.write-via-stream", guest.opened(root, "new", WRITE, CREATE), 0)
    assert guest("output-stream.splice", target, source, 3) == ("ok", 3)
    moved = guest("output-stream.blocking-splice", target, source, (1 << 64) - 1)
    assert moved == ("ok", 5)
    assert guest("output-stream.splice", target, source, 1 << 63) == ("err", "closed")
    guest.got("output-stream.blocking-flush", target)
    assert (tree / "new").read_bytes() == b"23456789"


def test_a_failed_write_says_why_and_closes_the_stream(begin: Open) -> None:
    guest = begin(Wasi(dirs={"/": MemoryDirectory(limit=1 << 16)}))
    fd = guest.opened(guest.root(), "file", WRITE, CREATE)
    out = guest.got("descriptor.write-via-stream", fd, 0)
    for _ in range(40):
        answer = guest("output-stream.blocking-write-and-flush", out, b"x" * 4096)
        if answer[0] == "err":
            break
    tag, (failed, error) = answer
    assert (tag, failed) == ("err", "failed")
    assert guest("filesystem-error-code", error) == "insufficient-space"
    assert guest("error.to-debug-string", error)
    for name, more in {"check-write": (), "flush": (), "blocking-flush": (), "write-zeroes": (0,)}.items():
        assert guest(f"output-stream.{name}", out, *more) == ("err", "closed")
    assert guest("pollable.ready", guest("output-stream.subscribe", out)) == 1
    guest("drop error", error)


def test_an_error_that_is_no_files_has_no_code(begin: Open) -> None:
    def refuse(data: bytes) -> None:
        raise OSError(5, "the disk is gone")

    guest = begin(Wasi(stdout=refuse))
    answer = guest("output-stream.blocking-write-and-flush", guest("get-stdout"), b"x")
    assert answer[0] == "err"
    if answer[1] != "closed":
        assert guest("filesystem-error-code", answer[1][1]) in (None, "io")
        assert guest("error.to-debug-string", answer[1][1])


# Files themselves.


def test_times_are_set_as_they_are_given(guest: Ours, tree: Path) -> None:
    root = guest.root()
    fd = guest.opened(root, "file", BOTH)
    assert guest("descriptor.set-times", fd, 2, 1000, 5, 2, 2000, 999_999_999) == ("ok", None)
    assert guest("descriptor.stat", fd)[1]["times"][:2] == [(1000, 5), (2000, 999_999_999)]
    assert guest("descriptor.set-times", fd, 0, 0, 0, 2, 0, 0) == ("ok", None)
    assert guest("descriptor.stat-at", root, 0, "file")[1]["times"][:2] == [(1000, 5), (0, 0)]
    assert guest("descriptor.set-times-at", root, 0, "to_file", 2, 77, 0, 2, 77, 0) == ("ok", None)
    assert guest("descriptor.stat-at", root, 0, "to_file")[1]["times"][1] == (77, 0)
    assert guest("descriptor.stat-at", root, FOLLOW, "to_file")[1]["times"][1] == (0, 0)


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize(
    ("seconds", "rest"), [((1 << 64) - 1, 0), (1 << 63, 0), ((1 << 64) - 1, (1 << 32) - 1), (1 << 55, 7)]
)
def test_times_beyond_every_clock(begin: Open, tmp_path: Path, seconds: int, rest: int, memory: bool) -> None:
    (tmp_path / "file").write_bytes(b"")
    guest = begin(Wasi(dirs={"/": MemoryDirectory({"file": b""}) if memory else tmp_path}))
    root = guest.root()
    fd = guest.opened(root, "file", BOTH)
    guest.got("descriptor.set-times", fd, 2, 7, 7, 2, 8, 8)
    for answer in (
        guest("descriptor.set-times", fd, 2, seconds, rest, 0, 0, 0),
        guest("descriptor.set-times-at", root, 0, "file", 0, 0, 0, 2, seconds, rest),
    ):
        assert answer == ("err", "overflow")
    assert guest("descriptor.stat", fd)[1]["times"][:2] == [(7, 7), (8, 8)]


def test_more_nanoseconds_than_a_second_has_are_seconds(begin: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    found = []
    for side in (begin(Wasi(dirs={"/x": tmp_path})), Theirs(x=tmp_path)):
        fd = side.opened(side.root(), "file", BOTH)
        side.got("descriptor.set-times", fd, 2, 5, 1_000_000_000, 2, 0, (1 << 32) - 1)
        found.append(side("descriptor.stat", fd)[1]["times"][:2])
    assert found == [[(6, 0), (4, 294967295)]] * 2


def test_times_before_1970_are_times_or_none(begin: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    os.utime(tmp_path / "file", ns=(-5, -1_500_000_000))
    guest = begin(Wasi(dirs={"/": tmp_path}))
    for time in guest("descriptor.stat-at", guest.root(), 0, "file")[1]["times"][:2]:
        assert time in (None, (0, 0))


def test_a_hash_is_of_a_file_as_it_is(guest: Ours, tree: Path) -> None:
    root = guest.root()
    fd, again, leaf = (
        guest.opened(root, "file", BOTH),
        guest.opened(root, "to_file"),
        guest.opened(root, "sub/leaf"),
    )
    first = guest.got("descriptor.metadata-hash", fd)
    assert first == guest.got("descriptor.metadata-hash", again)
    assert first == guest.got("descriptor.metadata-hash-at", root, 0, "file")
    assert first != guest.got("descriptor.metadata-hash-at", root, 0, "to_file")
    assert first != guest.got("descriptor.metadata-hash", leaf)
    assert guest("descriptor.is-same-object", fd, again) == 1
    assert guest("descriptor.is-same-object", fd, leaf) == 0
    assert guest("descriptor.is-same-object", root, guest.opened(root, ".")) == 1
    guest.got("descriptor.set-size", fd, 3)
    changed = guest.got("descriptor.metadata-hash", again)
    assert changed != first
    assert (tree.stat().st_ino not in changed) and ((tree / "file").stat().st_ino not in changed)


def test_from_one_directory_into_another(begin: Open, tree: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    held = MemoryDirectory({"held": b"h"})
    guest = begin(Wasi(dirs={"/a": tree, "/b": other, "/c": held}))
    (a, _), (b, _), (c, _) = guest("get-directories")
    assert guest("descriptor.rename-at", a, "file", b, "moved") == ("ok", None)
    assert guest("descriptor.link-at", b, 0, "moved", a, "linked") == ("ok", None)
    assert (tree / "linked").read_bytes() == (other / "moved").read_bytes() == b"0123456789"
    assert guest("descriptor.rename-at", a, "linked", b, "../out") == ("err", "not-permitted")
    assert guest("descriptor.rename-at", a, "linked", c, "x") == ("err", "cross-device")
    assert guest("descriptor.link-at", c, 0, "held", a, "x") == ("err", "cross-device")
    assert guest("descriptor.is-same-object", a, c) == 0
    assert [name for _, name in guest("get-directories")] == ["/a", "/b", "/c"]


STORY: list[tuple[Any, ...]] = [
    ("create-directory-at", "sub"),
    ("create-directory-at", "sub/deep"),
    ("create-directory-at", "empty"),
    ("symlink-at", "sub", "to_sub"),
    ("symlink-at", "nothing", "dangling"),
    ("symlink-at", "loop", "loop"),
    ("symlink-at", "..", "parent"),
    ("symlink-at", "sub/deep/../leaf", "to_leaf"),
]  # fmt: skip


def test_directories_in_memory_answer_as_those_on_disk(begin: Open, tmp_path: Path, engine: str) -> None:
    sides = [begin(Wasi(dirs={"/": place}), engine=engine) for place in (MemoryDirectory(), tmp_path)]
    roots = [side.root() for side in sides]

    def both(name: str, *arguments: Any) -> None:
        answers = [
            side(
                f"descriptor.{name}",
                *(root if argument is ... else argument for argument in (..., *arguments)),
            )
            for side, root in zip(sides, roots, strict=True)
        ]
        if name in ("open-at",):
            answers = [told(answer) for answer in answers]
        if name in ("stat-at", "stat"):
            answers = [sized(answer) for answer in answers]
        assert answers[0] == answers[1], (name, arguments)

    for name, *arguments in STORY:
        both(name, *arguments)
    for side, root in zip(sides, roots, strict=True):
        for path in ("file", "sub/leaf"):
            assert side("descriptor.write", side.opened(root, path, BOTH, CREATE), b"0123456789", 0) == (
                "ok",
                10,
            )
    paths = [path for path in PATHS if path not in ("absolute", "out", "to_file", "to_file/")]
    for path in [*paths, "parent", "to_leaf", "to_sub/leaf"]:
        for follow in (0, 1):
            both("stat-at", follow, path)
            for how in (0, DIRECTORY, CREATE | EXCLUSIVE | DIRECTORY, EXCLUSIVE):
                both("open-at", follow, path, how, READ)
        both("readlink-at", path)
        both("open-at", 1, path, 0, WRITE)
        both("open-at", 1, path, 0, READ | MUTATE)
        for target in ("file", "sub", "empty", ".", "", "..", "/x"):
            both("rename-at", path, ..., target) if path in ("nothing", "sub", "empty/", "..") else None
            both("link-at", 0, path, ..., target)
            both("symlink-at", path, target)
    for path in paths:
        both("unlink-file-at", path)
        both("remove-directory-at", path)
    assert listed(sides[0], roots[0]) == listed(sides[1], roots[1])
