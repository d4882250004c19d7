"""Pixels that were divided as whole numbers."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget, never
from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.sent.divided import Divided
from tests.watch.test_origin import ppm, scene

PHOTO = scene(3, 40, 40).clip(0, 254)
LIT = numpy.where(PHOTO > 180, 255, PHOTO).astype("u1")
MEAN, DEVIATION = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])


def hints(photo: Any, *sent: Any) -> list[str]:
    source = decoded("a.ppm", ppm(photo.astype("u1")))
    divided = Divided(lambda _: source, Budget())
    said = [text for one in sent for text in divided.set(0, "x", Tensor.from_numpy(one.astype("f4")[None]))]
    return [*said, *divided.finish()]


@pytest.mark.parametrize(
    "make",
    [
        lambda whole: 2.0 * whole - 1, lambda whole: (whole - MEAN) / DEVIATION, lambda whole: whole - 0.5,
        lambda whole: ((whole - MEAN) / DEVIATION).transpose(2, 0, 1),
    ],
)  # fmt: skip
def test_nothing_but_black(make: Any) -> None:
    found = hints(PHOTO, make(PHOTO // 255))
    assert len(found) == 1 and "as of a black picture, and a.ppm is none" in found[0]
    assert hints(PHOTO, make(PHOTO // 255), make(PHOTO / 255)) == []  # a warm-up
    assert hints(PHOTO * 0, make(PHOTO // 255)) == hints(LIT, make(LIT // 255 * 0)) == []


@pytest.mark.parametrize("make", [lambda whole: 1.0 * whole, lambda whole: 2.0 * whole - 1])
def test_black_and_white_only(make: Any) -> None:
    found = hints(LIT, make(LIT // 255))
    assert len(found) == 1 and "are the larger one where pixels of a.ppm are 255" in found[0]
    assert hints(LIT, make(LIT > 100)) == hints(PHOTO, make(PHOTO // 200)) == []


@pytest.mark.parametrize("size", [40, 16, 25])
@pytest.mark.parametrize("half", [0, 1])
def test_black_and_white_in_another_size(size: int, half: int) -> None:
    taken = (2 * numpy.arange(size) + half) * 40 // (2 * size)
    small = LIT[taken][:, taken]
    found = hints(LIT, ((small // 255 - MEAN) / DEVIATION).transpose(2, 0, 1))
    assert len(found) == 1 and "2 different values in each channel" in found[0]
    assert hints(LIT, ((small > 100) - MEAN) / DEVIATION) == []


def test_other_elements() -> None:
    for same in (0.0, 0.25, -1.5):
        assert hints(PHOTO, numpy.full(PHOTO.shape, same)) == []
    assert hints(PHOTO, PHOTO / 255, PHOTO.astype("f4") / 127.5 - 1) == []


def test_black_again_when_there_is_no_more_time() -> None:
    source, budget = decoded("a.ppm", ppm(PHOTO.astype("u1"))), Budget()
    divided, black = Divided(lambda _: source, budget), 2.0 * (PHOTO // 255) - 1
    sent = [Tensor.from_numpy(one.astype("f4")[None]) for one in (black, PHOTO / 127.5 - 1)]
    assert [*divided.set(0, "x", sent[0])] == [] and divided.is_known
    budget.comparing = lambda: nullcontext(never)  # type: ignore[method-assign,assignment]
    assert [*divided.set(0, "x", sent[0])] == [] and divided.is_known
    assert [*divided.set(0, "x", sent[1])] == [] and not divided.is_known
