"""wasi:nn for components: what a component alone has of it. What core modules have too is tested with them
(`test_wit.py`, `test_wit_errno.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Component, Observer
from pywasm_nn.errors import DeadlineError, LinkError
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN

from ..component.components import component
from ..conftest import in_time
from .conftest import ADD_MUL, FIXTURES, FakeBackend, floats
from .test_endless import loop
from .test_wit import identity
from .wit_component import ERRORS, GRAPH, INFERENCE, ONE_CALL, TENSOR, ComponentGuest
from .wit_guest import NEWEST, nn_with

COMPONENT = FIXTURES / "guest_wit.component.wasm"


def test_a_prebuilt_component(engine: str, tmp_path: Path) -> None:
    (tmp_path / "id.onnx").write_bytes(identity())
    nn = NN(models=tmp_path, backends={"onnx": "numpy"})
    notes: list[str] = []
    with Component.from_file(COMPONENT).instantiate(nn=nn, engine=engine, report=notes.append) as guest:
        assert [guest.exports.run(mode) for mode in (0, 1, 2, 0)] == [10, 106, 103, 10]
    assert notes[0].startswith('wasi-nn load_by_name("missing") -> not_found: no model is named "missing"')


def test_a_model_that_computes_for_ever_ends_with_the_guests_time() -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")

    def ready() -> tuple[ComponentGuest, int]:
        guest = ComponentGuest(NEWEST, NN(backends={"onnx": "onnxruntime"}), limits=Limits(seconds=2))
        context = guest.context(guest.load(loop()))
        guest.compute(context, x=guest.tensor(floats(0), (1,)))
        return guest, context

    guest, context = in_time(ready)
    with pytest.raises(DeadlineError):
        guest.compute(context, x=guest.tensor(floats(1), (1,)))


class Ear(Observer):
    """Hears of inference."""

    wants = frozenset({"nn"})

    def __init__(self) -> None:
        self.heard: list[str] = []

    def nn_event(self, event: Any) -> None:
        self.heard.append(event.operation)


def test_an_observer_hears_of_inference() -> None:
    ear = Ear()
    guest = ComponentGuest(NEWEST, nn_with(FakeBackend()), observer=ear)
    context = guest.context(guest.load(ADD_MUL))
    guest.compute(context, **{name: guest.tensor(floats(1, 2)) for name in "ab"})
    assert ear.heard == ["load", "init_execution_context", "compute"]


def test_a_tensor_that_is_dropped_counts_no_more() -> None:
    guest = ComponentGuest(NEWEST, nn_with(FakeBackend()))
    before = guest.session.tensors.left
    tensors = [guest.tensor(floats(1, 2)) for _ in range(100)]
    assert guest.session.tensors.left == before - 800
    for tensor in tensors:
        guest.drop("tensor", "tensor", tensor)
    assert guest.session.tensors.left == before


@pytest.mark.parametrize("name", ["[method]error.close", "[method]error.of", "[static]error.of"])
def test_a_resource_has_no_more_functions_than_its_interface(name: str) -> None:
    self = '(param "self" (borrow $e))' if "method" in name else ""
    with pytest.raises(LinkError, match=name.partition("]")[2]):
        component(ERRORS.format(NEWEST, f'(export "{name}" (func {self}))')).instantiate(nn=NN())


def test_a_version_that_is_not_here_is_named() -> None:
    imports = "".join(
        text.format("@0.2.0-rc-2030-01-01", ONE_CALL if text is INFERENCE else "")
        for text in (TENSOR, ERRORS, INFERENCE, GRAPH)
    )
    with pytest.raises(LinkError, match=r"wasi:nn/tensor@0.2.0-rc-2030-01-01"):
        component(imports).instantiate(nn=NN())
