"""`Probes`: follows a guest's computes, and lets it go on in copies with other answers.

What is here: when that is done, and its bounds. What is not: what the copies' texts say (`classes.py`,
`sequences.py`, `batches.py`, `maps.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...interpreter.runtime.deadline import paused
from ...interpreter.runtime.observe import HostEvent, Watched
from ...namespaces import is_inference
from ...nn.operation import NNEvent
from ..budget import Budget
from . import (
    batches,
    beyond,
    cells,
    choosing,
    classes,
    formulas,
    maps,
    rows,
    sequences,
    suppression,
    thresholds,
    whether,
)
from .asked import Asked, Given, SpentError
from .copies import CopyError, Leave, Reply, available, copied, on_return, used
from .named import misnamed
from .stand_in import MOST_COMPUTES, StandIn

MOST = 10.0
"""Seconds of processor time of the copies after one compute, even if inferences are long."""
MOST_TRIES = 5
"""So many computes are looked at, number 1, 2, 4 ..., until the guest writes something after one."""
MANY_COMPUTES = 1 << 12
"""So many more computes a copy does that is to come to the guest's end."""
MOST_BYTES = 16 << 20
RULES: Sequence[Callable[[Asked], str]] = (
    suppression.misjudged, rows.misplaced, classes.misplaced, choosing.mischosen, formulas.miscalculated,
    sequences.misread, batches.unaligned, maps.misread, cells.exchanged, thresholds.on_logits,
    thresholds.of_shares, whether.unheard, beyond.unwritten,
)  # fmt: skip


class InCopyError(BaseException):
    """Leaves all that the parent does, so that the guest goes on in the copy."""


class Probes:
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(
        self, files: Callable[[], Sequence[tuple[str, bytes]]] = tuple, budget: Budget | None = None
    ) -> None:
        self._files = files
        self._budget = budget or Budget()
        self._computed: NNEvent | None = None
        self._counts: Counter[Any] = Counter()
        self._done: set[Any] = set()
        self._found = ""
        self._kept: list[tuple[int, Mapping[int, str]]] = []
        self._no_shares: set[Any] = set()
        """Models that have answered with one number that was no share."""
        self._impossible = False
        """Whether the process can't be copied."""
        self.stand_in: StandIn | None = None
        """The host's part, in a copy."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.operation == "compute" and event.error is None and not event.delivered:
            self._computed = event
            if not thresholds.has_share(event):
                self._no_shares.add((event.graph_id, event.model))

    def host_call(self, event: HostEvent, find: Callable[[], Watched | None]) -> None:
        """A host function returned. In a copy this returns, too, and the guest goes on. `find` gives the
        guest's instance, if a copy can go on."""
        computed, self._computed = self._computed, None
        if computed is None or event.name != "compute" or not is_inference(event.module):
            return
        key = computed.graph_id, computed.model
        self._counts[key] += 1
        count = self._counts[key]
        if key in self._done or count & (count - 1) or count >> MOST_TRIES:
            return
        if self._impossible or not available():
            return
        began = used()
        try:
            if (instance := find()) is not None and (outputs := given(computed)):
                with paused():
                    self._probe(computed, int(event.arguments[0][1]), outputs, instance)
        except InCopyError:
            return
        except SpentError:
            pass
        except CopyError:
            self._impossible = True
        self._budget.spend(used() - began)

    def _probe(self, event: NNEvent, context: int, outputs: Mapping[int, Given], guest: Watched) -> None:
        end = used() + min(MOST, self._budget.for_copies())

        def left() -> float:
            if (seconds := end - used()) <= 0:
                raise SpentError
            return seconds

        most = MOST_COMPUTES

        def ask(changes: Mapping[int, Any], fill: int | None = None) -> Reply | None:
            seconds = left()
            sent = {index: bytes(one.array.data) for index, one in outputs.items()}
            sent |= {index: array.tobytes() for index, array in changes.items()}

            def go_on(leave: Leave) -> None:
                self.stand_in = stand_in = StandIn(guest, context, sent, leave, fill, most)
                on_return(partial(stand_in.end, "returned"))

            is_copy, reply = copied(go_on, seconds)
            if is_copy:
                raise InCopyError
            return reply

        control, rules = ask({}), RULES
        key = event.graph_id, event.model
        is_last = bool(self._counts[key] >> (MOST_TRIES - 1))
        if control is not None and not control.text.strip() and is_last and key not in self._no_shares:
            most, rules = MANY_COMPUTES, (thresholds.never_passed,)
            control = ask({})
        if control is None or not control.text.strip() or not control.fetched:
            return
        before = used()
        for funcidx in control.made:  # which the guest needs, and each copy would make again
            guest.engine.prepare(guest, funcidx - guest.module.imported_funcs)
        end += used() - before
        self._budget.spend(before - used())
        self._done.add(key)
        asked = Asked(ask, outputs, control, self._files, guest.mems[0], left)
        self._kept = asked.kept
        self._found = self._found or next(filter(None, (rule(asked) for rule in rules)), "")

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        found, self._found = self._found, ""
        for count, texts in self._kept:
            found = found or misnamed(self._files(), count, texts)
        if found:
            yield "answer", found


def given(event: NNEvent) -> dict[int, Given]:
    """The outputs of a compute as arrays of their own type; {} if one has no numbers, or they are many."""
    found = {}
    total = 0
    for index, (spec, tensor) in enumerate(zip(event.specs, event.tensors, strict=False)):
        numbers = tensor.numbers()
        total += tensor.nbytes
        if numbers is None or numbers.nbytes != tensor.nbytes or total > MOST_BYTES:
            return {}
        found[index] = Given(f'output {index} "{spec.name}"', numbers.reshape(tensor.shape or (1,)).copy())
    return found
