"""Values to tokens: numbers, strings and ids. The opposite direction is in `numbers` and `lexer`."""

from __future__ import annotations

import re
from struct import Struct

from ...printable import is_visible
from .numbers import float_bits

_IDENTIFIER = re.compile(r"[0-9A-Za-z!#$%&'*+\-./:<=>?@\\^_`|~]+")
_PRECISION = {32: 24, 64: 53}
_F32_DIGITS = 9
"""Significant decimal digits that distinguish any two f32 values."""
_F32, _F64, _U32, _U64 = Struct("<f"), Struct("<d"), Struct("<I"), Struct("<Q")


def integer_text(value: int, bits: int) -> str:
    """An unsigned canonical value as a signed number."""
    return str(value - (1 << bits) if value >> bits - 1 else value)


def float_text(value: int, bits: int) -> str:
    """The float with these bits: the shortest decimal that reads as the same value, inf, or nan with its
    payload."""
    sign = "-" if value >> bits - 1 else ""
    mantissa_bits = _PRECISION[bits] - 1
    magnitude = value & (1 << bits - 1) - 1
    infinity = (1 << bits - 1) - (1 << mantissa_bits)
    if magnitude == infinity:
        return sign + "inf"
    if magnitude > infinity:
        payload = magnitude - infinity
        return sign + ("nan" if payload == 1 << mantissa_bits - 1 else f"nan:{payload:#x}")
    if bits == 64:
        return sign + repr(_F64.unpack(_U64.pack(magnitude))[0])
    number: float = _F32.unpack(_U32.pack(magnitude))[0]
    texts = (f"{number:.{digits}g}" for digits in range(1, _F32_DIGITS + 1))
    return sign + next(text for text in texts if _reads_as(text, magnitude))


def vector_text(value: int) -> str:
    """A vector by its four lanes of 32 bits, lowest first."""
    return "i32x4 " + " ".join(f"0x{value >> shift & 0xFFFFFFFF:08x}" for shift in (0, 32, 64, 96))


def _reads_as(text: str, bits: int) -> bool:
    try:
        return float_bits(text, 32) == bits
    except ValueError:
        # Rounding the largest numbers to few digits leaves the range.
        return False


def bytes_text(data: bytes) -> str:
    """A string token for any bytes: everything except printable ASCII is escaped."""
    return '"' + "".join(_BYTES[byte] for byte in data) + '"'


_BYTES = [chr(b) if 0x20 <= b < 0x7F and chr(b) not in '"\\' else f"\\{b:02x}" for b in range(256)]


def name_text(name: str) -> str:
    """A string token for a name: visible characters of any script stay unescaped."""
    if name.isascii():
        return bytes_text(name.encode())
    parts = (c if is_visible(c) and not c.isascii() else bytes_text(c.encode())[1:-1] for c in name)
    return '"' + "".join(parts) + '"'


def id_text(name: str) -> str:
    """An id token, quoted if necessary."""
    return f"${name}" if _IDENTIFIER.fullmatch(name) else f"${name_text(name)}"
