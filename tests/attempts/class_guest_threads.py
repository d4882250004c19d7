# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts with a guest's own threads: more than are allowed, at the start, in each other, and while others wait."""

from __future__ import annotations

from .harness import Attempt

START = """
import resource, threading, time
from pywasm_nn import *
from pywasm_nn.errors import *
from tests.attempts.kit import *
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
alarm_after(100)
HEAD = '''(import "wasi" "thread-spawn" (func $spawn (param i32) (result i32))) (import "env" "memory" (memory 1 {most} shared))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32))) (export "memory" (memory 0))'''
FOREVER = '(drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))'
def threads():
    return [each for each in threading.enumerate() if " thread " in each.name]
def ends(name, thread, run, *kinds, more="", limits=Limits(seconds=1), wall=8.0, most=4):
    '''What comes of the guest, and that no thread of it is left.'''
    text = f'(module {HEAD.format(most=most)} {more} (func $thread (export "wasi_thread_start") (param i32 i32) (local $n i32) {thread}) (func (export "run") (result i32) (local $n i32) {run}))'
    module = Module.from_text(text)
    began = time.monotonic()
    try:
        with module.instantiate(Wasi(), engine=ENGINE, limits=limits) as guest:
            said = guest.exports.run()
    except (WasmError, GuestExit) as error:
        said = error
    took = time.monotonic() - began
    print(name, repr(said)[:100], f"{took:.1f} s", flush=True)
    assert took < wall, (name, took)
    assert isinstance(said, kinds), (name, said)
    assert not threads(), (name, threads())
    return said
SPAWN = "(call $spawn (i32.const 0))"
"""


def attempt(name: str, source: str, cpu: float = 25.0) -> Attempt:
    return Attempt(f"guest threads: {name}", START + source, cpu)


ATTEMPTS = [
    attempt(
        "as many as there may be, in each other and at the start",
        """
for most in (1, 5, 64):
    said = ends(f"storm {most}", FOREVER, f"(loop (if (i32.lt_s (local.get $n) (i32.const 1000)) (then (local.set $n (i32.add (local.get $n) (i32.const 1))) (br_if 1 (i32.gt_s {SPAWN} (i32.const 0)))))) (local.get $n)", int, DeadlineError, limits=Limits(seconds=5, threads=most), wall=30)
    assert not isinstance(said, int) or said == most + 1, said
ends("recursion", f"(drop {SPAWN}) (drop {SPAWN}) {FOREVER}", f"(drop {SPAWN}) {FOREVER} (i32.const 0)", DeadlineError)
ends("each one starts the next", f"(drop {SPAWN})", f"(loop (drop {SPAWN}) (br 0)) (i32.const 0)", DeadlineError, wall=15)
ends("in the start function", FOREVER, "(i32.const 7)", int, DeadlineError, WasmError, more=f"(func $s (drop {SPAWN})) (start $s)")
ends("the start function waits", FOREVER, "(i32.const 7)", WasmError, more=f"(func $s (drop {SPAWN}) {FOREVER}) (start $s)")
ends("the start function traps", FOREVER, "(i32.const 7)", Trap, more=f"(func $s (drop {SPAWN}) unreachable) (start $s)")
""",
    ),
    attempt(
        "a thread ends while all others wait, loop, sleep or are being started",
        """
SLEEP = "(i64.store (i32.const 24) (i64.const -1)) (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))"
LOOP = "(loop (br 0))"
for end, kind in (("unreachable", Trap), ("(call $exit (i32.const 3))", GuestExit), ("(drop (i32.load (i32.const -1)))", Trap), ("(drop (i32.div_s (i32.const 1) (i32.const 0)))", Trap)):
    for rest in (FOREVER, SLEEP, LOOP, f"(loop (drop {SPAWN}) (br 0))"):
        spawn = "".join(f"(drop (call $spawn (i32.const {n})))" for n in (1, 1, 1, 0))
        ends(end + rest[:20], f"(if (local.get 1) (then {rest}) (else {end}))", f"{spawn} {rest} (i32.const 0)", kind, DeadlineError, limits=Limits(seconds=5), wall=20)
""",
        cpu=90.0,
    ),
    attempt(
        "limits are shared: fuel, memory, host calls, time",
        """
LOOP = "(loop (br 0))"
ends("fuel", LOOP, f"(drop {SPAWN}) (drop {SPAWN}) {FOREVER} (i32.const 0)", FuelError, limits=Limits(fuel=10**6, seconds=20), wall=25)
ends("seconds", LOOP, f"(drop {SPAWN}) (drop {SPAWN}) {LOOP} (i32.const 0)", DeadlineError)
ends("host calls", "(loop (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 0) (i32.const 128))) (br 0))", f"(drop {SPAWN}) (drop {SPAWN}) {FOREVER} (i32.const 0)", HostCallsError, limits=Limits(host_calls=50, seconds=20), wall=25)
grow = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))"
said = ends("memory", f"{grow} (drop (i32.atomic.rmw.add (i32.const 8) (i32.const 1)))", f"(drop {SPAWN}) (drop {SPAWN}) {grow} (loop (br_if 0 (i32.lt_u (i32.atomic.load (i32.const 8)) (i32.const 2)))) (memory.size)", int, most=60000, limits=Limits(seconds=20, memory=100 << 16), wall=25)
assert said == 100, said
said = ends("memory of all", f"{grow} (drop (i32.atomic.rmw.add (i32.const 8) (i32.const 1)))", f"(drop {SPAWN}) (drop {SPAWN}) {grow} (loop (br_if 0 (i32.lt_u (i32.atomic.load (i32.const 8)) (i32.const 2)))) (memory.size)", int, most=60000, limits=Limits(seconds=20, memory_total=70 << 16), wall=25)
assert said == 70, said
ends("own memories", FOREVER, f"(loop (drop {SPAWN}) (br 0)) (i32.const 0)", WasmError, more="(memory 1000)", limits=Limits(seconds=2, memory_total=200 << 20), wall=20)
ends("own tables", FOREVER, f"(loop (drop {SPAWN}) (br 0)) (i32.const 0)", WasmError, more="(table 900000 funcref)", limits=Limits(seconds=2, table_total=2_000_000), wall=20)
""",
        cpu=60.0,
    ),
    attempt(
        "notify storms, waits that never match, and at odd addresses",
        """
storm = "(loop (drop (memory.atomic.notify (i32.const 0) (i32.const -1))) (br 0))"
ends("storm", storm, f"(drop {SPAWN}) (drop {SPAWN}) {storm} (i32.const 0)", DeadlineError)
ends("ping", f"(loop (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const 1000))) (drop (memory.atomic.notify (i32.const 0) (i32.const 1))) (br 0))", f"(drop {SPAWN}) (drop {SPAWN}) (loop (drop (memory.atomic.notify (i32.const 0) (i32.const 1))) (br 0)) (i32.const 0)", DeadlineError)
for address in (1, 2, 3, 65534, 65536, -4, -1):
    ends(f"wait at {address}", FOREVER, f"(memory.atomic.wait32 (i32.const {address}) (i32.const 0) (i64.const -1))", Trap)
    ends(f"notify at {address}", FOREVER, f"(memory.atomic.notify (i32.const {address}) (i32.const -1))", Trap)
waits = "(loop (drop (memory.atomic.wait32 (i32.mul (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 4)) (i32.const 0) (i64.const 0))) (br_if 0 (i32.lt_u (local.get $n) (i32.const 16000))))"
ends("an address each", waits + FOREVER, f"(drop {SPAWN}) {waits} (i32.const 0)", int, DeadlineError, limits=Limits(seconds=5), wall=15)
""",
    ),
    attempt(
        "a thread traps while another one sleeps in the host",
        """
SLEEP = "(i64.store (i32.const 24) (i64.const -1)) (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))"
ends("sleep", f"(if (local.get 1) (then {SLEEP}) (else unreachable))", f"(drop (call $spawn (i32.const 1))) (drop {SPAWN}) {SLEEP} (i32.const 0)", Trap, limits=Limits(seconds=30), wall=3)
""",
    ),
    attempt(
        "many threads whose stacks are exhausted while more are started",
        """
spawn = "".join(f"(drop (call $spawn (i32.const {n})))" for n in (1, 1, 1, 0))
rest = f"(loop (drop {SPAWN}) (br 0))"
ends("recursion", f"(if (local.get 1) (then {rest}) (else (call $thread (local.get 0) (local.get 1))))", f"{spawn} {rest} (i32.const 0)", ExhaustionError, DeadlineError, limits=Limits(seconds=5), wall=8)
""",
        cpu=30.0,
    ),
]
