"""The state of a guest at one moment, to which it can be put back: memories, globals, tables, segments, fuel,
and the contents of structures and arrays.

Memory is kept in pages, and a page that hasn't changed is kept once for many states. What is not here: frames
(`timeline.py`), and the state of the host, which never goes back (`ledger.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import WasmException
from ...interpreter.runtime.heap import Array, Internalized, Struct
from ...interpreter.runtime.instance import Instance
from ...interpreter.runtime.memory import Memory
from ...records import Frozen

PAGE = 4096
"""Bytes of memory that are kept together."""
Pages = tuple[bytes, ...]


class InstanceState(Frozen):
    """The state of one instance; references are kept as such."""

    instance: Instance
    memories: tuple[Pages, ...]
    globals: tuple[Any, ...]
    tables: tuple[tuple[Any, ...], ...]
    datas: tuple[bytes, ...]
    elems: tuple[Any, ...]
    fuel: int | None


class State(Frozen):
    """The state of all instances that a guest can reach, and the contents of its structures and arrays."""

    instances: tuple[InstanceState, ...]
    objects: tuple[tuple[list[Any], tuple[Any, ...]], ...]


def reachable(instance: Instance) -> list[Instance]:
    """The instance and all whose functions it can call."""
    found = {id(instance): instance}
    waiting = [instance]
    while waiting:
        each = waiting.pop()
        for func in (*each.funcs, *(element for table in each.tables for element in table.elements)):
            other = getattr(func, "instance", None)
            if isinstance(other, Instance) and id(other) not in found:
                found[id(other)] = other
                waiting.append(other)
    return list(found.values())


def taken(instances: Iterable[Instance], values: Iterable[Any], before: State | None) -> State:
    """The state now. `values` are those of frames, and `before` is an earlier state, whose pages are shared.

    Pages are shared only with the state of the same instance."""
    known = {} if before is None else {id(each.instance): each for each in before.instances}
    states = tuple([of_instance(instance, known.get(id(instance))) for instance in instances])
    return State(states, tuple(contents([*values, *roots(states)])))


def of_instance(instance: Instance, before: InstanceState | None) -> InstanceState:
    earlier = before.memories if before is not None else ((),) * len(instance.mems)
    return InstanceState(
        instance,
        tuple([pages_of(memory, pages) for memory, pages in zip(instance.mems, earlier, strict=True)]),
        tuple([global_.raw for global_ in instance.globals]),
        tuple([tuple(table.elements) for table in instance.tables]),
        tuple(instance.datas),
        tuple([tuple(elem) for elem in instance.elems]),
        instance.fuel,
    )


def pages_of(memory: Memory, before: Pages) -> Pages:
    """The bytes of a memory; pages that are the same as before are the same objects."""
    made = []
    buffer = memory.buffer
    for number, start in enumerate(range(0, memory.size, PAGE)):
        page = bytes(buffer[start : start + PAGE])
        if number < len(before) and before[number] == page:
            page = before[number]
        made.append(page)
    return tuple(made)


def roots(states: Iterable[InstanceState]) -> Iterator[Any]:
    """The values of instances that may be references."""
    for state in states:
        yield from state.globals
        for table in (*state.tables, *state.elems):
            yield from table


def contents(values: list[Any]) -> Iterator[tuple[list[Any], tuple[Any, ...]]]:
    """The lists of fields and elements that these values lead to, with what they hold."""
    seen = set()
    while values:
        value = values.pop()
        held: list[Any]
        if value.__class__ is Struct:
            held = value.fields
        elif value.__class__ is Array:
            held = value.elements
        elif isinstance(value, WasmException):
            held = list(value.payload)
        elif value.__class__ is Internalized:
            held = [value.value]
        else:
            continue
        if id(value) not in seen:
            seen.add(id(value))
            values += held
            if not isinstance(value, WasmException | Internalized):
                yield held, tuple(held)


def put_back(state: State) -> None:
    """Make the guest's state what it was."""
    for each in state.instances:
        instance = each.instance
        for memory, pages in zip(instance.mems, each.memories, strict=True):
            write(memory, pages)
        for global_, value in zip(instance.globals, each.globals, strict=True):
            if global_.type.mutable:
                global_.raw = value
        for table, elements in zip(instance.tables, each.tables, strict=True):
            if len(elements) != len(table.elements) or any(
                one is not two for one, two in zip(elements, table.elements, strict=True)
            ):
                table.restore(elements)
        instance.datas[:] = each.datas
        instance.elems[:] = each.elems
        if each.fuel is not None:
            instance.fuel = each.fuel
    for held, values in state.objects:
        held[:] = values


def write(memory: Memory, pages: Pages) -> None:
    size = sum(map(len, pages))
    if size < memory.size:
        memory.shrink(size)
    elif size > memory.size:
        memory.grow((size - memory.size) // memory.type.page)
    buffer = memory.buffer
    for number, page in enumerate(pages):
        start = number * PAGE
        if bytes(buffer[start : start + PAGE]) != page:
            buffer[start : start + len(page)] = page


def size_of(state: State, before: State | None) -> int:
    """The bytes that a state takes besides those that it shares with an earlier one."""
    shared = set() if before is None else {id(page) for page in pages_in(before)}
    return sum(len(page) for page in pages_in(state) if id(page) not in shared)


def pages_in(state: State) -> Iterator[bytes]:
    for each in state.instances:
        for pages in each.memories:
            yield from pages
