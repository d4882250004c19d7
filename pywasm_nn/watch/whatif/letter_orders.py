"""Letters as zeros and a one for each place (one-hot), in another order than the alphabet's: A, T, C, G.

What is here: `LetterOrders`. What is not: ones for the ends of lines (`sent/wrapped.py`), and which way they
lie (`sent/onehots.py`).

Two things speak together: what was sent is exactly a text that the guest read, each letter by an order that
isn't the alphabet's; and by the alphabet's the model has hardly any doubt, and gives more different answers,
which it does by no other order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..follower import Follower
from ..spoken import filled_lines
from ..surroundings import Files, text_in
from .asking import MOST, RUNS, Runs
from .between_texts import Asking
from .one_model import OneModel
from .sureness import MOST_SURE, Answer, answer_or_share, mean

FEWEST_LETTERS, MOST_LETTERS, FEWEST_PLACES, MOST_PLACES = 4, 26, 16, 4096
FEWEST, MOST_KEPT, MOST_BYTES, MOST_TEXTS = 3, 4, 1 << 18, 256
"""The rule asks about at least `FEWEST` inputs, and at most `MOST_KEPT`. It compares them with texts of at
most `MOST_BYTES`, and with `MOST_TEXTS` lines of each."""
LEAST, SURE, TIMES, OTHERS = 0.75, 0.93, 4.0, 2
"""By the alphabet's order each answer is at least `LEAST` sure, and all are `SURE` on average. The doubt as
sent is at least `TIMES` as large, and half of that by `OTHERS` other orders, unless these give fewer
answers."""


class LetterOrders(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[str]) -> None:
        self._files, self._ask = files, ask
        self._model = OneModel(ones_in, are_all_known=True)
        self._kept: list[tuple[Tensor, Answer]] = []

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = self._model.computed(event)
        if given is None:
            return
        answer = answer_or_share(event.specs, event.tensors)
        if answer is None:
            self._model.is_over = True
        elif len(self._kept) < MOST_KEPT:
            self._kept.append((given, answer))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event, kept = self._model.event, self._kept
        if self._model.is_over or event is None or event.graph is None or len(kept) < FEWEST:
            return
        with paused():
            order = order_of([one for one, _ in kept], [*sequences_in(self._files())])
        if not order or order == "".join(sorted(order)):
            return
        if wrong := self._ask(event, lambda twin, *left: by_alphabet(twin, kept, order, *left)):
            yield "whatif", f'input 0 "{event.graph.inputs[0].name}": {wrong}'


def ones_in(tensor: Tensor) -> Tensor | None:
    """Returns a copy of an input that has at most a single one at each place, [places, letters], or None for
    anything else."""
    shape = [length for length in tensor.shape if length != 1]
    numbers = tensor.numbers() if len(shape) == 2 and tensor.dtype.value.startswith("f") else None
    if numbers is None or not (FEWEST_PLACES <= shape[0] <= MOST_PLACES):
        return None
    if not FEWEST_LETTERS <= shape[1] <= MOST_LETTERS:
        return None
    rows = numbers.reshape(shape)
    if not ((rows == 0) | (rows == 1)).all() or rows.sum(axis=1).max() != 1:
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


def order_of(kept: Sequence[Tensor], texts: Sequence[str]) -> str:
    """Returns the letters of which inputs have ones, in their order, if each is the beginning of a text and
    all say the same, or ""."""
    known: dict[int, str] = {}
    for one in kept:
        rows = table_of(one)
        places = numpy.where(rows.any(axis=1), rows.argmax(axis=1), -1)
        found = next((way for text in texts if (way := letters_of(places, text)) is not None), None)
        if found is None or any(known.get(place, letter) != letter for place, letter in found.items()):
            return ""
        known.update(found)
    letters = "".join(known.get(place, "") for place in range(rows.shape[1]))
    return letters if len({*letters.upper()}) == rows.shape[1] else ""


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


def by_alphabet(
    graph: Graph, kept: Sequence[tuple[Tensor, Answer]], order: str, seconds: float, most: float = MOST
) -> str:
    """Returns a hint if the model wants letters by the alphabet, or "". Raises NNError."""
    sent, given = [answer for _, answer in kept], kept[0][0]
    wanted = "".join(sorted(order))
    turns = numpy.random.default_rng(0)
    if seconds * RUNS > most:
        return ""
    with Runs(graph, [given], most, judge=answer_or_share, seconds=seconds) as runs:
        found = answers(runs, kept, order, wanted)
        doubt = 1 - mean(found) if found else 1.0
        is_sure = len(found) == len(kept) and min(one.sure for one in found) >= LEAST and 1 - doubt >= SURE
        if not is_sure or 1 - mean(sent) < TIMES * doubt or any(one.margin > MOST_SURE for one in found):
            return ""
        kinds = len({one.place for one in found})
        if kinds <= len({one.place for one in sent}):
            return ""
        for _ in range(OTHERS):
            other = "".join(turns.permutation([*wanted]).tolist())
            mixed = answers(runs, kept, order, other) if other not in (wanted, order) else []
            is_as_sure = bool(mixed) and 1 - mean(mixed) < TIMES / 2 * doubt
            if is_as_sure and len({one.place for one in mixed}) >= kinds:
                return ""
    return (
        f"its ones stand for letters in the order {' '.join(order)}; {len(kept)} inputs as sent get answers "
        f"that are {mean(sent):.2f} sure on average, and in the order {' '.join(wanted)} others that are "
        f"{mean(found):.2f} sure: is that the model's order?"
    )


def answers(runs: Runs, kept: Sequence[tuple[Tensor, Answer]], order: str, other: str) -> list[Answer]:
    """Returns the answers to inputs whose letters are in another order."""
    places = [order.index(letter) for letter in other]
    found = (runs.changed(0, numpy.ascontiguousarray(moved(one, places))) for one, _ in kept)
    return [one for one in found if one is not None]


def moved(given: Tensor, places: Sequence[int]) -> Any:
    """Returns an input with its letters in another order, or as it is if it has others than these."""
    rows = table_of(given)
    return rows[:, places].reshape(given.shape) if rows.shape[1] == len(places) else given.numpy()


def table_of(given: Tensor) -> Any:
    """Returns the elements of an input as [places, letters]."""
    return given.numpy().reshape([length for length in given.shape if length != 1])
