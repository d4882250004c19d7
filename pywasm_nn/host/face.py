"""Declares host functions: `Face`, a namespace of functions over one model, and `host_function` for a user's
own.

What is not here: any particular ABI, and the callables (`calls.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ..errors import LinkError
from ..interpreter.runtime.instance import HostFunc, Instance, UntypedFunc
from ..interpreter.types import FuncType
from ..printable import printable
from .calls import BoundCaller, HostCall, ToErrno, callable_for
from .signature import Declared, Signature

T = TypeVar("T")


class Face:
    """A namespace of host functions over one model: `@face.function` decorates plain typed functions, whose
    first parameter is the model.

    Every function returns an error number: 0, or the result of `to_errno` for the exception that was raised.
    If that is None, the exception is raised further: traps, exits and other errors of ours unchanged, any
    other wrapped as HostError. In a face without `to_errno`, functions return their own results. `aligned`: a
    pointer to a result must be aligned to the result's type, else the guest traps. When the guest's time is
    over, `halt` is called with the model, on another thread, to end the model's current operation.
    """

    def __init__(
        self,
        module: str,
        to_errno: ToErrno | None,
        *,
        memory: str = "memory",
        aligned: bool = False,
        halt: Callable[[Any], None] | None = None,
    ) -> None:
        self.module = module
        self.to_errno = to_errno
        self.memory = memory
        self.aligned = aligned
        self.halt = halt
        self._functions: dict[str, Callable[..., Any]] = {}
        self._signatures: dict[str, Signature] = {}

    def function(self, function: Callable[..., T]) -> Callable[..., T]:
        """Add a function under its own name, without a trailing `_`."""
        self.add(function.__name__.rstrip("_"), function)
        return function

    def add(self, name: str, function: Callable[..., Any]) -> None:
        """Add a function under a name that is no Python identifier, or under a second name."""
        self._functions[name] = function

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def signature(self, name: str) -> Signature:
        """Core type and parameters of a function, read from its annotations on first use."""
        if name not in self._signatures:
            errno = self.to_errno is not None
            declared = Declared.of(self._functions[name], skip_first=True, aligned=self.aligned)
            self._signatures[name] = declared.signature(errno=errno)
        return self._signatures[name]

    def lookup(self, name: str, model: Any) -> HostFunc | None:
        """The import of this name, bound to a model, or None."""
        function = self._functions.get(name)
        if function is None:
            return None
        signature = self.signature(name)

        def bind(instance: Instance) -> Callable[..., Any]:
            caller = BoundCaller(instance, self.memory)
            if self.halt is not None:
                instance.meter.when_halted(self.halt, model)
            call = HostCall(function, signature, caller, (model,), f"{self.module}.{name}", self.to_errno)
            return callable_for(instance, call, self.module, name, signature)

        return HostFunc(signature.type, bind, self.module, name)


def host_function(
    function: Callable[..., Any], module: str = "host", name: str | None = None
) -> HostFunc | UntypedFunc:
    """A user's plain function as an import: `int` is a signed i32, `float` an f64; U64, Text, Span ... as
    annotated. Parameters and results without annotation take the import's types.

    Its exceptions reach the caller of the guest as HostError, never as a trap. A coroutine function is run to
    its end while the guest waits (`interpreter.runtime.awaiting`). Raises TypeError for types that no guest
    can pass.
    """
    from ..interpreter.runtime.awaiting import is_asynchronous, waiting

    declared = Declared.of(function)
    label = name or declared.name
    owner = f"{module}.{label}"
    is_async = is_asynchronous(function)

    def typed(signature: Signature) -> HostFunc:
        def bind(instance: Instance) -> Callable[..., Any]:
            called = waiting(function, owner, instance.meter.patience) if is_async else function
            call = HostCall(called, signature, BoundCaller(instance), (), owner, None)
            return callable_for(instance, call, module, label, signature)

        return HostFunc(signature.type, bind, module, label)

    if declared.is_whole:
        return typed(declared.signature())
    declared.check()

    def of(wanted: FuncType) -> HostFunc:
        signature = declared.signature(wanted)
        if signature.type != wanted:
            problem = f"wants {wanted}, the function that was given is {signature.type}"
            raise LinkError(f"incompatible import type for {printable(f'{module}::{label}')}: {problem}")
        return typed(signature)

    return UntypedFunc(of)
