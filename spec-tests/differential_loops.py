"""Random loops, and those that compilers emit, changed a little: `python spec-tests/differential_loops.py
--count 100000`.

`compile` with arrays, `compile` without numpy, `interpret` and wasmtime must agree on results (a NaN is a
NaN), traps and memory. Arrays are used for as few rounds as can be, in pieces that are small or large. Two
of three functions are mutations (`mutations.py`) of loops that `tests/interpreter/loops.py` writes, or of
`tests/guests/arrays`. Each valid function is called with several arguments; `--count` counts the calls.
"""

from __future__ import annotations

import argparse
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).parents[1]))

import mutations
import wasmtime
from differential import MEANS, UNDECIDED, Native, plain
from random_bodies import function_of, with_plain_nans

from pywasm_nn.api import Module as Api
from pywasm_nn.errors import InvalidError, Trap, TrapKind
from pywasm_nn.interpreter.arrays import course, steps, whole
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.compile.lowering import arrays as lowered
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.module import Export, Func, Module
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.types import F32, F64, I32, ExternKind
from pywasm_nn.interpreter.validate import validate_module
from tests.interpreter.loops import arguments, function

GUESTS = Path(__file__).parents[1] / "tests" / "guests" / "arrays"
PAGES, SIZE = 2, 2 << 16
FUEL = 200_000
CALLS = 4
"""Calls of one function."""


class Closed(whole.Purse):
    """Numpy can't be imported."""

    def opens(self, instructions: int) -> bool:
        return False


class Counting(whole.Whole):
    """Counts how often rounds were done at once, and how often not."""

    counts: ClassVar[Counter[bool]] = Counter()

    def __call__(self, *values: Any) -> Any:
        made = super().__call__(*values)
        self.counts[made is not None] += 1
        return made


def few_rounds_pay() -> None:
    """Arrays for loops of few rounds."""
    course.LEAST = course.LEAST_OUTER = 2
    course.LEAST_TOGETHER = course.LEAST_ADDED = 0
    course.LEAST_AROUND = 2
    lowered.LEAST = lowered.FEW = lowered.TOGETHER = 0
    lowered.FEW_AROUND = lowered.TOGETHER_AROUND = lowered.TOGETHER_ADDED = 0
    whole.PRICE = 0


@cache
def guests() -> tuple[Module, ...]:
    """What compilers emit, in a memory that is small."""
    found = []
    for file in sorted(GUESTS.glob("*.wat")):
        module = Api.from_text(file.read_text().replace(" 256)", f" {PAGES} {PAGES})"))
        found.append(decode(module.data))
    return tuple(found)


def candidate(random: Random) -> tuple[Module, int, int]:
    """A module, its function that is called, and what the number of rounds is multiplied by."""
    if random.random() < 0.6:
        text, step = function(random)
        module = decode(Api.from_text(text.replace(" 1 1)", f" {PAGES} {PAGES})")).data)
        return module, 0, step
    module = random.choice(guests())
    return module, random.randrange(len(module.funcs)), -1


def alone(module: Module, index: int, random: Random) -> Module:
    """The module with this function, mutated or not, and no others that do anything."""
    func = module.funcs[index]
    mutated = random.random() < 0.67
    if mutated:
        func = mutations.mutated(func, random)
    count = len(module.func_type(func.typeidx).params) + sum(times for times, _ in func.locals)
    func = function_of(func.typeidx, (*func.locals, (1, F32), (1, F64)), list(func.body))
    func = with_plain_nans(func, {F32: count, F64: count + 1})
    memory = next(export for export in module.exports if export.kind is ExternKind.MEMORY)
    exports = (replace(memory, name="memory"), Export("run", ExternKind.FUNC, index))
    funcs: tuple[Func, ...] = (*module.funcs[:index], func, *module.funcs[index + 1 :])
    return replace(module, funcs=funcs, exports=exports, customs=(), datas=(), data_count=None)


def values_for(module: Module, index: int, step: int, random: Random) -> list[Any]:
    if step >= 0:
        return arguments(random, step)
    made: list[Any] = []
    pointers = (0, 1, 8, 64, 1000, 4096, 20_000, 40_000, 65_536, 99_000, SIZE - 700, SIZE - 64, SIZE)
    for type_ in module.func_type(module.funcs[index].typeidx).params:
        if type_ is I32:
            count = random.random() < 0.4
            made.append(random.randrange(220) if count else random.choice(pointers))
        elif type_ in (F32, F64):
            made.append(random.choice((0.0, -0.0, 0.5, 3.0, 1e30)))
        else:
            made.append(random.choice((0, 1, 31, 2**63 + 7, 0x100000001B3)))
    return made


@cache
def contents(seed: int) -> bytes:
    """Numbers of all kinds: bytes, floats that are usual, NaNs and others."""
    random = Random(seed)
    data = bytearray(random.randbytes(SIZE))
    usual = [0.0, -0.0, 1.0, -1.5, 255.0, 0.1, 3.75, -200.25, 1e9, 1e20, 7.0, 100.5]
    for start in range(0, SIZE, 4 if seed % 3 else 12):
        if seed % 2:
            struct.pack_into("<f", data, start, random.choice(usual))
    return bytes(data)


def native(engine: wasmtime.Engine, module: wasmtime.Module, values: list[Any], data: bytes) -> Any:
    """What wasmtime gives; None if it gave up."""
    store = wasmtime.Store(engine)
    store.set_fuel(FUEL)
    exports: Any = wasmtime.Instance(store, module, []).exports(store)
    exports["memory"].write(store, data, 0)
    try:
        result = exports["run"](store, *values)
        ended: Any = plain(result if isinstance(result, list) else () if result is None else (result,))
    except wasmtime.Trap as trap:
        if trap.trap_code in UNDECIDED:
            return None
        ended = trap.trap_code
    return ended, bytes(exports["memory"].read(store))


def ours(module: Module, engine: str, values: list[Any], data: bytes) -> Any:
    instance = instantiate(module, lambda *_: None, ENGINES[engine]())
    memory = instance.exports["memory"]
    memory.write(0, data)
    ended: Any
    try:
        result = instance.exports["run"](*values)
        ended = plain(result if isinstance(result, tuple) else () if result is None else (result,))
    except Trap as trap:
        if trap.kind is TrapKind.CALL_STACK_EXHAUSTED:
            return None
        ended = MEANS[trap.kind]
    found = ended, bytes(memory.buffer)
    instance.close()
    return found


def differences(seed: int, count: int, tally: Counter[str]) -> Iterator[str]:
    """Examine so many calls; yields what differs."""
    reference = Native()
    number = 0
    while tally["calls"] < count:
        number += 1
        random = Random(f"{seed} {number}")
        if number % 1000 == 0:
            print(number, "functions:", dict(tally), dict(Counting.counts), flush=True)
        module, index, step = candidate(random)
        module = alone(module, index, random)
        try:
            data = encode(module)
            decoded = decode(data)
            validate_module(decoded)
            theirs = wasmtime.Module(reference.engine, data)
        except (InvalidError, wasmtime.WasmtimeError):
            tally["invalid"] += 1
            continue
        for call in range(CALLS):
            values = values_for(decoded, index, step, random)
            bytes_ = contents(random.randrange(6))
            want = native(reference.engine, theirs, values, bytes_)
            if want is None:
                tally["given up"] += 1
                break
            tally["calls"] += 1
            tally["traps"] += not isinstance(want[0], tuple)
            steps.PIECE = random.choice((37, 1 << 15))  # type: ignore[misc]  # the pieces of a long loop
            for name, engine, purse in WAYS:
                whole.Purse = purse  # type: ignore[misc]
                if ours(decoded, engine, values, bytes_) != want:
                    tally["differences"] += 1
                    yield f"seed {seed}, function {number}, call {call}, {values}: {name} and wasmtime"


WAYS = ("interpret", "interpret", Closed), ("arrays", "compile", whole.Purse), ("no numpy", "compile", Closed)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare arrays, engines and wasmtime on random loops.")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    few_rounds_pay()
    whole.Whole = Counting  # type: ignore[misc]
    tally: Counter[str] = Counter()
    began = time.perf_counter()
    for found in differences(asked.seed, asked.count, tally):
        print(found, flush=True)
        if tally["differences"] > 20:
            break
    print(dict(tally), dict(Counting.counts), f"{time.perf_counter() - began:.0f} s")
    sys.exit(bool(tally["differences"]))


if __name__ == "__main__":
    main()
