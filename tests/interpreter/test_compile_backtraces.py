"""Random functions that trap: where they were and every local, the same from both engines."""

from __future__ import annotations

from random import Random

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import LimitError, Trap, TrapKind, WasmError
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.text import parse
from pywasm_nn.limits import Limits

from .test_compile_random import Generator
from .test_compile_shapes import NUMBERS, PARAMS, Shapes

FUEL = 100_000
FUNCTIONS, LOCALS = 12, 40
NAMES = b"".join(
    bytes([funcidx, LOCALS]) + b"".join(bytes([index, 1, 0x30 + index]) for index in range(LOCALS))
    for funcidx in range(FUNCTIONS)
)
"""A name for each local: one without a name isn't told."""


def named(text: str) -> Module:
    binary = encode(parse(text))
    section = bytes([4]) + b"name" + bytes([2]) + leb(len(NAMES) + 1) + bytes([FUNCTIONS]) + NAMES
    return Module.from_bytes(binary + b"\0" + leb(len(section)) + section, "random.wasm")


def leb(number: int) -> bytes:
    return bytes([number & 0x7F | 0x80, number >> 7])


def program(seed: int) -> tuple[Module, list[int | float]]:
    random = Random(seed)
    if seed % 2:
        generator = Generator(random, traps=True)
        return named(
            generator.module(random.randrange(5, 300), random.randrange(2, 7))
        ), generator.arguments()
    return named(Shapes(random).module()), [random.choice(NUMBERS) for _ in range(PARAMS)]


def stopped(
    module: Module, arguments: list[int | float], engine: str, flavour: Flavour, limits: Limits | None = None
) -> list[str] | None:
    """Why the function was stopped, and the frames with all locals; None if it came to its end. Raises
    LimitError."""
    with module.instantiate(engine=engine, flavour=flavour, limits=limits) as instance:
        try:
            instance.exports.run(*arguments)
        except LimitError:
            raise
        except WasmError as error:
            return [str(error), *(" ".join([frame.place, *map(str, frame.locals)]) for frame in error.frames)]
    return None


def compare(seeds: range) -> tuple[int, int]:
    """How many trapped, and how many locals their frames told."""
    trapped = told = 0
    for seed in seeds:
        module, arguments = program(seed)
        try:
            expected = stopped(module, arguments, "interpret", Flavour.STRUCT, Limits(fuel=FUEL))
        except LimitError:
            continue  # runs for long, or for ever
        for flavour in {Flavour.default(), Flavour.STRUCT}:
            assert stopped(module, arguments, "compile", flavour) == expected, seed
        if expected is not None:
            trapped += 1
            told += " ".join(expected).count("$")
    return trapped, told


def test_random_functions() -> None:
    trapped, told = compare(range(50))
    assert trapped > 10
    assert told > 8 * trapped


def test_a_shift_by_what_has_no_value_where_it_stands() -> None:
    """In code that is never reached, as the compiler can tell: an empty range."""
    compare(range(50_942, 50_943))


@pytest.mark.slow
def test_many_random_functions() -> None:
    trapped, _ = compare(range(1000, 6000))
    assert trapped > 1000


TWO_FORMS = """(module (memory 1)
 (func (export "run") (param $p i32) (param $n i32) (result i32) (local $x i32)
  (loop
    (local.set $x (i32.add (local.get $x)
      (i32.load8_u (i32.sub (i32.div_s (local.get $p) (local.get $n)) (i32.const 1)))))
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (local.get $x)))"""


def test_a_trap_in_one_of_a_loops_two_forms() -> None:
    """In the other form the address is in a variable, which this one hasn't."""
    for engine in ("compile", "interpret"):
        run = Module.from_text(TWO_FORMS).instantiate(engine=engine).exports["run"]
        with pytest.raises(Trap) as trapped:
            run(0, 100)
        assert trapped.value.kind is TrapKind.OUT_OF_BOUNDS_MEMORY
