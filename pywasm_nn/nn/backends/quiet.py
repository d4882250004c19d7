"""Keep a framework's log lines out of the terminal, which belongs to the guest."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

STDERR = 2
GREETER = b"TensorFlow Lite"
ABSL = b"I0000 ", b"WARNING: All log messages before absl::InitializeLog()"
"""How lines of information begin that TensorFlow writes while it is imported."""
_one_at_a_time = Lock()


@contextmanager
def without_info_lines() -> Iterator[None]:
    """Hold back writes to file descriptor 2 during the block, then write them without the greetings of
    TensorFlow and TensorFlow Lite.

    For a C++ library without a switch for its log. No other line is lost, from any thread.
    """
    with _one_at_a_time, tempfile.TemporaryFile() as held:
        try:
            terminal = os.dup(STDERR)
        except OSError:  # there is no stderr
            yield
            return
        os.dup2(held.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(terminal, STDERR)
            os.close(terminal)
            held.seek(0)
            kept = b"".join(line for line in held if not is_greeting(line))
            if kept:
                os.write(STDERR, kept)


def is_greeting(line: bytes) -> bool:
    return line.startswith(ABSL) or (line.startswith(b"INFO: ") and GREETER in line)
