"""Calls an exported function with arguments from a command line, and writes its results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from ..interpreter.types import FuncType, ValType
from ..interpreter.words import arguments_of


def arguments_for(name: str, type_: FuncType, words: Sequence[str]) -> list[Any]:
    """Convert the words to Python values for the parameters of `name`. Raises click.UsageError."""
    try:
        return arguments_of(name, type_, words)
    except ValueError as error:
        option = next((word for word in words[1:] if word.startswith("--")), None)
        if option is None:
            raise click.UsageError(str(error)) from None
        behind = f'options end at the first argument, "{words[0]}", and {option} stands behind it'
        raise click.UsageError(f"{error}; {behind}") from None


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
