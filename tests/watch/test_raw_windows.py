"""Windows of whole numbers from files of records behind a header: signs, orders of bytes, and starts that
were counted in bytes."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series import Series

HEADER = b"SEIS\x00\x01\x00\x80"


def counts(length: int) -> Any:
    """Numbers of 24 bits around 0 that go on smoothly."""
    at = numpy.arange(length)
    noise = numpy.random.default_rng(5).normal(0, 40, length)
    return (40000 * numpy.sin(at / 9) * numpy.sin(at / 50) + noise).astype("i8")


def packed(numbers: Any, width: int, order: Literal["little", "big"]) -> bytes:
    return b"".join(int(one).to_bytes(width, order, signed=True) for one in numbers)


def said_of(windows: list[Any], data: bytes, more: int = 0) -> list[str]:
    """What is said of windows, of which so many more are sent that nobody looks at."""
    series = Series(lambda: [("a.s24", data)])
    found: list[str] = []
    for one in [*windows, *windows[:more]] if more else ():
        event: Any = SimpleNamespace(
            operation="set_input",
            index=0,
            error=None,
            graph_id=1,
            model=None,
            specs=[None],
            tensors=[Tensor.from_numpy(one[None])],
        )
        series.nn_event(event)
    for one in windows:
        found += series.set("x", Tensor.from_numpy(one[None]), "x")
    return found + [text for _, text in series.finish()]


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize(
    "made",
    [
        lambda one: one.astype("<i4"),
        lambda one: (one / 8388608).astype("<f4"),
        lambda one: ((one - one.mean()) / one.std()).astype("<f4"),
    ],
)
def test_24_bits_without_their_sign(order: str, made: Callable[[Any], Any]) -> None:
    numbers = counts(512)
    data = HEADER + packed(numbers, 3, order)
    wrongly = said_of([made(numbers[at : at + 128] % (1 << 24)) for at in (0, 128)], data)
    assert len(wrongly) == 1 and "numbers of 24 bits are signed" in wrongly[0]
    assert said_of([made(numbers[at : at + 128]) for at in (0, 128)], data) == []


def test_numbers_above_zero_have_either_sign() -> None:
    """The window has none below 0, so that nobody knows how it was read."""
    numbers = counts(512)
    numbers[:128] = abs(numbers[:128])
    assert said_of([numbers[:128].astype("<i4")], HEADER + packed(numbers, 3, "big")) == []


def test_the_largest_number_stands_for_none() -> None:
    """Distances of 16 bits, some of which are not known."""
    distances = abs(counts(512)) // 8 + 500
    distances[5::9] = 65535
    data = HEADER + distances.astype("<u2").tobytes()
    assert said_of([distances[:128].astype("<f4")], data) == []


@pytest.mark.parametrize(
    ("name", "is_named"),
    [("depth.u16", True), ("frames_uint16.bin", True), ("a-u16le.raw", True), ("depth.i16", False),
     ("u160.bin", False)],
)  # fmt: skip
def test_the_name_of_a_file_says_unsigned(name: str, is_named: bool) -> None:
    numbers = (counts(512) + 40000).clip(0, 65535) // 1
    series = Series(lambda: [(name, HEADER + numbers.astype("<u2").tobytes())])
    for made, is_wrong in ((numbers.astype("<u2").view("<i2"), True), (numbers, False)):
        said = " ".join(series.set(is_wrong, Tensor.from_numpy(made[None, :128].astype("f4")), "x"))
        assert ("unsigned by the file's name" in said) is (is_wrong and is_named)


@pytest.mark.parametrize("width", [2, 4])
def test_the_other_order_of_bytes(width: int) -> None:
    numbers = counts(512) // (8 if width == 2 else 1)
    data = HEADER + packed(numbers, width, "big")
    swapped = numpy.frombuffer(data[8:], f"<i{width}")
    assert "in the opposite order" in " ".join(said_of([swapped[:128].astype("<f4")], data))


@pytest.mark.parametrize(
    ("fields", "step", "is_wrong"), [(2, 64, True), (3, 128, True), (2, 256, False), (1, 64, True)]
)
def test_starts_that_are_counted_in_bytes(fields: int, step: int, is_wrong: bool) -> None:
    """Windows of 64 records of some fields of 2 bytes; as many as the file has."""
    records = numpy.stack([abs(counts(64 * 5)) // 8 % (997 + one) for one in range(fields)], 1)
    data = b"PWR1\0\0\0\0\0\0\0\0" + packed(records.reshape(-1), 2, "big")
    windows = []
    for number in range(5):
        begins = 12 + step * number
        octets = numpy.frombuffer(data[begins : begins + 128 * fields], ">i2")
        windows.append((octets.reshape(64, fields)[:, 0] / 1000).astype("<f4"))
    found = said_of([one for one in windows if len(one) == 64], data)
    assert [("counted in bytes" in one) for one in found] == [True] * is_wrong
    every = [one for one in windows if len(one) == 64]
    assert said_of(every, data, more=2) == [], "windows that overlap, of which there are more"


def edf(signals: dict[str, int], records: int) -> tuple[bytes, Any]:
    """A file with so many samples of each signal in a record, and the samples of the last one."""
    count = len(signals)
    made = (
        b"0       ".ljust(184) + str(256 * (count + 1)).encode().ljust(52) + str(records).encode().ljust(16)
    )
    made += str(count).encode().ljust(4) + b"".join(one.encode().ljust(16) for one in signals)
    made = made.ljust(256 + 216 * count) + b"".join(str(one).encode().ljust(8) for one in signals.values())
    made = made.ljust(256 * (count + 1))
    body = [
        [counts(size * records)[at * size : (at + 1) * size] // (20 + size) for size in signals.values()]
        for at in range(records)
    ]
    data = made + b"".join(part.astype("<i2").tobytes() for record in body for part in record)
    return data, numpy.concatenate([record[-1] for record in body])


@pytest.mark.parametrize("scale", [lambda one: one / 3276.8, lambda one: (one - one.mean()) / one.std()])
def test_signals_of_a_record(scale: Callable[[Any], Any]) -> None:
    data, samples = edf({"ECG": 100, "EEG C3-A2": 80}, 6)
    flat = numpy.frombuffer(data[768:], "<i2")
    wrongly = " ".join(said_of([scale(flat[:256]).astype("<f4")], data))
    assert 'runs on from "ECG" into "EEG C3-A2"' in wrongly
    assert said_of([scale(samples[:256]).astype("<f4")], data) == []
    assert said_of([scale(flat[100:180]).astype("<f4")], data) == [], "within one record"
    assert said_of([scale(flat[:256]).astype("<f4")], edf({"EEG C3-A2": 90}, 6)[0]) == []


@pytest.mark.parametrize(("read", "is_wrong"), [(8, True), (6, False)])
def test_records_with_fewer_bytes_than_a_struct(read: int, is_wrong: bool) -> None:
    """A time of 4 bytes and a number of 2, behind a header of 10."""
    levels = counts(400) // 8
    records = [
        at.to_bytes(4, "little") + int(one).to_bytes(2, "little", signed=True)
        for at, one in enumerate(levels)
    ]
    data = b"LOG1\0\0\0\0\0\0" + b"".join(records)
    octets = numpy.frombuffer(data, "u1")
    places = 14 + read * numpy.arange(120)
    window = (octets[places] + 256.0 * octets[places + 1].view("i1")) / 1000
    found = " ".join(said_of([window.astype("<f4")], data))
    assert ("6 bytes apart they go on smoothly" in found) is is_wrong and (is_wrong or not found)


@pytest.mark.parametrize("kind", ["<f4", ">f4", "<f8"])
@pytest.mark.parametrize("read", ["<i2", "<i4"])
def test_floats_read_as_whole_numbers(kind: str, read: str) -> None:
    at = numpy.arange(2000)
    floats = numpy.sin(at / 11) * numpy.sin(at / 70) * 0.3 + numpy.random.default_rng(1).normal(0, 0.01, 2000)
    data = b"\0\0TREMOR" + floats.astype(kind).tobytes()
    taken = numpy.frombuffer(data[8:], read)[:256] / numpy.float32(2000)
    windows = [numpy.concatenate([numpy.zeros(32), taken]), taken]
    for window in windows:
        found = said_of([window.astype("<f4")], data)
        assert len(found) == 1 and f"floats of {8 * int(kind[-1])} bits, from -0.3" in found[0], found
    assert said_of([floats[:256].astype("<f4")], data) == [], "read as they are"


@pytest.mark.parametrize("level", [0, 16384])
def test_whole_numbers_are_no_floats(level: int) -> None:
    """Around 16,384, the counts of a sensor for 1 g, words are the upper halves of floats."""
    words = numpy.stack([counts(900) // 8, level + counts(900)[::-1] // 40], axis=1).astype("<i2")
    assert said_of([words[:128].astype("<f4")], HEADER + words.tobytes()) == []
    noise = numpy.random.default_rng(3).integers(-(1 << 15), 1 << 15, 900)
    words = numpy.stack([noise, level + counts(900) // 40], axis=1).astype("<i2")
    assert said_of([words[:128].astype("<f4")], HEADER + words.tobytes()) == []
