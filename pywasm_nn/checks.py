"""Checks of arguments from Python callers: TypeError and ValueError that name the argument.

What is here: checks that several modules need. What is not: values from a guest, which are checked where they
cross (`host`), and checks that only one module needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from .printable import printable

MOST_SHOWN = 60
"""The longest value that a message shows."""


def shown(value: object) -> str:
    """A value for a message: its type, and the value itself if it is short."""
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    kind = type(value).__qualname__
    if not isinstance(value, str | bytes | int | float):
        return kind if value is not None else "None"
    text = repr(value)
    return f"{kind} {text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + '...'}"


def refuse(name: str, wanted: str, value: object, hint: str = "") -> TypeError:
    """The exception for an argument of the wrong type."""
    return TypeError(printable(f"{name} must be {wanted}, not {shown(value)}{'; ' + hint if hint else ''}"))


def check_kind(name: str, value: object, kinds: type | tuple[type, ...], wanted: str, hint: str = "") -> None:
    """Raises TypeError unless the value is an instance of one of these types."""
    if not isinstance(value, kinds):
        raise refuse(name, wanted, value, hint)


def check_callable(name: str, value: object, wanted: str) -> None:
    """Raises TypeError unless the value can be called."""
    if not callable(value):
        raise refuse(name, wanted, value)


def check_path(name: str, value: object, hint: str = "") -> None:
    """Raises TypeError unless the value is a path: text or an object with `__fspath__`."""
    check_kind(name, value, (str, PathLike), "a path (str or os.PathLike)", hint)


def check_mapping(name: str, value: object, wanted: str, hint: str = "") -> None:
    """Raises TypeError unless the value is a mapping with text keys."""
    if not isinstance(value, Mapping):
        raise refuse(name, wanted, value, hint)
    for key in value:
        check_kind(f"a name in {name}", key, str, "a str")


def checked_words(name: str, value: object) -> tuple[Any, ...]:
    """The texts in an iterable, as a tuple. Raises TypeError for other contents, and for a single text: it
    would count as an iterable of letters."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise refuse(name, 'several str or bytes, as ["one", "two"]', value)
    words = tuple(value)
    for word in words:
        check_kind(f"each of {name}", word, (str, bytes), "a str or bytes")
    return words


def check_whole(name: str, value: Any, least: int = 0) -> None:
    """Raises TypeError unless the value is an int (bool doesn't count), ValueError if it is less than
    `least`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise refuse(name, "an int", value)
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")


def check_seconds(name: str, value: Any) -> None:
    """Raises TypeError unless the value is a number, ValueError if it is negative, infinite or NaN."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise refuse(name, "a number of seconds", value)
    if not 0 <= value < float("inf"):
        raise ValueError(f"{name} must be 0 or more seconds, not {value}; None is without end")


def check_choice(name: str, value: object, choices: Mapping[str, object]) -> None:
    """Raises TypeError unless the value is text, ValueError if it is none of the choices."""
    if isinstance(value, str) and value in choices:
        return
    wanted = " or ".join(repr(choice) for choice in choices)
    check_kind(name, value, str, wanted)
    raise ValueError(f"{name} must be {wanted}, not {shown(value)}")
