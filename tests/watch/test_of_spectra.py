"""Models of spectra of raw numbers: Hann's window forgotten, and another law. Mistakes, and twins without
one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.block_spectra import LAWS, PLAIN, all_numbers, spectra_in
from pywasm_nn.watch.origin.placed_spectra import OTHER_ORDER, of_raw
from pywasm_nn.watch.whatif import of_spectra
from pywasm_nn.watch.whatif.of_spectra import Spectra, asked_otherwise
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn
from tests.watch.test_origin import wav
from tests.watch.test_sounds import riff

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="spectrum")])
LENGTH, KINDS = 128, (0, 1, 2, 1)
HANN = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(LENGTH) / LENGTH)
LOG = "ln(1 + magnitude)"
Recipe = Callable[[Any], Any]


def recorded(seed: int) -> Any:
    """Numbers of 16 bits: a block of each kind of vibration."""
    numbers = numpy.random.default_rng(seed)
    time = numpy.arange(LENGTH)
    tones = [0.3 * numpy.sin(time / 9 + seed), (time % 17 == 0) * 1.5, 1.7 * numpy.sin(time / 5 + seed)]
    made = [numpy.rint(4000 * (tones[kind] + numbers.normal(0, 0.05, LENGTH))) for kind in KINDS]
    return numpy.concatenate(made)


def recipe(window: Any, law: str, by: float = 4000.0) -> Recipe:
    return lambda blocks: LAWS[law][1](
        abs(numpy.fft.rfft(blocks / by * window))[:, : LENGTH // 2] ** LAWS[law][0]
    )


class Trained(StandIn):
    """Stands for the runs of a model that knows the rows of one recipe, and guesses others: in doubt, or far
    too sure."""

    def __init__(self, own: Recipe, blocks: Any, *, is_sure: bool = False) -> None:
        self._known = own(blocks)
        self._guess = Answer(1, 1.0, 3, 70.0) if is_sure else Answer(1, 0.6, 3, 0.6)

    def answer(self, array: Any) -> Answer:
        off = abs(self._known - array.reshape(-1)).max(axis=1)
        return Answer(KINDS[int(off.argmin())], 0.96, 3, 4.0) if off.min() < 1e-2 else self._guess

    def changed(self, _: int, array: Any) -> Answer:
        return self.answer(array)

    def rows(self, _: int, array: Any) -> list[Answer]:
        return [self.answer(row) for row in array]


def said(
    own: Recipe,
    sent: Recipe,
    monkeypatch: pytest.MonkeyPatch,
    seed: int = 0,
    *,
    is_sure: bool = False,
    is_batch: bool = True,
) -> str:
    numbers = recorded(seed)
    blocks = numbers.reshape(-1, LENGTH)
    model = Trained(own, blocks, is_sure=is_sure)
    monkeypatch.setattr(of_spectra, "Runs", model)
    kept = Spectra(lambda: [("motor.i16", numbers.astype("<i2").tobytes())])
    rows = sent(blocks).astype("f4")
    for one in [rows] if is_batch else [row[None] for row in rows]:
        given = Tensor.from_numpy(one)
        taken = kept.take(0, given, model.rows(0, one))
        ways = [*kept.ways(taken)] if taken else []
        if ways:
            answers = [answer for _, answer in taken]
            if text := asked_otherwise(GRAPH, [given], answers, ways, 0.01):
                return text
    return ""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_batch", [True, False])
@pytest.mark.parametrize("law", [LOG, "the magnitude", "20 log10 of the magnitude, decibels"])
def test_a_window_that_was_forgotten(
    law: str, is_batch: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = recipe(HANN, law), recipe(1.0, law)
    text = said(right, wrong, monkeypatch, seed, is_batch=is_batch)
    assert "of blocks of 128 numbers of motor.i16 without a window" in text
    assert "is Hann's window forgotten?" in text
    for one in (right, wrong):
        assert said(one, one, monkeypatch, seed, is_batch=is_batch) == "", "the model was trained so"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("own", "sent"), [(LOG, "20 log10 of the magnitude, decibels"), (LOG, "the power"),
                                           ("ln of the magnitude", "log10 of the magnitude")])  # fmt: skip
def test_another_law(own: str, sent: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = recipe(HANN, own), recipe(HANN, sent)
    for is_sure in (True, False):
        text = said(right, wrong, monkeypatch, seed, is_sure=is_sure)
        assert f"its rows are spectra ({sent})" in text and f"with {own} 3, at 0.96" in text
    assert said(wrong, wrong, monkeypatch, seed) == "", "the model was trained so"
    unknown = recipe(HANN, "the magnitude", 123.0)
    assert said(unknown, wrong, monkeypatch, seed) == "", "no law of ours is what it knows"


def test_how_rows_are_spectra() -> None:
    numbers = recorded(5)
    blocks = numbers.reshape(-1, LENGTH)
    for law in LAWS:
        way = spectra_in(recipe(HANN, law)(blocks), "a", numbers)
        assert way is not None and way.law == law and way.window == "Hann" and way.length == LENGTH
        assert way.factor == pytest.approx(1 / 4000 ** LAWS[law][0], rel=1e-2)
    made = numpy.random.default_rng(1).uniform(0, 1, (4, LENGTH // 2))
    assert spectra_in(made, "a", numbers) is None and spectra_in(made[:, :50], "a", numbers) is None
    assert spectra_in(recipe(HANN, LOG)(blocks[::-1]), "a", numbers) is None, "blocks in another order"


def in_groups(law: str, first: int, wide: int, window: Any, floor: float, by: float = 1.0) -> Recipe:
    """Rows of 16 groups of frequencies."""

    def made(blocks: Any) -> Any:
        powers = abs(numpy.fft.rfft(blocks / 32768 * window)) ** LAWS[law][0]
        powers = powers.mean(axis=-2) if powers.ndim > 2 else powers
        taken = powers[:, first : first + 16 * wide].reshape(-1, 16, wide)
        return LAWS[law][1](by * taken.mean(axis=2) + floor)

    return made


def as_wave(numbers: Any) -> bytes:
    return wav(numbers.astype("<i2"), rate=16000)


@pytest.mark.parametrize("floor", [0.0, 1e-6])
@pytest.mark.parametrize(("first", "wide"), [(0, 4), (1, 3), (2, 2)])
@pytest.mark.parametrize("is_apart", [True, False])
def test_groups_of_a_sound(first: int, wide: int, is_apart: bool, floor: float) -> None:
    """Of blocks of one file, or of a file each, and of the mean of all blocks of a file."""
    sound, even = recorded(7), 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(LENGTH) / (LENGTH - 1))
    for law in ("log10 of the power", "log10 of the magnitude", "the power", "the magnitude"):
        for window in (HANN, even, numpy.ones(LENGTH)):
            sent = in_groups(law, first, wide, window, 0.0 if law in PLAIN else floor)
            blocks = sound.reshape(-1, LENGTH)
            parts = [*blocks] if is_apart else [sound]
            known = all_numbers([(f"{at}.wav", as_wave(one)) for at, one in enumerate(parts)])[::-1]
            others = [one for _, one in known[1:]]
            way = spectra_in(sent(blocks), *known[0], others)
            assert way is not None and (way.law, way.first, way.wide) == (law, first, wide)
            assert (way.window == "none") is bool((window == 1).all())
            assert spectra_in(sent(blocks)[:, ::-1], *known[0], others) is None, "backwards"
            means = sent(numpy.stack([blocks[:2], blocks[2:]]))
            halves = [one / 32768 for one in (sound[: 2 * LENGTH], sound[2 * LENGTH :])]
            mean = spectra_in(means, "a", halves[0], halves[1:])
            assert mean is not None and mean.hop == LENGTH and mean.law == law


@pytest.mark.parametrize("law", ["ln of the magnitude", "log10 of the magnitude", "ln of the power"])
@pytest.mark.parametrize(("first", "wide"), [(0, 1), (1, 3)])
@pytest.mark.parametrize("count", [2, 3])
def test_the_mean_of_logarithms(law: str, first: int, wide: int, count: int) -> None:
    """Of the first blocks of each file, or of all."""
    noise = numpy.random.default_rng(3)
    sounds = [numpy.rint(noise.normal(0, 3000, 3 * LENGTH + 50)) for _ in range(3)]
    recipe_ = in_groups(law, first, wide, HANN, 1e-3)
    each = numpy.stack([one[: count * LENGTH].reshape(-1, LENGTH) for one in sounds])
    rows = numpy.stack([recipe_(one).mean(axis=0) for one in each])
    first_, *others = [one / 32768 for one in sounds]
    way = spectra_in(rows, "a", first_, others)
    assert way is not None and way.is_of_logs and way.law == law and way.window == "Hann"
    assert (way.first, way.wide, way.hop) == (first, wide, LENGTH)
    assert way.made(16) == pytest.approx(rows, abs=0.02)
    assert spectra_in(rows[:, ::-1], "a", first_, others) is None, "backwards"
    assert spectra_in(rows + noise.normal(0, 0.1, rows.shape), "a", first_, others) is None, "nearly"


@pytest.mark.parametrize(("own", "sent", "why"), [
    (("log10 of the power", HANN), ("log10 of the power", 1.0), "is Hann's window forgotten?"),
    (("ln of the power", HANN), ("the power", HANN), "was the logarithm forgotten?"),
    (("log10 of the magnitude", HANN), ("the magnitude", HANN), "was the logarithm forgotten?"),
])  # fmt: skip
@pytest.mark.parametrize("is_batch", [True, False])
def test_a_model_of_groups(
    own: Any, sent: Any, why: str, is_batch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = (in_groups(law, 1, 3, window, 1e-6) for law, window in (own, sent))
    text = said(right, wrong, monkeypatch, is_batch=is_batch)
    assert why in text and ", 3 frequencies each) of blocks of 128 numbers of motor.i16" in text
    for one in (right, wrong):
        assert said(one, one, monkeypatch, is_batch=is_batch) == "", "the model was trained so"


@pytest.mark.parametrize(("own", "sent"), [("ln", "log10"), ("log10", "ln")])
def test_another_base_is_asked_about_first(own: str, sent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question has a few runs only, and each law takes one for each row."""
    asked: list[float] = []
    right, wrong = (in_groups(f"{one} of the power", 1, 3, HANN, 1e-6) for one in (own, sent))

    def changed(self: Trained, _: int, array: Any) -> Answer:
        asked.append(0.0)
        return self.answer(array)

    monkeypatch.setattr(Trained, "changed", changed)
    monkeypatch.setattr(Trained, "count", property(lambda _: len(asked)), raising=False)
    text = said(right, wrong, monkeypatch, is_sure=True, is_batch=False)
    assert f"and with {own} of the power 3" in text


def misread(octets: Any, *, is_signed: bool) -> Any:
    """The samples of bytes around 128, read as a guest does."""
    right = octets.astype("f8") - 128
    return numpy.where(right < 0, right + 128, right - 128) / 128 if is_signed else right / 128


@pytest.mark.parametrize("law", ["ln of the power", "20 log10 of the magnitude, decibels"])
@pytest.mark.parametrize("count", [LENGTH, 9 * LENGTH])
def test_samples_of_8_bits_taken_as_signed(count: int, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One block of each file, and the mean of all; and models that were trained so."""
    time, order = numpy.arange(count), numpy.random.default_rng(4)
    waves = [numpy.sin(time / 9), numpy.sin(time / 5), (time % 17 == 0) * 1.0, numpy.sin(time / 3)]
    octets = [numpy.rint(128 + 50 * one + order.normal(0, 4, count)).astype("u1") for one in waves]
    files = [(f"{at}.wav", wav(one, 8000, "u1")) for at, one in enumerate(octets)]
    of_blocks = in_groups(law, 1, 3, HANN, 1e-9)

    def rows(*, is_signed: bool) -> Any:
        each = [misread(one, is_signed=is_signed).reshape(-1, LENGTH) * 32768 for one in octets]
        return numpy.concatenate([of_blocks(one[None]) for one in each]).astype("f4")

    class Knows(StandIn):
        def __init__(self, known: Any) -> None:
            self._known = known

        def changed(self, _: int, array: Any) -> Answer:
            off = abs(self._known - array.reshape(-1)).max(axis=1)
            return Answer(int(off.argmin()), 0.95, 4, 4.0) if off.min() < 0.05 else Answer(2, 0.97, 4, 5.0)

    for sent, known, seen in ((True, False, True), (True, True, False), (False, False, False)):
        model = Knows(rows(is_signed=known))
        monkeypatch.setattr(of_spectra, "Runs", model)
        read: list[tuple[str, bytes]] = []
        kept, text = Spectra(lambda read=read: read), ""
        for file, row in zip(files, rows(is_signed=sent), strict=True):
            read.append(file)
            given = Tensor.from_numpy(row[None])
            taken = kept.take(0, given, [model.changed(0, row)])
            ways = [*kept.ways(taken)] if taken and not text else []
            answers = [answer for _, answer in taken]
            text = text or (asked_otherwise(GRAPH, [given], answers, ways, 0.01) if ways else "")
        assert ("taken as signed" in text and "rightly read 3" in text) is seen, text


TONES = (0.35, 0.55, 0.8, 0.2)
"""Turns in a sample at 8,000 Hz."""


def whistles(rate: int, many: int = 400) -> list[Any]:
    """Four sounds of one tone each, of 16 bits."""
    time, noise = numpy.arange(many * rate // 8000) * 8000 / rate, numpy.random.default_rng(6)
    loud = [numpy.sin(2.7 * turns * time) + 0.3 * numpy.sin(1.1 * turns * time) for turns in TONES]
    return [numpy.rint(9000 * one + noise.normal(0, 30, len(time))).astype("<i2") for one in loud]


def in_bytes(data: bytes, at: int) -> Any:
    return numpy.frombuffer(data, "<i2", offset=at).astype("f8")


def stereo() -> tuple[list[bytes], list[Any], list[Any]]:
    other = numpy.random.default_rng(9)
    both = [
        numpy.stack([one, other.normal(0, 700, len(one)).astype("<i2")], axis=1) for one in whistles(8000)
    ]
    return [wav(one, 8000) for one in both], [one.reshape(-1) for one in both], [one[:, 0] for one in both]


def noted() -> tuple[list[bytes], list[Any], list[Any]]:
    """Notes before the sound, not of one length."""
    texts = [b"ICMT" + f"compressor {at} of hall {at * at}, ".encode() * 9 for at in range(4)]
    chunks = [b"LIST" + len(one).to_bytes(4, "little") + one + bytes(len(one) % 2) for one in texts]
    sounds = [one.tobytes() for one in whistles(8000)]
    files = [riff(1, 16, one, before=before) for one, before in zip(sounds, chunks, strict=True)]
    return files, [in_bytes(one, 44) for one in files], whistles(8000)


def fast() -> tuple[list[bytes], list[Any], list[Any]]:
    made = whistles(24000)
    thirds = [one[: len(one) // 3 * 3].reshape(-1, 3).mean(axis=1) for one in made]
    return [wav(one, 24000) for one in made], made, thirds


def turned_round() -> tuple[list[bytes], list[Any], list[Any]]:
    """Numbers without a header, the higher byte first, read as they lie in memory."""
    right = whistles(8000)
    files = [one.astype(">i2").tobytes() for one in right]
    return files, [in_bytes(one, 0) for one in files], right


@pytest.mark.parametrize(("kind", "why"), [
    (turned_round, "are they big-endian, or little-endian?"),
    (stereo, "is one channel to be taken, or the mean of all?"),
    (noted, "the end of its header, which has more than 44 bytes, taken for samples"),
    (fast, "0.wav has 24,000 Hz; was the model trained with 8,000 Hz?"),
])  # fmt: skip
@pytest.mark.parametrize(
    ("count", "law"), [(1, "ln of the power"), (2, "20 log10 of the magnitude, decibels")]
)
def test_sounds_that_get_two_answers_as_they_were_read(
    count: int, law: str, kind: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misread, or at another rate; and models that were trained so, or are as sure of these. A row is that of
    one block, or the mean of the logarithms of two."""
    files, wrong, right = kind()
    recipe_ = in_groups(law, 1, 3, HANN, 1e-7)

    def row_of(sound: Any) -> Any:
        return recipe_(sound[: count * LENGTH].reshape(-1, LENGTH)).mean(axis=0).astype("f4")

    sent, meant = ([row_of(one) for one in each] for each in (wrong, right))

    class Knows(StandIn):
        def __init__(self, known: Any, guess: float) -> None:
            self._known, self._guess = numpy.stack(known), guess

        def changed(self, _: int, array: Any) -> Answer:
            off, other = (
                abs(one - array.reshape(-1)).max(axis=1) for one in (self._known, numpy.stack(sent))
            )
            if off.min() < 0.2:
                return Answer(int(off.argmin()), 0.98, 4, 4.0)
            return Answer(int(other.argmin()) % 2, self._guess, 4, 1.0)

    if kind is turned_round:
        assert {one.wrong for one in of_raw([("a.raw", wrong[0].astype("<i2").tobytes())])} == {
            "",
            OTHER_ORDER,
        }
        assert {one.wrong for one in of_raw([("a.csv", b"5,300\n7,20\n9,4\n" * 90)])} == {""}
    twins = (sent, sent, 0.7, False), (meant, meant, 0.7, False), (meant, sent, 0.97, False)
    for known, own, guess, seen in ((meant, sent, 0.7, True), *twins):
        model = Knows(known, guess)
        monkeypatch.setattr(of_spectra, "Runs", model)
        read: list[tuple[str, bytes]] = []
        kept, text = Spectra(lambda read=read: read), ""
        for at, row in enumerate(own):
            read.append((f"{at}.wav", files[at]))
            given = Tensor.from_numpy(row[None])
            taken = kept.take(0, given, [model.changed(0, row)])
            ways = [*kept.ways(taken)] if taken and not text else []
            answers = [answer for _, answer in taken]
            text = text or (asked_otherwise(GRAPH, [given], answers, ways, 0.01) if ways else "")
        assert (why in text) is seen and bool(text) is seen, text


@pytest.mark.parametrize("law", ["log10 of the power", "ln of the magnitude", "the power"])
@pytest.mark.parametrize(("first", "wide"), [(0, 1), (1, 3)])
@pytest.mark.parametrize("count", [2, 7, 11])
def test_the_mean_of_the_first_blocks(law: str, first: int, wide: int, count: int) -> None:
    """A program takes a fixed number of blocks, half of one apart, whatever there is."""
    noise = numpy.random.default_rng(8)
    sounds = [numpy.rint(noise.normal(0, 3000, 7 * LENGTH + 30)) for _ in range(3)]
    recipe_ = in_groups(law, first, wide, HANN, 0.0 if law in PLAIN else 1e-6)
    half = LENGTH // 2
    blocks = [[one[at * half : at * half + LENGTH] for at in range(count)] for one in sounds]
    rows = recipe_(numpy.array(blocks))
    first_, *others = [one / 32768 for one in sounds]
    way = spectra_in(rows, "a", first_, others)
    assert way is not None and (way.law, way.count, way.hop, way.window) == (law, count, half, "Hann")
    assert (way.first, way.wide if wide > 1 else 1) == (first, wide) and not way.is_of_logs
    assert spectra_in(rows[:, ::-1], "a", first_, others) is None, "backwards"
    assert spectra_in(rows * noise.normal(1, 0.1, rows.shape), "a", first_, others) is None, "nearly"
