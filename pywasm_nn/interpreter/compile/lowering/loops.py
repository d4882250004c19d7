"""Loops, and how those that count become `for` (`analysis.counted` finds them)."""

from __future__ import annotations

from dataclasses import dataclass

from ....brief import summarised
from ..analysis.counted import LIMIT, Counted
from ..forms.operands import Operand, bounded, constant, named
from ..forms.tree import Br, If, Loop
from .emitter import Emitter, Frame


@summarised
@dataclass(slots=True)
class Plan:
    """How a counted loop is written."""

    guard: str
    """What must be true; empty if it is known to be."""
    header: str
    """The `for` line."""
    known: dict[int, Operand]
    """What is known about the locals that count, at the start of each round."""
    counted: Counted


def plan(e: Emitter, loop: Counted) -> Plan | None:
    """How to write the loop that begins here as a `for`, if it can be. Its locals are as before it."""
    i = e.read(loop.local)
    n = e.read(loop.bound) if loop.bound_is_local else constant(loop.bound)
    up = loop.step >= 0
    low, high = (i, n) if up else (n, i)
    symbol = "<=" if loop.test == "<=" else "<"
    if low.lo + (symbol == "<") > min(high.hi, LIMIT):
        return None
    conditions: list[str] = []
    most, size, by = f"{LIMIT}", str(abs(loop.step)), ""
    if not loop.step:
        by = size = f"l{loop.stride}"
        most = f"{LIMIT} - {by}"
        conditions.append(f"0 < {by}")
    below = low.hi < high.lo or (symbol == "<=" and low.hi == high.lo)
    above = "0 <= " if low.lo < 0 else ""
    small = f" <= {most}" if high.hi > LIMIT or by else ""
    if not below:
        conditions.append(f"{above}{low.text} {symbol} {high.text}{small}")
    else:
        conditions += [f"{above}{low.text}"] if above else []
        conditions += [f"{high.text}{small}"] if small else []
    span = difference(high, low)
    if loop.test == "!=" and size != "1":
        if i.known and n.known:
            if (n.lo - i.lo) % loop.step:
                return None
        else:
            conditions.append(f"not {span} % {size}")
    stop = f"{n.text} + 1" if loop.test == "<=" else n.text
    stepping = f", {by or loop.step}" if loop.step != 1 else ""
    header = f"for l{loop.local} in range({i.text}, {stop}{stepping}):"
    lowest, highest = max(low.lo, 0), min(high.hi, LIMIT)
    if up:
        known = {loop.local: named(loop.local, lowest, highest if loop.test == "<=" else highest - 1)}
    else:
        known = {loop.local: named(loop.local, lowest + 1, highest)}
    if by:
        known[loop.stride] = bounded(e.read(loop.stride), 1, LIMIT)
    rounds = span if size == "1" else f"{span} // {size}"
    if loop.test != "!=":
        rounds = f"({rounds} + 1)"
    for local, step, stride in loop.strides:
        j = e.read(local)
        way = e.read(stride).text if stride >= 0 else str(abs(step))
        if step and not by and step % loop.step == 0 and loop.test == "!=":
            factor = abs(step // loop.step)
            way = span if factor == 1 else f"{span} * {factor}"
        else:
            way = rounds if way == "1" else f"{rounds} * {way}"
        if stride < 0 and not step:
            continue
        if stride >= 0 and e.read(stride).lo < 0:
            conditions.append(f"0 <= l{stride}")
        if step < 0:
            conditions.append(f"{way} <= {j.text} <= {LIMIT}")
        else:
            conditions.append(f"{j.text} + {way} <= {LIMIT}")
        known[local] = named(local, j.lo if step >= 0 else -step, LIMIT)
        if stride >= 0:
            known[stride] = bounded(e.read(stride), 0, LIMIT)
    return Plan(" and ".join(conditions), header, known, loop)


def difference(high: Operand, low: Operand) -> str:
    """A term for how much more the one is than the other."""
    if low.known and low.lo == 0:
        return high.text
    if high.known and low.known:
        return str(high.lo - low.lo)
    return f"({high.text} - {low.text})"


def stepped(loop: Counted, known: Operand) -> Operand:
    """The counting local after its increment, which is never done: `range` does it."""
    if not loop.step:
        reads = known.reads | 1 << 2 * loop.stride
        return Operand(f"l{loop.local} + l{loop.stride}", known.lo + 1, LIMIT, 0, reads, 1)
    sign = "+" if loop.step > 0 else "-"
    text = f"l{loop.local} {sign} {abs(loop.step)}"
    return Operand(text, known.lo + loop.step, known.hi + loop.step, 0, known.reads, 1)


def incremented(loop: Counted) -> str:
    """What is done at the end of the last round, before which `range` ends."""
    by = abs(loop.step) or f"l{loop.stride}"
    return f"l{loop.local} = l{loop.local} {'-' if loop.step < 0 else '+'} {by}"


def begin_loop(e: Emitter, frame: Frame, node: Loop, index: int) -> None:
    """Go on in the body of the loop at `index`."""
    if not node.after:
        node.end = frame.label
    frame.node = node
    e.seq.append(node)
    e.seq = node.body
    e.around = frame
    e.work.spend(4 * len(e.known))
    e.known = e.forecast.at_head(index, e.known)


def begin_counted(e: Emitter, frame: Frame, planned: Plan) -> None:
    """Begin the first form of a counted loop."""
    e.work.spend(len(e.stack) >> 3)
    frame.known, frame.params = e.known, e.stack.copy()
    if planned.guard:
        frame.choice = If(planned.guard, -1)
        e.seq.append(frame.choice)
        e.seq = frame.choice.then
    e.counting = planned.counted
    e.used_locals.add(e.counting.local)
    begin_loop(e, frame, Loop(planned.header, incremented(e.counting)), e.pc)
    e.known.update(planned.known)


def end_counted(e: Emitter, counting: Counted) -> None:
    """End the first form of a counted loop, at its last branch, and begin the second, if there is one."""
    frame = e.frames[-1]
    assert frame.node is not None
    e.stack.pop()
    e.counting = None
    e.seq.append(Br(frame.node.label))
    after = e.known[counting.local]
    e.known[counting.local] = named(counting.local, after.lo, after.hi)
    after_branch = e.pc + 1
    if frame.choice is None:
        e.frames.pop()
        e.seq, e.around = frame.seq, frame.around
        e.meter(after_branch)
        e.resume = after_branch + 1
        return
    e.seq = frame.choice.then
    e.meter(after_branch)
    br = Br(frame.label)
    frame.choice.then.append(br)
    frame.arrivals.append((br, frame.around, e.known))
    e.seq = frame.choice.orelse
    e.stack, e.known = frame.params, frame.known
    e.settled = len(e.stack)
    begin_loop(e, frame, Loop(), counting.start - 1)
    e.resume = 0
    e.translate(counting.start, after_branch)
