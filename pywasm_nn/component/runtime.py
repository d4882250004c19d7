"""Component instances at run time: entering and leaving them, their handles, and functions to call.

What is here: `ComponentInstance`, `Tree` (the common data of all instances within one component) and
`ComponentFunc`. What is not: instantiation (`link.py`), and conversion of values (`canonical`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#component-instances
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from ..brief import counted
from ..errors import LimitError, Trap, TrapKind
from ..interpreter.defining import define_func
from ..interpreter.runtime.group import Group
from ..interpreter.runtime.instance import Func, Instance
from ..interpreter.runtime.observe import Observer
from ..interpreter.runtime.quota import Quota
from ..interpreter.types import FuncType as CoreFuncType
from ..limits import Limits
from .canonical.adapters import Lifting, checked, lifted
from .canonical.faces import Err, Ok, face
from .canonical.helpers import ASYNC, Lifted, trap
from .canonical.misfits import Checks, fits
from .handles import Handle, HandleTable, ResourceType
from .telling import seen, seen_drop, told, without_views
from .types import Compound, FuncType, Kind, Origin, Resource

MOST_DEFINITIONS = 2_000_000
"""The limit on processed definitions in all instances within one component: seconds of work."""
MOST_KEPT = 1 << 16
"""Bytes of values that are kept after a call of the host, in case that an error mentions it."""
ANY = define_func(CoreFuncType())
"""A placeholder core type for functions called from outside; no core module sees it."""


class Tree:
    """The common data of a component that the host instantiates and all components in it."""

    def __init__(
        self,
        limits: Limits,
        observer: Observer | None = None,
        face: Callable[[Compound], Any] = face,
        group: Group | None = None,
    ) -> None:
        self.limits = limits
        self.face = face
        """Returns the Python class of a type."""
        self.observer = Observer() if observer is None else observer
        self.group = group or Group(limits)
        """All instances of core modules; they share limits."""
        self.lifted = Lifted(limits.lifted, self.pay)
        self.instances = Quota(limits.instances)
        self.definitions = Quota(MOST_DEFINITIONS)
        self.cores: list[Instance] = []
        """Instances of core modules, in the order of creation."""
        self.root: ComponentInstance | None = None
        """The outermost instance."""
        self.closed = False
        self._closers: list[Callable[[], None]] = []
        self._halts: list[tuple[Callable[[Any], None], Any]] = []
        """Functions (with an argument each) that end running host functions when the guest's time runs
        out."""

    def resource(self, resource: Resource) -> ResourceType:
        """The resource type for a resource in the outermost component's type."""
        assert self.root is not None  # as it is linked
        return self.root.resolve(resource)

    def add(self, core: Instance) -> None:
        """Add an instance of a core module."""
        self.cores.append(core)
        for halt, model in self._halts:
            core.meter.when_halted(halt, model)

    def when_halted(self, halt: Callable[[Any], None], model: Any) -> None:
        """Call `halt(model)`, from another thread, when the guest's time runs out. To be called before there
        are instances of core modules."""
        self._halts.append((halt, model))

    def enter(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Call from outside all guests. Exceptions are explained as for a core function."""
        if self.closed:
            raise Trap(TrapKind.CLOSED)
        if not self.cores:
            return function(*arguments)
        return self.cores[0].enter(Func(ANY, function), arguments)

    def join(self, other: Tree) -> None:
        """Share a store with another component, which this one may then call directly: only one thread at a
        time may run either, and the deadline and fuel of the entered one apply to both. Raises BusyError if
        they are running on two threads."""
        self.group.store.join(other.group.store)

    def begin(self, definitions: int) -> None:
        """Start one more component instance with so many definitions. They are limited because a component
        may have two instances of another one, which has two of another one, and so on. Raises LimitError."""
        if not self.instances.take(1) or not self.definitions.take(definitions):
            raise LimitError(
                "instances",
                f"the component has more than {self.limits.instances} instances of components, or "
                f"{MOST_DEFINITIONS} definitions in all of them",
            )

    def host_call(self) -> None:
        """Count a call of a host function that is about to start. Raises HostCallsError, DeadlineError."""
        if self.cores:
            self.cores[0].meter.host_call()

    def keep_host_call(self, *about: Any) -> None:
        """Keep the last call of a host function, for errors: a function that tells it, and its arguments."""
        if self.cores:
            self.cores[0].last_host_call = about

    def pay(self, count: int) -> None:
        """Pay for the passed bytes as for a bulk instruction. Raises FuelError, DeadlineError."""
        if self.cores:
            self.cores[0].meter.pay(count)

    def patience(self) -> float | None:
        """Seconds until the deadline of the call from outside; None without one. Raises DeadlineError."""
        return self.cores[0].meter.patience() if self.cores else None

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call this function after all instances of core modules are closed."""
        self._closers.append(callback)

    def close(self) -> None:
        """Close the instances of core modules, in reverse order."""
        while self.cores:
            self.cores[-1].close()
            self.cores.pop()
        self.closed = True
        while self._closers:
            self._closers.pop()()


class ComponentInstance:
    """The state of one instance of a component."""

    def __init__(self, tree: Tree, parent: ComponentInstance | None) -> None:
        self.tree = tree
        self.parent = parent
        tree.root = tree.root or self
        self.may_enter = True
        self.may_leave = True
        self.handles = HandleTable(tree.limits.handles)
        self.borrowed = 0
        """The number of borrowed handles that the current call received and hasn't dropped."""
        self.lent: list[Handle] = []
        """Handles that the current call has lent."""
        self.context = [0, 0]
        """The values for `context.get`."""
        self.resources: dict[Origin, ResourceType] = {}
        """The resource types for resources in the component's type."""
        self.places: dict[ResourceType, str] = {}
        """Interface and name of imported resource types."""

    def family(self) -> list[ComponentInstance]:
        """This instance and the instances around it."""
        found: list[ComponentInstance] = []
        one: ComponentInstance | None = self
        while one is not None:
            found.append(one)
            one = one.parent
        return found

    def entered_from(self, caller: ComponentInstance | None) -> list[ComponentInstance]:
        """The instances that a call enters, except those that contain the caller."""
        inside = set() if caller is None else set(caller.family())
        return [one for one in self.family() if one not in inside]

    def refuse_entry(self) -> NoReturn:
        """Trap for a call into an instance that is running, or has trapped."""
        trap("cannot enter component instance")

    def resolve(self, resource: Resource) -> ResourceType:
        """The resource type for a resource in this component's type, or in the type of a component around it:
        Python uses the types of the outermost one."""
        return next(
            one.resources[resource.origin] for one in self.family() if resource.origin in one.resources
        )

    # Handles: called by generated functions

    def lift_own(self, index: int, type_: ResourceType) -> Any:
        handle = self.handles.remove(index, type_)
        if not handle.own:
            trap("cannot lift own resource from a borrow")
        return handle.representation

    def lift_borrow(self, index: int, type_: ResourceType) -> Any:
        handle = self.handles.get(index, type_)
        handle.lends += 1
        self.lent.append(handle)
        return handle.representation

    def lower_own(self, representation: Any, type_: ResourceType) -> int:
        return self.handles.add(Handle(type_, representation, own=True))

    def lower_borrow(self, representation: Any, type_: ResourceType) -> Any:
        if type_.owner is self:
            return representation
        self.borrowed += 1
        return self.handles.add(Handle(type_, representation, own=False))

    def lift_out_own(self, index: int, type_: ResourceType) -> Any:
        return type_.handed_out(self.lift_own(index, type_))

    def lift_out_borrow(self, index: int, type_: ResourceType) -> Any:
        return type_.handed_out(self.lift_borrow(index, type_), borrowed=True)

    def lower_in_own(self, value: Any, type_: ResourceType) -> int:
        return self.lower_own(type_.taken(value), type_)

    def lower_in_borrow(self, value: Any, type_: ResourceType) -> Any:
        return self.lower_borrow(type_.lent(value), type_)

    def lift_async(self, index: int) -> NoReturn:
        trap(f"a stream or future: {ASYNC}")

    lower_async = lift_async

    def names(self) -> dict[str, Any]:
        """The names by which generated functions use the instance."""
        own = (
            self.lift_own, self.lift_borrow, self.lower_own, self.lower_borrow, self.lift_out_own,
            self.lift_out_borrow, self.lower_in_own, self.lower_in_borrow, self.lift_async, self.lower_async,
        )  # fmt: skip
        named: dict[str, Any] = {method.__name__: method for method in own}
        return named | {"instance": self, "lower_async": self.lower_async}

    # Builtins, called by core modules

    def new_resource(self, type_: ResourceType, representation: int) -> int:
        self.check_leaving()
        return self.lower_own(representation, type_)

    def representation(self, type_: ResourceType, index: int) -> Any:
        return self.handles.get(index, type_).representation

    def dropper(self, type_: ResourceType) -> Callable[[int], None]:
        """The core function that drops handles of a resource. Those of a resource of the host are reported
        to an observer, as calls of the host."""
        drop, observer = partial(self.drop_resource, type_), self.tree.observer
        if type_.owner is not None or "host" not in observer.wants:
            return drop
        return seen_drop(drop, self.places.get(type_, type_.name), observer)

    def drop_resource(self, type_: ResourceType, index: int) -> None:
        self.check_leaving()
        handle = self.handles.remove(index, type_)
        if not handle.own:
            self.borrowed -= 1
        else:
            type_.drop(handle.representation, self)

    def get_context(self, slot: int) -> int:
        return self.context[slot]

    def set_context(self, slot: int, value: int) -> None:
        self.context[slot] = value

    def check_leaving(self) -> None:
        if not self.may_leave:
            trap("cannot leave component instance")


class ComponentFunc:
    """A function of a component. Call it with Python values, as described in `faces`."""

    views = False
    """Whether it gets lists of u8 as views of the caller's memory, valid during the call."""

    def __init__(self, type_: FuncType, instance: ComponentInstance | None) -> None:
        self.type = type_
        self.instance = instance
        """The component instance that implements it; None for a host function."""
        self._outside: Callable[..., Any] | None = None

    def callable_for(self, caller: ComponentInstance | None) -> Callable[..., Any]:
        """The Python function for a caller; None: the host."""
        raise NotImplementedError

    def resolve_resource(self, resource: Resource) -> Any:
        """The resource type for a resource in this function's type."""
        raise NotImplementedError

    def ways_through(self, exporter: ComponentInstance) -> tuple[Callable[..., Any], ...]:
        """The functions that enter `exporter`, which imports this function and exports it again; that run it;
        and that check the arguments before."""
        raise NotImplementedError

    def __call__(self, *arguments: Any) -> Any:
        """Call from outside. A function whose type is a result returns the value, or raises Err.

        Raises TypeError and OverflowError, with the path to the part, for arguments that don't fit, before
        anything has run; Trap, LimitError, HostError or GuestExit.
        """
        result = self.call(*arguments)
        if isinstance(self.type.result, Compound) and self.type.result.kind is Kind.RESULT:
            if isinstance(result, Err):
                raise result
            return result.value
        return result

    def call(self, *arguments: Any) -> Any:
        """Call from outside; returns a result as `Ok` or `Err`."""
        count = len(self.type.params)
        if len(arguments) != count:
            wanted = counted(count, "argument")
            raise TypeError(f"the function takes {wanted}: {self.type!r}, got {len(arguments)}")
        if self._outside is None:
            self._outside = self.callable_for(None)
        return self._outside(*arguments)

    def __repr__(self) -> str:
        return f"<{self.type!r}>"


class LiftedFunc(ComponentFunc):
    """A function that a component exports by lifting a core function."""

    def __init__(self, lifting: Lifting, instance: ComponentInstance | None) -> None:
        super().__init__(lifting.type, instance)
        self.lifting = lifting

    def resolve_resource(self, resource: Resource) -> Any:
        return self.lifting.context.resolve(resource)

    def callable_for(self, caller: ComponentInstance | None) -> Callable[..., Any]:
        """A call between a component and one that contains it traps: the explainer allows some such calls,
        but the reference tests and wasmtime none so far."""
        assert self.instance is not None  # as made
        if caller and (caller in self.instance.family() or self.instance in caller.family()):
            refuse = self.instance.refuse_entry
            return lambda *arguments: refuse()
        if caller is None:
            return self.from_outside(self.instance)
        return lifted(self.lifting, self.instance.entered_from(caller), hosted=False)

    def from_outside(self, instance: ComponentInstance) -> Callable[..., Any]:
        """The function for the host: arguments are checked before the instance is entered."""
        enter, function, check = self.ways(instance)
        return lambda *arguments: enter(function, check(*arguments))

    def ways(self, instance: ComponentInstance) -> tuple[Callable[..., Any], ...]:
        """The functions that enter the instance, that run in it, and that check the arguments before."""
        check = checked(self.lifting)
        return instance.tree.enter, lifted(self.lifting, instance.entered_from(None), hosted=True), check

    def ways_through(self, exporter: ComponentInstance) -> tuple[Callable[..., Any], ...]:
        assert self.instance is not None  # as made
        enter, function, check = self.ways(self.instance)
        return exporter.tree.enter, lambda *given: enter(function, given), check

    def seen_as(self, type_: FuncType) -> LiftedFunc:
        """The function for Python, with its type in the outermost component's exports."""
        lifting = self.lifting
        return LiftedFunc(Lifting(type_, lifting.context, lifting.core, lifting.post_return), self.instance)


class HostFunction(ComponentFunc):
    """A Python function that a component imports."""

    def __init__(
        self,
        type_: FuncType,
        function: Callable[..., Any],
        name: str,
        resolve: Callable[[Resource], Any],
        *,
        is_given: bool = False,
        views: bool = False,
    ) -> None:
        super().__init__(type_, None)
        self.function = function
        self.name = name
        self.views = views
        self._resolve = resolve
        self.is_given = is_given
        """Whether its type is the type of the component's import, not the host's own."""

    def resolve_resource(self, resource: Resource) -> Any:
        return self._resolve(resource)

    def callable_for(self, caller: ComponentInstance | None) -> Callable[..., Any]:
        if caller is None:
            return self.function
        tree = caller.tree
        call = guarded_call(self, Checks(self._resolve, tree.face), tree)
        if "host" in tree.observer.wants:
            interface, _, name = self.name.rpartition(" ")
            call = seen(call, interface, name.removeprefix("[method]"), self.type, tree.observer)
        limits, begin = tree.limits, tree.host_call
        if limits.host_calls is None and limits.seconds is None:
            return call

        def counting(*arguments: Any) -> Any:
            begin()
            return call(*arguments)

        return counting

    def ways_through(self, exporter: ComponentInstance) -> tuple[Callable[..., Any], ...]:
        checks = Checks(self._resolve, exporter.tree.face)
        parts = [
            (label, checks.of(param)) for label, param in zip(self.type.labels, self.type.params, strict=True)
        ]

        def check(*arguments: Any) -> list[Any]:
            checks.claims.clear()
            return [fits(*part, value) for part, value in zip(parts, arguments, strict=True)]

        return exporter.tree.enter, self.callable_for(exporter), check


def guarded_call(function: HostFunction, checks: Checks, tree: Tree) -> Callable[..., Any]:
    """A host function with a check of its result; its exceptions are the host's. If its type is a result, it
    may raise Err or return only the value. An exception of a call from outside mentions the last such
    call."""
    from ..errors import GuestExit, HostError, WasmError
    from ..interpreter.runtime.depth import CALL_DEPTH

    called, name, type_, views = function.function, function.name, function.type, function.views
    check = None if type_.result is None else checks.of(type_.result)
    wraps = isinstance(type_.result, Compound) and type_.result.kind is Kind.RESULT
    tell, keep, lifted = partial(told, name, type_), tree.keep_host_call, tree.lifted

    def kept(result: Any, reason: str, arguments: Sequence[Any]) -> Any:
        """The call, put into words later; now if its values take much, so that nothing keeps them alive."""
        if lifted.used > MOST_KEPT:
            about = tell(result, reason, arguments)
            return (lambda: about,)
        return tell, result, reason, [*map(without_views, arguments)] if views else arguments

    def call(*arguments: Any) -> Any:
        for _ in CALL_DEPTH.room:  # ensures room for the host function's own frames
            break
        try:
            try:
                result = called(*arguments)
            except Err as error:
                if not wraps:
                    raise
                result = error
            if wraps and not isinstance(result, (Ok, Err)):
                result = Ok(result)
            if check is not None:
                checks.claims.clear()
                result = fits("the result", check, result)
        except Exception as error:
            ours = isinstance(error, WasmError | GuestExit)
            raised = error if ours else HostError(name, error)
            keep(*kept(None, str(raised), arguments))
            if ours:
                raise
            raise raised from error
        keep(*kept(result, "", arguments))
        return result

    return call
