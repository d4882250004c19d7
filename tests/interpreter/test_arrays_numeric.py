"""Operations on arrays against the meanings in the instruction table, on numbers at the edges."""

from __future__ import annotations

import struct
from itertools import product
from typing import Any

import pytest

from pywasm_nn.errors import Trap
from pywasm_nn.interpreter import numerics
from pywasm_nn.interpreter.arrays.scalars import SCALARS
from pywasm_nn.interpreter.compile.analysis.rounds import PURE
from pywasm_nn.interpreter.instructions import OPS

np = pytest.importorskip("numpy")
numeric = pytest.importorskip("pywasm_nn.interpreter.arrays.numeric")

WIDE = ((1 << 53) + 1, (1 << 54) + 3, (1 << 63) + 1025, (1 << 62) + (1 << 38) + 1, 0x8000008000000001)
INTEGERS = {
    bits: [
        0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, 127, 128, 200, 255, 256, 32767, 32768, 65535, 65536, 77777,
        (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits - 1) + 1, (1 << bits) - 1, (1 << bits) - 2,
        (1 << bits) - 128, (1 << bits) - 129, (1 << bits) - 32768, (1 << bits) - 32769, 0x7FFFFF80,
        (1 << 24) + 1, (1 << 25) + 3, (1 << bits) - (1 << 25) - 3, 0x40000041,
        *(number for number in WIDE if bits == 64),
    ]
    for bits in (32, 64)
}  # fmt: skip
FLOATS = [
    0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -1.5, -2.5, 0.49999997, 0.99999994, -0.99999994, 3.7, -3.7,
    255.0, 256.0, 1e-40, -1e-45, 5e-324, 1e30, -1e30, 3.4e38, 16777217.0, 8388609.0, 8388608.5,
    4503599627370497.5,
    2147483647.0, 2147483648.0, 2147483649.0, -2147483648.0, -2147483649.0, -2147483648.5, 4294967295.0,
    4294967296.0, 4294967295.5, 9.223372036854775807e18, 9.223372036854774e18, -9.223372036854775808e18,
    -9.3e18, 1.8446744073709552e19, 1.8446744073709550e19, 1 / 3, 0.1,
    float("inf"), float("-inf"), float("nan"),
]  # fmt: skip


def operands(type_: str) -> list[Any]:
    if type_[0] == "i":
        return INTEGERS[int(type_[1:])]
    if type_ == "f64":
        return FLOATS
    return [
        struct.unpack("<f", struct.pack("<f", x))[0]
        for x in FLOATS
        if not abs(x) > 3.5e38 or x in (float("inf"), float("-inf")) or x != x
    ]


def expected(name: str, values: tuple[Any, ...]) -> Any:
    """What the table says; None for a trap."""
    try:
        return eval(OPS[name].exprs[0], vars(numerics), dict(zip("ab", values, strict=False)))
    except (Trap, ZeroDivisionError):
        return None


def same(a: Any, b: Any) -> bool:
    if a != a or b != b:
        return a != a and b != b
    return a == b and (not isinstance(a, float) or struct.pack("<d", a) == struct.pack("<d", float(b)))


NOT_HERE = {"i32.add", "i32.sub", "i64.add", "i64.sub"}
"""Sums are multiples of nodes."""


@pytest.mark.parametrize("name", sorted(PURE - NOT_HERE))
def test_an_operation_gives_what_the_table_says(name: str) -> None:
    op = OPS[name]
    assert op.params
    types = [type_.name for type_ in op.params]
    rows = list(product(*[operands(type_) for type_ in types]))
    arrays = [
        np.array(column, numeric.DTYPES[type_])
        for type_, column in zip(types, zip(*rows, strict=True), strict=True)
    ]
    with np.errstate(all="ignore"):
        found = numeric.OPERATIONS[name](*arrays)
        traps = numeric.TRAPS[name](*arrays) if name in numeric.TRAPS else np.zeros(len(rows), bool)
    result = "bool" if op.boolean else op.results[0].name
    assert found.dtype == numeric.DTYPES[result]
    assert op.traps == (name in numeric.TRAPS)
    for row, value, trap in zip(rows, found.tolist(), traps.tolist(), strict=True):
        want = expected(name, row)
        assert trap is (want is None), row
        if want is not None:
            assert same(value, want) or (name.endswith("copysign") and row[1] != row[1]), (row, value, want)


@pytest.mark.parametrize("name", sorted(SCALARS.keys() & PURE))
def test_what_doesn_t_change_is_computed_alike(name: str) -> None:
    for row in product(*[operands(type_.name)[::3] for type_ in OPS[name].params or ()]):
        assert int(SCALARS[name](*row)) == expected(name, row), row


@pytest.mark.parametrize("name", ["i32.div_s", "i64.rem_u", "f32.min", "i32.shr_s", "f64.copysign"])
def test_one_value_for_all_is_the_same(name: str) -> None:
    types = [type_.name for type_ in OPS[name].params or ()]
    for second in (3, 7):
        first = np.array(operands(types[0])[:20], numeric.DTYPES[types[0]])
        one, many = np.array([second], first.dtype), np.array([second] * 20, first.dtype)
        a, b = (numeric.OPERATIONS[name](first, other) for other in (one, many))
        assert a.tobytes() == b.tobytes()
