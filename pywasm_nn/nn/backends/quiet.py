"""Keep a framework's greetings off the terminal, which is the guest's."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

STDERR = 2
GREETER = b"TensorFlow Lite"
_one_at_a_time = Lock()


@contextmanager
def without_info_lines() -> Iterator[None]:
    """Hold back what is written to file descriptor 2 meanwhile, then write it without TensorFlow Lite's
    greeting.

    For a C++ library that has no switch for its log. Nothing else is lost, whichever thread wrote it.
    """
    with _one_at_a_time, tempfile.TemporaryFile() as held:
        try:
            terminal = os.dup(STDERR)
        except OSError:  # there is no stderr: nothing to keep clean
            yield
            return
        os.dup2(held.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(terminal, STDERR)
            os.close(terminal)
            held.seek(0)
            kept = b"".join(line for line in held if not (line.startswith(b"INFO: ") and GREETER in line))
            if kept:
                os.write(STDERR, kept)
