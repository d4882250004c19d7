"""`run`: runs a whole WASI program, from its file to its exit code.

What is here: `run` and its `Result`. What is not: modules and instances (`api`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Never, Protocol

from .api import NOTES_OF_ERRORS, Cache, Module, StrPath, ignore, is_component
from .arrays import Array
from .brief import brief, reasons
from .checks import check_callable, check_kind, check_mapping, check_path, checked_words
from .components import Component
from .errors import GuestExit, LinkError, Trap, WasmError, WasmException
from .interpreter.runtime.observe import Observer
from .limits import Limits
from .nn import NN, NNEvent, Tensor
from .nn.models import Models
from .printable import LONGEST_REPR, printable
from .records import Frozen
from .wasi import Capture, MemoryDirectory, Wasi
from .wasi.streams import Source

MOST_NOTES = 100
"""The number of notes in a `Result`: a guest can fail a million times."""


class Result(Frozen):
    """The outcome of a program: its exit code, its output, its inferences, and the last MOST_NOTES notes for
    the user, as `report` gets them: why a call of wasi-nn failed, where a missing file really is."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    nn_calls: tuple[Inference, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """What a person wants to know comes first."""
        output = f"stdout={brief(self.stdout)}, stderr={brief(self.stderr)}, nn_calls={brief(self.nn_calls)}"
        told = f"exit_code={self.exit_code}, notes={reasons(self.notes)}, {output}"
        return printable(f"{type(self).__name__}({told})", LONGEST_REPR)


class Inference(Frozen):
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
        """The arguments of `Module.instantiate` in place of these."""

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
    cache: Cache = None,
    observer: Observer | None = None,
    cassette: Between | None = None,
    features: Iterable[str] = (),
    report: Callable[[str], None] = ignore,
    **unknown: Never,
) -> Result:
    """Run a WASI program, a core module or a component of WASI 0.2, to its end and return its outcome.

    `args` follow the program's name, `dirs` maps guest paths to directories of the host, `models` are a
    directory or names with paths (as `NN.models`; `nn` gives all settings instead), `cache` (True: as on
    the command line) and `features` are as in `Module.from_bytes`, `observer` observes the program (for
    example a `Trace`), and a core module's calls to the host pass `cassette` (a `watch.cassette.Recording` or
    `Replay`, finished at the end). Raises what `Module.from_file` and `Module.instantiate` raise, and Trap,
    LimitError or HostError if the program ends with one, with the last notes added. A program without
    `_start` raises LinkError; `models` beside `nn` are a ValueError. Imports of one's own are for
    `Module.instantiate`.
    """
    check_unknown(unknown)
    words = checked_words("args", args)
    check_settings(path, dirs, limits, report)
    inference = inference_with(nn, models)
    name = os.path.basename(path)
    program: Module | Component
    seconds = None if limits is None else limits.seconds
    if not is_component(path):
        program = Module.from_file(path, cache=cache, features=features, seconds=seconds)
    elif cassette is not None:
        raise ValueError(f"cassette takes core modules so far, and {name} is a component")
    else:
        program = Component.from_file(path, cache=cache, features=features, seconds=seconds)
    outcome = Outcome(report)
    wasi = outcome.wasi(args=(name, *words), env=env or {}, dirs=dirs or {}, stdin=stdin)
    inference = inference.watched_by(outcome.infer)
    settings: dict[str, Any] = {"engine": engine, "limits": limits, "observer": observer}
    try:
        if isinstance(program, Component):
            code = outcome.run(program, settings, wasi=wasi, nn=inference)
        else:
            hosts = cassette.through(wasi, inference) if cassette else {"wasi": wasi, "nn": inference}
            code = outcome.run(program, settings, **hosts)
    except WasmError as error:
        outcome.explain(error, words, dirs or {})
        raise
    if code:
        outcome.tell_unseen(words, dirs or {})
    if cassette is not None:
        cassette.finish()
    return outcome.result(code)


def check_unknown(unknown: Mapping[str, object]) -> None:
    """Raises TypeError if there are keyword arguments that `run` doesn't have."""
    for name in unknown:
        how = (
            "Module.from_file(path).instantiate(imports={...}, wasi=Wasi()) takes them, and _start is called"
        )
        advice = f": {how}" if name in ("imports", "host") else ""
        raise TypeError(f"run() has no argument {name!r}{advice}")


class Outcome:
    """The results of one run of a program, complete up to now if the program ends with an error: its output,
    its inferences if `infer` observes them, and the last notes."""

    def __init__(self, report: Callable[[str], None] = ignore) -> None:
        self.stdout, self.stderr = Capture(), Capture()
        self.inferences: list[Inference] = []
        self.notes: deque[str] = deque(maxlen=MOST_NOTES)
        self._report = report

    def note(self, text: str) -> None:
        self.notes.append(text)
        self._report(text)

    def infer(self, event: NNEvent) -> None:
        """The observer of an NN that keeps inferences."""
        if event.operation == "compute" and event.error is None:
            self.inferences.append(Inference(event.model, tuple(event.tensors), event.seconds))

    def wasi(self, **settings: Any) -> Wasi:
        """A WASI that writes here."""
        return Wasi(**settings, stdout=self.stdout, stderr=self.stderr)

    def run(self, program: Module | Component, settings: Mapping[str, Any], **hosts: Any) -> int:
        """Run a command to its end; returns its exit code. `settings` and `hosts` are for `instantiate`."""
        if isinstance(program, Component):
            with program.instantiate(**hosts, **settings, report=self.note) as component:
                code = component.run()
                component.tell_refused()
                return code
        with program.instantiate(**hosts, **settings, report=self.note) as instance:
            if "_start" not in instance.exports:
                raise LinkError(f"{printable(program.name)} has no _start to run")
            try:
                instance.exports["_start"]()
                code = 0
            except GuestExit as exit_:
                code = exit_.code
            instance.group.tell_refused()
        return code

    def explain(self, error: WasmError, arguments: Iterable[str | bytes], dirs: Mapping[str, object]) -> None:
        """Add the last notes to an error that ends the program."""
        if isinstance(error, Trap | WasmException):
            self.tell_unseen(arguments, dirs)
        for text in list(self.notes)[-NOTES_OF_ERRORS:]:
            if text not in error.added:  # a limit's refusal is told by the instance
                error.add_note(text)

    def tell_unseen(self, arguments: Iterable[str | bytes], dirs: Mapping[str, object]) -> None:
        """Note the files among a failed program's arguments that are in none of its directories."""
        from .unseen import PYTHON, unseen_files

        for text in unseen_files([os.fsdecode(word) for word in arguments], [*dirs], PYTHON):
            self.note(text)

    def result(self, code: int) -> Result:
        return Result(code, self.stdout.value, self.stderr.value, tuple(self.inferences), tuple(self.notes))


def inference_with(nn: NN | None, models: Models | None) -> NN:
    """The NN that was given, or one with these models. Raises TypeError, and ValueError for both."""
    if nn is None:
        return NN(models=models)
    check_kind("nn", nn, NN, "an NN", "models are given as models=...")
    if models is not None:
        raise ValueError("models and nn can't both be given: give nn the models, NN(models=...)")
    return nn


def check_settings(path: object, dirs: object, limits: object, report: object) -> None:
    """Raise TypeError for what `run` can't take."""
    check_path("path", path, "a module's bytes are read by Module.from_bytes")
    if dirs is not None:
        check_mapping("dirs", dirs, 'a mapping like {"/": "data"}, guest paths to directories')
    if limits is not None:
        check_kind("limits", limits, Limits, "a Limits")
    check_callable("report", report, "something to call with a note")
