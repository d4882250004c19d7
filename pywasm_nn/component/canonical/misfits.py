"""Checks and converts Python values for component types, before guest code runs.

What is here: `Checks`, which makes check functions for types. A check function returns a value on which the
generated code can rely: exact ints, floats, strings, lists and tuples, and the classes in `faces.py`; so the
caller's own code (such as subclasses) runs only here and only once. If a value doesn't fit, it raises
TypeError or OverflowError with the path to the part: `orders[3].count: -1 is no u32`. What is not: memory
(`writing.py`).
"""

from __future__ import annotations

import enum
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import index
from typing import Any, NoReturn

from ...brief import brief
from ...interpreter.types import I32
from ...printable import printable
from ..types import CHAR, STRING, Compound, Kind, Part, Prim, Resource
from .faces import Err, Ok, Some, attribute, face
from .helpers import ASYNC, MOST_BYTES
from .reading import CHARS, element_of, fields_of, is_option

Check = Callable[[Any], Any]
INTEGERS = {
    f"{sign}{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "s" else (0, (1 << bits) - 1)
    for sign in "su"
    for bits in (8, 16, 32, 64)
}
"""Integer types, and their smallest and largest values."""
NOTHING = object()
"""Marks a missing attribute."""
LONGEST_REASON = 200
"""The most characters of a message from the caller's exception."""


class MisfitError(Exception):
    """A value doesn't fit. `path` is completed while the exception leaves the nested checks."""

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


def blame(where: str, error: Exception) -> NoReturn:
    """Raise the error with `where` in front of its path. An exception of the caller's own code, run for
    attributes and elements, is replaced by a MisfitError with its text."""
    if isinstance(error, MisfitError):
        error.path = where + error.path
        raise error
    if isinstance(error, MemoryError | RecursionError):
        raise error
    try:
        text = str(error)
    except Exception:  # this runs the caller's code, too
        text = "its text can't be had"
    made = MisfitError(printable(f"{type(error).__name__}: {text}", LONGEST_REASON))
    made.path = where
    raise made from error


def fits(label: str, check: Check, value: Any) -> Any:
    """The checked and converted value. Raises TypeError or OverflowError that names the part that doesn't
    fit."""
    try:
        try:
            return check(value)
        except Exception as error:
            blame("", error)
    except MisfitError as error:
        raise error.error(f"{label}{error.path}: {error}") from error.__cause__


class Checks:
    """Check functions, one for each type, which return a value or raise MisfitError."""

    def __init__(self, resolve: Callable[[Resource], Any], face: Callable[[Compound], Any] = face) -> None:
        self.resolve = resolve
        self.face = face
        self.claims: dict[int, bool] = {}
        """Resources in the values of this call, by id, and whether they are passed as own: an owned resource
        must occur only once. Cleared before each call."""
        self.holds_handles = False
        self._made: dict[int, Check] = {}

    def of(self, type_: Part) -> Check:
        """The check function for a type."""
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

    def check(value: Any) -> int:
        whole: int = value
        if value.__class__ is not int:
            try:
                whole = int.__index__(index(value))
            except TypeError:
                refuse(value, type_)
        if not low <= whole <= high:
            refuse(whole, type_, OverflowError)
        return whole

    return check


def class_checker(type_: Prim, *classes: type) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, classes):
            refuse(value, type_)
        return value

    return check


def float_checker(type_: Prim) -> Check:
    def check(value: Any) -> float:
        if value.__class__ is float:
            number: float = value
            return number
        if not is_real(value):
            refuse(value, type_)
        try:
            return float(value)
        except OverflowError:
            refuse(value, type_, OverflowError)
        except (TypeError, ValueError):  # an array, or a signaling NaN of decimal
            refuse(value, type_)

    return check


def is_real(value: Any) -> bool:
    """Whether a value is a number that can become a float; text isn't, although `float` accepts it."""
    from numbers import Complex, Real  # imported here, because few values need it

    if isinstance(value, str | bytes | bytearray) or not hasattr(type(value), "__float__"):
        return False
    return isinstance(value, Real) or not isinstance(value, Complex)


def text_of(value: Any, type_: Prim) -> str:
    if value.__class__ is str:
        text: str = value
        return text
    if not isinstance(value, str):
        refuse(value, type_)
    return str.__str__(value)


def string_check(value: Any) -> str:
    text = text_of(value, STRING)
    if len(text) > MOST_BYTES:
        raise MisfitError(f"{len(text)} characters are too many: at most {MOST_BYTES}", OverflowError)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise MisfitError(f"the string has a surrogate at {error.start}", ValueError) from None
    return text


def char_check(value: Any) -> str:
    text = text_of(value, CHAR)
    if len(text) != 1 or 0xD800 <= ord(text) <= 0xDFFF:
        refuse(value, CHAR)
    return text


def record_checker(type_: Compound, checks: Checks) -> Check:
    names = [attribute(label) for label in type_.labels]
    fields = [(name, checks.of(part)) for name, part in zip(names, type_.parts, strict=True)]
    class_ = checks.face(type_)

    def check(value: Any) -> Any:
        made = []
        same = value.__class__ is class_
        for name, inner in fields:
            try:
                given = getattr(value, name, NOTHING)
                part = given if given is NOTHING else inner(given)
            except Exception as error:
                blame(f".{name}", error)
            if part is NOTHING:
                raise MisfitError(f"{shown(value)} has no {name!r}, and is no {type_!r}")
            same = same and part is given
            made.append(part)
        return value if same else class_(*made)

    return check


def check_length(values: Sequence[Any], most: int) -> None:
    if len(values) > most:
        raise MisfitError(f"{len(values)} elements are too many: at most {most}", OverflowError)


def elements(value: Sequence[Any]) -> Iterator[Any]:
    """The elements of a sequence. For a list or tuple a subclass's own iterator is bypassed, as it might
    never end."""
    if isinstance(value, list):
        return list.__iter__(value)
    return tuple.__iter__(value) if isinstance(value, tuple) else iter(value)


def all_of(check: Check, values: Sequence[Any]) -> list[Any]:
    """The checked elements of a list."""
    made: list[Any] = []
    try:
        for part in values:
            made.append(check(part))
    except Exception as error:
        blame(f"[{len(made)}]", error)
    return made


def tuple_checker(type_: Compound, checks: Checks) -> Check:
    parts = [checks.of(part) for part in fields_of(type_)]

    def check(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            refuse(value, type_)
        given = tuple(islice(elements(value), len(parts) + 1))
        if len(given) != len(parts):
            refuse(value, type_)
        made: list[Any] = []
        try:
            for inner, part in zip(parts, given, strict=True):
                made.append(inner(part))
        except Exception as error:
            blame(f"[{len(made)}]", error)
        return tuple(made)

    return check


def list_checker(type_: Compound, checks: Checks) -> Check:
    element = element_of(type_)
    inner = checks.of(element)
    char = CHARS.get(element.name) if isinstance(element, Prim) else None
    most = MOST_BYTES // element.size(I32)

    def check(value: Any) -> Any:
        if isinstance(value, list | tuple):
            # A subclass of the caller may report a length that differs from its number of elements.
            given: Any = value if value.__class__ in (list, tuple) else list(elements(value))
        elif char:
            given = buffer_of(value, char, type_)
        else:
            refuse(value, type_)
        if type_.length is not None and len(given) != type_.length:
            raise MisfitError(f"{len(given)} elements are no {type_!r}")
        check_length(given, most)
        if char is None:
            return all_of(inner, given)
        return numbers_of(inner, given, char) if isinstance(given, list | tuple) else given

    return check


def numbers_of(check: Check, values: Sequence[Any], char: str) -> array[Any]:
    """An array of numbers of a format. After an error the elements are checked one by one, to find the wrong
    one."""
    try:
        return array(char, values)
    except Exception:
        return array(char, all_of(check, values))


def buffer_of(value: Any, char: str, type_: Compound) -> memoryview:
    """A buffer of numbers of a format, without a copy."""
    try:
        view = memoryview(value)
    except TypeError:
        refuse(value, type_)
    same = (
        view.format == char
        or (char == "B" and view.format == "c")
        or (char in "qQ" and view.format == ("l" if char == "q" else "L") and view.itemsize == 8)
    )
    if not same or not view.c_contiguous or view.ndim != 1:
        raise MisfitError(f"a buffer of format {view.format!r} in {view.ndim} dimensions is no {type_!r}")
    return view if view.format == char else view.cast("B").cast(char)  # type: ignore[call-overload] # a format


def map_checker(type_: Compound, checks: Checks) -> Check:
    key, value_check = (checks.of(part) for part in type_.parts)
    most = MOST_BYTES // element_of(type_).size(I32)

    def check(value: Any) -> list[tuple[Any, Any]]:
        """The pairs; a list of pairs, unlike a dict, may contain a key twice."""
        if isinstance(value, Mapping):
            pairs = list(islice(value.items(), min(len(value), most + 1)))
        elif isinstance(value, list):
            pairs = list(elements(value))
        else:
            refuse(value, type_)
        check_length(pairs, most)
        if not all(isinstance(pair, tuple) and tuple.__len__(pair) == 2 for pair in pairs):
            refuse(value, type_)
        made = []
        for name, part in map(elements, pairs):
            where = f" key {shown(name)}"
            try:
                as_key = key(name)
                where = f"[{shown(name)}]"
                made.append((as_key, value_check(part)))
            except Exception as error:
                blame(where, error)
        return made

    return check


def flags_checker(type_: Compound, checks: Checks) -> Check:
    most = (1 << len(type_.labels)) - 1
    class_ = checks.face(type_)

    def check(value: Any) -> enum.Flag:
        if not isinstance(value, enum.Flag) or not 0 <= value.value <= most:
            refuse(value, type_)
        made: enum.Flag = value if value.__class__ is class_ else class_(value.value)
        return made

    return check


def enum_checker(type_: Compound, checks: Checks) -> Check:
    labels = frozenset(type_.labels)
    class_ = checks.face(type_)

    def check(value: Any) -> enum.Enum:
        label = value.value if isinstance(value, enum.Enum) else None
        if not isinstance(label, str) or label not in labels:
            refuse(value, type_)
        made: enum.Enum = value if value.__class__ is class_ else class_(label)
        return made

    return check


def variant_checker(type_: Compound, checks: Checks) -> Check:
    if type_.kind is Kind.RESULT:
        classes = {"ok": Ok, "error": Err}
    else:
        classes = dict(zip(type_.labels, checks.face(type_).cases, strict=True))
    inners = {
        label: None if part is None else checks.of(part)
        for label, part in zip(classes, type_.parts, strict=True)
    }

    def check(value: Any) -> Any:
        label = getattr(value, "label", None)
        if not isinstance(label, str) or label not in inners:
            refuse(value, type_)
        inner, given = inners[label], getattr(value, "value", NOTHING)
        if inner is None:
            if given is not None and given is not NOTHING:
                raise MisfitError(f"the case {label!r} has no value")
            return classes[label]()
        if given is NOTHING:
            raise MisfitError(f"{shown(value)} has no 'value', and is no {type_!r}")
        try:
            part = inner(given)
        except Exception as error:
            blame(f".{label}", error)
        return value if part is given and value.__class__ is classes[label] else classes[label](part)

    return check


def option_checker(type_: Compound, checks: Checks) -> Check:
    inner = checks.of(type_.parts[0])
    nested = is_option(type_.parts[0])

    def check(value: Any) -> Any:
        if value is None:
            return None
        if not nested:
            return inner(value)
        if not isinstance(value, Some):
            raise MisfitError(f"{shown(value)} is no {type_!r}: Some(value) is wanted")
        return Some(inner(value.value))

    return check


def handle_checker(type_: Compound, checks: Checks) -> Check:
    (resource,) = type_.parts
    assert isinstance(resource, Resource)
    checks.holds_handles = True
    wanted, claims, owned = checks.resolve(resource), checks.claims, type_.kind is Kind.OWN

    def check(value: Any) -> Any:
        why = wanted.misfit(value, owned=owned)
        if why:
            raise MisfitError(why)
        if wanted.owner is not None:
            if id(value) in claims and (owned or claims[id(value)]):
                raise MisfitError(f"the resource {wanted.name} is given away by another part")
            claims[id(value)] = owned
        return value

    return check


def async_checker(type_: Compound, checks: Checks) -> Check:
    def check(value: Any) -> NoReturn:
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
