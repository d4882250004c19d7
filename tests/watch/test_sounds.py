"""Samples that aren't those that a model wants."""

from __future__ import annotations

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.origin import Origins, decoded, heard
from pywasm_nn.watch.origin.bits import is_power
from pywasm_nn.watch.origin.headerless import as_samples
from pywasm_nn.watch.origin.sequences import UNDIVIDED, place_of
from pywasm_nn.watch.origin.waves import expanded, wave_in
from pywasm_nn.watch.sent.sounds import Part, Sounds, is_answer, rate_in, torn
from tests.watch.test_origin import samples_of, wav

SAMPLES = samples_of(4000)


def riff(form: int, bits: int, body: bytes, *, before: bytes = b"", size: int | None = None) -> bytes:
    head = struct.pack("<HHIIHH", form, 1, 16000, 2000 * bits, bits // 8, bits)
    if form == 0xFFFE:
        head += struct.pack("<HHIH", 22, bits, 0, 3) + bytes(14)
    chunks = b"fmt " + struct.pack("<I", len(head)) + head + before
    chunks += b"data" + struct.pack("<I", len(body) if size is None else size) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


UNIT = SAMPLES / 32768
WIDE = (SAMPLES.astype("<i4") << 8).view("u1").reshape(-1, 4)[:, :3].tobytes()
FLOATS = UNIT.astype("<f4").tobytes()
LIST = b"LIST" + struct.pack("<I", 5) + b"INFOx\0"


@pytest.mark.parametrize(
    "data",
    [
        riff(1, 16, SAMPLES.tobytes()), riff(1, 24, WIDE), riff(3, 32, FLOATS), riff(0xFFFE, 32, FLOATS),
        riff(3, 64, UNIT.astype("<f8").tobytes()), riff(1, 32, (SAMPLES.astype("<i4") << 16).tobytes()),
        riff(1, 16, SAMPLES.tobytes(), before=LIST), riff(1, 16, SAMPLES.tobytes(), size=0xFFFFFFFF),
    ],
)  # fmt: skip
def test_waves(data: bytes) -> None:
    found = wave_in(data)
    assert numpy.abs(found.samples - UNIT).max() < 1e-4
    source = decoded("a.wav", data)
    assert source is not None
    plain = heard(UNIT[None, 500:1500].astype("f4"), source)
    assert plain is not None and not plain.wrong and plain.span == (500, 1500, 0)


@pytest.mark.parametrize("cut", range(0, 64, 5))
def test_broken_waves(cut: int) -> None:
    data = riff(1, 16, SAMPLES.tobytes())[:cut]
    assert decoded("a.wav", data) is None or cut > 44
    assert decoded("a.wav", riff(5, 16, b"")) is decoded("a.wav", riff(1, 0, b"12")) is None


NOISE = numpy.random.default_rng(17).integers(-(1 << 22), 1 << 22, 1500).astype("<i4")
OCTETS = NOISE.view("u1").reshape(-1, 4)[:, :3]
JOINED = OCTETS.view("i1").astype("i4") @ numpy.array([0, 0, 65536]) | (
    OCTETS.view("i1").astype("i4")[:, 0] | OCTETS.view("i1").astype("i4")[:, 1] << 8
)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (NOISE / (1 << 23), ""),
        (NOISE, "24 bits were not divided by 8388608"),
        (NOISE / 32768, "divided by 32768, and not by 8388608"),
        ((NOISE << 8 & ~255).astype("<i4"), ""),
        (OCTETS[:, ::-1].tobytes(), "in the opposite order (big-endian)"),
        (OCTETS[:, :2].astype("i4") @ numpy.array([1, 256]), "lower 16 bits"),
        (JOINED / (1 << 23), "bytes with a sign each"),
    ],
)
def test_samples_of_24_bits(sent: Any, words: str) -> None:
    source = decoded("a.wav", riff(1, 24, OCTETS.tobytes()))
    assert source is not None
    if isinstance(sent, bytes):
        sent = wave_in(riff(1, 24, sent)).samples
    elif "lower" in words:
        sent = ((sent + 32768) % 65536 - 32768) / 32768
    kind = "<i4" if sent.dtype == numpy.dtype("<i4") and not words else "f4"
    found = heard(sent[None, 100:1300].astype(kind), source)
    assert found is not None and words in found.wrong and bool(found.wrong) == bool(words)


def test_samples_read_in_another_width() -> None:
    for data, words in ((riff(1, 24, WIDE), "24 bits"), (riff(3, 32, FLOATS), "(floats) were read as 16")):
        source = decoded("a.wav", data)
        assert source is not None
        found = heard(numpy.frombuffer(data[44:4044], "<i2")[None].astype("f4") / 32768, source)
        assert found is not None and words in found.wrong


def stereo(bits: int, body: bytes) -> bytes:
    head = struct.pack("<HHIIHH", 1, 2, 16000, 32000 * bits // 8, bits // 4, bits)
    chunks = b"fmt " + struct.pack("<I", len(head)) + head + LIST
    chunks += b"data" + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def big(body: bytes) -> bytes:
    """AU of 24 bits."""
    return struct.pack(">4sIIIII", b".snd", 24, len(body), 4, 16000, 1) + body


@pytest.mark.parametrize(
    ("data", "start", "kind", "step", "words"),
    [
        (riff(1, 24, WIDE, before=LIST), 58, "<i2", 1, "24 bits (whole numbers) were read as 16 bits"),
        (riff(1, 24, WIDE), 44, "<i4", 1, "24 bits (whole numbers) were read as 32 bits"),
        (riff(3, 32, FLOATS), 44, "<i4", 1, "32 bits (floats) were read as whole numbers"),
        (riff(1, 8, bytes(SAMPLES.view("u1"))), 44, "<i2", 1, "8 bits (whole numbers) were read as 16 bits"),
        (stereo(24, WIDE), 58, "<i2", 2, "24 bits (whole numbers) were read as 16 bits"),
        (big(WIDE), 24, ">i2", 1, "24 bits (whole numbers) were read as 16 bits"),
    ],
)
@pytest.mark.parametrize("first", [0, 1100])
def test_samples_of_other_bits_behind_any_header(
    data: bytes, start: int, kind: str, step: int, words: str, first: int
) -> None:
    source = decoded("a.wav", data)
    assert source is not None
    body = data[start : start + (len(data) - start) // 4 * 4]
    read = numpy.frombuffer(body, kind)[::step][first : first + 800] / 2.0 ** (8 * int(kind[2]) - 1)
    found = heard(read[None].astype("f4"), source)
    assert found is not None and words in found.wrong and ";" not in found.wrong


@pytest.mark.parametrize("step", [2, 3])
def test_samples_that_are_left_out(step: int) -> None:
    tones = (9000 * numpy.sin(numpy.arange(20000) / 9)).astype("<i2")
    for samples in (tones, samples_of(20000)):
        source = decoded("a.wav", riff(1, 16, samples.tobytes()))
        assert source is not None
        found = heard((samples[1::step][None, :5000] / 32768).astype("f4"), source)
        assert found is None or "were read as" not in found.wrong


def test_lower_bytes_that_were_lost() -> None:
    source = decoded("a.wav", wav(SAMPLES))
    assert source is not None
    found = heard(((SAMPLES[:2000] >> 8) / 128)[None].astype("f4"), source)
    assert found is not None and "their lower bytes were lost" in found.wrong
    quiet = decoded("q.wav", wav(SAMPLES // 200))
    found = heard((SAMPLES[:2000] // 200 / 32768)[None].astype("f4"), quiet or source)
    assert found is not None and found.wrong == "", "the file has no more levels"


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("speech_16k", 16000), ("vad-8khz", 8000), ("yamnet_16000", 16000), ("enc44k", 0), ("x_44.1k", 0),
        ("asr_16k_to_8k", 0), ("resnet50", 0), ("denoise 48k", 48000), ("a_22k", 22050), ("step160000", 0),
    ],
)  # fmt: skip
def test_rates_in_names(name: str, rate: int) -> None:
    assert rate_in(name) == rate


Event: Any = SimpleNamespace


class Guest:
    """Sounds of a guest that sends parts of a file; `state` says whether the model has one."""

    def __init__(self, rate: int, name: str = "model", state: bool = False) -> None:
        specs = [TensorSpec(one, DType.F32, None) for one in ("x", "h", "y", "h_out")]
        self.graph = SimpleNamespace(inputs=specs[: 1 + state], outputs=specs[2 : 3 + state])
        self.sounds = Sounds()
        self.source = decoded("a.wav", wav(SAMPLES, rate))
        self.event: Any = Event(graph_id=1, model=None, context_id=1, graph=self.graph, tensors=())
        self.event.parts = ()
        self.sounds.loaded(self.event, [name])

    def send(self, array: Any, answer: Any = (0.5,)) -> list[str]:
        assert self.source is not None
        found = heard(numpy.asarray(array, "f4")[None], self.source)
        assert found is not None
        kept = self.sounds.wanted(self.event, 0, found)
        self.event.tensors = (Tensor.from_numpy(numpy.asarray(answer, "f4")),)
        return [*filter(None, [kept.wrong]), *(text for _, text in self.sounds.computed(self.event))]


def test_a_rate_that_the_name_or_an_input_says() -> None:
    assert "the model's name, asr_16k, says 16,000 Hz" in Guest(8000, "asr_16k").send(UNIT[:900])[0]
    assert Guest(16000, "asr_16k").send(UNIT[:900]) == []
    assert Guest(48000, "denoise_48k").send(UNIT[:900]) == []
    assert "not resampled" in Guest(48000).send(UNIT[:900])[0]
    for rate, seen in ((8000, True), (16000, False)):
        guest = Guest(rate)
        guest.sounds.set(guest.event, "sr", Tensor.from_numpy(numpy.array([16000], "i8")))
        assert any('"sr" is 16,000 Hz' in text for text in guest.send(UNIT[:900])) == seen


@pytest.mark.parametrize(
    ("size", "state", "rate", "wanted"),
    [
        (576, (2, None, 128), 8000, 16000), (576, (2, 1, 128), 22050, 16000),
        (288, (2, 1, 128), 16000, 8000),
        (576, (2, 1, 128), 16000, 0), (288, (2, 1, 128), 8000, 0),
        (512, (2, 1, 128), 8000, 0), (576, (2, 1, 64), 8000, 0), (None, (2, 1, 128), 8000, 0),
    ],
)  # fmt: skip
def test_a_rate_that_the_shapes_of_a_model_say(
    size: Any, state: tuple[Any, ...], rate: int, wanted: int
) -> None:
    def said(more: tuple[str, ...] = (), kept: str = "h_out") -> str:
        guest = Guest(rate, state=True)
        shapes = {"x": (1, size), "h": state, kept: state}
        inputs = tuple(TensorSpec(name, DType.F32, shapes.get(name, (1,))) for name in ("x", "h", *more))
        guest.graph.inputs = inputs
        guest.graph.outputs = tuple(
            TensorSpec(name, DType.F32, shapes.get(name, (1,))) for name in ("y", kept)
        )
        return " ".join(guest.send(UNIT[1024:1600]))

    words = (
        f"samples at {rate:,} Hz were not resampled: a model of such windows and such a state (Silero's) is"
    )
    assert (f"{words} for {wanted:,} Hz" in said()) is bool(wanted)
    assert words not in said(("sr",)), "made for several rates"
    assert words not in said(("other",)) and words not in said(kept="z"), "another model"


def test_models_that_want_whole_samples() -> None:
    """openWakeWord's first model makes features of samples as they are in the file."""
    features = numpy.random.default_rng(1).normal(-2, 3, (1, 1, 76, 32))
    assert Guest(16000).send(SAMPLES[:900], features) == []
    assert any(UNDIVIDED in text for text in Guest(16000).send(SAMPLES[:900], [0.1]))
    assert any(UNDIVIDED in text for text in Guest(16000).send(SAMPLES[:900], features**2 / 1000))
    assert is_answer([])


@pytest.mark.parametrize("file", ["a.s16", "standard input"])
def test_whole_samples_without_a_header(file: str) -> None:
    """Of a model that is of sounds by its name or its input's; of others they may be a sensor's."""
    evenly = (9000 * numpy.sin(numpy.arange(4000) / 9)).round().astype("<i2")
    sources = as_samples(file, evenly.tobytes())

    def sent(array: Any, model: str, name: str = "x", kind: str = "f4") -> list[str]:
        guest = Guest(16000, model)
        guest.source = sources[0]
        guest.graph.inputs = [TensorSpec(name, DType.F32, None)]
        guest.event.tensors = (Tensor.from_numpy(numpy.zeros(4, kind)),)
        return guest.send(array)

    for model in ("silero_vad", "kws_16k", "Speech-commands"):
        assert f"the model's name, {model}, says" in " ".join(sent(evenly[:900], model))
        assert sent(evenly[:900] / 32768, model) == sent(evenly[:900], model, kind="i2") == []
    assert 'the input\'s name, "waveform", says' in " ".join(sent(evenly[:900], "m", "waveform"))
    assert sent(evenly[:900], "activity") == sent(evenly[:900], "evader") == []


def test_the_name_of_a_model_that_the_guest_has_read_itself() -> None:
    origins = Origins()
    for name, data in (("a.onnx", b"one"), ("b.onnx", b"two"), ("c.txt", b"three")):
        for call, arguments in (
            ("path_open", {"fd": 3, "path": name, "opened": 5}),
            ("fd_read", {"fd": 5, "iovs": [data], "nread": len(data)}),
        ):
            origins.host_call(HostEvent("w", call, tuple(arguments.items()), 0, None, 0.0))
    parts = b"one", b"two", b"four", b"", Path("models/d.onnx")
    assert [*origins.names_of("own", parts)] == ["own", "a", "b", "", "", "d"]


@pytest.mark.parametrize(
    ("starts", "zeros", "words"),
    [
        ((0, 512, 1024), 0, ""), ((0, 1024, 2048), 0, "512 samples are left out"), ((0, 448, 896), 0, ""),
        ((0, 512, 1024), 64, "begins with 64 zeros"), ((0, 1024, 1536), 0, ""), ((0, 512, 1029), 64, ""),
    ],
)  # fmt: skip
def test_parts_that_follow_each_other(starts: tuple[int, ...], zeros: int, words: str) -> None:
    found = torn([Part("a", start, start + 512, zeros) for start in starts])
    assert words in found and bool(words) == bool(found)


def test_only_a_state_wants_all_samples() -> None:
    for state in True, False:
        guest = Guest(16000, state=state)
        hints = [text for start in (0, 1000, 2000) for text in guest.send(UNIT[start : start + 500])]
        assert [("left out" in text) for text in hints] == [True] * state


@pytest.mark.parametrize("is_filled", [True, False])
def test_zeros_for_old_samples_behind_silence(is_filled: bool) -> None:
    sound = numpy.concatenate([numpy.zeros(700), SAMPLES]).astype("i2")
    guest = Guest(16000, state=True)
    guest.source, unit, hints = decoded("a.wav", wav(sound, 16000)), sound / 32768, []
    for at in range(512, 2560, 512):
        sent = unit[at - 64 : at + 512].copy()
        sent[:64] *= is_filled
        hints += guest.send(sent)
    assert ["begins with 64 zeros" in text for text in hints] == [True] * (not is_filled)


@pytest.mark.parametrize(
    ("count", "rest", "state", "words"),
    [
        (512, 64, True, "the last 64 samples of the window before in front of the 512 new ones"),
        (512, 64, False, "zeros, though the file goes on"),
        (512, 200, True, "zeros, though the file goes on"),
    ],
)  # fmt: skip
def test_windows_without_their_context(count: int, rest: int, state: bool, words: str) -> None:
    guest, hints = Guest(16000, state=state), []
    for at in (count, 2 * count):
        sent = numpy.concatenate([UNIT[at : at + count], numpy.zeros(rest)]).astype("f4")[None]
        guest.event.tensors = (Tensor.from_numpy(sent),)
        hints += guest.send(sent[0])
    assert hints and all(words in text for text in hints)


@pytest.mark.parametrize(("begin", "seen"), [(448, False), (400, True), (512, True)])
def test_silence_behind_the_end_of_the_window_before(begin: int, seen: bool) -> None:
    """Of a microphone that hears nothing yet; other samples would be new ones."""
    guest, hints = Guest(16000, state=True), []
    for sent in (UNIT[:512], numpy.concatenate([UNIT[begin : begin + 64], numpy.zeros(448)])):
        guest.event.tensors = (Tensor.from_numpy(sent.astype("f4")[None]),)
        hints = guest.send(sent)
    assert any("zeros, though the file goes on" in text for text in hints) is seen


@pytest.mark.parametrize(("count", "seen"), [(1999, False), (1970, False), (1200, True)])
def test_a_clip_that_fades_away_before_it_is_filled_up(count: int, seen: bool) -> None:
    sound = (9000 * numpy.sin(numpy.arange(2000) ** 1.4 / 40)).astype("i2")
    source = decoded("clip.wav", wav(sound, 16000))
    assert source is not None
    sent = numpy.zeros(4000, "f4")
    sent[:count] = sound[:count] / 32768
    found = heard(sent[None], source)
    assert found is not None and ("though the file goes on" in found.wrong) is seen


QUIET = (
    numpy.array([127, 128, 128, 129, 127, 128])[numpy.random.default_rng(8).integers(0, 6, 3000)]
).astype("u1")


@pytest.mark.parametrize(
    ("data", "sent", "words"),
    [
        (riff(1, 8, QUIET.tobytes()), QUIET.view("i1") / 128, "unsigned, and were taken as signed"),
        (riff(1, 8, QUIET.tobytes()), (QUIET.astype("f8") - 128) / 128, ""),
        (riff(1, 16, (SAMPLES // 300).tobytes()), (SAMPLES // 300).byteswap() / 32768, "the opposite order"),
        (riff(1, 16, (SAMPLES // 300).tobytes()), SAMPLES // 300 / 128, "divided by 128, and not by 32768"),
    ],
)
def test_quiet_sounds_that_were_misread(data: bytes, sent: Any, words: str) -> None:
    source = decoded("a.wav", data)
    assert source is not None
    found = heard(sent[None, 200:1500].astype("f4"), source)
    assert found is not None and words in found.wrong and bool(found.wrong) == bool(words)


@pytest.mark.parametrize(
    ("form", "known"), [(7, {0: -32124, 128: 32124, 255: 0}), (6, {213: 8, 85: -8, 42: -32256})]
)
def test_samples_of_a_byte_with_an_exponent(form: int, known: dict[int, int]) -> None:
    """Values from G.711's tables."""
    octets = numpy.arange(256).astype("u1")
    found = wave_in(riff(form, 8, octets.tobytes()))
    assert all(round(found.samples[octet] * 32768) == value for octet, value in known.items())
    body = numpy.random.default_rng(2).integers(0, 256, 2000).astype("u1")
    source = decoded("a.wav", riff(form, 8, body.tobytes()))
    assert source is not None
    wrong = heard(((body.astype("f8") - 128) / 128)[None].astype("f4"), source)
    assert wrong is not None and "and were taken as plain numbers of 8 bits" in wrong.wrong
    right = heard(wave_in(riff(form, 8, body.tobytes())).samples[None].astype("f4"), source)
    assert right is not None and right.wrong == ""


def test_a_state_is_no_sound_of_doubles() -> None:
    source = decoded("a.wav", riff(1, 8, QUIET.tobytes()))
    assert source is not None
    for seed in range(5):
        state = numpy.random.default_rng(seed).normal(0, 1.5, (2, 1, 128)).astype("f4")
        assert heard(state, source) is None


def test_a_state_is_not_looked_for_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from the answer before, and would take the time in which the sound is found."""
    looked: list[str] = []
    monkeypatch.setattr(Origins, "of", lambda _self, tensor, _key: looked.append(str(tensor.shape)))
    specs = [TensorSpec(name, DType.F32, None) for name in ("x", "state", "y", "state_out")]
    graph: Any = SimpleNamespace(inputs=tuple(specs[:2]), outputs=tuple(specs[2:]))
    evidence = Evidence()
    for index, shape in enumerate(((1, 576), (2, 1, 128))):
        tensor = Tensor.from_numpy(numpy.random.default_rng(1).normal(0, 0.1, shape).astype("f4"))
        event = NNEvent("set_input", "", 0.0, None, None, 1, 1, graph, index, (specs[index],), (tensor,))
        assert [*evidence.nn_event(event, ())] == []
    assert looked == ["(1, 576)"]


@pytest.mark.parametrize(
    ("scale", "usual"), [(1.0, True), (1 / 256, True), (32768 / 32767, True), (-1.0, False), (0.048, False)]
)
def test_samples_of_other_bits_have_a_usual_scale(scale: float, usual: bool) -> None:
    assert is_power(scale) is usual


def test_the_place_of_a_quiet_part_among_many_samples() -> None:
    """A correlation is at most 1, whatever the samples' type and level are."""
    random = numpy.random.default_rng(6)
    samples = (0.98 + random.integers(-2, 3, 400_000) / 256).astype("f4")
    part = numpy.cumsum(random.normal(0, 1, 320)) * 1e-5
    assert abs(place_of(part, samples)[3]) <= 1
    own = samples[200_000:200_320].astype("f8") * 0.125
    at, scale, _, like = place_of(own, samples)
    assert at == 200_000 and abs(scale - 0.125) < 1e-6 and like > 0.9999


def spoken_like(count: int, seed: int) -> Any:
    """A few tones that grow and fade, with a little noise, in -1..1."""
    order = numpy.random.default_rng(seed)
    at = numpy.arange(count)
    tones = sum(numpy.sin(at * order.uniform(0.05, 0.9) + order.uniform(0, 6)) for _ in range(4))
    return (0.2 * tones * (0.3 + abs(numpy.sin(at / 700))) + order.normal(0, 0.002, count)).clip(-0.99, 0.99)


def in_law(samples: Any, law: str) -> bytes:
    """The bytes whose samples are the nearest."""
    levels = expanded(bytes(range(256)), law)
    return bytes(abs(samples[:, None] - levels).argmin(axis=1).astype("u1"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("law", ["mu-law", "A-law"])
def test_bytes_of_a_law_without_a_header(law: str, seed: int) -> None:
    body = in_law(spoken_like(3000, seed), law)
    other = {"mu-law": "A-law", "A-law": "mu-law"}[law]
    octets = numpy.frombuffer(body, "u1")
    (source,) = as_samples("standard input", body)
    for sent, words in (
        ((octets - 128.0) / 128, f"are {law}, and were taken as plain"),
        (octets.view("i1") / 128.0, f"are {law}, and were taken as plain"),
        (expanded(body, other), f"are {law}, and were taken as {other}"),
        (expanded(body, law), ""),
        (32768 * expanded(body, law), ""),
        (octets, ""),
    ):
        found = heard(sent[None, 400:2000].astype("f4"), source)
        assert found is None or (words in found.wrong and bool(found.wrong) == bool(words))
        assert found is not None or sent is octets, "a model may know the bytes themselves"


@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_of_no_law(seed: int) -> None:
    loud = spoken_like(3000, seed)
    octets = (128 + 120 * loud).round().astype("u1")
    noise = numpy.random.default_rng(seed).integers(0, 256, 3000).astype("u1")
    text = b"The quick brown fox jumps over the lazy dog; 12 of them. " * 60
    for data in (octets ^ 128, noise, numpy.sort(noise), noise & 15):
        assert not as_samples("a", data.tobytes())
    assert {one.said for one in as_samples("a", octets.tobytes())} <= {"3000 samples of 8 bits"}
    assert not as_samples("a", text)
