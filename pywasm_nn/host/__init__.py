"""The host seam: a typed Python function becomes a Wasm import.

What is here: how values cross (`crossing`), what annotations say (`signature`), the callable that answers a
guest (`calls`) and where functions are declared (`face`). Inside, code raises; only this package makes
numbers. Pointers are checked before the function runs, so that nothing has happened yet when one is bad. What
is not: any particular ABI, and how engines call the result (`interpreter.runtime.instance.HostFunc`).
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
