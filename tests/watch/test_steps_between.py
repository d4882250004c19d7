"""Windows of a sensor at several times the rate that a model knows, of files with as many times the lines."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import sensors
from pywasm_nn.watch.whatif.sensors import Sensors, asked_otherwise
from pywasm_nn.watch.whatif.steps_between import decimated
from pywasm_nn.watch.whatif.sureness import Answer, chosen
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="motion")])
STEPS, AXES = 64, 3
TURNS = (1.0, 4.0, 16.0)
"""How often each motion swings in a window at the rate that the model knows."""
Log = tuple[str, bytes]


def motion(place: int, seed: int, rate: int, *, lines: int) -> Any:
    """A motion whose axes swing about gravity, which lies elsewhere for each."""
    numbers = numpy.random.default_rng(seed)
    angles = 2 * numpy.pi * TURNS[place] * numpy.arange(lines) / STEPS / rate
    gravity = numpy.roll([1.0, 0.1 * place, 0.2], place)
    swings = numpy.sin(angles[:, None] + [0, 1, 2]) * 0.5 * 1.9**place
    return (gravity + swings + numbers.normal(0, 0.02, (lines, AXES))).round(4)


def logs(rate: int, lines: int, separator: str = ";") -> list[Log]:
    return [
        (f"log{place}.csv", b"".join(
            (separator.join(f"{one:.4f}" for one in line) + "\n").encode()
            for line in motion(place, place, rate, lines=lines)
        ))
        for place in range(len(TURNS))
    ]  # fmt: skip


class Swings(StandIn):
    """Stands for the runs of a model that knows motions by how often they swing, at a rate of its own."""

    def __init__(self, rate: int, doubt: float) -> None:
        self._rate, self._doubt = rate, doubt

    def changed(self, _: int, array: Any) -> Answer:
        seen = abs(numpy.fft.rfft(array[0, :, 0] - array[0, :, 0].mean()))
        turns = float(seen.argmax()) * self._rate
        away = abs(numpy.log2(max(turns, 0.1)) - numpy.log2(TURNS))
        answer = chosen(-away / self._doubt)
        assert answer is not None
        return answer


def numbers_of(log: Log) -> Any:
    return numpy.array([[float(one) for one in line.split(b";")] for line in log[1].splitlines()])


def said(model: Swings, files: Sequence[Log], every: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sensors, "Runs", model)
    kept, taken = Sensors(lambda: files), []
    for log in files:
        array = numbers_of(log)[::every][:STEPS][None].astype("f4")
        taken = [*kept.take(0, Tensor.from_numpy(array), model.changed(0, array))] or taken
    return asked_otherwise(GRAPH, taken, kept.changes(taken), 0.01)


@pytest.mark.parametrize("rate", [2, 8])
def test_files_at_several_times_the_rate(rate: int, monkeypatch: pytest.MonkeyPatch) -> None:
    files = logs(rate, STEPS * rate)
    slow = Swings(1, 0.3)
    found = said(slow, files, 1, monkeypatch)
    assert f"each is the first {STEPS} of just {STEPS * rate} lines of its file" in found
    assert f"at {rate} times the rate" in found
    assert said(slow, files, rate, monkeypatch) == "", "one line in several was sent"
    assert said(Swings(rate, 0.3), files, 1, monkeypatch) == "", "the model knows the files' rate"
    assert said(slow, logs(rate, STEPS * rate + 5), 1, monkeypatch) == "", "files of another length"


def test_windows_at_a_lower_rate() -> None:
    files = logs(2, 2 * STEPS)
    every = [numbers_of(log) for log in files]
    sent = [(one[:STEPS] * 2 - 1).astype("f4") for one in every]
    found = decimated(sent, files)
    assert found is not None and found.times == 2
    for rows, one in zip(sent, every, strict=True):
        assert numpy.allclose(found.of(rows), one[::2] * 2 - 1, atol=1e-4)
    assert decimated([*sent[:2], sent[0]], files) is None, "a file is the log of one window"
    assert decimated([one[::-1] for one in sent], files) is None
    assert decimated(sent, files[:2]) is None
    assert decimated(sent, [*files[:2], *logs(3, 3 * STEPS)[2:]]) is None
