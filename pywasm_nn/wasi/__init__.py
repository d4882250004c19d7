"""WASI preview1 for guests: `Wasi` configures it, `Dir` names a directory, `Capture` keeps output, and
`MemoryDirectory` (imported when used) is a directory in memory."""

from typing import TYPE_CHECKING, Any

from .clocks import Clocks
from .provider import Dir, Wasi
from .streams import Capture

if TYPE_CHECKING:
    from .inmemory import MemoryDirectory

__all__ = ["Capture", "Clocks", "Dir", "MemoryDirectory", "Wasi"]


def __getattr__(name: str) -> Any:
    if name != "MemoryDirectory":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .inmemory import MemoryDirectory

    return MemoryDirectory
