"""Random functions of blocks that begin at the same place, with switches, jumps forward and loops in them,
compiled, against wasmtime.

They are text modules: `f` takes an i32, and returns one that depends on the way that control took.
"""

from __future__ import annotations

from random import Random

import pytest
import wasmtime

from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.engine import CompileEngine
from pywasm_nn.interpreter.runtime.link import instantiate

ROUNDS = 60
"""Branches back that a function takes at most."""
DEEP = 20


class Writer:
    """Writes one function. Local 1 is mixed with the number of each place that control
    comes to, local 2 counts branches back."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.places = 0
        self.labels: list[bool] = []
        """Labels from outside in, and whether each is a loop's."""

    def module(self) -> str:
        body = self.loop(3) if self.random.randrange(2) else self.chain(3)
        rest = self.statements(1)
        return f"""(module (func (export "f") (param i32) (result i32) (local i32 i32)
            {body} {rest} (local.get 1)))"""

    def place(self) -> str:
        self.places += 1
        return f"""(local.set 1
            (i32.xor (i32.mul (local.get 1) (i32.const 31)) (i32.const {self.places * 7919})))"""

    def condition(self) -> str:
        return f"(i32.and (local.get 1) (i32.const {1 << self.random.randrange(6)}))"

    def statements(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.randrange(4)))

    def statement(self, depth: int) -> str:
        r = self.random.random()
        if r < 0.3 or not depth:
            return self.place()
        if r < 0.55 and self.labels:
            return self.branch()
        if r < 0.75:
            orelse = f"(else {self.inside('if', depth - 1)})" if self.random.randrange(2) else ""
            return f"(if {self.condition()} (then {self.inside('if', depth - 1)}) {orelse})"
        if r < 0.78:
            return self.deep(depth - 1)
        return self.chain(depth - 1) if r < 0.9 else self.loop(depth - 1)

    def inside(self, kind: str, depth: int) -> str:
        self.labels.append(kind == "loop")
        text = self.statements(depth)
        self.labels.pop()
        return text

    def branch(self) -> str:
        label = self.random.randrange(len(self.labels))
        test = self.sometimes_again() if self.labels[-1 - label] else self.condition()
        if not self.random.randrange(5):
            return f"(if {test} (then {self.place()} (br {label + 1})))"
        return f"(br_if {label} {test})"

    def again(self) -> str:
        """A condition that counts, and isn't true forever."""
        return f"""(i32.lt_u (local.tee 2 (i32.add (local.get 2) (i32.const 1)))
            (i32.const {ROUNDS}))"""

    def sometimes_again(self) -> str:
        return f"(i32.and (i32.ne {self.condition()} (i32.const 0)) {self.again()})"

    def loop(self, depth: int) -> str:
        self.labels.append(True)
        first = self.place() if self.random.randrange(2) else ""
        inner = self.chain(depth) if self.random.randrange(3) else self.statements(depth)
        text = f"(loop {first} {inner} {self.statements(depth)} (br_if 0 {self.again()}))"
        self.labels.pop()
        return text

    def deep(self, depth: int) -> str:
        """More loops in each other than Python takes."""
        self.labels += [True] * DEEP
        text = self.statements(depth)
        del self.labels[-DEEP:]
        for _ in range(DEEP):
            text = f"(loop {text} (br_if 0 {self.sometimes_again()}))"
        return text

    def chain(self, depth: int) -> str:
        count = self.random.randrange(1, 10)
        self.labels += [False] * count
        text = self.first(count, depth)
        for _ in range(count):
            self.labels.pop()
            text = f"(block {text}) {self.statements(depth) if self.random.randrange(6) else ''}"
            if not self.random.randrange(4):
                text = f"{self.place()} {text}"
        return text

    def first(self, count: int, depth: int) -> str:
        """What the innermost block does: mostly choose between them."""
        random = self.random
        if not random.randrange(4):
            return self.statements(depth)
        labels = [random.randrange(count) for _ in range(random.randrange(1, 12))]
        if random.randrange(3):
            labels.sort()
        operand = random.choice(("(local.get 0)", "(local.get 1)"))
        if operand == "(local.get 1)":
            operand = f"(i32.and {operand} (i32.const 15))"
        before = self.place() if random.randrange(2) else ""
        return f"{before} (br_table {' '.join(map(str, labels))} {operand})"


@pytest.mark.parametrize("seeds", [range(50), pytest.param(range(50, 6000), marks=pytest.mark.slow)])
def test_random_chains(seeds: range) -> None:
    native_engine = wasmtime.Engine()
    for seed in seeds:
        binary = bytes(wasmtime.wat2wasm(Writer(seed).module()))
        store = wasmtime.Store(native_engine)
        native = wasmtime.Instance(store, wasmtime.Module(native_engine, binary), []).exports(store)["f"]
        assert isinstance(native, wasmtime.Func)
        engine = CompileEngine()
        with instantiate(decode(binary), lambda *_: None, engine) as instance:
            for argument in range(14):
                right = native(store, argument)
                assert instance.exports.f(argument) == right, f"seed {seed}, f({argument})"
        assert not engine.interpreted
