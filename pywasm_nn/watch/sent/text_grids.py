"""Grids of numbers in a text with lines above them that say what they are, such as heights in ESRI's ASCII
format: a number of these lines that was taken for the first one of the grid, lines too many that were passed
over, rows and columns that are exchanged, and the mark for "not measured" that was taken for a number.

What is here: `misread_text_grid`. What is not: tables (`sheets`), and grids of bytes (`grids.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ...records import Frozen
from ..origin.straight import factor_of
from ..regex import regex
from .grids import alike, located, rows_of
from .marks import MARKS, marked
from .raw_numbers import on_line

MOST_BYTES, MOST_FILES = 1 << 19, 4
FEWEST = 64
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
LABELLED = regex(rf"[ \t]*([A-Za-z_][\w ]*?)[ \t:=]+({NUMBER})[ \t]*\r?(?:\n|$)")
"""A line above the numbers: a word, and one number."""
BARE = regex(rf"\s*{NUMBER}(?:[ \t,]+{NUMBER}){{0,3}}[ \t]*\r?(?:\n|$)")
"""A line of few numbers, such as the sides."""
MOST_HEADER, MOST_LINES, SIDES, MOST_LATE, MOST_GRIDS = 4096, 12, 2, 256, 32
KIND = "<f8"
MISSING = regex(r"no.?data|missing|fill", re.IGNORECASE)
GLUED, FEWEST_ROWS, EXACT = regex(rb"(?:[0-9][ \t\r\n,;]*)+"), 3, 1e-5
"""A text of digits, with or without something between them; the fewest rows and columns of these, and how
near to their codes elements are, as a part of the largest."""
SURFER = "DSAA"
"""The first line of Surfer's format, behind which are four lines of two numbers each."""


class Grid(Frozen):
    """The numbers of a text in one row: the first ones are in lines above the grid, of which `called` says
    what each is. `marks` stand for one that wasn't measured; the file calls that `name`."""

    numbers: Any
    called: tuple[str, ...]
    marks: tuple[float, ...]
    name: str


def misread_text_grid(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input that has the numbers of a text, or "" if nothing is known to be
    wrong."""
    numbers = tensor.numbers()
    if numbers is None or numbers.dtype.kind not in "fiu" or numbers.size < FEWEST:
        return ""
    flat = numbers.astype("f8")
    if not numpy.isfinite(flat).all() or not numpy.ptp(flat):
        return ""
    for name, data in [one for one in reversed(files) if len(one[1]) <= MOST_BYTES][:MOST_FILES]:
        if said := codes_of_digits(tensor, data):
            return f"compared with {name}, {said}"
        grid = grid_in(data)
        if grid is not None and (said := misread(flat, grid) or in_part(tensor, grid)):
            return f"compared with {name}, {said}"
        if is_turned(tensor, data):
            return f"compared with {name}, rows and columns of the grid are exchanged"
    return ""


def codes_of_digits(tensor: Tensor, data: bytes) -> str:
    """Returns what is wrong with an input of rows and columns whose elements are the codes of a text's
    digits, each of which stands for itself, times any factor; or "" if they are something else. No steps that
    begin with the number of a digit add 48 to it."""
    numbers, sides = tensor.numbers(), [one for one in tensor.shape if one != 1]
    if numbers is None or numbers.dtype.kind != "f" or len(sides) != 2 or min(sides) < FEWEST_ROWS:
        return ""
    flat, read = numbers.astype("f8"), numpy.frombuffer(data, "u1")
    digits = read[(read >= ord("0")) & (read <= ord("9"))].astype("f8")
    if not digits.size or digits.size % flat.size or not GLUED.fullmatch(data):
        return ""
    if not {len(re.sub(rb"[,;]", b"", line)) for line in data.split()} & {sides[1], 1}:
        return ""
    for own in digits.reshape(-1, flat.size):
        factor = factor_of(flat, own, EXACT)
        if factor > 0 and numpy.ptp(own):
            first, last = (chr(int(one)) for one in (own.min(), own.max()))
            times = "" if abs(factor - 1) < EXACT else f", times {factor:.4g}"
            return (
                f'its elements are the codes of the characters "{first}" to "{last}" ({own.min():g} to '
                f"{own.max():g}{times}), and not their numbers: is '0' (48) to be taken away first?"
            )
    return ""


def is_turned(tensor: Tensor, data: bytes) -> bool:
    """Whether an input is one of the grids of a text, with rows and columns exchanged. Of other sides a model
    may want them so, and a grid that looks the same either way has nothing exchanged."""
    rows, _ = rows_of(tensor)
    if (
        rows is None
        or rows.shape[0] != rows.shape[1]
        or not LABELLED.match(data[:MOST_HEADER].decode("latin-1"))
    ):
        return False
    for piece in grids_in(data):
        grid = grid_in(piece)
        body = numpy.zeros(0) if grid is None else grid.numbers[len(grid.called) :]
        if (
            body.size == rows.size
            and on_line(rows.T.reshape(-1), body)
            and not on_line(rows.reshape(-1), body)
        ):
            return True
    return False


def grids_in(data: bytes) -> list[bytes]:
    """The grids of a text, each of which begins with the same word."""
    text = data.decode("latin-1")
    first = LABELLED.match(text)
    word = re.escape(first[1]) if first else ""
    begins = [one.start() for one in re.finditer(rf"(?m)^[ \t]*{word}[ \t:=]", text)] if word else []
    ends = [*begins[1:], len(text)]
    return [text[one:end].encode("latin-1") for one, end in zip(begins, ends, strict=True)][:MOST_GRIDS]


@lru_cache(8)
def grid_in(data: bytes) -> Grid | None:
    """The numbers of a text below lines that say something of them; None for other files."""
    if b"\0" in data[:MOST_HEADER]:
        return None
    text = data.decode("latin-1")
    called, head, at = surfer(text) if text.startswith(SURFER) else labelled(text)
    sides = BARE.match(text) if not head else None
    if not head and sides is None:
        return None
    try:
        body = numpy.array(re.split(r"[\s,;]+", text[at:].strip()), "f8")
    except ValueError:  # there are words among them
        return None
    if sides is not None:
        head = [float(one) for one in re.split(r"[\s,]+", sides[0].strip())]
        if len(head) < SIDES or head[0] * head[1] != len(body) - len(head):
            return None
        called, body = ["the sides"] * len(head), body[len(head) :]
    if not head:
        return None
    own = [(one, number) for one, number in zip(called, head, strict=True) if MISSING.search(one)]
    marks = tuple(mark for _, mark in own) or MARKS
    return Grid(numpy.concatenate([head, body]), tuple(called), marks, own[0][0] if own else "")


def labelled(text: str) -> tuple[list[str], list[float], int]:
    """The words of lines that have a word and a number, these numbers, and the place at which the grid
    begins."""
    called: list[str] = []
    head: list[float] = []
    at = 0
    while len(head) < MOST_LINES and (line := LABELLED.match(text, at)) is not None:
        called.append(line[1].strip())
        head.append(float(line[2]))
        at = line.end()
    return called, head, at


def surfer(text: str) -> tuple[list[str], list[float], int]:
    """The same of Surfer's lines: the sides, and the ends of x, y and z."""
    called: list[str] = []
    head: list[float] = []
    at = len(SURFER)
    for name in ("the sides", "the ends of x", "the ends of y", "the ends of z"):
        line = BARE.match(text, at)
        fields = line[0].split() if line else []
        called += [name] * len(fields)
        head += [float(one) for one in fields]
        at = line.end() if line else at
    return called, head, at


def misread(flat: Any, grid: Grid) -> str:
    """Returns what is wrong with elements that are numbers of a grid, scaled in any way, or "" if nothing
    is."""
    size, total, head = flat.size, len(grid.numbers), len(grid.called)
    for start in range(min(head, total - size) + 1):
        there = grid.numbers[start : start + size]
        if not on_line(flat, there):
            continue
        if start == head:
            return marked(there, grid.marks, grid.name)
        early = head - start
        return (
            f'its first number is {there[0]:g}, "{grid.called[start]}" above the grid, and the grid begins '
            f"{early} too late: are too few of the lines above it passed over?"
        )
    for late in range(1, min(MOST_LATE, size // 4) + 1) if total - head == size else ():
        if on_line(flat[:-late], grid.numbers[head + late :]):
            return (
                f"its first number is number {late + 1} of the grid, and at its end {late} are missing: are "
                "too many lines passed over?"
            )
    return ""


def in_part(tensor: Tensor, grid: Grid) -> str:
    """Returns what is wrong with an input that is a part of a grid, or "" if nothing is."""
    rows, _ = rows_of(tensor)
    body = grid.numbers[len(grid.called) :]
    data = body.astype(KIND).tobytes()
    with numpy.errstate(all="ignore"):
        part = located(rows, data, KIND, 1) if rows is not None and len(body) > rows.size else None
        if part is None:
            return ""
        own = part.of(data, KIND)
        return marked(own[alike(rows, own, part.one, KIND)], grid.marks, grid.name)
