"""What attempts with models of PyTorch and TensorFlow share: guests that bring them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from .kit_models import MIB, Models, children

LATE = 4.0
"""Seconds after which a refusal is late, where other processes are busy."""
BEFORE = b"before"


def own_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmRSS")


def refused(engine: str, data: bytes, **nn: Any) -> None:
    """A guest gives these bytes as a model, by each encoding and with odd parts beside them: it gets an error
    each time, at once, and nothing of the model runs, in the host or in a child."""
    secret, target = Path("secret"), Path("target")
    secret.write_bytes(b"secret")
    target.write_bytes(BEFORE)
    held = own_memory()
    with Models(engine, pages=len(data) // 65536 + 96, **nn) as g:
        for encoding in range(12):
            for parts in ([data], [data, b"{}"], [b"", data]):
                answer = g.load(*parts, encoding=encoding)
                assert isinstance(answer, int) and answer != 0, (encoding, len(parts), answer)
        assert g.longest < LATE, g.longest
        memory = g.guest.instance.memory.read(0, 1 << 16)
        assert b"secret" not in memory
        g.well()
        assert len(children()) <= 1
    assert target.read_bytes() == BEFORE and not Path("pwned").exists()
    assert own_memory() < held + len(data) + 300 * MIB, f"{own_memory() - held >> 20} MiB"
    deadline = time.monotonic() + 5
    while children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children(), "a child stayed"
    assert sorted(os.listdir(".")) == ["secret", "target"], os.listdir(".")
