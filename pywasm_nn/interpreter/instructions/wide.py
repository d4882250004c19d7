"""Wide arithmetic (https://github.com/WebAssembly/wide-arithmetic): integers of 128 bits as two i64, the low half
first."""

from .row import op

WIDE = "wide-arithmetic"
BITS = "0xFFFFFFFFFFFFFFFF"
I128 = "i64 i64 i64 i64 -> i64 i64"
PRODUCT = "i64 i64 -> i64 i64"
A, B = "(a - (a >> 63 << 64))", "(b - (b >> 63 << 64))"
"""The operands as signed numbers."""

op((0xFC, 0x13), "i64.add128", I128, (f"a + c & {BITS}", f"b + d + (a + c >> 64) & {BITS}"), feature=WIDE)
op((0xFC, 0x14), "i64.sub128", I128, (f"a - c & {BITS}", f"b - d + (a - c >> 64) & {BITS}"), feature=WIDE)
op((0xFC, 0x15), "i64.mul_wide_s", PRODUCT, (f"a * b & {BITS}", f"{A} * {B} >> 64 & {BITS}"), feature=WIDE)
op((0xFC, 0x16), "i64.mul_wide_u", PRODUCT, (f"a * b & {BITS}", "a * b >> 64"), feature=WIDE)
