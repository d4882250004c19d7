"""`diff`: compares two cassettes, as lines, JSON, or a page with pictures.

What is not here: the comparison (`watch.cassette.compare`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import click

from ..markup import escaped, image, paragraph, preformatted
from ..nn.picture import picture_of
from ..nn.statistics import distances
from ..nn.tensor import DType, Tensor
from ..printable import printable
from ..watch.cassette import Comparison, KeptTensor, TensorDifference, compared
from .complete import files
from .failure import Exit
from .terminal import print_lines, print_text

MOST_LINES = 20
"""The most tensors in the lines; the page and JSON have all."""


@click.command(name="diff")
@click.argument("one", shell_complete=files)
@click.argument("other", shell_complete=files)
@click.option(
    "--tolerance", type=click.FloatRange(min=0), default=0.0, metavar="NUMBER",
    help="Treat elements of tensors as equal if they differ by at most this (default 0).",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--html", metavar="FILE", help="Also write a page with pictures of tensors.")
def command(one: str, other: str, tolerance: float, as_json: bool, html: str | None) -> int:
    """Compare two cassettes, ONE and OTHER, made by `run --record`.

    Shows the first call that differs, and the tensors with the largest differences. The exit code is 1 if
    anything differs.
    """
    if math.isnan(tolerance):
        raise click.UsageError("--tolerance: not a number")
    found = compared(one, other, tolerance=tolerance)
    if html is not None:
        with open(html, "w", encoding="utf-8", newline="\n") as file:
            file.write(page(found, tolerance))
    if as_json:
        print_lines(json.dumps(record(found), indent=2))
    else:
        for line in lines(found, tolerance):
            print_text(line)
    return Exit.OK if is_same(found, tolerance) else Exit.FAILED


def is_same(found: Comparison, tolerance: float) -> bool:
    return not found.first and not apart(found, tolerance)


def apart(found: Comparison, tolerance: float) -> list[TensorDifference]:
    """Tensors that differ by more than the tolerance, in descending order of the difference."""
    return [each for each in found.differing if each.within > tolerance]


def lines(found: Comparison, tolerance: float) -> Iterator[str]:
    """The output for users, most important lines first."""
    counts = f"{found.calls[0]} calls and {found.calls[1]} calls"
    yield counts if found.same_module else f"{counts} of different modules: addresses are not compared"
    if found.first:
        where = f"call {found.number}" if found.number else "at the end"
        yield f"first difference, {where}: {printable(found.first)}"
    differing = apart(found, tolerance)
    if is_same(found, tolerance):
        yield f"no difference in {len(found.tensors)} tensors and all calls"
    for each in differing[:MOST_LINES]:
        yield f"  {described(each)}"
    if len(differing) > MOST_LINES:
        yield f"  ... {len(differing) - MOST_LINES} more tensors differ"


def described(each: TensorDifference) -> str:
    """'call 9 get_output "prob" f32[1,1000]: 12 of 1000 elements differ, by at most 0.01 at [0,281]: ...'."""
    one = each.one
    what = f'call {each.call} {printable(each.operation, 40)} "{printable(one.name, 60)}" {type_of(each.one)}'
    if each.largest is None or each.place is None or each.values is None:
        if each.one.type != each.other.type:
            return f"{what}: the other is {type_of(each.other)}"
        return f"{what}: {each.differing} bytes differ"
    place = ",".join(map(str, indices(each)))
    values = " and ".join(f"{value:.7g}" for value in each.values)
    return (
        f"{what}: {each.differing} of {each.elements} elements differ, "
        f"by at most {each.largest:.3g} at [{place}]: {values}"
    )


def type_of(tensor: KeptTensor) -> str:
    return printable(tensor.type, 100)


def indices(each: TensorDifference) -> list[int]:
    """The index of the largest difference in each dimension; there is one."""
    import numpy

    assert each.place is not None
    return [int(index) for index in numpy.unravel_index(each.place, each.one.shape)]


def record(found: Comparison) -> dict[str, Any]:
    """The comparison as JSON; infinities and NaN are null."""
    return {
        "calls": list(found.calls),
        "same_module": found.same_module,
        "first": found.first or None,
        "call": found.number or None,
        "tensors": [
            {
                "call": each.call,
                "operation": each.operation,
                "name": each.one.name,
                "type": type_of(each.one),
                "elements": each.elements,
                "differing": each.differing,
                "largest": finite(each.largest),
                "place": None if each.place is None else indices(each),
                "values": None if each.values is None else list(map(finite, each.values)),
            }
            for each in found.differing
        ],
    }


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def page(found: Comparison, tolerance: float) -> str:
    """A self-contained page: the lines, and for each differing tensor that is a picture both pictures and a
    picture of the differences."""
    parts = [preformatted("\n".join(lines(found, tolerance)))]
    for each in found.differing:
        pictures = list(pictured(each))
        if pictures:
            parts += [paragraph(described(each)), *pictures]
    body = "\n".join(parts)
    return f'<!doctype html>\n<meta charset="utf-8">\n<title>{escaped("pywasm-nn diff")}</title>\n{body}\n'


def pictured(each: TensorDifference) -> Iterator[str]:
    """Pictures of both tensors and of their difference, if they are pictures."""
    if each.largest is None:
        return
    numbers = [Tensor(DType(one.dtype), one.shape, one.data).numbers() for one in (each.one, each.other)]
    arrays = [array.reshape(each.one.shape) for array in (*numbers, distances(*numbers))]
    for title, array in zip(("first", "second", "difference"), arrays, strict=True):
        picture = picture_of(array)
        if picture is not None:
            yield image(picture.png(), f"{title}: {picture.said}", picture.shown_width)
