"""A file's name that is sent where its content is meant: the guest reads file after file, and each input is
nothing but the letters of a name.

What is here: `FileNames`. What is not: texts whose words are looked up (`origin.vocabulary`), and how bytes
of a file were sent (`origin.bytewise`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ..follower import Follower, inputs_of
from ..regex import regex
from ..surroundings import Files

MOST, MOST_ROWS, FEWEST_LETTERS, LONGEST = 1 << 16, 64, 5, 512
"""Elements of an input, inputs that are kept, and letters of a name."""
FEWEST = 2
"""So many different names are sent; of one alone the input's name has to say that it wants bytes."""
TIMES = 2
"""A file has so many times as many bytes as its name."""
WHITE = 255
"""Bytes may have been divided by this."""
CONTENT = regex(r"byte|content|payload|binary", re.IGNORECASE)
NAMES = regex(r"name|path|title|ur[il]|link", re.IGNORECASE)
"""A model that wants names may be called so."""
MOST_FLAGS = 2
"""An input with so few values is a mask, a length or a switch."""


class FileNames(Follower):
    """Gives a hint at the end, if all that a model got were names of files that were read."""

    def __init__(self, files: Files = tuple) -> None:
        """`files` gives the names and bytes of those that the guest read."""
        self._files = files
        self._sent: dict[Any, list[str]] = {}
        """By graph, the texts that were sent."""
        self._what: dict[Any, str] = {}
        """By graph, the name of the input in which they were."""
        self._others: set[Any] = set()
        """Graphs that got something else."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or event.graph_id in self._others:
            return
        for _, spec, tensor in inputs_of(event):
            numbers = tensor.numbers() if tensor.size <= MOST else None
            if numbers is None:
                self._others.add(event.graph_id)
                return
            self._take(event.graph_id, spec.name, f"{spec.name} {event.model}", numbers.reshape(tensor.shape))

    def _take(self, graph: Any, name: str, names: str, array: Any) -> None:
        """An input was set."""
        if array.size == 0 or len(numpy.unique(array)) <= MOST_FLAGS:
            return
        texts = names_in(array)
        known = self._sent.setdefault(graph, [])
        if not texts or self._what.setdefault(graph, name) != name or NAMES.search(names):
            self._others.add(graph)
        elif len(known) < MOST_ROWS:
            known += texts

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        for graph, texts in self._sent.items():
            if graph in self._others or not texts:
                continue
            files = {PurePosixPath(name).name: data for name, data in self._files()}
            read = [files.get(PurePosixPath(text).name, b"") for text in texts]
            enough = len({*texts}) >= FEWEST or CONTENT.search(self._what[graph])
            if enough and all(map(is_another, texts, read)):
                so = f" (so in {len(texts)} inputs)" if len(texts) > 1 else ""
                yield "origin", told(self._what[graph], texts[0], len(read[0]), so)


def told(what: str, name: str, count: int, so: str) -> str:
    """The hint about an input that is the name of a file of so many bytes."""
    return (
        f'input "{what}": its elements are just the letters of "{name}", the name of a file of which {count} '
        f"bytes were read{so}: is its content to be sent, and not its name?"
    )


def is_another(name: str, data: bytes) -> bool:
    """Whether a file was read and has more than its own name."""
    return len(data) > TIMES * len(name) and not data.startswith(name.encode())


def names_in(array: Any) -> Sequence[str]:
    """Returns the names of files, one for each row, of which the elements are the codes, with one number
    before, between or behind; or [] if they are anything else."""
    rows = array.reshape(len(array), -1) if array.ndim > 1 else array.reshape(1, -1)
    for factor in (1, WHITE) if array.dtype.kind == "f" else (1,):
        made = rows.astype("f8") * factor
        codes = numpy.rint(made)
        is_whole = bool(abs(codes - made).max() < 1 / WHITE)
        if is_whole and codes.min() >= 0 and codes.max() <= 1 << 12:
            found = [name_of(row) for row in codes.astype("i8").tolist()]
            return [one for one in found if one] if all(found) else []
    return []


def name_of(codes: list[int]) -> str:
    """Returns the name of a file, or a path, whose letters are all elements but padding, or "" if they are
    not."""
    text = "".join(map(chr, codes))
    padding = Counter(text).most_common(1)[0][0]
    parts = {one for one in text.split(padding) if one}
    if len(parts) != 1:
        return ""
    name = parts.pop().rstrip("\0\n")
    is_name = FEWEST_LETTERS <= len(name) <= LONGEST and name.isprintable() and "." in name
    return name if is_name and name.isascii() else ""
