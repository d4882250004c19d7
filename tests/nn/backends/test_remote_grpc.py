"""Models on servers over gRPC: what is asked and believed, and servers that fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

from pywasm_nn.errors import DeadlineError
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Code, DType, GraphConfig, Model, NamedModel, NNError, TensorSpec

from ..conftest import PASSTHROUGH, Guest, floats

client = pytest.importorskip("tritonclient.grpc")
grpc = pytest.importorskip("grpc")
pb = client.service_pb2
A, B = np.array([[1, 2], [3, 4]], "f4"), np.array([[5, 6], [7, 8]], "f4")
Answer = Callable[[Any, Any], Any]


def good(request: Any, context: Any) -> Any:
    """The right answer, raw."""
    a, b = (np.frombuffer(raw, "<f4") for raw in request.raw_input_contents)
    wanted = [one.name for one in request.outputs]
    response = pb.ModelInferResponse(model_name="m", id=request.id)
    for name, value in {"sum": a + b, "prod": a * b}.items():
        if not wanted or name in wanted:
            shape = list(request.inputs[0].shape)
            response.outputs.add(name=name, datatype="FP32", shape=shape)
            response.raw_output_contents.append(value.astype("<f4").tobytes())
    return response


class Service(client.service_pb2_grpc.GRPCInferenceServiceServicer):
    """One model "m": a, b -> sum, prod, f32[-1,2]. Remembers what came with requests."""

    def __init__(self) -> None:
        self.answer: Answer = good
        self.requests: list[Any] = []
        self.metadata: list[dict[str, str]] = []

    def ModelMetadata(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        self.metadata.append(dict(context.invocation_metadata()))
        if request.name != "m" or request.version not in ("", "1"):
            context.abort(grpc.StatusCode.NOT_FOUND, "no such model here")
        tensor = pb.ModelMetadataResponse.TensorMetadata
        sides = {
            side: [tensor(name=name, datatype="FP32", shape=[-1, 2]) for name in names]
            for side, names in {"inputs": ("a", "b"), "outputs": ("sum", "prod")}.items()
        }
        return pb.ModelMetadataResponse(name="m", versions=["1"], **sides)

    def ModelInfer(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        self.metadata.append(dict(context.invocation_metadata()))
        self.requests.append(request)
        return self.answer(request, context)


class Running:
    def __init__(self) -> None:
        self.service = Service()
        self.server = grpc.server(ThreadPoolExecutor(8))
        client.service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(self.service, self.server)
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()

    @property
    def address(self) -> str:
        return f"oip+grpc://127.0.0.1:{self.port}/m"


@pytest.fixture
def servers() -> Iterator[list[Running]]:
    started = [Running(), Running()]
    yield started
    for one in started:
        one.server.stop(None)


@pytest.fixture
def one(servers: list[Running]) -> Running:
    return servers[0]


def loaded(*servers: Running, limits: Limits | None = None, **options: Any) -> Model:
    addresses = tuple(one.address for one in servers)
    return NN(limits=limits).load(NamedModel(addresses=addresses, config=GraphConfig(options=options)))


def check(model: Model) -> None:
    found = model.compute({"a": A, "b": B})
    np.testing.assert_array_equal(found["sum"], A + B)
    np.testing.assert_array_equal(found["prod"], A * B)


def failure(model: Model) -> NNError:
    with pytest.raises(NNError) as caught:
        model.compute({"a": A, "b": B})
    return caught.value


def test_what_a_model_is_and_what_it_answers(one: Running) -> None:
    model = loaded(one)
    assert model.inputs == tuple(TensorSpec(name, DType.F32, (None, 2)) for name in "ab")
    check(model)
    check(NN().load(f"{one.address}/versions/1"))
    assert one.service.requests[-1].model_version == "1"
    assert len({request.id for request in one.service.requests}) == 2
    for name in ("other", "m/versions/2"):
        with pytest.raises(NNError, match="no such model here") as caught:
            NN().load(f"oip+grpc://127.0.0.1:{one.port}/{name}")
        assert caught.value.code is Code.NOT_FOUND


def numbers(request: Any, context: Any) -> Any:
    """Not raw, but in the fields for numbers."""
    response = pb.ModelInferResponse(id=request.id)
    for name in ("sum", "prod"):
        contents = pb.InferTensorContents(fp32_contents=[6, 8, 10, 12])
        response.outputs.add(name=name, datatype="FP32", shape=[2, 2], contents=contents)
    return response


def test_outputs_that_are_not_raw(one: Running) -> None:
    one.service.answer = numbers
    assert loaded(one).compute({"a": A, "b": B})["sum"].tolist() == [[6, 8], [10, 12]]


def changed(change: Callable[[Any], object]) -> Answer:
    def answer(request: Any, context: Any) -> Any:
        response = good(request, context)
        change(response)
        return response

    return answer


def other_bytes(response: Any) -> None:
    response.raw_output_contents[0] += b"x"


LIES: dict[str, Answer] = {
    "another request": changed(lambda r: setattr(r, "id", "other")),
    "one is missing": changed(lambda r: (r.outputs.pop(), r.raw_output_contents.pop())),
    "one twice": changed(lambda r: setattr(r.outputs[1], "name", "sum")),
    "one that the model hasn't": changed(lambda r: setattr(r.outputs[1], "name", "other")),
    "another type": changed(lambda r: setattr(r.outputs[0], "datatype", "INT32")),
    "another shape": changed(lambda r: r.outputs[0].shape.append(2)),
    "a negative length": changed(lambda r: r.outputs[0].shape.__setitem__(0, -2)),
    "other bytes": changed(other_bytes),
    "tensors too few": changed(lambda r: r.raw_output_contents.pop()),
    "no contents": changed(lambda r: r.ClearField("raw_output_contents")),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies(one: Running, lie: str) -> None:
    model = loaded(one)
    one.service.answer = LIES[lie]
    assert failure(model).code is Code.RUNTIME_ERROR
    one.service.answer = good
    check(model)


def test_an_output_that_is_too_large(one: Running) -> None:
    model = loaded(one, limits=Limits(tensor_bytes=64))
    one.service.answer = changed(lambda r: r.outputs[0].shape.__setitem__(0, 1 << 20))
    assert failure(model).code is Code.TOO_LARGE


class Never:
    """Waits until the test is over."""

    def __init__(self) -> None:
        self.over = Event()

    def __call__(self, request: Any, context: Any) -> Any:
        self.over.wait(30)
        return good(request, context)


@pytest.fixture
def never() -> Iterator[Never]:
    waiting = Never()
    yield waiting
    waiting.over.set()


def test_a_server_that_never_answers(one: Running, never: Never) -> None:
    model = loaded(one, timeout=0.5)
    one.service.answer = never
    began = time.monotonic()
    error = failure(model)
    assert error.code is Code.RUNTIME_ERROR and "within 0.5 s" in error.reason
    assert time.monotonic() - began < 10
    one.service.answer = good
    check(model)


def test_interrupt_and_limits_end_the_waiting(one: Running, never: Never) -> None:
    model = loaded(one, limits=Limits(compute_seconds=0.5))
    one.service.answer = never
    assert "after 0.5 s, the limit" in failure(model).reason
    unlimited = loaded(one)
    timer = Timer(0.3, unlimited._context.interrupt)  # type: ignore[union-attr] # it is open
    timer.start()
    assert "ended" in failure(unlimited).reason
    timer.join()


def test_a_guests_deadline(one: Running, never: Never) -> None:
    with PASSTHROUGH.instantiate(nn=NN(models={"m": one.address}), limits=Limits(seconds=1.5)) as instance:
        guest = Guest(instance.memory, lambda name, *values: instance.exports[name](*values), [])
        assert guest.call("load_by_name", *guest.poke(0x1000, b"m"), guest.OUT) == 0
        assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
        for index in range(2):
            assert guest.set_input(0, index, floats(2, 3)) == 0
        assert guest.call("compute", 0) == 0
        one.service.answer = never
        with pytest.raises(DeadlineError):
            guest.call("compute", 0)


def test_a_server_that_is_gone_and_another(servers: list[Running]) -> None:
    model, alone = loaded(*servers), loaded(servers[0])
    check(model)
    servers[0].server.stop(None).wait()
    check(model)
    assert len(servers[1].service.requests) == 1
    assert failure(alone).code is Code.RUNTIME_ERROR


def test_a_servers_words_and_a_secret(one: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OIP_TOKEN", "s3cret")
    model = loaded(one, headers={"Authorization": "Bearer env:OIP_TOKEN"})
    check(model)
    assert all(said["authorization"] == "Bearer s3cret" for said in one.service.metadata)

    def repeats(request: Any, context: Any) -> None:
        words = dict(context.invocation_metadata())["authorization"]
        context.abort(grpc.StatusCode.INTERNAL, f"out of memory for {words}")

    one.service.answer = repeats
    error = failure(model)
    assert error.code is Code.RUNTIME_ERROR and "out of memory for ***" in error.reason
    assert "s3cret" not in f"{error} {error.__cause__} {model!r}"
