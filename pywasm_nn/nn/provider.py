"""The configuration of wasi-nn: `NN`, which serves instances of guests and plain Python.

with module.instantiate(nn=NN(models={"m": "m.onnx"})) as app: ...
NN().load("m.onnx").compute({"x": array})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..arrays import Array, ArrayLike
from ..brief import named, summarised
from ..checks import check_callable, check_kind, check_whole, refuse
from ..interpreter.runtime.instance import HostFunc, Instance
from ..limits import DEFAULTS, Limits
from ..printable import printable
from . import legacy, own, witx
from .backend import Backend, Context
from .blame import blaming
from .errors import Code, NNError
from .inputs import fitting
from .models import FilePath, Models, NamedModel, check_model, check_models, check_there, model_at
from .operation import Observer
from .registry import PYTHON, Preference, Registry, Report, Ways, check_preference
from .session import Session
from .shared import KEPT_BYTES, Lease, owned
from .tensor import DType, Tensor, TensorSpec

if TYPE_CHECKING:
    from ..component.imports import Running
    from ..component.lowered import Lowered
    from .interfaces import World

FACES = {face.module: face for face in (witx.face, legacy.face, own.face)}
"""The core dialects; `wasi:nn` is in `interfaces`."""


class NNHost:
    """The namespaces of wasi-nn for one instance, with one session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def lookup(self, module: str, name: str) -> HostFunc | None:
        """The import, or None if it isn't part of wasi-nn."""
        if ":" in module:
            return self._lowered.lookup(module, name)
        face = FACES.get(module)
        found = face.lookup(name, self.session) if face else None
        return found and replace(found, bind=partial(self._bind, found.bind))

    @cached_property
    def _lowered(self) -> Lowered:
        """The imports of core modules from `wasi:nn`."""
        from ..component.lowered import Lowered
        from .interfaces import INTERFACES

        return Lowered(INTERFACES.get, self.world, self.session.limits.handles)

    def _bind(self, bind: Callable[[Instance], Callable[..., Any]], instance: Instance) -> Callable[..., Any]:
        """Bind a function for an instance. From then on the instance's observer is told of the session's
        operations, and the session keeps the instance's deadline.
        """
        self.session.own.patience = instance.meter.patience
        if instance.watches("nn"):
            self.session.watch(instance.observer.nn_event, instance.observer.waiting)
        return bind(instance)

    def speak_to(self, write: Callable[[bytes, Callable[[], float | None]], None]) -> None:
        """Write streamed text to the guest's standard output from now on."""
        self.session.speak = write

    def world(self, running: Running) -> World:
        """The interfaces for a component, or for an instance of a core module."""
        from .interfaces import World

        self.session.own.patience = running.patience
        if "nn" in running.observer.wants:
            self.session.watch(running.observer.nn_event, running.observer.waiting)
        return World(self.session, running)

    def close(self) -> None:
        """Finalise the instance's contexts and release its graphs."""
        self.session.close()


class Model:
    """A loaded model in plain Python: arrays in by name, arrays out by name. Several threads may use it."""

    def __init__(self, lease: Lease, name: str, limits: Limits) -> None:
        graph = self.graph = lease.graph
        self._lease = lease
        self.name = name
        self.limits = limits
        self._lock = Lock()
        with blaming(graph.backend):
            self._context: Context | None = graph.opened()
            self._context.most = limits.tensor_bytes

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        return self.graph.inputs

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return self.graph.outputs

    def __repr__(self) -> str:
        sides = [
            ", ".join(f"{printable(spec.name, 40)} {spec}" for spec in specs[:3])
            for specs in (self.inputs, self.outputs)
        ]
        where = f"{self.graph.backend}/{self.graph.device}"
        return named("Model", f"{printable(self.name, 60)} on {where}: {sides[0]} -> {sides[1]}")

    def compute(self, inputs: Mapping[str, ArrayLike | Tensor]) -> dict[str, Array]:
        """Run the model once. Takes and returns numpy arrays by name (bf16 as u16). A Tensor is taken as it
        is; lists and numbers are converted to arrays.

        Raises NNError if names, dtypes or shapes differ from the model's, for the framework's errors, and
        after `Limits.compute_seconds`; TypeError if `inputs` is no mapping of names to arrays.
        """
        wanted = f"(the model wants {', '.join(spec.name for spec in self.inputs) or 'none'})"
        check_kind("inputs", inputs, Mapping, f"a mapping of names to arrays {wanted}")
        for name in inputs:
            check_kind("each name in inputs", name, str, f"a str {wanted}")
        tensors = self.tensors(inputs)
        with self._lock, blaming(self.graph.backend):
            context = self._context
            if context is None:
                raise NNError(Code.INVALID_ARGUMENT, f'model "{self.name}" is closed')
            for index, tensor in enumerate(tensors):
                context.accept_input(index, tensor)
            context.rearm()
            context.within(self.limits.compute_seconds, context.compute)
            return {spec.name: context.output(index).numpy() for index, spec in enumerate(self.outputs)}

    def close(self) -> None:
        """Release the model, which can't be used afterwards. Closing twice does nothing."""
        with self._lock:
            context, self._context = self._context, None
            if context is not None:
                with blaming(self.graph.backend):
                    context.close()
                self._lease.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def tensors(self, inputs: Mapping[str, ArrayLike | Tensor]) -> list[Tensor]:
        """The inputs as tensors in the model's order, without a copy. Raises NNError as `compute`."""
        names = [spec.name for spec in self.inputs]
        if set(inputs) != set(names):
            wanted, given = ", ".join(names) or "none", ", ".join(inputs) or "none"
            raise NNError(
                Code.INVALID_ARGUMENT, f'model "{self.name}" wants the inputs {wanted}; given were {given}'
            )
        return [
            fitting(
                spec,
                as_tensor(inputs[spec.name], spec),
                f'model "{self.name}" input "{spec.name}"',
                self.limits.tensor_bytes,
                "you",
            )
            for spec in self.inputs
        ]


def as_tensor(value: ArrayLike | Tensor, spec: TensorSpec) -> Tensor:
    """A tensor on an array; lists and numbers become an array of the model's dtype. Raises NNError; TypeError
    for what can't become an array."""
    import numpy

    if isinstance(value, Tensor):
        return value
    if spec.takes_bytes and isinstance(value, bytes):
        return Tensor(DType.U8, (len(value),), value)
    try:
        array = value if isinstance(value, numpy.ndarray) else array_of(value, spec.dtype)
        bits = spec.dtype is DType.BF16 and array.dtype == numpy.uint16
        return Tensor.from_numpy(array, DType.BF16 if bits else None)
    except TypeError:
        wanted = "an array, a Tensor, or numbers in lists"
        raise refuse(f"inputs[{spec.name!r}]", wanted, value, f"the model wants {spec}") from None
    except ValueError as error:
        raise NNError(Code.INVALID_ARGUMENT, f'input "{spec.name}" wants {spec}: {error}') from error


def array_of(value: ArrayLike, dtype: DType) -> Array:
    """Lists and numbers as an array of a type; for the type "any", floats become f32, as in most models.
    Raises TypeError and ValueError."""
    import numpy

    if value is None:  # numpy would make it NaN
        raise TypeError
    if dtype is not DType.ANY:
        return numpy.asarray(value, dtype.numpy_name)
    array = numpy.asarray(value)
    return array.astype("<f4") if array.dtype == numpy.float64 else array


@summarised
@dataclass(frozen=True)
class NN:
    """wasi-nn for guests, and models for Python. Frozen; the instances that it serves share its named models.

    Raises OSError if `models` is a directory that can't be read or names a file that isn't there, ValueError
    if `backends` names a backend that doesn't exist, TypeError for values of the wrong type.
    """

    models: Models | None = None
    """A directory (each model file or IR pair in it is named by its stem, each SavedModel by its name, and
    those that share a stem by their whole names, too), or names with paths, directories or addresses."""
    backends: Preference = field(default_factory=dict)
    """The backend for each format: {"onnx": "openvino"}; for other formats the first installed one."""
    plugins: Sequence[Backend | str] = ()
    """Your own backends, tried before the others; "file.py:Name" for a backend in a file."""
    trust_guest_models: bool = False
    """Load and run a guest's own models in this process, even with loaders that can run code or open files
    (torch, TensorFlow, external data, plugins that don't list the format in `from_guests`).
    """
    strict: bool = False
    """A missing device is an error, instead of a report and the use of the CPU."""
    copy_inputs: bool = True
    """set_input copies, because guests reuse their buffers before compute. Without the copy a framework reads
    the guest's memory while it computes, which is faster for large tensors.
    """
    kept_bytes: int = KEPT_BYTES
    """Bytes of named models that stay loaded; beyond it unused models are closed, the longest unused first.
    """
    limits: Limits | None = None
    """The limits for this NN's guests; None: the limits of each instance. For a model that is loaded without
    a guest (`load`), `tensor_bytes` and `compute_seconds` apply."""
    observer: Observer | None = None
    """Called with an NNEvent after each operation."""
    registry: Registry = field(init=False, repr=False, compare=False)
    ways: ClassVar[Ways] = PYTHON

    def __post_init__(self) -> None:
        check_models(self.models)
        check_preference(self.backends)
        if isinstance(self.plugins, str | bytes) or not isinstance(self.plugins, Sequence):
            raise refuse("plugins", 'a list of backends, or of names like "file.py:Name"', self.plugins)
        for one in self.plugins:
            check_kind("each of plugins", one, (Backend, str), 'a Backend, or a name like "file.py:Name"')
        for name in ("trust_guest_models", "strict", "copy_inputs"):
            check_kind(name, getattr(self, name), bool, "True or False")
        check_whole("kept_bytes", self.kept_bytes)
        if self.limits is not None:
            check_kind("limits", self.limits, Limits, "a Limits")
        if self.observer is not None:
            check_callable("observer", self.observer, "something to call with an NNEvent")
        registry = Registry(
            self.models,
            prefer=self.backends,
            plugins=self.plugins,
            trust_guest_models=self.trust_guest_models,
            strict=self.strict,
            kept_bytes=self.kept_bytes,
            ways=self.ways,
        )
        if isinstance(self.models, Mapping):
            for name, model in registry.models.items():
                check_there(f"models[{name!r}]", model)
        object.__setattr__(self, "registry", registry)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its settings and the places of its named models, which must be there for whoever
        unpickles it: guests are told if they aren't."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        models = {name: model.absolute() for name, model in self.registry.models.items()}
        return unpickled, (partial(type(self), **given | {"models": None}), models)

    def watched_by(self, observer: Observer) -> Self:
        """The same NN with an observer; both share the loaded models."""
        watched = replace(self, models=None, observer=observer)
        for shared in ("models", "registry"):
            object.__setattr__(watched, shared, getattr(self, shared))
        return watched

    def open(self, report: Report, limits: Limits = DEFAULTS) -> NNHost:
        """The host side of one instance. `report` is called with a line for users for each failure."""
        return NNHost(
            Session(
                self.registry,
                report,
                limits=self.limits or limits,
                observer=self.observer,
                copy_inputs=self.copy_inputs,
            )
        )

    def register(self, name: str, model: FilePath | Sequence[FilePath] | NamedModel) -> None:
        """Name a model, also for guests that already run; another model of this name goes first. Raises
        FileNotFoundError."""
        check_kind("name", name, str, "a str")
        check_model("model", model)
        place = model_at(model, self.registry.formats)
        check_there(f"model {name!r}", place)
        self.registry.register(name, place)

    def deregister(self, name: str) -> None:
        """Remove a name. Existing contexts continue, a new load fails with not_found, and memory is released
        with the last user.
        """
        check_kind("name", name, str, "a str")
        self.registry.deregister(name)

    def load(
        self, model: FilePath | Sequence[FilePath] | NamedModel, report: Report = lambda text: None
    ) -> Model:
        """Load the model in a file, in the files of its parts, in a directory, or at addresses, or else the
        one with this name. Raises NNError; TypeError if `model` is no place."""
        check_model("model", model)
        named = self.registry.models.get(model) if isinstance(model, str) else None
        place = model_at(model, self.registry.formats)
        is_missing = bool(place.paths) and not place.paths[0].exists()
        if is_missing and named is not None:
            place = named
        elif is_missing and isinstance(model, str) and self.registry.formats.of_file(model) is None:
            raise NNError(Code.NOT_FOUND, f"there is no file {model}, and {self.registry.unnamed(model)}")
        lease = owned(self.registry.load_told(str(model), place, report))
        return Model(lease, place.title, self.limits or DEFAULTS)


def unpickled(made: Callable[[], NN], models: Mapping[str, NamedModel]) -> NN:
    """An NN with these models."""
    nn = made()
    for name, model in models.items():
        nn.registry.register(name, model)
    return nn
