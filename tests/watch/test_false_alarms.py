"""Guests without a mistake that once got a hint, as outside testers found, each with its mistaken twin."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import NN
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor, TensorSpec
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.evidence import Evidence
from pywasm_nn.watch.facts import Compute
from pywasm_nn.watch.hints import values
from pywasm_nn.watch.order.early import Early
from pywasm_nn.watch.order.ended import Ended
from pywasm_nn.watch.origin import decoded, heard
from pywasm_nn.watch.origin.following import Origins
from pywasm_nn.watch.origin.resizing import INTERPOLATIONS
from pywasm_nn.watch.origin.tables import found_in, table_in
from pywasm_nn.watch.origin.vocabulary import looked_up, words_in
from pywasm_nn.watch.trace import Trace
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_hints import FREED, given, hints_of
from tests.watch.test_origin import ppm, scene, wav
from tests.watch.test_sounds import riff
from tests.watch.test_written import WORDS

ORDER = numpy.random.default_rng(12)


def reads(data: bytes, name: str = "a.bin", number: int = 5) -> Any:
    """The host calls of a guest that reads a file."""
    from pywasm_nn.interpreter.runtime.observe import HostEvent

    def event(called: str, **arguments: Any) -> Any:
        return HostEvent("wasi_snapshot_preview1", called, tuple(arguments.items()), 0, None, 0.0)

    return [
        event("path_open", fd=3, path=name, opened=number),
        event("fd_read", fd=number, iovs=[data], nread=len(data)),
    ]


def origins_of(data: bytes, name: str = "a.bin") -> Origins:
    origins = Origins()
    for event in reads(data, name):
        origins.host_call(event)
    return origins


DIGITS = ORDER.integers(0, 17, (10, 8, 8)).astype("u1")
SCENES = [scene(seed, 60, 80) for seed in range(3)]


@pytest.mark.parametrize("number", range(10))
def test_a_file_of_several_pictures(number: int) -> None:
    data = b"".join(b"P5\n8 8\n16\n" + digit.tobytes() for digit in DIGITS)
    origins = origins_of(data)
    rightly = (DIGITS[number] / 16).astype("f4").reshape(1, 1, 8, 8)
    found = origins.of(Tensor.from_numpy(rightly))
    assert found is not None and found.wrong == ""
    assert f"picture {number + 1} of 10" in str(found)
    start = 74 * number + 5
    early = numpy.frombuffer(data[start : start + 64], "u1").astype("f4").reshape(1, 1, 8, 8)
    found = origins.of(Tensor.from_numpy(early))
    assert found is not None and "5 bytes before the first pixel" in found.wrong


@pytest.mark.parametrize("kind", ["ppm", "png"])
def test_large_pictures_in_one_file(kind: str) -> None:
    data = b"".join(ppm(one) if kind == "ppm" else png(one) for one in SCENES)
    origins = origins_of(data)
    for number, one in enumerate(SCENES):
        planes = numpy.ascontiguousarray((one / 255).astype("f4").transpose(2, 0, 1)[None])
        found = origins.of(Tensor.from_numpy(planes))
        assert found is not None and found.wrong == "" and f"picture {number + 1} of 3" in str(found)


def png(pixels: Any) -> bytes:
    """A picture of three channels as PNG, without filters."""
    rows = numpy.pad(pixels.reshape(len(pixels), -1), ((0, 0), (1, 0)))
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")
    made = (
        struct.pack(">I", len(one)) + kind + one + struct.pack(">I", zlib.crc32(kind + one))
        for kind, one in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


TWO = FREED.replace(
    '(export "set") (drop (call $set (i32.const 0)',
    '(export "set") (param $c i32) (drop (call $set (local.get $c)',
).replace(
    '(export "compute") (drop (call $compute (i32.const 0)',
    '(export "compute") (param $c i32) (drop (call $compute (local.get $c)',
)


@pytest.mark.parametrize(
    ("steps", "stale"),
    [
        ("f0 s0 f1 s1 c0 c1 f2 s0 f3 s1 c0 c1", False),
        ("f0 s0 f1 c0 s1 c1", False),  # filled for the other one before compute
        ("f0 s0 f1 s1 c0 c1 f2 c0 c1", True),
        ("f0 s0 f1 c0", True),
        ("f0 s0" + " f1 s1 c1 f2 s1 c1" * 8 + " c0", False),
    ],
)
def test_two_contexts_share_a_buffer(steps: str, stale: bool, tmp_path: Path) -> None:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    guest = TWO.replace(
        "(i32.const 8)))\n",
        "(i32.const 8)))\n    (drop (call $init (i32.load (i32.const 12)) (i32.const 8)))\n", 1,
    )  # fmt: skip
    with Module.from_text(guest).instantiate(nn=nn, observer=trace) as app:
        app.exports.begin()
        for step, number in (step for step in steps.split()):
            if step == "f":
                app.memory.write(0x100, numpy.linspace(0, 1 + int(number) / 4, 8, dtype="f4").tobytes())
            else:
                (app.exports.set if step == "s" else app.exports.compute)(int(number))
    trace.flush()
    assert any("stale" in hint for hint in hints_of(trace)) is stale


def sounding(data: bytes, array: Any) -> Any:
    source = decoded("a.wav", data)
    assert source is not None
    return heard(numpy.asarray(array, "f4")[None], source)


def test_an_array_of_many_columns_is_no_sound_of_many_channels() -> None:
    array, file = numpy.random.default_rng(5).normal(size=(60, 3)).astype("f4"), io.BytesIO()
    numpy.save(file, array)
    source = decoded("run.npy", file.getvalue())
    assert source is not None
    found = heard(array[None], source)
    assert found is not None and found.wrong == ""


def test_a_sound_that_ends_quietly() -> None:
    loud = (128 + 90 * numpy.sin(numpy.arange(474) / 5) * ORDER.uniform(0.3, 1, 474)).round().astype("u1")
    loud[-1] = 140
    quiet = numpy.full(326, 128, "u1")
    unit = (numpy.concatenate([quiet[:100], loud, quiet]) - 128.0) / 128
    data = riff(1, 8, numpy.concatenate([quiet[:100], loud, quiet, loud]).tobytes())
    found = sounding(data, unit)
    assert found.wrong == "" and found.span == (0, 900, 0)
    cut = unit.copy()
    cut[400:] = 0
    assert "from element 400 on it is not the sound" in sounding(data, cut).wrong
    assert "zeros" in sounding(data, numpy.concatenate([unit[:574], numpy.zeros(400)])).wrong


def test_counts_of_words_are_no_words() -> None:
    vocabulary = words_in(
        "\n".join([*WORDS, *(f"word{number}" for number in range(400 - len(WORDS)))]).encode()
    )
    assert vocabulary is not None
    counts = numpy.zeros((1, 400), "i4")
    counts[0, ORDER.choice(400, 12, replace=False)] = 1
    assert looked_up(vocabulary, ["none of them"], counts) is None
    counts[0, 30] = 2
    assert looked_up(vocabulary, ["none of them"], counts) is None
    assert looked_up(vocabulary, ["none of them"], counts[:, :300]) is None
    unknown = numpy.array([[2, *[1] * 12, 3, *[0] * 386]])
    assert "12 words are [UNK]" in str(looked_up(vocabulary, ["none of them"], unknown))


@pytest.mark.parametrize(
    ("headings", "columns", "seen"),
    [
        ("t,x,y,z", (1, 4), False),
        ("id,a,b,y", (1, 4), False),  # nothing but a number of the line was left out
        ("a,b,c,y", (1, 4), True),
        ("x,y,w,h", (1, 4), False),
        ("id,a,b,c,class", (2, 5), True),
    ],
)
def test_a_column_named_y_is_one_of_coordinates(headings: str, columns: Any, seen: bool) -> None:
    numbers = ORDER.uniform(1, 9, (20, headings.count(",") + 1)).round(3)
    data = "\n".join([headings, *(",".join(map(str, row)) for row in numbers.tolist())]).encode()
    table = table_in(data)
    assert table is not None
    found = found_in(table, numbers[4:5, slice(*columns)].astype("f4"))
    assert found is not None and ("which is the answer" in found.wrong) is seen


@pytest.mark.parametrize(
    ("data", "blank"),
    [
        (riff(1, 16, bytes(2000)), True), (riff(1, 8, b"\x80" * 2000), True), (bytes(4000), True),
        (b"P5\n9 9\n255\n" + bytes(81), True), (riff(1, 16, bytes(2000) + b"\1\2"), False),
        (b"some text", False), (b"P5\n9 9\n255\n" + bytes(range(81)), False),
    ],
    ids=["sound", "8 bits", "zeros", "picture", "not silent", "text", "not black"],
)  # fmt: skip
def test_zeros_of_a_silent_file_are_right(data: bytes, blank: bool) -> None:
    evidence = Evidence()
    assert not evidence.read_silence()
    for event in reads(data):
        evidence.host_call(event)
    assert evidence.read_silence() is blank


@pytest.mark.parametrize("same", [True, False])
def test_nothing_is_the_difference_of_equal_pictures(same: bool) -> None:
    evidence = Evidence()
    for shift in (0, 0 if same else 7):
        for event in reads(b"P5\n9 9\n255\n" + bytes(range(shift, shift + 81))):
            evidence.host_call(event)
    assert evidence.read_silence() is same


@pytest.mark.parametrize("silent", [True, False])
def test_a_trace_of_zeros(silent: bool, tmp_path: Path) -> None:
    assert zeros_said([riff(1, 16, bytes(16) if silent else b"\1\2" * 8)], tmp_path) is not silent


@pytest.mark.parametrize("name", ["a.wav", "a.s16"])
def test_zeros_beside_a_sound_ask_for_a_division(name: str) -> None:
    samples = numpy.round(9000 * numpy.sin(numpy.arange(2000) / 9)).astype("<i2").tobytes()
    evidence = Evidence()
    for event in reads(riff(1, 16, samples) if name.endswith("wav") else samples, name):
        evidence.host_call(event)
    compute = Compute((given(numpy.zeros((1, 1600), "f4")),))
    said = values.zeros(compute, evidence.read_sound)
    assert said is not None and f"samples of {name} divided as whole numbers" in said
    assert "divided" not in str(values.zeros(compute)), "nothing was read"


@pytest.mark.parametrize("files", [[], [b"some text"]])
def test_a_row_of_zeros_without_any_file(files: list[bytes], tmp_path: Path) -> None:
    """Such as the counts of words of a text without any that is known."""
    assert zeros_said(files, tmp_path) is bool(files)


def zeros_said(files: list[bytes], tmp_path: Path) -> bool:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (tmp_path / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn", "whatif"])
    with Module.from_text(FREED).instantiate(
        nn=NN(models=tmp_path, backends={"onnx": "numpy"}), observer=trace
    ) as app:
        for data in files:
            for event in reads(data):
                trace.host_call(event)
        app.exports.begin()
        app.exports.set()
        app.exports.compute()
    trace.flush()
    return any("elements are 0" in hint for hint in hints_of(trace))


def test_a_vocabulary_that_is_opened_for_each_word_is_no_text() -> None:
    words = ["[PAD]", "[UNK]", *sorted({f"{one}{other}ing" for one in "abcdgr" for other in "aeiou"})]
    data = "\n".join(words).encode()
    origins = Origins()
    for number in range(4):
        for event in reads(data, "vocab.txt", 5 + number):
            origins.host_call(event)
    ids = numpy.zeros((1, 16), "i8")
    ids[0, :5] = len(words) - 1, 9, 14, 20, 23
    found = origins.of(Tensor.from_numpy(ids))
    assert found is None or not found.wrong


@pytest.mark.parametrize(
    ("models", "read", "dims"),
    [
        (1, False, [1, 1, 2, 4]),
        (2, False, [1, 1, 2, 4]),
        (2, True, [1, 1, 2, 4]),
        (1, True, [1, 8, 1]),
        (1, False, [1, 8, 1]),  # silence
        (1, False, [1, 2, 2, 2]),  # a board without a piece
    ],
)
def test_zeros_that_may_be_meant(models: int, read: bool, dims: list[int], tmp_path: Path) -> None:
    """A trial of several models, and what has no zeros by mistake if the guest read nothing."""
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", dims)}, {"y": ("float32", dims)})
    for name in "mn":
        (tmp_path / f"{name}.onnx").write_bytes(model.data())
    trace = Trace(["nn", "whatif"])
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    with Module.from_text(TWO).instantiate(nn=nn, observer=trace) as app:
        app.memory.write(16, numpy.array([64, len(dims), 1, 256, 32], "<u4").tobytes())
        app.memory.write(64, numpy.array(dims, "<u4").tobytes())
        for event in reads(b"some text") if read else ():
            trace.host_call(event)
        for number in range(models):
            app.memory.write(0, b"mn"[number : number + 1])
            app.exports.begin()
            app.exports.set(number)
            app.exports.compute(number)
    trace.flush()
    is_meant = not read and (models > 1 or dims != [1, 1, 2, 4])
    assert any("elements are 0" in hint for hint in hints_of(trace)) is not is_meant


def opened(files: dict[str, bytes]) -> Origins:
    """What is known after a guest read several files."""
    origins = Origins()
    for name, data in files.items():
        for event in reads(data, name):
            origins.host_call(event)
    return origins


@pytest.mark.parametrize(
    ("names", "is_bare"),
    [
        (("net.xml", "net.bin"), True),
        (("net.bin", "net.xml"), True),
        (("net.xml", "samples.bin"), False),
        (("net.bin",), False),
        (("net.onnx", "net.bin"), False),
    ],
)
def test_weights_beside_a_model_are_no_data(names: Sequence[str], is_bare: bool) -> None:
    assert opened(dict.fromkeys(names, b"\1\2\3\4" * 50)).nothing() is is_bare


def said_of(array: Any, files: dict[str, bytes]) -> str:
    """What is wrong with where an input came from, or that it shows nothing of what was read."""
    tensor, origins = Tensor.from_numpy(numpy.ascontiguousarray(array.astype("f4"))), opened(files)
    found = origins.of(tensor)
    return origins.nothing_of(tensor) if found is None else found.wrong


def test_a_batch_of_pictures_in_files_of_their_own() -> None:
    """The last file's picture is like the first one's, turned."""
    one = scene(7, 64, 64)
    turned = numpy.clip(one[::-1, ::-1] + ORDER.normal(0, 4, one.shape), 0, 255).astype("u1")
    files = {"stop.ppm": ppm(one), "go.ppm": ppm(turned)}
    planes = numpy.stack([one, turned]).transpose(0, 3, 1, 2) / 255
    assert said_of(planes, files) == ""
    assert "turned by 180 degrees" in said_of(planes[:1], {"go.ppm": ppm(turned)})


def thin_lines() -> Any:
    """A page whose neighbouring pixels have nothing in common once it is made smaller."""
    page = numpy.full((512, 512, 1), 255, "u1")
    page[ORDER.random((512, 512, 1)) < 0.3] = 0
    page[::7] //= 3
    return page


def test_grey_pages_of_thin_lines() -> None:
    page = thin_lines()
    small = page[3::8, 3::8, 0] / 255
    assert said_of(numpy.stack([small] * 3)[None], {"page.pgm": ppm(page)}) == ""
    noise = ORDER.random((1, 3, 64, 64))
    assert "neighbours have nothing in common" in said_of(noise, {"page.pgm": ppm(page)})


def test_pictures_of_few_values_that_a_guest_makes() -> None:
    photo = scene(8, 64, 64)
    photo[:10, :10] = 255
    divided = (photo == 255).transpose(2, 0, 1)[None] * 1.0
    assert "divided as whole numbers" in said_of(divided, {"photo.ppm": ppm(photo)})
    ground = numpy.ones((1, 3, 64, 64))
    ground[0, 0, 20:40, 20:40] = 0.3
    assert said_of(ground, {"photo.ppm": ppm(photo)}) == ""


def test_a_header_with_a_comment() -> None:
    pixels = scene(9, 60, 80)
    data = ppm(pixels)
    longer = data[:3] + b"# made by a painting program\n" + data[3:]
    start = len(data) - pixels.size
    early = numpy.frombuffer(longer[start : start + pixels.size], "u1").reshape(pixels.shape)
    made = INTERPOLATIONS["bilinear"](early.astype("f4"), 48, 48).transpose(2, 0, 1)[None] / 255
    assert f"with a comment, and {start} were skipped" in said_of(made, {"a.ppm": longer})
    rightly = INTERPOLATIONS["bilinear"](pixels.astype("f4"), 48, 48).transpose(2, 0, 1)[None] / 255
    assert said_of(rightly, {"a.ppm": longer}) == ""


def grained(seed: int, height: int, width: int) -> Any:
    """A picture whose neighbouring pixels differ, as where the light was poor."""
    grain = numpy.random.default_rng(seed).normal(0, 45, (height, width, 3))
    return numpy.clip(scene(seed, height, width) + grain, 0, 255).astype("u1")


def test_a_grained_picture_is_found_before_itself_read_as_planes() -> None:
    """Read as planes a picture shows itself nine times, as grey."""
    picture = grained(1, 384, 512)
    small = INTERPOLATIONS["bilinear"](picture.astype("f4"), 72, 96)
    grey = numpy.rint(small) @ [0.299, 0.587, 0.114] / 255
    found = opened({"grained.ppm": ppm(picture)}).of(Tensor.from_numpy(grey[None, None].astype("f4")))
    assert found is not None and found.wrong == "" and "resized to 96 x 72, bilinear, grey" in str(found)


def all_said(
    array: Any,
    files: dict[str, bytes],
    rounds: int = 1,
    kind: str = "f4",
    wanted: Any = None,
    *,
    by_turns: bool = False,
) -> list[str]:
    """Returns the hints at a guest that reads files and sends an array, or its parts one by one. `by_turns`:
    it sends each part when it has read one more file. `wanted` is the shape of the model's input."""
    evidence, said, left = Evidence(), [], list(enumerate(files.items(), 5))
    for part in numpy.split(array, rounds) if rounds > 1 else [array]:
        now, left = (left[:1], left[1:]) if by_turns else (left, [])
        for number, (name, data) in now:
            for event in reads(data, name, number):
                evidence.host_call(event)
        tensor = Tensor.from_numpy(numpy.ascontiguousarray(part[0] if rounds > 1 else part, kind))
        spec = TensorSpec("x", tensor.dtype, wanted or tensor.shape)
        event = NNEvent("set_input", "", 0.0, None, None, 1, 1, None, 0, (spec,), (tensor,))
        said += list(evidence.nn_event(event, ()))
    return [text for rule, text in [*said, *evidence.finish()] if rule is not None]


@pytest.mark.parametrize("size", [24, 96])
def test_pixels_divided_as_whole_numbers_are_said_once(size: int) -> None:
    photo = scene(3, size, size)
    lit = numpy.where(photo > 180, 255, photo).astype("u1")
    (said,) = all_said((lit // 255).transpose(2, 0, 1)[None], {"a.ppm": ppm(lit)})
    assert "were they divided as whole numbers" in said
    assert all_said((lit / 255).transpose(2, 0, 1)[None], {"a.ppm": ppm(lit)}) == []


def test_tiles_of_a_sheet_in_a_batch() -> None:
    sheet = numpy.concatenate([scene(seed, 28, 28)[..., :1] for seed in range(6)])
    tiles = (sheet / 255).astype("f4").reshape(6, 1, 28, 28)
    files = {"sheet.pgm": b"P5\n28 168\n255\n" + sheet.tobytes()}
    more = numpy.concatenate([tiles, numpy.zeros_like(tiles[:2])])
    for batch in (tiles, more):
        assert all("top left" not in said for said in all_said(batch, files))
    assert any("top left" in said for said in all_said(tiles[:1], files))


@pytest.mark.parametrize("side", [0, 1])
def test_a_strip_for_a_model_of_any_height(side: int) -> None:
    """The headline of a page is cut out on purpose; a model of one height would have wanted it resized."""
    page = scene(6, 60, 90)
    part = numpy.take(page, range(40), axis=side).transpose(2, 0, 1)[None] / 255
    is_named = [
        any("top left" in said for said in all_said(part, {"page.ppm": ppm(page)}, wanted=wanted))
        for wanted in ((1, 3, "h", "w"), (1, 3, *part.shape[2:]))
    ]
    assert is_named == [False, True]
    corner = part[..., :40, :40]
    found = all_said(corner, {"page.ppm": ppm(page)}, wanted=(1, 3, "h", "w"))
    assert any("top left" in said for said in found)


def test_the_top_left_of_several_pictures() -> None:
    """Of each nothing else is sent: no picture was resized. Tiles are other parts, later ones, too."""
    pair = [scene(seed, 75, 100)[..., :1] for seed in (3, 4)]
    files = {f"{at}.pgm": b"P5\n100 75\n255\n" + one.tobytes() for at, one in enumerate(pair)}

    def said(*places: tuple[int, int]) -> str:
        parts = [pair[which][by : by + 30, by : by + 30].reshape(1, 1, 1, 30, 30) for which, by in places]
        return " ".join(all_said(numpy.concatenate(parts) / 255, files, len(parts)))

    assert "0.pgm, it is only the top left 30 x 30 of 100 x 75" in said((0, 0), (1, 0))
    assert "as little was sent of 1.pgm" in said((0, 0), (1, 0))
    for places in (((0, 0), (0, 40)), ((0, 0), (1, 40)), ((0, 0), (1, 0), (0, 40), (1, 40))):
        assert "top left" not in said(*places)


def test_sides_that_are_multiples() -> None:
    """What networks of any size want: fewer than 32 rows and columns are left out."""
    page = scene(3, 95, 128)
    for rows, seen in ((64, False), (60, True)):
        said = " ".join(all_said(page[None, :rows] / 255, {"page.ppm": ppm(page)}))
        assert ("top left" in said) is seen


def test_words_of_four_bytes_have_no_order_of_their_own() -> None:
    """0xAARRGGBB in memory is B, G, R, A."""
    picture = scene(11, 48, 48)
    alpha = numpy.full((48, 48, 1), 255, "u1")
    data = numpy.concatenate([picture[..., ::-1], alpha], axis=2).tobytes()
    found = opened({"portrait.argb": data}).of(Tensor.from_numpy((picture / 255).astype("f4")[None]))
    assert found is not None and found.wrong == "" and found.order == ""
    found = opened({"portrait.ppm": ppm(picture)}).of(
        Tensor.from_numpy((picture[..., ::-1] / 255).astype("f4")[None])
    )
    assert found is not None and found.order == "BGR"


@pytest.mark.parametrize("seed", range(4))
def test_planes_without_a_header(seed: int) -> None:
    picture = scene(seed, 32, 32)
    planes = (picture / 255).astype("f4").transpose(2, 0, 1)
    in_turn = picture.transpose(2, 0, 1).tobytes()
    assert said_of(planes[None], {"sign.chw": in_turn}) == ""
    assert said_of(planes[None], {"sign.rgb": picture.tobytes()}) == ""
    mistaken = numpy.frombuffer(in_turn, "u1").reshape(32, 32, 3).transpose(2, 0, 1)[None] / 255
    assert "channel after channel was taken for pixel after pixel" in said_of(mistaken, {"sign.chw": in_turn})


def test_grey_is_meant() -> None:
    picture = scene(12, 48, 48)
    colours = (picture / 255).astype("f4")[None]
    grey = numpy.repeat(colours @ numpy.array([[0.299], [0.587], [0.114]], "f4"), 3, axis=3)
    files = {"stop.ppm": ppm(picture)}
    for sent in ([colours, grey], [grey, grey]):
        assert all("same grey" not in said for said in all_said(numpy.stack(sent), files, rounds=2))


@pytest.mark.parametrize(("seed", "ground"), [(0, [90, 160, 200]), (4, [150, 146, 120])])
def test_hue_and_saturation_are_not_said_to_be_luma(seed: int, ground: list[int]) -> None:
    """Of a sign of two colours, hue, saturation and value may lie near some line over Y, Cb and Cr, too."""
    rows, columns = numpy.mgrid[:64, :64]
    sign = numpy.where((rows - 32) ** 2 + (columns - 32) ** 2 < 600, 1.0, 0.0)[..., None]
    picture = (sign * [30, 70, 170] + (1 - sign) * ground + scene(seed, 64, 64) / 9).clip(0, 255).astype("u1")
    small = picture.reshape(32, 2, 32, 2, 3).mean(axis=(1, 3)).astype("u1").astype("f4")
    red, green, blue = (small[..., channel] for channel in range(3))
    high, low = small.max(axis=2), small.min(axis=2)
    span = numpy.maximum(high - low, 1)
    hue = numpy.where(
        high == red,
        (green - blue) / span,
        numpy.where(high == green, 2 + (blue - red) / span, 4 + (red - green) / span),
    )
    made = numpy.stack([hue % 6 * 30, 255 * (high - low) / high, high], 2).astype("u1") / 255
    said = said_of(made.transpose(2, 0, 1)[None], {"sign.ppm": ppm(picture)})
    assert "Cb" not in said and ("hue, saturation and value" in said) is (seed == 4)


def test_a_picture_with_all_its_four_channels() -> None:
    """A model may want alpha, too, which is 255 throughout."""
    pixels = numpy.concatenate([scene(2, 64, 64), numpy.full((64, 64, 1), 255, "u1")], 2)
    half = (pixels[::2, ::2] / 255).transpose(2, 0, 1)[None]
    assert all_said(half, {"a.rgba": pixels.tobytes()}) == []
    three = (pixels[..., :3] / 255).transpose(2, 0, 1)[None]
    three[0, 2] = 1
    said = all_said(three, {"a.ppm": ppm(pixels[..., :3])})
    assert any("was alpha taken for a colour" in one or "is not the picture" in one for one in said)


@pytest.mark.parametrize(
    ("turned", "seen"),
    [
        (numpy.rot90, False),
        (lambda pixels: numpy.rot90(pixels, -1), False),
        (lambda pixels: pixels.swapaxes(0, 1), False),
        (lambda pixels: pixels[::-1], True),
    ],
)
def test_a_picture_that_was_turned_on_purpose(turned: Any, seen: bool) -> None:
    """A camera's tag says how to turn it, or the model wants columns, unless it says the opposite."""
    pixels = scene(4, 60, 80)
    planes = (turned(pixels) / 255).transpose(2, 0, 1)[None]
    found = all_said(numpy.ascontiguousarray(planes), {"a.ppm": ppm(pixels)})
    assert any("the picture is" in said for said in found) is seen


def test_channels_of_a_sound_row_by_row() -> None:
    """Their sum would run over in 16 bits, and is like either."""
    left = (numpy.sin(numpy.arange(6000) / 9) * 20000).astype("i2")
    both = numpy.stack([left, (left * 0.9 + ORDER.normal(0, 300, 6000)).astype("i2")], 1)
    data = {"a.wav": wav(both)}
    rows = both[:4096].T[None] / 32768
    assert all_said(rows, data) == []


@pytest.mark.parametrize("part", [slice(4, 404), slice(0, 4096)])
def test_one_of_two_channels_that_are_alike(part: slice) -> None:
    """Where they are soft, their sum is like either, too."""
    left = (numpy.sin(numpy.arange(6000) / 9) * numpy.linspace(6000, 24000, 6000)).astype("i2")
    both = numpy.stack([left, (left * 0.9766).astype("i2")], 1)
    assert all_said(both[part, 0][None] / 32768, {"a.wav": wav(both)}) == []


@pytest.mark.parametrize("shape", [(), (1,), (0,), (1, 0), (1, 1, 1, 1), (2, 1), (1, 1, 0, 3)])
@pytest.mark.parametrize("kind", ["f4", "f8", "i8", "i4", "u1", "?"])
@pytest.mark.parametrize("value", [0, 1])
def test_shapes_of_few_elements(shape: tuple[int, ...], kind: str, value: int) -> None:
    files = {
        "words.txt": "\n".join(WORDS).encode(), "a.txt": b"The cat sat.", "t.csv": b"a,b\n1,2\n3,4\n",
        "a.wav": wav(numpy.zeros(400, "i2")), "a.ppm": ppm(scene(1, 20, 20)), "n.bin": bytes(range(1, 65)),
    }  # fmt: skip
    assert all_said(numpy.full(shape, value), files, kind=kind) == []


@pytest.mark.parametrize(("rate", "words"), [(44100, "samples at 44,100 Hz were not resampled"), (16000, "")])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_sound_as_it_is_is_seen_without_a_search(rate: int, words: str, channels: int) -> None:
    """Copies of the guest may have taken all of the time after another sound."""
    order = numpy.random.default_rng(channels)
    samples = (9000 * order.normal(0, 0.3, (5000, channels))).round()
    budget = Budget()
    budget.spend(1000)
    origins = Origins((), budget)
    for event in reads(wav(samples if channels > 1 else samples[:, 0], rate), "a.wav"):
        origins.host_call(event)
    sent = (samples.mean(axis=1) / 32768).astype("f4")
    found = origins.of(Tensor.from_numpy(sent[None, :4000]))
    assert found is not None and found.span == (0, 4000, 0) and found.wrong.startswith(words)
    assert bool(found.wrong) is bool(words)
    for other in (sent[None, 500:4500], order.normal(0, 0.1, (1, 4000)).astype("f4")):
        assert origins.of(Tensor.from_numpy(numpy.ascontiguousarray(other))) is None


def test_a_trace_that_is_flushed_again_says_no_more() -> None:
    """What a further rule says follows from what was said."""
    evidence = Evidence()
    said = [[("answer", "first")], [("answer", "second")]]
    with (
        mock.patch.object(Early, "finish", side_effect=lambda: said.pop(0) if len(said) == 2 else []),
        mock.patch.object(Ended, "finish", side_effect=lambda: said[-1]),
    ):
        assert [*evidence.finish()] == [("answer", "first")]
        assert [*evidence.finish()] == []


def test_the_top_left_when_copies_took_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later pictures are then compared only with the cut of the first one. Nothing is said if one of them was
    cut in another way."""
    several = [scene(seed, 60, 60)[..., :1] for seed in range(3, 7)]
    files = {f"{at}.pgm": b"P5\n60 60\n255\n" + one.tobytes() for at, one in enumerate(several)}

    known: list[str] = []
    with_all, own = reads, Budget._left

    def said(places: Sequence[int]) -> str:
        known.clear()
        monkeypatch.setitem(globals(), "reads", lambda data, *name: known.append("") or with_all(data, *name))
        monkeypatch.setattr(Budget, "_left", lambda *given: own(*given) if len(known) < 2 else 0.0)
        parts = [one[by : by + 30, by : by + 30] for one, by in zip(several, places, strict=True)]
        return " ".join(all_said(numpy.stack(parts)[:, None] / 255, files, len(parts), by_turns=True))

    assert "0.pgm, it is only the top left 30 x 30 of 60 x 60" in (text := said((0, 0, 0, 0)))
    assert "as little was sent of 1.pgm" in text
    for places in ((0, 7, 9, 20), (0, 30, 0, 0)):
        assert "top left" not in said(places)
