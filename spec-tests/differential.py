"""Random functions and mutations of them on every engine: `python spec-tests/differential.py --count 100000`.

`interpret` (watched and not), `compile` in both flavours of memory and wasmtime must agree on what is valid,
on results (a NaN is a NaN), traps, memories and globals; our engines also on where a trap rose. wasmtime gets
exceptions of before 3.0 in the newer encoding (`newer.py`); what else it doesn't have runs on our engines
alone (`--alone` runs nothing else). Half of the functions are valid by construction, the others are mutations
of these. Each function is written around the row of the instruction table that was executed least so far,
with `--feature` around those of one feature alone. What each row came to is printed at the end.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import mutations
import random_control
import random_described
import random_heap
import random_state
import wasmtime
from newer import in_newer_encoding
from random_bodies import (
    ALONE,
    CASES,
    PARAMS,
    Writer,
    near_power,
    rows,
    spelled_out,
    surroundings,
    with_plain_nans,
)

from pywasm_nn.errors import InvalidError, LimitError, MalformedError, Trap, TrapKind, WasmException
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.instructions import OPS, Op
from pywasm_nn.interpreter.module import Body, Export, Func, Module
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.runtime.observe import InstructionEvent, Observer
from pywasm_nn.interpreter.types import F32, F64, I32, I64, ExternKind, ValType
from pywasm_nn.interpreter.validate import validate_func, validate_module
from pywasm_nn.limits import Limits

# They register what writes instructions:
assert random_control and random_described and random_heap and random_state

THREE = ("memory64", "multi_memory", "tail_call", "function_references", "gc", "exceptions", "relaxed_simd")
"""What of 3.0 wasmtime may have to be asked for."""
EVERY = 16
"""Of so many modules wasmtime isn't asked about one, which may use what it doesn't have (`ALONE`)."""
TOGETHER = 20
"""Functions in one module."""
FUEL = 20_000
"""Instructions after which a function is given up: mutations may loop forever."""
LIMITS = Limits(heap=1 << 24), Limits(heap=1 << 24, fuel=10**9)
"""Of one module and the next: with fuel it is other code, and what is spent must be equal too."""

MEANS: dict[TrapKind, wasmtime.TrapCode] = {
    TrapKind.UNREACHABLE: wasmtime.TrapCode.UNREACHABLE,
    TrapKind.OUT_OF_BOUNDS_MEMORY: wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS,
    TrapKind.OUT_OF_BOUNDS_TABLE: wasmtime.TrapCode.TABLE_OUT_OF_BOUNDS,
    TrapKind.UNDEFINED_ELEMENT: wasmtime.TrapCode.TABLE_OUT_OF_BOUNDS,
    TrapKind.UNINITIALIZED_ELEMENT: wasmtime.TrapCode.INDIRECT_CALL_TO_NULL,
    TrapKind.INDIRECT_CALL_TYPE: wasmtime.TrapCode.BAD_SIGNATURE,
    TrapKind.DIVIDE_BY_ZERO: wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO,
    TrapKind.INTEGER_OVERFLOW: wasmtime.TrapCode.INTEGER_OVERFLOW,
    TrapKind.INVALID_CONVERSION: wasmtime.TrapCode.BAD_CONVERSION_TO_INTEGER,
    TrapKind.NULL_REFERENCE: wasmtime.TrapCode.NULL_REFERENCE,
    TrapKind.NULL_FUNCTION: wasmtime.TrapCode.NULL_REFERENCE,
    TrapKind.NULL_STRUCTURE: wasmtime.TrapCode.NULL_REFERENCE,
    TrapKind.NULL_ARRAY: wasmtime.TrapCode.NULL_REFERENCE,
    TrapKind.NULL_I31: wasmtime.TrapCode.NULL_REFERENCE,
    TrapKind.NULL_EXCEPTION: wasmtime.TrapCode.NULL_REFERENCE,
    TrapKind.OUT_OF_BOUNDS_ARRAY: wasmtime.TrapCode.ARRAY_OUT_OF_BOUNDS,
    TrapKind.CAST_FAILURE: wasmtime.TrapCode.CAST_FAILURE,
    TrapKind.NULL_DESCRIPTOR: wasmtime.TrapCode.NULL_REFERENCE,
    TrapKind.DESCRIPTOR_CAST_FAILURE: wasmtime.TrapCode.CAST_FAILURE,
    TrapKind.UNALIGNED_ATOMIC: wasmtime.TrapCode.HEAP_MISALIGNED,
    TrapKind.EXPECTED_SHARED_MEMORY: wasmtime.TrapCode.ATOMIC_WAIT_NON_SHARED_MEMORY,
}
UNDECIDED = {
    wasmtime.TrapCode.OUT_OF_FUEL,
    wasmtime.TrapCode.STACK_OVERFLOW,
    wasmtime.TrapCode.ALLOCATION_TOO_LARGE,
}
"""What depends on limits, which every engine has of its own."""
UNCAUGHT = "uncaught exception"

Ended = tuple[Any, ...] | wasmtime.TrapCode | str
"""Results, or why there are none."""
Arguments = tuple[int | float, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: how it ended, and memories and exported globals after it."""

    ended: Ended
    memories: tuple[bytes, ...]
    globals: tuple[Any, ...]

    def difference(self, other: Outcome) -> str:
        """In words, "" if there is none."""
        if self.ended != other.ended:
            return f"{self.ended} and {other.ended}"
        for index, (mine, theirs) in enumerate(zip(self.memories, other.memories, strict=True)):
            if mine != theirs:
                at = next((n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), -1)
                return f"memory {index} of {len(mine)} and {len(theirs)} bytes, at {at}"
        return "" if self.globals == other.globals else f"globals {self.globals} and {other.globals}"


class GivenUp(Exception):
    """A function reached a limit, which is another one in each engine."""


class Native:
    """wasmtime."""

    def __init__(self) -> None:
        config = wasmtime.Config()
        config.consume_fuel = True
        config.wasm_threads = True
        config.parallel_compilation = False
        config.cranelift_opt_level = "none"
        config.wasm_relaxed_simd_deterministic = True
        config.max_wasm_stack = 1 << 20
        for feature in THREE:
            setattr(config, f"wasm_{feature}", True)
        self.engine = wasmtime.Engine(config)

    def accepts(self, data: bytes) -> bool:
        try:
            wasmtime.Module.validate(self.engine, data)
        except wasmtime.WasmtimeError:
            return False
        return True

    def start(self, data: bytes) -> NativeRun:
        return NativeRun(self.engine, wasmtime.Module(self.engine, data))


class NativeRun:
    """An instance in wasmtime."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module) -> None:
        self.store = wasmtime.Store(engine)
        self.store.set_fuel(FUEL)
        self.exports: Any = wasmtime.Instance(self.store, module, []).exports(self.store)

    def call(self, name: str, arguments: Arguments) -> Outcome:
        """Raises GivenUp."""
        store = self.store
        store.set_fuel(FUEL)
        ended: Ended
        try:
            result = self.exports[name](store, *arguments)
            ended = plain(result if isinstance(result, list) else () if result is None else (result,))
        except wasmtime.Trap as trap:
            if trap.trap_code in UNDECIDED:
                raise GivenUp(trap.trap_code) from None
            ended = UNCAUGHT if trap.trap_code is None else trap.trap_code
        except wasmtime.WasmtimeError as error:
            raise GivenUp(str(error)) from None
        memories = tuple(bytes(self.exports[name].read(store)) for name in MEMORIES)
        return Outcome(ended, memories, plain(self.exports[name].value(store) for name in GLOBALS))

    def close(self) -> None:
        """Nothing: the store goes with the object."""

    def __str__(self) -> str:
        return "wasmtime"


class Ours(Observer):
    """An instance on one of our engines, which counts what it executes if it is `watched`."""

    wants = frozenset({"instr"})

    def __init__(
        self,
        module: Module,
        engine: str,
        flavour: Flavour,
        limits: Limits,
        counts: Counter[Op] | None = None,
    ) -> None:
        self.counts = Counter[Op]() if counts is None else counts
        observer = None if counts is None else self
        self.engine = ENGINES[engine]()
        self.instance = instantiate(
            module, lambda *_: None, self.engine, limits=limits, flavour=flavour, observer=observer
        )
        self.where = ""
        """In words, where the last call trapped or threw, what its locals were, and what fuel is left."""
        self.trapped_in: Op | None = None
        """The instruction in which the last call trapped."""

    def instruction(self, event: InstructionEvent) -> None:
        self.counts[event.op] += 1

    def call(self, name: str, arguments: Arguments) -> Outcome:
        """Raises GivenUp."""
        exports = self.instance.exports
        self.where, self.trapped_in = "", None
        ended: Ended
        try:
            result = exports[name](*arguments)
            ended = plain(result if isinstance(result, tuple) else () if result is None else (result,))
        except LimitError as error:
            raise GivenUp(str(error)) from None
        except WasmException as error:
            ended, self.where = UNCAUGHT, f"{error.payload} in {error.frames}"
        except Trap as trap:
            if trap.kind is TrapKind.CALL_STACK_EXHAUSTED:
                raise GivenUp(trap.kind) from None
            said = str(trap).partition(":")[0]
            ended, self.where = MEANS[trap.kind], f"{said} in {trap.frames}"
            self.note_trap(trap)
        self.where += f", {self.instance.fuel} left"
        memories = tuple(bytes(exports[name].buffer) for name in MEMORIES)
        return Outcome(ended, memories, plain(exports[name].value for name in GLOBALS))

    def note_trap(self, trap: Trap) -> None:
        """Note and count the instruction that trapped, which is no event."""
        frame = trap.frames[0]
        body = self.instance.module.funcs[frame.funcidx].body
        self.trapped_in = body.ops[body.offsets.index(frame.offset)]
        self.counts[self.trapped_in] += 1

    def close(self) -> None:
        self.instance.close()

    def __str__(self) -> str:
        return f"{self.engine.name}, {self.instance.flavour.value}"


MEMORIES = ("memory", "memory1", "memory2")
GLOBALS = ("i32", "i64", "f32", "f64")


def plain(values: Any) -> tuple[Any, ...]:
    """Values that can be compared: one for all NaN, and a zero has its sign."""
    return tuple("nan" if value != value else repr(value) for value in values)


@dataclass
class Tally:
    """What came of it all."""

    generated: int = 0
    mutated: int = 0
    invalid: int = 0
    """Mutations that all refuse."""
    executed: int = 0
    """Functions that ran to an end, in results or a trap."""
    trapped: int = 0
    given_up: int = 0
    handed_over: int = 0
    """Functions that `compile` left to `interpret`, in each flavour."""
    rows: Counter[Op] = field(default_factory=Counter)
    """How often each was executed, by the count of `interpret`."""
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        least = min(OPS.values(), key=lambda op: self.rows[op])
        return (
            f"{self.generated} functions and {self.mutated} mutations of them, {self.invalid} invalid; "
            f"{self.executed} executed, {self.trapped} up to a trap; {self.given_up} given up, "
            f"{self.handed_over} handed to interpret; {sum(self.rows.values())} instructions, "
            f"each row at least {self.rows[least]} times ({least.name}); {len(self.differences)} differences"
        )


class Differential:
    """Runs functions on all engines and keeps a tally."""

    def __init__(self, seed: int, every: int = EVERY, feature: str | None = None) -> None:
        """Of `every` modules wasmtime isn't asked about one. Functions are written around the rows of
        `feature`, None for all rows."""
        self.seed = seed
        self.every = every
        self.feature = feature
        self.native = Native()
        self.tally = Tally()
        self.modules = 0
        self.flavours = sorted({Flavour.default(), Flavour.STRUCT}, key=lambda flavour: flavour.value)

    def run(self, count: int) -> Iterator[None]:
        """Examine so many functions, half of them mutations; yields after each module."""
        tally = self.tally
        while tally.generated + tally.mutated < count:
            seeds = range(tally.generated, tally.generated + TOGETHER)
            alone = seeds.start // TOGETHER % self.every == self.every - 1
            randoms = [Random(f"{self.seed} {seed}") for seed in seeds]
            originals = [
                Writer(random, random.choice(CASES), alone).function(target)
                for random, target in zip(randoms, self.targets(alone), strict=True)
            ]
            tally.generated += TOGETHER
            self.examine(originals, randoms, f"seed {self.seed}, functions from {seeds.start}", alone)
            yield
            mutants = [
                mutations.mutated(func, random) for func, random in zip(originals, randoms, strict=True)
            ]
            tally.mutated += TOGETHER
            kept = self.valid(mutants, alone)
            self.examine(kept, randoms, f"seed {self.seed}, mutations from {seeds.start}", alone)
            yield

    def targets(self, alone: bool) -> list[Op]:
        """The rows that were executed least, of the feature if there is one; else, where wasmtime isn't
        asked, those that it doesn't have."""
        if self.feature is not None:
            found = [op for op in rows(alone) if op.feature == self.feature]
        else:
            found = [op for op in rows(alone) if op.feature in ALONE or not alone]
        found.sort(key=lambda op: self.tally.rows[op])
        return list(islice(cycle(found), TOGETHER))

    def valid(self, funcs: Sequence[Func], alone: bool) -> list[Func]:
        """The functions with a trap in place of those that are invalid; wasmtime must find them so, too."""
        module = module_of(funcs, alone)
        first = len(surroundings(alone).funcs)
        kept = list(funcs)
        for index, func in enumerate(funcs):
            try:
                validate_func(module, first + index)
            except InvalidError as error:
                self.tally.invalid += 1
                kept[index] = trapping(func)
                singled = [func if n == index else trapping(each) for n, each in enumerate(funcs)]
                if not alone and self.native.accepts(encode(module_of(singled))):
                    self.differ(f"{error}, wasmtime finds it valid", func)
        return kept

    def examine(
        self, funcs: Sequence[Func], randoms: Sequence[Random], where: str, alone: bool = False
    ) -> None:
        """Run functions one after the other in one instance per engine, but for those that only trap."""
        plain_funcs = [with_plain_nans(func) for func in funcs]
        data = encode(module_of(plain_funcs, alone))
        spelled = b"" if alone else encode(module_of(list(map(newer, plain_funcs))))
        try:
            module = decode(data, features=ALONE if alone else ())
            validate_module(module)
            theirs = self.reference(module, spelled)
        except (InvalidError, MalformedError, wasmtime.WasmtimeError) as error:
            self.differ(f"{where}: {error}", plain_funcs[0])
            return
        ours = self.ours(module)
        for index, (func, random) in enumerate(zip(funcs, randoms, strict=True)):
            if func.body is TRAPPING:
                continue
            name, values = f"case{index}", some_arguments(random)
            try:
                expected = theirs.call(name, values)
                for mine in ours:
                    outcome = mine.call(name, values)
                    expected = as_specified(expected, outcome, mine.trapped_in)
                    if difference := outcome.difference(expected):
                        difference += f": {mine} and {theirs}"
                    elif mine.where != ours[0].where:
                        difference = f"{mine.where} and {ours[0].where}: {mine} and {ours[0]}"
                    if difference:
                        self.differ(f"{where}, {name}{values}: {difference}", plain_funcs[index])
                        raise GivenUp
            except GivenUp:
                self.tally.given_up += 1
                for each in (theirs, *ours):
                    each.close()
                theirs, ours = self.reference(module, spelled), self.ours(module)
            else:
                self.tally.executed += 1
                self.tally.trapped += not isinstance(expected.ended, tuple)
        for mine in ours:
            self.tally.handed_over += len(getattr(mine.engine, "interpreted", ()))
            mine.close()

    def reference(self, module: Module, spelled: bytes) -> NativeRun | Ours:
        """wasmtime with the bytes that it gets. Where it isn't asked there are none, and an engine of ours
        stands for it: it gives up what runs on and on."""
        if spelled:
            return self.native.start(spelled)
        return Ours(module, "interpret", Flavour.default(), Limits(heap=1 << 24, fuel=FUEL * TOGETHER))

    def ours(self, module: Module) -> list[Ours]:
        limits = LIMITS[self.modules % 2]
        self.modules += 1
        compiled = [Ours(module, "compile", flavour, limits) for flavour in self.flavours]
        interpreted = Ours(module, "interpret", Flavour.STRUCT, limits)
        watched = Ours(module, "interpret", Flavour.default(), limits, self.tally.rows)
        return [watched, interpreted, *compiled]

    def differ(self, what: str, func: Func) -> None:
        lines = (f"  {op.name} {'' if imm is None else imm}" for op, imm in func.body)
        self.tally.differences.append("\n".join((what, *lines)))


def as_specified(theirs: Outcome, ours: Outcome, op: Op | None) -> Outcome:
    """What wasmtime should find: its array.copy sees that the one array is too short before it sees that
    the other is null, and its memory.atomic.wait that an address is beyond 32 bits before that it isn't
    aligned.

    https://webassembly.github.io/spec/core/exec/instructions.html#exec-array-copy
    """
    two = (theirs.ended, ours.ended)
    return replace(theirs, ended=ours.ended) if op is not None and two == EARLIER.get(op.name) else theirs


CODE = wasmtime.TrapCode
EARLIER = {
    "array.copy": (CODE.ARRAY_OUT_OF_BOUNDS, CODE.NULL_REFERENCE),
    "memory.atomic.wait32": (CODE.MEMORY_OUT_OF_BOUNDS, CODE.HEAP_MISALIGNED),
    "memory.atomic.wait64": (CODE.MEMORY_OUT_OF_BOUNDS, CODE.HEAP_MISALIGNED),
}
"""Of two reasons to trap the one that wasmtime sees first, and the one that is found here."""
TRAPPING = Body((OPS["unreachable"], OPS["end"]), (None, None))


def newer(func: Func) -> Func:
    """The function as wasmtime gets it."""
    return in_newer_encoding(spelled_out(func))


def trapping(func: Func) -> Func:
    """A function of the same type that only traps."""
    return Func(func.typeidx, (), lambda _: TRAPPING)


def module_of(funcs: Sequence[Func], alone: bool = False) -> Module:
    """The surroundings with functions that are exported as case0, case1 and so on."""
    module = surroundings(alone)
    first = len(module.funcs)
    exports = (Export(f"case{n}", ExternKind.FUNC, first + n) for n in range(len(funcs)))
    return replace(module, funcs=(*module.funcs, *funcs), exports=(*module.exports, *exports))


def some_arguments(random: Random) -> Arguments:
    def edge(bits: int) -> int:
        number = near_power(random, bits)
        return number - (number >> bits - 1 << bits)

    made: dict[ValType, Any] = {
        I32: lambda: random.choice((0, 1, 255, random.getrandbits(8), -1, edge(32), random.getrandbits(31))),
        I64: lambda: random.choice((0, 1, 255, random.getrandbits(8), -1, edge(64), random.getrandbits(63))),
        F32: lambda: random.choice((0.0, -0.0, 1.5, -2.25, 1e30, 3e-40, 100.0)),
        F64: lambda: random.choice((0.0, -1.1, 1e300, -5e9, 0.1, 5e-324, 100.0)),
    }
    return tuple(made[type_]() for type_ in PARAMS)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare all engines and wasmtime on random functions.")
    parser.add_argument("--count", type=int, default=2000, help="functions, half of them mutations (2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help="only functions that wasmtime isn't asked about")
    parser.add_argument("--feature", choices=sorted({op.feature for op in OPS.values()} - {"", *ALONE}))
    arguments = parser.parse_args()
    differential = Differential(arguments.seed, 1 if arguments.alone else EVERY, arguments.feature)
    start = time.perf_counter()
    for _ in differential.run(arguments.count):
        if len(differential.tally.differences) > 20:
            break
    for difference in differential.tally.differences:
        print(difference)
    tally = differential.tally
    for op in OPS.values():
        print(f"{tally.rows[op]:8} {op.name}")
    print(f"{tally}; {time.perf_counter() - start:.0f} s")
    sys.exit(bool(tally.differences))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
