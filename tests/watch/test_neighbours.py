"""Names of the guest's own that are beside those of their classes: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Asked
from pywasm_nn.watch.probes.neighbours import neighbouring
from tests.watch.test_uses_of_answers import asked_of, each

NAMES = ["oak", "elm", "ash", "yew", "fir", "sallow"]
ANSWER = numpy.array([[0.02, 0.04, 0.9, 0.01, 0.02, 0.01]], "f4")


def asked(table: Sequence[str], shift: int, files: Sequence[tuple[str, bytes]] = ()) -> Asked:
    """A guest that says a name of a table of its own, so far behind the class."""
    say = each(lambda row: f"{[*table, '', ''][int(row.argmax()) + shift]} {row.max():.0%}\n")
    found = asked_of(say, ANSWER, files=files)
    found.own_names = lambda count: [table] if len(table) == count else []
    return found


@pytest.mark.parametrize(
    ("table", "shift", "seen"),
    [
        (NAMES, 0, False),
        (NAMES, 1, True),
        (NAMES, -1, True),
        ([*NAMES, "(none)"], 0, False),
        ([*NAMES, "(none)"], 1, True),
        ([*NAMES, "hazel"], 1, False),
        (["background", *NAMES], 1, False),
        (["unknown", *NAMES], 1, False),
        ([*NAMES[1:], "(none)"], -1, False),
    ],
)
def test_names_beside_their_own(table: Sequence[str], shift: int, seen: bool) -> None:
    assert ("is the index off by one?" in neighbouring(asked(table, shift))) is seen


def test_a_background_that_the_model_lacks() -> None:
    """Each class is said by the name of the one before, in a list with one more for the background."""
    for first in ("background", "__background__", "???"):
        found = neighbouring(asked([first, *NAMES], 0))
        assert 'class 2 is said as "elm"' in found and 'class 2 is then "ash"' in found
        assert neighbouring(asked([first, *NAMES], 1)) == neighbouring(asked([first, *NAMES[:-1]], 0)) == ""
    assert neighbouring(asked(["beech", *NAMES], 0)) == ""


def test_a_file_that_says_which_name_is_right() -> None:
    files = [("leaves/ash-3.png", b"\x89PNG")]
    assert "ash-3.png is named so" in neighbouring(asked([*NAMES, "hazel"], 1, files))
    assert neighbouring(asked([*NAMES, "hazel"], 0, files)) == ""
    assert neighbouring(asked(["background", *NAMES], 1, [("elm.png", b"")])) == ""


@pytest.mark.parametrize(
    "heading", ["label", "class_name", "# trees", "Names", "species", "\ufeffVariety", "category:", "Kind"]
)
def test_a_heading_that_is_taken_for_a_name(heading: str) -> None:
    lines = [heading, *NAMES]
    files = [("trees.txt", "\n".join(lines).encode())]
    assert "is a heading" in neighbouring(asked(lines, 0, files))
    assert neighbouring(asked(lines, 1, files)) == ""
