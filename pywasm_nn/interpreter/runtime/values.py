"""Conversion of values between Python and a guest.

Inside, integers are unsigned and canonical; outside, i32 and i64 are signed, as most languages show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from ...checks import shown
from ..numerics import round32
from ..types import F32, F64, I32, I64, V128, ValType


def to_guest(type_: ValType, value: Any) -> Any:
    """The canonical value for a Python value: integers signed or unsigned, floats, None or a reference.

    Raises TypeError for a value of another type, ValueError for an integer that doesn't fit.
    """
    if type_ is I32 or type_ is I64 or type_ is V128:
        bits = type_.bits
        value = whole(type_, value)
        if not -(1 << bits - 1) <= value < 1 << bits:
            raise ValueError(f"{value} doesn't fit {type_}")
        return value & (1 << bits) - 1
    if type_ is F32 or type_ is F64:
        if not isinstance(value, int | float) and not hasattr(value, "__float__"):
            raise TypeError(f"{type_} wants a number, got {shown(value)}")
        return round32(float(value)) if type_ is F32 else float(value)
    return value


def whole(type_: ValType, value: Any) -> int:
    """An int, or an object that converts to one (numpy's integers). Raises TypeError for anything else."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{type_} wants an int, got {shown(value)}") from None


def from_guest(type_: ValType, value: Any) -> Any:
    """The Python value for a canonical value: integers signed."""
    if type_ is I32 or type_ is I64:
        bits = type_.bits
        return value - (1 << bits) if value >> bits - 1 else int(value)
    return value


def results_from_guest(types: Sequence[ValType], result: Any) -> Any:
    """The Python values of a callable's result: None, one value, or a tuple."""
    if not types:
        return None
    if len(types) == 1:
        return from_guest(types[0], result)
    return tuple(map(from_guest, types, result))


def results_to_guest(types: Sequence[ValType], result: Any) -> Any:
    """The canonical result for a Python result: None, one value, or a sequence with one value per type.

    Raises TypeError and ValueError for values that don't fit.
    """
    if not types:
        if result is not None:
            raise TypeError(f"no result is wanted, got {result!r}")
        return None
    if len(types) == 1:
        return to_guest(types[0], result)
    if len(result) != len(types):
        raise ValueError(f"{len(types)} results are wanted, got {len(result)}")
    return tuple(map(to_guest, types, result))
