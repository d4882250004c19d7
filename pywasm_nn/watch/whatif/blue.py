"""A picture that was sent with blue first, as its file has it (BMP, TGA), or by a guest's own exchange.

What is here: `Blue`, what is known of the picture, and `Blues`, which asks the model about it and the next.
What is not: far surer answers with the channels reversed, of any file (`asking.py`).

Programs that read a file that begins with blue forget to exchange red and blue more often than they mean that
order. Still some models want it. So a model is asked about several views of the picture: with the colours
that it knows it gives one answer to all of them, and is clearly surer of that on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen, changed
from ..changes.arrangements import as_before, interleaved
from ..changes.encodings import HALF, SIGNED, STANDARD, UNIT
from ..facts import picture_of
from ..origin import Origin
from .asking import MOST, Runs
from .sureness import MOST_SURE, Answer

ENDINGS = (".bmp", ".dib", ".tga", ".bgr", ".bgra")
"""Files whose pixels begin with blue."""
RANGES = (UNIT, SIGNED, STANDARD, HALF)
"""Ranges of models that want red first, nearly all of them; those that want whole pixels often don't."""
COLOURFUL = 8.0
"""Red and blue differ by so much on average, of 255."""
FEWEST_CLASSES, OF_CERTAIN = 5, 3
"""So many classes has a model that is surer of pictures, and one that is certain of each view: one of fewer
may be so by chance."""
MOST_PICTURES = 3
SURE, SURER, LESS_SURE = 0.3, 1.2, 1
"""How sure a model is on average with red first, how many times as sure as with blue first, and of how many
views of each picture it may be less sure."""
OF_OTHERS = 1.5
"""The same times where the file's pixels begin with red: who exchanges them mostly has a reason."""
ORDERS = ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1))
"""The orders of red, green and blue that no model wants: one that is as sure of one of these doubts the
picture, and not the order."""
DOUBT, CERTAIN, TIMES = 0.2, 0.02, 4.0
"""The least doubt of each view as sent, the most with red first, and how many times the margin is as large
then: so a picture of any file decides alone, if each view gets another class."""


class Blue(Frozen):
    """Input `index` is a picture of a file of this name, with blue first."""

    index: int
    name: str

    @property
    def is_own(self) -> bool:
        """Whether that is the file's own order of channels."""
        return self.name.lower().endswith(ENDINGS)

    @property
    def times(self) -> float:
        """How many times as sure a model has to be with red first."""
        return SURER if self.is_own else OF_OTHERS


def blue_of(index: int, found: Origin, wanted: str) -> Blue | None:
    """Returns what to ask about an input of that origin, or None. `wanted` is the order of channels that the
    model says, if it says one."""
    source = found.source
    if found.wrong or found.order != "BGR" or wanted or found.encoding not in RANGES:
        return None
    return Blue(index, source.name) if source.is_picture and is_colourful(source) else None


def is_colourful(source: Any) -> bool:
    """Whether red and blue of a picture differ clearly."""
    if source.array.ndim != 3 or source.array.shape[-1] < 3:
        return False
    differences = abs(source.array[..., 0].astype("f4") - source.array[..., 2])
    return bool(differences.mean() * (255 / source.top) >= COLOURFUL)


class Compared(Frozen):
    """The answers of a model to views of a picture with red first, and as it was sent."""

    reds: tuple[Answer, ...]
    owns: tuple[Answer, ...]
    others: tuple[Answer, ...] = ()
    """Those to the picture itself in each of `ORDERS`, if they are needed."""

    @property
    def first(self) -> float:
        """How sure the model is on average with red first."""
        return agreed(self.reds)

    @property
    def then(self) -> float:
        """How sure it is on average as sent."""
        return agreed(self.owns)

    @property
    def is_best(self) -> bool:
        """Whether the model is surer of the picture with red first than in any other order."""
        return all(one.sure < self.reds[0].sure for one in self.others)

    @property
    def worse(self) -> int:
        """Of how many views it is less sure with red first."""
        return sum(red.sure <= own.sure for red, own in zip(self.reds, self.owns, strict=True))

    @property
    def is_certain(self) -> bool:
        """Whether with red first the model is certain of every view, and as sent doubts each, as another
        class."""
        return all(
            red.place != own.place
            and 1 - red.sure <= CERTAIN
            and 1 - own.sure >= DOUBT
            and TIMES * own.margin <= red.margin <= MOST_SURE
            for red, own in zip(self.reds, self.owns, strict=True)
        )


def compared(
    graph: Graph, inputs: Sequence[Tensor], blue: Blue, sent: Answer | None, seconds: float, most: float
) -> Compared | None:
    """Asks about the views of a picture. None if that can't be done, or with red first not all get the same
    answer. Raises NNError."""
    array = inputs[blue.index].numpy()
    picture = None if array is None else picture_of(array.shape)
    if sent is None or sent.classes < OF_CERTAIN or picture is None or picture.channels != 3:
        return None
    pairs: list[tuple[Answer, Answer]] = []
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        for view in views(interleaved(array, picture)):
            both = [as_before(one, picture, array.shape) for one in (view[..., ::-1], view)]
            red, own = (runs.changed(blue.index, numpy.ascontiguousarray(one)) for one in both)
            if red is None or own is None or (pairs and red.place != pairs[0][0].place):
                return None
            pairs.append((red, own))
        found = Compared(*zip(*pairs, strict=True))
        if found.first < found.then:
            return found
        pixels = interleaved(array, picture)[..., ::-1]
        made = (as_before(pixels[..., order], picture, array.shape) for order in ORDERS)
        others = [runs.changed(blue.index, numpy.ascontiguousarray(one)) for one in made]
    return changed(found, others=tuple(one for one in others if one is not None))


class Blues:
    """Keeps the answers of models to pictures that a guest sends one after the other, as a model may be
    hardly surer of one alone with red first."""

    def __init__(self) -> None:
        self._of: dict[Any, tuple[Blue, list[Compared], int]] = {}
        """By graph, the first picture, what is known of it and of others, and how many may still be asked."""
        self._sent: dict[Any, Blue] = {}
        """By context, a picture that was sent and not yet computed."""

    def take(self, context: Any, blue: Blue | None) -> None:
        """An input is such a picture, or none."""
        if blue is not None:
            self._sent[context] = blue

    def due(self, context: Any) -> Blue | None:
        """The picture that a compute is of, once."""
        return self._sent.pop(context, None)

    def blue(self, graph: Any) -> Blue | None:
        """The first picture, if the model may be asked about another one."""
        blue, _, left = self._of.get(graph, (None, [], 0))
        return blue if left > 0 else None

    def red_first(
        self,
        number: Any,
        graph: Graph,
        inputs: Sequence[Tensor],
        blue: Blue,
        sent: Answer | None,
        seconds: float,
        most: float = MOST,
    ) -> str | None:
        """A sentence if the model is surer of all pictures together with red first, or None. Raises
        NNError."""
        _, known, left = self._of.get(number, (blue, [], MOST_PICTURES))
        found = compared(graph, inputs, blue, sent, seconds, most)
        is_new = found is not None and all(found.owns != one.owns for one in known)
        known = [*known, found] if found is not None and is_new else known
        is_against = found is not None and found.first < found.then
        self._of[number] = blue, known, 0 if is_against else left - 1
        if (
            found is None
            or not is_new
            or is_against
            or found.first < SURE
            or not found.is_best
            or not (found.is_certain or are_surer(known, blue.times))
        ):
            return None
        self._of[number] = blue, known, 0
        return sentence(f'input {blue.index} "{graph.inputs[blue.index].name}"', blue, sent, known)


def sentence(what: str, blue: Blue, sent: Answer | None, known: Sequence[Compared]) -> str:
    """The hint about the last of some pictures."""
    first, then = (
        sum(ones) / len(known) for ones in ([one.first for one in known], [one.then for one in known])
    )
    count, many = sum(len(one.reds) for one in known), "s" * (len(known) > 1)
    others = f", as were those of the next picture{'s' * (len(known) > 2)}" * (len(known) > 1)
    own = "the pixels of {} begin with blue, and were sent so (BGR)"
    sent_so = own if blue.is_own else "{} was sent with blue first (BGR)"
    return (
        f"{what}: {sent_so.format(blue.name)}{others}; with red first (RGB) the answer is "
        f"{known[-1].reds[0]}, as sent it is {sent}, and of {count} views of the picture{many} the model is "
        f"surer with red first ({first:.2f} on average, as sent {then:.2f})"
    )


def are_surer(known: Sequence[Compared], times: float = SURER) -> bool:
    """Whether a model of several classes is clearly surer of pictures with red first, and of hardly any view
    less sure."""
    if any(one.reds[0].classes < FEWEST_CLASSES for one in known):
        return False
    first, then = sum(one.first for one in known), sum(one.then for one in known)
    return first >= times * then and sum(one.worse for one in known) <= LESS_SURE * len(known)


def agreed(answers: Sequence[Answer]) -> float:
    """How sure a model is on average of the class that it gives most often."""
    sums: dict[int, float] = {}
    for one in answers:
        sums[one.place] = sums.get(one.place, 0.0) + one.sure
    return max(sums.values()) / len(answers)


def views(pixels: Any) -> Iterator[Any]:
    """Pixels [n, height, width, channels] as they are, in the mirror, a little aside, and a little nearer."""
    height, width = pixels.shape[1:3]
    yield pixels
    yield pixels[:, :, ::-1]
    yield numpy.roll(pixels, (max(1, height // 28), max(1, width // 28)), (1, 2))
    rows, columns = (
        numpy.linspace(side / 18, side - 1 - side / 18, side).round().astype(int) for side in (height, width)
    )
    yield pixels[:, rows][:, :, columns]
