"""Bulk instructions: what they do beyond one piece, and that a deadline ends them in the middle.

What is not here: what they cost in fuel (`test_fuel.py`), and small counts (`test_memory.py`, `test_gc.py`,
the specification's own tests).
"""

from __future__ import annotations

import random
import subprocess
import sys
from time import monotonic

import pytest

from pywasm_nn import Limits, Module
from pywasm_nn.errors import DeadlineError
from pywasm_nn.interpreter.pace import PIECE
from pywasm_nn.interpreter.runtime import heap, meter
from pywasm_nn.interpreter.runtime.alarm import CLOCK
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour, Memory, create_memory
from pywasm_nn.interpreter.runtime.table import Table
from pywasm_nn.interpreter.types import I32, MemType, SizeRange

MANY = 3 * PIECE + 65536
"""Elements or bytes that take a bulk instruction four pieces."""
GUEST = """(module
  (type $bytes (array (mut i8))) (type $refs (array (mut funcref))) (type $v (func))
  (memory (export "memory") 1 20000) (table (export "table") 1 200000000 funcref)
  (global $a (export "array") (mut (ref null $bytes)) (ref.null $bytes))
  (data $d "{data}") (elem $e func {elements}) (func $f)
  (func (export "ready") (param $pages i32) (param $elements i32) (param $count i32)
    (drop (memory.grow (local.get $pages))) (drop (table.grow (ref.null func) (local.get $elements)))
    (global.set $a (array.new_default $bytes (local.get $count))))
  (func (export "memory.fill") (param $n i32) (memory.fill (i32.const 9) (i32.const 7) (local.get $n)))
  (func (export "memory.copy") (param $n i32) (memory.copy (i32.const 0) (i32.const 9) (local.get $n)))
  (func (export "memory.init") (param $n i32)
    (memory.init $d (i32.const 9) (i32.const 0) (local.get $n)))
  (func (export "memory.grow") (param $n i32)
    (drop (memory.grow (i32.shr_u (local.get $n) (i32.const 16)))))
  (func (export "table.fill") (param $n i32) (table.fill (i32.const 1) (ref.func $f) (local.get $n)))
  (func (export "table.copy") (param $n i32) (table.copy (i32.const 0) (i32.const 1) (local.get $n)))
  (func (export "table.init") (param $n i32)
    (table.init $e (i32.const 1) (i32.const 0) (local.get $n)))
  (func (export "table.grow") (param $n i32) (drop (table.grow (ref.func $f) (local.get $n))))
  (func (export "array.new") (param $n i32)
    (global.set $a (array.new $bytes (i32.const 7) (local.get $n))))
  (func (export "array.new_default") (param $n i32)
    (global.set $a (array.new_default $bytes (local.get $n))))
  (func (export "array.new_data") (param $n i32)
    (global.set $a (array.new_data $bytes $d (i32.const 0) (local.get $n))))
  (func (export "array.fill") (param $n i32)
    (array.fill $bytes (global.get $a) (i32.const 1) (i32.const 7) (local.get $n)))
  (func (export "array.copy") (param $n i32)
    (array.copy $bytes $bytes (global.get $a) (i32.const 1) (global.get $a) (i32.const 0) (local.get $n)))
  (func (export "array.init_data") (param $n i32)
    (array.init_data $bytes $d (global.get $a) (i32.const 1) (i32.const 0) (local.get $n)))
  (func (export "dispatch") (param $n i32)
    (if (local.get $n) (then (call_indirect (type $v) (i32.const 0)))))
  (elem declare func $f))"""
SEGMENT = 20_000
"""Bytes, and elements, of the segments; what reads them looks at the clock after fewer."""
TEXT = GUEST.format(data="abcde" * (SEGMENT // 5), elements="$f " * SEGMENT)
COUNTS = {
    "memory.fill": MANY, "memory.copy": MANY, "memory.grow": MANY,
    "table.fill": MANY, "table.copy": SEGMENT, "table.init": SEGMENT, "table.grow": MANY,
    "array.new": MANY, "array.new_default": MANY, "array.new_data": SEGMENT,
    "array.fill": MANY, "array.copy": MANY, "array.init_data": SEGMENT,
}  # fmt: skip
LIMITS = Limits(seconds=600, table=30_000_000, table_total=60_000_000)


@pytest.fixture(scope="module")
def module() -> Module:
    return Module.from_text(TEXT)


def ready(module: Module, name: str, engine: str, flavour: Flavour) -> Instance:
    """An instance that has called the function once, on nothing, and has what it works on."""
    instance = module.instantiate(engine=engine, limits=LIMITS, flavour=flavour)
    count, kind = COUNTS[name] + 16, name.partition(".")[0]
    sizes = {"memory": (count // 65536 + 1, 0, 0), "table": (0, count, 0), "array": (0, 0, count)}
    if name == "memory.grow":
        sizes["memory"] = (1, 0, 0)
    if name == "table.grow":
        sizes["table"] = (0, 0, 0)
    instance.exports.ready(*sizes[kind])
    instance.exports[name](0)
    return instance


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "no threads"])
@pytest.mark.parametrize("name", COUNTS)
def test_a_deadline_ends_it_in_the_middle(
    module: Module, engine: str, flavour: Flavour, name: str, threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not threads:
        monkeypatch.setattr(CLOCK, "available", lambda: False)
    if name == "memory.grow" and flavour is Flavour.VIEW:
        pytest.skip("growing touches nothing in this flavour")
    instance = ready(module, name, engine, flavour)
    looks = [0]

    def later() -> float:
        """400 seconds go by from one look to the next."""
        looks[0] += 1
        return monotonic() + 400 * looks[0]

    monkeypatch.setattr(meter, "monotonic", later)
    with pytest.raises(DeadlineError):
        instance.exports[name](COUNTS[name])
    assert looks[0] <= 3
    monkeypatch.undo()
    table = instance.tables[0]
    assert all(len(entries) == len(table) for entries in table._lists.values())
    instance.close()


@pytest.mark.parametrize("name", COUNTS)
def test_with_time_enough_it_does_all(module: Module, engine: str, flavour: Flavour, name: str) -> None:
    instance, count = ready(module, name, engine, flavour), COUNTS[name]
    memory, table, array = instance.memory, instance.tables[0], instance.exports.array
    chance = random.Random(1)
    before = chance.randbytes(count + 9)
    if name == "memory.copy":
        memory.write(0, before)
    elif name.startswith("array"):
        given = chance.randbytes(len(array.raw.elements))
        array.raw.elements[:] = given
    instance.exports[name](count)
    segment = (b"abcde" * (SEGMENT // 5))[:count]
    (step, *_) = instance.funcs
    match name:
        case "memory.fill":
            assert memory.read(0, count + 10) == bytes(9) + b"\7" * count + b"\0"
        case "memory.copy":
            assert memory.read(0, count) == before[9:]
        case "memory.grow":
            assert memory.size >= count and not any(memory.read(0, memory.size))
        case "table.fill" | "table.init":
            assert table.elements[0] is None and set(table.elements[1 : count + 1]) == {step}
            assert set(table.elements[count + 1 :]) == {None}
        case "table.copy":
            assert set(table.elements) == {None}
        case "table.grow":
            assert len(table) == count + 1 and set(table.elements[1:]) == {step}
        case "array.new" | "array.new_default":
            assert bytes(array.raw.elements) == bytes([7 if name == "array.new" else 0]) * count
        case "array.new_data":
            assert bytes(array.raw.elements) == segment
        case "array.fill":
            assert bytes(array.raw.elements[1 : count + 1]) == b"\7" * count
        case "array.copy":
            assert bytes(array.raw.elements[1 : count + 1]) == given[:count]
        case "array.init_data":
            assert bytes(array.raw.elements[1 : count + 1]) == segment
    instance.close()


@pytest.mark.parametrize("target,source", [(0, 1), (1, 0), (0, PIECE - 1), (PIECE + 3, 0), (7, 7)])
def test_what_overlaps_is_copied_as_it_was(flavour: Flavour, target: int, source: int) -> None:
    count = 2 * PIECE + 11
    size = 5 * PIECE
    content = random.Random(2).randbytes(size)
    wanted = bytearray(content)
    wanted[target : target + count] = content[source : source + count]
    memory = create_memory(MemType(SizeRange(size // 65536, None), I32), size, flavour)
    memory.write(0, content)
    memory.copy(target, memory, source, count)
    assert memory.read(0, size) == wanted
    memory.close()
    elements = list(content)
    array = heap.Array(None, elements, None)  # type: ignore[arg-type] # neither is asked for
    heap.array_copy(array, target, array, source, count)
    assert bytes(elements) == wanted


def test_one_memory_is_copied_to_another(flavour: Flavour) -> None:
    one, other = (Memory.of(64, flavour=flavour) for _ in range(2))
    content = random.Random(3).randbytes(3 * PIECE + 5)
    one.write(100, content)
    other.copy(3, one, 100, len(content))
    assert other.read(3, len(content)) == content
    for memory in one, other:
        memory.close()


def test_a_table_is_copied_and_grown_beyond_one_piece() -> None:
    table = Table.of("externref", 5000)
    given = list(range(5000))
    table.write(0, given)
    table.copy(1, table, 0, 4999)
    assert table.elements == [0, *given[:4999]]
    table.copy(0, table, 1, 4999)
    assert table.elements == [*given[:4999], 4998]


def test_growing_that_a_deadline_ends_leaves_the_memory_as_it_was(flavour: Flavour) -> None:
    memory = Memory.of(64, flavour=flavour)
    memory.write(0, b"kept")
    left = memory.quota.left

    def over() -> float:
        raise DeadlineError(1)

    if flavour is Flavour.STRUCT:
        with pytest.raises(DeadlineError):
            memory.grow(64, over)
        assert (memory.pages, memory.quota.left) == (64, left)
    assert memory.grow(1) == 64
    assert memory.read(0, 5) == b"kept\0"


GIGABYTE = """
import gc, resource, sys, time
from pywasm_nn import Limits, Module
from pywasm_nn.errors import DeadlineError
from pywasm_nn.interpreter.runtime.memory import Flavour

text, engine, flavour, name, count, *sizes = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_AS, (10 << 30,) * 2)
how = dict(engine=engine, flavour=Flavour(flavour))
limits = Limits(seconds=60, table=200_000_000, table_total=400_000_000, heap=2 << 30)
worker = Module.from_text(text).instantiate(limits=limits, **how)
worker.exports.ready(*map(int, sizes))
gc.freeze()  # going through an array once takes the collector 0.7 s, whenever it does
caller = Module.from_text(f'''(module (import "worker" "{name}" (func $f (param i32)))
  (func (export "run") (param i32) (call $f (local.get 0))))''')
entered = caller.instantiate(limits=Limits(seconds=0.2), imports={"worker": worker}, **how)
entered.exports.run(0)
began = time.process_time()
try:
    entered.exports.run(int(count))
except DeadlineError:
    pass
print(time.process_time() - began)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COUNTS if COUNTS[name] == MANY])
def test_a_gigabyte_ends_near_the_deadline(engine: str, flavour: Flavour, name: str) -> None:
    """By the time of the processor: 0.9 to 1.8 s these took, whoever was entered."""
    kind, most = name.partition(".")[0], {"memory": 1 << 30, "table": 1 << 27, "array": 1 << 27}
    count = most[kind] - PIECE
    pages, elements = (count // 65536 - 1 if kind == "memory" else 0), (count if kind == "table" else 0)
    if name.endswith("grow"):
        pages, elements = 0, 0
    sizes = (pages, elements, count if name in ("array.fill", "array.copy") else 0)
    arguments = [TEXT, engine, flavour.value, name, str(count - 200_000), *map(str, sizes)]
    command = [sys.executable, "-c", GIGABYTE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert float(done.stdout) < 0.6
