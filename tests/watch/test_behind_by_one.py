"""Guests that use each answer a round late, and right ones that don't use the last answer, or nearly."""

from __future__ import annotations

import io
import sys
import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import pytest

from pywasm_nn.watch.probes import following
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.behind_by_one import behind_by_one
from tests.watch import test_uses_of_answers as uses
from tests.watch.test_probes import SHARES, hints

COMPUTES, STEP, SIZE = 20, 512, 576
Say = Callable[[Sequence[float]], str]
"""From how sure all answers are to what is written."""


def onsets(sure: Sequence[float]) -> str:
    return "".join(f"from {at}\n" for at in range(1, len(sure)) if sure[at] > 0.5 >= sure[at - 1])


def peaks(sure: Sequence[float]) -> str:
    return "".join(f"peak {at}\n" for at in range(1, len(sure) - 1) if sure[at - 1] < sure[at] > sure[at + 1])


def smoothed(sure: Sequence[float]) -> str:
    mean = 0.0
    for one in sure:
        mean = 0.5 * mean + 0.5 * one
    return f"{mean:.3f}\n"


SAY: dict[str, Say] = {
    "a line each": lambda sure: "".join(f"{one:.2f}\n" for one in sure),
    "onsets": onsets,
    "peaks": peaks,
    "two in a row": lambda sure: "".join(
        f"{at}\n" for at in range(1, len(sure)) if min(sure[at - 1 : at + 1]) > 0.5
    ),
    "smoothed": smoothed,
    "a mean": lambda sure: (
        f"{sum(one > 0.5 for one in sure)} of {len(sure)}, mean {sum(sure) / len(sure):.4f}\n"
    ),
    "the largest": lambda sure: f"at most {max(sure):.2f}\n",
}
RIGHT = [*SAY]
LATE = ["a line each", "onsets", "smoothed", "a mean", "the largest"]


def sound() -> tuple[bytes, list[Any]]:
    """A WAV file, and windows of it."""
    samples = numpy.random.default_rng(4).integers(-9000, 9000, STEP * COMPUTES + SIZE).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        out.writeframes(samples.tobytes())
    starts = range(0, len(samples) - SIZE, STEP)
    return file.getvalue(), [(samples[at : at + SIZE] / 32768).astype("f4") for at in starts]


def table() -> tuple[bytes, list[Any]]:
    rows = numpy.random.default_rng(5).uniform(0, 90, (COMPUTES + 5, 4)).round(1)
    lines = [f"p{at},{','.join(map(str, row))}\n" for at, row in enumerate(rows)]
    return b"id,a,b,c,d\n" + "".join(lines).encode(), [*rows.astype("f4")]


def made() -> tuple[bytes, list[Any]]:
    """Inputs that are in no file, such as those that are made of answers."""
    return b"x,y\n1,2\n2,3\n3,4\n4,5\n5,6\n", [
        *numpy.random.default_rng(6).uniform(0, 9, (COMPUTES, 30)).astype("f4")
    ]


def found(say: Say, inputs: tuple[bytes, list[Any]], *, late: bool, classes: int = 1) -> str:
    def written(answers: Any) -> str:
        rows = [one[0].reshape(-1) for one in answers]
        sure = [float(row[0] if classes == 1 else row.argmax() == classes - 1) for row in rows]
        return say([0.0, *sure[:-1]] if late else sure)

    data, windows = inputs
    sent = Sent("x", (1, windows[3].size), windows[3], windows[2])
    answer = numpy.full((1, classes), 0.3, "f4") if classes == 1 else numpy.eye(1, classes, dtype="f4")
    name = "a.wav" if data.startswith(b"RIFF") else "a.csv"
    files = [(name, data)]
    return behind_by_one(
        uses.asked_of(written, answer, computes=COMPUTES, files=files, sent=[sent], round_=4)
    )


@pytest.mark.parametrize("inputs", [sound, table])
@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("name", RIGHT)
def test_answers_in_their_rounds(name: str, inputs: Any, classes: int) -> None:
    assert found(SAY[name], inputs(), late=False, classes=classes) == ""
    late = found(SAY[name], inputs(), late=True, classes=classes)
    assert ("nothing that the guest writes follows the answer to the last of 23 inputs" in late) is (
        name in LATE
    )


@pytest.mark.parametrize("name", RIGHT)
def test_inputs_that_may_be_made_of_answers(name: str) -> None:
    """Of what a guest goes on with by itself the last answer is rightly never used."""
    assert found(SAY[name], made(), late=True) == ""


AGAIN = """(local.set $i (i32.const {more}))
  (loop $next
    (drop (call $set (i32.load (i32.const 8)) (i32.const 0) (i32.const 1024)))
    (drop (call $compute (i32.load (i32.const 8))))
    (drop (call $get (i32.load (i32.const 8)) (i32.const 0) (i32.const 65536) (i32.const 65536)
      (i32.const 12)))
    (call $decimal (call $best (i32.const 65536) (i32.const 10)))
    (local.set $i (i32.sub (local.get $i) (i32.const 1)))
    (br_if $next (local.get $i)))"""


@pytest.mark.skipif(sys.platform != "linux", reason="copies of the process are made on Linux")
@pytest.mark.parametrize(("more", "left"), [(1, ()), (5, (2,)), (40, (25,))])
def test_when_it_is_asked(more: int, left: tuple[int, ...], tmp_path: Path) -> None:
    """Once the guest has computed a few times, about all the others; of a long run after more."""
    asked: list[int] = []

    def rule(of: Any) -> str:
        asked.extend([len(of.ending.texts) - 1] * of.ending.is_whole)
        return ""

    with mock.patch.object(following.behind_by_one, "behind_by_one", rule):
        hints(tmp_path, SHARES, AGAIN.format(more=more))
    assert (*asked,) == left
