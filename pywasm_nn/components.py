"""The public entry points for components: components from files, and their instances.

What is here: `Component`, and the instance with its exports. What is not: the functions of WASI and wasi:nn
(`wasi.p2`, `nn.interfaces`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, Self, TypedDict, runtime_checkable

from .api import (
    Cache,
    Host,
    Module,
    Provider,
    StrPath,
    check_features,
    check_settings,
    code_folder,
    ignore,
    is_text,
    open_hosts,
    unfound,
)
from .brief import counted, listed, named, sized
from .checks import check_kind, check_mapping, check_path, check_seconds
from .component.about import About
from .component.binary import decode
from .component.canonical.faces import Err, face
from .component.exported import Exports
from .component.imports import Host as World
from .component.imports import Item, Running
from .component.link import Settings as Linkage
from .component.link import instantiate, unprovided
from .component.runtime import Tree
from .component.syntax import core_modules
from .component.types import ComponentType, Compound
from .component.validate import validate, validate_bodies
from .engines import maker
from .errors import GuestExit, LinkError, MalformedError, OutOfMemory
from .interpreter.binary.sections import COMPONENT_PREAMBLE, MAGIC, VERSION
from .interpreter.pace import uncollected
from .interpreter.runtime.deadline import left_to_all, within
from .interpreter.runtime.memory import Flavour
from .interpreter.runtime.observe import Observer
from .limits import DEFAULTS, Limits
from .printable import printable

RUN = "wasi:cli/run@"
"""The prefix of the name of the commands' interface, up to its version."""


class Component:
    """A decoded and validated component: immutable, shared by any number of instances and threads. Pickled as
    its bytes, and the folder of its compiled code if it has one."""

    def __init__(
        self,
        data: bytes | bytearray | memoryview,
        name: str = "",
        *,
        cache: Cache = None,
        features: Iterable[str] = (),
        seconds: float | None = None,
    ) -> None:
        """The same as `from_bytes`."""
        check_kind("data", data, (bytes, bytearray, memoryview), "bytes")
        check_kind("name", name, str, "a str")
        self._folder = code_folder(cache)
        self.data = bytes(data)
        self.name = name
        self.features = check_features(features)
        if seconds is not None:
            check_seconds("seconds", seconds)
        with OutOfMemory(), within(seconds), uncollected(len(self.data)):
            code_of = None if self._folder is None else self._folder.code_of
            self._syntax = decode(self.data, name, Module, self.features, left_to_all, code_of)
            self._type: ComponentType = validate(self._syntax, left_to_all)
            self._about = About(self._type, self._syntax.customs)

    @classmethod
    def from_file(
        cls,
        path: StrPath,
        *,
        cache: Cache = None,
        features: Iterable[str] = (),
        seconds: float | None = None,
    ) -> Self:
        """Read a component from a file. `cache`, `features` and `seconds` as in `from_bytes`. Raises OSError,
        MalformedError, InvalidError, DeadlineError."""
        check_path("path", path, "a component's bytes are read by Component.from_bytes")
        with open(path, "rb") as file:
            data = file.read()
        if not data.startswith(COMPONENT_PREAMBLE):
            raise MalformedError(f"{os.fspath(path)}: {no_component(data)}")
        return cls(data, os.path.basename(path), cache=cache, features=features, seconds=seconds)

    @classmethod
    def from_bytes(
        cls,
        data: bytes | bytearray | memoryview,
        name: str = "",
        *,
        cache: Cache = None,
        features: Iterable[str] = (),
        seconds: float | None = None,
    ) -> Self:
        """Decode a component. Bodies of core functions are validated when they are first called. `name` is
        for messages, `cache`, `features` and `seconds` are as in `Module.from_bytes`.

        Raises MalformedError or InvalidError, DeadlineError, and MemoryLimitError if the machine has no
        memory left.
        """
        return cls(data, name, cache=cache, features=features, seconds=seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), cache=self._folder, features=self.features), (self.data, self.name)

    def __repr__(self) -> str:
        exports = listed(list(self._type.exports))
        imports = counted(len(self._type.imports), "import")
        return named(
            "Component", f"{self.name}: {sized(len(self.data))}, {imports}, exports {exports or 'nothing'}"
        )

    @property
    def imports(self) -> Mapping[str, str]:
        """Names of imports, and the type of each as text."""
        return {name: repr(extern.type) for name, extern in self._type.imports.items()}

    @property
    def exports(self) -> Mapping[str, str]:
        """Names of exports, and the type of each as text."""
        return {name: repr(extern.type) for name, extern in self._type.exports.items()}

    @property
    def core_modules(self) -> tuple[Module, ...]:
        """The core modules of this component and of nested components, named as `app.wasm/main`."""
        return tuple(module for module in core_modules(self._syntax) if isinstance(module, Module))

    def _repr_html_(self) -> str:
        """The view in a notebook: exports and imports with their types."""
        from .component.shown import html

        return html(self._about, self.name, len(self.data), len(self.core_modules))

    def wit(self) -> str:
        """The component's world, and the interfaces that it imports and exports, as WIT text."""
        from .component.wit import wit

        return wit(self._type)

    def bindings(self) -> str:
        """The text of a Python module with classes for its types, and protocols for what it imports and
        exports, as `pywasm-nn bindgen` writes it; the same text for the same component."""
        from .component.bindgen import generated

        return generated(self._type, self._about, self.name)

    def missing(self, *providers: Provider) -> list[str]:
        """The imported interfaces and functions that none of the providers (`Wasi()`, `NN()`) provides."""
        hosts = open_hosts(providers, ignore, DEFAULTS)
        try:
            return [str(each) for each in unprovided(self._type, settings_of(hosts))]
        finally:
            for host in hosts:
                host.close()

    def validate(self) -> None:
        """Check every function body of the core modules now. Raises InvalidError or MalformedError."""
        with OutOfMemory():
            validate_bodies(self._syntax)

    def instantiate(
        self,
        imports: Mapping[str, Any] | None = None,
        *,
        wasi: Provider | None = None,
        nn: Provider | None = None,
        engine: str = "compile",
        limits: Limits | None = None,
        flavour: Flavour | None = None,
        observer: Observer | None = None,
        report: Callable[[str], None] = ignore,
        types: Any = None,
    ) -> ComponentInstance:
        """Make an instance of the component. Use it in a `with` block, or close it.

        `imports` has functions by name; for an imported instance it has a mapping of names, an object with
        attributes, or the exports of another component. Names of interfaces match by version, and a name
        without a version matches all versions. `wasi` provides the interfaces of WASI 0.2 that are not in
        `imports`, `nn` those of wasi:nn, and `report` gets notes for the user. `types` is a module that
        `pywasm-nn bindgen` wrote for this component: values are then instances of its classes. Raises
        LinkError that lists all missing imports, TypeError if `types` belongs to another component,
        LimitError, Trap if a core module's start traps.
        """
        check_mapping("imports", imports or {}, "a mapping of names to functions and instances")
        check_settings(wasi, nn, engine, limits, flavour, report)
        limits = limits or DEFAULTS
        about = self._about if types is None else self._about.typed(types)
        hosts = open_hosts((wasi, nn), report, limits)
        try:
            settings = settings_of(hosts, engine, limits, flavour, observer, about.face)
            with OutOfMemory():
                tree, exports = instantiate(self._type, imports or {}, settings)
                tree.group.report, tree.group.explain = report, partial(unfound, hosts)
        except BaseException:
            for host in hosts:
                host.close()
            raise
        return ComponentInstance(self, tree, exports, hosts, about)


def no_component(data: bytes) -> str:
    """Why bytes are no component, as a message."""
    if data.startswith(MAGIC + VERSION) or is_text(data):
        return "this is a core module: Module.from_file reads it"
    from .recognise import describe

    return describe(data)


def settings_of(
    hosts: Sequence[Host],
    engine: str = "compile",
    limits: Limits = DEFAULTS,
    flavour: Flavour | None = None,
    observer: Observer | None = None,
    face: Callable[[Compound], Any] = face,
) -> Linkage:
    worlds = tuple(host.world for host in hosts if isinstance(host, Worldly))
    return Linkage(maker(engine, observer), limits, flavour, observer, worlds, face)


@runtime_checkable
class Worldly(Protocol):
    """A host that also has interfaces for components: the hosts of `Wasi` and `NN`."""

    def world(self, running: Running) -> World: ...


class Settings(TypedDict, total=False):
    """The settings of `Component.instantiate`, for functions that pass them on."""

    wasi: Provider | None
    nn: Provider | None
    engine: str
    limits: Limits | None
    flavour: Flavour | None
    observer: Observer | None
    report: Callable[[str], None]


class ComponentInstance:
    """An instance of a component. Only one thread at a time may run it."""

    def __init__(
        self,
        component: Component,
        tree: Tree,
        exports: Mapping[str, Item],
        hosts: Sequence[Host],
        about: About,
    ) -> None:
        self.component = component
        self._hosts = hosts
        self.exports: Any = Exports(exports, component._type.exports, about, tree)
        self._tree = tree

    def __repr__(self) -> str:
        state = "closed " if self._tree.closed else ""
        return named(f"{state}instance of", repr(self.component)[1:-1])

    @property
    def fuel(self) -> int | None:
        """The remaining instructions of `Limits.fuel` for all core modules together, None without a limit.
        May be set between calls; raises ValueError if the instance was made without a limit."""
        return self._tree.group.fuel

    @fuel.setter
    def fuel(self, amount: int) -> None:
        self._tree.group.fuel = amount

    def tell_refused(self) -> None:
        """Report what a limit refused to a guest that ended well all the same."""
        self._tree.group.tell_refused()

    def run(self) -> int:
        """Run a command (a component that exports `wasi:cli/run`) to its end; returns the exit code.

        Raises LinkError, which lists the exports, if it is no command; Trap, LimitError, HostError.
        """
        entry = next((name for name in self.exports if name.startswith(RUN)), None)
        if entry is None:
            what = listed(list(self.exports)) or "nothing"
            raise LinkError(f"{printable(self.component.name)} has no {RUN[:-1]} to run; it exports {what}")
        try:
            self.exports[entry].run()
        except GuestExit as exit_:
            return exit_.code
        except Err as error:
            self._tree.group.tell_refused(error)
            return 1
        return 0

    def close(self) -> None:
        """Release memory and files. Closing twice does nothing; a call afterwards is a Trap. Raises BusyError
        while the instance runs."""
        self._tree.close()
        for host in self._hosts:
            host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
