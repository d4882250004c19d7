"""The texts below the fields of a class, read from its source; `records` imports this module for `help`
alone.

What is not here: the values of fields (`fields.py`).
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise


@cache
def texts(module: str, name: str) -> dict[str, str]:
    """By the names of fields of a class, the string that stands below each; empty without a source. `name` is
    the class's `__qualname__`."""
    try:
        body = ast.parse(inspect.getsource(sys.modules[module])).body
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    for part in name.split("."):
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == part), [])
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }  # fmt: skip
