"""Control, calls and exceptions in random functions; see `random_bodies.py`."""

from __future__ import annotations

from collections.abc import Callable

from random_bodies import (
    BOUNDS,
    COUNTERS,
    FUEL,
    FUNCTION_TYPES,
    MOST_LOOPS,
    NOTED,
    VALUES,
    Label,
    Writer,
    makes,
)

from pywasm_nn.interpreter.module import BlockType, Catch, MemArg
from pywasm_nn.interpreter.types import EXN, F64, I32, I64, NUM_TYPES, RefType, TypeIdx, ValType

PAIR, CAUGHT, CAUGHT_REF = 10, 12, 13
THROWER = 9
NOTHING = BlockType()
Types = tuple[ValType, ...]


@makes("unreachable")
def unreachable(w: Writer, want: ValType | None) -> Types:
    with w.guarded(), w.guarded():
        w.put("unreachable")
    return ()


@makes("nop")
def nop(w: Writer, want: ValType | None) -> Types:
    w.put("nop")
    return ()


def some_type(w: Writer, want: ValType | None) -> Types:
    """What a block shall leave: what is wanted, or one value, or nothing."""
    if want is not None:
        return (want,)
    return w.random.choice(((), (), (w.random.choice(VALUES),)))


def block_type(types: Types) -> BlockType:
    return BlockType(result=types[0] if types else None)


def contents(w: Writer, types: Types) -> None:
    """Write statements and then values of these types."""
    w.statements()
    if w.random.random() < 0.03:
        leave(w)  # and what follows is never reached
    for type_ in types:
        w.value(type_)


@makes("block", *VALUES)
def block(w: Writer, want: ValType | None) -> Types:
    if want is None and w.random.random() < 0.3:
        return pair(w, "block")
    types = some_type(w, want)
    with w.block("block", block_type(types), Label(types)):
        contents(w, types)
    return types


def pair(w: Writer, name: str) -> Types:
    """A block that takes and leaves two values."""
    takes, leaves = w.module.func_type(PAIR).params, w.module.func_type(PAIR).results
    for type_ in takes:
        w.value(type_)
    label = Label(takes, is_loop=True) if name == "loop" else Label(leaves)
    with w.block(name, BlockType(typeidx=PAIR), label):
        w.sink(takes)
        contents(w, leaves)
    return leaves


@makes("if", *VALUES)
def if_(w: Writer, want: ValType | None) -> Types:
    types = some_type(w, want)
    w.value(I32)
    with w.block("if", block_type(types), Label(types)):
        contents(w, types)
        if types or w.random.random() < 0.6:
            w.put("else")
            contents(w, types)
    return types


@makes("else")
def else_(w: Writer, want: ValType | None) -> Types:
    w.value(I32)
    with w.block("if", NOTHING, Label(())):
        w.statements()
        w.put("else")
        w.statements()
    return ()


@makes("end")
def end(w: Writer, want: ValType | None) -> Types:
    return block(w, None)


@makes("loop", *NUM_TYPES)
def loop(w: Writer, want: ValType | None) -> Types:
    if want is None and w.random.random() < 0.02 and len(w.labels) < 10:
        deep(w)
    elif w.loops < MOST_LOOPS and w.random.random() < 0.2:
        moving(w)
    elif w.loops < MOST_LOOPS and w.random.random() < 0.5:
        counted(w)
    elif want is None and w.random.random() < 0.3:
        return pair(w, "loop")
    else:
        with w.block("loop", NOTHING, Label((), is_loop=True)):
            w.statements()
            if w.random.random() < 0.3:
                branch(w, 0)
            w.statements()
            branch(w, 0)
    if want is not None:
        w.value(want)
        return (want,)
    return ()


def deep(w: Writer) -> None:
    """More loops, or blocks of any kind, in each other than Python can nest."""
    count = w.random.choice((19, 20, 21, 25, 60, 120))
    kinds = w.random.choice(
        (
            ("loop",),
            ("loop", "block", "if", "try_table", "try", "delegate"),
            ("try_table",),
            ("try", "delegate"),
        )
    )
    names = [w.random.choice(kinds) for _ in range(count)]
    for name in names:
        if name == "if":
            w.value(I32)
        elif name == "try_table":
            w.put("block", NOTHING)
            w.labels.append(Label(()))
        catches = (Catch(w.random.choice((None, 1)), False, 0),)
        w.put("try" if name == "delegate" else name, (NOTHING, catches) if name == "try_table" else NOTHING)
        w.labels.append(Label((), is_loop=name == "loop"))
    w.statement()
    w.statement()
    for name in reversed(names):
        if name == "loop":
            branch(w, 0)
        w.labels.pop()
        if name == "delegate":
            w.put("delegate", w.random.randrange(min(len(w.labels), 7)))
            continue
        if name == "try":
            w.put("catch_all")
        w.put("end")
        if name == "try_table":
            w.labels.pop()
            w.put("end")


def counted(w: Writer) -> None:
    """A loop that ends by a counter of its own, up or down to a number or what is in a local. In some another
    local walks along."""
    r, counter, bound = w.random, COUNTERS[w.loops], BOUNDS[w.loops]
    up, step, rounds = r.random() < 0.7, r.choice((1, 1, 2, 4)), r.choice((1, 2, 3, 4, 12))
    first, last = (0, rounds * step) if up else (rounds * step, 0)
    in_local = r.random() < 0.4
    walker = r.choice((0, 1, 5)) if r.random() < 0.4 else None
    w.put("i32.const", first)
    w.put("local.set", counter)
    if in_local:
        w.put("i32.const", last)
        w.put("local.set", bound)
    if walker is not None:
        w.small(2000)
        w.put("local.set", walker)
        w.read.add(walker)
    w.loops += 1
    with w.block("loop", NOTHING, Label((), is_loop=True)):
        w.statements()
        if walker is not None:
            w.put("local.get", walker)
            w.put("local.get", walker)
            w.put("i32.load8_u", MemArg(0, 0))
            w.put("i32.store8", MemArg(0, 1))
            step_by(w, walker, r.choice((1, 4, -1, 3, -4, 16)))
            w.put("local.set", walker)
        w.statements()
        step_by(w, counter, step if up else -step)
        w.put("local.tee", counter)
        if in_local or up or r.random() < 0.5:
            w.put("local.get", bound) if in_local else w.put("i32.const", last)
            w.put(r.choice(("i32.lt_u", "i32.lt_s", "i32.ne") if up else ("i32.gt_s", "i32.gt_u", "i32.ne")))
        w.put("br_if", 0)
    w.loops -= 1


TARGET, SOURCE, BYSTANDER = 0, 1, 5
"""Locals of loops that move bytes: i32, as good as any."""


def moving(w: Writer) -> None:
    """A loop that copies or fills as those of libc do, up and down, with strides that may be unequal, from
    where addresses may wrap. Another local counts beside it, and how one of them compares is noted."""
    r, counter = w.random, COUNTERS[w.loops]
    size, bits, sign = r.choice(((1, "8", "_u"), (2, "16", "_u"), (4, "", "")))
    load = f"i32.load{bits}{sign}" if r.random() < 0.7 else ""
    apart, compared = r.choice((0, 0, 0, 100, 0x60000000)), r.choice((TARGET, BYSTANDER))
    for local in (TARGET, SOURCE, BYSTANDER):
        w.read.add(local)
        start = r.choice((r.randrange(2000), r.randrange(2000), -r.randrange(200)))
        w.put("i32.const", (start - (apart if local == TARGET else 0)) % (1 << 32))
        w.put("local.set", local)
    w.put("i32.const", r.choice((3, 9, 12, 40)))
    w.put("local.set", counter)
    parts = [
        lambda: move_once(w, apart, f"i32.store{bits}", load),
        lambda: note(w, compared),
        lambda: walk(w, TARGET, r.choice((size, size, size, size, -size, 2 * size))),
        lambda: walk(w, SOURCE, r.choice((size, size, size, size, -size, 3))),
        lambda: walk(w, BYSTANDER, r.choice((1, -1, 7, 0x10000000, -0x7FFF, 0x8000))),
    ]
    if r.random() < 0.3:
        r.shuffle(parts)
    w.loops += 1
    with w.block("loop", NOTHING, Label((), is_loop=True)):
        for part in parts:
            part()
        step_by(w, counter, -1)
        w.put("local.tee", counter)
        w.put("br_if", 0)
    w.loops -= 1
    w.put("i32.const", 1000)
    w.put("local.get", NOTED)
    w.put("i32.store", MemArg(0, 0))


def move_once(w: Writer, apart: int, store: str, load: str) -> None:
    """Write a store of what is loaded, or of a number."""
    w.put("local.get", TARGET)
    if apart:
        w.put("i32.const", apart)
        w.put("i32.add")
    if load:
        w.put("local.get", SOURCE)
        w.put(load, MemArg(0, 0))
    else:
        w.put("i32.const", 0x1A5)
    w.put(store, MemArg(0, 0))


def note(w: Writer, local: int) -> None:
    """Write down how a local compares with a number."""
    w.put("local.get", local)
    w.put("i32.const", w.random.choice((77, 0x7FFFFFFF, 0xFFFFFFF0)))
    w.put(w.random.choice(("i32.lt_u", "i32.gt_u", "i32.lt_s", "i32.ge_s")))
    w.put("local.set", NOTED)


def walk(w: Writer, local: int, step: int) -> None:
    step_by(w, local, step)
    w.put("local.set", local)


def step_by(w: Writer, local: int, step: int) -> None:
    """Write the sum of a local and a number."""
    w.put("local.get", local)
    w.put("i32.const", abs(step))
    w.put("i32.add" if step > 0 else "i32.sub")


def branch(w: Writer, depth: int) -> None:
    """Write a branch: to a loop only if there is fuel for it."""
    label = w.labels[-1 - depth]
    if not label.is_loop:
        for type_ in label.carries:
            w.value(type_)
        w.put("br", depth)
        return
    w.read.add(FUEL)
    for name, imm in (("local.get", FUEL), ("i32.const", 1), ("i32.sub", None), ("local.tee", FUEL)):
        w.put(name, imm)
    w.put("i32.const", 0)
    w.put("i32.gt_s")
    with w.block("if", NOTHING, Label(())):
        for type_ in label.carries:
            w.value(type_)
        w.put("br", depth + 1)


def leave(w: Writer) -> None:
    """Write a branch, out of anything that is open."""
    branch(w, w.random.randrange(len(w.labels)))


@makes("br")
def br(w: Writer, want: ValType | None) -> Types:
    with w.guarded():
        leave(w)
    return ()


def forward(w: Writer, carries: Types) -> list[int]:
    """Depths of labels after what is written, by what they carry."""
    return [n for n, label in enumerate(reversed(w.labels)) if label.carries == carries and not label.is_loop]


@makes("br_if", *VALUES)
def br_if(w: Writer, want: ValType | None) -> Types:
    types = (want,) if want is not None else w.random.choice(w.labels).carries
    depths = forward(w, types)
    for type_ in types:
        w.value(type_)
    if depths:
        w.value(I32)
        w.put("br_if", w.random.choice(depths))
    return types


@makes("br_table")
def br_table(w: Writer, want: ValType | None) -> Types:
    r = w.random
    if r.random() < 0.5:
        return switch(w)
    depths = forward(w, r.choice([label for label in w.labels if not label.is_loop]).carries)
    with w.guarded():
        depth = r.choice(depths)
        for type_ in w.labels[-2 - depth].carries:
            w.value(type_)
        w.small(5)
        w.put("br_table", tuple(1 + r.choice(depths) for _ in range(r.randrange(1, 6))))
    return ()


def switch(w: Writer) -> Types:
    """Blocks in each other, and a br_table that chooses after which to go on."""
    count = w.random.randrange(1, 4)
    for _ in range(count):
        w.put("block", NOTHING)
        w.labels.append(Label(()))
    w.small(count + 1)
    w.put("br_table", tuple(w.random.randrange(count) for _ in range(w.random.randrange(1, 6))))
    for _ in range(count):
        w.labels.pop()
        w.put("end")
        w.statement()
    return ()


@makes("return")
def return_(w: Writer, want: ValType | None) -> Types:
    with w.guarded():
        for type_ in w.results:
            w.value(type_)
        w.put("return")
    return ()


@makes("drop")
def drop(w: Writer, want: ValType | None) -> Types:
    w.value(w.random.choice(VALUES))
    w.put("drop")
    return ()


@makes("select", *NUM_TYPES)
def select(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(NUM_TYPES)
    for operand in (type_, type_, I32):
        w.value(operand)
    w.put("select")
    return (type_,)


@makes("select_t", *VALUES)
def select_t(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(VALUES)
    for operand in (type_, type_, I32):
        w.value(operand)
    w.put("select_t", (type_,))
    return (type_,)


# Calls


def callee(w: Writer, want: ValType | None) -> int:
    """A function of the surroundings that gives what is wanted."""
    wanted = [n for n, type_ in enumerate(w.module.func_types) if want is None or type_.results == (want,)]
    return w.random.choice(wanted)


def arguments(w: Writer, typeidx: int) -> Types:
    """Write arguments; the results."""
    type_ = w.module.func_type(typeidx)
    for param in type_.params:
        w.value(param)
    return type_.results


@makes("call", *NUM_TYPES)
def call(w: Writer, want: ValType | None) -> Types:
    funcidx = callee(w, want)
    results = arguments(w, w.module.func_typeidxs[funcidx])
    w.put("call", funcidx)
    return results


def table_and_index(w: Writer, typeidx: int) -> int:
    """Write the index of an element of a table of functions: mostly of one of this type."""
    places = [1 + n for n, known in enumerate(w.module.func_typeidxs) if known == typeidx]
    if w.random.random() < 0.15:
        w.small(8, I64)
        return 3
    if w.random.random() < 0.2:
        w.small(21)
    elif w.random.random() < 0.5:
        w.put("i32.const", places[0])
        w.put("i32.const", places[-1])
        w.value(I32)
        w.put("select")
    else:
        w.put("i32.const", w.random.choice(places))
    return 0


@makes("call_indirect", *NUM_TYPES)
def call_indirect(w: Writer, want: ValType | None) -> Types:
    typeidx = w.module.func_typeidxs[callee(w, want)]
    results = arguments(w, typeidx)
    w.put("call_indirect", (typeidx, table_and_index(w, typeidx)))
    return results


@makes("call_ref", *NUM_TYPES)
def call_ref(w: Writer, want: ValType | None) -> Types:
    typeidx = w.module.func_typeidxs[callee(w, want)]
    results = arguments(w, typeidx)
    w.value(RefType(TypeIdx(typeidx)))
    w.put("call_ref", typeidx)
    return results


def tail_type(w: Writer) -> int:
    """A type that may be called in tail position."""
    return w.random.choice([n for n in FUNCTION_TYPES if w.module.func_type(n).results == w.results])


@makes("return_call")
def return_call(w: Writer, want: ValType | None) -> Types:
    typeidx = tail_type(w)
    with w.guarded():
        arguments(w, typeidx)
        w.put("return_call", w.module.func_typeidxs.index(typeidx))
    return ()


@makes("return_call_indirect")
def return_call_indirect(w: Writer, want: ValType | None) -> Types:
    typeidx = tail_type(w)
    with w.guarded():
        arguments(w, typeidx)
        w.put("return_call_indirect", (typeidx, table_and_index(w, typeidx)))
    return ()


@makes("return_call_ref")
def return_call_ref(w: Writer, want: ValType | None) -> Types:
    typeidx = tail_type(w)
    with w.guarded():
        arguments(w, typeidx)
        w.value(RefType(TypeIdx(typeidx)))
        w.put("return_call_ref", typeidx)
    return ()


# Exceptions


def throw_something(w: Writer) -> None:
    """Write a throw of either tag."""
    if w.random.random() < 0.7:
        w.value(I32)
        w.value(F64)
        w.put("throw", 0)
    else:
        w.put("throw", 1)


@makes("throw")
def throw(w: Writer, want: ValType | None) -> Types:
    if w.random.random() < 0.2:
        with w.guarded():
            throw_something(w)
        return ()
    return attempt(w, throw_something)


@makes("throw_ref")
def throw_ref(w: Writer, want: ValType | None) -> Types:
    def again(w: Writer) -> None:
        w.value(RefType(EXN))
        w.put("throw_ref")

    return attempt(w, again)


@makes("try_table")
def try_table(w: Writer, want: ValType | None) -> Types:
    return attempt(w, throw_something)


def attempt(w: Writer, throws: Callable[[Writer], None]) -> Types:
    """A try_table in a block for what it catches, around something that may throw."""
    tag, reference = w.random.choice(((0, False), (0, True), (None, False), (None, True)))
    carries: Types = w.module.tag_types[0].params if tag == 0 else ()
    type_ = NOTHING
    if tag == 0:
        type_ = BlockType(typeidx=CAUGHT_REF if reference else CAUGHT)
    elif reference:
        type_ = BlockType(result=RefType(EXN))
    if reference:
        carries = (*carries, RefType(EXN))
    clauses: tuple[Catch, ...] = (Catch(tag, reference, 0),)
    if not carries and w.random.random() < 0.5:
        clauses = (Catch(1, False, 0), *clauses)
    with w.block("block", type_, Label(carries)):
        with w.block("try_table", NOTHING, Label(()), clauses):
            w.statements()
            if w.random.random() < 0.5:
                w.value(I32)
                w.put("call", THROWER)
                w.put("drop")
            with w.guarded():
                throws(w)
        for carried in carries:
            w.value(carried)
    return carries


# Exceptions as they were before 3.0


@makes("try", *NUM_TYPES)
def try_(w: Writer, want: ValType | None) -> Types:
    return older(w, want)


@makes("catch", I32, F64)
def catch(w: Writer, want: ValType | None) -> Types:
    return older(w, want, "catch")


@makes("catch_all", *NUM_TYPES)
def catch_all(w: Writer, want: ValType | None) -> Types:
    return older(w, want, "catch_all")


@makes("rethrow", *NUM_TYPES)
def rethrow(w: Writer, want: ValType | None) -> Types:
    return older(w, want, "rethrow")


@makes("delegate", *NUM_TYPES)
def delegate(w: Writer, want: ValType | None) -> Types:
    """In a `try`, so that something mostly catches what is passed on."""
    return older(w, want, "delegate")


def older(w: Writer, want: ValType | None, about: str = "") -> Types:
    """A `try` in which something may be thrown, with clauses, or one that delegates."""
    types = some_type(w, want)
    w.put("try", block_type(types))
    w.labels.append(Label(types))
    if about == "delegate" or w.random.random() < 0.15:
        delegating(w)
    elif w.random.random() < (0.9 if about else 0.5):  # clauses are seldom reached otherwise
        with w.guarded():
            throw_something(w)
    if w.random.random() < (0.6 if about else 0.3):
        w.value(I32)
        w.put("call", THROWER)
        w.put("drop")
    contents(w, types)
    tags = w.random.choice(((0,), (0, 1), (1, 0), (1, 0, 1)))
    for tag in tags if about != "catch_all" or w.random.random() < 0.3 else ():
        w.put("catch", tag)
        w.sink(w.module.tag_types[tag].params)
        caught(w, types, about)
    if about != "catch" or w.random.random() < 0.5:
        w.put("catch_all")
        caught(w, types, about)
    w.labels.pop()
    w.put("end")
    return types


def caught(w: Writer, types: Types, about: str) -> None:
    """What a clause does."""
    if about == "rethrow":
        again(w)
    if about == "delegate" and w.random.random() < 0.2:
        delegating(w)
    contents(w, types)


def again(w: Writer) -> None:
    """Throw again what was caught, now and then from a `try` in the clause that delegates or catches."""
    inner = w.random.choice(("", "", "delegate", "catch_all"))
    depth = int(bool(inner))
    if inner:
        w.put("try", NOTHING)
        w.labels.append(Label(()))
    if inner and w.random.random() < 0.5:
        w.put("rethrow", depth)
    else:
        with w.guarded():
            w.put("rethrow", depth + 1)
    if inner == "catch_all":
        w.put("catch_all")
    if inner:
        w.labels.pop()
        w.put("delegate" if inner == "delegate" else "end", 0 if inner == "delegate" else None)


def delegating(w: Writer) -> None:
    """A `try` that delegates to any block around, mostly to a near one."""
    between = w.random.choice((0, 0, 1, 2, 3))
    for _ in range(between):
        w.put("try", NOTHING)
        w.labels.append(Label(()))
    w.put("try", NOTHING)
    w.labels.append(Label(()))
    w.statements()
    with w.guarded():
        throw_something(w)
    w.labels.pop()
    far = len(w.labels) - 1
    w.put("delegate", w.random.choice((min(between, far), min(between, far), w.random.randint(0, far))))
    for _ in range(between):
        w.statements()
        w.put("catch", 0)
        w.sink(w.module.tag_types[0].params)
        w.statement()
        w.labels.pop()
        w.put("end")
