"""Options of `GraphConfig.options` that several backends understand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..backend import GraphConfig, OptionKinds

THREADS: OptionKinds = {"threads": (int,)}


def thread_count(config: GraphConfig) -> int:
    """The option "threads": the number of threads for one run; 0 (the framework's choice) if it isn't a
    number from 1 to 1024.
    """
    threads = config.options.get("threads")
    return threads if isinstance(threads, int) and 0 < threads <= 1024 else 0


def provider_options(config: GraphConfig) -> dict[str, Any]:
    """The option "provider_options", passed to the framework: only the host may set it."""
    given = config.options.get("provider_options")
    return dict(given) if isinstance(given, Mapping) else {}
