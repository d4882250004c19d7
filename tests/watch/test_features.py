"""Features that are made of sounds: which recipe made them, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import DType, TensorSpec
from pywasm_nn.records import changed
from pywasm_nn.watch.origin import Origin, Source, decoded
from pywasm_nn.watch.origin.features import Features, Layout
from pywasm_nn.watch.origin.grouped import places
from pywasm_nn.watch.origin.spectra import HAMMING, HANN, HTK, MELS, NONE, SLANEY, Bank, Recipe, weights
from pywasm_nn.watch.origin.spectral import Otherwise, spectral
from pywasm_nn.watch.sent.other_rate import in_another_range
from pywasm_nn.watch.sent.sounds import Sounds
from pywasm_nn.watch.whatif.recipes import retimed
from pywasm_nn.watch.whatif.sureness import Answer
from tests.conftest import ALL_EXAMPLES
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_origin import wav
from tests.watch.test_sounds import riff

ORDER = numpy.random.default_rng(3)
TIME = numpy.arange(16000) / 16000
TONES = sum(numpy.sin(6.2832 * (220 * k * TIME + 300 * k * TIME**2)) / k for k in range(1, 9))
BURSTS = ORDER.normal(0, 0.3, 16000) * (numpy.sin(6.2832 * 3 * TIME) > 0.3)
SAMPLES = numpy.clip(4000 * TONES + 6000 * BURSTS + ORDER.normal(0, 30, 16000), -32768, 32767).astype("<i2")
UNIT = SAMPLES / 32768


def source(samples: Any = SAMPLES, rate: int = 16000) -> Source:
    found = decoded("a.wav", wav(samples, rate))
    assert found is not None
    return found


def features(
    samples: Any = UNIT, bands: int = 32, length: int = 512, hop: int = 256, window: str = HANN,
    kind: str = HTK, rate: int = 16000, frames: int = 61, power: bool = True,
) -> Any:  # fmt: skip
    """The power of mel bands, [frames, bands], by other code than that which is tested."""
    own = {HANN: numpy.hanning(length + 1)[:-1], NONE: numpy.ones(length)}
    own[HAMMING] = numpy.hamming(length + 1)[:-1]
    rows = [numpy.fft.rfft(samples[at * hop : at * hop + length] * own[window]) for at in range(frames)]
    strength = numpy.abs(numpy.array(rows)) ** (2 if power else 1)
    return strength @ weights(Bank(kind, bands, 0.0, rate / 2, rate), length)


def ln(power: Any) -> Any:
    return numpy.log(power + 1e-6)


def said(array: Any, of: Source | None = None) -> tuple[str, str]:
    found = spectral(array.astype("f4"), of or source())
    return ("", "") if found is None else (str(found), found.wrong)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (ln(features()), "61 frames of 512 samples every 256, Hann's window, 32 mel bands (HTK) from 0 to"),
        (ln(features())[None, None], "ln of the power"),
        (ln(features()).T[None], "ln of the power"),
        (ln(features(length=400, hop=160, frames=90)), "frames of 400 samples every 160"),
        (ln(features(window=HAMMING)), "Hamming's window"),
        (ln(features(kind=SLANEY)), "(Slaney)"),
        (ln(features(kind=MELS)), "(HTK, in mel)"),
        (numpy.log10(features() + 1e-10), "log10 of the power"),
        (10 * numpy.log10(features() + 1e-10), "decibels (10 log10) of the power"),
        (features(power=False), "the magnitude"),
    ],
)
def test_recipes(array: Any, words: str) -> None:
    text, wrong = said(array)
    assert words in text
    assert wrong == ""


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (ln(features(window=NONE)), "no window (such as Hann's) was applied"),
        (ln(features())[:, ::-1], "in the reversed order, the highest first"),
        (ln(features()).T.reshape(61, 32), "frames and bands are swapped"),
        (ln(features(kind=HTK, rate=22050)), "those for samples at 22,050 Hz, and these are at 16,000 Hz"),
        (ln(features(SAMPLES.byteswap() / 32768)), "in the opposite order (big-endian)"),
        (features(), "was the logarithm forgotten?"),
        (ln(features(hop=1)), "61 frames of 512 samples begin 1 sample apart"),
    ],
)
def test_mistakes(array: Any, words: str) -> None:
    assert words in said(array)[1]


@pytest.mark.parametrize(("heard", "kind"), [(6000 * BURSTS, SLANEY), (4000 * TONES, HTK)])
def test_bands_between_other_frequencies_of_another_window(heard: Any, kind: str) -> None:
    heard = (heard + ORDER.normal(0, 30, 16000)).clip(-32768, 32767).astype("<i2")
    rows = (
        numpy.array([heard[at * 160 : at * 160 + 400] for at in range(98)]) * numpy.hanning(401)[:-1] ** 0.5
    )
    power = numpy.abs(numpy.fft.rfft(rows / 32768, 512)) ** 2 @ weights(Bank(kind, 40, 60, 7800, 16000), 512)
    text, wrong = said(ln(power) / 3.5 + 0.6, source(heard))
    assert "from 60 to 7,800 Hz" in text and "the root of Hann's window" in text
    assert wrong == ""


def by_hand(samples: Any, length: int, bands: int) -> Any:
    """Logarithms of the mean powers of neighbouring frequencies, in frames half of one apart."""
    hop = length // 2
    rows = numpy.array([samples[at : at + length] for at in range(0, len(samples) - length + 1, hop)])
    power = numpy.abs(numpy.fft.rfft(rows * numpy.hanning(length + 1)[:-1])) ** 2
    wide = length // 2 // bands
    return numpy.log(power[:, : bands * wide].reshape(len(rows), bands, wide).mean(axis=2) + 1e-5)


@pytest.mark.parametrize(("length", "bands"), [(256, 16), (1024, 40)])
def test_groups_in_frames_half_of_one_apart_are_tried_at_once(length: int, bands: int) -> None:
    """Where a model is quick, there is time for a few steps of a search."""

    def soon(array: Any, sound: Source) -> str:
        steps = iter(range(30))
        found = spectral(array.astype("f4"), sound, lambda: next(steps, None) is not None)
        assert found is not None
        return found.wrong

    whole = by_hand(UNIT, length, bands)
    assert soon(whole, source()) == soon(whole.T, source()) == ""
    assert "frames and bands are swapped" in soon(whole.T.reshape(whole.shape), source())
    octets = (UNIT * 127 + 128).clip(0, 255).astype("u1")
    quiet = decoded("b.wav", riff(1, 8, octets.tobytes()))
    assert quiet is not None
    assert soon(by_hand((octets - 128.0) / 128, length, bands), quiet) == ""
    assert "taken as signed" in soon(by_hand(octets.view("i1") / 128.0, length, bands), quiet)


@pytest.mark.parametrize("seed", range(2 if ALL_EXAMPLES else 1))
def test_what_is_no_feature_of_the_sound(seed: int) -> None:
    order = numpy.random.default_rng(seed)
    assert said(order.normal(0, 1, (61, 32))) == ("", "")
    other = numpy.roll(UNIT, 5000 * (seed + 1))[::-1] + order.normal(0, 0.05, 16000)
    assert said(ln(features(other)))[1] == ""


def test_silence_of_8_bits_that_was_not_taken_away() -> None:
    octets = (SAMPLES // 256 + 128).astype("u1")
    of = decoded("a.wav", riff(1, 8, octets.tobytes()))
    assert "silence is 128" in said(features(octets / 128, power=False), of)[1]
    assert said(features(octets / 128 - 1, power=False), of)[1] == ""


def test_a_longer_header() -> None:
    data = wav(SAMPLES)
    longer = data[:36] + b"bext" + (600).to_bytes(4, "little") + bytes(ORDER.bytes(600)) + data[36:]
    found = decoded("a.wav", longer)
    read = numpy.frombuffer(longer[44 : 44 + 32000], "<i2") / 32768
    for sent in (read, read - read[:15872].mean()):
        assert "the file's header has 652 bytes and 44 were skipped" in said(ln(features(sent)), found)[1]


def frames_model(sure_of: Any) -> bytes:
    """A model that is sure of one array, and of no other."""
    flat = (sure_of - sure_of.mean()).reshape(-1, 1) / sure_of.size
    inside = numpy.hstack([flat, -flat]).astype("f4") * 6
    nodes = [
        node("Flatten", ["x"], ["f"]),
        node("MatMul", ["f", "w"], ["l"]),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    return Model(nodes, {"x": ("float32", [1, 61, 32])}, {"y": ("float32", [1, 2])}, {"w": inside}).data()


def test_frames_that_take_up_half_of_the_sound(tmp_path: Path) -> None:
    right, wrong = ln(features())[None], ln(features(hop=128))[None]
    (tmp_path / "m.onnx").write_bytes(frames_model(right))
    found = spectral(wrong.astype("f4"), source())
    assert found is not None and isinstance(found.otherwise, Otherwise)
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        tensors = model.tensors({"x": wrong.astype("f4")})
        text = retimed(model.graph, tensors, 0, found.otherwise, Answer(1, 0.6), 0.01)
        assert text is not None and "with frames every 256 samples (not 128)" in text
        # Half of a sound says the same, or nearly surely something else.
        for sent in (Answer(0, 0.97), Answer(0, 0.6), Answer(1, 0.85)):
            assert retimed(model.graph, tensors, 0, found.otherwise, sent, 0.01) is None
    fitting = spectral(right.astype("f4"), source())
    assert fitting is not None and not [*fitting.otherwise.fitting()]


@pytest.mark.parametrize(
    ("name", "logarithm", "words"),
    [("x", False, "was the logarithm forgotten?"), ("x", True, ""), ("log_mel", True, "says logarithms")],
)
def test_models_that_take_logarithms(name: str, logarithm: bool, words: str) -> None:
    found = spectral(features().astype("f4"), source())
    assert found is not None
    sounds = Sounds()
    nodes = [node("Log" if logarithm else "Exp", [name], ["y"])]
    data = Model(nodes, {name: ("float32", [61, 32])}, {"y": ("float32", [61, 32])}).data()
    graph = SimpleNamespace(inputs=[TensorSpec(name, DType.F32, None)])
    event: Any = SimpleNamespace(graph_id=1, model=None, graph=graph, parts=(data,), context_id=1)
    sounds.loaded(event, [])
    kept = sounds.wanted(event, 0, found)
    assert words in kept.wrong and bool(kept.wrong) == bool(words)


def grouped(samples: Any, *, hop: int = 640, wide: int = 10, count: int = 20, frames: int = 24) -> Any:
    """The logarithm of the mean power of so many frequencies each."""
    rows = [samples[at * hop : at * hop + 512] * numpy.hanning(513)[:-1] for at in range(frames)]
    power = numpy.abs(numpy.fft.rfft(rows, axis=1)) ** 2
    bands = [power[:, 1 + wide * at : 1 + wide * (at + 1)].mean(1) for at in range(count)]
    return numpy.log(numpy.array(bands).T + 1e-5)


def test_bands_of_as_many_frequencies_each() -> None:
    made = grouped(UNIT)
    how, wrong = said(made)
    assert "20 bands of the same width from 31 to 6,281 Hz" in how and not wrong
    assert "frames and bands are swapped" in said(numpy.ascontiguousarray(made.T).reshape(24, 20))[1]
    assert "its bands are in the reversed order, the highest first" in said(made[:, ::-1])[1]
    unsigned = SAMPLES.view("<u2") / 32768
    assert "taken as unsigned" in said(grouped(unsigned))[1]


def test_bands_of_frames_that_begin_one_sample_apart() -> None:
    assert "60 frames of 512 samples begin 1 sample apart" in said(grouped(UNIT, hop=1, frames=60))[1]


def test_places_of_frames_in_a_sound_far_from_zero() -> None:
    """Where a sound was misread, its loudness says nothing of frames."""
    far = numpy.where(UNIT > 0, 1.0, -0.2)
    made = grouped(far, hop=256, frames=61)
    assert (512, 256) in places(far, 16000, made - made.mean(axis=1, keepdims=True))


def test_frames_that_end_early_in_a_sound_of_a_higher_rate() -> None:
    slow = source(SAMPLES, 48000)
    assert "would take up all of the sound at 16,000 Hz" in said(grouped(UNIT, hop=200), slow)[1]
    assert said(grouped(UNIT), slow)[1] == ""


@pytest.mark.parametrize("magnitude", [True, False])
@pytest.mark.parametrize("divided", [True, False])
def test_logarithms_of_samples_in_the_other_range(divided: bool, magnitude: bool) -> None:
    ways = [ln(features(one, power=not magnitude)) for one in (UNIT, SAMPLES.astype("f8"))]
    sent, meant = ways if divided else ways[::-1]
    recipe = Recipe(512, 512, 256, 0, HANN, Bank(HTK, 32, 0.0, 8000.0, 16000))
    height = 0.0 if divided else (2 - magnitude) * numpy.log(32768)
    how = Features(recipe, Layout(sent), 1.0, True, 1.0, height, 1e-6 * divided, magnitude)
    found = Origin(source(), (), otherwise=Otherwise(how, UNIT, sent.shape))
    usual = in_another_range(found)
    assert usual is not None and ("not divided" in usual.said) is divided
    loud = ways[0] > ways[0].mean()
    assert numpy.abs(usual.array - meant)[loud].max() < 0.01
    shifted = changed(how, slope=1 / 3, height=height / 3 - 1)
    for other in (None, Otherwise(shifted, UNIT, sent.shape)):
        assert in_another_range(changed(found, otherwise=other)) is None, "scaled by other numbers"
