"""Converts values between this package's canonical form and the words of wasmtime's unchecked calls.

A value takes two words of 64 bits, wherever it stands; results replace the arguments. The functions are
generated for each type of function, because a loop over values would be slow. What is not here: calls
(`store.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_uint64
from functools import cache
from types import CodeType
from typing import Any

from ..interpreter.numerics import bits32, bits64, float32, float64
from ..interpreter.types import F32, F64, I32, I64, V128, FuncType, NumType, ValType

IN = {
    I32: "raw[{0}] & 0xFFFFFFFF",
    I64: "raw[{0}]",
    F32: "float32(raw[{0}] & 0xFFFFFFFF)",
    F64: "float64(raw[{0}])",
    V128: "raw[{0}] | raw[{1}] << 64",
}
"""The canonical value in two words, by type."""
OUT = {
    I32: "raw[{0}] = {2}",
    I64: "raw[{0}] = {2}",
    F32: "raw[{0}] = bits32({2})",
    F64: "raw[{0}] = bits64({2})",
    V128: "raw[{0}] = {2} & 0xFFFFFFFFFFFFFFFF; raw[{1}] = {2} >> 64",
}
"""A statement that puts a canonical value into two words."""
REFERENCE_IN = ("extern_in(raw[{0}])", "func_in(raw[{0}])")
REFERENCE_OUT = ("raw[{0}] = extern_out({2})", "raw[{0}] = func_out({2})")
"""The same for references: external ones, and functions."""
NAMES = {"float32": float32, "float64": float64, "bits32": bits32, "bits64": bits64}


def is_func(type_: ValType) -> bool:
    """Whether a reference type is one of functions; the other references are external here."""
    from ..interpreter.matching import matches_value
    from ..interpreter.types import FUNCREF

    return matches_value(type_, FUNCREF)


def taken(type_: ValType, index: int) -> str:
    """An expression for value `index`."""
    form = IN[type_] if isinstance(type_, NumType) else REFERENCE_IN[is_func(type_)]
    return form.format(2 * index, 2 * index + 1)


def put(type_: ValType, index: int, value: str) -> str:
    """A statement that stores value `index`."""
    form = OUT[type_] if isinstance(type_, NumType) else REFERENCE_OUT[is_func(type_)]
    return form.format(2 * index, 2 * index + 1, value)


def count_of(type_: FuncType) -> int:
    """The number of values in the array of a call."""
    return max(len(type_.params), len(type_.results))


@cache
def call_code(type_: FuncType) -> CodeType:
    """The code of a guest's function for Python: `invoke` calls it with an array of `Words`."""
    given = ", ".join(f"a{index}" for index in range(len(type_.params)))
    results = ", ".join(taken(result, index) for index, result in enumerate(type_.results))
    return compiled(
        f"def made({given}):",
        "if instance.group.refusal is not None: refused(instance)",
        "if unheld: check_held(instance)",
        "raw = Words()",
        *(put(param, index, f"a{index}") for index, param in enumerate(type_.params)),
        f"invoke(func, raw, {count_of(type_)})",
        "if bound: look_for_growth()",
        f"return {results or None}",
    )


@cache
def host_code(type_: FuncType) -> CodeType:
    """The code of a host function for wasmtime: `risen` makes a trap of an exception."""
    given = ", ".join(taken(param, index) for index, param in enumerate(type_.params))
    names = [f"r{index}" for index in range(len(type_.results))]
    answer = f"{', '.join(names)} = " if names else ""
    return compiled(
        "def made(data, caller, raw, count):",
        "try:",
        "  if bound: look_for_growth()",
        f"  {answer}function({given})",
        "  if timed: check_time()",
        *(f"  {put(result, index, names[index])}" for index, result in enumerate(type_.results)),
        "  return 0",
        "except BaseException as error:",
        "  return risen(error)",
    )


def compiled(head: str, *lines: str) -> CodeType:
    whole = compile("\n ".join([head, *lines]), "<wasmtime>", "exec", dont_inherit=True)
    (code,) = (const for const in whole.co_consts if isinstance(const, CodeType))
    return code


@cache
def words(count: int) -> Callable[[], Any]:
    """A class of arrays for so many values."""
    return c_uint64 * (2 * max(count, 1))
