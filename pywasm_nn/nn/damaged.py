"""`damage_told`: errors of models that don't load say, too, what stands there in place of a model, or that it
was cut short.

What is not here: what bytes show of that (`formats.damaged`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .errors import Code, NNError
from .formats.damaged import damage
from .formats.look import Look

CODES = frozenset({Code.RUNTIME_ERROR, Code.INVALID_ENCODING})


@contextmanager
def damage_told(parts: Sequence[bytes | memoryview | Path]) -> Iterator[None]:
    """Adds to an NNError of the block what is wrong with the parts, or files, of the model."""
    try:
        yield
    except NNError as error:
        said = damage_in(parts) if error.code in CODES and error.nature is None else ""
        if not said:
            raise
        raise NNError(error.code, f"{error.reason}: {said}") from error


def damage_in(parts: Sequence[bytes | memoryview | Path]) -> str:
    """What is wrong with the parts; "" if nothing is known to be."""
    with ExitStack() as files:
        try:
            return damage(
                [
                    files.enter_context(Look.into(one)) if isinstance(one, Path) else Look.of(one)
                    for one in parts
                ]
            )
        except OSError:  # a folder, or a file that is gone
            return ""
