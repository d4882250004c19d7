"""Generated functions in an instance: stubs that compile themselves when first called, and explanations of
exceptions from generated code.

A function is the same Python object all the time; compiling replaces its `__code__`, so that dispatch lists
and the names in callers stay valid. Stubs have the function's own arity, because variadic calls would use C
stack. What is not here: when to compile, and how to run a function that can't be compiled (`engine.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import repeat
from types import CodeType, FunctionType, TracebackType
from typing import Any, NoReturn

from ....errors import ExhaustionError, Trap, TrapKind, WasmException
from ...instructions import Imm, Op
from ...module import Body, MemArg
from ...namespace import Namespace
from ...runtime import heap
from ...runtime.depth import CALL_DEPTH, weight_of
from ...runtime.externs import rethrown
from ...runtime.instance import Func, Instance
from ...runtime.table import Entry, null_element
from ...types import EQ
from ..compiled import Compiled, Notes
from .fixed import Objects, bound, objects_for
from .stubs import adapter, driver, followed, forwarder, renamed, stub, tail_stub, weighed, with_index

OUTSIDE_MEMORY = (IndexError, struct.error, OverflowError)
"""Exceptions of accesses outside memory, in the two flavours."""


def unreachable() -> NoReturn:
    """The instruction `unreachable`; generated code calls this."""
    raise Trap(TrapKind.UNREACHABLE)


def non_null(reference: Any) -> Any:
    """ref.as_non_null"""
    if reference is None:
        raise Trap(TrapKind.NULL_REFERENCE)
    return reference


def wrapped(value: int, stop: int, step: int = 1) -> Iterator[int]:
    """The values of a local to which each round of a loop adds, until it is `stop`."""
    while True:
        yield value
        value = value + step & 0xFFFFFFFF
        if value == stop:
            return


def names(instance: Instance) -> dict[str, Any]:
    """Names that generated code needs in an instance's namespace in addition to those from instantiation."""
    return {
        "cell": memoryview(bytearray(4)).cast("f"),
        "unreachable": unreachable,
        "wrapped": wrapped,
        "WasmException": WasmException,
        "rethrown": rethrown,
        "tail_of": tail_of,
        "non_null": non_null,
        "Struct": heap.Struct,
        "Array": heap.Array,
        "I31Value": heap.I31Value,
        "equatable": heap.CLASSES[EQ],
        "array_fill": heap.array_fill,
        "array_copy": heap.array_copy,
        "cast_failure": heap.cast_failure,
        "describing": heap.describing,
        "get_descriptor": heap.get_descriptor,
        "has_descriptor": heap.has_descriptor,
        "descriptor_cast_failure": heap.descriptor_cast_failure,
        "internalize": heap.internalize,
        "externalize": heap.externalize,
        "deftypes": instance.module.deftypes,
        "generated": {},
        "objects": Objects(),
    }


def stub_maker(
    instance: Instance, prepare: Callable[[int], Callable[..., Any]]
) -> Callable[[range], Iterator[FunctionType]]:
    """Makes the defined functions at some indices as stubs: when first called, one calls `prepare(index)` and
    then the result of that, which is the same function. A module has thousands, so they are made without a
    line of Python for each.

    `prepare` must `install` the compiled function or `forward` to another.
    """
    settle = partial(settle_tail, instance)
    carry = partial(CALL_DEPTH.carry, instance.limits.call_depth)
    known = {"prepare": prepare, "excuse": CALL_DEPTH.excuse, "settle": settle, "carry": carry}
    if instance.watches("calls"):
        from .followed import NAMES, Calls

        calls = Calls(instance)
        known |= {name: getattr(calls, name) for name in NAMES}
    namespace, module = instance.namespace, instance.module
    namespace.update(names(instance) | known)
    first, typeidxs = module.imported_funcs, module.func_typeidxs
    stubs = {typeidx: stub(len(module.func_type(typeidx).params)) for typeidx in {*typeidxs[first:]}}

    def make(indices: range) -> Iterator[FunctionType]:
        start, stop = first + indices.start, first + indices.stop
        codes = map(stubs.__getitem__, typeidxs[start:stop])
        names = map(Namespace.func, range(start, stop))
        return map(FunctionType, codes, repeat(namespace), names, zip(indices))

    return make


def forget(instance: Instance, funcidxs: Iterable[int]) -> None:
    """Make functions stubs again. Running frames keep their code, and exceptions from them can still be
    explained."""
    known: dict[Any, Compiled] = instance.namespace.get("generated", {})
    known.update({id(compiled.code.co_linetable): compiled for compiled in tuple(known.values())})
    for funcidx in funcidxs:
        func = instance.funcs[funcidx]
        function: Any = func.callable
        function.__code__ = stub(len(func.type.params))
        if func.tail is not None:
            func.tail.__code__ = tail_stub_of(funcidx)
    instance.namespace["objects"] = Objects()  # so that a closed instance doesn't keep its memory


def tail_stub_of(funcidx: int) -> CodeType:
    """The code of a function's tail-call stub, which prepares the function when called."""
    return with_index(renamed(tail_stub(), "stub", Namespace.tail(funcidx)), funcidx)


def install(instance: Instance, compiled: Compiled) -> None:
    """Give a function its compiled code."""
    notes, patience = compiled.notes, instance.meter.patience
    for tableidx, typeidx in notes.dispatches:
        type_ = instance.module.deftype(typeidx)
        entries = instance.tables[tableidx].dispatch(type_, patience=patience)
        instance.namespace[Namespace.dispatch(tableidx, typeidx)] = entries
    for tableidx, typeidx in notes.tail_dispatches:
        entries = instance.tables[tableidx].dispatch(instance.module.deftype(typeidx), STEPS, patience)
        instance.namespace[Namespace.tail_dispatch(tableidx, typeidx)] = entries
    for funcidx in notes.tails:
        instance.namespace[Namespace.tail(funcidx)] = tail_of(instance.funcs[funcidx])
    if notes.wholes:
        add_wholes(instance, notes)
    instance.namespace["generated"][notes.name] = compiled
    func = instance.funcs[notes.funcidx]
    function: Any = func.callable
    code = code_around(instance, compiled)
    if notes.is_tail:
        tail_of(func).__code__ = code
        function.__code__ = renamed(driver(len(func.type.params)), "tail", notes.name)
    else:
        function.__code__ = code


def add_wholes(instance: Instance, notes: Notes) -> None:
    """Add what does loops of a function with arrays."""
    from ...arrays.plan import plan_of  # most functions have no such loop
    from ...arrays.whole import Purse, Whole

    purse = instance.namespace.setdefault("purse", Purse())
    seen = instance.watches("calls") or instance.watches("steps")
    for number, plain in enumerate(notes.wholes):
        name, plan = Namespace.whole(notes.funcidx, number), plan_of(plain)
        hides = seen and plan.pastes
        instance.namespace[name] = one_by_one if hides else Whole(plan, instance.mems, purse)


def one_by_one(*_: Any) -> None:
    """Instead of a `Whole` whose calls somebody would miss: no round is done at once."""


def code_around(instance: Instance, compiled: Compiled) -> CodeType:
    """The code for a function: its own, or a wrapper if calls are observed."""
    code, notes = weighed_code(instance, compiled), compiled.notes
    if not instance.watches("calls"):
        return code
    name = Namespace.seen(notes.name)
    instance.namespace[name] = FunctionType(code, instance.namespace, code.co_name)
    params = ", ".join(code.co_varnames[: code.co_argcount])
    around = followed(params, "t" if notes.is_tail else "None")
    return with_index(renamed(around, "target", name), notes.funcidx)


def weighed_code(instance: Instance, compiled: Compiled) -> CodeType:
    """The code for a function: its own, or a wrapper that counts its locals as frames if they are many."""
    code = bound(compiled.code, objects_for(instance, compiled.notes))
    weight = weight_of(code.co_nlocals)
    if not weight:
        return code
    name = f"{compiled.notes.name}_"
    instance.namespace[name] = FunctionType(code, instance.namespace, code.co_name)
    params = ", ".join(code.co_varnames[: code.co_argcount])
    return renamed(weighed(params, weight), "target", name)


def tail_of(func: Func) -> Any:
    """The tail-call form of a function: it takes the slot and the arguments as a tuple, and returns either
    the results or the slot, which then has the next step. See `lowering/tails.py`."""
    if func.tail is None:
        instance = func.instance
        if instance is None or "generated" not in instance.namespace:
            func.tail = FunctionType(adapter(len(func.type.params)), {"target": func.callable})
        else:
            name = Namespace.tail(func.funcidx)
            code = tail_stub_of(func.funcidx)
            func.tail = instance.namespace[name] = FunctionType(code, instance.namespace, name)
    return func.tail


def step_of(func: Func) -> tuple[Any]:
    return (tail_of(func),)


STEPS = Entry(step_of, null=(), mistyped=None)
"""The dispatch entries for tail calls through a table. A null entry can't trap later, in the step, because
the caller's frame is gone then; so the caller's code unpacks the entry and traps."""


def settle_tail(instance: Instance, funcidx: int) -> None:
    """Prepare a function that is tail-called for the first time."""
    instance.engine.prepare(instance, funcidx - instance.module.imported_funcs)
    func = instance.funcs[funcidx]
    compiled: Compiled | None = instance.namespace["generated"].get(Namespace.tail(funcidx))
    if compiled is None:
        func.tail.__code__ = renamed(adapter(len(func.type.params)), "target", Namespace.func(funcidx))
    else:
        func.tail.__code__ = code_around(instance, compiled)


def forward(instance: Instance, index: int, target: Callable[..., Any]) -> None:
    """Make the defined function `index` call `target`."""
    funcidx = instance.module.imported_funcs + index
    arity = len(instance.module.func_types[funcidx].params)
    instance.namespace[Namespace.target(funcidx)] = target
    function: Any = instance.funcs[funcidx].callable
    function.__code__ = renamed(forwarder(arity), "target", Namespace.target(funcidx))


def generated(entry: TracebackType) -> Compiled | None:
    """The compiled function of a traceback's entry, if it is generated code."""
    frame = entry.tb_frame
    if not frame.f_code.co_filename.startswith("<wasm func["):
        return None
    known: dict[Any, Compiled] = frame.f_globals.get("generated", {})
    compiled, lines = known.get(frame.f_code.co_name), frame.f_code.co_linetable
    if compiled is not None and compiled.code.co_linetable is not lines:  # `bound` leaves these as they are
        compiled = known.get(id(lines))
    return compiled


class Activation:
    """A Python frame of generated code, at a line of a traceback."""

    __slots__ = ("_entry", "_values", "funcidx", "instance", "instr")
    knows_locals = True

    def __init__(self, entry: TracebackType, compiled: Compiled, instr: int) -> None:
        self.instance: Instance = entry.tb_frame.f_globals["instance"]
        self.funcidx = compiled.notes.funcidx
        self.instr = instr
        self._entry = entry
        self._values: Mapping[str, Any] | None = None

    def local(self, index: int) -> Any:
        """See `activations.Activation`. Locals are Python variables, up to date at every instruction that may
        trap or call; an unused local has no variable."""
        if self._values is None:
            self._values = self._entry.tb_frame.f_locals
        return self._values[Namespace.local(index)]


def activation(entry: TracebackType, known: dict[tuple[int, int], int]) -> Activation | None:
    """The guest function of a traceback's entry, if it is generated code. `known` are the instructions of
    places in code: to find a line, Python reads all lines before it."""
    compiled = generated(entry)
    if compiled is None:
        return None
    place = id(compiled), entry.tb_lasti
    instr = known.get(place)
    if instr is None:
        instr = known[place] = compiled.notes.instr(entry.tb_lineno)
    return Activation(entry, compiled, instr)


def body_of(instance: Instance, compiled: Compiled) -> Body:
    """The body of a compiled function."""
    module = instance.module
    return module.funcs[compiled.notes.funcidx - module.imported_funcs].body


def trap_of(error: BaseException) -> Trap | None:
    """The trap that an exception is or means; None if it is something else.

    A Python exception means a trap only if the innermost frame of its traceback is generated code and the
    instruction on that line can trap in that way.
    """
    if isinstance(error, Trap):
        return null_element_trap(error) or error
    entry = error.__traceback__
    if entry is None:
        return None
    while entry.tb_next is not None:
        entry = entry.tb_next
    compiled = generated(entry)
    if compiled is None:
        return None
    if isinstance(error, RecursionError):
        return ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
    instr = compiled.notes.instr(entry.tb_lineno)
    ops = body_of(entry.tb_frame.f_globals["instance"], compiled).ops
    kind = kind_of(error, ops[instr]) if instr >= 0 else None
    if kind is TrapKind.UNINITIALIZED_ELEMENT:
        return Trap(kind, index=place(compiled, entry))
    if kind is TrapKind.OUT_OF_BOUNDS_MEMORY:
        return Trap(kind, access_text(compiled, entry))
    return Trap(kind) if kind else None


def null_element_trap(trap: Trap) -> Trap | None:
    """The trap of an indirect call of a null element, completed with the element's index from the caller's
    frame; None if it is another trap."""
    caller = stub = trap.__traceback__
    while stub is not None and stub.tb_next is not None:
        caller, stub = stub, stub.tb_next
    if caller is None or stub is None or stub.tb_frame.f_code is not null_element.__code__:
        return None
    compiled = generated(caller)
    index = None if compiled is None else place(compiled, caller)
    return None if index is None else Trap(trap.kind, index=index)


def place(compiled: Compiled, entry: TracebackType) -> int | None:
    """The element index of an indirect call, or the address of an access, at a traceback's entry; None if
    there is neither, or if it isn't known."""
    text, frame = compiled.notes.sites.places.get(compiled.notes.instr(entry.tb_lineno)), entry.tb_frame
    if text is None:
        return None
    try:
        code = compile(text, "<place>", "eval", dont_inherit=True)
        objects = objects_for(frame.f_globals["instance"], compiled.notes)
        return int(eval(bound(code, objects), frame.f_globals, dict(frame.f_locals)))
    except NameError:  # of a loop in two forms the text is that of the second, which may have more variables
        return None


def access_text(compiled: Compiled, entry: TracebackType) -> str:
    """A description of the access at a traceback's entry, and of the memory's size."""
    address = place(compiled, entry)
    if address is None:
        return ""
    instance: Instance = entry.tb_frame.f_globals["instance"]
    body, instr = body_of(instance, compiled), compiled.notes.instr(entry.tb_lineno)
    op, imm = body.ops[instr], body.imms[instr]
    memarg: MemArg = imm[0] if Imm.LANE in op.imms else imm
    memory = instance.mems[memarg.memidx]
    return memory.outside(address, op.width)


NULLS = {
    ("call_ref", AttributeError): TrapKind.NULL_FUNCTION,
    ("return_call_ref", AttributeError): TrapKind.NULL_FUNCTION,
    ("return_call_indirect", ValueError): TrapKind.UNINITIALIZED_ELEMENT,
    ("return_call_indirect", TypeError): TrapKind.INDIRECT_CALL_TYPE,
    ("struct", AttributeError): TrapKind.NULL_STRUCTURE,
    ("array", AttributeError): TrapKind.NULL_ARRAY,
    ("i31", TypeError): TrapKind.NULL_I31,
}
"""The trap that these exceptions mean (None has no attributes, is no number and no tuple), by the kind of the
instruction, or by its name if it has no kind."""


def kind_of(error: BaseException, op: Op) -> TrapKind | None:
    """The kind of trap that an exception means for an instruction; None if it means none."""
    if op.access and isinstance(error, OUTSIDE_MEMORY):
        return TrapKind.OUT_OF_BOUNDS_MEMORY
    if op.name in ("call_indirect", "return_call_indirect") and isinstance(error, IndexError):
        return TrapKind.UNDEFINED_ELEMENT
    subject = op.kind or op.name
    if isinstance(error, AttributeError | TypeError | ValueError):
        return NULLS.get((subject, type(error)))
    if subject == "array" and isinstance(error, IndexError):
        return TrapKind.OUT_OF_BOUNDS_ARRAY
    if op.params and op.traps and not op.access and isinstance(error, ZeroDivisionError):
        return TrapKind.DIVIDE_BY_ZERO
    return None
