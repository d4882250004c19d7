"""Tensors as values: element types, a model's declarations (`TensorSpec`) and passed tensors (`Tensor`).

What is not here: comparing them (`session`), and arithmetic (backends). numpy is imported only by conversions
from and to numpy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod
from typing import Any, ClassVar, Self

from ..arrays import Array
from ..brief import named, sized, summarised
from ..checks import check_kind, refuse
from ..printable import printable
from .picture import Picture, picture_of


class DType(StrEnum):
    """Element types, by the short names in messages. Guests can pass f16 to i64; the others only occur in
    inspection.
    """

    F16 = "f16"
    F32 = "f32"
    F64 = "f64"
    BF16 = "bf16"
    U8 = "u8"
    I32 = "i32"
    I64 = "i64"
    I8 = "i8"
    I16 = "i16"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    BOOL = "bool"
    STRING = "string"
    ANY = "any"
    """The type of an input or output for which the model declares none; no tensor has it."""

    @property
    def size(self) -> int:
        """Bytes of an element; 0 if they vary: strings, and any type."""
        return SIZES[self]

    @property
    def numpy_name(self) -> str:
        """The numpy type for these elements, little endian. bf16, which numpy lacks, is stored as u16."""
        return NUMPY_NAMES[self]

    @classmethod
    def of_numpy(cls, dtype: Any) -> DType:
        """The element type of a numpy dtype. u16 is u16, never bf16. Raises ValueError if there is none."""
        label = f"{dtype.kind}{dtype.itemsize}"
        if label not in FROM_NUMPY:
            raise ValueError(f"no tensor has elements of numpy's {dtype}")
        return FROM_NUMPY[label]


SIZES = {
    DType.F16: 2, DType.F32: 4, DType.F64: 8, DType.BF16: 2, DType.U8: 1, DType.I32: 4, DType.I64: 8,
    DType.I8: 1, DType.I16: 2, DType.U16: 2, DType.U32: 4, DType.U64: 8, DType.BOOL: 1, DType.STRING: 0,
    DType.ANY: 0,
}  # fmt: skip
NUMPY_NAMES = {
    DType.F16: "<f2", DType.F32: "<f4", DType.F64: "<f8", DType.BF16: "<u2", DType.U8: "|u1",
    DType.I32: "<i4", DType.I64: "<i8", DType.I8: "|i1", DType.I16: "<i2", DType.U16: "<u2",
    DType.U32: "<u4", DType.U64: "<u8", DType.BOOL: "|b1", DType.STRING: "O", DType.ANY: "O",
}  # fmt: skip
FROM_NUMPY = {
    name.lstrip("<|"): dtype for dtype, name in NUMPY_NAMES.items() if dtype not in (DType.BF16, DType.ANY)
} | {"O8": DType.STRING}

Dimension = int | str | None
"""A declared dimension: a length, or a name ("N") or None for a length that is known only at run time."""


@summarised
@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A model's declaration of an input or output. `shape` is None if the rank is unknown."""

    name: str
    dtype: DType
    shape: tuple[Dimension, ...] | None
    aliases: tuple[str, ...] = field(default=(), compare=False)
    """Other names for it in the model."""
    quantization: tuple[float, int] | None = field(default=None, compare=False)
    """Scale and zero point: an element means (element - zero point) x scale."""
    takes_bytes: bool = field(default=False, compare=False)
    """Whether it is text or other bytes. Such an input accepts any type and dimensions: guests declare one
    element and pass many. The backend gets them as u8[N]."""

    def __post_init__(self) -> None:
        check_kind("TensorSpec(name=...)", self.name, str, "a str")
        check_kind("TensorSpec(dtype=...)", self.dtype, DType, "a DType, as DType.F32")
        check_kind("TensorSpec(shape=...)", self.shape, (tuple, type(None)), "a tuple, or None for any shape")
        for length in self.shape or ():
            if not isinstance(length, int | str | None) or isinstance(length, bool):
                wanted = "an int, or a name or None for a length that varies"
                raise refuse("each of TensorSpec(shape=...)", wanted, length)
            if isinstance(length, int) and length < 0:
                said = f"each of TensorSpec(shape=...) must be at least 0, not {length}"
                raise ValueError(f"{said}; a length that varies is None, or a name")

    def __str__(self) -> str:
        if self.takes_bytes:
            return "bytes"
        return f"{self.dtype}{shape_text(self.shape)}"

    def accepts_type(self, dtype: DType) -> bool:
        """Whether a tensor with such elements can be passed."""
        return self.dtype is dtype or self.dtype is DType.ANY

    def accepts_shape(self, shape: Sequence[int]) -> bool:
        """Whether a tensor of this shape can be passed: dimensions that are known only at run time accept any
        length.
        """
        if self.shape is None or tuple(shape) == self.shape:
            return True
        return len(shape) == len(self.shape) and all(
            not isinstance(declared, int) or declared == given
            for declared, given in zip(self.shape, shape, strict=True)
        )

    def gives(self, tensor: Tensor) -> bool:
        """Whether a tensor is such an output: texts and bytes may be of any type and shape."""
        return (
            self.takes_bytes
            or self.dtype is DType.STRING
            or (self.accepts_type(tensor.dtype) and self.accepts_shape(tensor.shape))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A tensor: row-major, little-endian elements.

    `data` is any C-contiguous object with the buffer protocol (bytes, a memoryview of guest memory, a numpy
    array). A backend that keeps values elsewhere, for example on a device, derives a class and overrides
    `view` and `numpy`, so that bytes are copied only when they are requested.
    """

    dtype: DType
    shape: tuple[int, ...]
    data: Any
    passes: ClassVar[bool] = True
    """Whether guests get it."""

    def __post_init__(self) -> None:
        """Raises TypeError unless `data` is a buffer; a derived class may keep its values in anything."""
        if type(self.data) is not memoryview and type(self) is Tensor:
            try:
                memoryview(self.data)
            except TypeError:
                hint = "Tensor.from_numpy(array) takes a numpy array"
                raise refuse("Tensor(data=...)", "bytes or another buffer", self.data, hint) from None

    def __str__(self) -> str:
        return f"{self.dtype}{shape_text(self.shape)}"

    def __repr__(self) -> str:
        return named("Tensor", f"{self}, {sized(self.size)}")

    @property
    def size(self) -> int:
        """Bytes according to dtype and shape; until it was checked, `data` may have another number."""
        return byte_size(self.dtype, self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes in `data`."""
        return memoryview(self.data).nbytes

    def view(self) -> memoryview:
        """The bytes of the elements, flat, without a copy."""
        view = memoryview(self.data)
        return view.cast("B") if view.nbytes else memoryview(b"")  # cast refuses zeros in a shape

    def numpy(self) -> Array:
        """The elements as a numpy array of this shape, not copied; bf16 as u16. Read-only if `data` is."""
        import numpy

        return numpy.frombuffer(self.view(), self.dtype.numpy_name).reshape(self.shape)

    def numbers(self) -> Array | None:
        """The elements as a flat numpy array of numbers; bf16 as f32, bool as u8. None for strings, for empty
        tensors and if `data` has the wrong length.
        """
        if self.dtype is DType.STRING or not self.nbytes or self.nbytes != self.size:
            return None
        values = self.numpy().reshape(-1)
        if self.dtype is DType.BF16:
            return (values.astype("<u4") << 16).view("<f4")
        return values.view("|u1") if self.dtype is DType.BOOL else values

    def picture(self) -> Picture | None:
        """The tensor as a picture, None if its shape isn't that of a picture: see `picture.layout`."""
        numbers = self.numbers()
        return None if numbers is None else picture_of(numbers.reshape(self.shape))

    def _repr_html_(self) -> str:
        """The notebook display: type and shape, statistics of the elements, and the picture."""
        from ..markup import paragraph
        from .statistics import statistics

        numbers, picture = self.numbers(), self.picture()
        said = "" if numbers is None else f", {statistics(numbers)}"
        return paragraph(f"{self}{said}") + ("" if picture is None else picture.html())

    @classmethod
    def from_numpy(cls, array: Array, dtype: DType | None = None) -> Self:
        """A tensor on a numpy array, copied only if it isn't contiguous or not little endian.

        `dtype` is for elements that numpy can't express: bf16 bits in u16. Raises ValueError for types that
        no tensor has.
        """
        import numpy

        check_kind("array", array, (numpy.ndarray, numpy.generic), "a numpy array")
        own = dtype or DType.of_numpy(array.dtype)
        # ascontiguousarray makes a 0-dimensional array 1-dimensional, hence the shape of the original
        return cls(own, array.shape, numpy.ascontiguousarray(array, own.numpy_name))


class Strings(Tensor):
    """An output of strings; `data` is a list of them as JSON. Python and traces show it, guests don't get it,
    as wasi-nn has no type for it."""

    __slots__ = ()
    passes: ClassVar[bool] = False

    @classmethod
    def of(cls, array: Array) -> Self:
        """Those of a numpy array of str."""
        return cls(DType.STRING, array.shape, json.dumps(array.reshape(-1).tolist()).encode())

    def numpy(self) -> Array:
        import numpy

        return numpy.array(json.loads(self.data), str).reshape(self.shape)


def byte_size(dtype: DType, shape: Sequence[int]) -> int:
    """Bytes of a tensor; exact even for the large dimensions that a guest may claim."""
    return prod(shape) * dtype.size


def shape_text(shape: Sequence[Dimension] | None) -> str:
    """ "[1,3,224,224]", "[N,2]", "[?,2]"; "[...]" for an unknown rank."""
    if shape is None:
        return "[...]"
    text = f"[{','.join(['?' if dimension is None else str(dimension) for dimension in shape])}]"
    return printable(text)  # names of dimensions in a model may contain any character
