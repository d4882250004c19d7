"""Tests that copy the process many times run in a small one: to copy the large process of all tests takes the
system ten times longer than what the copy does.

What is here: `apart`, for test functions whose fixtures can be pickled, and the one process in which all of
them run, one after the other. What is not: copies (`pywasm_nn.watch.probes.copies`).
"""

from __future__ import annotations

import atexit
import functools
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).parents[2]


class Process:
    """Runs functions, by name, until it is closed."""

    def __init__(self) -> None:
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs_in), str(theirs_out)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            pass_fds=(theirs_in, theirs_out),
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._requests, self._answers = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")

    def run(self, module: str, name: str, arguments: dict[str, Any]) -> str:
        """Call a test. Returns the traceback of what it raises, "" if it raises nothing."""
        pickle.dump((module, name, arguments), self._requests)
        self._requests.flush()
        said: str = pickle.load(self._answers)
        return said

    def close(self) -> None:
        self._requests.close()
        self._process.wait()
        self._answers.close()


@functools.cache
def process() -> Process:
    """The only one, started for the first test."""
    made = Process()
    atexit.register(made.close)
    return made


def apart(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in the small process. One that fails there runs here too, so that pytest shows values."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        if said := process().run(test.__module__, test.__name__, fixtures):
            test(**fixtures)
            raise AssertionError(f"it fails in the small process only:\n{said}")

    return run


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Run what is asked for, as the fixture `patient` has it."""
    from pywasm_nn.watch import budget

    from .conftest import TIMES

    budget.FLOOR *= TIMES
    budget.SHORT *= TIMES
    while True:
        try:
            module, name, arguments = pickle.load(requests)
        except EOFError:
            return
        said = ""
        try:
            getattr(import_module(module), name).__wrapped__(**arguments)
        except BaseException:
            said = traceback.format_exc()
        pickle.dump(said, answers)
        answers.flush()


if __name__ == "__main__":
    with os.fdopen(int(sys.argv[1]), "rb") as asked, os.fdopen(int(sys.argv[2]), "wb") as told:
        serve(asked, told)
