"""The names of variables in generated Python that contain a number.

What is not here: other names, such as `heap`, and what the names mean (docs/compiler.md).
"""

from __future__ import annotations

import sys
from functools import lru_cache

FIXED = "$"
"""What a literal begins with that stands for an object (`Namespace.fixed`), and no other does."""
KEEPS_CONSTANTS = "t" not in getattr(sys, "abiflags", "")
"""Whether code may have any object among its constants: free-threaded CPython hashes them all, and a view has
no hash."""


class Namespace:
    """Writes the names; nothing else does. Indices are those of the module's index spaces."""

    # Variables of a function

    @staticmethod
    def local(index: int) -> str:
        return f"l{index}"

    @staticmethod
    def stack(height: int) -> str:
        """The operand at a height of the stack."""
        return f"v{height}"

    @staticmethod
    def case(depth: int) -> str:
        """The next case of a chain of blocks, `depth` chains inside others."""
        return f"c{depth}"

    # Names in the namespace of an instance

    @staticmethod
    def func(index: int) -> str:
        return f"func{index}"

    @staticmethod
    def target(index: int) -> str:
        """The function behind one that only forwards its calls."""
        return f"func{index}_"

    @staticmethod
    def tail(index: int) -> str:
        """The form of a function for tail calls."""
        return f"tail{index}"

    @staticmethod
    def seen(name: str) -> str:
        """The function with this name, whose calls an observer sees."""
        return f"{name}_seen"

    @staticmethod
    def global_(index: int) -> str:
        return f"g{index}"

    @staticmethod
    def table(index: int) -> str:
        return f"t{index}"

    @staticmethod
    def memory(index: int) -> str:
        return f"m{index}"

    @staticmethod
    def whole(funcidx: int, number: int) -> str:
        """What does a loop of a function with arrays."""
        return f"w{funcidx}_{number}"

    @staticmethod
    def tag(index: int | None) -> str:
        return f"tag{index}"

    @staticmethod
    def dispatch(tableidx: int, typeidx: int) -> str:
        """The functions of a table that have a type."""
        return f"d{tableidx}_{typeidx}"

    @staticmethod
    def tail_dispatch(tableidx: int, typeidx: int) -> str:
        """The same for tail calls."""
        return f"d{tableidx}_{typeidx}_tail"

    # Accesses to memory. `memidx` is 0 where the name is put into the namespace by `of_memory` later.

    @staticmethod
    def of_memory(name: str, memidx: int) -> str:
        """The name for the same thing of another memory than the first."""
        return f"{name}_{memidx}" if memidx else name

    @staticmethod
    @lru_cache(2048)
    def view(access: str, memidx: int = 0, start: int = 0) -> str:
        """The view for an access such as "u32", which begins at an offset."""
        return Namespace.of_memory(f"{access}at{start}" if start else access, memidx)

    @staticmethod
    @lru_cache(2048)
    def fixed(name: str) -> str:
        """The literal that generated code has for a name that always means the same object in an instance.
        The object takes the literal's place when the function is installed, so that it is found at once."""
        return f'"{FIXED}{name}"' if KEEPS_CONSTANTS else name

    @staticmethod
    def buffer(memidx: int = 0) -> str:
        return Namespace.of_memory("mem", memidx)

    @staticmethod
    def load(access: str, memidx: int = 0) -> str:
        """The function that reads a value from the buffer."""
        return Namespace.of_memory(f"load_{access}", memidx)

    @staticmethod
    def store(access: str, memidx: int = 0) -> str:
        """The function that writes a value to the buffer."""
        return Namespace.of_memory(f"store_{access}", memidx)
