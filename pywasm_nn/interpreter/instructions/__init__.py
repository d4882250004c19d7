"""THE TABLE of instructions, each in one row. `OPS` finds a row by mnemonic, `BY_CODE` by opcode; the rows
are in the files here."""

from . import atomics, control, exceptions, gc, memory, numeric, reference, simd, wide
from .row import BY_CODE, OPS, PREFIXES, Imm, Op, op

__all__ = [
    "BY_CODE", "OPS", "PREFIXES", "Imm", "Op", "atomics", "control", "exceptions", "gc", "memory", "numeric", "op", "reference", "simd", "wide",
]  # fmt: skip
