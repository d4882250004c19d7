"""Summaries of objects by their fields; `brief` imports this module when a `repr` is needed.

What is not here: objects with a `repr` of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from reprlib import Repr
from typing import Any

from .printable import printable

DEEPEST = 3
"""Levels of nested objects; deeper ones are shown by the name of their class."""
MOST_ITEMS = 4
"""The number of items that are shown of a collection."""
LONGEST_STRING = 60
LONGEST_BYTES = 24
LONGEST_OTHER = 100
MOST_BITS = 128
"""Larger integers are shown by their size: converting them to decimal would take long."""


class Fields(Repr):
    """`reprlib` with a method for each type, which it finds by the type's name. Classes whose `__repr__` is
    `by_fields` are shown by their fields."""

    def __init__(self, by_fields: Callable[[Any], str]) -> None:
        super().__init__()
        self.maxlevel = DEEPEST
        self.by_fields = by_fields

    def repr(self, x: object) -> str:
        return self.repr1(x, self.maxlevel)

    def whole(self, x: Any) -> str:
        """An object with its fields."""
        return self.fields(x, self.maxlevel)

    def fields(self, x: Any, level: int) -> str:
        name = type(x).__qualname__
        if level <= 0:
            return f"{name}(...)"
        known = type(x).__dict__.get("__dataclass_fields__", {})
        names = [field for field in x.__match_args__ if field not in known or known[field].repr]
        values = (f"{field}={self.repr1(getattr(x, field, None), level - 1)}" for field in names)
        return f"{name}({', '.join(values)})"

    def items(self, opened: str, values: Iterable[Any], count: int, closed: str, level: int) -> str:
        if not count:
            return opened + closed
        if level <= 0:
            return f"{opened}{count} items{closed}"
        shown = [self.repr1(value, level - 1) for value in islice(values, MOST_ITEMS)]
        more = [f"... {count} in all"] if count > MOST_ITEMS else [""] * (count == 1 and closed == ")")
        return f"{opened}{', '.join(shown + more).rstrip(' ')}{closed}"

    def repr_tuple(self, x: tuple[Any, ...], level: int) -> str:
        return self.items("(", x, len(x), ")", level)

    def repr_list(self, x: list[Any], level: int) -> str:
        return self.items("[", x, len(x), "]", level)

    def repr_set(self, x: set[Any], level: int) -> str:
        return self.items("{", x, len(x), "}", level)

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        return self.items("{", x, len(x), "}", level)

    def repr_deque(self, x: Any, level: int) -> str:
        return self.items("[", x, len(x), "]", level)

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        if level <= 0:
            return f"{{{len(x)} items}}"
        shown = [
            f"{self.repr1(key, level - 1)}: {self.repr1(value, level - 1)}"
            for key, value in islice(x.items(), MOST_ITEMS)
        ]
        more = [f"... {len(x)} in all"] * (len(x) > MOST_ITEMS)
        return f"{{{', '.join(shown + more)}}}"

    repr_Counter = repr_OrderedDict = repr_defaultdict = repr_mappingproxy = repr_dict  # noqa: N815 - types' names

    def repr_partial(self, x: Any, level: int) -> str:
        return f"<partial {getattr(x.func, '__qualname__', '')}>"

    def repr_str(self, x: str, level: int) -> str:
        return repr(x) if len(x) <= LONGEST_STRING else f"'{printable(x, LONGEST_STRING)}'"

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x) if len(x) <= LONGEST_BYTES else f"{x[:LONGEST_BYTES]!r}... {len(x)} bytes"

    def repr_bytearray(self, x: bytearray, level: int) -> str:
        return f"bytearray({self.repr_bytes(bytes(x[: LONGEST_BYTES + 1]), level)})"

    def repr_memoryview(self, x: memoryview, level: int) -> str:
        return f"<{x.nbytes} bytes>"

    def repr_ndarray(self, x: Any, level: int) -> str:
        return f"<array {x.dtype}{list(x.shape)}>"

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= MOST_BITS else f"<integer of {x.bit_length()} bits>"

    def repr_instance(self, x: Any, level: int) -> str:
        shown_by: Any = type(x).__repr__
        if shown_by is self.by_fields:
            return self.fields(x, level)
        try:
            text = repr(x)
        except Exception:  # a foreign class may raise anything
            text = object.__repr__(x)
        return printable(" ".join(text.split()), LONGEST_OTHER)
