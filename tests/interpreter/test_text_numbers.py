"""Number tokens against Python's own conversions, which round correctly, and against exact fractions."""

from __future__ import annotations

import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.interpreter.text.literals import float_text, integer_text
from pywasm_nn.interpreter.text.numbers import float_bits, integer, unsigned


def f64_bits(value: float) -> int:
    return int.from_bytes(struct.pack(">d", value), "big")


def f32_value(bits: int) -> Fraction:
    return Fraction(struct.unpack(">f", bits.to_bytes(4, "big"))[0])


F32_MAX = 0x7F7FFFFF


def nearest_f32(value: Fraction) -> int:
    """Bits of the nearest f32 of a positive number by bisection over all f32, ties to even."""
    low, high = 0, F32_MAX
    while low < high:
        middle = (low + high + 1) // 2
        if f32_value(middle) <= value:
            low = middle
        else:
            high = middle - 1
    if low == F32_MAX:
        return low
    below, above = value - f32_value(low), f32_value(low + 1) - value
    return low + (above < below or (above == below and low & 1))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_f64_reads_what_python_writes(value: float) -> None:
    assert float_bits(repr(value), 64) == f64_bits(value)
    assert float_bits(value.hex(), 64) == f64_bits(value)


@given(st.integers(0, 2**70), st.integers(-1200, 900))
def test_f64_hexadecimal_rounds_like_python(mantissa: int, exponent: int) -> None:
    word = f"0x{mantissa:x}p{exponent}"
    try:
        expected = float.fromhex(word)
    except OverflowError:
        with pytest.raises(ValueError, match="constant out of range"):
            float_bits(word, 64)
        return
    assert float_bits(word, 64) == f64_bits(expected)


@given(st.integers(1, 2**70), st.integers(-190, 40))
def test_f32_hexadecimal_rounds_once(mantissa: int, exponent: int) -> None:
    value = Fraction(mantissa) * Fraction(2) ** exponent
    if value <= f32_value(F32_MAX):
        assert float_bits(f"0x{mantissa:x}p{exponent}", 32) == nearest_f32(value)


@given(st.integers(1, 10**25), st.integers(-70, 12))
def test_f32_decimal_rounds_once(mantissa: int, exponent: int) -> None:
    value = Fraction(mantissa) * Fraction(10) ** exponent
    if value <= f32_value(F32_MAX):
        assert float_bits(f"{mantissa}e{exponent}", 32) == nearest_f32(value)


@given(st.integers(0, F32_MAX - 1), st.integers(-1, 1))
def test_f32_decimal_next_to_a_tie(bits: int, side: int) -> None:
    """Halfway between neighbours, and so little beside it that an f64 can't tell."""
    tie = (f32_value(bits) + f32_value(bits + 1)) / 2
    # Every tie is a fraction of a power of two, so it has a finite decimal expansion.
    digits = 200
    scaled = tie * 10**digits
    assert scaled.denominator == 1
    word = f"{scaled.numerator * 10 + side}e-{digits + 1}"
    assert float_bits(word, 32) == bits + (side > 0 or (side == 0 and bits & 1))


@given(st.integers(0, 2**32 - 1))
def test_every_f32_prints_as_what_reads_back(bits: int) -> None:
    assert float_bits(float_text(bits, 32), 32) == bits


@given(st.integers(0, 2**64 - 1))
def test_every_f64_prints_as_what_reads_back(bits: int) -> None:
    assert float_bits(float_text(bits, 64), 64) == bits


@pytest.mark.parametrize(
    ("word", "bits", "expected"),
    [
        ("nan", 32, 0x7FC00000),
        ("-nan", 64, 0xFFF8 << 48),
        ("nan:0x1", 32, 0x7F800001),
        ("-nan:0xf_ffff_ffff_ffff", 64, 2**64 - 1),
        ("inf", 32, 0x7F800000),
        ("-0", 32, 0x80000000),
        ("-0x0p0", 64, 1 << 63),
        ("1_000.5_0e0_1", 64, f64_bits(10005.0)),
        ("0x1.fffffep127", 32, F32_MAX),
        ("340282356779733661637539395458142568447.9", 32, F32_MAX),
        ("0x1p-149", 32, 1),
        ("0x1p-150", 32, 0),
        ("0x1." + "0" * 5000 + "1p-150", 32, 1),
        ("1" + "0" * 5000 + "e-5000", 32, 0x3F800000),
        ("0e99999999999999999999999999", 64, 0),
        ("0x0p" + "9" * 6000, 64, 0),
        ("1e-" + "9" * 6000, 32, 0),
    ],
)
def test_float_words(word: str, bits: int, expected: int) -> None:
    assert float_bits(word, bits) == expected


@pytest.mark.parametrize(
    ("word", "bits"),
    [
        ("340282356779733661637539395458142568448", 32),
        ("0x1.ffffffp127", 32),
        ("1e309", 64),
        ("0x1p1024", 64),
        ("0x1p" + "9" * 6000, 64),
        ("nan:0x0", 32),
        ("nan:0x80_0000", 32),
    ],
)
def test_floats_out_of_range(word: str, bits: int) -> None:
    with pytest.raises(ValueError, match="constant out of range"):
        float_bits(word, bits)


@pytest.mark.parametrize(
    "word",
    [
        "",
        ".5",
        "_1",
        "1_",
        "1__0",
        "0x",
        "0x.1",
        "1e",
        "0x1p",
        "1e_1",
        "nan:",
        "nan:1",
        "infinity",
        "NaN",
        "0X1",
        "1f",
    ],
)
def test_words_that_are_no_float(word: str) -> None:
    with pytest.raises(ValueError, match="unknown operator"):
        float_bits(word, 64)


@given(st.integers(-(2**31), 2**32 - 1))
def test_i32_in_every_spelling(value: int) -> None:
    sign, magnitude = ("-" if value < 0 else ""), abs(value)
    words = [f"{value}", f"{sign}{magnitude:#x}", f"{sign}{magnitude:_}", f"{sign}0x{magnitude:_X}"]
    words += [f"{sign}000{magnitude}"] + ([f"+{value}"] if value >= 0 else [])
    assert {integer(word, 32) for word in words} == {value % 2**32}
    assert integer(integer_text(value % 2**32, 32), 32) == value % 2**32


@pytest.mark.parametrize("word", ["4294967296", "-2147483649", "0x1_0000_0000", "9" * 5000, "-" + "9" * 5000])
def test_i32_out_of_range(word: str) -> None:
    with pytest.raises(ValueError, match="constant out of range"):
        integer(word, 32)


def test_unsigned_numbers_have_no_sign() -> None:
    assert unsigned("0xffff_ffff", 32) == 2**32 - 1
    for word in ("+1", "-0"):
        with pytest.raises(ValueError, match="unexpected token"):
            unsigned(word, 32)
