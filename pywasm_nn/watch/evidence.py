"""`Evidence`: what the level "whatif" adds to a trace: where inputs came from, and whether the model would be
surer of other ones.

What is here: telling rules what the guest does, and which of their hints are said. What is not: which rules
there are (`rules.py`), inputs (`sent/inputs.py`), questions to models (`whatif`), and what the guest does
with other answers (`probes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..errors import GuestExit, WasmError
from ..interpreter.module import Module
from ..interpreter.runtime.observe import HostEvent, Watched
from ..nn.operation import NNEvent
from .budget import Budget
from .failing import failure
from .feedback import Feedback
from .follower import Follower, Hearing, Said
from .loops import Loops
from .loops.sounds_in_turns import MOST_OF_A_SOUND
from .order.assigned import Assigned
from .order.joined import Joined
from .order.replaced import Replaced
from .order.rounds import Rounds
from .origin import Origins
from .probes import Probes
from .rules import Parts, of_answers, of_rounds, of_words
from .sent.inputs import FOREIGN, METADATA, Inputs, Line, Told
from .sent.lookups import Lookups
from .sent.sounds_in_memory import SoundsInMemory
from .series import Series
from .series.drifting import Drifting
from .whatif import WhatIf
from .whatif.several import Shows

L = TypeVar("L", bound=Line)


class Evidence:
    """Gives lines after operations: (None, where an input came from), or a rule and its hint."""

    def __init__(self, arguments: Sequence[str] = (), directories: Mapping[str, Path] | None = None) -> None:
        """`arguments` are those of the guest, and `directories` its ones, with where the host has them."""
        self.budget = self._budget = Budget()
        self._origins = Origins(arguments, self._budget, directories)
        origins, budget = self._origins, self._budget
        files, with_arrays = origins.files, origins.with_arrays
        self._whatif = whatif = WhatIf(budget, self._shows, files, arguments)
        self.probes = Probes(
            with_arrays, budget, whatif.points.meant, arguments, whatif.answer_to, origins.last_sound,
            origins.last_picture,
        )  # fmt: skip
        self._feedback = Feedback(origins.loud, origins.silent_channel, origins.has_data)
        self._loops = Loops(files, budget, partial(origins.files, MOST_OF_A_SOUND))
        self._rounds = rounds = Rounds(files, lambda: self._inputs.knows_why_alike)
        self._said: set[str] = set()
        replaced, series = Replaced(arguments, files), Series(files, with_arrays, arguments)
        joined, lookups, self._drifting = Joined(files), Lookups(files, arguments), Drifting(files)
        folders = tuple((directories or {}).values())
        self._in_memory = SoundsInMemory(origins.last_sound, budget, self._said)
        assigned = Assigned(arguments, folders, files)
        told = Told(whatif, self.probes, rounds, replaced, assigned, series, joined, lookups)
        self._inputs = Inputs(origins, budget, told, folders)
        parts = Parts(
            origins,
            self._inputs,
            told,
            self._drifting,
            self._in_memory,
            budget,
            arguments,
            folders,
            self._said,
        )
        self._of_rounds, self._of_answers = of_rounds(parts), of_answers(parts)
        self._of_words = of_words(parts)
        self._first: dict[str, Follower] = {}
        """By what they are about, the rules that had hints when the guest had ended."""
        self._failed: list[Said] = []
        """Sentences about rules that ended by a mistake of ours, and were not told yet."""

    @property
    def _followers(self) -> tuple[Follower, ...]:
        return (*self._of_rounds, *self._of_answers, *self._of_words)

    @property
    def _hearing(self) -> tuple[Hearing, ...]:
        return (self._origins, self._inputs, *self._followers, self._loops)

    def _spare(self, failed: object, error: Exception) -> None:
        """A mistake of ours in a rule ends that rule, not the others; one in a part that all rules need ends
        what that says of one event. In a copy of the guest it is raised."""
        if isinstance(error, WasmError | GuestExit) or self.probes.stand_in is not None:
            raise error
        self._failed.append(("search", failure(error, "a search for hints")))
        self._of_rounds = tuple([one for one in self._of_rounds if one is not failed])
        self._of_answers = tuple([one for one in self._of_answers if one is not failed])
        self._of_words = tuple([one for one in self._of_words if one is not failed])

    def _shows(self, context: int | None, count: int) -> Shows:
        return self._inputs.named_after.shows(context, count)

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._inputs.attach(module)
        self._loops.attach(module)
        for one in self._followers:
            one.attach(module)

    def host_call(self, event: HostEvent, guest: Callable[[], Watched | None] = lambda: None) -> None:
        """A host function returned: it may have read a file. `guest` gives the instance, if copies can go
        on."""
        for one in self._hearing:
            self._tell(one, one.host_call, event)
        self._tell(self._in_memory, self._in_memory.asked, event, guest)
        self._tell(self.probes, self.probes.host_call, event, guest)

    def nn_event(self, event: NNEvent, rules: Set[str]) -> Iterator[Line]:
        """Lines after an operation. `rules` are those that gave hints already."""
        self._rounds.read(self._origins.media())
        for one in self._of_rounds:
            self._tell(one, one.nn_event, event)
        if event.error is None:
            lines = self._spared(self._inputs, self._inputs.nn_event(event, rules))
            yield from self._new(line for line in lines if line[0] != METADATA or not self.explains(event))
        for one in (*self._of_answers, *self._of_words):
            try:
                said = [*(one.nn_event(event) or ())]
            except Exception as error:
                self._spare(one, error)
            else:
                yield from self._new(said)
        self._tell(self.probes, self.probes.nn_event, event)
        yield from self._spared(self._feedback, self._feedback.nn_event(event))
        for hint in self._spared(self._loops, self._loops.nn_event(event)):
            self._feedback.leave(event.context_id)
            yield hint
        if not FOREIGN.isdisjoint(rules):
            self._whatif.leave(event.graph_id)
        yield from self._spared(self._whatif, self._whatif.nn_event(event))
        yield from self._failures()

    def explains(self, event: NNEvent) -> bool:
        """Whether it is known why the elements of an input are beyond usual numbers."""
        try:
            return self._drifting.explains(event)
        except Exception as error:
            self._spare(self._drifting, error)
            return False

    def _tell(self, part: object, tell: Callable[..., object], *told: object) -> None:
        """Tell a part something. A mistake of ours is noted."""
        try:
            tell(*told)
        except Exception as error:
            self._spare(part, error)

    def _spared(self, part: object, said: Iterable[L]) -> Iterator[L]:
        """Yields the lines of a part about an event, up to a mistake of ours."""
        try:
            yield from said
        except Exception as error:
            self._spare(part, error)

    def _new(self, said: Iterable[L]) -> Iterator[L]:
        """Lines that were not said before."""
        for line in said:
            if line[1] not in self._said:
                self._said.add(line[1])
                yield line

    def _failures(self) -> Iterator[Said]:
        told, self._failed = self._failed, []
        yield from self._new(told)

    def read_silence(self) -> bool:
        """Whether the guest read files of which all pictures and sounds are black and silent, or it is known
        why inputs are zeros."""
        return self._origins.silent() or self._inputs.knows_why_zeros

    def read_sound(self, count: int) -> str:
        """Returns the name of a sound that the guest read, if some of its first `count` samples are not 0, or
        "" if there is none."""
        return self._origins.loud(count)

    def read_nothing(self) -> bool:
        """Whether the guest read nothing but models."""
        return self._origins.nothing()

    def finish(self) -> Iterator[Said]:
        """Hints when a guest has ended."""
        for part in (self._whatif, self._feedback, self._inputs):
            yield from self._spared(part, part.finish())
        yield from self._first_said("rounds", self._of_rounds)
        of_answers = (*self._of_answers, self.probes)
        if self.probes.explains:
            of_answers = (self.probes, *self._of_answers)
        yield from self._first_said("answers", (*of_answers, *self._of_words))
        yield from self._failures()

    def _first_said(self, about: str, followers: Iterable[Follower]) -> Iterator[Said]:
        """The hints of the first that has any when the guest has ended: what others would say follows from
        it, also if a trace is flushed once more."""
        first = self._first.get(about)
        for one in followers if first is None else (first,):
            try:
                said = [*one.finish()]
            except Exception as error:
                self._spare(one, error)
            else:
                if said:
                    self._first[about] = one
                    yield from said
                    return
