"""Floats that a guest has: constants of its instructions, rows of its data, and numbers in short texts that
it read.

What is here: `own_floats`, `constants_in` and `floats_in`. What is not: what they are for
(`sent.normalised`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import pack, unpack
from typing import Any

from ...arrays import numpy
from ...errors import WasmError
from ...interpreter.module import Module
from ..regex import regex
from .arithmetic import FLOATS, shortest
from .constants import F32_CONST, F64_CONST

MOST_CODE, MOST_FUNCTION, MOST_DATA = 1 << 17, 1 << 14, 1 << 14
"""Bytes of functions and of data that are looked at."""
DIGITS_OF_F64, DIGITS_OF_F32, LEAST_WRITTEN, LARGEST_WRITTEN = 9, 6, 1e-5, 1e7
"""Digits of numbers that people write, and their sizes."""
NUMBER = regex(r"(?<![\w.])[-+]?\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.])")
MOST_TEXT, MOST_NUMBERS = 1 << 12, 64
LEAST, MOST_IN_DATA = 0.01, 256
"""The least of the floats in the data that count, and so many different ones."""


def own_floats(module: Module, left: Callable[[], bool]) -> Any:
    """The sizes of the floats in a program, as f64, those in its shortest functions first; as far as there is
    time."""
    found: set[float] = set()
    for func in shortest(module, MOST_CODE, MOST_FUNCTION, left):
        try:
            body = func.body
        except WasmError:
            continue
        for op, imm in body:
            if op.name in FLOATS:
                bits, kind = FLOATS[op.name]
                found.add(abs(unpack(kind, pack(bits, imm))[0]))
    found |= in_data(module)
    return numpy.array(sorted(found), "f8")


def in_data(module: Module) -> set[float]:
    """Floats from 0 to 1 in a program's data, if there are few: those of tables are near to any number."""
    found: set[float] = set()
    for data in module.datas:
        for kind, width in (("<f4", 4), ("<f8", 8)):
            words = numpy.frombuffer(data.init[: min(len(data.init), MOST_DATA) // width * width], kind)
            sizes = abs(words[numpy.isfinite(words)].astype("f8"))
            found.update(sizes[(sizes > LEAST) & (sizes < 1)].tolist())
    return found if len(found) <= MOST_IN_DATA else set()


def constants_in(code: bytes) -> Iterator[Any]:
    """The floats that people wrote, of instructions (f64.const, f32.const), in the order of the code. Other
    bytes that look like such an instruction have more digits."""
    for opcode, kind, digits in ((F64_CONST, "<f8", DIGITS_OF_F64), (F32_CONST, "<f4", DIGITS_OF_F32)):
        _, usual = usual_in(code, opcode, kind)
        yield numpy.array([one for one in usual if usual.dtype.type(f"{one:.{digits}g}") == one], kind)


def all_constants(code: bytes) -> Any:
    """The floats of f32.const and f64.const in the order of the code, among other bytes that look so."""
    found: list[tuple[int, float]] = []
    for opcode, kind in ((F64_CONST, "<f8"), (F32_CONST, "<f4")):
        places, usual = usual_in(code, opcode, kind)
        found += zip(places.tolist(), usual.tolist(), strict=True)
    return numpy.array([number for _, number in sorted(found)], "f8")


def usual_in(code: bytes, opcode: int, kind: str) -> tuple[Any, Any]:
    """Returns the places of an opcode that has a float of usual size behind it, and these floats."""
    data, width = numpy.frombuffer(code, "u1"), numpy.dtype(kind).itemsize
    places = numpy.flatnonzero(data[: max(0, len(data) - width)] == opcode)
    if not len(places):
        return places, numpy.empty(0, kind)
    numbers = numpy.lib.stride_tricks.sliding_window_view(data, width)[places + 1].copy().view(kind)[:, 0]
    with numpy.errstate(all="ignore"):
        sizes = abs(numbers.astype("f8"))
        is_usual = (sizes > LEAST_WRITTEN) & (sizes < LARGEST_WRITTEN)
    return places[is_usual], numbers[is_usual]


def floats_in(text: str) -> list[float]:
    """The numbers with a fraction in a short text with few of them."""
    found = NUMBER.findall(text) if len(text) <= MOST_TEXT else []
    return [abs(float(one)) for one in found] if len(found) <= MOST_NUMBERS else []
