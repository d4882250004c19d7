"""From instructions to the tree: the translation of instructions, by family.

`emitter.py` walks a body; the other files register translations of a family's instructions.
"""

from . import (
    aggregates,
    atomics,
    bulk,
    calls,
    comparisons,
    control,
    descriptors,
    exceptions,
    floats,
    integers,
    memory,
    references,
    tables,
    tails,
    variables,
    vectors,
)
from .emitter import Emitter, most_steps

__all__ = [
    "Emitter",
    "aggregates",
    "atomics",
    "bulk",
    "calls",
    "comparisons",
    "control",
    "descriptors",
    "exceptions",
    "floats",
    "integers",
    "memory",
    "most_steps",
    "references",
    "tables",
    "tails",
    "variables",
    "vectors",
]
