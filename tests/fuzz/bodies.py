"""Modules whose bytes are few for what it would take to validate, translate or instantiate them.

What is here: how they are made. What is not: what should come of each (`hostile.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

I32, ANYREF, I31REF = 0x7F, 0x6E, 0x6C
EMPTY = b"\x60\0\0"
"""The type of functions without parameters and results."""


def leb(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + leb(len(content)) + content


def vector(items: Sequence[bytes]) -> bytes:
    return leb(len(items)) + b"".join(items)


def binary(*sections: bytes) -> bytes:
    return b"\0asm\1\0\0\0" + b"".join(sections)


def code(body: bytes, locals_: bytes = b"\0") -> bytes:
    made = locals_ + body + b"\x0b"
    return leb(len(made)) + made


def body_section(body: bytes, locals_: bytes = b"\0") -> bytes:
    """The sections of a function without parameters and results."""
    return section(1, b"\1" + EMPTY) + section(3, b"\1\0") + section(10, b"\1" + code(body, locals_))


def func_type(params: Sequence[int], results: Sequence[int]) -> bytes:
    return b"\x60" + leb(len(params)) + bytes(params) + leb(len(results)) + bytes(results)


def struct_type(fields: int) -> bytes:
    return b"\x5f" + leb(fields) + b"\x7f\1" * fields


def module(
    body: bytes, locals_: bytes = b"\0", others: Sequence[tuple[bytes, bytes]] = (), *types: bytes
) -> bytes:
    """A module that exports a function of this body as "f". Type 0 is that of "f", then come those of
    `others`, which are functions 1 .., given with their bodies, and then more `types`."""
    funcs = [(EMPTY, code(body, locals_)), *((type_, code(other)) for type_, other in others)]
    return binary(
        section(1, vector([*(type_ for type_, _ in funcs), *types])),
        section(3, vector([leb(index) for index in range(len(funcs))])),
        section(7, b"\1\1f\0\0"),
        section(10, vector([made for _, made in funcs])),
    )


def defaults(fields: int, count: int) -> bytes:
    """Structures of so many fields, made so many times."""
    return module(b"\xfb\1\1\x1a" * count, b"\0", (), struct_type(fields))


def lists(count: int, given: int, wanted: int) -> bytes:
    """Calls of what returns 1,000 values, and of what takes them."""
    producer, consumer = func_type((), [given] * 1000), func_type([wanted] * 1000, ())
    return module(b"\x10\1\x10\2" * count, b"\0", [(producer, b"\0"), (consumer, b"")])


def block_lists(count: int) -> bytes:
    """Blocks that take and give 1,000 values."""
    producer = func_type((), [I32] * 1000)
    return module(
        b"\x10\1" + b"\2\2\x0b" * count + b"\0",
        b"\0",
        [(producer, b"\0")],
        func_type([I32] * 1000, [I32] * 1000),
    )


def nested_loops(count: int) -> bytes:
    """Loops in each other, and from the innermost a branch to each."""
    branches = b"".join(b"\x41\0\x0d" + leb(depth) for depth in range(count))
    return module(b"\3\x40" * count + branches + b"\x0b" * count)


def loops_that_set(count: int) -> bytes:
    """Loops in each other, each of which sets a local of its own."""
    body = b"\3\x40" * count + b"".join(b"\x41\1\x21" + leb(n) + b"\x41\0\x0d\0\x0b" for n in range(count))
    return module(body, b"\1" + leb(count) + b"\x7f")


def clauses(count: int) -> bytes:
    """A try_table that catches so many tags."""
    caught = leb(count) + b"".join(b"\0" + leb(tag) + b"\0" for tag in range(count))
    return binary(
        section(1, b"\1" + EMPTY), section(3, b"\1\0"), section(13, leb(count) + b"\0\0" * count),
        section(7, b"\1\1f\0\0"), section(10, b"\1" + code(b"\2\x40\x1f\x40" + caught + b"\x0b\x0b")),
    )  # fmt: skip


def locals_read(count: int) -> bytes:
    """So many locals, each of which is read, or waits as an operand."""
    return module(
        b"".join(b"\x20" + leb(n) for n in range(count)) + b"\x1a" * count, b"\1" + leb(count) + b"\x7f"
    )


def choices(count: int) -> bytes:
    """An `if` with an `else`, so many times."""
    return module(b"\x41\0\4\x40\5\x0b" * count)


def globals_and_tables(count: int) -> bytes:
    """So many imported globals, and tables that are defined."""
    imports = section(2, leb(count) + b"\1a\1b\3\x7f\0" * count)
    return binary(imports, section(4, leb(count) + b"\x40\0\x70\0\0\xd0\x70\x0b" * count))


def spread_locals(functions: int) -> bytes:
    """Functions that do nothing, of 50,000 locals each."""
    return binary(
        section(1, b"\1" + EMPTY), section(3, leb(functions) + b"\0" * functions),
        section(10, vector([code(b"", b"\1" + leb(50_000) + b"\x7f")] * functions)),
    )  # fmt: skip


def elements(count: int) -> bytes:
    """A segment of the same function, so many times."""
    return binary(
        section(1, b"\1" + EMPTY), section(3, b"\1\0"), section(4, b"\1\x70\0" + leb(count)),
        section(9, b"\1\0\x41\0\x0b" + leb(count) + b"\0" * count), section(10, b"\1" + code(b"")),
    )  # fmt: skip


def vectors(count: int) -> bytes:
    """Instructions on vectors, none of which is a loop."""
    return module(b"\xfd\x0c" + b"\1" * 16 + b"\x22\0" + b"\x20\0\xfd\xba\1" * count + b"\x1a", b"\1\1\x7b")
