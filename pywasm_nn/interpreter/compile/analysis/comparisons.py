"""Comparisons: the one table of them, for integers and floats."""

from __future__ import annotations

from ...instructions import OPS

SYMBOLS = {"lt": "<", "gt": ">", "le": "<=", "ge": ">=", "eq": "==", "ne": "!="}
"""Python's symbols, by the verb of an instruction."""
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
"""The same comparison with its operands the other way round."""
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
"""The comparison that is true exactly where one isn't, of integers."""
COMPARISONS = [op for op in OPS.values() if op.boolean and op.verb in SYMBOLS]
INTEGER = {op.name: (SYMBOLS[op.verb], op.sign == "s") for op in COMPARISONS if op.kind in ("i32", "i64")}
"""Symbol, and whether it compares signed numbers, of each comparison of two integers."""
FLOAT = {op.name: SYMBOLS[op.verb] for op in COMPARISONS if op.kind in ("f32", "f64")}
"""Symbol of each comparison of two floats."""
I32 = {name: meaning for name, meaning in INTEGER.items() if OPS[name].kind == "i32"}
"""Those of `INTEGER` that compare i32."""
