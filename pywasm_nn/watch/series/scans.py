"""Files of points in space: PLY, PCD, OFF, OBJ, and tables of x, y and z without headings (XYZ).

What is here: `points_in`, and `scan_in` with the other columns. What is not: how an input was made of them
(`clouds.py`). Sources: https://paulbourke.net/dataformats/ply/ and
https://pointclouds.org/documentation/tutorials/pcd_file_format.html
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..sheets.sheet import sheet_of
from ..spoken import filled_lines
from ..whatif.motions import TABLES_OF_POINTS

AXES = ("x", "y", "z")
TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
    "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4",
    "uint32": "u4", "float32": "f4", "float64": "f8",
}  # fmt: skip
ENDS = (b"end_header\n", b"end_header\r\n")
KINDS = {"I": "i", "U": "u", "F": "f"}
MOST_BYTES, MOST_HEADER = 1 << 22, 4096


class Scan(Frozen):
    """The columns of a file of points: their names, and their numbers as f64 [points, columns]."""

    names: tuple[str, ...]
    numbers: Any

    @property
    def places(self) -> list[int]:
        """The columns of x, y and z. Raises ValueError if one is missing."""
        return [self.names.index(axis) for axis in AXES]


def points_in(name: str, data: bytes) -> Any:
    """Returns the points of a file as f64 [points, 3], or None if it has none, or isn't known."""
    scan = scan_in(name, data)
    return None if scan is None else scan.numbers[:, scan.places]


@lru_cache(8)
def scan_in(name: str, data: bytes) -> Scan | None:
    """Returns all columns of a file of points, or None if it has none, or isn't known."""
    if len(data) > MOST_BYTES:
        return None
    try:
        if data[:4] in (b"ply\n", b"ply\r"):
            return of_ply(data)
        if b"\nDATA " in data[:MOST_HEADER] and b"FIELDS " in data[:MOST_HEADER]:
            return of_pcd(data)
        if data[:3] == b"OFF" or name.lower().endswith(".obj"):
            return Scan(AXES, of_lines(data).reshape(-1, len(AXES)))
    except (KeyError, ValueError, StopIteration, IndexError):
        return None
    return of_table(name, data)


def of_ply(data: bytes) -> Scan:
    """The vertices of a PLY file, if they are its first element. Raises ValueError and the like if not."""
    end = next(at + len(one) for one in ENDS if (at := data.find(one)) >= 0)
    lines = [line.split() for line in data[:end].decode("ascii", "replace").splitlines()]
    kind = next(line[1] for line in lines if line[0] == "format")
    elements = [at for at, line in enumerate(lines) if line and line[0] == "element"]
    own = lines[elements[0] : elements[1] if len(elements) > 1 else len(lines)]
    if own[0][1] != "vertex":
        raise ValueError("other elements come first")
    fields = [(line[2], TYPES[line[1]]) for line in own if line[0] == "property"]
    return read(data[end:], fields, int(own[0][2]), "" if kind == "ascii" else "<>"["big" in kind])


def of_pcd(data: bytes) -> Scan:
    """The points of a PCD file, as text or as bytes. Raises ValueError and the like for others."""
    begin = data.index(b"\nDATA ")
    end = data.index(b"\n", begin + 1) + 1
    head = {name: rest for name, *rest in map(str.split, filled_lines(data[:end].decode()))}
    form = head["DATA"][0]
    if form not in ("ascii", "binary") or {*head.get("COUNT", "1")} != {"1"}:
        raise ValueError("packed points")
    types = [KINDS[kind] + size for kind, size in zip(head["TYPE"], head["SIZE"], strict=True)]
    fields = [*zip(head["FIELDS"], types, strict=True)]
    return read(data[end:], fields, int(head["POINTS"][0]), "<" if form == "binary" else "")


def read(body: bytes, fields: list[tuple[str, str]], count: int, order: str) -> Scan:
    """The fields of records, x, y and z among them; `order` is that of bytes, "" for text. Raises ValueError
    and the like."""
    names = tuple(name for name, _ in fields)
    if not {*AXES} <= {*names}:
        raise ValueError("no points in space")
    if not order:
        rows = [line.split() for line in body.decode("ascii", "replace").splitlines()[:count]]
        return Scan(names, numpy.array([[float(row[at]) for at in range(len(names))] for row in rows]))
    kind = numpy.dtype([(f"{at}", order + one) for at, (_, one) in enumerate(fields)])
    count = min(count, len(body) // kind.itemsize)
    records = numpy.frombuffer(body, kind, count)
    columns = [records[f"{at}"].astype("f8") for at in range(len(names))]
    return Scan(names, numpy.stack(columns, axis=1))


def of_lines(data: bytes) -> Any:
    """The vertices of an OBJ or OFF file. Raises ValueError for others."""
    lines = [line.split() for line in data.decode("ascii", "replace").splitlines()]
    if data[:3] == b"OFF":
        lines = [line for line in lines if line and not line[0].startswith(("#", "OFF"))]
        return numpy.array([[float(one) for one in row[:3]] for row in lines[1 : 1 + int(lines[0][0])]])
    return numpy.array([[float(one) for one in row[1:4]] for row in lines if row[:1] == ["v"]])


def of_table(name: str, data: bytes) -> Scan | None:
    """Returns the columns of a table that begins with points, by its name, or None for others, which may be
    of a sensor."""
    sheet = sheet_of(name, data) if name.lower().endswith(TABLES_OF_POINTS) else None
    if sheet is None or sheet.numbers.shape[1] < len(AXES):
        return None
    rest = tuple(f"column {at + 1}" for at in range(len(AXES), sheet.numbers.shape[1]))
    is_whole = numpy.isfinite(sheet.numbers[:, : len(AXES)]).all()
    return Scan((*AXES, *rest), sheet.numbers) if is_whole else None
