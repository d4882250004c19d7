"""Compiled functions: kernels, traps and whose they are, order of evaluation, NaNs, rows without code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from pywasm_nn.errors import ExhaustionError, HostError, InvalidError, Trap, TrapKind
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.engine import ENGINES, CompileEngine
from pywasm_nn.interpreter.instructions import BY_CODE, OPS, op
from pywasm_nn.interpreter.runtime.instance import HostFunc, Instance
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.types import FuncType
from pywasm_nn.interpreter.validate import validate_func

KERNELS = Path(__file__).parents[2] / "benchmarks" / "kernels" / "kern.wasm"
ROUNDS = {
    "fib": 12, "loop32": 600, "loop64": 600, "sieve": 1000, "matmul": 7, "sha256": 64, "crc32": 600,
    "preproc": 9,
    "vm": 40, "strmem": 150, "qsort_": 100, "icall": 500,
}  # fmt: skip

Start = Callable[..., Instance]


@pytest.fixture(scope="module")
def native_kernels() -> Iterator[Callable[[str, int], int]]:
    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module.from_file(store.engine, str(KERNELS)), []).exports(
        store
    )

    def call(name: str, n: int) -> int:
        function = exports[name]
        assert isinstance(function, wasmtime.Func)
        result: int = function(store, n)
        return result

    yield call


@pytest.mark.parametrize("kernel", ROUNDS)
def test_kernels(
    native_kernels: Callable[[str, int], int], engine: str, flavour: Flavour, kernel: str
) -> None:
    module = decode(KERNELS.read_bytes())
    with instantiate(module, lambda *_: None, ENGINES[engine](), flavour=flavour) as instance:
        n = ROUNDS[kernel]
        assert instance.exports[kernel](n) == native_kernels(kernel, n)
        assert instance.exports[kernel](n) == native_kernels(kernel, n)  # once a stub, once not


TRAPPING = """(module (memory 1) (table 2 funcref) (elem (i32.const 0) $f)
  (type $t (func (param i32) (result i32)))
  (type $other (func))
  (func $f (export "divide") (type $t) (i32.div_u (i32.const 7) (local.get 0)))
  (func (export "remainder") (param i64) (result i64) (i64.rem_u (i64.const 7) (local.get 0)))
  (func (export "load") (type $t) (i32.load (local.get 0)))
  (func (export "store") (param i32) (i64.store offset=65529 (local.get 0) (i64.const 1)))
  (func (export "far") (type $t) (i32.load8_u offset=4294967295 (local.get 0)))
  (func (export "call") (param i32) (result i32) (call_indirect (type $t) (i32.const 0) (local.get 0)))
  (func (export "other") (param i32) (call_indirect (type $other) (local.get 0)))
  (func (export "unreachable") unreachable)
  (func (export "convert") (param f64) (result i32) (i32.trunc_f64_s (local.get 0)))
  (func (export "overflow") (param i32) (result i32) (i32.div_s (local.get 0) (i32.const -1)))
  (func $deep (export "deep") (param i32) (result i32) (call $deep (local.get 0)))
)"""


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("divide", [0], TrapKind.DIVIDE_BY_ZERO),
        ("remainder", [0], TrapKind.DIVIDE_BY_ZERO),
        ("load", [65533], TrapKind.OUT_OF_BOUNDS_MEMORY),
        ("load", [-1], TrapKind.OUT_OF_BOUNDS_MEMORY),
        ("store", [0], TrapKind.OUT_OF_BOUNDS_MEMORY),
        ("far", [1], TrapKind.OUT_OF_BOUNDS_MEMORY),
        ("call", [0], TrapKind.DIVIDE_BY_ZERO),
        ("call", [1], TrapKind.UNINITIALIZED_ELEMENT),
        ("call", [2], TrapKind.UNDEFINED_ELEMENT),
        ("call", [-1], TrapKind.UNDEFINED_ELEMENT),
        ("other", [0], TrapKind.INDIRECT_CALL_TYPE),
        ("unreachable", [], TrapKind.UNREACHABLE),
        ("convert", [float("nan")], TrapKind.INVALID_CONVERSION),
        ("overflow", [-(1 << 31)], TrapKind.INTEGER_OVERFLOW),
        ("deep", [1], TrapKind.CALL_STACK_EXHAUSTED),
    ],
)
def test_traps_are_the_same_in_both_engines(
    flavour: Flavour, name: str, arguments: list[int | float], kind: TrapKind
) -> None:
    module = decode(bytes(wasmtime.wat2wasm(TRAPPING)), "traps.wasm")
    frames = []
    for make in ENGINES.values():
        with (
            instantiate(module, lambda *_: None, make(), flavour=flavour) as instance,
            pytest.raises(Trap) as caught,
        ):
            instance.exports[name](*arguments)
        assert caught.value.kind is kind
        assert isinstance(caught.value, ExhaustionError) == (kind is TrapKind.CALL_STACK_EXHAUSTED)
        frames.append([(frame.funcidx, frame.offset) for frame in caught.value.frames])
    assert frames[0] == frames[1]
    assert frames[0]


@pytest.mark.parametrize("error", [IndexError, ZeroDivisionError, OverflowError, RecursionError])
def test_what_a_host_function_raises_is_no_trap(flavour: Flavour, error: type[Exception]) -> None:
    def raises() -> None:
        raise HostError("m.f", error()) from error()

    text = '(module (import "m" "f" (func)) (func (export "run") (call 0)))'
    host = HostFunc(FuncType(), lambda _: raises)
    with (
        instantiate(
            decode(bytes(wasmtime.wat2wasm(text))), lambda *_: host, CompileEngine(), flavour=flavour
        ) as instance,
        pytest.raises(HostError),
    ):
        instance.exports.run()


def test_an_error_of_ours_is_no_trap(flavour: Flavour) -> None:
    def broken() -> None:
        empty: list[int] = []
        empty.pop()

    text = '(module (import "m" "f" (func)) (memory 1) (func (export "run") (call 0)))'
    host = HostFunc(FuncType(), lambda _: broken)
    with (
        instantiate(
            decode(bytes(wasmtime.wat2wasm(text))), lambda *_: host, CompileEngine(), flavour=flavour
        ) as instance,
        pytest.raises(IndexError),
    ):
        instance.exports.run()


def test_operands_are_evaluated_in_order(start: Start) -> None:
    """Every operand that reads something is followed by what changes it."""
    instance = start("""(module (memory 1) (global $g (mut i32) (i32.const 1))
      (func $change (result i32)
        (global.set $g (i32.const 50)) (i32.store (i32.const 0) (i32.const 60)) (i32.const 1000))
      (func (export "global") (result i32) (i32.add (global.get $g) (call $change)))
      (func (export "memory") (result i32) (i32.add (i32.load (i32.const 0)) (call $change)))
      (func (export "local") (param i32) (result i32)
        (i32.add (local.get 0) (block (result i32) (local.set 0 (i32.const 7)) (local.get 0))))
      (func (export "tee") (param i32) (result i32)
        (i32.sub (local.get 0) (i32.mul (local.tee 0 (i32.const 5)) (local.get 0))))
      (func (export "first") (param i32) (result i32)
        (i32.add (i32.div_u (i32.const 1) (local.get 0)) (i32.load (i32.const -1))))
      (func (export "dropped") (param i32) (drop (i32.div_u (i32.const 1) (local.get 0))))
      (func (export "left") (param i32) (result i32)
        (block (result i32) (i32.const 1) (i32.div_u (i32.const 1) (local.get 0)) (br 0 (i32.const 3)))))
    """)
    assert instance.exports["global"]() == 1001
    assert instance.exports.memory() == 1060
    assert instance.exports.local(3) == 10
    assert instance.exports.tee(3) == -22
    for name in ("first", "dropped", "left"):
        with pytest.raises(Trap, match=TrapKind.DIVIDE_BY_ZERO):
            instance.exports[name](0)


def test_signalling_nans_survive_moves(start: Start) -> None:
    bits = 0x7FA12345
    instance = start("""(module (memory 1)
      (data (i32.const 0) "\\45\\23\\a1\\7f") (global $g (mut f32) (f32.const 0))
      (func $same (param f32) (result f32) (local.get 0))
      (func (export "const") (result i32) (i32.reinterpret_f32 (f32.const nan:0x212345)))
      (func (export "load") (result i32) (i32.reinterpret_f32 (f32.load (i32.const 0))))
      (func (export "local") (result i32) (local f32)
        (local.set 0 (f32.load (i32.const 0))) (i32.reinterpret_f32 (local.get 0)))
      (func (export "call") (result i32) (i32.reinterpret_f32 (call $same (f32.load (i32.const 0)))))
      (func (export "global") (result i32)
        (global.set $g (f32.load (i32.const 0))) (i32.reinterpret_f32 (global.get $g)))
      (func (export "store") (result i32) (local f32)
        (f32.store (i32.const 8) (f32.load (i32.const 0))) (local.set 0 (f32.load (i32.const 8)))
        (f32.store (i32.const 16) (local.get 0)) (i32.load (i32.const 16)))
      (func (export "block") (param i32) (result i32)
        (i32.reinterpret_f32 (select (f32.load (i32.const 0)) (f32.const 1) (local.get 0))))
      (func (export "neg") (result i32) (i32.reinterpret_f32 (f32.neg (f32.neg (f32.load (i32.const 0))))))
      (func (export "add") (result i32)
        (i32.reinterpret_f32 (f32.add (f32.load (i32.const 0)) (f32.const 1)))))
    """)
    for name in ("const", "load", "local", "call", "global", "store", "neg"):
        assert instance.exports[name]() == bits, name
    assert instance.exports.block(1) == bits
    assert instance.exports.add() == bits | 0x00400000


def test_results_are_ints(start: Start) -> None:
    instance = start("""(module (global (export "g") (mut i32) (i32.const 0))
      (func $id (param i32) (result i32) (local.get 0))
      (func (export "compare") (param i32) (result i32) (i32.lt_s (local.get 0) (i32.const 3)))
      (func (export "call") (param i32) (result i32) (call $id (i32.eqz (local.get 0))))
      (func (export "and") (param i32) (result i32)
        (i32.and (i32.eqz (local.get 0)) (i32.lt_u (local.get 0) (i32.const 1))))
      (func (export "select") (param i32) (result i32)
        (select (i32.eqz (local.get 0)) (i32.eqz (i32.eqz (local.get 0))) (local.get 0)))
      (func (export "set") (param i32) (global.set 0 (i32.eqz (local.get 0)))))
    """)
    for name in ("compare", "call", "and", "select"):
        assert type(instance.exports[name].callable(0)) is int
    instance.exports.set(0)
    assert type(instance.exports.g.value) is int


def test_a_row_is_enough(start: Start) -> None:
    """An instruction that only the table knows runs."""
    row = op(0x27, "i32.majority", "i32 i32 i32 -> i32", "a & b | a & c | b & c")
    try:
        text = """(module (func (export "f") (param i32 i32 i32) (result i32)
          (i32.majority (local.get 0) (i32.add (local.get 1) (i32.const 0)) (local.get 2))))"""
        assert start(text).exports.f(0b0011, 0b0101, 0b1001) == 0b0001
    finally:
        del OPS[row.name], BY_CODE[row.code]


def lines_of(text: str, flavour: Flavour) -> list[str]:
    module = decode(bytes(wasmtime.wat2wasm(text)))
    return translate(module, 0, validate_func(module, 0), Variant(flavour)).source.splitlines()


def test_the_text_of_a_loop() -> None:
    text = """(module (memory 1) (func (param i32) (result i32) (local i32)
      (loop
        (local.set 1 (i32.add (local.get 1) (i32.load8_u offset=1 (local.get 0))))
        (br_if 0 (i32.load8_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))))))
      (local.get 1)))"""
    assert lines_of(text, Flavour.VIEW) == [
        "def func0(l0):",
        " l1 = 0",
        " while 1:",
        '  l1 = l1 + "$u8at1"[l0]',
        "  if l1 > 1073741823: l1 &= 4294967295",
        "  l0 = l0 + 1",  # the load would have trapped had it been too large for that
        '  if "$u8"[l0]: continue',
        "  return l1",
    ]
    assert "  l1 = l1 + mem[l0 + 1]" in lines_of(text, Flavour.STRUCT)


@pytest.mark.parametrize(
    ("change", "is_kept"),
    [
        ("(nop)", True),
        ("(if (local.get 0) (then (global.set $sp (i32.add (local.get 1) (i32.const 32))) (return)))", True),
        ("(global.set $sp (i32.const 4000))", True),
        ("(local.set 1 (i32.const 64))", False),
        ("(loop (local.set 1 (local.get 0)) (br_if 0 (i32.eqz (local.get 0))))", False),
    ],
)
@pytest.mark.parametrize(
    ("begins", "size", "global_"), [(16, 32, 0), (4096, 32, 0), (16, 48, 0), (16, 32, 1)]
)
def test_the_stack_pointer_that_a_function_found(
    start: Start, flavour: Flavour, change: str, is_kept: bool, begins: int, size: int, global_: int
) -> None:
    text = f"""(module (memory 1) (global $sp (mut i32) (i32.const {begins})) (global (mut i32) (i32.const 0))
      (func $f (export "f") (param i32) (local i32)
        (global.set $sp (local.tee 1 (i32.sub (global.get $sp) (i32.const 32))))
        {change}
        (global.set {global_} (i32.add (local.get 1) (i32.const {size})))))"""
    is_kept = (is_kept and (size, global_) == (32, 0)) or "return" in change
    assert (' sp = "$g0".raw' in lines_of(text, flavour)) == is_kept
    instance = start(text)
    expected = decode(bytes(wasmtime.wat2wasm(text)))
    with instantiate(expected, lambda *_: None, ENGINES["interpret"]()) as interpreted:
        for argument in (0, 1, 4096) if "loop" not in change else (1, 4096):
            instance.exports.f(argument)
            interpreted.exports.f(argument)
            values = [each.value for each in instance.globals]
            assert values == [each.value for each in interpreted.globals]


GLOBALS = {
    "i32": ("0", "4096", "-1"), "i64": ("0", "-9223372036854775808"), "f32": ("0", "1.5"), "f64": ("-0", "2"),
}  # fmt: skip
"""Numbers with which globals begin."""


@pytest.mark.parametrize("exported", [False, True])
def test_globals_that_begin_with_any_number(start: Start, exported: bool) -> None:
    kinds = [(type_, number) for type_, numbers in GLOBALS.items() for number in numbers]
    globals_ = "".join(f"(global (mut {type_}) ({type_}.const {number}))" for type_, number in kinds)
    sums = "".join(
        f"(global.set {n} ({type_}.add (global.get {n}) ({type_}.const 1))) (call $nothing)"
        for n, (type_, _) in enumerate(kinds)
    )
    results = " ".join(type_ for type_, _ in kinds)
    gets = "".join(f"(global.get {n})" for n in range(len(kinds)))
    exports = "".join(f'(export "{n}" (global {n}))' for n in range(len(kinds))) if exported else ""
    instance = start(f"""(module {globals_} {exports} (func $nothing)
      (func (export "add") {sums}) (func (export "get") (result {results}) {gets}))""")
    before = [float(number) for _, number in kinds]
    for rounds in range(3):
        now = [number + rounds for number in before]
        assert [float(value) for value in instance.exports.get()] == now
        assert [float(global_.value) for global_ in instance.globals] == now
        instance.exports.add()
    for global_ in instance.globals:
        global_.value = 7
    assert instance.exports.get() == (7,) * len(kinds)


@pytest.mark.parametrize(
    ("first", "lines"),
    [
        ("(i32.sub (local.get 0) (i32.const 16))", [" l1 = l0 - 16"]),
        ("(i32.load (local.get 0))", [" l1 = 0", ' l1 = "$u32"[l0]']),  # a backtrace shows the zero
        ("(i32.clz (local.get 1))", [" l1 = 0"]),
        ("(i32.add (local.get 2) (i32.const 1))", [" l2 = 0", " l1 = 1"]),
    ],
)
def test_a_local_that_is_set_first_needs_no_zero(first: str, lines: list[str]) -> None:
    text = f"""(module (memory 1) (func (param i32) (result i32) (local i32 i32)
      (local.set 1 {first}) (i32.load (local.get 1))))"""
    start = lines_of(text, Flavour.VIEW)[1:]
    assert start[: len(lines)] == lines


def test_a_local_that_is_never_set(start: Start) -> None:
    assert start('(module (func (export "f") (result i32) (local i32) (local.get 0)))').exports.f() == 0


def test_a_line_traps_in_one_way() -> None:
    text = """(module (memory 1) (func (param i32 i32)
      (i32.store (i32.load (local.get 0))
        (i32.div_u (i32.load (local.get 1)) (i32.load8_u (local.get 0))))))"""
    module = decode(bytes(wasmtime.wat2wasm(text)))
    translation = translate(module, 0, validate_func(module, 0), Variant(Flavour.VIEW))
    instrs = [instr for instr in translation.notes.sites.instrs if instr >= 0]
    assert [module.funcs[0].body.ops[instr].name for instr in instrs] == [
        "i32.load",
        "i32.load",
        "i32.load8_u",
        "i32.div_u",
        "i32.store",
    ]
    assert len(set(instrs)) == 5


def test_an_invalid_body_is_a_trap_when_called(flavour: Flavour) -> None:
    good = bytes(wasmtime.wat2wasm('(module (func (export "f") (result i32) (i32.const 1)))'))
    bad = good.replace(bytes([0x41, 1, 0x0B]), bytes([0x01, 1, 0x0B]))
    with (
        instantiate(decode(bad), lambda *_: None, CompileEngine(), flavour=flavour) as instance,
        pytest.raises(Trap) as caught,
    ):
        instance.exports.f()
    assert caught.value.kind is TrapKind.INVALID_BODY
    assert isinstance(caught.value.__cause__, InvalidError)


def test_modules_share_code_and_instances_share_nothing() -> None:
    text = """(module (global $g (mut i32) (i32.const 0)) (func (export "f") (result i32)
      (global.set $g (i32.add (global.get $g) (i32.const 1))) (global.get $g)))"""
    module = decode(bytes(wasmtime.wat2wasm(text)))
    first, second = (instantiate(module, lambda *_: None, CompileEngine()) for _ in range(2))
    assert [first.exports.f(), first.exports.f(), second.exports.f()] == [1, 2, 1]
    codes: list[Any] = [instance.exports.f.callable.__code__ for instance in (first, second)]
    assert codes[0] is codes[1]
