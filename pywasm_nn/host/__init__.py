"""The host interface: a typed Python function becomes a Wasm import.

What is here: the crossings of values (`crossing`), reading annotations (`signature`), the callable for a
guest (`calls`) and declaring functions (`face`). Host functions raise exceptions; only this package turns
them into numbers. Pointers are checked before the function runs, so that a bad pointer has no side effects.
What is not here: any particular ABI, and the engines' calls (`interpreter.runtime.instance.HostFunc`).
"""

from .crossing import (
    S64,
    U8,
    U16,
    U32,
    U64,
    AlignmentError,
    Caller,
    Crossing,
    Float32,
    Memory,
    NoSuchValueError,
    Out,
    Pointer,
    PointerError,
    Record,
    Span,
    Text,
    checked,
)
from .face import Face, host_function

__all__ = [
    "S64",
    "U8",
    "U16",
    "U32",
    "U64",
    "AlignmentError",
    "Caller",
    "Crossing",
    "Face",
    "Float32",
    "Memory",
    "NoSuchValueError",
    "Out",
    "Pointer",
    "PointerError",
    "Record",
    "Span",
    "Text",
    "checked",
    "host_function",
]
