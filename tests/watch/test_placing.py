"""Where a picture lies in an input, of a place that is only nearly right."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.locating import Place
from pywasm_nn.watch.origin.matching import traced
from pywasm_nn.watch.origin.placing import geometry_of
from tests.watch.test_origin import scene


@pytest.mark.parametrize("squeezed", [1.0, 1.2])
@pytest.mark.parametrize(("height", "width"), [(192, 256), (150, 320), (427, 640), (640, 480), (333, 250)])
@pytest.mark.parametrize("input_", [128, 192, 640])
def test_a_picture_between_bars_keeps_its_shape(
    input_: int, height: int, width: int, squeezed: float
) -> None:
    """If it nearly does; one that is squeezed on purpose stays so."""
    random = numpy.random.default_rng(input_ + height)
    scale = max(height, width) / input_
    sides = [round(height / scale), round(width / scale)]
    sides[sides.index(min(sides))] = round(min(sides) / squeezed)
    bars = [(input_ - side) // 2 for side in sides]
    for off in random.uniform(-0.01, 0.01, (12, 2)):
        # The middle of the input is found in the picture, a little too large or small.
        steps = height / sides[0] * (1 + off[0]), width / sides[1] * (1 + off[1])
        middle = (height / 2, width / 2)
        begin = [at - step * input_ / 2 for at, step in zip(middle, steps, strict=True)]
        place = Place(begin[0], begin[1], steps[0] * input_, steps[1] * input_)
        geometry, _ = geometry_of(place, (slice(None), slice(None)), (height, width), (input_, input_))
        assert geometry is not None
        if squeezed == 1.0:
            assert (*geometry.size, *geometry.place) == (*sides, *bars)
        else:
            assert min(geometry.size) < 0.9 * round(min(height, width) / scale)


@pytest.mark.parametrize("more", [(1, 1), (2, 1), (0, 1), (3, 0), (4, 5)])
@pytest.mark.parametrize("order", [1, -1])
def test_a_crop_of_nearly_all_is_no_resizing(more: tuple[int, int], order: int) -> None:
    """The middle without a row or two was not squeezed, so its channels are told exactly."""
    height, width = 224 + more[0], 224 + more[1]
    shown = scene(5, height, width)
    source = Source("bird.bmp", shown, "", is_picture=True)
    cut = shown[more[0] // 2 :, more[1] // 2 :][:224, :224, ::order]
    found = traced(cut[None].copy(), source)
    assert found is not None
    assert found.apart < 0.01 and found.wrong == ""
    assert found.order == "RGB"[::order]
