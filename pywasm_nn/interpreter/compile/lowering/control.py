"""Control and parametric instructions
(https://webassembly.github.io/spec/core/exec/instructions.html#control-instructions)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...instructions import Op
from ...types import F32, I32, I64, ValType
from ..analysis.counted import counted_loop
from ..analysis.ranges import meanings
from ..forms.integers import condition
from ..forms.operands import (
    BOOL,
    FORM_VARIABLE,
    QUIET,
    ROUND,
    TRAP,
    Facts,
    Operand,
    call,
    choice,
    chosen,
    compared,
    item_of,
    number,
    stacked,
    tupled,
    variable,
)
from ..forms.tree import Assign, AssignAll, Block, Br, Do, Loop, Seq, Switch
from .ahead import run_ahead, store_apart
from .arrays import run_whole
from .emitter import Emitter, translates
from .loops import begin_counted, begin_loop, end_counted, plan
from .scopes import Scope
from .search import run_search

CASE = variable("k")
"""The variable with the number of a switch's arm."""


@translates("nop")
def nop(e: Emitter, op: Op, imm: Any) -> None:
    pass


@translates("unreachable")
def unreachable(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    e.code.leave((call("unreachable", ()),), e.pc)


# Structured instructions


def open_scope(e: Emitter) -> Scope:
    """Open the scope of the current instruction; its parameters are on the stack, settled."""
    type_ = e.facts.blocks[e.pc]
    return e.code.begin(type_, e.facts.ends[e.pc], len(e.stack) - len(type_.params))


@translates("block")
def block(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle_all()
    open_scope(e)


@translates("loop")
def loop(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle_all()
    type_ = e.facts.blocks[e.pc]
    if e.pc + 1 not in e.forecast.heads:
        open_scope(e)
        return
    found = counted_loop(e.body, e.facts, e.pc)
    plain = None if found is not None and found.nested else found
    apart = None
    if not run_ahead(e, plain):
        run_whole(e, plain)
        apart = store_apart(e, plain) if plain is not None else None
    can_count = e.counts and (e.counting is None or e.counting.nested)
    planned = plan(e.locals, found) if found is not None and can_count else None
    scope = open_scope(e)
    if planned is not None:
        begin_counted(e, scope, planned, apart)
        return
    move(e, type_.params, scope.height)
    e.stack.push_variables(type_.params)
    node = Loop()
    if found is None:
        node.ahead = run_search(e)
    begin_loop(e, scope, node, e.pc)


@translates("if")
def if_(e: Emitter, op: Op, imm: Any) -> None:
    operand = e.stack.pop()
    instr = e.stack.instr_of(operand)
    if_true, if_false = meanings(operand)
    e.stack.settle_all()
    scope = open_scope(e)
    node = e.code.begin_choice(condition(operand), instr)
    scope.orelse = node.orelse
    scope.params = e.stack[scope.height :]
    then = e.locals.fork()
    e.locals.learn(if_false)
    scope.known = e.locals.known
    e.locals.restore(then)
    e.locals.learn(if_true)
    scope.resume = e.facts.elses.get(e.pc, scope.resume)
    e.code.go_on(node.then)


@translates("else")
def else_(e: Emitter, op: Op, imm: Any) -> None:
    scope = e.code.innermost
    begin_else(e, scope)
    scope.resume = scope.end


def begin_else(e: Emitter, scope: Scope) -> None:
    """End the first arm of an `if` and begin the second."""
    if not e.code.dead:
        arrive(e, scope)
    e.code.begin_else(scope)
    e.locals.restore(scope.known)
    e.stack.replace(scope.params, scope.height)


@translates("end", "delegate")
def end(e: Emitter, op: Op, imm: Any) -> None:
    assert e.counting is None or e.counting.branch + 1 != e.pc, "a counted loop gets to its branch"
    if e.ended == e.pc:
        return
    code = e.code
    if len(code.open) == 1:
        if not code.dead:
            leave(e)
        return
    scope = code.open[-1]
    if scope.orelse is not None:
        begin_else(e, scope)
    if not code.dead:
        arrive(e, scope)
    code.close()
    if scope.finish is not None:
        scope.finish(e, scope)
    else:
        end_scope(e, scope)


def end_scope(e: Emitter, scope: Scope) -> None:
    """Continue after a closed scope with its results on the stack."""
    if scope.arrivals:
        follow(e, scope)
        scope.arrivals.clear()  # break the reference cycle of a loop, so that it is freed at once
    e.stack.cut(scope.height)
    e.stack.push_variables(scope.type.results)


def follow(e: Emitter, scope: Scope) -> None:
    """Continue after a closed scope to which branches lead."""
    arrivals = scope.arrivals
    e.code.revive()
    if scope.node is not None and scope.choice is None:
        e.locals.restore(arrivals[0][2])
    elif len(arrivals) == 1 and arrivals[0][1] is scope.around:
        br, _, known = arrivals[0]
        br.seq = []
        e.code.go_on(br.seq)
        e.locals.restore(known)
    else:
        e.code.append(Block(scope.label, e.code.gather(scope)))
        e.locals.join([known for _, _, known in arrivals])


# Branches


def move(e: Emitter, types: Sequence[ValType], height: int) -> None:
    """Move the top operands to the place of a label's values: the stack variables from `height` on."""
    stack = e.stack
    if len(types) == 1:
        operand = stack.pop_type(types[0])
        if not holds(operand, height) or operand.flags & ROUND:
            e.code.assign(stacked(height, 0, -1), operand, stack.instr_of(operand))
        return
    if not types:
        return
    values = stack.take(types)
    places = [n for n, value in enumerate(values, height) if not holds(value, n)]
    if places:
        moved = [values[n - height] for n in places]
        e.code.append(AssignAll([stacked(n, 0, -1) for n in places], moved, stack.instr_in(moved)))


def holds(operand: Operand, height: int) -> bool:
    """Whether an operand is the stack variable at this height."""
    return operand.form == FORM_VARIABLE and operand.reads == 2 << 2 * height


def arrive(e: Emitter, scope: Scope) -> None:
    """Branch to the place after a scope's instruction."""
    results = scope.type.results
    if results or e.stack.armed:
        e.stack.settle_for_branch(len(results))
        move(e, results, scope.height)
    scope.arrivals.append((e.code.branch(scope.label), e.code.around, e.locals.known))


def go(e: Emitter, scope: Scope) -> None:
    """Branch to a scope's label."""
    if scope is e.code.open[0]:
        leave(e)
    elif scope.node is not None:
        params = scope.type.params
        if params or e.stack.armed:
            e.stack.settle_for_branch(len(params))
            move(e, params, scope.height)
        e.code.branch(scope.node.label)
    else:
        arrive(e, scope)


def arm(e: Emitter, seq: Seq, scope: Scope, facts: Facts = ()) -> None:
    """Branch to a scope's label in one arm of a choice; afterwards the state is restored for the next arm."""
    locals_, code = e.locals, e.code
    known, is_block = locals_.known, scope.node is None and scope is not code.open[0]
    if is_block:  # other targets need no facts
        locals_.fork(len(e.stack))
        if facts:
            locals_.learn(facts)
    if is_block and not scope.type.results and not e.stack.armed:  # as most are
        br = Br(scope.label)
        seq.append(br)
        scope.arrivals.append((br, code.around, locals_.known))
    else:
        stack = e.stack.saved()
        code.go_on(seq)
        go(e, scope)
        code.revive()
        e.stack.restore(stack)
    locals_.restore(known)


@translates("br")
def br(e: Emitter, op: Op, imm: Any) -> None:
    go(e, e.code.target(imm))


@translates("br_if")
def br_if(e: Emitter, op: Op, imm: Any) -> None:
    if e.counting is not None and e.counting.branch == e.pc:
        end_counted(e, e.counting)
        return
    operand = e.stack.pop()
    if e.stack.armed and not operand.flags & TRAP:
        e.stack.settle()
    if_true, if_false = meanings(operand)
    node = e.code.begin_choice(condition(operand), e.stack.instr_of(operand))
    arm(e, node.then, e.code.target(imm), if_true)
    e.code.go_on(node.orelse)
    if if_false:
        e.locals.learn(if_false)


@translates("br_table")
def br_table(e: Emitter, op: Op, imm: Any) -> None:
    operand = e.stack.pop_int()
    if not operand.flags & TRAP:
        e.stack.settle()
    instr = e.stack.instr_of(operand)
    depths = list(imm)
    default = depths.pop()
    while depths and depths[-1] == default:
        depths.pop()
    if not depths:
        if instr >= 0:
            e.code.append(Do(operand, instr))
        go(e, e.code.target(default))
        return
    if operand.form != FORM_VARIABLE:
        e.code.append(Assign(CASE, operand, instr))
        operand = CASE
    switch, targets = switch_of(e, operand, depths, default)
    e.code.append(switch)
    for seq, depth in zip(switch.arms, targets, strict=True):
        arm(e, seq, e.code.target(depth))
    e.code.die()


def switch_of(e: Emitter, value: Operand, depths: list[int], default: int) -> tuple[Switch, list[int]]:
    """A switch with an arm for each run of equal labels, or, if several runs have the same label, for each
    label; and the labels of its arms."""
    starts = [n for n in range(len(depths)) if not n or depths[n] != depths[n - 1]]
    targets = [*(depths[start] for start in starts), default]
    distinct = sorted(set(targets))
    if len(distinct) == len(targets):
        return Switch(value, [*starts, len(depths)]), targets
    numbers = {depth: number(place) for place, depth in enumerate(distinct)}
    chosen_ = item_of(tupled([numbers[depth] for depth in depths]), value)
    fits = compared("<", value, number(len(depths)))
    e.code.append(Assign(CASE, chosen(fits, chosen_, numbers[default])))
    return Switch(CASE, range(len(distinct))), distinct


@translates("return")
def return_(e: Emitter, op: Op, imm: Any) -> None:
    leave(e)


def leave(e: Emitter) -> None:
    """Return from the function."""
    types = e.facts.type.results
    e.stack.settle_for_branch(len(types))
    values = e.stack.take(types)
    e.code.leave(values, e.stack.instr_in(values))


# Parametric instructions


@translates("drop")
def drop(e: Emitter, op: Op, imm: Any) -> None:
    operand = e.stack.pop()
    if operand.flags & TRAP:
        e.code.append(Do(operand, e.stack.trapping))


@translates("select", "select_t")
def select(e: Emitter, op: Op, imm: Any) -> None:
    type_, stack = e.facts.types.get(e.pc), e.stack
    top = len(stack) - 1
    heights = top - 2, top - 1
    for height in heights:
        if stack[height].flags & TRAP:
            stack.spill(height)
        if type_ is F32:
            numbers = stack[top - 2].flags & stack[top - 1].flags & QUIET
            if not (numbers and e.views):
                stack.finish(height)
    if (type_ is I32 or type_ is I64) and not stack[top - 2].flags & stack[top - 1].flags & BOOL:
        for height in heights:
            stack.as_number(height)
    test, second, first = stack.pop(), stack.pop(), stack.pop()
    flags = (test.flags | second.flags | first.flags) & ROUND | first.flags & second.flags & (BOOL | QUIET)
    stack.push(choice(condition(test), first, second, flags))
