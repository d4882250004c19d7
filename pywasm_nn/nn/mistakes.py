"""Words for mistakes of plugins: what a class lacks.

What is not here: the checks (`backend`, `registry`, `formats.arguments`), and where a file failed (`plugin`).
"""

from __future__ import annotations


def lacking(one: object, method: str, result: str) -> NotImplementedError:
    """The exception for a method that a plugin's class must define."""
    own = type(one).__qualname__
    return NotImplementedError(f"{own} must define `def {method}`, which returns {result}")
