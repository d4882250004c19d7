"""`WhatIf`: follows a guest's inference, and asks the model again where the guest's answer is unsure.

What is here: copies of the inputs and of a guest's own model, and the bounds on them. What is not: the
questions (`asking.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

from ...errors import WasmError
from ...interpreter.runtime.deadline import paused
from ...nn.backend import Graph
from ...nn.errors import NNError
from ...nn.formats.format import NO_FACTS, Facts, rows_of_tables
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor, TensorSpec
from ..budget import Budget
from ..origin import Origin
from ..surroundings import Files
from .angles import Angles, in_radians
from .asking import MOST_BYTES, Runs
from .at_rates import AtRates, Silent, heard_at_another_rate
from .beside import Beside, asked_beside
from .blue import Blues, blue_of
from .by_columns import Filled, filled_by_columns
from .counts import Counts, in_units
from .cut_lines import read_whole
from .finding import NOTHING
from .heights import Squeezed, at_trained_height, in_proportion, trained_height
from .of_bytes import Beginnings, ByteFiles, Kept
from .of_inputs import OfInputs
from .of_kept import OfKept, Question, T
from .on_circle import asked_on_circle, is_off_circle
from .other_end import Ends, padded_otherwise
from .points import Points, asked_as_usual
from .questions import Asked, first_answered
from .sensors import Sensors, asked_otherwise
from .several import Several, Shows
from .spelt import Spellings, spelt_otherwise
from .steps_ahead import ROUNDS as STEPS
from .steps_ahead import Steps, circle_in, forecast_otherwise, rows_of
from .sureness import Answer, answer_of, answers_of
from .swapped import Due, Swapped, red_first_of_all
from .texts import Otherwise, read_otherwise, text_of
from .turned_back import Round, TurnedBack, asked_back, words_of
from .twins import Twins
from .undivided import Undivided, heard, heard_divided
from .views import Rescaled, View, rescaled, seen

MOST_MODEL = 128 << 20
"""Bytes of a guest's own models that are copied; larger ones are not asked."""
MOST_WAITED = 4
RUNS_OF_BYTES = 6
"""Runs of a model for which there is to be time, besides that for opening it again."""


class WhatIf:
    """Gives hints after computes, each once."""

    def __init__(
        self,
        budget: Budget | None = None,
        shows: Callable[[int | None, int], Shows] | None = None,
        files: Files = tuple,
        arguments: Sequence[str] = (),
    ) -> None:
        """`shows` knows, by a context and the number of classes, what its input's file is named after;
        `files` gives those that the guest read, and `arguments` are its own."""
        self._files = files
        self._budget = budget or Budget()
        self._twins = Twins(self._budget)
        self._shows = shows or (lambda _context, _count: lambda: None)
        self._last: dict[int | None, NNEvent] = {}
        """By graph, the last compute whose picture was kept."""
        self._parts: dict[int | None, tuple[bytes | Path, ...]] = {}
        """The guest's own models, by graph."""
        self._room = MOST_MODEL
        self._done, self._said = set[int | None](), set[str]()
        self._inputs: dict[int | None, dict[int, Tensor]] = {}
        self.of_inputs = OfInputs()
        self._blues = Blues()
        """Inputs that are pictures whose files' pixels begin with blue."""
        self._asked_already: NNEvent | None = None
        """The compute whose picture was the first one that was asked about."""
        self._waited: Counter[int | None] = Counter()
        """By graph, how often nothing was asked because such an input had no padding yet."""
        self._several: dict[int | None, Several] = {}
        """By graph, pictures that may be asked about together."""
        self._beside: dict[int | None, Beside] = {}
        """By graph, the first picture that came as it is from a file."""
        self._late: dict[int | None, list[Callable[[], str]]] = {}
        """By graph, what is said of such a picture once names of classes were read."""
        self._lines: dict[int | None, Otherwise] = {}
        """By graph, a line of text that the model reads otherwise, until the guest sends it so, too."""
        self._angles, self._ends, self._counts, self._steps = Angles(), Ends(), Counts(), Steps()
        self._bytes, self._filled, self._sensors = ByteFiles(files), Filled(), Sensors(files)
        self._kept = OfKept(files, arguments, self._budget, self.of_inputs, self._shows)
        self.points = Points()
        """Inputs of points in space that were sent otherwise than usual."""
        self.undivided, self.at_rates, self._swapped = Undivided(), AtRates(), Swapped()
        self.spellings = Spellings()
        """Inputs of the letters of words."""
        self.turned_back = TurnedBack()
        """Pictures that were sent turned."""
        self._known, self._heights = dict[int | None, Facts](), dict[int | None, int]()
        """By graph, what its model says of itself, and the height of lines that its name says."""

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """Hints after an operation, as pairs of a rule's name and a sentence."""
        if event.error is not None:
            return
        if event.operation.startswith("load"):
            self._loaded(event)
        elif event.operation.startswith("set_input"):
            self._take(event)
        elif event.operation == "compute":
            if event.given:
                self._inputs[event.context_id] = {i: copied(tensor) for i, _, tensor in event.given}
            if self.at_rates.is_open(event.graph_id):
                self.at_rates.computed(event, self._given(event), answer_of(event.specs, event.tensors))
            if self._swapped.is_open(event.graph_id):
                self._swapped.computed(event, self._given(event))
                self._budget.reserve()  # it is asked when the guest has ended
            if self.of_inputs.cut_lines.computed(event, self._given(event)):
                self._budget.reserve(self._twins.cost(event.graph) if event.graph else 0.0)
            with self._twins.shared():
                turned, text = self._asked_of_turned(event), self._answered(event)
            if turned:
                yield "origin", turned
            if text and text not in self._said:
                self._said.add(text)
                self._late.pop(event.graph_id, None)
                yield "whatif", text
        elif event.operation == "finalize_execution_context":
            self._inputs.pop(event.context_id, None)
            self.of_inputs.forget(event.context_id)

    def _answered(self, event: NNEvent) -> str | None:
        """Returns the hint of the first question about a compute that has one, or None if none has."""
        questions: tuple[Callable[[NNEvent], str | None], ...] = (
            self._asked_of_others, self._asked, self._asked_of_several, self._asked_in_radians,
            self._asked_of_points, self._asked_of_words, self._asked_of_a_sound, self._asked_of_ends,
            self._asked_in_blue, self._asked_of_counts, self._asked_of_bytes,
            self._asked_of_columns, self._asked_of_kept,
        )  # fmt: skip
        return next(filter(None, (question(event) for question in questions)), None)

    def loaded(self, graph: int | None, known: Facts, names: Sequence[str] = ()) -> None:
        """A model was loaded, of which that much is known, and that has these names."""
        self._known[graph] = known
        self._heights[graph] = trained_height(names)

    def _of(self, graph: int | None) -> Facts:
        """Returns what is known of a model."""
        return self._known.get(graph, NO_FACTS)

    def _loaded(self, event: NNEvent) -> None:
        """Copy a guest's own model, whose bytes are the guest's memory."""
        size = sum(0 if isinstance(part, Path) else len(part) for part in event.parts)
        if event.graph is None or size > self._room:
            return
        self._room -= size
        parts = tuple(part if isinstance(part, Path) else bytes(part) for part in event.parts)
        self._parts[event.graph_id] = parts
        self._done.discard(event.graph_id)
        self._several[event.graph_id] = Several()

    def _take(self, event: NNEvent) -> None:
        if event.index is None or not event.tensors:
            return
        line = self._lines.get(event.graph_id)
        if line is not None and line.is_sent(event.tensors[0]):
            del self._lines[event.graph_id]
        self._ends.take(event.graph_id, event.tensors[0])
        self._angles.take(event.graph_id, event.specs[0].name, event.tensors[0])
        is_done = event.graph_id in self._done and self._blues.blue(event.graph_id) is None
        is_asked = event.graph_id in self._several or self.turned_back.asked(event.graph_id) is not None
        if is_done and not is_asked:
            return
        kept = self._inputs.setdefault(event.context_id, {})
        kept.pop(event.index, None)
        if event.tensors[0].nbytes <= MOST_BYTES:
            kept[event.index] = copied(event.tensors[0])

    def _given(self, event: NNEvent) -> list[Tensor] | None:
        """Returns the inputs of a compute, or None if some of them aren't known."""
        given = self._inputs.get(event.context_id, {})
        if event.graph is None or len(given) != len(event.graph.inputs):
            return None
        return [given[index] for index in range(len(given))]

    def _specs(self, event: NNEvent) -> list[TensorSpec]:
        """The outputs of a compute, with the scales and zero points that the model gives them."""
        return [meant(spec, self._of(event.graph_id).lasts) for spec in event.specs]

    def _put(
        self, event: NNEvent, question: Question[T], room: Callable[[], float] | None = None
    ) -> T | None:
        """Returns what the model of a compute says to a question, or None if it can't be asked. There is
        `room` for so many seconds, else for those of asking. No failure there is one of the guest's."""
        graph, parts = event.graph, self._parts.get(event.graph_id, ())
        if graph is not None:
            seconds = event.seconds or 0.0
            with (
                paused(),
                suppress(NNError, WasmError, OSError),
                self._budget.asking(seconds, room) as most,
                self._twins.twin(graph, parts, seconds, most) as twin,
            ):
                return question(twin, seconds, most)
        return None

    def put(self, event: NNEvent, question: Question[T]) -> T | None:
        """The same for a rule that asks once the guest has ended, in reserved time, too."""
        with self._twins.shared():
            return self._put(event, question, self._budget.for_reserved)

    def _asked(self, event: NNEvent) -> str | None:
        graph, number, inputs = event.graph, event.graph_id, self._given(event)
        if graph is None or inputs is None or (number in self._done and number not in self._several):
            return None
        if self._is_asked_later(event, inputs) or number in self._done:
            return None
        answer = answer_of(event.specs, event.tensors)
        text = self._put(event, lambda twin, _, left: self._asked_of(twin, event, inputs, answer, left))
        self._finish(number)
        return text

    def _asked_of_several(self, event: NNEvent) -> str:
        """Returns what speaks for a change of all pictures that were sent so far, or "" if nothing does."""
        graph, several, inputs = event.graph, self._several.get(event.graph_id), self._given(event)
        if graph is None or several is None or inputs is None:
            return ""
        answer = answer_of(specs := self._specs(event), event.tensors)
        if answer is None or event.context_id in self.of_inputs.of_sounds:
            return ""
        self._last[event.graph_id] = event
        is_due, room = several.take(inputs, answer, self._shows(event.context_id, answer.classes)), None
        if several.are_papers():
            self._budget.reserve()
            room = self._budget.for_reserved
        if not is_due:
            return ""
        # A guest's own model is loaded for this.
        if self._twins.cost(graph) and not several.is_worth_a_load():
            return ""
        return self._asked_together(several, event, specs, room or self._budget.for_asking)

    def _asked_together(
        self, several: Several, event: NNEvent, specs: Sequence[TensorSpec], room: Callable[[], float]
    ) -> str:
        """Returns what speaks for a change of all pictures, in as many seconds as there is `room` for, or ""
        if nothing does."""

        def question(twin: Graph, seconds: float, left: float) -> str:
            return several.ask(twin, seconds, min(self._budget.for_several(), left), specs)

        text = self._put(event, question, room) or ""
        if text:
            del self._several[event.graph_id]
        return text

    def _asked_of_others(self, event: NNEvent) -> str:
        """Returns what speaks for a change of all pictures that lie beside the one that was sent, or "" if
        nothing does."""
        graph, number, inputs = event.graph, event.graph_id, self._given(event)
        beside = self._beside.pop(number, None)
        if graph is None or beside is None or inputs is None:
            return ""
        specs = self._specs(event)
        is_class, is_off = answer_of(specs, event.tensors) is not None, is_off_circle(event.tensors)
        if not (is_class or is_off):
            return ""

        def question(twin: Graph, seconds: float, left: float) -> str:
            most, end = min(self._budget.for_several(), left), perf_counter() + left
            late = self._late.setdefault(number, [])
            text = asked_beside(twin, inputs, beside, specs, seconds, most, late) if is_class else ""
            most = min(most, end - perf_counter())
            return text or (asked_on_circle(twin, inputs, beside, specs, most) if is_off and most > 0 else "")

        text = self._put(event, question) or ""
        if text:
            self.leave(number)
        return text

    def finish(self) -> Iterator[tuple[str, str]]:
        """Hints when the guest has ended: many read the names of classes last."""
        with self._twins.shared():
            turned = [self._asked_back(number, rounds) for number, rounds in self.turned_back.rest()]
        yield from (("origin", text) for text in (*turned, *self.turned_back.finish()) if text)
        late = (late() for several in self._late.values() for late in several)
        for text in filter(None, chain((line.said for line in self._lines.values()), late)):
            yield "whatif", text
            return
        with self._twins.shared():
            text = self._of_bytes(self._bytes.rest(), self._budget.for_reserved) or self._kept.rest(self._put)
        if text:
            yield "whatif", text
            return
        for line in self.of_inputs.cut_lines.due() if not self._said else ():
            with self._twins.shared():
                text = self._put(line.event, partial(read_whole, due=line), self._budget.for_reserved) or ""
            if text:
                yield "whatif", text
                return
        for silent in self.at_rates.due():
            text = self._asked_at_rates(silent)
            if text:
                yield "whatif", text
                return
        for due in self._swapped.due() if not self._said else ():
            if text := self._asked_of_swapped(due):
                yield "whatif", text
                return
        for number, event in self._last.items():
            several = self._several.get(number)
            if event.graph is None or several is None or not several.is_due_at_the_end():
                continue
            room = self._budget.for_copies  # of which there are no more
            with self._twins.shared():
                text = self._asked_together(several, event, self._specs(event), room)
            if text:
                yield "whatif", text
                return

    def _asked_at_rates(self, silent: Silent) -> str:
        """Returns what a model that hears nothing says to the same sound at another rate, or ""."""

        def question(twin: Graph, seconds: float, left: float) -> str:
            return heard_at_another_rate(twin, silent, seconds, min(self._budget.for_several(), left))

        with self._twins.shared():
            return self._put(silent.event, question, self._budget.for_reserved) or ""

    def _asked_of_swapped(self, due: Due) -> str:
        """Returns what a model says with red first to all pictures that were sent with blue first, or ""."""

        def question(twin: Graph, _: float, left: float) -> str:
            return red_first_of_all(twin, due, left)

        with self._twins.shared():
            return self._put(due.event, question, self._budget.for_reserved) or ""

    def _asked_in_radians(self, event: NNEvent) -> str:
        """Returns what a model of angles says to those that were sent in degrees, or "" if that is
        nothing."""
        rows = self._angles.due(event.graph_id)
        if event.graph is None or not rows or len(event.graph.inputs) != 1:
            return ""
        first = Tensor.from_numpy(rows[0])
        return self._put(event, lambda twin, *left: in_radians(twin, [first], rows, *left)) or ""

    def _asked_of_counts(self, event: NNEvent) -> str:
        """Returns what a model says to a sensor's counts in the units of what it measures, or to its windows
        in others, or "" if that is nothing."""
        inputs = self._given(event)
        if inputs is None or len(inputs) != 1:
            return "" if inputs is None else self._asked_of_steps(event, inputs)
        answer = answer_of(event.specs, event.tensors)
        windows = self._counts.take(event.graph_id, inputs[0], answer)
        if windows:
            return self._put(event, lambda twin, *left: in_units(twin, windows, *left)) or ""
        windows = self._sensors.take(event.graph_id, inputs[0], answer)
        changes = self._sensors.changes(windows) if windows else []
        if windows:
            self._budget.reserve()  # the others come later, also where in the first one somebody runs
        if not any(len(windows) >= one.windows for one in changes):
            return ""
        room = self._budget.for_reserved
        return (
            self._put(event, lambda twin, *left: asked_otherwise(twin, windows, changes, *left), room) or ""
        )

    def _asked_of_kept(self, event: NNEvent) -> str:
        """Returns what a model says to several inputs that were kept, in another way, or ""."""
        inputs = self._given(event)
        return "" if inputs is None else self._kept.answered(event, inputs, self._put)

    def _asked_of_steps(self, event: NNEvent, inputs: Sequence[Tensor]) -> str:
        """Returns what a model with a state forecasts from other steps, or "" if that is nothing."""
        steps = self._steps.take(event, inputs)
        if not steps or circle_in(rows_of(steps)) is None:
            return ""
        self._budget.reserve()  # the others come later
        if len(steps) < STEPS:
            return ""
        room = self._budget.for_reserved
        return self._put(event, lambda twin, *left: forecast_otherwise(twin, steps, *left), room) or ""

    def _asked_of_words(self, event: NNEvent) -> str:
        """Returns what a model says to the letters of words in their usual places, or "" if that is
        nothing."""
        words, inputs = self.spellings.due(event.graph_id), self._given(event)
        if not words or inputs is None:
            return ""
        return self._put(event, lambda twin, *left: spelt_otherwise(twin, inputs, words, *left)) or ""

    def _asked_of_ends(self, event: NNEvent) -> str:
        """A sentence if a model is surer of sequences with their padding at the other end, or ""."""
        rows = self._ends.due(event.graph_id)
        if event.graph is None or not rows or len(event.graph.inputs) != 1:
            return ""
        return self._put(event, lambda twin, *left: padded_otherwise(twin, rows, *left)) or ""

    def _is_asked_later(self, event: NNEvent, inputs: Sequence[Tensor]) -> bool:
        """Whether a model is asked about bytes of a file only when the guest has ended, or later: of a long
        file there is no padding to ask about."""
        index, _ = self.of_inputs.bytes.get(event.context_id, (None, ""))
        sent = answer_of(event.specs, event.tensors)
        if index is None or sent is None:
            return False
        rows = rows_of_tables(self._of(event.graph_id).columns).get(index, 0)
        self._budget.reserve()  # of the first file a model is often sure whatever was sent
        if self._bytes.take(event, inputs, index, sent, rows):
            if self._bytes.are_short(event.graph_id) and event.graph is not None:
                cost = self._twins.cost(event.graph)
                self._budget.reserve(cost and cost + RUNS_OF_BYTES * (event.seconds or 0.0))
            return True
        self._waited[event.graph_id] += 1
        return self._waited[event.graph_id] <= MOST_WAITED

    def _asked_of_bytes(self, event: NNEvent) -> str:
        """A sentence if a model is surer of bytes of files that were sent so far in one of the ways of
        `of_bytes`, or ""."""
        return self._of_bytes(self._bytes.doubted(event.graph_id), self._budget.for_reserved)

    def _of_bytes(self, kept: Sequence[Kept | Beginnings], room: Callable[[], float]) -> str:
        for one in kept:
            if text := self._put(one.event, one.said, room):
                self._bytes.close(one.event.graph_id)
                return text
        return ""

    def _asked_of_columns(self, event: NNEvent) -> str:
        """A sentence if a model is surer of a batch whose columns lie one behind the other, or ""."""
        inputs, sent = self._given(event), answers_of(event.specs, event.tensors)
        rows = self._filled.rows(event.graph_id, inputs) if inputs is not None and sent else None
        if inputs is None or rows is None:
            return ""
        return self._put(event, lambda twin, *left: filled_by_columns(twin, inputs, rows, sent, *left)) or ""

    def _asked_of_points(self, event: NNEvent) -> str:
        """Returns what a model says to points in space as most models want them, or "" if that is nothing."""
        sent, inputs = answer_of(event.specs, event.tensors), self._given(event)
        kept = self.points.due(event.context_id, event.graph_id, sent)
        if kept is None or sent is None or inputs is None:
            return ""
        found = self._put(event, lambda twin, *left: asked_as_usual(twin, inputs, kept, sent, *left))
        if found is None or isinstance(found, str):
            if found:
                self.points.leave(event.graph_id)
            return found or ""
        self.points.suppose(event.context_id, found)
        return ""

    def _asked_of_a_sound(self, event: NNEvent) -> str:
        """Returns a hint if a model that hears nothing in samples of 16 bits hears something in divided ones,
        or "" if it doesn't."""
        index, inputs = self.undivided.due(event.context_id, event.graph_id), self._given(event)
        sent = heard(event.specs, event.tensors) if index is not None else None
        if index is None or sent is None or sent.sure >= NOTHING or inputs is None:
            return ""
        return self._put(event, lambda twin, *left: heard_divided(twin, inputs, index, sent, *left)) or ""

    def _asked_of(
        self, twin: Graph, event: NNEvent, inputs: Sequence[Tensor], answer: Answer | None, left: float
    ) -> str | None:
        """Returns what a model says to changed inputs, while there is time, or None if that is nothing."""
        end, facts = perf_counter() + left, self._of(event.graph_id)
        if (text := self._asked_first(twin, event, inputs, answer, left)) is not None:
            return text
        return first_answered(Asked(twin, event, inputs, answer, end, facts, self.of_inputs, self._files))

    def _asked_first(
        self, twin: Graph, event: NNEvent, inputs: Sequence[Tensor], answer: Answer | None, left: float
    ) -> str | None:
        """A sentence about an input that is a line of text, or a picture whose file's pixels begin with blue,
        or None."""
        seconds, end = event.seconds or 0.0, perf_counter() + left
        text: str | None = None
        if (reading := text_of(event.specs, event.tensors)) is not None:
            line = read_otherwise(twin, inputs, reading, seconds, end - perf_counter())
            if line is not None:
                self._lines[event.graph_id] = line
                return ""
            if wanted := self._heights.get(event.graph_id, 0):
                text = at_trained_height(twin, inputs, wanted, reading, seconds, end - perf_counter())
            squeezed = self.of_inputs.squeezed.get(event.context_id)
            squeezed = Squeezed.seen_in(inputs) if text is None and squeezed is None else squeezed
            if text is None and squeezed is not None:
                text = in_proportion(twin, inputs, squeezed, reading, seconds, end - perf_counter())
        blue = self._blues.due(event.context_id)
        if text is None and blue is not None:
            most, number = end - perf_counter(), event.graph_id
            text = self._blues.red_first(number, twin, inputs, blue, answer, seconds, most)
            if self._blues.blue(number) is not None:
                self._asked_already = event
                self._budget.reserve()
        return text

    def _asked_of_turned(self, event: NNEvent) -> str:
        """Returns the hint about pictures that were sent turned, if the model doesn't say that it is meant,
        or ""."""
        number = event.graph_id
        held = self.turned_back.asked(number)
        if held is None:
            return ""
        self._budget.reserve()  # the others come later
        inputs, answers = self._given(event), words_of(event.specs, event.tensors)
        surer = held.has_to_be_surer(event.specs, event.tensors)
        one = Round(event, inputs, event.specs, answers, surer) if inputs is not None and answers else None
        rounds = self.turned_back.take(number, one)
        return self._asked_back(number, rounds) if rounds or one is None else ""

    def _asked_back(self, number: int | None, rounds: Sequence[Round]) -> str:
        held = self.turned_back.asked(number)
        if held is None:
            return ""
        room, compared = self._budget.for_reserved, None
        if rounds:
            last = rounds[-1].event
            compared = self._put(last, lambda twin, *left: asked_back(twin, rounds, held, *left), room)
        return self.turned_back.answered(number, compared or ())

    def _asked_in_blue(self, event: NNEvent) -> str | None:
        """The same of the next pictures, which the guest has sent as the first one."""
        blue, inputs = self._blues.blue(event.graph_id), self._given(event)
        if blue is None or inputs is None or event is self._asked_already:
            return None
        answer, number = answer_of(event.specs, event.tensors), event.graph_id

        def question(twin: Graph, seconds: float, left: float) -> str | None:
            return self._blues.red_first(number, twin, inputs, blue, answer, seconds, left)

        return self._put(event, question, self._budget.for_reserved)

    def beside(self, graph: int | None, found: Beside) -> None:
        """An input is a picture of a file."""
        self._beside.setdefault(graph, found)

    def in_blue(self, graph: int | None, context: int | None, index: int, found: Origin, wanted: str) -> None:
        """An input has this origin, and the model says that it wants this order of channels, or ""."""
        blue = blue_of(index, found, wanted)
        self._blues.take(context, blue)
        self._swapped.take(graph, blue)

    def leave(self, number: int | None) -> None:
        """Ask nothing more of a graph: what is wrong with its input is known."""
        self._beside.pop(number, None)
        self._late.pop(number, None)
        self._several.pop(number, None)
        self.at_rates.leave(number)
        self._swapped.leave(number)
        self._finish(number)

    def answer_to(self, event: NNEvent, view: View | Rescaled) -> Mapping[int, Any]:
        """Returns the outputs of a model for another view of the picture of a compute, or for its numbers
        scaled, or {} if they aren't known."""
        inputs, array = self._given(event), None
        if inputs is not None and len(inputs) == 1:
            array = seen(inputs[0], view) if isinstance(view, View) else rescaled(inputs[0], view)
        if inputs is None or array is None:
            return {}
        own = inputs

        def question(twin: Graph, seconds: float, left: float) -> Sequence[Tensor]:
            with Runs(twin, own, left, seconds=seconds) as runs:
                return runs.outputs_of(0, array)

        found = self._put(event, question) or ()
        return {index: tensor.numpy() for index, tensor in enumerate(found)}

    def _finish(self, number: int | None) -> None:
        """Nothing more is asked of this graph."""
        self._done.add(number)
        if number not in self._several and self.turned_back.asked(number) is None:
            self._parts.pop(number, None)


def meant(spec: TensorSpec, affine: Mapping[str, tuple[float, int]]) -> TensorSpec:
    """An output with the scale and zero point that the model gives it by its name."""
    known = affine.get(spec.name) if spec.quantization is None else None
    return spec if known is None else replace(spec, quantization=known)


def copied(tensor: Tensor) -> Tensor:
    """The tensor on bytes of its own."""
    return Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()))
