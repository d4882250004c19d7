"""Computes the values of many rounds at once, as a list of calls of numpy that is made once for each loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from math import prod
from typing import Any

import numpy as np

from .course import Course
from .numeric import DTYPES, OPERATIONS, STORED, TRAPS, UNSIGNED, Array, has_nan, unsigned
from .plan import Load, Plan, Result, Store
from .ranges import Place
from .reductions import Reducer, Stop
from .scalars import MASKS
from .scans import scan_of

PIECE = 1 << 15
"""Elements that are computed at a time: they stay in the cache, and take little memory."""
KEPT = 4 << 20
"""Once a block of so many bytes was freed, glibc keeps twice as many for who asks next. To give pages back
and get them again takes longer than to calculate what is in them."""
np.empty(KEPT, np.uint8)
Step = tuple[int, Callable[..., Array] | None, tuple[int, ...]]
"""Which value it computes, how (None: it loads), and from which values."""
Trapping = tuple[int, Callable[..., Array], tuple[int, ...]]
"""Where it is executed (-1: everywhere), and what says where it traps, of which values."""
Freeing = tuple[int, Callable[..., Array] | None, tuple[int, ...], tuple[int, ...]]
"""The same, and which values nobody needs after it."""


class Piece:
    """Some of the rounds."""

    def __init__(self, course: Course, begin: int, end: int, values: list[Array]) -> None:
        self.course, self.begin, self.end, self.values = course, begin, end, values
        self.inside = 0
        """The round of the innermost loop, if these are computed one after the other."""
        self.laps = 0
        """How many of its rounds are computed at once; they are the last axis."""
        self.read: list[tuple[int, int, int]] = []
        """The parts of memories that were loaded: the memory, the first byte, and the one behind the last."""

    def numbers(self, depth: int, type_: Any) -> Array:
        """The numbers of the rounds of a loop."""
        course = self.course
        made = np.arange(course.inside[depth - 1], dtype=type_) if depth else self.numbered(type_)
        further = course.plan.planes - depth  # loops inside of this one that are computed with it
        return made.reshape(-1, *[1] * further) if further > 0 else made

    def numbered(self, type_: Any) -> Array:
        return np.arange(self.begin, self.end, dtype=type_)

    def view(self, place: Place, memidx: int, access: str) -> Array:
        """Memory at an access in each round, or in one where all are at the same address."""
        strides, start = place.strides, place.start
        planes = self.course.planes
        if len(strides) > len(planes) + 1:
            further = sum(strides[len(planes) + 1 :])  # of all but one loop it is 0
            start += further * self.inside
            strides = (*strides[: len(planes) + 1], *[further] * bool(self.laps))
        elif self.laps:
            strides = *strides, 0
        counts = self.end - self.begin, *planes, self.laps
        shape = tuple([count if stride else 1 for count, stride in zip(counts, strides, strict=False)])
        start += strides[0] * self.begin
        return np.ndarray(shape, STORED[access], self.course.mems[memidx].buffer, start, strides)

    def looked_up(self, load: Load) -> Array:
        """What is at addresses that were computed. Raises Stop if one is outside memory, or where a store of
        these rounds may be."""
        addresses = self.values[load.node].astype(np.int64)
        type_, memory = STORED[load.access], self.course.mems[load.memidx]
        low = int(np.minimum.reduce(addresses, axis=None)) + load.offset
        high = int(np.maximum.reduce(addresses, axis=None)) + load.offset + type_.itemsize
        if high > memory.size:
            raise Stop
        rounds = self.end - self.begin, *self.course.shape(1)[1:]
        for place in self.course.stores:
            begin, end = place.moved(self.begin).extent(rounds)
            if place.memory == id(memory) and low < end and begin < high:
                raise Stop
        self.read.append((id(memory), low, high))
        addresses -= low - load.offset
        width = type_.itemsize
        if width > 1:
            if (addresses & (width - 1)).any():
                raise Stop
            addresses //= width
        table = np.ndarray(((high - low) // width,), type_, memory.buffer, low)
        found: Array = table.take(addresses)
        return found

    def load(self, number: int) -> Array:
        """The values of a load, as its type has them."""
        load, place = self.course.plan.loads[number], self.course.loads[number]
        found = self.looked_up(load) if place is None else self.view(place, load.memidx, load.access)
        if load.access[0] == "s":
            return unsigned(found.astype(np.int32 if load.type == "i32" else np.int64))
        return found.astype(DTYPES[load.type])  # always a copy: stores may change what was there


class Routine:
    """The calls of numpy for a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.loads = {load.value: number for number, load in enumerate(plan.loads) if load.value >= 0}
        self.blank: list[Array] = [None] * len(plan.nodes)
        self.fixed: list[Step] = []
        self.steps: list[Step] = []
        self.given: list[tuple[int, int, Any]] = []
        """Values that are arguments: of which number, or -1 for the rounds of the loop inside, -2 for
        those of one inside that."""
        self.rounds: list[tuple[int, int, Any]] = []
        """Values that are the number of the round: of which loop, and as which type."""
        self.starts: list[tuple[int, int, Any, int]] = []
        """Values that are a local before a piece: which argument it is, as which type, and the mask of an
        integer."""
        self.numbers: list[int] = []
        """Floats whose bits are observed: none may be NaN."""
        for node in range(len(plan.nodes)):
            self.prepare(node)
        self.traps = [self.trap(path, node) for path, node in plan.traps]
        self.stores = [self.stored(store) for store in plan.stores]
        self.results = [self.result(result) for result in plan.results]
        self.freeing = self.last_uses()
        looked_up = any(load.address is None for load in plan.loads)
        self.spare = int(bool(plan.traps) or looked_up or plan.laps >= 0)
        """How many rounds of a piece are computed and not done. If a round may trap the next piece begins
        with the last one again, or the loop, which sets what a backtrace shows."""

    # Making the list

    def add(self, still: bool, function: Callable[..., Array], *parts: int) -> int:
        """Another value that isn't a node."""
        index = len(self.blank)
        self.blank.append(None)
        (self.fixed if still else self.steps).append((index, function, parts))
        return index

    def proper(self, parts: Sequence[int]) -> tuple[int, ...]:
        """Operands of an instruction: truth values as numbers."""
        plan = self.plan
        return tuple(
            [
                self.add(plan.still[part], as_number, part) if plan.types[part] == "bool" else part
                for part in parts
            ]
        )

    def truth(self, node: int) -> int:
        """A condition as truth values; -1 stays -1."""
        if node < 0 or self.plan.types[node] == "bool":
            return node
        return self.add(self.plan.still[node], is_true, node)

    def prepare(self, node: int) -> None:
        """Append what computes a node."""
        plan, form = self.plan, self.plan.nodes[node]
        kind, type_ = form[0], plan.types[node]
        function: Callable[..., Array] | None
        parts: tuple[int, ...]
        if kind in ("f32.const", "f64.const"):
            self.blank[node] = np.array([form[1]], UNSIGNED[int(kind[1:3])]).view(DTYPES[type_])
            return
        if kind == "linear" and not form[3]:
            self.blank[node] = np.array([form[2]], UNSIGNED[form[1]])
            return
        if kind in ("param", "rounds"):
            self.given.append((node, form[1] if kind == "param" else -form[1], DTYPES[type_]))
            return
        if kind == "index":
            self.rounds.append((node, form[1], DTYPES[type_]))
            return
        if kind == "delayed":
            parts = self.start_of(node, form[1]), *self.proper([form[2]]), self.number_of_round(0, "i32")
            self.steps.append((node, delayed, parts))
            return
        if kind == "scanned":
            how, param = form[1]
            parts = self.start_of(node, param), self.number_of_round(0, "i32"), *self.proper(form[2:])
            self.steps.append((node, scan_of(how), parts))
            return
        if kind in ("before", "left"):  # `nested.py` has them
            return
        if kind == "load":
            function, parts = None, (self.loads[node],)
        elif kind == "scaled":
            function, parts = np.multiply, (form[1], self.number_of_round(form[2], type_))
        elif kind == "linear":
            function, parts = self.multiples(form)
        elif kind == "select":
            chosen = form[3:] if type_ == "bool" else self.proper(form[3:])
            function, parts = np.where, (self.truth(form[2]), *chosen)
        elif kind in LOGIC:
            function, parts = LOGIC[kind], tuple([self.truth(part) for part in form[1:]])
        else:
            function, parts = OPERATIONS[kind], self.proper(form[1:])
            if "reinterpret_f" in kind or kind.endswith("copysign"):
                self.numbers.append(parts[-1])
        (self.fixed if plan.still[node] else self.steps).append((node, function, parts))

    def start_of(self, node: int, param: int) -> int:
        """The value of a local before a piece."""
        start, type_ = len(self.blank), self.plan.types[node]
        self.blank.append(None)
        self.starts.append((start, param, DTYPES[type_], MASKS.get(type_, 0)))
        return start

    def multiples(self, form: Any) -> tuple[Callable[..., Array], tuple[int, ...]]:
        """What computes a sum of multiples, and from which values: of those that don't change once."""
        _, bits, number, terms = form
        proper = self.proper([part for part, _ in terms])
        groups: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []
        for (part, factor), operand in zip(terms, proper, strict=True):
            groups[self.plan.still[part]].append((operand, factor))
        moving, fixed = groups
        if fixed and moving:
            start = self.add(True, summing(bits, number, fixed), *[operand for operand, _ in fixed])
            number, moving = 0, [(start, 1), *moving]
        terms = moving or fixed
        return summing(bits, number, terms), tuple([operand for operand, _ in terms])

    def number_of_round(self, depth: int, type_: str) -> int:
        self.blank.append(None)
        self.rounds.append((len(self.blank) - 1, depth, DTYPES[type_]))
        return len(self.blank) - 1

    def trap(self, path: int, node: int) -> Trapping:
        if node < 0:
            return -1, np.logical_and, (self.truth(path),) * 2
        kind, *parts = self.plan.nodes[node]
        return self.truth(path), TRAPS[kind], self.proper(parts)

    def stored(self, store: Store) -> tuple[int, int]:
        """The values of a store's condition and operand."""
        if store.access[0] == "f":
            self.numbers.append(store.value)
        return self.truth(store.path), store.value

    def result(self, result: Result) -> tuple[int, ...]:
        """The values that a local is combined with."""
        if result.kind == "keep":
            return self.truth(result.nodes[0]), *self.proper(result.nodes[1:])
        return self.proper(result.nodes)

    def last_uses(self) -> list[Freeing]:
        """The steps of a piece."""
        needed = {*self.numbers, *(value for values in (*self.stores, *self.results) for value in values)}
        needed.update(value for path, _, parts in self.traps for value in (path, *parts))
        made = {index for index, _, _ in (*self.steps, *self.rounds)}
        steps: list[Freeing] = []
        for index, function, parts in reversed(self.steps):
            used = {self.plan.loads[parts[0]].node} if function is None else {*parts}
            steps.append((index, function, parts, tuple((used | {index}) & made - needed)))
            needed |= used
        return steps[::-1]

    # Doing it

    def run(self, course: Course) -> tuple[int, list[Any]]:
        """Do the rounds. Returns how many were done, and what locals are then that aren't counted."""
        made = [first_of(course, result) for result in self.plan.results]
        size = min(PIECE // (prod(course.planes) * self.plan.weight), course.limit - self.spare)
        size, done = max(1, size), 0
        with np.errstate(all="ignore"):
            values = self.begin(course)
            while done < course.outer - self.spare:
                end = min(done + size + self.spare, course.outer)
                piece = Piece(course, done, end, values.copy())
                try:
                    made = self.do(piece, made)
                except (Stop, MemoryError, RecursionError):
                    break
                done = piece.end - self.spare
        return done, made

    def begin(self, course: Course) -> list[Array]:
        """The values that are the same in all rounds."""
        values = self.blank.copy()
        for node, number, type_ in self.given:
            given = course.inside[-1 - number] if number < 0 else course.arguments[number]
            values[node] = np.array([given], type_)
        for index, function, parts in self.fixed:
            assert function is not None
            values[index] = function(*[values[part] for part in parts])
        return values

    def do(self, piece: Piece, before: list[Any]) -> list[Any]:
        """Do a piece, or less of it, which its end says then. Raises Stop, with nothing done."""
        values = piece.values
        known = {result.param: value for result, value in zip(self.plan.results, before, strict=True)}
        for index, param, type_, mask in self.starts:
            value = known[param]
            values[index] = np.array([value & mask if mask else value], type_)
        for index, depth, type_ in self.rounds:
            values[index] = piece.numbers(depth, type_)
        for index, function, parts, dead in self.freeing:
            if function is None:
                values[index] = piece.load(parts[0])
            else:
                values[index] = function(*[values[part] for part in parts])
            for value in dead:  # what comes next gets its memory, which is in the cache
                values[value] = None
        check(values, self.traps, self.numbers)
        after = self.reduced(piece, before)
        self.store(piece)
        return after

    def reduced(self, piece: Piece, before: list[Any]) -> list[Any]:
        """The locals after the piece."""
        rounds = piece.end - piece.begin
        reducer = Reducer(rounds - self.spare)
        made = []
        for result, value, parts in zip(self.plan.results, before, self.results, strict=True):
            values = [self.done_of(piece.values[part], rounds) for part in parts]
            made.append(reducer.reduced(result, value, values))
        return made

    def done_of(self, values: Array, rounds: int) -> Array:
        """The values of the rounds that are done, of one for each round or for all."""
        axes = self.plan.planes + 1  # one less: of a loop inside
        is_each = values.shape[0] == rounds and len(values.shape) == axes
        return values[: rounds - self.spare] if self.spare and is_each else values

    def store(self, piece: Piece) -> None:
        """Do all stores."""
        waiting = []
        rounds = piece.end - piece.begin
        for store, place, (path, value) in zip(
            self.plan.stores, piece.course.stores, self.stores, strict=True
        ):
            view = self.done_of(piece.view(place, store.memidx, store.access), rounds)
            new = self.done_of(piece.values[value], rounds).astype(view.dtype, copy=False)
            where = True if path < 0 else self.done_of(piece.values[path], rounds)
            waiting.append((view, new, where))
        for view, new, where in waiting:
            np.copyto(view, new, where=where)


def check(values: list[Array], traps: Sequence[Trapping], numbers: Sequence[int]) -> None:
    """Raise Stop if an instruction traps, or a NaN is observed."""
    for path, trapping, parts in traps:
        found = trapping(*[values[part] for part in parts])
        if (found if path < 0 else found & values[path]).any():
            raise Stop
    for number in numbers:
        if has_nan(values[number]):
            raise Stop


def first_of(course: Course, result: Result) -> Any:
    """What a result is before the loop."""
    if result.param >= 0:
        return course.arguments[result.param]
    return Piece(course, 0, 1, []).load(result.line[0]).item()


def delayed(start: Array, after: Array, numbers: Array) -> Array:
    made = np.empty(numbers.shape, after.dtype)
    made[:1], made[1:] = start, after[:-1] if after.size > 1 else after
    return made


def as_number(a: Array) -> Array:
    return a.astype(np.uint32)


def is_true(a: Array) -> Array:
    return a != a.dtype.type(0)


def all_of(*conditions: Array) -> Array:
    return reduce(np.logical_and, conditions)


def any_of(*conditions: Array) -> Array:
    return reduce(np.logical_or, conditions)


LOGIC: dict[str, Callable[..., Array]] = {"and": all_of, "or": any_of, "not": np.logical_not}


def summing(bits: int, number: int, terms: Sequence[tuple[int, int]]) -> Callable[..., Array]:
    """What computes a sum of multiples."""
    type_, ways = UNSIGNED[bits], []
    for _, factor in terms:
        by = min(factor, (1 << bits) - factor)
        ways.append((np.add if by == factor else np.subtract, None if by == 1 else type_(by)))
    return partial(summed, None if not number and ways[0][0] is np.add else type_(number), ways)


def summed(number: Any, ways: Sequence[tuple[Callable[..., Array], Any]], *parts: Array) -> Array:
    made = number
    for (way, factor), part in zip(ways, parts, strict=True):
        term = part if factor is None else part * factor
        made = term if made is None else way(made, term)
    return made
