"""The alpha of frames in memory that was sent as a colour."""

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.alpha_sent import alpha_sent
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.origin.matching import Origin
from pywasm_nn.watch.sent.elements import Elements
from tests.watch.whatif_models import encoded

FRAME = numpy.random.default_rng(6).integers(0, 200, (12, 10, 4), "u1")


def wrong(pixels: Any, frame: Any, kind: str, *, planes: bool) -> str:
    elements = encoded(pixels, kind)[None] if kind != "bytes" else pixels[None]
    array = elements.transpose(0, 3, 1, 2) if planes else elements
    return alpha_sent(numpy.ascontiguousarray(array), [("a.bin", b"12"), ("frame.rgba", frame.tobytes())])


@pytest.mark.parametrize("kind", ["unit", "signed", "raw", "imagenet", "bytes"])
@pytest.mark.parametrize("planes", [False, True])
@pytest.mark.parametrize(
    ("alpha", "channels"), [(3, [3, 0, 1]), (3, [3, 2, 1]), (0, [0, 1, 2]), (0, [2, 1, 0])]
)
def test_a_frame_in_another_order(alpha: int, channels: list[int], planes: bool, kind: str) -> None:
    frame = FRAME.copy()
    frame[..., alpha] = 255
    said = wrong(frame[..., channels], frame, kind, planes=planes)
    assert (
        f"channel {channels.index(alpha)} is the {'fourth' if alpha else 'first'} of 4 bytes a pixel" in said
    )
    colours = [place for place in range(4) if place != alpha]
    assert wrong(frame[..., colours], frame, kind, planes=planes) == ""


def test_a_colour_that_is_left_out() -> None:
    frame = FRAME.copy()
    frame[..., 3] = 255
    dark = frame[..., :3].copy()
    dark[..., 1] = 77
    assert wrong(dark, frame, "unit", planes=False) == ""
    assert wrong(FRAME[..., :3] // 255 + frame[..., [3, 0, 1]], FRAME, "unit", planes=True) == ""


@pytest.mark.parametrize(("order", "seen"), [("", True), ("BGR", False)])
def test_a_frame_that_was_found_by_its_other_channels(order: str, seen: bool) -> None:
    """A channel with one value fits any colour, so that a frame is found, in no certain order."""
    frame = FRAME.copy()
    frame[..., 0] = 255
    files = [("frame.bin", frame.tobytes())]
    origins: Any = SimpleNamespace(
        files=lambda *_: files, pictures_read=lambda: 0, sheets=lambda _: iter(()), pictures=list
    )
    found = Origin(Source("frame.bin", frame[..., :3], "", True), (), order=order)
    tensor = Tensor.from_numpy(encoded(frame[..., [0, 1, 2]], "imagenet")[None].astype("f4"))
    said = [one for one in Elements(origins).wrong(0, tensor, found) if one]
    assert any("channel 0 is the first of 4 bytes a pixel" in one for one in said) is seen
