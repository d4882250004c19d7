"""Computes that run as one: who comes into a group, what each gets, and whom errors and deadlines reach."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import numpy as np
import pytest

from pywasm_nn.limits import Limits
from pywasm_nn.nn import (
    NN,
    Backend,
    Code,
    Context,
    DType,
    Graph,
    GraphConfig,
    NamedModel,
    NNError,
    Tensor,
    TensorSpec,
)
from pywasm_nn.nn.formats import Format
from pywasm_nn.nn.session import Session

from ..conftest import HANGS
from .backends.onnx_writer import Model, node

FOREVER = 60.0
"""Seconds that nobody waits here: a wait that should not be is a test that fails or takes long."""
SOON = 30.0


def f32(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


class Recording(Backend):
    """Runs `run` on arrays; knows with which shapes."""

    name = "recording"
    formats = (Format("recorded", suffixes=(".rec",), magic=(0, b"REC1")),)

    def __init__(
        self,
        run: Callable[..., Sequence[Any]] = lambda x: [x * 2],
        inputs: Sequence[TensorSpec] = (TensorSpec("x", DType.F32, ("N", "M")),),
        outputs: Sequence[TensorSpec] = (TensorSpec("y", DType.F32, ("N", "M")),),
        keeps: bool = False,
    ) -> None:
        self.run, self.inputs, self.outputs, self.keeps = run, inputs, outputs, keeps
        self.shapes: list[tuple[int, ...]] = []
        self.open = 0

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        self.open += 1
        return RecordingGraph(self)


class RecordingGraph(Graph):
    def __init__(self, made: Recording) -> None:
        super().__init__("recording", made.inputs, made.outputs)
        self.made = made

    @property
    def keeps_state(self) -> bool:
        return self.made.keeps

    def context(self) -> Context:
        self.made.open += 1
        return RecordingContext(self)

    def close(self) -> None:
        self.made.open -= 1


class RecordingContext(Context):
    graph: RecordingGraph

    def __init__(self, graph: RecordingGraph) -> None:
        super().__init__(graph)
        self.memory = bytearray(1 << 12)
        """That of the outputs, as frameworks have it: the next run of the context overwrites it."""

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        made = self.graph.made
        arrays = [tensor.numpy() for tensor in inputs]
        made.shapes.append(arrays[0].shape)
        outputs, at = [], 0
        for result in made.run(*arrays):
            array = np.ascontiguousarray(result, "f4")
            place = np.frombuffer(self.memory, "f4", array.size, at).reshape(array.shape)
            place[...] = array
            at += array.nbytes
            outputs.append(Tensor(DType.F32, array.shape, place))
        return outputs

    def close(self) -> None:
        super().close()
        self.graph.made.open -= 1


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    (tmp_path / "m.rec").write_bytes(b"REC1")
    return tmp_path / "m.rec"


def nn_of(path: Path, backend: Backend | None = None, limits: Limits | None = None, **options: Any) -> NN:
    model = NamedModel((path,), config=GraphConfig(options=options))
    return NN(models={"m": model}, plugins=[] if backend is None else [backend], limits=limits)


class Guest:
    """A session with one context of the model."""

    def __init__(self, nn: NN) -> None:
        self.reports: list[str] = []
        self.session: Session = nn.open(self.reports.append).session
        self.context = self.session.init_execution_context(self.session.load_by_name("m"))

    def __call__(self, *arrays: Any) -> Any:
        for index, array in enumerate(arrays):
            self.session.set_input(self.context, index, Tensor.from_numpy(np.asarray(array)))
        self.session.compute(self.context)
        return self.session.get_output(self.context, 0).numpy()


def at_once(guests: Sequence[Guest], inputs: Sequence[Sequence[Any]]) -> list[Any]:
    """The output of each guest, or its error, if all compute at the same time."""
    start, found = Barrier(len(guests)), [None] * len(guests)

    def work(at: int) -> None:
        start.wait()
        try:
            found[at] = guests[at](*inputs[at])
        except NNError as error:
            found[at] = error

    threads = [Thread(target=work, args=(at,)) for at in range(len(guests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANGS)
    return found


def test_computes_of_any_guest_run_as_one(recorded: Path) -> None:
    backend = Recording()
    nn = nn_of(recorded, backend, batch=4, wait=FOREVER)
    guests = [Guest(nn) for _ in range(4)]
    for turn in range(3):
        inputs = [[f32(1 + at % 2, 3, seed=10 * turn + at)] for at in range(4)]
        for found, (given,) in zip(at_once(guests, inputs), inputs, strict=True):
            assert found.tobytes() == (given * 2).tobytes()
    assert backend.shapes == [(6, 3)] * 3
    for guest in guests:
        guest.session.close()
    nn.deregister("m")
    assert backend.open == 0


def test_outputs_stay_whatever_runs_later(recorded: Path) -> None:
    nn = nn_of(recorded, Recording(), batch=3, wait=FOREVER)
    guests = [Guest(nn) for _ in range(3)]
    inputs = [[f32(1, 3, seed=at)] for at in range(3)]
    together = at_once(guests, inputs)
    for guest in guests[1:]:
        guest.session.close()
    alone = guests[0](inputs[0][0])
    guests[0](f32(1, 3, seed=9))
    kept = [array.tobytes() for array in (*together, alone)]
    assert kept == [(x * 2).tobytes() for (x,) in (*inputs, inputs[0])]


def took(call: Callable[[], object]) -> float:
    began = time.monotonic()
    call()
    return time.monotonic() - began


def test_nobody_waits_for_who_can_not_come(recorded: Path) -> None:
    nn = nn_of(recorded, Recording(), batch=8, wait=FOREVER)
    guest = Guest(nn)
    assert took(lambda: guest(f32(1, 3))) < SOON
    pair = [guest, Guest(nn)]
    assert took(lambda: at_once(pair, [[f32(1, 3)]] * 2)) < SOON
    pair[1].session.close()
    assert took(lambda: guest(f32(1, 3))) < SOON


def test_a_compute_runs_alone_when_its_wait_is_over(recorded: Path) -> None:
    backend = Recording()
    nn = nn_of(recorded, backend, batch=8, wait=0.05)
    busy, idle = Guest(nn), Guest(nn)
    assert 0.05 <= took(lambda: busy(f32(2, 3))) < SOON
    assert backend.shapes == [(2, 3)]
    idle.session.close()


def test_a_group_does_not_wait_for_the_run_of_another(recorded: Path) -> None:
    inside, go_on = Event(), Event()

    def run(x: Any) -> list[Any]:
        if x[0, 0] == 1:
            inside.set()
            assert go_on.wait(HANGS)
        return [x]

    nn = nn_of(recorded, Recording(run), batch=2, wait=FOREVER)
    slow, fast = [Guest(nn), Guest(nn)], [Guest(nn), Guest(nn)]
    first = Thread(target=at_once, args=(slow, [[np.ones((1, 3), "f4")]] * 2))
    first.start()
    assert inside.wait(HANGS)
    found = at_once(fast, [[np.zeros((1, 3), "f4")]] * 2)
    assert [array.tolist() for array in found] == [[[0, 0, 0]]] * 2
    go_on.set()
    first.join(HANGS)


def test_only_what_fits_together_is_in_a_group(recorded: Path) -> None:
    """Other dimensions than the batch's and inputs without it are the same for all."""
    inputs = (TensorSpec("x", DType.F32, ("N", "M")), TensorSpec("times", DType.F32, ()))
    backend = Recording(lambda x, times: [x * times], inputs)
    nn = nn_of(recorded, backend, batch=6, wait=1.0, axis="N")
    guests = [Guest(nn) for _ in range(6)]
    given = [[f32(1, width, seed=at), np.float32(times)] for at, (width, times) in enumerate(
        [(3, 2), (3, 2), (4, 2), (4, 2), (3, 5), (3, 5)])]  # fmt: skip
    for found, (x, times) in zip(at_once(guests, given), given, strict=True):
        assert found.tobytes() == (x * times).tobytes()
    assert {shape[1] for shape in backend.shapes} == {3, 4}
    assert len(backend.shapes) < 6


def test_axes_by_name_by_index_and_for_each_tensor(recorded: Path) -> None:
    """A state has its batch second, as in Silero VAD."""
    unknown = (TensorSpec("x", DType.F32, (None, 3)), TensorSpec("state", DType.F32, (2, None, 4)))
    outputs = (TensorSpec("y", DType.F32, (None, 3)), TensorSpec("next", DType.F32, (2, None, 4)))
    backend = Recording(lambda x, state: [x + state[0, :, :3], state + 1], unknown, outputs)
    axis = {"x": 0, "state": 1, "y": 0, "next": 1}
    nn = nn_of(recorded, backend, batch=2, wait=FOREVER, axis=axis)
    guests = [Guest(nn), Guest(nn)]
    given = [[f32(1, 3, seed=at), f32(2, 1, 4, seed=at + 5)] for at in range(2)]
    for guest, found, (x, state) in zip(guests, at_once(guests, given), given, strict=True):
        np.testing.assert_array_equal(found, x + state[0, :, :3])
        np.testing.assert_array_equal(guest.session.get_output(guest.context, 1).numpy(), state + 1)
    assert backend.shapes == [(2, 3)]
    (plain,) = [TensorSpec("x", DType.F32, (3, None))]
    other = Recording(inputs=[plain], outputs=[TensorSpec("y", DType.F32, None)])
    nn = nn_of(recorded, other, batch=2, wait=FOREVER, axis=1)
    at_once([Guest(nn), Guest(nn)], [[f32(3, 1)]] * 2)
    assert other.shapes == [(3, 2)]


def test_an_error_reaches_its_guest_alone(tmp_path: Path) -> None:
    """On a real framework: an index beyond the table."""
    table = np.arange(12, dtype="f4").reshape(4, 3)
    model = Model(
        [node("Gather", ["table", "i"], ["y"])], {"i": ("int64", ["N"])}, {"y": ("float32", ["N", 3])},
        {"table": table},
    )  # fmt: skip
    (tmp_path / "m.onnx").write_bytes(model.data())
    for backend in ("onnxruntime", "numpy"):
        nn = NN(
            models={
                "m": NamedModel((tmp_path / "m.onnx",), config=GraphConfig(options={"batch": 4, "wait": 5}))
            },
            backends={"onnx": backend},
        )
        guests = [Guest(nn) for _ in range(4)]
        found = at_once(guests, [[np.array([index])] for index in (3, 99, 0, 1)])
        assert isinstance(found[1], NNError) and found[1].code is Code.RUNTIME_ERROR
        assert "99" in guests[1].reports[-1]
        for at, row in ((0, 3), (2, 0), (3, 1)):
            assert found[at].tolist() == [table[row].tolist()]
            assert guests[at].reports == []


def test_a_wrong_input_reaches_no_group(recorded: Path) -> None:
    backend = Recording(inputs=[TensorSpec("x", DType.F32, ("N", 3))])
    nn = nn_of(recorded, backend, batch=3, wait=0.2)
    found = at_once([Guest(nn) for _ in range(3)], [[f32(1, 3)], [f32(1, 4)], [f32(1, 3)]])
    assert isinstance(found[1], NNError) and found[1].code is Code.INVALID_ARGUMENT
    assert found[0].shape == found[2].shape == (1, 3)


def test_results_are_those_without_batches(tmp_path: Path) -> None:
    weights = f32(64, 32)
    nodes = [node("MatMul", ["x", "w"], ["m"]), node("Softmax", ["m"], ["y"])]
    model = Model(nodes, {"x": ("float32", ["N", 64])}, {"y": ("float32", ["N", 32])}, {"w": weights})
    (tmp_path / "m.onnx").write_bytes(model.data())
    nn = nn_of(tmp_path / "m.onnx", batch=5, wait="2ms", threads=1)
    alone = NN().load(tmp_path / "m.onnx")
    guests = [Guest(nn) for _ in range(7)]
    for turn in range(20):
        inputs = [[f32(1 + at % 3, 64, seed=100 * turn + at)] for at in range(7)]
        for found, (x,) in zip(at_once(guests, inputs), inputs, strict=True):
            np.testing.assert_allclose(found, alone.compute({"x": x})["y"], atol=1e-6, rtol=0)


def test_a_guest_whose_time_is_over_leaves_and_the_others_stay(recorded: Path) -> None:
    inside, go_on = Event(), Event()

    def run(x: Any) -> list[Any]:
        inside.set()
        assert go_on.wait(HANGS)
        return [x * 2]

    nn = nn_of(recorded, Recording(run), batch=2, wait=FOREVER)
    leader, led = Guest(nn), Guest(nn)
    led.session.limits = Limits(compute_seconds=0.2)
    found: list[Any] = []
    thread = Thread(target=lambda: found.append(leader(np.ones((1, 3), "f4"))))
    thread.start()
    graph = leader.session.graphs[0].graph
    while not graph._groups:
        time.sleep(0.001)
    try:
        with pytest.raises(NNError, match=r"compute was stopped after 0\.2 s") as caught:
            led(np.ones((1, 3), "f4"))
        assert caught.value.code is Code.RUNTIME_ERROR
    finally:
        go_on.set()
        thread.join(HANGS)
    assert found[0].tolist() == [[2, 2, 2]]


def refused(nn: NN) -> NNError:
    with pytest.raises(NNError) as caught:
        Guest(nn)
    return caught.value


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"batch": 0}, 'the option "batch" must be a number of computes'),
        ({"batch": True}, '"batch"'),
        ({"batch": "8"}, '"batch"'),
        ({"batch": 10**9}, '"batch"'),
        ({"batch": 2, "wait": -1}, '"wait" must be a time'),
        ({"batch": 2, "wait": "soon"}, '"wait"'),
        ({"batch": 2, "wait": float("nan")}, '"wait"'),
        ({"batch": 2, "wait": "1e9s"}, '"wait"'),
        ({"batch": 2, "axis": 1.5}, '"axis" must be the name or the index'),
        ({"batch": 2, "axis": [0]}, '"axis"'),
    ],
)
def test_options_that_make_no_sense_are_said(recorded: Path, options: dict[str, Any], told: str) -> None:
    backend = Recording()
    error = refused(nn_of(recorded, backend, **options))
    assert (error.code, told in error.reason, backend.open) == (Code.INVALID_ARGUMENT, True, 0)


@pytest.mark.parametrize(
    ("more", "axis", "told"),
    [
        ({"keeps": True}, None, "keeps state"),
        ({"inputs": [TensorSpec("x", DType.U8, (None,), takes_bytes=True)]}, 0, "texts"),
        (
            {"inputs": [TensorSpec("x", DType.F32, (None, 3))]},
            None,
            "no dimension whose name all inputs share",
        ),
        ({"inputs": [TensorSpec("x", DType.F32, (1, 3))]}, 0, "no input with axis 0"),
        ({}, "B", "no input with axis 'B'"),
        ({}, 7, "no input with axis 7"),
        ({"outputs": [TensorSpec("y", DType.F32, (1, 3))]}, None, 'output "y" f32[1,3] has no axis'),
        ({}, {"x": 0}, 'output "y" f32[N,M] has no axis'),
    ],
)
def test_a_model_that_can_not_be_batched_is_refused(
    recorded: Path, more: dict[str, Any], axis: Any, told: str
) -> None:
    backend = Recording(**more)
    options = {} if axis is None else {"axis": axis}
    error = refused(nn_of(recorded, backend, batch=2, **options))
    assert (error.code, backend.open) == (Code.UNSUPPORTED_OPERATION, 0)
    assert told in error.reason


def test_an_output_that_has_no_batch_at_run_time_is_no_answer_for_all(recorded: Path) -> None:
    """A model whose declaration is wrong, as a sum over the batch: each guest gets what it gets alone."""
    backend = Recording(lambda x: [x.sum(axis=0, keepdims=True)])
    nn = nn_of(recorded, backend, batch=2, wait=FOREVER)
    given = [[f32(1, 3, seed=at)] for at in range(2)]
    found = at_once([Guest(nn), Guest(nn)], given)
    assert [array.tobytes() for array in found] == [x.tobytes() for (x,) in given]


def test_off_by_default_and_never_by_a_guest(recorded: Path) -> None:
    backend = Recording()
    nn = nn_of(recorded, backend)
    session = nn.open(lambda text: None).session
    graph = session.load_by_name_with_config("m", json.dumps({"batch": 4, "wait": 9}).encode())
    assert type(session.graphs[graph].graph) is RecordingGraph
    assert type(nn_of(recorded, backend, batch=1).load(recorded).graph) is RecordingGraph
