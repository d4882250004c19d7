"""Control structure of compiled functions at and beyond what Python allows, against wasmtime."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
import wasmtime

from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile import Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.engine import CompileEngine
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func


def function(body: str, locals_: int = 1) -> str:
    """A module that exports `f`, from i32 to i32; local 0 is the parameter."""
    locals_text = "(local i32)" * locals_
    return f'(module (func (export "f") (param i32) (result i32) {locals_text} {body}))'


def set_local(index: int, value: str) -> str:
    return f"(local.set {index} {value})"


def falling_switch(cases: int) -> str:
    """A switch whose every case falls into the next."""
    text = f"(br_table {' '.join(map(str, range(cases)))} (local.get 0))"
    for case in range(cases):
        value = f"(i32.add (i32.mul (local.get 1) (i32.const 3)) (i32.const {case + 1}))"
        text = f"(block {text}) {set_local(1, value)}"
    return function(f"{text} (local.get 1)")


def switch(cases: int) -> str:
    """A switch whose every case ends it."""
    text = f"(br_table {' '.join(map(str, range(cases)))} (local.get 0))"
    for case in range(cases - 1):
        text = f"(block {text}) {set_local(1, f'(i32.const {case * case + 1})')} (br {cases - 2 - case})"
    return function(f"(block {text}) (local.get 1)")


def nested_loops(depth: int) -> str:
    """Counting loops in each other, each with a block that is left in the middle."""
    text = set_local(1, "(i32.add (local.get 1) (i32.const 7))")
    for level in range(depth):
        counter = level + 2
        rounds = 2 if level % 8 == 0 else 1
        grown = f"(i32.add (local.get 1) (local.get {counter}))"
        text = f"""{set_local(counter, f"(i32.const {rounds})")}
            (loop
              (block {text} (br_if 0 (i32.and (local.get 1) (i32.const 1))) {set_local(1, grown)})
              {set_local(1, f"(i32.xor (local.get 1) (i32.const {level}))")}
              (br_if 0 (local.tee {counter} (i32.sub (local.get {counter}) (i32.const 1)))))"""
    return function(f"{set_local(1, '(local.get 0)')} {text} (local.get 1)", depth + 1)


def crossed_loops(depth: int) -> str:
    """Loops in each other that are left and continued from inside, several at a time."""
    text = f"""(br_if {depth // 2} (i32.eq (local.get 1) (i32.const 5)))
        (br_if {depth - 1} (i32.eq (local.get 1) (i32.const 11)))"""
    for level in range(depth):
        text = f"""(loop
            {set_local(1, "(i32.add (local.get 1) (i32.const 1))")}
            (br_if 1 (i32.gt_u (local.get 1) (i32.const {40 + level}))) {text})"""
        if level % 3 == 0:
            text = f"(block {text} {set_local(2, '(i32.add (local.get 2) (i32.const 1))')})"
    result = "(i32.add (local.get 1) (i32.mul (i32.const 1000) (local.get 2)))"
    return function(f"{set_local(1, '(local.get 0)')} (block {text}) {result}", 2)


def large_table(targets: int) -> str:
    random = Random(1)
    text = f"(br_table {' '.join(str(random.randrange(10)) for _ in range(targets))} (local.get 0))"
    for case in range(10):
        text = f"(block {text}) {set_local(1, f'(i32.add (local.get 1) (i32.const {case * case + 1}))')}"
    return function(f"{text} (local.get 1)")


def long_expression(terms: int) -> str:
    operations = ("add", "xor", "mul", "shr_u", "rotl", "sub")
    rest = " ".join(f"i32.const {n * 77777} i32.{operations[n % 6]}" for n in range(terms))
    return function(f"local.get 0 {rest}")


def many_operands(count: int) -> str:
    pushes = " ".join(f"local.get 0 i32.const {n} i32.add local.tee 0" for n in range(count))
    return function(f"{pushes} {'i32.xor ' * (count - 1)}")


def nested_ifs(depth: int) -> str:
    text = set_local(1, "(i32.const 1)")
    for level in range(depth):
        then = f"{text} {set_local(1, '(i32.add (local.get 1) (i32.const 1))')}"
        orelse = set_local(1, f"(i32.const {level})")
        test = f"(i32.and (local.get 0) (i32.const {1 << level % 5}))"
        text = f"(if {test} (then {then}) (else {orelse}))"
    return function(f"{text} (local.get 1)")


def many_ifs(count: int) -> str:
    text = " ".join(
        f"""(if (i32.and (local.get 0) (i32.const {1 << n % 5}))
            (then {set_local(1, f"(i32.add (local.get 1) (i32.const {n}))")}))"""
        for n in range(count)
    )
    return function(f"{text} (local.get 1)")


def deep_switch(depth: int) -> str:
    """A switch whose first case is also where its second goes on, with nested loops in it."""
    text = set_local(1, "(i32.add (local.get 1) (i32.const 7))")
    for level in range(depth):
        less = f"(local.tee {level + 2} (i32.sub (local.get {level + 2}) (i32.const 1)))"
        text = f"(loop {text} (br_if 0 (i32.eq {less} (i32.const -1))))"
    chosen = f"(block (br_table 1 1 0 2 (local.get 0))) {set_local(1, '(i32.const 5)')}"
    return function(f"(block (block {chosen}) {text}) (local.get 1)", depth + 1)


def ways_out(count: int) -> str:
    """A block that is left in many places."""
    tests = "".join(
        f"(br_if 0 (i32.eq (local.get 0) (i32.const {3 * n}))) {set_local(1, f'(i32.const {n})')}"
        for n in range(count)
    )
    left = "(i32.add (local.get 1) (i32.const 1000))"
    return function(f"(block {tests} (return (i32.const 5))) {left}")


def loop_values() -> str:
    """A loop with parameters and results, whose values move all at once."""
    return function(
        """(local.get 0) (i32.const 3)
        (loop (param i32 i32) (result i32 i32)
          (local.set 1) (local.set 2) (local.get 1) (i32.add (local.get 1) (local.get 2))
          (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 5))) (i32.const 100))))
        (i32.xor)""",
        2,
    )


def nested_chains(depth: int) -> str:
    """Switches whose cases fall into the next and jump to others, each in a case of the one around it, and in
    a loop of its own."""
    text = set_local(1, "(i32.add (local.get 1) (i32.const 7))")
    for level in range(depth):
        counter = level + 2
        chosen = f"(i32.and (i32.add (local.get 0) (local.get {counter})) (i32.const 3))"
        text = f"""(block {text} (br_if {level % 3} (i32.and (local.get 1) (i32.const {1 << level % 4}))))"""
        text = f"(block (block (block (br_table 0 1 2 {chosen})) {text}) {set_local(1, '(local.get 0)')})"
        text = f"""(loop {text} {set_local(1, f"(i32.xor (local.get 1) (i32.const {level}))")}
            (br_if 0 (i32.lt_u (local.tee {counter} (i32.add (local.get {counter}) (i32.const 1)))
              (i32.const {1 + (level % 6 == 0)}))))"""
    return function(f"{text} (local.get 1)", depth + 1)


def stairs(levels: int, steps: int) -> str:
    """Choices one after the other, all of which go on at the end, and after them a choice with the same in
    it: each is in the other arm of the one before."""
    text = set_local(1, "(i32.const 1000)")
    for level in range(levels):
        choices = ""
        for number in range(level * steps, level * steps + steps):
            condition = f"(i32.eq (i32.rem_u (local.get 0) (i32.const 251)) (i32.const {number}))"
            choices += f"(if {condition} (then {set_local(1, f'(i32.const {number})')} (br $end)))"
        text = f"{choices} (if (i32.and (local.get 0) (i32.const {1 << level % 7})) (then {text} (br $end)))"
    return function(f"(block $end {text}) (local.get 1)")


CASES: dict[str, tuple[str, Iterable[int]]] = {
    "200 blocks fall through": (falling_switch(200), range(0, 202, 7)),
    "a switch of 300": (switch(300), range(0, 302, 7)),
    "15 nested loops": (nested_loops(15), range(5)),
    "60 nested loops": (nested_loops(60), range(5)),
    "5 loops crossed": (crossed_loops(5), range(12)),
    "10 loops crossed": (crossed_loops(10), range(12)),
    "50 loops crossed": (crossed_loops(50), range(12)),
    "br_table with 5000 targets": (large_table(5000), range(0, 5010, 501)),
    "3 nested chains": (nested_chains(3), range(8)),
    "40 nested chains": (nested_chains(40), range(8)),
    "a switch around 40 loops": (deep_switch(40), range(5)),
    "10,000 terms": (long_expression(10_000), range(5)),
    "3000 operands": (many_operands(3000), range(5)),
    "150 nested ifs": (nested_ifs(150), range(32)),
    "12 stairs of 8 steps": (stairs(12, 8), range(0, 255, 5)),
    "30 stairs of 8 steps": (stairs(30, 8), range(0, 255, 5)),
    "8 stairs of 14 steps": (stairs(8, 14), range(0, 255, 5)),
    "300 ways out of a block": (ways_out(300), range(0, 1000, 33)),
    "3000 ifs": (many_ifs(3000), range(32)),
    "a loop with values": (loop_values(), range(0, 100, 9)),
}


@pytest.fixture(scope="module")
def native_engine() -> wasmtime.Engine:
    return wasmtime.Engine()


@pytest.mark.parametrize("name", CASES)
def test_structure(native_engine: wasmtime.Engine, name: str) -> None:
    text, arguments = CASES[name]
    binary = bytes(wasmtime.wat2wasm(text))
    store = wasmtime.Store(native_engine)
    exports = wasmtime.Instance(store, wasmtime.Module(native_engine, binary), []).exports(store)
    native = exports["f"]
    assert isinstance(native, wasmtime.Func)
    for flavour in {Flavour.default(), Flavour.STRUCT}:
        engine = CompileEngine()
        with instantiate(decode(binary), lambda *_: None, engine, flavour=flavour) as instance:
            for argument in arguments:
                assert instance.exports.f(argument) == native(store, argument)
        assert not engine.interpreted


def test_places_where_a_function_goes_on_are_one_tree() -> None:
    """What Go's compiler writes: each call may return early, and the function is entered after it again."""
    body = """
      (block $out (loop $again
        (block $c (block $b (block $a (br_table $a $b $c (local.get 0)))
            (local.set 1 (i32.const 5)))
          (br_if $out (call 0 (i32.const 8))))
        (if (local.get 1) (then (local.set 0 (i32.const 1)) (br $again)))
        (return (i32.const 0))))
      (i32.const 1)"""
    text = """
 l1 = 0
 while 1:
  c1 = l0
  if c1 < 1:
   l1 = 5
  if c1 < 2:
   if func0(8): return 1
  if not l1: return 0
  l0 = 1
"""
    assert source_of(function(body)) == f"def func0(l0):{text}"


def source_of(text: str) -> str:
    module = decode(bytes(wasmtime.wat2wasm(text)))
    return translate(module, 0, validate_func(module, 0), Variant(Flavour.VIEW)).source


def test_a_switch_needs_no_loops() -> None:
    assert "while" not in source_of(switch(30))


def test_a_block_may_be_left_in_many_places() -> None:
    source = source_of(ways_out(300))
    assert "pc" not in source
    assert max(len(line) - len(line.lstrip()) for line in source.splitlines()) < 30


def test_a_block_left_by_br_if_is_an_if() -> None:
    left = "(block (br_if 0 (local.get 0)) (local.set 1 (i32.const 3)))"
    assert source_of(function(f"{left} (local.get 1)")) == (
        "def func0(l0):\n l1 = 0\n if not l0: l1 = 3\n return l1\n"
    )


def test_an_arm_of_one_statement_is_in_the_line_of_its_condition_unless_both_may_trap() -> None:
    def lines(condition: str) -> dict[str, int]:
        """Each line, and which instruction may trap in it."""
        text = f"""(module (memory 1) (func (param i32 i32) (result i32)
          (if {condition} (then (return (i32.load (local.get 1))))) (i32.const 3)))"""
        module = decode(bytes(wasmtime.wat2wasm(text)))
        made = translate(module, 0, validate_func(module, 0), Variant(Flavour.VIEW))
        return dict(zip(made.source.splitlines()[1:], made.notes.sites.instrs[1:], strict=True))

    assert lines("(local.get 0)") == {' if l0: return "$u32"[l1]': 3, " return 3": -1}
    assert lines("(i32.load (local.get 0))") == {
        ' if "$u32"[l0]:': 1,
        '  return "$u32"[l1]': 4,
        " return 3": -1,
    }


def test_the_same_function_gives_the_same_text() -> None:
    assert source_of(crossed_loops(10)) == source_of(crossed_loops(10))
