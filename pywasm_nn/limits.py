"""Resource limits of a guest. Frozen: chosen when an instance is made, never changed afterwards."""

from __future__ import annotations

from dataclasses import dataclass

PAGE = 65536
"""Bytes in a page of linear memory (https://webassembly.github.io/spec/core/exec/runtime.html#page-size)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a guest may use. The defaults are safe for a stranger's guest on a laptop, but that it may run for
    ever: how long is long, only the host knows."""

    fuel: int | None = None
    """Instructions in all, as `interpreter.meter` counts them; beyond it FuelError. None: without end."""
    seconds: float | None = None
    """How long one call from outside may take, host functions included; beyond it DeadlineError. None:
    without end."""
    host_calls: int | None = None
    """Calls of host functions in all; beyond it HostCallsError. None: without end."""
    memory: int = 1 << 30
    """Bytes of one linear memory; growing beyond it answers -1, as the specification allows."""
    table: int = 1_000_000
    """Elements of one table; growing beyond it answers -1."""
    array: int = 10_000_000
    """Elements of one array on the heap; one that is larger is a LimitError."""
    call_depth: int = 50_000
    """Guest frames on one thread; one more is the trap 'call stack exhausted'. Tail calls add none; compiled,
    a frame of a function that makes some counts up to three times."""
    host_reentry: int = 100
    """How deep host functions may call back into guests."""
