"""What a backend is: a framework, or code of one's own, that loads models and runs them.

What is here: `Backend` (loads), `Graph` (a loaded model), `Context` (inputs and outputs of one execution) to
derive from, and `GraphConfig`. Sessions have checked everything before a backend sees it: the index exists,
dtype, shape and byte length fit the graph's own specs, parts are as many as the format wants, the device
exists. A backend raises NNError with a reason; any other exception it lets pass becomes runtime_error with
its text.
What is not: choosing among backends and whether to trust bytes (`registry`), handles and checks (`session`).
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from threading import Timer
from typing import Any

from ..arrays import Array
from ..brief import summarised
from ..checks import check_kind, refuse
from ..errors import WasmError
from ..printable import PrintableError
from .errors import Code, Nature, NNError
from .formats import KNOWN, Format, Look, as_formats
from .tensor import Tensor, TensorSpec

REASON = 500
"""Characters of a framework's message that are passed on."""


TARGET_OPTIONS = ("target", "device")
"""Options by which the target is chosen, under either name."""


class Target(Enum):
    """Where a graph shall run."""

    CPU = "cpu"
    GPU = "gpu"
    TPU = "tpu"
    AUTO = "auto"


@summarised
@dataclass(frozen=True, slots=True)
class GraphConfig:
    """How to load a model. A backend sees only targets that it has, never AUTO: the registry has chosen."""

    target: Target = Target.AUTO
    options: Mapping[str, Any] = field(default_factory=dict)
    """For the backend, from JSON or Python: "threads", "precision", "provider_options" ... Unknown ones are
    ignored, as guests of other hosts expect.
    """
    tensor_bytes: int | None = None
    """Bytes of one tensor in a guest's own model, where the backend can tell; None for no limit."""

    @property
    def key(self) -> str:
        """What is equal for equal configurations, and can be looked up."""
        return f"{self.target.value} {json.dumps(self.options, sort_keys=True, default=repr)}"

    def changed_by(self, options: Mapping[str, Any]) -> GraphConfig:
        """With other options, of which "target" (or "device") is the target. Raises
        NNError(INVALID_ARGUMENT) if there is none of that name.
        """
        rest = dict(options)
        named = [rest.pop(name) for name in TARGET_OPTIONS if name in rest]
        target = self.target
        if named:
            try:
                target = Target(str(named[0]).lower())
            except ValueError:
                names = ", ".join(target.value for target in Target)
                raise NNError(
                    Code.INVALID_ARGUMENT, f"there is no target {named[0]!r}; there are {names}"
                ) from None
        return GraphConfig(target, {**self.options, **rest}, self.tensor_bytes)


def capped(value: Any, most: float | None) -> Any:
    """The value, or the largest if it is a number beyond. Other kinds of value are the backend's to judge."""
    if most is None or not isinstance(value, int | float) or value <= most:
        return value
    return most


def for_ever() -> float | None:
    """The patience of a guest without a deadline."""
    return None


def to_nobody(data: bytes) -> None:
    """Where text streams that nobody listens to."""


class Context:
    """One execution of a graph: inputs stay until they are set again, outputs until the next compute.

    Most backends override `run` alone. Calls for one context never overlap; two contexts of one graph may run
    at once on two threads, so a backend whose model can't do that gives each context its own or takes a lock.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.inputs: list[Tensor | None] = [None] * len(graph.inputs)
        self.outputs: Sequence[Tensor | None] | None = None
        self.patience: Callable[[], float | None] = for_ever
        """Seconds that the guest whose run it is still has, None for no limit; raises DeadlineError if there
        are none. For a long `run` to ask between its parts."""
        self.targets: dict[int, memoryview] = {}
        """Where outputs of the compute under way shall go; if any are named, no others are wanted."""
        self.write: Callable[[bytes], None] = to_nobody
        """Write to the guest's standard output, for text that streams. Raises if the guest may not."""
        self._snapshots: list[Tensor | None] = [None] * len(graph.inputs)
        self._arrays: list[tuple[Tensor, Any] | None] = [None] * len(graph.inputs)

    def set_input(self, index: int, tensor: Tensor) -> None:
        """Keep a snapshot: exactly one copy, into a buffer that is warm from the last time."""
        source, kept = tensor.view(), self._snapshots[index]
        if kept is not None and len(kept.data) == len(source):
            kept.data[:] = source
        else:
            kept = Tensor(tensor.dtype, tensor.shape, self.snapshot(index, source))
        if kept.shape != tensor.shape or kept.dtype is not tensor.dtype:
            kept = Tensor(tensor.dtype, tensor.shape, kept.data)
        self._snapshots[index] = kept
        self.accept_input(index, kept)

    def snapshot(self, index: int, source: memoryview) -> memoryview:
        """A writable copy of an input's bytes."""
        return memoryview(bytearray(source))

    def accept_input(self, index: int, tensor: Tensor) -> None:
        """Use the tensor itself, without a copy: it stays as it is until it is replaced. Override it to
        look at an input before compute.
        """
        self.inputs[index] = tensor

    def compute(self) -> None:
        """Run the graph on the inputs that were set. Raises NNError(INVALID_ARGUMENT) if one is missing,
        TOO_LARGE if an output doesn't fit into its target.
        """
        inputs = []
        for index, tensor in enumerate(self.inputs):
            if tensor is None:
                spec = self.graph.inputs[index]
                raise NNError(
                    Code.INVALID_ARGUMENT, f'input {index} "{spec.name}" ({spec}) was not set before compute'
                )
            inputs.append(tensor)
        self.outputs = None  # after a failure there are none
        outputs: Sequence[Tensor | None] = self.run(inputs)
        if self.targets:
            outputs = [self._put(index, tensor) for index, tensor in enumerate(outputs)]
        self.outputs = outputs

    def compute_within(self, seconds: float | None) -> None:
        """Compute, and stop it after so many seconds if it can be stopped (`interrupt`); None is without end.
        Raises NNError(RUNTIME_ERROR) if it was.
        """
        if seconds is None:
            return self.compute()
        stopped = []
        timer = Timer(seconds, lambda: stopped.append(self.interrupt()))
        timer.daemon = True
        timer.start()
        try:
            self.compute()
        except Exception as error:
            if not any(stopped):
                raise
            raise NNError(
                Code.RUNTIME_ERROR, f"compute was stopped after {seconds:g} s, the limit", Nature.TIMEOUT
            ) from error
        finally:
            timer.cancel()

    def _put(self, index: int, tensor: Tensor | None) -> Tensor | None:
        """The output in its target, where it may be already."""
        target = self.targets.get(index)
        if target is None or tensor is None:
            return None
        if tensor.data is target:
            return Tensor(tensor.dtype, tensor.shape, target[: tensor.size])
        source = tensor.view()
        self.check_room(index, len(source))
        target[: len(source)] = source
        return Tensor(tensor.dtype, tensor.shape, target[: len(source)])

    def check_room(self, index: int, size: int) -> None:
        """Raise BufferTooSmallError if an output of this many bytes doesn't fit into its target."""
        spec = self.graph.outputs[index]
        check_room(size, len(self.targets[index]), f'output {index} "{spec.name}" {spec}')

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        """Outputs in the order of `graph.outputs`, sharing no memory with inputs, which are written again
        later. Where `targets` names outputs, the others may be None, and a tensor may have its target itself
        as `data`.
        """
        raise NotImplementedError

    def array(self, index: int, tensor: Tensor) -> Array:
        """An input's numpy array, the same one for as long as the input is the same snapshot."""
        kept = self._arrays[index]
        if kept is None or kept[0] is not tensor:
            kept = self._arrays[index] = tensor, tensor.numpy()
        return kept[1]

    def rearm(self) -> None:
        """Forget that a run was interrupted: the next may begin."""

    def interrupt(self) -> bool:
        """Stop the run that is under way, or the next if none has begun since `rearm`, from another thread:
        it raises soon. False where that can't be.
        """
        return False

    def output(self, index: int) -> Tensor:
        """An output of the last compute, the backend's own value. Raises NNError(RUNTIME_ERROR) before
        one.
        """
        if self.outputs is None:
            raise NNError(Code.RUNTIME_ERROR, "there is no output before a compute that succeeded")
        tensor = self.outputs[index]
        if tensor is None:
            raise NNError(Code.RUNTIME_ERROR, f"output {index} was not among those that were wanted")
        return tensor

    def compute_single(self) -> None:
        """Make one more token. Raises NNError(UNSUPPORTED_OPERATION) where the graph makes no text."""
        raise self.no_text()

    def output_single(self, index: int) -> Tensor:
        """The token that `compute_single` made last (index 1: metadata as JSON)."""
        raise self.no_text()

    def finish_single(self) -> None:
        """End the generation that `compute_single` began."""
        raise self.no_text()

    def no_text(self) -> NNError:
        return NNError(
            Code.UNSUPPORTED_OPERATION,
            f"graphs of {self.graph.backend} compute all at once; only text models do it token by token",
        )

    def close(self) -> None:
        """Let go of what the framework holds. Called once; nothing else follows."""
        self.inputs, self.outputs, self.targets = [], None, {}
        self._snapshots, self._arrays = [], []


class BufferTooSmallError(NNError):
    """An output doesn't fit where the guest wants it: `needed` bytes would do."""

    def __init__(self, reason: str, needed: int) -> None:
        super().__init__(Code.TOO_LARGE, reason)
        self.needed = needed


def check_room(size: int, room: int, owner: str) -> None:
    """Raise BufferTooSmallError if `size` bytes are more than `room`."""
    if size > room:
        raise BufferTooSmallError(f"{owner} is {size} bytes, the buffer has {room}", size)


class Graph:
    """A loaded model. It may be shared by many sessions and threads.

    `backend` is the backend's name and `device` where it really runs, in the framework's words, as "CPU".
    `notes` are for the person: how its answers differ from what the model says. In strict mode a graph with
    notes is refused.
    """

    def __init__(
        self,
        backend: str,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        device: str = "CPU",
        notes: Sequence[str] = (),
    ) -> None:
        self.backend = backend
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.device = device
        self.notes = tuple(notes)

    def context(self) -> Context:
        """A new execution context."""
        raise NotImplementedError

    def configured_context(self, config: GraphConfig) -> Context:
        """A new execution context for which the configuration of the graph is replaced, as far as the
        backend's `late` options. Raises NNError(UNSUPPORTED_OPERATION) where it can't be.
        """
        raise NNError(
            Code.UNSUPPORTED_OPERATION,
            f"{self.backend} takes its configuration when it loads a graph, not for a context",
        )

    def close(self) -> None:
        """Let go of the model. Called once, when no context is left."""


class Backend:
    """Loads models of some formats."""

    name: str
    formats: tuple[Format | str, ...]
    """What it reads, its own format first: a `Format`, or the name of one that is in `formats.known`."""
    from_guests: frozenset[Format | str] = frozenset()
    """Of those the ones that it loads from a guest's bytes: whatever they say, `load` opens no file and no
    connection and runs no code of theirs. Other formats, and `detect`, get bytes of the host's files only,
    unless the host trusts its guests' models.
    """
    rank: int = 10
    """Where several backends of this package read a format, the smallest is asked first."""
    packages: tuple[str, ...] = ()
    """Importable names of which one is enough; none for a backend that needs nothing."""
    extra: str = ""
    """The extra of pywasm-nn that installs what is missing, as "onnx"."""
    native: bool = False
    """Whether bytes of a guest could end the process: then its own models are loaded and run in a child, and
    refused where there are no processes. The child makes a backend of its own by calling the class.
    """
    apart: bool = False
    """Whether a guest's own models run in a child anyway where there are processes, as nothing else ends a
    long computation at once.
    """
    guest_options: Mapping[str, float | None] = {"threads": os.cpu_count() or 1}
    """Options that a guest may set, and the largest value of each where it costs something, which a larger
    number becomes. All others are the host's: a guest's are ignored, as other hosts ignore unknown ones."""
    late: frozenset[str] = frozenset()
    """Options that a context may change: "target" where that binds at the context, else it binds at load."""

    @property
    def reads(self) -> tuple[Format, ...]:
        """What it reads, those that it gave by name alone included."""
        return as_formats(self.formats, KNOWN)

    @property
    def format_names(self) -> tuple[str, ...]:
        """Names of what it reads."""
        return tuple([format if isinstance(format, str) else format.name for format in self.formats])

    def check(self) -> None:
        """Raises TypeError for `formats` or `from_guests` that hold no formats: a text would be searched for
        letters.
        """
        said: dict[str, Any] = {"formats": self.formats, "from_guests": self.from_guests}
        for where, formats in said.items():
            field = f"{type(self).__name__}.{where}"
            if isinstance(formats, str | bytes) or not isinstance(formats, Iterable):
                raise refuse(field, 'several formats or their names, as ("onnx",)', formats)
            for format in formats:
                check_kind(f"each of {field}", format, (Format, str), "a Format or the name of one")

    def takes_from_guests(self, name: str) -> bool:
        """Whether it loads a guest's bytes as the format of this name."""
        return any(one.name == name for one in as_formats(self.from_guests, KNOWN))

    def guest_config(self, options: Mapping[str, Any], base: GraphConfig) -> GraphConfig:
        """A configuration changed by the options of a guest that a guest may set. Raises
        NNError(INVALID_ARGUMENT) for a target that there isn't.
        """
        taken = {name: options[name] for name in TARGET_OPTIONS if name in options}
        for name, most in self.guest_options.items():
            if name in options:
                taken[name] = capped(options[name], most)
        return base.changed_by(taken)

    def detect(self, data: Look) -> str | None:
        """The format of bytes that are in no format of `formats.known`, or None: one of its own formats that
        looks like it. Override it where formats don't tell one by one. A guest's bytes are shown only to
        backends that load some (`from_guests`).
        """
        return next((format.name for format in self.reads if format.is_at(data)), None)

    def missing(self) -> str | None:
        """What keeps this backend from being used here, None if nothing does. Looks without importing the
        framework.
        """
        if not self.packages or any(importlib.util.find_spec(package) for package in self.packages):
            return None
        return f"{' or '.join(self.packages)} isn't installed"

    def unavailable(self) -> str | None:
        """Why this backend can't be used here and what there is to do, or None if it can."""
        why = self.missing()
        return f"{why}: pip install 'pywasm-nn[{self.extra}]'" if why and self.extra else why

    def targets(self) -> frozenset[Target]:
        """Where this backend can run graphs on this machine. May import the framework."""
        return frozenset({Target.CPU})

    def prepare(self) -> None:
        """Import whatever loading and running need, in a child whose memory will be limited from then on."""
        self.targets()

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        """Load a model from bytes, which may come from a guest: nothing outside them may be read or run.

        Parts are views of guest memory that change after the call: parse or copy them. Raises
        NNError(RUNTIME_ERROR) with the framework's message if they are no such model.
        """
        raise NotImplementedError

    def load_at(self, format: str, addresses: Sequence[str], config: GraphConfig) -> Graph:
        """Load a model from a server that the host named; all of the addresses have it. For formats with
        `schemes`.
        """
        raise NotImplementedError

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        """Load a model that the host named. Override it where files can do more (external data, mmap), and
        for a format whose models are a directory, which is the only path then.
        """
        return self.load(format, [path.read_bytes() for path in paths], config)


class FrameworkError(PrintableError):
    """Stands for what a framework raised, as the cause of an NNError: tracebacks show its words, in which
    strings of a model's may be quoted."""


class blaming:  # noqa: N801 - used as a word: with blaming(name)
    """What a framework raises inside becomes NNError(RUNTIME_ERROR) with its words; NNError stays itself, and
    so do errors that end the guest, as DeadlineError.
    """

    __slots__ = ("backend",)

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is None or isinstance(error, NNError | WasmError) or not isinstance(error, Exception):
            return
        words = " ".join(str(error).split()) or "no reason given"
        raise NNError(
            Code.RUNTIME_ERROR, f"{self.backend}: {type(error).__name__}: {words[:REASON]}"
        ) from FrameworkError(f"{type(error).__name__}: {words[:REASON]}").with_traceback(error.__traceback__)
