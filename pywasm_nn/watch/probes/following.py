"""`Probes`: follows a guest's computes, and lets it go on in copies with other answers.

What is here: when that is done, and its bounds. What is not: what the copies' texts say (`classes.py`,
`sequences.py`, `batches.py`, `maps.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...interpreter.runtime.deadline import paused
from ...interpreter.runtime.observe import HostEvent, Watched
from ...namespaces import is_inference
from ...nn.operation import NNEvent
from ..budget import Budget
from ..depicted import own_names
from ..follower import Follower
from ..origin.decoding import Source
from ..surroundings import Files
from ..whatif.points import Meant
from ..whatif.views import MIRRORED, Rescaled, View
from ..written.shown import Shown
from . import (
    alike,
    anchored,
    anchors,
    angled,
    backgrounds,
    batches,
    begun,
    behind_by_one,
    beyond,
    boards,
    boxes_for_scores,
    cell_sizes,
    cells,
    choosing,
    classes,
    compared_middles,
    compared_rows,
    counted,
    counted_anchors,
    cropped,
    crossed_boxes,
    crossed_scales,
    cut_out,
    drawn,
    exchanged,
    flipped,
    formulas,
    grid_cells,
    grid_rows,
    gridded,
    heatmaps,
    kept_boxes,
    labelled,
    lasting,
    letters,
    maps,
    nearest,
    nearest_rows,
    neighbours,
    never_equal,
    of_nothing,
    of_the_best,
    offset_units,
    offsets,
    one_label,
    ordered,
    other_rows,
    other_unit,
    outlined,
    owned,
    point_steps,
    points,
    pooled,
    printed,
    quantised,
    raw,
    raw_window,
    restored,
    retyped,
    rows,
    scored,
    sequences,
    series,
    shares,
    shuffled,
    sign_labels,
    sorted_alone,
    squashed_twice,
    summed,
    suppression,
    tagged,
    tags,
    thresholds,
    times,
    transposed,
    turned_rows,
    unbent,
    unreached,
    weakest_cells,
    whether,
    whole_differences,
    windowed,
)
from .answering import Answering, InCopyError
from .asked import Asked, Given, Placed, Sent, SpentError
from .copies import CopyError, Reply, available, used
from .meant import as_named
from .named import misnamed
from .stand_in import MOST_COMPUTES, StandIn
from .supposed import Supposed

MOST = 10.0
"""Seconds of processor time of the copies after one compute, even if inferences are long."""
MOST_TRIES = 5
"""So many computes are looked at, number 1, 2, 4 ..., until the guest writes something after one."""
MANY_COMPUTES = 1 << 12
"""So many more computes a copy does that is to come to the guest's end."""
MOST_BYTES = 16 << 20
QUICK = 0.25
"""An answer of which a guest finds next to nothing is tried for this part of the time at most."""
Rule = Callable[[Asked], str]
RULES: Sequence[Rule] = (
    restored.compared, summed.of_sums, sign_labels.as_truth, angled.exchanged,
    points.mispointed_at_once, retyped.unlike, other_rows.misfetched, maps.misread_pictures,
    letters.mispitched_at_once, lasting.unheard, unreached.unreached, turned_rows.numbered,
    letters.mispitched_later, lasting.too_short,
    thresholds.below_all, outlined.undivided, cropped.misadded, turned_rows.exchanged, turned_rows.mixed_up,
    sequences.shifted, retyped.as_bytes, times.misstepped, suppression.misjudged,
    sorted_alone.sorted_alone,
    compared_middles.as_corners, kept_boxes.uncounted, weakest_cells.weakest,
    whole_differences.unsorted,
    thresholds.passed_by_one, gridded.misscaled, cell_sizes.unraised, drawn.misdrawn,
    crossed_boxes.crossed, flipped.flipped,
    anchors.unanchored, offset_units.unlike_units, counted_anchors.miscounted, counted_anchors.exchanged,
    anchored.as_middles, anchored.as_corners, anchored.unvaried,
    scored.unsquashed, heatmaps.mispaired, heatmaps.unsuppressed,
    grid_rows.misdivided, grid_cells.misplaced,
    squashed_twice.written, nearest.farthest,
    rows.misplaced, boards.taken, boards.turned, letters.misspelled, owned.misnamed, neighbours.neighbouring,
    begun.begun_at_zero, classes.misplaced,
    shares.misused, offsets.misaddressed, choosing.mischosen, exchanged.exchanged, maps.misread,
    printed.turned, printed.inverted, series.out_of_turn, series.last_alone,
    formulas.miscalculated, of_the_best.divided, quantised.misquantised,
    labelled.mislabelled, labelled.of_another, sequences.misread, tagged.beside, tags.off_by_one,
    pooled.mispooled, nearest.itself,
    nearest_rows.least_alike, nearest_rows.by_product,
    compared_rows.misread, batches.unaligned, alike.misplaced, alike.misjudged,
    cells.exchanged, cells.unscaled, crossed_scales.crossed, shuffled.exchanged,
    raw.unrestored, points.mispointed, point_steps.misstepped,
    cropped.uncropped, cropped.by_other_side, windowed.unmoved,
    lasting.too_long,
    restored.uncompared, unbent.unbent, unbent.unraised, raw_window.unscaled,
    other_unit.in_another_unit,
    thresholds.on_logits, thresholds.of_shares, thresholds.of_bytes, thresholds.turned,
    thresholds.above_nothing, one_label.misread, one_label.misnamed,
    whether.first_alone, whether.unheard, whether.always,
    retyped.retyped, ordered.disordered, counted.overread, beyond.unwritten,
    squashed_twice.passed,
)  # fmt: skip


class Probes(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(
        self,
        files: Files = tuple,
        budget: Budget | None = None,
        meant: Callable[[int | None], Meant | None] = lambda _: None,
        arguments: Collection[str] = (),
        answer_to: Callable[[NNEvent, View | Rescaled], Mapping[int, Any]] = lambda *_: {},
        last_sound: Callable[[], Source | None] = lambda: None,
        last_picture: Callable[[], tuple[str, Any] | None] = lambda: None,
    ) -> None:
        """`meant` gives, by a context, the answer to what its input was probably meant to be. `answer_to`
        gives the outputs for another view of a compute's picture, `last_sound` and `last_picture`
        what was read last."""
        self._answer_to, self._last_sound, self._last_picture = answer_to, last_sound, last_picture
        self._files = files
        self._meant = meant
        self._arguments = arguments
        self._budget = budget or Budget()
        self._computed: NNEvent | None = None
        self._last: dict[int | None, NNEvent] = {}
        """By context, its last compute."""
        self._sent: dict[int | None, dict[int, Sent]] = {}
        """By context, its inputs."""
        self._placed: dict[tuple[int | None, int], Placed] = {}
        """By context and input, where a picture lies in what is set now."""
        self._affine: dict[int | None, Mapping[str, tuple[float, float]]] = {}
        """By graph and an output's name, its scale and zero point."""
        self._classes: dict[int | None, Sequence[Sequence[str]]] = {}
        """By graph, the names that it has for its classes."""
        self._counts: Counter[Any] = Counter()
        self._done: set[Any] = set()
        self._heard: set[Any] = set()
        """Models of whose answers the guest writes something in copies, though nothing itself so far: once a
        line is written, C's library may keep back all others."""
        self._found = ""
        self._kept: list[tuple[int, Mapping[int, str]]] = []
        self._no_shares: set[Any] = set()
        """Models that have answered with one number that was no share."""
        self._supposed, self._errors, self._labels = Supposed(), summed.Errors(), sign_labels.Labels()
        self._impossible = False
        """Whether the process can't be copied."""
        self.explains = False
        """Whether what was found explains whatever else may be said of what the guest writes."""
        self.shown = Shown({})
        """Numbers that copies of the guest write for other answers, if no rule found anything wrong."""
        self.stand_in: StandIn | None = None
        """The host's part, in a copy."""

    def loaded(
        self,
        graph: int | None,
        lasts: Mapping[str, tuple[float, float]],
        classes: Sequence[Sequence[str]] = (),
    ) -> None:
        """A model was loaded; `lasts` are scales and zero points by outputs' names, `classes` the lists of
        names that it has for its classes."""
        self._affine[graph] = lasts
        self._classes[graph] = classes

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.operation == "compute" and event.error is None and not event.delivered:
            self._computed = self._last[event.context_id] = event
            key = event.graph_id, event.model
            self._supposed.computed(key, event)
            self._labels.computed(key, event)
            self._errors.computed(key, event, self._sent.get(event.context_id, {}).values())
            if not thresholds.has_share(event):
                self._no_shares.add(key)
        elif event.operation.startswith("set_input") and event.error is None and event.index is not None:
            sent, name = self._sent.setdefault(event.context_id, {}), event.specs[0].name
            placed = self._placed.pop((event.context_id, event.index), None)
            sent[event.index] = Sent.of(name, event.tensors[0], sent.get(event.index), placed)
        elif event.operation == "finalize_execution_context":
            self._last.pop(event.context_id, None)
            self._sent.pop(event.context_id, None)

    def placed(self, context: int | None, index: int, placed: Placed) -> None:
        """It is known where a picture lies in an input that is set now."""
        self._placed[context, index] = placed
        for other, event in self._last.items() if min(placed.part[:2]) > 0 else ():
            whole = [one.placed for one in self._sent.get(other, {}).values() if one.placed is not None]
            is_small = any(one.size <= cut_out.MOST for one in event.tensors)
            if self._found or other == context or len(whole) != 1 or not is_small:
                continue
            outputs = given(event, self._affine.get(event.graph_id, {}))
            mirrored = partial(self._answer_to, event, MIRRORED)
            self._found = cut_out.begins_at_a_middle(placed, whole[0], outputs, mirrored)

    def host_call(self, event: HostEvent, find: Callable[[], Watched | None] = lambda: None) -> None:
        """A host function returned. In a copy this returns, too, and the guest goes on. `find` gives the
        guest's instance, if a copy can go on."""
        computed, self._computed = self._computed, None
        if computed is None or event.name != "compute" or not is_inference(event.module):
            return
        key = computed.graph_id, computed.model
        self._counts[key] += 1
        count = self._counts[key]
        is_done = key in self._done and count not in behind_by_one.ROUNDS
        if is_done or count & (count - 1) or count >> MOST_TRIES:
            return
        if self._impossible or not available():
            return
        began = used()
        try:
            if (instance := find()) is not None and (
                outputs := given(computed, self._affine.get(computed.graph_id, {}))
            ):
                with paused():
                    self._probe(computed, int(event.arguments[0][1]), outputs, instance)
        except InCopyError:
            return
        except SpentError:
            pass
        except CopyError:
            self._impossible = True
        self._budget.spend(used() - began)

    def _become(self, stand_in: StandIn) -> None:
        self.stand_in = stand_in

    def _probe(self, event: NNEvent, context: int, outputs: Mapping[int, Given], guest: Watched) -> None:
        last = {number: one for number, one in self._last.items() if number is not None}
        seconds = min(MOST, self._budget.for_copies())
        answering = Answering(guest, context, outputs, last, seconds, self._become)

        def asked(
            most: int, own: Mapping[int, Any] | None = None, *, is_silent: bool = False
        ) -> Asked | None:
            """The questions, if the guest writes something of this answer, or of its `own`, while it computes
            so often."""
            control = answering.ask([own or {}], None, most, QUICK if own else 1.0)
            if control is None or not (is_silent or control.text.strip()) or not control.fetched:
                return None
            self._budget.spend(-answering.prepare(control))

            def ask(series: Sequence[Any], fill: int | None, to_the_end: bool) -> Reply | None:
                return answering.ask(series, fill, max(most, MOST_COMPUTES) if to_the_end else most)

            left = answering.left
            memory, to_the_end = guest.mems[0], most > 0
            return Asked(
                ask, outputs, control, self._files, memory, left,
                to_the_end=to_the_end, sent=sent, round_=number, model=event.model or "",
                names_of_model=self._classes.get(event.graph_id, ()),
                own_names=lambda count: [*own_names(guest.module, count)], arguments=self._arguments,
                answer_to=lambda view: self._answer_to(event, view), last_sound=self._last_sound,
                last_picture=self._last_picture,
            )  # fmt: skip

        sent = (*self._sent.get(event.context_id, {}).values(),)
        key, rules = (event.graph_id, event.model), RULES
        number = self._counts[key]
        if key in self._done:
            self._ask_to_the_end(number, None, asked)
            return
        few = of_nothing.sparse(outputs)
        quick = asked(0, few) if few else None
        self._found = self._found or (of_nothing.background(quick) if quick is not None else "")
        found = asked(0) if quick is None or not self._found else quick
        if found is None or not whether.moves(found):
            found = asked(MOST_COMPUTES)
        if found is None and number >> (MOST_TRIES - 2) and key not in self._heard:
            self._ask_of_times(key, sent, lambda: asked(MOST_COMPUTES, is_silent=True))
        is_last = found is None and number >> (MOST_TRIES - 1)
        if is_last and not self._found and key not in self._no_shares:
            found, rules = asked(MANY_COMPUTES), (thresholds.never_passed,)
        if found is not None:
            self._judge(found, rules, event)
        self._ask_to_the_end(number, found, asked)

    def _ask_to_the_end(self, number: int, found: Asked | None, ask: Callable[[int], Asked | None]) -> None:
        """Look at what a guest writes at its end of names that are never equal, and of the last of many
        answers, when all else was asked."""
        is_name_due = number == 1 and never_equal.are_read(self._files())
        is_last_due = number in behind_by_one.ROUNDS
        if self._found or not (is_name_due or is_last_due):
            return
        is_known = found is not None and found.ending is not None and found.ending.is_whole
        is_soon = number == behind_by_one.ROUNDS[0]  # of longer runs others have more to ask
        whole = found if is_known else ask(MOST_COMPUTES if is_soon else MANY_COMPUTES)
        if whole is not None and is_name_due:
            self._found = never_equal.never_equal(whole)
        if whole is not None and is_last_due:
            self._found = behind_by_one.behind_by_one(whole)

    def _ask_of_times(self, key: Any, sent: Sequence[Sent], ask: Callable[[], Asked | None]) -> None:
        """Look at the times that a guest says of windows only if something changes in them."""
        is_of_sound = self._last_sound() is not None
        silent = ask() if times.may_follow(sent, is_of_sound=is_of_sound) else None
        if silent is not None:
            self._found = self._found or times.misstepped(silent)
        if silent is not None and silent.is_heard:
            self._heard.add(key)

    def _judge(self, found: Asked, rules: Sequence[Rule], event: NNEvent) -> None:
        """Keep what is wrong with the use of an answer, if anything is."""
        self._done.add((event.graph_id, event.model))
        self._kept = found.kept
        self._found = self._found or as_named(found, self._meant(event.context_id))
        self._found = self._found or backgrounds.misnamed(found)
        self._found = self._found or boxes_for_scores.boxes_for_scores(found)
        if not self._found and (wrong := transposed.transposed(found)):
            self._found, self.explains = wrong, True
        try:
            self._found = self._found or next(filter(None, (rule(found) for rule in rules)), "")
        finally:  # the time may be spent
            self._errors.suppose((event.graph_id, event.model), found.bound)
            self._labels.suppose((event.graph_id, event.model), found.of_signs)
        self._supposed.suppose((event.graph_id, event.model), found.supposed)
        if not self._found and rules is RULES:
            self.shown = classes.shown(found)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        found, self._found = self._found, ""
        for count, texts in self._kept:
            found = found or misnamed(self._files(), count, texts)
        for of_all in (self._labels, self._supposed, self._errors):
            found = found or next(of_all.finish(), "")
        if found:
            yield "answer", found


def given(event: NNEvent, affine: Mapping[str, tuple[float, float]]) -> dict[int, Given]:
    """Returns the outputs of a compute as arrays of their own type, with scales and zero points by their
    names, or {} if one has no numbers, or they are many."""
    found = {}
    total = 0
    for index, (spec, tensor) in enumerate(zip(event.specs, event.tensors, strict=False)):
        numbers = tensor.numbers()
        total += tensor.nbytes
        if numbers is None or numbers.nbytes != tensor.nbytes or total > MOST_BYTES:
            return {}
        array = numbers.reshape(tensor.shape or (1,)).copy()
        meant = spec.quantization or affine.get(spec.name)
        found[index] = Given(f'output {index} "{spec.name}"', array, meant)
    return found
