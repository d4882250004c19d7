"""Whole graphs on numpy: what is refused at load and why, memory, threads, strangers' models."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from struct import pack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.nn.backends.onnx_numpy import NumpyBackend, room
from pywasm_nn.nn.backends.onnx_numpy import model as reading
from pywasm_nn.nn.backends.onnx_numpy.execute import ABSENT, plan_of
from pywasm_nn.nn.backends.onnx_numpy.model import read_model
from pywasm_nn.nn.backends.onnx_numpy.room import MAX_ELEMENTS
from pywasm_nn.nn.errors import Code, NNError
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec

from ...conftest import examples
from .onnx_writer import BFLOAT16, TYPES, Model, attribute, block, node, number, varint
from .running import CPU, Array, directly, run, single

F32 = ("float32", ["N", 3])


def load(model: Model | bytes) -> object:
    return NumpyBackend().load("onnx", [model if isinstance(model, bytes) else model.data()], CPU)


def refused(model: Model | bytes) -> NNError:
    with pytest.raises(NNError) as caught:
        load(model)
    assert "\n" not in caught.value.reason
    return caught.value


def chain(*operators: str, **more: object) -> Model:
    """x -> operators one after another -> y."""
    names = ["x", *(f"h{index}" for index in range(len(operators) - 1)), "y"]
    nodes = [node(op, [names[i]], [names[i + 1]]) for i, op in enumerate(operators)]
    return Model(nodes, {"x": F32}, {"y": F32}, **more)  # type: ignore[arg-type] # fields of Model


def test_says_what_the_model_declares() -> None:
    graph = NumpyBackend().load("onnx", [chain("Relu").data()], CPU)
    assert graph.inputs == (TensorSpec("x", DType.F32, ("N", 3)),)
    assert graph.outputs == (TensorSpec("y", DType.F32, ("N", 3)),)
    assert (graph.backend, graph.device) == ("numpy", "CPU")


def test_a_weight_that_is_listed_as_input_is_none() -> None:
    """Models of IR version 3 list every weight among the inputs."""
    model = Model(
        [node("Add", ["x", "w"], ["y"])], {"x": F32, "w": ("float32", [3])}, {"y": F32},
        {"w": np.ones(3, np.float32)},
    )  # fmt: skip
    graph = NumpyBackend().load("onnx", [model.data()], CPU)
    assert [spec.name for spec in graph.inputs] == ["x"]
    np.testing.assert_array_equal(run(graph, [np.zeros((1, 3), np.float32)])[0], [[1, 1, 1]])


@pytest.mark.parametrize(
    ("model", "code", "words"),
    [
        (chain("Relu", "NonMaxSuppression"), Code.UNSUPPORTED_OPERATION,
         ["operator NonMaxSuppression", "the_NonMaxSuppression", "not there in the numpy backend; "]),
        (Model([node("Gelu", ["x"], ["y"], "com.microsoft")], {"x": F32}, {"y": F32}),
         Code.UNSUPPORTED_OPERATION, ["com.microsoft.Gelu"]),
        (chain("Gelu", opset=17), Code.UNSUPPORTED_OPERATION, ["Gelu of opset 17"]),
        (chain("Relu", "Identity", opset=99), Code.UNSUPPORTED_OPERATION, ["Identity of opset 99", "to 28"]),
        (Model([node("Relu", ["x"], ["y"], novelty=1)], {"x": F32}, {"y": F32}),
         Code.UNSUPPORTED_OPERATION, ["attribute novelty of operator Relu"]),
        (Model([node("Resize", ["x", "", "x"], ["y"], mode="cubic")], {"x": F32}, {"y": F32}),
         Code.UNSUPPORTED_OPERATION, ["mode=cubic of operator Resize"]),
        (Model([node("MaxPool", ["x"], ["y", "z"], kernel_shape=[1])], {"x": F32}, {"y": F32, "z": F32}),
         Code.UNSUPPORTED_OPERATION, ["output 1 of operator MaxPool"]),
        (Model([node("MaxPool", ["x"], ["y"])], {"x": F32}, {"y": F32}),
         Code.RUNTIME_ERROR, ["attribute kernel_shape is missing"]),
        (Model([node("Softmax", ["x"], ["y"], axis="1")], {"x": F32}, {"y": F32}),
         Code.RUNTIME_ERROR, ["attribute axis is no int"]),
        (Model([node("Add", ["x"], ["y"])], {"x": F32}, {"y": F32}), Code.RUNTIME_ERROR, ["needs 2 inputs"]),
        (Model([node("Add", ["x", ""], ["y"])], {"x": F32}, {"y": F32}),
         Code.RUNTIME_ERROR, ["needs 2 inputs"]),
        (Model([node("Relu", ["x", "x"], ["y"])], {"x": F32}, {"y": F32}),
         Code.UNSUPPORTED_OPERATION, ["Relu with 2 inputs"]),
        (Model([node("Relu", ["q"], ["y"])], {"x": F32}, {"y": F32}), Code.RUNTIME_ERROR, ["'q'"]),
        (Model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], {"x": F32}, {"a": F32}),
         Code.RUNTIME_ERROR, ["'b' is made by no earlier node"]),
        (Model([node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["y"])], {"x": F32}, {"y": F32}),
         Code.RUNTIME_ERROR, ["'y' is made twice"]),
        (Model([node("Relu", ["x"], ["y"])], {"x": F32}, {"z": F32}), Code.RUNTIME_ERROR, ["output 'z'"]),
        (Model([node("Relu", ["x"], ["y"])], {"x": (BFLOAT16, [1])}, {"y": (BFLOAT16, [1])}),
         Code.UNSUPPORTED_OPERATION, ["bfloat16"]),
    ],
)  # fmt: skip
def test_refuses_at_load(model: Model, code: Code, words: list[str]) -> None:
    error = refused(model)
    assert error.code is code
    for word in words:
        assert word in error.reason


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"junk",
        chain("Relu").data()[:-20],
        number(1, 8),
        chain("Relu").data() + block(7, b""),
        number(1, 8) + block(7, block(5, number(1, 1 << 40) + number(2, 1) + block(8, "w"))),
        number(1, 8) + block(7, block(5, number(1, -1) + number(2, 1) + block(8, "w") + block(9, b"1234"))),
        number(1, 8) + block(7, block(5, number(2, 8) + block(8, "w"))),
        number(1, 8) + block(7, block(15, b"")),
    ],
    ids=[
        "empty",
        "junk",
        "truncated",
        "no graph",
        "two graphs",
        "huge",
        "negative",
        "strings",
        "sparse",
    ],
)
def test_malformed_bytes_are_a_runtime_error(data: bytes) -> None:
    assert refused(data).code is Code.RUNTIME_ERROR


@pytest.mark.parametrize(
    "part", [block(1, b""), block(5, number(1, 0) + number(2, 1))], ids=["nodes", "weights"]
)
def test_a_model_of_too_many_parts_is_refused(part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a tenth of the limit, as reading all that is allowed takes seconds."""
    monkeypatch.setattr(reading, "MAX_FIELDS", reading.MAX_FIELDS // 10)
    many = number(1, 8) + block(7, part * (reading.MAX_FIELDS // reading.OBJECT_FIELDS))
    error = refused(many)
    assert error.code is Code.RUNTIME_ERROR and "too many" in str(error)


def test_external_data_is_refused() -> None:
    weight = number(1, 1) + number(2, 1) + block(8, "w") + number(14, 1)
    weight += block(13, block(1, "location") + block(2, "/etc/passwd"))
    data = number(1, 8) + block(7, chain("Relu").graph() + block(5, weight)) + block(8, number(2, 17))
    error = refused(data)
    assert error.code is Code.UNSUPPORTED_OPERATION
    assert "/etc/passwd" in error.reason


@pytest.mark.parametrize("name", [name for name in TYPES if name != "bool"])
def test_weights_in_every_encoding(name: str) -> None:
    """The fields for numbers that no exporter of today writes (packed and one by one), besides raw bytes."""
    values = np.array([0, 1, 2, 100], name)
    field, wire, form = {
        "float32": (4, 5, "<f"), "float64": (10, 1, "<d"), "int64": (7, 0, ""), "uint64": (11, 0, ""),
        "uint32": (11, 0, ""),
    }.get(name, (5, 0, ""))  # fmt: skip
    numbers = values.view(np.uint16) if name == "float16" else values
    single_items = [pack(form, value) if form else varint(int(value)) for value in numbers.tolist()]
    packed = block(field, b"".join(single_items))
    unpacked = b"".join(varint(field << 3 | wire) + item for item in single_items)
    for content in (packed, unpacked, block(9, values.tobytes())):
        message = number(1, 4) + number(2, TYPES[name]) + block(8, "w") + content
        model = read_model(number(1, 8) + block(7, block(5, message)))
        assert model.weights["w"].dtype == values.dtype
        np.testing.assert_array_equal(model.weights["w"], values)


@pytest.mark.parametrize("shape", [(-1,), (-4,), (-2, -2), (-1, 4), (3,), (2, 3), (0,), ()])
def test_a_weight_has_as_many_elements_as_its_shape_says(shape: tuple[int, ...]) -> None:
    """For numpy -1 is whatever fits, and a product of negative lengths may fit as well."""
    dims = b"".join(number(1, length) for length in shape)
    weight = dims + number(2, TYPES["float32"]) + block(8, "w") + block(9, bytes(16))
    error = refused(
        number(1, 8) + block(7, chain("Relu").graph() + block(5, weight)) + block(8, number(2, 17))
    )
    assert error.code is Code.RUNTIME_ERROR
    assert "claims shape" in error.reason


def test_a_weight_may_be_empty() -> None:
    weight = number(1, 0) + number(1, 3) + number(2, TYPES["float32"]) + block(8, "w")
    assert read_model(number(1, 8) + block(7, block(5, weight))).weights["w"].shape == (0, 3)


def test_attributes_without_a_type_are_read_by_their_field() -> None:
    typeless = attribute("axis", 1)[: -len(number(20, 2))]
    content = block(1, "x") + block(2, "y") + block(4, "Softmax") + block(5, typeless)
    assert read_model(number(1, 8) + block(7, block(1, content))).nodes[0].attributes == {"axis": 1}


TOO_LARGE = np.array([MAX_ELEMENTS, 2], np.int64)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes"),
    [
        ("ConstantOfShape", [TOO_LARGE], {}),
        ("Expand", [np.ones(1, np.float32), TOO_LARGE], {}),
        ("Tile", [np.ones((1, 1), np.float32), TOO_LARGE], {}),
        ("Pad", [np.ones(1, np.float32), TOO_LARGE], {}),
        ("Range", [np.array(0), np.array(1 << 60), np.array(1)], {}),
        ("Add", [np.ones((1 << 16, 1), np.float32), np.ones((1, 1 << 16), np.float32)], {}),
        ("Where", [np.ones((1 << 16, 1), np.bool_), np.ones(1 << 16, np.float32), np.ones(1, np.float32)],
         {}),
        ("MatMul", [np.ones((1 << 16, 1), np.float32), np.ones((1, 1 << 16), np.float32)], {}),
        ("Gemm", [np.ones((1 << 16, 1), np.float32), np.ones((1, 1 << 16), np.float32)], {}),
        ("Gather", [np.ones((1, 1 << 16), np.float32), np.zeros(1 << 16, np.int64)], {}),
        ("Resize", [np.ones((1, 1), np.float32), None, None, TOO_LARGE], {}),
        ("MaxPool", [np.ones((1, 1, 1), np.float32)], {"kernel_shape": [1], "pads": [1 << 40, 0]}),
        ("MaxPool", [np.ones((1, 1, 1), np.float32)],
         {"kernel_shape": [1 << 40], "pads": [1 << 39, 1 << 39]}),
        ("Conv", [np.ones((1, 1, 1), np.float32), np.ones((1, 1, 1), np.float32)], {"pads": [1 << 40, 0]}),
        ("ConvTranspose", [np.ones((1, 1, 2), np.float32), np.ones((1, 1, 1), np.float32)],
         {"strides": [1 << 40]}),
    ],
)  # fmt: skip
def test_absurd_sizes_are_refused_before_anything_is_allocated(
    op: str, inputs: list[Array | None], attributes: dict[str, object]
) -> None:
    outputs = ("int64",) if op == "Range" else ("float32",)
    model = single(op, inputs, opset=17, outputs=outputs, **attributes)
    graph = NumpyBackend().load("onnx", [model.data()], CPU)
    with pytest.raises(NNError) as caught:
        run(graph, [array for array in inputs if array is not None])
    assert caught.value.code is Code.TOO_LARGE


def test_doubling_again_and_again_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is modest; the limit is on what they come to."""
    monkeypatch.setattr(room, "MAX_ELEMENTS", 1 << 20)
    names = ["x", *(f"h{i}" for i in range(40))]
    nodes = [node("Concat", [a, a], [b], axis=0) for a, b in pairwise(names)]
    graph = NumpyBackend().load("onnx", [Model(nodes, {"x": F32}, {"h39": F32}).data()], CPU)
    with pytest.raises(NNError) as caught:
        run(graph, [np.ones((1, 3), np.float32)])
    assert caught.value.code is Code.TOO_LARGE


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "words"),
    [
        ("Add", [np.ones(3, np.float32), np.ones(4, np.float32)], {}, ["Add", "the_Add", "(3,)"]),
        ("Add", [np.ones(3, np.float32), np.ones(3, np.float64)], {}, ["different types"]),
        ("MatMul", [np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)], {}, ["MatMul"]),
        ("Reshape", [np.ones(3, np.float32), np.array([2, -1])], {}, ["Reshape"]),
        ("Softmax", [np.ones((2, 3), np.float32)], {"axis": 7}, ["axis 7"]),
        ("Div", [np.ones(3, np.int64), np.zeros(3, np.int64)], {}, ["division by zero"]),
        ("Gather", [np.ones(3, np.float32), np.array([3])], {}, ["Gather"]),
        ("Conv", [np.ones((1, 2, 3), np.float32), np.ones((1, 1, 3), np.float32)], {}, ["1 groups"]),
        (
            "Conv",
            [np.ones((1, 1, 3), np.float32), np.ones((1, 1, 3), np.float32)],
            {"strides": [0]},
            ["range"],
        ),
        ("Conv", [np.ones((1, 1, 3), np.float32), np.ones((1, 1, 5), np.float32)], {}, ["doesn't fit"]),
        ("Split", [np.ones(3, np.float32), np.array([-1, 4])], {}, ["parts"]),
    ],
)
def test_inputs_that_do_not_fit_name_the_node(
    op: str, inputs: list[Array], attributes: dict[str, object], words: list[str]
) -> None:
    outputs = ("float32",) * (2 if op == "Split" else 1)
    graph = NumpyBackend().load(
        "onnx", [single(op, inputs, opset=17, outputs=outputs, **attributes).data()], CPU
    )
    with pytest.raises(NNError) as caught:
        run(graph, inputs)
    assert caught.value.code is Code.RUNTIME_ERROR
    for word in words:
        assert word in caught.value.reason


def test_an_output_of_another_type_than_declared() -> None:
    model = single("Shape", [np.ones((2, 3), np.float32)], opset=17)
    graph = NumpyBackend().load("onnx", [model.data()], CPU)
    with pytest.raises(NNError, match="is declared f32 and came as int64"):
        run(graph, [np.ones((2, 3), np.float32)])


def test_a_chain_of_twenty_thousand_nodes() -> None:
    model = chain(*["Neg"] * 20_000)
    x = np.array([[1, -2, 3]], np.float32)
    np.testing.assert_array_equal(run(NumpyBackend().load("onnx", [model.data()], CPU), [x])[0], x)


def test_values_are_freed_after_their_last_use() -> None:
    plan = plan_of(read_model(chain("Abs", "Neg", "Relu").data()))
    assert [step.dead for step in plan.steps] == [(), plan.steps[0].outputs, plan.steps[1].outputs]


def test_an_output_that_nobody_reads_is_freed_at_once() -> None:
    model = Model(
        [node("Split", ["x"], ["y", "z", ""], axis=1)], {"x": F32}, {"y": ("float32", ["N", 1])}, opset=13
    )
    plan = plan_of(read_model(model.data()))
    kept, dead, absent = plan.steps[0].outputs
    assert plan.steps[0].dead == (dead,)
    assert (plan.outputs, absent) == ((kept,), ABSENT)


@pytest.mark.parametrize("op", ["Identity", "Transpose", "Dropout", "Flatten"])
def test_outputs_never_are_the_inputs_memory(op: str) -> None:
    graph = NumpyBackend().load("onnx", [chain(op).data()], CPU)
    context = graph.context()
    context.set_input(0, Tensor.from_numpy(np.array([[1, 2, 3]], np.float32)))
    context.compute()
    before = context.output(0)
    context.set_input(0, Tensor.from_numpy(np.array([[7, 8, 9]], np.float32)))
    np.testing.assert_array_equal(before.numpy().ravel(), [1, 2, 3])


def test_a_constant_output_is_not_the_weight_itself() -> None:
    model = Model([node("Identity", ["w"], ["y"])], {}, {"y": F32}, {"w": np.ones((1, 3), np.float32)})
    graph = NumpyBackend().load("onnx", [model.data()], CPU)
    run(graph, [])[0][...] = 7
    np.testing.assert_array_equal(run(graph, [])[0], [[1, 1, 1]])


def test_one_graph_on_eight_threads() -> None:
    graph = NumpyBackend().load("onnx", [chain("Exp", "Neg", "Abs", "Log").data()], CPU)
    inputs = [np.full((50, 3), index, np.float32) for index in range(40)]
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda x: run(graph, [x])[0], inputs))
    for x, result in zip(inputs, results, strict=True):
        np.testing.assert_allclose(result, x, atol=1e-6)


def encoder(width: int = 8, heads: int = 2) -> Model:
    """A transformer's encoder layer, as exporters write it: attention, layer norm by hand, GELU by Erf."""
    rng = np.random.default_rng(3)
    inner = width // heads
    weights: dict[str, Array] = {
        name: (rng.standard_normal(shape) / 3).astype(np.float32)
        for name, shape in {
            "wq": (width, width), "wk": (width, width), "wv": (width, width), "w1": (width, 16), "b1": (16,),
            "w2": (16, width), "scale": (width,), "bias": (width,),
        }.items()
    }  # fmt: skip
    weights |= {
        "split": np.array([0, 0, heads, inner]), "joined": np.array([0, 0, width]),
        "root": np.array(inner**0.5, np.float32), "two": np.array(2, np.float32),
        "epsilon": np.array(1e-5, np.float32), "sqrt2": np.array(2**0.5, np.float32),
        "one": np.array(1, np.float32), "half": np.array(0.5, np.float32),
    }  # fmt: skip
    nodes = []
    for name, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [
            node("MatMul", ["x", f"w{name}"], [f"{name}0"]),
            node("Reshape", [f"{name}0", "split"], [f"{name}1"]),
            node("Transpose", [f"{name}1"], [name], perm=perm),
        ]
    nodes += [
        node("MatMul", ["q", "k"], ["scores"]),
        node("Div", ["scores", "root"], ["scaled"]),
        node("Softmax", ["scaled"], ["shares"], axis=-1),
        node("MatMul", ["shares", "v"], ["mixed"]),
        node("Transpose", ["mixed"], ["mixed1"], perm=[0, 2, 1, 3]),
        node("Reshape", ["mixed1", "joined"], ["attended"]),
        node("Add", ["x", "attended"], ["r"]),
        node("ReduceMean", ["r"], ["mean"], axes=[-1]),
        node("Sub", ["r", "mean"], ["centred"]),
        node("Pow", ["centred", "two"], ["squared"]),
        node("ReduceMean", ["squared"], ["variance"], axes=[-1]),
        node("Add", ["variance", "epsilon"], ["safe"]),
        node("Sqrt", ["safe"], ["deviation"]),
        node("Div", ["centred", "deviation"], ["normal"]),
        node("Mul", ["normal", "scale"], ["weighted"]),
        node("Add", ["weighted", "bias"], ["n"]),
        node("MatMul", ["n", "w1"], ["m0"]),
        node("Add", ["m0", "b1"], ["m1"]),
        node("Div", ["m1", "sqrt2"], ["m2"]),
        node("Erf", ["m2"], ["m3"]),
        node("Add", ["m3", "one"], ["m4"]),
        node("Mul", ["m1", "m4"], ["m5"]),
        node("Mul", ["m5", "half"], ["m6"]),
        node("MatMul", ["m6", "w2"], ["m7"]),
        node("Add", ["n", "m7"], ["y"]),
    ]
    shape = ("float32", ["batch", "length", width])
    return Model(nodes, {"x": shape}, {"y": shape}, weights, opset=13)


def test_an_encoder_layer_equals_onnxruntime() -> None:
    data = encoder().data()
    graph = NumpyBackend().load("onnx", [data], CPU)
    for batch, length in ((1, 5), (3, 2)):
        x = np.random.default_rng(batch).standard_normal((batch, length, 8)).astype(np.float32)
        np.testing.assert_allclose(run(graph, [x])[0], directly(data, {"x": x})[0], rtol=1e-5, atol=1e-5)


@examples(300)
@given(st.data())
def test_a_damaged_model_is_an_nn_error_or_an_answer(data: st.DataObject) -> None:
    whole = bytearray(encoder().data())
    for _ in range(data.draw(st.integers(0, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))]) if data.draw(st.booleans()) else bytes(whole)
    try:
        graph = NumpyBackend().load("onnx", [cut], CPU)
        run(graph, [np.ones((1, 5, 8), np.dtype(spec.dtype.numpy_name)) for spec in graph.inputs])
    except NNError as error:
        assert error.code in (Code.RUNTIME_ERROR, Code.UNSUPPORTED_OPERATION, Code.TOO_LARGE)
