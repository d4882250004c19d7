"""Files that are read in pieces of an input's size, palettes, and sounds of which one channel is silent. Each
mistake has right twins."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.feedback import Feedback
from pywasm_nn.watch.order import streams
from tests.watch.test_false_alarms import all_said, opened, said_of
from tests.watch.test_origin import scene, wav

FRAMES = numpy.stack([scene(seed, 24, 24) for seed in range(4)])
PLANES = (FRAMES / 255).transpose(0, 3, 1, 2)[:, None]


def said(order: list[int], data: bytes) -> list[str]:
    return all_said(PLANES[order], {"camera.rgb": data}, rounds=len(order))


@pytest.mark.parametrize(
    ("order", "seen"),
    [([0, 2, 2, 2], True), ([0, 1, 2, 3], False), ([3, 1, 0, 2], False), ([0, 0], False), ([0, 2, 2], False)],
)
def test_each_piece_is_sent(order: list[int], seen: bool) -> None:
    assert any("of which only" in hint for hint in said(order, FRAMES.tobytes())) is seen


def test_pieces_that_are_alike_may_be_sent_again() -> None:
    assert said([0, 1, 1, 3], FRAMES[[0, 1, 1, 3]].tobytes()) == []


@pytest.mark.parametrize(("stale", "seen"), [(True, True), (False, False)])
def test_a_read_that_was_cut_short(stale: bool, seen: bool) -> None:
    data = FRAMES.tobytes()[: 3 * 1728 + 700]
    last = FRAMES[2].reshape(-1).copy() if stale else numpy.zeros(1728, "u1")
    last[:700] = FRAMES[3].reshape(-1)[:700]
    sent = numpy.concatenate([PLANES[:3], (last.reshape(24, 24, 3) / 255).transpose(2, 0, 1)[None, None]])
    found = all_said(sent, {"camera.rgb": data}, rounds=4)
    assert any("cut short" in hint for hint in found) is seen
    assert all("cut short" not in hint for hint in all_said(PLANES[:3], {"camera.rgb": data}, rounds=3))


@pytest.mark.parametrize(("name", "begin"), [("m.onnx", b""), ("wide.pgm", b"P5\n72 82 255\n")])
def test_models_and_pictures_are_no_streams(name: str, begin: bytes) -> None:
    """Of a picture, parts that lie one over the other may be sent, and be alike below some row."""
    data = (begin + FRAMES.tobytes())[: 3 * 1728 + 700]
    last = FRAMES[2].reshape(-1).copy()
    last[:700] = FRAMES[3].reshape(-1)[:700]
    sent = numpy.concatenate([PLANES[:3], (last.reshape(24, 24, 3) / 255).transpose(2, 0, 1)[None, None]])
    assert all("cut short" not in hint for hint in all_said(sent, {name: data}, rounds=4))


@pytest.mark.parametrize("is_written", [True, False])
def test_numbers_that_are_written_are_no_pieces(is_written: bool) -> None:
    """Pairs of frames, of which one may stay: the file of one of them is so long by chance."""
    text = " ".join(["21.5", "-3.25", "1e-2"] * 2000)
    data = text.encode() if is_written else bytes(text.encode().hex(), "ascii")
    frames = PLANES[:4].copy()
    frames[3, ..., 1:, :] = frames[2, ..., 1:, :]
    found = all_said(frames, {"t0.txt": data[: 3 * 1728 + 700]}, rounds=4)
    assert any("cut short" in hint for hint in found) is not is_written


def test_a_standard_input_of_which_one_piece_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = FRAMES.tobytes()
    first = {"standard input": data[:1728]}
    monkeypatch.setattr(streams, "unread", lambda begin, most: data[len(begin) :] * (len(data) <= most))
    found = all_said(PLANES[[0, 0, 0, 0]], first, rounds=4)
    assert any("of which only the first was read" in hint for hint in found)
    assert all_said(PLANES[[0, 0, 0]], first, rounds=3) == [], "more would follow"
    assert all_said(PLANES[[0, 0, 0, 0]], {"a.rgb": data[:1728]}, rounds=4) == []
    monkeypatch.setattr(streams, "unread", lambda _, __: b"")
    assert all_said(PLANES[[0, 0, 0, 0]], first, rounds=4) == []


def test_the_rest_of_a_descriptor(tmp_path: Path) -> None:
    path = tmp_path / "pieces"
    path.write_bytes(b"one, two")
    with path.open("rb") as file:
        number = file.fileno()
        assert streams.unread(b"one", 8, number) == b", two"
        assert streams.unread(b"two", 8, number) == streams.unread(b"one", 7, number) == b""
        assert file.tell() == 0
    assert streams.unread(b"", 8, number) == b"", "closed"


def bmp(numbers: Any, palette: Any) -> bytes:
    height, width = numbers.shape
    head = pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, numbers.size, 0, 0, 256, 0)
    body = palette.tobytes() + numbers[::-1].tobytes()
    return b"BM" + pack("<IHHI", 54 + len(body), 0, 0, 54 + palette.size) + head + body


def test_numbers_of_a_palette() -> None:
    numbers = scene(5, 32, 32)[..., 0]
    palette = numpy.random.default_rng(8).integers(0, 256, (256, 4)).astype("u1")
    files = {"sign.bmp": bmp(numbers, palette)}
    colours = palette[numbers][..., 2::-1]
    assert said_of((colours / 255).transpose(2, 0, 1)[None], files) == ""
    grey = numpy.repeat(numbers[..., None], 3, axis=2)
    assert "palette were taken for levels" in said_of((grey / 255).transpose(2, 0, 1)[None], files)
    own = (grey / 255 - (0.70, 0.71, 0.69)) / (0.24, 0.23, 0.25)  # by numbers of a person's own
    assert "palette were taken for levels" in said_of(own.transpose(2, 0, 1)[None], files)
    ramp = numpy.repeat(numpy.arange(256, dtype="u1")[:, None], 4, axis=1)
    assert said_of((grey / 255)[None], {"grey.bmp": bmp(numbers, ramp)}) == ""


@pytest.mark.parametrize(
    ("left", "right", "seen"), [(0, 90, True), (90, 0, True), (0, 0, False), (90, 90, False)]
)
def test_a_channel_that_is_silent(left: int, right: int, seen: bool) -> None:
    wave = numpy.sin(numpy.arange(400) / 5) * 300
    body = numpy.stack([left * wave, right * wave], 1).astype("<i2").tobytes()
    head = b"fmt " + pack("<IHHIIHH", 16, 1, 2, 16000, 64000, 4, 16) + b"data" + pack("<I", len(body))
    origins = opened({"talk.wav": b"RIFF" + pack("<I", 36 + len(body)) + b"WAVE" + head + body})
    assert bool(origins.silent_channel()) is seen
    feedback = Feedback(origins.loud, origins.silent_channel)
    assert ("is silent" in feedback._stuck(is_empty=True, count=400)) is seen


@pytest.mark.parametrize(("begins", "seen"), [(0, True), (90, True), (200, False), (400, False)])
def test_a_sound_that_is_loud_from_a_sample_on(begins: int, seen: bool) -> None:
    samples = numpy.arange(400) - 150
    samples[:begins] = 0
    assert bool(opened({"talk.wav": wav(samples.astype("<i2"), 16000)}).loud(100)) is seen
    two = {"talk.wav": wav(samples.astype("<i2"), 16000), "rest.wav": wav(numpy.zeros(400, "<i2"), 16000)}
    assert opened(two).loud(100) == "", "zeros may come from the silent one"


@pytest.mark.parametrize(("rounds", "seen"), [(6, True), (11, True), (5, False), (30, False)])
def test_one_window_of_a_sound_in_all_rounds(rounds: int, seen: bool) -> None:
    samples = numpy.random.default_rng(3).integers(-9000, 9000, 6 * 400).astype("<i2")
    windows = (samples / 32768).reshape(6, 1, 400)
    files = {"beeps.wav": wav(samples, 16000)}
    found = all_said(windows[[0] * rounds], files, rounds=rounds)
    assert any("its own window" in hint for hint in found) is seen
    assert not any("its own window" in hint for hint in all_said(windows, files, rounds=6))


@pytest.mark.parametrize("padding", [0, 1])
def test_padding_stays_as_it_is(padding: int) -> None:
    """Words of a line, less than the input has, and padding behind them."""
    words = numpy.array([[7, 3, 9, 0, 0, 0, 0, 0], [5, 8, 0, 0, 0, 0, 0, 0]]) + padding
    assert not streams.stands_behind(words, 5, 1)
    assert streams.stands_behind(numpy.array([[5, 8, 7, 3, 9, 4, 6, 1], [2, 1, 7, 3, 9, 4, 6, 1]]), 2, 1)
