"""Linear memory, both flavours against one model of bytes."""

from __future__ import annotations

import gc
import weakref
from struct import pack, unpack_from
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.api import Module
from pywasm_nn.errors import LimitError, Trap, TrapKind
from pywasm_nn.interpreter.runtime.memory import FORMATS, GARBAGE, STRUCTS, Flavour, Memory, create_memory
from pywasm_nn.interpreter.types import MemType, SizeRange
from pywasm_nn.limits import PAGE

GIB = 1 << 30


def memory_of(flavour: Flavour, minimum: int = 1, maximum: int | None = None, limit: int = GIB) -> Memory:
    return create_memory(MemType(SizeRange(minimum, maximum)), limit, flavour)


@pytest.mark.parametrize("access", FORMATS)
def test_loads_and_stores_at_every_alignment_up_to_the_last_byte(access: str, flavour: Flavour) -> None:
    memory, width = memory_of(flavour), STRUCTS[access].size
    value = 1.5 if access.startswith("f") else (1 << width * 8 - 1) - 3
    for address in (0, 1, 2, 3, 5, 7, PAGE - width - 1, PAGE - width):
        memory.store(access, address, value)
        assert memory.load(access, address) == value
        assert memory.read(address, width) == pack("<" + FORMATS[access], value)
    for address in (PAGE - width + 1, PAGE, 1 << 32, (1 << 32) + (1 << 32) - 1, -1):
        for attempt in (
            lambda a=address: memory.load(access, a),
            lambda a=address: memory.store(access, a, value),
        ):
            with pytest.raises(Trap) as caught:
                attempt()
            assert caught.value.kind is TrapKind.OUT_OF_BOUNDS_MEMORY


@given(bits=st.integers(0, 0x7FFFFF), sign=st.booleans())
def test_f32_keeps_the_bits_of_every_nan(bits: int, sign: bool) -> None:
    pattern = sign << 31 | 0x7F800000 | bits
    for kind in {Flavour.STRUCT, Flavour.default()}:
        memory = memory_of(kind)
        memory.store("u32", 4, pattern)
        memory.store("f32", 8, memory.load("f32", 4))
        assert memory.load("u32", 8) == pattern
        memory.close()


def test_views_are_what_generated_code_needs(flavour: Flavour) -> None:
    memory, namespace = memory_of(flavour, 1, 3), {}
    memory.bind(namespace, 0)
    memory.bind(namespace, 2)
    if flavour is Flavour.VIEW:
        namespace["u32"][5] = 0xDEADBEEF
        assert namespace["u32_2"][5] == 0xDEADBEEF
        assert namespace["s8"][8] == -34
        with pytest.raises(IndexError):
            namespace["u64"][PAGE - 7]
        assert memory.grow(1) == 1
        assert namespace["u64"][PAGE - 7] == 0
    else:
        namespace["store_u32"](namespace["mem"], 5, 0xDEADBEEF)
        assert namespace["load_u32"](namespace["mem_2"], 5)[0] == 0xDEADBEEF
        assert memory.grow(1) == 1
        assert namespace["load_u64"](namespace["mem"], PAGE - 7)[0] == 0
    assert memory.read(5, 4) == pack("<I", 0xDEADBEEF)


def test_views_that_begin_at_an_offset_grow_and_end_with_the_others() -> None:
    if Flavour.default() is Flavour.STRUCT:
        pytest.skip("this Python has no stride-1 views (ctypes, mmap)")
    memory, early, late = memory_of(Flavour.VIEW, 1, 3), {}, {}
    memory.bind(early, 0)
    memory.shift([("u32", 12), ("u8", PAGE + 4)], early, 0)
    memory.bind(late, 1)
    for namespace, suffix in ((early, ""), (late, "_1")):
        namespace[f"u32at12{suffix}"][PAGE - 16] = 0xDEADBEEF
        assert memory.read(PAGE - 4, 4) == pack("<I", 0xDEADBEEF)
        with pytest.raises(IndexError):
            namespace[f"u32at12{suffix}"][PAGE - 15]
        with pytest.raises(IndexError):
            namespace[f"u8at{PAGE + 4}{suffix}"][0]
    memory.grow(1)
    assert early["u32at12"][PAGE - 15] == 0xDEADBE
    assert late[f"u8at{PAGE + 4}_1"][PAGE - 5] == 0
    memory.close()
    for view in (early["u32at12"], late["u32at12_1"], early[f"u8at{PAGE + 4}"]):
        with pytest.raises(IndexError):
            view[0]


def test_growing_keeps_contents_and_stops_at_the_declared_maximum_and_the_limit(flavour: Flavour) -> None:
    memory = memory_of(flavour, 1, 3)
    memory.write(PAGE - 4, b"wasm")
    assert (memory.grow(0), memory.grow(1), memory.grow(2), memory.grow(1), memory.grow(1)) == (
        1,
        1,
        -1,
        2,
        -1,
    )
    assert memory.read(PAGE - 4, 8) == b"wasm\0\0\0\0"
    limited = memory_of(flavour, 0, None, limit=2 * PAGE)
    assert (limited.grow(3), limited.grow(2), limited.grow(1), limited.grow(0xFFFFFFFF)) == (-1, 0, -1, -1)


def test_more_than_the_limit_to_begin_with_is_an_error(flavour: Flavour) -> None:
    with pytest.raises(LimitError, match="the limit is"):
        memory_of(flavour, 3, limit=2 * PAGE)


def test_helpers_never_clamp(flavour: Flavour) -> None:
    memory = memory_of(flavour)
    for address, count in ((PAGE - 1, 2), (PAGE + 1, 0), (0, PAGE + 1), (-1, 1), (1 << 40, 1)):
        for attempt in (
            memory.view,
            memory.read,
            lambda a, n: memory.fill(a, 1, n),
            lambda a, n: memory.write(a, b"x" * n),
        ):
            if address == PAGE + 1 or count:
                with pytest.raises(Trap):
                    attempt(address, count)
    assert memory.read(PAGE, 0) == b""
    assert not any(memory.read(0, PAGE))


def test_overlapping_copies(flavour: Flavour) -> None:
    memory = memory_of(flavour)
    memory.write(0, bytes(range(200)))
    memory.copy(50, memory, 0, 100)
    assert memory.read(50, 100) == bytes(range(100))
    memory.copy(0, memory, 50, 100)
    assert memory.read(0, 100) == bytes(range(100))


def test_arrays_are_views(flavour: Flavour) -> None:
    numpy = pytest.importorskip("numpy")
    memory = memory_of(flavour)
    array = memory.array(13, (2, 3), "f4")
    array[1, 2] = 2.5
    assert unpack_from("<f", memory.buffer, 13 + 20) == (2.5,)
    memory.store("f32", 13, 7.0)
    assert array[0, 0] == numpy.float32(7)
    with pytest.raises(Trap):
        memory.array(PAGE - 8, (3,), "f4")


def test_closing_leaves_no_view_behind_and_spares_those_of_others(flavour: Flavour) -> None:
    memory, namespace = memory_of(flavour), {}
    memory.bind(namespace, 0)
    memory.write(0, b"mine")
    held = memory.view(0, 4)
    memory.close()
    memory.close()
    assert bytes(held) == b"mine"
    with pytest.raises((IndexError, Exception)) as caught:
        read_first(namespace, flavour)
    assert caught.type.__name__ in ("IndexError", "error")
    with pytest.raises(Trap):
        memory.load("u8", 0)


@pytest.mark.skipif(Flavour.default() is Flavour.STRUCT, reason="no stride-1 views here")
@pytest.mark.parametrize("shift", [False, True])
def test_a_view_keeps_the_bytes_when_its_memory_is_closed(shift: bool) -> None:
    memory, namespace = memory_of(Flavour.VIEW), {}
    memory.bind(namespace, 0)
    memory.shift([("u32", 12)], namespace, 0)
    memory.write(12, b"\1\2\0\0")
    mapping = weakref.ref(memory.buffer.obj)
    used = namespace["u32at12" if shift else "u32"]
    part = used[:20]
    memory.close()
    namespace.clear()
    gc.collect()
    with pytest.raises(IndexError):  # code that runs has the view itself
        used[0]
    del used
    assert mapping() is not None
    assert part[0 if shift else 12] == 0x201
    del part
    assert mapping() is None


@pytest.mark.skipif(Flavour.default() is Flavour.STRUCT, reason="no stride-1 views here")
def test_names_with_an_offset_reach_a_namespace_that_was_unbound() -> None:
    """A function may be compiled while another thread closes its instance."""
    memory, left = memory_of(Flavour.VIEW), {}
    memory.bind(left, 0)
    memory.bind({}, 0)
    memory.unbind(left)
    memory.shift([("u32", 12)], left, 0)
    with pytest.raises(IndexError):
        left["u32at12"][0]


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_a_function_compiled_after_its_memory_was_closed_traps(engine: str) -> None:
    memory = Memory.of(1)
    module = Module.from_text("""(module (import "env" "m" (memory 1))
      (func (export "f") (param i32) (result i32) (i32.load offset=8 (local.get 0)))
      (func (export "g") (param i32) (result i32) (i32.load offset=12 (local.get 0))))""")
    with module.instantiate(imports={"env": {"m": memory}}, engine=engine) as instance:
        assert instance.exports.f(0) == 0
        memory.close()
        for name in ("f", "g"):
            with pytest.raises(Trap, match="out of bounds memory access"):
                instance.exports[name](0)


def read_first(namespace: dict[str, Any], flavour: Flavour) -> Any:
    return namespace["u32"][0] if flavour is Flavour.VIEW else namespace["load_u32"](namespace["mem"], 0)


def test_an_unbound_namespace_has_no_view_left(flavour: Flavour) -> None:
    memory, kept, left = memory_of(flavour), {}, {}
    memory.bind(kept, 0)
    memory.bind(left, 0)
    memory.unbind(left)
    assert read_first(kept, flavour) in (0, (0,))
    with pytest.raises(Exception, match=r"index|buffer"):
        read_first(left, flavour)


def test_memories_that_nobody_closes_are_collected(flavour: Flavour) -> None:
    gc.collect()
    watched = weakref.WeakSet[Memory]()
    for _ in range(300):
        memory = memory_of(flavour)
        cycle: dict[str, Any] = {"memory": memory}
        memory.bind(cycle, 0)
        watched.add(memory)
    assert len(watched) < 150
    assert Memory.unclosed < 150


def test_a_service_with_many_memories_does_not_collect_garbage_for_each(
    flavour: Flavour, monkeypatch: pytest.MonkeyPatch
) -> None:
    collections: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *youngest: collections.append(youngest))
    monkeypatch.setattr(Memory, "collected_at", GARBAGE)
    open_ = [memory_of(flavour) for _ in range(500)]
    assert 1 <= collections.count(()) <= 5, "of all objects"
    assert collections.count(()) == collections.count((1,)), "young ones first"
    for memory in open_:
        memory.close()


def test_a_closed_memory_says_that_it_is_closed() -> None:
    instance = Module.from_text('(module (memory (export "memory") 1))').instantiate()
    memory = instance.exports.memory
    instance.close()
    with pytest.raises(Trap, match="1 bytes at 0x0, memory is closed"):
        memory.read(0, 1)
