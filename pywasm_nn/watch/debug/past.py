"""Going back: to which earlier time the user wants to go, and how the machine gets there.

Each function takes a timeline and the time now, and puts the machine back. What is not here: points in time
and running from them (`timeline.py`), and when to go back (`debugger.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .timeline import Timeline

BEGINNING = "the beginning of what is known"
Line = Callable[[], object]
"""The source line of the machine's next instruction; None if there is none."""


def back(timeline: Timeline, now: int, count: int) -> str:
    """Back by so many instructions, also into functions that were called. Returns "", or why it is fewer."""
    target = now - count
    number = len(timeline.points) - 1
    while number >= 0:
        point = timeline.points[number]
        if any(call.time >= target for call in point.calls):
            target += timeline.fill(number, now)
            number = len(timeline.points)
        elif point.time <= target:
            break
        number -= 1
    first = timeline.points[0].time
    timeline.to(max(target, first))
    return BEGINNING if target < first else ""


def over(timeline: Timeline, now: int) -> str:
    """Back to the previous instruction of this function, or of a function around it."""
    depth = len(timeline.machine.frames)
    for number in reversed(range(len(timeline.points))):
        last = -1
        for time in times(timeline, number, now, depth):
            last = time
        if last >= 0:
            timeline.to(last)
            return ""
        now = time_of(timeline, number)
    return BEGINNING


def over_line(timeline: Timeline, now: int, line: Line) -> str:
    """Back to the beginning of this source line, or from there to the beginning of the line before it, in
    this function or in one around it."""
    depth, here = len(timeline.machine.frames), line()
    end = now
    for number in reversed(range(len(timeline.points))):
        begins: list[int] = []
        seen: object = None
        for time in times(timeline, number, end, depth):
            found = (line(), len(timeline.machine.frames))
            if found != seen and found[0] is not None:
                begins.append(time)
            seen = found if found[0] is not None else seen
        # The first line of a point's time may have begun before it.
        earlier = begins if number == 0 else begins[1:]
        if earlier:
            timeline.to(earlier[-1])
            return ""
        end = time_of(timeline, number)
    timeline.to(time_of(timeline, 0))
    return BEGINNING if here else ""


def times(timeline: Timeline, number: int, end: int, depth: int) -> Iterator[int]:
    """Run from a point up to the time `end`, and give every time at which no more than `depth` functions
    were running. The points after it are kept."""
    later, machine = timeline.points[number + 1 :], timeline.machine
    point = timeline.restore(number)
    calls, point.calls = list(point.calls), []
    with timeline.repeating():
        while machine.frames and machine.time < end:
            until = calls[0].time if calls else end
            if len(machine.frames) > depth and machine.time < until:
                timeline.run(min(until, end), depth)
                continue
            if len(machine.frames) <= depth:
                yield machine.time
            if calls and machine.time == calls[0].time:
                timeline.skip(calls.pop(0))
            else:
                timeline.run(machine.time + 1)
    timeline.points += later


def time_of(timeline: Timeline, number: int) -> int:
    return timeline.points[number].time


def to_last(timeline: Timeline, now: int, hit: Callable[[], tuple[int, str] | None]) -> str:
    """Back to the last time at which there is a reason to stop; returns that reason. `hit` gives time and
    reason whenever the machine pauses."""
    for number in reversed(range(len(timeline.points))):
        found: list[tuple[int, str]] = []

        def visit(found: list[tuple[int, str]] = found) -> None:
            what = hit()
            if what is not None:
                found.append(what)

        now += timeline.fill(number, now, visit)
        visit()
        found = [each for each in found if each[0] < now]
        if found:
            time, reason = found[-1]
            timeline.to(time)
            return reason
        now = time_of(timeline, number)
    timeline.to(time_of(timeline, 0))
    return BEGINNING


def to_writer(timeline: Timeline, now: int, hit: Callable[[], int | None]) -> int:
    """Back to the last time at which `hit`, asked whenever the machine pauses, gives a time; returns how many
    instructions that is before now. Returns -1 and stays if there is none."""
    last, more = now, 0
    for number in reversed(range(len(timeline.points))):
        found: list[int] = []

        def visit(found: list[int] = found) -> None:
            time = hit()
            if time is not None:
                found.append(time)

        more += timeline.fill(number, last, visit)
        visit()
        if found:
            timeline.to(found[-1])
            return now + more - found[-1]
        last = time_of(timeline, number)
    timeline.to(now + more)
    return -1
