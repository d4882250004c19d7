"""Calls an exported function with arguments from a command line, and writes its results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from ..interpreter.types import FuncType, NumType, ValType


def arguments_for(name: str, type_: FuncType, words: Sequence[str]) -> list[Any]:
    """Convert the words to Python values for the parameters of `name`. Raises click.UsageError."""
    if len(words) != len(type_.params):
        raise click.UsageError(f"{name} {type_} takes {len(type_.params)} arguments, {len(words)} are given")
    return [value_of(word, param, name) for word, param in zip(words, type_.params, strict=True)]


def value_of(word: str, type_: ValType, name: str) -> Any:
    """Read an integer (decimal, 0x..., signed or unsigned), a float (nan, inf too), or `null` for a
    reference.
    """
    try:
        if not isinstance(type_, NumType):
            if word != "null":
                raise ValueError
            return None
        if type_.name.startswith("f"):
            return float.fromhex(word) if "0x" in word.lower() else float(word)
        value = int(word, 0)
        if not -(1 << (type_.bits - 1)) <= value < 1 << type_.bits:
            raise ValueError
    except ValueError:
        raise click.UsageError(f"{name}: {word!r} is no {type_}") from None
    return value


def results_of(type_: FuncType, results: Any) -> list[tuple[ValType, Any]]:
    """The results of a call from Python (None, one value, or a tuple) with their types."""
    values = () if not type_.results else results if len(type_.results) > 1 else (results,)
    return list(zip(type_.results, values, strict=True))


def written(type_: ValType, value: Any) -> str:
    """A result with its type: "i32:-1", "f64:0.5", "funcref:null"."""
    if isinstance(value, float) and math.isnan(value):
        return f"{type_}:nan"
    if value is None:
        return f"{type_}:null"
    return f"{type_}:{value!r}"
