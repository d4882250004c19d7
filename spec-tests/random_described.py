"""Structures with descriptors, and exact types, in random functions that only our engines run; see
`random_bodies.py` and `described.wat`."""

from __future__ import annotations

from random_bodies import Label, Writer, makes, surroundings

from pywasm_nn.interpreter.module import BlockType, CastArg, FieldArg
from pywasm_nn.interpreter.types import ANY, EQ, I32, Exact, HeapType, RefType, StructType, TypeIdx, ValType

Types = tuple[ValType, ...]
FIRST = len(surroundings().subtypes)
BOX, ABOUT_BOX, CRATE, ABOUT_CRATE, META = TYPES = range(FIRST, FIRST + 5)
DESCRIPTORS = {BOX: ABOUT_BOX, CRATE: ABOUT_CRATE, ABOUT_CRATE: META}
"""By the type that they describe."""
SOME = (BOX, BOX, CRATE, ABOUT_CRATE)
A_META = len(surroundings().globals)
SHARED = {META: A_META, ABOUT_BOX: A_META + 1, ABOUT_CRATE: A_META + 2}
"""Globals with descriptors, by type."""
KEPT = {BOX: A_META + 3, CRATE: A_META + 4, ABOUT_CRATE: A_META + 5}
"""Globals with objects, by type."""
NUMBERED = (BOX, CRATE)
"""Types whose first field is an i32."""
NAMED = (RefType(ANY), RefType(EQ))
"""Types of references that others ask for."""


def heap_type(typeidx: int, exact: bool) -> HeapType:
    return Exact(TypeIdx(typeidx)) if exact else TypeIdx(typeidx)


def fields(w: Writer, typeidx: int) -> None:
    """Write the fields of a structure."""
    composite = w.module.subtypes[typeidx].composite
    assert isinstance(composite, StructType)
    for field in composite.fields:
        w.value(field.storage.unpacked)


def new(w: Writer, typeidx: int) -> None:
    """Write an object that is new."""
    default = w.random.random() < 0.8  # operands often trap
    if not default:
        fields(w, typeidx)
    if typeidx in DESCRIPTORS:
        descriptor(w, typeidx, exact=True)
        w.put("struct.new_default_desc" if default else "struct.new_desc", typeidx)
    else:
        w.put("struct.new_default" if default else "struct.new", typeidx)


def thing(w: Writer, typeidx: int, *, exact: bool) -> None:
    """Write a described object."""
    chance = w.random.random()
    if chance < 0.04:
        w.put("ref.null", heap_type(typeidx, exact))
    elif chance < 0.3 and not exact and typeidx == BOX:
        thing(w, CRATE, exact=w.random.random() < 0.5)
    elif chance < 0.6 and not exact:
        w.put("global.get", KEPT[typeidx])
    else:
        new(w, typeidx)


def descriptor(w: Writer, typeidx: int, *, exact: bool) -> None:
    """Write what may describe an object of this type, mostly what describes most of them."""
    about, chance = DESCRIPTORS[typeidx], w.random.random()
    if chance < 0.04:
        w.put("ref.null", heap_type(about, exact))
    elif chance < 0.12:
        new(w, about)
    elif chance < 0.2:
        thing(w, typeidx, exact=exact)
        w.put("ref.get_desc", typeidx)
    elif chance < 0.4 and not exact and typeidx == BOX:
        descriptor(w, CRATE, exact=False)
    else:
        w.put("global.get", SHARED[about])


def making(name: str) -> None:
    @makes(name, *NAMED)
    def make(w: Writer, want: ValType | None) -> Types:
        typeidx = w.random.choice(SOME)
        if name == "struct.new_desc":
            fields(w, typeidx)
        descriptor(w, typeidx, exact=True)
        w.put(name, typeidx)
        if w.random.random() < 0.4:
            w.put("global.set", KEPT[typeidx])
            w.put("global.get", KEPT[typeidx])
        return (want or RefType(ANY),)


making("struct.new_desc")
making("struct.new_default_desc")


@makes("ref.get_desc", *NAMED, I32)
def ref_get_desc(w: Writer, want: ValType | None) -> Types:
    typeidx = w.random.choice(SOME)
    thing(w, typeidx, exact=w.random.random() < 0.5)
    w.put("ref.get_desc", typeidx)
    if want is not I32:
        return (want or RefType(ANY),)
    if w.random.random() < 0.5:
        w.put("global.get", SHARED[w.random.choice((META, ABOUT_BOX, ABOUT_CRATE))])
        w.put("ref.eq")
    else:
        w.put("ref.test", heap_type(w.random.choice((ABOUT_BOX, ABOUT_CRATE, META)), w.random.random() < 0.5))
    return (I32,)


def operands(w: Writer, typeidx: int, exact: bool) -> None:
    """Write an object, mostly one of the type that it is cast to, and a descriptor."""
    if w.random.random() < 0.15:
        w.value(RefType(ANY))
    else:
        thing(w, typeidx, exact=w.random.random() < 0.3)
    descriptor(w, typeidx, exact=exact)


def cast(name: str) -> None:
    @makes(name, *NAMED)
    def ref_cast(w: Writer, want: ValType | None) -> Types:
        typeidx, exact = w.random.choice(SOME), w.random.random() < 0.4
        operands(w, typeidx, exact)
        w.put(name, heap_type(typeidx, exact))
        return (want or RefType(ANY),)


cast("ref.cast_desc_eq")
cast("ref.cast_null_desc_eq")


@makes("br_on_cast_desc_eq", *NAMED)
def br_on_cast_desc_eq(w: Writer, want: ValType | None) -> Types:
    type_ = want or RefType(ANY)
    typeidx, exact = w.random.choice(SOME), w.random.random() < 0.4
    target = RefType(heap_type(typeidx, exact), w.random.random() < 0.5)
    with w.block("block", BlockType(result=type_), Label((type_,))):
        operands(w, typeidx, exact)
        w.put("br_on_cast_desc_eq", CastArg(0, RefType(ANY), target))
        w.put("drop")
        w.statement()
        w.value(type_)
    return (type_,)


@makes("br_on_cast_desc_eq_fail", RefType(ANY))
def br_on_cast_desc_eq_fail(w: Writer, want: ValType | None) -> Types:
    """What stays is of the type, so that its first field can be read."""
    typeidx, exact = w.random.choice(SOME), w.random.random() < 0.4
    target = RefType(heap_type(typeidx, exact), nullable=False)
    with w.block("block", BlockType(result=RefType(ANY)), Label((RefType(ANY),))):
        operands(w, typeidx, exact)
        w.put("br_on_cast_desc_eq_fail", CastArg(0, RefType(ANY), target))
        if typeidx in NUMBERED:
            w.put("struct.get", FieldArg(typeidx, 0))
            w.sink((I32,))
        else:
            w.put("drop")
        w.value(RefType(ANY))
    return (RefType(ANY),)
