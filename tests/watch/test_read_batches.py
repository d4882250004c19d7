"""Answers to several inputs, of which guests read the rows at other places, in copies of the process."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy
import pytest

from tests.watch.test_probes import hints

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of the process are made on Linux")

ROWS, CLASSES = 4, 6
LOOP = """(loop $next
  {said}
  {between}
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $next (i32.lt_u (local.get $i) (i32.const 4))))"""
BEST = """(call $decimal (call $best
    (i32.add (i32.const 65536) (i32.mul (local.get $i) (i32.const {distance}))) (i32.const {count})))"""
EACH = LOOP.replace("{said}", BEST)
LINE, COMMA = "(call $byte (i32.const 10))", "(call $byte (i32.const 44))"


ROW_DISTANCES = {
    24: "",
    20: "as if its rows had 5 elements; they have 6",
    28: "as if its rows had 7 elements",
    4: "begin one element after the other",
}
"""Bytes from one row to the next: what is said."""
ALWAYS = [(24, COMMA), (20, LINE), (28, ""), (4, LINE)]
"""Distances and what stands between answers; the others are tried among the slow tests."""


@pytest.mark.parametrize(
    ("distance", "between"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] * (case not in ALWAYS))
        for case in product(ROW_DISTANCES, [LINE, COMMA, ""])
    ],
)
def test_rows_of_a_batch(distance: int, between: str, tmp_path: Path) -> None:
    said = ROW_DISTANCES[distance]
    array = numpy.full((ROWS, CLASSES), 0.02, "<f4")
    array[numpy.arange(ROWS), [2, 3, 0, 1]] = 0.9
    text, found = hints(tmp_path, array, EACH.format(distance=distance, between=between, count=CLASSES))
    assert len(text.strip()) >= ROWS
    assert (said in found) if said else found == ""


def test_elements_of_inputs_in_turns(tmp_path: Path) -> None:
    array = numpy.random.default_rng(2).random((5, 3)).astype("<f4")
    across = EACH.format(distance=12, between=LINE, count=3).replace("i32.const 4)", "i32.const 5)")
    assert hints(tmp_path, array, across)[1] == ""
    down = across.replace("(i32.const 12)", "(i32.const 4)")
    assert "came first, then the second ones" in hints(tmp_path, array, down, step=20)[1]


def test_answers_of_which_one_is_said(tmp_path: Path) -> None:
    array = numpy.random.default_rng(2).random((4, 6)).astype("<f4")
    assert hints(tmp_path, array, EACH.format(distance=0, between=LINE, count=6))[1] == ""


SCORES = numpy.random.default_rng(2).random((4, 3)).astype("<f4")


@pytest.mark.parametrize(("count", "said"), [(3, ""), (2, "does the search end too early?")])
def test_a_search_that_leaves_the_last_class_out(count: int, said: str, tmp_path: Path) -> None:
    found = hints(tmp_path, SCORES, EACH.format(distance=12, between=LINE, count=count))[1]
    assert (said in found) if said else found == ""


def test_a_guest_may_say_the_last_of_equal_classes(tmp_path: Path) -> None:
    after = EACH.format(distance=12, between=LINE, count=3)
    assert hints(tmp_path, SCORES, after, greater="f32.ge")[1] == ""


def test_the_last_number_of_points_may_be_left_out(tmp_path: Path) -> None:
    percent = "(call $decimal (i32.trunc_f32_u (f32.mul (f32.const 100) (f32.load offset={} {}))))"
    address = "(i32.mul (local.get $i) (i32.const 12))"
    two = f"{percent.format(65536, address)} {COMMA} {percent.format(65540, address)}"
    assert hints(tmp_path, SCORES, LOOP.format(said=two, between=LINE))[1] == ""
