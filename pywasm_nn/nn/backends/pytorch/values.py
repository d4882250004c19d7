"""Tensors of PyTorch and of ours, and where they are.

What is here: `Device`, which puts tensors somewhere and takes them back, and `DeviceTensor`, which stays
there. What is not: which values a model wants (`script`, `exported`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ...backend import Target
from ...errors import Code, NNError
from ...tensor import DType, Tensor

DTYPES = {
    torch.float16: DType.F16, torch.float32: DType.F32, torch.float64: DType.F64, torch.bfloat16: DType.BF16,
    torch.uint8: DType.U8, torch.int8: DType.I8, torch.int16: DType.I16, torch.int32: DType.I32,
    torch.int64: DType.I64, torch.uint16: DType.U16, torch.uint32: DType.U32, torch.uint64: DType.U64,
    torch.bool: DType.BOOL,
}  # fmt: skip
CPU = "cpu"


class Device:
    """Where a graph's weights and values are, by PyTorch's name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def put(self, tensor: Tensor) -> Any:
        """PyTorch's tensor of the same elements: on the processor on the same memory, where numpy and PyTorch
        can read it; elsewhere a copy, unless it is there already.
        """
        if isinstance(tensor, DeviceTensor) and tensor.data.device is self:
            return tensor.data.value
        return self._moved(on_memory(tensor))

    def _moved(self, value: Any) -> Any:
        return value if self.name == CPU else value.to(self.name)

    def take(self, value: Any) -> Tensor:
        """Our tensor of an output, which stays where it is until its bytes are asked for."""
        if value.dtype not in DTYPES:
            raise NNError(
                Code.UNSUPPORTED_OPERATION, f"an output is {value.dtype}, which no tensor can be here"
            )
        dtype, shape = DTYPES[value.dtype], tuple(value.shape)
        if self.name == CPU:
            return Tensor(dtype, shape, array_of(value))
        return DeviceTensor(dtype, shape, Held(value, self))

    def fetch(self, value: Any) -> Any:
        """The elements of a value that is here as a numpy array."""
        return array_of(value.to(CPU))


class Held:
    """A value on a device, and its elements once somebody has asked for them."""

    def __init__(self, value: Any, device: Device) -> None:
        self.value = value
        self.device = device
        self._array: Any = None

    @property
    def array(self) -> Any:
        if self._array is None:
            self._array = self.device.fetch(self.value)
        return self._array


class DeviceTensor(Tensor):
    """A tensor on a device; `data` is what holds it there."""

    __slots__ = ()

    @property
    def nbytes(self) -> int:
        return self.size

    def view(self) -> memoryview:
        return Tensor(self.dtype, self.shape, self.data.array).view()


def on_memory(tensor: Tensor) -> Any:
    """PyTorch's tensor on the memory of ours; a copy of what is read-only or not aligned, as PyTorch reads
    neither."""
    array = tensor.numpy()
    if not (array.flags.writeable and array.flags.aligned):
        array = array.copy()
    if tensor.dtype is DType.BF16:
        return torch.from_numpy(array.view("<i2")).view(torch.bfloat16)
    return torch.from_numpy(array)


def array_of(value: Any) -> Any:
    """The elements of a value on the processor as a numpy array in C order, bf16 as its bits."""
    value = value.detach().contiguous().resolve_conj().resolve_neg()
    if value.dtype is torch.bfloat16:
        return value.view(torch.int16).numpy().view("<u2")
    return value.numpy()


def devices() -> Mapping[Target, Device]:
    """The devices that PyTorch finds here."""
    found = {Target.CPU: Device(CPU)}
    if torch.cuda.is_available():
        found[Target.GPU] = Device("cuda")
    elif torch.backends.mps.is_available():
        found[Target.GPU] = Device("mps")
    return found
