"""Runs a model on changed copies of its inputs, and compares the answers.

What is here: `ask` for one set of inputs. What is not: the changes (`changes/encodings.py`,
`changes/arrangements.py`, `changes/rereadings.py`), and following a guest (`following.py`).

How sure an answer is says little by itself: a trained network is often sure of what it can't recognise, and
larger numbers make any network surer. So an input is also asked in a random order, which has the same values
and shows nothing. An answer that comes from what the input shows is not given for that; an answer that comes
from its values alone is. A change counts if the answer came from the values alone before it, and no longer.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from time import perf_counter
from typing import Any

from ...arrays import numpy
from ...errors import WasmError
from ...nn.backend import Context, Graph
from ...nn.blame import blaming
from ...nn.errors import NNError
from ...nn.tensor import DType, Tensor, TensorSpec
from ...records import Frozen, changed
from ..changes.arrangements import TURNED, rearranged, told_by_elements
from ..changes.encodings import MEANS, OTHER_RANGE, RAW, UNIT, has_contrast, in_chosen_range, reencoded
from ..changes.rereadings import moved, reread
from ..facts import picture_of
from .sureness import (
    HALF,
    LARGER,
    MOST_SURE,
    OVERSURE,
    Answer,
    answer_of,
    answers_of,
    are_linear,
    is_as_sure,
    is_far_surer,
)
from .sureness import LEAST as LEAST_MARGIN

FEWEST_CLASSES = 5
"""Of fewer classes a right answer is often the one that values alone get."""
RANGE = "with pixels "
"""Other ranges begin so."""
RUNS = 12
"""The most runs for one set of inputs."""
SLOWER = 2
"""All runs together take at most so many times as long as RUNS runs of the guest's own."""
LEAST, MOST = 0.5, 30.0
"""The seconds that all runs may take, even if the guest's own take less or more."""
SURE = 0.75
"""An answer that is less sure says nothing."""
VERY_SURE = 0.9
"""An answer that is less sure, and less sure than the one as sent, is no better than that."""
FAR = 0.4
"""An unsure answer is at most so sure as this part of a far surer one."""
UNSURE = 0.5
"""An answer that is at most so sure is asked about, too: it may be the right one, and far surer."""
ALIKE = 0.02
"""Answers whose probabilities differ by less are equally sure."""
CONTROLS = 3
"""The best change is compared with so many random orders."""
FEWEST = 48
"""Inputs with fewer elements have too little in them to be changed."""
MOST_BYTES = 64 << 20
"""Larger inputs are not changed."""

WHOLE = f"({OTHER_RANGE} {RAW.said})"
"""Other ranges of whole pixels end so."""
MOST_RANGES = 4
"""So many ranges get the same answer."""
UPRIGHT = 1.2
"""The margin of a picture that lies right is so many times that of the same upside down."""

CHANGED = frozenset({DType.F16, DType.F32, DType.F64, DType.U8, DType.I8, DType.I32, DType.I16})


class Change(Frozen):
    """A changed copy of an input. `certain`: the elements themselves speak for it, whatever the model is."""

    said: str
    """Such as "with the channels reversed"."""
    index: int
    """The index of the input."""
    array: Any
    certain: bool = False
    is_doubted: bool = False
    """Whether the elements are in a range that somebody chose, and the change gives them another."""


class Trial(Frozen):
    """The answer to a changed input, and those to the same elements in random orders."""

    change: Change
    answer: Answer | None
    shuffled: tuple[Answer, ...] = ()

    @property
    def is_seeing(self) -> bool:
        """Whether the answer is sure and comes from what the input shows: in any random order the model is
        far less sure."""
        answer = self.answer
        if answer is None or answer.sure < SURE or not self.shuffled:
            return False
        return all(other.sure <= HALF * answer.sure for other in self.shuffled)

    @property
    def is_own(self) -> bool:
        """Whether the answer is another one than in any random order."""
        answer = self.answer
        if answer is None or not self.shuffled:
            return False
        return all(other.place != answer.place for other in self.shuffled)

    @property
    def stands_out(self) -> bool:
        """Whether the answer is another, and a far surer one, than in any random order."""
        answer = self.answer
        return self.is_own and answer is not None and all(is_far_surer(answer, one) for one in self.shuffled)


class Outcome(Frozen):
    """A model's answers to its inputs as they are (`sent`) and to changed copies (`trials`). `found` is the
    change for which much speaks, if there is one."""

    sent: Trial | None
    trials: tuple[Trial, ...] = ()
    found: Trial | None = None
    runs: int = 0

    def sentence(self, specs: Sequence[TensorSpec]) -> str | None:
        """ "input 0 "x": with the channels reversed the answer is 7 at 0.98; as sent it is 3 at 0.21"."""
        if self.found is None:
            return None
        change, answer = self.found.change, self.found.answer
        name = f'input {change.index} "{specs[change.index].name}"'
        if answer is None or self.sent is None or self.sent.answer is None:
            return f"{name} makes sense {change.said}"
        sent = self.sent.answer
        over = f", e^{sent.margin:.0f} times as probable as the next one: elements are far too large"
        why = over if sent.margin >= OVERSURE else ""
        return f"{name}: {change.said} the answer is {answer}; as sent it is {sent}{why}"


def changes(index: int, tensor: Tensor, spec: TensorSpec, is_known: bool = False) -> Iterator[Change]:
    """Changed copies of an input, as arrays of its own shape and type, the most probable first; each differs
    from the input and from those before it. `is_known`: it is known how it came from a picture."""
    size = tensor.nbytes
    if tensor.dtype not in CHANGED or size != tensor.size or size > MOST_BYTES or spec.takes_bytes:
        return
    array = numpy.array(tensor.numpy())
    if array.size < FEWEST or array.min() == array.max():
        return
    seen = {array.tobytes()}
    with numpy.errstate(all="ignore"):
        is_chosen = array.dtype.kind == "f" and in_chosen_range(array, picture_of(array.shape))
        for certain, (said, made) in candidates(array, spec, is_known):
            found = numpy.ascontiguousarray(made.astype(array.dtype))
            if (key := found.tobytes()) not in seen:
                seen.add(key)
                yield Change(said, index, found, certain, is_chosen and OTHER_RANGE in said)


def candidates(
    array: Any, spec: TensorSpec, is_known: bool = False
) -> Iterator[tuple[bool, tuple[str, Any]]]:
    """Whether each is certain, a description, and the array. Elements say nothing that isn't known of a
    picture whose way is known; and it wasn't turned: turned, another digit may well be seen in it."""
    picture = picture_of(array.shape)
    signs = [] if is_known else list(reread(array))
    sane = bool(numpy.isfinite(array).all())
    if picture is not None and sane and not signs and not is_known:
        signs = list(told_by_elements(array, picture))
    yield from ((True, one) for one in signs)
    if signs or not sane:  # nothing else can be said of such elements
        return
    zero = spec.quantization[1] if spec.quantization else None
    orders = rearranged(array, picture) if picture else iter(())
    if is_known:
        orders = (one for one in orders if one[0] != TURNED)
    values = iter(reencoded(array, picture)) if array.dtype.kind == "f" else moved(array, zero)
    # Both kinds of change get their share of the runs.
    for one in chain(islice(values, 2), islice(orders, 2), islice(values, 2), orders, values):
        yield False, one


def ask(
    graph: Graph,
    inputs: Sequence[Tensor],
    *,
    answer: Answer | None = None,
    seconds: float | None = None,
    every: bool = False,
    more: Sequence[Change] = (),
    known: Container[int] = (),
    most: float = MOST,
) -> Outcome:
    """Run a graph on changed copies of its inputs, in a context of its own: at most RUNS times, and not
    much longer than RUNS runs of `seconds` (the duration of one run; None: measure it).

    `answer` is the model's answer to the inputs as they are, if it is known; with `seconds`, None says that
    it has none. `every`: try changes even if that answer comes from what the inputs show. `more` are changes
    to try instead of those that are made of the inputs. `known` are inputs of which it is known how they
    came from a picture. `most`: so many seconds are left. Raises NNError if the model refuses the inputs as
    they are.
    """
    with Runs(graph, inputs, most) as runs:
        if answer is None and seconds is None:
            began = perf_counter()
            answer = runs.answer({})
            seconds = perf_counter() - began
        runs.limit(seconds or 0.0)
        found = Asking(runs, graph.inputs, inputs, answer, more, known)
        if found.told_by_elements() is None and answer is not None and (every or found.is_open()):
            found.try_all()
        return found.outcome(runs.count)


class Asking:
    """The questions about one set of inputs, and what came of them."""

    def __init__(
        self,
        runs: Runs,
        specs: Sequence[TensorSpec],
        inputs: Sequence[Tensor],
        answer: Answer | None,
        more: Sequence[Change] = (),
        known: Container[int] = (),
    ) -> None:
        self._runs = runs
        pairs = zip(specs, inputs, strict=True)
        made = (changes(index, tensor, spec, index in known) for index, (spec, tensor) in enumerate(pairs))
        self._changes = iter(more) if more else chain.from_iterable(made)
        self._ahead: list[Change] = []
        self._answer = answer
        self._inputs = inputs
        self.sent: Trial | None = None
        self.trials: list[Trial] = []
        self.found: Trial | None = None

    def told_by_elements(self) -> Trial | None:
        """Find a change for which the elements themselves speak."""
        first = next(self._changes, None)
        if first is None:
            return None
        if not first.certain:
            self._ahead.append(first)
            return None
        answer = self._runs.changed(first.index, first.array) if self._answer else None
        self.found = Trial(first, answer)
        self.sent = Trial(first, self._answer)
        self.trials.append(self.found)
        return self.found

    def is_open(self) -> bool:
        """Whether the answer to the inputs as they are is unsure, or comes from their values alone."""
        answer = self._answer
        if answer is None or not self._ahead:
            return False
        index = self._ahead[0].index
        as_sent = Change("as sent", index, self._inputs[index].numpy())
        self.sent = Trial(as_sent, answer)
        if answer.sure <= UNSURE or answer.margin >= OVERSURE:
            return True
        self.sent = Trial(as_sent, answer, self._runs.shuffled(as_sent, range(2)))
        return len(self.sent.shuffled) == 2 and all(is_as_sure(other, answer) for other in self.sent.shuffled)

    def try_all(self) -> None:
        """Try changes, and find the one for which much speaks."""
        answer, runs = self._answer, self._runs
        if answer is None:
            return
        for change in chain(self._ahead, self._changes):
            if not runs.left(CONTROLS):
                break
            trial = Trial(change, runs.changed(change.index, change.array))
            if self._is_candidate(trial, answer) and runs.left(CONTROLS):
                trial = Trial(change, trial.answer, runs.shuffled(change, range(1)))
            self.trials.append(trial)
        seeing = surest([trial for trial in self.trials if self._is_found(trial, answer)])
        if not seeing:
            self.found = self._agreed(answer)
        if not seeing or len({trial.answer.place for trial in seeing if trial.answer}) > 1:
            return
        sures = [trial.answer.sure for trial in seeing if trial.answer]
        # Of those that are about as sure, the first is the most usual.
        alike = [trial for trial, sure in zip(seeing, sures, strict=True) if sure > max(sures) - ALIKE]
        best = alike[0]
        if answer.margin >= OVERSURE:
            if not self._is_said_in_all(best):
                return
            alike = [one for one in self.trials if one in alike or is_as_good(one, best)]
        more = runs.shuffled(best.change, range(1, CONTROLS))
        said = together([trial.change.said for trial in alike])
        checked = Trial(changed(best.change, said=said), best.answer, best.shuffled + more)
        is_found = len(checked.shuffled) == CONTROLS and self._is_found(checked, answer)
        if is_found and not (self._is_as_linear(checked, answer) or self._is_as_sure_turned(checked)):
            self.found = checked

    def _agreed(self, sent: Answer) -> Trial | None:
        """Pixels from 0 to 255 that get another answer in nearly all ranges of small numbers, because of what
        they show: to a model that wants whole pixels, such small ones are nothing but black, or the same if
        they were only divided and it has no biases."""
        small = [one for one in self.trials if one.change.said.endswith(WHOLE) and one.answer is not None]
        small = [one for one in small if MEANS.said not in one.change.said]
        places = [one.answer.place for one in small if one.answer]
        place = max(places, key=places.count, default=sent.place)
        if sent.classes < FEWEST_CLASSES or place == sent.place or places.count(place) < MOST_RANGES:
            return None
        own = [one for one, other in zip(small, places, strict=True) if other == place]
        if UNIT.said not in own[0].change.said or picture_of(self._inputs[own[0].change.index].shape) is None:
            return None
        for one in own[:2]:
            mixed = self._runs.shuffled(one.change, range(1))
            if not mixed or mixed[0].place == place:
                return None
        said = together([one.change.said for one in own])
        return Trial(changed(own[0].change, said=said), own[0].answer)

    def _is_candidate(self, trial: Trial, sent: Answer) -> bool:
        is_one = is_candidate(trial, sent) or self._stands_out(trial, sent)
        return is_one or self._is_far_surer(trial, sent)

    def _is_found(self, trial: Trial, sent: Answer) -> bool:
        """Whether much speaks for a change."""
        if is_candidate(trial, sent) and trial.is_seeing:
            return True
        return trial.is_own and (self._stands_out(trial, sent) or self._is_far_surer(trial, sent))

    def _stands_out(self, trial: Trial, sent: Answer) -> bool:
        """Whether an unsure answer becomes a far surer one though the picture has as much contrast as any."""
        if trial.shuffled and not trial.stands_out:
            return False
        if not FAR < sent.sure <= UNSURE or trial.answer is None or not is_far_surer(trial.answer, sent):
            return False
        array = self._inputs[trial.change.index].numpy()
        return has_contrast(array, picture_of(array.shape))

    def _is_far_surer(self, trial: Trial, sent: Answer) -> bool:
        """Whether an answer is far surer than the one as sent, which comes from values alone; or as training
        makes it, to pixels in another range, where the one as sent is surer than that."""
        answer, change = trial.answer, trial.change
        if answer is None or change.is_doubted or self.sent is None:
            return False
        times = self._times(change)
        if sent.margin >= OVERSURE:
            return self._is_smaller(change) and LEAST_MARGIN <= answer.margin <= MOST_SURE
        shuffled = self.sent.shuffled if sent.classes >= FEWEST_CLASSES else ()
        is_blind = bool(shuffled) and all(one.place == sent.place for one in shuffled)
        return is_blind and times <= LARGER and answer.place != sent.place and is_far_surer(answer, sent)

    def _times(self, change: Change) -> float:
        """How many times as far apart the elements of a change are as those as sent."""
        return float(change.array.std() / self._inputs[change.index].numpy().std())

    def _is_smaller(self, change: Change) -> bool:
        """Whether a change brings pixels into a range of much smaller numbers."""
        return OTHER_RANGE in change.said and self._times(change) <= 1 / LARGER

    def _is_said_in_all(self, best: Trial) -> bool:
        """Whether pixels get one answer in all ranges of much smaller numbers. A network that was never
        trained is sure, too, but gives others: nothing taught it to see the same at another brightness."""
        places = {one.answer.place for one in self.trials if one.answer and self._is_smaller(one.change)}
        return best.answer is not None and places <= {best.answer.place}

    def _is_as_linear(self, best: Trial, sent: Answer) -> bool:
        """Whether a model is as sure of its answer as elements are large, and says the same of smaller ones,
        because it is linear: so is one that was trained with whole pixels (such as by scikit-learn's SGD)."""
        if sent.margin < OVERSURE or best.answer is None or best.answer.place != sent.place:
            return False
        return self._runs.are_linear(best.change.index, best.change.array)

    def _is_as_sure_turned(self, best: Trial) -> bool:
        """Whether a model is about as sure of a picture with rows and columns exchanged if that is upside
        down, or, of one channel, in the mirror: so are many of pictures that they don't know."""
        change, picture = best.change, picture_of(best.change.array.shape)
        if change.said != TURNED or best.answer is None or picture is None:
            return False
        rows, columns = (-2, -1) if picture.planar else (-3, -2)
        ways = [(rows,), (rows, columns), *([(columns,)] if picture.channels == 1 else [])]
        made = (numpy.ascontiguousarray(numpy.flip(change.array, way)) for way in ways)
        others = [self._runs.changed(change.index, one) for one in made]
        return any(one is None or UPRIGHT * one.margin > best.answer.margin for one in others)

    def outcome(self, runs: int) -> Outcome:
        sent = self.sent or (
            None if self._answer is None else Trial(Change("as sent", 0, None), self._answer)
        )
        return Outcome(sent, tuple(self.trials), self.found, runs)


def surest(trials: Sequence[Trial]) -> list[Trial]:
    """The trials, without those with another answer than one that is far surer."""
    best = max((one.answer for one in trials if one.answer), key=lambda one: one.margin, default=None)
    return [
        one
        for one in trials
        if best and one.answer and (one.answer.place == best.place or not is_far_surer(best, one.answer))
    ]


def is_candidate(trial: Trial, sent: Answer) -> bool:
    """Whether a changed input got a sure answer that the guest didn't get: a far surer one, or another than
    that which its values alone got."""
    answer = trial.answer
    if answer is None or answer.sure < SURE:
        return False
    if sent.sure <= FAR * answer.sure:
        return True
    if trial.change.is_doubted:
        return False
    return sent.sure > UNSURE and answer.place != sent.place and answer.sure >= min(VERY_SURE, sent.sure)


def is_as_good(trial: Trial, best: Trial) -> bool:
    """Whether pixels in another range get the answer that was found for those in the best one, and are
    sure of it as training makes a model: the answers to two such ranges don't say which is meant."""
    said, found = trial.change.said, best.change.said
    answer, own = trial.answer, best.answer
    if answer is None or own is None or not (said.startswith(RANGE) and found.startswith(RANGE)):
        return False
    is_alike = said.partition(" (")[2] == found.partition(" (")[2] and answer.place == own.place
    return is_alike and answer.sure >= VERY_SURE and answer.margin <= MOST_SURE


def together(said: Sequence[str]) -> str:
    """The first of some changes, with the other ranges of pixels if it is one: "with pixels from 0 to 1, or
    from -1 to 1 (they look as if sent from 0 to 255)"."""
    parts = [one.removeprefix(RANGE).partition(" (") for one in said if one.startswith(RANGE)]
    if not said[0].startswith(RANGE):
        return said[0]
    alike = [name for name, *_, rest in parts if rest == parts[0][2]]
    return f"{RANGE}{', or '.join(alike)} ({parts[0][2]}"


class Runs:
    """Runs of a graph in a context of its own, which the first one opens."""

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Tensor],
        most: float = MOST,
        specs: Sequence[TensorSpec] | None = None,
        judge: Callable[[Sequence[TensorSpec], Sequence[Tensor]], Answer | None] = answer_of,
        *,
        seconds: float | None = None,
        once_open: float | None = None,
    ) -> None:
        """`most`: the seconds that all runs may take at most. `specs` are the outputs, if more is known of
        them than the graph says. `judge` says how sure an answer is. `seconds`: those of one run, if they are
        known: the time is limited by them from the beginning. `once_open`: the same, but from the first
        run on, which may open the model."""
        self._seconds, self._once_open, self._most = seconds, once_open, most
        self._judge = judge
        self._specs = graph.outputs if specs is None else specs
        self._graph = graph
        self._inputs = inputs
        self._end = float("inf")
        self._context: Context | None = None
        self.count = 0

    def __enter__(self) -> Runs:
        if self._seconds is not None:
            self.limit(self._seconds)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._context is not None:
            with suppress(NNError, WasmError), blaming(self._graph.backend):
                self._context.close()

    def limit(self, seconds: float) -> None:
        """From now on, all runs together take about as long as RUNS runs of so many seconds."""
        self._end = perf_counter() + min(self._most, max(LEAST, SLOWER * RUNS * seconds))

    def left(self, reserved: int = 0) -> bool:
        """Whether there is time for a run, and for so many after it."""
        return self.count + reserved < RUNS and perf_counter() < self._end

    def answer(self, changed: dict[int, Tensor]) -> Answer | None:
        """The answer to the inputs, of which some are changed. Raises NNError."""
        return self._judge(self._specs, self.outputs(changed))

    def rows(self, index: int, array: Any) -> list[Answer]:
        """Returns the answers to the rows of a batch in place of one input, or [] if there is not one for
        each."""
        outputs = self.outputs_of(index, array)
        return answers_of(self._specs, outputs) if outputs else []

    def outputs_of(self, index: int, array: Any) -> list[Tensor]:
        """Returns all outputs with one input changed, or [] if the model refuses that."""
        given = self._inputs[index]
        with suppress(NNError):
            return self.outputs({index: Tensor(given.dtype, given.shape, array)})
        return []

    def outputs(self, changed: dict[int, Tensor]) -> list[Tensor]:
        """All outputs with some inputs changed. Raises NNError."""
        self.count += 1
        try:
            return self._run(changed)
        finally:
            if self.count == 1 and self._once_open is not None:
                self.limit(self._once_open)

    def _run(self, changed: dict[int, Tensor]) -> list[Tensor]:
        with blaming(self._graph.backend):
            if self._context is None:
                self._context = self._graph.opened()
            context = self._context
            for index, tensor in enumerate(self._inputs):
                context.set_input(index, changed.get(index, tensor))
            context.rearm()
            left = self._end - perf_counter()
            context.within(max(left, LEAST) if left != float("inf") else None, context.compute)
            return [context.output(index) for index in range(len(self._graph.outputs))]

    def changed(self, index: int, array: Any) -> Answer | None:
        """Returns the answer with one input changed, or None if the model refuses that."""
        outputs = self.outputs_of(index, array)
        return self._judge(self._specs, outputs) if outputs else None

    def are_linear(self, index: int, array: Any) -> bool:
        """Whether the model is linear, by elements that go over into the same in the opposite order, up to
        half of the way. It takes three runs more."""
        ways = [array.astype("f8") * (1 - part) + numpy.flip(array) * part for part in (0, 1 / 2, 1 / 4)]
        outputs = [self.outputs_of(index, one.astype(array.dtype)) for one in ways]
        return all(outputs) and are_linear(self._specs, outputs)

    def shuffled(self, change: Change, seeds: range) -> tuple[Answer, ...]:
        """Answers to the elements in random orders, as many as there is time for."""
        found: list[Answer] = []
        for seed in seeds:
            if not self.left():
                break
            order = numpy.random.default_rng(seed)
            array = numpy.array(change.array)
            mixed = order.permutation(array.reshape(-1)).reshape(array.shape)
            if answer := self.changed(change.index, mixed):
                found.append(answer)
        return tuple(found)


def numbers_of(runs: Runs, array: Any) -> Any:
    """Returns the numbers of a model's first output, in one dimension, for another first input, or None if
    there is no time left or they are no numbers. Raises NNError."""
    outputs = runs.outputs_of(0, array) if runs.left() else None
    numbers = outputs[0].numbers() if outputs else None
    return None if numbers is None else numbers.reshape(-1)
