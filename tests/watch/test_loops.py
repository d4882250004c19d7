"""Guests that send answers back: windows, texts that go on, states. Each mistake has a right twin."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from struct import pack
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.loops import Loops, Standing
from pywasm_nn.watch.sent.added import Added
from tests.watch.test_origin import scene

CLASSES = 9


class Guest:
    """A guest of one context, as the rules hear of it."""

    def __init__(self, inputs: int, outputs: list[str], files: Any = (), names: str = "ids h c") -> None:
        self.loops = Loops(lambda: files, Budget(), lambda: files)
        self.standing = Standing()
        parts = [TensorSpec(name, DType.F32, (1, 4)) for name in names.split()[:inputs]]
        made = [TensorSpec(name, DType.F32, (1, 4)) for name in outputs]
        self._graph = SimpleNamespace(inputs=tuple(parts), outputs=tuple(made))
        self.context = 1
        self.hints: list[str] = []

    def _event(self, operation: str, index: int | None, arrays: list[Any], specs: tuple[Any, ...]) -> None:
        tensors = tuple(Tensor.from_numpy(one) for one in arrays)
        event: Any = SimpleNamespace(
            error=None, context_id=self.context, graph=self._graph, graph_id=1, operation=operation,
            index=index, tensors=tensors, specs=specs, given=(),
        )  # fmt: skip
        self.hints += [text for _, text in self.loops.nn_event(event)]
        self.standing.nn_event(event)

    def computes(self, inputs: list[Any], outputs: list[Any]) -> None:
        for index, array in enumerate(inputs):
            self._event("set_input", index, [array], (self._graph.inputs[index],))
        self._event("compute", None, outputs, self._graph.outputs)
        for index, array in enumerate(outputs):
            self._event("get_output", index, [array], (self._graph.outputs[index],))

    def calls(self, name: str, **arguments: Any) -> None:
        event: Any = SimpleNamespace(name=name, error=None, result=0, arguments=tuple(arguments.items()))
        self.loops.host_call(event)
        self.standing.host_call(event)

    @property
    def said(self) -> str:
        return "; ".join(self.hints)


def logits(best: Any) -> Any:
    """An answer whose rows have these classes."""
    return numpy.eye(CLASSES, dtype="f4")[numpy.atleast_1d(best)][None] * 5


Step = Callable[[Any, int], Any]


def at_the_end(ids: Any, new: int) -> Any:
    return numpy.append(ids[1:], new)


def before_the_others(ids: Any, new: int) -> Any:
    return numpy.append([new], ids[:-1])


@pytest.mark.parametrize(("step", "seen"), [(at_the_end, False), (before_the_others, True)])
def test_a_text_goes_on_at_its_end(step: Step, seen: bool) -> None:
    guest, ids = Guest(1, ["logits"]), numpy.array([3, 1, 4, 1, 5, 2])
    for answer in (7, 2, 8, 6):
        guest.computes([ids[None].astype("i8")], [logits(answer)[:, 0]])
        ids = step(ids, answer)
    assert ("the newest last" in guest.said) is seen
    assert seen or not guest.hints


@pytest.mark.parametrize(
    ("row", "said"), [(-1, "to the last of 8 places"), (0, "to the first of"), (None, "")]
)
def test_the_answer_to_the_last_word_is_the_next(row: int | None, said: str) -> None:
    guest, ids, rng = Guest(1, ["logits"]), numpy.zeros(8, int), numpy.random.default_rng(2)
    ids[:3] = 3, 1, 4
    for place in (3, 4, 5):
        best = rng.permutation(8) + 1
        guest.computes([ids[None].astype("i8")], [logits(best)])
        ids[place] = best[place - 1 if row is None else row]
    guest.computes([ids[None].astype("i8")], [logits(best)])
    assert (said in guest.said) if said else not guest.hints


@pytest.mark.parametrize(
    ("back", "seen"),
    [(lambda one: one, False), (lambda one: 700 * one + 200, True), (lambda one: 0.9 * one + 0.02, False)],
)
def test_a_forecast_is_sent_back_in_the_scale_of_the_window(
    back: Callable[[float], float], seen: bool
) -> None:
    guest = Guest(1, ["next"])
    window = (numpy.sin(numpy.arange(12.0)) + 1) / 3
    for answer in (0.223, 0.41, 0.3, 0.52):
        guest.computes([window[None].astype("f4")], [numpy.array([[answer]], "f4")])
        window = numpy.append(window[1:], back(answer))
    guest.computes([window[None].astype("f4")], [numpy.array([[0.4]], "f4")])
    assert ("in another scale" in guest.said) is seen
    assert seen or not guest.hints


def test_measured_numbers_far_off_are_no_answers() -> None:
    guest = Guest(1, ["next"])
    window = numpy.sin(numpy.arange(12.0))
    for answer, measured in ((0.223, 300), (0.41, 500), (0.3, 450), (0.52, 320), (0.2, 700)):
        guest.computes([window[None].astype("f4")], [numpy.array([[answer]], "f4")])
        window = numpy.append(window[1:], measured)
    assert not guest.hints


@pytest.mark.parametrize(("step", "seen"), [(1, True), (-1, False)])
def test_forecasts_before_a_window_of_a_file(step: int, seen: bool) -> None:
    numbers = numpy.random.default_rng(6).normal(size=60)[::step]
    table = "hour,load\n" + "".join(f"{i},{one:.5f}\n" for i, one in enumerate(numbers[::step]))
    guest, window = Guest(1, ["next"], [("load.csv", table.encode())]), numbers[20:32].round(5)
    for answer in (0.223, 0.41, 0.3, 0.52):
        guest.computes([window[None].astype("f4")], [numpy.array([[answer]], "f4")])
        window = numpy.append(numpy.float32(answer), window[:-1])
    assert ("the newest belongs last" in guest.said) is seen


def rounds_of_states(
    guest: Guest, states: Callable[[list[Any]], list[Any]], count: int = 6, size: int = 64
) -> None:
    """Computes with two states; `states` chooses them from all that there were."""
    rng, made = numpy.random.default_rng(4), [[numpy.full((1, 4), one, "f4") for one in (0.5, 0.25)]]
    for _ in range(count):
        data = rng.normal(size=(1, size)).astype("f4")
        new = [rng.normal(size=(1, 4)).astype("f4") for _ in range(2)]
        guest.computes([data, *states(made)], [data, *new])
        made.append(new)


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (lambda made: made[-1], ""),
        (lambda made: made[-1][::-1], "are the two states exchanged?"),
        (lambda made: made[max(0, len(made) - 2)], ""),
        (lambda made: made[0], "was fetched after each"),
        (lambda made: [0 * one for one in made[0]], ""),
    ],
)
def test_states_are_sent_back(states: Callable[[list[Any]], list[Any]], said: str) -> None:
    guest = Guest(3, ["y", "hn", "cn"])
    rounds_of_states(guest, states)
    assert (said in guest.said) if said else not guest.hints


ROWS = "rain,level\n" + "".join(f"{i % 7},{50 + i % 5}\n" for i in range(12))
OTHER = ROWS.replace("50,", "40,").replace("0,5", "3,4")
TIMED = ["time,level\n" + "".join(f"{start + i},{5 + i % 3}\n" for i in range(12)) for start in (0, 12)]


def discharge(seed: int, begin: float = 4.1, count: int = 40, *, counts: bool = False) -> str:
    """Lines of a voltage that falls, and of a load that goes up and down."""
    rng = numpy.random.default_rng(seed)
    volts = begin - 0.015 * numpy.arange(count) + rng.normal(0, 0.005, count)
    loads = rng.normal(0, 1, count)
    return "".join(
        f"{at} {load:.3f}\n" if counts else f"{load:.3f} {volt:.3f}\n"
        for at, (load, volt) in enumerate(zip(loads, volts, strict=True))
    )


def dated(month: int, level: int = 50) -> str:
    lines = "".join(f"2025-{month:02}-{day:02} 06:00,{level + day % 5}\n" for day in range(1, 13))
    return f"time,level\n{lines}"


def test_a_window_may_be_covered_piece_by_piece_from_one_state() -> None:
    """Which part of it counts is asked from the same state, whatever else is fetched."""
    guest, rng = Guest(3, ["y", "hn", "cn"]), numpy.random.default_rng(4)
    states, data = [numpy.full((1, 4), one, "f4") for one in (0.5, 0.25)], rng.normal(size=(1, 64))
    for at in range(6):
        covered = data.copy()
        covered[:, at * 8 : at * 8 + 8] = 0
        guest.computes([covered.astype("f4"), *states], [data[:, :1], *(one + at / 7 for one in states)])
    assert not guest.hints


@pytest.mark.parametrize("is_one_file", [True, False])
def test_each_file_begins_with_a_state_that_was_learnt(is_one_file: bool) -> None:
    guest, rng = Guest(3, ["y", "hn", "cn"]), numpy.random.default_rng(4)
    states = [numpy.full((1, 4), one, "f4") for one in (0.5, 0.25)]
    for at in range(5):
        guest.calls("path_open", path="clip0.wav" if is_one_file else f"clip{at}.wav")
        new = [rng.normal(size=(1, 4)).astype("f4") for _ in states]
        data = rng.normal(size=(1, 64)).astype("f4")
        guest.computes([data, *states], [data, *new])
    assert ("was fetched after each" in guest.said) is is_one_file


def test_actions_may_be_tried_from_one_state() -> None:
    guest = Guest(3, ["y", "hn", "cn"])
    rounds_of_states(guest, lambda made: made[0], size=4)
    assert not guest.hints


@pytest.mark.parametrize(
    ("files", "reset", "seen"),
    [
        ({"north.csv": ROWS, "south.csv": OTHER}, False, True),
        ({"north.csv": ROWS, "south.csv": OTHER}, True, False),
        ({"day1.csv": ROWS, "day2.csv": OTHER}, False, False),
        ({"gate.csv": ROWS, "gate_b.csv": OTHER}, False, False),
        ({"north.csv": ROWS, "scales.csv": "a,b,c\n1,2,3\n4,5,6\n"}, False, False),
        ({"morning.csv": TIMED[0], "night.csv": TIMED[1]}, False, False),
        ({"north.csv": ROWS, "names.txt": "a\nb\n"}, False, False),
        ({"january.csv": ROWS, "february.csv": OTHER}, False, False),
        ({"pump_mon.csv": ROWS, "pump_tue.csv": OTHER}, False, False),
        ({"history.csv": ROWS, "today.csv": OTHER}, False, False),
        ({"pump_20250301.txt": discharge(1), "pump_20250302.txt": discharge(2)}, False, False),
        ({"plant.csv": dated(2), "fresh.csv": dated(3)}, False, False),
        ({"plant.csv": dated(2), "mill.csv": dated(2, 40)}, False, True),
        ({"cell1.txt": discharge(1), "cell2.txt": discharge(2)}, False, True),
        ({"cell1.txt": discharge(1), "cell2.txt": discharge(2)}, True, False),
        ({"pump_a.txt": discharge(1), "pump_b.txt": discharge(2, 3.9)}, False, True),
        ({"cell1.txt": discharge(1), "cell2.txt": discharge(2, 3.5)}, False, False),
        ({"cell_part1.txt": discharge(1), "cell_part2.txt": discharge(2)}, False, False),
        ({"day1.txt": discharge(1), "day2.txt": discharge(2)}, False, False),
        ({"log20260301.txt": discharge(1), "log20260302.txt": discharge(2)}, False, False),
        ({"cell1.txt": discharge(1, counts=True), "cell2.txt": discharge(2, counts=True)}, False, False),
    ],
)
def test_each_series_begins_with_a_new_state(files: dict[str, str], reset: bool, seen: bool) -> None:
    guest = Guest(2, ["y", "hn"], [(name, data.encode()) for name, data in files.items()])
    rng, first = numpy.random.default_rng(4), numpy.zeros((1, 4), "f4")
    state = first
    for name in files:
        guest.calls("path_open", path=name)
        state = first if reset else state
        for _ in range(6):
            data, new = (rng.normal(size=(1, 4)).astype("f4") for _ in range(2))
            guest.computes([data, state], [data, new])
            state = new
    assert (f"goes on from {next(iter(files))}" in guest.said) is seen
    assert seen or not guest.hints


@pytest.mark.parametrize(
    ("names", "count", "reset", "seen"),
    [
        (("boiler.f32", "chiller.f32"), 15, False, True),
        (("fan_a.f32", "fan_b.f32"), 20, False, True),
        (("fan_a.f32", "fan_b.f32"), 20, True, False),
        (("fan_part1.f32", "fan_part2.f32"), 15, False, False),
        (("fan.f32", "fan.cfg"), 15, False, False),
        (("fan_a.f32", "fan_c.f32"), 20, False, False),
    ],
)
def test_raw_series_begin_with_a_new_state(
    names: tuple[str, str], count: int, reset: bool, seen: bool
) -> None:
    """Records have 3 numbers. The rest of the first file is never sent, or the second begins elsewhere; fan_c
    goes on where fan_a ends."""
    whole = numpy.stack([walk(seed, 40) for seed in (1, 2, 3)], axis=1).astype("f4")
    series = [whole[:20], whole[20:] + (0 if names[1] == "fan_c.f32" else 60)]
    guest = Guest(2, ["y", "hn"], [(name, one.tobytes()) for name, one in zip(names, series, strict=True)])
    rng, state = numpy.random.default_rng(4), numpy.zeros((1, 4), "f4")
    for name, rows in zip(names, series, strict=True):
        guest.calls("path_open", path=name)
        state = numpy.zeros((1, 4), "f4") if reset else state
        for row in rows[:count]:
            new = rng.normal(size=(1, 4)).astype("f4")
            guest.computes([row[None], state], [numpy.array([[0.5]], "f4"), new])
            state = new
    assert (f"goes on from {names[0]} to {names[1]}" in guest.said) is seen is bool(guest.hints)


def walk(seed: int, count: int = 30) -> Any:
    return numpy.random.default_rng(seed).normal(size=count).cumsum().round(3)


SERIES = {name: "hour,load\n" + "".join(f"{at},{one}\n" for at, one in enumerate(walk(seed)))
          for seed, name in enumerate(("north.csv", "south.csv", "south_b.csv"))}  # fmt: skip


@pytest.mark.parametrize("contexts", [(1, 1), (1, 2)])
@pytest.mark.parametrize(
    ("names", "own", "seen"),
    [
        (("north.csv", "south.csv"), False, True),
        (("north.csv", "south.csv"), True, False),
        (("south.csv", "south_b.csv"), False, False),
        (("north.csv",), False, False),
    ],
)
def test_series_in_turns_have_states_of_their_own(
    contexts: tuple[int, int], names: tuple[str, ...], own: bool, seen: bool
) -> None:
    guest = Guest(2, ["y", "hn"], [(name, SERIES[name].encode()) for name in names])
    for name in names:
        guest.calls("path_open", path=name)
    rng, states = numpy.random.default_rng(4), numpy.ones((2, 1, 4), "f4")
    lines = [walk([*SERIES].index(name)) for name in names]
    for at in range(60):
        turn = at % 2
        guest.context = contexts[turn]
        number = lines[turn % len(lines)][at // 2 if len(lines) > 1 else at % 30]
        data = numpy.array([[number / 20, at % 7, 0.5, 1]], "f4")
        new = rng.normal(size=(1, 4)).astype("f4")
        guest.computes([data, states[turn]], [data, new])
        states[turn] = new
        if not own:
            states[1 - turn] = new
    assert ("need a state of its own?" in guest.said) is seen
    assert seen or not guest.hints


STEPS = {
    "%H": (datetime(2026, 3, 1, 19), timedelta(hours=1)),
    "%H:%M": (datetime(2026, 3, 1, 22, 30), timedelta(minutes=15)),
    "%H:%M:%S": (datetime(2026, 3, 1, 22, 30), timedelta(seconds=15)),
    "%Y-%m-%d": (datetime(2026, 2, 26), timedelta(days=1)),
    "%Y-%m-%d %H:%M": (datetime(2026, 2, 28, 22), timedelta(minutes=30)),
    "%a": (datetime(2026, 3, 6), timedelta(days=1)),
    "%A": (datetime(2026, 3, 6), timedelta(days=1)),
    "%b %Y": (datetime(2026, 3, 6), timedelta(days=31)),
}


@pytest.mark.parametrize(
    ("line", "moves", "seen"),
    [
        ("in {} days: 0.7 degrees\n", False, True),
        ("in {} days: 0.7 degrees\n", True, False),
        ("run {}: class 3 at 0.7\n", False, False),
        ("run {}: it may be class 3 at 0.7, on Sunday\n", False, False),
        ("run {}: 09:30 class 3 at 0.7\n", False, False),
        ("0.7 ", False, False),
        *(
            (f"{{:{form}}} 228 MW\n", moves, not moves)
            for form in ("%H:%M", "%Y-%m-%d", "%a", "%A", "%b %Y", "%Y-%m-%d %H:%M")
            for moves in (False, True)
        ),
        ("hour {:%H}: 228 MW\n", False, True),
        ("{:%H:%M:%S} class 3 at 0.7\n", False, False),
    ],
)
def test_a_window_that_stays(line: str, moves: bool, seen: bool) -> None:
    """Days, weeks and years end between the lines."""
    guest, window = Guest(1, ["next"]), numpy.sin(numpy.arange(12.0))
    begin, by = STEPS[re.findall(r"%[-a-zA-Z: %]+", line)[0]] if "%" in line else (0, 1)
    for day in range(5):
        guest.computes([window[None].astype("f4")], [numpy.array([[0.7]], "f4")])
        guest.calls("fd_write", fd=1, ciovs=[line.format(begin + (day + 1) * by).encode()])
        window = numpy.append(window[1:], 0.7) if moves else window
    assert bool([*guest.standing.finish()]) is seen


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("next 4 hours: 228 228 228 228 MW\n", True),
        ("next 4 hours: 228, 273, 328, 351 MW\n", False),
        ("times 4: 228 228 228 228\n", False),
        ("forecast: 228 228 228 228 228 228\n", False),
    ],
)
def test_forecasts_of_one_line_that_are_all_the_same(line: str, seen: bool) -> None:
    guest, window = Guest(1, ["next"]), numpy.sin(numpy.arange(12.0))
    for _ in range(4):
        guest.computes([window[None].astype("f4")], [numpy.array([[0.7]], "f4")])
    guest.calls("fd_write", fd=1, ciovs=[line.encode()])
    assert bool([*guest.standing.finish()]) is seen


def standing_over(column: Any, window: Any, lines: list[str]) -> bool:
    """Whether there is a hint about a window that stays, in a guest that read a table's column."""
    text = "\n".join(f"{one:.4f}" for one in column).encode()
    guest = Guest(1, ["next"])
    guest.standing = Standing(lambda: (("level.txt", text),))
    guest.calls("fd_write", fd=1, ciovs=[b"a file of levels\n"])
    for line in lines:
        guest.computes([window[None].astype("f4")], [numpy.array([[0.7]], "f4")])
        guest.calls("fd_write", fd=1, ciovs=[line.encode()])
    return bool([*guest.standing.finish()])


@pytest.mark.parametrize("line", ["+{:2} h  413 MW\n", "{:>3}: 0.71\n", "step {:4} ~ 12.5 cm\n"])
@pytest.mark.parametrize("more", ["", "levels below 2 d ahead are rounded\n"])
def test_numbers_of_steps_may_be_padded_and_stand_among_other_lines(line: str, more: str) -> None:
    """What is forecast from a column's last numbers is yet to come, whatever the lines say of it."""
    column = 20 + numpy.sin(numpy.arange(90) / 3)
    newest, before = (column[-12:] - 20) / 3, (column[30:42] - 20) / 3
    lines = [line.format(at) for at in range(8, 13)]
    same, moved = [*lines[:-1], lines[-1] + more], [f"{at}: {at / 7:.2f}\n" for at in range(5)]
    assert standing_over(column, newest, same)
    assert not standing_over(column, newest, moved), "the answers are others"
    assert not standing_over(column, newest, [f"run {at}: 0.71\n" for at in range(5)]), "measured"
    assert standing_over(column, before, same) is (" h " in line), "another window"


@pytest.mark.parametrize("fails", [False, True])
def test_a_window_that_stays_because_set_input_failed(fails: bool) -> None:
    """The error says why."""
    guest, window = Guest(1, ["y"], names="x"), numpy.array([[1, 2, 3, 4]], "f4")
    for day in range(4):
        guest.computes([window], [numpy.array([[5.0]], "f4")])
        failed: Any = SimpleNamespace(error=ValueError(), operation="set_input", context_id=1)
        guest.standing.nn_event(failed) if fails else None
        guest.calls("fd_write", fd=1, ciovs=[f"day {day + 1}: 5.00\n".encode()])
    assert bool([*guest.standing.finish()]) is not fails


def test_pixels_are_not_added_to_those_before() -> None:
    pictures = [scene(seed, 24, 24).transpose(2, 0, 1)[None] / 127.5 - 1 for seed in range(3)]
    for sums, seen in ((True, True), (False, False)):
        added, said, buffer = Added(), "", numpy.zeros_like(pictures[0])
        for picture in pictures:
            buffer = buffer + picture if sums else picture
            said += added.wrong(0, Tensor.from_numpy(buffer.astype("f4")))
        assert ("added to (+=)" in said) is seen
        assert seen or not said


def test_a_lighter_picture_is_not_a_darker_one_and_another() -> None:
    """As pixels from -0.5 to 0.5 the lighter one would be no picture; from 0 to 1 both are."""
    ends = ((0.05, 0.35), (0.55, 0.2))
    darker, lighter = (numpy.linspace(*pair, 192).reshape(1, 8, 8, 3) for pair in ends)
    added = Added()
    assert not any(added.wrong(0, Tensor.from_numpy(one.astype("f4"))) for one in (darker, lighter))
    sums = Added()
    assert not sums.wrong(0, Tensor.from_numpy(lighter.astype("f4")))
    assert "from 0 to 1 added" in sums.wrong(0, Tensor.from_numpy((2 * lighter).astype("f4")))


@pytest.mark.parametrize("seed", range(3))
def test_a_bright_part_after_a_dark_one_is_no_sum(seed: int) -> None:
    """Dark pixels from 0 to 1 fit -0.5 to 0.5, too, where the next ones don't."""
    dark, bright = (by * scene(seed, 24, 24).transpose(2, 0, 1)[None] / 255 for by in (0.4, 0.8))
    added = Added()
    said = [added.wrong(0, Tensor.from_numpy(one.astype("f4"))) for one in (dark, bright, dark)]
    assert not any(said)


def heard(seed: int, count: int = 30000) -> Any:
    """Noise of which each sample is like the one before, as samples of 16 bits."""
    noise = numpy.random.default_rng(seed).normal(size=count)
    return (numpy.convolve(noise, numpy.hanning(9), "same") * 2000).astype("<i2")


def wav(samples: Any) -> bytes:
    body, channels = samples.tobytes(), samples.shape[1] if samples.ndim > 1 else 1
    head = pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, 16000, 32000 * channels, 2 * channels, 16)
    return (
        b"RIFF"
        + pack("<I", 4 + len(head) + 8 + len(body))
        + b"WAVE"
        + head
        + pack("<4sI", b"data", len(body))
        + body
    )


WINDOW, CONTEXT = 256, 32


@pytest.mark.parametrize("moves", [True, False])
def test_states_that_stay_at_nothing_do_not_go_on(moves: bool) -> None:
    """Of a model that forgets all, each sound's own state is the same as the other one's."""
    sounds = heard(1) / 32768, heard(2) / 32768
    guest = Guest(2, ["y", "hn"], [("a.wav", wav(heard(1))), ("b.wav", wav(heard(2)))])
    state = numpy.zeros((1, 4), "f4")
    for at in range(24):
        for sound in sounds:
            data = sound[at * WINDOW : (at + 1) * WINDOW][None].astype("f4")
            new = state + moves
            guest.computes([data, state], [numpy.array([[0.5]], "f4"), new])
            state = new
    assert ("have windows of 2 sounds in turns" in guest.said) is moves


@pytest.mark.parametrize(
    ("streams", "own", "shared_context", "seen"),
    [
        ("two files", False, False, True),
        ("two files", False, True, True),
        ("two files", True, False, False),
        ("channels", False, False, True),
        ("channels", True, False, False),
        ("late", False, True, True),
        ("late", True, False, False),
        ("one", False, False, False),
        ("halves", False, False, False),
        ("mixed", False, False, False),
        ("repeated", False, False, False),
        ("tone", False, False, False),
    ],
)
def test_sounds_in_turns_have_states_of_their_own(
    streams: str, own: bool, shared_context: bool, seen: bool
) -> None:
    """Of two files, of a file's channels, or of one file that is heard again later and softer; and one sound,
    in windows that overlap, whose channels are mixed, or that repeats itself."""
    one, other = heard(1) / 32768, heard(2) / 32768
    stereo = numpy.stack([heard(1), heard(2)], axis=1)
    files = [("a.wav", wav(heard(1))), ("b.wav", wav(heard(2)))]
    again = numpy.tile(heard(0, 5000), 2)
    tone = (9000 * numpy.sin(numpy.arange(30000) / 7)).astype("<i2")
    sounds = {
        "two files": [one, other], "channels": [one, other], "one": [one], "halves": [one],
        "mixed": [(one + other) / 2], "repeated": [again / 32768], "tone": [tone / 32768],
        "late": [one, numpy.concatenate([numpy.zeros(3 * WINDOW), 0.5 * one])],
    }[streams]  # fmt: skip
    alone = {"channels": stereo, "mixed": stereo, "repeated": again, "tone": tone}
    guest = Guest(2, ["y", "hn"], [("ab.wav", wav(alone[streams]))] if streams in alone else files)
    rng, states = numpy.random.default_rng(4), numpy.ones((2, 1, 4), "f4")
    hop = WINDOW // 2 if streams == "halves" else WINDOW
    contexts = numpy.zeros((2, CONTEXT))
    for at in range(24):
        for turn, sound in enumerate(sounds):
            new_samples = sound[at * hop : at * hop + WINDOW]
            place = 0 if shared_context else turn
            data = numpy.concatenate([contexts[place], new_samples])[None].astype("f4")
            contexts[place] = new_samples[hop - WINDOW - CONTEXT :][:CONTEXT]
            state = turn if own else 0
            new = rng.normal(size=(1, 4)).astype("f4")
            guest.computes([data, states[state]], [numpy.array([[0.5]], "f4"), new])
            states[state] = new
    assert ("have windows of 2 sounds in turns" in guest.said) is seen
    assert seen or not guest.hints


@pytest.mark.parametrize(
    ("guest_is", "seen"),
    [("mistaken", True), ("right", False), ("one series", False), ("no forecast", False)],
)
@pytest.mark.parametrize("scale", [1.0, 0.02])
def test_columns_in_turns_have_states_of_their_own(guest_is: str, scale: float, seen: bool) -> None:
    """A guest sends two columns of a table, or one series that lies in lines of two numbers each."""
    mill, yard = 40 + walk(1, 60), 15 + walk(2, 60)
    if guest_is == "one series":
        whole = walk(3, 120)
        mill, yard = whole[::2], whole[1::2]
    pairs = [*zip(mill, yard, strict=True)]
    table = "".join(f"{at},{one:.3f},{other:.3f}\n" for at, (one, other) in enumerate(pairs))
    guest = Guest(2, ["y", "hn"], [("load.csv", table.encode())])
    rng, states = numpy.random.default_rng(4), numpy.zeros((2, 1, 4), "f4")
    for pair in pairs:
        for turn, value in enumerate(pair):
            new, sent = rng.normal(size=(1, 4)).astype("f4"), numpy.array([[value * scale]], "f4")
            state = turn if guest_is == "right" else 0
            said = 27.5 * scale if guest_is == "no forecast" else sent + 0.1 * scale
            guest.computes([sent, states[state]], [numpy.full((1, 1), said, "f4"), new])
            states[state] = new
    assert ("columns 2 and 3 of load.csv in turns" in guest.said) is seen is bool(guest.hints)
