"""Exceptions of frameworks as errors of wasi-nn: `blaming`, around all that calls a backend.

What is not here: what is wrong with what a guest gives (`mistakes`).
"""

from __future__ import annotations

from ..errors import WasmError
from ..plugin import where
from ..printable import PrintableError
from .errors import Code, NNError

REASON = 500
"""Characters of a framework's message that an error includes."""
BEGINNING = 180
"""How many of them are of its beginning, if it is longer; the others are of its end."""


def shortened(words: str) -> str:
    """A framework's message in at most REASON characters. The middle is left out: messages say at first where
    something failed, and at last why."""
    if len(words) <= REASON:
        return words
    beginning = words[:BEGINNING].rsplit(" ", 1)[0]
    return f"{beginning} ... {words[BEGINNING + len(' ... ') - REASON :].split(' ', 1)[-1]}"


class FrameworkError(PrintableError):
    """The cause of an NNError in place of the framework's exception: tracebacks print its message with
    unprintable characters escaped, as the message may quote strings of a model."""


class blaming:  # noqa: N801 - used as a word: with blaming(name)
    """Turns a framework's exception into NNError(RUNTIME_ERROR) with its message, and MemoryError into
    TOO_LARGE. NNError and errors that end the guest, such as DeadlineError, pass unchanged.
    """

    __slots__ = ("backend",)

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is None or isinstance(error, NNError | WasmError) or not isinstance(error, Exception):
            return
        short = isinstance(error, MemoryError)
        words = " ".join(str(error).split()) or ("it takes too much" if short else "no reason given")
        reason = f"{type(error).__name__}: {shortened(words)}{where(error.__traceback__)}"
        code = Code.TOO_LARGE if short else Code.RUNTIME_ERROR
        # Without a name here for the new error: its traceback has this frame, so that a name would keep all
        # that the traceback refers to, such as a model, until the collector comes by.
        raise NNError(code, f"{self.backend}: {reason}") from FrameworkError(reason).with_traceback(
            error.__traceback__
        )
