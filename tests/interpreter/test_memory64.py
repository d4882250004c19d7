"""64-bit memories and tables: addresses that no machine word holds, sizes and lengths of both widths."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.errors import InvalidError, LimitError, LinkError, Trap, TrapKind
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.instructions import OPS, Imm
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.types import I64, V128, MemType, SizeRange
from pywasm_nn.interpreter.validate import validate_all
from pywasm_nn.limits import PAGE, Limits

Start = Callable[..., Instance]
HUGE = (1 << 64) - 1
VALUES = {V128: "i64x2 0x123456789 77"}
ACCESSES = [op for op in OPS.values() if op.access]
OFFSETS = (0, 1, PAGE - 8, (1 << 32) - 1, 1 << 32, HUGE)


def accesses() -> str:
    """A module with every load and store at every offset, in the second of two memories."""
    funcs = []
    for op in ACCESSES:
        assert op.params is not None
        values = "".join(f"({type_}.const {VALUES.get(type_, 77)})" for type_ in op.params[1:])
        lane = "1" if Imm.LANE in op.imms else ""
        result = f"(result {op.results[0]})" if op.results else ""
        for offset in OFFSETS:
            code = f"({op.name} 1 offset={offset} {lane} (local.get 0) {values})"
            if op.results == (V128,):
                result = "(result i64)"
                code = f"(i64.add (i64x2.extract_lane 0 {code}) (i64x2.extract_lane 1 {code}))"
            funcs.append(f'(func (export "{op.name} {offset}") (param i64) {result} {code})')
    data = "".join(f"\\{byte:02x}" for byte in range(1, 200))
    return f"""(module (memory 1) (memory (export "memory") i64 1)
      (data (memory 1) (i64.const 0) "{data}") {" ".join(funcs)})"""


KINDS = {
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: TrapKind.OUT_OF_BOUNDS_MEMORY,
    wasmtime.TrapCode.HEAP_MISALIGNED: TrapKind.UNALIGNED_ATOMIC,
    wasmtime.TrapCode.ATOMIC_WAIT_NON_SHARED_MEMORY: TrapKind.EXPECTED_SHARED_MEMORY,
}


class Theirs:
    """The same module on wasmtime."""

    def __init__(self, text: str) -> None:
        config = wasmtime.Config()
        config.wasm_memory64 = config.wasm_multi_memory = True
        self.store = wasmtime.Store(wasmtime.Engine(config))
        instance = wasmtime.Instance(self.store, wasmtime.Module(self.store.engine, text), [])
        self.exports = instance.exports(self.store)

    def memory(self) -> bytes:
        memory = self.exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        return bytes(memory.read(self.store))

    def call(self, name: str, address: int) -> str:
        """The result, or why there is none."""
        function = self.exports[name]
        assert isinstance(function, wasmtime.Func)
        try:
            return repr(function(self.store, address))
        except wasmtime.Trap as trap:
            return KINDS[trap.trap_code].value


UNALIGNED_OR_BEYOND = {TrapKind.UNALIGNED_ATOMIC.value, TrapKind.OUT_OF_BOUNDS_MEMORY.value}
ADDRESSES = [0, 1, 7, PAGE - 8, PAGE - 7, PAGE - 1, PAGE, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63]
ADDRESSES += [HUGE - PAGE + 1, HUGE - 7, HUGE]
EDGES = [
    (f"{op.name} {offset}", offset, address) for op in ACCESSES for offset in OFFSETS for address in ADDRESSES
]
"""Exports with their offset, and addresses that they are called with."""


def signed(address: int) -> int:
    return address - (1 << 64) if address >> 63 else address


@pytest.fixture(scope="module")
def expected() -> tuple[list[str], bytes]:
    """What wasmtime does, access after access, and its memory in the end."""
    theirs = Theirs(accesses())
    return [theirs.call(name, signed(address)) for name, _, address in EDGES], theirs.memory()


def test_every_access_at_every_edge_does_what_it_does_in_wasmtime(
    start: Start, expected: tuple[list[str], bytes]
) -> None:
    ours = start(accesses())
    for (name, offset, address), wanted in zip(EDGES, expected[0], strict=True):
        try:
            got = repr(ours.exports[name](address))
        except Trap as trap:
            got = trap.kind.value
        # Beyond the last address there is, wasmtime says that it is, we that it isn't aligned.
        beyond = address + offset > HUGE and {got, wanted} == UNALIGNED_OR_BEYOND
        assert got == wanted or beyond, (name, address)
    assert ours.memory.read(0, PAGE) == expected[1]


GROWING = """
(module
  (memory (export "memory") i64 1 65536)
  (table $t i64 2 funcref)
  (type $f (func (result i32)))
  (func $seven (type $f) (i32.const 7))
  (elem (table $t) (i64.const 1) func $seven)
  (func (export "size") (result i64) (memory.size))
  (func (export "grow") (param i64) (result i64) (memory.grow (local.get 0)))
  (func (export "fill") (param i64 i64) (memory.fill (local.get 0) (i32.const 9) (local.get 1)))
  (func (export "copy") (param i64 i64 i64) (memory.copy (local.get 0) (local.get 1) (local.get 2)))
  (func (export "table.size") (result i64) (table.size $t))
  (func (export "table.grow") (param i64) (result i64) (table.grow $t (ref.null func) (local.get 0)))
  (func (export "table.get") (param i64) (result i32) (ref.is_null (table.get $t (local.get 0))))
  (func (export "call") (param i64) (result i32) (call_indirect $t (type $f) (local.get 0))))
"""


def test_sizes_are_i64_and_what_is_too_much_is_minus_one(start: Start) -> None:
    exports = start(GROWING, limits=Limits(memory=4 * PAGE, table=10)).exports
    assert exports.size() == 1
    assert exports.grow(2) == 1
    for delta in (2, 1 << 32, (1 << 48) - 1, 1 << 63, HUGE):
        assert exports.grow(delta) == -1
    assert (exports.size(), exports.grow(1), exports.size()) == (3, 3, 4)
    assert exports["table.grow"](3) == 2
    for delta in (6, 1 << 32, 1 << 63, HUGE):
        assert exports["table.grow"](delta) == -1
    assert exports["table.size"]() == 5


def test_nothing_wraps(start: Start) -> None:
    exports = start(GROWING, limits=Limits(memory=4 * PAGE, table=10)).exports
    exports.fill(PAGE - 1, 1)
    for arguments in ((PAGE, 1), (HUGE, 1), (1, HUGE), (1 << 63, 1 << 63), (HUGE, 2)):
        with pytest.raises(Trap, match="out of bounds memory access"):
            exports.fill(*arguments)
    for arguments in ((0, HUGE, 1), (HUGE, 0, 1), (0, 0, HUGE), (1 << 63, 0, 1 << 63)):
        with pytest.raises(Trap, match="out of bounds memory access"):
            exports.copy(*arguments)
    assert exports.call(1) == 7
    for index in (2, 1 << 32, (1 << 32) + 1, 1 << 63, HUGE):
        with pytest.raises(Trap, match="undefined element"):
            exports.call(index)
        with pytest.raises(Trap, match="out of bounds table access"):
            exports["table.get"](index)


def test_copies_between_memories_of_both_widths(start: Start) -> None:
    exports = start("""
    (module
      (memory $narrow 1) (memory $wide i64 1) (data (memory $wide) (i64.const 3) "abc")
      (func (export "to narrow") (param i32 i64 i32)
        (memory.copy $narrow $wide (local.get 0) (local.get 1) (local.get 2)))
      (func (export "load") (param i32) (result i32) (i32.load $narrow (local.get 0))))
    """).exports
    exports["to narrow"](10, 3, 3)
    assert exports.load(10) == int.from_bytes(b"abc\0", "little")
    with pytest.raises(Trap):
        exports["to narrow"](0, 1 << 32, 1)


@pytest.mark.parametrize(
    "field",
    ["(memory i64 0x1_0000)", "(memory i64 0x1_0000_0000_0000)", "(table i64 0xffff_ffff_ffff_ffff funcref)"],
)
def test_what_the_host_does_not_give_is_a_limit_and_costs_nothing(field: str, start: Start) -> None:
    with pytest.raises(LimitError):
        start(f"(module {field})")


def test_a_large_maximum_is_only_a_promise(start: Start) -> None:
    module = '(memory (export "memory") i64 1 0x1_0000_0000_0000) (table i64 1 0xffff_ffff_ffff_ffff funcref)'
    assert start(f"(module {module})").memory.pages == 1


@pytest.mark.parametrize("kind", ["memory", "table"])
def test_imports_match_on_the_address_type(kind: str, start: Start) -> None:
    element = "funcref" if kind == "table" else ""
    exporter = start(f'(module ({kind} (export "x") i64 1 {element}))')
    start(f'(module (import "m" "x" ({kind} i64 1 {element})))', imports={"m": exporter})
    with pytest.raises(LinkError, match="incompatible import type"):
        start(f'(module (import "m" "x" ({kind} 1 {element})))', imports={"m": exporter})


REFUSED = {
    "(memory i64 0x1_0000_0000_0001)": "memory size must be at most",
    "(memory 0x1_0001)": "memory size must be at most 65536 pages",
    "(table 0x1_0000_0000 funcref)": "table size must be at most 2^32-1",
    "(memory 1) (func (drop (i32.load offset=0x1_0000_0000 (i32.const 0))))": "offset out of range",
    "(memory i64 1) (func (drop (i32.load (i32.const 0))))": "type mismatch",
    "(memory 1) (memory i64 1) (func (drop (i32.load (i64.const 0))))": "type mismatch",
    "(memory i64 1) (func (result i32) memory.size)": "type mismatch",
    "(memory i64 1) (data (i32.const 0))": "type mismatch",
    "(table i64 1 funcref) (elem (i32.const 0) func)": "type mismatch",
    "(memory 1) (memory i64 1)"
    " (func (memory.copy 0 1 (i32.const 0) (i64.const 0) (i64.const 0)))": "type mismatch",
}


@pytest.mark.parametrize("fields", REFUSED)
def test_refused(fields: str) -> None:
    with pytest.raises(InvalidError, match=REFUSED[fields].replace("^", r"\^")):
        validate_all(parse(fields))


SIZES = st.integers(0, 1 << 48) | st.integers(0, 300)


@given(st.booleans(), SIZES, st.none() | SIZES)
def test_types_print_and_encode_as_wasmtime_reads_them(wide: bool, minimum: int, maximum: int | None) -> None:
    sizes = f"{minimum} {'' if maximum is None else maximum}"
    text = (
        f"(module (memory {'i64' if wide else ''} {sizes}) (table {'i64' if wide else ''} {sizes} funcref))"
    )
    module = parse(text)
    data = bytes(wasmtime.wat2wasm(text))
    assert encode(module) == data
    assert decode(data) == module
    assert parse(print_module(module)) == module


def test_inline_segments_have_offsets_of_the_address_type() -> None:
    module = parse('(memory i64 (data "x")) (table i64 funcref (elem))')
    assert module.mems == (MemType(SizeRange(1, 1), I64),)
    modes = [segment.mode for segment in (*module.datas, *module.elems)]
    assert [mode.offset.ops[0].name for mode in modes if mode] == ["i64.const", "i64.const"]
    assert decode(encode(module)) == module


def test_addresses_that_are_computed(start: Start) -> None:
    """Sums and differences are made canonical before they are addresses: neither negative nor too large."""
    exports = start("""
    (module
      (memory i64 1) (data (i64.const 8) "\\2a")
      (func (export "wraps") (param i64) (result i32)
        (i32.load8_u (i64.add (i64.mul (local.get 0) (i64.const 2)) (i64.const 8))))
      (func (export "minus 8") (param i64) (result i32)
        (i32.load8_u offset=16 (i64.sub (local.get 0) (i64.const 8)))))
    """).exports
    assert exports.wraps(1 << 63) == 42
    assert exports["minus 8"](0x8) == 0
    with pytest.raises(Trap, match="out of bounds"):
        exports["minus 8"](0)
