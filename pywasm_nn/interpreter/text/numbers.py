"""Number tokens to values (https://webassembly.github.io/spec/core/text/values.html).

Functions take a word and raise ValueError with the suite's message: "unknown operator" for a word that is no
number, "constant out of range" for a number that doesn't fit.
"""

from __future__ import annotations

import re
from decimal import Decimal
from struct import Struct

from ...records import Frozen

_DECIMAL = r"[0-9]+(?:_[0-9]+)*"
_HEX = r"[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*"
_INTEGER = re.compile(rf"([+-]?)(?:0x({_HEX})|({_DECIMAL}))")
_HEX_FLOAT = re.compile(rf"0x({_HEX})(?:\.({_HEX})?)?(?:[pP]([+-]?{_DECIMAL}))?")
_DECIMAL_FLOAT = re.compile(rf"{_DECIMAL}(?:\.(?:{_DECIMAL})?)?(?:[eE][+-]?{_DECIMAL})?")
_FLOAT = re.compile(rf"[+-]?(?:inf|nan(?::0x{_HEX})?|{_HEX_FLOAT.pattern}|{_DECIMAL_FLOAT.pattern})")

_OUT_OF_RANGE = "constant out of range"
_MAX_DIGITS = 30
"""The maximum of decimal digits to convert: far above 64 bits, far below CPython's limit for conversions."""


def is_number(word: str) -> bool:
    """Whether a word is a number token of any kind."""
    return _FLOAT.fullmatch(word) is not None or _INTEGER.fullmatch(word) is not None


def is_integer(word: str) -> bool:
    """Whether a word is an integer token."""
    return _INTEGER.fullmatch(word) is not None


def _integer(word: str) -> int:
    match = _INTEGER.fullmatch(word)
    if match is None:
        raise ValueError("unknown operator")
    sign, hexadecimal, decimal = match.groups()
    if hexadecimal:
        value = int(hexadecimal, 16)
    else:
        digits = decimal.replace("_", "").lstrip("0")
        if len(digits) > _MAX_DIGITS:
            raise ValueError(_OUT_OF_RANGE)
        value = int(digits or "0")
    return -value if sign == "-" else value


def unsigned(word: str, bits: int) -> int:
    """uN: a number without sign, below 2^bits."""
    value = _integer(word)
    if word[0] in "+-":
        raise ValueError("unexpected token")
    if value >> bits:
        raise ValueError(f"i{bits} {_OUT_OF_RANGE}")
    return value


def integer(word: str, bits: int) -> int:
    """iN: a number from -2^(bits-1) to 2^bits - 1, as an unsigned value."""
    value = _integer(word)
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise ValueError(_OUT_OF_RANGE)
    return value & (1 << bits) - 1


class FloatFormat(Frozen):
    """A binary floating-point format of IEEE 754."""

    bits: int
    precision: int
    """Bits of the significand, including the hidden bit."""
    least: int
    """Exponent of the smallest subnormal number."""

    @property
    def infinity(self) -> int:
        """Bits of positive infinity."""
        return ((1 << self.bits - self.precision) - 1) << self.precision - 1


_FORMATS = {32: FloatFormat(32, 24, -149), 64: FloatFormat(64, 53, -1074)}
_F64, _U64 = Struct("<d"), Struct("<Q")


def float_bits(word: str, bits: int) -> int:
    """fN, N 32 or 64: the bits of a decimal or hexadecimal number, rounded once, of inf or of a nan."""
    form = _FORMATS[bits]
    sign = 1 << bits - 1 if word.startswith("-") else 0
    magnitude = word[1:] if word[:1] in ("+", "-") else word
    if magnitude == "inf":
        return sign | form.infinity
    if magnitude.startswith("nan"):
        return sign | form.infinity | _payload(magnitude, form)
    hexadecimal = _HEX_FLOAT.fullmatch(magnitude)
    if hexadecimal:
        whole, fraction, power = (part.replace("_", "") if part else "" for part in hexadecimal.groups())
        return sign | _rounded(int(whole + fraction, 16), _exponent(power) - 4 * len(fraction), form)
    if _DECIMAL_FLOAT.fullmatch(magnitude):
        return sign | _decimal_bits(magnitude, form)
    raise ValueError("unknown operator")


def _payload(word: str, form: FloatFormat) -> int:
    if word == "nan":
        return 1 << form.precision - 2
    match = re.fullmatch(rf"nan:0x({_HEX})", word)
    if match is None:
        raise ValueError("unknown operator")
    payload = int(match[1], 16)
    if not 0 < payload < 1 << form.precision - 1:
        raise ValueError(_OUT_OF_RANGE)
    return payload


def _exponent(digits: str) -> int:
    """An exponent, clamped: with an exponent of 20 digits, no mantissa that fits in memory is in range."""
    if len(digits.lstrip("+-0")) > 20:
        digits = f"{'-' if digits.startswith('-') else ''}{10**20}"
    return int(digits or "0")


def _rounded(mantissa: int, exponent: int, form: FloatFormat) -> int:
    """Bits of mantissa * 2^exponent, ties to even."""
    length = mantissa.bit_length()
    if length == 0:
        return 0
    drop = max(length - form.precision, form.least - exponent)
    if drop > length:
        return 0
    if drop > 0:
        rest = mantissa & (1 << drop) - 1
        half = 1 << drop - 1
        mantissa >>= drop
        if rest > half or (rest == half and mantissa & 1):
            mantissa += 1
    else:
        mantissa <<= -drop
    # A subnormal number has exponent field 0; otherwise the hidden bit is added to the field and makes it one
    # larger. The addition also carries a mantissa that was rounded up to the next power of two.
    bits = (exponent + drop - form.least << form.precision - 1) + mantissa
    if bits >= form.infinity:
        raise ValueError(_OUT_OF_RANGE)
    return bits


def _decimal_bits(word: str, form: FloatFormat) -> int:
    value = float(word)
    if value in (0.0, float("inf")):
        if value:
            raise ValueError(_OUT_OF_RANGE)
        return 0
    bits: int = _U64.unpack(_F64.pack(value))[0]
    if form.bits == 64:
        return bits
    # The f64 is already rounded. If it isn't exact, take the odd one of the two f64 around the true value.
    # Rounding that to f32 gives the correct result, because a number with an odd last bit is never a tie.
    exact = Decimal(word)
    if exact != value and bits & 1 == 0:
        bits += 1 if exact > value else -1
    mantissa = bits & (1 << 52) - 1
    field = bits >> 52
    return _rounded(mantissa | 1 << 52, field - 1075, form) if field else 0
