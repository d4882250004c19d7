# ruff: noqa: E501 - the sources of attempts have lines that can't be broken
"""Attempts to get text of a guest or of a model to a terminal, a page, a table or a log as it is."""

from __future__ import annotations

from .harness import Attempt

START = """
import csv, io, json, os, re, struct, subprocess, sys, tempfile
from pywasm_nn import *
from tests.attempts.kit import *
alarm_after(90)
open("m.wasm", "wb").write(hostile_module())
open("i.wasm", "wb").write(hostile_module(imported=True))
open("loop.wasm", "wb").write(hostile_module(body=bytes.fromhex("03400c000b")))
H = HOSTILE
def wat(text):
    return "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\\\{b:02x}" for b in text.encode())
"""


def attempt(name: str, source: str, cpu: float = 4.0, **more: object) -> Attempt:
    return Attempt(f"text: {name}", START + source, cpu, **more)  # type: ignore[arg-type]


ATTEMPTS = [
    attempt(
        "every command on a module with hostile names",
        """
for arguments in (
    "run", "inspect", "inspect --json", "print", "compile", "validate", "debug", "run -v", "run --trace=calls",
    "run --trace=ring:10", "run --trace=calls,host --trace-format json", "run --trace=calls --trace-format csv",
    "run --invoke nope", "run --unknown-imports trap -v", "run --unknown-imports zero --trace=host,calls",
    "run --monitor calls --monitor host --monitor hotness --monitor blocks --monitor branches --monitor coverage",
    "run --trace=calls --trace-only nope", "run --fuel 0", "run --max-memory 1", "wast", "assemble", "nn inspect",
    "nn run", "run --compat wasmedge -v --dir nope",
):
    for module in ("m.wasm", "i.wasm"):
        engine = ["--engine", ENGINE] if arguments.startswith("run") and "instr" not in arguments else []
        clean(*arguments.split(), *engine, module, bare=True)
""",
        cpu=20.0,  # some fifty runs of the command
    ),
    attempt(
        "every command of debug's on a module with hostile names",
        r"""
script = "help\nbacktrace\nbt\nwhere\nlocals\nstack\nglobals\nlist\nl\nbreak nope\nbreak " + H[:5] + r'''
info
info functions
functions
exports
memory 0 64
x 0 64
print nope
step
s
next
finish
continue
c
quit
'''
for module in ("m.wasm", "loop.wasm"):
    clean("debug", "--fuel", "1000", module, stdin=script.replace("\x1b", "").encode())
    clean("debug", "--invoke", "nope", module)
""",
    ),
    attempt(
        "refusals that name names: duplicate exports, bad names, links of other types",
        r"""
head = b"\0asm\1\0\0\0" + section(1, b"\2\x60\0\0\x60\1\x7f\0")
twice = head + section(5, b"\1\0\1") + section(7, b"\2" + (name(H) + b"\2\0") * 2)
open("twice.wasm", "wb").write(twice)
open("bytes.wasm", "wb").write(head + section(5, b"\1\0\1") + section(7, b"\1" + b"\4\x1b[\xff\xfe\2\0"))
open("wrong.wasm", "wb").write(head + section(2, b"\1" + name("lib") + name(H + "f") + b"\0\1"))
open("kind.wasm", "wb").write(head + section(2, b"\1" + name("lib") + name(H + "m") + b"\0\0"))
open("absent.wasm", "wb").write(head + section(2, b"\1" + name("lib") + name(H) + b"\0\0"))
open("nn.wasm", "wb").write(head + section(2, b"\1" + name("wasi_ephemeral_nn" + H) + name(H) + b"\0\0"))
open("wasi.wasm", "wb").write(head + section(2, b"\1" + name("wasi_snapshot_preview1") + name(H) + b"\0\0"))
open("near.wasm", "wb").write(head + section(2, b"\1" + name("wasi_snapshot_preview1") + name("fd_write\x1b") + b"\0\0"))
open("env.wasm", "wb").write(head + section(2, b"\1" + name("env") + name("__syscall_" + H) + b"\0\0"))
open("nested.wasm", "wb").write(head + section(2, b"\1" + name("wasi:nn/" + H) + name(H) + b"\0\0"))
for file in ("twice", "bytes", "nn", "wasi", "near", "env", "nested"):
    for what in ("validate", "run", "inspect", "print"):
        clean(what, file + ".wasm", bare=True)
for file in ("wrong", "kind", "absent"):
    clean("run", "--preload", "lib=m.wasm", file + ".wasm")
    clean("run", "--preload", "lib=" + file + ".wasm", "m.wasm")
""",
        cpu=8.0,
    ),
    attempt(
        "source text that is wrong",
        r"""
for number, text in enumerate([
    f"(module (func {H}))", f"(module ;; {H}\n (func unknown))", f'(module (func "{H}"))', f"(module (func ${H}))",
    f'(module (export "{wat(H)}" (func 0)))', f'(module (func $"{wat(H)}") (func $"{wat(H)}"))',
    f'(module (func call $"{wat(H)}"))', f"(module (; {H}", f'(module (import "{wat(H)}" "{wat(H)}" (fun)))',
    f'(module (@custom "{wat(H)}" {H}))', "(module (func i32.const 0x" + H + "))", "\ufeff(module)" + H,
    f'(module (memory (data "{wat(H)}")) (func (export "{wat(H)}") i32.add))', f'(component (import "{wat(H)}" (func)))',
    f'(module (type $"{wat(H)}" (func)) (func (type $"{wat(H)}x")))', f'(module (@{H}))', f'(module quote "{wat(H)}")',
]):
    open(f"{number}.wat", "w", encoding="utf-8", errors="surrogatepass").write(text)
    for what in ("assemble", "validate", "run", "wast"):
        clean(what, f"{number}.wat", allowed="\n", bare=True)
""",
        cpu=10.0,
    ),
    attempt(
        "scripts of the test suite that fail",
        r"""
h = wat(H)
open("s.wast", "w").write(f'''
(module $"{h}" (func (export "{h}") (result i32) i32.const 1) (func (export "t") unreachable))
(assert_return (invoke "{h}") (i32.const 2))
(assert_return (invoke $"{h}" "{h}x"))
(assert_trap (invoke "t") "{h}")
(assert_trap (invoke "{h}") "{h}")
(assert_invalid (module (func (export "{h}") i32.add)) "{h}")
(assert_malformed (module quote "{h}") "{h}")
(assert_malformed (module binary "{h}") "{h}")
(assert_unlinkable (module (import "{h}" "{h}" (func))) "{h}")
(assert_return (get "{h}"))
(assert_exhaustion (invoke "{h}") "{h}")
(assert_exception (invoke "{h}"))
(register "{h}" $"{h}y")
(register "{h}")
(module (import "{h}" "{h}z" (func)))
(module definition $"{h}" (func))
(module instance $"{h}" $"{h}")
(invoke "{h}nothing")
''')
clean("wast", "s.wast")
""",
    ),
    attempt(
        "names of files that a guest asks for, in notes and traces",
        r"""
open("f.wat", "w").write(rf'''(module
 (import "wasi_snapshot_preview1" "path_open" (func $o (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
 (import "wasi_snapshot_preview1" "proc_exit" (func $x (param i32)))
 (memory (export "memory") 1) (data (i32.const 100) "{wat(H)}") (data (i32.const 400) "/{wat(H)}")
 (data (i32.const 600) "../{wat(H)}") (data (i32.const 800) "\1b[31m\ff\fe")
 (func $t (param $p i32) (param $n i32) (result i32)
  (call $o (i32.const 3) (i32.const 0) (local.get $p) (local.get $n) (i32.const 0) (i64.const 2) (i64.const 2)
   (i32.const 0) (i32.const 0)))
 (func (export "_start")
  (drop (call $t (i32.const 100) (i32.const {len(H.encode())})))
  (drop (call $t (i32.const 400) (i32.const {len(H.encode()) + 1})))
  (drop (call $t (i32.const 600) (i32.const {len(H.encode()) + 3})))
  (drop (call $t (i32.const 800) (i32.const 7)))
  (drop (call $t (i32.const 100) (i32.const 60000)))
  (call $x (i32.const 1))))''')
os.mkdir("d")
for options in ([], ["-v"], ["--trace"], ["--trace", "--trace-format", "json"], ["--trace", "--trace-format", "csv"],
                ["--trace=ring:100"], ["--monitor", "host"], ["--trace=host,instr"]):
    for given in ([], ["--dir", "d"], ["--dir", "d::/"]):
        clean("run", *options, *given, "f.wat", bare=True)
notes = []
run("f.wat", report=notes.append)
assert not raw("\n".join(notes)), notes
""",
        cpu=8.0,
    ),
    attempt(
        "what a trap, a note and every repr say in Python",
        r"""
import pickle
module = Module.from_bytes(hostile_module())
texts = [repr(module), str(module), repr(list(module.exports)) if hasattr(module, "exports") else ""]
for one in (module.import_types, module.export_types, Module.from_bytes(hostile_module(imported=True)).import_types):
    for each in one:
        texts += [str(each), repr(each)]
with module.instantiate(engine=ENGINE) as app:
    texts += [repr(app), repr(app.exports), str(app.exports)]
    for each in ("f", "t", "m", "g"):
        thing = getattr(app.exports, H + each)
        texts += [repr(thing), str(thing)]
    for action in (lambda: app.exports._start(), lambda: getattr(app.exports, H), lambda: app.exports[H],
                   lambda: getattr(app.exports, H + "f")(1), lambda: app.exported_memory(H)):
        try:
            action()
        except Exception as error:
            for each in (error, pickle.loads(pickle.dumps(error))) if isinstance(error, WasmError) else (error,):
                texts += [str(each), repr(each), *getattr(each, "__notes__", ())]
                texts += [repr(frame) + str(frame) for frame in getattr(each, "frames", None) or ()]
try:
    Module.from_bytes(hostile_module(imported=True)).instantiate(engine=ENGINE)
except LinkError as error:
    texts += [str(error), repr(error), *error.__notes__, repr(error.missing)]
for text in texts:
    assert not raw(text), text
assert len(texts) > 20
""",
    ),
    attempt(
        "a traceback of Python's own with a guest's names",
        r"""
import traceback
for act in (lambda: Module.from_bytes(hostile_module()).instantiate(engine=ENGINE).exports._start(),
            lambda: Module.from_bytes(hostile_module(imported=True)).instantiate(engine=ENGINE)):
    try:
        act()
    except WasmError:
        text = traceback.format_exc()
        assert not raw(text), text
""",
    ),
    attempt(
        "a page of a trace with a script in every name",
        r"""
bad = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"`${alert(3)}--><!--<script>]]>&lt;\u2028\u202e\x1b"
for hostile in (bad, H):
    open("p.wasm", "wb").write(hostile_module(bad, bytes.fromhex("41001a"), imported=False))
    clean("run", "--trace-html", "p.html", "p.wasm", bare=True)
    page = open("p.html", encoding="utf-8").read()
    for piece in ("<script>alert", "</script><script>a", "<img src=x", "<!--<script>"):
        assert piece not in page, piece
    assert not raw(page.replace("\n", "")), raw(page)
    trace = Trace(["calls", "instr", "host"])
    module = Module.from_bytes(hostile_module(bad))
    with module.instantiate(engine="interpret", observer=trace) as app:
        try:
            app.exports._start()
        except Trap:
            pass
    for page in (trace.page(), module._repr_html_() if hasattr(module, "_repr_html_") else "",
                 trace._repr_html_() if hasattr(trace, "_repr_html_") else ""):
        inside = page
        for piece in ("<script>alert", "<img src=x", "<!--<script>"):
            assert piece not in inside, piece
""",
    ),
    attempt(
        "formulas in CSV",
        r"""
for formula in ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "\u200b=1", "\uff1d1+1",
                '"=1+1', '";=1+1', "=cmd|' /C calc'!A0", "\x00=1+1", ";=1+1", ",=1"):
    open("c.wasm", "wb").write(hostile_module(formula))
    open("ci.wasm", "wb").write(hostile_module(formula, bytes.fromhex("1000"), imported=True))
    for options in (["--trace=calls,host", "--trace-format", "csv"],
                    ["--monitor", "calls", "--monitor", "host", "--monitor-format", "csv"]):
        for module in (["c.wasm"], ["--unknown-imports", "zero", "ci.wasm"]):
            clean("run", "--trace-file" if "--trace-format" in options else "--monitor-file", "out.csv", *options,
                  *module, bare=True)
            text = open("out.csv", newline="", encoding="utf-8").read()
            assert not raw(text, "\r\n"), text
            for row in csv.reader(io.StringIO(text)):
                for cell in row:
                    assert not re.match(r"[\s\x00\u200b]*[=+@\uff1d]|[\s\x00]*-[^0-9]|\s*-[0-9]+[^0-9.]", cell), (formula, cell)
""",
        cpu=25.0,  # 64 runs of the command
        engines=("compile",),
    ),
    attempt(
        "JSON lines stay JSON lines",
        r"""
for hostile in (H, '"}\n{"kind": "end"', "\\", '\\"', "\ud7ff\ue000\uffff\U0010ffff", "\x7f\x80\x9f"):
    open("j.wasm", "wb").write(hostile_module(hostile))
    clean("run", "--trace=calls", "--trace-format", "json", "--trace-file", "t.json", "j.wasm", bare=True)
    for line in open("t.json", newline="", encoding="utf-8").read().split("\n"):
        if line:
            assert json.loads(line)["kind"] in ("trace", "call", "end", "return", "hint"), line
            assert not raw(line), line
    json.loads(command("inspect", "--json", "j.wasm")[0])
""",
    ),
    attempt(
        "mangled names that demangle to controls",
        r"""
for mangled in ("_ZN4core5$u1b$4evilE", "_ZN2$u202e$3abcE", "_ZN10$u1b$$u7$17h0123456789abcdefE", "_RNvC1a1b",
                "_RNvCu8_ls1ba1_1b", "_RNvCs_1au9evil_x7ba", "_ZN3foo11$u2028$bar17h0123456789abcdefE", "_Z3\x1b[3v",
                "_ZN1\x1b1\u202eE", "_RNvC7mycrateu3_0u", "_RNvC7mycrateu4_9ub", "_ZN8$u9b$2J17h0123456789abcdefE",
                "_RNvNvC1au10gdel_5qa6g3foo", "_ZN5$LT$$u85$E", "_RNvC1au7_wbraaa", "_RNvC1au9_fsqb2lga"):
    for body in (b"\0",):
        open("d.wasm", "wb").write(hostile_module(mangled).replace(b"function", b"functio" + b"n"))
        data = hostile_module("x")
        old = name("xfunction")
        names = section(0, name("name") + section(1, b"\1\0" + name(mangled)))
        bare = b"\0asm\1\0\0\0" + section(1, b"\1\x60\0\0") + section(3, b"\1\0") + section(7, b"\1" + name("_start") + b"\0\0") + section(10, b"\1\3\0\0\x0b") + names
        open("d.wasm", "wb").write(bare)
        for what in ("run", "inspect", "compile", "print"):
            clean(what, "d.wasm", bare=True)
        clean("run", "--trace=calls", "--monitor", "calls", "d.wasm")
""",
        cpu=12.0,
    ),
    attempt(
        "AssemblyScript's abort with controls and half of a pair",
        r"""
text = ("\x1b[31m\u202e\u2028\x07" + H).encode("utf-16-le") + b"\x00\xd8\x00\xdc\x00\xdc"
data = "".join("\\%02x" % b for b in struct.pack("<I", len(text)) + text)
open("a.wat", "w").write(f'''(module (import "env" "abort" (func $a (param i32 i32 i32 i32)))
 (import "env" "emscripten_notify_memory_growth" (func $g (param i32)))
 (memory (export "memory") 1) (data (i32.const 96) "{data}")
 (func (export "_start") (call $a (i32.const 100) (i32.const 100) (i32.const 1) (i32.const 2))))''')
open("b.wat", "w").write(open("a.wat").read().replace("(i32.const 100) (i32.const 100)", "(i32.const -1) (i32.const 65534)"))
open("c.wat", "w").write('''(module (import "env" "abort" (func $a)) (memory (export "memory") 1)
 (func (export "_start") (call $a)))''')
for file in ("a", "b", "c"):
    for options in ([], ["--trace"], ["--unknown-imports", "trap"], ["-v"]):
        clean("run", *options, file + ".wat", bare=True)
""",
    ),
    attempt(
        "an exception that nobody catches, with hostile tags",
        r"""
open("e.wat", "w").write(f'''(module (tag $"{wat(H)}" (export "{wat(H)}") (param i32 i64 f64))
 (func $"{wat(H)}" (export "_start") (throw 0 (i32.const 27) (i64.const 1) (f64.const nan))))''')
open("l.wat", "w").write(f'''(module (import "{wat(H)}" "{wat(H)}" (tag)) (func (export "_start") (throw 0)))''')
for file in ("e", "l"):
    for options in ([], ["--trace=calls"], ["--trace=instr"], ["-v"]):
        clean("run", *options, file + ".wat")
""",
    ),
    attempt(
        "names of models, configurations and inputs that a guest makes up",
        r"""
h, n = wat(H), len(H.encode())
open("n.wat", "w").write(rf'''(module
 (import "wasi_ephemeral_nn" "load_by_name" (func $l (param i32 i32 i32) (result i32)))
 (import "wasi_ephemeral_nn" "load_by_name_with_config" (func $c (param i32 i32 i32 i32 i32) (result i32)))
 (import "wasi_ephemeral_nn" "load" (func $d (param i32 i32 i32 i32 i32) (result i32)))
 (memory (export "memory") 1) (data (i32.const 1000) "{h}") (data (i32.const 2000) "digits")
 (data (i32.const 3000) "{{\22{h}\22: 1}}") (data (i32.const 4000) "{{\22target\22: \22\1b[31m\22, \22\\u001b\22: 2}}")
 (data (i32.const 5000) "<?xml version=\221.0\22?><net name=\22\c2\9b\e2\80\ae\22 version=\2211\22><layers/></net>")
 (data (i32.const 6000) "\e8\03\00\00\64\00\00\00\88\13\00\00\64\00\00\00")
 (func (export "_start")
  (drop (call $l (i32.const 1000) (i32.const {n}) (i32.const 0)))
  (drop (call $l (i32.const 1000) (i32.const 60000) (i32.const 0)))
  (drop (call $c (i32.const 2000) (i32.const 6) (i32.const 1000) (i32.const {n}) (i32.const 0)))
  (drop (call $c (i32.const 2000) (i32.const 6) (i32.const 3000) (i32.const {n + 7}) (i32.const 0)))
  (drop (call $c (i32.const 2000) (i32.const 6) (i32.const 4000) (i32.const 37) (i32.const 0)))
  (drop (call $c (i32.const 1000) (i32.const {n}) (i32.const 4000) (i32.const 37) (i32.const 0)))
  (drop (call $d (i32.const 6000) (i32.const 1) (i32.const 5) (i32.const 0) (i32.const 0)))
  (drop (call $d (i32.const 6000) (i32.const 2) (i32.const 0) (i32.const 0) (i32.const 0)))
  (drop (call $d (i32.const 6008) (i32.const 1) (i32.const 77) (i32.const 99) (i32.const 0)))
  unreachable))''')
from pywasm_nn import demo
os.mkdir("models")
import shutil
shutil.copy(demo.path() / "models" / "digits.onnx", "models/digits.onnx")
shutil.copy(demo.path() / "models" / "digits.onnx", "models/\x1b[31m\u202e.onnx")
for options in ([], ["--trace"], ["-v"], ["--trace", "--trace-format", "json"], ["--trace", "--trace-format", "csv"]):
    clean("run", *options, "--models", "models", "n.wat")
    clean("run", *options, "n.wat")
""",
        cpu=25.0,  # loads frameworks in a child process
    ),
    attempt(
        "models whose inputs, nodes and operators have hostile names",
        r"""
import onnx
from onnx import TensorProto as T, helper as o
def model(op, domain="", inputs=H + "in", outputs=H + "out", name=H + "node", **attributes):
    node = o.make_node(op, [inputs], [outputs], name=name, domain=domain, **attributes)
    graph = o.make_graph([node], H + "graph", [o.make_tensor_value_info(inputs, T.FLOAT, [H + "n", 2])],
                         [o.make_tensor_value_info(outputs, T.FLOAT, None)], doc_string=H)
    made = o.make_model(graph, opset_imports=[o.make_opsetid("", 17), o.make_opsetid(H, 1)], producer_name=H,
                        doc_string=H, domain=H)
    o.set_model_props(made, {H: H})
    return made.SerializeToString()
import numpy
numpy.save("in.npy", numpy.zeros((1, 2), "f4"))
numpy.save("bad.npy", numpy.zeros((3, 1, 2), "i8"))
for number, data in enumerate([
    model("Relu"), model(H), model(H, H), model("Cast", to=99), model("Transpose", perm=[7, 8]), model("Relu", **{H: H}),
]):
    open(f"{number}.onnx", "wb").write(data)
    for backend in ("numpy", "onnxruntime", "openvino"):
        for arguments in (["inspect", f"{number}.onnx"], ["run", f"{number}.onnx", "in.npy"],
                          ["run", f"{number}.onnx", "bad.npy"], ["run", f"{number}.onnx", "nope=in.npy"],
                          ["inspect", "--json", f"{number}.onnx"]):
            clean("nn", arguments[0], "--nn-backend", f"onnx={backend}", *arguments[1:])
""",
        cpu=40.0,  # imports three frameworks
        engines=("compile",),
    ),
    attempt(
        "an output's name that leads out of the folder it is saved to",
        r"""
import onnx, numpy
from onnx import TensorProto as T, helper as o
numpy.save("in.npy", numpy.zeros((1, 2), "f4"))
os.makedirs("a/b/out")
for output in ("../../../escaped", "/tmp/escaped-by-name", "x/../../y", "..", ".", "", "nul\0l", "CON", "a" * 5000,
               "\x1b[31m", "..\\..\\w", "~/x", "out:stream"):
    graph = o.make_graph([o.make_node("Relu", ["x"], [output or "e"])], "g",
                         [o.make_tensor_value_info("x", T.FLOAT, [1, 2])],
                         [o.make_tensor_value_info(output or "e", T.FLOAT, [1, 2])])
    open("m.onnx", "wb").write(o.make_model(graph, opset_imports=[o.make_opsetid("", 17)]).SerializeToString())
    clean("nn", "run", "--nn-backend", "onnx=numpy", "--save", "a/b/out", "m.onnx", "in.npy", bare=True)
    strange = [each for each in ("escaped.npy", "a/b/y.npy", "a/y.npy", "/tmp/escaped-by-name.npy", "a/b/out/x",
                                 "y.npy", "a/escaped.npy") if os.path.exists(each)]
    assert not strange, (output, strange)
    assert os.listdir("a/b") == ["out"], os.listdir("a/b")
    for each in os.listdir("a/b/out"):
        assert not raw(each), each
""",
        cpu=12.0,
        engines=("compile",),
    ),
    attempt(
        "a file whose own name is hostile",
        r"""
for each in ("\x1b[31m\u202ex", "-v\x07", "a\nb", "\udcff\udc80"):
    file = each.encode("utf-8", "surrogateescape") + b".wasm"
    open(b"./" + file, "wb").write(hostile_module())
    path = "./" + os.fsdecode(file)
    for what in ("run", "inspect", "print", "compile", "validate", "inspect --json", "run --trace=calls", "debug",
                 "nn inspect", "wast", "run -v"):
        clean(*what.split(), path, bare=True)
    clean("run", "./no" + os.fsdecode(file))
""",
        cpu=12.0,
    ),
    attempt(
        "completion of hostile names",
        r"""
for shell in ("bash", "zsh", "fish"):
    for hostile in (H, "x\ny\nplain,evil", "$(touch pwned)", "`touch pwned`", "a;b", "'; touch pwned; '"):
        open("k.wasm", "wb").write(hostile_module(hostile))
        for words, at in (("pywasm-nn run k.wasm --invoke ", 4), ("pywasm-nn run --invoke '' k.wasm", 3)):
            done = subprocess.run([sys.executable, "-m", "pywasm_nn"], capture_output=True, env={
                **os.environ, "_PYWASM_NN_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)})
            for text in (done.stdout.decode(), done.stderr.decode()):
                assert not raw(text), (shell, text)
                assert "Traceback" not in text, text
    break
""",
        cpu=10.0,
        engines=("compile",),
    ),
    attempt(
        "terminals that know only ASCII",
        r"""
open("u.wasm", "wb").write(hostile_module("naïve 漢字 \U0001f600 " + H))
for what in ("run", "inspect", "print", "compile", "run --trace=calls --monitor calls", "run --invoke x", "debug"):
    for encoding in ("ascii", "latin-1", "cp1252"):
        done = subprocess.run([sys.executable, "-m", "pywasm_nn", *what.split(), "u.wasm"], capture_output=True,
                              stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONIOENCODING": encoding})
        for text in (done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")):
            assert not raw(text), (what, encoding, text)
            assert "Traceback" not in text, text
""",
        cpu=20.0,
        engines=("compile",),
    ),
    attempt(
        "the line that says what is going on",
        r"""
import pty, time
master, slave = os.openpty()
child = subprocess.Popen([sys.executable, "-m", "pywasm_nn", "run", "--engine", ENGINE, "--timeout", "3s", "loop.wasm"],
                         stdout=slave, stderr=slave, stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
os.close(slave)
seen = b""
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece:
        break
    seen += piece
child.wait()
text = seen.decode("utf-8")
ours = re.sub(r"\x1b\[[0-9;?]*[mKhlJA-D]", "", text)
assert not raw(ours, "\r\n"), text
assert "\x1b[31mred" not in text and "]0;title\x07" not in text, text
assert "over\x00" not in text and "\rover" not in text, text
""",
        cpu=8.0,  # the line comes after two seconds
    ),
    attempt(
        "a name of a megabyte",
        r"""
long = "n" * 1_000_000
open("long.wasm", "wb").write(hostile_module(long))
open("longi.wasm", "wb").write(hostile_module(long, imported=True))
for what in ("run", "run -v", "debug", "run --monitor calls", "run --invoke nope", "run --trace=calls", "validate"):
    for file in ("long.wasm", "longi.wasm"):
        text = clean(*what.split(), file, bare=True)
        assert len(text) < 100_000, (what, len(text))
module = Module.from_bytes(hostile_module(long))
assert len(repr(module)) < 10_000
assert all(len(str(each)) < 100_000 for each in module.export_types)
""",
        cpu=12.0,
        peak=1 << 30,
    ),
]
