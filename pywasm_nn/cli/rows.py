"""Numbers of a text file (.csv, .tsv, .txt) as an array for a model's input.

What is not here: texts and kinds in columns, which need a meaning in numbers first.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from .failure import Failure

if TYPE_CHECKING:
    from ..nn.tensor import TensorSpec

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": None}
"""What stands between numbers, by suffix; None: blanks."""
FLAT = 2
"""Inputs of more dimensions are no rows of numbers."""
INSTEAD = "numpy.save writes a .npy, which may have any shape"


def read(path: str, separator: str | None, spec: TensorSpec) -> tuple[Any, str]:
    """The numbers as an array of the input's shape and type, and a description. A first line without numbers
    is a heading. Raises Failure."""
    import numpy

    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = [line for line in file if line.strip()]
    except UnicodeDecodeError:
        raise Failure(f"{path} is no text", INSTEAD) from None
    headings = 1 if lines and not is_numeric(lines[0], separator) else 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # no numbers at all
            table = numpy.loadtxt(lines[headings:], delimiter=separator, ndmin=2)
    except (ValueError, UserWarning) as error:
        raise Failure(f"{path}: {error}", INSTEAD) from None
    try:
        array = table.reshape(shape_for(table.shape, spec)).astype(spec.dtype.numpy_name)
    except ValueError as error:
        ways = [INSTEAD] if len(spec.shape or ()) > FLAT else []
        raise Failure(f"{path}: {error}", *ways) from None
    return array, f"{table.shape[0]} x {table.shape[1]} numbers" + ", below a heading" * headings


def is_numeric(line: str, separator: str | None) -> bool:
    """Whether any field of the line is a number."""
    for field in line.split(separator):
        try:
            float(field)
        except ValueError:
            continue
        return True
    return False


def shape_for(shape: tuple[int, int], spec: TensorSpec) -> tuple[int, ...]:
    """The shape of an input for rows and columns: a row is an item, unless the input is fixed. Raises
    ValueError if it doesn't take them."""
    rows, columns = shape
    if spec.shape is None:
        return shape
    lengths = [length if isinstance(length, int) and length >= 0 else None for length in spec.shape]
    fixed = [length for length in lengths if length is not None]
    if len(fixed) == len(lengths) and math.prod(fixed) == rows * columns:
        return tuple(fixed)
    if len(lengths) == 1 and lengths[0] is None:
        return (rows * columns,)
    if lengths and lengths[0] is None and len(fixed) == len(lengths) - 1 and math.prod(fixed) == columns:
        return rows, *fixed
    if len(lengths) == 2 and all(want in (None, given) for want, given in zip(lengths, shape, strict=True)):
        return shape
    raise ValueError(f'{rows} x {columns} numbers; input "{spec.name}" is {spec}')
