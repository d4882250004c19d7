"""Checks of the arguments of `Format`: a mistake there would make a format that nothing ever matches, or fail
when a file is looked at.

What is here: a check for each argument that has one. What is not: the class (`format`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath

from ...checks import check_callable, check_kind, check_whole, refuse


def several(name: str, value: object, wanted: str) -> None:
    """Raises TypeError unless this is a tuple (or list) of texts, and no text."""
    if not isinstance(value, tuple | list) or not all(isinstance(one, str) for one in value):
        raise refuse(name, wanted, value)


def suffixes(name: str, value: tuple[str, ...]) -> None:
    """Raises ValueError for a suffix that no file's name has: `PurePath.suffix` has one dot, the first."""
    several(name, value, 'a tuple of suffixes, as (".vnd",)')
    for one in value:
        if one != one.lower() or PurePosixPath("x" + one).suffix != one:
            raise ValueError(f'each of {name} must be a dot and lower-case letters, as ".vnd", not {one!r}')


def magic(name: str, value: object) -> None:
    """Raises TypeError or ValueError unless this is a position and some bytes."""
    wanted = 'a position and the bytes there, as (0, b"VND1")'
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise refuse(name, wanted, value)
    check_whole(f"{name}'s position", value[0])
    check_kind(f"{name}'s content", value[1], bytes, 'bytes, as b"VND1"')
    if not value[1]:
        raise ValueError(f"{name} must be {wanted}, not no bytes: those are in any file")


CHECKS: dict[str, Callable[..., None]] = {
    "name": partial(check_kind, kinds=str, wanted='a str, as "vendor"'),
    "suffixes": suffixes,
    "magic": magic,
    "looks": partial(check_callable, wanted="something to call with a Look, or None"),
    "parts": partial(check_kind, kinds=range, wanted="a range, as range(1, 3)"),
    "schemes": partial(several, wanted='a tuple of schemes, as ("oip+http",)'),
}
"""By the argument; the others are descriptions, and those of this package."""
