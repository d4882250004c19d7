"""Places in a map, times of windows and rows, restored inputs. Each mistake has right twins."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.probes import cells, restored, tagged, times
from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.following import RULES
from tests.watch.test_uses_of_answers import NAMES, asked_of

RNG = numpy.random.default_rng(9)
PICTURE = RNG.integers(0, 255, (48, 72))


def place(stride: int, *, exchanged: bool = False, size: str = " of 72 x 48") -> Callable[..., str]:
    def say(answers: Sequence[Any]) -> str:
        heat = answers[0][0][0, 0]
        at, (height, width) = int(heat.argmax()), heat.shape
        by = height if exchanged else width
        x, y = (at // by, at % by) if exchanged else (at % by, at // by)
        light = PICTURE[min(47, y * 2), min(71, x * 2)]
        return f"ball at {x * stride}, {y * stride}{size}, brightness {light}\n"

    return say


def heat() -> Any:
    return RNG.normal(0.1, 0.2, (1, 1, 16, 24)).astype("f4")


@pytest.mark.parametrize("size", [" of 72 x 48", ""])
def test_places_in_a_map(size: str) -> None:
    sent = [Sent.of("frame", Tensor.from_numpy(numpy.zeros((1, 1, 48, 72), "f4")), None)]
    for stride, exchanged in ((3, False), (3, True), (1, False), (1, True)):
        asked = asked_of(place(stride, exchanged=exchanged, size=size), heat(), sent=sent)
        assert ("are rows and columns exchanged?" in cells.exchanged(asked)) is exchanged
        missing = stride == 1 and bool(size) and not exchanged
        assert ("not multiplied by 3" in cells.unscaled(asked)) is missing
    assert cells.unscaled(asked_of(place(1), heat())) == "", "the input is no such picture"


def wav(samples: Any, rate: int) -> bytes:
    data = numpy.round(samples * 30000).astype("<i2").tobytes()
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16)
    return (
        struct.pack("<4sI4s", b"RIFF", 36 + len(data), b"WAVE")
        + form
        + struct.pack("<4sI", b"data", len(data))
        + data
    )


@pytest.mark.parametrize(("window", "step", "rate"), [(576, 512, 16000), (1024, 256, 22050)])
@pytest.mark.parametrize("wrong", [True, False])
@pytest.mark.parametrize("resampled", [True, False])
def test_times_of_windows(window: int, step: int, rate: int, *, wrong: bool, resampled: bool) -> None:
    sound = RNG.uniform(-1, 1, window + step).astype("f4")
    before = Sent.of("wave", Tensor.from_numpy(sound[:window]), None)
    sent = [Sent.of("wave", Tensor.from_numpy(sound[step:]), before)]

    def say(answers: Sequence[Any]) -> str:
        shares, said = [answer[0].item() for answer in answers], ""
        began, each = -1.0, (window if wrong else step) / rate
        for at, share in enumerate(shares):
            if share > 0.5 and began < 0:
                began = at * each
            elif share < 0.3 and began >= 0:
                said += f"speech from {began:.2f} s to {at * each:.2f} s\n"
                began = -1
        return said

    files = [("a.wav", wav(numpy.repeat(sound, 2) if resampled else sound, rate))]
    answer = numpy.array([[0.1]], "f4")
    for given, seen in ((sent, wrong and not resampled), ([before], False)):
        found = times.misstepped(asked_of(say, answer, computes=17, files=files, sent=given))
        assert ("which is the length of a window" in found) is seen


@pytest.mark.parametrize("lies", [448, 512, 576, 600])
@pytest.mark.parametrize(
    ("fresh", "form"), [(512, "{:.3f}"), (512, "{:.2f}"), (480, "{:.3f}"), (576, "{:.3f}"), (560, "{:.2f}")]
)
def test_times_of_windows_that_were_to_overlap(lies: int, fresh: int, form: str) -> None:
    """Windows of 576 samples; only where each begins at the other's end they don't overlap, or leave out."""
    sound = RNG.uniform(-1, 1, 576 * 4).astype("f4")
    before = Sent.of("wave", Tensor.from_numpy(sound[576:1152]), None)
    sent = [Sent.of("wave", Tensor.from_numpy(sound[576 + lies :][:576]), before)]

    def say(answers: Sequence[Any]) -> str:
        loud = [False, *(answer[0].item() > 0.5 for answer in answers)]
        marks = [at for at, (one, other) in enumerate(pairwise(loud)) if one != other]
        return "".join(form.format(at * fresh / 16000) + " s\n" for at in marks)

    files = [("a.wav", wav(sound, 16000))]
    answer = numpy.array([[0.1]], "f4")
    found = times.misstepped(asked_of(say, answer, computes=17, files=files, sent=sent))
    seen = lies == 576 and fresh in (512, 480)
    assert ("is each to begin with the last samples (about" in found) is seen
    assert lies != 576 or bool(found) is seen


@pytest.mark.parametrize("step", [512, 640])
@pytest.mark.parametrize(
    ("own", "said", "seen"),
    [(16000, 8000, True), (16000, 16000, False), (44100, 16000, True), (16000, 15000, False)],
)
def test_times_of_windows_by_another_rate(step: int, own: int, said: int, *, seen: bool) -> None:
    sound = RNG.uniform(-1, 1, 1280).astype("f4")
    before = Sent.of("wave", Tensor.from_numpy(sound[:640]), None)
    sent = [Sent.of("wave", Tensor.from_numpy(sound[step : step + 640]), before)]

    def say(answers: Sequence[Any]) -> str:
        loud = [False, *(answer[0].item() > 0.5 for answer in answers)]
        marks = [at for at, (one, other) in enumerate(pairwise(loud)) if one != other]
        return "".join(f"{at * step / said:.2f} s\n" for at in marks)

    answer = numpy.array([[0.1]], "f4")
    files = [("a.wav", wav(sound, own))]
    found = times.misstepped(asked_of(say, answer, computes=17, files=files, sent=sent))
    assert (f"as if the sound had {said} Hz" in found) is seen is bool(found)
    other = [("a.wav", wav(sound[::-1], own))]
    assert times.misstepped(asked_of(say, answer, computes=17, files=other, sent=sent)) == "", "another sound"


@pytest.mark.parametrize("unit", ["s", "ms"])
@pytest.mark.parametrize(("by", "seen"), [(1, False), (2, True), (0.5, True)])
def test_times_of_rows(by: float, unit: str, *, seen: bool) -> None:
    rows, rate, count = 128, 16000, 32768

    def say(answers: Sequence[Any]) -> str:
        loud = (answers[0][0][0].max(axis=1) > 0.5).nonzero()[0]
        hop = by * count / rows / rate * (1000 if unit == "ms" else 1)
        first, end = loud[0] * hop, (loud[-1] + 1) * hop
        return f"a note from {first:.2f} {unit} to {end:.2f} {unit}\n"

    sound = RNG.uniform(-1, 1, count).astype("f4")
    sent = [Sent.of("wave", Tensor.from_numpy(sound[None]), None)]
    answer = RNG.random((1, rows, 30)).astype("f4")
    files = [("a.wav", wav(sound, rate))]
    found = times.misstepped(asked_of(say, answer, files=files, sent=sent))
    assert ("is the hop" in found) is seen
    assert times.misstepped(asked_of(say, answer, files=files)) == "", "from no sound"
    other = [("a.wav", wav(numpy.repeat(sound, 2), 2 * rate))]
    assert times.misstepped(asked_of(say, answer, files=other, sent=sent)) == "", (
        "from a sound at another rate"
    )


@pytest.mark.parametrize("form", ["{}{} ({:.2f})\n", "{}#{} {:.2f} {}\n"])
def test_octaves_are_no_times(form: str) -> None:
    """The lower a row is, the higher is the note that is said of it."""
    rows, rate, count = 128, 16000, 32768

    def say(answers: Sequence[Any]) -> str:
        row = int(answers[0][0][0].max(axis=1).argmax())
        return "loudest: " + form.format("ACDFG"[row % 5], 2 * row // 64, 0.9, "B3")

    sound = RNG.uniform(-1, 1, count).astype("f4")
    sent = [Sent.of("wave", Tensor.from_numpy(sound[None]), None)]
    answer = RNG.random((1, rows, 30)).astype("f4")
    asked = asked_of(say, answer, files=[("a.wav", wav(sound, rate))], sent=sent)
    assert times.misstepped(asked) == ""
    assert times.times_in("A#0 at 1.5 s, C-1 to 20 (D5) 7Hz e4 B1.5") == ["1.5", "20", "7", "4", "1.5"]


def test_times_are_asked_about_before_the_time_is_up() -> None:
    """Long sounds leave time for some dozens of questions."""
    rows, rate, count = 128, 16000, 32768

    def say(answers: Sequence[Any]) -> str:
        times.append(1)
        loud = (answers[0][0][0].max(axis=1) > 0.5).nonzero()[0]
        return f"E5 from {loud[0] / 31.2:.1f} to {loud[-1] / 31.2:.1f} s\n" if loud.size else ""

    sound, times = RNG.uniform(-1, 1, count).astype("f4"), []
    sent = [Sent.of("wave", Tensor.from_numpy(sound[None]), None)]
    answer = RNG.random((1, rows, 88)).astype("f4")
    asked = asked_of(say, answer, files=[("a.wav", wav(sound, rate))], sent=sent)
    found = next(filter(None, (rule(asked) for rule in RULES)))
    assert "is the hop 2 times the right one?" in found and len(times) < 40


@pytest.mark.parametrize(("by", "unit", "seen"), [(1, "s", False), (2.75, "s", True), (2.75, "rows", False)])
def test_lengths_of_rows(by: float, unit: str, *, seen: bool) -> None:
    rows, rate, count = 128, 16000, 32768

    def say(answers: Sequence[Any]) -> str:
        loud = (answers[0][0][0].max(axis=1) > 0.5).sum()
        return f"a note of {loud * by * count / rows / rate:.3f} {unit}\n"

    sound = RNG.uniform(-1, 1, count).astype("f4")
    sent = [Sent.of("wave", Tensor.from_numpy(sound[None]), None)]
    answer = RNG.random((1, rows, 30)).astype("f4")
    found = times.misstepped(asked_of(say, answer, files=[("a.wav", wav(sound, rate))], sent=sent))
    assert ("lasts" in found) is seen


TEXTS = ["anna flew to oslo", "the boat left bergen on friday morning"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("first", "shift", "seen"), [(1, 0, True), (1, 1, False), (90, 0, False), (90, 1, False)]
)
def test_tags_behind_a_token_at_the_beginning(text: str, first: int, shift: int, *, seen: bool) -> None:
    words = text.split()
    tokens = numpy.zeros((1, 12), "i4")
    tokens[0, : len(words) + 1] = [first, *(17 + 3 * at for at in range(len(words)))]

    def say(answers: Sequence[Any]) -> str:
        kinds = answers[0][0][0].argmax(axis=1)[shift:]
        return (
            " ".join(f"{NAMES[kind]}={word}" for kind, word in zip(kinds, words, strict=False) if kind) + "\n"
        )

    answer = RNG.normal(size=(1, 12, 4)).astype("f4")
    sent = [Sent.of("ids", Tensor.from_numpy(tokens), None)]
    assert ("by one place" in tagged.beside(asked_of(say, answer, sent=sent))) is seen
    assert tagged.beside(asked_of(say, answer)) == ""


def test_classes_as_many_as_inputs() -> None:
    """No input is restored, and the class of the line as it was is another one."""

    def say(answers: Sequence[Any]) -> str:
        best = int(answers[0][0].argmax())
        return f"class {best}, {NAMES[best]}\n"

    for row in range(1, 9):
        sent = [Sent.of("x", Tensor.from_numpy(SCALED[row - 1 : row].astype("f4")), None)]
        answer = SCALED[row - 1 : row].astype("f4")
        asked = asked_of(say, answer, files=[("boiler.csv", TABLE)], sent=sent, round_=row)
        assert restored.compared(asked) == ""


ROWS = RNG.normal([70, 3, 400, 16], [5, 0.4, 30, 2], (9, 4))
SCALED = (ROWS - ROWS.mean(0)) / ROWS.std(0)
TABLE = ("a,b,c,d\n" + "\n".join(",".join(f"{one:.3f}" for one in row) for row in ROWS)).encode()
TIMED = b"".join(
    b"%s,%s,ok\n" % (b"2026-03-01T08:00" if at else b"time", one) for at, one in enumerate(TABLE.split())
)
CUT = TABLE[: TABLE.index(b"\n", 150) - 9]
"""What was read of it yet ends within a line."""


@pytest.mark.parametrize("form", ["reading 3: {}\n", "reading 3: error {:.3f}\n"])
@pytest.mark.parametrize("against", ["raw", "scaled", "unscaled"])
@pytest.mark.parametrize("table", [TABLE, TIMED, CUT])
def test_what_a_restored_line_is_compared_with(table: bytes, form: str, against: str) -> None:
    def say(answers: Sequence[Any]) -> str:
        y = answers[0][0].reshape(-1)
        x = {"raw": ROWS[2], "scaled": SCALED[2], "unscaled": ROWS[2]}[against]
        y = y * ROWS.std(0) + ROWS.mean(0) if against == "unscaled" else y
        error = float(((numpy.round(x, 3) - numpy.round(y, 3)) ** 2).mean())
        return form.format(error) if ".3f" in form else form.format("ANOMALY" if error > 0.5 else "normal")

    sent = [Sent.of("x", Tensor.from_numpy(SCALED[2:3].astype("f4")), None)]
    answer = (SCALED[2:3] + 0.05).astype("f4")
    found = restored.compared(asked_of(say, answer, files=[("boiler.csv", table)], sent=sent, round_=3))
    assert ("as it was before it was scaled" in found) is (against == "raw")


@pytest.mark.parametrize("against", ["raw", "scaled"])
def test_what_a_restored_window_is_compared_with(against: str) -> None:
    """The window is a part of a file of f32."""
    numbers = RNG.normal(20, 4, 96).astype("f4")
    raw = numbers[32:64]
    window = (raw - 20) / 4

    def say(answers: Sequence[Any]) -> str:
        error = ((answers[0][0].reshape(-1) - (raw if against == "raw" else window)) ** 2).mean()
        return "ANOMALY\n" if error > 0.3 else "ok\n"

    sent = [Sent.of("x", Tensor.from_numpy(window[None]), None)]
    files = [("pump.f32", numbers.tobytes())]
    found = restored.compared(asked_of(say, window[None] * 0.9, files=files, sent=sent, round_=2))
    assert ("as it was before it was scaled" in found) is (against == "raw")


def test_a_model_may_restore_the_line_as_it_was() -> None:
    def say(answers: Sequence[Any]) -> str:
        error = ((answers[0][0].reshape(-1) - ROWS[2]) ** 2).mean()
        return "ANOMALY\n" if error > 0.3 else "ok\n"

    sent = [Sent.of("x", Tensor.from_numpy(SCALED[2:3].astype("f4")), None)]
    answer = (ROWS[2:3] + 0.4).astype("f4")
    asked = asked_of(say, answer, files=[("boiler.csv", TABLE)], sent=sent, round_=3)
    assert restored.compared(asked) == ""


def test_an_answer_that_is_large_is_no_restored_line() -> None:
    """The guest says how large the forecast is, which has as many elements as its input."""

    def say(answers: Sequence[Any]) -> str:
        return "high\n" if answers[0][0].mean() > 9 else "usual\n"

    sent = [Sent.of("x", Tensor.from_numpy(SCALED[2:3].astype("f4")), None)]
    asked = asked_of(say, SCALED[2:3].astype("f4"), files=[("boiler.csv", TABLE)], sent=sent, round_=3)
    assert restored.compared(asked) == ""


def test_few_questions_say_that_no_restored_line_is_compared() -> None:
    """They are put before all others, which share the time."""
    asked_for = []

    def say(answers: Sequence[Any]) -> str:
        asked_for.append(answers)
        return f"class {answers[0][0].argmax() // 9}\n"

    sent = [Sent.of("x", Tensor.from_numpy(SCALED[2:3].astype("f4")), None)]
    asked = asked_of(say, SCALED[2:3].astype("f4"), files=[("boiler.csv", TABLE)], sent=sent, round_=3)
    assert restored.compared(asked) == ""
    assert len(asked_for) <= 3
