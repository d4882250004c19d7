"""THE TABLE of instructions, each in one row. `OPS` finds a row by mnemonic, `BY_CODE` by opcode; the rows
are in the files here. Those of `row.COMMON` and `row.RARE` are imported when one of their rows is first asked
for."""

from . import control, reference
from .row import BY_CODE, OPS, PREFIXES, ByRow, Imm, Op, op

__all__ = [
    "BY_CODE", "OPS", "PREFIXES", "ByRow", "Imm", "Op",
    "control", "op", "reference",
]  # fmt: skip
