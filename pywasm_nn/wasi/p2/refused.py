"""wasi:sockets and wasi:http, which are granted to nobody: components that import them run as long as they
don't use them.

What is here: functions for whatever a component imports of these packages, made for the type that it says. A
function of sockets answers "access-denied" where its errors have that case; all others end the guest with a
word of help.
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
"""The one function that gives something that is of no use without a grant."""


class Denied(Enum):
    """The error that functions of sockets answer, a member of whatever enumeration."""

    ACCESS_DENIED = "access-denied"


class Nothing:
    """A resource of these packages: there is one where a function can't fail."""


class Refused:
    """An interface of these packages."""

    def __init__(self, name: str, report: Callable[[str], None]) -> None:
        self.name = name
        self.report = report
        """What gets a word of help for the person."""

    def for_type(self, type_: InstanceType) -> Mapping[str, Any]:
        """What stands for an import of this type."""
        return {
            name: self.refusal(name, extern.type) if extern.sort is Sort.FUNC else Nothing
            for name, extern in type_.exports.items()
        }

    def refusal(self, name: str, type_: Any) -> Callable[..., Any]:
        """A function of this `FuncType` that does nothing."""

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
    """Whether the function can answer that access is denied."""
    result = type_.result
    if not isinstance(result, Compound) or result.kind is not Kind.RESULT:
        return False
    errors = result.parts[1]
    return (
        isinstance(errors, Compound)
        and errors.kind is Kind.ENUM
        and Denied.ACCESS_DENIED.value in errors.labels
    )
