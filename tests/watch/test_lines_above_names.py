"""Lists of names that begin with a comment or a heading."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.watch.classes import classes_in, lists_for, other_name

NAMES = ["austria", "belgium", "estonia", "france", "ireland", "norway", "poland"]
NUMBERS = numpy.array([0.0, -2.5, -2.0, 4.0, -3.0, 0.5, 0.7], "f4")


@pytest.mark.parametrize(
    "above", [["# flags of countries"], ["// one", "// two"], ["label"], ["; a list", "Class Name"]]
)
def test_a_line_that_is_taken_for_a_name(above: list[str]) -> None:
    data = "\n".join([*above, *NAMES]).encode()
    (found,) = lists_for([("flags.txt", data)], len(NAMES))
    assert other_name(found, NUMBERS, "it is france") == ""
    said = other_name(found, NUMBERS, f"it is {NAMES[3 - len(above)]}")
    assert 'which is "france" in flags.txt' in said
    assert "no name" in said


@pytest.mark.parametrize("lines", [["#ff0000", "#00ff00", "#0000ff"], ["# a", "# b", "# c"], NAMES])
def test_lists_without_one(lines: list[str]) -> None:
    found = classes_in("list.txt", "\n".join(lines).encode())
    assert found is None or (found.above == () and len(found.names) == len(lines))
