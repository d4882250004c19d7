"""References, structures and arrays in random functions; see `random_bodies.py`."""

from __future__ import annotations

from random_bodies import (
    ANYS,
    BYTES,
    DOUBLES,
    FLOATS,
    FUNCS,
    LONGS,
    MORE,
    ON_HEAP,
    POINT,
    REFERENCES,
    SHORTS,
    TYPED_FUNCTIONS,
    VALUES,
    VECTORS,
    WORDS,
    Label,
    Writer,
    locals_of,
    makes,
)

from pywasm_nn.interpreter.module import BlockType, CastArg, FieldArg
from pywasm_nn.interpreter.types import (
    ANY,
    EQ,
    EXTERN,
    FUNC,
    I31,
    I32,
    ArrayType,
    FieldType,
    HeapType,
    PackedType,
    RefType,
    StructType,
    TypeIdx,
    ValType,
)

Types = tuple[ValType, ...]
STRUCTS = (POINT, MORE)
ARRAYS = (BYTES, SHORTS, WORDS, LONGS, FLOATS, DOUBLES, VECTORS, FUNCS, ANYS)
NUMERIC_ARRAYS = ARRAYS[:7]
NUMBERS_DATA = 2
ELEMENTS = {FUNCS: 3, ANYS: 4}
LENGTH = 8
"""Elements that arrays mostly have at most."""
INTERNAL = (RefType(ANY), RefType(EQ), RefType(I31), *ON_HEAP)
"""References below anyref."""


def to(typeidx: int) -> RefType:
    return RefType(TypeIdx(typeidx))


def typeidx_of(type_: ValType) -> int:
    assert isinstance(type_, RefType) and isinstance(type_.heap, TypeIdx)
    return type_.heap.index


def fields_of(w: Writer, typeidx: int) -> tuple[FieldType, ...]:
    composite = w.module.subtypes[typeidx].composite
    assert isinstance(composite, StructType)
    return composite.fields


def element_of(w: Writer, typeidx: int) -> FieldType:
    composite = w.module.subtypes[typeidx].composite
    assert isinstance(composite, ArrayType)
    return composite.field


# References


@makes("ref.null", *REFERENCES)
def ref_null(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(REFERENCES)
    assert isinstance(type_, RefType)
    w.put("ref.null", type_.heap)
    return (type_,)


@makes("ref.is_null", I32)
def ref_is_null(w: Writer, want: ValType | None) -> Types:
    w.value(w.random.choice(REFERENCES))
    w.put("ref.is_null")
    return (I32,)


@makes("ref.func", RefType(FUNC), *TYPED_FUNCTIONS)
def ref_func(w: Writer, want: ValType | None) -> Types:
    type_ = want or RefType(FUNC)
    w.fresh(type_)
    while w.code[-1][0].name != "ref.func":
        w.put("drop")
        w.fresh(type_)
    return (type_,)


@makes("ref.as_non_null", *REFERENCES)
def ref_as_non_null(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(REFERENCES)
    if w.random.random() < 0.2:
        w.value(type_)
    else:
        w.fresh(type_)
    w.put("ref.as_non_null")
    return (type_,)


@makes("br_on_null", *REFERENCES)
def br_on_null(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(REFERENCES)
    depths = [n for n, label in enumerate(reversed(w.labels)) if not label.carries and not label.is_loop]
    w.value(type_)
    if depths:
        w.put("br_on_null", w.random.choice(depths))
        return (type_,)
    with w.block("block", BlockType(), Label(())):
        w.value(type_)
        w.put("br_on_null", 0)
        w.put("drop")
    return (type_,)


@makes("br_on_non_null", *REFERENCES)
def br_on_non_null(w: Writer, want: ValType | None) -> Types:
    type_ = want or w.random.choice(REFERENCES)
    with w.block("block", BlockType(result=type_), Label((type_,))):
        w.value(type_)
        w.put("br_on_non_null", 0)
        w.statement()
        w.value(type_)
    return (type_,)


@makes("ref.eq", I32)
def ref_eq(w: Writer, want: ValType | None) -> Types:
    for _ in range(2):
        w.value(RefType(EQ))
    w.put("ref.eq")
    return (I32,)


# Casts


def operand_of_cast(w: Writer, heap: HeapType) -> RefType:
    """Write a value of the hierarchy of a heap type, often one of that type."""
    top = top_of(heap)
    w.value(top if w.random.random() < 0.25 else RefType(heap))
    return top


def top_of(heap: HeapType) -> RefType:
    """The type above all of the hierarchy."""
    if RefType(heap) in INTERNAL:
        return RefType(ANY)
    return RefType(EXTERN if heap is EXTERN else FUNC)


CASTABLE = tuple(type_ for type_ in REFERENCES if str(type_) != "exnref")


def cast(name: str) -> None:
    @makes(name, *CASTABLE)
    def ref_cast(w: Writer, want: ValType | None) -> Types:
        type_ = want or w.random.choice(CASTABLE)
        assert isinstance(type_, RefType)
        operand_of_cast(w, type_.heap)
        w.put(name, type_.heap)
        return (type_,)


def test(name: str) -> None:
    @makes(name, I32)
    def ref_test(w: Writer, want: ValType | None) -> Types:
        type_ = w.random.choice(CASTABLE)
        operand_of_cast(w, type_.heap)
        w.put(name, type_.heap)
        return (I32,)


cast("ref.cast")
cast("ref.cast_null")
test("ref.test")
test("ref.test_null")


@makes("br_on_cast", *CASTABLE)
def br_on_cast(w: Writer, want: ValType | None) -> Types:
    """Branches with what was cast; what stays is of the type above, so the block ends with another."""
    type_ = want or w.random.choice(CASTABLE)
    assert isinstance(type_, RefType)
    target = RefType(type_.heap, w.random.random() < 0.5)
    with w.block("block", BlockType(result=type_), Label((type_,))):
        top = operand_of_cast(w, type_.heap)
        w.put("br_on_cast", CastArg(0, top, target))
        w.put("drop")
        w.value(type_)
    return (type_,)


@makes("br_on_cast_fail", *CASTABLE)
def br_on_cast_fail(w: Writer, want: ValType | None) -> Types:
    """Branches with what isn't of the type; what stays is."""
    type_ = want or w.random.choice(CASTABLE)
    assert isinstance(type_, RefType)
    top, target = top_of(type_.heap), RefType(type_.heap, w.random.random() < 0.5)
    with w.block("block", BlockType(result=type_), Label((type_,))):
        with w.block("block", BlockType(result=top), Label((top,))):
            operand_of_cast(w, type_.heap)
            w.put("br_on_cast_fail", CastArg(0, top, target))
            w.put("br", 1)
        w.put("drop")
        w.value(type_)
    return (type_,)


@makes("any.convert_extern", RefType(ANY))
def any_convert_extern(w: Writer, want: ValType | None) -> Types:
    w.value(RefType(EXTERN))
    w.put("any.convert_extern")
    return (RefType(ANY),)


@makes("extern.convert_any", RefType(EXTERN))
def extern_convert_any(w: Writer, want: ValType | None) -> Types:
    w.value(RefType(ANY))
    w.put("extern.convert_any")
    return (RefType(EXTERN),)


@makes("ref.i31", RefType(I31))
def ref_i31(w: Writer, want: ValType | None) -> Types:
    w.value(I32)
    w.put("ref.i31")
    return (RefType(I31),)


def i31_get(name: str) -> None:
    @makes(name, I32)
    def get(w: Writer, want: ValType | None) -> Types:
        w.value(RefType(I31))
        w.put(name)
        return (I32,)


i31_get("i31.get_s")
i31_get("i31.get_u")


# Structures


@makes("struct.new", *map(to, STRUCTS))
def struct_new(w: Writer, want: ValType | None) -> Types:
    type_ = want or to(w.random.choice(STRUCTS))
    for field in fields_of(w, typeidx_of(type_)):
        if w.random.random() < 0.8:
            w.fresh(field.storage.unpacked)
        else:
            w.value(field.storage.unpacked)
    w.put("struct.new", typeidx_of(type_))
    return (type_,)


@makes("struct.new_default", *map(to, STRUCTS))
def struct_new_default(w: Writer, want: ValType | None) -> Types:
    type_ = want or to(w.random.choice(STRUCTS))
    w.put("struct.new_default", typeidx_of(type_))
    return (type_,)


def some_field(
    w: Writer, want: ValType | None, *, packed: bool, mutable: bool = False
) -> tuple[FieldArg, FieldType]:
    """A field of some structure, of a type that may be wanted."""
    found = [
        (FieldArg(typeidx, n), field)
        for typeidx in STRUCTS
        for n, field in enumerate(fields_of(w, typeidx))
        if want in (None, field.storage.unpacked)
        and isinstance(field.storage, PackedType) == packed
        and (field.mutable or not mutable)
    ]
    return w.random.choice(found)


def struct_get(name: str, packed: bool, *gives: ValType) -> None:
    @makes(name, *gives)
    def get(w: Writer, want: ValType | None) -> Types:
        arg, field = some_field(w, want, packed=packed)
        w.value(to(arg.typeidx))
        w.put(name, arg)
        return (field.storage.unpacked,)


FIELD_TYPES = tuple(t for t in VALUES if str(t) in ("i32", "i64", "f32", "f64", "v128", "anyref", "funcref"))
struct_get("struct.get", False, *FIELD_TYPES, to(MORE))
struct_get("struct.get_s", True, I32)
struct_get("struct.get_u", True, I32)


@makes("struct.set")
def struct_set(w: Writer, want: ValType | None) -> Types:
    arg, field = some_field(w, None, packed=w.random.random() < 0.3, mutable=True)
    w.value(to(arg.typeidx))
    w.value(field.storage.unpacked)
    w.put("struct.set", arg)
    return ()


# Arrays


def array(w: Writer, want: ValType | None, among: tuple[int, ...] = ARRAYS) -> int:
    return typeidx_of(want) if want is not None else w.random.choice(among)


@makes("array.new", *map(to, ARRAYS))
def array_new(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, want)
    w.value(element_of(w, typeidx).storage.unpacked)
    w.small(LENGTH)
    w.put("array.new", typeidx)
    return (to(typeidx),)


@makes("array.new_default", *map(to, ARRAYS))
def array_new_default(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, want)
    w.small(LENGTH)
    w.put("array.new_default", typeidx)
    return (to(typeidx),)


@makes("array.new_fixed", *map(to, ARRAYS))
def array_new_fixed(w: Writer, want: ValType | None) -> Types:
    typeidx, count = array(w, want), w.random.randrange(4)
    for _ in range(count):
        w.value(element_of(w, typeidx).storage.unpacked)
    w.put("array.new_fixed", (typeidx, count))
    return (to(typeidx),)


@makes("array.new_data", *map(to, NUMERIC_ARRAYS))
def array_new_data(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, want, NUMERIC_ARRAYS)
    w.small(10)
    w.put("i32.const", w.random.choice((0, 1, 1, 2, 9)))
    w.put("array.new_data", (typeidx, NUMBERS_DATA))
    return (to(typeidx),)


@makes("array.new_elem", *map(to, ELEMENTS))
def array_new_elem(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, want, tuple(ELEMENTS))
    w.small(2)
    w.small(3)
    w.put("array.new_elem", (typeidx, ELEMENTS[typeidx]))
    return (to(typeidx),)


def reference_and_index(w: Writer, typeidx: int) -> None:
    """Write an array, mostly one with elements, and the index of one of the first."""
    if w.random.random() < 0.7:
        w.put("i32.const", LENGTH)
        w.put("array.new_default", typeidx)
        if w.random.random() < 0.8:
            w.put("local.tee", w.random.choice(locals_of(to(typeidx))))
    else:
        w.value(to(typeidx))
    w.small(LENGTH)


def array_get(name: str, packed: bool, *gives: ValType) -> None:
    @makes(name, *gives)
    def get(w: Writer, want: ValType | None) -> Types:
        fitting = [
            n
            for n in ARRAYS
            if isinstance(element_of(w, n).storage, PackedType) == packed
            and want in (None, element_of(w, n).storage.unpacked)
        ]
        typeidx = w.random.choice(fitting)
        reference_and_index(w, typeidx)
        w.put(name, typeidx)
        return (element_of(w, typeidx).storage.unpacked,)


array_get("array.get", False, *FIELD_TYPES)
array_get("array.get_s", True, I32)
array_get("array.get_u", True, I32)


@makes("array.set")
def array_set(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, None)
    reference_and_index(w, typeidx)
    w.value(element_of(w, typeidx).storage.unpacked)
    w.put("array.set", typeidx)
    return ()


@makes("array.len", I32)
def array_len(w: Writer, want: ValType | None) -> Types:
    w.value(to(w.random.choice(ARRAYS)))
    w.put("array.len")
    return (I32,)


@makes("array.fill")
def array_fill(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, None)
    reference_and_index(w, typeidx)
    w.value(element_of(w, typeidx).storage.unpacked)
    w.small(3)
    w.put("array.fill", typeidx)
    return ()


@makes("array.copy")
def array_copy(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, None)
    reference_and_index(w, typeidx)
    reference_and_index(w, typeidx)
    w.small(4)
    w.put("array.copy", (typeidx, typeidx))
    return ()


@makes("array.init_data")
def array_init_data(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, None, NUMERIC_ARRAYS)
    reference_and_index(w, typeidx)
    w.small(8)
    w.put("i32.const", w.random.choice((0, 1, 1, 2, 5)))
    w.put("array.init_data", (typeidx, NUMBERS_DATA))
    return ()


@makes("array.init_elem")
def array_init_elem(w: Writer, want: ValType | None) -> Types:
    typeidx = array(w, None, tuple(ELEMENTS))
    reference_and_index(w, typeidx)
    w.small(2)
    w.small(3)
    w.put("array.init_elem", (typeidx, ELEMENTS[typeidx]))
    return ()
