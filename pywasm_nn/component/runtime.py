"""Component instances while they run: who may enter and leave, handles, and functions to call.

What is here: `ComponentInstance`, `Tree` (what all instances within one component have in common) and
`ComponentFunc`. What is not: how they come to be (`link.py`), and how values cross (`canonical`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#component-instances
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from ..errors import LimitError, Trap, TrapKind
from ..interpreter.runtime.group import Group
from ..interpreter.runtime.instance import Func, Instance
from ..interpreter.runtime.observe import Observer
from ..interpreter.runtime.quota import Quota
from ..interpreter.types import FuncType as CoreFuncType
from ..interpreter.types import define_func
from ..limits import Limits
from .canonical.adapters import Lifting, checked, lifted
from .canonical.faces import Err, Ok, face
from .canonical.helpers import ASYNC, Lifted, trap
from .canonical.misfits import Checks, fits
from .handles import Handle, HandleTable, ResourceType
from .telling import seen, told, without_views
from .types import Compound, FuncType, Kind, Origin, Resource

MOST_DEFINITIONS = 2_000_000
"""Definitions that are walked for all instances within one component: seconds of work."""
ANY = define_func(CoreFuncType())
"""The core type of what is called from outside, which no core module sees."""


class Tree:
    """What a component that the host instantiates has in common with all components in it."""

    def __init__(
        self,
        limits: Limits,
        observer: Observer | None = None,
        face: Callable[[Compound], Any] = face,
        group: Group | None = None,
    ) -> None:
        self.limits = limits
        self.face = face
        """The class that Python knows a type by."""
        self.observer = Observer() if observer is None else observer
        self.group = group or Group(limits)
        """All instances of core modules: what they may take, they take together."""
        self.lifted = Lifted(limits.lifted, self.pay)
        self.instances = Quota(limits.instances)
        self.definitions = Quota(MOST_DEFINITIONS)
        self.cores: list[Instance] = []
        """Instances of core modules, in the order in which they were made."""
        self.root: ComponentInstance | None = None
        """The outermost instance."""
        self.closed = False
        self._closers: list[Callable[[], None]] = []
        self._halts: list[tuple[Callable[[Any], None], Any]] = []
        """What ends host functions that are under way when the guest's time is over."""

    def resource(self, resource: Resource) -> ResourceType:
        """The resource type that stands for one of the outermost component's type."""
        assert self.root is not None  # as it is linked
        return self.root.resolve(resource)

    def add(self, core: Instance) -> None:
        """One more instance of a core module."""
        self.cores.append(core)
        for halt, model in self._halts:
            core.meter.when_halted(halt, model)

    def when_halted(self, halt: Callable[[Any], None], model: Any) -> None:
        """Call `halt(model)`, from another thread, when the guest's time is over. Said before there are
        instances of core modules."""
        self._halts.append((halt, model))

    def enter(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Call from outside of all guests. What rises is explained as for a core function."""
        if self.closed:
            raise Trap(TrapKind.CLOSED)
        if not self.cores:
            return function(*arguments)
        return self.cores[0].enter(Func(ANY, function), arguments)

    def join(self, other: Tree) -> None:
        """Be in one store with another component, which this one may call without entering it: one thread at
        a time, and the deadline and fuel of whoever was entered hold for both. Raises BusyError if they are
        running on two threads."""
        self.group.store.join(other.group.store)

    def begin(self, definitions: int) -> None:
        """Make one more component instance, by so many definitions: a component may have two instances of
        another one, which has two of another one. Raises LimitError."""
        if not self.instances.take(1) or not self.definitions.take(definitions):
            raise LimitError(
                "instances",
                f"the component has more than {self.limits.instances} instances of components, or "
                f"{MOST_DEFINITIONS} definitions in all of them",
            )

    def host_call(self) -> None:
        """A host function is about to be called. Raises HostCallsError, DeadlineError."""
        self.cores[0].meter.host_call()

    def pay(self, count: int) -> None:
        """Pay for so many bytes that cross, as for a bulk instruction. Raises FuelError, DeadlineError."""
        if self.cores:
            self.cores[0].meter.pay(count)

    def patience(self) -> float | None:
        """Seconds until the deadline of the call from outside; None without one. Raises DeadlineError."""
        return self.cores[0].meter.patience() if self.cores else None

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call this when all instances of core modules are closed."""
        self._closers.append(callback)

    def close(self) -> None:
        """Close the instances of core modules, the last one first."""
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
        """Borrowed handles that the call under way got and still has."""
        self.lent: list[Handle] = []
        """Handles that the call under way has lent."""
        self.context = [0, 0]
        """What `context.get` reads."""
        self.resources: dict[Origin, ResourceType] = {}
        """What resource types of the component's type are here."""

    def family(self) -> list[ComponentInstance]:
        """This instance and those that it is in."""
        found: list[ComponentInstance] = []
        one: ComponentInstance | None = self
        while one is not None:
            found.append(one)
            one = one.parent
        return found

    def entered_from(self, caller: ComponentInstance | None) -> list[ComponentInstance]:
        """The instances that a call enters, those left out that it is in already."""
        inside = set() if caller is None else set(caller.family())
        return [one for one in self.family() if one not in inside]

    def refuse_entry(self) -> NoReturn:
        """The trap for a call into an instance that is being called, or was left by a trap."""
        trap("cannot enter component instance")

    def resolve(self, resource: Resource) -> ResourceType:
        """The resource type that stands here for one of the component's type, or of that of a component that
        this one is in: what crosses to Python has the outermost one's types."""
        return next(
            one.resources[resource.origin] for one in self.family() if resource.origin in one.resources
        )

    # Handles: what generated functions call

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
        """What generated functions know the instance by."""
        own = (
            self.lift_own, self.lift_borrow, self.lower_own, self.lower_borrow, self.lift_out_own,
            self.lift_out_borrow, self.lower_in_own, self.lower_in_borrow, self.lift_async, self.lower_async,
        )  # fmt: skip
        named: dict[str, Any] = {method.__name__: method for method in own}
        return named | {"instance": self, "lower_async": self.lower_async}

    # What core modules call

    def new_resource(self, type_: ResourceType, representation: int) -> int:
        self.check_leaving()
        return self.lower_own(representation, type_)

    def representation(self, type_: ResourceType, index: int) -> Any:
        return self.handles.get(index, type_).representation

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
    """A function of a component. Call it with Python values; `faces` says how they look."""

    views = False
    """Whether it gets lists of u8 as views of the caller's memory, good as long as the call."""

    def __init__(self, type_: FuncType, instance: ComponentInstance | None) -> None:
        self.type = type_
        self.instance = instance
        """The component instance that implements it; None for the host's."""
        self._outside: Callable[..., Any] | None = None

    def callable_for(self, caller: ComponentInstance | None) -> Callable[..., Any]:
        """The Python function for a caller; None is the host."""
        raise NotImplementedError

    def resolve_resource(self, resource: Resource) -> Any:
        """The resource type that stands for one of this function's type."""
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
        """Call from outside; a result stays `Ok` or `Err`."""
        count = len(self.type.params)
        if len(arguments) != count:
            raise TypeError(f"the function takes {count} arguments: {self.type!r}, got {len(arguments)}")
        if self._outside is None:
            self._outside = self.callable_for(None)
        return self._outside(*arguments)

    def __repr__(self) -> str:
        return f"<{self.type!r}>"


class LiftedFunc(ComponentFunc):
    """A function that a component has lifted."""

    def __init__(self, lifting: Lifting, instance: ComponentInstance | None) -> None:
        super().__init__(lifting.type, instance)
        self.lifting = lifting

    def resolve_resource(self, resource: Resource) -> Any:
        return self.lifting.context.resolve(resource)

    def callable_for(self, caller: ComponentInstance | None) -> Callable[..., Any]:
        """A call between a component and one that it contains traps: the explainer allows some such calls,
        the reference tests (and wasmtime) none so far."""
        assert self.instance is not None  # as made
        if caller and (caller in self.instance.family() or self.instance in caller.family()):
            refuse = self.instance.refuse_entry
            return lambda *arguments: refuse()
        if caller is None:
            return self.from_outside(self.instance)
        return lifted(self.lifting, self.instance.entered_from(caller), hosted=False)

    def from_outside(self, instance: ComponentInstance) -> Callable[..., Any]:
        """The function for the host: arguments are looked at before the instance is entered."""
        enter, function, check = self.ways(instance)
        return lambda *arguments: enter(function, check(*arguments))

    def ways(self, instance: ComponentInstance) -> tuple[Callable[..., Any], ...]:
        """What enters the instance, what then runs, and what looks at the arguments before."""
        check = checked(self.lifting)
        return instance.tree.enter, lifted(self.lifting, instance.entered_from(None), hosted=True), check

    def seen_as(self, type_: FuncType) -> LiftedFunc:
        """The function for Python, by its type as the outermost component exports it."""
        lifting = self.lifting
        return LiftedFunc(Lifting(type_, lifting.context, lifting.core, lifting.post_return), self.instance)


class HostFunction(ComponentFunc):
    """A function of Python's, as a component imports it."""

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
        """Whether its type is that of the component's import, and not the host's own."""

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


def guarded_call(function: HostFunction, checks: Checks, tree: Tree) -> Callable[..., Any]:
    """A host function, whose result fits its type and whose exceptions are the host's. One whose type is a
    result may raise Err and return the value alone. An error of a call from outside tells of the last one."""
    from ..errors import GuestExit, HostError, WasmError
    from ..interpreter.runtime.depth import CALL_DEPTH

    called, name, type_, views = function.function, function.name, function.type, function.views
    check = None if type_.result is None else checks.of(type_.result)
    wraps = isinstance(type_.result, Compound) and type_.result.kind is Kind.RESULT
    tell, cores = partial(told, name, type_), tree.cores

    def call(*arguments: Any) -> Any:
        for _ in CALL_DEPTH.room:  # in which the function ends what it begins
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
            kept = [*map(without_views, arguments)] if views else arguments
            cores[0].last_host_call = tell, None, str(raised), kept
            if ours:
                raise
            raise raised from error
        kept = [*map(without_views, arguments)] if views else arguments
        cores[0].last_host_call = tell, result, "", kept
        return result

    return call
