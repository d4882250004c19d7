"""Inputs that hold something else than elements, and one picture in place of several.

The mistakes are those of guests that another hand wrote (`dangling.c`, `as2.ts` and `digits.c` of the outside
set 12), and their twins.
"""

from __future__ import annotations

from io import BytesIO
from struct import pack
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.facts import Input
from pywasm_nn.watch.hints.foreign import addresses, overwritten
from pywasm_nn.watch.hints.values import other_type
from pywasm_nn.watch.order.rounds import Rounds
from pywasm_nn.watch.sent.batches import items_in, repeated
from pywasm_nn.watch.tensors import described
from tests.watch.test_false_alarms import origins_of
from tests.watch.test_origin import ppm, scene

ORDER = numpy.random.default_rng(20)
DIGIT = (ORDER.integers(0, 17, (1, 1, 8, 8)) / 16).astype("f4")
TITLE = b"the picture one.pgm, prepared for the network"


def given(array: Any) -> Input:
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(array))
    spec = TensorSpec("x", tensor.dtype, tensor.shape)
    return Input(0, spec, described(spec, tensor), tensor.numbers())


def with_bytes(data: bytes) -> Any:
    made = bytearray(DIGIT.tobytes())
    made[: len(data)] = data
    return numpy.frombuffer(bytes(made), "f4").reshape(DIGIT.shape)


@pytest.mark.parametrize("data", [TITLE, b" " * 200])
def test_a_buffer_that_was_freed(data: bytes) -> None:
    said = overwritten(given(with_bytes(data)))
    assert said is not None and "are a text (" in said and "was the buffer freed" in said


def test_the_header_of_an_array() -> None:
    file = BytesIO()
    numpy.save(file, DIGIT)
    said = str(overwritten(given(numpy.frombuffer(file.getvalue(), "f4")[:48])))
    assert "the header of a .npy file was taken for elements" in said and "freed" not in said


@pytest.mark.parametrize("divisor", [0.229, 0.224, 0.225, 0.2023, 0.5])
@pytest.mark.parametrize("mean", [0.0, 0.485, 0.406])
def test_levels_of_pixels_in_any_order_are_no_text(divisor: float, mean: float) -> None:
    levels = ((numpy.arange(256) / 255 - mean) / divisor).astype("f4")
    printable = [one for one in levels if all(0x20 <= byte < 0x7F for byte in one.tobytes())]
    drawn = ORDER.choice(printable, 4096) if printable else levels
    assert overwritten(given(drawn)) is None


def test_the_elements_of_a_photograph_that_once_got_a_hint() -> None:
    """Floats from 2 to 5 end in "@", and the rest of a few different ones may be letters."""
    seen = b"m)N@mHO@mHO@CgP@CgP@mHO@CgP@CgP@"
    assert overwritten(given(numpy.frombuffer(seen, "f4"))) is None


@pytest.mark.parametrize(
    "array",
    [
        DIGIT,
        scene(1, 224, 224).astype("f4") / 255,
        ((scene(2, 224, 224) / 255.0 - 0.485) / 0.229).astype("f4"),
        *(numpy.full((1, 3, 32, 32), value / 255, "f4") for value in range(256)),
        ORDER.normal(0, 1, 400_000).astype("f4"),
        numpy.frombuffer(TITLE + b" " * 200, "u1"),
    ],
)
def test_numbers_are_no_text(array: Any) -> None:
    assert overwritten(given(array)) is None


class Memory:
    """A guest's memory with a picture at an address."""

    size = 1 << 16

    def __init__(self) -> None:
        self.data = bytearray(self.size)
        self.data[0x4E0 : 0x4E0 + 256] = DIGIT.tobytes()

    def view(self, address: int, size: int) -> memoryview:
        return memoryview(self.data)[address : address + size]


OBJECTS = {
    "AssemblyScript": [0x4E0, 0x4E0, 256, 64],
    "a vector of C++": [0x4E0, 0x4E0 + 256, 0x4E0 + 256],
    "Rust": [64, 0x4E0, 64],
    "a slice of Go": [0x4E0, 64, 64],
}


@pytest.mark.parametrize("name", OBJECTS)
def test_the_address_of_an_object(name: str) -> None:
    words = numpy.array(OBJECTS[name], "<u4").tobytes()
    garbage = words + numpy.arange(3, 67, dtype="<u4").tobytes()
    said = addresses(given(with_bytes(garbage[:256])), Memory())  # type: ignore[arg-type]
    assert said is not None and "(0x4e0), at which 64 elements lie that make sense" in said


def test_addresses_of_rows() -> None:
    rows = numpy.arange(0x4E0, 0x4E0 + 64 * 48, 48, dtype="<u4")
    said = addresses(given(with_bytes(rows.tobytes())), Memory())  # type: ignore[arg-type]
    assert said is not None and "each 48 bytes after the one before" in said


@pytest.mark.parametrize("array", [DIGIT, numpy.zeros((1, 64), "f4"), numpy.arange(64, dtype="f4")])
def test_elements_are_no_addresses(array: Any) -> None:
    assert addresses(given(array), Memory()) is None  # type: ignore[arg-type]


def rounds(sent: list[int], pictures: int) -> list[str]:
    """What is said at the end of a guest that sends these pictures of a file."""
    from pywasm_nn.nn.operation import NNEvent

    made = Rounds()
    made.read([(1, "three.pgm", 7)])
    for number in sent:
        tensor = Tensor.from_numpy(DIGIT + number)
        spec = TensorSpec("x", DType.F32, tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, 0, 0, None, 0, (spec,), (tensor,))
        made.nn_event(event)
        made.came_from("three.pgm", (number, pictures))
        made.nn_event(NNEvent("compute", "", 0.0, None, None, 0, 0, None, None, (), ()))
    return [text for _, text in made.finish()]


def test_the_same_picture_in_each_round() -> None:
    assert "holds 3 pictures, and the model was run 3 times on the same one" in rounds([1, 1, 1], 3)[0]
    assert rounds([1, 2, 3], 3) == rounds([1] * 20, 3) == rounds([1], 3) == rounds([1], 1) == []


SCENES = [scene(seed, 40, 40) for seed in range(4)]
FILE = b"".join(ppm(one) for one in SCENES)


def batch(*places: int | None) -> Any:
    empty = numpy.zeros_like(SCENES[0])
    rows = numpy.stack([empty if place is None else SCENES[place] for place in places])
    return (rows / 255).astype("f4")


def test_batches() -> None:
    read = origins_of(FILE).pictures_read
    assert "places 0 and 1 of the batch hold the same picture" in repeated(batch(0, 0, 0, 0), read)
    assert "place 3 of the batch is empty" in repeated(batch(0, 1, 2, None), read)
    assert repeated(batch(0, 1, 2, 3), read) == repeated(batch(2), read) == ""
    few = origins_of(ppm(SCENES[0]) + ppm(SCENES[1])).pictures_read
    assert repeated(batch(0, 1, 1, 1), few) == repeated(batch(0, 1, None, None), few) == ""


def test_the_last_batch_may_be_filled() -> None:
    """Four pictures in batches of three leave one for the second."""
    read = origins_of(FILE).pictures_read
    assert repeated(batch(3, 3, 3), read) == repeated(batch(3, None, None), read) == ""
    assert "hold the same picture" in repeated(batch(0, 1, 1), read)
    five = origins_of(FILE + ppm(scene(9, 40, 40))).pictures_read
    assert repeated(batch(2, 3, 2), five) == repeated(batch(2, 3, 3), five) == "", (
        "the first one, or the last"
    )
    assert "is empty" in repeated(batch(0, None, 1), five)


def test_batches_of_pictures_behind_each_other() -> None:
    grey = numpy.stack([one[..., :1] for one in SCENES])

    def said(rows: Any, header: bytes, shown: Any) -> str:
        files = origins_of(header + shown.tobytes(), name="a.bin")
        elements = (rows / 255).astype("f4")
        return repeated(elements, files.pictures_read, lambda n: items_in(files.sheets(rows.shape), n))

    count, header = len(grey), pack(">HHIII", 0, 0x803, len(grey), 40, 40)
    for begins in (header, b""):
        assert "places 0 and 1 of the batch hold the same picture" in said(grey[[0] * count], begins, grey)
        assert said(grey, begins, grey) == "", "as they lie there"
        assert said(grey[[0] * 3], begins, grey) == "", "no whole batches of three"
        assert said(grey[[0, 1, 1, 2]], begins, grey[[0, 1, 1, 2]]) == "", "the file has it twice"
    assert "the same picture" in said(grey[[0, 0]], header, grey)
    assert said(grey[[0, 0]], b"", grey) == "", "bytes without a header may be anything"


def test_memory_that_was_filled() -> None:
    filled = numpy.frombuffer(b"\x07" * 256, "f4").reshape(1, 1, 8, 8).copy()
    filled[0, 0, 0, :2] = 1, 2
    text = overwritten(given(filled))
    assert text is not None and "are 7, as of memory that was filled" in text
    assert other_type(given(filled)) is None, "said already"
    assert overwritten(given(0 * filled)) is None
    same = numpy.frombuffer(b"\x3f" * 256, "f4").reshape(1, 1, 8, 8)
    assert overwritten(given(same)) is None, "all are 0.747, which elements may be"


@pytest.mark.parametrize("kind", ["counts", "addresses", "places"])
@pytest.mark.parametrize("start", [0, 30])
def test_whole_numbers_among_floats(kind: str, start: int) -> None:
    """Memory that was used for counts, or a list of addresses, before its elements were sent."""
    order = numpy.random.default_rng(start)
    words = {
        "counts": order.integers(0, 40, 20),
        "addresses": 70_000 + 24 * order.permutation(20),
        "places": numpy.arange(1, 21),
    }[kind]
    floats = order.random(128).astype("f4")
    sent = floats.copy()
    sent[start : start + 20] = words.astype("<u4").view("<f4")
    assert "are whole numbers (" in str(overwritten(given(sent)))
    assert overwritten(given(floats)) is None
    assert overwritten(given(numpy.where(floats > 0.5, floats, 0).astype("f4"))) is None


@pytest.mark.parametrize("rate", [0.9, 0.5, 0.01])
def test_what_fades_away_is_no_whole_number(rate: float) -> None:
    """Echoes and shares that become as small as a float can be."""
    fading = numpy.concatenate([numpy.ones(64), rate ** numpy.arange(900)]).astype("f4")
    logits = numpy.random.default_rng(7).normal(size=200) * 40
    shares = numpy.exp(logits - logits.max()).astype("f4")
    for right in (fading, fading[::-1].copy(), shares, numpy.sort(shares)):
        assert overwritten(given(right)) is None
