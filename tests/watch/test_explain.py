"""What is said about an instruction: true for every row, and short."""

from __future__ import annotations

import pytest

from pywasm_nn.interpreter.instructions import OPS, Imm
from pywasm_nn.interpreter.module import MemArg
from pywasm_nn.watch.explain import explain

MINUS_7 = 2**32 - 7


@pytest.mark.parametrize(
    ("name", "popped", "said"),
    [
        ("i32.mul", [3, 3], "3 x 3"),
        ("i32.add", [MINUS_7, 2], "-7 + 2"),
        ("i32.lt_s", [MINUS_7, 2], "-7 < 2"),
        ("i32.lt_u", [MINUS_7, 2], "4294967289 < 2"),
        ("i32.shr_u", [MINUS_7, 1], "4294967289 >> 1"),
        ("i32.shr_s", [MINUS_7, 1], "-7 >> 1"),
        ("i32.shl", [3, 33], "3 << (33 & 0x1f)"),
        ("i64.sub", [1, 2**64 - 1], "1 - -1"),
        ("i32.eqz", [0], "0 == 0"),
        ("f32.add", [1.5, 0.25], "1.5 + 0.25"),
        ("f64.div", [1.0, 3.0], "1 / 3"),
        ("f64.sqrt", [2.0], "sqrt(2)"),
        ("f64.convert_i32_s", [MINUS_7], "float(-7)"),
        ("i32.clz", [1], ""),
        ("br_if", [1], "taken"),
        ("br_if", [0], "not taken"),
        ("if", [0], "else"),
        ("select", [5, 6, 1], "the first"),
        ("nop", [], ""),
    ],
)
def test_words(name: str, popped: list[int | float], said: str) -> None:
    assert explain(OPS[name], None, popped, []) == said


def test_loads_and_stores() -> None:
    assert explain(OPS["i32.load"], MemArg(2, 8), [16], [5]) == "[0x18] is 5"
    assert explain(OPS["i64.store8"], MemArg(0, 0), [16, 5], []) == "[0x10] = 5"
    assert (
        explain(OPS["v128.load8_lane"], (MemArg(0, 1), 3), [16, 0], [1 << 127]) == f"[0x11] is 0x8{'0' * 31}"
    )


@pytest.mark.parametrize("name", [n for n, op in OPS.items() if op.expr and op.params])
def test_every_row_can_be_explained(name: str) -> None:
    op = OPS[name]
    assert op.params is not None
    popped = [1.5 if str(type_).startswith("f") else 3 for type_ in op.params]
    memarg = MemArg(0, 0)
    said = explain(op, (memarg, 1) if Imm.LANE in op.imms else memarg, popped, [0])
    assert len(said) <= 40
    assert not {"a", "b", "c"} & set(said.split())
