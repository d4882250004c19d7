# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of a guest's own models: to run for ever, to end the host, to take memory, to stay behind."""

from __future__ import annotations

from .harness import Attempt

START = """
import os, signal, socket, struct, subprocess, sys, tempfile, threading, time
os.mkdir("temporary")
tempfile.tempdir = os.environ["TMPDIR"] = os.path.abspath("temporary")
from pywasm_nn import *
from tests.attempts.kit import *
from tests.attempts.kit_models import *
alarm_after(110)
"""
IMPORTS = 12.0
"""Seconds of processor time: the child imports a framework, on two cores beside others."""


def attempt(
    name: str, source: str, cpu: float = IMPORTS, engines: tuple[str, ...] = ("compile",), **more: object
) -> Attempt:
    return Attempt(f"model: {name}", START + source, cpu, engines=engines, **more)  # type: ignore[arg-type]


def timed(name: str, make: str, backend: str) -> Attempt:
    return attempt(
        f"time: {name}, {backend}",
        f"""
data = {make}
with Models(ENGINE, "{backend}", Limits(seconds=3, tensor_bytes=256 << 20)) as g:
    print(g.all(data), g.longest)
    assert g.longest < 15, g.longest
assert not children(), "a child stayed"
""",
        cpu=20.0,
        engines=("compile", "interpret")
        if name == "an endless Loop" and backend == "onnxruntime"
        else ("compile",),
    )


def sized(name: str, make: str, *backends: str) -> Attempt:
    return attempt(
        f"memory: {name}",
        f"""
data = {make}
for backend in {backends or ("numpy", "onnxruntime")!r}:
    with Models(ENGINE, backend, Limits(seconds=20, tensor_bytes=256 << 20, memory=256 << 20)) as g:
        answer = g.all(data)
        print(backend, answer if not isinstance(answer, bytes) else len(answer))
        assert not isinstance(answer, bytes), "it was answered"
assert not children(), "a child stayed"
""",
        cpu=30.0,
    )


ENDS = """
def ends(data, *backends, encoding=ONNX, parts=()):
    for backend in backends or ("onnxruntime",):
        with Models(ENGINE, backend) as g:
            answer = g.all(data, *parts, encoding=encoding)
            print(backend, answer if not isinstance(answer, bytes) else answer[:16])
            g.well()
    assert not children(), "a child stayed"
"""

ATTEMPTS = [
    timed("an endless Loop", "endless()", "onnxruntime"),
    timed("an endless Loop", "endless()", "openvino"),
    timed("an endless Loop", "endless()", "numpy"),
    *(
        timed(
            "a product of large matrices",
            'model([node("ConstantOfShape", "s", "a"), *[node("MatMul", "a a", f"b{k}") for k in range(40)],'
            ' node("ReduceSum", "b39", "z"), node("Add", "z x")], {"s": [7000, 7000]})',
            backend,
        )
        for backend in ("numpy", "onnxruntime")
    ),
    timed(
        "twenty thousand nodes one after the other",
        'model([node("Sin", "x" if not k else f"a{k}", f"a{k + 1}") for k in range(20000)] + [node("Abs", "a20000")])',
        "onnxruntime",
    ),
    timed(
        "a huge convolution",
        'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "f"), node("Conv", "a f", "c"),'
        ' node("ReduceSum", "c", "z"), node("Add", "z x")], {"s": [1, 64, 700, 700], "w": [64, 64, 99, 99]})',
        "onnxruntime",
    ),
    timed(
        "a huge convolution",
        'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "w", "f"), node("Conv", "a f", "c"),'
        ' node("ReduceSum", "c", "z"), node("Add", "z x")], {"s": [1, 64, 700, 700], "w": [64, 64, 99, 99]})',
        "numpy",
    ),
    timed(
        "sorting over and over",
        'model([node("ConstantOfShape", "s", "a"), *[node("TopK", "a k", f"v{j} i{j}") for j in range(60)],'
        ' node("ReduceSum", "v59", "z"), node("Add", "z x")], {"s": [20_000_000], "k": [19_999_999]})',
        "onnxruntime",
    ),
    sized("a constant of a shape", 'model([node("ConstantOfShape", "s", "y")], {"s": [1 << 17, 1 << 13]})'),
    sized(
        "a constant of a negative or vast shape",
        'model([node("ConstantOfShape", "s", "y")], {"s": [1 << 62, 4]})',
    ),
    sized(
        "a broadcast sum",
        'model([node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "t", "b"), node("Add", "a b", "c"),'
        ' node("ReduceSum", "c", "z"), node("Add", "z x")], {"s": [40000, 1], "t": [1, 40000]})',
    ),
    sized(
        "concatenation that doubles",
        'model([node("Identity", "x", "a0"), *[node("Concat", f"a{k} a{k}", f"a{k + 1}", axis=0) for k in range(36)],'
        ' node("Identity", "a36")])',
    ),
    sized("Expand", 'model([node("Expand", "x s")], {"s": [1 << 31]})'),
    sized("Tile", 'model([node("Tile", "x s")], {"s": [1 << 31]})'),
    sized(
        "Range",
        'model([node("Range", "a b c", "z"), node("Cast", "z", to=1)], {"a": 0, "b": 1 << 40, "c": 1})',
    ),
    sized(
        "OneHot",
        'model([node("Cast", "x", "i", to=7), node("OneHot", "i d v", "z"), node("Cast", "z", to=1)],'
        ' {"d": 1 << 31, "v": [0, 1]})',
    ),
    sized("Pad", 'model([node("Pad", "x p")], {"p": [1 << 31, 1 << 31]})'),
    sized(
        "Resize",
        'model([node("Reshape", "x q", "r"), helper.make_node("Resize", ["r", "", "", "t"], ["y"])],'
        ' {"q": [1, 1, 1, 1], "t": [1, 1, 1 << 16, 1 << 16]})',
        "onnxruntime",
    ),
    sized(
        "intermediates of 200 MiB, forty at once",
        'model([*[node("ConstantOfShape", "s", f"a{k}") for k in range(40)], *[node("Add", f"a{k} x", f"b{k}")'
        ' for k in range(40)], node("Sum", " ".join(f"b{k}" for k in range(40)), "z"), node("ReduceSum", "z", "w"),'
        ' node("Gather", "w e")], {"s": [50_000_000], "e": [1 << 40]})',
    ),
    sized(
        "outer products by Einsum",
        'model([node("ConstantOfShape", "s", "a"), node("Einsum", "a a a", "y", equation="i,j,k->ijk")], {"s": [2000]})',
        "onnxruntime",
    ),
    sized(
        "Upsampled by ConvTranspose",
        'model([node("Reshape", "x q", "r"), node("ConvTranspose", "r r", "y", strides=[60000, 60000],'
        ' output_padding=[59999, 59999])], {"q": [1, 1, 1, 1]})',
        "onnxruntime",
    ),
    attempt(
        "memory: a thousand outputs of 200 MiB",
        """
data = model([node("ConstantOfShape", "s", "y")] + [node("Identity", "y", f"o{k}") for k in range(1000)],
             {"s": [50_000_000]})
loaded = onnx.load_from_string(data)
for k in range(1000):
    loaded.graph.output.append(helper.make_tensor_value_info(f"o{k}", FLOAT, None))
for backend in ("numpy", "onnxruntime"):
    with Models(ENGINE, backend, Limits(seconds=20, tensor_bytes=256 << 20)) as g:
        print(g.all(loaded.SerializeToString()))
""",
        cpu=40.0,
    ),
    attempt(
        "memory: many graphs, contexts and inputs",
        """
data = model([node("Add", "x x")])
for backend in ("numpy", "onnxruntime"):
    with Models(ENGINE, backend, Limits(seconds=20, tensor_bytes=64 << 20, tensor_total=64 << 20)) as g:
        refused = 0
        for k in range(150):
            if g.load(data):
                refused += 1
                break
            for _ in range(30):
                g.call("init_execution_context", g.guest.word(512), 516)
        print(backend, k, refused)
assert not children()
""",
        cpu=40.0,
    ),
    attempt(
        "memory: a load of a thousand overlapping parts",
        """
for count, size in ((1000, 100 << 20), (100_000, 1 << 20), (1 << 28, 1), ((1 << 32) - 1, 1)):
    with Models(ENGINE, "numpy", Limits(seconds=5, memory=256 << 20), pages=2048) as g:
        g.guest.put(0, struct.pack("<II", 0, size) * min(count, 100_000))
        for encoding in (0, 1, 4, 5):
            assert g.call("load", 0, count, encoding, 0, 1 << 22) != 0
        assert g.longest < 20, g.longest
""",
        cpu=30.0,
    ),
    attempt(
        "memory: tensors of vast rank and dimensions",
        """
with Models(ENGINE, "numpy", pages=2048) as g:
    assert g.load(model([node("Add", "x x")])) == 0
    g.call("init_execution_context", g.guest.word(512), 516)
    for dims, rank, size in ((620, 1 << 30, 4), (0, (128 << 20) // 4, 4), (620, 1, 1 << 31), (620, 64, 0)):
        g.guest.put(620, struct.pack("<I", 0xFFFFFFFF) * 64)
        for kind in range(8):
            g.guest.put(1000, struct.pack("<IIIII", dims, rank, kind, 2000, size))
            assert g.call("set_input", g.guest.word(516), 0, 1000) != 0
""",
    ),
    attempt(
        "end: integers divided by zero, and the smallest by minus one",
        ENDS
        + """
for op in ("Div", "Mod"):
    for kind, low in ((INT32, -(1 << 31)), (INT64, -(1 << 63))):
        for divisor in (0, -1):
            letter = {INT32: "i4", INT64: "i8"}[kind]
            graph = helper.make_graph(
                [node("Cast", "x", "c", to=kind), node("Mul", "c z", "n"), node("Add", "n a", "l"),
                 node("Add", "n b", "d"), node(op, "l d", "q"), node("Cast", "q", "y", to=1)],
                "g", [helper.make_tensor_value_info("x", FLOAT, [1])], [helper.make_tensor_value_info("y", FLOAT, [1])],
                [constant("z", [0], letter), constant("a", [low], letter), constant("b", [divisor], letter)])
            made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
            ends(made.SerializeToString(), "onnxruntime", "numpy")
""",
        cpu=60.0,
    ),
    attempt(
        "end: model functions that call themselves",
        ENDS
        + """
own = helper.make_function("own", "F", ["a"], ["b"], [helper.make_node("F", ["a"], ["b"], domain="own")],
                           [helper.make_opsetid("own", 1), helper.make_opsetid("", 17)])
graph = helper.make_graph([helper.make_node("F", ["x"], ["y"], domain="own")], "g",
                          [helper.make_tensor_value_info("x", FLOAT, [1])], [helper.make_tensor_value_info("y", FLOAT, [1])])
made = helper.make_model(graph, functions=[own], ir_version=8,
                         opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("own", 1)])
ends(made.SerializeToString(), "onnxruntime", "openvino", "numpy")
""",
        cpu=40.0,
    ),
    attempt(
        "end: messages inside of messages, graphs inside of graphs",
        ENDS
        + """
def nested(field, inner, levels):
    data = inner
    for _ in range(levels):
        data = number(field << 3 | 2) + number(len(data)) + data
    return data
deep = b""
for level in range(3000):  # GraphProto.node.attribute.g
    attribute = b"\\x0a\\x01b" + b"\\xa0\\x01\\x05" + b"\\x32" + number(len(deep)) + deep
    one = b"\\x22\\x02If" + b"\\x2a" + number(len(attribute)) + attribute
    deep = b"\\x0a" + number(len(one)) + one
whole = b"\\x08\\x08\\x3a" + number(len(deep)) + deep + b"\\x42\\x02\\x10\\x11"
ends(whole, "onnxruntime", "numpy", "openvino")
ends(b"\\x08\\x08" + nested(7, b"", 3000), "onnxruntime", "numpy")
xml = b'<?xml version="1.0"?>' + b"<net>" * 20000 + b"</net>" * 20000
with Models(ENGINE, pages=64) as g:
    print(g.all(xml, b"\\0" * 64, encoding=OPENVINO))
    g.well()
""",
        cpu=60.0,
    ),
    attempt(
        "end: damaged flatbuffers",
        ENDS
        + """
import random
from pywasm_nn import demo
good = (demo.path() / "models" / "digits.onnx").read_bytes()
from pathlib import Path
import pywasm_nn
tflite = (Path(pywasm_nn.__file__).parents[1] / "examples/digits/models/digits.tflite").read_bytes()
chance = random.Random(7)
with Models(ENGINE) as g:
    for _ in range(25):
        data = bytearray(tflite)
        for _ in range(chance.randrange(1, 30)):
            data[chance.randrange(8, 3000)] = chance.randrange(256)
        g.all(bytes(data), encoding=TFLITE)
    g.well()
assert not children()
""",
        cpu=60.0,
    ),
    attempt(
        "files: weights that lie in files of the host",
        """
folder = tempfile.mkdtemp()
open(folder + "/secret", "wb").write(struct.pack("<f", 42.0))
for location in (folder + "/secret", "../" * 20 + folder[1:] + "/secret", "/proc/self/environ", "secret"):
    graph = helper.make_graph([node("Add", "x w")], "g", [helper.make_tensor_value_info("x", FLOAT, [1])],
                              [helper.make_tensor_value_info("y", FLOAT, [1])], [constant("w", [0.0], "f4")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    weight = made.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", "4")):
        entry = weight.external_data.add()
        entry.key, entry.value = key, value
    os.chdir(folder)
    for backend in ("onnxruntime", "numpy", "openvino"):
        with Models(ENGINE, backend) as g:
            answer = g.all(made.SerializeToString())
            print(backend, answer)
            assert not isinstance(answer, bytes), "it read a file"
""",
        cpu=60.0,
    ),
    attempt(
        "format: addresses, paths and pickles as a model's bytes",
        """
import pickle
class Evil:
    def __reduce__(self):
        return os.mkdir, (os.path.abspath("pwned"),)
server = socket.create_server(("127.0.0.1", 0))
server.setblocking(False)
port = server.getsockname()[1]
loaded = []
open("remote.py", "w").write('''
from pywasm_nn.nn.backend import Backend
import socket
class Remote(Backend):
    name = "remote"
    formats = ("onnx", "pickle", "torchscript", "gguf", "remote", "autodetect", "tensorflow")
    def available(self): return None
    def load(self, *arguments, **more):
        socket.create_connection(("127.0.0.1", %d))
''' % port)
texts = [b"http://127.0.0.1:%d/v2/models/m" % port, b"grpc://127.0.0.1:%d" % port, b"preload:/etc/passwd",
         b"file:///etc/passwd", b"/etc/passwd", pickle.dumps(Evil()), b"GGUF" + b"\\0" * 64,
         b"PK\\3\\4" + pickle.dumps(Evil()),
         b'<?xml version="1.0"?><!DOCTYPE n [<!ENTITY e SYSTEM "http://127.0.0.1:%d/">]><net name="&e;" version="11"/>' % port]
for plugins in ((), ("remote.py:Remote",)):
    try:
        made = Models(ENGINE, plugins=plugins)
    except (TypeError, ValueError) as error:
        print("no such plugin:", error)
        continue
    with made as g:
        for text in texts:
            for encoding in (*range(15), 255):
                answer = g.load(text, encoding=encoding)
                assert answer != 0, (text, encoding)
try:
    server.accept()
except BlockingIOError:
    pass
else:
    raise AssertionError("it connected")
assert not os.path.exists("pwned")
""",
        cpu=60.0,
    ),
    attempt(
        "child: what it inherits",
        """
os.environ["AWS_SECRET"] = "hidden-thing"
os.environ["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
keep = open("secret-file", "w+b")
os.set_inheritable(keep.fileno(), True)
listener = socket.create_server(("127.0.0.1", 0))
os.set_inheritable(listener.fileno(), True)
with Models(ENGINE, "numpy") as g:
    g.well()
    found = children()
    assert found, "no child"
    for each in found:
        environ = open(f"/proc/{each}/environ", "rb").read()
        assert b"hidden-thing" not in environ, environ
        for fd in os.listdir(f"/proc/{each}/fd"):
            where = os.readlink(f"/proc/{each}/fd/{fd}")
            print(fd, where)
            assert "secret" not in where and "socket" not in where, where
        assert not os.listdir(f"/proc/{each}/cwd"), os.listdir(f"/proc/{each}/cwd")
        limits = open(f"/proc/{each}/limits").read()
        assert "Max core file size        0 " in limits, limits
""",
    ),
    attempt(
        "child: nothing stays after traps, deadlines, kills and closes",
        """
def state():
    return set(os.listdir("/dev/shm")), set(os.listdir(tempfile.gettempdir())), len(descriptors())
with Models(ENGINE, "numpy") as g:
    g.well()
before = state()
for way in range(4):
    g = Models(ENGINE, "numpy", Limits(seconds=2 if way == 1 else 30))
    g.well() if way != 1 else g.all(endless())
    if way == 2:
        for each in children():
            os.kill(each, signal.SIGKILL)
        print(g.all(model([node("Add", "x x")])))
        g.well()
    if way == 3:
        for each in children():
            os.kill(each, signal.SIGSTOP)
    started = time.monotonic()
    g.guest.instance.close()
    assert time.monotonic() - started < 20
time.sleep(0.5)
assert not children(), children()
after = state()
assert after[0] <= before[0], after[0] - before[0]
assert after[1] <= before[1], after[1] - before[1]
assert after[2] <= before[2], descriptors()
""",
        cpu=30.0,
    ),
    attempt(
        "child: it ends when its host is killed",
        """
shared, temporary = set(os.listdir("/dev/shm")), set(os.listdir(tempfile.gettempdir()))
host = subprocess.Popen([sys.executable, "-c", '''
from tests.attempts.kit_models import *
import sys, time
g = Models("compile", "numpy")
g.well()
print(*children(), flush=True)
g.all(endless()) if len(sys.argv) > 1 else None
g.load(model([node("Add", "x x")]))
time.sleep(100)
'''], stdout=subprocess.PIPE, text=True)
pids = [int(each) for each in host.stdout.readline().split()]
assert pids
host.kill()
host.wait()
for _ in range(100):
    alive = [each for each in pids if os.path.exists(f"/proc/{each}")
             and "Z" not in open(f"/proc/{each}/stat").read().rpartition(")")[2][:3]]
    if not alive:
        break
    time.sleep(0.1)
assert not alive, alive
assert set(os.listdir("/dev/shm")) <= shared, set(os.listdir("/dev/shm")) - shared
left = {each for each in set(os.listdir(tempfile.gettempdir())) - temporary if "pywasm" in each}
assert not left, left
""",
        cpu=20.0,
    ),
    attempt(
        "child: two hundred guests, one after the other, and thirty at once",
        """
for _ in range(8):
    with Models(ENGINE, "numpy") as g:
        g.well()
        opened = len(descriptors())
several = [Models(ENGINE, "numpy") for _ in range(4)]
for g in several:
    g.well()
assert len(children()) <= 8, children()
for g in several:
    g.guest.instance.close()
assert not children()
assert len(descriptors()) <= opened
""",
        cpu=40.0,
    ),
    attempt(
        "child: a guest that is dropped without being closed",
        """
import gc
g = Models(ENGINE, "numpy")
g.well()
assert children()
del g
gc.collect()
time.sleep(1)
assert not children(), children()
""",
    ),
]

SLOW = [each for each in ATTEMPTS if each.name == "model: memory: many graphs, contexts and inputs"]
"""Not run by the tests: they take long."""
ATTEMPTS = [each for each in ATTEMPTS if each not in SLOW]
