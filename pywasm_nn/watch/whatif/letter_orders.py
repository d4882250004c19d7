"""Letters as zeros and a one for each place (one-hot), in another order than the alphabet's (A, T, C, G), or
with none for those of the other case (soft-masked sequences).

What is here: `LetterOrders`. What is not: ones for the ends of lines (`sent/wrapped.py`), and which way they
lie (`sent/onehots.py`).

Two things speak together: what was sent is exactly a text that the guest read, each letter by an order that
isn't the alphabet's, or small letters without a one; and by the alphabet's order, or with a one for each
letter, the model has hardly any doubt, and gives more different answers, which it does by no other order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower
from ..spoken import filled_lines
from ..surroundings import Files, text_in
from .asking import MOST, RUNS, Runs
from .between_texts import Asking
from .one_model import OneModel
from .sureness import MOST_SURE, Answer, answer_or_share, mean

FEWEST_LETTERS, MOST_LETTERS, FEWEST_PLACES, MOST_PLACES = 4, 26, 16, 4096
FEWEST, MOST_KEPT, MOST_BYTES, MOST_TEXTS = 3, 6, 1 << 18, 256
"""The rule asks about at least `FEWEST` inputs, and at most `MOST_KEPT`. It compares them with texts of at
most `MOST_BYTES`, and with `MOST_TEXTS` lines of each."""
LEAST, SURE, TIMES, OTHERS = 0.75, 0.93, 4.0, 2
"""Each answer to changed inputs is at least `LEAST` sure, and all are `SURE` on average. The doubt as sent is
at least `TIMES` as large, and half of that in `OTHERS` ways that are no better than chance, unless these give
fewer answers."""
EACH, OTHERS_OF_ONE = 2, 6
"""A model that knows two kinds is sure of nonsense, too, that it is nothing. If all inputs as sent get one
answer, `EACH` of two kinds are enough, which none of `OTHERS_OF_ONE` other ways gives."""
ANYWHERE = 24
"""So many letters, each known by its equals alone, are anywhere in a text by no chance."""
MASKED = 0.1
"""The part of a sequence's letters that have no one, at least."""


class Sent(Frozen):
    """An input, the answer to it, and the text that begins with it."""

    given: Tensor
    answer: Answer
    text: str


class LetterOrders(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[str]) -> None:
        self._files, self._ask = files, ask
        self._model = OneModel(ones_in, are_all_known=True)
        self._kept: list[tuple[Tensor, Answer]] = []

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        found = self._model.answered(event)
        if found is not None and len(self._kept) < MOST_KEPT:
            self._kept.append(found)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event, kept = self._model.last, self._kept
        if event is None or len(kept) < FEWEST:
            return
        with paused():
            order, texts = order_of([one for one, _ in kept], [*sequences_in(self._files())])
        sent = [Sent(*one, text) for one, text in zip(kept, texts, strict=False)]
        masked = masked_letters(sent, order) if order else 0
        if not order or (not masked and order == "".join(sorted(order))):
            return

        def asked(twin: Graph, *left: float) -> str:
            return (masked and with_masked(twin, sent, order, masked, *left)) or (
                "" if order == "".join(sorted(order)) else by_alphabet(twin, sent, order, *left)
            )

        if wrong := self._ask(event, asked):
            yield "whatif", f"{self._model.called}: {wrong}"


def ones_in(tensor: Tensor) -> Tensor | None:
    """Returns a copy of an input that has at most a single one at each place, [places, letters] or
    [letters, places], or None for anything else."""
    shape = [length for length in tensor.shape if length != 1]
    numbers = tensor.numbers() if len(shape) == 2 and tensor.dtype.value.startswith("f") else None
    if numbers is None or not FEWEST_LETTERS <= min(shape) <= MOST_LETTERS or max(shape) > MOST_PLACES:
        return None
    rows = rows_of(numbers.reshape(shape))
    if len(rows) < FEWEST_PLACES or not ((rows == 0) | (rows == 1)).all() or rows.sum(axis=1).max() != 1:
        return None
    return Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))


def sequences_in(files: Sequence[tuple[str, bytes]]) -> Iterator[str]:
    """Yields the texts of files, their lines, and what stands between the lines of names (FASTA)."""
    for _, data in files:
        text = text_in(data, MOST_BYTES)
        lines = filled_lines(text)
        if ">" in text:
            for part in text.split(">")[1:MOST_TEXTS]:
                yield "".join(line.strip() for line in part.splitlines()[1:])
        yield from (line.strip() for line in lines[:MOST_TEXTS])
        yield "".join(line.strip() for line in lines)


def order_of(kept: Sequence[Tensor], texts: Sequence[str]) -> tuple[str, list[str]]:
    """Returns the letters of which inputs have ones, in their order, and the text of each, if each is a part
    of a text and all say the same, or "" and []."""
    known: dict[int, str] = {}
    own: list[str] = []
    rows = table_of(kept[0])
    for one in kept:
        rows = table_of(one)
        places = numpy.where(rows.any(axis=1), rows.argmax(axis=1), -1)
        begun = ((way, text) for text in texts if (way := letters_of(places, text)) is not None)
        found = next(chain(begun, windows_of(places, texts)), None)
        if found is None or any(known.get(place, letter) != letter for place, letter in found[0].items()):
            return "", []
        known.update(found[0])
        own.append(found[1])
    letters = "".join(known.get(place, "") for place in range(rows.shape[1]))
    return (letters, own) if len({*letters.upper()}) == rows.shape[1] else ("", [])


def windows_of(places: Any, texts: Sequence[str]) -> Iterator[tuple[dict[int, str], str]]:
    """Yields the letter for which each place of ones stands, and the text from there on, for each part of a
    text whose letters are equal just where places are."""
    filled = numpy.flatnonzero(places >= 0)
    for text in texts if len(filled) >= ANYWHERE else ():
        if len(text) < len(places):
            continue
        codes = numpy.array([*map(ord, text.upper()[: len(text)])])
        parts = numpy.lib.stride_tricks.sliding_window_view(codes, len(places))
        fits = numpy.ones(len(parts), bool)
        for place in numpy.unique(places[filled]):
            same = filled[places[filled] == place]
            for at in same[1:]:
                fits &= parts[:, at] == parts[:, same[0]]
        for begins in numpy.flatnonzero(fits).tolist():
            if (way := letters_of(places, text[begins:])) is not None:
                yield way, text[begins:]


def letters_of(places: Any, text: str) -> dict[int, str] | None:
    """Returns the letter for which each place of ones stands, if a text begins with these letters, or
    None."""
    count = int((places >= 0).nonzero()[0].max()) + 1 if (places >= 0).any() else 0
    if count < FEWEST_PLACES or len(text) < count:
        return None
    found: dict[int, str] = {}
    for place, letter in zip(places[:count].tolist(), text, strict=False):
        if place >= 0 and (not letter.isalpha() or found.setdefault(place, letter.upper()) != letter.upper()):
            return None
    return found if len({*found.values()}) == len(found) else None


def masked_letters(sent: Sequence[Sent], order: str) -> int:
    """Returns how many letters of all inputs have no one, if these are just those of one case, or 0."""
    cases: tuple[set[bool], set[bool]] = {*()}, {*()}
    count = total = 0
    for one in sent:
        has_one = table_of(one.given).any(axis=1)
        for letter, has in zip(one.text, has_one.tolist(), strict=False):
            if letter.upper() in order:
                cases[has].add(letter.islower())
                count, total = count + (not has), total + 1
    return count if cases[0].isdisjoint(cases[1]) and count >= MASKED * total else 0


def with_masked(
    graph: Graph, sent: Sequence[Sent], order: str, masked: int, seconds: float, most: float = MOST
) -> str:
    """Returns a hint if the model wants a one for each letter of the other case, too, or "". Raises
    NNError."""

    def filled(one: Sent, places: Sequence[int]) -> Any:
        rows = table_of(one.given).copy()
        for row, letter in zip(rows, one.text, strict=False):
            if letter.upper() in order and not row.any():
                row[places[order.index(letter.upper())]] = 1
        return like(one.given, rows)

    found = better(graph, sent, filled, [*range(len(order))], seconds, most)
    if not found:
        return ""
    case = "small" if any(letter.islower() for letter in sent[0].text) else "capital"
    return (
        f"{masked} of its letters have no one: those that are {case} ones in the text; {len(sent)} inputs as "
        f"sent get {kinds_in([one.answer for one in sent])}, and with a one for each letter "
        f"{kinds_in(found)}: are letters to be looked up in one case?"
    )


def by_alphabet(graph: Graph, sent: Sequence[Sent], order: str, seconds: float, most: float = MOST) -> str:
    """Returns a hint if the model wants letters by the alphabet, or "". Raises NNError."""
    wanted = sorted(order)

    def moved(one: Sent, places: Sequence[int]) -> Any:
        return like(one.given, table_of(one.given)[:, places])

    found = better(graph, sent, moved, [order.index(letter) for letter in wanted], seconds, most)
    return (
        found
        and f"its ones stand for letters in the order {' '.join(order)}; {len(sent)} inputs as sent get "
        f"{kinds_in([one.answer for one in sent])}, and in the order {' '.join(wanted)} {kinds_in(found)}: "
        "is that the model's order?"
    ) or ""


def kinds_in(answers: Sequence[Answer]) -> str:
    """How many different answers there are, and how sure they are, in words."""
    count = len({one.place for one in answers})
    said = "one answer" if count == 1 else f"{count} different answers"
    return f"{said} ({mean(answers):.2f} sure on average)"


def better(
    graph: Graph,
    sent: Sequence[Sent],
    changed: Callable[[Sent, Sequence[int]], Any],
    places: Sequence[int],
    seconds: float,
    most: float,
) -> list[Answer]:
    """Returns the answers to changed inputs if the model has hardly any doubt of these, gives more different
    ones, and doesn't for letters at other places, or []. Raises NNError."""
    before = [one.answer for one in sent]
    turns = numpy.random.default_rng(0)
    if seconds * RUNS > most:
        return []
    with Runs(graph, [sent[0].given], most, judge=answer_or_share, seconds=seconds) as runs:

        def answers(way: Sequence[int]) -> list[Answer]:
            given = (runs.changed(0, numpy.ascontiguousarray(changed(one, way))) for one in sent)
            return [one for one in given if one is not None]

        found = answers(places)
        doubt = 1 - mean(found) if found else 1.0
        is_sure = len(found) == len(sent) and min(one.sure for one in found) >= LEAST and 1 - doubt >= SURE
        kinds = len({one.place for one in found})
        if not is_sure or kinds <= len({one.place for one in before}):
            return []
        is_doubted = 1 - mean(before) >= TIMES * doubt and all(one.margin <= MOST_SURE for one in found)
        if not is_doubted and not is_of_two(before, found):
            return []
        for _ in range(OTHERS if is_doubted else OTHERS_OF_ONE):
            other = turns.permutation(len(places)).tolist()
            mixed = answers(other) if other not in ([*places], [*range(len(places))]) else []
            is_as_sure = bool(mixed) and 1 - mean(mixed) < TIMES / 2 * doubt
            if is_as_sure and len({one.place for one in mixed}) >= kinds:
                return []
    return found


def is_of_two(before: Sequence[Answer], found: Sequence[Answer]) -> bool:
    """Whether all inputs got one answer, and now get that and others, each more than once."""
    places = [one.place for one in found]
    is_one = len({one.place for one in before}) == 1 and before[0].place in places
    return is_one and all(places.count(place) >= EACH for place in places)


def rows_of(rows: Any) -> Any:
    """Returns elements as [places, letters], whichever of both they are: there are more places."""
    return rows.T if rows.shape[0] < rows.shape[1] else rows


def table_of(given: Tensor) -> Any:
    """Returns the elements of an input as [places, letters]."""
    return rows_of(given.numpy().reshape([length for length in given.shape if length != 1]))


def like(given: Tensor, rows: Any) -> Any:
    """Returns [places, letters] in the order and shape of an input."""
    shape = [length for length in given.shape if length != 1]
    return (rows if rows.shape == (*shape,) else rows.T).reshape(given.shape)
