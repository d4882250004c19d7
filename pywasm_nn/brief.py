"""Short `repr` texts: one printable line of at most 300 characters, at little cost however large the object
is.

What is here: the `__repr__` of classes that are shown by their fields, and helpers for classes with their own
line, such as `Module`. What is not: summarising fields (`fields.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from .printable import LONGEST_REPR, printable

T = TypeVar("T")


def show_fields(self: Any) -> str:
    """The `__repr__` of records, and of other classes with fields that are decorated by `summarised`."""
    from .fields import Fields  # few programs show a record

    return printable(Fields(show_fields).whole(self), LONGEST_REPR)


def summarised(class_: type[T]) -> type[T]:
    """Decorates a dataclass or named tuple: its `repr` is short, whatever its fields contain."""
    class_.__repr__ = show_fields  # type: ignore[method-assign] # mypy allows this in no class
    return class_


def brief(value: object) -> str:
    """A short `repr` of anything."""
    from .fields import Fields

    return Fields(show_fields).repr(value)


def reasons(notes: Sequence[str], most: int = 3) -> str:
    """A tuple of notes for a person. The first is whole: mostly it is why something failed, and the others
    came of it."""
    first, others = map(repr, notes[:1]), map(brief, notes[1:most])
    more = [f"... {len(notes)} in all"] * (len(notes) > most)
    return f"({', '.join([*first, *others, *more])}{',' * (len(notes) == 1)})"


def named(what: str, text: str) -> str:
    """ "<Module app.wasm: 75 KB>": the kind of an object, and a description."""
    return f"{printable(f'<{what} {text}'.rstrip(), LONGEST_REPR - 1)}>"


def listed(names: Sequence[str], most: int = 5) -> str:
    """ "_start, memory and 3 more"."""
    shown = ", ".join(printable(name, 40) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def counted(count: int, thing: str) -> str:
    """ "1 function", "2 functions"."""
    return f"{count} {thing}{'s' * (count != 1)}"


def binary_size(count: int) -> str:
    """ "12 bytes", "64 KiB", "17.0625 MiB": a size of memory in the units in which limits are given."""
    for unit, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >> bits:
            return f"{count / (1 << bits):.4f}".rstrip("0").rstrip(".") + f" {unit}"
    return counted(count, "byte")


def sized(count: int) -> str:
    """ "12 bytes", "75 KB", "3.1 MB"."""
    if count < 1000:
        return counted(count, "byte")
    for unit in ("KB", "MB"):
        count_of = count / 1000 if unit == "KB" else count / 1e6
        if count_of < 999.5:
            return f"{count_of:.3g} {unit}"
    return f"{count / 1e9:.3g} GB"
