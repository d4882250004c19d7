"""Classes that a guest says of one file after the other: votes that are kept from the files before, and names
of a list that lies beside the model's own, which may be longer, or of the program's.

What is here: `ByFiles`, which knows after which file each answer came. What is not: names off by one, sorted
or backwards in the list that was read (`probes/named.py`), and states kept between series (`loops/files.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ...interpreter.runtime.observe import HostEvent
from ...nn.formats import KNOWN
from ...nn.operation import NNEvent
from ...records import Frozen
from ..classes import FILE_NAME, MOST_BYTES, SHORTEST, Classes, belongs_at, classes_in, lists_for
from ..depicted import own_names
from ..follower import Follower
from ..origin.comparing import are_shares
from ..regex import regex
from ..spoken import Heard, filled_lines
from ..surroundings import Files
from .own_order import in_other_order, is_of_model

Texts = Callable[[Sequence[Path]], Iterable[tuple[Path, str]]]
MOST_ROUNDS, CLASSES = 256, range(3, 1025)
FEWEST, DIFFERENT, EACH = 3, 2, 2
"""The fewest files; the fewest of them of which another class is said than theirs; and the fewest answers to
a file whose votes may be added, unless files are named after their classes."""
CLEARLY = 0.1
"""By how much more the shares of a file's first class add up than those of its second, for each answer."""
HALF = 0.5
SO_FAR = regex(r"so far|total|overall|cumul|running (?:mean|sum|average)|until|all files", re.IGNORECASE)
"""Words of a guest that adds up all files on purpose."""


class Round(Frozen):
    """An answer of shares, and the file that was read before it."""

    file: str
    shares: Any


class ByFiles(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files = tuple, texts: Texts = lambda _: ()) -> None:
        """`texts` gives those that lie in the guest's directories, but for some."""
        self._files, self._texts = files, texts
        self._module: Module | None = None
        self._rounds: dict[int, list[Round]] = {}
        """By an output's index."""
        self._heard = Heard()

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not event.operation.startswith("get_output") or not event.tensors:
            return
        tensor, kept = event.tensors[0], self._rounds.setdefault(event.index or 0, [])
        numbers = tensor.numbers() if tensor.size in CLASSES and len(kept) < MOST_ROUNDS else None
        if numbers is None or numbers.dtype.kind != "f" or not are_shares(numbers.astype("f8")):
            return
        read = [name for name, _ in self._files() if KNOWN.of_file(name) is None]
        kept.append(Round(read[-1] if read else "", numbers.astype("f8").reshape(-1)))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rounds:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        lines = filled_lines(self._heard.text)
        for index, rounds in self._rounds.items():
            if not rounds or len({len(one.shares) for one in rounds}) > 1:
                continue
            said = self._of_several(rounds, lines) if len({one.file for one in rounds}) >= FEWEST else ""
            said = said or self._of_longer(rounds, lines) or self._of_own(rounds, lines)
            if said := said or self._of_usual_order(rounds, lines):
                yield "answer", f"output {index}: {said}"
                return

    def _of_several(self, rounds: Sequence[Round], lines: Sequence[str]) -> str:
        """Returns what is wrong with the classes of several files, or "" if nothing is known to be wrong."""
        count = len(rounds[0].shares)
        lists = [names for one in lists_for(self._files(), count) if (names := plain(one, count))]
        own = own_names(self._module, count) if self._module is not None else ()
        said = next(filter(None, (kept_votes(rounds, one, lines) for one in [*lists, *own])), "")
        return said or self._of_lists(rounds, lines)

    def _of_usual_order(self, rounds: Sequence[Round], lines: Sequence[str]) -> str:
        """Returns what is wrong with names in another order of the list that was read, or "", also if the
        program has the same names itself, whose order may be the right one."""
        count = len(rounds[0].shares)
        own = [{*one} for one in own_names(self._module, count)] if self._module is not None else []
        found = [names for one in lists_for(self._files(), count) if (names := plain(one, count))]
        left = [names for names in found if {*names} not in own]
        return next(filter(None, (in_usual_order(rounds, names, lines) for names in left)), "")

    def _of_lists(self, rounds: Sequence[Round], lines: Sequence[str]) -> str:
        """Returns what is wrong with the list that was read, or "" if nothing is known to be wrong."""
        count = len(rounds[0].shares)
        for read in lists_for(self._files(), count):
            names = plain(read, count)
            if not names or not may_be_other(rounds, names, lines):
                continue
            for path, text in self._texts(()):
                other = classes_in(path.name, text.encode())
                own = plain(other, count) if other is not None else []
                if own != names and sorted(own) == sorted(names) and not misnamed(rounds, own):
                    first = misnamed(rounds, names)[0]
                    place = int(first.shares.argmax())
                    return (
                        f'the guest says "{names[place]}" of {first.file}, the name of class {place} in '
                        f"{read.file}; {path.name} has the same names in another order, by which it is "
                        f'"{own[place]}", and all of {len({one.file for one in rounds})} files get the '
                        "names that they are named after: is that the list of this model?"
                    )
        return ""

    def _of_longer(self, rounds: Sequence[Round], lines: Sequence[str]) -> str:
        """Returns what is wrong if the list that was read has more names than the model has classes, and all
        of a list beside it that has as many, or "" if that is not so."""
        count = len(rounds[0].shares)
        found = [one for one in (classes_in(*each) for each in self._files()) if one is not None]
        if any(belongs_at(one, count) is not None for one in found):
            return ""
        longer = [one for one in found if len(one.names) > count and not one.is_numbered]
        for path, text in self._texts(()) if longer else ():
            other = classes_in(path.name, text.encode())
            own = plain(other, count) if other is not None else []
            for read in longer if own else ():
                if {*own} <= {*read.names} and (said := said_by(rounds, read.names, own, lines)):
                    return (
                        f"the guest says {said[0]} in {read.file}, which has {len(read.names)} names for "
                        f"{count} classes; {path.name} has as many as there are classes, all of them in that "
                        f"list too, and there {said[1]}: is that the list of this model?"
                    )
        return ""

    def _of_own(self, rounds: Sequence[Round], lines: Sequence[str]) -> str:
        """Returns what is wrong with the program's own names, which the guest says of its answers, by those
        in a list of the model's that was never read, or "" if nothing is known to be wrong."""
        count, text = len(rounds[0].shares), "\n".join(lines)
        read = [(name, data) for name, data in self._files() if is_text(data)]
        if self._module is None or next(lists_for(read, count), None) is not None:
            return ""
        said = {int(one.shares.argmax()) for one in rounds}
        for own in own_names(self._module, count):
            if len(said) < DIFFERENT or not all(is_written(own[place], text) for place in said):
                continue
            for path, body in self._texts(()):
                other = classes_in(path.name, body.encode())
                names = plain(other, count) if other is not None and is_of_model(path) else []
                if wrong := in_other_order(own, names, path.name) if names else "":
                    return wrong
        return ""


def said_by(
    rounds: Sequence[Round], read: Sequence[str], own: Sequence[str], lines: Sequence[str]
) -> tuple[str, str] | None:
    """Returns what is said of an answer by the list that was read, and what it is by another, if the guest
    writes the names of the first wherever the two differ, and lacks one of the other's; else None."""
    text = FILE_NAME.sub(" ", "\n".join(lines))
    places = [(one, int(one.shares.argmax())) for one in rounds]
    wrong = [(one, place) for one, place in places if read[place] != own[place]]
    if not all(is_written(read[place], text) for _, place in wrong):
        return None
    for one, place in wrong:
        if len(read[place]) >= SHORTEST and not is_written(own[place], text):
            of = f"of {one.file}, " if one.file else ""
            return f'"{read[place]}" {of}the name of class {place}', f'it is "{own[place]}"'
    return None


def is_text(data: bytes) -> bool:
    """Whether a file's bytes are a text; those of a small picture may have as many lines as names."""
    try:
        return len(data) <= MOST_BYTES and bool(data.decode())
    except ValueError:
        return False


def plain(found: Classes, count: int) -> list[str]:
    """The names of so many classes in their order, or [] if some have none."""
    by = belongs_at(found, count)
    names = found.in_order(count, by) if by is not None else []
    return names if all(names) and len({*names}) == count else []


def is_named(file: str, name: str) -> bool:
    """Whether a file is named after a class."""
    return re.search(rf"(?<![a-z]){re.escape(name.lower())}(?![a-z])", stem_of(file)) is not None


def stem_of(file: str) -> str:
    return PurePosixPath(file).stem.lower()


def misnamed(rounds: Sequence[Round], names: Sequence[str]) -> list[Round]:
    """The answers that aren't by these names what their files are named after."""
    return [one for one in rounds if not is_named(one.file, names[int(one.shares.argmax())])]


def may_be_other(rounds: Sequence[Round], names: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether at least half of the files are named after other classes of a list than the guest says, and all
    after one, and the guest says the names of this list."""
    wrong = misnamed(rounds, names)
    known = all(any(is_named(one.file, name) for name in names) for one in rounds)
    text = "\n".join(lines)
    return (
        known
        and len({int(one.shares.argmax()) for one in rounds}) >= FEWEST
        and len(wrong) >= max(DIFFERENT, HALF * len(rounds))
        and all(is_written(names[int(one.shares.argmax())], text) for one in wrong)
    )


def is_written(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def kept_votes(rounds: Sequence[Round], names: Sequence[str], lines: Sequence[str]) -> str:
    """Returns what is wrong if the class of each file is that of the sum of all answers so far, and not of
    its own, nor of the file before; "" if that is not so."""
    files = list(dict.fromkeys(one.file for one in rounds))
    parts = [numpy.stack([one.shares for one in rounds if one.file == file]) for file in files]
    said = classes_said(files, names, lines)
    if len(said) < FEWEST or SO_FAR.search("\n".join(lines)):
        return ""
    for sums in ([part.sum(axis=0) for part in parts], [votes(part) for part in parts]):
        own, ever = [int(one.argmax()) for one in sums], numpy.cumsum(sums, axis=0).argmax(axis=1).tolist()
        moved = [at for at in range(len(files)) if said[at] != own[at] and is_clear(sums[at], len(parts[at]))]
        is_late = all(said[at] == own[at - 1] for at in moved)
        is_sure = min(map(len, parts)) >= EACH or all(is_named(files[at], names[own[at]]) for at in moved)
        if said == ever and len(moved) >= DIFFERENT and not is_late and is_sure:
            at, count = moved[0], len(parts[moved[0]])
            answers = f"{count} answers" if count > 1 else "answer"
            return (
                f'the guest says "{names[said[at]]}" of {files[at]}, of whose {answers} '
                f'"{names[own[at]]}" has the most ({sums[at][own[at]]:.3g} for {sums[at][said[at]]:.3g}); '
                f"with the answers to the files before it is as said, and so for all {len(files)} files: are "
                "the sums set back to 0 for each?"
            )
    return ""


def in_usual_order(rounds: Sequence[Round], names: Sequence[str], lines: Sequence[str]) -> str:
    """Returns what is wrong if each file's class is said by the name that has its place in the list sorted or
    turned round, and not by its own, or "" if that is not so."""
    files, own = [one.file for one in rounds], [int(one.shares.argmax()) for one in rounds]
    said = classes_said(files, names, lines) if len({*files}) == len(files) else []
    wrong = [at for at, one in enumerate(said) if one != own[at]]
    if len({*files}) < FEWEST or len({own[at] for at in wrong}) < DIFFERENT:
        return ""
    orders = {"were the names sorted?": sorted(names), "is the list of names backwards?": [*names][::-1]}
    for what, order in orders.items():
        if all(names[one] == order[place] for one, place in zip(said, own, strict=True)):
            at = wrong[0]
            return (
                f'class {own[at]} of {files[at]} is said as "{names[said[at]]}", which is "{names[own[at]]}" '
                f"in the list that was read, and so for all {len(files)} files: {what}"
            )
    return ""


def votes(part: Any) -> Any:
    """How many answers are of each class."""
    return numpy.bincount(part.argmax(axis=1), minlength=part.shape[1]).astype("f8")


def is_clear(sums: Any, count: int) -> bool:
    second, first = numpy.sort(sums)[-2:]
    return bool(first - second >= CLEARLY * count)


def classes_said(files: Sequence[str], names: Sequence[str], lines: Sequence[str]) -> list[int]:
    """The class that the line of each file says, beside the file's name; [] if there isn't a line for each,
    with one class."""
    known = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?!\w)")
    bare = [line for line in lines if known.search(line)]
    if len(bare) != len(files):
        return []
    found = []
    for file, line in zip(files, bare, strict=True):
        rest = re.sub(rf"\S*(?<!\w){re.escape(stem_of(file))}(?:\.\w+)?(?!\w)", " ", line, count=1)
        words = {*known.findall(rest)}
        if len(words) != 1:
            return []
        found.append([*names].index(words.pop()))
    return found
