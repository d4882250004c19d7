"""Models: the numpy backend and opsets, names on the command line, a plugin with a format of its own."""

from __future__ import annotations

import struct

from first_contact.place import Place, Report

MAKE = """
import os
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
os.makedirs("models", exist_ok=True)
x = helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, 3])
y = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 2])
relu = helper.make_graph([helper.make_node("Relu", ["features"], ["out"])], "g", [x],
                         [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 3])])
onnx.save(helper.make_model(relu, opset_imports=[helper.make_opsetid("", 28)], ir_version=10), "relu28.onnx")
weights = numpy_helper.from_array(np.array([[1, -1], [2, 0.5], [0, 3]], "f4"), "W")
own = helper.make_graph([helper.make_node("MatMul", ["features", "W"], ["h"]),
                         helper.make_node("Relu", ["h"], ["scores"])], "own", [x], [y], [weights])
opset = helper.make_opsetid("", 21)
onnx.save(helper.make_model(own, opset_imports=[opset], ir_version=10), "models/own.onnx")
"""

OWN = """#include <stdio.h>
#include <string.h>
#include "wasi_nn.h"
int main(void) {
    nn_graph graph; nn_execution_context context; uint32_t written, shape[] = {ROWS, 3 / ROWS};
    float in[] = {1, 2, 3}, out[2];
    nn_tensor tensor = {shape, 2, NN_F32, (const uint8_t *)in, sizeof in};
    nn_errno e;
    if ((e = nn_load_by_name("own", 3, &graph)) || (e = nn_init_execution_context(graph, &context))
        || (e = nn_set_input(context, 0, &tensor)) || (e = nn_compute(context))
        || (e = nn_get_output(context, 0, (uint8_t *)out, sizeof out, &written)))
        return fprintf(stderr, "%s\\n", nn_errno_name(e)), 1;
    printf("%g %g\\n", out[0], out[1]);
}
"""

PLUGIN = """
import struct
from pywasm_nn.nn.backend import Backend, Context, Graph
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec

class Product(Context):
    def run(self, inputs):
        x = struct.unpack("<3f", inputs[0].view())
        w = self.graph.weights
        y = [sum(x[row] * w[2 * row + column] for row in range(3)) for column in range(2)]
        return [Tensor(DType.F32, (1, 2), struct.pack("<2f", *y))]

class Matrix(Graph):
    def __init__(self, weights):
        super().__init__("linear", [TensorSpec("features", DType.F32, (1, 3))],
                         [TensorSpec("scores", DType.F32, (1, 2))])
        self.weights = weights

    def context(self):
        return Product(self)

class Linear(Backend):
    name = "linear"
    formats = ("linear",)

    def detect(self, data):
        return "linear" if bytes(data[:4]) == b"LIN1" else None

    def load(self, format, parts, config):
        return Matrix(struct.unpack("<6f", bytes(parts[0])[4:28]))
"""


def check(place: Place, report: Report) -> None:
    desk = place.desk()
    made = place.script(MAKE, desk)
    report.check("models are made with the package onnx", made.returncode == 0, made.stderr)
    done = place.script(
        "import numpy\nfrom pywasm_nn import NN\nmodel = NN(backends={'onnx': 'numpy'}).load('relu28.onnx')\n"
        "print(model.compute({'features': numpy.array([[-1, 2, -3]], 'f4')})['out'].tolist())\n",
        desk,
    )
    report.check(
        "numpy runs a Relu of opset 28", done.stdout == "[[0.0, 2.0, 0.0]]\n", done.stdout + done.stderr
    )

    include = place.wasm("include", where=desk).stdout.strip()
    (desk / "own.c").write_text(OWN)
    for name, rows in (("own", 1), ("bad", 3)):
        build = (
            f"python -m ziglang cc -target wasm32-wasi -Os -DROWS={rows} -I {include} -o {name}.wasm own.c"
        )
        built = place.shell(build, desk)
        report.check(f"a guest in C is built: {name}", built.returncode == 0, built.stderr)
    done = place.wasm("run", "own.wasm", "--models", "models", where=desk)
    report.check("a guest in C with one's own model", done.stdout == "5 9\n", done.stdout + done.stderr)
    done = place.wasm("run", "bad.wasm", "--models", "models", where=desk)
    told = "wants f32[1,3]; the guest gave f32[3,1]"
    report.check("a wrong shape is told", done.returncode == 1 and told in done.stderr, done.stderr)
    done = place.script("from pywasm_nn import run\nprint(run('bad.wasm', models='models').notes)", desk)
    report.check("a wrong shape is told in Python", told in done.stdout, done.stdout + done.stderr)

    (desk / "linear.py").write_text(PLUGIN)
    (desk / "lines").mkdir()
    (desk / "lines" / "own.lin").write_bytes(b"LIN1" + struct.pack("<6f", 1, -1, 2, 0.5, 0, 3))
    plugin = "--nn-plugin linear.py:Linear"
    for given in ("--models lines", "--nn-preload own:linear:CPU:lines/own.lin"):
        done = place.shell(f"pywasm-nn run {given} {plugin} own.wasm", desk)
        report.check(
            f"a plugin with its own format, {given}", done.stdout == "5 9\n", done.stdout + done.stderr
        )
    done = place.shell(f"pywasm-nn nn inspect lines/own.lin {plugin}", desk)
    report.check(
        "nn inspect with a plugin", "features" in done.stdout and "linear" in done.stdout, done.stderr
    )
    done = place.script(
        "from pywasm_nn import NN, run\nnn = NN(models='lines', plugins=['linear.py:Linear'])\n"
        "print(run('own.wasm', nn=nn).stdout)",
        desk,
    )
    report.check("a plugin with its own format in Python", "5 9" in done.stdout, done.stdout + done.stderr)
    done = place.shell("pywasm-nn run --nn-preload own:onnx:CPU:nothing.onnx own.wasm", desk)
    report.check("--nn-preload of a missing file: the guest runs, and the note says which",
                 done.returncode == 1 and "nothing.onnx" in done.stderr, done.stderr)  # fmt: skip
    done = place.shell("pywasm-nn run --wasi=nn --wasi=nn-graph=onnx::models own.wasm", desk)
    report.check("--wasi=nn-graph of wasmtime names the directory", "models" in done.stderr, done.stderr)
