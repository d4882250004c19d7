"""Tables of rows: lists, mappings of numpy arrays as Ray Data has them, and DataFrames as Dask has them.

What is here: applying a function to each row, with answers in the same kind of table. Neither numpy nor
pandas is imported unless the rows come from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .rows import FIELDS, RESULTS

Function = Callable[[Any], dict[str, Any]]
"""Answers a row."""


def over(rows: Any, function: Function) -> Any:
    """The answer of a single row, or a table of answers."""
    if isinstance(rows, list | tuple | Iterator):
        return [function(row) for row in rows]
    if is_columns(rows):
        return answered(rows, function)
    if is_frame(rows):
        return type(rows)(answered(dict(rows.items()), function), index=rows.index)
    return function(rows)


def is_columns(rows: Any) -> bool:
    """Whether this is a mapping whose values are all numpy arrays with a dimension for the rows."""
    return isinstance(rows, Mapping) and bool(rows) and all(getattr(v, "ndim", 0) for v in rows.values())


def is_frame(rows: Any) -> bool:
    """Whether this is a DataFrame of pandas, told without importing pandas."""
    kind = type(rows)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas"


def answered(columns: Mapping[str, Any], function: Function) -> dict[str, Any]:
    """The columns of the answers: those given that are no input, then those of results."""
    rows = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    answers = [function(row) for row in rows]
    given = {name: column for name, column in columns.items() if name not in FIELDS}
    names = dict.fromkeys([*RESULTS, *(name for answer in answers for name in answer)])
    made = [name for name in names if name in RESULTS or name not in given]
    return given | {name: column_of(name, [answer[name] for answer in answers]) for name in made}


def column_of(name: str, values: list[Any]) -> Any:
    """A numpy array of values: numbers, or objects, because numpy's own type for bytes drops zeros at the
    end."""
    import numpy

    if name == "exit_code":
        return numpy.array(values, "i8")
    column = numpy.empty(len(values), object)
    for index, value in enumerate(values):
        column[index] = value
    return column
