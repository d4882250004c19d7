"""Lines of numbers of which only the first part was copied, since bytes are counted and not elements."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.moves import LinesInPart
from pywasm_nn.watch.sheets.sheet import Sheet, sheet_of

ORDER = numpy.random.default_rng(36)
NUMBERS = ORDER.integers(1, 17, (6, 64))
KEY = (1, "m", 0)


def sheet(numbers: Any, *behind: int) -> Sheet:
    lines = (" ".join(map(str, [*line, *behind])) for line in numbers.tolist())
    found = sheet_of("reading.txt", "\n".join(lines).encode())
    assert found is not None
    return found


def said(sent: list[Any], *sheets: Sheet, dtype: str = "f4") -> list[str]:
    lines = LinesInPart()
    for one in sent:
        flat = numpy.asarray(one, dtype)
        lines.sent(KEY, flat)
        lines.set(KEY, flat, sheets)
    return [*lines.finish()]


def parts(numbers: Any, part: int) -> list[Any]:
    return [numpy.where(numpy.arange(line.size) < part, line, 0) for line in numbers]


@pytest.mark.parametrize(
    ("dtype", "part", "of", "behind"), [("f4", 16, 64, []), ("f8", 8, 64, []), ("f4", 8, 32, [3])]
)
@pytest.mark.parametrize(("factor", "added"), [(1, 0), (1 / 16, 0), (2 / 17, -1)])
def test_a_part_of_each_line(
    factor: float, added: float, dtype: str, part: int, of: int, behind: list[int]
) -> None:
    numbers = NUMBERS[:, :of]
    (hint,) = said(parts(numbers * factor + added, part), sheet(numbers, *behind), dtype=dtype)
    assert hint.startswith("input 0: compared with reading.txt, ")
    assert f"the first {part} of {of} elements alone are those of a line, 1 of {of // part}" in hint


@pytest.mark.parametrize("name", ["whole", "once", "one whole", "other part", "same one", "unknown", "few"])
def test_what_is_no_part(name: str) -> None:
    """A guest that hides parts of a line to see what these are worth, or has lines that end in zeros."""
    ended = parts(NUMBERS, 16)
    sent = {
        "whole": [*NUMBERS],
        "once": ended[:1],
        "one whole": [NUMBERS[0], *ended],
        "other part": [*ended, parts(NUMBERS, 32)[0]],
        "same one": [ended[0]] * 3,
        "unknown": parts(NUMBERS[:, ::-1], 16),
        "few": [one % 2 for one in ended],
    }[name]
    assert said(sent, sheet(NUMBERS)) == []


def test_a_file_whose_lines_end_in_zeros() -> None:
    ended = parts(NUMBERS, 16)
    assert said(ended, sheet(numpy.stack(ended))) == []
