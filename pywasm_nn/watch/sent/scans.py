"""Inputs that show a slice of a DICOM file: stored numbers taken for Hounsfield units, and windows whose
centre and width were taken for something else.

What is here: `misread_scan`. What is not: reading the file (`origin/dicom.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..origin.dicom import Scan, scan_in
from .grids import rows_of

MOST_BYTES, MOST_FILES = 1 << 22, 4
LEVELS, NEAR = 3, 0.006
"""So many different elements, and how far they may be from what is calculated, in parts of their range."""
USUAL = ((40.0, 80.0), (40.0, 400.0), (50.0, 350.0), (-600.0, 1500.0), (480.0, 2500.0), (300.0, 1500.0))
"""The centres and widths of usual windows: brain, soft parts, belly, lung, bone."""


def misread_scan(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input that shows a whole slice, or "" if nothing is known to be wrong."""
    rows, _ = rows_of(tensor)
    if rows is None or len(numpy.unique(rows)) < LEVELS:
        return ""
    own = (rows - rows.min()) / numpy.ptp(rows)
    for name, data in [one for one in reversed(files) if len(one[1]) <= MOST_BYTES][:MOST_FILES]:
        scan = scan_in(data)
        if scan is None or (scan.rows, scan.columns) != rows.shape:
            continue
        for wrong, made in ways(scan):
            if is_same(own, made):
                return wrong and f"compared with {name}, {wrong}"
    return ""


def is_same(own: Any, made: Any) -> bool:
    """Whether elements from 0 to 1 are others in their range, or the darker the brighter these are."""
    if not numpy.ptp(made):
        return False
    there = (made - made.min()) / numpy.ptp(made)
    return bool(min(numpy.abs(own - there).max(), numpy.abs(own + there - 1).max()) <= NEAR)


def ways(scan: Scan) -> Iterator[tuple[str, Any]]:
    """The slice as the model wants it, with "", and then as each mistake makes it, with the mistake."""
    stored = scan.numbers()
    amounts = stored * scan.slope + scan.intercept
    windows = dict.fromkeys((*scan.windows, *USUAL))
    yield "", stored
    for window in windows:
        for ends in ends_of(window):
            yield "", cut(amounts, ends)
    for window in windows:
        said = f"centre {window[0]:g}, width {window[1]:g}"
        low, high = next(ends_of(window))
        for wrong, other in others(scan, stored):
            yield f"{wrong} (window with {said})", cut(other, (low, high))
    for centre, width in scan.windows:
        named = f"the file's window has its centre at {centre:g} and a width of {width:g}"
        right = f"it reaches from {centre - width / 2:g} to {centre + width / 2:g}"
        for taken, ends in {
            "centre and width were taken for its ends": (centre, width),
            "the centre was taken for its lower end": (centre, centre + width),
            "the width was taken for half of it": (centre - width, centre + width),
            "the width was taken for its upper end": (0.0, width),
        }.items():
            if ends[0] < ends[1]:
                yield f"{named}, so that {right}; {taken} ({ends[0]:g} to {ends[1]:g})", cut(amounts, ends)


def others(scan: Scan, stored: Any) -> Iterator[tuple[str, Any]]:
    """Amounts as mistakes make them of stored numbers, with what is wrong."""
    slope, intercept = scan.slope, scan.intercept
    if intercept:
        said = f"its stored numbers were taken for amounts (such as Hounsfield units): {intercept:g}, the "
        said += "file's intercept,"
        yield f"{said} was not added", stored * slope
        yield f"{said} was taken away, not added", stored * slope - intercept
    if slope != 1:
        said = f"its stored numbers were not multiplied by the file's slope {slope:g}"
        yield said, stored + intercept
        yield f"{said}, and its intercept {intercept:g} was not added", stored
    if scan.bits == 16:
        sign, other = ("i", "u") if scan.is_signed else ("u", "i")
        words = {"i": "signed", "u": "unsigned"}
        swapped = scan.numbers(f">{sign}2") * slope + intercept
        yield "the two bytes of each stored number were read in the opposite order", swapped
        turned = scan.numbers(f"<{other}2") * slope + intercept
        if (turned != stored * slope + intercept).any():
            yield f"its stored numbers are {words[sign]}, and were read as {words[other]}", turned


def ends_of(window: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Both ends of a window, also as the standard counts them."""
    centre, width = window
    yield centre - width / 2, centre + width / 2
    if width > 1:
        yield centre - 0.5 - (width - 1) / 2, centre - 0.5 + (width - 1) / 2


def cut(numbers: Any, ends: tuple[float, float]) -> Any:
    return numbers.clip(*ends)
