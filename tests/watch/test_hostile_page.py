"""Pages of traces of modules that would make them very large."""

from __future__ import annotations

import pytest

from pywasm_nn.api import Module
from pywasm_nn.watch.page.code import LONGEST, MOST_LINES
from pywasm_nn.watch.trace import Trace
from tests.fuzz.bodies import binary, leb, section

MANY = 200_000
GETS = b"\x20\0\x21\0"
"""Sets local 0 to itself."""


def vector(items: list[bytes]) -> bytes:
    return leb(len(items)) + b"".join(items)


def text(name: bytes) -> bytes:
    return leb(len(name)) + name


def module(body: bytes, *others: bytes, name: bytes = b"") -> bytes:
    """A module that exports a function of this body with a local, and has others beside it."""
    codes = [text(b"\1\1\x7f" + code + b"\x0b") for code in (body, *others)]
    return binary(
        section(1, b"\1\x60\0\0"),
        section(3, vector([b"\0"] * len(codes))),
        section(7, b"\1\1f\0\0"),
        section(10, vector(codes)),
        section(0, text(b"name") + name),
    )


def names(function: bytes, local: bytes) -> bytes:
    """A name section for function 0 and its local 0."""
    functions, locals_ = b"\1\0" + text(function), b"\1\0\1\0" + text(local)
    return b"\1" + text(functions) + b"\2" + text(locals_)


CALLED = 150
HOSTILE = {
    "names": module(b"\x10\1" * 500, GETS * 500, name=names(b"f" * MANY, b"\xc2\x9b" * MANY)),
    "a name of itself": module(GETS * 700 + b"\x10\1" * 5, b"", name=names(b"<!--</script>" * MANY, b"x")),
    "labels": module(b"\x02\x40\x41\1\x0e" + leb(MANY) + b"\0" * MANY + b"\0\x0b"),
    "functions": module(
        b"".join(b"\x10" + leb(n + 1) for n in range(CALLED)),
        *[b"\x0f" + GETS * (LONGEST // 2 - 10)] * CALLED,
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_page_is_no_larger_than_people_read(name: str) -> None:
    trace = Trace(["instr", "calls"], budget=2000)
    hostile = Module.from_bytes(HOSTILE[name])
    with hostile.instantiate(engine="interpret", observer=trace) as instance:
        instance.exports.f()
    assert len(trace) > 2
    assert all(len(str(event)) < 5000 for event in trace)
    page = trace.page()
    assert len(page) < 1_000_000 + 20 * MOST_LINES
    assert "</script>" * 2 not in page
