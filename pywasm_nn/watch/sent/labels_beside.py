"""Labels of the pictures of an IDX file, in the file of labels that lies beside it, as those of MNIST do.

What is here: `label_beside`. What is not: names of files as labels (`depicted.py`).
"""

from __future__ import annotations

from pathlib import Path

from ...records import Frozen
from ..depicted import Depicted
from ..origin import Origin
from ..regex import regex

HEADER, BEGINS = 8, b"\0\0\x08\x01"
MOST = 1 << 20
PICTURE = regex(r"picture (\d+)")
OTHER = (("images", "labels"), ("idx3", "idx1"))
"""What is another word in the name of the labels' file."""


class Label(Frozen):
    """The label of a picture, and the least and the largest of all of them."""

    file: str
    number: int
    value: int
    least: int
    most: int

    def depicted(self, count: int) -> Depicted | None:
        """The class, of so many, or two of them: labels of letters begin with 1, and 0 may be missing among
        a few others. None if there are more classes than that."""
        places = [self.value - first for first in (0, 1) if self.least >= first and self.most - first < count]
        if not places:
            return None
        return Depicted(f"{self.file} says of picture {self.number}", tuple(places), is_label=True)


def label_beside(found: Origin, place: Path | None) -> Label | None:
    """Returns the label of the picture of an IDX file that was sent as it lies there, or None if there is
    none."""
    steps = [match for step in found.steps if (match := PICTURE.fullmatch(step))]
    if place is None or len(steps) != 1 or found.wrong:
        return None
    name = place.name
    for one, other in OTHER:
        name = name.replace(one, other)
    file = place.with_name(name)
    if name == place.name or not file.is_file() or not HEADER < file.stat().st_size <= MOST:
        return None
    data = file.read_bytes()
    labels, number = data[HEADER:], int(steps[0][1])
    if not data.startswith(BEGINS) or number > len(labels):
        return None
    return Label(name, number, labels[number - 1], min(labels), max(labels))
