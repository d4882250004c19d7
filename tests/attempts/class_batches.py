# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts by rows and guests of a batch, and by guests whose computes run as one."""

from __future__ import annotations

from .harness import Attempt

START = """
import json, os, pathlib, resource, subprocess, sys, tempfile, threading, time
from pywasm_nn import *
from pywasm_nn.errors import *
from pywasm_nn.batch import BatchRunner
from tests.attempts.kit import *
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
alarm_after(100)
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "secret").write_text("SECRET")
WRITE = '(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))'
def runner(body, limits=Limits(seconds=1), more="", **given):
    path = folder / f"{abs(hash(body))}.wasm"
    path.write_bytes(Module.from_text(f'(module {more} (memory (export "memory") 2) (func $f (export "_start") {body}))').data)
    return BatchRunner(str(path), limits=limits, **given)
def answers(name, run, rows, most=4.0):
    '''An answer for each row, in time, none of them an exception.'''
    began = time.process_time()
    told = list(run(rows))
    took = time.process_time() - began
    print(name, str(told[0] if told else None)[:150], f"{took:.2f}", flush=True)
    assert len(told) == len(rows), (name, len(told))
    assert took < most, (name, took)
    for row in told:
        assert not raw(row["error"] + row["notes"], "\\n\\t"), row
        assert "SECRET" not in str(row), row
    return told
"""


def attempt(name: str, source: str, cpu: float = 12.0) -> Attempt:
    return Attempt(f"batch: {name}", START + source, cpu, engines=("compile",))


ATTEMPTS = [
    attempt(
        "guests that never end, trap, exit, recurse, fill memory and say hostile things",
        """
good = answers("good", runner(""), [b""] * 3)
assert all(row["error"] == "" and row["exit_code"] == 0 for row in good)
for name, body, more in (
    ("loop", "(loop (br 0))", ""), ("trap", "unreachable", ""), ("recursion", "(call $f)", ""), ("memory", "(drop (memory.grow (i32.const 60000))) (drop (i32.load (i32.const 2000000000)))", ""),
    ("a start function", "", "(func $s (loop (br 0))) (start $s)"), ("an import that isn't there", "", '(import "\\\\1b[31m" "\\\\e2\\\\80\\\\ae" (func))'),
    ("a memory too large", "", "(memory 65536)"), ("a table too large", "", "(table 4000000000 funcref)"),
    ("an exit", "(call $exit (i32.const -1))", '(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))'), ("an exit of 2^31", "(call $exit (i32.const 0x7fffffff))", '(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))'),
):
    if name == "a memory too large":
        run = runner("(loop (drop (memory.grow 1 (i32.const 1000))) (br 0))", more="(memory $big 1)", limits=Limits(seconds=0.5))
    else:
        run = runner(body, more=more, limits=Limits(seconds=0.5))
    told = answers(name, run, [b"", b"x"])
    assert all(row["error"] or row["exit_code"] for row in told), (name, told)
    assert answers("after it", runner(""), [b""])[0]["error"] == ""
loud = runner('(i32.store (i32.const 0) (i32.const 16)) (i32.store (i32.const 4) (i32.const 100000)) (loop (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br 0))', more=WRITE, limits=Limits(seconds=1, output=1 << 20))
assert len(answers("writes without end", loud, [b""])[0]["stdout"]) <= 1 << 20
""",
    ),
    attempt(
        "rows that are no rows",
        """
run = runner("")
class Odd:
    def __getattr__(self, name): raise RuntimeError(name)
    def __iter__(self): raise RuntimeError("iter")
for row in (5, None, [], Odd(), {"stdin": 5}, {"stdin": Odd()}, {"args": 5}, {"args": [5]}, {"args": ["a\\0b"]}, {"args": ["x"] * 100_000}, {"args": ["\\ud800"]}, {"env": 5}, {"env": {"a=b": "c"}}, {"env": {"a\\0": "c"}}, {"env": {5: 6}},
    {"files": 5}, {"files": {"../../secret": b"x"}}, {"files": {"/etc/passwd": b"x"}}, {"files": {"a/../../b": b""}}, {"files": {"": b"x"}}, {"files": {".": b"x"}}, {"files": {"a": b"x", "a/b": b"y"}}, {"files": {"a\\0b": b"x"}},
    {"files": {"a": 5}}, {"files": {"x/" * 3000 + "y": b""}}, {"files": {"n" * 100_000: b""}}, {"files": {"\\ud800": b""}}, {"stdin": "\\ud800"}, {"error": "x", "stdout": Odd()}, {"exit_code": "y"}, {"\\x1b[31m": 1}, "text", bytearray(b"x"), memoryview(b"x")):
    told = answers(repr(type(row)) + str(row)[:40] if not isinstance(row, Odd) else "odd", run, [b"good", row, b"good"])
    assert told[0]["error"] == told[2]["error"] == "", told
""",
        cpu=4.0,
    ),
    attempt(
        "what one guest leaves for the next",
        """
COUNT = '(i32.store (i32.const 100) (i32.add (i32.load (i32.const 100)) (i32.const 1))) (if (i32.gt_u (i32.load (i32.const 100)) (i32.const 1)) (then unreachable)) (global.set 0 (i32.add (global.get 0) (i32.const 1))) (if (i32.gt_u (global.get 0) (i32.const 1)) (then unreachable))'
told = answers("memory and globals", runner(COUNT, more="(global (mut i32) (i32.const 0))"), [b""] * 20)
assert not any(row["error"] for row in told), told
opening = '(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (data (i32.const 32) "../secret")'
for where in ("../secret", "/secret"):
    run = runner('(if (i32.eqz (call $open (i32.const 3) (i32.const 1) (i32.const 32) (i32.const 9) (i32.const 0) (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 8))) (then unreachable))', more=opening)
    told = answers("outside", run, [{"files": {"a": b"x"}}, b""])
    assert not any(row["error"] for row in told), told
create = '(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (data (i32.const 32) "left")'
run = runner('(if (i32.ne (call $open (i32.const 3) (i32.const 1) (i32.const 32) (i32.const 4) (i32.const 5) (i64.const 64) (i64.const 64) (i32.const 0) (i32.const 8)) (i32.const 0)) (then unreachable))', more=create)
told = answers("files that are made anew for each", run, [{"files": {"a": b"x"}}] * 5)
assert not any(row["error"] for row in told), told
before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
answers("descriptors", run, [{"files": {"a": b"x"}}] * 300, most=20)
assert not before or len(os.listdir("/proc/self/fd")) <= before + 3
""",
    ),
    attempt(
        "the command: hostile files, names, and a process that dies",
        """
odd = folder / "odd"
odd.mkdir()
(odd / "\\x1b[31mred\\u202e").write_bytes(b"x")
(odd / "=1+1,@x").write_bytes(b"y")
os.mkfifo(odd / "fifo")
(odd / "link").symlink_to(folder / "secret")
(odd / "dangling").symlink_to(folder / "nothing")
(odd / "loop").symlink_to(odd)
runner("")
program = next(folder.glob("*.wasm"))
for arguments in (["--over", str(odd), "--workers", "2", "--", "{}"], ["--over", str(odd / "**")], ["--over", "/proc/self/mem"], ["--workers", "99999999", "--over", str(odd / "=1+1,@x")], ["--workers", "-1", "--over", str(odd)]):
    try:
        done = subprocess.run([sys.executable, "-m", "pywasm_nn", "batch", str(program), "--timeout", "2s", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=90, env={**os.environ, "PYTHONPATH": os.getcwd()})
    except subprocess.TimeoutExpired:
        raise SystemExit(f"hangs: {arguments}") from None
    out, error = done.stdout.decode(), done.stderr.decode()
    print(arguments, done.returncode, out[:200], error[-200:], flush=True)
    assert not raw(out) and not raw(error) and "Traceback" not in error and done.returncode >= 0, (arguments, out, error)
""",
        cpu=40.0,
    ),
    attempt(
        "computes that run as one: a guest that stops, lies, is late or is alone",
        """
import numpy
from pywasm_nn.nn import NN, GraphConfig, NamedModel, Tensor
import onnx
from onnx import TensorProto, helper
graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "g", [helper.make_tensor_value_info("x", 1, ["N", 4])], [helper.make_tensor_value_info("y", 1, ["N", 4])])
(folder / "m.onnx").write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())
nn = NN(models={"m": NamedModel((folder / "m.onnx",), config=GraphConfig(options={"batch": 8, "wait": "20ms"}))}, backends={"onnx": "numpy"})
ended, lock = [], threading.Lock()
def guest(number, arrays, change=None):
    session = nn.open(lambda text: None).session
    try:
        context = session.init_execution_context(session.load_by_name("m"))
        for array in arrays:
            data = numpy.array(array)
            session.set_input(context, 0, Tensor.from_numpy(data))
            if change:
                change(data)
            session.compute(context)
            got = session.get_output(context, 0)
            with lock:
                ended.append((number, numpy.array_equal(numpy.asarray(got.numpy()), array * 2)))
    except Exception as error:
        with lock:
            ended.append((number, error))
    finally:
        session.close()
def f(*shape, value=1.0):
    return numpy.full(shape, value, "f4")
lots = [[f(1, 4, value=n)] * 5 for n in range(8)]
odd = [[f(1, 3)], [f(0, 4)], [f(4)], [f(1, 4, 1)], [numpy.full((1, 4), 1, "i4")], [numpy.full((1, 4), 1, "f8")], [f(300, 4)], [f(1, 4, value=float("nan"))], [f(2, 4, value=float("inf"))], []]
threads = [threading.Thread(target=guest, args=(n, arrays)) for n, arrays in enumerate([*lots, *odd])]
began = time.monotonic()
for each in threads: each.start()
for each in threads: each.join(60)
assert not any(each.is_alive() for each in threads)
from pywasm_nn.errors import WasmError
from pywasm_nn.nn import NNError
for number, said in ended:
    if number < 8:
        assert said is True, (number, said)
    else:
        assert said is True or said is False and number in (8 + 7,) or isinstance(said, (NNError, WasmError)), (number, said)
print(len(ended), f"{time.monotonic() - began:.1f}")
""",
        cpu=15.0,
    ),
]
