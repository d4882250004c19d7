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


class World:
    """The WASI 0.2 imports of a component."""

    def __init__(self, system: System, running: Running) -> None:
        self._guest = Guest(system, running.patience)

    def lookup(self, name: str) -> Any:
        """The functions of an interface, given with its version; None for any other interface."""
        interface, _, version = name.partition("@")
        if not version or compatible(version) != compatible(VERSION):
            return None
        if interface.startswith(PACKAGES):
            return Refused(interface, self._guest.system.hints.report)
        return INTERFACES[interface].bound(self._guest) if interface in INTERFACES else None
