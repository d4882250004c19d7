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
        (("before", "after"), ("shelf_1000.pgm", "shelf_0900.pgm")),
        (("img_prev", "img_next"), ("cam/2026-06-01.png", "cam/2026-05-31.png")),
        (("later", "earlier"), ("frame09.pgm", "frame10.pgm")),
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
        (("before", "after"), ("shelf2.pgm", "shelf1.pgm")),
        (("before", "after"), ("shelf_900.pgm", "shelf_1000.pgm")),
        (("before", "after"), ("cam2_1000.pgm", "cam1_0900.pgm")),
        (("left", "right"), ("shelf_1000.pgm", "shelf_0900.pgm")),
        (("before", "after"), ("shelf_after.pgm", "table_before.pgm")),
        (("before", "after"), ("after.pgm", "after.pgm")),
    ],
)
def test_names_that_say_nothing(inputs: tuple[str, str], files: tuple[str, str]) -> None:
    assert not contradicted(*inputs, files)
