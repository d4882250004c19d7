"""WASI preview1 for guests: `Wasi` configures it, `Dir` names a directory, `Capture` keeps output."""

from .provider import Dir, Wasi
from .streams import Capture
from .system import Clocks

__all__ = ["Capture", "Clocks", "Dir", "Wasi"]
