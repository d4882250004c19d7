"""What of `GraphConfig.options` several backends understand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..backend import GraphConfig


def thread_count(config: GraphConfig) -> int:
    """The option "threads": how many one run may use; 0, the framework's choice, if it isn't a number from
    1 to 1024.
    """
    threads = config.options.get("threads")
    return threads if isinstance(threads, int) and 0 < threads <= 1024 else 0


def provider_options(config: GraphConfig) -> dict[str, Any]:
    """The option "provider_options", for the framework itself: only the host may give it."""
    given = config.options.get("provider_options")
    return dict(given) if isinstance(given, Mapping) else {}
