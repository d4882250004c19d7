"""WASI preview1 for guests: `Wasi` configures it, `Dir` names a directory, `Capture` keeps output,
`MemoryDirectory` is a directory without a disk."""

from .clocks import Clocks
from .inmemory import MemoryDirectory
from .provider import Dir, Wasi
from .streams import Capture

__all__ = ["Capture", "Clocks", "Dir", "MemoryDirectory", "Wasi"]
