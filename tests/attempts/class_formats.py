# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts to reach a plugin's loader with a guest's bytes, and files of the host with a guest's names."""

from __future__ import annotations

from .harness import Attempt

START = """
import os, socket, subprocess, sys, time
from pywasm_nn import *
from pywasm_nn.nn.backend import Backend, Context, Graph
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from tests.attempts.kit import *
alarm_after(100)
server = socket.create_server(("127.0.0.1", 0))
server.setblocking(False)
port = server.getsockname()[1]
ADDRESS = b"remote:127.0.0.1:%d" % port
HOST = os.getpid()
seen = []  # of guests' bytes, in this process
class Echo(Context):
    def run(self, inputs):
        return [Tensor(DType.F32, (1,), bytes(4))]
class Remote(Backend):
    '''Connects to what the bytes say; knows addresses alone. Not for guests.'''
    name = "remote"
    formats = ("remote",)
    def detect(self, data):
        seen.append(("detect", bytes(data[:40])))
        return "remote" if bytes(data[:7]) == b"remote:" else None
    def load(self, format, parts, config):
        seen.append(("load", format, bytes(parts[0])[:40] if parts else b""))
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            pass
        return Answers()
class Answers(Graph):
    def __init__(self):
        super().__init__("remote", [TensorSpec("x", DType.F32, (1,))], [TensorSpec("y", DType.F32, (1,))])
    def context(self):
        return Echo(self)
class G(Guest):
    '''A guest of wasi-nn, without numpy or onnx.'''
    def __init__(self, module="wasi_ephemeral_nn", functions="", limits=None, wasi=None, **nn):
        more = {"wasi": wasi} if wasi else {}
        super().__init__(ENGINE, module=module, functions=functions or NN, pages=16, limits=limits or Limits(seconds=20), nn=nn_of(**nn), **more)
    def load(self, *parts, encoding=1, target=0):
        at, pairs = 65536, b""
        for part in parts:
            self.put(at, part)
            pairs += struct.pack("<II", at, len(part))
            at += len(part) + 16
        try:
            return self("load", self.put(0, pairs), len(parts), encoding, target, 512)
        except Trap as error:
            print("trap", error)
            return "trap"
nn_of = __import__("pywasm_nn").NN
def quiet():
    '''Nobody connected, and no guest's bytes were shown.'''
    try:
        server.accept()
    except BlockingIOError:
        pass
    else:
        raise AssertionError("it connected")
    assert not seen, seen
TEXTS = [ADDRESS, ADDRESS + b"\\0", b"\\x08\\x08" + ADDRESS, b"\\0\\0\\0\\0TFL3" + ADDRESS, b'<?xml version="1.0"?><net>' + ADDRESS, ADDRESS * 1000, b"remote:", b"", b"\\0"]
"""


def attempt(name: str, source: str, cpu: float = 4.0, engines: tuple[str, ...] = ("compile",)) -> Attempt:
    return Attempt(f"format: {name}", START + source, cpu, engines=engines)


NARROW = "    from_guests = frozenset({'onnx'})\n    formats = ('onnx', 'remote')\n"

ATTEMPTS = [
    attempt(
        "every encoding and every text, with a plugin that takes no guest's bytes",
        """
with G(plugins=[Remote()]) as g:
    for text in TEXTS:
        for encoding in (*range(12), 77, 255, 256, (1 << 31), (1 << 32) - 1):
            for target in (0, 1, 3, 255):
                assert g.load(text, encoding=encoding, target=target) != 0, (text, encoding)
    assert g.load(b"x", ADDRESS) != 0 and g.load(ADDRESS, b"x", ADDRESS) != 0 and g.load() != 0
quiet()
""",
        cpu=10.0,
        engines=("compile", "interpret"),
    ),
    attempt(
        "the other dialect, which detects what no encoding says",
        """
with G("wasi_nn", "load iiii init_execution_context ii", plugins=[Remote()]) as g:
    for text in TEXTS:
        g.put(65536, text)
        g.put(0, struct.pack("<IIII", 8, 1, 65536, len(text)))
        for encoding in (*range(8), 255):
            assert g("load", 0, encoding, 0, 512) != 0
quiet()
""",
        engines=("compile", "interpret"),
    ),
    attempt(
        "a plugin that calls its format onnx, tflite, openvino, autodetect and the empty name",
        """
for formats in (("onnx",), ("tflite",), ("openvino",), ("autodetect", "", "ggml", "gguf", "pytorch", "torchscript", "tensorflow"), ("remote", "onnx", "tflite", "openvino")):
    Remote.formats = formats
    with G(plugins=[Remote()], backends={each: "remote" for each in formats if each in ("onnx", "tflite", "openvino")}) as g:
        for text in (*TEXTS, b"\\x08\\x08\\x3a\\x00"):
            for encoding in (*range(10), 255):
                g.load(text, encoding=encoding)
quiet()
""",
        cpu=30.0,  # children that refuse what isn't the plugin's
    ),
    attempt(
        "an encoding of the plugin's own",
        """
for encodings in ({77: "remote"}, {"remote": 77}, {1: "remote"}, {255: "remote", 8: "remote"}):
    Remote.encodings = encodings
    try:
        made = G(plugins=[Remote()])
    except (TypeError, ValueError) as error:
        print("refused:", error)
        continue
    with made as g:
        for encoding in (*range(12), 77, 255):
            g.load(ADDRESS, encoding=encoding)
quiet()
""",
        cpu=15.0,
    ),
    attempt(
        "a detector that says another plugin's format",
        """
class Liar(Backend):
    name = "liar"
    formats = ("lies",)
    from_guests = frozenset({"lies"})
    def detect(self, data):
        return "remote"
    def load(self, format, parts, config):
        assert format == "lies", f"it got {format}"
        return Answers()
for plugins in ([Liar(), Remote()], [Remote(), Liar()]):
    with G(plugins=plugins) as g:
        for text in TEXTS:
            for encoding in (*range(8), 255):
                g.load(text, encoding=encoding)
quiet()
""",
        cpu=15.0,
    ),
    attempt(
        "a plugin that takes guests' onnx, and nothing else that it knows",
        """
class Both(Remote):
    name = "both"
    formats = ("onnx", "remote")
    from_guests = frozenset({"onnx"})
    def load(self, format, parts, config):
        if format != "onnx":
            seen.append(("load", format))
        return Answers()
    def detect(self, data):
        return "remote" if bytes(data[:7]) == b"remote:" else None
with G(plugins=[Both()], backends={"onnx": "both"}) as g:
    for text in TEXTS:
        for encoding in (*range(12), 255):
            g.load(text, encoding=encoding)
quiet()
""",
        cpu=10.0,
    ),
    attempt(
        "from_guests that is no set of formats",
        """
class Odd(Remote):
    def detect(self, data):
        return "remote" if bytes(data[:7]) == b"remote:" else None
for odd in ("remote", "not-remote-at-all", ["remot"], {"remote": False}, b"remote", ("REMOTE",), None, True, 1, object()):
    Odd.from_guests = odd
    wanted = isinstance(odd, (str, dict)) and odd in ("remote",)  # a person who writes "remote" means it
    try:
        made = G(plugins=[Odd()])
    except (TypeError, ValueError) as error:
        print(repr(odd), "refused:", error)
        continue
    with made as g:
        answers = [g.load(ADDRESS, encoding=encoding) for encoding in (*range(8), 255)]
        print(repr(odd), answers, seen)
    if odd not in ("remote",) and not isinstance(odd, dict):
        quiet()
    seen.clear()
    while True:
        try:
            server.accept()
        except BlockingIOError:
            break
""",
        cpu=15.0,
    ),
    attempt(
        "a subclass of a backend that takes guests' bytes, with formats of its own",
        """
class Base(Backend):
    name = "base"
    formats = ("onnx",)
    from_guests = frozenset(formats)
class Child(Base):
    name = "childish"
    formats = ("remote", "onnx")
    detect = Remote.detect
    load = Remote.load
def careful(self, data):
    return "remote" if bytes(data[:7]) == b"remote:" else None
Child.detect = careful
with G(plugins=[Child()]) as g:
    for encoding in (*range(12), 255):
        g.load(ADDRESS, encoding=encoding) if encoding != 1 else None
quiet()
""",
        cpu=10.0,
    ),
    attempt(
        "bytes that are two formats at once",
        """
onnx_like = b"\\x08\\x08\\x12\\x07" + b"remote:" + b"\\x3a\\x00"
texts = [ADDRESS + b"\\0" * 100, b"TFL3" * 2 + ADDRESS, b"\\x1c\\0\\0\\0TFL3" + ADDRESS, b"GGUF\\3\\0\\0\\0" + ADDRESS, b"PK\\3\\4" + ADDRESS, b"\\x80\\4\\x95" + ADDRESS, b"\\x1c\\0\\0\\0ORTM" + bytes(64),
         b"<net>" + ADDRESS, b"\\xef\\xbb\\xbf" + ADDRESS, b" " * 100 + ADDRESS, ADDRESS + b"<?xml?><net/>", onnx_like]
with G(plugins=[Remote()]) as g:
    for text in texts:
        for parts in ((text,), (text, b""), (b"", text), (text, text)):
            for encoding in (0, 1, 4, 5, 255):
                assert g.load(*parts, encoding=encoding) != 0, (text, encoding)
quiet()
""",
        cpu=30.0,
    ),
    attempt(
        "names that are addresses, paths and other models'",
        """
os.mkdir("models"); os.mkdir("outside")
open("models/good.remote", "wb").write(ADDRESS)
open("outside/secret.onnx", "wb").write(b"x")
os.symlink("../outside/secret.onnx", "models/link.onnx")
for models in ({}, {"good": "models/good.remote"}, "models"):
    try:
        made = G(plugins=[Remote()], models=models)
    except (OSError, ValueError, TypeError) as error:
        print("refused", error)
        continue
    seen.clear()
    with made as g:
        for name in (ADDRESS, b"http://127.0.0.1:%d/x" % port, b"../outside/secret", b"../outside/secret.onnx", os.path.abspath("outside/secret.onnx").encode(), b"models/good.remote", b"./good", b"good.remote",
                     b"good\\0", b"\\0", b"", b".", b"..", b"/", b"good/../good", b"GOOD", b"g" * 100000, b"\\xff\\xfe", b"con", b"good ", "\\uff47ood".encode()):
            g.put(65536, name)
            answer = g("load_by_name", 65536, len(name), 512)
            assert answer != 0, (models, name)
            for config in (b"{}", b'{"path": "outside/secret.onnx"}', b'{"name": "good"}'):
                g.put(300000, config)
                assert g("load_by_name_with_config", 65536, len(name), 300000, len(config), 512) != 0, name
    quiet()
""",
        cpu=10.0,
    ),
    attempt(
        "a file that the guest writes into the folder of models",
        """
os.mkdir("models")
open("models/good.remote", "wb").write(b"remote:other")
wasi = Wasi(dirs={"/m": "models"})
def detected(self, data):
    return "remote" if bytes(data[:7]) == b"remote:" else None
Remote.detect = detected
functions = NN + " path_open iiiiiIIii"
text = '''(func (export "write") (param i32 i32 i32 i32) (result i32) (call $fd_write (local.get 0) (local.get 1) (local.get 2) (local.get 3)))'''
names = "load_by_name iii"
module = Module.from_text('''(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "load") (param i32 i32) (result i32) (call $load (local.get 0) (local.get 1) (i32.const 512)))
  (func (export "make") (param i32 i32) (result i32)
    (call $open (i32.const 3) (i32.const 0) (local.get 0) (local.get 1) (i32.const 9) (i64.const 0x1fffffff) (i64.const 0x1fffffff) (i32.const 0) (i32.const 600)))
  (func (export "write") (param i32 i32) (result i32)
    (i32.store (i32.const 700) (local.get 0)) (i32.store (i32.const 704) (local.get 1))
    (call $write (i32.load (i32.const 600)) (i32.const 700) (i32.const 1) (i32.const 800))))''')
with module.instantiate(engine=ENGINE, limits=Limits(seconds=20), wasi=wasi, nn=nn_of(plugins=[Remote()], models="models")) as g:
    for name, loads in ((b"evil.remote", b"evil"), (b"evil2.onnx", b"evil2"), (b"good.remote", b"good")):
        g.memory.write(1024, name); g.memory.write(2048, loads); g.memory.write(4096, ADDRESS)
        print(name, g.exports.make(1024, len(name)), g.exports.write(4096, len(ADDRESS)), g.exports.load(2048, len(loads)))
        fed = [each for each in seen if ADDRESS[:40] in each]
        if name != b"good.remote":  # what the host named is what lies there when it is loaded
            assert not fed, f"what the guest wrote was loaded: {fed}"
""",
        cpu=8.0,
    ),
    attempt(
        "a native plugin and one apart work elsewhere than in the host's process",
        """
open("apart.py", "w").write('''
import os
from pywasm_nn.nn.backend import Backend, Context, Graph
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.nn.errors import Code, NNError
class Echo(Context):
    def run(self, inputs):
        return [Tensor(DType.I64, (1,), os.getpid().to_bytes(8, "little"))]
class Answers(Graph):
    def __init__(self):
        super().__init__("apart", [TensorSpec("x", DType.F32, (1,))], [TensorSpec("y", DType.I64, (1,))])
    def context(self):
        return Echo(self)
class Apart(Backend):
    name = "apart"
    formats = ("mine",)
    from_guests = frozenset(formats)
    apart = True
    def detect(self, data):
        open(os.environ.get("SPY", "/dev/null"), "a").write(f"detect {os.getpid()}\\\\n")
        return "mine" if bytes(data[:5]) == b"mine:" else None
    def load(self, format, parts, config):
        return Answers()
class Native(Apart):
    name = "native"
    apart = False
    native = True
''')
for name in ("Apart", "Native"):
    with G(plugins=[f"apart.py:{name}"]) as g:
        answers = {encoding: g.load(b"mine:x", encoding=encoding) for encoding in (*range(8), 255)}
        print(name, answers)
        good = [encoding for encoding, answer in answers.items() if answer == 0]
        assert g.load(b"mine:x", encoding=good[0]) == 0 if good else True
        if good:
            assert g("init_execution_context", g.word(512), 516) == 0
            g.put(620, struct.pack("<I", 1)); g.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
            assert g("set_input", g.word(516), 0, 640) == 0 and g("compute", g.word(516)) == 0
            assert g("get_output", g.word(516), 0, 4096, 8, 700) == 0
            worker = int.from_bytes(g.instance.memory.read(4096, 8), "little")
            assert worker != HOST, f"{name} computes a guest's model in the host's process"
import importlib.util
spec = importlib.util.spec_from_file_location("apart_here", "apart.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)  # an object that a child can't import
for plugin in (module.Apart(), module.Native()):
    try:
        made = G(plugins=[plugin])
    except (TypeError, ValueError) as error:
        print("refused", error)
        continue
    with made as g:
        for encoding in (*range(8), 255):
            if g.load(b"mine:x", encoding=encoding) == 0:
                assert g("init_execution_context", g.word(512), 516) == 0
                g.put(620, struct.pack("<I", 1)); g.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
                g("set_input", g.word(516), 0, 640); g("compute", g.word(516)); g("get_output", g.word(516), 0, 4096, 8, 700)
                worker = int.from_bytes(g.instance.memory.read(4096, 8), "little")
                assert worker != HOST, f"{plugin.name} as an object computes a guest's model in the host's process"
""",
        cpu=15.0,
    ),
    attempt(
        "what a plugin raises at a guest's bytes stays with the guest",
        """
class Own(Exception):
    pass
class Rude(Remote):
    from_guests = frozenset({"remote"})
    raised = None
    def detect(self, data):
        return "remote"
    def load(self, format, parts, config):
        raise self.raised
for raised in (KeyError("x"), Own("\\x1b[31m"), MemoryError(), RecursionError("deep"), OSError(5, "disk"), ValueError("\\u202e" * 10), UnicodeDecodeError("utf-8", b"\\xff", 0, 1, "bad"), AssertionError(), StopIteration(), TimeoutError(),
               ConnectionRefusedError(), EOFError(), BrokenPipeError(), TypeError(), NNError.__new__(NNError) if False else ZeroDivisionError()):
    Rude.raised = raised
    lines = []
    with G(plugins=[Rude()]) as g:
        try:
            answers = {g.load(ADDRESS, encoding=encoding) for encoding in (0, 1, 5, 255)}
        except (HostError, WasmError) as error:
            answers = type(error).__name__
        print(type(raised).__name__, answers)
""",
        cpu=15.0,
    ),
    attempt(
        "a detector that raises, returns no name, or keeps what it saw",
        """
kept = []
class Keeps(Remote):
    formats = ("mine",)
    from_guests = frozenset(formats)
    answer = None
    def detect(self, data):
        kept.append(data)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer
for answer in (ValueError("x"), KeyError(), 5, b"mine", "", "no such format", "onnx", "\\x1b", ["mine"], object()):
    Keeps.answer = answer
    with G(plugins=[Keeps()]) as g:
        for encoding in (1, 5, 255):
            try:
                print(repr(answer), g.load(ADDRESS, encoding=encoding))
            except (WasmError, HostError) as error:
                print(repr(answer), type(error).__name__)
for view in kept:  # of an instance that is closed: its bytes, or a refusal, and no crash
    try:
        bytes(view)
    except ValueError as error:
        print(error)
assert not any(each[0] == "load" and each[1] != "mine" for each in seen), seen
""",
        cpu=20.0,
    ),
    attempt(
        "parts that the guest changes while they are read, by another thread on a shared memory",
        """
import threading
held = Memory.of(16, 16)
text = '''(module (import "host" "memory" (memory 16 16)) (export "memory" (memory 0))
 (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
 (func (export "load") (param i32 i32 i32 i32 i32) (result i32) (call $load (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 4))))'''
flip = Module.from_text('''(module (import "host" "memory" (memory 16 16)) (func (export "flip") (param $n i32)
 (loop (i64.store (i32.const 65536) (i64.const 0x3a65746f6d6572)) (i64.store (i32.const 65536) (i64.const 0x3a0001000808))
   (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))''')
class Both(Backend):
    name = "both"
    formats = ("mine", "remote")
    from_guests = frozenset({"mine"})
    def detect(self, data):
        return {b"remote:": "remote", b"mine:xx": "mine"}.get(bytes(data[:7]), "mine")
    def load(self, format, parts, config):
        if format != "mine":
            seen.append(format)
        return Answers()
a = Module.from_text(text).instantiate(engine=ENGINE, limits=Limits(seconds=20, graphs=100000), imports={"host": {"memory": held}}, nn=nn_of(plugins=[Both()]))
b = flip.instantiate(engine=ENGINE, limits=Limits(seconds=3), imports={"host": {"memory": held}})
def flipping():
    try:
        b.exports.flip(2_000_000)
    except LimitError:
        pass
thread = threading.Thread(target=flipping)
thread.start()
a.memory.write(0, struct.pack("<II", 65536, 200))
answers = set()
while thread.is_alive():
    for encoding in (5, 255):
        answers.add(a.exports.load(0, 1, encoding, 0, 512))
thread.join()
print(answers)
quiet()
""",
        cpu=12.0,
    ),
    attempt(
        "wasi:nn of components' core imports",
        """
for version in ("@0.2.0-rc-2024-10-28", "@0.2.0-rc-2024-06-25", ""):
    text = f'''(module (import "wasi:nn/graph{version}" "load" (func $load (param i32 i32 i32 i32 i32)))
     (import "wasi:nn/graph{version}" "load-by-name" (func $name (param i32 i32 i32)))
     (memory (export "memory") 16) (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 300000))
     (func (export "load") (param i32 i32 i32 i32 i32) (call $load (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 4)))
     (func (export "name") (param i32 i32 i32) (call $name (local.get 0) (local.get 1) (local.get 2))))'''
    try:
        g = Module.from_text(text).instantiate(engine=ENGINE, limits=Limits(seconds=20), nn=nn_of(plugins=[Remote()]))
    except LinkError as error:
        print(version, error)
        continue
    with g:
        for encoding in range(12):
            g.memory.write(65536, ADDRESS)
            g.memory.write(0, struct.pack("<II", 65536, len(ADDRESS)))
            try:
                g.exports.load(0, 1, encoding, 0, 512)
                assert g.memory.read(512, 1) == b"\\1", (encoding, g.memory.read(512, 8))
                g.exports.name(65536, len(ADDRESS), 512)
                assert g.memory.read(512, 1) == b"\\1"
            except Trap as error:
                print(encoding, error)
quiet()
""",
        cpu=8.0,
        engines=("compile", "interpret"),
    ),
    attempt(
        "a preference that sends a built-in format to the plugin, strict and not",
        """
Remote.formats = ("onnx", "remote", "tflite")
for strict in (False, True):
    for backends in ({"onnx": "remote"}, {"onnx": "remote", "tflite": "remote"}):
        with G(plugins=[Remote()], backends=backends, strict=strict) as g:
            for text in (b"\\x08\\x08\\x3a\\x02\\x12\\x00", b"\\x1c\\0\\0\\0TFL3" + bytes(64), ADDRESS):
                for encoding in (1, 4, 5, 255):
                    g.load(text, encoding=encoding)
quiet()
""",
        cpu=30.0,
    ),
    attempt(
        "a plugin that has a built-in backend's name",
        """
for name in ("onnxruntime", "numpy", "openvino", "litert", "", "remote\\x1b"):
    Remote.name = name
    Remote.formats = ("onnx", "tflite", "openvino", "remote")
    try:
        made = G(plugins=[Remote()])
    except (TypeError, ValueError) as error:
        print(repr(name), "refused", error)
        continue
    with made as g:
        for text in (b"\\x08\\x08\\x3a\\x02\\x12\\x00", ADDRESS):
            for encoding in (0, 1, 4, 5, 255):
                g.load(text, encoding=encoding)
    quiet()
""",
        cpu=40.0,
    ),
    attempt(
        "a guest's handle is no other guest's, and a named model's contexts are its own",
        """
open("m.remote", "wb").write(ADDRESS)
Remote.detect = lambda self, data: "remote" if bytes(data[:7]) == b"remote:" else None
shared = nn_of(plugins=[Remote()], models={"m": "m.remote"})
def guest():
    return forwarding("wasi_ephemeral_nn", NN, 2).instantiate(engine=ENGINE, limits=Limits(seconds=20), nn=shared)
with guest() as a, guest() as b:
    a.memory.write(1000, b"m")
    assert a.exports.load_by_name(1000, 1, 512) == 0
    graph = struct.unpack("<I", a.memory.read(512, 4))[0]
    assert a.exports.init_execution_context(graph, 516) == 0
    for handle in (*range(20), (1 << 32) - 1, 1 << 31):
        assert b.exports.init_execution_context(handle, 516) != 0, "another guest's graph"
        assert b.exports.compute(handle) != 0 and b.exports.get_output(handle, 0, 4096, 64, 700) != 0, "another guest's context"
        assert b.exports.unload(handle) != 0 and b.exports.finalize_execution_context(handle) != 0
""",
    ),
    attempt(
        "from the command: a plugin, and a guest with an address",
        """
open("remote.py", "w").write('''
import socket
from pywasm_nn.nn.backend import Backend
class Remote(Backend):
    name = "remote"
    formats = ("onnx", "remote")
    def detect(self, data):
        open("seen", "a").write("detect ")
        return "remote"
    def load(self, format, parts, config):
        open("seen", "a").write("load ")
        socket.create_connection(("127.0.0.1", %d))
''' % port)
escaped = "".join(f"\\\\{each:02x}" for each in ADDRESS)
open("g.wat", "w").write('''(module (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
 (memory (export "memory") 1) (data (i32.const 1024) "%s") (data (i32.const 0) "\\\\00\\\\04\\\\00\\\\00\\\\%02x\\\\00\\\\00\\\\00")
 (func (export "_start") (local i32) (loop (drop (call $load (i32.const 0) (i32.const 1) (local.get 0) (i32.const 0) (i32.const 512)))
   (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 9))))))''' % (escaped, len(ADDRESS)))
ended = subprocess.run([sys.executable, "-m", "pywasm_nn", "run", "--nn-plugin", "remote.py:Remote", "--nn-backend", "onnx=remote", "--engine", ENGINE, "g.wat"], capture_output=True, text=True, timeout=60)
print(ended)
assert "Traceback" not in ended.stderr, ended.stderr
assert not os.path.exists("seen"), open("seen").read()
quiet()
""",
        cpu=8.0,
    ),
    attempt(
        "the format of onnxruntime's own, TensorFlow's and Paddle's, as onnx and as OpenVINO's",
        """
from tests.attempts.kit_models import *
import onnxruntime
options = onnxruntime.SessionOptions()
options.optimized_model_filepath = "m.ort"
options.add_session_config_entry("session.save_model_format", "ORT")
data = model([node("Add", "x x")])
onnxruntime.InferenceSession(data, options)
ort = open("m.ort", "rb").read()
graphdef = b"\\x0a\\x2a\\x0a\\x01x\\x12\\x0bPlaceholder*\\x0b\\x0a\\x05dtype\\x12\\x020\\x01*\\x0b\\x0a\\x05shape\\x12\\x02:\\x00"
with Models(ENGINE, "onnxruntime") as g:
    for encoding in range(8):
        for text in (ort, graphdef, b"\\0\\0\\0\\0" + graphdef):
            answer = g.load(text, encoding=encoding)
            print(encoding, text[:8], answer)
            assert answer != 0, (encoding, text[:8])
""",
        cpu=15.0,
    ),
]
SLOW: list[Attempt] = []
