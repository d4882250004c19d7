"""Rules about prompts, and about bytes that are elements: what a length in C does to them.

What is here: NULs, an end that was left behind, bytes of which some are signed, and `LineEnds` that stay on
prompts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ...nn.operation import NNEvent
from ...printable import printable
from ..facts import Input
from ..follower import Follower, inputs_of
from ..surroundings import Files

SHOWN, FEWEST, LEAST_VALUES = 24, 64, 16
HIGH, MOST = 128, 256
MOST_TEXT = 1 << 16
PROMPTS, LONGEST = 2, 1 << 12
"""So many prompts that are lines of a file as it is show that nothing cuts their ends off."""


def nuls(given: Input, view: memoryview) -> str | None:
    """A prompt, of these bytes, with bytes 0, which end a text in C."""
    if not given.spec.takes_bytes or given.spec.name != "prompt":
        return None
    data = bytes(view[:MOST_TEXT])
    if b"\0" not in data or not data.strip(b"\0"):
        return None
    text = printable(data.partition(b"\0")[0].decode("utf-8", "replace"), SHOWN)
    return (
        f"{given}: {data.count(0)} of its {len(view):,} bytes are 0, which a model reads, too: the "
        f'text "{text}" ends before the first; give its length (strlen), and not that of the buffer'
    )


def cut_short(given: Input, memory: Memory | None, address: int) -> str | None:
    """A prompt that ends one letter before the text in memory does."""
    end = address + given.tensor.size
    if not given.spec.takes_bytes or given.spec.name != "prompt" or memory is None or end + 2 > memory.size:
        return None
    if given.tensor.size < 2:
        return None
    last, letter, behind = bytes(memory.view(end - 1, 3))
    if not is_letter(letter) or behind or not (is_letter(last) or last == ord(" ")):
        return None
    return (
        f'{given}: it ends one byte before the text does: "{chr(letter)}" follows in memory, and then a '
        "0. Is 1 taken away from the length (strlen counts no 0)?"
    )


def is_letter(byte: int) -> bool:
    """Whether a byte is a letter, a digit, or a mark at the end of a sentence."""
    return chr(byte).isalnum() if byte < HIGH else True


def half_signed(given: Input) -> str | None:
    """Bytes as whole numbers of which one part is signed, and another is not."""
    values: Any = given.values
    if values is None or values.dtype.kind != "i" or values.dtype.itemsize < 2 or len(values) < FEWEST:
        return None
    if not -HIGH <= values.min() < 0 or not HIGH <= values.max() <= MOST:
        return None
    below, above = numpy.flatnonzero(values < 0), numpy.flatnonzero((values >= HIGH) & (values < MOST))
    if not len(above) or len(numpy.unique(values)) < LEAST_VALUES:
        return None
    if not (below[-1] < above[0] or above[-1] < below[0]):
        return None
    part, other = sorted([(int(below[0]), "below 0"), (int(above[0]), "from 128 to 255")])
    return (
        f"{given}: elements from {part[0]:,} on are {part[1]}, and from {other[0]:,} on {other[1]}: bytes "
        "are taken as signed in one part and as unsigned in the other (char for unsigned char)"
    )


class LineEnds(Follower):
    """Gives a hint about prompts that are lines of a file with their line ends, as a pair of a rule's name
    and a sentence."""

    def __init__(self, files: Files) -> None:
        """`files` gives names and bytes of the files that were read."""
        self._files = files
        self._prompts: dict[bytes, None] = {}
        self._done = False

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """An operation ended."""
        for index, spec, tensor in () if self._done else inputs_of(event):
            if not spec.takes_bytes or spec.name != "prompt":
                continue
            prompt = bytes(tensor.view()[:LONGEST])
            line = prompt.rstrip(b"\r\n")
            if not line.strip() or prompt == line or len(prompt.splitlines()) > 1:
                self._done = True  # an end in one prompt is no end that stays on all
                return
            self._prompts[prompt] = None
            if len(self._prompts) >= PROMPTS and (name := self._read_from()):
                self._done = True
                end = "the CR of its line end" if prompt.endswith(b"\r") else "its line end"
                said = printable(line.decode("utf-8", "replace"), SHOWN)
                yield (
                    "origin",
                    f'input {index} "{spec.name}": "{said}" is a line of {name} and has {end}, as '
                    "all before: the model goes on behind that, on a new line; is the end to be cut off "
                    "(fgets and getline leave it)?",
                )

    def _read_from(self) -> str:
        """Returns the name of a file of which all prompts are whole lines, or "" if there is none."""
        for name, data in self._files():
            lines = {*data.splitlines(keepends=True)}
            if all({one, one + b"\n"} & lines for one in self._prompts):
                return name
        return ""
