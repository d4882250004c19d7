"""Questions that wait until several inputs were sent: recordings, spectra, series, lines, steps of control.

What is here: `OfKept`, which keeps the inputs and puts the questions. What is not: what is asked, and what
answers mean (the modules that are imported here), and questions about single inputs (`following.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Protocol, TypeVar

from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..budget import Budget
from ..surroundings import Files
from .at_starts import Starts, asked_at_others
from .balancing import ELEMENTS, STEPS, held_otherwise
from .newest_first import NewestFirst, forecast_in_order
from .oddly_scaled import OddlyScaled, scaled_otherwise
from .of_blocks import Blocks, heard_rightly
from .of_blocks import Kept as Rows
from .of_curves import Curves, drawn_otherwise
from .of_frames import Frames, framed_otherwise
from .of_inputs import OfInputs
from .of_pairs import Kept as Tables
from .of_pairs import Pairs, turned_round
from .of_spectra import Spectra, asked_otherwise
from .one_large import Large, in_larger_unit
from .other_bases import Bases, Sound, by_another_base
from .recordings import FEWEST_ROWS, Recordings, Window, are_due, heard_in_few, heard_otherwise
from .rings import Rings, begun_at_a_slot
from .several import Shows
from .slots import Ring, Slotted, begun_at_their_slots
from .squares_of_frames import Squares, exchanged
from .steered import WAYS, Steered
from .sureness import answer_of, answer_of_any, every_answer
from .turning import ELEMENTS as TURNED
from .turning import STEPS as TURNS
from .turning import steered_otherwise

T = TypeVar("T")
Question = Callable[[Graph, float, float], T]
"""Gets a model, the seconds of one run, and those that there are."""


class Put(Protocol):
    """Puts a question to the model of a compute (`following.WhatIf`)."""

    def __call__(
        self, event: NNEvent, question: Question[T], room: Callable[[], float] | None = None
    ) -> T | None: ...


class OfKept:
    """The inputs that are kept, by kind, and what is asked about them."""

    def __init__(
        self,
        files: Files,
        arguments: Sequence[str],
        budget: Budget,
        of_inputs: OfInputs | None = None,
        shows: Callable[[int | None, int], Shows] | None = None,
    ) -> None:
        """`shows` is that of `WhatIf`."""
        self._budget, self._files, self._of_inputs = budget, files, of_inputs or OfInputs()
        self._shows = shows or (lambda _context, _count: lambda: None)
        self._squares, self._bases = Squares(), Bases()
        self._large = Large()
        self._turning, self._balancing = Steered([TURNED], 1, [TURNS]), Steered(ELEMENTS, WAYS, STEPS)
        self._recordings, self._spectra = Recordings(files), Spectra(files)
        self._few = dict[int | None, tuple[NNEvent, list[Window]]]()
        """By graph, the last compute of a window of a recording, and the windows so far."""
        self._rings, self._starts = Rings(files, arguments), Starts(files)
        self._slotted = Slotted(files)
        self._pairs, self._frames = Pairs(), Frames(files)
        self._oddly_scaled, self._newest_first = OddlyScaled(files), NewestFirst(files)
        self._blocks, self._curves = Blocks(files, budget), Curves(files)

    def answered(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Returns the hint of the first question about a compute, and those before it, that has one."""
        of_all = self._of_one_large, self._of_turning, self._of_balancing
        if len(inputs) == 1 and self._blocks.is_open(event.graph_id):
            self._blocks.take(event, inputs[0], answer_of(event.specs, event.tensors))
        if len(inputs) == 1 and event.context_id in self._of_inputs.of_sounds:
            self._keep_bases(event, inputs[0])
        of_sounds = self._of_recordings, self._of_squares, self._of_spectra, self._of_frames, self._of_curves
        of_rings = self._of_rings, self._of_slotted
        of_one = (*of_sounds, *of_rings, self._of_newest, self._of_rows, self._of_starts, self._of_pairs)
        questions = (*of_all, *of_one) if len(inputs) == 1 else of_all
        said = next(filter(None, (question(event, inputs, put) for question in questions)), "")
        if said:
            self._blocks.leave(event.graph_id)
        return said

    def _keep_bases(self, event: NNEvent, given: Tensor) -> None:
        """Keeps spectra of a sound, to ask about other logarithms when the guest has ended."""
        answer = answer_of(event.specs, event.tensors)
        shows = self._shows(event.context_id, answer.classes if answer else 0)
        with self._budget.comparing():
            features = self._of_inputs.of_sounds.get(event.context_id)
            is_kept = self._bases.take(event, given, features, answer, shows)
        if is_kept:
            self._budget.reserve()

    def _asked_of_bases(self, kept: Sequence[Sound], put: Put) -> str:
        room = self._budget.for_reserved
        return put(kept[-1].event, lambda twin, *left: by_another_base(twin, kept, *left), room) or ""

    def _of_one_large(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """An input far larger than all others, in a larger unit."""
        rounds = self._large.take(event.graph_id, inputs, answer_of(event.specs, event.tensors))
        if not rounds:
            return ""
        return put(event, lambda twin, *left: in_larger_unit(twin, rounds, *left)) or ""

    def _of_turning(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """A model that steers something, in the mirror."""
        steps = self._turning.take(event, inputs)
        if not steps:
            return ""
        return put(event, lambda twin, *left: steered_otherwise(twin, steps, *left)) or ""

    def _of_balancing(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """A model that holds something, at other places."""
        steps = self._balancing.take(event, inputs)
        if not steps:
            return ""
        return put(event, lambda twin, *left: held_otherwise(twin, steps, *left)) or ""

    def _of_recordings(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Windows of a recording in another way."""
        windows = self._recordings.take(event.graph_id, inputs[0], answer_of_any(event.specs, event.tensors))
        changes = [*self._recordings.changes(windows)] if windows else []
        if changes:
            self._budget.reserve()  # the others come later
        if windows:
            self._few[event.graph_id] = event, [*windows]
        if not are_due(windows, changes):
            return ""
        room = self._budget.for_reserved
        said = put(event, lambda twin, *left: heard_otherwise(twin, windows, changes, *left), room) or ""
        if said:
            self._recordings.close(event.graph_id)
        return said

    def _of_spectra(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Spectra of a file, worked out in another way."""
        each = every_answer(event.specs, event.tensors)
        with self._spectra.looking(self._budget) as left:
            kept = self._spectra.take(event.graph_id, inputs[0], each, left)
        if self._spectra.are_likely(event.graph_id):
            self._budget.reserve()  # the others come later
        ways = [*self._spectra.ways(kept)] if kept else []
        if not ways:
            return ""
        sent = [answer for _, answer in kept]
        room = self._budget.for_reserved
        said = put(event, lambda twin, *left: asked_otherwise(twin, inputs, sent, ways, *left), room) or ""
        if said:
            self._spectra.close(event.graph_id)
        return said

    def _of_squares(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """As many frames of a sound as bands, exchanged."""
        graph, sent = event.graph_id, answer_of(event.specs, event.tensors)
        kept = self._squares.take(graph, inputs[0], sent, self._of_inputs.of_sounds.get(event.context_id))
        if not kept:
            return ""
        features = self._of_inputs.of_sounds.get(event.context_id)
        room = self._budget.for_reserved
        said = put(event, lambda twin, *left: exchanged(twin, kept, features, *left), room) or ""
        if said:
            self._squares.close(graph)
        return said

    def _of_curves(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Curves of files in another way."""
        called = event.graph.inputs[0].name if event.graph is not None else ""
        answer = answer_of(event.specs, event.tensors)
        with self._budget.comparing():
            curves = self._curves.take(event.graph_id, inputs[0], answer, called)
        if self._curves.has_any(event.graph_id):
            self._budget.reserve()  # the others come later
        if not curves:
            return ""
        room = self._budget.for_reserved
        said = put(event, lambda twin, *left: drawn_otherwise(twin, curves, *left), room) or ""
        if said:
            self._curves.close(event.graph_id)
        return said

    def _of_frames(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Frames of a sound, worked out in another way."""
        sent = answer_of(event.specs, event.tensors)
        with self._budget.comparing() as left:
            kept = self._frames.take(event.graph_id, inputs[0], sent, left)
        if self._frames.are_likely(event.graph_id):
            self._budget.reserve()  # the others come later
        if not kept:
            return ""
        room = self._budget.for_reserved
        return put(event, lambda twin, *left: framed_otherwise(twin, kept, *left), room) or ""

    def _of_rings(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """A ring that begins elsewhere."""
        outputs = event.tensors
        ring = self._rings.take(event.graph_id, inputs[0], outputs[0]) if len(outputs) == 1 else None
        if ring is None:
            return ""
        return put(event, lambda twin, *left: begun_at_a_slot(twin, ring, outputs[0], *left)) or ""

    def _of_slotted(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Rings that begin at the slots that lie beside them."""
        rings = self._slotted.take(event, inputs[0], answer_of(event.specs, event.tensors))
        if self._slotted.has_any(event.graph_id):
            self._budget.reserve()  # the others come later
        return self._asked_of_slotted(event, rings, put) if rings else ""

    def _asked_of_slotted(self, event: NNEvent, rings: Sequence[Ring], put: Put) -> str:
        room = self._budget.for_reserved
        return put(event, lambda twin, *left: begun_at_their_slots(twin, rings, *left), room) or ""

    def _of_newest(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Asks about a window with its newest number first, in the other order."""
        if event.graph is None or len(event.tensors) != 1:
            return ""
        called = event.graph.inputs[0].name
        with self._budget.comparing():
            window = self._newest_first.take(event.graph_id, inputs[0], event.tensors[0], called)
        if window is None:
            return ""
        return put(event, lambda twin, *left: forecast_in_order(twin, window, *left)) or ""

    def _of_rows(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Rows that seem to be scaled oddly, scaled otherwise."""
        taken = self._oddly_scaled.take(event.graph_id, inputs[0], event.specs, event.tensors)
        rows, changes = taken.rows, self._oddly_scaled.changes(taken.rows) if taken.rows else []
        if not changes:
            return ""
        self._budget.reserve()  # the others come later
        due, room = [one for one in changes if taken.is_due(one)], self._budget.for_reserved
        if not due:
            return ""
        return put(event, lambda twin, *left: scaled_otherwise(twin, rows, due, *left), room) or ""

    def _of_pairs(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Counts of pairs that follow one another, the other way round."""
        each = every_answer(event.specs, event.tensors)
        tables = self._pairs.take(event, inputs, each)
        if self._pairs.has_any(event.graph_id):
            self._budget.reserve()  # the others come later
        return "" if tables is None else self._asked_of_pairs(tables, put)

    def _asked_of_pairs(self, tables: Tables, put: Put) -> str:
        room = self._budget.for_reserved
        return put(tables.event, lambda twin, *left: turned_round(twin, tables, *left), room) or ""

    def rest(self, put: Put) -> str:
        """The same of the inputs that nothing was asked about when the guest has ended."""
        asked = (self._asked_of_pairs(one, put) for one in self._pairs.rest())
        of_bases = (self._asked_of_bases(one, put) for one in self._bases.due())
        of_blocks = (self._asked_of_blocks(one, put) for one in self._blocks.due())
        of_few = (self._asked_of_few(*one, put) for one in self._few.values())
        of_slotted = (self._asked_of_slotted(*one, put) for one in self._slotted.rest())
        return next(filter(None, chain(asked, of_bases, of_blocks, of_few, of_slotted)), "")

    def _asked_of_few(self, event: NNEvent, windows: Sequence[Window], put: Put) -> str:
        """Asks about windows of a recording that are too few to be compared with one another."""
        if len(windows) >= FEWEST_ROWS:
            return ""
        room = self._budget.for_reserved
        return put(event, lambda twin, *left: heard_in_few(twin, windows, *left), room) or ""

    def _asked_of_blocks(self, kept: Rows, put: Put) -> str:
        """Asks about spectra of blocks of a sound, in another way."""
        room = self._budget.for_reserved
        return (
            put(kept.event, lambda twin, *left: heard_rightly(twin, kept, self._files(), *left), room) or ""
        )

    def _of_starts(self, event: NNEvent, inputs: Sequence[Tensor], put: Put) -> str:
        """Windows of a series that follow each other."""
        taken = self._starts.take(event.graph_id, inputs[0], event.specs, event.tensors)
        if taken is None:
            return ""
        self._budget.reserve()  # the others come later
        if not taken.is_due:
            return ""
        room = self._budget.for_reserved
        return put(event, lambda twin, *left: asked_at_others(twin, taken, *left), room) or ""
