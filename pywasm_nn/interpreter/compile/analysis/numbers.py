"""The types of numbers, and the instructions over them that are done with arrays."""

from __future__ import annotations

from ...instructions import OPS
from ...types import F32, F64, I32, I64, ValType

NAMES: dict[ValType, str] = {I32: "i32", I64: "i64", F32: "f32", F64: "f64"}
BITS = {"i32": 32, "i64": 64}
PURE = frozenset(
    name
    for name, op in OPS.items()
    if op.params and len(op.results) == 1 and not op.imms and op.exprs
    and {*op.params, *op.results} <= NAMES.keys() and op.verb not in ("clz", "ctz", "popcnt", "add128")
)  # fmt: skip
"""Instructions over numbers."""
