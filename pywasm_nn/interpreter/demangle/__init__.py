"""Source names of mangled symbols: names that the compilers of Rust and C++ encode, with paths and types.

What is here: recognising a symbol's language. What is not: the grammars (`rust.py`, `legacy.py`,
`itanium.py`). Parameters of functions are left out, because a backtrace shows their values. Symbols are not
validated: a malformed symbol, or one with too long a name, stays unchanged.
"""

from __future__ import annotations

from functools import lru_cache

from . import itanium, legacy, rust
from .reading import MOST_SYMBOL, NotMangledError


@lru_cache(4096)
def demangle(symbol: str) -> str:
    """The source name of a symbol; any other symbol is returned unchanged."""
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
