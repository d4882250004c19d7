"""WebAssembly proposals that aren't supported: how to recognise that a module needs one, and their names.

What is not here: the supported ones (`features.py`), and which features a module uses (`summary.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import MalformedError
from .pace import unhurried

if TYPE_CHECKING:
    from .module import Module

LEGACY = "legacy exception handling (from before 3.0; wasm-opt --translate-to-exnref rewrites it)"
SHARED_EVERYTHING = "shared-everything threads"
STACKS = "stack switching"
BY_OPCODE: dict[tuple[int, ...], str] = {
    **dict.fromkeys([(0x06,), (0x07,), (0x09,), (0x18,), (0x19,)], LEGACY),
    **{(code,): STACKS for code in range(0xE0, 0xE7)},
    **{(0xFB, number): "string references" for number in range(0x80, 0xB8)},
    **{(0xFC, number): "half-precision floats" for number in (0x30, 0x31)},
    **{(0xFD, number): "half-precision floats" for number in range(0x120, 0x150)},
    **{(0xFE, number): SHARED_EVERYTHING for number in range(0x4F, 0x80)},
}
"""Proposals by the opcodes of their instructions."""
BY_TYPE = {0x5D: STACKS, 0x65: SHARED_EVERYTHING}
"""Proposals by the first byte of their types."""
MOST_TRIED = 20
"""The number of suspicious bodies that are decoded."""
TRY = rb"\x06[\x40\x7b-\x7f]"
"""The beginning of a block of legacy exception handling, or a constant with the same bytes."""


def unknown_type(code: int, message: str, pos: int) -> MalformedError:
    """The error for an unknown type."""
    return MalformedError(message, pos, proposal=BY_TYPE.get(code, ""))


def check(module: Module) -> None:
    """Raise MalformedError if a body uses legacy exceptions, which compilers often emit, without decoding all
    bodies."""
    if not module.tag_types:
        return
    import re

    looks, tried = re.compile(TRY), 0
    for func in module.funcs:
        if looks.search(module.data, func.offset, func.offset + func.size) and tried < MOST_TRIED:
            tried += 1
            try:
                func.read_body(unhurried)
            except MalformedError as error:
                if error.proposal:
                    raise
