"""Inputs that got each other's file, by the words in their names."""

from __future__ import annotations

import pytest

from pywasm_nn.watch.order.crossed import contradicted


@pytest.mark.parametrize(
    ("inputs", "files"),
    [
        (("before", "after"), ("shelf_after.pgm", "shelf_before.pgm")),
        (("after", "before"), ("shelf_old.pgm", "shelf_new.pgm")),
        (("img_left", "img_right"), ("im-r.ppm", "im-l.ppm")),
        (("content", "style"), ("style.png", "content.png")),
    ],
)
def test_each_has_the_file_of_the_other(inputs: tuple[str, str], files: tuple[str, str]) -> None:
    assert contradicted(*inputs, files)
    assert not contradicted(*inputs, files[::-1])


@pytest.mark.parametrize(
    ("inputs", "files"),
    [
        (("image1", "image2"), ("face2.pgm", "face1.pgm")),
        (("before", "after"), ("left.pgm", "right.pgm")),
        (("before", "after"), ("shelf_after.pgm", "table_before.pgm")),
        (("before", "after"), ("after.pgm", "after.pgm")),
    ],
)
def test_names_that_say_nothing(inputs: tuple[str, str], files: tuple[str, str]) -> None:
    assert not contradicted(*inputs, files)
