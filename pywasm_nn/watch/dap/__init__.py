"""The debugger in an editor: an adapter for the Debug Adapter Protocol.

https://microsoft.github.io/debug-adapter-protocol/specification. What is here: messages (`messages.py`),
requests and events (`adapter.py`), and what a stopped guest shows (`views.py`). What is not: the debugger
(`watch.debug`), and ports and options (`cli.dap`).
"""

from .adapter import Adapter, Launched, RefusedError
from .messages import Channel

__all__ = ["Adapter", "Channel", "Launched", "RefusedError"]
