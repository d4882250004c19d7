# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of a guest's models to end or to harm the host: signals, damaged bytes, odd outputs, dead children."""

from __future__ import annotations

from .harness import Attempt

START = """
import os, random, resource, signal, subprocess, sys, tempfile, threading, time
from pywasm_nn import *
from tests.attempts.kit import *
from tests.attempts.kit_models import *
alarm_after(100)
LIMITS = Limits(seconds=30, compute_seconds=5, tensor_bytes=64 << 20, memory=256 << 20)
def all_of(datas, backend, encoding=ONNX, parts=(), limits=LIMITS, **nn):
    '''Each model on one guest, whose child may die of it: the host stays, and the guest is well afterwards.'''
    with Models(ENGINE, backend, limits, **nn) as g:
        for name, data in datas.items():
            try:
                answer = g.all(data, *parts, encoding=encoding)
            except Exception as error:
                raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error
            print(backend, name, answer if not isinstance(answer, bytes) else answer[:16], flush=True)
            assert g.longest < 40, name
            if answer == "limit":
                break
            assert answer != "trap", name
            for k in range(2):
                g.call("unload", g.guest.word(512))
        else:
            g.well()
    gone()
def gone(wait=5.0):
    started = time.monotonic()
    while children() and time.monotonic() - started < wait:
        time.sleep(0.05)
    assert not children(), "a child stayed"
def state():
    return set(os.listdir("/dev/shm")), len(descriptors()), threading.active_count()
def begun(g, data=None):
    '''A context of a model, with its input.'''
    assert g.load(data or model([node("Add", "x x")])) == 0
    assert g.call("init_execution_context", g.guest.word(512), 516) == 0
    g.guest.put(600, struct.pack("<f", 2.0)); g.guest.put(620, struct.pack("<I", 1)); g.guest.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
    assert g.call("set_input", g.guest.word(516), 0, 640) == 0
    return g.guest.word(516)
"""
FRAMEWORK = 30.0
"""Seconds of processor time for children that import a framework anew, after each that died."""


def attempt(
    name: str, source: str, cpu: float = FRAMEWORK, engines: tuple[str, ...] = ("compile",)
) -> Attempt:
    return Attempt(f"model ends: {name}", START + source, cpu, engines=engines)


ZEROS = """
def typed(op, kind, a, b, **attributes):
    letter = {INT32: "i4", INT64: "i8"}.get(kind, "f4")
    graph = helper.make_graph([node("Cast", "x", "c", to=kind), node("Mul", "c z", "n"), node("Add", "n a", "l"), node("Add", "n b", "d"),
        helper.make_node(op, ["l", "d"], ["q"], **attributes), node("Cast", "q", "y", to=1)], "g",
        [helper.make_tensor_value_info("x", FLOAT, [1])], [helper.make_tensor_value_info("y", FLOAT, None)],
        [constant("z", [0], letter), constant("a", [a], letter), constant("b", [b], letter)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
def shaped(op, s, more=(), given=None, out="q", **attributes):
    constants = {"s": s, **(given or {})}
    return model([node("ConstantOfShape", "s", "a"), node("Add", "a x", "b"), helper.make_node(op, ["b", *more], out.split(), **attributes),
                  node("Cast", "q", "y", to=1)], constants)
image = [1, 4, 6, 6]
floats = {"w": [1, 1, 1, 1]}
datas = {
    "Mod": typed("Mod", INT64, -(1 << 63), -1), "Mod by none": typed("Mod", INT32, 5, 0), "fmod": typed("Mod", INT32, -(1 << 31), -1, fmod=1),
    "Div": typed("Div", INT32, -(1 << 31), -1), "Div by none": typed("Div", INT64, 5, 0), "Pow": typed("Pow", INT32, 0, -1),
    "SpaceToDepth": shaped("SpaceToDepth", image, blocksize=0), "DepthToSpace": shaped("DepthToSpace", image, blocksize=0),
    "DepthToSpace of less": shaped("DepthToSpace", image, blocksize=-2),
    "MaxPool stride": shaped("MaxPool", image, kernel_shape=[2, 2], strides=[0, 0]), "MaxPool kernel": shaped("MaxPool", image, kernel_shape=[0, 0]),
    "MaxPool dilation": shaped("MaxPool", image, kernel_shape=[2, 2], dilations=[0, 0]), "MaxPool pads": shaped("MaxPool", image, kernel_shape=[2, 2], pads=[-9, -9, 1 << 31, 1]),
    "AveragePool": shaped("AveragePool", image, kernel_shape=[1 << 40, 1]), "LpPool": shaped("LpPool", image, kernel_shape=[2, 2], p=0),
    "LRN": shaped("LRN", image, size=0), "Softmax": shaped("Softmax", image, axis=77), "Flatten": shaped("Flatten", image, axis=-77),
    "Concat": shaped("Concat", image, ["b"], axis=-9), "Split": shaped("Split", image, ["p"], {"p": [0, 0, -4, 8]}, "q r u v", axis=1),
    "Gather": shaped("Gather", image, ["p"], {"p": [1 << 62, -(1 << 62)]}, axis=1), "Slice": shaped("Slice", image, ["p", "p", "p", "o"], {"p": [-(1 << 63)], "o": [0]}),
    "Slice step": shaped("Slice", image, ["p", "p", "p", "o"], {"p": [1], "o": [-(1 << 63)]}), "Reshape": shaped("Reshape", image, ["p"], {"p": [-1, 0, 0, 0, 0, 0]}),
    "Reshape of all": shaped("Reshape", image, ["p"], {"p": [1 << 32, 1 << 32, 144]}), "Transpose": shaped("Transpose", image, perm=[0, 0, 9, -1]),
    "Squeeze": shaped("Squeeze", image, ["p"], {"p": [99]}), "Unsqueeze": shaped("Unsqueeze", image, ["p"], {"p": [0] * 100}),
    "Tile": shaped("Tile", image, ["p"], {"p": [-1, 1 << 40, 0, 1]}), "Pad": shaped("Pad", image, ["p"], {"p": [-100] * 8}),
    "Expand": shaped("Expand", image, ["p"], {"p": [1 << 62] * 4}), "TopK": shaped("TopK", image, ["p"], {"p": [-5]}, "q i"), "TopK of more": shaped("TopK", image, ["p"], {"p": [1 << 40]}, "q i"),
    "OneHot": model([node("Cast", "x", "i", to=7), node("OneHot", "i d v", "z"), node("Cast", "z", to=1)], {"d": -5, "v": [0, 1]}),
    "Range": model([node("Range", "a b c", "z"), node("Cast", "z", to=1)], {"a": 0, "b": 10, "c": 0}),
    "GatherND": shaped("GatherND", image, ["p"], {"p": [[9, 9, 9, 9, 9, 9]]}, batch_dims=3), "ScatterND": shaped("ScatterND", image, ["p", "b"], {"p": [[1 << 40] * 4]}),
    "ReverseSequence": shaped("ReverseSequence", image, ["p"], {"p": [1 << 40]}, time_axis=9, batch_axis=9), "CumSum": shaped("CumSum", image, ["p"], {"p": 77}),
    "EyeLike": shaped("EyeLike", [3, 3], k=1 << 62), "Trilu": shaped("Trilu", [3, 3], ["p"], {"p": -(1 << 63)}),
}
for kind, attributes in {"group": {"group": 0}, "groups": {"group": -1}, "stride": {"strides": [0, 0]}, "dilation": {"dilations": [0, 0]},
                         "pads": {"pads": [1 << 40] * 4}, "kernel": {"kernel_shape": [7, -7]}}.items():
    datas["Conv " + kind] = model([node("ConstantOfShape", "s", "a"), node("Add", "a x", "b"), node("ConstantOfShape", "w", "f"), node("Conv", "b f", **attributes)],
                                  {"s": image, "w": [4, 4, 2, 2]})
    datas["ConvTranspose " + kind] = model([node("ConstantOfShape", "s", "a"), node("Add", "a x", "b"), node("ConstantOfShape", "w", "f"), node("ConvTranspose", "b f", **attributes)],
                                           {"s": image, "w": [4, 4, 2, 2]})
"""
TFLITE_ZEROS = """
from tests.attempts.kit_tflite import *
LOW = -(1 << 31)
datas = {
    "FLOOR_MOD": single("FLOOR_MOD", [([1], I32, [LOW]), ], swapped=True), "FLOOR_MOD of the least": single("FLOOR_MOD", [([1], I32, [-1])]),
    "FLOOR_DIV": single("FLOOR_DIV", [([1], I32, [0])]), "FLOOR_DIV of the least": single("FLOOR_DIV", [([1], I32, [-1])]),
    "DIV": single("DIV", [([1], I32, [0])], options="DivOptions"), "DIV by minus one": single("DIV", [([1], I32, [-1])], options="DivOptions"),
    "FLOOR_MOD of long": single("FLOOR_MOD", [([1], I64, [-1])], kind=I64, version=2), "POW": single("POW", [([1], I32, [-1])], options="PowOptions"),
    "RIGHT_SHIFT": single("RIGHT_SHIFT", [([1], I32, [-77])]), "SPACE_TO_DEPTH": single("SPACE_TO_DEPTH", [], kind=F32, shape=[1, 4, 4, 1], options="SpaceToDepthOptions", given={"blockSize": 0}),
    "DEPTH_TO_SPACE": single("DEPTH_TO_SPACE", [], kind=F32, shape=[1, 4, 4, 4], options="DepthToSpaceOptions", given={"blockSize": 0}),
    "MAX_POOL_2D": single("MAX_POOL_2D", [], kind=F32, shape=[1, 4, 4, 4], options="Pool2DOptions", given={"strideW": 0, "strideH": 0, "filterWidth": 0, "filterHeight": 0}),
    "AVERAGE_POOL_2D": single("AVERAGE_POOL_2D", [], kind=F32, shape=[1, 4, 4, 4], options="Pool2DOptions", given={"strideW": 1, "strideH": 1, "filterWidth": LOW, "filterHeight": -1}),
    "CONV_2D": single("CONV_2D", [([4, 2, 2, 4], F32, [0.0] * 64), ([4], F32, [0.0] * 4)], kind=F32, shape=[1, 4, 4, 4], options="Conv2DOptions", given={"strideW": 0, "strideH": 0}),
    "CONV_2D groups": single("CONV_2D", [([4, 2, 2, 0], F32, b""), ([4], F32, [0.0] * 4)], kind=F32, shape=[1, 4, 4, 4], options="Conv2DOptions", given={"strideW": 1, "strideH": 1}),
    "DEPTHWISE": single("DEPTHWISE_CONV_2D", [([1, 2, 2, 0], F32, b"")], kind=F32, shape=[1, 4, 4, 4], options="DepthwiseConv2DOptions", given={"strideW": 1, "strideH": 1, "depthMultiplier": 0}),
    "GATHER": single("GATHER", [([2], I32, [1 << 30, LOW])], kind=F32, shape=[4], options="GatherOptions", given={"axis": 99}),
    "GATHER_ND": single("GATHER_ND", [([1, 1], I32, [1 << 30])], kind=F32, shape=[4]),
    "SCATTER_ND": single("SCATTER_ND", [([1, 1], I32, [1 << 30]), ([1], I32, [4])], kind=I32, swapped=True),
    "STRIDED_SLICE": single("STRIDED_SLICE", [([1], I32, [LOW]), ([1], I32, [1 << 30]), ([1], I32, [0])], kind=F32, shape=[4], options="StridedSliceOptions"),
    "SLICE": single("SLICE", [([1], I32, [LOW]), ([1], I32, [(1 << 31) - 1])], kind=F32, shape=[4]),
    "RESHAPE": single("RESHAPE", [([2], I32, [-1, 0])], kind=F32, shape=[4], out=[4]), "TRANSPOSE": single("TRANSPOSE", [([2], I32, [9, -9])], kind=F32, shape=[2, 2], out=[2, 2]),
    "EMBEDDING_LOOKUP": single("EMBEDDING_LOOKUP", [([2, 2], F32, [0.0] * 4)], kind=I32), "REVERSE_SEQUENCE": single("REVERSE_SEQUENCE", [([1], I32, [1 << 30])], kind=F32, shape=[1, 4], options="ReverseSequenceOptions", given={"seqDim": 9, "batchDim": -9}),
    "SPLIT": single("SPLIT", [([], I32, 0)], kind=F32, shape=[4], options="SplitOptions", given={"numSplits": 0}, swapped=True),
    "SPACE_TO_BATCH": single("SPACE_TO_BATCH_ND", [([2], I32, [0, 0]), ([2, 2], I32, [LOW] * 4)], kind=F32, shape=[1, 4, 4, 1], out=[1, 4, 4, 1]),
    "RANGE": single("RANGE", [([], I32, 0), ([], I32, 0)], kind=I32, options="RangeOptions"), "ONE_HOT": single("ONE_HOT", [([], I32, LOW), ([], F32, 1.0), ([], F32, 0.0)], kind=I32, options="OneHotOptions"),
    "TOPK": single("TOPK_V2", [([], I32, LOW)], kind=F32, shape=[4]), "UNPACK": single("UNPACK", [], kind=F32, shape=[4], options="UnpackOptions", given={"num": 1 << 30, "axis": 9}),
    "SEGMENT_SUM": single("SEGMENT_SUM", [([4], I32, [1 << 30, 0, -5, 2])], kind=F32, shape=[4]), "SKIP_GRAM": single("SKIP_GRAM", [], kind=F32),
    "FULLY_CONNECTED": single("FULLY_CONNECTED", [([4, 0], F32, b"")], kind=F32, shape=[4], options="FullyConnectedOptions"),
    "SVDF": single("SVDF", [([4, 4], F32, [0.0] * 16), ([4, 4], F32, [0.0] * 16), ([4], F32, [0.0] * 4), ([1, 16], F32, None)], kind=F32, shape=[1, 4], options="SVDFOptions", given={"rank": 0}),
    "a custom operator": single("TFLite_Detection_PostProcess", [], kind=F32), "no such operator": single("NoSuch", [], kind=F32),
}
"""


ATTEMPTS = [
    *(
        attempt(
            f"operators with zeros, least integers and wild places, {backend}",
            ZEROS + f"all_of(datas, {backend!r})\n",
        )
        for backend in ("onnxruntime", "openvino", "numpy")
    ),
    attempt(
        "operators with zeros, least integers and wild places, LiteRT",
        TFLITE_ZEROS + 'all_of(datas, "", TFLITE)\n',
    ),
    attempt(
        "operators with zeros, of TFLite by OpenVINO",
        TFLITE_ZEROS + 'all_of(datas, "", TFLITE, backends={"tflite": "openvino"})\n',
    ),
    attempt(
        "subgraphs that call themselves or each other, LiteRT",
        """
from tests.attempts.kit_tflite import *
def calls(*, op="CALL", to=0, **given):
    made = Builder()
    main, other = made.graph(), made.graph()
    for sub in (main, other):
        x, y = sub.tensor([1]), sub.tensor([1])
        flag = sub.tensor([1], BOOL, [True])
        if op == "IF":
            sub.op("IF", [flag, x], [y], options="IfOptions", thenSubgraphIndex=to, elseSubgraphIndex=to)
        elif op == "CALL_ONCE":
            sub.op("CALL_ONCE", [], [], options="CallOnceOptions", initSubgraphIndex=to)
            sub.op("ABS", [x], [y])
        else:
            sub.op("WHILE", [x], [y], options="WhileOptions", condSubgraphIndex=to, bodySubgraphIndex=to)
        sub.whole([x], [y])
    return made.data()
all_of({f"{op} {to}": calls(op=op, to=to) for op in ("IF", "WHILE", "CALL_ONCE") for to in (0, 1, 2, -1, 1 << 30)}
       | {"the body is main": loop(body=0), "the test is main": loop(test=0), "none": loop(body=99, test=-5)}, "", TFLITE)
""",
    ),
    attempt(
        "TFLite whose tensors, buffers and indices lie",
        """
from tests.attempts.kit_tflite import *
def lies():
    def fresh():
        made = Builder()
        sub = made.graph()
        x, w, y = sub.tensor([1]), sub.tensor([1], F32, [1.0]), sub.tensor([1])
        sub.op("ADD", [x, w], [y], options="AddOptions")
        sub.whole([x], [y])
        return made, sub.sub
    for name, change in {
        "shape of more": lambda m, s: setattr(s.tensors[1], "shape", [1 << 20]), "negative": lambda m, s: setattr(s.tensors[0], "shape", [-5]),
        "negative output": lambda m, s: setattr(s.tensors[2], "shape", [-1, -1]), "wraps": lambda m, s: setattr(s.tensors[0], "shape", [1 << 30] * 8),
        "rank": lambda m, s: setattr(s.tensors[0], "shape", [1] * 5000), "kind": lambda m, s: setattr(s.tensors[0], "type", 99),
        "text": lambda m, s: setattr(s.tensors[0], "type", TEXT), "resource": lambda m, s: setattr(s.tensors[0], "type", 13), "variant": lambda m, s: setattr(s.tensors[2], "type", 14),
        "buffer": lambda m, s: setattr(s.tensors[1], "buffer", 1 << 30), "input": lambda m, s: setattr(s, "inputs", [1 << 30]), "no input": lambda m, s: setattr(s, "inputs", []),
        "output": lambda m, s: setattr(s, "outputs", [-1, -2]), "input twice": lambda m, s: setattr(s, "inputs", [0, 0]), "output is input": lambda m, s: setattr(s, "outputs", [0, 1, 2, 0]),
        "operand": lambda m, s: setattr(s.operators[0], "inputs", [1 << 30, -7]), "no operand": lambda m, s: setattr(s.operators[0], "inputs", []),
        "result": lambda m, s: setattr(s.operators[0], "outputs", [0]), "circle": lambda m, s: setattr(s.operators[0], "inputs", [0, 2]),
        "code": lambda m, s: setattr(s.operators[0], "opcodeIndex", 1 << 30), "no subgraph": lambda m, s: setattr(m.model, "subgraphs", []),
        "variable": lambda m, s: setattr(s.tensors[0], "isVariable", True), "version": lambda m, s: setattr(m.model, "version", 0xFFFFFFFF),
        "no operator": lambda m, s: setattr(s, "operators", []), "a thousand inputs": lambda m, s: setattr(s, "inputs", [0] * 1000),
        "signature": lambda m, s: setattr(s.tensors[0], "shapeSignature", [-1] * 9), "description": lambda m, s: setattr(m.model, "description", "x" * 100000),
    }.items():
        made, sub = fresh()
        change(made, sub)
        yield name, made.data()
all_of(dict(lies()), "", TFLITE)
""",
        cpu=8.0,
    ),
    attempt(
        "quantization that lies, LiteRT",
        """
from tests.attempts.kit_tflite import *
def quantized(scale, zero, dimension=0, shape=(4,)):
    made = Builder()
    sub = made.graph()
    x, q, y = sub.tensor(list(shape)), sub.tensor(list(shape), I8), sub.tensor(list(shape))
    one = schema.QuantizationParametersT()
    one.scale, one.zeroPoint, one.quantizedDimension = scale, zero, dimension
    sub.sub.tensors[q].quantization = one
    sub.op("QUANTIZE", [x], [q]); sub.op("DEQUANTIZE", [q], [y])
    sub.whole([x], [y])
    return made.data()
all_of({"none": quantized([], []), "zero": quantized([0.0], [0]), "not a number": quantized([float("nan")], [0]), "many": quantized([0.5] * 100, [0]),
        "wide": quantized([0.5], [1 << 62]), "dimension": quantized([0.5] * 4, [0] * 4, 77), "less": quantized([0.5] * 4, [0], -1), "infinite": quantized([float("inf")], [-128])}, "", TFLITE)
""",
    ),
    attempt(
        "operators of learned trees, texts and of Microsoft's domain",
        """
def other(op, domain, inputs, kind=FLOAT, outs=("y",), constants=(), out=FLOAT, **attributes):
    graph = helper.make_graph([helper.make_node(op, inputs.split(), list(outs), domain=domain, **attributes)], "g",
        [helper.make_tensor_value_info("x", kind, [1])], [helper.make_tensor_value_info("y", out, None)], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("com.microsoft", 1)],
                             ir_version=8).SerializeToString()
ML, MS = "ai.onnx.ml", "com.microsoft"
tree = dict(nodes_treeids=[0], nodes_nodeids=[0], nodes_featureids=[1 << 40], nodes_modes=["BRANCH_LEQ"], nodes_values=[0.5],
            nodes_truenodeids=[0], nodes_falsenodeids=[0], target_ids=[9], target_nodeids=[9], target_treeids=[9], target_weights=[1.0], n_targets=1 << 40)
datas = {
    "tree": other("TreeEnsembleRegressor", ML, "x", **tree), "classifier": other("LinearClassifier", ML, "x", outs=("l", "y"), coefficients=[1.0], classlabels_ints=[0] * 9, intercepts=[0.0]),
    "SVM": other("SVMClassifier", ML, "x", outs=("l", "y"), coefficients=[1.0], vectors_per_class=[1 << 40], support_vectors=[1.0], rho=[0.0], classlabels_ints=[1, 2]),
    "vector machine": other("SVMRegressor", ML, "x", coefficients=[1.0], n_supports=1 << 40, rho=[0.0], support_vectors=[1.0]), "scaler": other("Scaler", ML, "x", offset=[1.0] * 9, scale=[1.0]),
    "normalizer": other("Normalizer", ML, "x", norm="\\0"), "imputer": other("Imputer", ML, "x", imputed_value_floats=[1.0] * 9), "one hot": other("OneHotEncoder", ML, "x", cats_int64s=[1] * 1000),
    "extractor": other("ArrayFeatureExtractor", ML, "x p", constants=[constant("p", [1 << 62])]), "labels": other("LabelEncoder", ML, "x", keys_floats=[1.0], values_floats=[1.0] * 9),
    "zip": other("ZipMap", ML, "x", classlabels_int64s=[1]), "map": other("CastMap", ML, "x"), "dict": other("DictVectorizer", ML, "x", int64_vocabulary=[1]),
    "tfidf": other("TfIdfVectorizer", "", "x", max_gram_length=1 << 40, max_skip_count=1 << 40, min_gram_length=1, mode="TF", ngram_counts=[1 << 40], ngram_indexes=[1 << 40], pool_int64s=[1]),
    "matmul bits": other("MatMulNBits", MS, "x q s", constants=[constant("q", [[[1]]], "u1"), constant("s", [1.0], "f4")], K=1 << 40, N=1 << 40, bits=4, block_size=16),
    "attention": other("MultiHeadAttention", MS, "x x x", num_heads=0), "attend": other("Attention", MS, "x x x", num_heads=0), "group": other("GroupQueryAttention", MS, "x x x x x x x", num_heads=0, kv_num_heads=0),
    "embedding": other("QEmbedLayerNormalization", MS, "x x x x x x x x x x x x x"), "inverse": other("Inverse", MS, "x"), "unique": other("Unique", MS, "x", outs=("y", "a", "b")),
    "sample": other("SampleOp", MS, "x"), "beam": other("BeamSearch", MS, "x x x"), "fft": other("Rfft", MS, "x", normalized=0, onesided=0, signal_ndim=1 << 40), "range": other("Range", MS, "x x x"),
    "python": other("PythonOp", MS, "x", outs=("c", "y"), func_name="os.abort", inplace=0), "einsum": other("Einsum", "", "x", equation="->->" * 100), "if": other("If", "", "x"),
    "optional": other("Optional", "", "x"), "sequence": other("SequenceConstruct", "", "x x"), "at": other("SequenceAt", "", "x x"), "text": other("StringNormalizer", "", "x", locale="\\xff" * 100),
    "regex": other("RegexFullMatch", "", "x", pattern="(" * 10000), "bernoulli": other("Bernoulli", "", "x", dtype=99), "cast": other("Cast", "", "x", to=99), "to text": other("Cast", "", "x", to=8, out=8),
    "multinomial": other("Multinomial", "", "x", sample_size=1 << 40), "random": other("RandomNormal", "", "", shape=[-5, 1 << 62]), "resize": other("Resize", "", "x p p", constants=[constant("p", [float("nan")], "f4")]),
}
all_of(datas, "onnxruntime")
all_of(datas, "openvino")
all_of({name: data for name, data in datas.items() if name in ("einsum", "if", "cast", "to text", "tree", "resize", "random", "sequence")}, "numpy")
""",
        cpu=60.0,
    ),
    attempt(
        "outputs that are no tensors, have no type, come twice, or are inputs",
        """
def ended(nodes, outs, constants=(), inputs=None):
    graph = helper.make_graph(nodes, "g", inputs or [helper.make_tensor_value_info("x", FLOAT, [1])], outs, list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
value = helper.make_tensor_value_info
untyped = onnx.ValueInfoProto(name="y")
text = helper.make_tensor("w", 8, [3], [b"a", b"\\xff\\xfe\\x1b[31m", b"x" * 100000])
datas = {
    "a sequence": ended([node("SequenceConstruct", "x x")], [helper.make_tensor_sequence_value_info("y", FLOAT, None)]),
    "an optional": ended([node("Optional", "x")], [helper.make_value_info("y", helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, None)))]),
    "texts": ended([node("Identity", "w")], [value("y", 8, None)], [text]), "untyped": ended([node("Add", "x x")], [untyped]),
    "an input": ended([], [value("x", FLOAT, [1])]), "twice": ended([node("Add", "x x")], [value("y", FLOAT, [1])] * 3), "none": ended([node("Add", "x x")], []),
    "a constant": ended([], [value("w", FLOAT, [1])], [constant("w", [1.0], "f4")]), "of other type": ended([node("Add", "x x")], [value("y", INT64, [1])]),
    "of other shape": ended([node("Add", "x x")], [value("y", FLOAT, [1 << 40])]), "negative shape": ended([node("Add", "x x")], [value("y", FLOAT, [-7])]),
    "empty name": ended([node("Add", "x x", "")], [value("", FLOAT, [1])]), "nobody makes it": ended([node("Add", "x x")], [value("nobody", FLOAT, [1])]),
    "complex": ended([node("Cast", "x", to=14)], [value("y", 14, [1])]), "int4": ended([node("Cast", "x", to=22)], [value("y", 22, [1])]), "f8": ended([node("Cast", "x", to=17)], [value("y", 17, [1])]),
    "bool": ended([node("Cast", "x", to=9)], [value("y", 9, [1])]), "f16": ended([node("Cast", "x", to=10)], [value("y", 10, [1])]), "empty": ended([node("Slice", "x a a")], [value("y", FLOAT, None)], [constant("a", [0])]),
    "scalar": ended([node("ReduceSum", "x", keepdims=0)], [value("y", FLOAT, None)]), "a thousand": ended([node("Add", "x x", f"y{k}") for k in range(1000)], [value(f"y{k}", FLOAT, [1]) for k in range(1000)]),
    "inputs by the thousand": ended([node("Add", "x x")], [value("y", FLOAT, [1])], inputs=[value("x", FLOAT, [1]), *[value(f"x{k}", FLOAT, [1]) for k in range(1000)]]),
    "the same input twice": ended([node("Add", "x x")], [value("y", FLOAT, [1])], inputs=[value("x", FLOAT, [1])] * 2),
    "a sequence in": ended([node("SequenceLength", "x", "l"), node("Cast", "l", to=1)], [value("y", FLOAT, None)], inputs=[helper.make_tensor_sequence_value_info("x", FLOAT, None)]),
}
for backend in ("onnxruntime", "numpy", "openvino"):
    all_of(datas, backend)
""",
        cpu=45.0,
    ),
    attempt(
        "outputs that are inputs, and names that come twice, are right",
        """
def ended(nodes, outs):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, [1])], [helper.make_tensor_value_info(name, FLOAT, [1]) for name in outs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
cases = [(ended([], "x"), [2.0]), (ended([node("Add", "x x")], "yx"), [4.0, 2.0]), (ended([node("Add", "x x")], "xy"), [2.0, 4.0]), (ended([node("Add", "x x")], "yyy"), [4.0] * 3),
         (ended([node("Identity", "x"), node("Identity", "y", "z")], "yz"), [2.0, 2.0])]
for backend in ("onnxruntime", "openvino", "numpy"):
    for trusted in (False, True):
        with Models(ENGINE, backend, LIMITS, trust_guest_models=trusted) as g:
            for data, wanted in cases:
                if isinstance(g.all(data), bytes):
                    context, got = g.guest.word(516), []
                    for index in range(len(wanted)):
                        assert g.call("get_output", context, index, 4096, 4, 700) == 0
                        got += struct.unpack("<f", g.guest.instance.memory.read(4096, 4))
                    assert got == wanted, (backend, trusted, wanted, got)
""",
        cpu=15.0,
    ),
    attempt(
        "damaged ONNX, by bits and by lengths",
        """
chance = random.Random(21)
good = bytes(sines(3, 10))
datas = {}
for k in range(60):
    data = bytearray(good)
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(len(data))] = chance.choice((0, 255, 127, 128, chance.randrange(256)))
    if k % 3 == 0:
        del data[chance.randrange(len(data)):][:chance.randrange(20)]
    datas[f"{k}"] = bytes(data)
for backend in ("onnxruntime", "numpy"):
    all_of(datas, backend)
""",
    ),
    attempt(
        "OpenVINO's own format: entities, files, offsets beyond, and wild numbers",
        """
def net(layers, edges="", head=""):
    return (f'<?xml version="1.0"?>{head}<net name="n" version="11"><layers>{layers}</layers><edges>{edges}</edges></net>').encode()
parameter = '<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1" element_type="f32"/><output><port id="0" precision="FP32" names="x"><dim>1</dim></port></output></layer>'
def const(offset, size, shape="1", kind="f32"):
    return (f'<layer id="1" name="w" type="Const" version="opset1"><data element_type="{kind}" shape="{shape}" offset="{offset}" size="{size}"/>'
            f'<output><port id="0" precision="FP32"><dim>{shape.split(",")[0]}</dim></port></output></layer>')
add = '<layer id="2" name="y" type="Add" version="opset1"><input><port id="0"><dim>1</dim></port><port id="1"><dim>1</dim></port></input><output><port id="2" precision="FP32"><dim>1</dim></port></output></layer>'
result = '<layer id="3" name="r" type="Result" version="opset1"><input><port id="0"><dim>1</dim></port></input></layer>'
edges = '<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/><edge from-layer="1" from-port="0" to-layer="2" to-port="1"/><edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>'
def whole(**more):
    return net(parameter + const(**more) + add + result, edges)
laughs = '<!DOCTYPE n [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{k + 1} "{f"&a{k};" * 10}">' for k in range(12)) + ']>'
open("secret", "w").write("hidden")
datas = {
    "good": whole(offset=0, size=4), "beyond": whole(offset=1 << 20, size=4), "wraps": whole(offset=(1 << 64) - 4, size=4), "negative": whole(offset=-64, size=4),
    "of more": whole(offset=0, size=4, shape="1000000"), "of less": whole(offset=0, size=0), "vast": whole(offset=0, size=(1 << 64) - 1, shape="4611686018427387904,4"), "kind": whole(offset=0, size=4, kind="zzz"),
    "laughs": net(parameter + '<layer id="9" name="&a12;" type="Result" version="opset1"/>', "", laughs),
    "a file": net('<layer id="0" name="&f;" type="Parameter" version="opset1"><data shape="1" element_type="f32"/></layer>', "", '<!DOCTYPE n [<!ENTITY f SYSTEM "file://%s/secret">]>' % os.getcwd()),
    "circle": net(parameter + add.replace('id="2" name', 'id="1" name') + add + result, edges + '<edge from-layer="2" from-port="2" to-layer="1" to-port="0"/>'),
    "same ids": net(parameter * 50 + result), "shape": net(parameter.replace('shape="1"', 'shape="-1,?,..,1..99999999999999999999"') + result, '<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>'),
    "type": net(parameter + '<layer id="1" name="e" type="%s" version="extension"/>' % ("x" * 100000)), "library": net(parameter + '<layer id="1" name="e" type="Custom" version="/tmp/evil.so"/>'),
    "a plugin": b'<ie><plugins><plugin name="CPU" location="/tmp/evil.so"/></plugins></ie>', "empty": b"", "no net": b"<a/>", "utf-16": whole(offset=0, size=4).decode().encode("utf-16"), "nul": whole(offset=0, size=4).replace(b"Add", b"A\\0d"),
}
for name in list(datas):
    all_of({name: datas[name]}, "", OPENVINO, parts=(struct.pack("<f", 1.0),)) if name in ("good", "a file") else None
all_of({name: data for name, data in datas.items() if name != "a file"}, "", OPENVINO, parts=(struct.pack("<f", 1.0),))
all_of({"parts": b"", "weights alone": datas["good"]}, "", OPENVINO)
""",
    ),
]
