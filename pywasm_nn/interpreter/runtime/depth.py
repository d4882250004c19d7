"""How deep guests may call, and the one owner of Python's recursion limit.

Compiled guest functions are Python functions that call each other directly, which costs no C stack but counts
towards the recursion limit. So while a guest runs on any thread the limit is raised to allow exactly
`Limits.call_depth` guest frames, and lowered when none runs. The limit belongs to the whole process and
threads enter at different depths: each pads its stack with empty frames up to where its guest may begin.
What is not here: the frames that `interpret` counts by itself.
"""

from __future__ import annotations

import gc
import sys
import threading
from _thread import _count as started_threads
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, repeat, starmap
from operator import attrgetter, call, itemgetter
from types import FrameType
from typing import Any, TypeVar

from ...errors import ExhaustionError, TrapKind
from .alarm import CLOCK

T = TypeVar("T")

STEP = 128
"""Where there are threads, outermost calls from less deep than this share one limit, so that no thread's
guests get more frames than another's."""
LOW = 4096
"""A limit that was set before is never lowered below this, whatever small depth a guest is given."""
MOST_EXCUSED = 40
"""Frames that are excused at one time, in all threads together; `CallDepth.excuse` says why no more."""
HOST_FRAMES = 64
"""Frames that a host function finds below it, or half of the guest's where that is less. With fewer it isn't
begun: whoever is stopped in the middle leaves files open and counts wrong."""
PROBE = 3 if sys.version_info < (3, 12) else 2
"""Levels that the recursion limit counts while `_probe` runs and that are gone when the guest begins: frames
of ours and, before 3.12, the C call of the probe. A test counts the frames that guests get."""


FREE_LOCALS = 512
"""A frame with more locals than this counts as several."""
LOCALS_PER_FRAME = 64


def weight_of(locals_: int) -> int:
    """How many frames more a function with so many locals counts as: depth times locals is memory."""
    return locals_ // LOCALS_PER_FRAME if locals_ > FREE_LOCALS else 0


def frames_below(frame: FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth


def shallow_elsewhere(depth: int) -> bool:
    """Whether every other thread is less deep than this, as the clock's own is, mostly the only one."""
    if len(sys._current_frames()) == 1 + CLOCK.threads:
        return True
    others = sys._current_frames().keys() - {threading.get_ident()}
    return not any(is_deep(thread, outwards(depth)) for thread in others)


@cache
def outwards(depth: int) -> Callable[[FrameType], Any]:
    """Gives the frame so far outwards from a frame."""
    return attrgetter(".".join(["f_back"] * max(depth, 1)))


def is_deep(thread: int, far: Callable[[FrameType], Any]) -> bool:
    """Whether there is a frame so far outwards from the innermost of a thread.

    It is looked for without a line of Python in between: if the other thread runs on meanwhile, and frees
    the frames that are looked at, CPython 3.11 crashes. So the garbage collector, which calls finalizers,
    rests as well: looking at a frame makes an object, and that may call it.
    """
    innermost = map(itemgetter(thread), starmap(sys._current_frames, ((),)))
    rest = map(call, (gc.disable,)) if gc.isenabled() else ()
    try:
        return [*chain(rest, map(far, innermost))][-1] is not None
    except (AttributeError, KeyError):  # there are fewer frames; the thread has ended
        return False
    finally:
        if rest:
            gc.enable()


def aside(work: Callable[[], T]) -> T:
    """Do work of ours that a guest gave rise to; on a thread of its own if the guest left no stack for it.

    Raises what the work raises, or RecursionError if there is no stack and no thread either.
    """
    try:
        return work()
    except RecursionError:
        pass
    from concurrent.futures import ThreadPoolExecutor

    try:
        with ThreadPoolExecutor(1) as fresh:
            return fresh.submit(work).result()
    except RuntimeError as error:
        raise RecursionError("no stack is left, and no thread can be started") from error


def take_apart(error: BaseException) -> None:
    """Let go of an error's traceback, entry by entry and frame by frame.

    CPython frees such chains recursively, which ends the process where the C stack is short (Pyodide: some
    thousand frames).
    """
    entries = []
    entry, error.__traceback__ = error.__traceback__, None
    try:
        while entry is not None:
            entries.append(entry)
            entry = entry.tb_next
        frames = [entry.tb_frame for entry in entries]
    except MemoryError:  # then CPython has to free them as it does
        return
    entries.reverse()
    for links in (entries, frames):  # each holds the next: outermost entries, then innermost frames
        while links:
            links.pop()


def descend(padding: int, call: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call from `padding` frames further down."""
    if padding:
        return descend(padding - 1, call, arguments)
    return call(*arguments)


class CallDepth:
    """Counts the guests that run in this process and keeps the recursion limit right for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = threading.local()
        self._active = 0
        self._limit = 0
        self._saved = 0
        self._floor = 0
        """The limit isn't set below this."""
        self._excused = 0
        self._allowance = 0
        """As many as are excused, but for those beyond the most that may be."""
        self._unseen = 0
        """How many levels the recursion limit counted beyond the frames, last time."""
        self.room: Iterable[object] = ()
        """A host function begins by taking one item: RecursionError if there is no room for it. `for` takes
        one in less time than any call takes. Outside guests there are none."""
        self._host_frames = 0
        self._asked = -1, -1
        self._ask: Iterable[object] = ()

    def _ask_for_room(self, limit: int) -> None:
        """Let `room` fail where fewer than `_host_frames` are left of this limit, which is about to be set.

        Setting a limit fails below the present depth, so `room` sets a lower one and then `limit` again.
        `zip` makes both calls without a thread switch between them, so no other thread meets the lower one.
        """
        if self._asked != (limit, self._host_frames):
            limits = repeat(limit - self._host_frames), repeat(limit)
            self._ask = zip(*(map(sys.setrecursionlimit, each) for each in limits), strict=False)
            self._asked = limit, self._host_frames
        self.room = self._ask

    def excuse(self, frames: int) -> None:
        """Don't count so many frames on a guest's stack that aren't its own; negative when they go.

        The limit being one for all threads, guests on others may go as much deeper meanwhile. More than
        `MOST_EXCUSED` in all are not excused: a thread that is found 50 levels beyond a limit that was
        lowered ends the process (CPython 3.11, "Cannot recover from stack overflow").
        """
        with self._lock:
            self._excused += frames
            self._allowance = min(self._excused, MOST_EXCUSED)
            if self._active:
                limit = self._limit + self._allowance
                self._ask_for_room(limit)
                sys.setrecursionlimit(limit)

    def carry(self, most: int, weight: int) -> None:
        """Count what heavy frames on this thread weigh; negative when one goes. Together they may weigh as
        much as `most` frames, beside those that the recursion limit counts."""
        carried = getattr(self._thread, "carried", 0) + weight
        if weight > 0 and carried > most:
            raise ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        self._thread.carried = carried

    def call(self, depth: int, reentry: int, call: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Call a guest function, giving it `depth` frames, if `reentry` calls from the outside aren't open on
        this thread, as that call and those around it count them."""
        mine = self._thread.__dict__
        entries = mine.get("entries", 0)
        around = mine["reentry"] if entries else reentry
        least = min(reentry, around)
        if entries > least:
            raise ExhaustionError(
                TrapKind.CALL_STACK_EXHAUSTED, f"host functions called back {least} times deep"
            )
        mine["entries"], mine["reentry"] = entries + 1, least
        try:
            if entries:
                return call(*arguments)
            padding = self._enter(depth)
            try:
                return descend(padding, call, arguments)
            finally:
                self._leave()
        finally:
            mine["entries"], mine["reentry"] = entries, around

    def _enter(self, depth: int) -> int:
        """Raise the limit if need be; how many frames to pad so that `depth` more are left below
        `descend`."""
        with self._lock:
            if not self._active:
                current = sys.getrecursionlimit()
                if current != self._limit:
                    self._saved = current
                self._floor = min(self._saved, LOW)
                self._host_frames = HOST_FRAMES
            if depth < 2 * self._host_frames:
                self._host_frames = depth // 2
            here = self._probe(depth)
            self._active += 1
            return self._limit - depth - here

    def _probe(self, depth: int) -> int:
        """Find out how deep we are as the recursion limit counts it, and set the limit, both at once.

        Setting the limit fails below the present depth, which is the only way to learn it: Python 3.11 also
        counts C calls, which frames don't show. As many as there were last time are there mostly, which is so
        if one level less fails. `map` makes both calls without a thread switch between them, so that no other
        thread ever meets the low limit.
        """
        step = STEP if started_threads() > CLOCK.threads else 1
        frames = frames_below(sys._getframe())
        here = frames + self._unseen
        limit = self._limit_at(here, step, depth)
        if self._unseen:
            try:
                [*map(sys.setrecursionlimit, (here - 1, limit))]
                here = frames
                limit = self._limit_at(here, step, depth)
            except RecursionError:
                pass
        while True:
            try:
                [*map(sys.setrecursionlimit, (here, limit))]
                break
            except RecursionError:
                here += 1
                limit = self._limit_at(here, step, depth)
        self._floor = self._limit = limit - self._allowance
        self._unseen = here - frames
        return here - PROBE

    def _limit_at(self, here: int, step: int, depth: int) -> int:
        """The limit for a guest that gets `depth` frames `here`, with which `room` agrees from now on."""
        limit = max((here + step) // step * step + depth, self._floor) + self._allowance
        self._ask_for_room(limit)
        return limit

    def _leave(self) -> None:
        with self._lock:
            self._active -= 1
            if not self._active:
                self.room = ()
            # Not below where another thread is: it could not recover. The next guest to end tries again.
            if not self._active and shallow_elsewhere(self._saved - MOST_EXCUSED):
                sys.setrecursionlimit(self._saved)


CALL_DEPTH = CallDepth()
"""The recursion limit is one per process, and so is its owner."""
