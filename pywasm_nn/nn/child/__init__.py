"""A guest's own models in a child process, so that a crash or an overload affects only this guest.

A session uses `models`: `GuestModels` loads into the child and returns graphs that behave like others.
`process` starts the child, sends it questions and ends it, `arena` is the shared memory for tensors, `serve`
is the child's side, `bounds` limits its memory. What is not here: which bytes may be loaded (`registry`).

A guest has at most one child, for all of its models; guests share none. If the child dies, the guest's graphs
are lost, and their operations fail with runtime_error; the next load starts a new child.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Patience = Callable[[], float | None]
"""Returns the seconds that the guest has left, like `Meter.patience`: None for no limit, DeadlineError if
none are left.
"""
Answer = Mapping[str, Any]
