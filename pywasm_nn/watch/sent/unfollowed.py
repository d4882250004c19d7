"""Inputs that were followed to no file: what is wrong with them by the files that were read.

What is here: `Unfollowed`, which asks the rules about such inputs in turn. What is not: inputs whose origin
is known (`inputs`, `origin`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...interpreter.runtime.deadline import paused
from ...nn.tensor import Tensor
from ..budget import Budget
from ..facts import picture_of
from ..origin import Origins
from ..origin.begun import Begun
from ..origin.every_nth import every_nth
from ..origin.one_line import one_line
from ..origin.strips import one_after_another
from ..sheets.boxes import Box, of_arguments
from ..sheets.by_lists import of_program
from .listed_parts import misplaced_part

A_LINE, MOST_LINES = 64, 2
"""Elements of a line of numbers, and lines that are compared with the program's."""
A_STRIP = 1 << 21
"""Pictures that may stand side by side in one have this many bytes at most."""


class Unfollowed:
    """Looks at inputs that come from no file as they are. `boxes` are those that tables have for a picture
    of this height and width."""

    def __init__(
        self,
        origins: Origins,
        budget: Budget,
        boxes: Callable[[tuple[int, int]], Iterable[Box]],
        own: Callable[[], Iterable[Any]] = tuple,
    ) -> None:
        """`own` gives the floats among the program's data and instructions."""
        self._origins, self._budget, self._boxes, self._own = origins, budget, boxes, own
        self._lines_left, self._begun = MOST_LINES, Begun()

    def wrong(self, tensor: Tensor) -> str:
        """Returns what is wrong with an input, or "" if nothing seems to be."""
        files = self._origins.files()
        wrong = self._begun.wrong(tensor, files) or every_nth(tensor, files)
        wrong = wrong or self._origins.in_one_place(tensor) or self._origins.running_on(tensor)
        wrong = wrong or self._in_strip(tensor) or self._listed_part(tensor) or self._one_line(tensor)
        return wrong or self._scaled_line(tensor)

    def _scaled_line(self, tensor: Tensor) -> str:
        """Returns what is wrong with a line of the program's own, scaled by numbers that it has, or ""."""
        numbers, width = tensor.numbers(), tensor.shape[-1] if tensor.shape else 0
        if not 0 < width <= A_LINE or numbers is None or numbers.dtype.kind != "f" or not self._lines_left:
            return ""
        with paused(), self._budget.searching() as left:
            if not left():
                return ""
            self._lines_left -= 1
            row = numbers.reshape(-1, width)[0].astype("f8")
            return of_program(self._origins.constants.of_numbers, row, [*self._own()])

    def _in_strip(self, tensor: Tensor) -> str:
        """Returns what is wrong with pictures that stand side by side in the last one that was read, or "" if
        nothing is."""
        numbers = tensor.numbers() if tensor.nbytes <= A_STRIP else None
        with paused(), self._budget.searching() as left:
            if numbers is None or not left():
                return ""
            return one_after_another(numbers.reshape(tensor.shape), self._origins.last_picture())

    def _one_line(self, tensor: Tensor) -> str:
        """Returns what is wrong with an input that is one line of the last picture, or "" if it isn't."""
        numbers = tensor.numbers() if picture_of(tensor.shape) is not None else None
        with paused(), self._budget.comparing() as left:
            array = None if numbers is None or not left() else numbers.reshape(tensor.shape)
            source = None if array is None else self._origins.last_shown(array)
            return "" if source is None else one_line(array, source)

    def _listed_part(self, tensor: Tensor) -> str:
        """Returns what is wrong with a part of a picture of which a table or the arguments say where it
        is."""
        for beginning in (self._budget.searching, self._budget.comparing):
            with paused(), beginning() as left:
                if not left():
                    continue  # a search for the picture itself may have taken all of their time
                picture = self._origins.last_picture()
                boxes = self._boxes(picture[1].shape[:2]) if picture is not None else []
                every = [*boxes, *of_arguments(self._origins.arguments)]
                return misplaced_part(tensor, picture, every, left)
        return ""
