"""What analyses conclude of a body, and programs in which a wrong conclusion makes wrong code: several
branches back, counters that others write, strides that are negative or unequal, memories other than 0,
switches into and out of loops. Each runs on both engines. What is not here: random programs
(`test_compile_random.py`, `test_compile_shapes.py` and others)."""

from __future__ import annotations

from itertools import product

import pytest

from pywasm_nn import Module
from pywasm_nn.errors import Trap, TrapKind
from pywasm_nn.interpreter.compile.analysis.counted import LIMIT, counted_loop
from pywasm_nn.interpreter.compile.analysis.forecast import Forecast, forecast
from pywasm_nn.interpreter.compile.forms.intervals import Interval
from pywasm_nn.interpreter.pace import Work, unhurried
from pywasm_nn.interpreter.runtime.instance import Instance
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

ALL = (1 << 32) - 1
SIGNED = """(local.set $acc (i32.add (i32.mul (local.get $acc) (i32.const 3))
  (i32.shr_s (local.get $i) (i32.const 1))))"""
"""Takes the signed value of $i, which costs nothing where that is known to be small."""
UNSIGNED = "(local.set $acc (i32.add (local.get $acc) (i32.shr_u (local.get $s) (i32.const 1))))"
BOUNDED = "(local.set $left (i32.sub (local.get $left) (i32.const 1)))"
"""So that no program goes on for ever."""


def function(body: str, memories: str = "(memory 1)") -> str:
    return f"""(module {memories}
      (func (export "f") (param $a i32) (param $b i32) (param $c i32) (result i32)
        (local $i i32) (local $s i32) (local $acc i32) (local $left i32)
        (local.set $left (i32.const 60)) (block $end {body}) (local.get $acc)))"""


PROGRAMS = {
    "two branches back, one of which compares nothing": f"""(local.set $i (i32.const 1))
      (loop $on {SIGNED} {BOUNDED}
        (local.set $i (i32.mul (local.get $i) (local.get $a)))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.eq (local.get $left) (local.get $b)))
        (br_if $on (i32.lt_u (local.get $i) (i32.const 10))))""",
    "branch back from a switch": f"""(local.set $i (i32.const 1))
      (loop $on {SIGNED} {BOUNDED} (local.set $i (i32.add (local.get $i) (local.get $a)))
        (block $out (block $in
          (br_table $in $on $in $on $in $out $in $on (i32.and (local.get $left) (i32.const 7))))
          (br_if $on (i32.lt_u (local.get $i) (i32.const 10)))))""",
    "compared at the end": f"""(local.set $i (i32.const 1))
      (loop $on {SIGNED} {BOUNDED} (local.set $i (i32.add (local.get $i) (local.get $a)))
        (br_if $on (i32.and (i32.gt_s (local.get $left) (i32.const 0))
          (i32.lt_s (local.get $i) (i32.const 100)))))""",
    "not equal at the end": f"""(local.set $i (i32.const 5))
      (loop $on {SIGNED} {BOUNDED} (local.set $i (i32.sub (local.get $i) (local.get $a)))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.ne (local.get $i) (i32.const -1))))""",
    "not equal to what isn't at an end": f"""(local.set $i (local.get $b))
      (loop $on {SIGNED} {BOUNDED} (local.set $i (i32.add (local.get $i) (local.get $a)))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.ne (local.get $i) (i32.const 7))))""",
    "stride that is negative and kept signed": f"""(local.set $s (local.get $c))
      (if (i32.lt_s (local.get $b) (i32.const 1000)) (then
      (loop $on
        (local.set $s (i32.add (local.get $s) (local.get $b)))
        {UNSIGNED}
        (local.set $acc (i32.add (local.get $acc) (i32.shr_s (local.get $b) (i32.const 1))))
        (local.set $acc (i32.add (local.get $acc) (i32.lt_s (local.get $b) (local.get $acc))))
        (br_if $on (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $a))))))""",
    "stride of the counter is a local": f"""(local.set $i (local.get $c))
      (loop $on {BOUNDED} (local.set $acc (i32.add (local.get $acc) (i32.shr_u (local.get $i) (i32.const 1))))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.lt_u (local.tee $i (i32.add (local.get $i) (local.get $b))) (local.get $a))))""",
    "unequal strides": f"""(local.set $s (local.get $c))
      (loop $on (local.set $s (i32.sub (local.get $s) (i32.const 3))) {UNSIGNED}
        (local.set $acc (i32.xor (local.get $acc) (i32.mul (local.get $i) (local.get $s))))
        (br_if $on (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 2))) (i32.const 40))))""",
    "counter that is written elsewhere too": f"""
      (loop $on {BOUNDED}
        (if (i32.eq (local.get $left) (local.get $b)) (then (local.set $i (i32.const -7))))
        (local.set $acc (i32.add (local.get $acc) (i32.shr_u (local.get $i) (i32.const 1))))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20))))""",
    "bound that changes": f"""(local.set $s (local.get $a))
      (loop $on {BOUNDED} (local.set $s (i32.sub (local.get $s) (i32.const 1)))
        (local.set $acc (i32.add (local.get $acc) (local.get $i)))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $s))))""",
    "switch out of a counted loop": f"""(block $two (block $one
      (loop $on {BOUNDED} (local.set $acc (i32.add (local.get $acc) (local.get $i)))
        (block $stay (br_table $stay $stay $one $two $stay (i32.rem_u (local.get $i) (local.get $b))))
        (br_if $on (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 30))))
      (br $two))
      (local.set $acc (i32.mul (local.get $acc) (i32.const 1000))))
      (local.set $acc (i32.add (local.get $acc) (local.get $i)))""",
    "switch into a loop": f"""(block $done (block $second (block $first
      (br_table $first $second $done (local.get $a)))
      (local.set $i (local.get $b)))
      (loop $on {BOUNDED} {SIGNED}
        (local.set $i (i32.add (local.get $i) (i32.const 0x10000000)))
        (br_if $on (local.get $left))))""",
    "known on one way only": """
      (if (i32.lt_u (local.get $a) (i32.const 10)) (then (local.set $i (local.get $a)))
      (else (local.set $i (local.get $b))))
      (local.set $acc (i32.shr_s (local.get $i) (i32.const 1)))""",
    "learned from what isn't so": """(if (i32.lt_s (local.get $a) (i32.const 0))
      (then (local.set $acc (i32.shr_u (local.get $a) (i32.const 1))))
      (else (local.set $acc (i32.shr_s (local.get $a) (i32.const 1)))))""",
    "read before it is set": """
      (local.set $acc (i32.sub (local.get $a)
        (i32.mul (local.tee $a (i32.add (local.get $a) (i32.const 3))) (local.get $a))))""",
    "in other ranges on two ways": """
      (if (i32.lt_u (local.get $a) (i32.const 10))
        (then (local.set $i (i32.and (local.get $b) (i32.const 7))))
        (else (local.set $i (i32.shr_u (local.get $b) (i32.const 1)))))
      (local.set $acc (i32.mul (local.get $i) (i32.const 9)))""",
    "branch back before the counter goes on": f"""
      (loop $on {BOUNDED} (local.set $acc (i32.add (local.get $acc) (local.get $i)))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.and (local.get $left) (local.get $b)))
        (br_if $on (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $a))))""",
    "set where it is compared": f"""
      (loop $on {BOUNDED} (local.set $acc (i32.add (local.get $acc) (local.get $i)))
        (br_if $end (i32.eqz (local.get $left)))
        (br_if $on (i32.gt_u (local.get $a) (local.tee $i (i32.const 1)))))""",
    "an access tells how large an address is": """
      (local.set $acc (i32.load8_u (local.get $a)))
      (local.set $acc (i32.add (local.get $acc) (i32.shr_s (local.get $a) (i32.const 3))))""",
}  # fmt: skip
NUMBERS = (0, 1, 2, 3, 10, 25, 59, 1 << 31, ALL - 4, 0x40000001)


def called(instance: Instance, arguments: tuple[int, ...]) -> object:
    try:
        return instance.exports.f(*arguments)
    except Trap as trap:
        return trap.kind


def flavours() -> list[Flavour]:
    return list(Flavour) if Flavour.default() is Flavour.VIEW else [Flavour.STRUCT]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_does_what_it_does_interpreted(name: str) -> None:
    module = Module.from_text(function(PROGRAMS[name]))
    cases = [*product(NUMBERS, NUMBERS, (0, 100, ALL - 99))][len(name) % 2 :: 2]
    if "stride that" in name or "bound" in name:  # rounds are as many as an argument says
        cases = [each for each in cases if each[0] < 1 << 7 or each[0] >> 31]
    with module.instantiate(engine="interpret") as interpreted:
        expected = [called(interpreted, each) for each in cases]
    for flavour in flavours():
        with module.instantiate(engine="compile", flavour=flavour) as compiled:
            for each, wanted in zip(cases, expected, strict=True):
                assert called(compiled, each) == wanted, (flavour, each)
    assert len(set(expected)) > 1
    assert TrapKind.INVALID_BODY not in expected


TWO = '(memory (export "m") 1) (memory $other (export "other") 1)'
ENDS = """(local.set $a (i32.add (local.get $a) (i32.const {})))
  (local.set $b (i32.add (local.get $b) (i32.const {})))
  (br_if $on (local.tee $c (i32.sub (local.get $c) (i32.const 1)))))"""
ROUNDS = {
    "fill of two memories": "(i32.store8 (local.get $a) (i32.const 5))"
    f"(i32.store8 $other offset=1 (local.get $a) (i32.const 5)) {ENDS.format(2, 2)}",
    "copy from another": "(i32.store8 (local.get $a) (i32.load8_u $other (local.get $b)))"
    + ENDS.format(1, 1),
    "copy to another": "(i32.store8 $other (local.get $a) (i32.load8_u (local.get $b)))" + ENDS.format(1, 1),
    "copy within another": "(i32.store8 $other (local.get $a) (i32.load8_u $other (local.get $b)))"
    + ENDS.format(1, 1),
    "copy from two": "(i32.store8 (local.get $a) (i32.load8_u (local.get $b)))"
    f"(i32.store8 offset=1 (local.get $a) (i32.load8_u $other offset=1 (local.get $b))) {ENDS.format(2, 2)}",
    "fill of another": f"(i32.store16 $other (local.get $a) (i32.const 0x1234)) {ENDS.format(2, 1)}",
    "unequal strides": "(i32.store8 (local.get $a) (i32.load8_u (local.get $b)))" + ENDS.format(1, 2),
    "a gap of one": "(i32.store8 (local.get $a) (i32.load8_u (local.get $b)))" + ENDS.format(2, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDS)
def test_slices_stay_in_their_memory(name: str) -> None:
    """Two memories with other contents, and the loops that become slices, or don't."""
    module = Module.from_text(function(f"(loop $on {ROUNDS[name]}", TWO))

    def outcome(instance: Instance, arguments: tuple[int, int, int]) -> tuple[object, ...]:
        memories = instance.exports["m"], instance.exports["other"]
        for number, memory in enumerate(memories):
            memory.write(0, bytes((n * (5 + 2 * number) + number) & 0xFF for n in range(65536)))
        return called(instance, arguments), *(bytes(memory.buffer) for memory in memories)

    cases = [(10, 3000, 50), (3000, 10, 200), (10, 20, 40), (20, 10, 40), (65500, 0, 30), (100, 65500, 40)]
    with module.instantiate(engine="interpret") as interpreted:
        expected = [outcome(interpreted, each) for each in cases]
    for flavour in flavours():
        with module.instantiate(engine="compile", flavour=flavour) as compiled:
            for each, wanted in zip(cases, expected, strict=True):
                assert outcome(compiled, each) == wanted, (flavour, each)


# What is concluded


def forecast_of(body: str) -> Forecast:
    module = Module.from_text(function(body))
    return forecast(module, module.funcs[0].body, validate_func(module, 0), Work(unhurried, 10**9))


LOOP = "(loop $on (local.set $i (i32.add (local.get $i) (local.get $a))) {})"
I = 3  # noqa: E741  # the local's index, by its name
CONCLUSIONS: dict[str, tuple[str, Interval | None]] = {
    "less": ("(br_if $on (i32.lt_u (local.get $i) (i32.const 10)))", Interval(0, 9)),
    "mirrored": ("(br_if $on (i32.gt_u (i32.const 10) (local.get $i)))", Interval(0, 9)),
    "negated": ("(br_if $on (i32.eqz (i32.ge_u (local.get $i) (i32.const 10))))", Interval(0, 9)),
    "greater": ("(br_if $on (i32.gt_u (local.get $i) (i32.const 10)))", Interval(11, ALL)),
    "not 0": ("(br_if $on (local.get $i))", Interval(1, ALL)),
    "0": ("(br_if $on (i32.eqz (local.get $i)))", Interval(0, 0)),
    "not equal": ("(br_if $on (i32.ne (local.get $i) (i32.const 10)))", None),
    "equal": ("(br_if $on (i32.eq (local.get $i) (i32.const 10)))", Interval(10, 10)),
    "always": ("(br_if $on (i32.ge_u (local.get $i) (i32.const 0)))", None),
    "never": ("(br_if $on (i32.lt_u (local.get $i) (i32.const 0)))", None),
    "two branches": (
        "(br_if $on (local.get $b)) (br_if $on (i32.lt_u (local.get $i) (i32.const 10)))", None
    ),
    "a branch to elsewhere": ("(br_if $end (i32.lt_u (local.get $i) (i32.const 10))) (br $on)", None),
    "set where it is compared": ("(br_if $on (i32.gt_u (local.get $a) (local.tee $i (i32.const 1))))", None),
    "no constant": ("(br_if $on (i32.lt_u (local.get $i) (local.get $a)))", None),
}  # fmt: skip


@pytest.mark.parametrize("name", CONCLUSIONS)
def test_range_of_what_is_compared_at_the_end_of_a_loop(name: str) -> None:
    end, wanted = CONCLUSIONS[name]
    (changed,) = forecast_of(LOOP.format(end)).changed.values()
    assert changed == {I: wanted}


def test_ranges_of_all_that_a_loop_sets() -> None:
    """Nested loops tell those around them, a local is in the join of what it is set to."""
    body = """(loop (local.set $i (i32.load8_u (local.get $a))) (local.set $i (i32.const 300))
      (loop (local.set $s (i32.and (local.get $a) (i32.const 7))) (local.set $left (local.get $a)))
      (loop (local.set $acc (i32.shr_u (local.get $a) (i32.const 28)))))"""
    outer, first, second = forecast_of(body).changed.values()
    assert first == {4: Interval(0, 7), 6: None}
    assert second == {5: Interval(0, 15)}
    assert outer == {I: Interval(0, 300), **first, **second}


ADD = "(local.tee $i (i32.add (local.get $i) {}))"
UP = ADD.format("(i32.const 1)")
COUNTED = {
    "up": (f"(i32.lt_u {UP} (local.get $a))", (1, "<")),
    "up to and with": (f"(i32.le_s {UP} (local.get $a))", (1, "<=")),
    "down": ("(local.tee $i (i32.sub (local.get $i) (i32.const 1)))", (-1, "!=")),
    "by a local": (f"(i32.lt_u {ADD.format('(local.get $b)')} (local.get $a))", (0, "<")),
    "mirrored": (f"(i32.gt_u (local.get $a) {UP})", (1, "<")),
    "down by two to less": (f"(i32.gt_s {ADD.format('(i32.const -2)')} (i32.const 9))", None),
    "up to less": (f"(i32.gt_s {UP} (local.get $a))", None),
    "by much": (f"(i32.lt_u {ADD.format('(i32.const 65536)')} (local.get $a))", None),
    "by nothing": (f"(i32.lt_u {ADD.format('(i32.const 0)')} (local.get $a))", None),
    "by itself": (f"(i32.lt_u {ADD.format('(local.get $i)')} (local.get $a))", None),
    "equal": (f"(i32.eq {UP} (local.get $a))", None),
    "to a local that changes": (f"(i32.lt_u {UP} (local.get $acc))", None),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_counts(name: str) -> None:
    test, wanted = COUNTED[name]
    module = Module.from_text(function(f"(loop $on (local.set $acc (local.get $i)) (br_if $on {test}))"))
    body, facts = module.funcs[0].body, validate_func(module, 0)
    (index,) = (n for n, op in enumerate(body.ops) if op.name == "loop")
    found = counted_loop(body, facts, index)
    assert (found and (found.step, found.test)) == wanted
    assert found is None or found.local == I


def test_numbers_that_count_are_no_negative_ones() -> None:
    assert LIMIT + 0x8000 < 1 << 31


LOW_HALF = "(i32.wrap_i64 (local.get $q))"
TESTED = {
    "read from": f"(drop (i32.load8_u {LOW_HALF}))",
    "written to": f"(i32.store8 {LOW_HALF} (i32.const 1))",
    "branched on": f"(br_if $out {LOW_HALF})",
    "branched on if it is 0": f"(br_if $out (i32.eqz {LOW_HALF}))",
    "chosen by": f"(if {LOW_HALF} (then (br $out)))",
    "less": f"(br_if $out (i32.lt_u {LOW_HALF} (i32.const 9)))",
    "less as a signed number": f"(br_if $out (i32.lt_s {LOW_HALF} (i32.const 9)))",
    "greater as a signed number": f"(br_if $out (i32.gt_s {LOW_HALF} (i32.const 9)))",
    "the same": f"(br_if $out (i32.eq {LOW_HALF} (i32.const 8)))",
    "another": f"(br_if $out (i32.ne {LOW_HALF} (i32.const 8)))",
}


@pytest.mark.parametrize("name", TESTED)
def test_low_half_says_nothing_of_the_whole_local(name: str) -> None:
    """The range of $q is known, so small that its low half needs no mask until it is observed."""
    observed = """(i64.xor (i64.shl (local.get $q) (i64.const 16))
      (i64.and (local.get $q) (i64.const 0xffffffff)))"""
    module = Module.from_text(f"""(module (memory 1) (func (export "f") (param $p i64) (result i64)
      (local $q i64) (local.set $q (i64.and (local.get $p) (i64.const 0xffffffffff)))
      (block $out {TESTED[name]} (return {observed})) {observed}))""")
    for high, low in product((0, 1, 0x80), (0, 8, 100, 0x1234, ALL)):
        for engine in ("compile", "interpret"):
            with module.instantiate(engine=engine) as instance:
                try:
                    found = instance.exports["f"]((high << 32) + low)
                except Trap as trap:
                    assert trap.kind is TrapKind.OUT_OF_BOUNDS_MEMORY and low == ALL
                else:
                    assert found == ((high << 32) + low) << 16 ^ low, (engine, hex(high), hex(low))
