"""`Asked`: the questions to one guest after one compute, and helpers for arrays and texts.

What is not here: what the answers mean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.memory import Memory
from ...nn.tensor import Tensor
from ...records import Frozen
from ..classes import Classes, belongs_at, classes_in, said_in
from ..facts import Picture, picture_of
from ..origin.decoding import Source
from ..regex import regex
from ..surroundings import Files
from ..whatif.views import Rescaled, View
from .copies import Reply

WHOLE = regex(r"(?<![\w.,])-?\d{1,12}(?![\w]|[.,]\d)")
NUMBER = regex(r"-?\d+(?:\.\d+)?")
FAR = 10
MOST_BYTES = 1 << 18
FEW_NUMBERS = 3
NAMED = regex(r"[^\W\d_]\w*[ _:#-]{0,2}$")


class SpentError(Exception):
    """The time for copies is used up."""


class Given(Frozen):
    """An output as an array in its own type. `what` names it; `affine` is the scale and zero point of whole
    numbers that stand for others."""

    what: str
    array: Any
    affine: tuple[float, float] | None = None

    @property
    def lengths(self) -> list[int]:
        """The dimensions that aren't 1."""
        return [length for length in self.array.shape if length != 1]

    def planes(self, array: Any) -> Any:
        """A view of a map in this shape by classes, rows and columns: of three sides the shortest has the
        classes, which come first or last."""
        lengths = self.lengths
        if len(lengths) == 2:
            return array.reshape(1, *lengths)
        shaped = array.reshape(lengths)
        return shaped if lengths[0] == min(lengths) else shaped.transpose(2, 0, 1)

    def filled(self, places: Sequence[int], *, lowest: bool = False, clearly: bool = False) -> Any:
        """Elements that are all as small as the smallest one, and at these places as large as the largest;
        `lowest`: the other way round; `clearly`: larger than any there."""
        low, high = self.array.min(), self.array.max()
        if low == high:
            high = low + numpy.array(1, self.array.dtype)
        if self.array.dtype.kind == "f" and low > 0:
            low = numpy.array(0, self.array.dtype)
        if lowest:
            low, high = high, low
        if clearly and self.array.dtype.kind == "f":
            high = high + FAR * (high - low)
        elif clearly:
            high = numpy.array(numpy.iinfo(self.array.dtype).max, self.array.dtype)
        made = numpy.full(self.array.size, low, self.array.dtype)
        if isinstance(places, range) and places.step > 0 <= places.start:  # far quicker of many
            made[places.start : places.stop : places.step] = high
        else:
            made[list(places)] = high
        return made.reshape(self.array.shape)


class Placed(Frozen):
    """Where a picture lies in an input: its `size`, height and width; the `part` of it, rows and columns from
    and to; where that `lies`, its row, column, height and width in the input; and the `input`'s size."""

    size: tuple[int, int]
    part: tuple[int, int, int, int]
    lies: tuple[int, int, int, int]
    input: tuple[int, int]


class Sent(Frozen):
    """An input of the compute, and how it was at the compute before, if both are small; else None. `placed`
    says where a picture lies in it, if that is known."""

    name: str
    shape: tuple[int, ...]
    array: Any
    before: Any
    placed: Placed | None = None

    @staticmethod
    def of(name: str, tensor: Tensor, last: Sent | None, placed: Placed | None = None) -> Sent:
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        before = None if last is None or last.shape != tensor.shape else last.array
        return Sent(name, tensor.shape, None if numbers is None else numbers.copy(), before, placed)


def text_of(reply: Reply | None) -> str | None:
    """Returns what a guest wrote, or None if it didn't get so far."""
    return None if reply is None or reply.end == "trap" else reply.text


class Asked:
    """What a guest wrote with the model's own outputs (`control`), and what it writes with others."""

    bound: Any = None
    """With what a sum of differences is compared, if that is known."""
    of_signs: tuple[int, str] | None = None
    """An output, and a hint that holds if the model's labels are -1 and 1."""
    is_stuck = False
    """Whether the guest was found to write the same whichever class is the largest."""

    def __init__(
        self,
        ask: Callable[[Sequence[Mapping[int, Any]], int | None, bool], Reply | None],
        outputs: Mapping[int, Given],
        control: Reply,
        files: Files,
        memory: Memory,
        left: Callable[[], float] = lambda: 1.0,
        *,
        to_the_end: bool = True,
        sent: Sequence[Sent] = (),
        round_: int = 0,
        model: str = "",
        names_of_model: Sequence[Sequence[str]] = (),
        own_names: Callable[[int], Sequence[Sequence[str]]] = lambda _: (),
        arguments: Collection[str] = (),
        answer_to: Callable[[View | Rescaled], Mapping[int, Any]] = lambda _: {},
        last_sound: Callable[[], Source | None] = lambda: None,
        last_picture: Callable[[], tuple[str, Any] | None] = lambda: None,
    ) -> None:
        """`ask` gets the outputs that are others, compute by compute, of which the last ones stay; what is
        written behind them; and whether the guest goes on after the next compute. `left` gives the seconds
        that are left, and raises SpentError if none are. `to_the_end`: that is so in `control`. `sent` are
        the inputs of the compute, which is number `round_` of this model's."""
        self._ask = ask
        self._to_the_end = to_the_end
        self.sent, self.round, self.model = sent, round_, model
        self.names_of_model = names_of_model
        """The lists of names that the model itself has for its classes."""
        self.own_names = own_names
        """Gives the lists of so many names among the program's data."""
        self.arguments = arguments
        """Those of the guest."""
        self.answer_to = cache(answer_to)
        """Gives the model's outputs for another view of the picture, or for the numbers scaled, or {} if they
        aren't known."""
        self.last_sound, self.last_picture = last_sound, last_picture
        """Give the sound, and the picture with its name, that were read last: kept files are short."""
        self._known: dict[Any, Reply | None] = {}
        """What came of answers that were tried."""
        self.outputs = outputs
        self.control = control
        self._files = files
        self.kept: list[tuple[int, Mapping[int, str]]] = []
        """How many classes there are, and what was written for some of them as the largest."""
        self.supposed = ""
        """A hint that holds if the model's other answers are probabilities, too."""
        self._memory = memory
        self._left = left
        self._held: dict[bytes, bool] = {}
        self._labels: Counter[str] = Counter()
        """By a word before numbers, with how many of these it isn't in the guest's memory."""
        self._listed: dict[int, Sequence[Sequence[str]]] = {}

    @cached_property
    def pictures(self) -> Sequence[Picture]:
        """The inputs that are pictures, by their shapes."""
        return [one for sent in self.sent if (one := picture_of(sent.shape)) is not None]

    def is_batch(self, output: Given) -> bool:
        """Whether an answer has a row for each of several inputs."""
        rows = output.array.shape[:1]
        return rows != (1,) and any(one.shape[:1] == rows for one in self.sent)

    def of_row(self, index: int) -> Asked | None:
        """The same questions about one row of an answer to several inputs: all its rows are made like that
        one. None if copies end before the guest has written."""
        output = self.outputs[index]

        def spread(changes: Mapping[int, Any]) -> dict[int, Any]:
            rows = {one: array.repeat(len(output.array), axis=0) for one, array in changes.items()}
            return {index: first.repeat(len(output.array), axis=0)} | rows

        def ask(series: Sequence[Mapping[int, Any]], fill: int | None, to_the_end: bool) -> Reply | None:
            return self._ask([spread(one) for one in series], fill, to_the_end)

        first = output.array[:1]
        control = ask([{}], None, self._to_the_end)
        if control is None or control.end == "trap":
            return None
        given = {index: Given(output.what, first, output.affine)}
        return Asked(
            ask, given, control, self._files, self._memory, self._left, to_the_end=self._to_the_end,
            sent=self.sent, round_=self.round, model=self.model, names_of_model=self.names_of_model,
            own_names=self.own_names, arguments=self.arguments, answer_to=self.answer_to,
        )  # fmt: skip

    def later(self, count: int, texts: Mapping[int, str]) -> None:
        """Look at the names of classes when the guest has read them."""
        self.kept.append((count, texts))

    def fetched(self) -> Iterator[tuple[int, Given]]:
        """The outputs that the guest fetches."""
        return ((index, one) for index, one in self.outputs.items() if index in self.control.fetched)

    def text(self, index: int, array: Any) -> str | None:
        """Returns what the guest writes if an output is this one, or None if it didn't get so far. Raises
        SpentError."""
        return self.said({index: array})

    def said(self, changes: Mapping[int, Any]) -> str | None:
        """The same for several outputs."""
        return text_of(self.reply(changes))

    def reply(self, changes: Mapping[int, Any], fill: int | None = None) -> Reply | None:
        """Returns what comes of other outputs; `fill` is written behind each, to the end of the guest's
        buffer."""
        if fill is not None or not changes:
            return self._ask([changes], fill, self._to_the_end)
        return self._of([changes], self._to_the_end)

    @property
    def is_heard(self) -> bool:
        """Whether the guest wrote something with any of the answers that were tried."""
        return any(reply is not None and reply.text.strip() for reply in self._known.values())

    @cached_property
    def ending(self) -> Reply | None:
        """What comes of the model's own outputs, again and again, to the guest's end."""
        return self.control if self._to_the_end else self._of([{}], True)

    def series(self, index: int, arrays: Sequence[Any]) -> str | None:
        """Returns what the guest writes if an output is each of these in turn, and the last from then on."""
        return text_of(self._of([{index: array} for array in arrays], True))

    def _of(self, series: Sequence[Mapping[int, Any]], to_the_end: bool) -> Reply | None:
        sent = tuple(tuple((index, hash(array.tobytes())) for index, array in one.items()) for one in series)
        key = sent, to_the_end
        if key not in self._known:
            self._known[key] = self._ask(series, None, to_the_end)
        return self._known[key]

    @cached_property
    def lists(self) -> list[Classes]:
        """The lists of names among the files that the guest read."""
        found = [classes_in(name, data) for name, data in self._files()]
        return [one for one in found if one is not None]

    def files(self) -> Sequence[tuple[str, bytes]]:
        return self._files()

    def holds(self, words: bytes) -> bool:
        """Whether these bytes lie in the guest's memory, which has none of the copies' texts."""
        if words not in self._held:
            self._left()
            found = re.search(re.escape(words), self._memory.view(0, self._memory.size))
            self._held[words] = found is not None
        return self._held[words]

    def has(self, words: bytes, behind: bytes) -> bool:
        """Whether these bytes lie in the guest's memory without some others behind them."""
        self._left()
        pattern = rb"%b(?!%b)" % (re.escape(words), re.escape(behind))
        return re.search(pattern, self._memory.view(0, self._memory.size)) is not None

    def numbers(self, text: str) -> list[int]:
        """The whole numbers of a text that are no part of a name that the guest holds."""
        found = []
        for match in WHOLE.finditer(text):
            named = NAMED.search(text[: match.start()])
            if named is None or not self._is_name(named[0], match[0]):
                found.append(int(match[0]))
        return found

    def _is_name(self, word: str, number: str) -> bool:
        """Whether the guest holds a word with a number. If it doesn't with a few, it does with none."""
        if self._labels[word] >= FEW_NUMBERS:
            return False
        is_held = self.holds((word + number).encode())
        self._labels[word] += not is_held
        return is_held

    def named(self, text: str, count: int) -> list[int]:
        """The classes that a text says by a number, or by a name of a file or of the program's own."""
        return self.numbers(text) or self.called(text, count)

    def called(self, text: str, count: int) -> list[int]:
        """The classes that a text says by a name of a file or of the program's own."""
        if found := self.names(text, count):
            return found
        lists = (Classes("", (*one,), (*range(count),)) for one in self._own(count))
        return next(filter(None, ([*said_in(one, text)] for one in lists)), [])

    def _own(self, count: int) -> Sequence[Sequence[str]]:
        if count not in self._listed:
            self._listed[count] = self.own_names(count)
        return self._listed[count]

    def names(self, text: str, count: int) -> list[int]:
        """The classes whose names stand in a text, by the first list of so many."""
        for one in self.lists:
            at = belongs_at(one, count)
            if at is not None:
                return [number - at for number in said_in(one, text)]
        return []


def places_that_differ(one: Iterable[object], other: Iterable[object]) -> list[int]:
    """The places at which two texts, or lists of them, differ, as far as both have some."""
    return [at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]]


class OneOutput:
    """Asks what a guest writes of one output. Rules that put many questions about it derive from this."""

    def __init__(self, asked: Asked, index: int, output: Given) -> None:
        self._asked, self._index, self._output = asked, index, output

    def _written(self, array: Any) -> str:
        """Returns what the guest writes if the output is this one, or "" if it doesn't come so far."""
        return self._asked.text(self._index, array) or ""
