"""Control and parametric instructions, and calls
(https://webassembly.github.io/spec/core/exec/instructions.html#control-instructions)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...types import F32, I32, I64, ValType
from ..analysis.counted import NeverCounts, counted
from ..analysis.ranges import learn, meanings
from ..forms.operands import (
    ATOM,
    BOOL,
    EFFECTS,
    IN_CHOICE,
    QUIET,
    ROUND,
    TRAP,
    Facts,
    Known,
    Operand,
    bounded,
    condition,
    embedded,
    observed,
)
from ..forms.tree import Block, Br, If, Loop, Switch
from .ahead import run_ahead
from .emitter import Emitter, Frame, translates
from .loops import begin_counted, begin_loop, end_counted, plan


@translates("nop")
def nop(e: Emitter, op: Op, imm: Any) -> None:
    pass


@translates("unreachable")
def unreachable(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    e.leave("return unreachable()", e.pc)


@translates("block")
def block(e: Emitter, op: Op, imm: Any) -> None:
    e.settle_all()
    open_frame(e)


@translates("loop")
def loop(e: Emitter, op: Op, imm: Any) -> None:
    e.settle_all()
    type_ = e.facts.blocks[e.pc]
    if e.pc + 1 not in e.forecast.heads:
        open_frame(e)
        return
    found = counted(e.body, e.facts, e.pc)
    run_ahead(e, found)
    planned = plan(e, found) if found is not None and e.counts and e.counting is None else None
    frame = open_frame(e)
    if planned is not None:
        begin_counted(e, frame, planned)
        return
    move(e, type_.params, frame.height)
    for param in type_.params:
        e.push_var(param)
    e.settled = len(e.stack)
    begin_loop(e, frame, Loop(), e.pc)


@translates("if")
def if_(e: Emitter, op: Op, imm: Any) -> None:
    operand = e.stack.pop()
    text, instr = condition(operand), e.trapping if operand.flags & TRAP else -1
    if_true, if_false = meanings(operand)
    e.settle_all()
    frame = open_frame(e)
    node = If(text, instr)
    e.seq.append(node)
    frame.orelse = node.orelse
    frame.params = e.stack[frame.height :]
    frame.known = copied(e, e.known)
    learn(frame.known, if_false)
    learn(e.known, if_true)
    frame.resume = e.facts.elses.get(e.pc, frame.resume)
    e.seq = node.then


@translates("else")
def else_(e: Emitter, op: Op, imm: Any) -> None:
    frame = e.frames[-1]
    begin_else(e, frame)
    frame.resume = frame.end


@translates("end")
def end(e: Emitter, op: Op, imm: Any) -> None:
    if e.counting is not None and e.counting.branch + 1 == e.pc:
        raise NeverCounts
    frame = e.frames[-1]
    if len(e.frames) == 1:
        if not e.dead:
            return_(e, op, imm)
        return
    if frame.orelse is not None:
        begin_else(e, frame)
    if not e.dead:
        arrive(e, frame)
    e.frames.pop()
    e.around = frame.around
    e.seq = frame.seq
    if frame.finish is not None:
        frame.finish(e, frame)
        return
    e.dead = not frame.arrivals
    if frame.node is not None and frame.choice is None:
        if frame.arrivals:
            e.known = frame.arrivals[0][2]
    elif len(frame.arrivals) == 1 and frame.arrivals[0][1] is frame.around:
        br, _, e.known = frame.arrivals[0]
        br.seq = e.seq = []
    elif frame.arrivals:
        body = e.seq[frame.start :]
        del e.seq[frame.start :]
        e.seq.append(Block(frame.label, body))
        e.known = meet(e, [known for _, _, known in frame.arrivals])
    frame.arrivals.clear()  # a loop's name the loop itself: what refers to itself stays until Python looks
    del e.stack[frame.height :]
    for type_ in frame.type.results:
        e.push_var(type_)
    e.settled = len(e.stack)


def open_frame(e: Emitter) -> Frame:
    """Open the frame of the instruction at hand; its parameters are on the stack, settled."""
    type_ = e.facts.blocks[e.pc]
    frame = Frame(type_, e.facts.ends[e.pc], len(e.stack) - len(type_.params), e.seq, e.around)
    e.frames.append(frame)
    return frame


def begin_else(e: Emitter, frame: Frame) -> None:
    """End the first arm of an `if` and begin the second."""
    if not e.dead:
        arrive(e, frame)
    assert frame.orelse is not None
    e.seq, frame.orelse = frame.orelse, None
    e.known = frame.known
    e.stack[frame.height :] = frame.params
    e.settled = len(e.stack)
    e.armed = False
    e.dead = False


def move(e: Emitter, types: tuple[ValType, ...], height: int) -> None:
    """Put the top operands where a label expects its values: in the stack variables from `height` on."""
    if len(types) == 1:
        operand = e.pop_type(types[0])
        if operand.text != f"v{height}" or operand.flags & ROUND:
            e.assign(f"v{height}", operand)
        return
    operands = e.take(types)
    pairs = [
        (f"v{height + n}", operand) for n, operand in enumerate(operands) if operand.text != f"v{height + n}"
    ]
    if pairs:
        targets, values = (
            ", ".join(name for name, _ in pairs),
            ", ".join(operand.text for _, operand in pairs),
        )
        trapping = any(operand.flags & TRAP for _, operand in pairs)
        e.line(f"{targets} = {values}", e.trapping if trapping else -1)


def arrive(e: Emitter, frame: Frame) -> None:
    """Go to what follows a frame's instruction."""
    results = frame.type.results
    e.settle_for_branch(len(results))
    move(e, results, frame.height)
    br = Br(frame.label)
    e.seq.append(br)
    frame.arrivals.append((br, e.around, e.known))
    e.dead = True


def go(e: Emitter, depth: int) -> None:
    """Branch to the label `depth` levels out."""
    frame = e.frames[-1 - depth]
    if frame is e.frames[0]:
        leave(e)
    elif frame.node is not None:
        params = frame.type.params
        e.settle_for_branch(len(params))
        move(e, params, frame.height)
        e.seq.append(Br(frame.node.label))
        e.dead = True
    else:
        arrive(e, frame)


def copied(e: Emitter, known: Known) -> Known:
    """What is known, for another way."""
    e.work.spend(len(known) >> 2)
    return known.copy()


def meet(e: Emitter, all_known: list[Known]) -> Known:
    """What is known where several ways meet."""
    first, *others = all_known
    met = first.copy()
    for other in others:
        e.work.spend(len(met))
        for index, operand in list(met.items()):
            same = other.get(index)
            if same is operand:
                continue
            if same is None:
                del met[index]
                continue
            lo, hi = min(operand.lo, same.lo), max(operand.hi, same.hi)
            flags = operand.flags & same.flags
            if lo < operand.lo or hi > operand.hi or flags != operand.flags:
                met[index] = bounded(operand, lo, hi, flags)
    return met


@translates("br")
def br(e: Emitter, op: Op, imm: Any) -> None:
    go(e, imm)


@translates("br_if")
def br_if(e: Emitter, op: Op, imm: Any) -> None:
    if e.counting is not None and e.counting.branch == e.pc:
        end_counted(e, e.counting)
        return
    operand = e.stack.pop()
    if not operand.flags & TRAP:
        e.settle()
    node = If(condition(operand), e.trapping if operand.flags & TRAP else -1)
    if_true, if_false = meanings(operand)
    e.seq.append(node)
    arm(e, node.then, imm, if_true)
    e.seq = node.orelse
    learn(e.known, if_false)


def arm(e: Emitter, seq: list[Any], depth: int, facts: Facts = ()) -> None:
    """Branch in one arm of a choice; afterwards all is as before, for the next arm."""
    e.work.spend(len(e.stack) >> 3)
    stack, settled, known = e.stack.copy(), e.settled, e.known
    e.seq = seq
    e.known = copied(e, known)
    learn(e.known, facts)
    go(e, depth)
    e.dead = False
    e.stack, e.settled, e.known = stack, settled, known


@translates("br_table")
def br_table(e: Emitter, op: Op, imm: Any) -> None:
    operand = e.pop_int()
    if not operand.flags & TRAP:
        e.settle()
    instr = e.trapping if operand.flags & TRAP else -1
    depths = list(imm)
    default = depths.pop()
    while depths and depths[-1] == default:
        depths.pop()
    if not depths:
        if instr >= 0:
            e.line(operand.text, instr)
        go(e, default)
        return
    runs = [0, *(n for n in range(1, len(depths)) if depths[n] != depths[n - 1]), len(depths)]
    targets = [depths[start] for start in runs[:-1]] + [default]
    bounds: list[int] = runs
    name = operand.text if operand.flags & ATOM and operand.text.isidentifier() else "k"
    if name == "k":
        e.line(f"k = {operand.text}", instr)
    distinct = sorted(set(targets))
    if len(distinct) < len(targets):
        numbers = {depth: number for number, depth in enumerate(distinct)}
        choices = ", ".join(str(numbers[depth]) for depth in depths)
        e.line(f"k = ({choices},)[{name}] if {name} < {len(depths)} else {numbers[default]}")
        name, targets, bounds = "k", distinct, list(range(len(distinct)))
    node = Switch(name, bounds)
    e.seq.append(node)
    for seq, depth in zip(node.arms, targets, strict=True):
        arm(e, seq, depth)
    e.dead = True


@translates("return")
def return_(e: Emitter, op: Op, imm: Any) -> None:
    leave(e)


def leave(e: Emitter) -> None:
    """Return from the function."""
    types = e.facts.type.results
    e.settle_for_branch(len(types))
    values = e.take(types)
    instr = e.trapping if any(value.flags & TRAP for value in values) else -1
    if not values:
        e.leave("return")
    elif len(values) == 1:
        e.leave(f"return {values[0].text}", instr)
    else:
        e.leave(f"return ({', '.join(value.text for value in values)})", instr)


@translates("drop")
def drop(e: Emitter, op: Op, imm: Any) -> None:
    operand = e.stack.pop()
    if operand.flags & TRAP:
        e.line(operand.text, e.trapping)


@translates("select", "select_t")
def select(e: Emitter, op: Op, imm: Any) -> None:
    type_ = e.facts.types.get(e.pc)
    top = len(e.stack) - 1
    for height in (top - 2, top - 1):
        if e.stack[height].flags & TRAP:
            e.spill(height)
        if type_ is F32:
            numbers = e.stack[top - 2].flags & e.stack[top - 1].flags & QUIET
            if not (numbers and e.view):
                e.finish(height)
    if type_ is I32 or type_ is I64:
        both = e.stack[top - 2].flags & e.stack[top - 1].flags & BOOL
        for height in (top - 2, top - 1):
            if not both and e.stack[height].flags & BOOL:
                e.stack[height] = observed(e.stack[height], 32)
    chosen = e.stack.pop()
    second, first = e.stack.pop(), e.stack.pop()
    flags = (chosen.flags | second.flags | first.flags) & (EFFECTS | ROUND) | first.flags & second.flags & (
        BOOL | QUIET
    )
    lo, hi = min(first.lo, second.lo), max(first.hi, second.hi)
    choice = embedded(condition(chosen))
    text = f"{first.within(IN_CHOICE)} if {choice} else {second.within(IN_CHOICE)}"
    depth = max(chosen.depth, first.depth, second.depth) + 1
    e.push(Operand(text, lo, hi, flags, chosen.reads | second.reads | first.reads, depth))
