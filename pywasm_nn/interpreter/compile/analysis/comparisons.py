"""Comparisons: the one table of them, for integers and floats."""

from __future__ import annotations

SYMBOLS = {"lt": "<", "gt": ">", "le": "<=", "ge": ">=", "eq": "==", "ne": "!="}
"""Python's symbols, by the word in the name of an instruction."""
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
"""The same comparison with its operands the other way round."""
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
"""The comparison that is true exactly where one isn't, of integers."""
ORDERS = ("lt", "gt", "le", "ge")
INTEGER = {
    f"{type_}.{name}{sign}": (symbol, sign == "_s")
    for type_ in ("i32", "i64")
    for name, symbol in SYMBOLS.items()
    for sign in (("_s", "_u") if name in ORDERS else ("",))
}
"""Symbol, and whether it compares signed numbers, of each comparison of two integers."""
FLOAT = {f"{type_}.{name}": symbol for type_ in ("f32", "f64") for name, symbol in SYMBOLS.items()}
"""Symbol of each comparison of two floats."""
I32 = {name: meaning for name, meaning in INTEGER.items() if name.startswith("i32")}
"""Those of `INTEGER` that compare i32."""
