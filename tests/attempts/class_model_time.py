# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of a guest's models to escape a deadline: every framework, every call, every way to compute."""

from __future__ import annotations

from .harness import Attempt

START = """
import asyncio, os, signal, subprocess, sys, threading, time
from pywasm_nn import *
from tests.attempts.kit import *
from tests.attempts.kit_models import *
alarm_after(100)
MOST = 15.0  # seconds on a busy machine for what is given half a second or a second
BRIEF = Limits(seconds=20, compute_seconds=0.5, tensor_bytes=256 << 20, memory=256 << 20)
SECONDS = Limits(seconds=3, tensor_bytes=256 << 20, memory=256 << 20)
def gone(wait=5.0):
    started = time.monotonic()
    while children() and time.monotonic() - started < wait:
        time.sleep(0.05)
    assert not children(), "a child stayed"
def brief(datas, backend, encoding=ONNX, ends=True, limits=BRIEF):
    '''Each of the models on one guest, or on the next after a load that took all its time; each call comes
    back in time, and the guest goes on.'''
    left = list(datas)
    while left:
        with Models(ENGINE, backend, limits) as g:
            while left:
                name = left.pop(0)
                answer = g.load(datas[name], encoding=encoding)
                loaded, g.longest = g.longest, 0.0
                if answer == "limit":
                    print(backend, name, "takes all the time to load", flush=True)
                    break
                answer = answer or g.run()
                print(backend, name, answer if not isinstance(answer, bytes) else answer[:8], f"{loaded:.1f} {g.longest:.1f}", flush=True)
                assert loaded < limits.seconds + 10 and g.longest < MOST, (name, loaded, g.longest)
                assert not (ends and isinstance(answer, bytes)), f"{name} was answered"
                g.longest = 0.0
            else:
                g.well()
        gone()
def body(nodes, outs=(), prefix=""):
    '''A body of a Loop: i, c, v -> d, w.'''
    return helper.make_graph(
        [node("Identity", prefix + "c", prefix + "d"), *nodes], prefix + "body",
        [helper.make_tensor_value_info(prefix + "i", INT64, []), helper.make_tensor_value_info(prefix + "c", BOOL, []),
         helper.make_tensor_value_info(prefix + "v", FLOAT, None)],
        [helper.make_tensor_value_info(prefix + "d", BOOL, []), helper.make_tensor_value_info(prefix + "w", FLOAT, None), *outs])
def loop_of(graph, rounds=(1 << 63) - 1, outputs="y"):
    return helper.make_node("Loop", ["n", "t", "x"], outputs.split(), body=graph), [constant("n", rounds), constant("t", True, "?")]
def whole(nodes, constants):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, [1])],
                              [helper.make_tensor_value_info("y", FLOAT, None)], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
"""
FRAMEWORK = 15.0
"""Seconds of processor time for a child that imports a framework, anew after each deadline, and for what it
computes on two cores until then."""


def attempt(
    name: str, source: str, cpu: float = FRAMEWORK, engines: tuple[str, ...] = ("compile",)
) -> Attempt:
    return Attempt(f"model time: {name}", START + source, cpu, engines=engines)


NESTED = """
datas = {}
held, given = loop_of(body([helper.make_node("Loop", ["n", "t", "v"], ["w"], body=body([node("Add", "pv pv", "pw")], prefix="p"))]))
datas["a Loop in a Loop"] = whole([held], given)
branch = helper.make_graph([helper.make_node("Loop", ["n", "t", "x"], ["b"], body=body([node("Sin", "v", "w")]))],
                           "then", [], [helper.make_tensor_value_info("b", FLOAT, None)])
datas["a Loop in an If"] = whole([helper.make_node("If", ["t"], ["y"], then_branch=branch, else_branch=branch)], given)
"""
ATTEMPTS = [
    *(
        attempt(f"loops inside of loops and branches, {backend}", NESTED + f"brief(datas, {backend!r})\n")
        for backend in ("onnxruntime", "openvino")
    ),
    attempt(
        "a Loop that does nothing, one without end condition, one that collects",
        """
datas = {}
made, given = loop_of(body([node("Identity", "v", "w")]))
datas["nothing"] = whole([made], given)
made = helper.make_node("Loop", ["", "t", "x"], ["y"], body=body([node("Identity", "v", "w")]))
datas["no count"] = whole([made], given)
made = helper.make_node("Loop", ["", "", "x"], ["y"], body=body([node("Identity", "v", "w")]))
datas["neither"] = whole([made], given)
made, given = loop_of(body([node("Identity", "v", "w"), node("Identity", "v", "u")],
                           outs=[helper.make_tensor_value_info("u", FLOAT, [1])]), outputs="y z")
datas["collects"] = whole([made], given)
made, given = loop_of(body([node("Concat", "v v", "w", axis=0)]))
datas["doubles"] = whole([made], given)
brief({name: datas[name] for name in ("neither", "collects", "doubles")}, "onnxruntime")
brief({name: datas[name] for name in ("nothing", "no count")}, "openvino")
""",
        cpu=25.0,
    ),
    attempt(
        "a Scan of fifty million steps, and a sequence that grows",
        """
def scan(steps):
    inner = helper.make_graph([node("Add", "v e", "w")], "body",
        [helper.make_tensor_value_info("v", FLOAT, [1]), helper.make_tensor_value_info("e", FLOAT, [1])],
        [helper.make_tensor_value_info("w", FLOAT, [1])])
    return whole([node("ConstantOfShape", "s", "a"), helper.make_node("Scan", ["x", "a"], ["y"], body=inner, num_scan_inputs=1)],
                 [constant("s", [steps, 1])])
sequence = helper.make_graph(
    [node("Identity", "c", "d"), node("SequenceInsert", "q x", "r")], "body",
    [helper.make_tensor_value_info("i", INT64, []), helper.make_tensor_value_info("c", BOOL, []),
     helper.make_tensor_sequence_value_info("q", FLOAT, None)],
    [helper.make_tensor_value_info("d", BOOL, []), helper.make_tensor_sequence_value_info("r", FLOAT, None)])
grows = whole([node("SequenceEmpty", "", "e0"), helper.make_node("Loop", ["n", "t", "e0"], ["f"], body=sequence),
               helper.make_node("ConcatFromSequence", ["f"], ["y"], axis=0)],
              [constant("n", (1 << 63) - 1), constant("t", True, "?")])
brief({"Scan": scan(50_000_000), "a sequence": grows}, "onnxruntime")
""",
    ),
    attempt(
        "a WHILE that never ends, alone, with a long body, and in a branch, LiteRT",
        """
from tests.attempts.kit_tflite import *
brief({"alone": loop(), "long": loop(steps=1000), "never wrong": loop("NOT_EQUAL")}, "", TFLITE)
""",
    ),
    attempt(
        "a WHILE that never ends, by OpenVINO",
        """
from tests.attempts.kit_tflite import *
with Models(ENGINE, "", BRIEF, backends={"tflite": "openvino"}) as g:
    print(g.all(loop(), encoding=TFLITE), g.longest)
    assert g.longest < MOST
gone()
""",
    ),
    attempt(
        "operators of LiteRT that work long",
        """
from tests.attempts.kit_tflite import *
def big(name, size, options="", **given):
    made = Builder()
    sub = made.graph()
    x = sub.tensor([1])
    a = sub.tensor(size)
    sub.op("BROADCAST_TO", [x, sub.tensor([len(size)], I32, size)], [a], version=2)
    z = sub.tensor(size)
    for _ in range(30):
        if name == "BATCH_MATMUL":
            sub.op(name, [a, a], [z], options=options, **given)
        elif name == "CONV_2D":
            filters = sub.tensor([64, 63, 63, size[3]])
            sub.op("BROADCAST_TO", [x, sub.tensor([4], I32, [64, 63, 63, size[3]])], [filters], version=2)
            sub.op(name, [a, filters, sub.tensor([64], F32, [0.0] * 64)], [z], options=options, **given)
        else:
            sub.op(name, [a, sub.tensor([], I32, size[-1] - 1)], [z, sub.tensor(size, I32)])
        a, z = z, sub.tensor(size)
    y = sub.tensor([1])
    sub.op("SUM", [a, sub.tensor([len(size)], I32, list(range(len(size))))], [y], options="ReducerOptions")
    sub.whole([x], [y])
    return made.data()
brief({"MatMul": big("BATCH_MATMUL", [3000, 3000], "BatchMatMulOptions"),
       "Conv": big("CONV_2D", [1, 300, 300, 64], "Conv2DOptions", strideH=1, strideW=1, dilationWFactor=1, dilationHFactor=1),
       "TopK": big("TOPK_V2", [1, 10_000_000])}, "", TFLITE, ends=False)
""",
        cpu=30.0,
    ),
    attempt(
        "what is computed while it loads: constants of products",
        """
datas = [
    model([*[node("ConstantOfShape", "s", f"a{k}") for k in range(2)], *[node("MatMul", "a0 a1" if not k else f"b{k - 1} a1", f"b{k}") for k in range(60)],
           node("ReduceSum", "b59", "z"), node("Add", "z x")], {"s": [5000, 5000]}),
    model([node("ConstantOfShape", "s", "a0"), *[node("Sin", f"a{k}", f"a{k + 1}") for k in range(2000)],
           node("ReduceSum", "a2000", "z"), node("Add", "z x")], {"s": [50_000_000]}),
]
for backend in ("onnxruntime", "openvino"):
    for data in datas:
        with Models(ENGINE, backend, SECONDS) as g:
            print(backend, g.load(data), g.longest)
            assert g.longest < MOST, g.longest
        gone()
""",
        cpu=45.0,
    ),
    attempt(
        "what loads long: many nodes, names, dimensions and tiny fields",
        """
import random
ladder = [node("Transpose" if k % 2 else "Identity", f"a{k}", f"a{k + 1}") for k in range(60_000)]
datas = {
    "nodes": model([node("Identity", "x", "a0"), *ladder, node("Identity", "a60000")]),
    "dimensions": b"\\x3a" + number(20_000_006) + b"\\x2a" + number(20_000_001) + b"\\x0a" + number(19_999_996) + b"\\1" * 19_999_996,
    "tiny fields": b"\\x08\\x08" * 10_000_000,
    "empty nodes": b"\\x3a" + number(8_000_000) + b"\\x0a\\x00" * 4_000_000,
    "everything on everything": model([node("Identity", "x", "a0"), *[node("Sum", " ".join(f"a{j}" for j in range(k)), f"a{k}") for k in range(1, 1200)], node("Identity", "a1199")]),
}
for backend in ("numpy", "onnxruntime"):
    for name, data in datas.items():
        with Models(ENGINE, backend, SECONDS, pages=600) as g:
            print(backend, name, g.load(data), g.longest)
            assert g.longest < MOST, (name, g.longest)
        gone()
""",
        cpu=60.0,
    ),
    attempt(
        "OpenVINO's own format: a loop without end, and layers by the ten thousand",
        """
def layer(number, kind, data="", inputs=0, outputs=1, dims="<dim>1</dim>", more=""):
    ports = "".join(f'<port id="{k}" precision="FP32">{dims}</port>' for k in range(inputs))
    given = "".join(f'<port id="{inputs + k}" precision="FP32">{dims}</port>' for k in range(outputs))
    return (f'<layer id="{number}" name="l{number}" type="{kind}" version="opset1">{data}'
            + (f"<input>{ports}</input>" if inputs else "") + (f"<output>{given}</output>" if outputs else "") + more + "</layer>")
def net(layers, edges):
    return ('<?xml version="1.0"?><net name="n" version="11"><layers>' + "".join(layers) + "</layers><edges>"
            + "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
            + "</edges></net>").encode()
many = 20_000
chain = [layer(0, "Parameter", '<data shape="1" element_type="f32"/>')] + [
    layer(k, "Sin", inputs=1) for k in range(1, many)] + [layer(many, "Result", inputs=1, outputs=0)]
edges = [(0, 0, 1, 0)] + [(k, 1, k + 1, 0) for k in range(1, many)]
around = [layer(0, "Parameter", '<data shape="1" element_type="f32"/>'), layer(1, "Add", inputs=2), layer(2, "Add", inputs=2),
          layer(3, "Result", inputs=1, outputs=0)]
circle = [(0, 0, 1, 0), (2, 2, 1, 1), (1, 2, 2, 0), (1, 2, 2, 1), (2, 2, 3, 0)]
inner = ('<body>' + net([layer(0, "Parameter", '<data shape="1" element_type="f32"/>'), layer(1, "Sin", inputs=1), layer(2, "Result", inputs=1, outputs=0),
    layer(3, "Const", '<data element_type="boolean" shape="1" offset="8" size="1"/>').replace("FP32", "BOOL"), layer(4, "Result", inputs=1, outputs=0).replace("FP32", "BOOL")],
    [(0, 0, 1, 0), (1, 1, 2, 0), (3, 0, 4, 0)]).decode().partition('version="11">')[2].replace("</net>", "") + "</body>")
maps = ('<port_map><input external_port_id="2" internal_layer_id="0"/><output external_port_id="3" internal_layer_id="2"/>'
        '<output purpose="execution_condition" internal_layer_id="4"/></port_map><back_edges><edge from-layer="2" to-layer="0"/></back_edges>')
endless_ir = net([layer(0, "Parameter", '<data shape="1" element_type="f32"/>'),
    layer(1, "Const", '<data element_type="i64" shape="" offset="0" size="8"/>', dims="").replace("FP32", "I64"),
    layer(2, "Const", '<data element_type="boolean" shape="" offset="8" size="1"/>', dims="").replace("FP32", "BOOL"),
    '<layer id="3" name="loop" type="Loop" version="opset5"><input><port id="0" precision="I64"/><port id="1" precision="BOOL"/>'
    '<port id="2" precision="FP32"><dim>1</dim></port></input><output><port id="3" precision="FP32"><dim>1</dim></port></output>' + maps + inner + '</layer>',
    layer(4, "Result", inputs=1, outputs=0)], [(1, 0, 3, 0), (2, 0, 3, 1), (0, 0, 3, 2), (3, 3, 4, 0)])
weights = struct.pack("<q?", (1 << 62), True) + bytes(64)
for name, data in {"chain": net(chain, edges), "circle": net(around, circle), "loop": endless_ir}.items():
    with Models(ENGINE, "", SECONDS, pages=256) as g:
        answer = g.load(data, weights, encoding=OPENVINO) or g.run()
        print(name, answer, g.longest)
        assert g.longest < MOST, (name, g.longest)
        assert not isinstance(answer, bytes) or name == "chain", name
    gone()
""".replace("import asyncio", "import asyncio"),
        cpu=30.0,
    ),
    attempt(
        "a model of another instance's, by import, by table and by callback",
        """
forward = forwarding("wasi_ephemeral_nn", NN_CALLS, 64)
caller = Module.from_text('''(module (import "a" "compute" (func $c (param i32) (result i32)))
  (import "a" "table" (table 1 funcref)) (import "host" "back" (func $back (param i32) (result i32)))
  (type $t (func (param i32) (result i32)))
  (func (export "direct") (param i32) (result i32) (call $c (local.get 0)))
  (func (export "tail") (param i32) (result i32) (return_call $c (local.get 0)))
  (func (export "table") (param i32) (result i32) (call_indirect (type $t) (local.get 0) (i32.const 0)))
  (func (export "callback") (param i32) (result i32) (call $back (local.get 0))))''')
for way in ("direct", "tail", "table", "callback"):
    a = Models(ENGINE, "numpy", Limits(tensor_bytes=256 << 20))
    assert a.load(sines()) == 0
    assert a.call("init_execution_context", a.guest.word(512), 516) == 0
    a.guest.put(600, struct.pack("<f", 2.0)); a.guest.put(620, struct.pack("<I", 1)); a.guest.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
    context = a.guest.word(516)
    assert a.call("set_input", context, 0, 640) == 0
    exports = a.guest.instance.exports
    table = Table.of("funcref", 1)
    table[0] = exports.compute
    b = caller.instantiate(engine=ENGINE, limits=Limits(seconds=0.5), imports={
        "a": {"compute": exports.compute, "table": table}, "host": {"back": lambda n: exports.compute(n)}})
    started = time.monotonic()
    try:
        print(way, getattr(b.exports, way)(context))
    except (LimitError, Trap, HostError) as error:
        print(way, type(error).__name__, error)
    assert time.monotonic() - started < MOST, way
    a.guest.instance.close()
    gone()
""".replace("NN_CALLS", '__import__("tests.attempts.kit", fromlist=["NN"]).NN'),
        engines=("compile", "interpret"),
    ),
    attempt(
        "four guests at once, and one that is well beside them",
        """
answers, times = [], []
def one():
    with Models(ENGINE, "numpy", BRIEF) as g:
        g.well()
        g.longest = 0.0
        answers.append(g.all(sines()))
        times.append(g.longest)
threads = [threading.Thread(target=one) for _ in range(4)]
for thread in threads:
    thread.start()
with Models(ENGINE, "numpy") as good:
    while any(thread.is_alive() for thread in threads):
        good.well()
        time.sleep(0.5)
for thread in threads:
    thread.join(60)
    assert not thread.is_alive()
print(answers, times)
assert len(answers) == 4 and not any(isinstance(answer, bytes) for answer in answers), answers
assert max(times) < MOST * 2, times
gone()
""",
    ),
    attempt(
        "the deadline of the call, of the computation, and both, whichever is shorter",
        """
for seconds, compute in ((2, None), (60, 0.3), (2, 60), (None, 0.3)):
    with Models(ENGINE, "numpy", Limits(seconds=60)) as g:
        pass
    with Models(ENGINE, "numpy", Limits(seconds=seconds, compute_seconds=compute)) as g:
        answer = g.all(sines())
        print(seconds, compute, answer, g.longest)
        assert not isinstance(answer, bytes) and g.longest < MOST, (seconds, compute, answer, g.longest)
        if compute and compute < 1:
            g.well()
    gone()
""",
    ),
    attempt(
        "a guest that computes over and over, and swallows every error",
        """
data = model([node("ConstantOfShape", "s", "a"), node("Sin", "a", "b"), node("ReduceSum", "b", "z"), node("Add", "z x")], {"s": [400_000]})
again = '''(func (export "again") (param $n i32) (loop (drop (call $compute (local.get $n))) (br 0)))'''
forward = forwarding("wasi_ephemeral_nn", __import__("tests.attempts.kit", fromlist=["NN"]).NN, 64, again)
for one in (data, sines()):
    with Models(ENGINE, "numpy", SECONDS) as g:
        g.guest.instance.close()
        g.guest.instance = forward.instantiate(engine=ENGINE, limits=Limits(seconds=4, compute_seconds=0.2), nn=NN(backends={"onnx": "numpy"}))
        print(g.load(one), g.call("init_execution_context", g.guest.word(512), 516))
        context = g.guest.word(516)
        g.guest.put(600, struct.pack("<f", 2.0)); g.guest.put(620, struct.pack("<I", 1)); g.guest.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
        g.call("set_input", context, 0, 640)
        g.longest = 0.0
        answer = g.call("again", context)
        print(answer, g.longest)
        assert answer == "limit" and g.longest < MOST
    gone()
""",
        cpu=25.0,
        engines=("compile", "interpret"),
    ),
    attempt(
        "in the host's process, trusted and named: onnxruntime and numpy can be stopped",
        """
for backend, data in (("onnxruntime", endless()), ("numpy", sines())):
    open("endless.onnx", "wb").write(data)
    with Models(ENGINE, backend, Limits(seconds=1), trust_guest_models=True) as g:
        if backend == "onnxruntime":
            import onnxruntime
        answer = g.all(data)
        print(backend, answer, g.longest)
        assert not children(), "trusted, and yet in a child"
        assert not isinstance(answer, bytes) and g.longest < MOST, g.longest
    with Models(ENGINE, backend, Limits(seconds=60, compute_seconds=0.5), models={"endless": "endless.onnx"}) as g:
        g.guest.put(1000, b"endless")
        assert g.call("load_by_name", 1000, 7, 512) == 0
        g.longest = 0.0
        answer = g.run()
        print(backend, answer, g.longest)
        assert not isinstance(answer, bytes) and g.longest < MOST, g.longest
""",
        cpu=20.0,
    ),
    attempt(
        "a model without a guest, with limits of its session",
        """
import numpy as np
for backend, data in (("onnxruntime", endless()), ("numpy", sines())):
    open("endless.onnx", "wb").write(data)
    made = NN(backends={"onnx": backend}, limits=Limits(compute_seconds=0.5)).load("endless.onnx")
    started = time.monotonic()
    try:
        made.compute({"x": np.ones(1, "f4")})
    except (NNError, LimitError) as error:
        print(backend, type(error).__name__, error)
    else:
        raise AssertionError("it was answered")
    assert time.monotonic() - started < MOST
""",
    ),
    attempt(
        "Ctrl-C while a guest's model loads and computes",
        """
for when in (0.05, 0.3, 1.5, 3.0):
    g = Models(ENGINE, "numpy", Limits(tensor_bytes=256 << 20))
    timer = threading.Timer(when, lambda: signal.raise_signal(signal.SIGINT) if False else os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    try:
        print(g.all(sines()))
    except KeyboardInterrupt:
        print("interrupted after", time.monotonic() - started)
    else:
        raise AssertionError("no interrupt")
    finally:
        g.guest.instance.close()
    assert time.monotonic() - started < when + MOST
    gone()
""",
        cpu=20.0,
    ),
    attempt(
        "a child that is stopped by a signal while it computes",
        """
with Models(ENGINE, "numpy", Limits(seconds=60, compute_seconds=1)) as g:
    g.well()
    for each in children():
        os.kill(each, signal.SIGSTOP)
    g.longest = 0.0
    print(g.call("compute", g.guest.word(516)), g.longest)
    assert g.longest < MOST, g.longest
gone()
with Models(ENGINE, "numpy", Limits(seconds=3)) as g:
    g.well()
    for each in children():
        os.kill(each, signal.SIGSTOP)
    g.longest = 0.0
    print(g.load(model([node("Add", "x x")])), g.longest)
    assert g.longest < MOST, g.longest
gone()
""",
    ),
    attempt(
        "every other call after a deadline has passed in the child",
        """
with Models(ENGINE, "numpy", BRIEF) as g:
    assert g.load(sines()) == 0
    graph = g.guest.word(512)
    print(g.run())
    context = g.guest.word(516)
    for _ in range(3):
        for name, arguments in (("compute", (context,)), ("set_input", (context, 0, 640)), ("get_output", (context, 0, 4096, 4, 700)),
                                ("init_execution_context", (graph, 516)), ("compute", (context,)), ("get_output", (context, 0, 4096, 1 << 31, 700))):
            answer = g.call(name, *arguments)
            assert answer != "trap" or name == "get_output", (name, answer)
            assert g.longest < MOST
    g.call("finalize_execution_context", context)
    g.call("unload", graph)
    assert g.call("compute", context) != 0
    g.well()
gone()
""",
    ),
    attempt(
        "awaited: a task that is cancelled, and a loop that goes on",
        """
async def main():
    g = Models(ENGINE, "numpy", Limits(seconds=6))
    g.well()
    assert g.load(sines()) == 0
    assert g.call("init_execution_context", g.guest.word(512), 516) == 0
    g.guest.put(600, struct.pack("<f", 2.0)); g.guest.put(620, struct.pack("<I", 1)); g.guest.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
    g.call("set_input", g.guest.word(516), 0, 640)
    started = time.monotonic()
    rounds = 0
    task = asyncio.ensure_future(g.guest.instance.exports.compute.call_async(g.guest.word(516)))
    while not task.done() and time.monotonic() - started < 40:
        rounds += 1
        await asyncio.sleep(0.02)
    assert task.done(), "it runs on"
    print(rounds, task.exception() or task.result(), time.monotonic() - started)
    assert rounds > 20, "the loop stood still"
    g.guest.instance.close()
    gone()
asyncio.run(main())
""",
    ),
    attempt(
        "Python ends while a thread waits for an endless model",
        """
child = subprocess.Popen([sys.executable, "-c", '''
from tests.attempts.kit_models import *
import threading, time
g = Models("compile", "numpy", Limits(seconds=5))
g.well()
print(*children(), flush=True)
threading.Thread(target=lambda: g.all(sines()), daemon=True).start()
time.sleep(0.5)
'''], stdout=subprocess.PIPE, text=True)
pids = [int(each) for each in child.stdout.readline().split()]
started = time.monotonic()
assert child.wait(60) == 0, child.returncode
print(time.monotonic() - started, pids)
for _ in range(100):
    alive = [each for each in pids if os.path.exists(f"/proc/{each}")]
    if not alive:
        break
    time.sleep(0.1)
assert not alive, alive
""",
    ),
    attempt(
        "from the command: --timeout and a guest with an endless model",
        """
data = model([node("ConstantOfShape", "s", "a"), *[node("MatMul", "a a", f"b{k}") for k in range(9)],
              node("Sum", " ".join(f"b{k}" for k in range(9)), "c"), node("ReduceSum", "c", "z"), node("Add", "z x")], {"s": [6000, 6000]})
text = '''(module (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
 (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
 (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
 (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
 (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
 (memory (export "memory") 2) (data (i32.const 1024) "%s") (data (i32.const 0) "\\\\00\\\\04\\\\00\\\\00%s")
 (data (i32.const 600) "\\\\00\\\\00\\\\00\\\\40") (data (i32.const 620) "\\\\01\\\\00\\\\00\\\\00")
 (data (i32.const 640) "\\\\6c\\\\02\\\\00\\\\00\\\\01\\\\00\\\\00\\\\00\\\\01\\\\00\\\\00\\\\00\\\\58\\\\02\\\\00\\\\00\\\\04\\\\00\\\\00\\\\00")
 (func (export "_start")
   (if (call $load (i32.const 0) (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 512)) (then (call $exit (i32.const 71))))
   (if (call $init (i32.load (i32.const 512)) (i32.const 516)) (then (call $exit (i32.const 72))))
   (if (call $set (i32.load (i32.const 516)) (i32.const 0) (i32.const 640)) (then (call $exit (i32.const 73))))
   (call $exit (i32.add (i32.const 80) (call $compute (i32.load (i32.const 516)))))))''' % (
    "".join(f"\\\\{byte:02x}" for byte in data), "".join(f"\\\\{byte:02x}" for byte in struct.pack("<I", len(data))))
open("g.wasm", "wb").write(__import__("wasmtime").wat2wasm(text))
started = time.monotonic()
ended = subprocess.run([sys.executable, "-m", "pywasm_nn", "run", "--nn-backend", "onnx=numpy", "--timeout", "4s", "--engine", ENGINE, "g.wasm"],
                       capture_output=True, text=True, timeout=60)
print(ended.returncode, ended.stderr, time.monotonic() - started)
assert "Traceback" not in ended.stderr and ended.returncode not in (0, 71, 72, 73, 80)
assert time.monotonic() - started < 30
""",
        engines=("compile", "interpret"),
    ),
    attempt(
        "trees that lead back to themselves, and operators of other domains",
        """
def ml(op, **attributes):
    graph = helper.make_graph([helper.make_node(op, ["x2"], ["y"], domain="ai.onnx.ml", **attributes) if op else None,
        ], "g", [helper.make_tensor_value_info("x2", FLOAT, [1, 1])], [helper.make_tensor_value_info("y", FLOAT, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)], ir_version=8).SerializeToString()
tree = dict(nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0], nodes_modes=["BRANCH_LEQ"] * 3,
            nodes_values=[1e9, 1e9, 1e9], nodes_truenodeids=[1, 2, 0], nodes_falsenodeids=[2, 0, 1], target_ids=[0], target_nodeids=[2],
            target_treeids=[0], target_weights=[1.0], n_targets=1)
own = ml("TreeEnsembleRegressor", **tree)
both = dict(tree, nodes_truenodeids=[0, 1, 2], nodes_falsenodeids=[0, 1, 2])
with Models(ENGINE, "onnxruntime", SECONDS) as g:
    for data in (own, ml("TreeEnsembleRegressor", **both)):
        code = g.load(data)
        if code == "limit":
            break
        if not code and not g.call("init_execution_context", g.guest.word(512), 516):
            context = g.guest.word(516)
            g.guest.put(600, struct.pack("<f", 2.0)); g.guest.put(620, struct.pack("<II", 1, 1)); g.guest.put(640, struct.pack("<IIIII", 620, 2, 1, 600, 4))
            code = g.call("set_input", context, 0, 640), g.call("compute", context)
        print(code, g.longest)
        assert g.longest < MOST
gone()
""",
        cpu=8.0,
    ),
]
