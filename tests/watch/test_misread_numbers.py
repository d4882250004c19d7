"""Samples without a header, laws of samples, missing numbers and ends of ranges, each with its right twin."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.facts import Compute, Input
from pywasm_nn.watch.hints.values import crossed
from pywasm_nn.watch.origin.scaled import scaled_lines
from pywasm_nn.watch.origin.tables import table_in
from pywasm_nn.watch.origin.unlabelled import unlabelled
from pywasm_nn.watch.origin.waves import expanded
from pywasm_nn.watch.tensors import described
from tests.watch.test_false_alarms import opened
from tests.watch.test_origin import samples_of, scene
from tests.watch.test_sounds import riff

SAMPLES = (samples_of(4000) * 30000).astype("i2")


def wrong(array: Any, files: dict[str, bytes]) -> str:
    found = opened(files).of(Tensor.from_numpy(numpy.ascontiguousarray(array.astype("f4"))))
    assert found is not None
    return found.wrong


@pytest.mark.parametrize(("name", "order"), [("a.s16be", ">i2"), ("a.s16", "<i2"), ("walk_s16le.raw", "<i2")])
def test_samples_without_a_header(name: str, order: str) -> None:
    data = SAMPLES.astype(order).tobytes()
    swapped = SAMPLES.byteswap()
    for scale in (32768, 4096):
        assert wrong(SAMPLES[None, 500:1100] / scale, {name: data}) == ""
        assert "in the opposite order" in wrong(swapped[None, 500:1100] / scale, {name: data})
    other = numpy.random.default_rng(1).normal(0, 0.1, (1, 600)).astype("f4")
    assert opened({name: data}).of(Tensor.from_numpy(other)) is None
    assert opened({"a.bin": data}).of(Tensor.from_numpy(other)) is None


def voice(size: int) -> Any:
    """Some tones with noise, louder and quieter, as i16."""
    at = numpy.arange(4000)
    tones = (
        numpy.sin(at / 7) + 0.5 * numpy.sin(at / 3.1 + 1) + numpy.random.default_rng(3).normal(0, 0.1, 4000)
    )
    return (tones * numpy.sin(at / 300) * 0.5 * size).astype("i2")


@pytest.mark.parametrize("order", ["<i2", ">i2"])
@pytest.mark.parametrize("size", [30000, 900])
def test_samples_of_which_no_name_says_the_order(order: str, size: int) -> None:
    """Which way they go on evenly, says it."""
    sound = voice(size)
    data = sound.astype(order).tobytes()
    files, part = {"take.raw": data}, slice(500, 1500)
    as_octets = (numpy.frombuffer(data, "u1")[None, part] - 128.0) / 128
    late = numpy.frombuffer(data[1:-1], order)
    assert wrong(sound[None, part] / 32768, files) == ""
    assert "in the opposite order" in wrong(sound.byteswap()[None, part] / 32768, files)
    assert "begin at an odd byte" in wrong(late[None, part] / 32768, files)
    assert "read as 8 bits" in wrong(as_octets, files)
    assert "as unsigned" in wrong(sound.view("u2")[None, part] / 32768, files)


def each_byte(data: bytes, kind: str) -> Any:
    """Samples of two bytes that begin at each byte."""
    return numpy.array([numpy.frombuffer(data[at : at + 2], kind)[0] for at in range(200, 900)]) / 32768


@pytest.mark.parametrize("kind", ["<i2", "<u2", ">i2"])
def test_samples_that_begin_at_each_byte(kind: str) -> None:
    data = (voice(9000) + 12000).astype(kind).tobytes()
    assert "begins one byte after" in wrong(each_byte(data, kind)[None] * 3 - 1, {"a.thm": data})
    if kind == "<i2":
        sound = riff(1, 16, data)
        assert "begins one byte after" in wrong(each_byte(sound, kind)[None], {"a.wav": sound})


def test_frames_that_are_read_column_by_column() -> None:
    """A guest that brings a file's columns into rows does it on purpose."""
    at = numpy.arange(40 * 24).reshape(40, 24)
    smooth = (9000 + 3000 * numpy.sin(at // 24 / 5) + 900 * numpy.cos(at % 24 / 4)).astype("<i2")
    by_columns = smooth.T.reshape(40, 24)
    assert "column by column" in wrong(by_columns[None, None] / 100, {"a.thm": bytes(6) + smooth.tobytes()})
    assert wrong(smooth[None, None] / 100, {"a.thm": bytes(6) + smooth.tobytes()}) == ""
    turned = Tensor.from_numpy((smooth[None, None] / 100).astype("f4"))
    found = opened({"a.thm": bytes(6) + numpy.ascontiguousarray(smooth.T).tobytes()}).of(turned)
    assert found is None or found.wrong == ""


def test_bytes_that_are_no_samples() -> None:
    random = numpy.random.default_rng(7)
    noise = random.integers(-9000, 9000, 4000).astype("<i2")
    far = (32768 + 9000 * numpy.sin(numpy.arange(4000) / 9)).astype("<u2")
    pixels = numpy.repeat(random.integers(0, 255, 500), 16).astype("u1")
    for data in (noise.tobytes(), far.tobytes(), pixels.tobytes(), random.bytes(4000), b"a text " * 900):
        assert unlabelled(data) is None
    assert unlabelled(voice(900).astype("<i2").tobytes()) is not None


@pytest.mark.parametrize(("form", "law", "other"), [(7, "mu-law", "A-law"), (6, "A-law", "mu-law")])
def test_samples_by_the_other_law(form: int, law: str, other: str) -> None:
    octets = numpy.arange(256, dtype="u1").tobytes()
    levels = expanded(octets, law)
    body = numpy.abs(levels[None] - SAMPLES[:2000, None] / 32768).argmin(axis=1).astype("u1").tobytes()
    files = {"a.wav": riff(form, 8, body)}
    assert wrong(expanded(body, law)[None, 100:1100], files) == ""
    assert f"are {law}, and were taken as {other}" in wrong(expanded(body, other)[None, 100:1100], files)


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_begin_with_a_far_number(seed: int) -> None:
    """Channel after channel of a recording, of which the first one is the time: over the channels, each
    element is a single peak, as are decimals that were cut off from a column that is once 1."""
    numbers = numpy.random.default_rng(seed).uniform(-0.4, 0.4, (80, 6)).round(3)
    numbers[:, 0] = numpy.arange(80) * 20
    numbers[40, 3] = 1.031
    table = table_in(
        "\n".join(["ms,a,b,c,d,e", *(",".join(f"{one:g}" for one in row) for row in numbers)]).encode()
    )
    assert table is not None
    assert scaled_lines(table, numbers[20:60, :5].T) is None


def test_a_missing_number_that_was_sent_as_0() -> None:
    numbers = (
        numpy.random.default_rng(2).normal([100, 40, 7, 1, 5, 9], [10, 3, 1, 0.5, 1, 2], (20, 6)).round(2)
    )
    lines = [[f"{one:g}" for one in row] for row in numbers]
    lines[2][1] = ""
    table = table_in("\n".join(["a,b,c,d,e,f", *(",".join(line) for line in lines)]).encode())
    assert table is not None
    mean, deviation = numpy.array([99, 41, 6.8, 1.1, 5.1, 9.2]), numpy.array([11, 3.2, 1.1, 0.6, 1.1, 2.2])
    for instead, words in ((0.0, 'column 2 ("b") is empty in line 4, and was sent as 0'), (41.0, "")):
        sent = numbers.copy()
        sent[2, 1] = instead
        part = scaled_lines(table, ((sent - mean) / deviation)[:6])
        assert part is not None and part.wrong == words


@pytest.mark.parametrize(
    ("names", "values", "words"),
    [
        (("fmin", "fmax"), (1500, 60), "larger than"),
        (("fmin", "fmax"), (60, 1500), ""),
        (("low_hz", "high_hz"), (8, 3), "larger than"),
        (("admin", "y"), (8, 3), ""),
        (("start", "end"), (3, 3), ""),
    ],
)
def test_ends_of_a_range(names: tuple[str, str], values: tuple[float, float], words: str) -> None:
    inputs = []
    for index, (name, value) in enumerate(zip(names, values, strict=True)):
        tensor = Tensor.from_numpy(numpy.array([value], "f4"))
        spec = TensorSpec(name, tensor.dtype, tensor.shape)
        inputs.append(Input(index, spec, described(spec, tensor)))
    said = crossed(Compute(tuple(inputs)))
    assert words in (said or "") and bool(words) is bool(said)


@pytest.mark.parametrize("size", [30000, 6000])
def test_samples_of_one_byte_around_the_middle(size: int) -> None:
    """Unsigned ones, of which no name says it, with silence between sounds."""
    sound = numpy.concatenate([voice(size), numpy.zeros(600), voice(size)]) / 32768
    octets = (sound * 127 + 128).round().astype("u1")
    files, part = {"take.raw": octets.tobytes()}, slice(500, 1500)
    signed = octets.view("i1")[None, part] / 128.0
    assert "taken as signed" in wrong(signed, files)
    assert wrong((octets[None, part] - 128.0) / 128, files) == ""
    quiet = octets.copy()
    quiet[2000:2600] = 128 + numpy.arange(600) % 3  # all above the middle: as signed ones they are moved
    as_quiet = quiet[None, 2000:2600].view("i1") / 128.0
    assert "taken as signed" in wrong(as_quiet, {"take.raw": quiet.tobytes()})
    signed_file = {"take.raw": (octets ^ 128).tobytes()}
    right = ((octets ^ 128).view("i1")[None, part] / 128).astype("f4")
    found = opened(signed_file).of(Tensor.from_numpy(right))
    assert found is None or not found.wrong


def test_bytes_of_pictures_are_no_samples() -> None:
    """They go on as evenly, and have no silence in the middle."""
    ramp = numpy.arange(128)[:, None] + numpy.arange(128)
    assert unlabelled(ramp.astype("u1").tobytes()) is None
    for seed in range(12):
        grey = scene(seed, 60, 60).mean(axis=2)
        around = grey + 128 - grey.mean()
        assert unlabelled(around.clip(0, 255).round().astype("u1").tobytes()) is None, seed
