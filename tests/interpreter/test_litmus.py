"""What threads see of each other's accesses to a shared memory: litmus tests of the memory model, atomicity,
and tearing (https://webassembly.github.io/threads/core/exec/relaxed.html).

Each guest thread is an instance on a Python thread. In each of many rounds the threads meet at a barrier, and
then run the few accesses of the test on the cells of this round. At the barrier a thread gives way to the
others: Python would have it go round in a circle for most of the time. What is not here: waiting and waking
(`tests/wasi/test_threads.py`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import reduce

import pytest

from pywasm_nn.api import Module
from pywasm_nn.interpreter.runtime.memory import Memory
from pywasm_nn.limits import Limits

engines = pytest.mark.parametrize("engine", ["compile", "interpret"])
rounds = pytest.mark.parametrize("rounds", [100, pytest.param(10_000, marks=pytest.mark.slow)])
CELL, ROUND, FIRST = 64, 512, 4096
"""Bytes from one location to the next, from one round to the next, and before the first round."""
RESULTS = 256
"""Where a round's results begin, eight bytes each."""
PARALLEL = not getattr(sys, "_is_gil_enabled", lambda: True)()
MEMORY = '(memory (export "m") 128 128 shared)'


@pytest.fixture(autouse=True)
def threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(engine: str, bodies: Sequence[str], rounds: int) -> Memory:
    """Run each body `rounds` times on a thread of its own, and return the memory. In a body, local $at is the
    address of the round's cells and $round its number; the threads begin each round together."""
    module = Module.from_text("\n".join(map(program, range(len(bodies)), bodies)).join(SHELL))
    with ExitStack() as stack:
        owner = stack.enter_context(Module.from_text(f"(module {MEMORY})").instantiate())
        apps = [
            stack.enter_context(
                module.instantiate(
                    imports={"a": {"m": owner.memory}, "host": {"give way": lambda: time.sleep(0)}},
                    engine=engine,
                    limits=Limits(seconds=120),
                )
            )
            for _ in bodies
        ]
        errors: list[BaseException] = []

        def call(number: int) -> None:
            try:
                apps[number].exports[f"run{number}"](rounds, len(bodies))
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=call, args=(number,)) for number in range(len(bodies))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        stack.pop_all()
    return owner.memory


SHELL = (
    """(module (import "a" "m" (memory 128 128 shared)) (import "host" "give way" (func $give_way))
  (func $meet (param $all i32)
    (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))
    (loop $wait (if (i32.lt_u (i32.atomic.load (i32.const 0)) (local.get $all))
      (then (call $give_way) (br $wait)))))
""",
    ")",
)


def program(number: int, body: str) -> str:
    """The function of one thread."""
    return f"""(func (export "run{number}") (param $rounds i32) (param $threads i32)
      (local $round i32) (local $at i32) (local $a i64) (local $b i64)
      (local.set $at (i32.const {FIRST}))
      (loop $again
        (call $meet (i32.mul (local.get $threads) (i32.add (local.get $round) (i32.const 1))))
        {body}
        (local.set $at (i32.add (local.get $at) (i32.const {ROUND})))
        (local.set $round (i32.add (local.get $round) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $round) (local.get $rounds)))))"""


def access(words: str, kind: str, width: int) -> str:
    """The instructions of "x=1", or of "0=x", which loads a cell and keeps it as result 0, or of
    "fence". `kind` is "atomic" or "plain"; accesses of a cell with a capital letter are always plain."""
    if words == "fence":
        return "(atomic.fence)"
    left, _, right = words.partition("=")
    cell = left if left.isalpha() else right
    dot = ".atomic" if kind == "atomic" and cell.islower() else ""
    narrow = "" if width == 64 else str(width)
    place = f"offset={CELL * 'xy'.index(cell.lower())} (local.get $at)"
    if left.isalpha():
        return f"(i64{dot}.store{narrow} {place} (i64.const {right}))"
    load = f"(i64{dot}.load{narrow}{'_u' * bool(narrow)} {place})"
    return f"(i64.store offset={RESULTS + 8 * int(left)} (local.get $at) {load})"


LITMUS = {
    "store buffering": ("x=1 0=y | y=1 1=x", "00"),
    "message passing": ("x=1 y=1 | 0=y 1=x", "10"),
    "message passing, plain data": ("X=1 y=1 | 0=y 1=X", "10"),
    "load buffering": ("0=x y=1 | 1=y x=1", "11"),
    "store buffering, plain with fences": ("X=1 fence 0=Y | Y=1 fence 1=X", "00"),
    "message passing, plain with fences": ("X=1 fence Y=1 | 0=Y fence 1=X", "10"),
    "independent reads of independent writes": ("x=1 | y=1 | 0=x 1=y | 2=y 3=x", "1010"),
    "write to read causality": ("x=1 | 0=x y=1 | 1=y 2=x", "110"),
    "coherence of reads": ("x=1 | 0=x 1=x", "10"),
    "coherence of a read and a write": ("x=1 0=x | x=2 1=x", "21"),
}
"""The accesses of each thread, and results that no order of all accesses gives."""


@engines
@rounds
@pytest.mark.parametrize(("kind", "width"), [("atomic", 32), ("plain", 32)])
@pytest.mark.parametrize("name", LITMUS)
def test_no_result_is_without_an_order(engine: str, name: str, kind: str, width: int, rounds: int) -> None:
    text, forbidden = LITMUS[name]
    bodies = [" ".join(access(words, kind, width) for words in thread.split()) for thread in text.split("|")]
    memory = together(engine, bodies, rounds)
    seen = set()
    for number in range(rounds):
        at = FIRST + ROUND * number + RESULTS
        seen.add("".join(str(memory.load("u64", at + 8 * place)) for place in range(len(forbidden))))
    memory.close()
    assert all(set(each) <= set("012") for each in seen), "values that somebody stored"
    if kind == "atomic" or not PARALLEL:
        assert forbidden not in seen


@engines
@rounds
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_no_change_is_lost(engine: str, width: int, rounds: int) -> None:
    narrow = "rmw.add" if width == 64 else f"rmw{width}.add_u"
    beside = f"(i32.const {512 + width // 8 + 1})"
    body = f"(drop (i64.atomic.{narrow} (i32.const 512) (i64.const 3))) " * 20
    alone = f"(i32.store8 {beside} (i32.add (i32.load8_u {beside}) (i32.const 1))) " * 20
    memory = together(engine, [body, body + alone, body], rounds)
    assert memory.load(f"u{width}", 512) == 3 * 20 * 3 * rounds % (1 << width)
    assert memory.load("u8", 512 + width // 8 + 1) == 20 * rounds % 256, "nobody else wrote what is beside"
    memory.close()


LOCKED = """(loop $try (br_if $try (i32.atomic.rmw.cmpxchg (i32.const 512) (i32.const 0) (i32.const 1))))
  (i32.store (i32.const 528) (i32.add (i32.load (i32.const 528)) (i32.const 1)))
  (i32.atomic.store (i32.const 512) (i32.const 0))"""
TICKETS = """(local.set $a (i64.atomic.rmw.add (i32.const 512) (i64.const 1)))
  (loop $wait (br_if $wait (i64.ne (i64.atomic.load (i32.const 520)) (local.get $a))))
  (i32.store (i32.const 528) (i32.add (i32.load (i32.const 528)) (i32.const 1)))
  (i64.atomic.store (i32.const 520) (i64.add (local.get $a) (i64.const 1)))"""


@engines
@rounds
@pytest.mark.parametrize("section", [LOCKED, TICKETS], ids=["a lock", "tickets"])
def test_a_lock_of_the_guest_keeps_plain_accesses_apart(engine: str, section: str, rounds: int) -> None:
    memory = together(engine, [section * 3] * 3, rounds)
    assert memory.load("u32", 528) == 9 * rounds
    memory.close()


PATTERNS = [0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x0, 0xFFFFFFFFFFFFFFFF]


@engines
@rounds
@pytest.mark.parametrize("type_", ["i64.8", "i64.16", "i64.32", "i64.64", "f64.64", "f32.32"])
def test_aligned_plain_accesses_are_whole(engine: str, rounds: int, type_: str) -> None:
    """The proposal promises it up to 32 bits; 64 bits are whole where the processor moves them at once."""
    number, _, width = type_.partition(".")
    patterns = [pattern & (1 << int(width)) - 1 for pattern in PATTERNS]
    if number == "f32":
        patterns = [0x3F800000, 0xC0490FDB, 0x00000000, 0x7F7FFFFF]
    narrow = width if number == "i64" and width != "64" else ""
    made = "i64.const {}" if number == "i64" else f"{number}.reinterpret_i{width} (i{width}.const {{}})"
    stores = " ".join(f"({number}.store{narrow} (i32.const 512) ({made.format(each)}))" for each in patterns)
    load = f"({number}.load{narrow}{'_u' * bool(narrow)} (i32.const 512))"
    if number != "i64":
        load = f"(i{width}.reinterpret_{number} {load})"
    extended = f"(i64.extend_i32_u {load})" if number == "f32" else load
    differences = (f"(i64.ne (local.get $a) (i64.const {each}))" for each in patterns)
    wrong = reduce("(i32.and {} {})".format, differences)
    check = f"""(local.set $a {extended})
      (if {wrong} (then
        (i64.store (i32.const 1024) (local.get $a)) (i32.store (i32.const 1032) (i32.const 1))))"""
    memory = together(engine, [stores * 5, check * 10, check * 10], rounds)
    torn = memory.load("u32", 1032)
    assert not torn, f"0x{memory.load('u64', 1024):x}"
    memory.close()
