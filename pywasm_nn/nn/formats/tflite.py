"""Facts from a TFLite model's bytes: how its metadata says that inputs are normalised.

What is here: `normalisation`, and as much of FlatBuffers as it needs. The bytes may be hostile: every offset
is checked by `struct`, nothing recurses, and vectors are short. Sources:
https://github.com/tensorflow/tflite-support/blob/master/tensorflow_lite_support/metadata/metadata_schema.fbs,
https://flatbuffers.dev/internals/
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import error, unpack_from

from .format import Normalisation

NAME = b"TFLITE_METADATA"
MODEL_BUFFERS, MODEL_METADATA = 4, 6
"""Fields of Model; then of ModelMetadata, SubGraphMetadata, TensorMetadata, ProcessUnit and
NormalizationOptions."""
SUBGRAPHS, INPUTS, UNITS, KIND, OPTIONS, MEAN, DEVIATION = 3, 2, 4, 0, 1, 0, 1
NORMALISES = 1
"""NormalizationOptions in the union ProcessUnitOptions."""
MOST = 4096
"""The most elements of a vector that are looked at."""


def normalisation(data: memoryview) -> Mapping[int, Normalisation]:
    """By the index of an input, means and deviations with which it is normalised: (pixel - mean) / deviation.
    Empty if the model has no such metadata. Raises ValueError for broken bytes."""
    try:
        return read(data)
    except (error, IndexError) as broken:
        raise ValueError(f"broken FlatBuffer: {broken}") from None


def order(data: memoryview) -> str:
    """Returns the order of channels, or "" without metadata: pictures of the metadata are red, green,
    blue."""
    return "RGB" if normalisation(data) else ""


def read(data: memoryview) -> Mapping[int, Normalisation]:
    model = Table(data, offset(data, 0))
    for entry in model.tables(MODEL_METADATA):
        if entry.octets(0) != NAME:
            continue
        place = entry.place(1)
        number = unpack_from("<I", data, place)[0] if place else 0
        buffers = model.tables(MODEL_BUFFERS)
        inside = buffers[number].octets(0) if number < len(buffers) else data[:0]
        return in_metadata(inside)
    return {}


def in_metadata(data: memoryview) -> Mapping[int, Normalisation]:
    found: dict[int, Normalisation] = {}
    if not data:
        return found
    for graph in Table(data, offset(data, 0)).tables(SUBGRAPHS)[:1]:
        for index, tensor in enumerate(graph.tables(INPUTS)):
            for unit in tensor.tables(UNITS):
                kind, options = unit.place(KIND), unit.place(OPTIONS)
                if kind and options and data[kind] == NORMALISES:
                    normalises = Table(data, offset(data, options))
                    pair = normalises.floats(MEAN), normalises.floats(DEVIATION)
                    if pair[0] and len(pair[0]) == len(pair[1]) and all(pair[1]):
                        found[index] = pair
    return found


def offset(data: memoryview, at: int) -> int:
    return at + int(unpack_from("<I", data, at)[0])


class Table:
    """A table of a FlatBuffer."""

    def __init__(self, data: memoryview, at: int) -> None:
        self._data = data
        self._at = at
        self._fields = at - int(unpack_from("<i", data, at)[0])
        if self._fields < 0:
            raise ValueError("a table's fields lie before the bytes")
        self._size = int(unpack_from("<H", data, self._fields)[0])

    def place(self, field: int) -> int:
        """Where a field's value is, 0 if it isn't there."""
        slot = 4 + 2 * field
        if slot + 2 > self._size:
            return 0
        distance = int(unpack_from("<H", self._data, self._fields + slot)[0])
        return self._at + distance if distance else 0

    def vector(self, field: int) -> tuple[int, int]:
        """Where a vector's elements begin, and how many there are."""
        place = self.place(field)
        if not place:
            return 0, 0
        begin = offset(self._data, place)
        return begin + 4, int(unpack_from("<I", self._data, begin)[0])

    def tables(self, field: int) -> list[Table]:
        begin, count = self.vector(field)
        return [Table(self._data, offset(self._data, begin + 4 * i)) for i in range(min(count, MOST))]

    def octets(self, field: int) -> memoryview:
        """A vector of bytes, a text as well."""
        begin, count = self.vector(field)
        return self._data[begin : begin + count]

    def floats(self, field: int) -> tuple[float, ...]:
        begin, count = self.vector(field)
        found: tuple[float, ...] = unpack_from(f"<{min(count, MOST)}f", self._data, begin)
        return found
