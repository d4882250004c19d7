"""`Loops`: the inputs and answers of the last rounds of each context, which the rules compare.

What is not here: the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ...interpreter.module import Module
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ..budget import Budget
from ..feedback import states
from .back_in_time import back_in_time
from .files import Files, kept_state
from .own_scale import OwnScale
from .round import MOST_BYTES, Kept, Round
from .shared import Shared
from .sounds_in_turns import SoundsInTurns
from .states import wrong_state
from .tokens import wrong_token
from .windows import wrong_window

KEPT = 5
"""Rounds that are compared."""
FED_BACK, STATE = "fed_back", "state"


class Loops:
    """Follows a guest's rounds; gives hints as pairs of a rule's name and a sentence."""

    def __init__(
        self,
        files: Callable[[], Files],
        budget: Budget,
        sounds: Callable[[], Files],
    ) -> None:
        """`files` gives names and bytes of the files that were read, and `sounds` also long ones."""
        self._files = files
        self._given: dict[int | None, dict[int, Kept]] = {}
        self._rounds: dict[int | None, list[Round]] = {}
        self._fetches: dict[int | None, Counter[int]] = {}
        """How often each output was fetched, by context."""
        self._opened: list[str] = []
        self._done: set[int | None] = set()
        self._shared = Shared(files)
        self._own_scale = OwnScale(files)
        self._sounds = SoundsInTurns(sounds, budget)

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._own_scale.attach(module)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned: it may have opened a file."""
        if event.name == "path_open" and event.error is None and not event.result:
            self._opened.append(str(dict(event.arguments).get("path")))

    def nn_event(self, event: NNEvent) -> Iterator[tuple[str, str]]:
        """Hints after an operation."""
        number = event.context_id
        if event.error is not None or number in self._done:
            return
        given = self._given.setdefault(number, {})
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            self._keep(given, event.index, event.specs[0].name, event.tensors[0])
            yield from self._compared(number, event.index)
        elif event.operation == "compute":
            for index, spec, tensor in event.given:
                self._keep(given, index, spec.name, tensor)
            yield from self._computed(event, given)
        elif event.operation.startswith("get_output") and event.index is not None:
            self._fetches.setdefault(number, Counter())[event.index] += 1
        elif event.operation == "finalize_execution_context":
            self._given.pop(number, None)
            self._fetches.pop(number, None)
            self._rounds.pop(number, None)

    def _keep(self, given: dict[int, Kept], index: int, name: str, tensor: Tensor) -> None:
        given.pop(index, None)
        if (kept := Kept.of(f'input {index} "{name}"', tensor)) is not None:
            given[index] = kept

    def _compared(self, number: int | None, index: int) -> Iterator[tuple[str, str]]:
        """Yields what an input that was just set says with the rounds before."""
        rounds, now = self._rounds.get(number, []), self._given[number].get(index)
        if now is None or not rounds:
            return
        wrong = wrong_token(rounds, index, now) or wrong_window(rounds, index, now, self._files)
        if wrong := wrong or self._own_scale.wrong(rounds, index, now):
            self._done.add(number)
            yield FED_BACK, wrong

    def _computed(self, event: NNEvent, given: dict[int, Kept]) -> Iterator[tuple[str, str]]:
        number, graph = event.context_id, event.graph
        rounds = self._rounds.setdefault(number, [])
        outputs = [
            Kept.of(f'output {index} "{spec.name}"', tensor)
            for index, (spec, tensor) in enumerate(zip(event.specs, event.tensors, strict=False))
            if tensor.nbytes <= MOST_BYTES
        ]
        answers = {index: one for index, one in enumerate(outputs) if one is not None}
        now = Round(dict(given), answers, tuple(self._opened))
        pairs: Sequence[tuple[int, int]] = states(graph.inputs, graph.outputs) if graph is not None else ()
        if event.given:
            for index in dict(given):
                yield from self._compared(number, index)
        if pairs and rounds and number not in self._done:
            every, fetches = [*rounds, now], self._fetches.get(number, Counter())
            wrong = wrong_state(every, pairs, fetches) or kept_state(every, pairs, self._files)
            wrong = wrong or back_in_time(every, pairs, self._files)
            wrong = wrong or self._shared.computed(event.graph_id, number, every, pairs)
            if wrong := wrong or self._sounds.computed(event.graph_id, now, pairs):
                self._done.add(number)
                yield STATE, wrong
        rounds.append(now)
        del rounds[1:-KEPT]
