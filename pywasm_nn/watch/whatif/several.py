"""Asks a model about several pictures of a guest, all changed in the same way: one answer says little of a
range or an order of channels, several do.

What is here: `Several`, for one graph. What is not: questions about one set of inputs (`asking.py`).

Of pictures that are sent as the model wants them, answers are sure, and differ. Of others they are unsure, or
all the same. A change counts if nearly all its answers are sure, if they differ, and if many are others than
those as sent. Elements in random orders must get far less sure answers, as larger numbers make any network
sure, or, where only places change, all the same one, which is what the model says to anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import isqrt, prod
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen, changed
from ..changes.arrangements import as_before, interleaved
from ..changes.encodings import USUAL, Encoding, decoded, encoded, guesses
from ..depicted import Depicted
from ..facts import Picture, picture_of, picture_or_square
from .asking import CHANGED as KINDS
from .asking import Change, Runs, together
from .motions import ENLARGED, EXCHANGED, is_of_points, is_told, of_axes, window_among
from .paper import (
    INVERSE,
    SURE_OF_ALL,
    are_surer,
    is_ink_on_paper,
    paper_of,
    told_of_all,
    told_of_none,
)
from .sureness import OVERSURE, Answer, are_on_circle, is_far_surer, mean

FEWEST, ENOUGH, MOST = 2, 3, 6
"""So many different pictures are asked about."""
MOST_BYTES = 1 << 20
UNSURE, SURE, LEAST = 0.88, SURE_OF_ALL, 0.75
"""The most that answers as sent are sure on average, and the least that those to a change are, and that each
of them is."""
VERY_UNSURE = 0.7
SURER, CLEARLY = 0.12, 0.25
"""By how much they are surer at least; of few pictures."""
CHANGED, CHANGED_OF_FEW = 0.5, 1.0
"""The least part of the answers that are others; of few pictures."""
SHUFFLED, HARDLY = 0.8, 0.6
"""The most that answers to random orders are sure on average; of few pictures."""
OTHERWISE = 0.6
"""The part of the answers that are others than in random orders, or twice as sure."""
DOUBT, DOUBTS = 0.1, 20
"""The doubt of an answer to a random order, and how many times that of the answer to the picture it is."""
AS_SENT, UPSIDE_DOWN = 4.0, 3.0
"""How many times as large the doubt of changed pictures is as they were sent, and upside down: a model that
doubts noisy or pale pictures is about as sure of them in many other ways."""
GUESSES = 1
"""More guesses in which range pixels are would take more runs than there are."""
CONTROLS = 3
"""So many random orders show where the answer to one picture comes from."""
MISNAMED = 0.66
"""The part of the answers that are other ones than their files are named after."""
MANY, NEARLY, DOUBTED = 3, 0.8, 0.5
"""So many different answers are needed where all pictures get the same answer as sent, or this part of four
or more; with black and white swapped some of them may be so unsure."""


Shows = Callable[[], Depicted | None]
"""Gives what a picture shows by the name of its file; None as long as that isn't known."""


class Asked(Frozen):
    """A set of inputs, and the answer to it."""

    inputs: tuple[Tensor, ...]
    answer: Answer
    shows: Shows
    shown: Depicted | None = None
    """What the picture shows, by its file's name, as far as that is known."""

    @property
    def is_misnamed(self) -> bool:
        return self.shown is not None and self.answer.place not in self.shown.places

    def is_labelled(self, answer: Answer) -> bool:
        """Whether an answer is what a file of labels says."""
        return self.shown is not None and self.shown.is_label and answer.place in self.shown.places


class Several:
    """Keeps pictures that differ, with their answers, until much speaks for a change."""

    def __init__(self) -> None:
        self._kept: list[Asked] = []
        self._seen: set[bytes] = set()
        self._guesses: list[Encoding] | None = None
        self._answers: dict[str, list[Answer]] = {}
        """By change, the answers to the first pictures. Changes that got an unsure one are gone."""
        self._asked = 0
        """About so many pictures it was asked."""
        self._were_misnamed = False

    def take(self, inputs: Sequence[Tensor], answer: Answer, shows: Shows = lambda: None) -> bool:
        """Keep a set of inputs and its answer, if they are new, and what its file is named after. Whether it
        is time to ask."""
        index = subject_among(inputs)
        if index is None or len(self._kept) >= MOST:
            return False
        array = inputs[index].numpy() if inputs[index].dtype in KINDS else None
        if array is None or array.nbytes > MOST_BYTES or array.min() == array.max():
            return False
        if (key := array.tobytes()) in self._seen:
            return False
        self._seen.add(key)
        self._kept.append(Asked(tuple(inputs), answer, shows))
        if self.are_misnamed():
            return True
        if picture_among(inputs) is None or are_on_circle([one.answer for one in self._kept]):
            return False
        if len(self._kept) >= FEWEST and (self._mean() <= UNSURE or self._is_one()):
            return True
        return len(self._kept) >= ENOUGH and self.are_papers()

    def are_papers(self) -> bool:
        """Whether all pictures so far are dark ink on white paper, of which several are worth a question."""
        return bool(self._kept) and all(is_on_paper(one.inputs) for one in self._kept)

    def is_due_at_the_end(self) -> bool:
        """Whether some pictures are still to be asked about: those whose files are named after what they
        show, or those of ink on paper that nearly all got the same answer."""
        if self.are_misnamed():
            return not (self._were_misnamed and self._asked == len(self._kept))
        is_new = ENOUGH <= len(self._kept) > self._asked
        return is_new and self.are_papers() and self._are_nearly_one()

    def is_worth_a_load(self) -> bool:
        """Whether there are as many pictures as it needs, so that a model may be loaded to ask it."""
        count = len(self._kept)
        is_unsure = self._mean() <= VERY_UNSURE or self.are_misnamed()
        return count in (ENOUGH, MOST) or (count <= FEWEST and is_unsure)

    def are_misnamed(self) -> bool:
        """Whether most answers as sent are other ones than their files are named after."""
        self._kept = [one if one.shown is not None else changed(one, shown=one.shows()) for one in self._kept]
        shown = [one.shown for one in self._kept if one.shown is not None]
        if not shown or len(shown) < len(self._kept):
            return False
        if any(one.is_number for one in shown) and len(shown) > 1:  # of one number, the answer has to be sure
            steps = {after.places[0] - before.places[0] for before, after in pairwise(shown)}
            if steps == {1} or any(one.is_counted for one in shown):
                return False
        return sum(one.is_misnamed for one in self._kept) >= MISNAMED * len(self._kept)

    def _mean(self) -> float:
        return mean([one.answer for one in self._kept])

    def _is_one(self) -> bool:
        """Whether all answers as sent are the same."""
        return len(self._kept) >= ENOUGH and len({one.answer.place for one in self._kept}) == 1

    def _are_nearly_one(self) -> bool:
        """Whether nearly all answers as sent are the same, of few pictures all."""
        own = [one.answer.place for one in self._kept]
        most = max(map(own.count, own), default=0)
        return most >= (NEARLY if len(own) > ENOUGH else 1) * len(own)

    def ask(self, graph: Graph, seconds: float, most: float, specs: Sequence[TensorSpec]) -> str:
        """Returns what much speaks for, in so many seconds at most, or "" if much speaks for nothing.
        `seconds` is the duration of one run, `specs` are the outputs. Raises NNError."""
        while self._asked < len(self._kept):
            one = self._kept[self._asked]
            with Runs(graph, one.inputs, most, specs, once_open=seconds) as runs:
                if not self._all_changes(runs, one):
                    return ""
            self._asked += 1
        self._were_misnamed = self.are_misnamed()
        if picture_among(self._kept[0].inputs) is None:
            return self._of_axes(graph) if self._were_misnamed else ""
        for said in self._answers if self._were_misnamed else ():
            if self._is_as_named(said) and (
                len({one.shown.places for one in self._kept if one.shown is not None}) > 1
                or self._is_far_surer(said)
                or (not self._is_number() and self._is_seen(graph, said, seconds, most, specs))
            ):
                return self._named(graph, said)
        for said in [said for said, answers in self._answers.items() if self._is_better(said, answers)]:
            is_one = said == INVERSE and self._is_one()
            is_seen = self._are_kept_aside if is_one else self._is_seeing
            room = seconds, most, specs
            if is_seen(graph, said, *room) and (is_one or self._are_upright(graph, said, *room)):
                return self._sentence(graph, said, is_one=is_one)
        return self._of_papers(graph, seconds, most, specs) or self._of_ink(graph, seconds, most, specs)

    def _all_changes(self, runs: Runs, one: Asked) -> bool:
        """Asks about all changes of one picture that are left. Returns whether there was time for it."""
        found: dict[str, list[Answer]] = {}
        is_answered = False
        for change in self._changes(one):
            if self._asked and change.said not in self._answers:
                continue
            if not runs.left():
                return False
            answer = runs.changed(change.index, change.array)
            is_answered = is_answered or answer is not None
            least = DOUBTED if change.said == INVERSE else LEAST
            if answer is not None and (answer.sure >= least or one.is_labelled(answer)):
                found[change.said] = [*self._answers.get(change.said, ()), answer]
        if not is_answered and not self._asked:  # there was no time to open the model again
            return False
        self._answers = found
        return True

    def _changes(self, one: Asked) -> Iterator[Change]:
        index = subject_among(one.inputs)
        assert index is not None
        array = numpy.array(one.inputs[index].numpy())
        picture = picture_or_square(array.shape)
        if picture is None:
            yield from (
                Change(said, index, numpy.ascontiguousarray(made, array.dtype))
                for said, made in of_axes(array)
            )
            return
        if self._guesses is None:
            self._guesses = guesses(array, picture)[:GUESSES] if array.dtype.kind == "f" else []
        is_flat = picture_of(array.shape) is None  # else it is known to be a picture
        for said, made in variants(array, picture, self._guesses):
            if is_flat and said != INVERSE:
                continue
            yield Change(said, index, numpy.ascontiguousarray(made.astype(array.dtype)))

    def _is_number(self) -> bool:
        """Whether what the first picture shows is a number in its file's name, which may count."""
        shown = self._kept[0].shown
        return shown is not None and shown.is_number

    def _of_axes(self, graph: Graph) -> str:
        """Returns what is said of windows of a sensor's axes, or "" if no change, or two kinds of changes,
        would make them what files are named after."""
        found = [said for said in self._answers if self._is_as_named(said)]
        if any(one.shown is not None and is_of_points(one.shown.file) for one in self._kept):
            found = [said for said in found if EXCHANGED in said]
        found = [said for said in found if ENLARGED not in said or self._is_needed(self._answers[said][0])]
        told = [said for said in found if is_told(said)]
        if told or len({EXCHANGED in said for said in found}) == 1:
            said = (told or found)[0]
            return self._named(graph, said) if len(self._kept) >= FEWEST or EXCHANGED not in said else ""
        return ""

    def _is_needed(self, answer: Answer) -> bool:
        """Whether larger numbers give an answer that isn't surer by them alone, but is surer than as sent."""
        return self._kept[0].answer.sure < answer.sure and answer.margin < OVERSURE

    def _is_better(self, said: str, answers: Sequence[Answer]) -> bool:
        """Whether the answers to a change are sure, differ, and are others than as sent."""
        count = len(self._kept)
        if len(answers) < count or len({one.place for one in answers}) < FEWEST or mean(answers) < SURE:
            return False
        others = sum(one.place != own.answer.place for one, own in zip(answers, self._kept, strict=True))
        if others < (CHANGED if count >= ENOUGH else CHANGED_OF_FEW) * count:
            return False
        least = MANY if VALUES in said else MANY + 1 if said == INVERSE else len(answers) + 1
        if self._is_one() and len({one.place for one in answers}) >= least:
            return True
        return mean(answers) - self._mean() >= (SURER if count >= ENOUGH else CLEARLY)

    def _is_as_named(self, said: str) -> bool:
        """Whether all answers to a change are those that the files are named after."""
        pairs = [*zip(self._kept, self._answers[said], strict=False)]
        named = all(one.shown is not None and answer.place in one.shown.places for one, answer in pairs)
        return named and len(pairs) == len(self._kept)

    def _is_far_surer(self, said: str) -> bool:
        pairs = zip(self._answers[said], self._kept, strict=True)
        return all(is_far_surer(answer, one.answer) for answer, one in pairs)

    def _is_seen(
        self, graph: Graph, said: str, seconds: float, most: float, specs: Sequence[TensorSpec]
    ) -> bool:
        """Whether the answer to a picture as sent comes from its values alone, and that to a change doesn't:
        one picture may have the right answer by chance."""
        one = self._kept[0]
        change = next(change for change in self._changes(one) if change.said == said)
        array = one.inputs[change.index].numpy()
        with Runs(graph, one.inputs, most, specs, seconds=seconds) as runs:
            before = runs.shuffled(Change("as sent", change.index, array), range(CONTROLS))
            after = runs.shuffled(change, range(CONTROLS))
        own = self._answers[said][0].place
        return (
            len(before) == len(after) == CONTROLS
            and all(other.place == one.answer.place for other in before)
            and all(other.place != own for other in after)
        )

    def _named(self, graph: Graph, said: str) -> str:
        index = subject_among(self._kept[0].inputs)
        one, answer = self._kept[0], self._answers[said][0]
        all_ = (
            f", and those to all {len(self._kept)} {self._called()} are, too" if len(self._kept) > 1 else ""
        )
        others = [other for other in self._answers if other != said and self._is_as_named(other)]
        ways = together([said, *others])
        return (
            f'input {index} "{graph.inputs[index or 0].name}": {ways} the answer is {answer}, which is what '
            f"{one.shown}{all_}; as sent it is {one.answer}"
        )

    def _called(self) -> str:
        return "windows" if picture_among(self._kept[0].inputs) is None else "pictures"

    def _shuffled(
        self, graph: Graph, said: str, seconds: float, most: float, specs: Sequence[TensorSpec]
    ) -> list[Answer]:
        """The answers to the elements of each changed picture in a random order."""
        shuffled: list[Answer] = []
        for one in self._kept:
            with Runs(graph, one.inputs, most, specs, seconds=seconds) as runs:
                change = next(change for change in self._changes(one) if change.said == said)
                shuffled += runs.shuffled(change, range(1))
        return shuffled

    def _is_seeing(
        self, graph: Graph, said: str, seconds: float, most: float, specs: Sequence[TensorSpec]
    ) -> bool:
        """Whether the answers to a change come from what the pictures show."""
        shuffled = self._shuffled(graph, said, seconds, most, specs)
        pairs = [*zip(self._answers[said], shuffled, strict=False)]
        if len(pairs) < len(self._kept):
            return False
        nothing = {other.place for _, other in pairs}
        if VALUES not in said and len(nothing) == 1:  # which is what the model says to anything else
            return len({one.place for one, _ in pairs} - nothing) >= FEWEST
        own = sum(is_other(one, other, by_doubt=VALUES not in said) for one, other in pairs)
        least = SHUFFLED if len(pairs) >= ENOUGH else HARDLY
        return mean(shuffled) <= least and own >= OTHERWISE * len(pairs)

    def _are_upright(
        self, graph: Graph, said: str, seconds: float, most: float, specs: Sequence[TensorSpec]
    ) -> bool:
        """Whether the model doubts changed pictures far less than as sent, and than upside down."""
        turned, doubt = list[Answer](), 1 - mean(self._answers[said])
        if 1 - self._mean() < AS_SENT * doubt:
            return False
        for one in self._kept:
            change = next(change for change in self._changes(one) if change.said == said)
            pixels, rows, _ = in_two_dimensions(change.array)
            with Runs(graph, one.inputs, most, specs, seconds=seconds) as runs:
                answer = runs.changed(change.index, numpy.ascontiguousarray(numpy.flip(pixels, rows)))
            turned += [] if answer is None else [answer]
        return len(turned) == len(self._kept) and 1 - mean(turned) >= UPSIDE_DOWN * doubt

    def _are_kept_aside(
        self, graph: Graph, said: str, seconds: float, most: float, specs: Sequence[TensorSpec]
    ) -> bool:
        """Whether most answers to a change are the same a pixel aside, and others in random orders: so ink
        shows, of which a model may be as sure in any order."""
        kept = others = 0
        for one, answer in zip(self._kept, self._answers[said], strict=True):
            change = next(change for change in self._changes(one) if change.said == said)
            pixels, *axes = in_two_dimensions(change.array)
            with Runs(graph, one.inputs, most, specs, seconds=seconds) as runs:
                moved = [runs.changed(change.index, numpy.roll(pixels, 1, axis)) for axis in axes]
                mixed = runs.shuffled(change, range(1))
            kept += sum(other is not None and other.place == answer.place for other in moved)
            others += sum(other.place != answer.place for other in mixed)
        return kept >= OTHERWISE * 2 * len(self._kept) and others >= OTHERWISE * len(self._kept)

    def _of_papers(self, graph: Graph, seconds: float, most: float, specs: Sequence[TensorSpec]) -> str:
        """Returns what is said of pictures of ink on paper that all get the same answer, and several with
        black and white swapped, or "" if they aren't such ones."""
        answers = self._answers.get(INVERSE, [])
        places = list(dict.fromkeys(one.place for one in answers))
        own = [one.answer.place for one in self._kept]
        place = max(own, key=own.count)
        least = SURE if self._is_one() else LEAST
        if len(own) < ENOUGH or len(answers) < len(own) or len(places) < MANY or mean(answers) < least:
            return ""
        if not self._are_nearly_one():
            return ""
        for one, answer in zip(self._kept, answers, strict=True):
            index = picture_among(one.inputs) or 0
            with Runs(graph, one.inputs, most, specs, seconds=seconds) as runs:
                is_other = one.answer.place != place
                if not (is_other or is_ink_on_paper(runs, index, one.inputs[index], one.answer, answer)):
                    return ""
        index = picture_among(self._kept[0].inputs) or 0
        is_paper = is_on_paper(self._kept[0].inputs)
        told = told_of_none([one.answer for one in self._kept], places, is_paper=is_paper)
        return f'input {index} "{graph.inputs[index].name}": {told}'

    def _of_ink(self, graph: Graph, seconds: float, most: float, specs: Sequence[TensorSpec]) -> str:
        """Returns what is said of pictures of ink on paper, if the model is far surer of all together with
        black and white swapped, or "" if they aren't such ones, or it isn't."""
        swapped, own = self._answers.get(INVERSE, []), [one.answer for one in self._kept]
        places = list(dict.fromkeys(one.place for one in swapped))
        if len(own) < ENOUGH or len(swapped) < len(own) or len(places) < MANY:
            return ""
        if not self.are_papers():
            return ""
        if not are_surer(own, swapped, self._shuffled(graph, INVERSE, seconds, most, specs)):
            return ""
        index = picture_among(self._kept[0].inputs) or 0
        return f'input {index} "{graph.inputs[index].name}": {told_of_all(own, swapped)}'

    def _sentence(self, graph: Graph, said: str, *, is_one: bool) -> str:
        answers, count = self._answers[said], len(self._kept)
        index = picture_among(self._kept[0].inputs)
        others = sum(one.place != own.answer.place for one, own in zip(answers, self._kept, strict=True))
        name = f'input {index} "{graph.inputs[index or 0].name}"'
        if is_one:
            places = ", ".join(str(one.place) for one in answers)
            place = self._kept[0].answer.place
            return (
                f"{name}: all {count} pictures get the answer {place}; {said} they get {places}, also a "
                "pixel aside"
            )
        return (
            f"{name}: {said} {others} of {count} pictures get another answer, and all together are surer: "
            f"{mean(answers):.2f} on average; as sent it is {self._mean():.2f}"
        )


VALUES = "pixels"
"""This word is in changes of numbers, and in none of places."""


def is_other(one: Answer, mixed: Answer, *, by_doubt: bool) -> bool:
    """Whether an answer is another one than that to elements in a random order, or far surer. `by_doubt`: of
    the same numbers a model that goes by colours may say the same, with far more doubt."""
    is_doubted = by_doubt and 1 - mixed.sure >= max(DOUBT, DOUBTS * (1 - one.sure))
    return one.place != mixed.place or one.sure >= 2 * mixed.sure or is_doubted


def subject_among(inputs: Sequence[Tensor]) -> int | None:
    """Returns the index of the only input that is one picture, or the only one that is a window of a sensor's
    axes, or None if there is none."""
    found = picture_among(inputs)
    return window_among(inputs) if found is None else found


def picture_among(inputs: Sequence[Tensor]) -> int | None:
    """Returns the index of the only input that is one picture, or in one dimension a square one of dark ink
    on paper, or None if there is none, or several."""
    found = []
    for index, tensor in enumerate(inputs):
        picture = picture_of(tensor.shape)
        if picture is None and paper_of(tensor) is not None:
            picture = picture_or_square(tensor.shape)
        if picture is not None and prod(tensor.shape) == picture.channels * picture.height * picture.width:
            found.append(index)
    return found[0] if len(found) == 1 else None


def in_two_dimensions(array: Any) -> tuple[Any, int, int]:
    """A picture with its rows and columns as two dimensions, and which these are."""
    picture = picture_of(array.shape)
    if picture is not None:
        return (array, -2, -1) if picture.planar else (array, -3, -2)
    side = isqrt(array.size)
    return array.reshape(side, side), -2, -1


def is_on_paper(inputs: Sequence[Tensor]) -> bool:
    """Whether the only picture among inputs is dark ink on a bright ground."""
    index = picture_among(inputs)
    return index is not None and paper_of(inputs[index]) is not None


def variants(array: Any, picture: Picture, known: Sequence[Encoding]) -> Iterator[tuple[str, Any]]:
    """A picture as a guest would send it that made another choice, with descriptions. `known` are the
    encodings in which it may be."""
    pixels = interleaved(array, picture)
    if picture.channels == 3:
        yield "with the channels reversed", as_before(pixels[..., ::-1], picture, array.shape)
    if picture.height == picture.width:
        turned = as_before(pixels.transpose(0, 2, 1, 3), picture, array.shape)
        yield "with rows and columns exchanged", turned
    if picture.channels == 1:
        yield INVERSE, inverted(array, picture, known)
    for own in known:
        bytes_ = decoded(array, own, picture)
        for wanted in USUAL:
            if wanted is not own and wanted.fits(picture.channels):
                said = f"with pixels {wanted.said} (they look as if sent {own.said})"
                yield said, encoded(bytes_, wanted, picture)


def inverted(array: Any, picture: Picture, known: Sequence[Encoding]) -> Any:
    """A picture with black for white, in the range that is known, or else in its own."""
    if not known:
        return array.min() + (array.max() - array)
    return encoded(255 - decoded(array, known[0], picture), known[0], picture)
