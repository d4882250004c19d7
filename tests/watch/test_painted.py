"""Pictures that guests write to files, made of answers. Each mistake has right twins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.written.painted import Painted
from pywasm_nn.watch.written.pixels import Answer, cut_off, miscoloured
from tests.watch.test_origin import scene

WHOLE = scene(4, 48, 64)[..., 0]
TILES = [(row, column) for row in range(3) for column in range(2)]


def pgm(array: Any, width: int, height: int) -> bytes:
    return f"P5\n{width} {height}\n255\n".encode() + numpy.clip(array, 0, 255).astype("u1").tobytes()


def hint(rounds: list[tuple[Any, Any]], data: bytes, read: bytes = b"") -> str:
    """The hint about inputs and answers, and a file that is written at the end."""
    painted, spec = Painted(lambda: [("read.pgm", read)]), SimpleNamespace(name="clean")

    def call(name: str, *arguments: tuple[str, Any]) -> None:
        event: Any = SimpleNamespace(name=name, error=None, arguments=arguments, result=0)
        painted.host_call(event)

    for given, answer in rounds:
        for operation, array in (("set_input", given), ("get_output", answer)):
            tensors = (Tensor.from_numpy(array[None, None].astype("f4")),)
            event: Any = SimpleNamespace(
                operation=operation, index=0, tensors=tensors, error=None, context_id=0, specs=(spec,)
            )
            painted.nn_event(event)
    call("path_open", ("path", "out.pgm"), ("opened_fd", 7))
    for start in range(0, len(data), 1000):
        call("fd_write", ("fd", 7), ("ciovs", [data[start : start + 1000]]))
    return "; ".join(text for _, text in painted.finish())


def tile(picture: Any, row: int, column: int) -> Any:
    return picture[row * 16 :, column * 32 :][:16, :32]


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (0, 2, 1, 3, 4, 5), (5, 4, 3, 2, 1, 0)])
def test_tiles_are_put_back_where_they_were(order: tuple[int, ...]) -> None:
    smooth = 0.9 * WHOLE + 9
    rounds = [(tile(WHOLE, *place) / 255, tile(smooth, *place) / 255) for place in TILES]
    made = numpy.zeros_like(smooth)
    for place, at in zip(TILES, order, strict=True):
        tile(made, *TILES[at])[:] = tile(smooth, *place)
    found = hint(rounds, pgm(made, 64, 48), pgm(WHOLE, 64, 48))
    assert ("at another place than they were cut from" in found) is (order != (0, 1, 2, 3, 4, 5))
    assert hint(rounds, pgm(made, 64, 48)) == "", "of no other picture is known how it lay there"


def written_as(array: Any, data: bytes) -> str:
    answer = Answer.of("output 0", Tensor.from_numpy(numpy.ascontiguousarray(array.astype("f4"))))
    assert answer is not None
    picture = numpy.frombuffer(data, "u1") if len(data) == array.size else numpy.zeros(4, "u1")
    return miscoloured(picture, answer) or cut_off(data, answer)


@pytest.mark.parametrize("planar", [True, False])
def test_planes_of_colours(planar: bool) -> None:
    picture = scene(6, 40, 56).astype("u1")
    planes = picture.transpose(2, 0, 1)
    data = (planes if planar else picture).tobytes()
    assert ("plane after plane" in written_as(planes[None] / 255, data)) is planar
    assert written_as(picture[None] / 255, picture.tobytes()) == ""


def test_grey_planes_below_each_other() -> None:
    """A guest writes three maps of a model as one tall picture."""
    maps = scene(6, 40, 56).transpose(2, 0, 1)
    assert hint([(maps[0] / 255, maps / 255)], pgm(maps, 56, 120)) == ""
    colours = pgm(maps, 56, 40).replace(b"P5", b"P6")
    assert "plane after plane" in hint([(maps[0] / 255, maps / 255)], colours)


def test_files_of_elements() -> None:
    elements = numpy.random.default_rng(1).normal(size=(1, 40)).astype("f4")
    data = elements.tobytes()
    assert "were elements counted" in written_as(elements, data[:40])
    assert "was it that of a pointer?" in written_as(elements, data[:4])
    for other in (data, data[:80], data[4:8], b"", elements.astype("f2").tobytes()[:40]):
        assert written_as(elements, other) == ""


@pytest.mark.parametrize("by", [255, 1])
@pytest.mark.parametrize("clamped", [True, False])
def test_elements_beyond_black_and_white(by: int, clamped: bool) -> None:
    elements = numpy.random.default_rng(by).normal(0.5, 0.3, WHOLE.shape) * 255
    written = numpy.clip(elements, 0, 255) if clamped else numpy.trunc(elements).astype("i4") % 256
    found = hint([(WHOLE, elements / by)], pgm(written, 64, 48))
    assert ("made 0 or 255 before (clamped)" in found) is not clamped


@pytest.mark.parametrize(
    ("written", "width", "height", "seen"),
    [
        (WHOLE, 64, 48, False),
        (WHOLE, 48, 64, True),
        (WHOLE.T, 48, 64, False),
        (255.0 * (WHOLE > 120), 48, 64, True),
        (255.0 * (WHOLE < 120), 64, 48, False),
        (scene(8, 64, 48)[..., 0], 48, 64, False),
        (0 * WHOLE, 48, 64, False),
    ],
)
def test_width_and_height_of_a_map(written: Any, width: int, height: int, seen: bool) -> None:
    found = hint([(WHOLE, WHOLE / 255)], pgm(written, width, height))
    assert ("are width and height exchanged?" in found) is seen
    assert seen or not found
