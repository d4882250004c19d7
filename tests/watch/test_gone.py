"""Inputs in memory that is no longer theirs: frames of functions that have returned, and freed blocks."""

from __future__ import annotations

import array
from contextlib import suppress
from pathlib import Path
from string import Template
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import Trap
from pywasm_nn.interpreter.runtime.memory import Memory
from pywasm_nn.nn import NN
from pywasm_nn.wasi import Wasi
from pywasm_nn.watch import events
from pywasm_nn.watch.facts import Input
from pywasm_nn.watch.hints.gone import Pointers, freed, own_record
from pywasm_nn.watch.hints.heap import freed_in_zig, heads_of_few, heads_of_many, misfit
from pywasm_nn.watch.trace import Trace
from tests.nn.backends.onnx_writer import Model, node

GUEST = Template("""(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $$load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $$init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $$set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $$compute (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "sched_yield" (func $$yield (result i32)))
  (memory (export "memory") 2)
  (global $$sp (mut i32) (i32.const $began))
  (data (i32.const 1024) "m")
  (data (i32.const 1040) "\\50\\04\\00\\00\\02\\00\\00\\00\\01\\00\\00\\00\\00\\00\\00\\00\\10\\00\\00\\00")
  (data (i32.const 1104) "\\01\\00\\00\\00\\04\\00\\00\\00")
  (func $$filled (param $$at i32)
    (f32.store (local.get $$at) (f32.const 1.5)) (f32.store offset=4 (local.get $$at) (f32.const 2.25))
    (f32.store offset=8 (local.get $$at) (f32.const -0.5))
    (f32.store offset=12 (local.get $$at) (f32.const 3)))
  (func $$array (result i32) (local $$at i32)
    (global.set $$sp (local.tee $$at (i32.sub (global.get $$sp) (i32.const 64))))
    (call $$filled (local.get $$at))
    (drop (call $$yield))
    (global.set $$sp (i32.add (local.get $$at) (i32.const 64)))
    (local.get $$at))
  (func (export "_start") (local $$at i32)
    (global.set $$sp (i32.sub (global.get $$sp) (i32.const 64)))
    (drop (call $$load (i32.const 1024) (i32.const 1) (i32.const 1032)))
    (drop (call $$init (i32.load (i32.const 1032)) (i32.const 1032)))
    (local.set $$at $address)
    (i32.store (i32.const 1052) (local.get $$at))
    (drop (call $$set (i32.load (i32.const 1032)) (i32.const 0) (i32.const 1040)))
    (drop (call $$compute (i32.load (i32.const 1032))))
    $after))""")
LOCAL = "(call $array)"
OWN = "(i32.add (global.get $sp) (i32.const 16)) (call $filled (i32.add (global.get $sp) (i32.const 16)))"
BLOCK = "(i32.const 70016) (call $filled (i32.const 70016))"


def hints(folder: Path, address: str, began: int = 65536, after: str = "", head: bytes = b"") -> str:
    model = Model([node("Identity", ["x"], ["y"])], {"x": (1, [1, 4])}, {"y": (1, [1, 4])})
    (folder / "m.onnx").write_bytes(model.data())
    text = GUEST.substitute(began=began, address=address, after=after)
    trace, nn = Trace(["nn"]), NN(models=folder, backends={"onnx": "numpy"})
    with Module.from_text(text).instantiate(nn=nn, wasi=Wasi(), observer=trace) as app:
        memory: Any = app.exports.memory
        memory.write(70012, head)
        with suppress(Trap):
            app.exports._start()
    trace.flush()
    return "; ".join(event.text for event in trace if isinstance(event, events.Hint))


GONE = "a local array of a function that has returned?"


def test_an_array_of_a_function_that_has_returned(tmp_path: Path) -> None:
    assert GONE in hints(tmp_path, LOCAL)
    assert GONE not in hints(tmp_path, OWN)
    assert GONE not in hints(tmp_path, BLOCK)
    assert GONE not in hints(tmp_path, LOCAL, began=65530), "no stack pointer"


def test_a_global_that_counts_up_is_no_stack_pointer(tmp_path: Path) -> None:
    upwards = "(block (result i32) (global.set $sp (i32.const 66000)) (drop (call $yield)) (call $array))"
    assert GONE not in hints(tmp_path, upwards)


FRAME = (
    "(global.set $sp (i32.sub (global.get $sp) (i32.const {}))) (i32.store (global.get $sp) (i32.const 0))"
)
OUTSIDE = "(i32.store (i32.const -64) (i32.const 0))"


@pytest.mark.parametrize(
    ("after", "began", "seen"),
    [
        (FRAME.format(5_000_000), 65536, True),
        (f"(loop (drop (call $yield)) {FRAME.format(4096)} (br 0))", 65536, True),
        (FRAME.format(4096), 65536, False),
        (OUTSIDE, 65536, False),
        (FRAME.format(5_000_000), 65530, False),
    ],
)
def test_a_stack_that_is_too_short(after: str, began: int, tmp_path: Path, *, seen: bool) -> None:
    said = hints(tmp_path, OWN, began, after)
    assert ("are large tensors local arrays" in said) is seen
    assert ("was to hold 5,000,064 bytes" in said) is (seen and "loop" not in after)


class Heap:
    """Blocks as wasi-libc's malloc keeps them."""

    def __init__(self) -> None:
        self.data = bytearray(4096)

    def word(self, at: int, value: int) -> None:
        self.data[at : at + 4] = value.to_bytes(4, "little")

    def block(self, address: int, size: int, *, is_free: bool) -> Memory:
        """A block whose contents begin here, and the head of the next one."""
        self.word(address - 4, size | (1 if is_free else 3))
        if is_free:
            self.word(address - 8 + size, size)
        self.word(address - 4 + size, 64 | (2 if is_free else 3))
        memory: Any = type(
            "Made", (), {"size": len(self.data), "view": lambda _, at, count: self.data[at : at + count]}
        )
        return memory()


@pytest.mark.parametrize("size", [16, 32, 1024])
def test_blocks_of_malloc(size: int) -> None:
    assert freed(Heap().block(2048, size, is_free=True), 2048)
    assert not freed(Heap().block(2048, size, is_free=False), 2048)
    assert not freed(Heap().block(2048, size, is_free=True), 2056)
    assert not freed(Heap().block(2048, size, is_free=True), 1016)


def test_no_elements_are_taken_for_a_block() -> None:
    rng, heap = numpy.random.default_rng(3), Heap()
    for elements in (
        rng.integers(0, 40, 1024, "<u4"),
        rng.normal(size=1024).astype("<f4"),
        numpy.full(1024, 17, "<u4"),
    ):
        heap.data[:] = elements.tobytes()
        memory: Any = type(
            "Made", (), {"size": 4096, "view": lambda _, at, count: heap.data[at : at + count]}
        )
        assert not any(freed(memory(), at) for at in range(1024, 4088, 8))


class Memory16:
    """Blocks of 16 bytes and more behind each other, up to the end of a page."""

    def __init__(self, sizes: dict[int, bool], elements: Any = ()) -> None:
        """Sizes of blocks with whether they are in use; the last one takes what is left."""
        self.data = bytearray(1 << 16)
        self.size = len(self.data)
        self.at, before = 4096, True
        self.starts = []
        for size, in_use in sizes.items():
            self._word(self.at - 4, size | before | 2 * in_use)
            self.starts.append(self.at)
            self.at, before = self.at + size, in_use
        self._word(self.at - 4, (self.size - 56 - (self.at - 8)) | before)

    def _word(self, at: int, value: int) -> None:
        self.data[at : at + 4] = value.to_bytes(4, "little")

    def view(self, at: int, count: int) -> Any:
        return memoryview(self.data)[at : at + count]


def misfits(memory: Any, address: int, count: int, dtype: str = "f32") -> str:
    width = int(dtype[1:]) // 8
    tensor: Any = SimpleNamespace(size=count * width, elements=count, dtype=dtype, shape=(1, count))
    spec: Any = SimpleNamespace(name="x")
    return misfit(Input(0, spec, tensor), memory, address) or ""


def test_inputs_and_blocks() -> None:
    memory = Memory16({272: True, 2064: True, 32: True, 1040: True})
    first, second, third, fourth = memory.starts
    assert "block of memory at its address has 268 bytes, and 1024 were sent" in misfits(memory, first, 256)
    assert "length in elements given to malloc" in misfits(memory, first, 256)
    assert "its place given to something smaller?" in misfits(memory, third, 256)
    assert "is free: was it freed" in misfits(memory, memory.at, 256)
    assert misfits(memory, second, 512) == misfits(memory, fourth, 256) == misfits(memory, first, 64) == ""
    assert misfits(memory, second + 400, 200) == "", "a part of a buffer"
    assert misfits(memory, 20000, 64) == misfits(memory, 1024, 64) == ""


@pytest.mark.parametrize("dtype", ["f32", "i32", "i64"])
def test_a_head_among_the_elements(dtype: str) -> None:
    memory = Memory16({272: True, 4096: True})
    address = memory.starts[1] + 2064
    assert "at " in misfits(memory, address, 800, dtype)
    assert "a number of the allocator's own" in misfits(memory, address, 800, dtype)
    assert misfits(memory, address, 200, dtype) == ""


def test_small_numbers_are_no_heads() -> None:
    rng = numpy.random.default_rng(5)
    for elements in (rng.integers(0, 30000, 8192, "<i4"), rng.integers(0, 2, 8192, "<i4") * 33):
        memory = Memory16({1040: True})
        memory.data[8192 : 8192 + 4 * len(elements)] = elements.tobytes()
        assert misfits(memory, 8192, len(elements), "i32") == ""


@pytest.mark.parametrize("room", [64, 200, 4000])
def test_blocks_of_zig(room: int) -> None:
    memory = Memory16({})
    at = 16384 + 16
    memory.data[at - 8 : at] = ((room << 5) | 4).to_bytes(8, "little")
    why = "was its length in elements" if room == 64 else "given to something smaller"
    count = {64: 64, 200: 100, 4000: 1200}[room]
    assert f"has {room} bytes, and {4 * count} were sent from there: " in misfits(memory, at, count)
    assert why in misfits(memory, at, count)
    assert misfits(memory, at, room // 4) == ""
    memory.data[at + 8 : at + 16] = memory.data[at - 8 : at]
    assert misfits(memory, at + 16, count) == "", "no block begins there"


LISTS = 5000
"""Where Zig's malloc has its own words, in the memory of a test."""


def place_in_zig(size: int, *, new: bool = False) -> int:
    """Returns where malloc keeps the beginning of the first free block of this size with its head, or of the
    next new one, which it only does for blocks below a page: 13 sizes from 8 bytes on, and then 16."""
    exponent = size.bit_length() - 1
    return LISTS + 4 * (exponent - 3 if new else exponent + 10)


def in_zig(memory: Any, at: int, room: int, *, is_free: bool, after: int = 0) -> int:
    """Makes a block of Zig's malloc begin at `at`, and returns the address of its contents; a free one is the
    first of its list, or the one behind `after`."""
    memory.data[at + 8 : at + 16] = (room << 5 | 4).to_bytes(8, "little")
    size = 1 << (room + 19).bit_length()
    links = [(after + size - 4 if after else place_in_zig(size), at)] if is_free else []
    links += [(place_in_zig(size, new=True), at + size)] if size < 1 << 16 else []
    for link, address in links:
        memory.data[link : link + 4] = address.to_bytes(4, "little")
    return at + 16


@pytest.mark.parametrize("room", [40, 1000, 30000, 70000])
def test_free_blocks_of_zig(room: int) -> None:
    """The second one of a list, too, and not one that is in use, whose contents' address the program has."""
    memory, static = Memory16({}), range(4096, 16384)
    memory.data += bytes(1 << 20)
    memory.size = len(memory.data)
    size = max(64, 1 << (room + 19).bit_length())
    places = [1 << 17, (1 << 17) + size, (1 << 17) + 2 * size]
    used = in_zig(memory, places[0], room, is_free=False)
    first = in_zig(memory, places[1], room, is_free=True)
    second = in_zig(memory, places[2], room, is_free=True, after=places[1])
    memory.data[6000:6004] = used.to_bytes(4, "little")
    assert freed_in_zig(memory, first, static) and freed_in_zig(memory, second, static)
    assert not freed_in_zig(memory, used, static)
    assert not freed_in_zig(memory, first, range(0)) and not freed_in_zig(memory, first + 16, static)
    link = place_in_zig(size)
    memory.data[link : link + 4] = bytes(4)
    assert not freed_in_zig(memory, first, static), "it was taken again"


@pytest.mark.parametrize("room", [40, 2480, 70000])
def test_a_block_in_use_begins_where_a_page_of_others_ends(room: int) -> None:
    """The next new block of 32 KiB would begin there, says malloc, which takes a new page for it."""
    memory, static = Memory16({}), range(4096, 16384)
    memory.data += bytes(1 << 20)
    memory.size = len(memory.data)
    address = in_zig(memory, 1 << 17, room, is_free=False)
    size = 1 << (room + 19).bit_length()
    for kind, begins in ((1 << 15, 1 << 17), (128, (1 << 16) + 128), (2048, (1 << 16) + (1 << 12))):
        link = place_in_zig(kind, new=True)
        memory.data[link : link + 4] = begins.to_bytes(4, "little")
    assert not freed_in_zig(memory, address, static)
    link = place_in_zig(size)
    memory.data[link : link + 4] = (1 << 17).to_bytes(4, "little")
    assert freed_in_zig(memory, address, static)


def test_a_freed_block_is_sent(tmp_path: Path) -> None:
    free = (33).to_bytes(4, "little") + bytes(24) + (32).to_bytes(4, "little") + (66).to_bytes(4, "little")
    used = (35).to_bytes(4, "little") + bytes(28) + (67).to_bytes(4, "little")
    assert "memory that was freed" in hints(tmp_path, BLOCK, head=free)
    assert "memory that was freed" not in hints(tmp_path, BLOCK, head=used)


ANOTHER = """(i32.store (i32.const 1052) (i32.const {0})) (call $filled (i32.const {0}))
    (drop (call $set (i32.load (i32.const 1032)) (i32.const 0) (i32.const 1040)))
    (drop (call $compute (i32.load (i32.const 1032))))"""
MOVED = "was that memory freed or moved, and used again"


@pytest.mark.parametrize(
    "words", [(70016, 70032, 70048, 70064), (1100, 70400, 0, 64), (65544, 65544, 0x3FC00000, 0xC0100000)]
)
def test_a_pointer_is_kept_while_a_vector_grows(words: tuple[int, ...], tmp_path: Path) -> None:
    """Lists of an allocator, addresses of rows, and numbers behind two addresses."""
    head = bytes(4) + b"".join(one.to_bytes(4, "little") for one in words)
    at = "(i32.const 70016)"
    assert MOVED in hints(tmp_path, at, after=ANOTHER.format(70400), head=head)
    assert MOVED not in hints(tmp_path, at, after=ANOTHER.format(70016), head=head), "a buffer that is filled"
    assert MOVED not in hints(tmp_path, BLOCK, after=ANOTHER.format(70400))
    assert MOVED not in hints(tmp_path, at, head=head), "no input has numbers"


@pytest.mark.parametrize(("place", "length"), [(0, "size"), (5, "size"), (17, "elements")])
def test_the_own_record_among_the_elements(place: int, length: str) -> None:
    """Records of a dims' address, the number of dims, a type, an address and a length took the place of
    numbers; other numbers, addresses of other memory, and an address without a length didn't."""
    memory: Any = Memory16({})
    at = 8192
    row = numpy.linspace(-1, 1, 40).astype("<f4")
    tensor: Any = SimpleNamespace(size=160, elements=40, dtype="f32", shape=(1, 40))
    spec: Any = SimpleNamespace(name="x")
    given = Input(0, spec, tensor)
    count = getattr(tensor, length)
    for address, behind, seen in ((at, count, True), (at, 7, False), (4096, count, False)):
        words = row.view("<u4").copy()
        words[place : place + 5] = 1024, 2, 1, address, behind
        memory.data[at : at + 160] = words.tobytes()
        assert bool(own_record(given, memory, at)) is seen
    memory.data[at : at + 160] = row.tobytes()
    assert own_record(given, memory, at) is None
    assert own_record(given, None, at) is None


@pytest.mark.parametrize("by", [0.9, 0.99, 0.8])
def test_what_fades_away_has_no_addresses(by: float) -> None:
    """A signal that fades away through numbers as small as addresses, in windows of one buffer."""
    memory, pointers = Memory16({}), Pointers()
    memory.size = 1 << 24
    signal = (1e-36 * by ** numpy.arange(8192)).astype("<f4")
    signal[:64] = numpy.linspace(-1, 1, 64)
    memory.data[4096 : 4096 + signal.nbytes] = signal.tobytes()
    tensor: Any = SimpleNamespace(size=256, elements=64, dtype="f32", shape=(1, 64))
    spec: Any = SimpleNamespace(name="x")
    for at in range(4096, 4096 + signal.nbytes, 256):
        assert pointers.set(Input(0, spec, tensor), memory, at) is None  # type: ignore[arg-type]


@given(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=4, max_size=16),
    st.lists(st.integers(256, 16000), min_size=2, max_size=4),
    st.permutations([False, False, True]),
)
def test_addresses_where_others_have_numbers(
    numbers: list[float], words: list[int], order: list[bool]
) -> None:
    memory = Memory16({})
    size = 4 * len(numbers)
    row = numpy.array(numbers, "<f4")
    row[abs(row) < 1e-3] = 0
    tensor: Any = SimpleNamespace(size=size, elements=len(numbers), dtype="f32", shape=(1, len(numbers)))
    spec: Any = SimpleNamespace(name="x")
    pointers, said = Pointers(), []
    for number, is_odd in enumerate(order):
        at = 4096 + 1024 * number
        own = row.copy()
        if is_odd:
            own[: len(words)] = numpy.array([4 * one for one in words], "<u4").view("<f4")
        memory.data[at : at + size] = own.tobytes()
        said += filter(None, [pointers.set(Input(0, spec, tensor), memory, at)])  # type: ignore[arg-type]
    assert len(said) == (len({*row.tolist()}) > 1)
    assert all(f"{4096 + 1024 * order.index(True):#x}" in one for one in said)


@given(
    st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 300), min_size=2, max_size=60),
    st.integers(0, 3),
    st.sampled_from([64, 4096, 1 << 31]),
)
def test_heads_of_few_and_many_elements_are_the_same(words: list[int], first: int, most: int) -> None:
    data = memoryview(array.array("I", words)).cast("B")
    found = list(heads_of_few(data, first, most))
    assert found == list(heads_of_many(data, first, most))
    for at, word, largest_other in found:
        assert at % 4 == first and word == words[at]
        assert largest_other == max(words[:at] + words[at + 1 :])
