"""Whether a value of Python's fits a type, asked before anything of a guest runs.

What is here: `checker`, which makes a function of a type that raises TypeError or OverflowError with the path
to the part that doesn't fit: `orders[3].count: -1 is no u32`. What is not: conversion.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from ...brief import brief
from ..types import CHAR, STRING, Compound, Kind, Part, Prim, Resource
from .faces import Some, attribute
from .helpers import ASYNC, pairs_of
from .reading import CHARS, element_of, fields_of, is_option

Check = Callable[[Any], None]
INTEGERS = {
    f"{sign}{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "s" else (0, (1 << bits) - 1)
    for sign in "su"
    for bits in (8, 16, 32, 64)
}
"""Integer types, and their smallest and largest values."""


class MisfitError(Exception):
    """A value doesn't fit. `path` grows on the way out."""

    def __init__(self, why: str, error: type[Exception] = TypeError) -> None:
        super().__init__(why)
        self.error = error
        self.path = ""


def refuse(value: Any, type_: Part, error: type[Exception] = TypeError) -> NoReturn:
    raise MisfitError(f"{shown(value)} is no {type_!r}", error)


def shown(value: Any) -> str:
    """A value in a message."""
    if isinstance(value, int | float | str | bytes | bool) or value is None:
        return brief(value)
    return type(value).__name__


def fits(label: str, check: Check, value: Any) -> None:
    """Raise TypeError or OverflowError, which name the part, unless the value fits."""
    try:
        check(value)
    except MisfitError as error:
        raise error.error(f"{label}{error.path}: {error}") from None


class Checks:
    """Functions that raise MisfitError for values that don't fit: one for a type, however often it occurs."""

    def __init__(self, resolve: Callable[[Resource], Any]) -> None:
        self.resolve = resolve
        self.claims: dict[int, bool] = {}
        """Resources among the values that are looked at, by id, and whether they are given away: nothing else
        has such a one. To be cleared before each call."""
        self.holds_handles = False
        self._made: dict[int, Check] = {}

    def of(self, type_: Part) -> Check:
        """The function for a type."""
        made = self._made.get(id(type_))
        if made is None:
            made = self._made[id(type_)] = self._make(type_)
        return made

    def _make(self, type_: Part) -> Check:
        if isinstance(type_, Prim):
            return prim_checker(type_)
        assert isinstance(type_, Compound)  # handles hold their resources
        return CHECKERS[type_.kind](type_, self)


def prim_checker(type_: Prim) -> Check:
    if type_.name in INTEGERS:
        return integer_checker(type_)
    return {
        "bool": class_checker(type_, bool),
        "f32": float_checker(type_),
        "f64": float_checker(type_),
        "string": string_check,
        "char": char_check,
        "error-context": class_checker(type_),
    }[type_.name]


def integer_checker(type_: Prim) -> Check:
    low, high = INTEGERS[type_.name]

    def check(value: Any) -> None:
        if not hasattr(value, "__index__"):
            refuse(value, type_)
        if not low <= value <= high:
            refuse(value, type_, OverflowError)

    return check


def class_checker(type_: Prim, *classes: type) -> Check:
    def check(value: Any) -> None:
        if not isinstance(value, classes):
            refuse(value, type_)

    return check


def float_checker(type_: Prim) -> Check:
    def check(value: Any) -> None:
        if isinstance(value, float):
            return
        if not hasattr(value, "__float__"):
            refuse(value, type_)
        try:
            float(value)
        except OverflowError:
            refuse(value, type_, OverflowError)

    return check


def string_check(value: Any) -> None:
    if not isinstance(value, str):
        refuse(value, STRING)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise MisfitError(f"the string has a surrogate at {error.start}", ValueError) from None


def char_check(value: Any) -> None:
    if not isinstance(value, str) or len(value) != 1 or 0xD800 <= ord(value) <= 0xDFFF:
        refuse(value, CHAR)


def record_checker(type_: Compound, checks: Checks) -> Check:
    names = [attribute(label) for label in type_.labels]
    fields = [(name, checks.of(part)) for name, part in zip(names, type_.parts, strict=True)]

    def check(value: Any) -> None:
        for name, inner in fields:
            try:
                part = getattr(value, name)
            except AttributeError:
                raise MisfitError(f"{shown(value)} has no {name!r}, and is no {type_!r}") from None
            inside(f".{name}", inner, part)

    return check


def inside(where: str, check: Check, value: Any) -> None:
    try:
        check(value)
    except MisfitError as error:
        error.path = where + error.path
        raise


def tuple_checker(type_: Compound, checks: Checks) -> Check:
    parts = [checks.of(part) for part in fields_of(type_)]

    def check(value: Any) -> None:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) != len(parts):
            refuse(value, type_)
        for index, (inner, part) in enumerate(zip(parts, value, strict=True)):
            inside(f"[{index}]", inner, part)

    return check


def list_checker(type_: Compound, checks: Checks) -> Check:
    element = element_of(type_)
    inner = checks.of(element)
    char = CHARS.get(element.name) if isinstance(element, Prim) else None

    def check(value: Any) -> None:
        if char and not isinstance(value, list | tuple):
            check_buffer(value, char, type_)
            return
        if not isinstance(value, list | tuple):
            refuse(value, type_)
        if type_.length is not None and len(value) != type_.length:
            raise MisfitError(f"{len(value)} elements are no {type_!r}")
        if char and all_fit(value, char):
            return
        for index, part in enumerate(value):
            inside(f"[{index}]", inner, part)

    return check


def all_fit(values: Any, char: str) -> bool:
    """Whether all are numbers of a format; where they aren't, somebody must find out which one."""
    from array import array

    try:
        array(ARRAYS.get(char, char), values)
    except (TypeError, OverflowError):
        return False
    return True


ARRAYS = {"f": "d"}
"""Formats whose numbers are looked at as others: a float that is too large for f32 is infinite there."""


def check_buffer(value: Any, char: str, type_: Compound) -> None:
    try:
        view = memoryview(value)
    except TypeError:
        refuse(value, type_)
    same = (
        view.format == char
        or (char == "B" and view.format == "c")
        or (char in "qQ" and view.format in ("l" if char == "q" else "L", char) and view.itemsize == 8)
    )
    if not same or not view.c_contiguous or view.ndim > 1:
        raise MisfitError(f"a buffer of format {view.format!r} in {view.ndim} dimensions is no {type_!r}")


def map_checker(type_: Compound, checks: Checks) -> Check:
    key, value_check = (checks.of(part) for part in type_.parts)

    def check(value: Any) -> None:
        pairs = pairs_of(value)
        if not isinstance(pairs, list) or not all(
            isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
        ):
            refuse(value, type_)
        for name, part in pairs:
            inside(f" key {shown(name)}", key, name)
            inside(f"[{shown(name)}]", value_check, part)

    return check


def flags_checker(type_: Compound, checks: Checks) -> Check:
    most = (1 << len(type_.labels)) - 1

    def check(value: Any) -> None:
        if not isinstance(value, enum.Flag) or not 0 <= value.value <= most:
            refuse(value, type_)

    return check


def enum_checker(type_: Compound, checks: Checks) -> Check:
    labels = frozenset(type_.labels)

    def check(value: Any) -> None:
        if not isinstance(value, enum.Enum) or value.value not in labels:
            refuse(value, type_)

    return check


def variant_checker(type_: Compound, checks: Checks) -> Check:
    labels = ("ok", "error") if type_.kind is Kind.RESULT else type_.labels
    inners = {
        label: None if part is None else checks.of(part)
        for label, part in zip(labels, type_.parts, strict=True)
    }

    def check(value: Any) -> None:
        label = getattr(value, "label", None)
        if label not in inners:
            refuse(value, type_)
        inner = inners[label]
        if inner is not None:
            inside(f".{label}", inner, value.value)
        elif value.value is not None:
            raise MisfitError(f"the case {label!r} has no value")

    return check


def option_checker(type_: Compound, checks: Checks) -> Check:
    inner = checks.of(type_.parts[0])
    nested = is_option(type_.parts[0])

    def check(value: Any) -> None:
        if value is None:
            return
        if nested and not isinstance(value, Some):
            raise MisfitError(f"{shown(value)} is no {type_!r}: Some(value) is wanted")
        inner(value.value if nested else value)

    return check


def handle_checker(type_: Compound, checks: Checks) -> Check:
    (resource,) = type_.parts
    assert isinstance(resource, Resource)
    checks.holds_handles = True
    wanted, claims, owned = checks.resolve(resource), checks.claims, type_.kind is Kind.OWN

    def check(value: Any) -> None:
        why = wanted.misfit(value, owned=owned)
        if why:
            raise MisfitError(why)
        if wanted.owner is not None:
            if id(value) in claims and (owned or claims[id(value)]):
                raise MisfitError(f"the resource {wanted.name} is given away by another part")
            claims[id(value)] = owned

    return check


def async_checker(type_: Compound, checks: Checks) -> Check:
    def check(value: Any) -> None:
        raise MisfitError(f"{type_!r} can't be given: {ASYNC}")

    return check


CHECKERS: Mapping[Kind, Callable[[Compound, Checks], Check]] = {
    Kind.RECORD: record_checker,
    Kind.TUPLE: tuple_checker,
    Kind.LIST: list_checker,
    Kind.MAP: map_checker,
    Kind.FLAGS: flags_checker,
    Kind.ENUM: enum_checker,
    Kind.VARIANT: variant_checker,
    Kind.RESULT: variant_checker,
    Kind.OPTION: option_checker,
    Kind.OWN: handle_checker,
    Kind.BORROW: handle_checker,
    Kind.STREAM: async_checker,
    Kind.FUTURE: async_checker,
}
