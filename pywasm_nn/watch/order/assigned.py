"""Files that a guest got as arguments or read, and the inputs of one model that they were sent to: one file
in two inputs though another one was named or read, and the first file in the input for the second.

What is here: `Assigned`. What is not: how inputs came from files (`origin`), and batches with the same
picture twice (`sent/batches.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any
from zlib import crc32

from ...interpreter.runtime.observe import HostEvent
from ...nn.formats import KNOWN
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower
from ..spoken import Heard
from ..surroundings import Files, is_file
from .crossed import contradicted, parts

LEAST = 64
"""Bytes of the smallest input that holds a file."""
MOST_COMPUTES = 64
PAIRS = (("left", "right"), ("first", "second"), ("before", "after"), ("old", "new"), ("previous", "next"),
         ("prev", "next"), ("a", "b"))  # fmt: skip
"""Parts of the names of inputs that say which is the first one. Numbers count, and say no order."""


class Given(Frozen):
    """An input: its name, the file that it came from ("": that isn't known), a checksum, and its type and
    shape."""

    name: str
    file: str
    sum: int
    kind: Any


class Assigned(Follower):
    """Gives a hint at the end."""

    def __init__(self, arguments: Sequence[str], directories: Sequence[Path], files: Files = tuple) -> None:
        """`arguments` are those of the guest, `directories` its ones, where the host has them, and `files`
        what it read."""
        self._arguments, self._directories, self._files = [*arguments], directories, files
        self._set: dict[Any, dict[int, Given]] = {}
        """By context, the inputs."""
        self._computed: list[Mapping[int, Given]] = []
        """Different inputs of computes, the first ones."""
        self._opened: set[str] = set()
        self._heard = Heard()
        self._unknown = False

    def host_call(self, event: HostEvent) -> None:
        if event.name == "path_open":
            self._opened.add(PurePosixPath(str(dict(event.arguments).get("path"))).name)
        self._heard.add(event)

    def came_from(self, event: NNEvent, index: int, name: str, tensor: Tensor, file: str) -> None:
        """An input was set, from a file if that is known."""
        if tensor.nbytes >= LEAST:
            given = Given(name, file, crc32(tensor.view()), (tensor.dtype, tensor.shape))
            self._set.setdefault(event.context_id, {})[index] = given
            self._unknown |= not file

    def nn_event(self, event: NNEvent) -> None:
        kept = self._set.get(event.context_id, {})
        if event.operation == "compute" and event.error is None and len(kept) > 1:
            self._computed.append(dict(kept))
            del self._computed[MOST_COMPUTES:]

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if there was one compute, of inputs of which all is known, or two are the same in all."""
        if len(self._computed) > 1 and (said := self._never_different()):
            yield "origin", said
        if self._unknown or len(self._computed) != 1:
            return
        for (one, first), (other, second) in combinations(sorted(self._computed[0].items()), 2):
            if first.kind == second.kind:
                said = (
                    self._repeated(first, second) or by_names(first, second) or self._crossed(first, second)
                )
                if said:
                    yield "origin", f'input {other} "{second.name}": {said.format(one)}'
                    return

    def _repeated(self, first: Given, second: Given) -> str:
        """Two inputs with one file, though another one was named, or read, and sent to none."""
        at = self._place(first.file)
        if first.sum != second.sum or first.file != second.file:
            return ""
        if at is None:
            return self._read_beside(first)
        kind = PurePosixPath(first.file).suffix
        rest = [one for one in self._arguments if PurePosixPath(one).suffix == kind]
        others = [one for one in rest if one != self._arguments[at] and is_file(one, self._directories)]
        if len(others) != 1 or not kind:
            return ""
        name, other = PurePosixPath(first.file).name, PurePosixPath(others[0]).name
        is_read = any(PurePosixPath(one).name == other and len(data) >= LEAST for one, data in self._files())
        if other in self._opened and not is_read:
            return ""  # perhaps it is written
        what = "was read, too, and not sent: is" if is_read else "was never opened: was"
        return (
            f'it is {name}, as input {{}} "{first.name}" is, and {other}, which is among the guest\'s '
            f"arguments, {what} one {'buffer' if is_read else 'argument'} taken twice?"
        )

    def _read_beside(self, first: Given) -> str:
        """Two inputs with one file, though exactly one more of its kind and size was read."""
        own = PurePosixPath(first.file)
        alike = {name: data for name, data in self._alike(own.suffix) if name != first.file}
        size = next((len(data) for name, data in self._files() if name == first.file), 0)
        others = [name for name, data in alike.items() if len(data) == size]
        if len(others) != 1 or any(one.file == others[0] for one in self._computed[0].values()):
            return ""
        return (
            f'it is {own.name}, as input {{}} "{first.name}" is, and {PurePosixPath(others[0]).name}, which '
            "is of its kind and size and was read, too, is in none: do both files have one buffer?"
        )

    def _never_different(self) -> str:
        """Returns a hint about two inputs that are the same in each of several computes, though twice as many
        different files of one kind and size were read as there were different ones, or "" if none are."""
        names = self._computed[0]
        for one, other in combinations(sorted(names), 2):
            pairs = [(each.get(one), each.get(other)) for each in self._computed]
            sums = {first.sum for first, second in pairs if first and second and first.sum == second.sum}
            is_same = all(first and second and first.sum == second.sum for first, second in pairs)
            if not is_same or len(sums) < 2 or names[one].kind != names[other].kind:
                continue
            sizes = Counter(
                (PurePosixPath(name).suffix, len(data))
                for name, data in {data: (name, data) for name, data in self._alike()}.values()
            )
            if 2 * len(sums) in sizes.values():
                return (
                    f'input {other} "{names[other].name}" is the same as input {one} "{names[one].name}" in '
                    f"all {len(pairs)} computes, and {2 * len(sums)} different files of one kind were read: "
                    "do two files have one buffer?"
                )
        return ""

    def _alike(self, suffix: str = "") -> list[tuple[str, bytes]]:
        """The files that were read and are no models, of one kind, or all."""
        return [
            (name, data)
            for name, data in self._files()
            if len(data) >= LEAST
            and KNOWN.of_file(name) is None
            and PurePosixPath(name).suffix
            and suffix in ("", PurePosixPath(name).suffix)
        ]

    def _crossed(self, first: Given, second: Given) -> str:
        """Inputs whose names say which is the first one, with files in the opposite order of the arguments
        and of what the guest wrote of them."""
        places = self._place(first.file), self._place(second.file)
        if (
            None in places
            or (places[0] or 0) <= (places[1] or 0)
            or not are_in_order(first.name, second.name)
        ):
            return ""
        early, late = (PurePosixPath(one.file) for one in (second, first))
        text = self._heard.text
        told = [text.find(one.name) for one in (early, late)]
        words = {word for one in (*self._others(), early.stem, late.stem) for word in parts(one)}
        if not 0 <= told[0] < told[1] or words & {one for pair in PAIRS for one in pair}:
            return ""
        return (
            f"it is {early.name}, the first one in the arguments and in what the guest writes, and "
            f'{late.name} is input {{}} "{first.name}": are the two inputs exchanged?'
        )

    def _others(self) -> list[str]:
        """The arguments that are no files."""
        return [one for one in self._arguments[1:] if not is_file(one, self._directories)]

    def _place(self, file: str) -> int | None:
        """Returns which argument a file is, or None if it is none of them, or several."""
        found = [at for at, one in enumerate(self._arguments) if one == file or one.endswith("/" + file)]
        return found[0] if len(found) == 1 else None


def by_names(first: Given, second: Given) -> str:
    """Two inputs of which each has the file that is named as the other."""
    if not contradicted(first.name, second.name, (first.file, second.file)):
        return ""
    own, other = (PurePosixPath(one.file).name for one in (second, first))
    return f'it is {own}, and {other} is input {{}} "{first.name}": are the two inputs exchanged?'


def are_in_order(first: str, second: str) -> bool:
    """Whether names of inputs are the same but for words of which one comes first."""
    names = [parts(name) for name in (first, second)]
    if len(names[0]) != len(names[1]):
        return False
    different = [(one, other) for one, other in zip(*names, strict=True) if one != other]
    return len(different) == 1 and different[0] in PAIRS
