"""Answers that are compared with each other: are they made one vector, divided by their lengths, and is the
nearest the one that is said?

What is here: `Similar`, which keeps the answers of a model and what is written. What is not: other numbers
that are written (`misread.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.comparing import softmax
from ..regex import regex
from ..spoken import Heard, Spoken, Word, filled_lines, fit
from .likeness import UNLIKE, cosines, farthest_first, least_like
from .miscounted import OF_RIGHT

MOST_ANSWERS, FEWEST_ANSWERS = 64, 3
FEWEST, MOST = 8, 4096
"""Elements of a vector."""
MOST_PLACES = 512
MOST_ROWS = 1024
MOST_BYTES = 1 << 23
FEWEST_NUMBERS = 3
CHANCE = 0.003
"""Chance may explain all numbers with this probability at most."""
BY_CHANCE = 1e-5
"""Chance may explain numbers with this probability at most if they must be those of one vector with all
others, in their order."""
ALIKE = regex(r"alike|similar|near|close|match|same|duplicate|best|\blike(?:st|ly)?\b", re.IGNORECASE)
APART = 0.01
"""The farthest and the nearest differ by so much, or else which one is said means nothing."""
IS = regex(
    r"\b(?:is|by|from|belongs|looks|likely|recogni[sz]ed|identified|who|speaker|author)\b|->|=>|\u2192", re.I
)
"""What says that one thing is another."""
TOKEN = regex(r"[^\s,;:()\[\]|=]+")
ALIKE_ALL, NO_TWO = frozenset({1.0, 0.0, 100.0}), 0.99
"""What a comparison of a vector with itself gives, and the cosine of two that are not the same."""
FINE, WORDS = 1e-3, 2
"""Numbers that are compared have so many digits, and so many words of a text stand behind each."""
LETTERS = regex(r"[^\W\d_]{2,}")
SURE = 0.99
DIFFERENT = 1.05
"""The longest vector is at least so many times as long as the shortest one."""
FAR, DRAWN = 2.0, 2
"""The longest vector is so many times as long as most, and is said of so many others that are nearer to
another one."""
LONGER, FEWEST_SIZES, ALONG = 1.3, 5, 0.8
"""How many times as many words a text has that is said in place of the nearest one, how many different sizes
texts have, and how strongly the lengths of vectors follow these (a correlation)."""
ON_PURPOSE = regex(r"product|\bdot\b|inner|recommend|score", re.IGNORECASE)
"""What guests say that take products on purpose."""


class Similar(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self) -> None:
        self._masks: dict[Any, Any] = {}
        """By context, the last input that is 1 at words and 0 behind them."""
        self._vectors: dict[Any, list[Any]] = {}
        """By model, size and name, each answer, [size], or that to each place of a text, [places, size]."""
        self._used: dict[Any, list[Any]] = {}
        """The mask of each of these."""
        self._counts: dict[Any, int] = {}
        """By context, the words of its last input of numbers of words."""
        self._lengths: dict[Any, list[int]] = {}
        """The words of each of these."""
        self._totals: dict[Any, int] = {}
        """By context, how many words, or parts of them, its last input has or counts."""
        self._sizes: dict[Any, list[int]] = {}
        """The same of each of these."""
        self._graphs: set[int | None] = set()
        """The graphs that computed."""
        self._room = MOST_BYTES
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is None and event.operation == "compute":
            self._graphs.add(event.graph_id)
        if event.error is not None or not event.tensors:
            return
        if event.operation.startswith("set_input"):
            numbers = event.tensors[0].numbers()
            if numbers is not None and numbers.dtype.kind in "iu" and is_mask(numbers):
                self._masks[event.context_id] = numbers.copy()
            elif numbers is not None and numbers.dtype.kind in "iu":
                self._counts[event.context_id] = self._totals[event.context_id] = words_in(numbers)
            elif numbers is not None:
                self._totals[event.context_id] = counted_in(numbers)
        elif event.operation.startswith("get_output"):
            self._fetched(event)

    def _fetched(self, event: NNEvent) -> None:
        numbers, lengths = event.tensors[0].numbers(), [one for one in event.tensors[0].shape if one != 1]
        if numbers is None or numbers.dtype.kind != "f" or not 1 <= len(lengths) <= 2:
            return
        if not FEWEST <= lengths[-1] <= MOST or (len(lengths) == 2 and lengths[0] > MOST_PLACES):
            return
        name = f'output {event.index or 0} "{event.specs[0].name}"'
        key = event.graph_id, event.model, lengths[-1], len(lengths), name
        kept = self._vectors.setdefault(key, [])
        if len(kept) < MOST_ANSWERS and numbers.nbytes <= self._room:
            self._room -= numbers.nbytes
            kept.append(numbers.astype("f4").reshape(lengths))
            self._used.setdefault(key, []).append(self._masks.get(event.context_id))
            self._sizes.setdefault(key, []).append(self._totals.get(event.context_id, 0))
            words = self._counts.get(event.context_id, lengths[0])
            self._lengths.setdefault(key, []).append(min(max(words, 1), lengths[0]))

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._vectors:
            self._heard.add(event)

    def _least(self, key: Any, answers: Sequence[Any], text: Spoken) -> str:
        words = [word for word in text.words if not word.is_whole and word.digits]
        if UNLIKE.search(text):
            return ""
        lengths = self._lengths[key]
        return least_like(answers, lengths, words) or farthest_first(answers, lengths, words)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        for key, answers in self._vectors.items():
            if len(answers) < FEWEST_ANSWERS:
                continue
            if key[3] == 2:
                wrong = pooled(answers, self._used[key], text) or found(rows_of(answers), text)
            else:
                is_only = len(self._graphs) == 1
                wrong = compared(answers, text) or itself(answers, text, is_only=is_only)
                wrong = wrong or found(answers, text, self._sizes[key])
            if wrong := wrong or self._least(key, answers, text):
                yield "answer", f"{key[4]}: {wrong}"
                return


def words_in(numbers: Any) -> int:
    """How many numbers of words stand before the zeros at the end."""
    places = numbers.reshape(-1).nonzero()[0]
    return int(places[-1]) + 1 if len(places) else 0


def counted_in(numbers: Any) -> int:
    """How many words, letters or parts of them an input counts, 0 if it has no counts."""
    is_counts = numbers.size > 0 and numbers.min() >= 0 and not (numbers % 1).any()
    return int(numbers.sum()) if is_counts else 0


def is_mask(numbers: Any) -> bool:
    """Whether numbers are ones, and then zeros."""
    count = int(numbers.sum())
    return 0 < count < numbers.size and bool((numbers[:count] == 1).all() and not numbers[count:].any())


def rows_of(answers: Sequence[Any]) -> Sequence[Any]:
    """The rows of batches, without those of places that weren't filled: zeros, or the same several times."""
    rows = numpy.concatenate(answers)[:MOST_ROWS]
    _, places, counts = numpy.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return [
        row for row, place in zip(rows, places.reshape(-1), strict=True) if counts[place] == 1 and row.any()
    ]


# Texts


def pooled(answers: Sequence[Any], masks: Sequence[Any], text: Spoken) -> str:
    """Vectors of texts that were made of the answers to all places in a wrong way."""
    if any(mask is None or mask.size != len(one) for one, mask in zip(answers, masks, strict=True)):
        return ""
    words = [word for word in text.words if not word.is_whole]
    counts = [int(mask.sum()) for mask in masks]
    size = answers[0].shape[1]
    pairs = [*zip(answers, counts, strict=True)]
    rights = (
        [one[:count].mean(0) for one, count in pairs], [one[0] for one in answers],
        [one[count - 1] for one, count in pairs], [one[:count].max(0) for one, count in pairs],
        [one[1 : count - 1].mean(0) for one, count in pairs],
    )  # fmt: skip
    if not words or any(hits(words, numpy.stack(one)) for one in rights):
        return ""
    most, least = max(len(one) - count for one, count in pairs), min(counts)
    wrongs = (
        (
            [one.mean(0) for one in answers],
            f"the mean over all places of a text, with up to {most} of padding",
        ),
        (
            [one.reshape(size, -1)[:, :count].sum(1) for one, count in pairs],
            f"sums over {least} and more elements that follow each other, as if the answer to a place were a "
            "column; it is a row",
        ),
    )
    for vectors, said in wrongs:
        stacked = numpy.stack(vectors)
        pairs_of = len(answers) * (len(answers) - 1) / 2
        chance = float(numpy.prod([min(1.0, pairs_of * word.unit) for word in words]))
        if hits(words, stacked) == len(words) and chance <= CHANCE:
            return f"the guest says {words[0].text}, which is the cosine of vectors that are {said}"
    return ""


def hits(words: Sequence[Word], vectors: Any) -> int:
    """How many numbers are the cosine of a pair of vectors."""
    upper = cosines(vectors)[numpy.triu_indices(len(vectors), 1)]
    return sum(bool(word.fits(upper).any()) for word in words)


# Vectors


def compared(answers: Sequence[Any], text: Spoken) -> str:
    """Returns what is wrong with how a vector was compared with all others, or "" if nothing is."""
    words = [word for word in text.words if not word.is_whole]
    vectors = numpy.stack(answers).astype("f8")
    if len(words) != len(vectors) - 1 or len(words) < FEWEST_NUMBERS:
        return ""
    if float(numpy.prod([min(1.0, 2 * one.unit) for one in words])) > BY_CHANCE:
        return ""
    for place in (0, len(vectors) - 1):
        others = [one for one in range(len(vectors)) if one != place]
        near, products = cosines(vectors)[place, others], vectors[others] @ vectors[place]
        apart = numpy.linalg.norm(vectors[others] - vectors[place], axis=1)
        for values, is_distance in ((near, False), (1 - near, True), (apart, True), (apart**2, True)):
            if fit(words, values):
                return chosen(text, values, is_distance)
        if is_scaled(words, products):
            return undivided(vectors, place, others, words, products, near)
    return ""


def itself(answers: Sequence[Any], text: Spoken, *, is_only: bool = False) -> str:
    """All are said to be the same, or all of the best, though no two are. `is_only` says whether there is no
    other model whose shares the numbers may be."""
    words = [word for word in text.words if not word.is_whole]
    if len(words) < FEWEST_NUMBERS or len(words) == len(answers):  # of each answer its length, or its share
        return ""
    are_best = is_only and len(words) < len(answers) and are_texts(text)
    if not are_best and (OF_RIGHT.search(text) or len(words) not in comparisons(len(answers))):
        return ""
    if len({word.value for word in words}) > 1 or words[0].value not in ALIKE_ALL:
        return ""
    highest = float(cosines(numpy.stack(answers))[numpy.triu_indices(len(answers), 1)].max())
    if highest > NO_TWO or sum(map(may_be_sure, answers)) >= len(words):
        return ""
    return (
        f"the guest says {words[0].text} of all {len(words)} pairs, as of a vector and itself; of "
        f"{len(answers)} answers no two are so near (cosines up to {highest:.3f}): do all vectors lie in one "
        "buffer, which the last answer fills?"
    )


def are_texts(text: Spoken) -> bool:
    """Whether each number of many digits stands in a line of its own, with several words of no other such
    line."""
    lines = [line for line in filled_lines(text) if any(not one.is_whole for one in Spoken(line).words)]
    own = [{*LETTERS.findall(line)} for line in lines]
    others = [set().union(*(other for other in own if other is not one)) for one in own]
    return all(
        [word.unit <= FINE for word in Spoken(line).words] == [True] and len(one - more) >= WORDS
        for line, one, more in zip(lines, own, others, strict=True)
    )


def comparisons(count: int) -> frozenset[int]:
    """Returns how many pairs people make of so many vectors. They compare all with each other, once, both
    ways or also with themselves; each of some with each of the others; or one by one, such as neighbours, or
    each of the last with the nearest."""
    every = count * (count - 1) // 2
    between = (one * (count - one) for one in range(1, count))
    return frozenset({every, 2 * every, count * count, *between, *range(count // 2, count)})


def may_be_sure(answer: Any) -> bool:
    """Whether an answer may have a share of nearly 1: as it is, by softmax or by a sigmoid."""
    shares = softmax(answer.astype("f8"))
    return bool(shares.max() > SURE or (answer.min() >= 0 and answer.max() > SURE))


def found(answers: Sequence[Any], text: Spoken, sizes: Sequence[int] = ()) -> str:
    """The last vectors are compared with the first by products that aren't divided by their lengths. `sizes`
    say how many words, or parts of them, the texts of all have."""
    words = [word for word in text.words if not word.is_whole]
    count = len(words)
    if not FEWEST_NUMBERS <= count < len(answers) - 1 or max(word.digits for word in words) < 2:
        return ""
    vectors = numpy.stack(answers).astype("f8")
    lengths = numpy.linalg.norm(vectors, axis=1)
    products, near = vectors[-count:] @ vectors[:-count].T, cosines(vectors)[-count:, :-count]
    best, nearest = products.argmax(1), near.argmax(1)
    differ = [one for one in range(count) if best[one] != nearest[one]]
    if not differ or lengths.max() < DIFFERENT * lengths.min():
        return ""
    if not is_scaled(words, products.max(1)) or is_scaled(words, near.max(1)):
        return ""
    is_plain = fit(words, products.max(1)) and not ALIKE.search(text)
    if is_plain and not are_drawn(differ, best, products.max(1), lengths):
        long = [] if ON_PURPOSE.search(text) else [*of_longer(differ, best, nearest, sizes)]
        differ = [one for one in long if products[one].max() > lengths[one - count] ** 2]
        if not differ or not are_as_long(lengths, sizes):
            return ""  # some models are made for products
    one = differ[0]
    return (
        f"the guest says {words[one].text} of answer {len(answers) - count + one + 1}, which follows its "
        f"product with answer {best[one] + 1}; divided by their lengths ({lengths.min():.3g} to "
        f"{lengths.max():.3g}) answer {nearest[one] + 1} is the nearest ({near[one].max():.3f})"
    )


def are_drawn(differ: Sequence[int], best: Any, products: Any, lengths: Any) -> bool:
    """Whether several of the vectors at the end are all said to be nearest to the one that is by far the
    longest, with products that are larger than those with themselves."""
    others, own = lengths[: -len(best)], lengths[-len(best) :]
    is_far = others.max() >= FAR * numpy.median(others) and {*best[differ].tolist()} == {int(others.argmax())}
    return len(differ) >= DRAWN and is_far and bool((products[differ] > own[differ] ** 2).all())


def of_longer(differ: Sequence[int], best: Any, nearest: Any, sizes: Sequence[int]) -> Iterator[int]:
    """Those of which a text is said that is longer than the nearest one."""
    return (one for one in differ if sizes and sizes[best[one]] >= LONGER * sizes[nearest[one]])


def are_as_long(lengths: Any, sizes: Sequence[int]) -> bool:
    """Whether vectors are as long as their texts have words: no model that is made for products says that a
    text is the nearer the more words it has."""
    if len({*sizes}) < FEWEST_SIZES or min(sizes) < 1:
        return False
    return bool(numpy.corrcoef(sizes, lengths)[0, 1] >= ALONG)


def is_scaled(words: Sequence[Word], values: Any) -> bool:
    """Whether numbers are values times one factor."""
    best = max(range(len(words)), key=lambda one: words[one].digits)
    if not values[best]:
        return False
    factor = words[best].value / values[best]
    room = abs(words[best].unit / words[best].value) if words[best].value else 1.0
    return factor > 0 and all(
        abs(factor * value - word.value) <= 0.51 * word.unit + room * abs(word.value)
        for word, value in zip(words, values, strict=True)
    )


def undivided(
    vectors: Any, place: int, others: Sequence[int], words: Sequence[Word], products: Any, near: Any
) -> str:
    """Products of vectors of which one is larger than that of the vector with itself."""
    lengths = numpy.linalg.norm(vectors, axis=1)
    best, nearest = int(products.argmax()), int(near.argmax())
    if lengths.max() < DIFFERENT * lengths.min() or best == nearest:
        return ""
    if products[best] <= lengths[place] ** 2:
        return ""
    first, second, closest = place + 1, others[best] + 1, others[nearest] + 1
    return (
        f"the guest says {words[best].text} of answers {first} and {second}, their product, which is larger "
        f"than that of answer {first} with itself; divided by their lengths ({lengths.min():.3g} to "
        f"{lengths.max():.3g}) answer {closest} is the nearest ({near[nearest]:.3f})"
    )


def chosen(text: Spoken, values: Any, is_distance: bool) -> str:
    """The last line names the vector that is the farthest, or one that stands beside the nearest, as the
    nearest."""
    lines = filled_lines(text)
    numbered = [line for line in lines if any(not word.is_whole for word in Spoken(line).words)]
    if len(numbered) != len(values) or lines[-1] in numbered:
        return ""
    if values.max() - values.min() < APART or UNLIKE.search(text):
        return ""
    if not (ALIKE.search(lines[-1]) or IS.search(lines[-1])):
        return ""
    tokens = [{*TOKEN.findall(line)} for line in numbered]
    own = [one - set().union(*(other for other in tokens if other is not one)) for one in tokens]
    named = [place for place, one in enumerate(own) if one & {*TOKEN.findall(lines[-1])}]
    farthest, nearest = (int(values.argmax()), int(values.argmin()))
    if not is_distance:
        farthest, nearest = nearest, farthest
    if named in ([nearest - 1], [nearest + 1]) and named != [farthest]:
        beside = "before" if named[0] < nearest else "behind"
        return (
            f'the guest says "{lines[-1].strip()}", which is the name {beside} that of the nearest '
            f"({values[named[0]]:.3g}; the nearest has {values[nearest]:.3g}): does the list of names "
            "begin at another one?"
        )
    if named != [farthest]:
        return ""
    kind = "distance, the largest" if is_distance else "similarity, the smallest"
    return (
        f'the guest says "{lines[-1].strip()}", which has {values[farthest]:.3g} as its {kind} of all; the '
        f"nearest has {values[nearest]:.3g}"
    )
