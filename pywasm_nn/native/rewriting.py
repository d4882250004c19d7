"""Prepares a module's bytes for wasmtime: it must export all memories and tags, its stack pointer, and its
start function.

wasmtime calls the start function while it makes an instance, when nobody can reach the memory yet, and shows
nothing that isn't exported. So the start section becomes an export, and memories, tags and the global that
is the stack pointer of LLVM's compilers get exports: hints say whether the guest's stack was too short. All
other bytes stay as they are: `Prepared.shift` says how far code moved. What is not here: compiling
(`code.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..interpreter.encode import encode, sized, write_export, write_unsigned
from ..interpreter.module import Export, Module
from ..interpreter.types import I32, ExternKind, GlobalType
from ..records import Frozen

GLOBAL, STACK_POINTER = ExternKind.GLOBAL, GlobalType(I32, mutable=True)
HEADER = 8
"""Bytes of magic and version."""
EXPORT, START, ELEM, CODE, DATA, DATA_COUNT = 7, 8, 9, 10, 11, 12
AFTER_EXPORTS = frozenset({START, ELEM, CODE, DATA, DATA_COUNT})


class Prepared(Frozen):
    """Bytes for wasmtime, and names of exports: for each memory, each tag, and the start function. `globals`
    are those of the first global, if it may be a stack pointer."""

    data: bytes
    shift: int
    memories: tuple[str, ...]
    tags: tuple[str, ...]
    globals: tuple[Export, ...]
    start: str | None


def prepare(module: Module) -> Prepared:
    """The bytes of a module with the exports that this engine needs."""
    data = module.data or encode(module)
    taken = {export.name for export in module.exports}
    known = {(export.kind, export.index): export.name for export in module.exports}
    added: list[Export] = []

    def name_of(kind: ExternKind, index: int) -> str:
        if (kind, index) not in known:
            name = f"{kind.keyword} {index} for pywasm-nn"
            while name in taken:
                name += "'"
            known[kind, index] = name
            added.append(Export(name, kind, index))
        return known[kind, index]

    memories = tuple(name_of(ExternKind.MEMORY, index) for index in range(len(module.mem_types)))
    tags = tuple(name_of(ExternKind.TAG, index) for index in range(len(module.tag_types)))
    hidden = (Export(name_of(GLOBAL, 0), GLOBAL, 0),) if may_be_stack_pointer(module) else ()
    start = None if module.start is None else name_of(ExternKind.FUNC, module.start)
    if not added and start is None:
        return Prepared(data, 0, memories, tags, hidden, start)
    made, shift = rewritten(data, len(module.exports), added)
    return Prepared(made, shift, memories, tags, hidden, start)


def may_be_stack_pointer(module: Module) -> bool:
    """Whether the first global is the module's own, mutable and of type i32."""
    return bool(module.globals) and module.global_types[0] == STACK_POINTER and not module.imported(GLOBAL)


def rewritten(data: bytes, exports: int, added: Sequence[Export]) -> tuple[bytes, int]:
    """The bytes without start section, with exports after the module's own; and how many bytes further back
    the code is."""
    parts, shift, is_done = [data[:HEADER]], 0, not added
    entries = b"".join(map(write_export, added))
    count = write_unsigned(exports + len(added))
    for number, begin, content, end in sections(data):
        if number == EXPORT and added:
            parts.append(bytes([EXPORT]) + sized(count + data[number_at(data, content)[1] : end] + entries))
            is_done = True
            continue
        if number in AFTER_EXPORTS and not is_done:
            parts.append(bytes([EXPORT]) + sized(count + entries))
            is_done = True
        if number == CODE:
            shift = sum(map(len, parts)) - begin
        if number != START:
            parts.append(data[begin:end])
    if not is_done:
        parts.append(bytes([EXPORT]) + sized(count + entries))
    return b"".join(parts), shift


def sections(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Number, begin, begin of the content and end of each section of a well-formed module."""
    at = HEADER
    while at < len(data):
        size, content = number_at(data, at + 1)
        yield data[at], at, content, content + size
        at = content + size


def number_at(data: bytes, at: int) -> tuple[int, int]:
    """The number (LEB128, unsigned) at a position, and the position after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
