"""Symbols as people wrote them: names that compilers of Rust and C++ make of paths and types.

What is here: which language a symbol is of. What is not: the grammars (`rust.py`, `legacy.py`, `itanium.py`).
Parameters of functions are left out, as a backtrace has their values. Symbols come from modules that nobody
has checked: one that isn't right, or that stands for more than a person would read, stays as it is.
"""

from __future__ import annotations

from functools import lru_cache

from . import itanium, legacy, rust
from .reading import MOST_SYMBOL, NotMangledError


@lru_cache(4096)
def demangle(symbol: str) -> str:
    """The name that a symbol stands for; a symbol that stands for none is its own name."""
    if len(symbol) > MOST_SYMBOL:
        return symbol
    try:
        if legacy.is_legacy(symbol):
            return legacy.demangle(symbol)
        if symbol.startswith("_R"):
            return rust.demangle(symbol)
        if symbol.startswith("_Z"):
            return itanium.demangle(symbol)
    except NotMangledError:
        pass
    return symbol
