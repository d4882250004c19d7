"""`damage_told`: errors of models that don't load say, too, what stands there in place of a model, or that it
was cut short.

What is not here: what bytes show of that (`formats.damaged`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .errors import Code, NNError
from .formats.damaged import cut_short, in_place
from .formats.look import Look

CODES = frozenset({Code.RUNTIME_ERROR, Code.INVALID_ENCODING})


@contextmanager
def damage_told(parts: Sequence[bytes | memoryview | Path]) -> Iterator[None]:
    """Adds to an NNError of the block what is wrong with the parts, or files, of the model. Where the format
    of the bytes isn't known, only that is told."""
    try:
        yield
    except NNError as error:
        if error.code not in CODES or error.nature is not None:
            raise
        instead = looked(parts, in_place)
        if instead and error.code is Code.INVALID_ENCODING:
            place = f"{parts[0]}: " if isinstance(parts[0], Path) else ""
            raise NNError(error.code, f"{place}{instead}") from error
        if said := instead or looked(parts, cut_short):
            raise NNError(error.code, f"{error.reason}: {said}") from error
        raise


def looked(parts: Sequence[bytes | memoryview | Path], wrong: Callable[[Sequence[Look]], str]) -> str:
    """What `wrong` says of the parts; "" if they can't be read."""
    with ExitStack() as files:
        try:
            return wrong(
                [
                    files.enter_context(Look.into(one)) if isinstance(one, Path) else Look.of(one)
                    for one in parts
                ]
            )
        except OSError:  # a folder, or a file that is gone
            return ""
