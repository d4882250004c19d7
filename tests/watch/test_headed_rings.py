"""Files named rings that hold one window and its slot: sent as it lies, and from the oldest sample on."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.heads import Heads

COUNT = 80


def moved(rng: Any, channels: int) -> Any:
    """Samples of something that swings and drifts, [samples, channels]: one window shows no break."""
    time = numpy.arange(COUNT)[:, None]
    swing = numpy.sin(time / rng.uniform(2, 3) + rng.uniform(0, 6, channels))
    return swing + 0.01 * time * rng.choice([-1, 1], channels) + rng.normal(0, 0.1, (COUNT, channels))


def said(
    windows: list[Any], slots: list[int], said_slots: list[int], *, straight: bool = False,
    name: str = "ring", behind: bool = False, kind: str = "<i2",
) -> str:  # fmt: skip
    """What is said of windows, each in a file of its own that says a slot."""
    heads, files, told = Heads(), [("labels.csv", b"a,b\n1,2\n")], ""
    for number, (window, slot, other) in enumerate(zip(windows, slots, said_slots, strict=True)):
        ring = numpy.roll(numpy.rint(1000 * window), slot, axis=0).astype(kind)
        head = other.to_bytes(2, "little")
        files.append((f"log/{name}{number}.bin", ring.tobytes() + head if behind else head + ring.tobytes()))
        sent = numpy.roll(ring, -slot, axis=0) if straight else ring
        told = told or heads.set("x", (sent / 1000).astype("f4")[None], files)
    return told


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "behind", "channels"), [("<i2", False, 6), ("<f4", True, 2)])
def test_rings_in_files_of_their_own(seed: int, kind: str, behind: bool, channels: int) -> None:
    rng = numpy.random.default_rng(seed)
    windows = [moved(rng, channels) for _ in range(7)]
    slots = [int(one) for one in rng.integers(5, COUNT - 5, 7)]
    told = said(windows, slots, slots, kind=kind, behind=behind)
    assert "rings were sent as they lie" in told
    assert said(windows, slots, slots, kind=kind, behind=behind, straight=True) == ""
    assert said(windows, [0] * 7, slots, kind=kind, behind=behind) == "", "the number says something else"
    assert "slot" not in said(windows, slots, slots, kind=kind, behind=behind, name="window")
