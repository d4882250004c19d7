"""Errors of inference: a number for the guest, a reason for users.

What is not here: the numbers of other dialects. `Code` has the numbers of `wasi_ephemeral_nn`; other faces
map them.
"""

from __future__ import annotations

from enum import Enum, IntEnum

from ..printable import PrintableError


class Code(IntEnum):
    """`nn_errno` of wasi-nn.witx; numbers from 100 are WasmEdge's extensions.

    https://github.com/WebAssembly/wasi-nn/blob/main/wasi-nn.witx
    """

    SUCCESS = 0
    INVALID_ARGUMENT = 1
    INVALID_ENCODING = 2
    MISSING_MEMORY = 3
    BUSY = 4
    RUNTIME_ERROR = 5
    UNSUPPORTED_OPERATION = 6
    TOO_LARGE = 7
    NOT_FOUND = 8
    END_OF_SEQUENCE = 100
    CONTEXT_FULL = 101
    PROMPT_TOO_LONG = 102
    MODEL_NOT_FOUND = 103

    @property
    def label(self) -> str:
        """The name in the specification, for example "invalid_argument"."""
        return self.name.lower()


class Nature(Enum):
    """Kinds of errors for which some dialects have a code and `nn_errno` has none."""

    TIMEOUT = "timeout"
    SECURITY = "security"


class NNError(PrintableError):
    """An operation failed. `code` is for the guest, `reason` (a sentence without a full stop) for users."""

    def __init__(self, code: Code, reason: str, nature: Nature | None = None) -> None:
        super().__init__(f"{code.label}: {reason}")
        self.code = code
        self.reason = reason
        self.nature = nature


class BufferTooSmallError(NNError):
    """An output is larger than the guest's buffer; `needed` bytes would be enough."""

    def __init__(self, reason: str, needed: int) -> None:
        super().__init__(Code.TOO_LARGE, reason)
        self.needed = needed
