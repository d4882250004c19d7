"""`run`: runs a whole WASI program, from its file to its exit code.

What is here: `run` and its `Result`. What is not: modules and instances (`api`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from .api import Module, StrPath, ignore
from .arrays import Array
from .checks import check_callable, check_kind, check_mapping, check_path, checked_words
from .components import Component, is_component
from .errors import GuestExit, LinkError, WasmError
from .interpreter.compile.cache import CodeFolder
from .interpreter.runtime.observe import Observer
from .limits import Limits
from .nn import NN, NNEvent, Tensor
from .nn.models import Models
from .printable import printable
from .records import record
from .wasi import Capture, MemoryDirectory, Wasi
from .wasi.streams import Source

MOST_NOTES = 100
"""The number of notes in a `Result`: a guest can fail a million times."""
NOTES_OF_ERRORS = 10
"""The number of last notes that are added to an error that ends a program."""


@record
class Result:
    """The outcome of a program: its exit code, its output, its inferences, and the last MOST_NOTES notes for
    the user, as `report` gets them: why a call of wasi-nn failed, where a missing file really is."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    nn_calls: tuple[Inference, ...] = ()
    notes: tuple[str, ...] = ()


@record
class Inference:
    """One compute of the guest: the model's name if it has one, and the outputs in the model's order."""

    model: str | None
    tensors: tuple[Tensor, ...]
    seconds: float

    @property
    def outputs(self) -> tuple[Array, ...]:
        """The outputs as numpy arrays."""
        return tuple(tensor.numpy() for tensor in self.tensors)


class Between(Protocol):
    """Something between a program and its hosts: a cassette that records or replays."""

    def through(self, wasi: Wasi | None, nn: NN | None) -> dict[str, Any]:
        """What `Module.instantiate` gets in place of these."""

    def finish(self) -> None:
        """The program has ended by itself."""


def run(
    path: StrPath,
    args: Sequence[str] = (),
    *,
    dirs: Mapping[str, StrPath | MemoryDirectory] | None = None,
    env: Mapping[str, str] | None = None,
    stdin: Source = b"",
    models: Models | None = None,
    nn: NN | None = None,
    engine: str = "compile",
    limits: Limits | None = None,
    cache: CodeFolder | None = None,
    observer: Observer | None = None,
    cassette: Between | None = None,
    features: Iterable[str] = (),
    report: Callable[[str], None] = ignore,
) -> Result:
    """Run a WASI program, a core module or a component of WASI 0.2, to its end and return its outcome.

    `args` follow the program's name, `dirs` maps guest paths to directories of the host, `models` are a
    directory or names with paths (as `NN.models`; `nn` gives all settings instead), `cache` and
    `features` are as in `Module.from_bytes`, `observer` observes the program (for example a `Trace`), and a
    core module's calls to the host pass `cassette` (a `watch.cassette.Recording` or `Replay`, finished at the
    end). Raises what `Module.from_file` and `Module.instantiate` raise, and Trap, LimitError or HostError if
    the program ends with one, with the last notes added. A program without `_start` raises LinkError.
    """
    words = checked_words("args", args)
    check_settings(path, dirs, nn, report)
    name = os.path.basename(path)
    inferences: list[Inference] = []
    notes: deque[str] = deque(maxlen=MOST_NOTES)

    def note(text: str) -> None:
        notes.append(text)
        report(text)

    def infer(event: NNEvent) -> None:
        if event.operation == "compute" and event.error is None:
            inferences.append(Inference(event.model, tuple(event.tensors), event.seconds))

    stdout, stderr = Capture(), Capture()
    wasi = Wasi(
        args=(name, *words), env=env or {}, dirs=dirs or {}, stdin=stdin, stdout=stdout, stderr=stderr
    )
    inference = (nn or NN(models=models)).watched_by(infer)
    settings: dict[str, Any] = {"engine": engine, "limits": limits, "observer": observer, "report": note}
    reading: dict[str, Any] = {"cache": cache, "features": features}
    try:
        if not is_component(path):
            exit_code = run_module(path, wasi, inference, cassette, reading, settings)
        elif cassette is not None:
            raise ValueError(f"cassette takes core modules so far, and {name} is a component")
        else:
            exit_code = run_component(path, wasi, inference, reading, settings)
    except WasmError as error:
        for text in list(notes)[-NOTES_OF_ERRORS:]:
            error.add_note(text)
        raise
    return Result(exit_code, stdout.value, stderr.value, tuple(inferences), tuple(notes))


def check_settings(path: object, dirs: object, nn: object, report: object) -> None:
    """Raise TypeError for what `run` can't take."""
    check_path("path", path, "a module's bytes are read by Module.from_bytes")
    if nn is not None:
        check_kind("nn", nn, NN, "an NN", "models are given as models=...")
    if dirs is not None:
        check_mapping("dirs", dirs, 'a mapping like {"/": "data"}, guest paths to directories')
    check_callable("report", report, "something to call with a note")


def run_module(
    path: StrPath,
    wasi: Wasi,
    inference: NN,
    cassette: Between | None,
    reading: dict[str, Any],
    settings: dict[str, Any],
) -> int:
    """Run a core module that is a command, with a cassette between it and the host if there is one; returns
    its exit code."""
    hosts = {"wasi": wasi, "nn": inference} if cassette is None else cassette.through(wasi, inference)
    program = Module.from_file(path, **reading)
    code = 0
    with program.instantiate(**hosts, **settings) as instance:
        if "_start" not in instance.exports:
            raise LinkError(f"{printable(program.name)} has no _start to run")
        try:
            instance.exports["_start"]()
        except GuestExit as exit_:
            code = exit_.code
    if cassette is not None:
        cassette.finish()
    return code


def run_component(
    path: StrPath, wasi: Wasi, nn: NN, reading: dict[str, Any], settings: dict[str, Any]
) -> int:
    """Run a component that is a command; returns its exit code."""
    with Component.from_file(path, **reading).instantiate(wasi=wasi, nn=nn, **settings) as instance:
        return instance.run()
