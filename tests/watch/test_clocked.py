"""Times of a sound's windows that are worked out with another rate. Each mistake has twins."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.written.clocked import Clocked

RATE, SIZE = 16000, 400
SAMPLES = numpy.random.default_rng(8).normal(0, 0.2, 4000).astype("f4")


def hint(say: Callable[[int], str], hop: int = SIZE, sent: Any = SAMPLES, count: int = 6) -> str:
    """What is said of a guest that sends windows, and writes a line of each at its end."""
    rule, more = Clocked(lambda: Source("hum.wav", SAMPLES, "", rate=RATE)), {"error": None}
    for at in range(0, count * hop, hop):
        tensors = (Tensor.from_numpy(sent[None, at : at + SIZE] * 32767),)
        for operation in ("set_input", "compute"):
            event: Any = SimpleNamespace(operation=operation, tensors=tensors, **more)
            rule.nn_event(event)
    text = "".join(say(at) + "\n" for at in range(0, count * hop, hop)).encode()
    call: Any = SimpleNamespace(name="fd_write", arguments=(("fd", 1), ("ciovs", [text])), result=0, **more)
    rule.host_call(call)
    return "; ".join(said for _, said in rule.finish())


@pytest.mark.parametrize("hop", [SIZE, SIZE // 2])
@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (44100, "44,100 Hz; hum.wav has 16,000 Hz"),
        (8000, "8,000 Hz;"),
        (64000, "64,000 Hz;"),
        (RATE, ""),
        (15000, ""),
    ],
)
def test_times_of_windows(rate: int, words: str, hop: int) -> None:
    for form in (
        lambda at: f"{at * 1000 // rate} ms: hum",
        lambda at: f"at {at / rate:.4f} s",
        lambda at: f"{at}",
    ):
        said = hint(form, hop)
        assert words in said or form(0) == "0"
        assert bool(said) == bool(words and form(0) != "0")


def test_times_of_other_windows() -> None:
    assert hint(lambda at: f"{(at + SIZE) / RATE:.3f} s") == "", "where a window ends"
    assert hint(lambda at: f"{at / 8000:.3f} s", sent=SAMPLES[::-1].copy()) == "", "not known where it begins"
    assert hint(lambda at: f"{at / 8000:.3f} s" if at else "") == "", "not each window has a time"
