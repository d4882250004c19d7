"""Conversion between our tensors and PyTorch's, and devices.

What is here: `Device`, which moves tensors to a device and back, and `DeviceTensor`, which stays on the
device. What is not: which values a model needs (`script`, `exported`).
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
    """The device of a graph's weights and values, by PyTorch's name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def put(self, tensor: Tensor) -> Any:
        """A PyTorch tensor with the same elements: on the CPU in the same memory, if numpy and PyTorch can
        use it; elsewhere a copy, unless the tensor is already on the device.
        """
        if isinstance(tensor, DeviceTensor) and tensor.data.device is self:
            return tensor.data.value
        return self._moved(on_memory(tensor))

    def _moved(self, value: Any) -> Any:
        return value if self.name == CPU else value.to(self.name)

    def take(self, value: Any) -> Tensor:
        """Our tensor for an output, which stays on the device until its bytes are requested."""
        if value.dtype not in DTYPES:
            raise NNError(
                Code.UNSUPPORTED_OPERATION, f"an output is {value.dtype}, which no wasi-nn tensor supports"
            )
        dtype, shape = DTYPES[value.dtype], tuple(value.shape)
        if self.name == CPU:
            return Tensor(dtype, shape, array_of(value))
        return DeviceTensor(dtype, shape, Held(value, self))

    def fetch(self, value: Any) -> Any:
        """The elements of a value on this device as a numpy array."""
        return array_of(value.to(CPU))


class Held:
    """A value on a device, and its elements once they were requested."""

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
    """A tensor on a device; `data` is the `Held` value."""

    __slots__ = ()

    @property
    def nbytes(self) -> int:
        return self.size

    def view(self) -> memoryview:
        return Tensor(self.dtype, self.shape, self.data.array).view()


def on_memory(tensor: Tensor) -> Any:
    """A PyTorch tensor in the memory of ours; a copy if that is read-only or not aligned, which PyTorch
    doesn't support."""
    array = tensor.numpy()
    if not (array.flags.writeable and array.flags.aligned):
        array = array.copy()
    if tensor.dtype is DType.BF16:
        return torch.from_numpy(array.view("<i2")).view(torch.bfloat16)
    return torch.from_numpy(array)


def array_of(value: Any) -> Any:
    """The elements of a value on the CPU as a numpy array in C order; bf16 as bits."""
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
