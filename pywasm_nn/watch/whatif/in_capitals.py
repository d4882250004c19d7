"""Counts of the letters or words of a text that has capitals, where the model knows small letters, or of the
bytes of one in UTF-16, where it knows UTF-8.

What is here: `InCapitals`. What is not: lists of words and n-grams that the guest read (`origin/bags.py`,
`origin/grams.py`), and letters one after the other (`spelt.py`).

Two signs are needed: an input is exactly what a usual recipe makes of a text as it stands, and of the text in
small letters, or without the zeros of UTF-16, the model says something else, much more surely, which elements
in random orders don't make it say. Models that were trained on capitals doubt texts without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.deadline import paused
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower
from ..origin.letter_counts import SMALLEST, Recipe, by_own_alphabets, is_made_of, recipes, total_of
from ..spoken import filled_lines
from ..surroundings import Files, text_in
from .asking import MOST, Change, Runs
from .between_texts import Asking
from .one_model import OneModel
from .sureness import Answer, answer_or_share, is_as_sure

FEWEST, MOST_ELEMENTS, MOST_KEPT, MOST_TEXTS, MOST_BYTES = 20, 1 << 15, 16, 64, 1 << 16
"""Elements of an input, inputs that are kept, texts, and bytes of a file."""
FEWEST_COUNTED, PLAIN, SHARE = 6, 2, 0.1
"""What an input counts at least, the filled places of one in which all capitals are one kind of other
letters, and the part of a text's letters that are capitals."""
FEWEST_LETTERS, DIFFERENT = 20, 10
"""Letters of a text, and different ones among them: sequences of genes have fewer."""
MOST_SECONDS, QUICK, EQUAL = 0.3, 0.01, 1e-3
"""The time for the search of a recipe, and of a run of the quickest models; and by how much numbers differ
that are the same."""
REOPENED, BEYOND = 1.25, 0.1
"""How many times as long opening the model again may take, and how far copies may go beyond their time."""
ASKED, CONTROLS = 3, 2
SURE, DOUBTED, SURER = 0.75, 0.65, 0.25
"""How sure the model is of small letters, at most of the text as sent, and by how much more of the former."""
SHOWN, MOSTLY = 24, 0.9
MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""How texts in UTF-16 begin."""


class Read(Frozen):
    """A text as a guest may have read it, as it is meant, and whether it is in UTF-16, a letter a byte."""

    text: str
    meant: str
    is_utf16: bool = False


class Pair(Frozen):
    """A text, what was sent of it, and what may be made of it as it is meant: the same counts, divided by
    their sum or length if what was sent doesn't say by which."""

    text: Read
    sent: Any
    small: tuple[Any, ...]


class Found(Frozen):
    """A text, the answers to it as sent and as it is meant, and the elements of the latter."""

    text: Read
    sent: Answer
    small: Answer
    array: Any


def capitals(text: str) -> float:
    """Returns the part of a text's letters that are capitals."""
    letters = [one for one in text if one.isalpha()]
    return sum(one != one.lower() for one in letters) / max(1, len(letters))


class InCapitals(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(
        self,
        files: Files,
        arguments: Sequence[str],
        ask: Asking[str],
        alphabets: Callable[[], Iterable[str]] = tuple,
        reserve: Callable[[float], None] = lambda _: None,
    ) -> None:
        """`alphabets` gives those among the program's data, and `reserve` leaves so many seconds for the
        question."""
        self._files, self._arguments, self._ask, self._alphabets = files, arguments, ask, alphabets
        self._reserve = reserve
        self._model = OneModel(counts_in, are_all_known=False)
        self._kept: list[Tensor] = []

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        given = self._model.computed(event)
        if given is None or len(self._kept) == MOST_KEPT:
            return
        if not self._kept:
            reserve_for(event, self._reserve, lambda: any(capitals(one) >= SHARE for one in self._texts()))
        self._kept.append(given)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event = self._model.last
        if event is None:
            return
        with paused():
            every = [*dict.fromkeys(self._texts())]
            plain = [one for one in every if capitals(one) >= SHARE][:MOST_TEXTS]
            texts = [*of_two_bytes(self._files()), *(Read(one, one.lower()) for one in plain)]
            own = [*self._alphabets()]
            pairs, recipe = pairs_of(self._kept, texts, own, perf_counter() + MOST_SECONDS)
        pairs = sorted(pairs, key=lambda one: (not one.text.is_utf16, -capitals(one.text.text)))[:ASKED]
        if recipe is None or not pairs:
            return
        others = [one for one in every if capitals(one) < SHARE][:MOST_TEXTS]
        if is_uncounted(pairs[0]) and any(is_made_of(pairs[0].sent, recipe.made(one)) for one in others):
            return  # such as one of other letters
        given, small = self._kept[0], recipe.knows_small or pairs[0].text.is_utf16
        wrong = self._ask(event, lambda twin, *left: in_small(twin, given, pairs, small, *left))
        if wrong:
            yield "whatif", f"{self._model.called}: {wrong}"

    def _texts(self) -> Iterator[str]:
        for _, data in self._files():
            text = text_in(data, MOST_BYTES)
            lines = filled_lines(text)
            yield from (lines if len(lines) <= MOST_TEXTS else [])
            yield text
            yield text.rstrip()
        yield from self._arguments
        yield " ".join(self._arguments)


def reserve_for(event: NNEvent, reserve: Callable[[float], None], will_ask: Callable[[], bool]) -> None:
    """Reserve what a question to the model of a compute takes, which has to be opened again for it, if there
    will be one."""
    if event.graph is not None and event.graph.worked:
        with paused():
            if will_ask():
                reserve(REOPENED * event.graph.worked + BEYOND)


def of_two_bytes(files: Sequence[tuple[str, bytes]]) -> list[Read]:
    """The texts of files in UTF-16, as bytes that are taken for letters, and as the bytes of UTF-8."""
    found = []
    for _, data in files[-MOST_TEXTS:]:
        order = MARKS.get(data[:2], "") or order_without_mark(data)
        if not order or len(data) % 2 or len(data) > MOST_BYTES:
            continue
        body = data[2:] if data[:2] in MARKS else data
        text = body.decode(order, "replace").encode("utf-8", "replace").decode("latin-1")
        found += [Read(one.decode("latin-1"), text, True) for one in (data, body)]
    return found


def order_without_mark(data: bytes) -> str:
    """The order of bytes in which letters are of two bytes, nearly all of which begin or end with a 0, or
    ""."""
    for order, high in (("utf-16-le", data[1::2]), ("utf-16-be", data[::2])):
        are_zeros = len(high) >= FEWEST and high.count(0) >= MOSTLY * len(high)
        if are_zeros and data.count(0) == high.count(0):
            return order
    return ""


def counts_in(tensor: Tensor) -> Tensor | None:
    """Returns a copy of a vector that may be counts, or None for anything else."""
    numbers = tensor.numbers() if FEWEST * 4 <= tensor.nbytes <= MOST_ELEMENTS * 4 else None
    if numbers is None or numbers.dtype.kind != "f" or numbers.size != max(tensor.shape, default=0):
        return None
    if not numpy.isfinite(numbers).all() or numbers.min() < 0 or not numbers.any():
        return None
    return Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))


def pairs_of(
    kept: Sequence[Tensor], texts: Sequence[Read], alphabets: Sequence[str], end: float
) -> tuple[list[Pair], Recipe | None]:
    """Returns the inputs that a recipe makes of texts as they stand, and the recipe."""
    vectors = [one.numpy().reshape(-1).astype("f8") for one in kept]
    for vector in vectors:
        total, is_plain = total_of(vector), (vector > 0).sum() <= PLAIN
        every = (*by_own_alphabets(alphabets, len(vector)), *recipes(len(vector)))
        ways = [one for one in every if one.knows_small or not is_plain]
        sizes: dict[int, list[str]] = {}
        for recipe in ways if is_plain or total >= FEWEST_COUNTED else ():
            if perf_counter() > end:
                return [], None
            if (key := id(recipe.total)) not in sizes:
                sizes[key] = [one.text for one in texts if is_plain or fits(recipe.total(one.text), total)]
            own = sizes[key]
            if any(is_made_of(vector, recipe.made(text)) for text in own):
                return [*made_by(recipe, vectors, texts)], recipe
    return [], None


def fits(size: int, total: int) -> bool:
    """Whether so many letters, pairs or words may be the total that shares seem to have: their least count is
    more than 1 sometimes."""
    return any(size == by * total for by in SMALLEST)


def made_by(recipe: Recipe, vectors: Sequence[Any], texts: Sequence[Read]) -> Iterator[Pair]:
    """The texts that were sent as they stand, and are others as they are meant."""
    for text in texts:
        plain, small = recipe.made(text.text), recipe.made(text.meant)
        made = [one for one in vectors if plain.any() and is_made_of(one, plain)]
        sent = min(made, key=lambda one: float(abs(one - plain).max()), default=None)
        if sent is not None and small.any() and not is_made_of(sent, small):
            yield Pair(text, sent, scaled_as(sent, plain, small))


def scaled_as(sent: Any, plain: Any, small: Any) -> tuple[Any, ...]:
    """Other counts, divided by what these were divided by: nothing, their sum, or their length."""
    if abs(sent - plain).max() < EQUAL:
        return (small,)
    by_sum, is_unit = small / small.sum() * sent.sum(), abs(float(numpy.linalg.norm(sent)) - 1) < EQUAL
    if not is_unit:
        return (by_sum,)
    by_length = small / numpy.linalg.norm(small)
    return (by_sum, by_length) if abs(float(sent.sum()) - 1) < EQUAL else (by_length,)


def in_small(
    graph: Graph,
    given: Tensor,
    pairs: Sequence[Pair],
    knows_small: bool,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a hint if the model wants small letters, or UTF-8, or "". Raises NNError."""
    shape, kind = given.shape, given.numpy().dtype
    with Runs(graph, [given], most, judge=answer_or_share, once_open=max(seconds, QUICK)) as runs:
        runs.answer({})  # which opens the model
        found: list[Found] = []
        for pair in pairs:
            sent = runs.changed(0, pair.sent.reshape(shape).astype(kind))
            ways = [one.reshape(shape).astype(kind) for one in pair.small]
            answers = [(answer, one) for one in ways if (answer := runs.changed(0, one)) is not None]
            if sent is None or not answers:
                return ""
            best = next((one for one in answers if one[0].sure >= SURE), answers[0])
            found.append(Found(pair.text, sent, *best))
        is_any = knows_small and all(is_uncounted(one) for one in pairs)
        if is_any:  # nothing says which of these texts it was
            found = [one for one in found if one.small.sure >= SURE]
        told = [one for one in found if one.sent.place != one.small.place and one.small.sure >= SURE]
        if not told or not is_better(found, knows_small):
            return ""
        chosen = max(told, key=lambda one: one.small.sure - one.sent.sure)
        mixed = runs.shuffled(Change("", 0, chosen.array), range(CONTROLS))
    small = chosen.small
    is_said_anyhow = all(is_as_sure(one, small) for one in mixed) and not is_any
    if len(mixed) < CONTROLS or (is_said_anyhow and len({one.small.place for one in told}) == 1):
        return ""
    shown = (chosen.text.meant if chosen.text.is_utf16 else chosen.text.text).strip()[:SHOWN]
    if chosen.text.is_utf16:
        shown = shown.encode("latin-1").decode("utf-8", "ignore")
        return (
            f'it counts the bytes of "{shown}", which is in UTF-16 (many of them are 0); of the text in '
            f"UTF-8 the answer is {small}, and as sent it is {chosen.sent}: is it to be decoded before?"
        )
    if is_any:
        return (
            f'it counts blanks at most, and none of the letters of "{shown}", which are capitals; of the '
            f"text in small letters the answer is {small}, and as sent it is {chosen.sent}: is it to be made "
            "lower case before?"
        )
    return (
        f'it counts what "{shown}" has with its capitals; of the text in small letters '
        f"the answer is {small}, and as sent it is {chosen.sent}: is it to be made lower case before?"
    )


def is_uncounted(pair: Pair) -> bool:
    """Whether nothing that was sent is of a text's letters, which are capitals alone: blanks are the same in
    any text, whatever a model says of them."""
    letters = [one for one in pair.text.text if one.isalpha()]
    is_text = len(letters) >= FEWEST_LETTERS and len({*letters}) >= DIFFERENT
    return is_text and capitals(pair.text.text) == 1 and (pair.sent > 0).sum() <= PLAIN


def is_better(found: Sequence[Found], knows_small: bool) -> bool:
    """Whether the model is surer of all texts in small letters: one was doubted, or the alphabet has no
    capitals, or all got one answer before and get several."""
    if not all(one.small.sure >= max(SURE, one.sent.sure - SURER) for one in found):
        return False
    is_doubted = any(one.sent.sure <= DOUBTED and one.small.sure >= one.sent.sure + SURER for one in found)
    before, after = {one.sent.place for one in found}, {one.small.place for one in found}
    return is_doubted or knows_small or (len(found) > 1 and len(before) == 1 < len(after))
