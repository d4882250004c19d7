"""Several modules or components that use each other, and host functions for all of them.

What is here: `Linker`, which defines names for imports. What is not: instantiating one module (`api.Module`)
or component (`components.Component`), which is enough for one that imports only from the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from .api import Host, Module, Provider, check_settings, found_in, ignore, open_hosts, unfound
from .brief import counted, listed, named
from .checks import check_kind
from .imports import Importable, importable
from .interpreter.runtime.instance import Extern, HostFunc, Instance
from .interpreter.runtime.memory import Flavour
from .interpreter.runtime.observe import Observer
from .limits import DEFAULTS, Limits
from .printable import printable

if TYPE_CHECKING:
    from .component.imports import Running
    from .components import Component, ComponentInstance

F = TypeVar("F", bound=Callable[..., Any])


class Lent:
    """Hosts that several instances share, as a provider for each: closing an instance leaves them open."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self._hosts = hosts

    def open(self, report: Callable[[str], None], limits: Limits) -> Lent:
        return self

    def lookup(self, module: str, name: str) -> HostFunc | None:
        return found_in(self._hosts, module, name)

    def unfound(self) -> list[str]:
        return unfound(self._hosts)

    def world(self, running: Running) -> Worlds:
        from .components import Worldly

        return Worlds([host.world(running) for host in self._hosts if isinstance(host, Worldly)])

    def close(self) -> None:
        """Does nothing: the linker closes the hosts."""


class Worlds:
    """Interfaces for one component, from all hosts."""

    def __init__(self, worlds: Sequence[Any]) -> None:
        self._worlds = worlds

    def lookup(self, name: str) -> Any:
        return next((found for world in self._worlds if (found := world.lookup(name)) is not None), None)


class Linker:
    """Definitions for the imports of modules, and the instances that were made with them.

        with Linker(wasi=Wasi()) as linker:
            linker.define("env", "log", log)
            linker.instantiate(Module.from_file("library.wasm"), "library")
            app = linker.instantiate(Module.from_file("app.wasm"))

    Components are defined and instantiated in the same way, by the names of their interfaces:

            linker.define_interface("demo:library/critics", Critics())
            linker.instantiate(Component.from_file("shelf.wasm"), "demo:library/shelf")
            reader = linker.instantiate(Component.from_file("reader.wasm"))

    All instances share one WASI (descriptors, arguments) and one wasi-nn session. Use it in a `with` block,
    or close it: that closes the instances, the last one first. Only one thread at a time may use it.
    """

    def __init__(
        self,
        wasi: Provider | None = None,
        nn: Provider | None = None,
        *,
        engine: str = "compile",
        limits: Limits | None = None,
        flavour: Flavour | None = None,
        report: Callable[[str], None] = ignore,
    ) -> None:
        """The settings are those of `Module.instantiate`, for every instance: `limits` apply to each instance
        separately, but WASI and wasi-nn count for all of them together. `report` gets notes for the user."""
        check_settings(wasi, nn, engine, limits, flavour, report)
        self._settings: dict[str, Any] = {
            "engine": engine, "limits": limits, "flavour": flavour, "report": report,
        }  # fmt: skip
        self._imports: dict[str, dict[str, Extern]] = {}
        self._interfaces: dict[str, Any] = {}
        """Definitions for components, by name."""
        self._instances: list[Instance | ComponentInstance] = []
        self._hosts = open_hosts((wasi, nn), report, limits or DEFAULTS)

    def define(self, module: str, name: str, value: Importable) -> None:
        """Let modules import `value` by these names: a Python function, an export of an instance, or a
        Memory, Table, Global or Tag. Raises ValueError if the names are taken, TypeError for a value that
        can't be imported."""
        check_kind("module", module, str, "a str")
        check_kind("name", name, str, "a str")
        names = self._imports.setdefault(module, {})
        if name in names:
            raise ValueError(f"{printable(module, 100)}::{printable(name, 100)} is defined already")
        names[name] = importable(value, module, name)

    def function(self, module: str, name: str | None = None) -> Callable[[F], F]:
        """A decorator that defines a function, under its own name unless another is given."""

        def add(function: F) -> F:
            self.define(module, name or function.__name__, function)
            return function

        return add

    def define_instance(self, module: str, instance: Instance) -> None:
        """Let modules import all exports of an instance. Raises ValueError if a name is taken."""
        check_kind("instance", instance, Instance, "an Instance")
        for name in instance.exports:
            self.define(module, name, instance.exports[name])

    def define_interface(self, name: str, value: Any) -> None:
        """Let components import `value` by this name: for an interface an object whose attributes are its
        functions, a mapping, or another component's exported interface; for a function of the world a Python
        function. It is checked when a component is instantiated. Raises ValueError if the name is taken."""
        check_kind("name", name, str, "a str")
        if name in self._interfaces:
            raise ValueError(f"{printable(name, 100)} is defined already")
        self._interfaces[name] = value

    @overload
    def instantiate(
        self, module: Module, name: str | None = None, *, observer: Observer | None = None
    ) -> Instance: ...
    @overload
    def instantiate(
        self,
        module: Component,
        name: str | Iterable[str] | None = None,
        *,
        observer: Observer | None = None,
        types: Any = None,
    ) -> ComponentInstance: ...
    def instantiate(
        self, module: Any, name: Any = None, *, observer: Observer | None = None, types: Any = None
    ) -> Any:
        """Make an instance of a module or component. With a name, its exports are defined for later
        instances. The name for a component is an interface that it exports, or any other name for all of its
        exports; several names may be given, for example `component.exports`.

        Definitions take precedence over WASI and wasi-nn. Raises the exceptions of `Module.instantiate` and
        `Component.instantiate`.
        """
        if isinstance(module, Module):
            return self._instantiate_module(module, name, observer)
        from .components import Component

        check_kind("module", module, Component, "a Module or a Component")
        names = () if name is None else (name,) if isinstance(name, str) else tuple(name)
        for each in names:
            check_kind("name", each, str, "a str")
        instance = module.instantiate(
            self._interfaces, wasi=Lent(self._hosts), observer=observer, types=types, **self._settings
        )
        self._instances.append(instance)
        for each in names:
            self.define_interface(each, instance.exports.get(each, instance.exports))
        return instance

    def _instantiate_module(self, module: Module, name: str | None, observer: Observer | None) -> Instance:
        lent = Lent(self._hosts)
        instance = module.instantiate(lent, imports=self._imports, observer=observer, **self._settings)
        self._instances.append(instance)
        if name is not None:
            self.define_instance(name, instance)
        return instance

    def __repr__(self) -> str:
        defined = [f"{module}.{name}" for module, names in self._imports.items() for name in names]
        defined += self._interfaces
        instances = counted(len(self._instances), "instance")
        return named("Linker", f"{instances}, defines {listed(defined) or 'nothing'}")

    def close(self) -> None:
        """Close the instances, then WASI and wasi-nn. Closing twice does nothing."""
        while self._instances:
            self._instances[-1].close()
            self._instances.pop()
        while self._hosts:
            self._hosts.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
