"""Guests of WASI 0.2 that use what isn't theirs, or isn't any more: handles, memory, and instances that end
in the middle; and that nothing of it stays behind.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import (
    Capture,
    HostError,
    Limits,
    MemoryDirectory,
    Trap,
    Wasi,
)

from ..nn.conftest import ADD_MUL, FakeBackend, floats
from ..nn.wit_component import GUESTS, ComponentGuest
from ..nn.wit_guest import AUGUST, NEWEST, WitError, nn_with
from ..nn.wit_matrix import computed
from .p2_guest import (
    CREATE,
    READ,
    WRITE,
    Open,
    Ours,
    Theirs,
    descriptors,
    growth,
    name_of,
    poll,
)
from .p2_world import STRINGS

MIB = 1 << 20


# Handles.

MAKERS: dict[str, Callable[[Any], int]] = {
    "pollable": lambda g: g("subscribe-duration", 0),
    "input-stream": lambda g: g("get-stdin"),
    "output-stream": lambda g: g("get-stdout"),
    "descriptor": lambda g: g.root(),
    "directory-entry-stream": lambda g: g.got("descriptor.read-directory", g.root()),
}
USES: dict[str, Callable[[Any, int], Any]] = {
    "pollable": lambda g, h: g("pollable.ready", h),
    "input-stream": lambda g, h: g("input-stream.read", h, 1),
    "output-stream": lambda g, h: g("output-stream.check-write", h),
    "descriptor": lambda g, h: g("descriptor.stat", h),
    "directory-entry-stream": lambda g, h: g("directory-entry-stream.read-directory-entry", h),
    "error": lambda g, h: g("error.to-debug-string", h),
}


@pytest.mark.parametrize("used", USES)
def test_a_handle_of_another_kind_is_a_trap(begin: Open, tmp_path: Path, used: str) -> None:
    for made, make in MAKERS.items():
        guest = begin(Wasi(dirs={"/": tmp_path}, stdin=b"x", stdout=Capture()))
        handle = make(guest)
        if made == used:
            USES[used](guest, handle)
            continue
        with pytest.raises(Trap):
            USES[used](guest, handle)


@pytest.mark.parametrize("used", USES)
@pytest.mark.parametrize("handle", [0, 99, (1 << 32) - 1, 1 << 31, (1 << 28) + 1])
def test_a_handle_that_is_none_is_a_trap(begin: Open, used: str, handle: int) -> None:
    guest = begin(Wasi())
    with pytest.raises(Trap):
        USES[used](guest, handle)


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("then", ["drop", "use"])
def test_what_was_dropped_is_gone(begin: Open, tmp_path: Path, engine: str, made: str, then: str) -> None:
    guest = begin(Wasi(dirs={"/": tmp_path}, stdin=b"x", stdout=Capture()), engine=engine)
    handle = MAKERS[made](guest)
    guest(f"drop {made}", handle)
    with pytest.raises(Trap):
        guest(f"drop {made}", handle) if then == "drop" else USES[made](guest, handle)


def test_a_descriptor_goes_before_its_streams(begin: Open, tmp_path: Path, engine: str) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    before = descriptors()
    guest = begin(Wasi(dirs={"/": tmp_path}), engine=engine)
    fd = guest.opened(guest.root(), "file", READ | WRITE)
    reads = guest.got("descriptor.read-via-stream", fd, 3)
    writes = guest.got("descriptor.write-via-stream", fd, 8)
    guest("drop descriptor", fd)
    other = guest.opened(guest.root(), "other", READ | WRITE, CREATE)  # the system reuses numbers
    guest.got("descriptor.write", other, b"ABCDEFGHIJK", 0)
    assert guest("input-stream.blocking-read", reads, 4) == ("ok", b"3456")
    guest.got("output-stream.blocking-write-and-flush", writes, b"xy")
    assert (tmp_path / "file").read_bytes() == b"01234567xy"
    assert (tmp_path / "other").read_bytes() == b"ABCDEFGHIJK"
    guest.close()
    assert not descriptors() - before


@pytest.mark.parametrize("way", ["input", "output"])
def test_a_stream_goes_before_its_pollable(begin: Open, tmp_path: Path, way: str) -> None:
    """WASI lets that be a trap; nothing else may happen, as other files have the system's number by then."""
    (tmp_path / "file").write_bytes(b"0123456789")
    guest = begin(Wasi(dirs={"/": tmp_path}), limits=Limits(seconds=20))
    fd = guest.opened(guest.root(), "file", READ | WRITE)
    stream = guest.got(f"descriptor.{'read' if way == 'input' else 'write'}-via-stream", fd, 0)
    waiting = guest(f"{way}-stream.subscribe", stream)
    guest("drop descriptor", fd)
    try:
        guest(f"drop {way}-stream", stream)
        guest("pollable.ready", waiting)
        guest("pollable.block", waiting)
        assert poll(guest, [waiting, waiting]) == [0, 1]
        guest("drop pollable", waiting)
    except Trap:
        pass


def test_standard_streams_are_there_after_they_were_dropped(begin: Open) -> None:
    written = Capture()
    guest = begin(Wasi(stdin=b"abcd", stdout=written))
    for expected in (b"ab", b"cd"):
        source, out = guest("get-stdin"), guest("get-stdout")
        assert guest("input-stream.blocking-read", source, 2) == ("ok", expected)
        guest.got("output-stream.blocking-write-and-flush", out, expected)
        guest("drop input-stream", source)
        guest("drop output-stream", out)
    assert written.value == b"abcd"


def test_a_splice_of_a_stream_that_was_dropped(begin: Open, tmp_path: Path) -> None:
    guest = begin(Wasi(stdin=b"abc", stdout=Capture()))
    source, out = guest("get-stdin"), guest("get-stdout")
    guest("drop input-stream", source)
    with pytest.raises(Trap):
        guest("output-stream.splice", out, source, 3)


def test_a_tensor_that_was_given_away_is_gone() -> None:
    guest = ComponentGuest(AUGUST, nn_with(FakeBackend()))
    context = guest.context(guest.load(ADD_MUL))
    tensor = guest.tensor(floats(1), (1,))
    guest.write(8192, b"x")
    guest.call("inference.[method]graph-execution-context.set-input", context, 8192, 1, tensor, 16384)
    with pytest.raises(Trap):
        guest.call("tensor.[method]tensor.ty", tensor)


# Memory that is not there.


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("descriptor.open-at", (1, 0xFFFF_FFFF, 5, 0, 1, 64)),
        ("descriptor.open-at", (1, 65530, 100, 0, 1, 64)),
        ("descriptor.open-at", (1, 512, 0xFFFF_FFFF, 0, 1, 64)),
        ("descriptor.open-at", (1, 512, 4, 0, 1, 0xFFFF_FFFC)),
        ("descriptor.open-at", (1, 512, 4, 0, 1, 66)),
        ("descriptor.stat", (65440,)),
        ("descriptor.stat", (0xFFFF_FFF8,)),
        ("descriptor.write", (0xFFFF_FFF0, 0xFFFF_FFF0, 0, 64)),
        ("descriptor.write", (512, 70000, 0, 64)),
        ("descriptor.read", (4, 0, 65530)),
        ("descriptor.rename-at", (512, 4, 1, 65535, 2, 64)),
    ],
)
def test_areas_outside_of_memory_are_traps(
    begin: Open,
    tmp_path: Path,
    engine: str,
    name: str,
    arguments: tuple[int, ...],
) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    guest = begin(Wasi(dirs={"/": tmp_path}), engine=engine)
    root = guest.root()
    fd = root if "-at" in name else guest.opened(root, "file", READ | WRITE)
    guest.poke(STRINGS, b"file")
    with pytest.raises(Trap):
        guest.raw(name_of(name)[0], fd, *arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"0123456789"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("descriptor.advise", (0, 0, 6, 64)),
        ("descriptor.set-times", (3, 0, 0, 0, 0, 0, 64)),
        ("descriptor.set-times", (0xFFFF_FFFF, 0, 0, 0, 0, 0, 64)),
    ],
)
def test_cases_that_no_type_has_are_traps(
    begin: Open, tmp_path: Path, name: str, arguments: tuple[int, ...]
) -> None:
    guest = begin(Wasi(dirs={"/": tmp_path}))
    fd = guest.opened(guest.root(), "file", READ | WRITE, CREATE)
    with pytest.raises(Trap):
        guest.raw(name_of(name)[0], fd, *arguments)


@pytest.mark.parametrize("flags", [0x40, 0xFF, 0xFFFF_FFC1])
def test_flags_that_no_type_has_are_left_out(begin: Open, tmp_path: Path, flags: int) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    ours, theirs = begin(Wasi(dirs={"/x": tmp_path})), Theirs(x=tmp_path)
    tag, _ = theirs.open(theirs.root(), "file", flags & ~0x3E | 1, 0x10, 0xFE)
    assert ours.open(ours.root(), "file", flags & ~0x3E | 1, 0x10, 0xFE)[0] == tag


# What others do in between.


def test_an_instance_that_is_closed_amid_its_streams(begin: Open, tmp_path: Path, engine: str) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    before = descriptors()
    guest = begin(Wasi(dirs={"/": tmp_path}), engine=engine)
    root = guest.root()
    for _ in range(5):
        fd = guest.opened(root, "file", READ | WRITE)
        stream = guest.got("descriptor.read-via-stream", fd, 3)
        guest("input-stream.subscribe", stream)
        guest.got("descriptor.append-via-stream", fd)
        guest.got("descriptor.read-directory", root)
    assert descriptors() - before
    guest.close()
    guest.close()
    assert not descriptors() - before
    with pytest.raises(Trap, match="closed"):
        guest("input-stream.read", stream, 1)


def test_a_trap_in_the_middle_leaves_nothing_open_once_closed(begin: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    before = descriptors()
    guest = begin(Wasi(dirs={"/": tmp_path}))
    guest.opened(guest.root(), "file")
    with pytest.raises(Trap):
        poll(guest, [])
    guest.close()
    assert not descriptors() - before


@pytest.mark.parametrize("error", [ValueError, OSError, MemoryError])
def test_a_source_that_raises(begin: Open, engine: str, error: type[Exception]) -> None:
    def broken(count: int) -> bytes:
        raise error("no more")

    guest = begin(Wasi(stdin=broken), engine=engine)
    try:
        answer = guest("input-stream.blocking-read", guest("get-stdin"), 5)
    except HostError as raised:
        assert isinstance(raised.__cause__, error)
    else:
        assert answer[0] == "err"
        assert error is OSError


@pytest.mark.parametrize(
    "answer", ["text", 5, None, b"more than was asked for", bytearray(b"ab"), memoryview(b"ab")]
)
def test_a_source_that_gives_something_else(begin: Open, answer: Any) -> None:
    guest = begin(Wasi(stdin=lambda count: answer))
    try:
        found = guest("input-stream.blocking-read", guest("get-stdin"), 2)
    except HostError:
        assert not isinstance(answer, bytearray | memoryview)
    else:
        assert found[0] == "err" or len(found[1]) <= 2


def test_an_interrupt_goes_through(begin: Open) -> None:
    def stopped(data: bytes) -> None:
        raise KeyboardInterrupt

    guest = begin(Wasi(stdout=stopped))
    with pytest.raises(KeyboardInterrupt):
        guest("output-stream.blocking-write-and-flush", guest("get-stdout"), b"x")


@pytest.mark.parametrize("memory", [False, True])
def test_files_that_others_shorten_and_remove(begin: Open, tmp_path: Path, memory: bool) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    place: Any = MemoryDirectory({"file": b"0123456789"}) if memory else tmp_path
    one, two = begin(Wasi(dirs={"/": place})), begin(Wasi(dirs={"/": place}))
    stream = one.got("descriptor.read-via-stream", one.opened(one.root(), "file"), 8)
    entries = one.got("descriptor.read-directory", one.root())
    fd = two.opened(two.root(), "file", WRITE)
    two.got("descriptor.set-size", fd, 3)
    two.got("descriptor.unlink-file-at", two.root(), "file")
    assert one("input-stream.blocking-read", stream, 5) == ("err", "closed")
    assert one("directory-entry-stream.read-directory-entry", entries)[0] in ("ok", "err")
    assert one.open(one.root(), "file") == ("err", "no-entry")


# Rounds.


COUNTS = [1000, pytest.param(100_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("engine", "memory"), [("interpret", False), ("compile", True)])
@pytest.mark.parametrize("count", COUNTS)
def test_rounds_of_files_leave_nothing(
    begin: Open,
    tmp_path: Path,
    engine: str,
    count: int,
    memory: bool,
) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    place: Any = MemoryDirectory({"file": b"0123456789"}) if memory else tmp_path
    guest = begin(Wasi(dirs={"/": place}), limits=Limits(descriptors=16, memory=1 << 20), engine=engine)
    root = guest.root()
    guest.poke(STRINGS, b"file")
    assert guest.raw("rounds", 50, root, STRINGS, 4) == 50
    pages, files = guest.raw("size"), descriptors()
    handle = guest("subscribe-duration", 0)
    with growth() as grown:
        assert guest.raw("rounds", count, root, STRINGS, 4) == count
    print(f"{engine}: {count} rounds, {grown()} bytes, {len(descriptors() - files)} descriptors")
    assert grown() < 30_000
    assert not descriptors() - files
    assert guest.raw("size") == pages
    assert guest("subscribe-duration", 0) == handle + 1, "handles are used again"


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("way", "version"), [("component", NEWEST), ("component", AUGUST), ("lowered", NEWEST)]
)
def test_rounds_of_tensors_leave_nothing(count: int, way: str, version: str) -> None:
    guest = GUESTS[way](version, nn_with(FakeBackend()))
    guest.poke(8192, struct.pack("<I", 1) + bytes(4))

    def rounds(how_many: int) -> None:
        for _ in range(how_many):
            tensor = guest.call("tensor.[constructor]tensor", 8192, 1, 1, 8196, 4)
            guest.call("tensor.[method]tensor.ty", tensor)
            guest.drop("tensor", "tensor", tensor)

    rounds(50)
    files, first = descriptors(), guest.call("tensor.[constructor]tensor", 8192, 1, 1, 8196, 4)
    left = guest.session.tensors.left
    with growth() as grown:
        rounds(count)
    print(f"{way} {version}: {count} rounds, {grown()} bytes, {len(descriptors() - files)} descriptors")
    assert grown() < 30_000
    assert not descriptors() - files
    assert guest.session.tensors.left == left
    assert guest.call("tensor.[constructor]tensor", 8192, 1, 1, 8196, 4) == first + 1


@pytest.mark.parametrize(
    ("way", "version"), [("component", NEWEST), ("component", AUGUST), ("lowered", NEWEST)]
)
def test_rounds_of_inference_leave_nothing(way: str, version: str) -> None:
    """Tensors that are dropped, given away, and made by a compute; graphs, contexts and errors."""
    guest = GUESTS[way](version, nn_with(backend := FakeBackend()))
    ctx = guest.context(graph := guest.load(ADD_MUL))

    def rounds(how_many: int) -> None:
        for number in range(how_many):
            guest.rewind()
            guest.drop("tensor", "tensor", guest.tensor(floats(1, 2)))
            tensors = {name: guest.tensor(floats(number, 2)) for name in "ab"}
            if version == NEWEST:
                made = guest.compute(ctx, **tensors)
            else:
                made = {"sum": computed(guest, version, ctx, tensors)}
            assert guest.data(made["sum"]) == floats(2 * number, 4)
            for tensor in made.values():
                guest.drop("tensor", "tensor", tensor)
            guest.drop("inference", "graph-execution-context", guest.context(graph))
            with pytest.raises(WitError):
                guest.load_by_name(b"what")
            guest.reports.clear()
            backend.graphs[0].open_contexts.clear()  # which it keeps for tests

    rounds(50)
    files, left, size = descriptors(), guest.session.tensors.left, guest.memory.size
    with growth() as grown:
        rounds(200)
    assert grown() < 30_000
    assert not descriptors() - files
    assert guest.session.tensors.left == left
    assert guest.memory.size == size
    assert guest.tensor(floats(1, 2)) == ctx + 1, "handles are used again"


def test_instances_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")

    def visit() -> None:
        guest = Ours(Wasi(dirs={"/": tmp_path}))
        guest.got("descriptor.read-via-stream", guest.opened(guest.root(), "file"), 0)
        guest.close()

    for _ in range(3):
        visit()
    files = descriptors()
    with growth() as grown:
        for _ in range(8):
            visit()
    assert not descriptors() - files
    assert grown() < 30_000
