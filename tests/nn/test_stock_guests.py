"""What guests of WasmEdge and WAMR expect that no specification says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.nn.backend import Graph, GraphConfig

from .conftest import EchoContext, FakeBackend, FakeGraph, Start, floats

U8 = TensorSpec("x", DType.U8, (None,), quantization=(0.5, 10))


class QuantizedBackend(FakeBackend):
    """Models that give back their one input."""

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        self.graphs.append(FakeGraph(EchoContext, [U8], [U8]))
        return self.graphs[-1]


def ready(start: Start) -> Any:
    guest = start(plugins=[QuantizedBackend()], backends={"onnx": "fake"})
    assert guest.load(b"FAKE quantized", encoding=77) == 0, guest.reports
    assert guest.call("init_execution_context", 0, guest.OUT) == 0
    return guest


def test_floats_for_a_quantised_model_are_quantised_and_given_back_as_floats(start: Start) -> None:
    guest = ready(start)
    assert guest.set_input(0, 0, floats(-99, 0, 0.3, 999), (4,)) == 0, guest.reports
    assert guest.call("compute", 0) == 0
    error, data = guest.output(0, 0)
    assert (error, np.frombuffer(data, "<f4").tolist()) == (0, [-5, 0, 0.5, 122.5])
    assert guest.call("get_output", 0, 0, 0x8000, 15, guest.OUT) == 7
    assert guest.u32() == 16, "the room that is needed"
    assert "f32[4] (of the model's u8, as an input was set as f32) is 16 bytes" in guest.reports[-1]


def test_its_own_elements_stay_what_they_are(start: Start) -> None:
    guest = ready(start)
    assert guest.set_input(0, 0, bytes([0, 10, 255]), (3,), 3) == 0, guest.reports
    assert guest.call("compute", 0) == 0
    assert guest.output(0, 0) == (0, bytes([0, 10, 255]))


def test_floats_of_a_wrong_length_are_no_floats(start: Start) -> None:
    guest = ready(start)
    assert guest.set_input(0, 0, floats(1, 2), (3,)) == 1


@pytest.mark.parametrize(("number", "name"), [(7, "NeuralSpeed"), (9, "Whisper"), (14, "BitNet")])
def test_encodings_of_wasmedge_have_names(start: Start, number: int, name: str) -> None:
    guest = start()
    assert guest.load(b"anything", encoding=number) == 2
    assert name in guest.reports[-1] and "--nn-plugin" in guest.reports[-1]


def test_a_number_of_nobodys_has_no_name(start: Start) -> None:
    guest = start()
    assert guest.load(b"anything", encoding=60) == 2
    assert "no graph encoding has the number 60" in guest.reports[-1]


def test_a_path_is_no_name_and_can_become_one(start: Start) -> None:
    guest = start()
    assert guest.call("load_by_name", *guest.poke(0x1000, b"models/net.tflite"), guest.OUT) == 8
    assert "--nn-preload models/net.tflite:autodetect:auto:models/net.tflite" in guest.reports[-1]


def test_a_tensor_that_is_no_float_is_no_matter_of_floats() -> None:
    from pywasm_nn.nn.quantized import takes_floats

    one = np.ones(2, "f4")
    assert takes_floats(U8, Tensor.from_numpy(one))
    assert not takes_floats(U8, Tensor.from_numpy(one.astype("u1")))
    assert not takes_floats(TensorSpec("x", DType.U8, (None,)), Tensor.from_numpy(one))
    assert not takes_floats(None, Tensor.from_numpy(one))
