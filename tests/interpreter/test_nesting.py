"""Structured instructions over a thousand deep in each other: read, printed, run alike on both engines."""

from __future__ import annotations

from random import Random

import pytest

from pywasm_nn.api import Module
from pywasm_nn.errors import WasmException
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.text import print_module

DEPTH = 1_200
ARGUMENTS = range(1, 5)
BEGINS = {
    "block": "block", "loop": "loop", "if": "local.get 0 if", "else": "local.get 0 i32.eqz if else",
    "try_table": "block try_table (catch_all 0)", "tag": "block try_table (catch $t 0)",
    "tags": "block block try_table (catch $v 1) (catch $t 0)", "nothing caught": "block try_table",
    "left": "block local.get 0 i32.eqz br_if 0", "again": "loop local.get 0 i32.eqz br_if 0",
    "value": "local.get 0 block (param i32) (result i32)", "try": "try", "old tag": "try", "rethrown": "try",
    "delegate": "try", "far": "block block try",
}  # fmt: skip
ENDS = {
    "value": "end drop", "try_table": "end end", "tag": "end end", "tags": "end end end",
    "nothing caught": "end end", "try": "catch_all end", "old tag": "catch $v catch $t end",
    "rethrown": "catch $u rethrow 0 catch_all end", "delegate": "delegate 0", "far": "delegate 2 end end",
}  # fmt: skip
THROWS = "(if (i32.eq (local.get 0) (i32.const {})) (then (throw {})))"
RISES = THROWS.format(2, "$t") + THROWS.format(3, "$u") + THROWS.format(4, "$v")
STEP = "(local.set 1 (i32.add (local.get 1) (i32.const 1)))"


def nested(kinds: list[str]) -> str:
    """Instructions in each other that count the ends that control gets to; in the innermost one may throw."""
    begins = " ".join(BEGINS[kind] for kind in kinds)
    ends = " ".join(f"{ENDS.get(kind, 'end')} {STEP}" for kind in reversed(kinds))
    return f"""(module (tag $t) (tag $u) (tag $v) (func (export "f") (param i32) (result i32) (local i32)
      (block {begins} {RISES} {ends}) local.get 1))"""


def outcome(module: Module, engine: str) -> list[int | str]:
    ended: list[int | str] = []
    with module.instantiate(engine=engine) as instance:
        for argument in ARGUMENTS:
            try:
                ended.append(instance.exports.f(argument))
            except WasmException as error:
                ended.append(f"{error}")
    return ended


@pytest.mark.parametrize("kind", [*BEGINS, "mixed"])
def test_nests_end_alike_on_both_engines(kind: str) -> None:
    random = Random(DEPTH)
    kinds = [kind] * DEPTH if kind in BEGINS else [random.choice([*BEGINS]) for _ in range(DEPTH)]
    module = Module.from_text(nested(kinds))
    interpreted = outcome(module, "interpret")
    assert interpreted[0] == DEPTH
    assert outcome(module, "compile") == interpreted


@pytest.mark.parametrize("tags", [(), ("t",)])
def test_a_throw_is_caught_by_the_innermost_that_catches_it(tags: tuple[str, ...]) -> None:
    """Each of them tells by what it sets that it was the one."""
    depth = 300
    clause = f"(catch ${tags[0]} 0)" if tags else "(catch_all 0)"
    text = ""
    for level in range(depth):
        throws = f"(if (i32.eq (local.get 0) (i32.const {level})) (then (throw $t)))"
        text = f"(block (block (try_table {clause} {throws} {text}) (br 1)) (return (i32.const {level})))"
    module = Module.from_text(
        f'(module (tag $t) (func (export "f") (param i32) (result i32) {text} (i32.const -1)))'
    )
    for engine in ("interpret", "compile"):
        with module.instantiate(engine=engine) as instance:
            for argument in (*range(0, depth, 17), depth - 1, depth):
                assert instance.exports.f(argument) == (argument if argument < depth else -1)


def test_nests_are_printed_and_parsed() -> None:
    random = Random(1)
    module = Module.from_text(nested([random.choice([*BEGINS]) for _ in range(DEPTH)]))
    folded = f"(module (func {'(block ' * DEPTH}{')' * DEPTH}))"
    for each in (module, Module.from_text(folded)):
        assert encode(Module.from_text(print_module(each))) == encode(each)
