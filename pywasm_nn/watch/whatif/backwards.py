"""A text whose letters were sent from the last one to the first one.

What is here: `backwards`. It needs no alphabet: the same letter has the same number wherever it stands, from
the text's end on, and not from its beginning on. What is not: alphabets that are known (`counting.py`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import islice

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..origin.comparing import are_shares, softmax
from ..origin.wordings import filled_from, pieces
from .asking import MOST, Runs

LONG, DIFFERENT, REPEATED = 8, 5, 4
"""Letters of a text, different numbers among them, and letters that stand there again: fewer have such
numbers by chance."""
MOST_LETTERS, MOST_TEXTS, MOST_BESIDE = 1 << 12, 64, 2
"""The most letters, the most texts, and the most numbers before and behind a text's."""
PADDING = 3
"""So many equal numbers at the end are no letters."""
TOLD_APART = 0.6
"""At least this part of different letters have different numbers."""
SURE, SURER = 0.5, 0.1
SHOWN = 24
RIGHT_TO_LEFT = frozenset({"R", "AL"})
"""The directions of Hebrew and Arabic letters in Unicode."""


def backwards(
    graph: Graph,
    inputs: Sequence[Tensor],
    files: Sequence[tuple[str, bytes]],
    seconds: float,
    most: float = MOST,
) -> str | None:
    """A sentence if an input has the letters of a text from the last one on, and the model is surer of the
    other order, and not of any; or, of a text that is written from right to left, not less sure. Raises
    NNError."""
    for index, given in enumerate(inputs):
        row = letters_of(given)
        text, begins = turned(row, files)
        if not text:
            continue
        name = f'input {index} "{graph.inputs[index].name}": '
        said = f'the {len(text)} letters of "{text[:SHOWN]}" lie backwards, the last one first'
        letters = row[begins : begins + len(text)]
        orders = letters[::-1], numpy.random.default_rng(0).permutation(letters).tolist()
        made = [[*row[:begins], *one, *row[begins + len(text) :]] for one in orders]
        sent, own, mixed = surenesses(graph, inputs, index, made, seconds, most)
        if is_from_right(text) and sent < own + SURER:
            return (
                f"{name}{said}: a file has the letters of a script from right to left in the order of "
                "reading, too, and models take them so"
            )
        if own >= SURE and own >= max(sent, mixed) + SURER:
            return f"{name}{said}; the model is surer of them from the first one on"
    return None


def letters_of(given: Tensor) -> list[int]:
    """Returns the whole numbers of an input of one row, or [] for any other."""
    numbers = given.numbers()
    is_row = [length for length in given.shape if length != 1] == [0 if numbers is None else numbers.size]
    if numbers is None or not is_row or not LONG <= numbers.size <= MOST_LETTERS:
        return []
    if numbers.dtype.kind not in "iuf" or (numbers != numbers.round()).any():
        return []
    return [int(one) for one in numbers.tolist()]


def turned(row: Sequence[int], files: Sequence[tuple[str, bytes]]) -> tuple[str, int]:
    """Returns the text whose letters lie backwards, and the place of its last one, or "" and 0 if there is
    none."""
    count = filled_from(row)
    ends = {len(row), count} if len(row) - count >= PADDING - 1 else {len(row)}
    texts = [data.decode("utf-8", "replace") for _, data in files if b"\0" not in data] if row else []
    for text in islice(pieces(texts), MOST_TEXTS):
        for one in (text, text.strip(), text.lower()):
            for end in ends if len(one) >= LONG else ():
                begins = next((at for at in begin_at(one, end) if fits(one, row, at)), None)
                if begins is not None:
                    return one, begins
    return "", 0


def begin_at(text: str, end: int) -> range:
    """Where a text may begin if there are `end` numbers, a few of which may stand before and behind it."""
    rest = end - len(text)
    return range(max(0, rest - MOST_BESIDE), min(MOST_BESIDE, rest) + 1)


def fits(text: str, row: Sequence[int], begins: int) -> bool:
    """Whether each letter has one number from the text's end on, and not so from its beginning on."""
    own = row[begins : begins + len(text)]
    different = len({*text})
    if len({*own}) < max(DIFFERENT, TOLD_APART * different) or len(text) - different < REPEATED:
        return False
    return is_one_for_each(text[::-1], own) and not is_one_for_each(text, own)


def is_one_for_each(text: str, own: Sequence[int]) -> bool:
    """Whether the same letter has the same number each time."""
    return len({*zip(text, own, strict=True)}) == len({*text})


def is_from_right(text: str) -> bool:
    """Whether most letters of a text are of a script that is written from right to left."""
    known = [unicodedata.bidirectional(one) for one in text if one.isalpha()]
    return 2 * sum(one in RIGHT_TO_LEFT for one in known) > len(known)


def surenesses(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    rows: Sequence[Sequence[int]],
    seconds: float,
    most: float,
) -> list[float]:
    """How sure a model is of an input as it was sent, and of other numbers in its place. Raises NNError."""
    given = inputs[index].numpy()
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        others = [numpy.array(row).reshape(given.shape).astype(given.dtype) for row in rows]
        return [sureness(runs.outputs_of(index, array)) for array in (given, *others)]


def sureness(outputs: Sequence[Tensor]) -> float:
    """Returns how probable the likeliest classes of all rows of numbers are, on average, or 0 without any."""

    found = []
    for tensor in outputs:
        numbers = tensor.numbers()
        if numbers is None or numbers.dtype.kind != "f" or not tensor.shape or tensor.shape[-1] < 2:
            continue
        rows = numbers.reshape(-1, tensor.shape[-1]).astype("f8")
        shares = rows if are_shares(rows) else softmax(rows)
        found.append(float(shares.max(axis=1).mean()))
    return sum(found) / len(found) if found else 0.0
