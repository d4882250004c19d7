"""Variables, memories and tables in random functions; see `random_bodies.py`."""

from __future__ import annotations

from random_bodies import VALUES, Writer, locals_of, makes

from pywasm_nn.interpreter.types import I32, I64, NUM_TYPES, ValType, narrower

MEMORIES = range(3)
TABLES = range(4)
NUMBERS_DATA = 2
ELEMENTS = {0: 3, 1: 5, 2: 4, 3: 3}
"""A passive element segment for each table."""
Types = tuple[ValType, ...]


@makes("local.get", *VALUES)
def local_get(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(VALUES)
    w.get(type_)
    return (type_,)


def local_of(w: Writer, type_: ValType) -> int:
    index = w.random.choice(locals_of(type_))
    w.read.add(index)
    return index


@makes("local.set")
def local_set(w: Writer, want: ValType | None) -> Types:
    type_ = w.random.choice((*NUM_TYPES, *NUM_TYPES, *VALUES))
    w.value(type_)
    w.put("local.set", local_of(w, type_))
    return ()


@makes("local.tee", *VALUES)
def local_tee(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(VALUES)
    w.value(type_)
    w.put("local.tee", local_of(w, type_))
    return (type_,)


def globals_of(w: Writer, want: ValType | None, *, mutable: bool) -> list[int]:
    types = VALUES if want is None else (want,)
    return [
        n
        for n, global_ in enumerate(w.module.globals)
        if global_.type.type in types and (global_.type.mutable or not mutable)
    ]


HELD = tuple(type_ for type_ in VALUES if str(type_) in
    ("i32", "i64", "f32", "f64", "v128", "funcref", "externref", "anyref", "eqref", "i31ref"))  # fmt: skip
"""Types of globals."""


@makes("global.get", *HELD)
def global_get(w: Writer, want: ValType | None) -> Types:
    index = w.random.choice(globals_of(w, want, mutable=False))
    w.put("global.get", index)
    return (w.module.globals[index].type.type,)


@makes("global.set")
def global_set(w: Writer, want: ValType | None) -> Types:
    index = w.random.choice(globals_of(w, None, mutable=True))
    w.value(w.module.globals[index].type.type)
    w.put("global.set", index)
    return ()


# Memories


def memory(w: Writer, want: ValType | None = None) -> tuple[int, ValType]:
    """A memory, and the type of its addresses."""
    index = w.random.choice([n for n in MEMORIES if want in (None, w.module.mem_types[n].addrtype)])
    return index, w.module.mem_types[index].addrtype


def place(w: Writer, addrtype: ValType) -> None:
    """Write an address, mostly one that is inside, sometimes near the end."""
    if w.random.random() < 0.1:
        w.wrapping(addrtype)
    elif w.random.random() < 0.1:
        w.put(f"{addrtype}.const", 65536 - w.random.randrange(60))
    else:
        w.small(2000, addrtype)


@makes("memory.size", I32, I64)
def memory_size(w: Writer, want: ValType | None) -> Types:
    index, addrtype = memory(w, want)
    w.put("memory.size", index)
    return (addrtype,)


@makes("memory.grow", I32, I64)
def memory_grow(w: Writer, want: ValType | None) -> Types:
    index, addrtype = memory(w, want)
    if w.random.random() < 0.2:
        w.value(addrtype)
    else:
        w.put(f"{addrtype}.const", w.random.choice((0, 0, 1)))
    w.put("memory.grow", index)
    return (addrtype,)


@makes("memory.init")
def memory_init(w: Writer, want: ValType | None) -> Types:
    index, addrtype = memory(w)
    place(w, addrtype)
    w.small(20)
    w.small(12)
    w.put("memory.init", (NUMBERS_DATA, index))
    return ()


@makes("memory.copy")
def memory_copy(w: Writer, want: ValType | None) -> Types:
    (target, to), (source, from_) = memory(w), memory(w)
    place(w, to)
    place(w, from_)
    w.small(50, narrower(w.module.mem_types[target].addrtype, w.module.mem_types[source].addrtype))
    w.put("memory.copy", (target, source))
    return ()


@makes("memory.fill")
def memory_fill(w: Writer, want: ValType | None) -> Types:
    index, addrtype = memory(w)
    place(w, addrtype)
    w.value(I32)
    w.small(50, addrtype)
    w.put("memory.fill", index)
    return ()


# Tables


def table(w: Writer, element: ValType | None = None) -> int:
    types = w.module.table_types
    return w.random.choice([n for n in TABLES if element in (None, types[n].element)])


def slot(w: Writer, index: int) -> None:
    """Write the index of an element, mostly one that is there."""
    w.small(5, w.module.table_types[index].addrtype)


HELD_IN_TABLES = tuple(type_ for type_ in VALUES if str(type_) in ("funcref", "externref", "anyref"))


@makes("table.get", *HELD_IN_TABLES)
def table_get(w: Writer, want: ValType | None) -> Types:
    index = table(w, want)
    slot(w, index)
    w.put("table.get", index)
    return (w.module.table_types[index].element,)


@makes("table.set")
def table_set(w: Writer, want: ValType | None) -> Types:
    index = table(w)
    if index == 0:
        w.put("i32.const", w.random.randrange(12, 20))  # and leave what is called indirectly
    else:
        slot(w, index)
    w.value(w.module.table_types[index].element)
    w.put("table.set", index)
    return ()


@makes("table.size", I32, I64)
def table_size(w: Writer, want: ValType | None) -> Types:
    index = w.random.choice([n for n in TABLES if want in (None, w.module.table_types[n].addrtype)])
    w.put("table.size", index)
    return (w.module.table_types[index].addrtype,)


@makes("table.grow", I32, I64)
def table_grow(w: Writer, want: ValType | None) -> Types:
    index = w.random.choice([n for n in TABLES if want in (None, w.module.table_types[n].addrtype)])
    type_ = w.module.table_types[index]
    w.value(type_.element)
    w.small(3, type_.addrtype)
    w.put("table.grow", index)
    return (type_.addrtype,)


@makes("table.fill")
def table_fill(w: Writer, want: ValType | None) -> Types:
    index = w.random.choice(TABLES[1:])
    slot(w, index)
    w.value(w.module.table_types[index].element)
    w.small(3, w.module.table_types[index].addrtype)
    w.put("table.fill", index)
    return ()


@makes("table.copy")
def table_copy(w: Writer, want: ValType | None) -> Types:
    target = w.random.choice(TABLES[1:])
    source = table(w, w.module.table_types[target].element)
    types = w.module.table_types
    slot(w, target)
    slot(w, source)
    w.small(4, narrower(types[target].addrtype, types[source].addrtype))
    w.put("table.copy", (target, source))
    return ()


@makes("table.init")
def table_init(w: Writer, want: ValType | None) -> Types:
    index = w.random.choice(TABLES[1:])
    slot(w, index)
    w.small(2)
    w.small(3)
    w.put("table.init", (ELEMENTS[index], index))
    return ()
