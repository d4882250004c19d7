"""Lines of text of which only the left columns were sent, though the model takes any width.

What is here: `CutLines`, which keeps the only such input of each picture until the guest has ended, and
`read_whole`, which asks a model about all columns. What is not: lines that were squeezed (`heights.py`), and
parts of pictures for models of one size (`sent/parts.py`).

Somebody may have cut out a field on purpose. A cut through a word, whose other letters the model reads as
surely, is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from ..changes.arrangements import interleaved
from ..changes.encodings import encoded
from ..facts import Picture, picture_of
from ..origin import Origin
from ..origin.resizing import nearest
from .asking import Runs
from .heights import SURE, WIDEST, classes_in, takes_any_width
from .sureness import Answer
from .texts import FEWEST, text_of

NEARLY_ALL, MORE = 0.9, 2
"""The part of a line that is as good as all, and how many more letters the model has to read."""
INK, GAP = 0.3, 1 / 8
"""How far pixels of letters are from the ground, as a part of the range, and how wide a gap between two
letters of a word is at most, as a part of the height."""
NEAR = 0.1
"""How far the sent elements may be from those of the picture on average, as a part of their deviation."""
MOST_KEPT = 16


class Due(Frozen):
    """A compute of the left columns of a line, its input, where that came from, and what the model read."""

    event: NNEvent
    tensor: Tensor
    found: Origin
    reading: Answer
    letters: tuple[int, ...]


class CutLines:
    """By graph, computes of the left columns of lines."""

    def __init__(self) -> None:
        self._found: dict[int | None, Origin] = {}
        """By context, where its input came from, if that is such a part."""
        self._kept: dict[int | None, list[Due]] = {}
        self._computes: Counter[int | None] = Counter()

    def come_from(self, context: int | None, found: Origin) -> None:
        """An input has this origin."""
        if is_cut(found):
            self._found[context] = found
        else:
            self._found.pop(context, None)

    def computed(self, event: NNEvent, inputs: Sequence[Tensor] | None) -> bool:
        """A compute ended. Whether a model will be asked about its input."""
        self._computes[event.graph_id] += 1
        found = self._found.pop(event.context_id, None)
        if found is None or inputs is None or len(inputs) != 1 or event.graph is None:
            return False
        picture = picture_of(inputs[0].shape)
        if picture is None or not is_alone(inputs[0], picture) or not takes_any_width(event.graph, picture):
            return False
        reading = text_of(event.specs, event.tensors)
        kept = self._kept.setdefault(event.graph_id, [])
        if reading is None or reading.place < FEWEST or len(kept) >= MOST_KEPT:
            return False
        kept.append(Due(event, inputs[0], found, reading, classes_in(event.tensors[0])))
        return True

    def due(self) -> Iterator[Due]:
        """The first line of each graph that has computed nothing but such parts, each of another picture."""
        for number, kept in self._kept.items():
            if kept and self._computes[number] == len({one.found.source.name for one in kept}) == len(kept):
                yield kept[0]


def is_cut(found: Origin) -> bool:
    """Whether an input is all rows of a picture, and its left columns, with nothing around."""
    source = found.source
    if not source.is_picture or found.wrong or found.encoding is None or found.turn or found.lies is None:
        return False
    if found.part is None or found.lies[:2] != (0, 0):
        return False
    height, width = source.array.shape[:2]
    *corner, right = found.part
    is_left = tuple(corner) == (0, 0, height) and height < right < NEARLY_ALL * width
    return is_left and cuts_a_word(source.array, right)


def cuts_a_word(pixels: Any, right: int) -> bool:
    """Whether letters are on both sides of a column, with no more than a gap of a word between them."""
    grey = pixels.reshape(*pixels.shape[:2], -1)[..., :3].mean(axis=2)
    room = INK * (grey.max() - grey.min())
    inked = numpy.flatnonzero((abs(grey - numpy.median(grey)) > room).any(axis=0))
    before, after = inked[inked < right], inked[inked >= right]
    return bool(len(before) and len(after) and after[0] - before[-1] - 1 <= GAP * len(grey))


def is_alone(tensor: Tensor, picture: Picture) -> bool:
    """Whether an input is one picture, and no batch of several."""
    return prod(tensor.shape) == picture.height * picture.width * picture.channels


def whole_line(tensor: Tensor, found: Origin) -> Any:
    """Returns the input with the columns behind the left ones, or None if it isn't the picture in one of two
    orders of channels."""
    picture, encoding, lies, part = picture_of(tensor.shape), found.encoding, found.lies, found.part
    if picture is None or encoding is None or lies is None or part is None:
        return None
    if lies != (0, 0, picture.height, picture.width):
        return None
    own = interleaved(tensor.numpy(), picture)[0].astype("f8")
    shown = found.source.array
    shown = shown.reshape(*shown.shape[:2], -1)[..., :3]
    across = round(shown.shape[1] * picture.width / part[3])
    if shown.shape[2] != picture.channels or not picture.width < across <= WIDEST:
        return None
    pixels = nearest(shown, picture.height, across).astype("f8")
    whole = Picture(picture.channels, picture.height, across, planar=False)
    ways = [encoded(ordered, encoding, whole) for ordered in (pixels, pixels[..., ::-1])]
    apart = [float(abs(one[:, : picture.width] - own).mean()) for one in ways]
    if min(apart) > NEAR * own.std():
        return None
    made = ways[apart.index(min(apart))]
    made[:, : picture.width] = own
    made = made.transpose(2, 0, 1) if picture.planar else made
    return numpy.ascontiguousarray(made[None], tensor.numpy().dtype)


def read_whole(graph: Graph, seconds: float, most: float, due: Due) -> str:
    """Returns a sentence if a model reads the same letters and more in all columns of a line, or "" if it
    doesn't. Raises NNError."""
    made = whole_line(due.tensor, due.found)
    if made is None:
        return ""
    read: list[tuple[int, ...]] = []

    def judge(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
        read.append(classes_in(tensors[0]))
        return text_of(specs, tensors)

    with Runs(graph, [due.tensor], most, judge=judge, seconds=seconds) as runs:
        answer = runs.answer({0: Tensor.from_numpy(made)})
    sent, known = due.reading, len(due.letters) - 1  # the last letter may be half of one
    if answer is None or answer.sure < SURE or answer.place < sent.place + MORE:
        return ""
    if read[0][:known] != due.letters[:known]:
        return ""
    name, width = due.found.source.name, due.found.source.array.shape[1]
    columns = due.found.part[3] if due.found.part is not None else 0
    return (
        f'input 0 "{graph.inputs[0].name}": it is only the left {columns} of {width} columns of {name}, and '
        f"they end within a word; in all of them the model, which takes any width, reads {answer.place} "
        f"letters, at {answer.sure:.2f} on average, which begin as the {sent.place} that it reads as sent: "
        "was the width limited?"
    )
