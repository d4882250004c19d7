"""Named tuples that are cheap to define, for modules that nearly every run imports.

`typing.NamedTuple` takes 150 us for a class, because it compiles a constructor for each, and a hello world
defines ten. Here classes with the same number of fields share the code of their constructor, as records do.
Type checkers take `NamedTuple` for that of `typing`, and it does what the package uses of it: fields by name,
defaults, `_replace`, pattern matching, pickling.

The rule: modules that a hello world imports define their named tuples with this file, others with `typing`.
A named tuple is for values that are compared, hashed or unpacked so often that a record would be too slow.
What is not here: records (`records.py`).
"""

from __future__ import annotations

from functools import cache
from operator import itemgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from .brief import show_fields

try:
    from _collections import _tuplegetter as field_at  # type: ignore[import-not-found] # typeshed lacks it
except ImportError:  # another Python

    def field_at(index: int, doc: str) -> Any:
        return property(itemgetter(index), doc=doc)


SPACE = {"make": tuple.__new__}
"""The globals of all constructors."""


@cache
def making(count: int) -> CodeType:
    """The code of a constructor with `count` fields, whose names are replaced later."""
    names = ", ".join([f"field{n}" for n in range(count)])
    made: dict[str, Any] = {}
    exec(f"def __new__(class_, {names}):\n return make(class_, ({names},))", made)
    code: CodeType = made["__new__"].__code__
    return code


class Rows(type):
    """The class of named tuples. Annotations in the body become fields, in this order."""

    def __new__(meta, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Rows:
        made: Any = super().__new__(meta, name, bases, {**body, "__slots__": ()})
        names = tuple(made.__annotations__)
        setattr(made, "__match_args__", names)  # noqa: B010 - mypy takes an assignment for a definition
        defaults = tuple([body[field] for field in names if field in body])
        for index, field in enumerate(names):
            setattr(made, field, field_at(index, ""))
        if names:
            code = making(len(names)).replace(co_varnames=("class_", *names), co_qualname=f"{name}.__new__")
            made.__new__ = FunctionType(code, SPACE, "__new__", defaults)
        return made  # type: ignore[no-any-return] # a class is an instance of its metaclass


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class NamedTuple(tuple, metaclass=Rows):
        """The base of named tuples."""

        __annotations__ = {}

        __repr__ = show_fields

        def __getnewargs__(self):
            return tuple(self)

        def _replace(self, /, **values):
            return type(self)(**(dict(zip(self.__match_args__, self, strict=True)) | values))
