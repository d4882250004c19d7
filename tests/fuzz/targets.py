"""All fuzz targets by name, and the time that one input may take."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from types import FrameType
from typing import Any, Protocol

from .components import Components
from .faces import NNFaces, WasiFace
from .modules import Decoder, Text, Validator
from .watched import Hints

SECONDS = 5
"""What takes longer hangs."""


class Target(Protocol):
    """Something that hostile input is given to."""

    name: str

    def input(self, random: Random) -> Any:
        """An input, the same for the same seed."""

    def feed(self, data: Any) -> str:
        """What came of it, in a word. Raises what isn't documented for such an input."""


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (Decoder(), Validator(), Text(), Components(), WasiFace(), NNFaces(), Hints())
}


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes more of the processor, where the system has a timer for it."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"longer than {seconds} seconds")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
