"""`Budget`: how long a trace may search for where inputs came from, ask the model again, and let the guest go
on in copies.

What is here: the only budget of the three, which all else that the level whatif does is taken from. What is
not: the bounds on their work (how many files, sizes, recipes and changes are tried), which end nearly all of
them before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time

from .one_thread import on_one_thread

Left = Callable[[], bool]
"""Whether there is time for another step of a search."""

INFERENCES = 12
"""All together take at most so many times as long as one inference of the guest."""
FLOOR, SHORT = 1.0, 0.07
"""Seconds that there are for the three if inferences are shorter than so many seconds."""
UNSEEN = 0.35
"""Seconds that are spent where nobody counts them: on imports, on pages that copies share, and on the end of
the process."""
ELSEWHERE = 0.1
"""A process that works for less than this part of an inference has it done elsewhere."""
BESIDE = 0.3
"""Of the time, at most this part goes for what isn't a search, a question or a copy: following a guest that
makes very many calls must leave some for these."""
SEARCHING, ASKING = 0.62, 0.72
"""Searches leave what is beyond this part for questions and copies, and questions leave some for copies."""
SHARE = 0.8
"""One search takes at most this part of the time that is left: another input may be worth it."""

SEVERAL = 0.3
"""One question about several pictures takes at most this part of all."""
RESERVED, MOST_RESERVED = 0.35, 0.7
"""So much of all copies leave for questions about later inputs, if one is worth it; and at most, where
opening the model again takes longer."""
LEAST = 0.1
"""Searches are not begun with less."""
QUESTIONS, QUICK = 0.08, 0.005
"""Questions to a model that takes less than QUICK seconds have this part of their own: a copy of the guest
may have taken all else."""
COMPARING = 0.08
"""Comparisons of a few numbers, which take milliseconds, have this part of their own: what they find shows
late, when searches have taken all of theirs."""
BY_QUICK = 2.0
"""With a model that takes less than QUICK seconds they have so many times that part: what is sent to such a
model are tables, series and spectra, of which most is known by comparing."""
INSTRUCTIONS = 0.03
"""The program's own instructions are read for at most this part, once, at its end: by then comparisons of
features that the guest made itself may have taken all of theirs."""
LINES = 1.5
"""Comparisons with the lines of a table have so many times that part, as series take longer before: often a
file of which only a part was read at first shows nothing with the first few."""


def always() -> bool:
    """There is always time."""
    return True


def never() -> bool:
    """Only the first step of a search is taken."""
    return False


class Budget:
    """The time that one guest's trace has. Time of the processor, so that a busy machine changes nothing."""

    def __init__(self) -> None:
        self._one = 0.0
        self._searched = 0.0
        self._spent = 0.0
        """By questions and copies."""
        self._compared = 0.0
        self._beside = 0.0
        """By all else: reading the model, following the guest's calls."""
        self._instructed = 0.0
        """By reading instructions."""
        self._quick = 0.0
        """By questions that had nothing else left than their own part."""
        self._reserved = 0.0
        """Of all, what copies leave for questions about later inputs."""

    def inferred(self, seconds: float | None, worked: float = 0.0) -> None:
        """The guest's model took so long, and this process so much of the processor's time. The longest
        inference counts."""
        took = seconds or 0.0
        self._one = max(self._one, min(took, worked) if worked > ELSEWHERE * took else took)

    def took(self, seconds: float) -> None:
        """Something else took so long."""
        self._beside += seconds

    @contextmanager
    def following(self) -> Iterator[None]:
        """An event is followed: what isn't counted as a part of it is counted, too."""
        began, before = thread_time(), self._counted
        try:
            yield
        finally:
            self._beside += max(0.0, thread_time() - began - (self._counted - before))

    @property
    def _counted(self) -> float:
        return self._searched + self._spent + self._compared + self._instructed

    @property
    def _whole(self) -> float:
        """The time for searches, questions and copies."""
        if self._one < SHORT:
            return FLOOR
        most = INFERENCES * self._one - UNSEEN
        return most - min(self._beside + self._compared, BESIDE * most)

    def spend(self, seconds: float) -> None:
        """Questions or copies took so long; less than 0 for what the guest would have to do anyway."""
        self._spent += seconds

    def _left(self, part: float) -> float:
        """Returns what is left of a part of the time. A step of a search that took longer than it should
        takes nothing from questions and copies."""
        whole = self._whole
        searched = self._searched if part <= SEARCHING else min(self._searched, SEARCHING * whole)
        return max(0.0, part * whole - self._spent - searched)

    @contextmanager
    def searching(self) -> Iterator[Left]:
        """A search begins, which asks what it is given whether it may go on."""
        began, left = thread_time(), self._left(SEARCHING)
        end = began + (SHARE * left if left > LEAST else 0.0)
        try:
            with on_one_thread():  # whose time is counted
                yield lambda: thread_time() < end
        finally:
            self._searched += thread_time() - began

    @contextmanager
    def comparing(self, times: float = 1.0) -> Iterator[Left]:
        """A comparison begins, which asks what it is given whether it may: while all of them together have
        taken less than so many `times` their part."""
        times *= BY_QUICK if self._one < QUICK else 1.0
        began, most = thread_time(), times * COMPARING * self._whole
        try:
            yield lambda: self._compared + thread_time() - began < most
        finally:
            self._compared += thread_time() - began

    @contextmanager
    def reading(self) -> Iterator[Left]:
        """The program's instructions are read, which asks what it is given whether it may go on."""
        began, most = thread_time(), INSTRUCTIONS * self._whole
        try:
            yield lambda: self._instructed + thread_time() - began < most
        finally:
            self._instructed += thread_time() - began

    @contextmanager
    def apart(self) -> Iterator[None]:
        """A step of a comparison goes through all of something large, such as the guest's data. That is a
        search, and leaves comparisons of a few numbers their time."""
        began = thread_time()
        try:
            yield
        finally:
            took = thread_time() - began
            self._searched += took
            self._compared -= took

    @contextmanager
    def asking(self, seconds: float, room: Callable[[], float] | None = None) -> Iterator[float]:
        """A question begins to a model of which one run takes so long. Gives the seconds that there are: by
        `room`, or else by `for_asking`."""
        began, left = thread_time(), (room or self.for_asking)()
        own = max(0.0, QUESTIONS * self._whole - self._quick) if seconds < QUICK else 0.0
        try:
            yield max(left, own)
        finally:
            if own > left:
                self._quick += thread_time() - began

    def for_asking(self) -> float:
        """The seconds that are left for questions to the model."""
        return self._left(ASKING)

    def for_several(self) -> float:
        """The seconds for questions about several pictures together."""
        return SEVERAL * self._whole

    def reserve(self, seconds: float = 0.0) -> None:
        """Copies are to leave some time, as later inputs are worth a question: so many seconds, if that takes
        longer, as the model has to be opened again for it."""
        self._reserved = max(self._reserved, RESERVED, min(MOST_RESERVED, seconds / self._whole))

    def for_reserved(self) -> float:
        """The seconds that are left for questions about later inputs."""
        return self._left(1.0)

    def for_copies(self) -> float:
        """The seconds that are left for copies of the guest."""
        return max(0.0, self._left(1.0) - self._reserved * self._whole)
