"""Resources while components run: their types, and the handles of a component instance.

What is here: `ResourceType`, `HandleTable`, and `Owned`, a resource in Python.
https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#resource-state
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self
from weakref import WeakKeyDictionary

from ..errors import BusyError, GuestExit, HostError, WasmError
from .canonical.helpers import trap

MOST_HANDLES = (1 << 28) - 1
"""The most handles of one component instance: the canonical ABI reserves four bits of an index."""


class Owned:
    """A resource that Python owns, or borrows during a call. Use it in a `with` block, or close it: that
    destroys the resource. Passing it to a function that takes ownership closes it, too."""

    __slots__ = ("__weakref__", "_borrowed", "_open", "_representation", "_type")
    _type: ResourceType
    _representation: Any
    _borrowed: bool
    _open: bool

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__} has no constructor: functions of its component give one")

    @classmethod
    def _of(cls, type_: ResourceType, representation: Any, borrowed: bool) -> Self:
        self = cls.__new__(cls)
        self._type, self._representation, self._borrowed, self._open = type_, representation, borrowed, True
        return self

    def _adopt(self, made: Owned) -> None:
        """Take over the resource of another object, which then has none."""
        self._type, self._representation, self._borrowed = made._type, made._representation, made._borrowed
        self._open, made._open = made._open, False

    def close(self) -> None:
        """Destroy the resource if Python owns it. Closing twice does nothing."""
        if not is_open(self):
            return
        self._open = False
        owner = self._type.owner
        if self._borrowed or owner.tree.closed:
            return
        try:
            owner.tree.enter(self._type.drop, (self._representation, None))
        except BusyError:  # nothing has run
            self._open = True
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        Owned.close(self)

    def __repr__(self) -> str:
        return f"<{'' if is_open(self) else 'closed '}resource {type_name(self)}>"


def is_open(resource: Owned) -> bool:
    """Whether a resource can be used; a resource whose constructor failed can't."""
    return getattr(resource, "_open", False)


def type_name(resource: Owned) -> str:
    made: ResourceType | None = getattr(resource, "_type", None)
    return type(resource).__name__ if made is None else made.name


class ResourceType:
    """A resource type of one component instance, or of the host. `destroy` is called with the representation
    when the last handle is dropped."""

    def __init__(
        self, name: str, owner: Any, destroy: Callable[[Any], None] | None, class_: type = Owned
    ) -> None:
        self.name = name
        self.owner = owner
        """The component instance that implements it; None for a resource type of the host."""
        self.destroy = destroy
        self.class_ = class_
        """The Python class: its instances are resources of the host, or refer to resources of a component."""
        self.describe: Callable[[ResourceType], None] | None = None
        """Adds methods to the class when Python first gets a resource of a component."""

    def __repr__(self) -> str:
        return f"<resource type {self.name or 'without a name'}>"

    def misfit(self, value: Any, owned: bool) -> str:
        """Why a Python value can't be passed as a resource of this type; empty if it can."""
        other = f"{type(value).__name__} is no resource {self.name}"
        if self.owner is None:
            return "" if isinstance(value, self.class_) else other
        if not isinstance(value, Owned):
            return other
        if not is_open(value):
            return f"the resource {type_name(value)} was closed or given away"
        if value._type is not self:
            return f"a resource {value._type.name} is no resource {self.name}"
        if owned and value._borrowed:
            return f"the resource {self.name} is only borrowed"
        return ""

    def handed_out(self, representation: Any, *, borrowed: bool = False) -> Any:
        """The Python object for a resource; for a host resource it is the object itself."""
        if self.owner is None:
            return representation
        return self.shown_as._of(self, representation, borrowed)

    @property
    def shown_as(self) -> Any:
        """The class of the Python objects."""
        if self.describe is not None:
            describe, self.describe = self.describe, None
            describe(self)
        return self.class_

    def taken(self, value: Any) -> Any:
        """The representation of a resource whose ownership Python passes on."""
        if self.owner is None:
            return value
        value._open = False
        return value._representation

    def lent(self, value: Any) -> Any:
        """The representation of a resource that Python lends."""
        return value if self.owner is None else value._representation

    def drop(self, representation: Any, caller: Any) -> None:
        """Destroy a resource by a call into its component instance, as any other call. `caller` is a
        component instance, or None for the host."""
        if self.destroy is None:
            return
        entered = self.owner.entered_from(caller) if self.owner else []
        for one in entered:
            if not one.may_enter:
                one.refuse_entry()
        for one in entered:
            one.may_enter = False
        self.destroy(representation)
        for one in entered:
            one.may_enter = True


TYPES: WeakKeyDictionary[type, ResourceType] = WeakKeyDictionary()
"""Resource types for host classes."""


def resource_type(class_: type, name: str = "") -> ResourceType:
    """The resource type for a host class, the same for all components. When the last handle of an object is
    dropped, its method `close` is called, if it has one."""
    made = TYPES.get(class_)
    if made is None:
        made = TYPES[class_] = ResourceType(name or class_.__name__, None, closing(class_), class_)
    return made


def closing(class_: type) -> Callable[[Any], None] | None:
    """The destructor for objects of a host class: it reports their exceptions as the host's. None without a
    `close`."""
    if not callable(getattr(class_, "close", None)):
        return None

    def destroy(value: Any) -> None:
        try:
            value.close()
        except (WasmError, GuestExit, RecursionError):  # of a guest that it calls, or of the stack's end
            raise
        except Exception as error:
            raise HostError(f"{class_.__name__}.close", error) from error

    return destroy


class Handle:
    """The meaning of an index in the handle table."""

    __slots__ = ("lends", "own", "representation", "type")

    def __init__(self, type_: ResourceType, representation: Any, own: bool) -> None:
        self.type = type_
        self.representation = representation
        self.own = own
        self.lends = 0
        """The number of current calls that borrow it."""


class HandleTable:
    """The handles of one component instance, by index from 1; the index that was released last is reused
    first."""

    def __init__(self, most: int) -> None:
        self.most = min(most, MOST_HANDLES)
        self._handles: list[Handle | None] = [None]
        self._free: list[int] = []

    def add(self, handle: Handle) -> int:
        if self._free:
            index = self._free.pop()
            self._handles[index] = handle
            return index
        index = len(self._handles)
        if index > self.most:
            trap(f"too many handles: the limit is {self.most}")
        self._handles.append(handle)
        return index

    def get(self, index: int, type_: ResourceType) -> Handle:
        handle = self._handles[index] if index < len(self._handles) else None
        if handle is None:
            trap(f"unknown handle index {index}")
        if handle.type is not type_:
            trap(
                f"handle index {index} used with the wrong type, expected guest-defined resource {type_.name}"
                f" but found a different guest-defined resource {handle.type.name}"
            )
        return handle

    def remove(self, index: int, type_: ResourceType) -> Handle:
        """Remove a handle that no call borrows."""
        handle = self.get(index, type_)
        if handle.lends:
            trap("cannot remove owned resource while borrowed")
        self._handles[index] = None
        self._free.append(index)
        return handle

    def all(self) -> list[Handle]:
        """All handles in the table."""
        return [handle for handle in self._handles if handle is not None]
