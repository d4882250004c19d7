"""Guests of WASI 0.2 that want too much or too long: core code that calls its functions with any numbers.

What is here: permits, limits, waits and deadlines. What is not: handles and memory that aren't the guest's,
and what stays behind (`test_component_handles.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import (
    Capture,
    DeadlineError,
    LimitError,
    Limits,
    MemoryDirectory,
    Trap,
    Wasi,
)

from ..component.components import component
from ..conftest import in_time
from .p2_guest import (
    CREATE,
    DIRECTORY,
    READ,
    REFUSED,
    WRITE,
    Open,
    Ours,
    Theirs,
    descriptors,
    growth,
    name_of,
    peak,
    poll,
)

MIB = 1 << 20


@pytest.fixture
def pipe() -> Iterator[tuple[Any, Any]]:
    """A pipe: the file that reads and the one that writes."""
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb", buffering=0) as reader, os.fdopen(writes, "wb", buffering=0) as writer:
        yield reader, writer


def full(writer: Any) -> None:
    """Write into a pipe until it takes no more."""
    os.set_blocking(writer.fileno(), False)
    while writer.write(bytes(4096)):
        pass
    os.set_blocking(writer.fileno(), True)


# More than is allowed.


@pytest.mark.parametrize("kind", ["stdout", "file", "append", "memory"])
@pytest.mark.parametrize("name", ["write", "write-zeroes"])
def test_writing_more_than_allowed_is_a_trap(
    begin: Open,
    tmp_path: Path,
    engine: str,
    kind: str,
    name: str,
) -> None:
    written = Capture()
    place: Any = MemoryDirectory() if kind == "memory" else tmp_path
    guest = begin(Wasi(dirs={"/": place}, stdout=written), engine=engine)
    if kind == "stdout":
        out = guest("get-stdout")
    else:
        fd = guest.opened(guest.root(), "file", WRITE, CREATE)
        at = () if kind == "append" else (0,)
        out = guest.got(f"descriptor.{'append' if kind == 'append' else 'write'}-via-stream", fd, *at)
    allowed = guest.got("output-stream.check-write", out)
    assert 0 < allowed < 1 << 30
    export, _, _ = name_of(f"output-stream.{name}")
    with pytest.raises(Trap):
        if name == "write":
            guest.raw(export, out, guest.raw("room", allowed + 1), allowed + 1, 64)
        else:
            guest.raw(export, out, allowed + 1, 64)
    assert written.value == b""
    assert kind in ("memory", "stdout") or (tmp_path / "file").read_bytes() == b""


def test_a_permit_is_used_up(begin: Open) -> None:
    written = Capture()
    guest = begin(Wasi(stdout=written))
    out = guest("get-stdout")
    allowed = guest.got("output-stream.check-write", out)
    room = guest.raw("room", allowed)
    guest.raw(name_of("output-stream.write")[0], out, room, allowed, 64)
    guest("output-stream.blocking-flush", out)
    assert len(written.value) == allowed
    with pytest.raises(Trap):
        guest("output-stream.write-zeroes", out, (1 << 64) - 1)


@pytest.mark.parametrize("count", [4097, 1 << 20, 1 << 63, (1 << 64) - 1])
def test_blocking_writes_take_4096_bytes(begin: Open, engine: str, count: int) -> None:
    written = Capture()
    guest = begin(Wasi(stdout=written), engine=engine)
    out = guest("get-stdout")
    guest.got("output-stream.blocking-write-zeroes-and-flush", out, 4096)
    assert written.value == bytes(4096)
    with pytest.raises(Trap):
        guest("output-stream.blocking-write-zeroes-and-flush", out, count)
    assert written.value == bytes(4096)


def test_blocking_writes_take_4096_bytes_as_in_wasmtime(begin: Open, tmp_path: Path) -> None:
    def outcome(side: Any, trap: Any, name: str, argument: Any) -> str:
        out = side.got("descriptor.write-via-stream", side.opened(side.root(), "file", WRITE, CREATE), 0)
        try:
            side.got(f"output-stream.{name}", out, argument)
        except trap:
            return "trap"
        return "ok"

    for name, argument in {
        "blocking-write-and-flush": bytes(4097),
        "blocking-write-zeroes-and-flush": 4097,
        "write-zeroes": 1 << 40,
    }.items():
        theirs = Theirs(x=tmp_path)
        ours = begin(Wasi(dirs={"/x": tmp_path}))
        assert outcome(ours, Trap, name, argument) == outcome(theirs, theirs.trap, name, argument) == "trap"


@pytest.mark.parametrize("name", ["get-random-bytes", "get-insecure-random-bytes"])
@pytest.mark.parametrize("count", [(1 << 64) - 1, 1 << 63, 1 << 40, 1 << 32, 1 << 31])
def test_random_bytes_that_no_memory_has(begin: Open, engine: str, name: str, count: int) -> None:
    guest = begin(Wasi(), engine=engine, limits=Limits(memory=1 << 20))
    before = peak()
    with pytest.raises(REFUSED):
        guest(name, count)
    assert peak() - before < 64 * MIB


@pytest.mark.parametrize("name", ["read", "blocking-read", "skip", "blocking-skip"])
def test_a_read_takes_memory_for_what_comes(begin: Open, tmp_path: Path, name: str) -> None:
    with open(tmp_path / "file", "wb") as sparse:
        sparse.truncate(1 << 40)
    guest = begin(Wasi(dirs={"/": tmp_path}), limits=Limits(memory=16 * MIB, seconds=120))
    stream = guest.got("descriptor.read-via-stream", guest.opened(guest.root(), "file"), 0)
    before = peak()
    with suppress(*REFUSED):
        guest(f"input-stream.{name}", stream, (1 << 64) - 1)
    assert peak() - before < 64 * MIB


def test_a_positioned_read_takes_memory_for_what_comes(begin: Open, tmp_path: Path) -> None:
    with open(tmp_path / "file", "wb") as sparse:
        sparse.truncate(1 << 40)
    guest = begin(Wasi(dirs={"/": tmp_path}), limits=Limits(memory=16 * MIB, seconds=120))
    fd = guest.opened(guest.root(), "file")
    before = peak()
    with suppress(*REFUSED):
        guest("descriptor.read", fd, (1 << 64) - 1, 5)
    assert peak() - before < 64 * MIB


def test_output_beyond_the_limit_is_refused(begin: Open, engine: str) -> None:
    written = Capture()
    guest = begin(Wasi(stdout=written), limits=Limits(output=100), engine=engine)
    out = guest("get-stdout")
    guest.got("output-stream.blocking-write-and-flush", out, b"x" * 90)
    tag, failure = guest("output-stream.blocking-write-and-flush", out, b"y" * 90)
    assert tag == "err"
    if failure != "closed":
        assert guest("filesystem-error-code", failure[1]) in ("insufficient-space", None)
    assert len(written.value) <= 100
    assert guest("output-stream.check-write", out) == ("err", "closed")


# Polling and timers.


def test_a_poll_of_nothing_is_a_trap(begin: Open, engine: str) -> None:
    guest = begin(Wasi(), engine=engine)
    with pytest.raises(Trap):
        poll(guest, [])


def test_a_poll_of_more_than_the_limit_is_refused(begin: Open, engine: str) -> None:
    guest = begin(Wasi(), engine=engine)
    timer = guest("subscribe-duration", 0)
    assert poll(guest, [timer] * 4096) == list(range(4096))
    with pytest.raises(LimitError, match="4097") as caught:
        poll(guest, [timer] * 4097)
    assert caught.value.limit == "waits"


@pytest.mark.parametrize("count", [1_000_000, (1 << 32) - 1])
def test_a_poll_of_a_million(begin: Open, count: int) -> None:
    guest = begin(Wasi())
    timer = guest("subscribe-duration", 0)
    before = peak()
    with pytest.raises(REFUSED):
        if count == 1_000_000:
            poll(guest, [timer] * count)
        else:
            guest.raw(name_of("poll")[0], 1024, count, 64)
    assert peak() - before < 256 * MIB


def test_a_handle_twice_in_a_poll_is_ready_twice(begin: Open) -> None:
    for side in (begin(Wasi()), Theirs()):
        now, later = side("subscribe-duration", 0), side("subscribe-duration", (1 << 64) - 1)
        assert poll(side, [later, now, now, later]) == [1, 2]
        assert side("pollable.ready", later) == 0
        assert side("pollable.ready", now) == 1


@pytest.mark.parametrize("name", ["subscribe-duration", "subscribe-instant"])
@pytest.mark.parametrize("when", [(1 << 64) - 1, 1 << 63, 10**18])
@pytest.mark.parametrize("how", ["block", "poll"])
def test_a_timer_far_away_ends_with_the_guests_time(
    begin: Open,
    engine: str,
    name: str,
    when: int,
    how: str,
) -> None:
    def prepared() -> tuple[Ours, int]:
        guest = begin(Wasi(), engine=engine, limits=Limits(seconds=0.3))
        return guest, guest(name, when)

    guest, timer = in_time(prepared)
    with pytest.raises(DeadlineError):
        guest("pollable.block", timer) if how == "block" else poll(guest, [timer, timer])
    with pytest.raises(Trap):
        guest("now")


def test_a_timer_that_has_passed_is_ready(begin: Open) -> None:
    guest = begin(Wasi())
    assert guest("pollable.ready", guest("subscribe-instant", 0)) == 1
    assert guest("pollable.ready", guest("subscribe-instant", guest("now"))) == 1
    guest("pollable.block", guest("subscribe-duration", 1000))


def test_a_clock_of_its_own_goes_on_until_the_guests_time_is_over(begin: Open) -> None:
    guest = in_time(lambda: begin(Wasi(seed=1), limits=Limits(seconds=1)))
    with suppress(DeadlineError):
        guest("pollable.block", guest("subscribe-duration", (1 << 64) - 1))
        assert 0 < guest("now") < 1 << 64


# Waiting for somebody who never comes.

WAITS: dict[str, Callable[[Ours, int, int], Any]] = {
    "blocking-read": lambda g, i, o: g("input-stream.blocking-read", i, 1),
    "blocking-read of all": lambda g, i, o: g("input-stream.blocking-read", i, (1 << 64) - 1),
    "blocking-skip": lambda g, i, o: g("input-stream.blocking-skip", i, 1 << 63),
    "blocking-splice": lambda g, i, o: g("output-stream.blocking-splice", o, i, 5),
    "block": lambda g, i, o: g("pollable.block", g("input-stream.subscribe", i)),
    "poll": lambda g, i, o: poll(g, [g("input-stream.subscribe", i)]),
    "poll with a timer": lambda g, i, o: poll(
        g, [g("input-stream.subscribe", i), g("subscribe-duration", 1 << 62)]
    ),
}


@pytest.mark.parametrize("name", WAITS)
def test_a_pipe_nobody_writes_to(begin: Open, pipe: Any, name: str) -> None:
    def prepared() -> tuple[Ours, int, int]:
        guest = begin(Wasi(stdin=pipe[0], stdout=Capture()), limits=Limits(seconds=0.3))
        return guest, guest("get-stdin"), guest("get-stdout")

    guest, source, out = in_time(prepared)
    with pytest.raises(DeadlineError):
        WAITS[name](guest, source, out)


def test_what_does_not_wait_answers_at_once(begin: Open, pipe: Any) -> None:
    guest = begin(Wasi(stdin=pipe[0], stdout=Capture()), limits=Limits(seconds=60))
    source, out = guest("get-stdin"), guest("get-stdout")
    assert guest("input-stream.read", source, 5) == ("ok", b"")
    assert guest("input-stream.skip", source, 1 << 63) == ("ok", 0)
    assert guest("output-stream.splice", out, source, 5) == ("ok", 0)
    waiting = guest("input-stream.subscribe", source)
    assert guest("pollable.ready", waiting) == 0
    assert poll(guest, [waiting, guest("subscribe-duration", 1_000_000)]) == [1]
    pipe[1].write(b"abc")
    assert poll(guest, [waiting]) == [0]
    assert guest("input-stream.read", source, 2) == ("ok", b"ab")
    assert guest("input-stream.blocking-read", source, 9) == ("ok", b"c")
    pipe[1].close()
    assert guest("pollable.ready", waiting) == 1
    assert guest("input-stream.blocking-read", source, 1) == ("err", "closed")


FILLS: dict[str, Callable[[Ours, int], Any]] = {
    "blocking-write-and-flush": lambda g, o: g("output-stream.blocking-write-and-flush", o, b"x"),
    "blocking-write-zeroes": lambda g, o: g("output-stream.blocking-write-zeroes-and-flush", o, 4096),
    "block": lambda g, o: g("pollable.block", g("output-stream.subscribe", o)),
    "poll": lambda g, o: poll(g, [g("output-stream.subscribe", o)]),
}


@pytest.mark.parametrize("name", FILLS)
def test_a_full_pipe_nobody_reads(begin: Open, pipe: Any, name: str) -> None:
    full(pipe[1])
    guest = in_time(lambda: begin(Wasi(stdout=pipe[1]), limits=Limits(seconds=0.3)))
    with pytest.raises(DeadlineError):
        FILLS[name](guest, guest("get-stdout"))


def test_a_full_pipe_is_not_waited_for(begin: Open, pipe: Any) -> None:
    guest = begin(Wasi(stdout=pipe[1]), limits=Limits(seconds=60))
    out = guest("get-stdout")
    total = 0
    for _ in range(1000):
        tag, allowed = guest("output-stream.check-write", out)
        if tag == "err" or allowed == 0:
            break
        if guest("output-stream.write-zeroes", out, min(allowed, 65536))[0] == "err":
            break
        total += min(allowed, 65536)
    else:
        pytest.fail("the pipe takes everything")
    assert guest("pollable.ready", guest("output-stream.subscribe", out)) == 0
    assert total <= 4 * MIB


def test_a_pipe_whose_reader_went_away_is_closed(begin: Open, pipe: Any) -> None:
    guest = begin(Wasi(stdout=pipe[1]))
    out = guest("get-stdout")
    pipe[0].close()
    assert guest("output-stream.blocking-write-and-flush", out, b"x")[0] == "err"
    assert guest("output-stream.blocking-write-and-flush", out, b"x") == ("err", "closed")
    assert guest("output-stream.check-write", out) == ("err", "closed")


# Limits.


@pytest.mark.parametrize("memory", [False, True])
def test_descriptors_are_limited_and_drops_give_them_back(
    begin: Open,
    tmp_path: Path,
    engine: str,
    memory: bool,
) -> None:
    (tmp_path / "file").write_bytes(b"")
    place: Any = MemoryDirectory({"file": b""}) if memory else tmp_path
    guest = begin(Wasi(dirs={"/": place}), limits=Limits(descriptors=20), engine=engine)
    root = guest.root()
    for _ in range(3):
        opened = []
        for _ in range(30):
            tag, value = guest.open(root, "file")
            if tag == "err":
                break
            opened.append(value)
        assert (tag, value) in (
            ("err", "quota"),
            ("err", "insufficient-memory"),
            ("err", "too-many-links"),
            ("err", "io"),
        )
        assert 10 < len(opened) < 21
        for handle in opened:
            guest("drop descriptor", handle)


@pytest.mark.parametrize(
    "what", ["read-via-stream", "write-via-stream", "append-via-stream", "read-directory"]
)
def test_what_is_made_of_descriptors_is_limited_or_takes_none(
    begin: Open,
    tmp_path: Path,
    what: str,
) -> None:
    guest = begin(Wasi(dirs={"/": tmp_path}), limits=Limits(descriptors=20))
    root = guest.root()
    if what == "read-directory":
        fd, more = guest.opened(root, ".", READ, DIRECTORY), ()
    else:
        fd, more = guest.opened(root, "file", READ | WRITE, CREATE), () if "append" in what else (0,)
    before = descriptors()
    made = [guest(f"descriptor.{what}", fd, *more) for _ in range(100)]
    assert len(descriptors() - before) <= 20
    kind = {"rea": "input-stream", "wri": "output-stream", "app": "output-stream"}[what[:3]]
    kind = "directory-entry-stream" if what == "read-directory" else kind
    for tag, handle in made:
        if tag == "ok":
            guest(f"drop {kind}", handle)
    assert not descriptors() - before
    assert guest(f"descriptor.{what}", fd, *more)[0] == "ok"


LOOP = """
(import "wasi:io/poll@0.2.0" (instance $poll (export "pollable" (type (sub resource)))))
(alias export $poll "pollable" (type $P))
(import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
  (alias outer 1 $P (type $O)) (export "pollable" (type $p (eq $O)))
  (export "now" (func (result u64)))
  (export "subscribe-duration" (func (param "when" u64) (result (own $p))))))
(alias export $clock "subscribe-duration" (func $s)) (core func $subscribe (canon lower (func $s)))
(alias export $clock "now" (func $n)) (core func $now (canon lower (func $n)))
(core func $drop (canon resource.drop $P))
(core module $M (import "x" "s" (func $s (param i64) (result i32))) (import "x" "n" (func $n (result i64)))
  (import "x" "d" (func $d (param i32)))
  (func (export "keep") (param i32) (loop (drop (call $s (i64.const 1)))
    (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "release") (param i32) (loop (call $d (call $s (i64.const 1)))
    (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))
  (func (export "look") (param i32) (loop (drop (call $n))
    (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))
(core instance $m (instantiate $M (with "x" (instance
  (export "s" (func $subscribe)) (export "n" (func $now)) (export "d" (func $drop))))))
(func (export "keep") (param "n" u32) (canon lift (core func $m "keep")))
(func (export "release") (param "n" u32) (canon lift (core func $m "release")))
(func (export "look") (param "n" u32) (canon lift (core func $m "look")))
"""


def test_handles_that_nobody_drops_are_limited() -> None:
    """A guest without any other limit can't fill its host with pollables."""
    with component(LOOP).instantiate(wasi=Wasi()) as instance, pytest.raises(REFUSED):
        for _ in range(40):
            instance.exports.keep(50_000)


def test_handles_that_are_dropped_leave_nothing() -> None:
    with component(LOOP).instantiate(wasi=Wasi()) as instance:
        instance.exports.release(2000)
        with growth() as grown:
            instance.exports.release(20_000)
        assert grown() < 20_000


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (Limits(fuel=5000), "look"),
        (Limits(fuel=5000), "release"),
        (Limits(host_calls=500), "look"),
        (Limits(host_calls=500), "release"),
        (Limits(seconds=0.2), "look"),
        (Limits(seconds=0.2), "release"),
    ],
)
def test_limits_hold_between_calls_of_wasi(engine: str, limits: Limits, name: str) -> None:
    made = component(LOOP)
    with in_time(lambda: made.instantiate(wasi=Wasi(), limits=limits, engine=engine)) as instance:
        with pytest.raises(LimitError):
            instance.exports[name](1 << 30)
        with pytest.raises(Trap):
            instance.exports[name](1)
