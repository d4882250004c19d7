"""The inference of one guest: graphs and contexts by handle, and every operation of wasi-nn on Python values.

What is here: `Session`, which checks arguments before it calls a backend, serialises a guest's threads for
each graph, tells users why an operation failed (`report`) and tells observers about each operation
(`observer`). What is not: guest memory and numbers (faces such as `witx`), choosing backends (`registry`),
statistics on tensors (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..brief import counted, summarised
from ..interpreter.runtime.quota import Quota
from ..limits import DEFAULTS, Limits
from .backend import Context, GraphConfig, Target, check_room
from .blame import blaming
from .child import Patience
from .child.models import GuestModels
from .errors import Code, NNError
from .halves import taken_for_others
from .handles import Handles
from .inputs import fits, fitting, parse_options, position
from .operation import (
    Arguments,
    LoadedGraph,
    NNEvent,
    Observer,
    OpenContext,
    Operation,
    OutputTarget,
)
from .quantized import dequantized, quantized, takes_floats
from .registry import Registry, Report
from .shared import Lease
from .tensor import Tensor, TensorSpec

Waiting = Callable[[int], None]


@summarised
@dataclass(slots=True)
class Traffic:
    """Bytes of tensors copied between the guest's memory and the host."""

    taken: int = 0
    given: int = 0


class Session:
    """The state of one guest instance. An operation that fails raises NNError and has no effect."""

    def __init__(
        self,
        registry: Registry,
        report: Report,
        *,
        limits: Limits | None = None,
        observer: Observer | None = None,
        copy_inputs: bool = True,
    ) -> None:
        self.registry = registry
        self.report = report
        self.limits = limits or DEFAULTS
        self.observer: Observer | None = None
        self._observers: list[Observer] = []
        self._waiting: list[Waiting] = []
        if observer is not None:
            self.watch(observer)
        self.copy_inputs = copy_inputs
        self.traffic = Traffic()
        self.models = Quota(self.limits.model_bytes)
        """Bytes of models that the guest may still load."""
        self.tensors = Quota(self.limits.tensor_total)
        """Bytes of tensors that contexts and handles may still hold."""
        self.graphs: Handles[LoadedGraph] = Handles("graph", self.limits.graphs)
        self.contexts: Handles[OpenContext] = Handles("context", self.limits.contexts)
        self.own = GuestModels(self.limits.tensor_bytes, registry.take_early())
        """Loads the guest's own models in a child process."""
        self.speak: Callable[[bytes, Patience], None] | None = None
        """Writes to the guest's standard output, if there is one."""
        self._computing: Context | None = None
        self._named: dict[tuple[str, bytes | None], int] = {}

    def watch(self, observer: Observer, waiting: Waiting | None = None) -> None:
        """Add an observer of operations; adding one again has no effect. `waiting` is called while the child
        makes ready for a model, with the model's size in bytes."""
        if observer in self._observers:
            return
        self._observers.append(observer)
        if waiting is not None:
            self._waiting.append(waiting)
        self.observer = observer if len(self._observers) == 1 else self._tell_all

    def _tell_all(self, event: NNEvent) -> None:
        for observer in self._observers:
            observer(event)

    def refusing(self, name: str, arguments: Arguments) -> Operation:
        """A block whose failure is reported and observed as a failure of operation `name`; its success is
        not."""
        return Operation(self, name, arguments, whole=False)

    # Graphs

    def load(self, parts: Sequence[bytes | memoryview], encoding: str | None, target: Target) -> int:
        """Load a model from the guest's bytes; `encoding` None: detect the format. Returns a graph."""
        size = sum(len(part) for part in parts)
        declared = encoding or "autodetect"
        with Operation(
            self, "load", f"{counted(len(parts), 'part')}, {size} bytes, {declared}, {target.value}"
        ) as operation:
            operation.asked, operation.parts = target, tuple(parts)
            self.graphs.make_room()
            if size > self.models.left:
                left = f"the guest may hold {self.models.left} bytes more"
                raise NNError(Code.TOO_LARGE, f"the model is {size} bytes, {left}")
            self.own.meanwhile = lambda: [waiting(size) for waiting in self._waiting]
            config = GraphConfig(target, tensor_bytes=self.limits.tensor_bytes)
            lease = self.registry.load(parts, encoding, config, self.report, self.own)
            return self._keep(lease, None, operation, size)

    def load_by_name(self, name: str, *, again: bool = False) -> int:
        """The graph of a named model: the same handle each time until it is unloaded, or with `again` a new
        handle each time.
        """
        with Operation(self, "load_by_name", f'"{name}"') as operation:
            return self._load_named(name, None, again, operation)

    def load_by_name_with_config(self, name: str, config: bytes) -> int:
        """Like `load_by_name`, with options as JSON text (one graph for each text)."""
        with Operation(
            self, "load_by_name_with_config", f'"{name}", {len(config)} bytes of options'
        ) as operation:
            return self._load_named(name, config, False, operation)

    def _load_named(self, name: str, options: bytes | None, again: bool, operation: Operation) -> int:
        operation.wanted = name
        number = None if again else self._named.get((name, options))
        if number is not None:
            operation.owner = self.graphs[number]
            return number
        self.graphs.make_room()
        parsed = None if options is None else parse_options(options)
        operation.asked = self.registry.asked(name, parsed)
        lease = self.registry.load_named(name, parsed, self.report, self.own.patience)
        operation.parts = self.registry.files(name)
        number = self._keep(lease, name, operation)
        if not again:
            self._named[name, options] = number
        return number

    def _keep(self, lease: Lease, model: str | None, operation: Operation, size: int = 0) -> int:
        owner = LoadedGraph(lease, model, size)
        try:
            owner.number = self.graphs.add(owner)
        except NNError:
            lease.release()
            raise
        self.models.take(size)
        operation.owner = owner
        return owner.number

    def unload(self, graph: int, *, orphans_compute: bool = False) -> None:
        """Invalidate the handle; contexts can still return outputs, and compute only with
        `orphans_compute`."""
        with Operation(self, "unload", f"graph {graph}") as operation:
            owner = self.graphs.pop(graph)
            operation.owner = owner
            self._named = {key: number for key, number in self._named.items() if number != graph}
            with owner.lock:
                owner.orphans_compute = orphans_compute
                owner.loaded = False
                owner.release(self.models)

    def specs(self, graph: int) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
        """Inputs and outputs of a graph."""
        with Operation(self, "specs", f"graph {graph}") as operation:
            owner = self.graphs[graph]
            operation.owner = owner
            return owner.graph.inputs, owner.graph.outputs

    # Contexts

    def init_execution_context(self, graph: int, config: bytes | None = None) -> int:
        """A new context of a graph, with options as JSON text if the backend accepts options for a
        context."""
        with Operation(self, "init_execution_context", f"graph {graph}") as operation:
            owner = self.graphs[graph]
            operation.owner = owner
            self.contexts.make_room()
            change = None
            if config is not None:
                change = self.registry.guest_config(owner.graph, parse_options(config))
            with owner.lock, blaming(owner.graph.backend):
                context = owner.graph.opened(change)
                context.write, context.most = self._write, self.limits.tensor_bytes
                context.patience = self._patience
                owner.contexts += 1
            operation.context_id = self.contexts.add(OpenContext(owner, context))
            return operation.context_id

    def _patience(self) -> float | None:
        """The seconds that the guest has left, as `own.patience`, which changes."""
        return self.own.patience()

    def _write(self, data: bytes) -> None:
        """Write streamed text to the guest's standard output."""
        if self.speak is not None:
            self.speak(data, self.own.patience)

    def set_input(
        self,
        ctx: int,
        index: int | str,
        tensor: Tensor,
        *,
        lend: bool = False,
        floats: bool = False,
        name: str = "set_input",
    ) -> None:
        """Set an input, by index or name, to a copy of a tensor, which may be a view of guest memory.

        `lend`: use the tensor itself, which must not change afterwards. `floats`: quantise f32 for a
        quantised input.
        """

        def text() -> str:
            return f"ctx {ctx}, {which(index)}, {tensor} {tensor.nbytes} bytes"

        with Operation(self, name, text) as operation:
            entry = self._context(ctx, operation)
            self._set(entry, index, tensor, lend, operation, floats)

    def set_input_from(self, ctx: int, index: int, source: int, output: int) -> None:
        """Set an input to an output of another context's last compute, without a copy."""
        text = f"ctx {ctx}, index {index}, output {output} of ctx {source}"
        with Operation(self, "set_input_from", text) as operation:
            origin = self._context(source, operation)
            declared(origin.owner.graph.outputs, output, origin.owner, "output", operation)
            with origin.owner.lock, blaming(origin.owner.graph.backend):
                tensor = origin.context.passed(output)
            entry = self._context(ctx, operation)
            self._set(entry, index, tensor, origin.targets.get(output) is None, operation)

    def output_spec(self, ctx: int, index: int) -> TensorSpec | None:
        """The model's declaration of an output; None if the output or the context doesn't exist."""
        try:
            outputs = self.contexts[ctx].owner.graph.outputs
        except NNError:
            return None
        return outputs[index] if index < len(outputs) else None

    def _set(
        self,
        entry: OpenContext,
        index: int | str,
        tensor: Tensor,
        lend: bool,
        operation: Operation,
        floats: bool = False,
    ) -> None:
        graph = entry.live_graph
        place, spec = declared(graph.inputs, index, entry.owner, "input", operation)
        if floats and takes_floats(spec, tensor):
            operation.floats, entry.floats = tensor, True
            tensor = quantized(tensor, spec)
        operation.tensors = (tensor,)
        if not fits(spec, tensor, self.limits.tensor_bytes):
            owner = f'{entry.owner} input {place} "{spec.name}"'
            tensor = fitting(spec, tensor, owner, self.limits.tensor_bytes, others=graph.inputs)
            operation.tensors = (tensor,)
        borrowed = not (lend or self.copy_inputs or moves(tensor))
        kept = 0 if borrowed else tensor.nbytes
        if change := kept - entry.held.get(place, 0):
            self.hold(change)
            entry.held[place] = kept
        if entry.shapes.get(place) != tensor.shape:
            entry.shapes[place], entry.foreseen = tensor.shape, None
        with entry.owner.lock, blaming(graph.backend):
            if lend or borrowed:
                entry.context.accept_input(place, tensor)
            else:
                entry.context.set_input(place, tensor)

    def hold(self, count: int) -> None:
        """Count bytes of tensors that are held; negative for released ones. Raises NNError(TOO_LARGE)."""
        if not self.tensors.take(count):
            left = f"the guest may hold {self.tensors.left} bytes more"
            raise NNError(Code.TOO_LARGE, f"a tensor of {count} bytes, {left}")

    def set_output(
        self, ctx: int, index: int | str, target: OutputTarget | None, *, name: str = "set_output"
    ) -> None:
        """Make compute write an output to `target`; None undoes that.

        While any output has a target, compute fetches only such outputs.
        """
        with Operation(self, name, f"ctx {ctx}, {index!r}") as operation:
            entry = self._context(ctx, operation)
            place, _ = declared(entry.live_graph.outputs, index, entry.owner, "output", operation)
            entry.foreseen = None
            if target is None:
                entry.targets.pop(place, None)
            else:
                entry.targets[place] = target

    def compute(self, ctx: int) -> None:
        """Run the graph once on the inputs that were set; they stay set."""
        with Operation(self, "compute", lambda: f"ctx {ctx}") as operation:
            self._compute(self._context(ctx, operation), operation)

    def compute_named(self, ctx: int, inputs: Sequence[tuple[str, Tensor]]) -> list[tuple[str, Tensor]]:
        """Run the graph once on exactly these inputs by name, without copying them. Returns all outputs by
        name, but for strings.
        """
        given = ", ".join(f'"{name}" {tensor}' for name, tensor in inputs)
        with Operation(self, "compute", f"ctx {ctx}, {given}") as operation:
            entry = self._context(ctx, operation)
            graph = entry.live_graph
            with entry.owner.lock:
                entry.context.inputs = [None] * len(graph.inputs)
                self._let_go(entry)
                entry.shapes.clear()
                for name, tensor in inputs:
                    self._set(entry, name, tensor, True, operation)
                    place = operation.index or 0
                    operation.given += ((place, operation.specs[0], operation.tensors[0]),)
                operation.index, operation.specs, operation.tensors = None, (), ()
                operation.delivered = True
                self._compute(entry, operation)
                outputs = [entry.context.output(index) for index in range(len(graph.outputs))]
                self._reserve(entry, {})  # from now on they are counted with their handles
                entry.foreseen = None
                pairs = zip(graph.outputs, outputs, strict=True)
                return [(spec.name, tensor) for spec, tensor in pairs if tensor.passes]

    def _compute(self, entry: OpenContext, operation: Operation) -> None:
        graph = entry.live_graph
        with entry.owner.lock, blaming(graph.backend):
            if entry.foreseen is None:
                sizes = entry.sizes()
                self._reserve(entry, {index: size for index, size in sizes.items() if size is not None})
                entry.foreseen = None not in sizes.values()
            entry.context.targets = {index: target() for index, target in entry.targets.items()}
            operation.context = entry.context
            try:
                self._run(entry.context, entry.context.compute)
            except NNError as error:
                said = taken_for_others(graph.inputs, entry.context.inputs)
                if said:
                    raise NNError(error.code, f"{said} ({error.reason})", error.nature) from error
                raise
            if not entry.foreseen:
                self._weigh(entry)
            if entry.targets:
                operation.delivered = True
                self.traffic.given += sum(entry.context.output(index).nbytes for index in entry.targets)
            if self.observer:
                wanted = [i for i in range(len(graph.outputs)) if not entry.targets or i in entry.targets]
                operation.specs = tuple(graph.outputs[i] for i in wanted)
                operation.tensors = tuple(entry.context.output(i) for i in wanted)

    def _reserve(self, entry: OpenContext, sizes: Mapping[int, int]) -> None:
        """Count outputs of these sizes, by index, instead of the last outputs. Raises NNError(TOO_LARGE)."""
        limit = self.limits.tensor_bytes
        for index, size in sizes.items():
            if size > limit:
                spec = entry.owner.graph.outputs[index]
                reason = f'{entry.owner} output {index} "{spec.name}" is {size} bytes, the limit is {limit}'
                raise NNError(Code.TOO_LARGE, reason)
        kept = 0 if entry.targets else sum(sizes.values())
        self.hold(kept - entry.made)
        entry.made = kept

    def _weigh(self, entry: OpenContext) -> None:
        """Count outputs whose sizes were unknown before; discard them if they are too large."""
        try:
            outputs = {index: entry.context.output(index).nbytes for index in entry.wanted}
            self._reserve(entry, outputs)
        except NNError:
            entry.context.outputs = None
            raise

    def _run(self, context: Context, work: Callable[[], None]) -> None:
        """Compute. Raises DeadlineError if the guest's time runs out before or during the run."""
        context.rearm()
        self._computing = context  # from here on `halt` finds it
        try:
            self.own.patience()
            context.within(self.limits.compute_seconds, work)
        except Exception:
            self.own.patience()  # raises DeadlineError if that was the cause
            raise
        finally:
            self._computing = None

    def halt(self) -> None:
        """Stop the current compute, if the backend can. Called from another thread."""
        context = self._computing
        if context is not None:
            context.interrupt()

    def get_output(
        self,
        ctx: int,
        index: int | str,
        room: int | None = None,
        *,
        floats: bool = False,
        name: str = "get_output",
    ) -> Tensor:
        """An output of the last compute by index or name, the backend's own value. `floats`: convert an
        output of a quantised model to f32 if the context's inputs were f32.

        Raises BufferTooSmallError if it is larger than `room` bytes, NNError(RUNTIME_ERROR) before a compute.
        """
        with Operation(self, name, lambda: f"ctx {ctx}, {which(index)}") as operation:
            entry = self._context(ctx, operation)
            graph = entry.owner.graph
            place, spec = declared(graph.outputs, index, entry.owner, "output", operation)
            with entry.owner.lock, blaming(graph.backend):
                tensor = entry.context.passed(place)
            operation.tensors, operation.room = (tensor,), room
            own = tensor
            if floats and entry.floats:
                tensor = dequantized(tensor, spec)
            if room is not None and (size := tensor.nbytes) > room:
                why = "" if tensor is own else f" (of the model's {own.dtype}, as an input was set as f32)"
                check_room(size, room, f'{entry.owner} output {place} "{spec.name}" {tensor}{why}')
            return tensor

    def finalize_execution_context(self, ctx: int) -> None:
        """Release a context."""
        with Operation(self, "finalize_execution_context", f"ctx {ctx}") as operation:
            entry = self._context(ctx, operation)
            self.contexts.pop(ctx)
            self._finalize(entry)

    def _let_go(self, entry: OpenContext) -> None:
        """Release the inputs of a context."""
        self.hold(-sum(entry.held.values()))
        entry.held.clear()

    def _finalize(self, entry: OpenContext) -> None:
        owner = entry.owner
        self._let_go(entry)
        self.hold(-entry.made)
        with owner.lock:
            owner.contexts -= 1
            with blaming(owner.graph.backend):
                entry.context.close()
            owner.release(self.models)

    def _context(self, ctx: int, operation: Operation) -> OpenContext:
        entry = self.contexts[ctx]
        operation.owner = entry.owner
        operation.context_id = ctx
        return entry

    # Text, token by token

    def compute_single(self, ctx: int) -> None:
        """Generate one more token. Raises NNError: END_OF_SEQUENCE after the last, UNSUPPORTED_OPERATION if
        the graph generates no text.
        """
        with Operation(self, "compute_single", f"ctx {ctx}") as operation:
            entry = self._context(ctx, operation)
            with entry.owner.lock, blaming(entry.live_graph.backend):
                operation.context = entry.context
                self._run(entry.context, entry.context.compute_single)

    def get_output_single(self, ctx: int, index: int, room: int | None = None) -> Tensor:
        """The last token (index 0) or its metadata as JSON (1), as u8."""
        with Operation(self, "get_output_single", f"ctx {ctx}, index {index}") as operation:
            entry = self._context(ctx, operation)
            operation.index, operation.specs = index, entry.owner.graph.outputs[index : index + 1]
            with entry.owner.lock, blaming(entry.owner.graph.backend):
                tensor = entry.context.output_single(index)
            operation.tensors = (tensor,)
            if room is not None:
                check_room(tensor.nbytes, room, f"{entry.owner} single output {index} {tensor}")
            return tensor

    def fini_single(self, ctx: int) -> None:
        """End the generation that `compute_single` began."""
        with Operation(self, "fini_single", f"ctx {ctx}") as operation:
            entry = self._context(ctx, operation)
            with entry.owner.lock, blaming(entry.owner.graph.backend):
                entry.context.finish_single()

    def close(self) -> None:
        """The guest has ended: finalise all contexts and release all graphs. A failure is reported and the
        rest continues.
        """
        self.own.close()
        for number in self.contexts.numbers():
            entry = self.contexts.pop(number)
            with self._going_on():
                self._finalize(entry)
        for number in self.graphs.numbers():
            owner = self.graphs.pop(number)
            owner.loaded = False
            with self._going_on():
                owner.release(self.models)

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        try:
            yield
        except NNError as error:
            self.report(f"wasi-nn close -> {error}")


def declared(
    specs: Sequence[TensorSpec], index: int | str, owner: LoadedGraph, kind: str, operation: Operation
) -> tuple[int, TensorSpec]:
    """Position and spec of an input or output, by index or name.

    Raises NNError(INVALID_ARGUMENT) if there is none.
    """
    place = position(specs, index) if isinstance(index, str) else index
    if place is None or place >= len(specs):
        names = ", ".join(f'"{spec.name}"' for spec in specs)
        what = f"has index {index}" if isinstance(index, int) else f'is named "{index}"'
        raise NNError(Code.INVALID_ARGUMENT, f"{owner} has {len(specs)} {kind}(s) ({names}), none {what}")
    operation.index = place
    operation.specs = (specs[place],)
    return place, specs[place]


def moves(tensor: Tensor) -> bool:
    """Whether the tensor is in memory that moves when the guest's memory grows."""
    return isinstance(memoryview(tensor.data).obj, bytearray)


def which(index: int | str) -> str:
    """An index or a name, for reports."""
    return f"index {index}" if isinstance(index, int) else f'"{index}"'
