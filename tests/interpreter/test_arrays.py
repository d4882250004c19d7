"""Loops that are done with arrays: when they are, when not, and what nobody may notice."""

from __future__ import annotations

import struct
import subprocess
import sys
import tracemalloc
from functools import cache
from typing import Any

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import DeadlineError, FuelError, Trap, TrapKind
from pywasm_nn.interpreter.arrays import course, whole
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.lowering import arrays as lowered
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.meter import Metered
from pywasm_nn.interpreter.validate import validate_func
from pywasm_nn.limits import Limits

from ..conftest import assembled

pytest.importorskip("numpy")
SCALE = """(module (memory (export "memory") 3)
  (func (export "run") (param $s i32) (param $d i32) (param $n i32)
  (loop
    (f32.store (local.get $d) (f32.div (f32.convert_i32_u (i32.load8_u (local.get $s))) (f32.const 255)))
    (local.set $s (i32.add (local.get $s) (i32.const 1)))
    (local.set $d (i32.add (local.get $d) (i32.const 4)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
WALK = """(module (memory (export "memory") 3)
  (func (export "run") (param $s i32) (param $d i32) (param $n i32)
  {locals}
  (loop {body}
    (local.set $s (i32.add (local.get $s) (i32.const {by})))
    (local.set $d (i32.add (local.get $d) (i32.const {by})))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""


class Seen:
    """Counts the rounds that were done at once, in each call."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[bool] = []
        seen = self

        class Watched(whole.Whole):
            def __call__(self, *arguments: Any) -> Any:
                made = super().__call__(*arguments)
                seen.calls.append(made is not None)
                return made

        patch.setattr(whole, "Whole", Watched)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    """Calls, also for fewer rounds than those that pay."""
    monkeypatch.setattr(lowered, "LEAST", 96)
    monkeypatch.setattr(course, "LEAST", 24)
    return Seen(monkeypatch)


def walk(body: str, by: int = 4, locals_: str = "") -> str:
    return WALK.format(body=body, by=by, locals=locals_)


def run(
    text: str, *arguments: int, engine: str = "compile", data: bytes = b"", at: int = 0
) -> tuple[Any, bytes]:
    """The trap or None, and memory."""
    instance = Module.from_text(text).instantiate(engine=engine)
    memory = instance.exports["memory"]
    memory.write(at, data)
    try:
        instance.exports["run"](*arguments)
        kind = None
    except Trap as trap:
        kind = trap.kind
    return kind, memory.read(0, 3 * 65536)


def both(text: str, *arguments: int, data: bytes = b"", at: int = 0) -> bytes:
    """Memory after the function, the same as `interpret` leaves it."""
    found = run(text, *arguments, data=data, at=at)
    assert found == run(text, *arguments, engine="interpret", data=data, at=at)
    return found[1]


def test_a_loop_over_bytes_is_done_at_once(seen: Seen) -> None:
    memory = both(SCALE, 0, 1024, 1000, data=bytes(range(256)) * 4)
    assert seen.calls == [True]
    assert struct.unpack_from("<f", memory, 1024 + 4 * 51) == struct.unpack("<f", struct.pack("<f", 0.2))


@pytest.mark.parametrize(("rounds", "apart", "calls"), [
    (300, 8000, []), (800, 8000, [True]), (800, 400, [False]), (2000, 1200, [True]),
])  # fmt: skip
def test_few_rounds_and_small_pieces_do_not_pay(
    monkeypatch: pytest.MonkeyPatch, rounds: int, apart: int, calls: list[bool]
) -> None:
    seen = Seen(monkeypatch)
    text = walk("(i32.store (local.get $d) (i32.add (i32.load (local.get $s)) (i32.const 1)))")
    both(text, 1000, 1000 + apart, rounds, data=bytes(range(250)) * 40)
    assert seen.calls == calls


TWO_ENDS = """(module (memory (export "memory") 3)
  (func (export "run") (param $d i32) (param $n i32) (param $left i32)
  (block (loop
    (i32.store8 (local.get $d) (local.get $d))
    (local.set $d (i32.add (local.get $d) (i32.const 1)))
    (br_if 1 (i32.eqz (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))))"""


def test_a_pointer_that_is_not_null_is_no_counter(seen: Seen) -> None:
    text = TWO_ENDS.replace(
        "(local.set $d (i32.add", "(br_if 1 (i32.eqz (local.get $d))) (local.set $d (i32.add"
    )
    assert run(text, 7, 1000, 1000) == run(text, 7, 1000, 1000, engine="interpret")
    assert seen.calls == [True]


@pytest.mark.parametrize(("n", "left"), [(10, 1000), (1000, 10), (1000, 1000)])
def test_of_two_counters_the_one_that_ends_first_decides(seen: Seen, n: int, left: int) -> None:
    """As in Rust, whose iterators that are cut off count both."""
    assert run(TWO_ENDS, 7, n, left) == run(TWO_ENDS, 7, n, left, engine="interpret")
    assert seen.calls == ([True] if n == left else [])


@pytest.mark.parametrize(("test", "step", "most", "done"), [
    ("lt_s", 8, 8000, True), ("lt_s", 8, 80, False), ("lt_s", 8, -80, False), ("ge_s", -8, -8000, True),
    ("ge_s", -8, -80, False), ("le_u", 8, 8000, True), ("le_u", 8, 80, False), ("gt_s", 8, -80, True),
])  # fmt: skip
def test_a_bound_that_is_near_is_asked_for_before_the_call(
    seen: Seen, test: str, step: int, most: int, done: bool
) -> None:
    """As where bits are read: until there are enough of them, or no bytes are left."""
    text = TWO_ENDS.replace(
        "(br_if 1 (i32.eqz (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))",
        f"""
      (br_if 1 (i32.eqz (i32.{test} (i32.add (local.get $left) (i32.const {step})) (i32.const {most}))))
      (local.set $left (i32.add (local.get $left) (i32.const {step})))""",
    )
    assert run(text, 7, 1000, 0) == run(text, 7, 1000, 0, engine="interpret")
    assert seen.calls == ([True] if done else [])


@pytest.mark.parametrize("start", [1000, 1001, 1002, 1003, 1005, 1400, 4999])
def test_stores_that_later_rounds_load(seen: Seen, start: int) -> None:
    """The source begins at 1000: the target is before, after or in it."""
    text = walk("(i32.store (local.get $d) (i32.add (i32.load (local.get $s)) (i32.const 1)))")
    both(text, 1000, start, 1000, data=bytes(range(250)) * 40)
    assert seen.calls == [start in (1000, 1400, 4999)], "in place, or in pieces"


AGAIN = """(module (memory (export "memory") 1)
  (func (export "run") (param $s i32) (param $d i32) (param $n i32) (param $by f32)
  (loop
    (f32.store (local.get $d) (f32.mul (f32.convert_i32_u (i32.load8_u (local.get $s))) (local.get $by)))
    (local.set $s (i32.add (local.get $s) (i32.const 1)))
    (local.set $d (i32.add (local.get $d) (i32.const 4)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (func (export "grow") (drop (memory.grow (i32.const 1)))))"""


def test_what_was_counted_for_the_same_arguments_is_taken_again(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other data, a -0.0 that equals 0.0, other numbers, and memory that has grown."""
    counted: list[int] = []
    count = course.Course.count
    monkeypatch.setattr(course.Course, "count", lambda self: counted.append(1) or count(self))
    exports = [assembled(AGAIN).instantiate(engine=engine).exports for engine in ("compile", "interpret")]

    def check(byte: int, *arguments: Any) -> int:
        made = []
        for each in exports:
            each["memory"].write(0, bytes([byte]) * 1000)
            try:
                made.append(each.run(*arguments))
            except Trap as trap:
                made.append(trap.kind)
            made.append(each["memory"].read(0, each["memory"].size))
        assert made[:2] == made[2:]
        return len(counted)

    assert check(7, 0, 1024, 999, 0.0) == 1
    assert check(7, 0, 1024, 999, -0.0) == check(7, 0, 1024, 999, 0.0) == check(9, 0, 1024, 999, 0.0) == 1
    assert check(9, 0, 1024, 998, 0.0) == 2
    assert check(9, 0, 65536 - 2000, 999, 0.5) == 3
    assert all(seen.calls) and len(seen.calls) == 6
    for each in exports:
        each.grow()
    assert check(3, 0, 65536 - 2000, 999, 0.5) == 4, "there is more memory now"


def test_values_are_freed_when_nobody_needs_them_any_more(seen: Seen) -> None:
    """A hundred steps over 30,000 rounds: 12 MB, if all values stayed until the end."""
    body = "(i32.load (local.get $s))"
    for number in range(50):
        body = f"(i32.xor (i32.shr_u {body} (i32.const {number % 3 + 1})) (i32.const {number * 999}))"
    text = walk(f"(i32.store (local.get $d) {body})").replace(" 3)", " 9)", 1)
    instance = assembled(text).instantiate()
    instance.exports.run(0, 250_000, 30_000)
    tracemalloc.start()
    try:
        instance.exports.run(0, 250_000, 30_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen.calls == [True, True]
    assert peak < 1_500_000


def test_two_stores_to_the_same_bytes_keep_their_order(seen: Seen) -> None:
    text = walk(
        "(i32.store (local.get $d) (local.get $n)) (i32.store offset={} (local.get $d) (i32.const 7))"
    )
    for offset, at_once in ((0, True), (4, False), (2, False), (400, True), (8000, True)):
        both(text.format(offset), 0, 1000, 500)
        assert seen.calls[-1] is at_once, offset


def test_a_store_to_one_address_is_done_as_it_stands(seen: Seen) -> None:
    both(walk("(i32.store (i32.const 500) (i32.load (local.get $s)))"), 1000, 0, 300, data=b"abcd" * 900)
    assert seen.calls == [False]


@pytest.mark.parametrize(
    ("s", "d", "n"), [(0, 3 * 65536 - 4000, 1200), (3 * 65536 - 500, 0, 800), (2**32 - 400, 0, 300)]
)
def test_a_trap_comes_after_the_same_stores(s: int, d: int, n: int) -> None:
    assert run(SCALE, s, d, n)[0] is not None
    both(SCALE, s, d, n, data=bytes(range(200)), at=3 * 65536 - 200)


def test_an_instruction_that_traps_in_a_middle_round(seen: Seen) -> None:
    text = walk("(i32.store (local.get $d) (i32.div_u (i32.const 1000) (i32.load8_u (local.get $s))))", 1)
    data = b"\x05" * 700 + b"\0" + b"\x05" * 700
    kind, memory = run(text, 0, 4096, 1400, data=data)
    assert kind is not None and memory[4096 + 699 : 4096 + 704] == b"\xc8\x00\x00\x00\x00"
    both(text, 0, 4096, 1400, data=data)


def test_an_unused_load_that_traps(seen: Seen) -> None:
    text = walk("(drop (i32.load (local.get $s))) (i32.store (local.get $d) (i32.const 1))")
    assert run(text, 3 * 65536 - 600, 0, 900)[0] is not None
    both(text, 3 * 65536 - 600, 0, 900)


NANS = struct.pack(
    "<8I", 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF812345, 0x7FABCDEF, 0x3F800000, 0x80000000, 1
)


def test_nans_that_are_copied_keep_their_bits(seen: Seen) -> None:
    text = walk(
        "(f32.store (local.get $d) (f32.load (local.get $s)))"
        "(i32.store8 offset=5000 (local.get $d) (i32.const 1))"
    )
    memory = both(text, 0, 8192, 400, data=NANS * 50)
    assert seen.calls == [True] and memory[8192 : 8192 + 1600] == NANS * 50


@pytest.mark.parametrize("body", [
    "(f32.store (local.get $d) (f32.add (f32.load (local.get $s)) (f32.const 1)))",
    "(f32.store (local.get $d) (f32.neg (f32.load (local.get $s))))",
    "(i32.store (local.get $d) (i32.reinterpret_f32 (f32.mul (f32.load (local.get $s)) (f32.const 2))))",
    """(f32.store (local.get $d) (select (f32.const 2) (f32.load (local.get $s))
      (f32.lt (f32.load (local.get $s)) (f32.const 0))))""",
    "(f32.store (local.get $d) (f32.copysign (f32.const 2) (f32.load (local.get $s))))",
    "(f64.store (local.get $d) (f64.promote_f32 (f32.load (local.get $s))))",
])  # fmt: skip
def test_nans_that_are_observed_are_left_to_the_loop(seen: Seen, body: str) -> None:
    scalar = Module.from_text(walk(body, 8)).instantiate(limits=Limits(fuel=10**9))
    memory = scalar.exports["memory"]
    memory.write(0, NANS * 100)
    scalar.exports["run"](0, 8192, 300)
    assert run(walk(body, 8), 0, 8192, 300, data=NANS * 100) == (None, memory.read(0, 3 * 65536))
    assert seen.calls == [False]


def test_branches_that_choose_are_done_at_once(seen: Seen) -> None:
    text = walk("""(block (block (br_if 0 (i32.eqz (f32.lt (f32.abs (local.tee $f (f32.load (local.get $s))))
      (f32.const 2147483648)))) (local.set $i (i32.trunc_f32_s (local.get $f))) (br 1))
      (local.set $i (i32.const -2147483648)))
      (i32.store (local.get $d) (local.get $i))""", locals_="(local $f f32) (local $i i32)")  # fmt: skip
    numbers = [0.5, -7.9, 1e20, float("nan"), 2147483648.0, -3e9, 1e-40, float("-inf")]
    memory = both(text, 0, 8192, 400, data=struct.pack("<8f", *numbers) * 50)
    assert seen.calls == [True]
    assert struct.unpack_from("<4i", memory, 8192) == (0, -7, -(2**31), -(2**31))


def test_a_choice_between_equal_addresses_is_that_address(seen: Seen) -> None:
    """Whatever the loop meets, it stores at `$d`: its rounds are apart."""
    either = "(select (local.get $d) (local.get $d) (i32.load8_u (local.get $s)))"
    both(walk(f"(i32.store {either} (i32.load (local.get $s)))"), 0, 8000, 500, data=bytes(range(250)) * 10)
    assert seen.calls == [True]


def test_table_look_ups(seen: Seen) -> None:
    text = walk("(i32.store8 (local.get $d) (i32.load8_u offset=4096 (i32.load8_u (local.get $s))))", 1)
    table = bytes(range(255, -1, -1))
    memory = both(text, 0, 8192, 1000, data=bytes(range(250)) * 4 + bytes(3096) + table)
    assert seen.calls == [True] and memory[8192:8195] == b"\xff\xfe\xfd"
    both(text, 0, 3900, 1000, data=bytes(range(250)) * 4 + bytes(3096) + table)
    assert seen.calls[1:] == [False], "the target overlaps the table"
    far = walk(
        "(i32.store8 (local.get $d) (i32.load8_u (i32.mul (i32.load8_u (local.get $s)) (i32.const 1000))))", 1
    )
    both(far, 0, 8192, 1000, data=bytes(range(190)) * 5)
    assert seen.calls[2:] == [False] and run(far, 0, 8192, 1000, data=b"\xff" * 1000)[0] is not None


# Whoever looks at single rounds


def code(text: str, variant: Variant) -> str:
    module = Module.from_text(text)
    return translate(module, 0, validate_func(module, 0), variant).source


def test_metered_and_portable_code_has_no_such_loops() -> None:
    assert "w0_0(" in code(SCALE, Variant(Flavour.VIEW))
    for variant in (
        Variant(Flavour.STRUCT), Variant(Flavour.VIEW, Metered(fuel=True)),
        Variant(Flavour.VIEW, Metered(time=True)), Variant(Flavour.VIEW, Metered(blocks=True)),
    ):  # fmt: skip
        assert "w0_0(" not in code(SCALE, variant)


def test_many_paths_and_long_rounds_are_refused_soon() -> None:
    paths = "".join(f"(br_if 0 (i32.eq (local.get $n) (i32.const {number})))" for number in range(90))
    many = walk(f"(block {paths} (i32.store (local.get $d) (i32.const 1)))")
    assert "w0_0(" not in code(many, Variant(Flavour.VIEW))
    chosen = "".join(
        f"(if (i32.load8_u offset={number} (local.get $s)) (then (i32.store8 (local.get $d) (local.get $n))))"
        for number in range(40)
    )
    assert "w0_0(" not in code(walk(chosen), Variant(Flavour.VIEW))


def test_fuel_and_deadlines_stop_in_the_middle(seen: Seen) -> None:
    short = Module.from_text(SCALE).instantiate(limits=Limits(fuel=5000))
    with pytest.raises(FuelError):
        short.exports["run"](0, 40000, 30000)
    late = Module.from_text(SCALE.replace("$n (i32.sub", "$n (i32.add")).instantiate(
        limits=Limits(seconds=0.2)
    )
    with pytest.raises((DeadlineError, Trap)):
        late.exports["run"](0, 40000, 1)
    assert not seen.calls


def test_kept_code_has_the_plans() -> None:
    import marshal

    from pywasm_nn.interpreter.arrays.plan import plan_of

    module = Module.from_text(SCALE)
    notes = translate(module, 0, validate_func(module, 0), Variant(Flavour.VIEW)).notes
    (plain,) = marshal.loads(marshal.dumps(notes.wholes))
    assert plan_of(plain).plain() == plain and plan_of(plain).loads[0].access == "u8"


PROGRAM = """
import sys
{before}
from pywasm_nn.api import Module
instance = Module.from_text({text!r}).instantiate()
instance.exports["memory"].write(0, bytes(range(200)))
for _ in range({times}):
    instance.exports["run"](0, 40000, {n})
print(sys.modules.get("numpy") is not None, instance.exports["memory"].read(40004, 4).hex())
"""


@pytest.mark.parametrize(("before", "times", "n", "imported"), [
    ("", 100, 8, "False"), ("", 3, 1000, "False"), ("", 40, 30000, "True"), ("import numpy", 1, 100, "True"),
    ("sys.modules['numpy'] = None", 40, 30000, "False"),
])  # fmt: skip
def test_numpy_is_imported_when_it_pays(before: str, times: int, n: int, imported: str) -> None:
    program = PROGRAM.format(before=before, text=SCALE, times=times, n=n)
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert out.stdout.split() == [imported, struct.pack("<f", 1 / 255).hex()]


def test_rows_pay_for_numpy_by_all_their_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    paid: list[int] = []
    monkeypatch.setattr(whole.Purse, "opens", lambda self, instructions: bool(paid.append(instructions)))
    rows = """(module (memory (export "memory") 3)
      (func (export "run") (param $d i32) (param $n i32) (local $i i32)
      (loop (local.set $i (i32.const 0))
        (loop (i32.store8 (i32.add (local.get $d) (local.get $i)) (local.get $i))
          (br_if 0 (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 60))))
        (local.set $d (i32.add (local.get $d) (i32.const 64)))
        (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""
    run(rows, 0, 50)
    assert paid and 49 * 60 <= paid[0] < 49 * 60 * 20


DEEP = """(module (memory (export "memory") 1)
  (func $fill (param $n i32) (local $i i32)
    (loop (i32.store8 (local.get $i) (local.get $i))
      (br_if 0 (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))))
  (func $run (export "run") (param $depth i32) (param $n i32) (result i32)
    (call $fill (local.get $n))
    (if (result i32) (local.get $depth)
      (then (call $run (i32.sub (local.get $depth) (i32.const 1)) (local.get $n)))
      (else (i32.const 42)))))"""


def test_arrays_need_no_more_of_the_stack_than_one_frame() -> None:
    """An outside tester's: numpy's callers are Python functions, and were counted as the guest's."""
    run = Module.from_text(DEEP).instantiate(limits=Limits(call_depth=500)).exports["run"]
    deepest = max(depth for depth in range(480, 500) if ended(run, depth, 10) == 42)
    for depth in range(deepest - 20, deepest):
        assert ended(run, depth, 900) == 42
    assert ended(run, deepest + 1, 900) is TrapKind.CALL_STACK_EXHAUSTED


DEEP_IMPORT = """
import sys
from pywasm_nn.api import Module
from pywasm_nn.interpreter.arrays import course, whole
from pywasm_nn.limits import Limits
whole.PRICE = 1
run = Module.from_text({text!r}).instantiate(limits=Limits(call_depth=500)).exports["run"]
run(0, 10)
for depth in (480, 460, 400, 10):
    print(run(depth, 900), "numpy" in sys.modules)
"""


def test_numpy_is_not_imported_where_the_stack_ends() -> None:
    """An import that fails halfway could not be done again by anybody."""
    deepest = DEEP.replace("(call $fill (local.get $n))", "")
    deepest = deepest.replace("(i32.const 42)", "(call $fill (local.get $n)) (i32.const 42)")
    out = subprocess.run(
        [sys.executable, "-c", DEEP_IMPORT.format(text=deepest)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert out.stdout.split() == ["42", "False"] * 3 + ["42", "True"]


def ended(run: Any, *arguments: int) -> Any:
    try:
        return run(*arguments)
    except Trap as trap:
        return trap.kind


# Locals that depend on the round before

REDUCE = """(module (memory (export "memory") 3)
  (func (export "run") (param $s i32) (param $n i32) (param $from {type}) (result {type} i32)
    (local $i i32) (local $at i32) (local $x {type})
    (loop
      (local.set $x ({type}.load (i32.add (local.get $s) (i32.mul (local.get $i) (i32.const {width})))))
      {body}
      (br_if 0 (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $from) (local.get $at)))"""
ARGMAX = """(if ({test} (local.get $x) (local.get $from)) (then
  (local.set $from (local.get $x)) (local.set $at (local.get $i))))"""
CODES = {"i32": "I", "i64": "Q", "f32": "f", "f64": "d"}


@pytest.fixture(params=[40, 1 << 15])
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many pieces, and one."""
    monkeypatch.setattr("pywasm_nn.interpreter.arrays.steps.PIECE", request.param)


def reduced(type_: str, body: str, data: list[Any], start: Any, text: str = REDUCE) -> None:
    """The results are the same on both engines."""
    code = CODES[type_]
    text = text.format(type=type_, width=struct.calcsize(code), body=body)
    given = struct.pack(f"<{len(data)}{code}", *data), struct.pack(code, start)
    assert combined(text, code, *given, "compile") == interpreted(text, code, *given)


def combined(text: str, code: str, data: bytes, start: bytes, engine: str) -> tuple[Any, Any]:
    """The results, floats as their bytes."""
    instance = assembled(text).instantiate(engine=engine)
    instance.exports["memory"].write(8, data)
    count = len(data) // struct.calcsize(code)
    first, second = instance.exports["run"](8, count, *struct.unpack(code, start))
    return (struct.pack("<d", first) if isinstance(first, float) else first, second)


@cache
def interpreted(text: str, code: str, data: bytes, start: bytes) -> tuple[Any, Any]:
    """What `interpret` makes of it, which knows no pieces. The arguments are bytes, as 0.0 equals -0.0."""
    return combined(text, code, data, start, "interpret")


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_floats_are_added_one_after_the_other(seen: Seen, type_: str) -> None:
    data = [1e8 / (n + 1) * (-1) ** (n % 3) for n in range(3000)]
    body = (
        f"(local.set $from ({type_}.sub ({type_}.add (local.get $x) (local.get $from)) ({type_}.const 0.1)))"
    )
    reduced(type_, body, data, 0.25)
    reduced(type_, body, [1e38] * 3000, 0.25)
    assert seen.calls == [True, True]
    reduced(type_, body, [*data[:20], float("nan"), *data[:200]], 0.25)
    assert seen.calls[2:] == [False]


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("type_", ["i32", "i64"])
@pytest.mark.parametrize("verb", ["add", "sub", "and", "or", "xor", "mul"])
def test_integers_are_combined(seen: Seen, type_: str, verb: str) -> None:
    bits = int(type_[1:])
    data = [(n * 0x9E3779B97F4A7C15 | 1) % 2**bits for n in range(1001)]
    reduced(type_, f"(local.set $from ({type_}.{verb} (local.get $from) (local.get $x)))", data, 2**bits - 5)
    load = f"({type_}.load8_u (local.get $s))"  # the same in all rounds
    reduced(type_, f"(local.set $from ({type_}.{verb} (local.get $from) {load}))", data, 7)
    assert seen.calls == [True, True]


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("verb", ["gt", "ge", "lt", "le"])
@pytest.mark.parametrize("type_", ["i32", "i64", "f32", "f64"])
def test_extremes_and_where_they_are(seen: Seen, type_: str, verb: str) -> None:
    rows: list[list[Any]] = [
        [5] * 300,
        [5, 9, 9, 1, 1] * 60,
        [*range(200), *range(200)],
        [7, *[3] * 300, 7, 0],
    ]
    if type_[0] == "f":
        rows += [
            [0.0, -0.0] * 150,
            [-0.0, 0.0] * 150,
            [-1.0, -0.0, 0.0] * 99,
            [float("inf"), float("-inf"), 1] * 90,
        ]
    else:
        rows.append([2 ** (int(type_[1:]) - 1), 2 ** int(type_[1:]) - 1, 0, 4] * 80)
    for sign in ("_s", "_u") if type_[0] == "i" else ("",):
        for data in rows:
            for start in (0, 5, 9, 300):
                reduced(type_, ARGMAX.format(test=f"{type_}.{verb}{sign}"), data, start)
    assert all(seen.calls)
    if type_[0] == "f":
        for start, data in ((float("nan"), rows[0]), (1.0, [1.0] * 15 + [float("nan")] + [2.0] * 150)):
            reduced(type_, ARGMAX.format(test=f"{type_}.{verb}"), data, start)
        assert not any(seen.calls[-2:])


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("type_", ["i32", "i64"])
@pytest.mark.parametrize("update", [
    "({t}.add ({t}.mul (local.get $from) ({t}.const 31)) (local.get $x))",
    "({t}.sub (local.get $x) ({t}.shl (local.get $from) ({t}.const 4)))",
    "({t}.add ({t}.mul ({t}.sub (local.get $x) (local.get $from)) (local.get $k)) ({t}.const 5))",
    "({t}.mul (local.get $k) ({t}.add ({t}.mul ({t}.add (local.get $x) (local.get $from)) (local.get $k))"
    " (local.get $x)))",
    "({t}.mul (local.get $from) ({t}.const 0x7fffffff))",
    "({t}.add ({t}.mul (local.get $from) ({t}.const -8)) ({t}.mul (local.get $x) (local.get $x)))",
    "({t}.add ({t}.mul (local.get $from) ({t}.const 7)) ({t}.load8_u (local.get $s)))",
])  # fmt: skip
def test_sums_of_horner(seen: Seen, type_: str, update: str) -> None:
    """Each round multiplies the sum by what doesn't change, and adds a term."""
    bits = int(type_[1:])
    data = [(n * 0x9E3779B97F4A7C15) % 2**bits for n in range(1001)]
    set_ = f"(local.set $k ({type_}.const 0x01000193))"
    body = f"(local.set $from {update.format(t=type_)})"
    text = REDUCE.replace("(loop", f"(local $k {{type}}) {set_} (loop")
    reduced(type_, body, data, 2**bits - 5, text)
    reduced(type_, body, data[:150], 1, text)
    assert seen.calls == [True, True]


def test_a_sum_that_a_round_observes_is_no_sum_of_horner(seen: Seen) -> None:
    update = "(local.set $from (i32.add (i32.mul (local.get $from) (i32.const 31)) (local.get $x)))"
    squared = "(local.set $from (i32.add (i32.mul (local.get $from) (local.get $from)) (local.get $x)))"
    for body in (f"{update} (local.set $at (i32.xor (local.get $at) (local.get $from)))", squared):
        reduced("i32", body, list(range(500)), 3)
    assert not seen.calls


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("verb", ["min", "max"])
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_bounds_of_floats(seen: Seen, type_: str, verb: str) -> None:
    body = f"(local.set $from ({type_}.{verb} (local.get $x) (local.get $from)))"
    inf = float("inf")
    rows: list[list[float]] = [
        [5.0, -3.0, 8.5] * 90, [0.0] * 300, [-0.0] * 300, [*[0.0] * 200, -0.0, *[0.0] * 99],
        [*[-0.0] * 250, 0.0, *[-0.0] * 50], [inf, -inf] * 100, [-1.0, -0.0, 0.0] * 99, [1.0, 0.0, -0.0] * 99,
        [1e-45, -0.0] * 99,
    ]  # fmt: skip
    for data in rows:
        for start in (0.0, -0.0, 1.0, -1.0, inf):
            reduced(type_, body, data, start)
    assert all(seen.calls)
    nan = float("nan")
    for start, data in ((nan, [1.0] * 200), (1.0, [*[1.0] * 20, nan, *[1.0] * 200])):
        reduced(type_, body, data, start)
    assert not any(seen.calls[-2:]), "the bits of a NaN are left to the loop"


BEST = """(module (memory (export "memory") 1)
  (func (export "run") (param $s i32) (param $t i32) (param $b i32) (param $n i32) (result i32) (local $i i32)
    (loop
      (if ({test} ({load} offset={offset} (i32.add (local.get $s) (i32.shl (local.get $i) (i32.const 3))))
                  ({load} offset={offset} (i32.add (local.get $t) (i32.shl (local.get $b) (i32.const 3)))))
        (then (local.set $b (local.get $i)) {extra}))
      (br_if 0 (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $b)))"""


def best(data: bytes, *arguments: int, **parts: str) -> Any:
    """What a search gives that loads the best value again, the same on both engines."""
    found = []
    for engine in ("interpret", "compile"):
        text = BEST.format(**{"offset": "0", "extra": "", **parts})
        instance = Module.from_text(text).instantiate(engine=engine)
        instance.exports["memory"].write(800, data)
        try:
            found.append((instance.exports["run"](*arguments), instance.exports["memory"].read(0, 65536)))
        except Trap as trap:
            found.append((trap.kind, instance.exports["memory"].read(0, 65536)))
    assert found[0] == found[1]
    return found[0][0]


SEARCHED = [
    ("f64.gt", "f64.load", "d", [1.0, 7.5, -2.0, 7.5, 0.0, -0.0]),
    ("f64.le", "f64.load", "d", [3.0, -0.0, 0.0, 5.0]),
    ("i64.lt_s", "i64.load", "q", [5, -3, 8, -3, 2]),
    ("i64.ge_u", "i64.load32_s", "q", [5, -3, 8, 2**31, 2]),
    ("i32.gt_s", "i32.load8_s", "q", [5, -3, 200, 7]),
]


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize(("test", "load", "code", "values"), SEARCHED)
def test_a_best_value_that_is_loaded_again(
    seen: Seen, test: str, load: str, code: str, values: list[Any]
) -> None:
    data = struct.pack(f"<500{code}", *(values[n * n % 7 % len(values)] for n in range(500)))
    for start in (0, 3, 499):
        best(data, 800, 800, start, 480, test=test, load=load)
    best(data, 792, 792, 1, 480, test=test, load=load, offset="8")
    assert seen.calls == [True] * 4
    best(data, 800, 808, 0, 480, test=test, load=load)
    assert seen.calls[4:] == [False], "it looks at another array"


@pytest.mark.parametrize(("first", "second"), [
    ("(f32.load (i32.shl {i} (i32.const 2)))", "(f32.load offset=4 (i32.shl {i} (i32.const 1)))"),
    ("(f32.load (i32.shl {i} (i32.const 2)))", "(f32.load offset=4 (i32.shl {i} (i32.const 2)))"),
    ("(f32.load (i32.shl {i} (i32.const 2)))",
     "(f32.load (i32.add (local.get $s) (i32.shl {i} (i32.const 2))))"),
    ("(i32.load (i32.shl {i} (i32.const 2)))", "(i32.load8_u (i32.shl {i} (i32.const 2)))"),
])  # fmt: skip
def test_two_searches_with_one_result_are_not_one(seen: Seen, first: str, second: str) -> None:
    """The differential run's: the best by one array is not the best by another."""
    test = "f32.gt" if first.startswith("(f32") else "i32.gt_s"
    steps = "".join(
        f"(if ({test} {load.format(i='(local.get $i)')} {load.format(i='(local.get $b)')})"
        " (then (local.set $b (local.get $i))))"
        for load in (first, second)
    )
    same_on_both(TWO_STEPS.format(steps))


@pytest.mark.parametrize("order", [1, -1])
def test_a_search_beside_another_choice_is_no_search(order: int) -> None:
    """The differential run's: `compile` raised KeyError."""
    steps = (
        "(if (i32.and (local.get $i) (i32.const 64)) (then (local.set $b (local.get $n))))",
        "(if (f32.gt (f32.load (i32.shl (local.get $i) (i32.const 2)))"
        " (f32.load (i32.shl (local.get $b) (i32.const 2)))) (then (local.set $b (local.get $i))))",
    )
    same_on_both(TWO_STEPS.format("".join(steps[::order])))


TWO_STEPS = """(module (memory (export "memory") 1)
  (func (export "run") (param $s i32) (param $n i32) (result i32) (local $i i32) (local $b i32)
    (loop {}
      (br_if 0 (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $b)))"""


def same_on_both(text: str) -> None:
    """Both engines give the same for several numbers of rounds."""
    found = []
    for engine in ("interpret", "compile"):
        instance = Module.from_text(text).instantiate(engine=engine)
        instance.exports["memory"].write(0, struct.pack("<1000f", *[n * 7919 % 1009 for n in range(1000)]))
        found.append([instance.exports["run"](1200, count) for count in range(100, 220)])
    assert found[0] == found[1]


def test_a_best_value_of_which_nobody_knows(seen: Seen) -> None:
    doubles = struct.pack("<500d", *range(500))
    floats = {"test": "f64.gt", "load": "f64.load"}
    assert best(doubles, 800, 800, 2**29 + 5, 480, **floats) == 479, "2^32 is added to an address"
    assert not isinstance(best(doubles, 800, 800, 9000, 480, **floats), int), (
        "the first one is outside memory"
    )
    assert not seen.calls[-1]
    store = "(f64.store (i32.add (local.get $s) (i32.shl (local.get $i) (i32.const 3))) (f64.const -1))"
    assert best(doubles, 800, 800, 0, 480, **floats, extra=store) == 479
    nans = struct.pack("<500d", *[1.0] * 250, float("nan"), *[2.0] * 249)
    assert best(nans, 800, 800, 0, 480, **floats) == 251
    assert not seen.calls[-1]


@pytest.mark.usefixtures("pieces")
def test_what_was_set_last_is_kept(seen: Seen) -> None:
    body = "(if (i32.lt_u (local.get $x) (i32.const 9)) (then (local.set $at (local.get $i))))"
    for data in ([50] * 300, [3, *[50] * 300], [50] * 200 + [4, 60, 5] + [50] * 200, [50] * 300 + [1]):
        reduced("i32", body, data, 0)
    assert seen.calls == [True] * 4


KEPT = """(module (memory (export "memory") 1)
  (func (export "run") (result {i}) (local $i i32) (local $x {t}) (local $last {t})
    (loop
      (local.set $x ({t}.load (i32.mul (local.get $i) (i32.const {width}))))
      (if {condition} (then (local.set $last {chosen})))
      (br_if 0 (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 300))))
    ({i}.reinterpret_{t} (local.get $last))))"""


@pytest.mark.parametrize(("t", "i", "signalling"), [
    ("f32", "i32", 0xFF800001), ("f64", "i64", 0xFFF0000000000001),
])  # fmt: skip
@pytest.mark.parametrize("condition", [
    "({t}.ne (local.get $x) (local.get $x))", "(i32.eq (local.get $i) (i32.const 50))",
    "(i32.lt_u (local.get $i) (i32.const 51))",
])  # fmt: skip
@pytest.mark.parametrize("chosen", ["(local.get $x)", "({t}.neg (local.get $x))"])
def test_a_signalling_nan_that_is_kept_stays_so(
    t: str, i: str, signalling: int, condition: str, chosen: str
) -> None:
    """An outside tester's: no arithmetic takes part, so the bits are the loaded ones."""
    bits = int(t[1:])
    parts = {"condition": condition.format(t=t), "chosen": chosen.format(t=t), "width": bits // 8}
    found = []
    for engine in ("interpret", "compile"):
        instance = Module.from_text(KEPT.format(t=t, i=i, **parts)).instantiate(engine=engine)
        memory = instance.exports["memory"]
        memory.write(0, struct.pack(f"<300{CODES[t]}", *[1.5] * 300))
        memory.write(50 * bits // 8, signalling.to_bytes(bits // 8, "little"))
        found.append(instance.exports["run"]() % 2**bits)
    wanted = signalling ^ ((1 << bits - 1) if "neg" in chosen else 0)
    assert found == [wanted, wanted]


@pytest.mark.parametrize("load", ["v128.load8x8_s", "v128.load16_splat", "v128.load64_zero"])
def test_a_load_of_few_bytes_into_a_vector_is_no_number(load: str) -> None:
    text = walk(f"(v128.store (local.get $d) ({load} (local.get $s)))", 16)
    memories = []
    for engine in ("interpret", "compile"):
        with Module.from_text(text).instantiate(engine=engine) as app:
            app.memory.write(0, bytes(range(100, 250)))
            app.exports.run(0, 65536, 9)
            memories.append(app.memory.read(65536, 160))
    assert memories[0] == memories[1] != bytes(160)


CHOSEN = """(module (memory (export "memory") 1)
  (func (export "run") (param $n i32) (result {type}) (local $i i32) (local $a {type})
    (loop {body}
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if 0 (i32.lt_s (local.get $i) (local.get $n))))
    (local.get $a)))"""
TWICE, EIGHTFOLD = "(i32.shl (local.get $i) (i32.const 1))", "(i32.shl (local.get $i) (i32.const 3))"


@pytest.mark.parametrize(
    ("type_", "body"),
    [
        (
            "i32",
            f"(if (i32.eqz (i32.sub (i32.load16_u {EIGHTFOLD}) (i32.const 9)))"
            f" (then (local.set $a (i32.load16_s {TWICE}))))",
        ),
        (
            "i32",
            f"(if (i32.lt_u (i32.load8_u {EIGHTFOLD}) (i32.const 9)) (then (local.set $a (local.get $i))))",
        ),
        *(
            (
                type_,
                "(local.set $a (select (local.get $a) (local.get $a)"
                f" ({type_}.{'le' if type_[0] == 'f' else 'le_s'} (local.get $a) (local.get $a))))",
            )
            for type_ in ("i32", "i64", "f32", "f64")
        ),
    ],
)
def test_what_is_chosen_by_any_condition(type_: str, body: str) -> None:
    """An outside tester's loops: a condition over other values, and a choice between equal ones."""
    found = []
    for engine in ("interpret", "compile"):
        with Module.from_text(CHOSEN.format(type=type_, body=body)).instantiate(engine=engine) as app:
            app.memory.write(0, struct.pack("<500h", *(9 if i % 7 == 4 else i for i in range(500))) * 4)
            found.append(app.exports.run(400))
    assert found[0] == found[1]


LAST = """(module (memory (export "memory") 3 3)
  (func (export "run") (param $s i32) (param $d i32) (param $n i32)
  (local $x i32) (local $y i32) (local $z f32)
  (loop
    (local.set $x (i32.add (i32.load8_u offset=5 (local.get $s)) (i32.const 1)))
    {trap}
    (local.set $y (i32.mul (local.get $x) (local.get $n)))
    (i32.store (local.get $d) (local.get $y))
    (local.set $s (i32.add (local.get $s) (i32.const 1)))
    (local.set $d (i32.add (local.get $d) (i32.const 4)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"""


@pytest.mark.parametrize(("trap", "at", "target"), [
    ("", -1, 196_608 - 4 * 400), ("", -1, 196_608 - 4 * 999), ("", -1, 196_608 - 4 * 998),
    *[("(local.set $z (f32.convert_i32_u (i32.div_u (i32.const 9) (i32.sub (local.get $x)(i32.const 251)))))",
       at, 90_000) for at in (0, 1, 20, 599, 600, 601, 700, 998, 999)],
    *[("(local.set $z (f32.convert_i32_u (i32.load offset=196104 (i32.shl (local.get $x) (i32.const 1)))))",
       at, 90_000) for at in (0, 1, 599, 600, 601, 999)],
])  # fmt: skip
def test_a_trap_shows_what_the_round_before_has_set(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, trap: str, at: int, target: int
) -> None:
    """Wherever in a piece it comes, and in which local."""
    from pywasm_nn.interpreter.arrays import steps

    monkeypatch.setattr(steps, "PIECE", 200)
    data = bytearray(value % 200 for value in range(1100))
    if at >= 0:
        data[at + 5] = 250
    found = []
    for engine in ("compile", "interpret"):
        instance = Module.from_text(LAST.format(trap=trap)).instantiate(engine=engine)
        instance.exports["memory"].write(0, bytes(data))
        with pytest.raises(Trap) as trapped:
            instance.exports["run"](0, target, 1000)
        frame = trapped.value.frames[0]
        found.append((trapped.value.kind, frame.offset, [local.value for local in frame.locals]))
    assert found[0] == found[1]
    assert len(seen.calls) == 1


BEFORE = """(module (memory (export "memory") 3 3)
  (func (export "run") (param $s i32) (param $d i32) (param $n i32)
  (local $a i32) (local $b i32) (local $c f32) (local $x i32)
  (local.set $a (i32.const -7)) (local.set $b (i32.const 3)) (local.set $c (f32.const {start}))
  (loop
    (local.set $x (i32.add (i32.mul (i32.load8_u (local.get $s)) (i32.const 3)) (i32.const 1)))
    {body}
    (local.set $s (i32.add (local.get $s) (i32.const 1)))
    (local.set $d (i32.add (local.get $d) (i32.const 4)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (i32.store (i32.const 0) (local.get $a)) (i32.store (i32.const 4) (local.get $b))
  (f32.store (i32.const 8) (local.get $c))))"""


@pytest.mark.parametrize("piece", [50, 1 << 15])
@pytest.mark.parametrize(("start", "body", "at_once"), [
    # as pictures are made twice as large
    ("0", "(i32.store (local.get $d) (i32.add (local.get $a) (local.get $x)))"
     "(local.set $a (local.get $x))", True),
    # a local that has what another one had
    ("0", "(i32.store (local.get $d) (i32.sub (local.get $b) (local.get $x)))"
     "(local.set $b (local.get $a)) (local.set $a (local.get $x))", True),
    ("0.5", "(f32.store (local.get $d) (f32.mul (local.get $c) (f32.const 1.1)))"
     "(local.set $c (f32.convert_i32_u (local.get $x)))", True),
    ("nan:0x200001", "(i32.store (local.get $d) (f32.lt (local.get $c) (f32.const 90)))"
     "(local.set $c (f32.convert_i32_u (local.get $x)))", True),
    ("0", "(i32.store (local.get $d) (local.get $b))"
     "(local.set $b (i32.gt_u (local.get $x) (i32.const 99)))", True),
    ("0", "(i32.store (local.get $d) (local.get $b)) (local.set $b (i32.const 12))", True),
    ("0", "(i32.store (local.get $d) (local.get $b))"
     "(if (i32.gt_u (local.get $x) (i32.const 99)) (then (local.set $b (local.get $x))))", False),
    ("0", "(local.set $a (i32.xor (i32.mul (local.get $a) (i32.const 5)) (local.get $x)))"
     "(i32.store (local.get $d) (local.get $b)) (local.set $b (local.get $a))", False),
])  # fmt: skip
def test_what_the_round_before_has_set(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, start: str, body: str, at_once: bool, piece: int
) -> None:
    from pywasm_nn.interpreter.arrays import steps

    monkeypatch.setattr(steps, "PIECE", piece)
    both(BEFORE.format(start=start, body=body), 1000, 90_000, 700, data=bytes(range(251)) * 20)
    assert seen.calls == ([True] if at_once else [])
