# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of a guest's models to escape a deadline by operators that work long on little."""

from __future__ import annotations

from .class_model_time import attempt
from .harness import Attempt

NUMPY = {
    "Einsum of many letters": 'model([node("ConstantOfShape", "s", "a"), node("Einsum", "a a a", "z", equation="abcdefg,bcdefgh,cdefghi->ai"), node("ReduceSum", "z", "y")], {"s": [8] * 7})',
    "a MatMul of one": 'model([node("ConstantOfShape", "s", "a"), node("MatMul", "a a", "b"), node("MatMul", "b a", "c"), node("ReduceSum", "c", "y")], {"s": [7500, 7500]})',
    "an integer MatMul": 'model([node("ConstantOfShape", "s", "a"), node("Cast", "a", "i", to=7), node("MatMul", "i i", "c"), node("Cast", "c", "d", to=1), node("ReduceSum", "d", "y")], {"s": [4000, 4000]})',
    "a Gemm": 'model([node("ConstantOfShape", "s", "a"), *[node("Gemm", f"a a", f"b{k}", transA=1, alpha=0.5) for k in range(9)], node("Sum", " ".join(f"b{k}" for k in range(9)), "c"), node("ReduceSum", "c", "y")], {"s": [6000, 6000]})',
    "a Conv of many groups": 'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "f"), node("Conv", "a f", "c", group=20000), node("ReduceSum", "c", "y")], {"s": [1, 20000, 40, 40], "w": [20000, 1, 20, 20]})',
    "a Conv with dilations": 'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "f"), node("Conv", "a f", "c", dilations=[7, 7], pads=[300, 300, 300, 300]), node("ReduceSum", "c", "y")], {"s": [1, 16, 900, 900], "w": [16, 16, 80, 80]})',
    "a pool of large windows": 'model([node("ConstantOfShape", "s", "a"), node("MaxPool", "a", "c", kernel_shape=[450, 450]), node("ReduceSum", "c", "y")], {"s": [1, 1, 900, 900]})',
    "an average of large windows": 'model([node("ConstantOfShape", "s", "a"), node("AveragePool", "a", "c", kernel_shape=[450, 450]), node("ReduceSum", "c", "y")], {"s": [1, 1, 900, 900]})',
    "a pool of all": 'model([node("ConstantOfShape", "s", "a"), *[node("GlobalAveragePool" if not k else "Add", "a" if not k else f"b{k - 1} x", f"b{k}") for k in range(2)], node("ReduceSum", "b1", "y")], {"s": [1, 60_000_000, 1, 1]})',
    "TopK of all": 'model([node("ConstantOfShape", "s", "a"), *[node("TopK", "a k", f"v{j} i{j}", largest=j % 2) for j in range(40)], node("ReduceSum", "v39", "y")], {"s": [30_000_000], "k": [29_999_999]})',
    "powers": 'model([node("ConstantOfShape", "s", "a"), *[node("Pow", "a x" if not k else f"b{k - 1} x", f"b{k}") for k in range(400)], node("ReduceSum", "b399", "y")], {"s": [10_000_000]})',
    "sums along every axis": 'model([node("ConstantOfShape", "s", "a"), *[node("CumSum", "a k" if not j else f"b{j - 1} k", f"b{j}") for j in range(300)], node("ReduceSum", "b299", "y")], {"s": [20_000_000], "k": 0})',
    "Gather of one place": 'model([node("ConstantOfShape", "s", "a"), node("Cast", "a", "i", to=7), *[node("Gather", "a i", f"b{k}") for k in range(200)], node("Sum", " ".join(f"b{k}" for k in range(200)), "c"), node("ReduceSum", "c", "y")], {"s": [8_000_000]})',
    "Transposes back and forth": 'model([node("ConstantOfShape", "s", "a"), node("Add", "a x", "b0"), *[node("Sin" if k % 2 else "Transpose", f"b{k}", f"b{k + 1}") for k in range(300)], node("ReduceSum", "b300", "y")], {"s": [50, 40, 50, 30]})',
    "Resize over and over": 'model([node("ConstantOfShape", "s", "a"), *[helper.make_node("Resize", ["a", "", "f"], [f"b{k}"], mode="cubic") for k in range(40)], node("Sum", " ".join(f"b{k}" for k in range(40)), "c"), node("ReduceSum", "c", "y")], {"s": [1, 1, 5000, 5000]})',
    "Softmax over and over": 'model([node("ConstantOfShape", "s", "a"), *[node("Softmax" if k % 2 else "Erf", "a" if not k else f"b{k - 1}", f"b{k}") for k in range(300)], node("ReduceSum", "b299", "y")], {"s": [3000, 3000]})',
    "an LSTM of a long sequence": 'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "b"), node("ConstantOfShape", "r", "c"), helper.make_node("LSTM", ["a", "b", "c"], ["d"], hidden_size=64), node("ReduceSum", "d", "y")], {"s": [500_000, 1, 2], "w": [1, 256, 2], "r": [1, 256, 64]})',
    "a GRU of a long sequence": 'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "b"), node("ConstantOfShape", "r", "c"), helper.make_node("GRU", ["a", "b", "c"], ["d"], hidden_size=64), node("ReduceSum", "d", "y")], {"s": [500_000, 1, 2], "w": [1, 192, 2], "r": [1, 192, 64]})',
    "NonMaxSuppression": 'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "b"), node("NonMaxSuppression", "a b m", "c"), node("Cast", "c", "d", to=1), node("ReduceSum", "d", "y")], {"s": [1, 200_000, 4], "w": [1, 40, 200_000], "m": [200_000]})',
    "ScatterND": 'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "f"), node("Cast", "f", "i", to=7), *[node("ScatterND", "a i a", f"b{k}") for k in range(60)], node("Sum", " ".join(f"b{k}" for k in range(60)), "c"), node("ReduceSum", "c", "y")], {"s": [6_000_000], "w": [6_000_000, 1]})',
    "BatchNormalization": 'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "f"), *[node("BatchNormalization", ("a" if not k else f"b{k - 1}") + " f f f f", f"b{k}") for k in range(150)], node("ReduceSum", "b149", "y")], {"s": [1, 400, 200, 200], "w": [400]})',
    "a LRN": 'model([node("ConstantOfShape", "s", "a"), node("LRN", "a", "b", size=3001), node("ReduceSum", "b", "y")], {"s": [1, 3000, 60, 60]})',
    "Unique, and NonZero": 'model([node("ConstantOfShape", "s", "a"), *[node("Unique", "a", f"u{k}") for k in range(40)], node("Sum", " ".join(f"u{k}" for k in range(40)), "c"), node("ReduceSum", "c", "y")], {"s": [20_000_000]})',
    "a DFT": 'model([node("ConstantOfShape", "s", "a"), *[helper.make_node("DFT", ["a"], [f"u{k}"], axis=1) for k in range(30)], node("Sum", " ".join(f"u{k}" for k in range(30)), "c"), node("ReduceSum", "c", "y")], {"s": [1, 7_999_993, 1]})',
}
"""Operators that work long on little, at sizes whose results are small enough."""
UNKNOWN = ("Einsum of many letters", "TopK of all", "NonMaxSuppression", "a LRN", "an LSTM of a long sequence", "ScatterND",
           "Unique, and NonZero", "Resize over and over", "a GRU of a long sequence", "a DFT")  # fmt: skip
"""What the numpy backend hasn't."""


def of(names: list[str]) -> str:
    return "{" + ", ".join(f"{name!r}: {NUMPY[name]}" for name in names) + "}"


def half(backend: str, first: int, step: int) -> Attempt:
    """On one guest, so that a framework starts as seldom as can be."""
    _names = [name for name in NUMPY if backend != "numpy" or name not in UNKNOWN]
    return attempt(
        f"operators that work long, {first + 1} of {step}, {backend}",
        f"LESS = Limits(seconds=6, compute_seconds=0.5, tensor_bytes=256 << 20, memory=256 << 20)\nbrief({of(_names[first::step])}, {backend!r}, ends=False, limits=LESS)\n",
        cpu=60.0,
    )


def in_process(name: str, names: list[str], cpu: float) -> Attempt:
    """On models that the host trusts: there is no child that could be ended."""
    return attempt(
        f"numpy in the host's process looks at the {name} operator",
        f"""
for name, data in {of(names)}.items():
    with Models(ENGINE, "numpy", BRIEF, trust_guest_models=True) as g:
        code = g.load(data)
        used = time.process_time()
        answer = code or g.run()
        used = time.process_time() - used
        print(name, answer if not isinstance(answer, bytes) else len(answer), round(used, 2))
        assert used < 4.0, (name, used)  # on two cores
        assert not children()
""",
        cpu,
    )


ATTEMPTS = [
    *(half("numpy", first, 2) for first in range(2)),
    in_process("deadline within one", [name for name in NUMPY if name not in UNKNOWN][:1], cpu=6.0),
    in_process("deadline within each", [name for name in NUMPY if name not in UNKNOWN][1:], cpu=40.0),
    half("onnxruntime", 0, 2),
    half("openvino", 1, 2),
]
SLOW = [each for each in ATTEMPTS if "operators that work long, " in each.name and "numpy" not in each.name]
ATTEMPTS = [each for each in ATTEMPTS if each not in SLOW]
