"""All interfaces of WASI 0.2 for one guest."""

from __future__ import annotations

from typing import Any

from ...component.imports import Running
from ...component.interface import Interface
from ...component.names import compatible
from ..system import System
from . import chance, cli, clocks, files, io
from .guest import Guest
from .refused import PACKAGES, Refused

VERSION = "0.2.12"
"""The newest supported version. The interfaces of all 0.2 versions are the same, or parts of them."""
INTERFACES = {
    interface.name: interface
    for interface in (
        *io.INTERFACES,
        *cli.INTERFACES,
        *clocks.INTERFACES,
        *chance.INTERFACES,
        *files.INTERFACES,
    )
}


def interface_of(name: str) -> Interface | None:
    """The interface of a name with its version; None if it isn't here."""
    interface, _, version = name.partition("@")
    return INTERFACES.get(interface) if version and compatible(version) == compatible(VERSION) else None


def all_interfaces() -> dict[str, Interface]:
    """All interfaces, by their names with each version."""
    start, _, last = VERSION.rpartition(".")
    return {
        f"{name}@{start}.{number}": interface
        for name, interface in INTERFACES.items()
        for number in range(int(last) + 1)
    }


class World:
    """The WASI 0.2 imports of a component, or of a core module that imports interfaces directly."""

    def __init__(self, system: System, running: Running) -> None:
        self._guest = Guest(system, running.patience)

    def lookup(self, name: str) -> Any:
        """The functions of an interface, given with its version; None for any other interface."""
        interface, _, version = name.partition("@")
        if not version or compatible(version) != compatible(VERSION):
            return None
        if interface.startswith(PACKAGES):
            return Refused(interface, self._guest.system.hints.report)
        found = interface_of(name)
        return None if found is None else found.bound(self._guest)
