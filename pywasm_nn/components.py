"""Components from files, and their instances: the plain public way in.

What is here: `Component`, and the instance with its exports. What is not: WASI 0.2 and wasi:nn for
components.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Self

from .api import Module, StrPath
from .brief import counted, listed, named, sized
from .checks import check_choice, check_kind, check_mapping
from .component.binary import decode
from .component.canonical.faces import attribute
from .component.imports import Item
from .component.link import Settings, instantiate
from .component.runtime import Tree
from .component.types import ComponentType, Sort
from .component.validate import validate, validate_bodies
from .interpreter.compile.cache import CodeFolder
from .interpreter.engine import ENGINES
from .interpreter.memory import Flavour
from .interpreter.observe import Observer
from .limits import DEFAULTS, Limits


class Component:
    """A decoded and validated component: immutable, shared by any number of instances and threads. Pickled as
    its bytes."""

    def __init__(self, data: bytes, name: str = "") -> None:
        """Raises MalformedError or InvalidError."""
        check_kind("data", data, (bytes, bytearray, memoryview), "bytes")
        self.data = bytes(data)
        self.name = name
        self._syntax = decode(self.data, name, Module)
        self._type: ComponentType = validate(self._syntax)

    @classmethod
    def from_file(cls, path: StrPath) -> Self:
        """Read a component from a file. Raises OSError, MalformedError, InvalidError."""
        with open(path, "rb") as file:
            return cls(file.read(), os.path.basename(path))

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, name: str = "") -> Self:
        """Decode a component; bodies of core functions are validated when first called. `name` is for
        messages. Raises MalformedError or InvalidError."""
        return cls(bytes(data), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.data, self.name)

    def __repr__(self) -> str:
        exports = listed(list(self._type.exports))
        imports = counted(len(self._type.imports), "import")
        return named(
            "Component", f"{self.name}: {sized(len(self.data))}, {imports}, exports {exports or 'nothing'}"
        )

    @property
    def imports(self) -> Mapping[str, str]:
        """Names of imports, and what each is."""
        return {name: repr(extern.type) for name, extern in self._type.imports.items()}

    @property
    def exports(self) -> Mapping[str, str]:
        """Names of exports, and what each is."""
        return {name: repr(extern.type) for name, extern in self._type.exports.items()}

    def validate(self) -> None:
        """Check every function body of the core modules now. Raises InvalidError or MalformedError."""
        validate_bodies(self._syntax)

    def use_cache(self, folder: CodeFolder) -> None:
        """Keep compiled code of the core modules in a folder, for other processes."""
        for module in core_modules(self._type):
            module.use_code(folder.code_of(module.data))

    def instantiate(
        self,
        imports: Mapping[str, Any] | None = None,
        *,
        engine: str = "compile",
        limits: Limits | None = None,
        flavour: Flavour | None = None,
        observer: Observer | None = None,
    ) -> ComponentInstance:
        """Bring the component to life. Use the instance in a `with` block, or close it.

        `imports` are functions, and for instances mappings of names, objects with attributes, or what another
        component exports; names of interfaces match by version. Raises LinkError that lists what is missing,
        LimitError, Trap if a core module's start traps.
        """
        check_mapping("imports", imports or {}, "a mapping of names to functions and instances")
        check_choice("engine", engine, ENGINES)
        check_kind("limits", limits or DEFAULTS, Limits, "Limits")
        settings = Settings(ENGINES[engine], limits or DEFAULTS, flavour, observer)
        return ComponentInstance(self, *instantiate(self._type, imports or {}, settings))


def core_modules(type_: ComponentType) -> Iterator[Any]:
    """The core modules in a component and in the components in it."""
    for step in type_.steps:
        module = getattr(step.content, "module", None)
        if isinstance(module, Module):
            yield module
        if isinstance(step.added, ComponentType):
            yield from core_modules(step.added)


class Exports(Mapping[str, Any]):
    """What an instance exports: `exports.name`, or `exports["any:name/of-it@1.0.0"]`. An instance that is
    exported has exports itself."""

    def __init__(self, items: Mapping[str, Item]) -> None:
        self._items = items
        self._attributes = {attribute(short(name)): name for name in items}

    def __getitem__(self, name: str) -> Any:
        item = self._items[name]
        return Exports(item.value) if item.sort is Sort.INSTANCE else item.value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._attributes:
            raise AttributeError(
                f"there is no export {name!r}; there are {listed(list(self._items)) or 'none'}"
            )
        return self[self._attributes[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __dir__(self) -> list[str]:
        return sorted(self._attributes)

    def __repr__(self) -> str:
        return named("exports", listed(list(self._items)))


def short(name: str) -> str:
    """The last label of a name: `money` of `shop:orders/money@1.2.0`."""
    return name.partition("@")[0].rpartition("/")[2]


class ComponentInstance:
    """A component brought to life. One thread at a time may run it."""

    def __init__(self, component: Component, tree: Tree, exports: Mapping[str, Item]) -> None:
        self.component = component
        self.exports = Exports(exports)
        self._tree = tree

    def __repr__(self) -> str:
        state = "closed " if self._tree.closed else ""
        return named(f"{state}instance of", repr(self.component)[1:-1])

    @property
    def fuel(self) -> int | None:
        """Instructions that are left of `Limits.fuel` to all core modules together, None without a limit. May
        be set between calls; raises ValueError if the instance was made without a limit."""
        return self._tree.group.fuel

    @fuel.setter
    def fuel(self, amount: int) -> None:
        self._tree.group.fuel = amount

    def close(self) -> None:
        """Give back memory. Closing twice does nothing; a call afterwards is a Trap. Raises BusyError while
        the instance runs."""
        self._tree.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
