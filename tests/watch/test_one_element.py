"""Inputs all elements of which are made of one pixel or number."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.sent.one_element import OneElement
from tests.watch.test_origin import ppm, scene

PHOTO = scene(4, 20, 20).clip(0, 255).astype("u1")
PHOTO[0, 0] = 90, 141, 33
TABLE = b"x,y,z,w\n4.7,3.2,1.3,0.2\n5.1,2.9,0.4,0.9\n"


def hints(*sent: Any, is_stuck: bool = False) -> list[str]:
    source = decoded("a.ppm", ppm(PHOTO))
    rule = OneElement(lambda _: source, lambda: [("t.csv", TABLE)], Budget(), lambda: is_stuck)
    for one in sent:
        rule.set(0, "x", Tensor.from_numpy(one.astype("f4")))
    assert rule.is_known is bool([*rule.finish()])
    return [*rule.finish()]


@pytest.mark.parametrize(
    "make", [lambda pixel: pixel / 255, lambda pixel: 1 - pixel / 127.5, lambda pixel: pixel]
)
def test_the_first_pixel_each_time(make: Any) -> None:
    same = make(numpy.broadcast_to(PHOTO[0, 0].astype("f8"), (1, 10, 10, 3)))
    found = hints(same, same)
    assert len(found) == 1 and "as of its first pixel" in found[0]
    assert hints(same, make(PHOTO[None])) == hints(same + 0.01) == []


def test_zeros_by_the_guest_s_loop() -> None:
    black = numpy.zeros((1, 1, 10, 10))
    assert hints(black) == []
    assert "loads its bytes from one address" in hints(black, is_stuck=True)[0]
    assert hints(black, PHOTO[None, None, :10, :10, 0], is_stuck=True) == []


def test_the_first_number_each_time() -> None:
    assert "all elements are 4.7, the first number of t.csv" in hints(numpy.full((1, 4), 4.7))[0]
    assert hints(numpy.full((1, 4), 4.8)) == hints(numpy.array([[4.7, 3.2, 1.3, 0.2]])) == []


def test_the_first_pixel_in_bytes() -> None:
    source = decoded("a.ppm", ppm(PHOTO))
    for kind, words in (("u1", "as of its first pixel"), ("i1", "")):
        rule = OneElement(lambda _: source, lambda: [("t.csv", TABLE)], Budget(), lambda: False)
        same = numpy.broadcast_to(PHOTO[0, 0], (1, 10, 10, 3)) if words else numpy.ones((1, 10, 10, 3))
        rule.set(0, "x", Tensor.from_numpy(numpy.ascontiguousarray(same.astype(kind))))
        said = "".join(rule.finish())
        assert words in said and bool(said) == bool(words)
