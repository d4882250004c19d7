"""WebAssembly proposals that aren't supported: how to recognise that a module needs one, and their names.

What is not here: the supported ones (`features.py`), and which features a module uses (`summary.py`).
"""

from __future__ import annotations

from ..errors import MalformedError

SHARED_EVERYTHING = "shared-everything threads"
STACKS = "stack switching"
BY_OPCODE: dict[tuple[int, ...], str] = {
    **{(code,): STACKS for code in range(0xE0, 0xE7)},
    **{(0xFB, number): "string references" for number in range(0x80, 0xB8)},
    **{(0xFC, number): "half-precision floats" for number in (0x30, 0x31)},
    **{(0xFD, number): "half-precision floats" for number in range(0x120, 0x150)},
    **{(0xFE, number): SHARED_EVERYTHING for number in range(0x4F, 0x80)},
}
"""Proposals by the opcodes of their instructions."""
BY_TYPE = {0x5D: STACKS, 0x65: SHARED_EVERYTHING}
"""Proposals by the first byte of their types."""


def unknown_type(code: int, message: str, pos: int) -> MalformedError:
    """The error for an unknown type."""
    return MalformedError(message, pos, proposal=BY_TYPE.get(code, ""))
