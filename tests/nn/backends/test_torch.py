"""TorchScript and torch.export: what models take and give, that contexts are their own, hostile files."""

from __future__ import annotations

import json
import pickle
import wave
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Code, DType, GraphConfig, Model, NamedModel, NNError, Target, Tensor

from ..conftest import PASSTHROUGH, Guest

torch = pytest.importorskip("torch")
REAL = Path(__file__).parents[3] / ".." / "shared" / "models" / "real"
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch", "ignore::FutureWarning:torch")


def f32(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


def scripted(tmp_path: Path, module: Any, name: str = "m.pt") -> Path:
    torch.jit.save(torch.jit.script(module.eval()), str(tmp_path / name))
    return tmp_path / name


def exported(tmp_path: Path, module: Any, inputs: tuple[Any, ...], **more: Any) -> Path:
    torch.export.save(torch.export.export(module.eval(), inputs, **more), str(tmp_path / "m.pt2"))
    return tmp_path / "m.pt2"


def described(model: Model) -> tuple[list[str], list[str]]:
    return tuple([f"{spec.name} {spec}" for spec in side] for side in (model.inputs, model.outputs))


class Linear(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layer = torch.nn.Linear(3, 2)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return self.layer(x) + bias


class Numbers(torch.nn.Module):
    def forward(
        self, x: torch.Tensor, times: int, plus: float, minus: bool, state: tuple[torch.Tensor, torch.Tensor],
        left: float = 3.0,
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor], int]:  # fmt: skip
        made = x * times + plus
        return (-made if minus else made), (state[0] + 1, state[1] + left), times


class Named(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {"twice": x * 2}
        found["half"] = x / 2
        return found


class Unknown(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        return [x for _ in range(x.size(0))]


class Listed(torch.nn.Module):
    def forward(self, xs: list[torch.Tensor]) -> torch.Tensor:
        return xs[0]


class Counting(torch.nn.Module):
    """Keeps how often it ran, and the last input."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        return self.count + x * 0


class Writing(torch.nn.Module):
    """Changes its input."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(-1).add_(1)[:2] * 1


class Passing(torch.nn.Module):
    """Its outputs are on the memory of its input."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x, x[1:]


def test_inputs_are_those_of_forward_and_open(tmp_path: Path) -> None:
    module = Linear()
    model = NN().load(scripted(tmp_path, module))
    assert described(model) == (["x any[...]", "bias any[...]"], ["output any[...]"])
    x, bias = f32(4, 3), f32(2)
    found = model.compute({"x": x, "bias": bias})["output"]
    expected = module(torch.from_numpy(x), torch.from_numpy(bias)).detach().numpy()
    assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def test_numbers_and_tuples(tmp_path: Path) -> None:
    model = NN().load(scripted(tmp_path, Numbers()))
    inputs, outputs = described(model)
    assert inputs == ["x any[...]", "times any[]", "plus any[]", "minus any[]", "state_0 any[...]",
                      "state_1 any[...]"]  # fmt: skip
    assert [text.split()[0] for text in outputs] == ["output_0", "output_1_0", "output_1_1", "output_2"]
    given: dict[str, Any] = {
        "x": [1.0, 2.0], "times": np.array([3], "i4"), "plus": 0.5, "minus": np.array(1, "u1"),
        "state_0": [10.0], "state_1": [20.0],
    }  # fmt: skip
    found = model.compute(given)
    assert [value.tolist() for value in found.values()] == [[-3.5, -6.5], [11], [23], 3]
    with pytest.raises(NNError, match=r'input "times" is int, given was f32\[\]') as caught:
        model.compute(given | {"times": 2.5})
    assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(NNError, match=r'"plus"'):
        model.compute(given | {"plus": [1.0, 2.0]})


def test_a_dict_of_outputs(tmp_path: Path) -> None:
    found = NN().load(scripted(tmp_path, Named())).compute({"x": [3.0]})
    assert {name: value.tolist() for name, value in found.items()} == {"twice": [6], "half": [1.5]}


@pytest.mark.parametrize(
    ("module", "words"), [(Unknown, "nothing tells which tensors"), (Listed, 'argument "xs"')]
)
def test_what_no_tensors_can_be_is_refused_when_it_is_loaded(
    tmp_path: Path, module: type, words: str
) -> None:
    with pytest.raises(NNError, match=words) as caught:
        NN().load(scripted(tmp_path, module()))
    assert caught.value.code is Code.UNSUPPORTED_OPERATION


def test_what_goes_wrong_in_torchscript_is_said_shortly(tmp_path: Path) -> None:
    model = NN().load(scripted(tmp_path, Linear()))
    with pytest.raises(NNError) as caught:
        model.compute({"x": f32(4, 5), "bias": f32(2)})
    assert caught.value.code is Code.RUNTIME_ERROR
    assert "mat1 and mat2" in caught.value.reason and "Traceback" not in caught.value.reason


def as_exported(tmp_path: Path, module: Any, *inputs: Any) -> Path:
    return exported(tmp_path, module, inputs)


MAKERS: Mapping[str, Callable[..., Path]] = {
    "torchscript": lambda tmp_path, module, *inputs: scripted(tmp_path, module),
    "torch-export": as_exported,
}


def contexts(path: Path, count: int = 2) -> list[Any]:
    graph = NN().registry.load_place(NamedModel((path,)), print)
    return [graph.context() for _ in range(count)]


@pytest.mark.parametrize("format", MAKERS)
def test_contexts_keep_nothing_for_each_other(tmp_path: Path, format: str) -> None:
    first, second = contexts(MAKERS[format](tmp_path, Counting(), torch.zeros(1)))
    outputs = []
    for context in (first, first, second, first):
        context.set_input(0, Tensor.from_numpy(np.zeros(1, "f4")))
        context.compute()
        outputs.append(context.output(0))
    assert [output.numpy().item() for output in outputs] == [1, 2, 1, 3]


@pytest.mark.parametrize("format", MAKERS)
def test_weights_are_shared_by_contexts_that_keep_something(tmp_path: Path, format: str) -> None:
    class Both(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.count = torch.nn.Linear(64, 64), Counting()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.count(self.layer(x))

    places = [
        {value.data_ptr() for value in context._module.parameters()}
        for context in contexts(MAKERS[format](tmp_path, Both(), torch.zeros(64)))
    ]
    assert places[0] == places[1] and len(places[0]) == 2


@pytest.mark.parametrize("format", MAKERS)
def test_an_input_stays_as_it_was_set(tmp_path: Path, format: str) -> None:
    (context,) = contexts(MAKERS[format](tmp_path, Writing(), torch.zeros(2, 2)), 1)
    context.set_input(0, Tensor.from_numpy(np.zeros((2, 2), "f4")))
    for _ in range(2):
        context.compute()
        assert context.output(0).numpy().tolist() == [1, 1]
    own = np.zeros((2, 2), "f4")
    own.flags.writeable = False
    context.accept_input(0, Tensor.from_numpy(own))
    context.compute()
    assert not own.any()


@pytest.mark.parametrize("format", MAKERS)
def test_an_output_is_on_no_memory_of_an_input(tmp_path: Path, format: str) -> None:
    (context,) = contexts(MAKERS[format](tmp_path, Passing(), torch.zeros(3)), 1)
    context.set_input(0, Tensor.from_numpy(np.array([1, 2, 3], "f4")))
    context.compute()
    outputs = context.output(0), context.output(1)
    context.set_input(0, Tensor.from_numpy(np.array([7, 8, 9], "f4")))
    assert [output.numpy().tolist() for output in outputs] == [[1, 2, 3], [2, 3]]


def test_what_writes_to_nothing_of_others_is_run_without_copies(tmp_path: Path) -> None:
    """As most networks: `ReLU(inplace=True)` changes what a convolution made."""
    module = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU6(inplace=True), torch.nn.Flatten()
    )
    x = torch.zeros(1, 1, 4, 4)
    for format, make in MAKERS.items():
        graph = contexts(make(tmp_path, module, x), 1)[0].graph
        assert not graph.program.writes, format
        assert not graph.program.keeps, format


TYPES = [dtype for dtype in DType if dtype not in (DType.STRING, DType.ANY)]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_of_elements_goes_through(tmp_path: Path, dtype: DType) -> None:
    bits = np.arange(12, dtype="u1") if dtype is not DType.BOOL else np.array([0, 1] * 6, "u1")
    data = np.resize(bits, 3 * 4 * dtype.size).tobytes()
    (context,) = contexts(scripted(tmp_path, Passing()), 1)
    for tensor in (Tensor(dtype, (3, 4), data), Tensor(dtype, (0, 4), b"")):
        context.set_input(0, tensor)
        context.compute()
        found = context.output(0)
        assert (found.dtype, found.shape, bytes(found.view())) == (dtype, tensor.shape, bytes(tensor.view()))


def test_free_dimensions_have_names_and_run_by_name(tmp_path: Path) -> None:
    batch = torch.export.Dim("batch", min=1, max=64)
    path = exported(
        tmp_path,
        Linear(),
        (torch.zeros(4, 3), torch.zeros(2)),
        dynamic_shapes={"x": {0: batch}, "bias": None},
    )
    module, model = Linear().eval(), NN().load(path)
    x, bias = model.inputs
    assert (x.name, x.dtype, bias.name, bias.shape) == ("x", DType.F32, "bias", (2,))
    assert isinstance(x.shape[0], str) and x.shape[1] == 3
    assert model.outputs[0].shape == (x.shape[0], 2)
    for count in (1, 7):
        given = f32(count, 3), f32(2)
        found = model.compute({"bias": given[1], "x": given[0]})
        expected = module(*map(torch.from_numpy, given)).detach().numpy()
        np.testing.assert_array_equal(found[model.outputs[0].name], expected)
    with pytest.raises(NNError, match=r"wants f32\[2\]"):
        model.compute({"x": f32(1, 3), "bias": f32(3)})


def test_an_exported_model_of_dicts_constants_and_numbers(tmp_path: Path) -> None:
    class Mixed(torch.nn.Module):
        def forward(self, x: Any, pair: Any, times: Any, flag: Any = 2) -> Any:
            return {"sum": x + pair[0], "rest": (x * times, None, 3, pair[1])}

    inputs = torch.zeros(4), (torch.zeros(4), torch.zeros(2)), 5
    dynamic = None, (None, None), torch.export.Dim.DYNAMIC
    model = NN().load(exported(tmp_path, Mixed(), inputs, dynamic_shapes=dynamic))
    assert [spec.name for spec in model.inputs] == ["x", "pair_0", "pair_1", "times"]
    found = model.compute({"x": f32(4), "pair_0": np.ones(4, "f4"), "pair_1": [5.0, 6.0], "times": 3})
    assert list(found) == ["sum", "rest.0", "rest.3"]
    np.testing.assert_array_equal(found["sum"], f32(4) + 1)
    np.testing.assert_array_equal(found["rest.0"], f32(4) * 3)
    assert found["rest.3"].tolist() == [5, 6]


def test_threads_are_the_runs_and_not_the_process_s(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    config = GraphConfig(Target.CPU, {"threads": before + 1})
    graph = NN().registry.load_place(NamedModel((scripted(tmp_path, Twice()),), None, config), print)
    context: Any = graph.context()
    context._module = lambda x: x + torch.get_num_threads()
    context.set_input(0, Tensor.from_numpy(np.zeros(1, "f4")))
    context.compute()
    assert context.output(0).numpy().tolist() == [before + 1]
    assert torch.get_num_threads() == before


def guest_of(nn: NN, reports: list[str]) -> Guest:
    instance = PASSTHROUGH.instantiate(nn=nn, report=reports.append, limits=Limits(memory=1 << 28))
    instance.memory.grow(40)
    return Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)


def by_name(guest: Guest) -> int:
    assert guest.call("load_by_name", *guest.poke(0x1000, b"m"), guest.OUT) == 0, guest.reports
    assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0, guest.reports
    return guest.u32()


def test_two_guests_on_one_graph_on_two_threads(tmp_path: Path) -> None:
    module = Linear()
    nn = NN(models={"m": scripted(tmp_path, module)})
    failures: list[str] = []

    def work(seed: int) -> None:
        guest = guest_of(nn, failures)
        ctx = by_name(guest)
        for i in range(50):
            x, bias = f32(8, 3, seed=100 * seed + i), f32(2, seed=seed)
            expected = module(torch.from_numpy(x), torch.from_numpy(bias)).detach().numpy().tobytes()
            assert guest.set_input(ctx, 0, x.tobytes(), (8, 3)) == 0
            assert guest.set_input(ctx, 1, bias.tobytes(), (2,)) == 0
            assert guest.call("compute", ctx) == 0
            if guest.output(ctx, 0) != (0, expected):
                failures.append(f"{seed} {i}")

    threads = [Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(nn.registry.graphs) == 1


class Wide(torch.nn.Module):
    """Its output is one element that is seen many times."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.expand([1 << 18, 1 << 18])


def test_an_output_that_is_too_large_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    reports: list[str] = []
    guest = guest_of(NN(models={"m": scripted(tmp_path, Wide())}), reports)
    ctx = by_name(guest)
    assert guest.set_input(ctx, 0, f32(1).tobytes(), (1,)) == 0
    assert guest.call("compute", ctx) == Code.TOO_LARGE
    assert "is 274877906944 bytes, the limit is" in reports[-1]


@pytest.mark.skipif(not REAL.exists(), reason="../shared/models/real is absent")
def test_silero_tells_speech_as_torchscript_and_as_onnx() -> None:
    """Over a whole recording, each with its own state: in one by the model itself, in the other by hand."""
    pytest.importorskip("onnxruntime")
    with wave.open(str(REAL / "speech.wav")) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype("f4") / 32768
    reports: list[str] = []
    guest = guest_of(NN(models={"m": REAL / "silero_vad.jit"}), reports)
    ctx = by_name(guest)
    onnx = NN().load(REAL / "silero_vad_openvino_16k.onnx")
    old, state = np.zeros((1, 64), "f4"), np.zeros((2, 1, 128), "f4")
    pairs = []
    assert guest.set_input(ctx, 1, np.array([16000], "<i4").tobytes(), (1,), type=4) == 0, reports
    for at in range(0, len(samples) - 511, 512):
        window = samples[None, at : at + 512]
        found = onnx.compute({"input": np.concatenate([old, window], 1), "state": state})
        old, state = window[:, -64:], found["stateN"]
        assert guest.set_input(ctx, 0, window.tobytes(), (1, 512)) == 0, reports
        assert guest.call("compute", ctx) == 0, reports
        _, data = guest.output(ctx, 0)
        pairs.append((np.frombuffer(data, "<f4")[0], found["output"][0, 0]))
    ours, theirs = np.array(pairs).T
    assert len(pairs) == 138 and (ours > 0.5).sum() == 103
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


# Hostile files: each is shown to do it when the host named it, and then to do nothing from a guest's bytes.


class Reads(torch.nn.Module):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.from_file(self.path, False, 6, dtype=torch.uint8)


class Writes(torch.nn.Module):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.from_file(self.path, True, 6, dtype=torch.uint8).fill_(120)


class WhenLoaded(torch.nn.Module):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.made = torch.zeros(1, dtype=torch.uint8)

    @torch.jit.export
    def __getstate__(self) -> tuple[str, bool]:
        return self.path, self.training

    @torch.jit.export
    def __setstate__(self, state: tuple[str, bool]) -> None:
        self.path = state[0]
        self.training = state[1]
        self.made = torch.from_file(self.path, True, 6, dtype=torch.uint8).fill_(120)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


class Touch:
    """A pickle that makes a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (Path(self.path),)


class Twice(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def changed(path: Path, edit: Callable[[str, bytes], bytes]) -> bytes:
    """An archive with members changed, stored as PyTorch stores them."""
    content = BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            new.writestr(name, edit(name, old.read(name)))
    return content.getvalue()


def reads(tmp_path: Path, target: Path) -> bytes:
    return scripted(tmp_path, Reads(str(target))).read_bytes()


def writes(tmp_path: Path, target: Path) -> bytes:
    target.write_bytes(b"before")
    return scripted(tmp_path, Writes(str(target))).read_bytes()


def set_state(tmp_path: Path, target: Path) -> bytes:
    target.write_bytes(b"before")
    data = scripted(tmp_path, WhenLoaded(str(target))).read_bytes()
    target.write_bytes(b"before")
    return data


def pickled(tmp_path: Path, target: Path) -> bytes:
    path = exported(tmp_path, Linear(), (torch.zeros(4, 3), torch.zeros(2)))

    def edit(name: str, data: bytes) -> bytes:
        if name.endswith("model_weights_config.json"):
            config = json.loads(data)
            for entry in config["config"].values():
                entry["use_pickle"] = True
            return json.dumps(config).encode()
        return pickle.dumps(Touch(str(target))) if "/weights/weight_" in name else data

    return changed(path, edit)


def guards(tmp_path: Path, target: Path) -> bytes:
    path = exported(tmp_path, Twice(), (torch.zeros(2),))

    def edit(name: str, data: bytes) -> bytes:
        if not name.endswith("models/model.json"):
            return data
        program = json.loads(data)
        program["guards_code"] = [f"__import__('pathlib').Path({str(target)!r}).touch() is None"]
        return json.dumps(program).encode()

    return changed(path, edit)


HOSTILE: Mapping[str, Callable[[Path, Path], bytes]] = {
    "reads a file": reads, "writes a file": writes, "__setstate__": set_state, "a pickle": pickled,
    "guards_code": guards,
}  # fmt: skip


def did_it(target: Path, outputs: bytes) -> bool:
    """Whether the secret was read, or the target written or made."""
    if outputs == b"secret":
        return True
    return target.exists() and target.read_bytes() in (b"xxxxxx", b"")


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "from a guest"])
def test_hostile_files_run_nothing_from_a_guest(tmp_path: Path, kind: str, trusted: bool) -> None:
    target = tmp_path / "target"
    if kind == "reads a file":
        target.write_bytes(b"secret")
    data = HOSTILE[kind](tmp_path, target)
    for encoding in (3, 5):
        reports: list[str] = []
        guest = guest_of(NN(trust_guest_models=trusted), reports)
        outputs = b""
        error = guest.load(data, encoding=encoding, at=0x10000)
        if error == 0:
            assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0, reports
            for index, size in enumerate((2, 2)[: 2 if kind == "a pickle" else 1]):
                assert guest.set_input(0, index, bytes(4 * size), (size,)) == 0, reports
            guest.call("compute", 0)
            _, outputs = guest.output(0, 0)
        assert did_it(target, outputs) is trusted, reports
        if not trusted:
            assert error == Code.UNSUPPORTED_OPERATION
            assert "torch doesn't declare loading torch" in reports[-1]
            assert not outputs


def test_a_guests_own_model_runs_where_the_host_trusts_it(tmp_path: Path) -> None:
    reports: list[str] = []
    guest = guest_of(NN(trust_guest_models=True), reports)
    data = scripted(tmp_path, Twice()).read_bytes()
    assert guest.load(data, encoding=3, at=0x10000) == 0, reports
    assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
    assert guest.set_input(0, 0, f32(2).tobytes(), (2,)) == 0
    assert guest.call("compute", 0) == 0
    assert guest.output(0, 0) == (0, (f32(2) * 2).tobytes())


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    for path in (scripted(tmp_path, Twice()), exported(tmp_path, Twice(), (torch.zeros(2),))):
        data = path.read_bytes()
        for cut in (len(data) // 2, len(data) - 30):
            path.write_bytes(data[:cut])
            with pytest.raises(NNError):
                NN().load(path)
