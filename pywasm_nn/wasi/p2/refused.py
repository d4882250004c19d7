"""wasi:sockets and wasi:http, which no guest may use: components that import them run as long as they don't
call them.

What is here: functions for any import from these packages, made for the imported type. A function of sockets
returns "access-denied" if its error type has that case; all others trap, with a note for the user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from ...component.canonical.faces import Err
from ...component.types import Compound, FuncType, InstanceType, Kind, Sort
from ...errors import Trap, TrapKind
from ...printable import printable

PACKAGES = ("wasi:sockets/", "wasi:http/")
NETWORK = "instance-network"
"""The one function that returns a resource; without a grant the resource is useless."""


class Denied(Enum):
    """The error that functions of sockets return, as a member of any error enumeration."""

    ACCESS_DENIED = "access-denied"


class Nothing:
    """A resource of these packages, returned by functions that can't fail."""


class Refused:
    """An interface of these packages, whose functions refuse every call."""

    def __init__(self, name: str, report: Callable[[str], None]) -> None:
        self.name = name
        self.report = report
        """Gets notes for the user."""

    def for_type(self, type_: InstanceType) -> Mapping[str, Any]:
        """The object for an import of this type."""
        return {
            name: self.refusal(name, extern.type) if extern.sort is Sort.FUNC else Nothing
            for name, extern in type_.exports.items()
        }

    def refusal(self, name: str, type_: Any) -> Callable[..., Any]:
        """A function for an import of this `FuncType` that refuses the call."""

        def function(*arguments: Any) -> Any:
            if name == NETWORK:
                return Nothing()
            if is_deniable(type_):
                raise Err(Denied.ACCESS_DENIED)
            self.report(
                f"the component called {printable(name)} of {self.name}, and guests get no network here; a"
                " Python program can give these functions as imports"
            )
            raise Trap(TrapKind.UNREACHABLE, f"nobody provides {self.name} {name}")

        return function


def is_deniable(type_: FuncType) -> bool:
    """Whether the function can return "access-denied"."""
    result = type_.result
    if not isinstance(result, Compound) or result.kind is not Kind.RESULT:
        return False
    errors = result.parts[1]
    return (
        isinstance(errors, Compound)
        and errors.kind is Kind.ENUM
        and Denied.ACCESS_DENIED.value in errors.labels
    )
