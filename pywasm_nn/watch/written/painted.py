"""Pictures that a guest writes to files, made of answers: is each where it belongs?

What is here: `Painted`, which keeps what is written to files, inputs and answers. What is not: each pixel by
its element (`pixels.py`), and what is written to the terminal (`sayings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower
from ..origin.decoding import decoded
from ..surroundings import Files
from .enlarged import misassembled
from .made import Made
from .pixels import Answer, cut_off, miscoloured

MOST_WRITTEN = 1 << 21
MOST_BYTES, MOST_ROUNDS = 1 << 20, 64
SMALLEST = 8
PICTURES = (b"P5", b"P6", b"BM", b"\x89PNG")
"""The first bytes of files that are read."""
ALIKE = 0.98
"""The correlation of a tile with a part of a picture that it is."""
ORDERED = 0.01
"""This part of the pixels may be in another order than the elements."""
RARE = 0.005
FEWEST = 3
"""The fewest tiles of a painted picture."""


class Painted(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        """`files` gives the names and bytes of files that were read."""
        self._files = files
        self._made = Made(MOST_WRITTEN)
        self._given: dict[Any, Any] = {}
        self._rounds: list[tuple[str, Any, Any]] = []
        """Names of answers, the inputs before them, and the answers, as maps [rows, columns]."""
        self._last: Answer | None = None

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        self._made.host_call(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.tensors:
            return
        if event.operation.startswith("set_input"):
            self._given[event.context_id] = map_of(event.tensors[0])
        elif event.operation.startswith("get_output") and len(self._rounds) < MOST_ROUNDS:
            found, name = map_of(event.tensors[0]), f'output {event.index or 0} "{event.specs[0].name}"'
            self._last = Answer.of(name, event.tensors[0])
            if found is not None:
                self._rounds.append((name, self._given.get(event.context_id), found))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for path, data in self._made.files.items() if self._last else ():
            if self._last and (wrong := cut_off(bytes(data), self._last)):
                yield "answer", f"{self._last.what}: {path} {wrong}"
                return
        for path, data in self._made.files.items() if self._last or self._rounds else ():
            source = decoded(path, bytes(data)) if data.startswith(PICTURES) else None
            if source is None or not source.is_picture:
                continue
            if self._last and (
                wrong := miscoloured(source.array, self._last) or misassembled(source.array, self._last)
            ):
                yield "answer", f"{self._last.what}: in {path} {wrong}"
                return
            if not self._rounds:
                continue
            picture = source.array.mean(axis=2) if source.array.ndim == 3 else source.array
            wrong = exchanged(picture, self._rounds[-1][2]) or self._misplaced(picture)
            if wrong:
                yield "answer", f"{self._rounds[-1][0]}: in {path} {wrong}"
                return

    def _misplaced(self, picture: Any) -> str:
        """Tiles that are at other places in the picture that was written than in that which was read."""
        read = [decoded(name, data) for name, data in self._files()]
        pictures = [one.array for one in read if one is not None and one.is_picture]
        for whole in (one.mean(axis=2) if one.ndim == 3 else one for one in pictures):
            rounds = [
                one for one in self._rounds
                if one[1] is not None and is_part(one[1], whole) and is_part(one[2], picture)
            ]  # fmt: skip
            pairs = [(places(tile, whole), places(answer, picture)) for _, tile, answer in rounds]
            known = [(one[0], other[0]) for one, other in pairs if len(one) == len(other) == 1]
            sizes = {(len(whole) / len(tile), len(picture) / len(answer)) for _, tile, answer in rounds}
            wrong = [pair for pair in known if pair[0] != pair[1]]
            if len(known) >= FEWEST and len(wrong) > 1 and all(one == other for one, other in sizes):
                (row, column), (its_row, its_column) = wrong[0]
                return (
                    f"the answer to the tile in row {row + 1}, column {column + 1} is in row {its_row + 1}, "
                    f"column {its_column + 1}, and so {len(wrong)} of {len(known)} tiles are at another "
                    "place than they were cut from"
                )
        return ""


def map_of(tensor: Tensor) -> Any:
    """Returns a tensor that is a map of rows and columns, or several, of which the mean is taken, or None for
    others."""
    numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
    lengths = [one for one in tensor.shape if one != 1]
    if numbers is None or numbers.dtype.kind not in "fu" or not 2 <= len(lengths) <= 3:
        return None
    made = numbers.astype("f8").reshape(lengths)
    if len(lengths) == 3:
        if min(lengths) not in (3, 4) or lengths.count(min(lengths)) > 1:
            return None
        made = made.mean(axis=lengths.index(min(lengths)))
    return made if min(made.shape) >= SMALLEST else None


def exchanged(picture: Any, answer: Any) -> str:
    """The answer's rows are written one after the other under the size of its columns."""
    height, width = answer.shape
    if picture.shape != (width, height) or height == width:
        return ""
    if not follows(picture.reshape(-1), answer.reshape(-1)) or follows(picture, answer.T):
        return ""
    return (
        f"its elements stand in their own order, {height} rows of {width}, under a header that says {width} "
        f"rows of {height}: are width and height exchanged?"
    )


def follows(pixels: Any, elements: Any) -> bool:
    """Whether pixels rise or fall with elements, or are more and less than some."""
    pixels, elements = pixels.reshape(-1).astype("f8"), elements.reshape(-1)
    rare = min((pixels == pixels.min()).mean(), (pixels == pixels.max()).mean())
    if pixels.min() == pixels.max() or elements.min() == elements.max() or not rare:
        return False
    ordered = pixels[elements.argsort(kind="stable")]
    steps = ordered[1:] - ordered[:-1]
    falls = min(float((steps < -1).mean()), float((steps > 1).mean()))
    return bool(falls <= ORDERED and (len({*pixels.tolist()}) > 2 or rare > RARE))


def is_part(tile: Any, picture: Any) -> bool:
    """Whether a picture has rows and columns of such tiles."""
    rows, columns = (whole / part for whole, part in zip(picture.shape, tile.shape, strict=True))
    return bool(rows == int(rows) and columns == int(columns) and rows * columns > 1)


def places(tile: Any, picture: Any) -> list[tuple[int, int]]:
    """In which rows and columns of tiles this one is."""
    height, width = tile.shape
    level = tile - tile.mean()
    if not level.any():
        return []
    found = []
    for row in range(picture.shape[0] // height):
        for column in range(picture.shape[1] // width):
            part = picture[row * height :, column * width :][:height, :width].astype("f8")
            other = part - part.mean()
            spread = float(numpy.linalg.norm(level) * numpy.linalg.norm(other))
            if spread and float((level * other).sum()) / spread >= ALIKE:
                found.append((row, column))
    return found
