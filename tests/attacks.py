"""Guests that each attack one limit, and what must come of it.

`python tests/attacks.py ROUNDS` runs all of them so often in this process and prints of each its name,
rounds, KiB that it leaves, and seconds.

What is not here: what limits mean in detail, which the tests of each part say.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from pywasm_nn import NN, Caller, Capture, Limits, Module, Wasi
from pywasm_nn.errors import (
    DeadlineError,
    ExhaustionError,
    FuelError,
    HeapLimitError,
    HostCallsError,
    LimitError,
    MemoryLimitError,
    TableLimitError,
    Trap,
    TrapKind,
    WasmError,
)
from pywasm_nn.interpreter.types import FuncType
from pywasm_nn.nn import Backend, Context, DType, Encoding, Format, Graph, GraphConfig, Tensor, TensorSpec
from pywasm_nn.wasi.errors import Errno

ENGINES = ("compile", "interpret")
TOO_LARGE, INVALID_ARGUMENT, RUNTIME_ERROR = 7, 1, 5
"""Numbers of wasi-nn."""


class Echo(Context):
    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        return list(inputs)


class Endless(Context):
    """Computes until it is interrupted."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.stopped = Event()

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        assert self.stopped.wait(60)
        raise RuntimeError("interrupted")

    def interrupt(self) -> bool:
        self.stopped.set()
        return True


class EchoGraph(Graph):
    endless = False

    def context(self) -> Context:
        return Endless(self) if self.endless else Echo(self)


class EchoBackend(Backend):
    """Models are b"ECHO" and what follows; computing b"ECHO..." takes for ever."""

    name = "echo"
    formats = (Format("echo", encoding=Encoding("echo", 77), magic=(0, b"ECHO")),)

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        specs = (TensorSpec("in", DType.U8, (None,)),)
        graph = EchoGraph("echo", specs, specs)
        graph.endless = bytes(parts[0][4:7]) == b"..."
        return graph


@dataclass(frozen=True)
class Attack:
    """A guest whose `run` goes beyond a limit: the error of this class with this field's name, the trap of
    this kind, or the number that it is answered."""

    name: str
    text: str
    limits: Limits
    error: type[LimitError] | type[ExhaustionError] | None = None
    limit: str = ""
    kind: TrapKind | None = None
    answer: int | None = None
    imports: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def module(self) -> Module:
        return Module.from_text(f"(module {self.text})", f"{self.name}.wat")

    def run(self, module: Module, engine: str, folder: Path, nn: NN) -> None:
        """Attack once. Raises AssertionError if something else comes of it."""
        wasi = Wasi(stdin=b"", stdout=Capture(), stderr=Capture(), dirs={"/": folder})
        imports = {"host": dict(self.imports)}
        try:
            with module.instantiate(wasi, nn, imports, engine=engine, limits=self.limits) as instance:
                found = instance.exports.run()
        except WasmError as error:
            assert self.error is not None or self.kind is not None, f"{self.name}: {error!r}"
            assert self.error is None or type(error) is self.error, f"{self.name}: {error!r}"
            assert not self.limit or getattr(error, "limit", None) == self.limit, f"{self.name}: {error!r}"
            assert self.kind is None or (isinstance(error, Trap) and error.kind is self.kind), repr(error)
            return
        assert self.answer is not None, f"{self.name} returned {found}"
        assert found == self.answer, f"{self.name} returned {found}, not {self.answer}"


P1 = '(import "wasi_snapshot_preview1"'
NN_ = '(import "wasi_ephemeral_nn"'
WRITE = f'{P1} "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))'
OPEN = f'{P1} "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))'
LIST = f'{P1} "fd_readdir" (func $list (param i32 i32 i32 i64 i32) (result i32)))'
POLL = f'{P1} "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))'
LOAD = f'{NN_} "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))'
NAMED = f'{NN_} "load_by_name" (func $named (param i32 i32 i32) (result i32)))'
INIT = f'{NN_} "init_execution_context" (func $init (param i32 i32) (result i32)))'
INPUT = f'{NN_} "set_input" (func $input (param i32 i32 i32) (result i32)))'
COMPUTE = f'{NN_} "compute" (func $compute (param i32) (result i32)))'
MEMORY = '(memory (export "memory") 8)'
THREADS = """(import "wasi" "thread-spawn" (func $spawn (param i32) (result i32)))
  (import "env" "memory" (memory 1 1 shared))"""
MODEL = f'{MEMORY} (data (i32.const 16) "\\20\\00\\00\\00\\04\\00\\00\\00") (data (i32.const 32) "ECHO")'
"""At 16 an array of one part, which is the bytes at 32."""
LOADED = "(call $load (i32.const 16) (i32.const 1) (i32.const 77) (i32.const 0) (i32.const 8))"


def until_refused(call: str) -> str:
    """Calls again and again until the answer isn't 0, and returns it."""
    return f"""(func (export "run") (result i32) (local $n i32)
      (loop (if (i32.eqz (local.tee $n {call})) (then (br 1)))) (local.get $n))"""


def call_back(caller: Caller) -> None:
    """A host function that calls its guest again."""
    caller.call(["run"], FuncType())


ATTACKS = [
    Attack("fuel", '(func (export "run") (loop (br 0)))', Limits(fuel=3000), FuelError, "fuel"),
    Attack(
        "fuel in bulk",
        f"""{MEMORY} (func (export "run")
          (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 500000)) (br 0)))""",
        Limits(fuel=10**6),
        FuelError,
        "fuel",
    ),
    Attack(
        "seconds", '(func (export "run") (loop (br 0)))', Limits(seconds=0.001), DeadlineError, "seconds"
    ),
    Attack(
        "seconds asleep",
        f"""{POLL} {MEMORY} (func (export "run") (result i32)
          (i64.store (i32.const 24) (i64.const -1))
          (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))""",
        Limits(seconds=0.001),
        DeadlineError,
        "seconds",
    ),
    Attack(
        "host_calls",
        '(import "host" "nothing" (func $nothing)) (func (export "run") (loop (call $nothing) (br 0)))',
        Limits(host_calls=50),
        HostCallsError,
        "host_calls",
        imports={"nothing": lambda: None},
    ),
    Attack(
        "threads",
        f"""{THREADS} (func (export "wasi_thread_start") (param i32 i32)
          (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1))))
        (func (export "run") (result i32) (local $n i32)
          (loop (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if 0 (i32.gt_s (call $spawn (i32.const 0)) (i32.const 0))))
          (local.get $n))""",
        Limits(threads=3),
        answer=4,
    ),
    Attack(
        "seconds on another thread",
        f"""{THREADS} (func (export "wasi_thread_start") (param i32 i32) (loop (br 0)))
        (func (export "run") (drop (call $spawn (i32.const 0)))
          (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1))))""",
        Limits(seconds=0.02),
        DeadlineError,
        "seconds",
    ),
    Attack(
        "call_depth",
        '(func $run (export "run") (call $run))',
        Limits(call_depth=500),
        ExhaustionError,
        kind=TrapKind.CALL_STACK_EXHAUSTED,
    ),
    Attack(
        "host_reentry",
        """(import "host" "again" (func $again)) (memory (export "memory") 1)
        (func (export "run") (call $again))""",
        Limits(host_reentry=10),
        ExhaustionError,
        kind=TrapKind.CALL_STACK_EXHAUSTED,
        imports={"again": call_back},
    ),
    Attack(
        "locals of many frames",
        f'(func $run (export "run") (local {"i64 " * 2000}) (call $run) (local.set 1999 (i64.const 1)))',
        Limits(call_depth=500),
        ExhaustionError,
    ),
    Attack(
        "memory",
        """(memory (export "memory") 1) (func (export "run") (result i32)
          (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (memory.size))""",
        Limits(memory=5 << 16),
        answer=5,
    ),
    Attack(
        "memory to begin with",
        '(memory 65536) (func (export "run"))',
        Limits(memory=1 << 20),
        MemoryLimitError,
        "memory",
    ),
    Attack(
        "memories to begin with",
        f'{"(memory 1)" * 40} (func (export "run"))',
        Limits(memory_total=1 << 20),
        MemoryLimitError,
        "memory_total",
    ),
    Attack(
        "empty memories", f'{"(memory 0)" * 40} (func (export "run"))', Limits(memory_total=1 << 20),
        MemoryLimitError, "memory_total",
    ),
    Attack(
        "memories together",
        """(memory 1) (memory 1) (func (export "run") (result i32)
          (loop (drop (memory.grow 0 (i32.const 1)))
            (br_if 0 (i32.ne (memory.grow 1 (i32.const 1)) (i32.const -1))))
          (i32.add (memory.size 0) (memory.size 1)))""",
        Limits(memory_total=10 << 16),
        answer=10,
    ),
    Attack(
        "table",
        """(table 1 funcref) (func (export "run") (result i32)
          (loop (br_if 0 (i32.ne (table.grow (ref.null func) (i32.const 100)) (i32.const -1))))
          (table.size))""",
        Limits(table=1000),
        answer=901,
    ),
    Attack(
        "table to begin with",
        '(table 0xffffffff funcref) (func (export "run"))',
        Limits(),
        TableLimitError,
        "table",
    ),
    Attack(
        "tables to begin with",
        f'{"(table 900000 funcref)" * 30} (func (export "run"))',
        Limits(table_total=2_000_000),
        TableLimitError,
        "table_total",
    ),
    Attack(
        "tables together",
        """(table 1 funcref) (table 1 externref) (func (export "run") (result i32)
          (loop (drop (table.grow 0 (ref.null func) (i32.const 10)))
            (br_if 0 (i32.ne (table.grow 1 (ref.null extern) (i32.const 10)) (i32.const -1))))
          (i32.add (table.size 0) (table.size 1)))""",
        Limits(table_total=102),
        answer=102,
    ),
    Attack(
        "structures",
        """(type $node (struct (field (ref null $node)) (field i64)))
        (global $list (mut (ref null $node)) (ref.null $node))
        (func (export "run")
          (loop (global.set $list (struct.new $node (global.get $list) (i64.const 5))) (br 0)))""",
        Limits(heap=100_000),
        HeapLimitError,
        "heap",
    ),
    Attack(
        "an array",
        """(type $a (array (mut i64)))
        (func (export "run") (result i32) (array.len (array.new $a (i64.const 1) (i32.const -1))))""",
        Limits(),
        HeapLimitError,
        "heap",
    ),
    Attack(
        "arrays",
        """(type $a (array (mut i8))) (type $all (array (mut (ref null $a))))
        (func (export "run") (local $all (ref $all)) (local $n i32)
          (local.set $all (array.new_default $all (i32.const 1000)))
          (loop (array.set $all (local.get $all) (local.get $n) (array.new_default $a (i32.const 5000)))
            (local.set $n (i32.add (local.get $n) (i32.const 1))) (br 0)))""",
        Limits(heap=500_000),
        HeapLimitError,
        "heap",
    ),
    Attack(
        "exceptions",
        """(tag $e (param i64)) (type $all (array (mut exnref)))
        (func $thrown (result exnref) (local $e exnref)
          (block $h (result i64 exnref) (try_table (catch_ref $e $h) (throw $e (i64.const 5))) (unreachable))
          (local.set $e) (drop) (local.get $e))
        (func (export "run") (local $all (ref $all)) (local $n i32)
          (local.set $all (array.new_default $all (i32.const 1000)))
          (loop (array.set $all (local.get $all) (local.get $n) (call $thrown))
            (local.set $n (i32.add (local.get $n) (i32.const 1))) (br 0)))""",
        Limits(heap=200_000),
        HeapLimitError,
        "heap",
    ),
    Attack(
        "rubbish, which is none",
        """(type $pair (struct (field (mut (ref null $pair)))))
        (func (export "run") (result i32) (local $n i32) (local $p (ref null $pair))
          (loop (local.set $p (struct.new $pair (ref.null $pair)))
            (struct.set $pair 0 (local.get $p) (local.get $p))
            (br_if 0 (i32.ne (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 2000))))
          (local.get $n))""",
        Limits(heap=100_000),
        answer=2000,
    ),
    Attack(
        "output",
        f"""{WRITE} {MEMORY} (data (i32.const 4) "\\00\\10\\00\\00")
        {until_refused("(call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))")}""",
        Limits(output=100_000),
        answer=Errno.NOSPC,
    ),
    Attack(
        "descriptors",
        f"""{OPEN} {MEMORY} (data (i32.const 0) "file")
        {until_refused('''(call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 0)
          (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 8))''')}""",
        Limits(descriptors=20),
        answer=Errno.MFILE,
    ),
    Attack(
        "listings",
        f"""{OPEN} {LIST} {MEMORY} (data (i32.const 0) "file") (func (export "run") (result i32)
          (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 1)
            (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 8)))
          (call $list (i32.const 3) (i32.const 64) (i32.const 4096) (i64.const 0) (i32.const 8)))""",
        Limits(listings=60),
        answer=Errno.NOMEM,
    ),
    Attack(
        "buffers",
        f"""{WRITE} {MEMORY} (func (export "run") (result i32) (local $n i32)
          (loop (i32.store (i32.add (i32.const 64) (i32.mul (local.get $n) (i32.const 8))) (i32.const 1))
            (i32.store offset=4 (i32.add (i32.const 64) (i32.mul (local.get $n) (i32.const 8))) (i32.const 1))
            (br_if 0 (i32.ne (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 50))))
          (drop (call $write (i32.const 1) (i32.const 64) (i32.const 50) (i32.const 8)))
          (i32.load (i32.const 8)))""",
        Limits(buffers=20),
        answer=20,
    ),
    Attack(
        "waits",
        f"""{POLL} {MEMORY} (func (export "run") (result i32)
          (call $poll (i32.const 0) (i32.const 4096) (i32.const 50) (i32.const 8192)))""",
        Limits(waits=20),
        answer=Errno.INVAL,
    ),
    Attack(
        "names of files",
        f"""{OPEN} {MEMORY} (func (export "run") (result i32)
          (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 200) (i32.const 0)
          (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 8)))""",
        Limits(names=200),
        answer=Errno.NAMETOOLONG,
    ),
    Attack(
        "names of models",
        f"""{NAMED} {MEMORY} (func (export "run") (result i32)
          (call $named (i32.const 0) (i32.const 500000) (i32.const 8)))""",
        Limits(names=200),
        answer=INVALID_ARGUMENT,
    ),
    Attack("graphs", f"{LOAD} {MODEL} {until_refused(LOADED)}", Limits(graphs=5), answer=TOO_LARGE),
    Attack(
        "contexts",
        f"""{LOAD} {INIT} {MODEL} (func $first (drop {LOADED})) (start $first)
        {until_refused("(call $init (i32.load (i32.const 8)) (i32.const 12))")}""",
        Limits(contexts=20),
        answer=TOO_LARGE,
    ),
    Attack(
        "handles",
        f"""(import "wasi:nn/tensor@0.2.0-rc-2024-10-28" "[constructor]tensor"
          (func $tensor (param i32 i32 i32 i32 i32) (result i32)))
        {MEMORY} (data (i32.const 16) "\\04\\00\\00\\00")
        (func (export "run")
          (loop (drop (call $tensor
            (i32.const 16) (i32.const 1) (i32.const 4) (i32.const 32) (i32.const 4))) (br 0)))""",
        Limits(handles=20),
        kind=TrapKind.CANONICAL_ABI,
    ),
    Attack(
        "compute_seconds",
        f"""{LOAD} {INIT} {INPUT} {COMPUTE} {MODEL} (data (i32.const 36) "...")
        (func (export "run") (result i32)
          (i32.store (i32.const 20) (i32.const 7)) (drop {LOADED})
          (drop (call $init (i32.load (i32.const 8)) (i32.const 12)))
          (i32.store (i32.const 64) (i32.const 4))
          (i32.store (i32.const 128) (i32.const 64)) (i32.store (i32.const 132) (i32.const 1))
          (i32.store8 (i32.const 136) (i32.const 3))
          (i32.store (i32.const 140) (i32.const 0)) (i32.store (i32.const 144) (i32.const 4))
          (drop (call $input (i32.load (i32.const 12)) (i32.const 0) (i32.const 128)))
          (call $compute (i32.load (i32.const 12))))""",
        Limits(compute_seconds=0.001),
        answer=RUNTIME_ERROR,
    ),
    Attack(
        "model_bytes",
        f"""{LOAD} {MODEL} (func (export "run") (result i32)
          (i32.store (i32.const 20) (i32.const 400000)) {LOADED})""",
        Limits(model_bytes=100_000),
        answer=TOO_LARGE,
    ),
    Attack(
        "models together",
        f"""{LOAD} {MODEL} (func (export "run") (result i32) (local $n i32)
          (i32.store (i32.const 20) (i32.const 400))
          (loop (br_if 0 (i32.eqz (local.tee $n {LOADED})))) (local.get $n))""",
        Limits(model_bytes=2000),
        answer=TOO_LARGE,
    ),
    Attack(
        "tensors together",
        f"""{LOAD} {INIT} {INPUT} {MODEL} (func (export "run") (result i32) (local $n i32)
          (drop {LOADED})
          (i32.store (i32.const 64) (i32.const 4000))
          (i32.store (i32.const 128) (i32.const 64)) (i32.store (i32.const 132) (i32.const 1))
          (i32.store8 (i32.const 136) (i32.const 3))
          (i32.store (i32.const 140) (i32.const 0)) (i32.store (i32.const 144) (i32.const 4000))
          (loop
            (drop (call $init (i32.load (i32.const 8)) (i32.const 12)))
            (br_if 0 (i32.eqz (local.tee $n
              (call $input (i32.load (i32.const 12)) (i32.const 0) (i32.const 128)))))) (local.get $n))""",
        Limits(tensor_total=10_000),
        answer=TOO_LARGE,
    ),
    Attack(
        "tensor_bytes",
        f"""{LOAD} {INIT} {INPUT} {MODEL} (func (export "run") (result i32)
          (drop {LOADED}) (drop (call $init (i32.load (i32.const 8)) (i32.const 12)))
          (i32.store (i32.const 64) (i32.const 400000))
          (i32.store (i32.const 128) (i32.const 64)) (i32.store (i32.const 132) (i32.const 1))
          (i32.store8 (i32.const 136) (i32.const 3))
          (i32.store (i32.const 140) (i32.const 0)) (i32.store (i32.const 144) (i32.const 400000))
          (call $input (i32.load (i32.const 12)) (i32.const 0) (i32.const 128)))""",
        Limits(tensor_bytes=100_000),
        answer=TOO_LARGE,
    ),
]  # fmt: skip


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def rounds(count: int, attacks: Sequence[Attack], report: Callable[[str], None]) -> None:
    """Every attack so often, on each engine; before, a tenth of that to warm up."""
    nn = NN(plugins=[EchoBackend()], trust_guest_models=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "file").write_bytes(b"content")
        for attack in attacks:
            module = attack.module()
            began, before = time.perf_counter(), 0
            for number in range(-max(count // 10, 1), count):
                if not number:
                    gc.collect()
                    before = resident()
                for engine in ENGINES:
                    attack.run(module, engine, folder, nn)
            gc.collect()
            kept, seconds = resident() - before, time.perf_counter() - began
            report(f"{attack.name}\t{count}\t{kept >> 10}\t{seconds:.1f}")


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        chosen = [attack for attack in ATTACKS if attack.name in sys.argv[2:] or not sys.argv[2:]]
        rounds(int(sys.argv[1]), chosen, lambda line: print(line, flush=True))
