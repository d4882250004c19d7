"""Arguments of a function as words that a person writes, on a command line or in a cell of a notebook.

What is not here: the words of components (`component.wave`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..brief import counted
from .types import FuncType, NumType, ValType


def arguments_of(name: str, type_: FuncType, words: Sequence[str]) -> list[Any]:
    """The words as Python values for the parameters of `name`. Raises ValueError with the reason."""
    if len(words) != len(type_.params):
        wanted, given = counted(len(type_.params), "argument"), len(words)
        raise ValueError(f"{name} {type_} takes {wanted}, {given} {'is' if given == 1 else 'are'} given")
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
        raise ValueError(f"{name}: {word!r} is no {type_}") from None
    return value
