"""Counts of letters, pairs, triples or words by a hash of signed bytes: those from 0x80 on, of which letters
beyond ASCII are made, fall into other places than unsigned ones do.

What is here: `SignedLetters`. What is not: counts of capitals, and of the bytes of UTF-16 (`in_capitals.py`),
and bytes that are sent as they are (`origin`).

Counts alone don't say which is right: `char` is signed in most of C, and fastText hashes signed bytes. So two
signs are needed: an input is exactly what a usual hash makes of a text's signed bytes, and not of unsigned
ones; and of these the model says something else, more surely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower
from ..origin.letter_counts import HIGH, Recipe, is_made_of, signed_recipes, total_of
from ..spoken import filled_lines
from ..surroundings import Files, text_in
from .asking import MOST, Change, Runs
from .between_texts import Asking
from .in_capitals import (
    FEWEST_COUNTED,
    MOST_BYTES,
    MOST_KEPT,
    MOST_SECONDS,
    MOST_TEXTS,
    QUICK,
    Pair,
    Read,
    counts_in,
    fits,
    reserve_for,
    scaled_as,
)
from .one_model import OneModel
from .sureness import Answer, answer_or_share, is_as_sure, mean

ASKED, CONTROLS = 4, 2
SURE, SURER = 0.75, 0.1
"""How sure the model is of unsigned bytes on average, and by how much more than of those that were sent."""
SHOWN = 40
"""Letters of a text that are shown."""


class Found(Frozen):
    """A text, and the answers to the counts of its signed and its unsigned bytes."""

    pair: Pair
    sent: Answer
    unsigned: Answer


class SignedLetters(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(
        self,
        files: Files,
        arguments: Sequence[str],
        ask: Asking[str],
        reserve: Callable[[float], None] = lambda _: None,
    ) -> None:
        """`reserve` leaves so many seconds for the question."""
        self._files, self._arguments, self._ask, self._reserve = files, arguments, ask, reserve
        self._model = OneModel(counts_in, are_all_known=False)
        self._kept: list[Tensor] = []

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = self._model.computed(event)
        if given is None or len(self._kept) == MOST_KEPT:
            return
        if not self._kept:
            reserve_for(event, self._reserve, lambda: bool(self._texts()))
        self._kept.append(given)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event = self._model.last
        if event is None:
            return
        with paused():
            texts = self._texts()
            pairs = signed_pairs(self._kept, texts, perf_counter() + MOST_SECONDS) if texts else []
        if not pairs:
            return
        given = self._kept[0]
        wrong = self._ask(event, lambda twin, *left: as_unsigned(twin, given, pairs, *left))
        if wrong:
            yield "whatif", f"{self._model.called}: {wrong}"

    def _texts(self) -> list[str]:
        """The texts that have letters beyond ASCII, each byte as a letter, as they stand and in small letters
        of ASCII."""
        whole = [data for _, data in self._files() if text_in(data, MOST_BYTES)]
        whole += [one.encode("utf-8", "surrogateescape") for one in self._arguments]
        parts = [one for data in whole if has_high(data) for one in parts_of(data) if has_high(one)]
        found = dict.fromkeys(way.decode("latin-1") for one in parts for way in (one, one.lower()))
        return [*found][: 2 * MOST_TEXTS]


def has_high(data: bytes) -> bool:
    return max(data, default=0) >= HIGH


def parts_of(data: bytes) -> Iterator[bytes]:
    """A text, its lines, and what stands on them behind the last tab or before the first one."""
    yield from (data, data.rstrip())
    lines = filled_lines(data)
    for line in lines if len(lines) <= MOST_TEXTS else ():
        yield from (line, line.rpartition(b"\t")[2], line.partition(b"\t")[0])


def signed_pairs(kept: Sequence[Tensor], texts: Sequence[str], end: float) -> list[Pair]:
    """Returns the inputs that a hash makes of the signed bytes of texts, those first of which unsigned ones
    make the most else."""
    vectors = [one.numpy().reshape(-1).astype("f8") for one in kept]
    for vector in vectors:
        total = total_of(vector)
        if total < FEWEST_COUNTED:
            continue
        sizes: dict[int, list[str]] = {}
        for recipe in signed_recipes(len(vector)):
            if perf_counter() > end:
                return []
            if (key := id(recipe.total)) not in sizes:
                sizes[key] = [one for one in texts if fits(recipe.total(one), total)]
            if any(is_of_signed(recipe, one, vector) for one in sizes[key]):
                return sorted(made_by(recipe, vectors, texts), key=likeness)[:ASKED]
    return []


def is_of_signed(recipe: Recipe, text: str, vector: numpy.ndarray) -> bool:
    """Whether a vector is the counts of a text's signed bytes, and not of its unsigned ones."""
    if not is_made_of(vector, recipe.made(text)):
        return False
    return recipe.of_unsigned is not None and not is_made_of(vector, recipe.of_unsigned(text))


def made_by(recipe: Recipe, vectors: Sequence[numpy.ndarray], texts: Sequence[str]) -> Iterator[Pair]:
    """The texts of which the signed bytes were sent."""
    for vector in vectors:
        text = next((one for one in texts if is_of_signed(recipe, one, vector)), None)
        if text is not None and recipe.of_unsigned is not None:
            plain, meant = recipe.made(text), recipe.of_unsigned(text)
            yield Pair(Read(text, text), vector, scaled_as(vector, plain, meant))


def likeness(pair: Pair) -> float:
    """The cosine of what was sent and what is meant."""
    meant = pair.small[0]
    lengths = float(numpy.linalg.norm(pair.sent) * numpy.linalg.norm(meant))
    return float(pair.sent @ meant) / lengths


def as_unsigned(
    graph: Graph, given: Tensor, pairs: Sequence[Pair], seconds: float, most: float = MOST
) -> str:
    """Returns a hint if the model is surer of unsigned bytes, or "". Raises NNError."""
    shape, kind = given.shape, given.numpy().dtype
    with Runs(graph, [given], most, judge=answer_or_share, once_open=max(seconds, QUICK)) as runs:
        found: list[Found] = []
        for pair in pairs:
            sent = runs.changed(0, pair.sent.reshape(shape).astype(kind))
            ways = [one.reshape(shape).astype(kind) for one in pair.small]
            answers = [one for way in ways if (one := runs.changed(0, way)) is not None]
            if sent is None or not answers:
                return ""
            found.append(Found(pair, sent, max(answers, key=lambda one: one.sure)))
        told = [one for one in found if one.sent.place != one.unsigned.place and one.unsigned.sure >= SURE]
        sure = mean([one.unsigned for one in found])
        if not told or sure < max(SURE, mean([one.sent for one in found]) + SURER):
            return ""
        chosen = max(told, key=lambda one: one.unsigned.sure - one.sent.sure)
        meant = chosen.pair.small[0].reshape(shape).astype(kind)
        mixed = runs.shuffled(Change("", 0, meant), range(CONTROLS))
    unsigned = chosen.unsigned
    is_said_anyhow = len(mixed) < CONTROLS or all(is_as_sure(one, unsigned) for one in mixed)
    if is_said_anyhow and len({one.unsigned.place for one in told}) == 1:
        return ""
    shown = chosen.pair.text.text.encode("latin-1").decode("utf-8", "replace").strip()[:SHOWN]
    return (
        f'its counts are those of the bytes of "{shown}" by a hash that takes them as signed: each from '
        "0x80 on, of letters beyond ASCII, has another number than in an unsigned type; of unsigned ones the "
        f"answer is {unsigned}, and as sent it is {chosen.sent}: are bytes to be unsigned (unsigned char, "
        "uint8_t, u8) before they are hashed?"
    )
