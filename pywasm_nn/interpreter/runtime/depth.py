"""The call depth of guests, and the only owner of Python's recursion limit.

Compiled guest functions are Python functions that call each other directly, which costs no C stack but counts
towards the recursion limit. So while a guest runs on any thread, the limit is raised to allow exactly
`Limits.call_depth` guest frames, and lowered when none runs. The limit belongs to the whole process, but
threads enter guests at different depths: each thread pads its stack with empty frames up to a common depth.
Where threads run at once (free-threaded CPython), a limit that is too low for a moment would stop the others,
and their frames can't be looked at: the limit is only raised there, and lowered when no guest runs.
What is not here: frames of `interpret`, which counts them itself.
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
from time import perf_counter
from types import FrameType
from typing import Any, TypeVar

from ...errors import ExhaustionError, OutOfMemory, TrapKind
from ..pace import PARALLEL
from .alarm import CLOCK, ONE_THREAD
from .room import BRIEF, Rooms, with_room

T = TypeVar("T")

STEP = 128
"""If there are several threads, outermost calls at depths below the same multiple of this share one limit, so
that the guests of all threads get the same number of frames."""
LOW = 4096
"""A previous limit is never lowered below this, however small a guest's depth is."""
MOST_EXCUSED = 40
"""The maximum of frames excused at a time, in all threads together; see `CallDepth.excuse`."""
HOST_FRAMES = 64
"""The number of frames that a host function needs, or half of the guest's if that is less. With fewer it
isn't called: a host function that is stopped halfway would leave files open and counts wrong."""
PROBE = 3 if sys.version_info < (3, 12) else 2
"""Levels that the recursion limit counts while `_probe` runs and that are gone when the guest begins: our own
frames and, before 3.12, the C call of the probe. A test counts the frames that guests get."""
UNSEEN = 1
"""The levels that free-threaded CPython 3.14 counts beyond the frames, as `_probe` found there."""

FREE_LOCALS = 512
"""A frame with more locals than this counts as several."""
LOCALS_PER_FRAME = 64


def weight_of(locals_: int) -> int:
    """The extra frames that a function with so many locals counts as: memory is depth times locals."""
    return locals_ // LOCALS_PER_FRAME if locals_ > FREE_LOCALS else 0


def frames_below(frame: FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth


def undisturbed(work: Iterable[T]) -> list[T]:
    """The items of an iterator of C functions, which no other thread and no garbage collection interrupts.

    Switching the collector off is a step of its own work: another thread may do the same at any time.
    """
    done: list[Any] = []
    try:
        done.extend(chain(map(call, (gc.isenabled, gc.disable)), work))
        return done[2:]
    finally:
        if done and done[0]:
            gc.enable()


def current_frames() -> dict[int, FrameType]:
    """The innermost frame of every thread, by the thread's identifier.

    `sys._current_frames` creates frame objects, which may start the collector before CPython 3.12, and holds
    the lock of the list of threads meanwhile: if a finalizer lets another thread run, and that one starts or
    ends a thread, both wait for ever.
    """
    return undisturbed(map(call, (sys._current_frames,)))[0]


def shallow_elsewhere(depth: int) -> bool:
    """Whether every other thread is less deep than this. Mostly the clock's thread is the only other one."""
    # Of all threads this creates no frame objects, but in CPython 3.11 tuples; see `current_frames`.
    threads = undisturbed(map(call, (sys._current_exceptions,)))[0]
    if len(threads) == 1 + CLOCK.threads:
        return True
    others = threads.keys() - {threading.get_ident()}
    return not any(is_deep(thread, outwards(depth)) for thread in others)


@cache
def outwards(depth: int) -> Callable[[FrameType], Any]:
    """A function that returns the frame so many levels further out."""
    return attrgetter(".".join(["f_back"] * max(depth, 1)))


def is_deep(thread: int, far: Callable[[FrameType], Any]) -> bool:
    """Whether a thread has a frame that many levels out from its innermost frame.

    The check runs no line of Python code: if the other thread ran meanwhile and freed the frames, CPython
    3.11 would crash. For the same reason the garbage collector, which calls finalizers, is switched off:
    reading a frame creates an object, which may start it.
    """
    innermost = map(itemgetter(thread), starmap(sys._current_frames, ((),)))
    try:
        return undisturbed(map(far, innermost))[0] is not None
    except (AttributeError, KeyError):  # too few frames, or the thread has ended
        return False


def aside(work: Callable[[], T]) -> T:
    """Do our own work during a guest's call; on a new thread if the guest has left no stack for it.

    Raises what the work raises, or RecursionError if there is neither stack nor a thread.
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
    """Free an error's traceback entry by entry and frame by frame.

    CPython would free the chain recursively, which ends the process if the C stack is short (Pyodide: some
    thousand frames).
    """
    entries = []
    entry, error.__traceback__ = error.__traceback__, None
    try:
        while entry is not None:
            entries.append(entry)
            entry = entry.tb_next
        frames = [entry.tb_frame for entry in entries]
    except MemoryError:  # then CPython must free them itself
        return
    entries.reverse()
    for links in (entries, frames):  # each item refers to the next one: pop from the end
        while links:
            links.pop()


class Descent:
    """Room for host functions where threads run at once: each item is taken that many frames further down."""

    def __init__(self, frames: int) -> None:
        self._frames = frames

    def __iter__(self) -> Descent:
        return self

    def __next__(self) -> None:
        descend(self._frames, int, ())


def descend(padding: int, call: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call `call` from `padding` frames further down.

    Where memory is short, the reserve is released before anything else is done: with no memory at all,
    CPython 3.11 crashes after some more MemoryErrors.
    """
    if padding:
        return descend(padding - 1, call, arguments)
    try:
        return call(*arguments)
    except MemoryError:
        OutOfMemory.spare.clear()
        raise


descend_in_room = descend if sys.platform in ONE_THREAD else with_room(descend)  # there memory is filled


class CallDepth:
    """Counts the running guests in this process and sets the recursion limit for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = threading.local()
        self._active = 0
        self._limit = 0
        self._saved = 0
        self._floor = 0
        """The limit is never set below this."""
        self._excused = 0
        self._allowance = 0
        """The number of excused frames, at most MOST_EXCUSED."""
        self._unseen = 0
        """The number of levels that the recursion limit counted beyond the frames, at the last probe."""
        self.room: Iterable[object] = ()
        """Every host function first takes one item from this: that raises RecursionError if the stack has no
        room for it. A `for` loop does it faster than any call. Outside guests it is empty."""
        self._host_frames = 0
        self._asked = -1, -1
        self._ask: Iterable[object] = ()

    def _ask_for_room(self, limit: int) -> None:
        """Make `room` fail if fewer than `_host_frames` levels are left below `limit`, which is about to be
        set.

        Setting a limit below the present depth fails, so `room` sets a lower limit and then `limit` again.
        `zip` makes both calls without a thread switch between them, so no other thread ever sees the lower
        limit.
        """
        if PARALLEL:
            self.room = Descent(self._host_frames)
            return
        if self._asked != (limit, self._host_frames):
            limits = repeat(limit - self._host_frames), repeat(limit)
            self._ask = zip(*(map(sys.setrecursionlimit, each) for each in limits), strict=False)
            self._asked = limit, self._host_frames
        self.room = self._ask

    def excuse(self, frames: int) -> None:
        """Don't count `frames` frames on a guest's stack, because they aren't its own; negative to end that.

        The limit is the same for all threads, so guests on other threads get as many more meanwhile. At most
        `MOST_EXCUSED` frames are excused in total: if a thread is 50 levels beyond a limit that was lowered,
        CPython 3.11 ends the process ("Cannot recover from stack overflow").
        """
        with self._lock:
            self._excused += frames
            self._allowance = min(self._excused, MOST_EXCUSED)
            if self._active:
                limit = self._limit + self._allowance
                self._ask_for_room(limit)
                sys.setrecursionlimit(limit)

    def carry(self, most: int, weight: int) -> None:
        """Add the weight of a heavy frame on this thread; negative when it returns. All weights together may
        be at most `most`, in addition to the frames that the recursion limit counts."""
        carried = getattr(self._thread, "carried", 0) + weight
        if weight > 0 and carried > most:
            raise ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        self._thread.carried = carried

    def call(
        self,
        depth: int,
        reentry: int,
        call: Callable[..., Any],
        arguments: Sequence[Any],
        rooms: Rooms,
    ) -> Any:
        """Call a guest function with `depth` frames. It fails if more than `reentry` outer calls are open on
        this thread; the smallest `reentry` among those calls applies. `rooms` are those of its instance."""
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
                return descend(0, call, arguments)
            padding, owed, start = self._enter(depth), rooms.owed.get(call, rooms.first), perf_counter()
            try:
                return (descend_in_room if owed else descend)(padding, call, arguments)
            finally:
                seconds = perf_counter() - start
                if owed or seconds >= BRIEF:
                    rooms.took(call, seconds, owed)
                self._leave()
        finally:
            mine["entries"], mine["reentry"] = entries, around

    def _enter(self, depth: int) -> int:
        """Raise the limit if necessary. Returns how many frames of padding leave exactly `depth` frames below
        `descend`. Raises MemoryLimitError if no reserve is left for the error that the guest may end with.
        """
        if not OutOfMemory.spare:
            OutOfMemory.keep()
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
        """Find the present depth as the recursion limit counts it, and set the limit, both in one step.

        Setting the limit below the present depth fails, and that is the only way to find the depth: Python
        3.11 also counts C calls, which frames don't show. Mostly the number of C calls is the same as last
        time, which is confirmed if a limit one lower fails. `map` makes both calls without a thread switch
        between them, so no other thread ever sees the low limit.
        """
        if PARALLEL:
            return self._raise_limit(frames_below(sys._getframe()) + UNSEEN, depth)
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

    def _raise_limit(self, here: int, depth: int) -> int:
        """What `_probe` does, at a depth that is known."""
        limit = self._limit_at(here, STEP, depth)
        if limit != sys.getrecursionlimit():  # setting it stops all threads for a moment
            sys.setrecursionlimit(limit)
        self._floor = self._limit = limit - self._allowance
        return here - PROBE

    def _limit_at(self, here: int, step: int, depth: int) -> int:
        """The limit for a guest that gets `depth` frames at depth `here`; also updates `room`."""
        limit = max((here + step) // step * step + depth, self._floor) + self._allowance
        self._ask_for_room(limit)
        return limit

    def _leave(self) -> None:
        with self._lock:
            self._active -= 1
            if not self._active:
                self.room = ()
            # Don't lower the limit below another thread's depth: it could not recover. The next guest to end
            # retries.
            if not self._active and (PARALLEL or shallow_elsewhere(self._saved - MOST_EXCUSED)):
                sys.setrecursionlimit(self._saved)


CALL_DEPTH = CallDepth()
"""The only owner: the recursion limit is one per process."""
