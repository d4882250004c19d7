"""How many answers are said to be right, by labels that were read wrongly."""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.written.miscounted import Miscounted

ORDER = numpy.random.default_rng(8)
LABELS = ORDER.integers(0, 7, 60)
ANSWERS = numpy.where(ORDER.random(60) < 0.9, LABELS, (LABELS + 2) % 7)
RIGHT = int((LABELS == ANSWERS).sum())
IDX = struct.pack(">II", 0x801, 60) + LABELS.astype("u1").tobytes()
LINES = "label,file\n" + "".join(f"{one},{at}.png\n" for at, one in enumerate(LABELS))
FROM_ONE = "\n".join(map(str, LABELS + 1))


def hint(data: str | bytes, text: str, batch: int = 20) -> str:
    rule = Miscounted(lambda: [("t", data if isinstance(data, bytes) else data.encode())])
    rows = numpy.eye(7, dtype="f4")[ANSWERS]
    for first in range(0, 60, batch):
        event: Any = type("E", (), {"error": None, "operation": "get_output", "index": 0})
        event.tensors = (Tensor.from_numpy(rows[first : first + batch]),)
        rule.nn_event(event)
    call: Any = type("E", (), {"error": None, "name": "fd_write", "result": 0})
    call.arguments = (("fd", 1), ("ciovs", [text.encode()]))
    rule.host_call(call)
    return "; ".join(said for _, said in rule.finish())


def by(there: Any) -> int:
    return int((numpy.asarray(there) == ANSWERS).sum())


EARLY = by(numpy.frombuffer(IDX, "u1")[:60])
LATE = by([0, *LABELS[:-1]])
MORE = by(LABELS + 1)


@pytest.mark.parametrize(
    ("data", "text", "said"),
    [
        (IDX, f"{EARLY} of 60 digits are right", "8 bytes too early: is the header"),
        (IDX, f"accuracy: {100 * EARLY / 60:.1f} %", "8 bytes too early: is the header"),
        (LINES, f"correct: {LATE}/60", "1 line too early: is the header (or heading)"),
        (FROM_ONE, f"accuracy {MORE / 60:.3f}", "they count the classes from 1"),
        (IDX, f"{RIGHT} of 60 digits are right", ""),
        (LINES, f"accuracy: {100 * RIGHT / 60:.1f} %", ""),
        (FROM_ONE, f"correct: {RIGHT}/60", ""),
        (IDX, f"{EARLY} of 60 digits are sevens", ""),
        (IDX, f"guessed: {EARLY} of 60 right, model: {RIGHT} of 60", ""),
        (IDX, f"{EARLY} of 50 are right", ""),
        (IDX, f"all ok but the last ones, {60 - RIGHT} of 60", ""),
        (IDX, f"{EARLY} of 60 unsure\naccuracy of the others: 95.1 %", ""),
        (LINES, f"rejected {LATE}/60; ok", ""),
    ],
)
@pytest.mark.parametrize("batch", [1, 20, 60])
def test_right_ones(data: str | bytes, text: str, said: str, batch: int) -> None:
    found = hint(data, text, batch)
    assert said in found and bool(found) == bool(said)
