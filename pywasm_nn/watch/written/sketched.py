"""Pictures in black and white that a guest draws of an answer, with letters or as PBM: is each pixel where
its element is?

What is here: `Sketched`, for one map of shares or logits, of which all above a threshold are drawn. What is
not: pictures of levels and colours (`painted.py`), maps that are turned, which people draw on purpose, and
masks that copies of the guest draw (`probes/maps.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower
from ..regex import regex
from ..spoken import Heard
from .made import Made

PORTABLE = regex(rb"P4\s+(\d+)\s+(\d+)\s")
MOST_WRITTEN, MOST_ELEMENTS = 1 << 16, 1 << 18
LEAST_SIDE, LEAST_ROWS = 8, 4
THRESHOLDS = (0.5, 0.0)
SAME, APART, RARE = 0.999, 0.02, 0.01
"""The part of the pixels that must be those of a drawing, that must differ from the right one, and that both
kinds of elements must have."""
FEWEST = 12
"""So many pixels of a drawing are black, and as many white."""
DARK = regex(r"(?<![a-z])(?:[Ii]nk|INK|[Tt]ext|TEXT|[Dd]ark|[Ss]trokes?|[Bb]lack|[Gg]lyphs?)(?![a-z])")
"""An output with such a name tells what is dark in a picture. Edges and lines are often drawn in white."""
MARKS, GROUNDS = "#@X*1O%", ". _0-"
"""Letters for what there is, and for nothing."""


class Drawing(Frozen):
    """Pixels [rows, columns] that were drawn, True for one of two letters or a bit 1, and `what` has them.
    `is_dark`: True stands for what there is, not for nothing; None if that isn't known."""

    pixels: Any
    what: str
    is_dark: bool | None


class Sketched(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._made = Made(MOST_WRITTEN)
        self._heard = Heard(MOST_WRITTEN)
        """What was written to standard output and error since there is a map."""
        self._map: tuple[str, str, Any] | None = None
        """How the last map is called, its name, and its elements [rows, columns]."""

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if not self._made.host_call(event) and self._map is not None:
            self._heard.add(event)

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output") or not event.tensors:
            return
        tensor, name = event.tensors[0], event.specs[0].name
        lengths = [one for one in tensor.shape if one != 1]
        numbers = tensor.numbers() if tensor.size <= MOST_ELEMENTS else None
        if numbers is not None and len(lengths) == 2 and min(lengths) >= LEAST_SIDE:
            self._map = f'output {event.index or 0} "{name}"', name, numbers.reshape(lengths).copy()

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if self._map is None:
            return
        what, name, elements = self._map
        for file, data in (*self._made.files.items(), ("", self._heard.data)):
            for drawing in drawings(bytes(data)):
                if wrong := misdrawn(drawing, elements, is_of_dark=DARK.search(name) is not None):
                    where = f" in {file}" if file else ""
                    yield "answer", f"{what}: {drawing.what}{where} {wrong}"
                    return


def drawings(data: bytes) -> Iterator[Drawing]:
    """The pictures in what was written: PBM, and lines of two letters."""
    for head in PORTABLE.finditer(data):
        width, height = int(head[1]), int(head[2])
        stride = (width + 7) // 8
        if min(width, height) >= LEAST_SIDE and len(data) - head.end() >= stride * height:
            rows = numpy.frombuffer(data, "u1", stride * height, head.end()).reshape(height, stride)
            if any(byte not in b"\t\n\r" and not 32 <= byte < 127 for byte in rows.reshape(-1).tolist()):
                yield Drawing(numpy.unpackbits(rows, axis=1)[:, :width].astype(bool), "the PBM", True)
                return
    lines: list[str] = []
    for line in [*data.decode("latin-1").splitlines(), ""]:
        if lines and (len(line) != len(lines[0]) or len({*line, *lines[0]}) > 2):
            yield from drawn(lines)
            lines = []
        lines = [*lines, line] if len(line) >= LEAST_SIDE and len({*line}) <= 2 else []


def drawn(lines: list[str]) -> Iterator[Drawing]:
    """The picture of lines of two letters."""
    letters = sorted({*"".join(lines)}, key=lambda one: (one in MARKS, one not in GROUNDS))
    if len(lines) < LEAST_ROWS or len(letters) != 2:
        return
    pixels = numpy.array([[letter == letters[1] for letter in line] for line in lines])
    is_known = letters[1] in MARKS and letters[0] in GROUNDS
    yield Drawing(pixels, f'what is drawn with "{letters[1]}"', True if is_known else None)


def misdrawn(drawing: Drawing, elements: Any, *, is_of_dark: bool) -> str:
    """Returns what is wrong with the pixels of a drawing, or "" if nothing is."""
    pixels = drawing.pixels
    if min(pixels.sum(), (~pixels).sum()) < FEWEST:
        return ""
    for threshold in THRESHOLDS:
        mask = elements > threshold
        if not RARE <= mask.mean() <= 1 - RARE:
            continue
        if is_at(pixels, mask):
            return ""
        if is_at(pixels, ~mask):
            is_inverted = is_of_dark and drawing.is_dark
            return inverted(drawing, threshold) if is_inverted else ""
        for said, made in misreadings(mask):
            if is_at(pixels, made) or is_at(pixels, ~made):
                return said
    return ""


def inverted(drawing: Drawing, threshold: float) -> str:
    bits = " (in PBM 1 is black)" if "PBM" in drawing.what else ""
    return (
        f"is where elements are at most {threshold:g}, and what is above, the dark part by the output's "
        f"name, is left white{bits}: are black and white exchanged?"
    )


def is_at(pixels: Any, mask: Any) -> bool:
    """Whether pixels are those of a mask, or of some of its rows from the first column on."""
    (height, width), (tall, wide) = pixels.shape, mask.shape
    if height > tall or width > wide:
        return False
    tops = range(tall - height + 1)
    return any((mask[top : top + height, :width] == pixels).mean() >= SAME for top in tops)


def misreadings(mask: Any) -> Iterator[tuple[str, Any]]:
    """Yields what mistakes make of a mask, with what is wrong."""
    height, width = mask.shape
    stride = (width + 7) // 8
    padded = numpy.zeros((height, 8 * stride), bool)
    padded[:, :width] = mask
    lowest = padded.reshape(height, stride, 8)[..., ::-1].reshape(height, 8 * stride)
    flat = numpy.zeros(padded.size, bool)
    flat[: mask.size] = mask.reshape(-1)
    several: tuple[tuple[str, Any], ...] = (
        ("has the 8 pixels of each byte from its lowest bit on: PBM has the leftmost in the highest", lowest),
        (
            f"has rows of {width} bits without a gap: in PBM each row begins with a byte of its own, "
            f"{8 * stride} bits apart",
            flat.reshape(padded.shape),
        ),
        (
            f"is the answer read column by column (c * {height} + r); its {height} rows of {width} elements "
            f"lie one after the other (r * {width} + c)",
            mask.reshape(width, height).T,
        ),
    )
    for said, made in several:
        if made.shape[0] != height or (made[:, :width] != mask[:, : made.shape[1]]).mean() > APART:
            yield said, made
