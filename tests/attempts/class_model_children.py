# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts of a guest's models to harm the host by the child process in which they run."""

from __future__ import annotations

from .class_model_ends import attempt

ATTEMPTS = [
    attempt(
        "the child dies in every call, again and again",
        """
before = None
with Models(ENGINE, "numpy", LIMITS) as g:
    for round in range(4):
        for when in ("load", "init", "set", "compute", "output"):
            context = begun(g)
            if when == "output":
                assert g.call("compute", context) == 0
            for each in children():
                os.kill(each, signal.SIGKILL)
            time.sleep(0.01)
            answer = {"load": lambda: g.load(model([node("Add", "x x")])), "init": lambda: g.call("init_execution_context", g.guest.word(512), 516),
                      "set": lambda: g.call("set_input", context, 0, 640), "compute": lambda: g.call("compute", context),
                      "output": lambda: g.call("get_output", context, 0, 4096, 4, 700)}[when]()
            assert answer not in ("limit", "trap"), (when, answer)
            assert g.call("compute", context) != 0, "a dead context computes"
            g.call("finalize_execution_context", context)
            g.call("unload", g.guest.word(512))
            if round == 1 and when == "load":
                before = state()
    g.well()
    for each in children():
        os.kill(each, signal.SIGKILL)
    g.load(model([node("Add", "x x")]))
    after = state()
    assert after[0] <= before[0] and after[1] <= before[1] + 4 and after[2] <= before[2] + 2, (before, after)
gone()
""",
        engines=("compile", "interpret"),
    ),
    attempt(
        "the child is killed, stopped and gone on at random while the guest calls",
        """
stop = threading.Event()
chance = random.Random(4)
def killer():
    while not stop.is_set():
        time.sleep(chance.random() * 0.4)
        for each in children():
            try:
                os.kill(each, chance.choice((signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGFPE, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGCONT)))
            except ProcessLookupError:
                pass
thread = threading.Thread(target=killer)
thread.start()
answers = {}
started = time.monotonic()
try:
    with Models(ENGINE, "numpy", LIMITS) as g:
        while time.monotonic() - started < 8:
            answer = g.all(model([node("Add", "x x")]))
            g.call("finalize_execution_context", g.guest.word(516))
            g.call("unload", g.guest.word(512))
            answers[str(answer)[:20]] = answers.get(str(answer)[:20], 0) + 1
            assert not isinstance(answer, bytes) or answer == struct.pack("<f", 4)
            assert answer not in ("limit", "trap"), answer
finally:
    stop.set()
    thread.join()
print(answers)
gone()
""",
        cpu=30.0,
    ),
    attempt(
        "what the child says is rubbish, or a pickle that acts",
        """
import pickle
class Evil:
    def __reduce__(self):
        return os.mkdir, (os.path.abspath("pwned"),)
for rubbish in (b"\\xff" * 64, b"\\0" * 64, struct.pack("<Q", 1 << 62) + b"x" * 64, pickle.dumps(Evil()), struct.pack("<I", len(pickle.dumps(Evil()))) + pickle.dumps(Evil()),
                struct.pack(">i", len(pickle.dumps(Evil()))) + pickle.dumps(Evil()), struct.pack(">I", 1 << 31), b"\\n" * 100000):
    with Models(ENGINE, "numpy", Limits(seconds=20, compute_seconds=3)) as g:
        context = begun(g)
        for each in children():
            os.kill(each, signal.SIGSTOP)
            for fd in os.listdir(f"/proc/{each}/fd"):
                where = os.readlink(f"/proc/{each}/fd/{fd}")
                if where.startswith("pipe") and int(fd) != 0:
                    try:
                        into = os.open(f"/proc/{each}/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)
                        os.write(into, rubbish)
                        os.close(into)
                    except OSError:
                        pass
        answer = g.call("compute", context)
        print(len(rubbish), answer)
        for each in children():
            os.kill(each, signal.SIGCONT)
        assert answer != "trap"
        answer = g.call("compute", context)
        print(len(rubbish), answer)
    gone()
assert not os.path.exists("pwned"), "a pickle of the child's ran in the host"
""",
        cpu=40.0,
    ),
    attempt(
        "the memory that both see is cut off under the host",
        """
with Models(ENGINE, "numpy", LIMITS) as g:
    context = begun(g, model([node("ConstantOfShape", "s", "a"), node("Add", "a x")], {"s": [2_000_000]}))
    assert g.call("compute", context) == 0
    cut = 0
    for each in children():
        for fd in os.listdir(f"/proc/{each}/fd"):
            where = os.readlink(f"/proc/{each}/fd/{fd}")
            print(fd, where)
            if "memfd" in where or "/dev/shm" in where or "deleted" in where:
                try:
                    into = os.open(f"/proc/{each}/fd/{fd}", os.O_RDWR)
                    try:
                        os.ftruncate(into, 0)
                        cut += 1
                    except OSError as error:
                        print(error)
                    os.close(into)
                except OSError as error:
                    print(error)
    print("cut", cut, g.call("get_output", context, 0, 4096, 1 << 21, 700), g.call("set_input", context, 0, 640), g.call("compute", context))
    assert not cut, "it can be cut"
gone()
""",
    ),
    attempt(
        "tensors that lie, before and after, on every backend",
        """
chance = random.Random(3)
for backend in ("numpy", "onnxruntime"):
    with Models(ENGINE, backend, LIMITS) as g:
        context = begun(g)
        for dims in ((), (0,), (1, 1), (1 << 32 - 1,), (1 << 16, 1 << 16), (1 << 31, 2), (0xFFFFFFFF,), (2,), (1 << 30, 4, 1 << 30)):
            for size in (0, 3, 4, 8, (1 << 32) - 1):
                for kind in range(0, 10, 3 if backend == "numpy" else 2):
                    g.guest.put(1000, b"".join(struct.pack("<I", dim & 0xFFFFFFFF) for dim in dims))
                    g.guest.put(2000, struct.pack("<IIIII", 1000, len(dims), kind, 4096, size))
                    for index in (0, 1, 0xFFFFFFFF):
                        answer = g.call("set_input", context, index, 2000)
                        assert answer != 0 or (index == 0 and size == 4), (dims, size, kind, index)
                    assert answer != "limit"
        answers = {str(g.call("get_output", context, index, at, size, back)) for index in (0, 1, 1 << 31) for at in (0, 4096, 0xFFFFFFF0) for size in (0, 3, 4, 0xFFFFFFFF) for back in (700, 0xFFFFFFFE)}
        print(backend, answers)
        g.well()
gone()
""",
    ),
    attempt(
        "no child can be had: descriptors, processes, temporary folder and program are lacking",
        """
import contextlib
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
def tried(what, spare=None, backend="numpy"):
    with Models(ENGINE, backend, Limits(seconds=20)) as g:
        if spare is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (len(descriptors()) + spare, hard))
        try:
            answer = g.load(model([node("Add", "x x")]))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        print(what, answer)
        assert answer != "trap"
        if spare is not None:
            g.well()
    gone()
tried("as it is")
for backend in ("numpy", ""):
    for spare in (0, 1, 2, 3, 5, 7):
        tried(f"{spare} descriptors", spare, backend)
tempfile.tempdir = os.environ["TMPDIR"] = "/nowhere/at/all"
tried("no temporary folder")
tempfile.tempdir = None
del os.environ["TMPDIR"]
executable, sys.executable = sys.executable, "/nowhere/python"
tried("no program")
sys.executable = ""
tried("an empty program")
sys.executable = executable
os.mkdir("away"); os.chdir("away"); os.rmdir("../away")
tried("no working directory")
before = os.environ.copy()
os.environ.clear()
tried("no environment")
os.environ.update(before)
""",
        cpu=40.0,
    ),
    attempt(
        "what a guest configures: profiles, caches, libraries and devices",
        """
configs = [{"enable_profiling": True, "profile_file_prefix": os.getcwd() + "/pwn"}, {"CACHE_DIR": os.getcwd() + "/pwn"}, {"cache_dir": os.getcwd() + "/pwn"},
           {"custom_ops_library": os.getcwd() + "/evil.so"}, {"extensions": [os.getcwd() + "/evil.so"]}, {"optimized_model_filepath": os.getcwd() + "/pwn"},
           {"providers": ["CUDAExecutionProvider"]}, {"target": "../../x"}, {"device": "GPU" * 10000}, {"threads": -1}, {"threads": 1 << 40}, {"threads": 10 ** 400}, {"target": None},
           {"session.load_model_format": "ORT"}, {"LOG_LEVEL": "x"}, {"MODEL_DISTRIBUTION_POLICY": "x"}, [], 5, "x", None]
texts = [__import__("json").dumps(each).encode() for each in configs] + [b"{" * 100000, b"[" * 100000, b"\\xff", b"", b'{"threads": 1e999}', b'{"threads": NaN}', b'{"a":1,"a":2}', b"9" * 100000]
open("good.onnx", "wb").write(model([node("Add", "x x")]))
def proto(**entries):
    loaded = onnx.load_from_string(model([node("Add", "x x")]))
    for key, value in entries.items():
        entry = loaded.metadata_props.add()
        entry.key, entry.value = key, value
    return loaded.SerializeToString()
for backend in ("onnxruntime", "numpy", "openvino"):
    with Models(ENGINE, backend, Limits(seconds=60), models={"good": "good.onnx"}) as g:
        for text in texts:
            g.guest.put(1000, b"good"); g.guest.put(65536, text)
            answer = g.call("load_by_name_with_config", 1000, 4, 65536, len(text), 512)
            assert answer not in ("trap", "limit"), text[:80]
            if answer == 0:
                g.run()
    os.environ["ORT_LOAD_CONFIG_FROM_MODEL"] = "1"
    all_of({"config": proto(ort_config='{"session_options": {"enable_profiling": 1, "optimized_model_filepath": "%s/pwn"}}' % os.getcwd())}, backend)
left = [each for each in os.listdir(".") if "pwn" in each or "profile" in each]
assert not left, left
""",
        cpu=40.0,
    ),
    attempt(
        "tensors without elements, of no dimension, and inputs of every kind",
        """
datas = {}
for kind in range(0, 24):
    for dims in ([], [0], [1], [2, 0, 3], ["n"]):
        graph = helper.make_graph([node("Shape", "x", "s"), node("Cast", "s", to=1)], "g", [helper.make_tensor_value_info("x", kind, dims)], [helper.make_tensor_value_info("y", FLOAT, None)])
        datas[f"{kind} {dims}"] = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
with Models(ENGINE, "onnxruntime", Limits(seconds=60)) as g:
    for name, data in datas.items():
        if g.load(data) == 0:
            assert g.call("init_execution_context", g.guest.word(512), 516) == 0
            context = g.guest.word(516)
            for given in ((), (0,), (1,), (2, 0, 3)):
                for wasi in range(8):
                    g.guest.put(620, struct.pack(f"<{len(given)}I", *given)); g.guest.put(640, struct.pack("<IIIII", 620, len(given), wasi, 600, 8 if given in ((), (1,)) and wasi in (5, 4, 6, 7) else 0))
                    g.call("set_input", context, 0, 640)
            answer = g.call("compute", context)
            assert answer not in ("trap", "limit"), name
            g.call("get_output", context, 0, 4096, 64, 700)
            g.call("finalize_execution_context", context)
            g.call("unload", g.guest.word(512))
    g.well()
gone()
""",
        cpu=15.0,
    ),
    attempt(
        "a model that was good in one run and is bad in the next",
        """
from tests.attempts.kit_tflite import *
divides = single("FLOOR_MOD", [([1], I32, [-(1 << 31)])], swapped=True)
grows = model([node("Cast", "x", "i", to=7), node("ConstantOfShape", "i", "a"), node("ReduceSum", "a", "z"), node("Add", "z x")])
gathers = model([node("Cast", "x", "i", to=7), node("Gather", "w i", "z"), node("Cast", "z", to=1)], {"w": [1, 2, 3]})
for backend, encoding, data, values in (("", TFLITE, divides, (3.0, 5.0, -1.0, 3.0)), ("onnxruntime", ONNX, grows, (3.0, 1e9, -5.0, 2.0)), ("numpy", ONNX, grows, (3.0, 1e9, 1e18, 2.0)),
                                        ("onnxruntime", ONNX, gathers, (1.0, 1e18, -1e18, 1.0)), ("openvino", ONNX, gathers, (1.0, 1e9, -1e9, 1.0)), ("numpy", ONNX, gathers, (1.0, 1e18, float("nan"), 1.0))):
    with Models(ENGINE, backend, LIMITS) as g:
        assert g.load(data, encoding=encoding) == 0, backend
        for value in values:
            answer = g.run(0 if False else None, value)
            print(backend, value, answer)
            assert answer not in ("trap", "limit")
        g.well()
    gone()
""",
    ),
]
