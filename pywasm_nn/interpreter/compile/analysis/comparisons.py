"""The table of comparisons, for integers and floats."""

from __future__ import annotations

from ...instructions import OPS

SYMBOLS = {"lt": "<", "gt": ">", "le": "<=", "ge": ">=", "eq": "==", "ne": "!="}
"""Python's symbols, by the verb of an instruction."""
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
"""The equivalent comparison with exchanged operands."""
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
"""The negated comparison; only for integers."""
COMPARISONS = [op for op in OPS.values() if op.boolean and op.verb in SYMBOLS]
INTEGER = {op.name: (SYMBOLS[op.verb], op.sign == "s") for op in COMPARISONS if op.kind in ("i32", "i64")}
"""For each comparison of two integers: the symbol, and whether it is signed."""
FLOAT = {op.name: SYMBOLS[op.verb] for op in COMPARISONS if op.kind in ("f32", "f64")}
"""For each comparison of two floats: the symbol."""
I32 = {name: meaning for name, meaning in INTEGER.items() if OPS[name].kind == "i32"}
"""The entries of `INTEGER` for i32."""
