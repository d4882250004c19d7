"""What a guest's instructions do with bytes and elements: elements that are stored at a smaller distance than
their size, and pixels that are brought to 0..1 and then made bytes.

What is here: `arithmetic_of`, which follows the operands of each store through a function, and knows of loops
by how much a local grows in each round. What is not: whether an input shows such a mistake (`sent.emptied`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from struct import pack, unpack
from typing import Any

from ...errors import WasmError
from ...interpreter.instructions import Op
from ...interpreter.instructions.row import Imm
from ...interpreter.module import Func, Module
from ...records import Frozen

MOST_CODE, MOST_FUNCTION = 1 << 18, 1 << 15
"""Bytes of functions that are followed, and of one: longer ones are interpreters and tables."""
DEEPEST = 24
"""Expressions of more operations are not followed further."""
WIDTHS = {"f32.store": 4, "f64.store": 8}
BYTES = frozenset({"i32.load8_u", "i32.load8_s"})
TRUNCATED = "i32.trunc_"
LEAST_DIVISOR = 32.0
"""Bytes that are divided by less are to be darker."""
SCALING = frozenset({"add", "sub", "mul", "div", "nearest", "floor", "demote_f64", "promote_f32"})
FLOATS = {"f32.const": ("<I", "<f"), "f64.const": ("<Q", "<d")}

Value = tuple[Any, ...]
"""An operation with its operands: ("local", 3), ("const", 4), ("i32.add", a, b). UNKNOWN is anything else."""
UNKNOWN: Value = ("",)


class Store(Frozen):
    """A store by its instruction's name: address and value, and the locals that the loop around it sets."""

    name: str
    address: Value
    value: Value
    offset: int
    steps: Mapping[int, int]
    """By local, by how much it grows in each round."""
    changing: frozenset[int] = frozenset()
    """All locals that are set in the loop."""


class Arithmetic(Frozen):
    """`step` is the distance in bytes at which elements of `width` bytes are stored, 0 if none are stored too
    near; `divisor` is that by which bytes are divided before they are made bytes again, 0 if none are;
    `is_stuck`: a byte is loaded from the same address in each round, and stored as a float at the next."""

    step: int = 0
    width: int = 0
    divisor: float = 0.0
    is_stuck: bool = False


def arithmetic_of(module: Module, left: Callable[[], bool]) -> Arithmetic:
    """Returns what the functions of a module do, as far as there is time."""
    found = Arithmetic()
    for func in shortest(module, MOST_CODE, MOST_FUNCTION, left):
        try:
            loops = [*Operands(module).loops(func.body)]
        except WasmError:
            continue
        for stores in loops:
            step, width = misstep(stores)
            divisor = next(filter(None, map(cut, stores)), 0.0)
            is_stuck = found.is_stuck or any(map(loads_one_byte, stores))
            found = Arithmetic(found.step or step, found.width or width, found.divisor or divisor, is_stuck)
    return found


def shortest(module: Module, room: int, most: int, left: Callable[[], bool]) -> Iterator[Func]:
    """The shortest functions of a module, of at most so many bytes each and together, as far as there is
    time."""
    for func in sorted(module.funcs, key=lambda func: func.size):
        room -= func.size
        if func.size > most or room < 0 or not left():
            return
        yield func


def misstep(stores: Sequence[Store]) -> tuple[int, int]:
    """Returns at which distance the stores of a loop put elements, and their size, if that is larger, or 0
    and 0 if it isn't. Loops that were unrolled have several stores, at different offsets."""
    offsets: dict[Any, set[int]] = {}
    for store in stores:
        width = WIDTHS.get(store.name, 0)
        parts = linear(store.address)
        grows = abs(sum(by * store.steps.get(local, 0) for local, by in parts.items() if local is not None))
        if not width or not grows:
            continue
        own = frozenset((local, by) for local, by in parts.items() if local is not None)
        there = offsets.setdefault((own, width), set())
        there.add(parts.get(None, 0) + store.offset)
        steps = [after - before for before, after in pairwise(sorted(there))]
        if (least := min([grows, *steps])) < width:
            return least, width
    return 0, 0


def loads_one_byte(store: Store) -> bool:
    """Whether a float is stored at an address that grows, and made of one byte, whose address stays."""
    parts = linear(store.address)
    grows = any(by and store.steps.get(local, 0) for local, by in parts.items() if local is not None)
    loads = loaded_in(store.value) if store.name in WIDTHS and grows else []
    return len(loads) == 1 and loads[0][0] in BYTES and not mentioned(store.value) & store.changing


def loaded_in(value: Value) -> list[Value]:
    """The loads in a value that are no part of another one's address; UNKNOWN stands for what may be one."""
    if ".load" in value[0] or value == UNKNOWN:
        return [value]
    return [one for part in value if isinstance(part, tuple) for one in loaded_in(part)]


def cut(store: Store) -> float:
    """Returns by how much a byte was divided before it was made one again, or 0 if it wasn't, or by
    little."""
    if store.name != "i32.store8" or not store.value[0].startswith(TRUNCATED):
        return 0.0
    scale = abs(scale_of(store.value[1]))
    return 1 / scale if 0 < scale <= 1 / LEAST_DIVISOR else 0.0


def scale_of(value: Value) -> float:
    """Returns the factor of a byte in a value that is calculated from it with constant numbers, or 0 for
    others."""
    if is_byte(value):
        return 1.0
    operation = value[0].rpartition(".")[2]
    constants = [one[1] for one in value[1:] if one[0] == "const"]
    others = [one for one in value[1:] if one[0] != "const"]
    if len(others) != 1 or operation not in SCALING or len(constants) != len(value) - 2:
        return 0.0
    scale = scale_of(others[0])
    if operation == "mul":
        return scale * float(constants[0])
    if operation == "div":
        return scale / float(constants[0]) if constants[0] and value[2][0] == "const" else 0.0
    return scale


def is_byte(value: Value) -> bool:
    """Whether a value is a byte of memory, as it is or as a float."""
    while value[0] not in BYTES and len(value) == 2 and value[0] not in ("local", "const"):
        value = value[1]
    return value[0] in BYTES


def linear(value: Value) -> dict[int | None, int]:
    """A value as a sum of locals by factors; None stands for the rest."""
    match value:
        case ("local", number):
            return {number: 1}
        case ("const", number):
            return {None: number}
        case ("i32.add" | "i32.sub" | "i32.or", a, b) if value[0] != "i32.or" or b[0] == "const":
            sign = (
                -1 if value[0] == "i32.sub" else 1
            )  # compilers write an index of even ones plus 1 with "or"
            made = linear(a)
            for key, by in linear(b).items():
                made[key] = made.get(key, 0) + sign * by
            return made
        case ("i32.mul", a, ("const", by)) | ("i32.mul", ("const", by), a):
            return {key: by * one for key, one in linear(a).items()}
        case ("i32.shl", a, ("const", by)):
            return {key: one << (by & 31) for key, one in linear(a).items()}
    return {None: 0}


class Operands:
    """Follows values on the stack and in locals through one function. Where ways come together, nothing is
    known of locals."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._stack: list[Value] = []
        self._locals: dict[int, Value] = {}
        self._blocks: list[tuple[bool, int, Value]] = []
        """By open block, whether it is a loop, the height of the stack, and what its first way leaves."""
        self._loops: list[dict[int, set[int | None]]] = [{}]
        """By open loop, what is added to locals in it; None for any other value."""
        self._waiting: list[list[tuple[str, Value, Value, int]]] = [[]]

    def loops(self, body: Any) -> Iterator[list[Store]]:
        """The stores of each loop, without those of loops in it; those of no loop at last."""
        for op, imm in body:
            yield from self._do(op, imm)

    def _do(self, op: Op, imm: Any) -> Iterator[list[Store]]:
        match op.name:
            case "block" | "loop" | "if":
                self._pop(int(op.name == "if"))
                self._begin(op.name == "loop")
            case "else":
                self._blocks[-1] = (*self._blocks[-1][:2], self._top_of_block())
                self._cut()
            case "end":
                yield from self._end()
            case "local.get":
                self._push(self._locals.get(imm, ("local", imm)))
            case "local.set" | "local.tee":
                (value,) = self._pop(1)
                self._set(imm, value)
                if op.name == "local.tee":
                    self._push(value)
            case "i32.const":
                self._push(("const", imm - (1 << 32) if imm >= 1 << 31 else imm))
            case "f32.const" | "f64.const":
                bits, kind = FLOATS[op.name]
                self._push(("const", unpack(kind, pack(bits, imm))[0]))
            case "call":
                kind = self._module.func_types[imm]
                self._pop(len(kind.params))
                self._stack += [UNKNOWN] * len(kind.results)
            case _ if op.params is None or Imm.LABEL in op.imms or Imm.LABELS in op.imms:
                self._odd(op.name)
            case _:
                operands = self._pop(len(op.params))
                if op.stores and len(operands) == 2:
                    self._waiting[-1].append((op.name, operands[0], operands[1], imm.offset))
                self._stack += [
                    (op.name, *operands) if depth(operands) < DEEPEST else UNKNOWN for _ in op.results
                ]

    def _begin(self, is_loop: bool) -> None:
        self._blocks.append((is_loop, len(self._stack), UNKNOWN))
        if is_loop:
            self._locals.clear()
            self._loops.append({})
            self._waiting.append([])

    def _end(self) -> Iterator[list[Store]]:
        left = self._top_of_block()
        is_loop, height, first = self._blocks.pop() if self._blocks else (True, 0, UNKNOWN)
        has_value = len(self._stack) > height
        del self._stack[height:]
        if has_value:
            self._push(first if first is not UNKNOWN else left)
        self._locals.clear()
        if is_loop:
            steps = self._loops.pop()
            for local, _ in steps.items() if self._loops else ():
                self._loops[-1].setdefault(local, set()).add(None)
            known = {n: next(iter(by)) for n, by in steps.items() if len(by) == 1 and None not in by}
            by_round = {local: by for local, by in known.items() if by is not None}
            yield [Store(*one, by_round, frozenset(steps)) for one in self._waiting.pop()]

    def _top_of_block(self) -> Value:
        height = self._blocks[-1][1] if self._blocks else 0
        return self._stack[-1] if len(self._stack) > height else UNKNOWN

    def _cut(self) -> None:
        del self._stack[self._blocks[-1][1] :]
        self._locals.clear()

    def _set(self, local: int, value: Value) -> None:
        parts = linear(value)
        others = {key for key in parts if key is not None and key != local}
        by = parts.get(None, 0) if parts.get(local) == 1 and not others else None
        self._loops[-1].setdefault(local, set()).add(by)
        for other in [key for key, known in self._locals.items() if local in mentioned(known)]:
            del self._locals[other]
        if local in mentioned(value) or value is UNKNOWN:
            self._locals.pop(local, None)
        else:
            self._locals[local] = value

    def _odd(self, name: str) -> None:
        """Anything whose operands aren't in its row."""
        if name in ("br_if", "drop"):
            self._pop(1)
        elif name == "select":
            self._pop(3)
            self._push(UNKNOWN)
        elif name in ("br", "return", "unreachable", "br_table", "return_call"):
            del self._stack[self._blocks[-1][1] if self._blocks else 0 :]
        elif name == "global.get":
            self._push(UNKNOWN)
        elif name == "global.set":
            self._pop(1)
        elif name != "nop":
            self._stack = [UNKNOWN] * len(self._stack)

    def _push(self, value: Value) -> None:
        self._stack.append(value)

    def _pop(self, count: int) -> list[Value]:
        missing = max(0, count - len(self._stack))
        found = [UNKNOWN] * missing + self._stack[len(self._stack) - count + missing :]
        del self._stack[len(self._stack) - count + missing :]
        return found


def depth(values: Any) -> int:
    """How many operations values consist of, at most DEEPEST."""
    count, open_ = 0, [*values]
    while open_ and count < DEEPEST:
        count += 1
        open_ += [one for one in open_.pop() if isinstance(one, tuple)]
    return count


def mentioned(value: Value) -> set[int]:
    """The locals in a value."""
    if value[0] == "local":
        return {value[1]}
    return {local for one in value if isinstance(one, tuple) for local in mentioned(one)}
