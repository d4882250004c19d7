"""`--trace-fail`, `--expect-output` and `--expect`: a run with problems ends with exit code 1.

What is not here: finding problems (`watch.verdict`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ..interpreter.runtime.observe import Observer
from ..watch.surroundings import Surroundings
from ..watch.trace import Trace
from ..watch.verdict import Answers, Inputs, Problems, Wanted, WantedInput
from .asked import Asked
from .failure import Failure
from .terminal import note

UNLIMITED = 1 << 62
MOST_LINES = 20


@contextmanager
def judged(asked: Asked, around: Surroundings) -> Iterator[list[Observer]]:
    """Observers for the options. After a block without an exception, raises Failure if the run has problems.
    Raises UsageError for an option that can't be read, and OSError for a missing file."""
    wanted = list(map(wanted_output, asked.expect_output))
    problems = Problems(asked.trace_fail or "error")
    wanted_inputs = list(map(wanted_input, asked.expect))
    answers, inputs = Answers(), Inputs()
    watching: list[Observer] = [answers] if wanted else []
    watching += [inputs] if wanted_inputs else []
    if asked.trace_fail:
        watching.append(Trace(["host", "nn"], problems, budget=UNLIMITED, surroundings=around))
    yield watching
    for observer in watching:
        if isinstance(observer, Trace):
            observer.flush()
    compared = list(map(inputs.compared, wanted_inputs))
    for line, is_problem in compared:
        if not is_problem:
            note(line)
    lines = problems.lines + [line for line, is_problem in compared if is_problem]
    lines += filter(None, map(answers.differs, wanted))
    if lines:
        shown = lines[:MOST_LINES] + [f"... {len(lines) - MOST_LINES} more"] * (len(lines) > MOST_LINES)
        raise Failure("\n".join(["the run is not as it should be:", *shown]), in_lines=True)


def wanted_output(text: str) -> Wanted:
    """Read INDEX=FILE.npy[:TOLERANCE]."""
    index, equals, rest = text.partition("=")
    path, colon, last = rest.rpartition(":")
    tolerance = number(last) if colon else None
    if tolerance is None:
        path, tolerance = rest, 0.0
    if not equals or not path or not (index.isascii() and index.isdigit()):
        raise click.UsageError(
            f"--expect-output {text}: write INDEX=FILE.npy[:TOLERANCE], as in 0=answer.npy:1e-5"
        )
    return Wanted(int(index), path, array_of(path), tolerance)


def wanted_input(text: str) -> WantedInput:
    """Read INPUT=FILE: a picture, a sound or an array for an input, by name or index."""
    from ..watch.origin import decoded

    name, _, path = text.partition("=")
    if not name or not path:
        raise click.UsageError(f"--expect {text}: write INPUT=FILE, as in 0=digit.png or data=reference.npy")
    with open(path, "rb") as file:
        source = decoded(path, file.read())
    if source is None:
        raise Failure(f"--expect: {path} is no picture, WAV or .npy that can be read here")
    return WantedInput(name, source)


def number(text: str) -> float | None:
    """A tolerance; None if the text is no number."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if found >= 0 else None


def array_of(path: str) -> Any:
    """The array in a file. Raises Failure for a file that contains none."""
    from ..npy import stored_in

    try:
        array = stored_in(Path(path).read_bytes()).array
    except ValueError as error:
        raise Failure(f"--expect-output: {path} is no .npy file: {error}") from None
    if array.dtype.kind not in "biuf":
        raise Failure(f"--expect-output: {path} holds no array of numbers")
    return array
