"""Core functions that the host defines: builtins for resources and the context, and functions that trap with
the name of an unsupported builtin.

https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md#canonical-definitions
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .canonical.helpers import ASYNC, trap
from .runtime import ComponentInstance
from .syntax import Builtin
from .types import Step


def builtin(step: Step, instance: ComponentInstance) -> Callable[..., Any]:
    """The function for a definition in an instance of its component."""
    given: Builtin = step.content
    slot: Any = given.immediates[1] if len(given.immediates) > 1 else None
    made: dict[str, Callable[[], Callable[..., Any]]] = {
        "resource.new": lambda: partial(instance.new_resource, instance.resolve(step.note)),
        "resource.rep": lambda: partial(instance.representation, instance.resolve(step.note)),
        "resource.drop": lambda: instance.dropper(instance.resolve(step.note)),
        "context.get": lambda: partial(instance.get_context, slot),
        "context.set": lambda: partial(instance.set_context, slot),
    }
    return made[given.name]() if given.name in made else unsupported(given.name)


def unsupported(what: str) -> Callable[..., Any]:
    """A core function for an unsupported feature: it traps with the feature's name."""

    def refuse(*arguments: Any) -> None:
        trap(f"{what}: {ASYNC}")

    return refuse
