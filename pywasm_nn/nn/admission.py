"""Checks before a backend loads a model: the number of its parts, and whether a guest's bytes may be
loaded.

What is not here: choosing the backend, and the policy (`registry`).
"""

from __future__ import annotations

from collections.abc import Callable

from .backend import Backend
from .errors import Code, Nature, NNError
from .formats import Format


def untaken(backend: Backend, format: str) -> NNError:
    """The error for a guest's bytes that a backend doesn't load."""
    return NNError(
        Code.UNSUPPORTED_OPERATION,
        f"{backend.name} doesn't declare loading {format} safe (without reading files or running the model's"
        " code), so a guest's bytes are refused; name the model, or trust the guest's models",
        Nature.SECURITY,
    )


def check_parts(format: Format, given: int, advice: Callable[[], str] = str) -> None:
    """Raise NNError(INVALID_ARGUMENT), with the advice, unless the number of parts fits the format."""
    if given in format.parts:
        return
    first, last = format.parts[0], format.parts[-1]
    wanted = f"{first}" if first == last else f"{first} to {last}"
    raise NNError(
        Code.INVALID_ARGUMENT,
        f"{format.name} wants {wanted} part(s), {format.made_of}; given were {given}{advice()}",
    )


def check_outside(
    format: Format, is_it: bool, part: bytes | memoryview, patience: Callable[[], object]
) -> None:
    """Raise NNError(UNSUPPORTED_OPERATION) if the bytes, read in this format, name files. If they aren't in
    the format, they pass, unless the model will be read in it (`is_it`): then RUNTIME_ERROR."""
    assert format.outside is not None
    try:
        locations = format.outside(part, patience)
    except ValueError as error:
        if is_it:
            raise NNError(Code.RUNTIME_ERROR, f"the bytes are no {format.name} model: {error}") from error
        return
    if locations:
        raise NNError(
            Code.UNSUPPORTED_OPERATION,
            f"the model keeps data outside, in {locations[0]!r}, which guests may not open; name the model",
            Nature.SECURITY,
        )
