"""Devices of PyTorch: weights go there once, outputs stay until they are asked for, chains move nothing.

Three kinds: one that is the processor in truth and counts what goes where; PyTorch's own `meta`, which knows
where every value is but has no elements, so that a move to the host is an error; and `cuda` and `mps`, where
there is one.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from pywasm_nn.nn import NN, GraphConfig, NamedModel, Target, Tensor
from pywasm_nn.nn.session import Session

from ..conftest import Guest
from ..test_own import PASSTHROUGH as OWN

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensor  # noqa: E402 - PyTorch is there
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402 - PyTorch is there

from pywasm_nn.nn.backends.pytorch import TorchBackend  # noqa: E402 - PyTorch is there
from pywasm_nn.nn.backends.pytorch.values import (  # noqa: E402 - PyTorch is there
    Device,
    DeviceTensor,
    Held,
    devices,
    on_memory,
)

from .test_torch import MAKERS, Counting, Passing, by_name, f32, guest_of, scripted  # noqa: E402 - it too

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch", "ignore::FutureWarning:torch")
META = "meta"
REAL = [device.name for target, device in devices().items() if target is Target.GPU]


class Counted:
    """What went where."""

    def __init__(self) -> None:
        self.up = self.down = self.loads = 0


def elsewhere(counted: Counted) -> Any:
    """A backend with a device that is the processor in truth, whose values can't be read without asking."""

    class Far(Device):
        def __init__(self) -> None:
            super().__init__("cpu")

        def put(self, tensor: Tensor) -> Any:
            if isinstance(tensor, DeviceTensor) and tensor.data.device is self:
                return tensor.data.value
            counted.up += 1
            return on_memory(tensor).clone()

        def take(self, value: Any) -> Tensor:
            plain = Device("cpu").take(value)
            return DeviceTensor(plain.dtype, plain.shape, Held(value, self))

        def fetch(self, value: Any) -> Any:
            counted.down += 1
            return value.numpy()

    class Backend(TorchBackend):
        name = "far"

        @property
        def devices(self) -> Any:
            return {Target.CPU: near, Target.GPU: far}

        def load_files(self, *args: Any) -> Any:
            counted.loads += 1
            return super().load_files(*args)

    near, far = Device("cpu"), Far()
    return Backend()


def test_outputs_stay_on_the_device_until_their_bytes_are_asked_for(tmp_path: Path) -> None:
    counted, reports = Counted(), []
    config = GraphConfig(Target.AUTO)
    nn = NN(
        models={"m": NamedModel((scripted(tmp_path, Passing()),), None, config)},
        plugins=[elsewhere(counted)], backends={"torchscript": "far"},
    )  # fmt: skip
    guest = guest_of(nn, reports)
    first = by_name(guest)
    second = by_name(guest)
    assert counted.loads == 1, "weights are there once"
    assert guest.set_input(first, 0, f32(4).tobytes(), (4,)) == 0, reports
    assert guest.call("compute", first) == 0, reports
    assert (counted.up, counted.down) == (1, 0)
    with OWN.instantiate(nn=nn, report=reports.append) as instance:
        chained = Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)
        one, two = by_name(chained), by_name(chained)
        assert chained.set_input(one, 0, f32(4).tobytes(), (4,)) == 0
        assert chained.call("compute", one) == 0
        before = counted.up
        assert chained.call("set_input_from", two, 0, one, 0) == 0, reports
        assert chained.call("compute", two) == 0, reports
        assert (counted.up, counted.down) == (before, 0), "a chain moves nothing"
        assert chained.output(two, 1) == (0, f32(4)[1:].tobytes())
        assert counted.down == 1
        assert chained.output(two, 1)[0] == 0 and counted.down == 1
    assert second != first


# PyTorch's own devices


class Square(torch.nn.Module):
    """Its output fits its input."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


class Stateful(Square):
    def __init__(self) -> None:
        super().__init__()
        self.count = Counting()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) + self.count(x)


class Moves(TorchDispatchMode):
    """Counts the tensors that PyTorch moves between devices in a block, by the device that gets them. Those
    that have no elements, by which torch.export knows shapes, don't count."""

    def __init__(self) -> None:
        super().__init__()
        self.to: Counter[str] = Counter()

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operator(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and not isinstance(result, FakeTensor):
            given = [arg.device for arg in args if isinstance(arg, torch.Tensor)]
            self.to[result.device.type] += any(device != result.device for device in given)
        return result

    def now(self) -> dict[str, int]:
        return {device: count for device, count in self.to.items() if count}


def placed(path: Path, device: str) -> Session:
    """A guest's session whose model "m" is on the device."""

    class Backend(TorchBackend):
        name = "placed"
        devices = MappingProxyType({Target.CPU: Device("cpu"), Target.GPU: Device(device)})

    format = "torch-export" if path.suffix == ".pt2" else "torchscript"
    place = NamedModel((path,), None, GraphConfig(Target.GPU))
    nn = NN(models={"m": place}, plugins=[Backend()], backends={format: "placed"})
    return nn.open(print).session


def context_of(session: Session) -> int:
    return session.init_execution_context(session.load_by_name("m"))


@pytest.mark.parametrize("format", MAKERS)
@pytest.mark.parametrize(("module", "values"), [(Square, 2), (Stateful, 3)])
@pytest.mark.parametrize("device", [META, *REAL])
def test_what_moves_to_a_device_and_back(
    tmp_path: Path, format: str, module: type, values: int, device: str
) -> None:
    """`values` is how many parameters and buffers the module has; a torch.export file has an example of its
    input besides."""
    x = Tensor.from_numpy(f32(2, 3))
    path = MAKERS[format](tmp_path, module(), torch.zeros(2, 3))
    loaded = values + (format == "torch-export")
    with Moves() as moves:
        session = placed(path, device)
        first, second, _ = (context_of(session) for _ in range(3))
        assert moves.now() == {device: loaded}, "weights go there once, for all contexts"
        session.set_input(first, 0, x)
        session.compute(first)
        assert moves.now() == {device: loaded + 1}
        session.set_input_from(second, 0, first, 0)
        session.compute(second)
        session.compute(second)
        assert moves.now() == {device: loaded + 1}, "a chain moves nothing"
        output = session.get_output(second, 0)
        assert isinstance(output, DeviceTensor)
        assert output.data.value.device.type == device
        assert (output.shape, output.nbytes) == ((2, 3), 24)
        assert moves.now() == {device: loaded + 1}, "shape and size are known without the elements"
        if device != META:
            for _ in range(2):
                output.view()
            assert moves.now() == {device: loaded + 1, "cpu": 1}, "elements come once"
    if device == META:
        with pytest.raises(NotImplementedError, match="no data"):
            output.view()
    else:
        near = placed(path, "cpu")
        first, second = context_of(near), context_of(near)
        near.set_input(first, 0, x)
        near.compute(first)
        near.set_input_from(second, 0, first, 0)
        near.compute(second)
        near.compute(second)
        np.testing.assert_allclose(output.numpy(), near.get_output(second, 0).numpy(), rtol=1e-3)


@pytest.mark.parametrize(
    ("cuda", "mps", "name"),
    [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, None)],
)
def test_the_device_is_what_pytorch_finds(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, name: str | None
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    found = {target: device.name for target, device in devices().items()}
    assert found == {Target.CPU: "cpu"} | ({Target.GPU: name} if name else {})
    assert TorchBackend().targets() == found.keys()
