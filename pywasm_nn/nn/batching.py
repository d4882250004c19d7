"""Batching: waiting computes of contexts of one graph, from any guest, run as one.

The host asks for it per model: {"batch": 8, "wait": 0.002, "axis": "N"}. A compute joins the open group of
computes that fit together, or opens one and waits until the group is full, nobody else can come, or `wait`
seconds are over. Groups don't wait for each other, so a compute takes at most `wait` and one run; if a
group's run fails, each compute runs alone, so that an error reaches its cause only.

What is here: options, groups, and the graph. What is not: which named models are batched (`registry`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, NoReturn

from ..records import Frozen
from .backend import Context, Graph, GraphConfig, OptionKinds, for_ever
from .errors import Code, NNError
from .tensor import Dimension, DType, Tensor, TensorSpec

WAIT = 0.002
"""Seconds, without the option "wait"."""
MOST, LONGEST = 4096, 60.0
UNITS = {"ms": 1e-3, "s": 1.0}

Axes = tuple[int | None, ...]
"""For each tensor the dimension of the batch, None if it has none."""


KINDS: OptionKinds = {"batch": (int,), "wait": (int, float, str), "axis": (str, int, dict)}
"""The options for batches, which the host may set for any model."""


class Plan(Frozen):
    """How to batch. An input without an axis must be the same in all computes of a group."""

    most: int
    wait: float
    inputs: Axes
    outputs: tuple[int, ...]


def batched(graph: Graph, config: GraphConfig) -> Graph:
    """The graph, batched if the options ask for it. Raises NNError: INVALID_ARGUMENT for unusable options,
    UNSUPPORTED_OPERATION for a graph that can't be batched; the graph is closed then."""
    try:
        plan = plan_of(graph, config.options)
        return graph if plan is None else BatchedGraph(graph, plan)
    except BaseException:
        graph.close()
        raise


def plan_of(graph: Graph, options: Mapping[str, Any]) -> Plan | None:
    """The plan in the options, None if they don't ask for batches."""
    if "batch" not in options:
        return None
    most = options["batch"]
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= MOST:
        raise wrong("batch", f"a number of computes from 1 to {MOST}", most)
    wait = seconds(options.get("wait", WAIT))
    if most == 1:
        return None
    if graph.keeps_state:
        raise NNError(Code.UNSUPPORTED_OPERATION, "a model that keeps state between runs can't be batched")
    texts = any(spec.dtype is DType.STRING for spec in graph.outputs)
    if texts or any(spec.takes_bytes for spec in graph.inputs):
        raise NNError(Code.UNSUPPORTED_OPERATION, "a model of texts can't be batched by dimensions")
    axis = options.get("axis", shared_symbol(graph.inputs))
    inputs = tuple([axis_of(spec, axis) for spec in graph.inputs])
    if axis is None or not any(place is not None for place in inputs):
        what = "no dimension whose name all inputs share" if axis is None else f"no input with axis {axis!r}"
        raise NNError(Code.UNSUPPORTED_OPERATION, f'the model has {what}; the option "axis" names one')
    outputs = []
    for spec in graph.outputs:
        place = axis_of(spec, axis)
        if place is None:
            what = f'output "{spec.name}" {spec} has no axis {axis!r}'
            told = 'the option "axis" gives each its dimension: {"input": 0, "state": 1}'
            raise NNError(Code.UNSUPPORTED_OPERATION, f"{what}, so it can't be batched; {told}")
        outputs.append(place)
    return Plan(most, wait, inputs, tuple(outputs))


def wrong(name: str, wanted: str, value: object) -> NNError:
    return NNError(Code.INVALID_ARGUMENT, f'the option "{name}" must be {wanted}, not {value!r}')


def seconds(value: object) -> float:
    """A time: a number of seconds, or a text such as "2ms". Raises NNError(INVALID_ARGUMENT)."""
    number = value
    if isinstance(value, str):
        unit = next((unit for unit in UNITS if value.endswith(unit)), "")
        try:
            number = float(value.removesuffix(unit)) * UNITS.get(unit, 1.0)
        except ValueError:
            number = None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= LONGEST:
        raise wrong("wait", f'a time up to {LONGEST:g} s, as 0.002 or "2ms"', value)
    return float(number)


def shared_symbol(specs: Sequence[TensorSpec]) -> str | None:
    """The name of a dimension that all inputs have, the first if there are several."""
    first, *others = [spec.shape or () for spec in specs] or [()]
    return next((d for d in first if isinstance(d, str) and all(d in shape for shape in others)), None)


def axis_of(spec: TensorSpec, axis: object) -> int | None:
    """The dimension of a tensor: of this name, of this index, or what a mapping by the tensor's name says."""
    shape: tuple[Dimension, ...] = spec.shape or ()
    if isinstance(axis, Mapping):
        return axis_of(spec, axis.get(spec.name))
    if isinstance(axis, str):
        return shape.index(axis) if axis in shape else None
    if isinstance(axis, int) and not isinstance(axis, bool):
        is_free = spec.shape is None or (0 <= axis < len(shape) and not isinstance(shape[axis], int))
        return axis if is_free else None
    if axis is None:
        return None
    raise wrong("axis", "the name or the index of a dimension, or a mapping of tensors to them", axis)


class Call:
    """One compute of a context. `done` is locked until a group's leader has its result; `running` is the
    inner context while it runs alone."""

    __slots__ = ("context", "done", "error", "inputs", "is_alone", "is_led", "outputs", "running")

    def __init__(self, context: Context, inputs: Sequence[Tensor]) -> None:
        self.context = context
        self.inputs = inputs
        self.outputs: Sequence[Tensor] | None = None
        self.error: NNError | None = None
        self.is_led = False
        self.is_alone = False
        self.running: Context | None = None
        self.done = Lock()
        self.done.acquire()

    def finish(self) -> None:
        """Let the thread of the compute go on."""
        with suppress(RuntimeError):  # it was stopped, and has gone on already
            self.done.release()

    def stop(self) -> bool:
        """End the compute from another thread, if nobody else's depends on it."""
        if self.running is not None:
            return self.running.interrupt()
        if self.is_led:
            self.error = stopped()
            self.finish()
        return self.is_led


def stopped() -> NNError:
    return NNError(Code.RUNTIME_ERROR, "the compute was stopped")


class Group:
    """Computes that run together; the thread of the first one runs them. `full` is locked while others may
    come."""

    __slots__ = ("calls", "full")

    def __init__(self, first: Call) -> None:
        self.calls = [first]
        self.full = Lock()
        self.full.acquire()


class BatchedGraph(Graph):
    """A graph whose contexts' computes run in groups, on contexts of the inner graph."""

    def __init__(self, inner: Graph, plan: Plan) -> None:
        super().__init__(inner.backend, inner.inputs, inner.outputs, inner.device, inner.notes)
        self._inner = inner
        self._plan = plan
        self._lock = Lock()
        self._groups: dict[object, Group] = {}
        """Open groups, by what their computes have in common."""
        self._idle: list[Context] = []
        self._members = 0
        """The number of contexts, of which each has one compute at most."""

    def context(self) -> Context:
        with self._lock:
            self._members += 1
        return BatchedContext(self)

    def leave(self) -> None:
        """A context is closed."""
        with self._lock:
            self._members -= 1

    def close(self) -> None:
        for context in self._idle:
            context.close()
        self._idle = []
        self._inner.close()

    def compute(self, call: Call) -> Sequence[Tensor]:
        """The outputs of a compute, alone or with others."""
        key = self._key(call.inputs)
        with self._lock:
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = Group(call)
            else:
                call.is_led = True
                group.calls.append(call)
            if len(group.calls) >= min(self._plan.most, self._members):
                del self._groups[key]
                group.full.release()
        if call.is_led:
            call.done.acquire()
        else:
            self._lead(key, group)
        if call.error is not None:
            raise call.error
        if call.is_alone:
            return self._run_alone(call)
        assert call.outputs is not None
        return call.outputs

    def _key(self, inputs: Sequence[Tensor]) -> object:
        """The properties that computes of one group share: types, all dimensions but the batch's, and the
        bytes of inputs without one."""
        return tuple([
            (tensor.dtype, tensor.shape, bytes(tensor.view()))
            if axis is None
            else (tensor.dtype, tensor.shape[:axis], tensor.shape[axis + 1 :])
            for tensor, axis in zip(inputs, self._plan.inputs, strict=True)
        ])  # fmt: skip

    def _lead(self, key: object, group: Group) -> None:
        """Wait for others, and run all computes of the group."""
        if not group.full.acquire(timeout=self._plan.wait):
            with self._lock:
                if self._groups.get(key) is group:
                    del self._groups[key]
        calls, is_done = group.calls, False
        try:
            if len(calls) > 1:
                self._run_together(calls)
                is_done = True
        except Exception:  # each compute gets its own error, or none
            is_done = False
        finally:
            for call in calls:
                call.is_alone = not is_done
                call.finish()

    def _run_together(self, calls: Sequence[Call]) -> None:
        import numpy

        axes = self._plan.inputs
        columns = list(zip(*[call.inputs for call in calls], strict=True))
        joined = [
            column[0] if axis is None else joined_along(axis, column, numpy)
            for axis, column in zip(axes, columns, strict=True)
        ]
        axis, column = next((a, column) for a, column in zip(axes, columns, strict=True) if a is not None)
        ends = numpy.cumsum([tensor.shape[axis] for tensor in column])
        context = self._take()
        try:
            parts = []
            for index, tensor in enumerate(ran(context, joined)):
                place = self._plan.outputs[index]
                if len(tensor.shape) <= place or tensor.shape[place] != ends[-1]:
                    self._refuse(index, tensor, int(ends[-1]))
                pieces = numpy.split(tensor.numpy(), ends[:-1], axis=place)
                parts.append([Tensor(tensor.dtype, one.shape, numpy.array(one, order="C")) for one in pieces])
        finally:
            self._idle.append(context)
        for call, results in zip(calls, zip(*parts, strict=True), strict=True):
            call.outputs = results

    def _refuse(self, index: int, tensor: Tensor, length: int) -> NoReturn:
        what = f'output "{self.outputs[index].name}" is {tensor} for a batch of {length}'
        raise NNError(Code.RUNTIME_ERROR, what)

    def _run_alone(self, call: Call) -> Sequence[Tensor]:
        context = self._take()
        context.patience, context.most = call.context.patience, call.context.most
        try:
            context.rearm()
            call.running = context
            return [Tensor(one.dtype, one.shape, bytearray(one.view())) for one in ran(context, call.inputs)]
        finally:
            call.running = None
            context.patience, context.most = for_ever, None
            self._idle.append(context)

    def _take(self) -> Context:
        """An idle context of the inner graph, or another one."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._inner.opened()


def ran(context: Context, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The outputs of a run, which last until the next run of the context."""
    for index, tensor in enumerate(inputs):
        context.accept_input(index, tensor)
    context.compute()
    return [context.output(index) for index in range(len(context.graph.outputs))]


def joined_along(axis: int, tensors: Sequence[Tensor], numpy: Any) -> Tensor:
    """Tensors one after the other, along a dimension."""
    array = numpy.concatenate([tensor.numpy() for tensor in tensors], axis=axis)
    return Tensor(tensors[0].dtype, array.shape, array)


class BatchedContext(Context):
    """A context of a batched graph."""

    graph: BatchedGraph

    def __init__(self, graph: BatchedGraph) -> None:
        super().__init__(graph)
        self._call: Call | None = None
        self._is_stopped = False

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        call = self._call = Call(self, inputs)
        if self._is_stopped:
            raise stopped()
        try:
            return self.graph.compute(call)
        finally:
            self._call = None

    def rearm(self) -> None:
        self._is_stopped = False

    def interrupt(self) -> bool:
        """A compute that runs in a group goes on for the others; the one whose thread runs the group ends
        with it."""
        self._is_stopped = True
        call = self._call
        return call is None or call.stop()

    def close(self) -> None:
        super().close()
        self.graph.leave()
