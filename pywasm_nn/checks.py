"""Arguments that people give, checked where they are given: TypeError and ValueError that name them.

What is here: the questions that more than one place asks. What is not: what a guest gives, which is checked
where it crosses (`host`), and what only one place wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from .printable import printable

MOST_SHOWN = 60
"""Characters of a value that a message shows."""


def shown(value: object) -> str:
    """A value for a message: its kind, and the value itself where it is short."""
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    kind = type(value).__qualname__
    if not isinstance(value, str | bytes | int | float):
        return kind if value is not None else "None"
    text = repr(value)
    return f"{kind} {text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + '...'}"


def refuse(name: str, wanted: str, value: object, hint: str = "") -> TypeError:
    """What is raised for an argument of a wrong kind."""
    return TypeError(printable(f"{name} must be {wanted}, not {shown(value)}{'; ' + hint if hint else ''}"))


def check_kind(name: str, value: object, kinds: type | tuple[type, ...], wanted: str, hint: str = "") -> None:
    """Raises TypeError unless the value is one of these kinds."""
    if not isinstance(value, kinds):
        raise refuse(name, wanted, value, hint)


def check_callable(name: str, value: object, wanted: str) -> None:
    """Raises TypeError unless the value can be called."""
    if not callable(value):
        raise refuse(name, wanted, value)


def check_path(name: str, value: object, hint: str = "") -> None:
    """Raises TypeError unless the value is a path as text or an object that stands for one."""
    check_kind(name, value, (str, PathLike), "a path (str or os.PathLike)", hint)


def check_mapping(name: str, value: object, wanted: str, hint: str = "") -> None:
    """Raises TypeError unless the value is a mapping whose keys are text."""
    if not isinstance(value, Mapping):
        raise refuse(name, wanted, value, hint)
    for key in value:
        check_kind(f"a name in {name}", key, str, "a str")


def checked_words(name: str, value: object) -> tuple[Any, ...]:
    """The texts that the value holds. Raises TypeError if it holds something else, or is a text itself, whose
    letters they would be."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise refuse(name, 'several str or bytes, as ["one", "two"]', value)
    words = tuple(value)
    for word in words:
        check_kind(f"each of {name}", word, (str, bytes), "a str or bytes")
    return words


def check_whole(name: str, value: Any, least: int = 0) -> None:
    """Raises TypeError unless the value is an int (True is none), ValueError if it is less than `least`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise refuse(name, "an int", value)
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")


def check_seconds(name: str, value: Any) -> None:
    """Raises TypeError unless the value is a number, ValueError if it is no length of time."""
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
