"""Asks a model about the padding of bytes: is it a number that no byte has?

What is here: `other_padding`. What is not: padding of words, which a vocabulary names (`origin.wordings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..classes import belongs_at, lists_for
from .asking import MOST, Runs

NO_BYTE = 256
"""The number after those of bytes, which byte models use for padding."""
SURE, FAR = 0.9, 0.7
"""How sure an answer must be, and how much less sure the one with 0 is, as a part."""
ABOUT, SOMEWHAT = 0.5, 0.2
"""Where the model knows 257 numbers (bytes and padding), an answer must be so sure, and so much surer of the
same class."""
NEARLY, DOUBTS = 0.02, 20
"""An answer of which so much is missing, and so many times as much as of the other, is far less sure, too: a
model that doesn't know 256 is surer of nothing by it."""
LONG = 16
"""Fewer equal bytes that follow one another are a file's own."""
FEWEST_NAMES, MOST_OF_A_LIST = 8, 1 << 16
"""Names of classes, each in a line of its own, and bytes of a list of them."""
SHARE = 8
"""Padding is at least one element of so many."""
LANGUAGES = {
    "py": "python", "js": "javascript", "ts": "typescript", "sh": "shell", "md": "markdown", "rs": "rust",
    "rb": "ruby", "yml": "yaml", "htm": "html", "cc": "cpp", "kt": "kotlin", "pl": "perl", "jpg": "jpeg",
    "gz": "gzip", "tif": "tiff", "bz2": "bzip", "ps1": "powershell",
}  # fmt: skip
"""By the endings of files, the names of kinds that are called otherwise."""


class OfBytes(Frozen):
    """What is known of bytes that were sent: how many numbers the model knows (`rows`; 0: unknown), the
    `file` whose bytes they are, the classes that its ending names, and the byte with which they are filled
    up, where the file itself has far fewer of it (-1: it isn't known)."""

    rows: int = 0
    file: str = ""
    named: frozenset[int] = frozenset()
    padding: int = -1

    @staticmethod
    def of(
        rows: int, file: str, files: Sequence[tuple[str, bytes]], count: int, padding: int = -1
    ) -> OfBytes:
        """The same for a model of so many classes, by the lists of names among the files that were read."""
        return OfBytes(rows, file, classes_of(file, files, count), padding)


def classes_of(file: str, files: Sequence[tuple[str, bytes]], count: int) -> frozenset[int]:
    """The classes that a file's ending names, of so many, by the lists of names among others."""
    kinds = kinds_of(file)
    lists = lists_for(files, count) if kinds else ()
    named = next((one.in_order(count, belongs_at(one, count) or 0) for one in lists), [])
    return frozenset(at for at, name in enumerate(named) if name.lower() in kinds)


def classes_begun(file: str, files: Sequence[tuple[str, bytes]], count: int) -> frozenset[int]:
    """The same by lists that weren't read to their ends, such as by a program that stops at the line that it
    prints."""
    kinds = kinds_of(file)
    for _, data in files if kinds else ():
        names = data.decode(errors="replace").splitlines()[:-1] if len(data) <= MOST_OF_A_LIST else []
        if FEWEST_NAMES <= len(names) < count and len({*names}) == len(names) == len(" ".join(names).split()):
            return frozenset(at for at, name in enumerate(names) if name.lower() in kinds)
    return frozenset()


def kinds_of(file: str) -> set[str]:
    """Returns the names of the kinds that a file's ending may stand for."""
    ending = PurePosixPath(file).suffix.lower().removeprefix(".")
    return {ending, LANGUAGES.get(ending, ending)} - {""}


def is_padded(array: Any, padding: int = 0) -> bool:
    """Whether bytes have so many of one number, or zeros, that these are padding."""
    filled = array == padding
    return bool(array.max() < NO_BYTE and filled.sum() * SHARE >= array.size and not filled.all())


def in_runs(padded: Any) -> Any:
    """The elements that are padding: those that follow one another, and not the few between others."""
    flat = padded.reshape(-1)
    ends = numpy.flatnonzero(numpy.diff(numpy.concatenate([[False], flat, [False]]).astype("i1")))
    made = numpy.zeros(len(flat), bool)
    for begin, end in ends.reshape(-1, 2).tolist():
        made[begin:end] = end - begin >= LONG
    return made.reshape(padded.shape)


def is_one_run(padded: Any) -> bool:
    """Whether all elements that are true follow each other."""
    return int((numpy.diff(padded.reshape(-1).astype("i1")) == 1).sum()) + bool(padded.reshape(-1)[0]) == 1


def other_padding(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    seconds: float,
    most: float = MOST,
    known: OfBytes | None = None,
) -> str | None:
    """Returns a sentence if an input of bytes is padded with 0 or another byte, and the model knows 256 and
    is far surer of that, or None if not. It needs to be only somewhat surer if so many numbers are known to
    it that 256 is the last, and it is known what is padding; and not even that if its answer to 256 is what
    the file's ending says, and that to 0 is not. Raises NNError."""
    known, given = known or OfBytes(), inputs[index]
    array = given.numpy()
    if array is None or array.dtype.kind not in "iu" or array.dtype.itemsize < 2:
        return None
    own = max(0, known.padding)
    if not is_padded(array, own):
        return None
    padded = array == own
    is_told = is_one_run(padded)
    if known.padding >= 0:
        padded, is_told = in_runs(padded), True
    with Runs(graph, inputs, most, seconds=seconds) as runs:

        def asked(number: int) -> Any:
            return runs.changed(index, numpy.where(padded, number, array).astype(array.dtype))

        sent, other = asked(own), asked(NO_BYTE)
    if sent is None or other is None:
        return None
    knows = f", the last of {known.rows} numbers that the model knows" if known.rows == NO_BYTE + 1 else ""
    is_named = other.place in known.named and sent.place not in known.named
    is_surer = is_named or other.sure > sent.sure + (0 if other.place != sent.place else SOMEWHAT)
    if not (knows and is_told and is_surer and other.sure >= ABOUT):
        doubt = 1 - sent.sure
        is_far = sent.sure <= FAR * other.sure or (doubt >= NEARLY and doubt >= DOUBTS * (1 - other.sure))
        if other.sure < SURE or not is_far:
            return None
    named = f", as {known.file} is named" if is_named else ""
    return (
        f'input {index} "{graph.inputs[index].name}": with its padding as {NO_BYTE}, which is no byte{knows}'
        f", the answer is {other}{named}; as sent, with {own}, it is {sent}"
    )
