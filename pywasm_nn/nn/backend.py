"""The base classes of backends. A backend loads models and runs them: with a framework, or with its own code.

What is here: the classes to derive from, `Backend` (loads), `Graph` (a loaded model) and `Context` (inputs
and outputs of one execution), and `GraphConfig`. Sessions check arguments before they call a backend: the
index exists, dtype, shape and byte length fit the graph's own specs, the number of parts fits the format, the
device exists. A backend raises NNError with a reason; any other exception becomes runtime_error with its
text. What is not: choosing a backend and deciding whether to trust bytes (`registry`), handles and checks
(`session`).
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
from ..brief import sized, summarised
from ..checks import check_kind, check_mapping, check_whole, refuse
from .errors import BufferTooSmallError, Code, Nature, NNError
from .formats import KNOWN, Format, Look, as_formats
from .lent import Lent, apart
from .mistakes import lacking
from .tensor import DType, Tensor, TensorSpec

TARGET_OPTIONS = ("target", "device")
"""Names of the option for the target; the two mean the same."""


OURS = f"{__package__}."
"""How names of this package's modules begin."""


class Target(Enum):
    """The device for a graph."""

    CPU = "cpu"
    GPU = "gpu"
    TPU = "tpu"
    AUTO = "auto"


OptionKinds = Mapping[str, tuple[type, ...]]
"""Types of the values of options, by name, as {"threads": (int,), "temperature": (int, float)}; bool is no
int."""


@summarised
@dataclass(frozen=True, slots=True)
class GraphConfig:
    """How to load a model. A backend never sees AUTO nor a target that it lacks: the registry chooses
    first."""

    target: Target = Target.AUTO
    options: Mapping[str, Any] = field(default_factory=dict)
    """For the backend, from JSON or Python: "threads", "precision", "provider_options" ... Unknown ones are
    ignored, as guests of other hosts expect.
    """
    tensor_bytes: int | None = None
    """The limit on the bytes of one tensor in a guest's own model, if the backend can check it; None: no
    limit."""

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError for arguments that are something else."""
        check_kind("GraphConfig(target=...)", self.target, Target, "a Target, as Target.GPU")
        check_mapping("GraphConfig(options=...)", self.options, 'a mapping like {"threads": 2}')
        if self.tensor_bytes is not None:
            check_whole("GraphConfig(tensor_bytes=...)", self.tensor_bytes)

    @property
    def key(self) -> str:
        """A text for use as a key: equal configurations have equal texts."""
        return f"{self.target.value} {json.dumps(self.options, sort_keys=True, default=repr)}"

    def changed_by(self, options: Mapping[str, Any]) -> GraphConfig:
        """The configuration with these options; "target" (or "device") sets the target. Raises
        NNError(INVALID_ARGUMENT) for an unknown target.
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
    """The value, or `most` if the value is a larger number. Values of other kinds stay; backends check
    them."""
    if most is None or not isinstance(value, int | float) or value <= most:
        return value
    return most


def for_ever() -> float | None:
    """The patience of a guest without a deadline."""
    return None


def to_nobody(data: bytes) -> None:
    """Discards streamed text if nobody listens."""


class Context:
    """One execution of a graph: inputs stay until they are set again, outputs until the next compute.

    Most backends override only `run`. Calls for one context never overlap. Two contexts of one graph may run
    at the same time on two threads; if the model can't do that, the backend gives each context its own model
    or takes a lock.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.inputs: list[Tensor | None] = [None] * len(graph.inputs)
        self.outputs: Sequence[Tensor | None] | None = None
        self.patience: Callable[[], float | None] = for_ever
        """Returns the seconds that the guest has left, None for no limit; raises DeadlineError if no time is
        left. A long `run` should call it between its parts."""
        self.targets: dict[int, memoryview] = {}
        """Memory for outputs of the current compute, by index; if there is any, only those outputs are
        wanted."""
        self.most: int | None = None
        """Bytes that one output may have, None for no limit; for a backend that can refuse a larger output
        before it arrives."""
        self.write: Callable[[bytes], None] = to_nobody
        """Writes to the guest's standard output, for streamed text. Raises if the guest may not write."""
        self._is_foreign = not type(self).run.__module__.startswith(OURS)
        self._snapshots: list[Tensor | None] = [None] * len(graph.inputs)
        self._lent = Lent()
        self._arrays: list[tuple[Tensor, Any] | None] = [None] * len(graph.inputs)

    def set_input(self, index: int, tensor: Tensor) -> None:
        """Keep a snapshot: exactly one copy, into the buffer of the last input if it has the same size."""
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
        """Use the tensor itself, without a copy: it doesn't change until it is replaced. Override this method
        to inspect an input before compute.
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
        self.outputs = None  # a failed compute leaves no outputs
        outputs: Sequence[Tensor | None] = self.run(self._lent.of(inputs) if self._is_foreign else inputs)
        self.check_outputs(outputs)
        if self.targets:
            outputs = [self._put(index, tensor) for index, tensor in enumerate(outputs)]
        elif self._is_foreign:
            outputs = apart(outputs, inputs)
        self.outputs = outputs

    def check_outputs(self, outputs: Sequence[Tensor | None]) -> None:
        """Raise TypeError if `run` returned no tensors, ValueError if one has not the bytes of its shape: a
        mistake of the backend, whose bytes a guest would take for an answer."""
        what = f"{type(self).__qualname__}.run returned"
        if not isinstance(outputs, Sequence):
            raise TypeError(f"{what} {type(outputs).__name__}; wanted is a sequence of Tensors")
        for index, one in enumerate(outputs):
            if type(one) is Tensor:
                if one.dtype.__class__ is not DType:
                    raise refuse(f"{what} a Tensor whose dtype", "a DType, as DType.F32", one.dtype)
                size, held = one.size, one.nbytes
                if size != held and one.dtype.size:
                    has_room = one.data is self.targets.get(index) and held > size
                    if not has_room:
                        raise ValueError(f"{what} {one} with {sized(held)}; it has {sized(size)}")
            elif one is not None and not isinstance(one, Tensor):
                raise TypeError(f"{what} {type(one).__name__} in a sequence; wanted are Tensors")
        if self._is_foreign:
            self.check_declared(what, outputs)

    def check_declared(self, what: str, outputs: Sequence[Tensor | None]) -> None:
        """Raise ValueError unless these are the outputs that the graph declares. This package's own backends
        aren't asked: a file may declare otherwise than the framework computes, which stands then."""
        specs = self.graph.outputs
        if len(outputs) != len(specs):
            raise ValueError(f"{what} {len(outputs)} Tensors; outputs that its graph declares: {len(specs)}")
        for index, (spec, one) in enumerate(zip(specs, outputs, strict=True)):
            if one is None:
                fits = bool(self.targets) and index not in self.targets
            else:
                fits = spec.gives(one)
            if not fits:
                hint = "" if one is not None else "; None is for those not in `targets`"
                raise ValueError(f'{what} {one} for output {index} "{spec.name}", declared as {spec}{hint}')

    def within(self, seconds: float | None, work: Callable[[], None]) -> None:
        """Do work of this context, and interrupt it after so many seconds if the backend can (`interrupt`);
        None: no limit. Raises NNError(RUNTIME_ERROR) if it was interrupted.
        """
        if seconds is None:
            return work()
        stopped = []
        timer = Timer(seconds, lambda: stopped.append(self.interrupt()))
        timer.daemon = True
        timer.start()
        try:
            work()
        except Exception as error:
            timer.cancel()
            timer.join()  # the run may have ended before the timer could say that it ended it
            if not any(stopped):
                raise
            raise NNError(
                Code.RUNTIME_ERROR, f"compute was stopped after {seconds:g} s, the limit", Nature.TIMEOUT
            ) from error
        finally:
            timer.cancel()

    def _put(self, index: int, tensor: Tensor | None) -> Tensor | None:
        """The output in its target, copied there unless the backend wrote it there."""
        target = self.targets.get(index)
        if target is None or tensor is None:
            return None
        if tensor.data is target:
            return Tensor(tensor.dtype, tensor.shape, target[: tensor.size])
        self.check_passes(index, tensor)
        source = tensor.view()
        self.check_room(index, len(source))
        target[: len(source)] = source
        return Tensor(tensor.dtype, tensor.shape, target[: len(source)])

    def check_room(self, index: int, size: int) -> None:
        """Raise BufferTooSmallError if an output of this many bytes doesn't fit into its target."""
        spec = self.graph.outputs[index]
        check_room(size, len(self.targets[index]), f'output {index} "{spec.name}" {spec}')

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        """Outputs in the order of `graph.outputs`, each of the type and shape declared there. Inputs can only
        be read; outputs in their memory are copied. If `targets` has any outputs, the others may be None, and
        a tensor may have its target itself as `data`.
        """
        raise lacking(self, "run(self, inputs)", "a sequence of Tensors")

    def array(self, index: int, tensor: Tensor) -> Array:
        """An input as a numpy array: the same array object while the input is the same snapshot."""
        kept = self._arrays[index]
        if kept is None or kept[0] is not tensor:
            kept = self._arrays[index] = tensor, tensor.numpy()
        return kept[1]

    def rearm(self) -> None:
        """Clear an interruption, so that the next run may begin."""

    def interrupt(self) -> bool:
        """Stop the current run from another thread, or the next one if none has begun since `rearm`: the run
        raises soon. Returns False if the backend can't.
        """
        return False

    def output(self, index: int) -> Tensor:
        """An output of the last compute, the backend's own value. Raises NNError(RUNTIME_ERROR) if there was
        no compute.
        """
        if self.outputs is None:
            raise NNError(Code.RUNTIME_ERROR, "there is no output before a compute that succeeded")
        tensor = self.outputs[index]
        if tensor is None:
            raise NNError(Code.RUNTIME_ERROR, f"output {index} was not requested")
        return tensor

    def passed(self, index: int) -> Tensor:
        """An output for the guest. Raises NNError as `output`, and UNSUPPORTED_OPERATION for strings."""
        tensor = self.output(index)
        self.check_passes(index, tensor)
        return tensor

    def check_passes(self, index: int, tensor: Tensor) -> None:
        """Raise NNError(UNSUPPORTED_OPERATION) for an output that no guest gets."""
        if not tensor.passes:
            specs = self.graph.outputs
            others = [f'{n} "{s.name}"' for n, s in enumerate(specs) if s.dtype is not DType.STRING]
            what = f'output {index} "{specs[index].name}" has strings, which no wasi-nn tensor supports'
            raise NNError(Code.UNSUPPORTED_OPERATION, f"{what}; to fetch are {', '.join(others)}")

    def compute_single(self) -> None:
        """Generate one more token. Raises NNError(UNSUPPORTED_OPERATION) if the graph generates no text."""
        raise self.no_text()

    def output_single(self, index: int) -> Tensor:
        """The last token of `compute_single` (index 1: metadata as JSON)."""
        raise self.no_text()

    def finish_single(self) -> None:
        """End the generation that `compute_single` began."""
        raise self.no_text()

    def no_text(self) -> NNError:
        return NNError(
            Code.UNSUPPORTED_OPERATION,
            f"graphs of {self.graph.backend} compute all at once; only text models do it token by token",
        )

    @property
    def remark(self) -> str:
        """A trace's words about the last compute, beside its outputs; often none."""
        return ""

    def close(self) -> None:
        """Release the framework's objects. Called once, as the last call."""
        self.inputs, self.outputs, self.targets = [], None, {}
        self._snapshots, self._lent, self._arrays = [], Lent(), []


def check_room(size: int, room: int, owner: str) -> None:
    """Raise BufferTooSmallError if `size` bytes are more than `room`."""
    if size > room:
        raise BufferTooSmallError(f"{owner} is {size} bytes, the buffer has {room}", size)


class Graph:
    """A loaded model. Many sessions and threads may share it.

    `backend` is the backend's name; `device` is the actual device in the framework's words, for example
    "CPU". `notes` tell users how results differ from the model's definition. Strict mode refuses a graph with
    notes.
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
        for name, specs in (("inputs", self.inputs), ("outputs", self.outputs)):
            for spec in specs:
                check_kind(f"each of {type(self).__qualname__}'s {name}", spec, TensorSpec, "a TensorSpec")
        self.device = device
        self.notes = tuple(notes)
        self.worked = 0.0
        """Seconds of the processor's time that another process took to load it, and a `twin` will take."""

    @property
    def keeps_state(self) -> bool:
        """Whether a run changes what the next run of the same context gives."""
        return False

    def context(self) -> Context:
        """A new execution context."""
        raise lacking(self, "context(self)", "a Context")

    def opened(self, config: GraphConfig | None = None) -> Context:
        """A new execution context, with another configuration if one is given. Raises TypeError for what is
        none: a mistake of the backend."""
        made = self.context() if config is None else self.configured_context(config)
        check_begun(f"what {type(self).__qualname__}.context returns", made, Context, "graph", "_arrays")
        return made

    def configured_context(self, config: GraphConfig) -> Context:
        """A new execution context with another configuration, as far as the backend's `late` options allow.
        Raises NNError(UNSUPPORTED_OPERATION) if the backend can't.
        """
        raise NNError(
            Code.UNSUPPORTED_OPERATION,
            f"{self.backend} takes its configuration when it loads a graph, not for a context",
        )

    def twin(self, parts: Sequence[bytes | Path]) -> Graph | None:
        """A graph of the same model for questions that must not disturb the users of this one: itself if its
        contexts can't. `parts` are the model's bytes or files, as far as they are known. None if the model
        can't be asked so."""
        return self

    def close_twin(self) -> None:
        """Release a graph that `twin` returned. Called once."""

    def close(self) -> None:
        """Release the model. Called once, when no context is left."""


class Backend:
    """Loads models of some formats."""

    name: str
    formats: tuple[Format | str, ...]
    """The formats that it reads, its own format first: each a `Format`, or the name of one in
    `formats.known`."""
    from_guests: frozenset[Format | str] = frozenset()
    """The formats that it loads from a guest's bytes. For these `load` must open no file and no connection
    and must run no code from the bytes, whatever they contain. For other formats, `load` and `detect` get
    bytes only from the host's files, unless the host trusts its guests' models.
    """
    rank: int = 10
    """If several backends of this package read a format, the one with the smallest rank is tried first."""
    packages: tuple[str, ...] = ()
    """Importable names, of which one is enough; empty for a backend that needs none."""
    extra: str = ""
    """The extra of pywasm-nn that installs the missing package, for example "onnx"."""
    native: bool = False
    """Whether a guest's bytes could crash the process: then the guest's own models are loaded and run in a
    child process, and refused on platforms without processes. The child creates the backend by calling the
    class.
    """
    apart: bool = False
    """Whether a guest's own models run in a child process if the platform has processes, because only ending
    the process stops a long computation at once.
    """
    blas: bool = True
    """Whether it multiplies matrices with numpy. For a backend that doesn't, numpy starts no threads for that
    (BLAS) in a child process: to start them takes longer than to import numpy.
    """
    guest_options: Mapping[str, float | None] = {"threads": os.cpu_count() or 1}
    """Options that a guest may set, with the largest value of each option that costs something; larger
    numbers are reduced to it. A guest's other options are ignored, as other hosts ignore unknown options."""
    late: frozenset[str] = frozenset()
    """Options that a context may change: "target" if the backend chooses the device for each context, not at
    load."""

    @property
    def reads(self) -> tuple[Format, ...]:
        """Its formats, including those given only by name."""
        return as_formats(self.formats, KNOWN)

    @property
    def format_names(self) -> tuple[str, ...]:
        """The names of its formats."""
        return tuple([format if isinstance(format, str) else format.name for format in self.formats])

    def check(self) -> None:
        """Raises TypeError if `name` is no text, or `formats` or `from_guests` are not collections of
        formats, for example a single string, whose characters would be taken for names. Raises
        ValueError if its own `from_guests` has a format that it doesn't read.
        """
        check_kind(f"{type(self).__name__}.name", getattr(self, "name", None), str, 'a str, as "vendor"')
        for said in ("formats", "from_guests"):
            field, formats = f"{type(self).__name__}.{said}", getattr(self, said, None)
            if isinstance(formats, str | bytes) or not isinstance(formats, Iterable):
                raise refuse(field, 'several formats or their names, as ("onnx",)', formats)
            for format in formats:
                check_kind(f"each of {field}", format, (Format, str), "a Format or the name of one")
        if "from_guests" in {*vars(type(self)), *vars(self)}:  # a base may read more than a class does
            for one in as_formats(self.from_guests, KNOWN):
                if one.name not in self.format_names:
                    own, names = type(self).__name__, ", ".join(self.format_names)
                    raise ValueError(f"{own}.from_guests has {one.name!r}; {own}.formats: {names}")

    @property
    def untold(self) -> tuple[str, ...]:
        """Names among its formats of which nothing but the name is known: nobody can recognise such a model,
        and a guest or an option must declare it."""
        if type(self).detect is not Backend.detect:
            return ()
        known = {one.name for one in KNOWN}
        return tuple([one for one in self.formats if isinstance(one, str) and one not in known])

    @property
    def blind(self) -> tuple[str, ...]:
        """Names of its formats that are known by how files end, and not by their bytes."""
        if type(self).detect is not Backend.detect:
            return ()
        own = [one for one in self.formats if isinstance(one, Format) and one.suffixes]
        return tuple([one.name for one in own if one.magic is None and one.looks is None])

    def takes_from_guests(self, name: str) -> bool:
        """Whether it loads bytes of a guest as the format of this name."""
        return any(one.name == name for one in as_formats(self.from_guests, KNOWN))

    def host_options(self) -> OptionKinds | None:
        """The options that a host may set, with the types of their values, beside the target and those for
        batches. None: not told, so that a misspelt one is passed over."""
        return None

    def guest_config(self, options: Mapping[str, Any], base: GraphConfig) -> GraphConfig:
        """The configuration changed by those of a guest's options that a guest may set. Raises
        NNError(INVALID_ARGUMENT) for an unknown target.
        """
        taken = {name: options[name] for name in TARGET_OPTIONS if name in options}
        for name, most in self.guest_options.items():
            if name in options:
                taken[name] = capped(options[name], most)
        return base.changed_by(taken)

    def detect(self, data: Look) -> str | None:
        """The first of its own formats that matches bytes of no format in `formats.known`, or None. Override
        it if the formats can't be checked one by one. A guest's bytes are shown only to backends with formats
        in `from_guests`.
        """
        return next((format.name for format in self.reads if format.is_at(data)), None)

    def missing(self) -> str | None:
        """Why this backend can't be used here, None if it can. Doesn't import the framework."""
        if not self.packages or any(importlib.util.find_spec(package) for package in self.packages):
            return None
        return f"{' or '.join(self.packages)} isn't installed"

    def unavailable(self) -> str | None:
        """Why this backend can't be used here, and how to change that; None if it can."""
        why = self.missing()
        return f"{why}: pip install 'pywasm-nn[{self.extra}]'" if why and self.extra else why

    def targets(self) -> frozenset[Target]:
        """The devices on which this backend can run graphs here. May import the framework."""
        return frozenset({Target.CPU})

    def prepare(self) -> None:
        """Import everything that loading and running need: called in a child process before its memory is
        limited."""
        self.targets()

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        """Load a model from bytes, which may come from a guest: read and run nothing else.

        Parts are views of guest memory that change after the call: parse or copy them. Raises
        NNError(RUNTIME_ERROR) with the framework's message if the bytes are no such model.
        """
        raise lacking(self, "load(self, format, parts, config)", "a Graph")

    def load_at(
        self,
        format: str,
        addresses: Sequence[str],
        config: GraphConfig,
        patience: Callable[[], float | None],
    ) -> Graph:
        """Load a model from servers that the host named; each of the addresses serves it. For formats with
        `schemes`. `patience` returns the seconds that loading may take, None for no limit, and raises if no
        time is left.
        """
        raise lacking(self, "load_at(self, format, addresses, config, patience)", "a Graph")

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        """Load a model that the host named. Override it if files allow more (external data, mmap), and for a
        format whose models are directories; then the only path is the directory.
        """
        return self.load(format, [path.read_bytes() for path in paths], config)


def check_begun(name: str, made: object, kind: type, arguments: str, last: str) -> None:
    """Raises TypeError unless this is a graph or a context, and its class has called the base's `__init__`
    with these arguments; `last` is the attribute that it sets last."""
    check_kind(name, made, kind, f"a {kind.__name__}")
    if not hasattr(made, last):
        own = type(made).__qualname__
        raise TypeError(
            f"{own}.__init__ must call super().__init__({arguments}), as {own} is a {kind.__name__}"
        )


def check_loaded(graph: Graph, backend: Backend) -> Graph:
    """The graph that a backend has loaded. Raises TypeError for what is none: a mistake of the backend."""
    check_begun(f"what {type(backend).__qualname__} loads", graph, Graph, "backend, inputs, outputs", "notes")
    return graph
