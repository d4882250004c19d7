"""Whether a guest sends what it read: a picture or sound that was read, and never sent, though the model was
run again.

What is here: `Rounds`, which follows files, inputs and computes. What is not: how an input came from a file
(`origin`), and buffers that were filled again (`hints.gather`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any
from zlib import crc32

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower, inputs_of
from ..origin.decoding import decoded
from ..regex import regex
from ..spoken import Heard, filled_lines
from ..surroundings import Files
from .same_channel import same_channel

MOST = 1 << 19
"""Bytes at the beginning and at the end of a tensor that are compared."""
MOST_INPUTS, MOST_COMPUTES = 16, 1 << 10
ASKED = (
    "does each round send its own, or is its address that of a buffer that was freed or filled again since?"
)
PAIRED = regex(
    r"\d+|(?<![a-z])(?:[ab]|one|two|first|second|left|right|before|after|old|new)(?![a-z])", re.IGNORECASE
)
"""Parts of names that differ between two files that are compared."""
BOTH = regex(
    r"\b(?:both|differ\w*|same|alike|unlike|match\w*|equal|identical)\b|\bfirst\b.*\bsecond\b"
    r"|\bleft\b.*\bright\b|\bbefore\b.*\bafter\b",
    re.IGNORECASE | re.DOTALL,
)
MEASURED = regex(
    r"\d\s*(?:ms|us|µs|ns|s|sec\w*|fps)\b|\b(?:cold|warm\w*|bench\w*|latency|deterministic|repeat\w*)\b",
    re.IGNORECASE,
)
FEWEST = 2
"""So many inputs must have come from the file before the last one."""


class Rounds(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence. `is_explained` says whether it is
    known why all inputs are the same."""

    def __init__(self, files: Files = tuple, is_explained: Callable[[], bool] = lambda: False) -> None:
        self._files, self._is_explained = files, is_explained
        self._read: list[tuple[int, str, int]] = []
        """Pictures and sounds in the order of reading, none twice: numbers, names and checksums."""
        self._given: dict[Any, dict[int, int]] = {}
        """By context, the checksum of each input."""
        self._computed: list[Any] = []
        """The last MOST_COMPUTES computes before the guest read the last picture or sound: of each its graph
        and the checksums of its inputs."""
        self._since: list[Any] = []
        """The computes since then."""
        self._new = 0
        """How many inputs were set since then that were never set before."""
        self._fetches = [0, 0]
        """It counts the fetches of answers, before and since then."""
        self._sums: set[int] = set()
        self._are_numbers = False
        """Whether an input had a number: why all are NaN says another rule."""
        self._first: Any = None
        """The elements of the first input, if they are numbers."""
        self._sets = 0
        """How many inputs were set."""
        self._places: set[tuple[str, int, int, bool]] = set()
        """Files, places and numbers of pictures or windows of tables that inputs came from, and whether they
        are pictures."""
        self._heard = Heard()
        self._behind: list[tuple[str, str]] = []
        """The newest file, and the file that it came from, when each of the last inputs was sent."""

    def read(self, files: Sequence[tuple[int, str, int]]) -> None:
        """The pictures and sounds that the guest read so far: numbers, names and checksums."""
        numbers, sums = {number for number, _, _ in self._read}, {total for *_, total in self._read}
        fresh: list[tuple[int, str, int]] = []
        for number, name, total in files:
            if number not in numbers and total not in sums:
                sums.add(total)
                fresh.append((number, name, total))
        are_late = not self._read and len(fresh) > 1  # files of one kind, which is known of several alone
        self._read += fresh
        if fresh and not are_late:
            self._computed = (self._computed + self._since)[-MOST_COMPUTES:]
            self._since, self._new = [], 0
            self._fetches = [sum(self._fetches), 0]

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        given = self._given.setdefault(event.context_id, {})
        for index, _, tensor in inputs_of(event):
            given[index] = self._sum(tensor)
        if event.operation == "compute":
            self._fetches[1] += event.delivered
            if len(self._since) < MOST_COMPUTES:
                self._since.append((event.graph_id, event.model, tuple(sorted(given.items()))))
        elif event.operation.startswith("get_output"):
            self._fetches[1] += 1
        elif event.operation == "finalize_execution_context":
            self._given.pop(event.context_id, None)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._sums:
            self._heard.add(event)

    def _sum(self, tensor: Tensor) -> int:
        """The checksum of a tensor, which may be new."""
        self._sets += 1
        self._are_numbers = self._are_numbers or has_a_number(tensor)
        if self._sets == 1 and tensor.nbytes <= MOST:
            numbers = tensor.numbers()
            self._first = None if numbers is None else numbers.copy()
        view = tensor.view()
        total = crc32(view[-MOST:], crc32(view[:MOST]))
        self._new += total not in self._sums
        self._sums.add(total)
        return total

    def came_from(self, name: str, place: tuple[int, int] = (1, 1), *, is_shown: bool = True) -> None:
        """The last input came from a file, of whose pictures (`is_shown`) or windows it is the one at this
        place, of so many."""
        self._places.add((name, *place, is_shown))
        if self._read and len(self._behind) < MOST_INPUTS:
            self._behind.append((self._read[-1][1], name))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if self._sums and not self._are_numbers:
            return
        if len(self._places) == 1 and len(self._sums) == 1:
            name, place, count, is_shown = next(iter(self._places))
            if count > 1 and self._sets == count and (is_shown or count > FEWEST):
                what = "pictures" if is_shown else "windows of the input's size"
                yield (
                    "stale",
                    f"{name} holds {count} {what}, and the model was run {count} times on the same one, "
                    f"at place {place}: does each round go on to the next?",
                )
        if len(self._read) < 2:
            return
        if same := self._same():
            if not self._is_explained():
                yield "stale", same
            return
        last = self._read[-1][1]
        if self._is_again() and not self._new and not self._is_same_picture(last):
            yield (
                "stale",
                f"{last} was read, but the model was only run again on inputs from before: was the buffer "
                "filled from it, and given to set_input?",
            )
        elif self._since and self._new == 1 and self._is_behind(last):
            yield (
                "stale",
                f"inputs come from the file that was read before the last one, and {last} was never sent: "
                "does each round send what the round before has read?",
            )

    def _is_again(self) -> bool:
        """Returns whether what was computed since the last file is what was computed last before it. If it
        comes in another order, the file has the same contents, turned or cut in another way. If answers are
        fetched only before the file or only since, the other computes warm up or measure, and the file may
        tell what the answer should be."""
        since = self._since
        if any(self._fetches) and not all(self._fetches):
            return False
        same_one = len({*since}) == 1 and since[0] in self._computed
        return same_one or (len(since) > 1 and since == self._computed[-len(since) :])

    def _is_same_picture(self, last: str) -> bool:
        """Whether the file that was read last shows the same picture as one before it, perhaps with black
        and white swapped: inputs that come from both are the same."""
        shown = {name: found.array for name, data in self._files() if (found := decoded(name, data))}
        own = shown.get(last)
        before = [shown[name] for _, name, _ in self._read[:-1] if name in shown]
        return own is not None and any(are_one(own, one) for one in before)

    def _same(self) -> str:
        """Returns what is wrong with as many inputs as pictures and sounds were read, if all are the same, or
        "" if nothing is."""
        count = len(self._read)
        if not FEWEST <= count == self._sets or len(self._sums) > 1:
            return ""
        if count == FEWEST and not (self._is_said_of_each() or self._are_compared()):
            return ""
        names = ", ".join(name for _, name, _ in self._read[:FEWEST]) + " ..." * (count > FEWEST)
        seen = "" if self._first is None else same_channel(self._first, self._contents())
        return (
            f"{count} files with other contents were read ({names}), and the model was given {count} "
            f"inputs, which are all the same: {seen or ASKED}"
        )

    def _contents(self) -> list[bytes]:
        """The bytes of the pictures and sounds that were read."""
        data = dict(self._files())
        return [data.get(name, b"") for _, name, _ in self._read]

    def _is_said_of_each(self) -> bool:
        """Whether the same line is written of each file, by its name."""
        lines = filled_lines(self._heard.text)
        names = [PurePosixPath(name).name for _, name, _ in self._read]
        said = [[line.replace(name, "") for line in lines if name in line] for name in names]
        return all(len(one) == 1 for one in said) and len({*map(tuple, said)}) == 1

    def _are_compared(self) -> bool:
        """Whether both inputs are the second one of two files whose names differ by a number, a letter or a
        word for a side, and the guest writes of both, or of whether they differ. Nothing is written of times:
        who measures sends one input twice."""
        first, last = (name for _, name, _ in self._read)
        is_pair = PAIRED.sub("", PurePosixPath(first).name) == PAIRED.sub("", PurePosixPath(last).name)
        if not is_pair or self._behind != [(last, last)] * FEWEST or sum(self._fetches) < FEWEST:
            return False
        text = self._heard.text
        return BOTH.search(text) is not None and MEASURED.search(text) is None

    def _is_behind(self, last: str) -> bool:
        """Whether inputs came one after the other from the file before the newest one, to the end."""
        names = [name for _, name, _ in self._read]
        if len(self._behind) < FEWEST or any(came == last for _, came in self._behind):
            return False
        places = [(names.index(newest), names.index(came)) for newest, came in self._behind if came in names]
        follow = all(one[0] == other[1] for one, other in pairwise(places))
        return (
            len(places) == len(self._behind) and follow and all(came + 1 == newest for newest, came in places)
        )


def are_one(one: Any, other: Any) -> bool:
    """Whether two pictures are the same, or one is the other with black and white swapped."""
    if one.shape != other.shape or one.dtype != "u1":
        return False
    return bool((one == other).all() or (one == 255 - other).all())


def has_a_number(tensor: Tensor) -> bool:
    """Whether not all elements are NaN or infinite."""
    numbers = tensor.numbers()
    return numbers is None or numbers.dtype.kind != "f" or bool(numpy.isfinite(numbers).any())
