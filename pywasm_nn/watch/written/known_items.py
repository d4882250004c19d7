"""Things that are recommended to somebody who has them already, by a table of who has rated or seen what.

What is here: `KnownItems`, for guests that send one user with all items of a list and write the names of
those with the highest scores. What is not: users and items that are counted from 1 (`sent/lookups.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..regex import regex
from ..sheets.listed_kinds import is_of, plain
from ..sheets.sheet import sheet_of
from ..spoken import Heard, filled_lines
from ..surroundings import Files, text_in

FEWEST, USERS, MOST_ROUNDS, MOST_BYTES = 6, 4, 64, 1 << 18
"""Items that are scored, users of a table, computes, and bytes of a file."""
WRITTEN, LETTERS = 2, 2
"""So many names at least are written, of so many letters."""
NUMBERED = regex(r"\s*(\d{1,9})\s*[|,;:\t]\s*(.*\S)")
NEW = regex(
    r"\b(?:next|recommend\w*|suggest\w*|unseen|unread|new|try|tips?|might|would like|for you|discover\w*)\b",
    re.I,
)
"""What says that things are recommended, and others than those that somebody has."""


AGAIN = regex(
    r"\b(?:again|re-?order|re-?buy|re-?fill|re-?stock|repeat|basket|usual|favou?rite|re-?watch|re-?listen"
    r"|ratings?)",
    re.I,
)
"""A text with one of these may offer what somebody already had, or tell ratings."""


class Round(Frozen):
    """The user and the items of a compute, the names of both inputs, the scores, and where the text that was
    written later begins."""

    user: int
    items: tuple[int, ...]
    names: tuple[str, str]
    scores: Any
    begins: int


class Listed(Frozen):
    """A file that is a list of names, by their rows, which are counted from 0; and the number of the
    first, if the file has numbers."""

    file: str
    names: Mapping[int, str]
    first: int | None


class KnownItems(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._given: dict[Any, dict[int, tuple[str, Any]]] = {}
        """By context, the names and the whole numbers of its inputs."""
        self._rounds: list[Round] = []
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or len(self._rounds) >= MOST_ROUNDS:
            return
        given = self._given.setdefault(event.context_id, {})
        for index, spec, tensor in inputs_of(event):
            numbers = tensor.numbers() if tensor.size <= MOST_BYTES else None
            is_whole = numbers is not None and numbers.dtype.kind in "iu"
            given[index] = spec.name, numbers.reshape(-1).copy() if is_whole and numbers is not None else None
        if event.operation.startswith("get_output") and event.tensors:
            scores = event.tensors[0].numbers()
            found = None if scores is None else round_of([*given.values()], scores, len(self._heard.data))
            self._rounds += [found] if found is not None else []

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rounds:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        if not self._rounds or not NEW.search(text) or AGAIN.search(text):
            return
        texts = self._heard.parts([one.begins for one in self._rounds])
        files = [
            (name, data) for name, data in self._files() if len(data) <= MOST_BYTES and b"\0" not in data
        ]
        for listed in lists_in(files):
            for one, own in zip(self._rounds, texts, strict=True):
                if said := recommended(one, own, listed, files):
                    yield "answer", said
                    return


def round_of(given: Sequence[tuple[str, Any]], scores: Any, begins: int) -> Round | None:
    """Returns what a compute was about, if it was one user and many items, or None if it wasn't."""
    if len(given) != 2 or any(numbers is None or numbers.size != scores.size for _, numbers in given):
        return None
    users = [place for place, (_, numbers) in enumerate(given) if (numbers == numbers[:1]).all()]
    if len(users) != 1 or scores.size < FEWEST or scores.dtype.kind != "f":
        return None
    (user, number), (item, numbers) = given[users[0]], given[1 - users[0]]
    items = tuple(int(one) for one in numbers)
    is_list = len({*items}) == len(items)
    return Round(int(number[0]), items, (user, item), scores.reshape(-1).copy(), begins) if is_list else None


def lists_in(files: Sequence[tuple[str, bytes]]) -> Iterator[Listed]:
    """The files that are lists of names."""
    for file, data in files:
        lines = filled_lines(text_in(data, MOST_BYTES))
        found = [NUMBERED.fullmatch(line) for line in lines]
        pairs = [(int(one[1]), one[2]) for one in found if one is not None]
        first = min((number for number, _ in pairs), default=None)
        if first is None:
            pairs = [*enumerate(line.strip() for line in lines)]
        if FEWEST <= len(pairs) == len({number for number, _ in pairs}) == len({name for _, name in pairs}):
            yield Listed(file, {number - (first or 0): name for number, name in pairs}, first)


def recommended(one: Round, text: str, listed: Listed, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with the things that are written, if they have the highest scores of all in a
    list, and the user has some of them, or "" if nothing is."""
    if {*one.items} != {*listed.names}:
        return ""
    names = {row: name for row, name in listed.names.items() if len(name) >= LETTERS}
    found = {row: re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for row, name in names.items()}
    places = {row: at.start() for row, at in found.items() if at is not None}
    written = sorted(places, key=places.__getitem__)
    best = [one.items[at] for at in numpy.argsort(-one.scores, kind="stable")[: len(written)]]
    if not WRITTEN <= len(written) <= len(one.items) // 2 or written != best:
        return ""
    for other, data in files:
        known = known_by(one, other, data, listed)
        both = [row for row in written if row in known]
        if both and len(one.items) - len(known) >= FEWEST:
            return (
                f'the guest writes "{names[both[0]]}", which has one of the highest scores of all '
                f"{len(one.items)}; {other} has a line with that and the same {plain(one.names[0])} already, "
                f"as with {len(both)} of the {len(written)} that are written: are these to be left out?"
            )
    return ""


def known_by(one: Round, other: str, data: bytes, listed: Listed) -> set[int]:
    """The rows of the things that stand beside the user of a compute in a table with columns for both. Users
    are counted from 0 or 1 in it, without gaps, and things as in the list, or so that none is beyond it."""
    sheet = sheet_of(other, data)
    headings = [plain(heading) for heading in sheet.headings] if sheet is not None else []
    of_users = [at for at, heading in enumerate(headings) if heading == plain(one.names[0])]
    of_things = [
        at for at, heading in enumerate(headings)
        if heading == plain(one.names[1]) or is_of(listed.file, heading)
    ]  # fmt: skip
    if sheet is None or len(of_users) != 1 or len(of_things) != 1 or of_users == of_things:
        return set()
    pairs = sheet.numbers[:, [of_users[0], of_things[0]]]
    if not numpy.isfinite(pairs).all():
        return set()
    users, things = pairs.astype("i8").T
    begins, first = int(users.min()), listed.first
    if first is None and (things.min() == 0 or things.max() == len(listed.names)):
        first = int(things.min() > 0)
    all_users = {*users.tolist()}
    if first is None or begins not in (0, 1) or not USERS <= len(all_users) == users.max() - begins + 1:
        return set()
    return {
        int(thing) - first for user, thing in zip(users, things, strict=True) if user - begins == one.user
    }
