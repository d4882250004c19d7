# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts by a hostile cassette, and by a hostile editor that speaks the Debug Adapter Protocol."""

from __future__ import annotations

from .harness import Attempt

TAPE = """
import io, json, os, pathlib, random, resource, tempfile, time
from pywasm_nn import *
from pywasm_nn.errors import *
from tests.attempts.kit import *
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
alarm_after(100)
folder = pathlib.Path(tempfile.mkdtemp())
MODULE = Module.from_text('''(module (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $r (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $c (param i32 i64 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 0) "\\\\20\\\\00\\\\00\\\\00\\\\05\\\\00\\\\00\\\\00") (data (i32.const 32) "hello")
  (func (export "_start") (drop (call $r (i32.const 64) (i32.const 8))) (drop (call $c (i32.const 0) (i64.const 0) (i32.const 128)))
    (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))''')
tape = folder / "tape"
from pywasm_nn.watch.cassette import Recording, Replay
"""


def attempt(name: str, source: str, cpu: float = 10.0, engines: tuple[str, ...] = ("compile",)) -> Attempt:
    return Attempt(name, source, cpu, engines=engines)


RECORDED = (
    TAPE
    + """
with Recording(tape) as recording:
    with MODULE.instantiate(**recording.through(Wasi(stdout=Capture())), engine=ENGINE) as app:
        app.exports._start()
whole = tape.read_bytes()
def play(data, most=3.0):
    tape.write_bytes(data)
    began = time.process_time()
    written = Capture()
    try:
        replay = Replay(tape)
        with MODULE.instantiate(**replay.through(Wasi(stdout=written)), engine=ENGINE, limits=Limits(seconds=5)) as app:
            app.exports._start()
        replay.finish()
        said = "played"
    except (WasmError, GuestExit) as error:
        said = f"{type(error).__name__}: {error}"
    assert not raw(said), said
    assert time.process_time() - began < most, said
    return said
assert play(whole) == "played"
head, *entries = whole.split(b"\\n")
"""
)
DAP = """
import faulthandler, io, json, os, pathlib, resource, subprocess, sys, tempfile, time
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
faulthandler.dump_traceback_later(100, exit=True)
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "a.wat").write_text('(module (func (export "_start")))')
(folder / "secret").write_text("SECRET")
def frame(data, length=None):
    return b"Content-Length: %d\\r\\n\\r\\n%s" % (len(data) if length is None else length, data)
def request(command, **arguments):
    return frame(json.dumps({"seq": 1, "type": "request", "command": command, "arguments": arguments}).encode())
def session(data, wait=60):
    words = [sys.executable, "-m", "pywasm_nn", "debug", "--dap"]
    done = subprocess.run(words, input=data, capture_output=True, cwd=folder, timeout=wait, check=False, env={**os.environ, "PYTHONPATH": os.getcwd()})
    assert b"Traceback" not in done.stderr, done.stderr.decode()[-1500:]
    assert done.returncode >= 0, done.returncode
    assert b"SECRET" not in done.stdout + done.stderr
    return done.returncode, done.stdout, done.stderr
START = request("initialize") + request("launch", program=str(folder / "a.wat"), stopOnEntry=True) + request("configurationDone")
"""
ATTEMPTS = [
    attempt(
        "tapes: each number of a cassette is another one",
        RECORDED
        + """
import re
for number, line in enumerate(entries[:-1]):
    for match in list(re.finditer(rb"\\d+", line))[:25]:
        for other in (b"-1", b"0", b"4294967295", b"18446744073709551616", b"9" * 4000, b"9" * 5000, b"1e999", b"NaN", b"null", b"[]", b'"x"', b"true"):
            changed = line[:match.start()] + other + line[match.end():]
            play(b"\\n".join([head, *entries[:number], changed, *entries[number + 1:]]))
""",
        cpu=60.0,
    ),
    attempt(
        "tapes: JSON that lies deep, long lines, no end, other bytes",
        RECORDED
        + """
for line in (b"[" * 100000, b"[" * 100000 + b"]" * 100000, b'{"a":' * 50000, b"[" * 900 + b"]" * 900, b"1" * 5000, b'"' + b"\\\\ud800" * 1000 + b'"', b"\\xff" * 100, b"null", b"[]", b"{}", b"[1,2,3,4,5,6,7,8]", b'"' + b"x" * 20_000_000 + b'"', b"[" + b"0," * 8_000_000 + b"0]", b""):
    play(b"\\n".join([line, *entries]), 6)
    play(b"\\n".join([head, line, *entries]), 6)
for size in range(0, len(whole), 7):
    play(whole[:size])
""",
        cpu=60.0,
    ),
    attempt(
        "tapes: five hundred damaged cassettes",
        RECORDED
        + """
chance = random.Random(1)
for _ in range(500):
    data = bytearray(whole)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data))
        match chance.randrange(3):
            case 0: data[at] = chance.randrange(256)
            case 1: del data[at : at + chance.randrange(1, 9)]
            case 2: data[at:at] = bytes(chance.choices(b'[]{},:"0123456789-e', k=chance.randrange(1, 9)))
    play(bytes(data))
""",
        cpu=60.0,
    ),
    attempt(
        "tapes: addresses and sizes beyond memory, other streams, calls within calls",
        RECORDED
        + """
def entry(*steps, blobs=b"", values=(0,), kind="returned", words=()):
    told = [1, "wasi_snapshot_preview1", "random_get", [64, 8], list(steps), [kind, list(values), list(words)], [], ""]
    return json.dumps(told).encode() + b"\\n" + blobs + b"\\n"
for steps, blobs in (
    ([["written", "memory", 65535, 2, 65535]], b"xx"), ([["written", "memory", 2**32 - 1, 2, 2**32 - 1]], b"xx"), ([["written", "memory", 2**64, 2, 2**64]], b"xx"),
    ([["written", "memory", 10**300, 2, 0]], b"xx"), ([["written", "nothing", 0, 2, 0]], b"xx"), ([["written", "memory", 0, 2, 2**70]], b"xx"), ([["sent", "memory", 2**70, 2]], b"xx"),
    ([["output", 0, 2]], b"xx"), ([["output", 3, 2]], b"xx"), ([["output", 10**30, 2]], b"xx"), ([["output", 1, 10**30]], b""), ([["output", 1, -1]], b""),
    ([["reentered", "_start", [], [], []]], b""), ([["reentered", "nothing", [], [], []]], b""), ([["reentered", "memory", [], [], []]], b""), ([["reentered", "_start", [1] * 100000, [], []]], b""),
    ([["inference", "compute", "m", 0, "x", "y", [["n", "w", "f32", [10**20], 2]]]], b"xx"), ([["unknown"]], b""), ([[]], b""), ([[1]], b""), ([["sent"]], b""),
):
    print(play(head + b"\\n" + entry(*steps, blobs=blobs)))
for values in ([2**32], [2**64], [10**4000], [["00"]], [["zz"]], [[]], [None], [], [1, 2], ["x"]):
    print(play(head + b"\\n" + entry(values=values)))
for kind, words in (("exited", ()), ("trap", ()), ("trap", ("x",)), ("trap", ("unreachable", "\\x1b[31m")), ("limit", ("seconds", "x")), ("limit", ("__class__", "x")), ("host", ("os.system", "\\x1b]0;x")), ("other", ("a", "b"))):
    for values in ([0], [], [2**40], [None]):
        print(play(head + b"\\n" + entry(values=values, kind=kind, words=words)))
""",
        cpu=30.0,
    ),
    attempt(
        "tapes: an editor sends what is no message",
        DAP
        + """
for data in (b"", b"\\r\\n\\r\\n", b"Content-Length: 99999999999999\\r\\n\\r\\n", b"Content-Length: -1\\r\\n\\r\\n{}", b"Content-Length: " + b"9" * 900 + b"\\r\\n\\r\\n",
    b"Content-Length: " + b"9" * 60000 + b"\\r\\n\\r\\n", b"x" * 100000, frame(b"[" * 100000), frame(b'{"seq":' + b"[" * 990 + b"]" * 990 + b',"command":"x"}'), frame(b'{"seq":' + b"[" * 700 + b"]" * 700 + b',"command":"x"}'),
    frame(b"null") + frame(b"[]") + frame(b"{}"), frame(b"{}"), frame(b"\\xff\\xfe"), frame(b"{}", 100), frame(b"1" * 5000), frame(b'{"command": ["x"], "seq": {}}'), frame(b'{"command": "launch", "arguments": 5}'),
    frame(b'{"command": "initialize", "arguments": null}'), frame(b'{"command": "' + b"x" * 1000000 + b'"}'), frame(b'{"command": "\\\\ud800\\\\u001b[31m"}'), frame(b'{"command": "launch", "arguments": {"program": ["/etc/passwd"], "args": "x"}}'), frame(b"[0" + b",0" * 7000000 + b"]")):
    session(data)
""",
        cpu=90.0,
    ),
    attempt(
        "tapes: an editor asks for what is not there, before and after the start",
        DAP
        + """
COMMANDS = ("next", "stepIn", "stepOut", "stepBack", "reverseContinue", "pause", "threads", "stackTrace", "scopes", "variables", "evaluate", "readMemory", "disassemble", "setBreakpoints",
    "setFunctionBreakpoints", "setInstructionBreakpoints", "setVariable", "source", "modules", "loadedSources", "attach", "restart", "writeMemory", "goto", "runInTerminal", "__class__", "main", "_read", "setExceptionBreakpoints", "continue")
ODD = ({}, {"threadId": 99, "frameId": 10**30, "variablesReference": -1, "expression": "__import__('os').system('x')", "memoryReference": "0x" + "f" * 4000, "count": 10**18, "offset": -10**18, "instructionCount": 10**12, "instructionOffset": -10**12},
    {"source": {"path": str(folder / "secret")}, "sourceReference": 1, "breakpoints": [{"line": 10**30, "condition": "(" * 5000}] * 1000, "path": str(folder / "secret")},
    {"source": 5, "breakpoints": 5, "frameId": "x", "expression": 5, "memoryReference": 5, "count": "x", "variablesReference": []}, {"memoryReference": "memory", "count": 1 << 40, "breakpoints": [5, None, {}, {"name": 5}, {"instructionReference": "x" * 100000}]},
    {"expression": "9" * 5000 + "+1", "context": "repl"}, {"expression": "1" + "+1" * 100000}, {"expression": "(" * 10000 + ")" * 10000})
for begin in (request("initialize"), START):
    for odd in ODD:
        code, out, error = session(begin + b"".join(request(command, **odd) for command in COMMANDS) + request("disconnect"), 60)
        assert out.count(b'"type": "response"') > 20, (odd, code, out[-500:], error)
""",
        cpu=120.0,
    ),
    attempt(
        "tapes: a page in a browser is no editor",
        DAP
        + """
body = json.dumps({"seq": 1, "type": "request", "command": "launch", "arguments": {"program": str(folder / "a.wat")}}).encode()
for head in (b"POST / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n", b"Host: x\\r\\n", b"Origin: http://evil\\r\\nContent-Type: text/plain\\r\\n"):
    code, out, error = session(head + frame(body) + request("initialize"))
    assert b'"launch"' not in out and b'"initialize"' not in out, out
""",
    ),
]
