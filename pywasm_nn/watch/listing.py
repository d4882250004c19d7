"""Generated Python beside the Wasm code that it was generated from, for people.

What is here: laying out the text. What is not: generating the Python (`interpreter.compile`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..interpreter.compile import Unsupported, Variant
from ..interpreter.compile.translate import Translation, translate
from ..interpreter.module import Body, Module
from ..interpreter.validate import validate_func
from .labels import Labels

WIDTH = 48
"""Characters of the left column; longer lines are cut."""
DEEPEST = 10
"""Deeper blocks are indented no further."""
INDENT = "  "


def listing(module: Module, index: int, variant: Variant) -> Iterator[str]:
    """The defined function `index` in two columns. A line of Python stands beside the instruction in it that
    may trap or call; where the order of the lines differs, it names the offset of the instruction instead.
    Raises InvalidError and MalformedError.
    """
    labels, funcidx = Labels(module), module.imported_funcs + index
    facts = validate_func(module, index)
    body = module.funcs[index].body
    yield " ".join(dict.fromkeys([f"func[{funcidx}]", labels.function(funcidx), str(labels.type(funcidx))]))
    try:
        translation = translate(module, index, facts, variant)
    except Unsupported as reason:
        yield f"can't be compiled: {reason}"
        return
    wasm = [
        line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."
        for line in instructions(labels, funcidx, body)
    ]
    for left, right in rows(wasm, python(translation, body)):
        yield f"{left:<{WIDTH}} | {right}".rstrip()


def instructions(labels: Labels, funcidx: int, body: Body) -> Iterator[str]:
    """Each instruction with its offset, indented by the blocks around it."""
    depth = 0
    for (op, imm), offset in zip(body, body.offsets, strict=True):
        depth -= op.closes
        indent = INDENT * min(max(depth, 0), DEEPEST)
        line = f"0x{offset:04x}  {indent}{labels.instruction(funcidx, op, imm)}"
        yield line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."
        depth += op.opens


def python(translation: Translation, body: Body) -> Iterator[tuple[str, int]]:
    """Returns each line of Python, and the instruction to put it beside, or -1 for any place."""
    instrs = translation.notes.sites.instrs
    in_order = longest_rise(instrs)
    for number, line in enumerate(translation.source.splitlines()):
        instr = instrs[number]
        if instr < 0 or number in in_order:
            yield line, instr
        else:
            yield f"{line}  # 0x{body.offsets[instr]:04x}", -1


def longest_rise(numbers: Sequence[int]) -> set[int]:
    """Positions of a longest increasing subsequence of `numbers`, negative numbers left out."""
    lows: list[int] = []
    ends: list[int] = []
    """`lows[n]` is the smallest last number of all increasing subsequences of length n + 1, `ends[n]` its
    position."""
    before: dict[int, int] = {}
    for at, number in enumerate(numbers):
        if number >= 0:
            length = bisect_left(lows, number)
            before[at] = ends[length - 1] if length else -1
            lows[length : length + 1], ends[length : length + 1] = [number], [at]
    rise: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        rise.add(at)
        at = before[at]
    return rise


def rows(wasm: Sequence[str], lines: Iterator[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    """Both columns together: a line and its instruction are in one row."""
    done, waiting = 0, list[str]()
    for line, instr in lines:
        waiting.append(line)
        if instr >= 0:
            yield from ending_together(wasm[done : instr + 1], waiting)
            done, waiting = instr + 1, []
    yield from ending_together(wasm[done:], waiting)


def ending_together(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Rows of two columns that begin and end in the same row."""
    height = max(len(left), len(right))
    yield from zip(stretched(left, height), stretched(right, height), strict=True)


def stretched(lines: Sequence[str], height: int) -> list[str]:
    """Lines with empty ones inserted before the last one, up to `height`."""
    return [*lines[:-1], *[""] * (height - len(lines)), *lines[-1:]]
