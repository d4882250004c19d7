"""Asks a model about the files that lie beside the one that a guest sent, as that one was sent and in
other ways: one answer says little of a range or a rate, several do.

What is here: `Beside`, what is known of the file, and `asked_beside`. What is not: reading the other files
(`origin.siblings`), the ways to send them (`ways.py`), and inputs that the guest sent itself (`several.py`).

Pictures that are sent as the model wants them get different answers, of which it is sure. Those in another
range get few different ones; or answers of which the model is surer than any training makes it, as larger
elements make the numbers before the probabilities larger. Where files are named after classes, answers are
right or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor, TensorSpec
from ...records import Frozen
from ..changes.encodings import MEANS
from ..depicted import Depicted
from .asking import Runs
from .sureness import LARGER, MOST_SURE, OVERSURE, Answer, are_on_circle, is_far_larger

FEWEST = 4
"""So many files are needed with the guest's own."""
PLANS = ((8, 9), (6, 9), (6, 3), (FEWEST, 3), (FEWEST, 2))
"""Files that are asked about, and ways that are followed, the best plan first."""
FEWEST_NAMED = 3
"""Of those, so many must be named after classes if that decides."""
SURE, MEAN = 0.95, 0.93
"""An answer that is as sure counts, and all answers to a change are as sure as the second on average."""
RIGHT, WRONG, HALF = 0.8, 0.4, 0.5
"""The least part of the pictures that get the class that they are named after, and the most as sent; and if
all are right, of answers of which no training makes a model as sure, or in a range with larger elements."""
APART = 0.7
"""The least part of the pictures that get answers of their own."""
FEWEST_APART = 4
CAFFES = f"with pixels {MEANS.said}"
"""So large elements make networks sure that were never trained."""
SWAPPED, GREY, NEARLY = "with black and white swapped", 127.5, 0.8
NO_GUESS = 0.5
"""An answer to the guest's own file that is less sure speaks for nothing."""
BY_STEPS, MANY, MOST, MUCH_SURER = "by the model's scale and zero point", 6, 0.8, 2.0
"""Ranges that the model itself speaks for: of so many pictures so many may be right as sent, though the
guest's own isn't, if the others are surer by so much."""
IN_ORDER = 0.6
"""In another order of channels this part of the pictures may be right as sent, if all of them, and more than
the fewest, are right in that order."""
RATE = " Hz "
"""Letters in the text of each change that is about a rate."""
AS_SENT = "sent"
"""The sentences of other ranges and rates have this word, and those of other orders don't."""
TIMES, MANY_TIMES = 2, 4
"""So many times as many different answers as those to files as sent speak for another range, or order."""
OTHERWISE = 0.6
"""The least part of the answers that are others than those to the elements in a random order."""
MIXED = 0.8
"""How sure answers to larger elements in random orders are at most."""
FROM_0_TO_1, FEWEST_SEEN = "with pixels from 0 to 1 ", 2
"""What is meant where elements are too large, and so many answers must come from what is seen."""
MOSTLY = 0.75
"""The least part of the pictures of which the model is surer in another order."""
TRAINED = 7.0
"""The least margin of what a network was trained to know."""

LEAST, SHORT = 1e-4, 0.1
"""Seconds: no run takes less, and those that take less than the second are measured again."""
MEASURED, BUSY = 2, 3.0
"""So many times a run is measured; and by this factor all may take longer on a busy machine."""
Make = Callable[[Any], Any]
"""Makes elements, as floats in the input's shape, of what is in a file."""


class Beside(Frozen):
    """A file that was sent as input `index`: what is in it (`own`), how it was made an input (`sent`), and by
    its words each other way to do so (`ways`). `others` gives the files beside it, by name; `depicts` what a
    file is named after, of so many classes. `things` are "pictures" or "sounds"."""

    index: int
    name: str
    own: Any
    sent: Make
    ways: Mapping[str, Make]
    others: Callable[[], Sequence[tuple[str, Any]]]
    depicts: Callable[[str, int], Depicted | None]
    things: str = "pictures"


class Way(Frozen):
    """One way to send pictures, and what the model answers to each."""

    said: str
    answers: tuple[Answer, ...]

    @property
    def mean(self) -> float:
        return sum(one.sure for one in self.answers) / len(self.answers)

    @property
    def apart(self) -> int:
        """How many different answers there are of which the model is sure."""
        return len({one.place for one in self.answers if one.sure >= SURE})

    @property
    def margin(self) -> float:
        """By how much the surest class is ahead of the next one, of half of the pictures at least."""
        return sorted(one.margin for one in self.answers)[len(self.answers) // 2]


def asked_beside(
    graph: Graph,
    inputs: Sequence[Tensor],
    beside: Beside,
    specs: Sequence[TensorSpec],
    seconds: float,
    most: float,
    late: list[Callable[[], str]],
) -> str:
    """Returns a sentence if much speaks for another way to send files, or "" if nothing does. `seconds` is
    the duration of one run, `specs` are the outputs, and `most` the seconds that there are. If only the names
    of classes are missing, `late` gets what says the same once the guest has read them. Raises NNError."""
    end = perf_counter() + BUSY * most
    with Runs(graph, inputs, BUSY * most, specs, seconds=most) as runs:
        asking = Asking(runs, beside, inputs[beside.index], end)
        count, kept = planned(asking.room(seconds, most), len(beside.ways))
        others = list(beside.others())[: count - 1] if count else []
        if len(others) < FEWEST - 1:
            return ""
        asking.items += [one for _, one in others]
        sent = asking.way("", beside.sent)
        if sent is None:
            return ""
        names = [beside.name, *(name for name, _ in others)]

        def shown() -> list[Depicted | None]:
            return [beside.depicts(name, sent.answers[0].classes) for name in names]

        def said(found: str) -> str:
            return found and f'input {beside.index} "{graph.inputs[beside.index].name}": {found}'

        found, likely = asking.found(sent, shown(), kept)
    if not found and likely and not any(shown()):
        late.append(lambda: said(named(sent, likely, shown(), beside.things)))
    return said(found)


def planned(runs: int, ways: int) -> tuple[int, int]:
    """About how many files there is time to ask, with the guest's own, and in how many of the ways; (0, 0) if
    for too few."""
    for files, kept in PLANS:
        if files + ways + min(kept, ways) * (files - 1) <= runs:
            return files, kept
    return 0, 0


class Asking:
    """The answers to several files."""

    def __init__(self, runs: Runs, beside: Beside, given: Tensor, end: float) -> None:
        self._runs, self._beside, self._end = runs, beside, end
        self.items = [beside.own]
        array = given.numpy()
        self._shape, self._kind = given.shape, array.dtype

    def room(self, seconds: float, most: float) -> int:
        """About how many runs there is time for. `seconds` is the guest's own run, which is slower than later
        ones if it was the first."""
        for _ in range(MEASURED if seconds < SHORT else 0):
            began = perf_counter()
            self._answer(self._beside.sent(self._beside.own))
            seconds = min(seconds, perf_counter() - began)
        return int(most / max(seconds, LEAST))

    def way(self, said: str, make: Make, own: Answer | None = None) -> Way | None:
        """Returns the answers to all files, each made an input, or None if there is no time for them. `own`
        is that to the guest's own, if it is known."""
        found = [] if own is None else [own]
        for item in self.items[len(found) :]:
            answer = self._answer(make(item)) if perf_counter() < self._end else None
            if answer is None:
                return None
            found.append(answer)
        return Way(said, tuple(found))

    def _answer(self, made: Any) -> Answer | None:
        kept = made if self._kind.kind == "f" else made.round()
        return self._runs.changed(
            self._beside.index, numpy.ascontiguousarray(kept, self._kind).reshape(self._shape)
        )

    def _likely(self, kept: int) -> list[Way]:
        """The ways in which the answer to the guest's own file is surest, so many, without those in which the
        model is surer than training makes it."""
        ways = self._beside.ways
        made = [said for said in ways if said != SWAPPED or self._are_alike()]
        asked = {said: self._answer(ways[said](self._beside.own)) for said in made}
        own = {said: one for said, one in asked.items() if one is not None and one.sure >= NO_GUESS}
        usual = [said for said, one in own.items() if one.margin < OVERSURE]
        best = sorted(usual, key=lambda said: -own[said].sure)[:kept]
        found = [self.way(said, ways[said], own[said]) for said in usual if said in best]
        return [way for way in found if way is not None and way.margin <= MOST_SURE]

    def found(self, sent: Way, shown: Sequence[Depicted | None], kept: int) -> tuple[str, list[Way]]:
        """The way for which much speaks, as words, of so many that are asked about, "" for none; and those
        that may be meant."""
        if are_on_circle(sent.answers):
            return "", []
        known = MOST if any(BY_STEPS in said for said in self._beside.ways) else IN_ORDER
        is_usual = sent.margin < OVERSURE
        if is_usual and (right(sent, shown) > known or (is_varied(sent) and not is_belied(sent, shown))):
            return "", []
        likely, things = self._likely(kept), self._beside.things
        if is_usual and is_varied(sent):  # as a model is of things in wrong colours, too: names alone tell
            return named(sent, likely, shown, things), []
        text = named(sent, likely, shown, things) or surer(sent, likely, things)
        return text or self._varied(sent, likely), likely

    def _varied(self, sent: Way, likely: Sequence[Way]) -> str:
        """Returns the way in which answers differ as those of a trained model do, as words, or "" if there is
        none."""
        best = most_varied(sent, [way for way in likely if not way.said.startswith(CAFFES)])
        if best is not None and self._is_larger(best) and are_same(sent, best):
            best = None
        if best is not None and self._is_seen(best, OTHERWISE * len(best.answers)):
            return varied(sent, best)
        first = next((way for way in likely if FROM_0_TO_1 in way.said), None)
        if first is None or not is_less_sure(sent, first) or not self._is_seen(first, FEWEST_SEEN):
            return ""
        return "" if are_same(sent, first) and self._is_linear(first) else oversure(sent, first)

    def _is_linear(self, way: Way) -> bool:
        """Whether the model is linear, and so as sure as elements are large."""
        made = self._beside.ways[way.said](self._beside.own)
        return self._runs.are_linear(self._beside.index, made.reshape(self._shape).astype(self._kind))

    def _are_alike(self) -> bool:
        """Whether nearly all pictures are as bright or dark as the one that was sent: of black on white
        beside white on black nothing follows."""
        bright = [item.mean() > GREY for item in self.items]
        return bright.count(bright[0]) >= NEARLY * len(bright)

    def _is_larger(self, way: Way, times: float = 1.0) -> bool:
        """Whether elements are larger than as sent, more than so many times."""
        make, own = self._beside.ways[way.said], self._beside.own
        return bool(make(own).std() > times * self._beside.sent(own).std())

    def _is_seen(self, way: Way, least: float) -> bool:
        """Whether at least so many answers come from what is seen, and not from the values of elements alone;
        of elements that are larger than as sent, of which any network is surer, those in random orders must
        also get unsure ones."""
        order, make = numpy.random.default_rng(0), self._beside.ways[way.said]
        mixed = []
        for item in self.items:
            made = make(item)
            other = order.permutation(made.reshape(-1)).reshape(made.shape)
            answer = self._answer(other) if perf_counter() < self._end else None
            if answer is None:
                return False
            mixed.append(answer)
        if self._is_larger(way, LARGER) and sum(one.sure for one in mixed) > MIXED * len(mixed):
            return False
        pairs = zip(way.answers, mixed, strict=True)
        return sum(one.sure >= SURE and one.place != other.place for one, other in pairs) >= least


def right(way: Way, shown: Sequence[Depicted | None]) -> float:
    """Returns the part of the pictures that get the class that their files are named after, or 0 if few
    are."""
    pairs = [(one.place, name.places) for one, name in zip(way.answers, shown, strict=True) if name]
    if len(pairs) < FEWEST_NAMED or len({places for _, places in pairs}) == 1:
        return 0.0
    return sum(place in places for place, places in pairs) / len(pairs)


def is_belied(way: Way, shown: Sequence[Depicted | None]) -> bool:
    """Whether the files' names say something else of the guest's own and of as many others as it takes."""
    is_own = shown[0] is not None and way.answers[0].place not in shown[0].places
    return is_own and sum(name is not None for name in shown) > FEWEST


def most_right(sent: Way, best: Way, shown: Sequence[Depicted | None]) -> float:
    """The most of the pictures that may be right as sent, if another way is the one that was meant."""
    classes = {name.places for name in shown if name}
    count, own = sum(name is not None for name in shown), shown[0]
    is_own_wrong = own is not None and sent.answers[0].place not in own.places
    if right(best, shown) < 1 or count < FEWEST:
        return WRONG
    if is_own_wrong and AS_SENT not in best.said and count > FEWEST and len(classes) >= FEWEST_NAMED:
        return IN_ORDER
    if len(classes) < count:
        return WRONG
    if sent.margin >= OVERSURE:
        return HALF
    is_surer = best.margin >= sent.margin + MUCH_SURER and best.mean >= MEAN
    return MOST if BY_STEPS in best.said and count >= MANY and is_own_wrong and is_surer else WRONG


def named(sent: Way, ways: Sequence[Way], shown: Sequence[Depicted | None], things: str) -> str:
    """Whether files are named after what they show if they are sent in another way."""
    best = max(ways, key=lambda way: (right(way, shown), way.mean), default=None)
    if best is None or right(best, shown) < RIGHT or right(sent, shown) > most_right(sent, best, shown):
        return ""
    own = next((str(name.file) for name in shown if name), "")
    count = sum(name is not None for name in shown)
    good, bad = (round(right(way, shown) * count) for way in (best, sent))
    return (
        f"{best.said} {good} of {count} {things} ({own} and others beside it) get the class that their file "
        f"is named after, and as this one was sent {bad}; its own answer is {best.answers[0]}, and as sent "
        f"{sent.answers[0]}"
    )


def surer(sent: Way, ways: Sequence[Way], things: str) -> str:
    """Whether another order makes answers far surer: the elements are the same ones, and no larger."""
    orders = [way for way in ways if AS_SENT not in way.said]
    best = max(orders, key=lambda way: way.margin, default=None)
    if best is None or not is_far_larger(best.margin, sent.margin):
        return ""
    places, own = ({one.place for one in way.answers} for way in (best, sent))
    if len(places) == 1 == len(own):
        return ""  # what all have in common may be their ground, of which a model is sure in any order
    if len(places) < len(own):
        return ""  # colours far from all in training make a model sure, too: it tells fewer things apart
    pairs = zip(best.answers, sent.answers, strict=True)
    count = len(best.answers)
    if sum(one.margin > other.margin for one, other in pairs) < MOSTLY * count:
        return ""
    return (
        f"{best.said} the surest class of {count} {things} (this one and others beside it) is e^"
        f"{best.margin:.0f} times as probable as the next one, and as this one was sent e^{sent.margin:.0f} "
        f"times (medians); its own answer is {best.answers[0]}, and as sent {sent.answers[0]}"
    )


def is_varied(way: Way) -> bool:
    """Whether pictures get different answers, of which the model is sure."""
    least = max(FEWEST_APART, APART * min(len(way.answers), way.answers[0].classes))
    return way.apart >= least and way.mean >= MEAN


def most_varied(sent: Way, ways: Sequence[Way]) -> Way | None:
    """The way in which files get different sure answers, if they don't as sent."""
    best = max(ways, key=lambda way: (way.apart, way.mean), default=None)
    times = 0 if best is None else TIMES if AS_SENT in best.said else MANY_TIMES
    if best is None or not is_varied(best) or best.apart < times * max(1, sent.apart):
        return None
    # Sounds beside one may be for other models, which are sure of each at some rate or other.
    is_weak = len(best.answers) <= FEWEST or RATE in best.said
    return None if is_weak and best.mean < sent.mean else best


def are_same(one: Way, other: Way) -> bool:
    """Whether most files get the same answer in two ways, however sure: larger elements make a model surer
    of what it says anyway."""
    pairs = zip(one.answers, other.answers, strict=True)
    return sum(first.place == second.place for first, second in pairs) > HALF * len(one.answers)


def varied(sent: Way, best: Way) -> str:
    return (
        f"{best.said} this one and {len(best.answers) - 1} beside it get {best.apart} different sure "
        f"answers, at {best.mean:.2f} on average, and as this one was sent {sent.apart}, at {sent.mean:.2f}; "
        f"its own answer is {best.answers[0]}, and as sent {sent.answers[0]}"
    )


def is_less_sure(sent: Way, way: Way) -> bool:
    """Whether the model is surer of answers as sent than training makes it, and of others usually sure."""
    is_usual = way.margin >= TRAINED and way.mean >= MEAN
    return is_usual and sent.margin >= OVERSURE and way.apart >= max(2, sent.apart)


def oversure(sent: Way, way: Way) -> str:
    return (
        f"{way.said} the model is as sure of this one and {len(way.answers) - 1} beside it as training makes "
        f"it: the surest class is e^{way.margin:.0f} times as probable as the next one; as this one was "
        f"sent, e^{sent.margin:.0f} times, as of elements that are far too large"
    )
