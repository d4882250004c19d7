"""What of `GraphConfig.options` several backends understand."""

from __future__ import annotations

from ..backend import GraphConfig


def thread_count(config: GraphConfig) -> int:
    """The option "threads": how many one run may use; 0, the framework's choice, if it isn't a number from
    1 to 1024.
    """
    threads = config.options.get("threads")
    return threads if isinstance(threads, int) and 0 < threads <= 1024 else 0
