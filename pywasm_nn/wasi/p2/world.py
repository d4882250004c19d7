"""All interfaces of WASI 0.2 for one guest."""

from __future__ import annotations

from typing import Any

from ...component.imports import Running
from ...component.names import compatible
from ..system import System
from . import chance, cli, clocks, files, io
from .guest import Guest
from .refused import PACKAGES, Refused

VERSION = "0.2.12"
"""The newest version whose interfaces are here; all of 0.2 are those of this one, or parts of them."""
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


class World:
    """What a component of WASI 0.2 imports from."""

    def __init__(self, system: System, running: Running) -> None:
        self._guest = Guest(system, running.patience)

    def lookup(self, name: str) -> Any:
        """What has the functions of an interface, named with its version; None for another one's."""
        interface, _, version = name.partition("@")
        if not version or compatible(version) != compatible(VERSION):
            return None
        if interface.startswith(PACKAGES):
            return Refused(interface, self._guest.system.hints.report)
        return INTERFACES[interface].bound(self._guest) if interface in INTERFACES else None
